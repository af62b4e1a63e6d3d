"""What makes two signals of a player the same: the readings of GameShrink's text.

A *comparison* has costs: 0 where two things that a player may have been told through a round
are the same, more where they differ. `saddlepoint.abstraction.gameshrink` says what supports
each reading.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.isomorphic import MatchingCosts
from saddlepoint.core.errors import GameError
from saddlepoint.games.signal_tree import signal_tree
from saddlepoint.games.signals import OrderedGame

Integers = NDArray[np.int64]


class Comparison(ABC):
    """Costs of taking one thing that a player is told for another."""

    def __init__(self, game: OrderedGame) -> None:
        self.game = game
        self.players = range(1, game.players + 1)

    def exact(self, round_: int) -> Integers | None:
        """Numbers that are equal where costs are 0, or None where only pairs can be told."""
        return None

    @abstractmethod
    def cost(self, round_: int, one: int, two: int) -> float:
        """The cost of two of `game.informations(round_)`, the largest over the players."""


class OwnFirst(Comparison):
    """Below a node come the player's own later signals, then the others' (Definition 10)."""

    def _order(self, player: int, round_: int) -> list[int]:
        deals = self.game.deals
        own = deals.columns(player, self.game.rounds)
        return own + [k for k in range(len(deals.levels)) if k not in own]

    def _trees(self, round_: int) -> list[MatchingCosts]:
        """A tree for each player; the same in all rounds."""
        return self._all

    @cached_property
    def _all(self) -> list[MatchingCosts]:
        last = self.game.rounds
        return [MatchingCosts(signal_tree(self.game, self._order(i, last))) for i in self.players]

    def exact(self, round_: int) -> Integers:
        """Isomorphism classes of the nodes with what a player is told."""
        level = self.game.own_signals(round_)
        rows = np.column_stack([tree.classes[level] for tree in self._trees(round_)])
        return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def cost(self, round_: int, one: int, two: int) -> float:
        """The cost of matching the subtrees below."""
        level = self.game.own_signals(round_)
        return max(tree.cost(level, one, two) for tree in self._trees(round_))


class OthersFirst(OwnFirst):
    """Below a node come the others' signals so far, then all later ones."""

    def __init__(self, game: OrderedGame) -> None:
        super().__init__(game)
        self._by_round: dict[int, list[MatchingCosts]] = {}

    def _order(self, player: int, round_: int) -> list[int]:
        deals = self.game.deals
        own = deals.columns(player, round_)
        return own + [k for k in range(len(deals.levels)) if k not in own]

    def _trees(self, round_: int) -> list[MatchingCosts]:
        if round_ not in self._by_round:
            self._by_round[round_] = [
                MatchingCosts(signal_tree(self.game, self._order(i, round_))) for i in self.players
            ]
        return self._by_round[round_]


class Nodes(Comparison):
    """Nodes carry all players' signals; the others' are the same in both (Definition 9).

    With `every` two signals cost as much as they do for the others' signals for which they
    differ most, without as much as for those for which they differ least. Only signals of
    the others are looked at that are legal with both; where there are none, the cost is
    infinite.
    """

    def __init__(self, game: OrderedGame, every: bool) -> None:
        super().__init__(game)
        self.every = every
        self._tables: dict[tuple[int, int], list[dict[int, int]]] = {}

    @cached_property
    def _tree(self) -> MatchingCosts:
        return MatchingCosts(signal_tree(self.game))

    def _table(self, player: int, round_: int) -> list[dict[int, int]]:
        """For everything a player is told, the node for each of the others' private signals."""
        if (player, round_) not in self._tables:
            deals = self.game.deals
            told = deals.information(player, round_)
            others = deals.groups(
                [
                    k
                    for k, level in enumerate(deals.levels)
                    if level.round <= round_ and not level.told_to(player)
                ]
            )
            node = self._tree.tree.place[self.game.revealed(round_)]
            table: list[dict[int, int]] = [{} for _ in range(int(told.max()) + 1)]
            for s, other, n in zip(told.tolist(), others.tolist(), node.tolist(), strict=True):
                table[s][other] = n
            self._tables[player, round_] = table
        return self._tables[player, round_]

    def cost(self, round_: int, one: int, two: int) -> float:
        """The cost of matching the subtrees of nodes that differ in one player's signals."""
        level, costs = self.game.revealed(round_), []
        for player in self.players:
            table = self._table(player, round_)
            first, second = table[one], table[two]
            common = [
                self._tree.cost(level, node, second[others])
                for others, node in first.items()
                if others in second
            ]
            worst = (max if self.every else min)(common, default=math.inf)
            costs.append(worst)
        return max(costs)


class Counts(Comparison):
    """Equal chances to be ranked above, below and like the opponent in the end.

    The cost is the squared distance of these three chances.
    """

    def __init__(self, game: OrderedGame) -> None:
        super().__init__(game)
        if game.players != 2:
            raise GameError(
                f"{game.name} has {game.players} players; wins, losses and draws are counted "
                "between two"
            )
        deals, last = game.deals, game.rounds
        rank = game.ranks(last)
        one, two = (rank[deals.information(i, last)] for i in (1, 2))
        sign = np.sign(one - two)
        self._exact: dict[int, Integers] = {}
        self._chances: dict[int, list[NDArray[np.float64]]] = {}
        for j in range(1, last + 1):
            counts = [self._count(deals.information(i, j), sign * (3 - 2 * i)) for i in (1, 2)]
            known: dict[tuple[tuple[int, ...], ...], int] = {}
            keys = zip(*([_lowest(row) for row in rows] for rows in counts), strict=True)
            self._exact[j] = np.array([known.setdefault(key, len(known)) for key in keys])
            self._chances[j] = [
                np.array([[int(c) / sum(map(int, row)) for c in row] for row in rows])
                for rows in counts
            ]

    def _count(self, place: Integers, sign: Integers) -> NDArray[np.object_]:
        """Weights of losses, draws and wins of everything that a player is told."""
        found = np.zeros((int(place.max()) + 1, 3), object)
        np.add.at(found, (place, sign + 1), self.game.deals.weight.astype(object))
        return found

    def exact(self, round_: int) -> Integers:
        """Equal where all three chances are."""
        return self._exact[round_]

    def cost(self, round_: int, one: int, two: int) -> float:
        """The squared distance of the chances."""
        if self._exact[round_][one] == self._exact[round_][two]:
            return 0.0
        return max(float(((rows[one] - rows[two]) ** 2).sum()) for rows in self._chances[round_])


def _lowest(row: NDArray[np.object_]) -> tuple[int, ...]:
    """Counts divided by what divides all of them."""
    counts = [int(c) for c in row]
    return tuple(c // math.gcd(*counts) for c in counts)
