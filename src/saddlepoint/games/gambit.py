"""Games in the text formats of Gambit (https://www.gambit-project.org), in and out.

`.efg` files hold trees and become a `TreeGame`; `.nfg` files hold tables and become a
`MatrixGame`. Only games of two players whose payoffs have a constant sum are taken;
Gambit itself handles all others. Malformed text raises a `FormatError` with line and
column, never anything else.

>>> from saddlepoint.games.matrices import rock_paper_scissors
>>> read_nfg(write_nfg(rock_paper_scissors())) == rock_paper_scissors()
True
"""

from saddlepoint.games.gambit_efg import read_efg
from saddlepoint.games.gambit_nfg import read_nfg
from saddlepoint.games.gambit_out import write_efg, write_nfg

__all__ = ["read_efg", "read_nfg", "write_efg", "write_nfg"]
