"""The steps of translation as kernels: follow an action, and decide what to do.

What a player knows at a node of the real betting is a weighted set of abstract histories:
`history[i]` is an abstract betting node or `OVER`, `weight[i, k]` its weight for each class
k of the player's real hands. Weights are relative: the player's own past probabilities are
in them, so that with their sum at 0 his own play does not arrive with that hand.

A history whose abstract game is over, or has gone on to a later round than the real one,
checks and calls until they meet again. One that is still in an earlier round than the real
one, because a bet was read as a check there, closes it by checks and calls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.games.betting_moves import CALL, FOLD

OVER = -1
# What became of the carrying out of bets: as meant, up to the least raise, down to the
# greatest, another legal total, or a call because no raise is allowed.
AS_MEANT, RAISED, CUT, MOVED, CALLED = range(5)
# The labels of all moves but calls, as bits.
ALL_BUT_CALLS = (1 << 60) - 1 - 2
# A probability below this is none: the rest of a history with dropped actions.
NOTHING = 1e-12

Array = NDArray[Any]


class Tree(NamedTuple):
    """A betting tree with the places of a player's sequences, as kernels take it."""

    mover: NDArray[np.int32]
    round: NDArray[np.int32]
    contribution: NDArray[np.int32]
    move: NDArray[np.int32]
    parent: NDArray[np.int32]
    child: NDArray[np.int32]
    children: NDArray[np.int32]
    row: NDArray[np.int64]
    stride: NDArray[np.int64]
    label: NDArray[np.int32]
    stack: int


class Rules(NamedTuple):
    """What `Translation` says, and the tables of `Readings`, as kernels take them."""

    pair: NDArray[np.int32]
    row: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    share: NDArray[np.float64]
    undone: NDArray[np.float64]
    by_totals: bool
    call_is_call: bool
    remember: bool
    avoid: float
    uniform: bool


@kernel
def _waits(abstract: Tree, history: int, round_: int) -> bool:
    """Whether the abstract game is over or ahead of the real round."""
    return history == OVER or abstract.round[history] > round_


@kernel
def _settled(abstract: Tree, node: int) -> int:
    """An abstract node as a history: leaves are over."""
    return node if abstract.mover[node] > 0 else OVER


@kernel
def _entered(real: Tree, abstract: Tree, child: int, node: int) -> int:
    """An abstract node as a history at a real node: in no earlier round, and leaves are over."""
    h = _settled(abstract, node)
    if real.mover[child] > 0:
        while h != OVER and abstract.round[h] < real.round[child]:
            h = _settled(abstract, _by_move(abstract, h, CALL))
    return h


@kernel
def _by_move(tree: Tree, node: int, move: int) -> int:
    """The child of a node that a fold or a call leads to; -1 if there is none."""
    for c in range(tree.child[node], tree.child[node] + tree.children[node]):
        if tree.move[c] == move:
            return c
    return -1


@kernel
def _put(history: Array, weight: Array, count: int, node: int, added: Array, share: float) -> int:
    """Add a history with weights `share * added`, to its equal if it is there; return the count."""
    at = count
    for i in range(count):
        if history[i] == node:
            at = i
    if at == count:
        history[at] = node
        for k in range(weight.shape[1]):
            weight[at, k] = 0.0
        count += 1
    for k in range(weight.shape[1]):
        weight[at, k] += share * added[k]
    return count


@kernel
def observe(
    real: Tree,
    abstract: Tree,
    rules: Rules,
    node: int,
    child: int,
    history: Array,
    weight: Array,
    later: Array,
    later_weight: Array,
) -> int:
    """Follow an observed action from a real node to its child, in every abstract history.

    Writes the set that follows into `later` and `later_weight`; returns its size. A set of n
    histories becomes one of at most 2n.
    """
    count = 0
    for i in range(history.shape[0]):
        h = history[i]
        if _waits(abstract, h, real.round[node]):
            count = _put(later, later_weight, count, h, weight[i], 1.0)
        elif real.move[child] <= 0:
            c = _entered(real, abstract, child, _by_move(abstract, h, CALL))
            count = _put(later, later_weight, count, c, weight[i], 1.0)
        else:
            row, pair = rules.row[h], rules.pair[child]
            low, share = rules.low[row, pair], rules.share[row, pair]
            if share > 0.0:
                c = _settled(abstract, low)
                count = _put(later, later_weight, count, c, weight[i], share)
            if share < 1.0:
                c = _settled(abstract, rules.high[row, pair])
                count = _put(later, later_weight, count, c, weight[i], 1.0 - share)
    return count


@kernel
def carry_out(
    real: Tree, abstract: Tree, rules: Rules, node: int, history: int, action: int
) -> tuple[int, int]:
    """The real child that an abstract action stands for, and what became of its size."""
    first, count = real.child[node], real.children[node]
    call = _by_move(real, node, CALL)
    if abstract.move[action] == FOLD:
        fold = _by_move(real, node, FOLD)
        return (fold, AS_MEANT) if fold >= 0 else (call, AS_MEANT)
    level = max(real.contribution[node, 0], real.contribution[node, 1])
    before = max(abstract.contribution[history, 0], abstract.contribution[history, 1])
    if abstract.move[action] == CALL:
        if rules.call_is_call or not rules.by_totals or before <= level:
            return call, AS_MEANT
        total = before
    elif abstract.move[action] >= abstract.stack:
        total = real.stack
    elif rules.by_totals:
        total = abstract.move[action]
    else:
        total = level + int((abstract.move[action] - before) * level / before + 1e-9)
    # The legal totals ascend; the nearest one is taken, of two as near the smaller.
    raises = call + 1
    if raises == first + count:
        return call, CALLED
    last = first + count - 1
    if total <= real.move[raises]:
        return raises, AS_MEANT if total == real.move[raises] else RAISED
    if total >= real.move[last]:
        return last, AS_MEANT if total == real.move[last] else CUT
    low, high = raises, last
    while high - low > 1:
        middle = (low + high) // 2
        if real.move[middle] <= total:
            low = middle
        else:
            high = middle
    if real.move[low] == total:
        return low, AS_MEANT
    return (low if total - real.move[low] <= real.move[high] - total else high), MOVED


@kernel
def intend(
    real: Tree,
    abstract: Tree,
    rules: Rules,
    sigma: Array,
    group: Array,
    node: int,
    history: Array,
    weight: Array,
    action: Array,
    target: Array,
    chosen: Array,
) -> int:
    """What every history would do at a decision of the player, hand by hand.

    An *intention* j is an abstract action of one history: history `action[j, 0]` of the set
    takes the action that leads to abstract node `action[j, 1]` (`OVER` if the history waits,
    and so calls); it is carried out by real child `target[j]`, and has the weight
    `chosen[j, k]` of the history times the probability of the action. Returns their number.
    The weights of a single history become 1 where they are positive.
    """
    n, hands = 0, weight.shape[1]
    if history.shape[0] == 1:  # relative to nothing: then the answer is sigma to the last bit
        for k in range(hands):
            weight[0, k] = 1.0 if weight[0, k] > 0.0 else 0.0
    for i in range(history.shape[0]):
        h = history[i]
        if _waits(abstract, h, real.round[node]):
            action[n, 0], action[n, 1] = i, OVER
            target[n] = _by_move(real, node, CALL)
            for k in range(hands):
                chosen[n, k] = weight[i, k]
            n += 1
            continue
        for c in range(abstract.child[h], abstract.child[h] + abstract.children[h]):
            action[n, 0], action[n, 1] = i, c
            target[n], _ = carry_out(real, abstract, rules, node, h, c)
            for k in range(hands):
                p = sigma[abstract.row[c] + abstract.stride[c] * group[k]]
                chosen[n, k] = weight[i, k] * p
            n += 1
    return n


@kernel
def played(abstract: Tree, rules: Rules, weight: Array, action: Array, chosen: Array) -> Array:
    """What is played of the intentions: all, or all but those that are avoided, hand by hand.

    weight, action and chosen are those of `intend`, cut to their number. Histories go on to be
    weighed by `chosen`, which is what the strategy would do (004, 4.3.1).
    """
    if rules.avoid <= 0.0:
        return chosen
    out = chosen.copy()
    for k in range(chosen.shape[1]):
        _avoid(abstract, rules, weight, k, action, out)
    return out


@kernel
def _avoid(
    abstract: Tree, rules: Rules, weight: Array, k: int, action: Array, chosen: Array
) -> None:
    """Drop for hand k what any history of positive weight plays too rarely (004, 4.3.3).

    A history that waits plays nothing but calls. What a history has left is renormalised, and
    a history with nothing left drops out. If all do, every history calls, if it can.
    """
    dropped = 0
    for j in range(action.shape[0]):
        w = weight[action[j, 0], k]
        if w > 0.0 and action[j, 1] == OVER:
            dropped |= ALL_BUT_CALLS
        elif w > 0.0 and chosen[j, k] < rules.avoid * w:
            dropped |= 1 << abstract.label[action[j, 1]]
    total = 0.0
    for i in range(weight.shape[0]):
        rest = 0.0
        for j in range(action.shape[0]):
            if action[j, 0] == i and not _is_dropped(abstract, dropped, action[j, 1]):
                rest += chosen[j, k]
        for j in range(action.shape[0]):
            if action[j, 0] == i:
                if _is_dropped(abstract, dropped, action[j, 1]) or rest <= NOTHING * weight[i, k]:
                    chosen[j, k] = 0.0
                else:
                    chosen[j, k] *= weight[i, k] / rest
                total += chosen[j, k]
    if total == 0.0:
        for j in range(action.shape[0]):
            c = action[j, 1]
            if c == OVER or abstract.move[c] == CALL:
                chosen[j, k] = weight[action[j, 0], k]


@kernel
def _is_dropped(abstract: Tree, dropped: int, action: int) -> bool:
    """Whether an action is among the dropped ones; a waiting history only calls."""
    label = 1 if action == OVER else abstract.label[action]
    return (dropped >> label) & 1 == 1


@kernel
def do(
    real: Tree,
    abstract: Tree,
    rules: Rules,
    node: int,
    child: int,
    history: Array,
    weight: Array,
    action: Array,
    target: Array,
    chosen: Array,
    later: Array,
    later_weight: Array,
) -> int:
    """Follow an action of the player himself from a real node to its child.

    action, target and chosen are those of `intend`, cut to their number. If actions are
    remembered, what follows are the intentions that the child carries out; else the action
    is read as one of the opponent's. A call may undo the opponent's raise before it, which
    is then read as a call. Writes into later and later_weight; returns the size.
    """
    if not rules.remember:
        return observe(real, abstract, rules, node, child, history, weight, later, later_weight)
    count = 0
    for j in range(action.shape[0]):
        if target[j] != child:
            continue
        h, c = history[action[j, 0]], action[j, 1]
        if c == OVER:
            count = _put(later, later_weight, count, h, chosen[j], 1.0)
            continue
        undone = 0.0
        if real.move[child] == CALL and real.move[node] > 0 and abstract.move[h] > 0:
            undone = rules.undone[rules.row[abstract.parent[h]], rules.pair[node]]
        if undone > 0.0:
            called = _by_move(abstract, abstract.parent[h], CALL)
            count = _put(later, later_weight, count, _settled(abstract, called), chosen[j], undone)
        if undone < 1.0:
            h = _entered(real, abstract, child, c)
            count = _put(later, later_weight, count, h, chosen[j], 1.0 - undone)
    return count
