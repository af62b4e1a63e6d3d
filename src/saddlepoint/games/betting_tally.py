"""How much there is to bet, counted without a tree.

Betting histories that lead to the same state (`saddlepoint.games.betting_moves`) are
followed together, as one state and their number. Every action leads on in the order of
round, units in the pot (of bets where no stack bounds them), and whether somebody has
acted, so that one pass in this order meets every state with all of its histories known.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SizeError
from saddlepoint.games.betting import NO_STACK, BettingRules, widest_node
from saddlepoint.games.betting_moves import SHOWDOWN, expand

# Moves between distinct states, and groups of them that are followed, at most: together about
# two seconds of work. A group, and what an earlier one adds to it, cost as much as so many moves.
MOST_WORK = 2_000_000
_GROUP_WORK, _PART_WORK = 100, 8
# Of the moves that a group of states may have at most, one in so many is there.
_SPARSE = 4
# States that are found at once.
_PORTION = 200_000
# Where there is too much to count, so many units behind give a lower bound.
_FEWER_UNITS = 80
# Histories are counted in 64 bits up to here, and in whole numbers of any size beyond.
_EXACT = 1 << 40

_ANSWERS = 1 << 32

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


class TooMuchBetting(SizeError):
    """More betting than can be counted; `least` is a lower bound on its decisions."""

    def __init__(self, least: int) -> None:
        super().__init__(f"at least {about(least)} betting decisions, too many to be counted")
        self.least = least


@lru_cache(maxsize=64)
def tally(rules: BettingRules) -> Tally:
    """Count the betting tree: O(moves between distinct states).

    Raises
    ------
    TooMuchBetting
        If there are too many distinct states even to count.

    Examples
    --------
    >>> kuhn = BettingRules(ante=1, bets=(1,), max_bets=1)
    >>> tally(kuhn).decisions.tolist(), tally(kuhn).showdowns.tolist()
    ([[2, 2]], [3])
    """
    if 3 * widest_node(rules) > MOST_WORK:  # each bet is answered in two ways
        raise TooMuchBetting(_least(rules))
    count = _Count(rules, MOST_WORK)
    if not count.go():
        raise TooMuchBetting(max(count.least(), _least(rules)))
    return Tally(*(np.array(table, object) for table in count.tables()))


def about(n: int) -> str:
    """A whole number of any size for people, rounded down where it is long.

    >>> about(9_720), about(7 * 10**400)
    ('9,720', '7.0e+400')
    """
    if n < 10**9:
        return f"{n:,}"
    exponent = int(math.log10(n))
    exponent += (n >= 10 ** (exponent + 1)) - (n < 10**exponent)
    tenths = n * 10 // 10**exponent
    return f"{tenths // 10}.{tenths % 10}e+{exponent:02d}"


def _least(rules: BettingRules) -> int:
    """A lower bound on the decisions of a betting tree that was not counted.

    Where all whole bets are allowed, a smaller stack has no more decisions: every bet below
    it is a bet, and its all-in can be played as a bet or as all-in. So can every first bet be
    made, and has to be answered.
    """
    if rules.stack is None or not rules.menu.integral or widest_node(rules) == 0:
        return 1
    paid = rules.ante + max(rules.blinds)
    bets = rules.stack - paid - rules.min_bet
    fewer = replace(rules, stack=min(rules.stack, paid + max(rules.min_bet, _FEWER_UNITS)))
    count = _Count(fewer, MOST_WORK // 2)
    count.go()
    return max(bets, count.least(), 1)


class _Count:
    """States that wait to be followed, by their place in the order, and what was counted."""

    def __init__(self, rules: BettingRules, most: int) -> None:
        self.rules, self.most, self.work, self.left_out = rules, most, 0, 0
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

    def go(self) -> bool:
        """Follow states until all are counted or enough work is done; whether all are."""
        while self.waiting and self.work <= self.most:
            self.step()
        return self.work <= self.most

    def least(self) -> int:
        """Decisions that were met so far, followed or not."""
        waiting = sum(_total(n) for parts in self._states.values() for _, n in parts)
        return sum(map(sum, self.decisions)) + waiting + self.left_out

    def step(self) -> None:
        """Follow the first of the waiting groups of states, unless it is too large."""
        parts = self._states.pop(self.waiting[0])
        states, number = _merged(
            np.concatenate([s for s, _ in parts]), np.concatenate([n for _, n in parts])
        )
        widest = 0 if self.waiting[0][1] == _ANSWERS else self._widest(states)
        self.work += _GROUP_WORK + len(states) * widest // _SPARSE
        if self.work > self.most:
            self.left_out += _total(number)
            return
        round_ = heappop(self.waiting)[0]
        for player in (1, 2):
            self.decisions[round_][player - 1] += _total(number[states[:, 1] == player])
        portion = max(1, _PORTION // (widest + 2))
        for k in range(0, len(states), portion):
            self._follow(states[k : k + portion], number[k : k + portion], widest, round_)

    def _widest(self, states: States) -> int:
        """An upper bound on the bets and raises of some states."""
        widest = widest_node(self.rules)
        if self.rules.bets is None and self.rules.menu.integral:
            widest = min(widest, self.rules.arrays.stack - int(states[:, 2:4].max(axis=1).min()))
        return widest

    def _follow(self, states: States, number: Numbers, widest: int, round_: int) -> None:
        rules, later = self.rules, widest_node(self.rules)
        after, _, source = expand(rules.arrays, rules.rounds, states, widest, later)
        self.work += len(after)
        number = number[source]
        for player in (1, 2):
            self.sequences[round_][player - 1] += _total(number[states[source, 1] == player])
        for r in range(round_ + 1, self.rules.rounds):
            self.starts[r] += _total(number[after[:, 0] == r])
        self._add(after, number)

    def _add(self, states: States, number: Numbers) -> None:
        """Count leaves, and let decisions wait in their groups."""
        for r in range(self.rules.rounds):
            here, shown = states[:, 0] == r, states[:, 1] == SHOWDOWN
            self.showdowns[r] += _total(number[here & shown])
            self.folds[r] += _total(number[here & (states[:, 1] < SHOWDOWN)])
        states, number = states[states[:, 1] > 0], number[states[:, 1] > 0]
        if not len(states):
            return
        order = self._order(states)
        _, first, which = np.unique(_numbered(order), return_index=True, return_inverse=True)
        self.work += _PART_WORK * len(first)
        if self.work > self.most:
            self.left_out += _total(number)
            return
        by_group = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which))
        for n, part in zip(first, np.split(by_group, ends[:-1]), strict=True):
            key = tuple(int(column[n]) for column in order)
            if key not in self._states:
                heappush(self.waiting, key)
            self._states[key].append((states[part], number[part]))

    def _order(self, states: States) -> list[NDArray[np.int64]]:
        """Where states stand in the order. What does not matter for what follows is forgotten.

        That is how often there was a bet or an action beyond one, but for a limit of bets;
        and where neither a stack nor a pot bounds them, what both have paid alike.
        """
        rules = self.rules.arrays
        states[:, 6] = np.minimum(states[:, 6], 1)
        most_bets = rules.max_bets[states[:, 0]]
        free = most_bets == NO_STACK
        states[free, 5] = np.minimum(states[free, 5], 1)
        theirs = np.where(states[:, 1] == 1, states[:, 3], states[:, 2])
        answers = (states[:, 5] >= most_bets) | (theirs >= rules.stack)
        answers |= rules.may_bet[states[:, 1] - 1] == 0
        place = states[:, 2] + states[:, 3]
        if rules.stack == NO_STACK:
            states[:, 2:4] -= states[:, 2:4].min(axis=1, keepdims=True)
            place = states[:, 5]
        # Whoever cannot raise ends the round, so all of them can wait until last.
        return [states[:, 0], np.where(answers, _ANSWERS, place), states[:, 6]]


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
