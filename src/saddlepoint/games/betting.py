"""Betting: rules as data, and the tree of everything that can be bet.

The betting tree does not depend on the cards. Its nodes are numbered level by level, so
that parents come before children and siblings lie side by side. Contributions are whole
*units*; a game says how many chips a unit is.

A round ends when both players have acted and have contributed equally. A player who can
only check does not act: the check is taken as made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.core.kernel import kernel
from saddlepoint.games.menu import Menu

FOLD, CALL, FIRST_RAISE = -1, 0, 2
# Movers besides players 1 and 2.
SHOWDOWN, FOLDED1, FOLDED2 = 0, -1, -2
NO_STACK = 1 << 40
MOST_NODES = 100_000_000
_MOST_SIZES = 16

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class BettingRules:
    """How a poker-like game is bet, in units.

    Parameters
    ----------
    ante
        What each player pays first.
    rounds
        Number of betting rounds.
    first
        Who acts first, by round: 1 or 2.
    blinds
        What players 1 and 2 have to bet besides the ante before the first action.
    bets
        Fixed sizes of bets and raises by round (limit), or None (no-limit).
    max_bets
        Most bets and raises in a round (a blind counts as one), or None for no limit.
    stack
        All of a player's units, ante included; None in a limit game where all bets fit.
    menu
        Sizes of no-limit bets.
    min_bet
        Least first bet of a round in no-limit; a raise is at least the last raise.
    may_bet
        Whether players 1 and 2 may bet or raise at all.
    """

    ante: int = 0
    rounds: int = 1
    first: tuple[int, ...] = ()
    blinds: tuple[int, int] = (0, 0)
    bets: tuple[int, ...] | None = None
    max_bets: int | None = None
    stack: int | None = None
    menu: Menu = field(default_factory=Menu)
    min_bet: int = 1
    may_bet: tuple[bool, bool] = (True, True)

    def __post_init__(self) -> None:
        if not self.first:
            object.__setattr__(self, "first", (1,) * self.rounds)
        paid = [self.ante + blind for blind in self.blinds]
        problems = {
            f"ante is {self.ante}, expected at least 0": self.ante < 0,
            f"blinds are {self.blinds}, expected at least 0": min(self.blinds) < 0,
            "ante and blinds are 0: there is nothing to win": max(paid) == 0,
            f"rounds is {self.rounds}, expected 1 to 8": not 1 <= self.rounds <= 8,
            f"first is {self.first}, expected 1 or 2 for each of {self.rounds} rounds": len(
                self.first
            )
            != self.rounds
            or not set(self.first) <= {1, 2},
            f"max_bets is {self.max_bets}, expected at least 0": self.max_bets is not None
            and self.max_bets < 0,
            f"min_bet is {self.min_bet}, expected at least 1": self.min_bet < 1,
        }
        if self.bets is None:
            problems["a no-limit game needs a stack"] = self.stack is None
        else:
            problems[
                f"bets are {self.bets}, expected a size above 0 for each of {self.rounds} rounds"
            ] = len(self.bets) != self.rounds or min(self.bets, default=0) <= 0
            problems["a limit game needs max_bets, or betting would never end"] = (
                self.max_bets is None and self.stack is None
            )
        if self.stack is not None:
            problems[
                f"stack is {self.stack}, expected at least the {max(paid)} of ante and blind"
            ] = self.stack < max(paid)
            if self.bets is not None:
                least = max(paid) + sum(self.bets) * (self.max_bets or 1)
                problems[
                    f"bets {self.bets} with max_bets {self.max_bets} need a stack of {least}, "
                    f"found {self.stack}"
                ] = self.stack < least
        for problem, wrong in problems.items():
            if wrong:
                raise RulesError(problem)

    @cached_property
    def arrays(self) -> RuleArrays:
        """The rules as the kernels take them."""
        menu = self.menu
        bets, raises = menu.bets or (), menu.raises or ()
        sizes = tuple(sorted({*bets, *raises}))
        if len(sizes) > _MOST_SIZES:
            raise RulesError(f"a menu has at most {_MOST_SIZES} sizes, found {len(sizes)}")
        flags = [
            [size in bets, size in raises, size in menu.once, size in menu.later] for size in sizes
        ]
        return RuleArrays(
            np.array(self.first, np.int64),
            np.array(self.bets if self.bets is not None else [], np.int64),
            np.array(sizes, np.float64),
            np.array(flags, np.int64).reshape(len(sizes), 4),
            np.array(self.may_bet, np.int64),
            self.stack if self.stack is not None else NO_STACK,
            self.max_bets if self.max_bets is not None else NO_STACK,
            self.min_bet,
            int(menu.integral),
            int(menu.all_in),
            int(menu.half_stack),
        )

    @property
    def start(self) -> tuple[int, ...]:
        """The state before the first action (see `_children`)."""
        c1, c2 = (self.ante + blind for blind in self.blinds)
        return (0, self.first[0], c1, c2, max(self.blinds), int(max(self.blinds) > 0), 0, 0)


class RuleArrays(NamedTuple):
    """Betting rules as kernels take them; `flags` has columns bet, raise, once, later."""

    first: NDArray[np.int64]
    bets: NDArray[np.int64]
    sizes: NDArray[np.float64]
    flags: NDArray[np.int64]
    may_bet: NDArray[np.int64]
    stack: int
    max_bets: int
    min_bet: int
    integral: int
    all_in: int
    half_stack: int


@kernel
def _copy(of: Array, to: Array) -> None:
    """Copy one array into another. (Assigning a slice takes a second to compile.)"""
    for k in range(of.shape[0]):
        to[k] = of[k]


@kernel
def _raises(rules: RuleArrays, state: Array, moves: Array, used: Array) -> int:
    """List the bets and raises of a state as totals, ascending; return how many.

    They are written from place `FIRST_RAISE` on, behind fold and call; used[k] becomes the
    mask of once-a-round sizes that move k spends.
    """
    round_, player, c1, c2, last, bets = state[0], state[1], state[2], state[3], state[4], state[5]
    level, theirs = max(c1, c2), (c2 if player == 1 else c1)
    if bets >= rules.max_bets or rules.may_bet[player - 1] == 0 or theirs >= rules.stack:
        return 0
    if rules.bets.shape[0] > 0:
        moves[FIRST_RAISE], used[FIRST_RAISE] = level + rules.bets[round_], 0
        return 1
    least = level + max(rules.min_bet, last)
    n = FIRST_RAISE
    if rules.integral:
        for total in range(least, rules.stack):
            moves[n], used[n] = total, 0
            n += 1
    for k in range(rules.sizes.shape[0]):
        bit = 1 << (2 * k + player - 1)
        total = level + int(2.0 * level * rules.sizes[k] + 1e-9)
        if rules.flags[k, 0 if bets == 0 else 1] == 0 or (rules.flags[k, 3] and round_ == 0):
            continue
        if (rules.flags[k, 2] and state[7] & bit) or total < least or total >= rules.stack:
            continue
        if rules.half_stack and 2 * total > rules.stack:
            continue
        if n > FIRST_RAISE and moves[n - 1] == total:
            continue
        moves[n], used[n] = total, (bit if rules.flags[k, 2] else 0)
        n += 1
    if rules.all_in or rules.integral:
        moves[n], used[n] = rules.stack, 0
        n += 1
    return n - FIRST_RAISE


@kernel
def _children(
    rules: RuleArrays, rounds: int, state: Array, moves: Array, used: Array, after: Array
) -> int:
    """List the moves of a state and the states after them; return how many.

    A state is (round, mover, contribution 1, contribution 2, last raise, bets so far in
    the round, actions so far in the round, once-a-round sizes spent). At a leaf the mover
    is SHOWDOWN, FOLDED1 or FOLDED2. Overwrites moves, used and after.
    """
    player, c1, c2 = state[1], state[2], state[3]
    level = max(c1, c2)
    count = _raises(rules, state, moves, used)
    n = 0
    if c1 != c2:
        moves[n] = FOLD
        _copy(state, after[n])
        after[n, 1] = FOLDED1 if player == 1 else FOLDED2
        n += 1
    # Call or check: the round goes on only if the other player has not acted yet.
    moves[n] = CALL
    _copy(state, after[n])
    after[n, 2], after[n, 3] = level, level
    after[n, 6] = state[6] + 1
    if state[6] == 0:
        after[n, 1] = 3 - player
    else:
        _close(rules, rounds, after[n])
    n += 1
    for k in range(FIRST_RAISE, FIRST_RAISE + count):
        total = moves[k]
        moves[n] = total
        _copy(state, after[n])
        after[n, 1 + player] = total
        after[n, 1] = 3 - player
        after[n, 4] = max(total - level, state[4])
        after[n, 5] = state[5] + 1
        after[n, 6] = state[6] + 1
        after[n, 7] = state[7] | used[k]
        n += 1
    return n


@kernel
def _close(rules: RuleArrays, rounds: int, state: Array) -> None:
    """End the round of a state whose contributions are equal."""
    if state[0] + 1 == rounds or state[2] >= rules.stack:
        state[1] = SHOWDOWN
        return
    state[0] += 1
    state[1] = rules.first[state[0]]
    for k in range(4, 8):
        state[k] = 0


@kernel
def _settle(rules: RuleArrays, rounds: int, state: Array, moves: Array, used: Array) -> None:
    """Take the checks that a player has no choice about."""
    while state[1] > 0 and state[2] == state[3] and _raises(rules, state, moves, used) == 0:
        if state[6] == 0:
            state[1] = 3 - state[1]
            state[6] = 1
        else:
            _close(rules, rounds, state)


@kernel
def _grow(
    rules: RuleArrays, rounds: int, start: Array, most: int, widest: int
) -> tuple[Array, Array, Array, Array, int]:
    """Build the tree level by level; return the number of nodes, 0 if there are too many.

    Returns also the states, the move that led to each node, its parent and its first
    child, in arrays that double as they fill up and are longer than needed. O(nodes).
    """
    spare, spent = np.empty(widest + 2, np.int64), np.empty(widest + 2, np.int64)
    room = 1024
    states = np.empty((room, 8), np.int32)
    move, parent = np.zeros(room, np.int32), np.full(room, -1, np.int32)
    child = np.zeros(room, np.int32)
    moves, used = np.empty(widest + 2, np.int64), np.empty(widest + 2, np.int64)
    after = np.empty((widest + 2, 8), np.int64)
    state = np.empty(8, np.int64)
    _copy(start, state)
    _settle(rules, rounds, state, moves, used)
    _copy(state, states[0])
    count, node = 1, 0
    while node < count:
        if states[node, 1] > 0:
            _copy(states[node], state)
            n = _children(rules, rounds, state, moves, used, after)
            if count + n > most:
                return states, move, parent, child, 0
            if count + n > room:
                room = 2 * room + n
                states = _longer_table(states, room)
                move, parent = _longer(move, room), _longer(parent, room)
                child = _longer(child, room)
            child[node] = count
            for k in range(n):
                move[count], parent[count] = moves[k], node
                _settle(rules, rounds, after[k], spare, spent)
                _copy(after[k], states[count])
                count += 1
        node += 1
    return states, move, parent, child, count


@kernel
def _longer(array: Array, room: int) -> Array:
    """A copy of the array with room for more."""
    out = np.empty(room, array.dtype)
    _copy(array, out)
    return out


@kernel
def _longer_table(table: Array, room: int) -> Array:
    """A copy of the table with room for more rows."""
    out = np.empty((room, table.shape[1]), table.dtype)
    for row in range(table.shape[0]):
        _copy(table[row], out[row])
    return out


@dataclass(frozen=True)
class Tally:
    """How much there is to bet, by round (rows) and by player (columns), without a tree.

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
    """Count the betting tree by merging equal states: O(distinct states), no tree.

    >>> kuhn = BettingRules(ante=1, bets=(1,), max_bets=1)
    >>> tally(kuhn).decisions.tolist(), tally(kuhn).showdowns.tolist()
    ([[2, 2]], [3])
    """
    rounds, arrays, widest = rules.rounds, rules.arrays, widest_node(rules)
    spare, spent = np.empty(widest + 2, np.int64), np.empty(widest + 2, np.int64)
    known: dict[tuple[int, ...], NDArray[np.object_]] = {}

    def below(state: tuple[int, ...]) -> NDArray[np.object_]:
        # Columns: decisions and sequences of both players, folds, showdowns, arrivals.
        if state in known:
            return known[state]
        total = np.zeros((rounds, 7), object)
        round_, mover = state[0], state[1]
        if mover <= 0:
            total[round_, 5 if mover == SHOWDOWN else 4] = 1
        else:
            moves, used = np.empty(widest + 2, np.int64), np.empty(widest + 2, np.int64)
            after = np.empty((widest + 2, 8), np.int64)
            count = _children(arrays, rounds, np.array(state, np.int64), moves, used, after)
            total[round_, mover - 1] = 1
            total[round_, mover + 1] = count
            for row in after[:count]:
                if row[1] > 0:
                    _settle(arrays, rounds, row, spare, spent)
                total = total + below(tuple(int(value) for value in row))
                if row[0] > round_:
                    total[row[0], 6] += 1
        known[state] = total
        return total

    first = np.array(rules.start, np.int64)
    _settle(arrays, rounds, first, spare, spent)
    found = below(tuple(int(value) for value in first)).copy()
    found[first[0], 6] += 1
    return Tally(found[:, :2], found[:, 2:4], found[:, 4], found[:, 5], found[:, 6])


def widest_node(rules: BettingRules) -> int:
    """An upper bound on the bets and raises of one node."""
    if rules.bets is not None:
        return 1
    return (rules.stack or 0) + 1 if rules.menu.integral else _MOST_SIZES + 1


@dataclass(frozen=True)
class BettingTree:
    """The tree of everything that can be bet, in arrays over nodes.

    Parameters
    ----------
    mover
        1 or 2 at decisions; `SHOWDOWN`, `FOLDED1` or `FOLDED2` at leaves.
    round
        The betting round of the node.
    contribution
        Units that players 1 and 2 have paid, one column each.
    move
        What led here: `FOLD`, `CALL` or the total that a bet or raise went to.
    parent, child, children
        Parent node, first child and number of children.
    """

    rules: BettingRules
    mover: NDArray[np.int32]
    round: NDArray[np.int32]
    contribution: NDArray[np.int32]
    move: NDArray[np.int32]
    parent: NDArray[np.int32]
    child: NDArray[np.int32]
    children: NDArray[np.int32]

    @classmethod
    def of(cls, rules: BettingRules, most: int = MOST_NODES) -> BettingTree:
        """Build the tree, or refuse if it has more nodes than `most`."""
        start = np.array(rules.start, np.int64)
        states, move, parent, child, count = _grow(
            rules.arrays, rules.rounds, start, most, widest_node(rules)
        )
        if count == 0:
            raise SizeError(f"the betting tree has more than {most:,} nodes")
        mover, round_, contribution = (
            np.ascontiguousarray(states[:count, columns]) for columns in (1, 0, slice(2, 4))
        )
        move, parent, child = (array[:count].copy() for array in (move, parent, child))
        children = np.bincount(parent[1:], minlength=count).astype(np.int32)
        return cls(rules, mover, round_, contribution, move, parent, child, children)

    def __len__(self) -> int:
        return len(self.mover)

    @property
    def limit(self) -> bool:
        """Whether bets have fixed sizes, so that a raise needs no number."""
        return self.rules.bets is not None

    def payoff(self) -> NDArray[np.float64]:
        """Per leaf, what player 1 wins by a fold, or the winner at a showdown, in units."""
        c = self.contribution
        payoff: NDArray[np.float64] = np.select(
            [self.mover == FOLDED1, self.mover == FOLDED2, self.mover == SHOWDOWN],
            [-c[:, 0], c[:, 1], c.min(axis=1)],
            0.0,
        )
        return payoff

    def history(self, node: int, unit: float = 1.0, less: int = 0) -> str:
        """The moves that lead to a node, rounds divided by `/`."""
        parts: list[str] = []
        while self.parent[node] >= 0:
            parent = int(self.parent[node])
            parts.extend("/" * int(self.round[node] - self.round[parent]))
            parts.append(self.move_text(node, unit, less))
            node = parent
        return "".join(reversed(parts))

    def move_text(self, node: int, unit: float = 1.0, less: int = 0) -> str:
        """The move that led to a node: `f`, `c`, `r`, or in no-limit `r` and its total.

        A total is everything paid in the hand, times `unit` chips, after `less` units (an
        ante, say) are taken off.
        """
        move = int(self.move[node])
        if move <= 0:
            return "f" if move == FOLD else "c"
        return "r" if self.limit else f"r{(move - less) * unit:.10g}"
