"""How much there is to bet, counted without a tree.

Betting histories that lead to the same state (`saddlepoint.games.betting_moves`) are
followed together, as one state and their number. Every action leads on in the order of
round, units in the pot, and whether somebody has acted, so that one pass in this order
meets every state with all of its histories known.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SizeError
from saddlepoint.games.betting import NO_STACK, BettingRules, widest_node
from saddlepoint.games.betting_moves import SHOWDOWN, expand

# Moves between distinct states that are followed at most: some seconds of work.
MOST_MOVES = 10_000_000
# Histories are counted in 64 bits up to here, and in whole numbers of any size beyond.
_EXACT = 1 << 40

States = NDArray[np.int64]
Numbers = NDArray[Any]


@dataclass(frozen=True)
class Tally:
    """How much there is to bet, by round (rows) and by player (columns).

    `starts` counts the betting histories that reach each round; a root that is a leaf or
    that has taken forced checks counts where it stands.
    """

    decisions: NDArray[np.object_]
    sequences: NDArray[np.object_]
    folds: NDArray[np.object_]
    showdowns: NDArray[np.object_]
    starts: NDArray[np.object_]

    @property
    def nodes(self) -> int:
        """Decision nodes and leaves of the betting tree."""
        return int(self.decisions.sum() + self.folds.sum() + self.showdowns.sum())


@lru_cache(maxsize=64)
def tally(rules: BettingRules) -> Tally:
    """Count the betting tree: O(moves between distinct states).

    Raises
    ------
    SizeError
        If there are too many distinct states even to count.

    Examples
    --------
    >>> kuhn = BettingRules(ante=1, bets=(1,), max_bets=1)
    >>> tally(kuhn).decisions.tolist(), tally(kuhn).showdowns.tolist()
    ([[2, 2]], [3])
    """
    count = _Count(rules)
    while count.waiting:
        count.step()
    return Tally(*(np.array(table, object) for table in count.tables()))


class _Count:
    """States that wait to be followed, by their place in the order, and what was counted."""

    def __init__(self, rules: BettingRules) -> None:
        self.rules, self.widest, self.moves = rules, widest_node(rules), 0
        self.decisions = [[0, 0] for _ in range(rules.rounds)]
        self.sequences = [[0, 0] for _ in range(rules.rounds)]
        self.folds, self.showdowns, self.starts = ([0] * rules.rounds for _ in range(3))
        self.waiting: list[tuple[int, ...]] = []
        self._states: dict[tuple[int, ...], list[tuple[States, Numbers]]] = defaultdict(list)
        first = rules.root()
        self.starts[first[0, 0]] += 1
        self._add(first, np.ones(1, np.int64))

    def tables(self) -> tuple[list[Any], ...]:
        return self.decisions, self.sequences, self.folds, self.showdowns, self.starts

    def step(self) -> None:
        """Follow the first of the waiting groups of states."""
        key = heappop(self.waiting)
        parts = self._states.pop(key)
        states, number = _merged(
            np.concatenate([s for s, _ in parts]), np.concatenate([n for _, n in parts])
        )
        after, _, source = expand(self.rules.arrays, self.rules.rounds, states, self.widest)
        self.moves += len(after)
        if self.moves > MOST_MOVES:
            raise SizeError(
                f"betting with a stack of {self.rules.stack} units has too many different states "
                "even to be counted; choose a smaller stack or a menu of bets"
            )
        for player in (1, 2):
            own = states[:, 1] == player
            self.decisions[key[0]][player - 1] += _total(number[own])
            self.sequences[key[0]][player - 1] += _total(number[source][own[source]])
        self._count_starts(after, number[source], key[0])
        self._add(after, number[source])

    def _count_starts(self, after: States, number: Numbers, round_: int) -> None:
        for r in range(round_ + 1, self.rules.rounds):
            self.starts[r] += _total(number[after[:, 0] == r])

    def _add(self, states: States, number: Numbers) -> None:
        """Count leaves, and let decisions wait in their groups."""
        for r in range(self.rules.rounds):
            here, shown = states[:, 0] == r, states[:, 1] == SHOWDOWN
            self.showdowns[r] += _total(number[here & shown])
            self.folds[r] += _total(number[here & (states[:, 1] < SHOWDOWN)])
        states, number = states[states[:, 1] > 0], number[states[:, 1] > 0]
        if not len(states):
            return
        # Only whether there was a bet or an action matters, but for a limit of bets.
        states[:, 6] = np.minimum(states[:, 6], 1)
        if self.rules.arrays.max_bets == NO_STACK:
            states[:, 5] = np.minimum(states[:, 5], 1)
        order = [states[:, 0], states[:, 2] + states[:, 3], states[:, 6]]
        _, first, which = np.unique(_numbered(order), return_index=True, return_inverse=True)
        by_group = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which))
        for n, part in zip(first, np.split(by_group, ends[:-1]), strict=True):
            key = tuple(int(column[n]) for column in order)
            if key not in self._states:
                heappush(self.waiting, key)
            self._states[key].append((states[part], number[part]))


def _merged(states: States, number: Numbers) -> tuple[States, Numbers]:
    """Equal states as one, with the sum of their numbers."""
    _, first, which = np.unique(_numbered(list(states.T)), return_index=True, return_inverse=True)
    if number.dtype != object and _total(number) > _EXACT:
        number = number.astype(object)
    total = np.zeros(len(first), number.dtype)
    np.add.at(total, which, number)
    return states[first], total


def _numbered(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One number for each row, equal for equal rows and in their order."""
    key, size = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        span = int(column.max()) + 1
        if size * span >= 1 << 62:  # too large a number: take ranks instead
            _, key = np.unique(key, return_inverse=True)
            size = len(key)
        key, size = key * span + column, size * span
    return key


def _total(number: Numbers) -> int:
    """The sum as a Python integer; parts of at most `_EXACT` cannot overflow in 64 bits."""
    return int(number.sum())
