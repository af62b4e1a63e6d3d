"""Signal trees: everything that chance can reveal, level by level (thesis 003, Definition 8).

The filtered signal tree of the thesis has the levels in the order in which signals are revealed.
Comparing what one player knows needs other orders too: his own signals first, say. A
`SignalTree` is made for any order of the levels, and for any filter in the usual one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.games.information import InformationFilter
from saddlepoint.games.signals import DECIMALS, OrderedGame

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class SignalTree:
    """A tree of the signals of an ordered game.

    Parameters
    ----------
    game
        The game.
    labels
        What every level but the root's reveals.
    place
        For every level, the root's first: the node of each deal of the game. Nodes are
        numbered so that those below one node stand side by side.
    complete
        The level at which all signals of a round are revealed, by round; empty in a tree
        with another order of the levels.

    Examples
    --------
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import kuhn
    >>> tree = signal_tree(ordered_poker(kuhn()))
    >>> tree.labels, tree.sizes, tree.n_nodes
    (('player 1, round 1', 'player 2, round 1'), (1, 3, 6), 10)
    >>> tree.probability(2)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """

    game: OrderedGame
    labels: tuple[str, ...]
    place: tuple[Integers, ...]
    complete: tuple[int, ...] = ()

    @property
    def depth(self) -> int:
        """The level of the leaves."""
        return len(self.labels)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes every level has."""
        return tuple(int(place.max()) + 1 for place in self.place)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are in all."""
        return sum(self.sizes)

    @cached_property
    def _deal(self) -> tuple[Integers, ...]:
        """A deal of every node."""
        return tuple(np.unique(place, return_index=True)[1] for place in self.place)

    @cached_property
    def weight(self) -> tuple[NDArray[Any], ...]:
        """For every level: whole numbers in proportion to the probabilities of its nodes."""
        return tuple(
            summed(self.game.deals.weight, place, size)
            for place, size in zip(self.place, self.sizes, strict=True)
        )

    def parent(self, level: int) -> Integers:
        """The node above each node of a level."""
        return self.place[level - 1][self._deal[level]]

    def probability(self, level: int) -> NDArray[np.float64]:
        """The probability of each node of a level if the node above it is reached.

        Equal probabilities are equal numbers, since each is one division of whole numbers.
        """
        above = self.weight[level - 1][self.parent(level)]
        return np.array([int(w) / int(t) for w, t in zip(self.weight[level], above, strict=True)])

    @cached_property
    def children(self) -> tuple[tuple[range, ...], ...]:
        """For every level but the last, the nodes below each of its nodes."""
        found = []
        for level in range(self.depth):
            edges = np.searchsorted(self.parent(level + 1), np.arange(self.sizes[level] + 1))
            found.append(tuple(range(a, b) for a, b in pairwise(edges.tolist())))
        return tuple(found)

    @cached_property
    def utilities(self) -> NDArray[np.float64]:
        """What every player gets at each leaf, after each path to the end.

        The shape is (leaves, paths, players). Where a filter puts several deals together it
        is their average by probability.
        """
        p = self.game.deals.probability
        leaf, size = self.place[-1], self.sizes[-1]
        total = np.bincount(leaf, p, size)
        table = np.empty((size, *self.game.payoffs.shape[::2]))
        for k, of_path in enumerate(self.game.payoffs):
            for i in range(self.game.players):
                table[:, k, i] = np.bincount(leaf, p * of_path[:, i], size) / total
        return table

    @cached_property
    def leaf_numbers(self) -> Integers:
        """Numbers that are equal where all utilities of two leaves are."""
        flat = np.round(self.utilities.reshape(self.sizes[-1], -1), DECIMALS) + 0.0
        return np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def __repr__(self) -> str:
        return f"<SignalTree of {self.game.name}: {'/'.join(map(str, self.sizes))} nodes by level>"


def summed(weight: NDArray[Any], place: Integers, size: int) -> NDArray[Any]:
    """The sum of exact weights over the deals of each place."""
    found = np.zeros(size, weight.dtype)
    np.add.at(found, place, weight)
    return found


def signal_tree(
    game: OrderedGame, order: Sequence[int] | None = None, given: int = 0
) -> SignalTree:
    """The signal tree of a game with its levels in some order.

    Parameters
    ----------
    game
        The game.
    order
        The places of the levels in `game.deals.levels`; those that are left out are revealed
        to nobody. By default all of them as they are, which is Definition 8 with the filter
        that tells everything.
    given
        So many levels of the order are revealed at once, by the first edges.
    """
    levels = game.deals.levels
    order = list(range(len(levels))) if order is None else list(order)
    cuts = [0, *range(max(1, given), len(order) + 1)] if order else [0]
    return SignalTree(
        game,
        tuple(" and ".join(str(levels[k]) for k in order[a:b]) for a, b in pairwise(cuts)),
        tuple(game.deals.groups(order[:cut]) for cut in cuts),
    )


def filtered_signal_tree(information: InformationFilter) -> SignalTree:
    """The filtered signal tree of Definition 8.

    What the players know at a level: of a round that is complete for a player, its class; of
    one in which he was told something, but not all, which classes he may still be told. The
    definition leaves the second open, since a filter is a function of complete rounds.

    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import leduc
    >>> game = ordered_poker(leduc())
    >>> full = filtered_signal_tree(InformationFilter.identity(game))
    >>> full.sizes, full.n_nodes == game.signal_tree_size()
    ((1, 6, 30, 120), True)
    >>> filtered_signal_tree(InformationFilter.coarsest(game)).sizes
    (1, 1, 1, 1)
    """
    game = information.game
    place, labels, complete = [np.zeros(len(game.deals), np.int64)], [], []
    for j in range(1, game.rounds + 1):
        draws = [k for k, level in enumerate(game.deals.levels) if level.round == j]
        for draw in draws:
            place.append(_joined(place[-1], information, j, draw + 1))
            labels.append(str(game.deals.levels[draw]))
        if not draws:
            # Nothing is drawn, but the filter may let out what was drawn before.
            told = _joined(place[-1], information, j, game.revealed(j))
            if told.max() > place[-1].max():
                place.append(told)
                labels.append(f"told in round {j}")
        complete.append(len(labels))
    return SignalTree(game, tuple(labels), tuple(place), tuple(complete))


def _joined(place: Integers, information: InformationFilter, round_: int, level: int) -> Integers:
    """The nodes below some nodes, by what all players know after so many draws."""
    players = range(1, information.game.players + 1)
    keys = np.column_stack([place, *(_known(information, i, round_, level) for i in players)])
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _known(information: InformationFilter, player: int, j: int, level: int) -> Integers:
    """For every deal, a number for what a player knows in a round after so many draws."""
    deals = information.game.deals
    own = [k for k in deals.columns(player, j) if k < level]
    before = [k for k in own if deals.levels[k].round < j]
    if own == deals.columns(player, j):
        return information.told(player, j)
    if own == before:
        return information.told(player, j - 1) if j > 1 else np.zeros(len(deals), np.int64)
    groups, classes = deals.groups(own), information.told(player, j)
    possible: list[set[int]] = [set() for _ in range(int(groups.max()) + 1)]
    for group, number in zip(groups.tolist(), classes.tolist(), strict=True):
        possible[group].add(number)
    known: dict[frozenset[int], int] = {}
    numbers = [known.setdefault(frozenset(one), len(known)) for one in possible]
    return np.array(numbers, np.int64)[groups]
