"""The steps of strategy switching as kernels: read, compare, and take part in a mixture.

All of them work on betting trees (`saddlepoint.reverse.steps.Tree`) of a real game and of an
agent's, which has one size of bet besides all-in.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.games.betting_moves import CALL, FOLD
from saddlepoint.reverse.steps import OVER, Tree

Array = NDArray[Any]

# What becomes of an agent at information sets where its own play never leads.
TREATED = ("given", "call", "uniform", "skip")
GIVEN, CALLS, UNIFORM, SKIP = range(4)
# What is added to a size before it is cut to whole units: down, but for the rounding of
# floating point, or to the nearest.
ROUNDING = {"down": 1e-9, "nearest": 0.5 - 1e-9}


@kernel
def _call(tree: Tree, node: int) -> int:
    """The child of a node that a call or check leads to."""
    c: int = tree.child[node]
    return c if tree.move[c] == CALL else c + 1


@kernel
def _last(tree: Tree, node: int) -> int:
    """The last child of a node: all-in, or a call if there are no bets."""
    last: int = tree.child[node] + tree.children[node] - 1
    return last


@kernel
def follow(real: Tree, agent: Tree, at: Array) -> None:
    """Read every real history in an agent's game, where all bets but all-in are equal.

    Overwrites at: for every real node the node of the agent's game, `OVER` where that has
    ended, and wherever the two games are in different rounds. O(real nodes).
    """
    for n in range(at.shape[0]):
        at[n] = OVER
    at[0] = 0 if agent.mover[0] > 0 else OVER
    for n in range(real.mover.shape[0]):
        h = at[n]
        if real.mover[n] <= 0 or h == OVER or agent.round[h] != real.round[n]:
            at[n] = OVER
            continue
        for c in range(real.child[n], real.child[n] + real.children[n]):
            if real.mover[c] <= 0:
                continue
            found = _call(agent, h)
            if real.move[c] > 0:
                found = _last(agent, h)
                first = _call(agent, h) + 1
                if real.move[c] < real.stack and first < found:
                    found = first
            at[c] = found if agent.mover[found] > 0 else OVER


@kernel
def ratios(tree: Tree, parent: Array, at: Array, nodes: Array, now: bool, out: Array) -> None:
    """Write the ratios of stack to pot (row 0) and of bet to pot (row 1) at some real nodes.

    The pot is that before the last bet, or the whole pot there is `now`; the second ratio is
    0 if the last action is no bet, and both are 0 where the agent's game is over.
    """
    for i in range(nodes.shape[0]):
        h = at[nodes[i]]
        out[0, i], out[1, i] = 0.0, 0.0
        if h == OVER:
            continue
        level = max(tree.contribution[h, 0], tree.contribution[h, 1])
        paid = tree.contribution[h, 0] + tree.contribution[h, 1]
        if tree.move[h] > 0 and parent[h] >= 0:
            before = max(tree.contribution[parent[h], 0], tree.contribution[parent[h], 1])
            out[0, i] = tree.stack / (1.0 * paid if now else 2.0 * before)
            out[1, i] = (level - before) / (2.0 * before)
        else:
            out[0, i] = tree.stack / (2.0 * level)


@kernel
def _carry_out(real: Tree, agent: Tree, node: int, action: int, bet: float, extra: float) -> int:
    """The real child for what an agent does; bet is its one size, in pots, extra for rounding."""
    if agent.move[action] == FOLD:
        fold = real.child[node]
        return fold if real.move[fold] == FOLD else _call(real, node)
    if agent.move[action] == CALL:
        return _call(real, node)
    if agent.move[action] >= agent.stack:
        return _last(real, node)
    level = max(real.contribution[node, 0], real.contribution[node, 1])
    total = level + int(2.0 * level * bet + extra)
    # The greatest legal total that is no greater, and the least one if there is none.
    low, high = _call(real, node) + 1, _last(real, node)
    if high < low:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if real.move[middle] <= total:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def take_part(
    real: Tree,
    agent: Tree,
    player: int,
    nodes: Array,
    weight: Array,
    at: Array,
    hands: Array,
    bet: float,
    extra: float,
    sigma: Array,
    plan: Array,
    treated: int,
    out: Array,
) -> None:
    """Add what an agent does at some real decisions, times its weights, to a mixture.

    sigma and plan are the agent's probabilities and realization plan, hands[r] is the number
    of hands in round r. Adds to out, one number for each real sequence. O(nodes * hands).
    """
    for i in range(nodes.shape[0]):
        n = nodes[i]
        if real.mover[n] != player:
            continue
        h = at[n]
        first, count = agent.child[h], agent.children[h]
        for k in range(hands[real.round[n]]):
            reach = 0.0
            for c in range(first, first + count):
                reach += plan[agent.row[c] + agent.stride[c] * k]
            if reach <= 0.0 and treated == SKIP:
                continue
            for c in range(first, first + count):
                p = sigma[agent.row[c] + agent.stride[c] * k]
                if reach <= 0.0 and treated == CALLS:
                    p = 1.0 if agent.move[c] == CALL else 0.0
                elif reach <= 0.0 and treated == UNIFORM:
                    p = 1.0 / count
                target = _carry_out(real, agent, n, c, bet, extra)
                out[real.row[target] + real.stride[target] * k] += weight[i] * p


@kernel
def settle(real: Tree, player: int, nodes: Array, hands: Array, out: Array) -> None:
    """Make distributions of the sums of a mixture; call where nobody has taken part."""
    for i in range(nodes.shape[0]):
        n = nodes[i]
        if real.mover[n] != player:
            continue
        first, count = real.child[n], real.children[n]
        for k in range(hands[real.round[n]]):
            total = 0.0
            for c in range(first, first + count):
                total += out[real.row[c] + real.stride[c] * k]
            if total <= 0.0:
                c = _call(real, n)
                out[real.row[c] + real.stride[c] * k] = 1.0
            else:
                for c in range(first, first + count):
                    out[real.row[c] + real.stride[c] * k] /= total
