r"""The moves that a hand which never loses can do without.

A class of hands *never loses* if it wins or ties in the last round against every class that
the opponent may hold, however the cards still to come fall:

$$W_{ij} \ge 0 \;\text{ for all } j \quad\text{(player 1)}, \qquad
  W_{ij} \le 0 \;\text{ for all } i \quad\text{(player 2)}.$$

Such a hand needs no *fold*: who calls, and never folds later, loses nothing. And where a
call or a check would lead to the showdown, it needs neither if a bet or raise is possible: who
raises, and never folds later, wins what the opponent has paid if he folds, and never less than
the call if he does not. Both dominances are weak, so leaving out all these moves at once keeps
the value of the game, and every equilibrium of what is left is one of the whole. Nothing
follows a move that goes, and every information set keeps a move.

This is the iterated elimination of dominated strategies of thesis 003, section 5.2.1, as far
as its figures tell. At each of the 49 betting histories that lead to the last round of Rhode
Island Hold'em, such a hand loses five moves of player 1 and six of player 2. With 191 such
classes of 1,774, or 7,152 such hands of 132,600, that makes

    rows     49 * 5 *   191 =    46,795 = 1,237,238  - 1,190,443
    columns  49 * 6 *   191 =    56,154 = 1,237,238  - 1,181,084
    rows     49 * 5 * 7,152 = 1,752,240 = 91,224,226 - 89,471,986
    columns  49 * 6 * 7,152 = 2,102,688 = 91,224,226 - 89,121,538

More is dominated that stayed in those programs: calls of hands that never win, to begin with
(47 of the 1,774 classes, or 9,984 hands). `saddlepoint.solvers.prune` finds what there is, in
games small enough to be written down; here the payoffs are never written down, and a game
costs its betting tree and a pass over the pairs of hands of its last round.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import CALL, FOLD, SHOWDOWN
from saddlepoint.games.deal import Deal
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.program_size import ProgramShape, beyond_rounding
from saddlepoint.sequence.payoff import CardDeal

Mask = NDArray[np.bool_]
Nodes = NDArray[np.int64]


def never_lose(deal: Deal, player: int) -> tuple[Mask, ...]:
    """Which of a player's classes never lose, round by round.

    A class of an early round never loses if none of the classes that it can become loses.

    Examples
    --------
    Every card of Leduc Hold'em may lose until the board pairs it:

    >>> from saddlepoint.games.poker import leduc
    >>> deal = leduc().deal
    >>> [np.array(r.names[0])[safe].tolist() for r, safe in zip(deal.rounds, never_lose(deal, 1))]
    [[], ['J|J', 'Q|Q', 'K|K']]
    """
    final = len(deal.rounds) - 1
    loses = _loses(deal, player, final)
    return tuple(
        np.bincount(deal.up(player, final, r), loses, deal.classes(player, r)) == 0
        for r in range(final + 1)
    )


def _loses(deal: Deal, player: int, final: int) -> Mask:
    """Which classes of the last round lose against some class of the opponent."""
    here, loses = deal.rounds[final], np.zeros(deal.classes(player, final), bool)
    cards = here.showdown
    if isinstance(cards, CardDeal) and cards.strength is not None:
        best = np.maximum.reduceat(cards.strength, cards.board[:-1])
        return np.asarray(cards.strength < np.repeat(best, np.diff(cards.board)))
    outcomes = here.showdown.entries()
    own, sign = (outcomes.rows, 1.0) if player == 1 else (outcomes.columns, -1.0)
    lost = sign * outcomes.values < 0.0
    loses[own[lost & beyond_rounding(outcomes, here.fold.entries())]] = True
    return loses


@dataclass(frozen=True)
class Needless:
    """The moves of a game that hands which never lose can do without.

    Examples
    --------
    Of the kings of Kuhn poker, player 1's never folds to a bet, nor does player 2's, which
    does not check behind either:

    >>> from saddlepoint.games.poker import kuhn
    >>> needless = Needless(kuhn())
    >>> X, Y, A = needless.game.sequence_form()
    >>> [X.sequence_name(q) for q in needless.sequences(1)]
    ['K:cr f']
    >>> [Y.sequence_name(q) for q in needless.sequences(2)]
    ['K:c c', 'K:r f']
    >>> print(needless.shape())
    18 rows by 19 columns
    """

    game: FactoredGame

    @cached_property
    def never_lose(self) -> tuple[tuple[Mask, ...], tuple[Mask, ...]]:
        """The classes that never lose, of player 1 and of player 2, by round."""
        return never_lose(self.game.deal, 1), never_lose(self.game.deal, 2)

    def hands(self, player: int) -> tuple[int, ...]:
        """How many of a player's classes never lose, by round."""
        return tuple(int(safe.sum()) for safe in self.never_lose[player - 1])

    def moves(self, player: int) -> tuple[int, ...]:
        """How many moves in the betting are needless for such a hand, by round."""
        tree = self.game.tree
        found = tree.round[tree.parent[needless_moves(tree, player)]]
        return tuple(np.bincount(found, minlength=tree.rules.rounds).tolist())

    def count(self, player: int) -> int:
        """How many of a player's sequences go."""
        pairs = zip(self.hands(player), self.moves(player), strict=True)
        return sum(hands * moves for hands, moves in pairs)

    def shape(self, player: int = 1) -> ProgramShape:
        """Rows and columns of a player's linear program without the needless moves."""
        counts = self.game.counts()
        one, two = counts.sequences
        left = (one - self.count(1), two - self.count(2))
        return ProgramShape(sequences=left, infosets=counts.infosets, player=player)

    def sequences(self, player: int) -> Nodes:
        """The sequences that go, in the sequence form of the game, ascending."""
        factored, found = self.game.factored, [np.zeros(0, np.int64)]
        tree, place = factored.tree, factored.places[player - 1]
        for move in needless_moves(tree, player).tolist():
            classes = np.flatnonzero(self.never_lose[player - 1][int(place.seen[move])])
            found.append(place.row[move] + place.stride[move] * classes)
        return np.sort(np.concatenate(found))


def needless_moves(tree: BettingTree, player: int) -> Nodes:
    """The nodes of a betting tree that a player who never loses need not move to.

    They are leaves: his folds, and showdowns by his call or check where he might have raised.
    The round of such a move is that of its parent; a showdown may stand in a later one.
    """
    node = np.arange(1, len(tree))
    parent = tree.parent[node]
    raises = tree.move[tree.child[parent] + tree.children[parent] - 1] > CALL
    ends = (tree.move[node] == CALL) & (tree.mover[node] == SHOWDOWN)
    goes = (tree.mover[parent] == player) & ((tree.move[node] == FOLD) | (ends & raises))
    found: Nodes = node[goes]
    return found
