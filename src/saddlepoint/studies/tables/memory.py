"""Thesis 003, Table 10.1: memory for games of four sizes, decomposed and written down.

The thesis compares its first-order method, which needs the factors of the payoff matrix and
some vectors, with CPLEX, which needs the matrix. Here the vectors are those of an iteration
of regret matching, `VECTORS` for each player, and the solver of linear programs is HiGHS. The
buckets of three of the four games are not published. Ours for 10k and 160k are expectation
based and as many (one fewer in round 2 of 160k, where no more come out), RI has the 13-205-1774
buckets, and Texas has random tables of the published size (`saddlepoint.games.synthetic`).
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np

from saddlepoint.abstraction.buckets import bucketed
from saddlepoint.core.checks import text
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.synthetic import texas
from saddlepoint.sequence.payoff import CardDeal, DealMatrix, DenseDeal, SparseDeal
from saddlepoint.solvers.program import count_entries
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.tables.rhode_island import READINGS, fine_pair, made, real_game

INSTANCES = ("10k", "160k", "RI", "Texas")
BUCKETS = {"10k": (13, 14, 19), "160k": (13, 205, 300)}
# Strategy, plan, regrets, average and work space.
VECTORS = 5
# A number in double precision and its column in 32 bits.
ENTRY_BYTES = 12
# Instances that HiGHS was run on. RI was not: CPLEX took 25 GB.
FOR_HIGHS = ("10k", "160k")


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What a game takes, in bytes.

    Parameters
    ----------
    name
        Which instance of Table 8.1 it is, in size.
    sequences
        Of player 1 and of player 2.
    nonzeros
        Entries of its linear program, at most.
    operator
        The factors of the payoff matrix as products use them, in double precision.
    tables
        The factors as the game keeps them: those of which the operator was made.
    treeplexes
        Both players' treeplexes.
    """

    name: str
    sequences: tuple[int, int]
    nonzeros: int
    operator: int
    tables: int
    treeplexes: int

    @property
    def iterates(self) -> int:
        """The vectors of an iteration in double precision; half in single precision."""
        return VECTORS * 8 * sum(self.sequences)

    @property
    def decomposed(self) -> int:
        """All that solving takes without the matrix."""
        return self.operator + self.tables + self.treeplexes + self.iterates

    @property
    def explicit(self) -> int:
        """The linear program alone, written down: a number and a column for each entry."""
        return ENTRY_BYTES * self.nonzeros

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.decomposed / 1e9:.3f} GB decomposed, "
            f"{self.explicit / 1e9:.3f} GB written down"
        )


@cache
def instance(name: str) -> FactoredGame:
    """The game of one of the four sizes."""
    if text("instance", name) not in INSTANCES:
        raise SettingsError(unknown("instance", name, INSTANCES))
    if name == "Texas":
        return texas()
    if name == "RI":
        return fine_pair().game
    buckets = made("EB", BUCKETS[name], READINGS["EB"][0])
    return bucketed(real_game(), buckets).game


def memory_of(name: str) -> Memory:
    """What an instance takes; Texas itself takes a gigabyte and some seconds.

    Examples
    --------
    >>> print(memory_of("10k"))
    10k: 0.001 GB decomposed, 0.003 GB written down
    """
    return memory_of_game(instance(name), name)


def memory_of_game(game: FactoredGame, name: str) -> Memory:
    """What a game takes, under some name.

    >>> from saddlepoint.games.poker import leduc
    >>> memory_of_game(leduc(), "leduc").nonzeros
    1928
    """
    X, Y, A = game.sequence_form()
    deals = {id(term.deal): term.deal for term in A.terms}
    constraints = X.n_sequences + X.n_infosets + Y.n_sequences + Y.n_infosets
    return Memory(
        name=name,
        sequences=(X.n_sequences, Y.n_sequences),
        nonzeros=count_entries(A) + constraints,
        operator=A.n_bytes,
        tables=sum(map(_bytes, deals.values())),
        treeplexes=X.n_bytes + Y.n_bytes,
    )


def _bytes(deal: DealMatrix) -> int:
    parts: tuple[object, ...] = ()
    if isinstance(deal, DenseDeal):
        parts = (deal.matrix,)
    elif isinstance(deal, SparseDeal):
        parts = (deal.table.rows, deal.table.columns, deal.table.values)
    elif isinstance(deal, CardDeal):
        parts = (deal.board, deal.weight, deal.count, deal.strength)
    return sum(part.nbytes for part in parts if isinstance(part, np.ndarray))


_HIGHS = """
import sys
import highspy
from saddlepoint.solvers.program import Program
from saddlepoint.studies.tables.memory import instance

def resident(which):
    status = open("/proc/self/status")
    return 1024 * int(next(line.split()[1] for line in status if line.startswith(which)))

form = instance(sys.argv[1]).sequence_form()
highs = highspy.Highs()
options = {"output_flag": False, "threads": 1, "solver": sys.argv[3], "run_crossover": "off"}
for name, value in (options | {"time_limit": float(sys.argv[2])}).items():
    highs.setOptionValue(name, value)
# What went before does not count: the peak begins anew.
open("/proc/self/clear_refs", "w").write("5")
before = resident("VmRSS")
highs.passModel(Program(form).model())
highs.run()
print(resident("VmHWM") - before, highs.getModelStatus().name)
"""


def highs_bytes(name: str, seconds: float, solver: str = "ipm") -> tuple[int, str]:
    """Peak memory of HiGHS on an instance, without crossover, and the status that it ended with.

    In a fresh process, above what that took with the game alone. If time ran out it is a lower
    bound, as in the thesis. Linux only.

    Parameters
    ----------
    name
        One of `FOR_HIGHS`, or another instance if there is the memory.
    seconds
        After how long HiGHS is stopped.
    solver
        `ipm` or `simplex`.
    """
    done = subprocess.run(
        [sys.executable, "-c", _HIGHS, name, str(seconds), solver],
        check=True,
        capture_output=True,
        text=True,
    )
    peak, status = done.stdout.split()
    return int(peak), status


def table_10_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Gigabytes of the decomposed game with the vectors of an iteration."""
    return {f"{name}, EGT": Ours(memory_of(name).decomposed / 1e9) for name in INSTANCES}
