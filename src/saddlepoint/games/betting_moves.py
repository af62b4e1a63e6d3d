"""The rules of betting as kernels: what may be done at a node, and what comes after it.

A state is eight numbers: (round, mover, contribution 1, contribution 2, last raise, bets
so far in the round, actions so far in the round, once-a-round sizes spent). At a leaf the
mover is SHOWDOWN, FOLDED1 or FOLDED2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel

FOLD, CALL, FIRST_RAISE = -1, 0, 2
# Movers besides players 1 and 2.
SHOWDOWN, FOLDED1, FOLDED2 = 0, -1, -2

Array = NDArray[Any]


class RuleArrays(NamedTuple):
    """Betting rules as kernels take them; `flags` has columns bet, raise, once, later.

    first, bets and max_bets are by round.
    """

    first: NDArray[np.int64]
    bets: NDArray[np.int64]
    sizes: NDArray[np.float64]
    flags: NDArray[np.int64]
    may_bet: NDArray[np.int64]
    stack: int
    max_bets: NDArray[np.int64]
    min_bet: int
    integral: int
    all_in: int
    half_stack: int


@kernel
def _copy(of: Array, to: Array) -> None:
    """Copy one array into another; assigning a slice takes a second more to compile."""
    for k in range(of.shape[0]):
        to[k] = of[k]


@kernel
def raises(rules: RuleArrays, state: Array, moves: Array, used: Array) -> int:
    """List the bets and raises of a state as totals, ascending; return how many.

    They are written from place `FIRST_RAISE` on, behind fold and call; used[k] becomes the
    mask of once-a-round sizes that move k spends.
    """
    round_, player, c1, c2, last, bets = state[0], state[1], state[2], state[3], state[4], state[5]
    level, theirs = max(c1, c2), (c2 if player == 1 else c1)
    if bets >= rules.max_bets[round_] or rules.may_bet[player - 1] == 0 or theirs >= rules.stack:
        return 0
    if rules.bets.shape[0] > 0:
        moves[FIRST_RAISE], used[FIRST_RAISE] = level + rules.bets[round_], 0
        return 1 if moves[FIRST_RAISE] <= rules.stack else 0
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
        if (rules.flags[k, 2] and state[7] & bit) or total < least or total > rules.stack:
            continue
        if rules.all_in and total == rules.stack:  # listed below, whatever the menu says
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
def children(
    rules: RuleArrays, rounds: int, state: Array, moves: Array, used: Array, after: Array
) -> int:
    """List the moves of a state and the states after them; return how many.

    Overwrites moves, used and after.
    """
    player, c1, c2 = state[1], state[2], state[3]
    level = max(c1, c2)
    count = raises(rules, state, moves, used)
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
        close(rules, rounds, after[n])
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
def close(rules: RuleArrays, rounds: int, state: Array) -> None:
    """End the round of a state whose contributions are equal."""
    if state[0] + 1 == rounds or state[2] >= rules.stack:
        state[1] = SHOWDOWN
        return
    state[0] += 1
    state[1] = rules.first[state[0]]
    for k in range(4, 8):
        state[k] = 0


@kernel
def settle(rules: RuleArrays, rounds: int, state: Array, moves: Array, used: Array) -> None:
    """Take the checks that a player has no choice about."""
    while state[1] > 0 and state[2] == state[3] and raises(rules, state, moves, used) == 0:
        if state[6] == 0:
            state[1] = 3 - state[1]
            state[6] = 1
        else:
            close(rules, rounds, state)


@kernel
def expand(
    rules: RuleArrays, rounds: int, states: Array, widest: int, later: int
) -> tuple[Array, Array, Array]:
    """List the states after each of several decisions, the moves, and which decision led there.

    Checks without a choice are taken. `widest` bounds the bets and raises of these decisions,
    `later` those of any decision: a call may lead to a round in which there are more.
    O(states found) and no more memory than widest + 2 states for each decision.
    """
    spare, spent = np.empty(later + 2, np.int64), np.empty(later + 2, np.int64)
    moves, used = np.empty(widest + 2, np.int64), np.empty(widest + 2, np.int64)
    after = np.empty((states.shape[0] * (widest + 2), 8), np.int64)
    move, source = np.empty(after.shape[0], np.int64), np.empty(after.shape[0], np.int64)
    count = 0
    for k in range(states.shape[0]):
        n = children(rules, rounds, states[k], moves, used, after[count:])
        for c in range(n):
            move[count + c], source[count + c] = moves[c], k
            settle(rules, rounds, after[count + c], spare, spent)
        count += n
    return after[:count], move[:count], source[:count]
