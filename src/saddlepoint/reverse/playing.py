"""Playing hands as kernels: two players, each with a machine or with a weighted set.

See `saddlepoint.reverse.hands`, which has the shells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.counter import chance
from saddlepoint.core.kernel import kernel
from saddlepoint.games.draws import Pairs, drawn
from saddlepoint.reverse.machine import CERTAIN, HIGH, LOW, ROW, STRIDE, TARGET, Machine
from saddlepoint.reverse.steps import OVER, Rules, Tree, do, intend, observe, played

Array = NDArray[Any]

# What random numbers are for; the uses of a hand are USES * (node or round) + one of these.
# A reading of player p is READING + p - 1.
CARDS, ACTION, READING = 0, 1, 2
USES = 4


class Side(NamedTuple):
    """A player as kernels take him.

    Hands of round r begin at `first[r]` of `group`, which names their abstract classes.
    """

    player: int
    single: bool
    abstract: Tree
    rules: Rules
    sigma: NDArray[np.float64]
    group: NDArray[np.int64]
    first: NDArray[np.int64]


class Mind(NamedTuple):
    """A weighted set of `size[0]` histories, with room for what is considered (see `steps`)."""

    size: NDArray[np.int64]
    history: NDArray[np.int64]
    weight: NDArray[np.float64]
    later: NDArray[np.int64]
    later_weight: NDArray[np.float64]
    action: NDArray[np.int64]
    target: NDArray[np.int64]
    chosen: NDArray[np.float64]


@kernel
def _choose(machine: Machine, sigma: Array, state: int, group: int, u: float) -> int:
    """The edge of an own state that a player with a class of hands takes, for u in [0, 1)."""
    taken: int = machine.first[state]
    upto = 0.0
    if machine.edge[taken, ROW] == CERTAIN:
        return taken
    for e in range(taken, machine.first[state + 1]):
        p = sigma[machine.edge[e, ROW] + machine.edge[e, STRIDE] * group]
        if p > 0.0:
            taken = e
            upto += p
            if u < upto:
                break
    return taken


@kernel
def _read(machine: Machine, edge: int, player: int, key: Any, hand: int) -> int:
    """The state that an edge leads to in this hand: always the same one."""
    state: int = machine.edge[edge, LOW]
    if machine.share[edge] < 1.0:
        use = USES * machine.edge[edge, TARGET] + READING + player - 1
        if chance(key, hand, use) >= machine.share[edge]:
            state = machine.edge[edge, HIGH]
    return state


@kernel
def _pick(weight: Array, u: float) -> int:
    """A row of a column of weights, drawn in proportion to them by u in [0, 1)."""
    total = 0.0
    for i in range(weight.shape[0]):
        total += weight[i, 0]
    last, upto = 0, 0.0
    for i in range(weight.shape[0]):
        if weight[i, 0] > 0.0:
            last = i
            upto += weight[i, 0]
            if u * total < upto:
                break
    return last


@kernel
def _keep(mind: Mind, count: int) -> None:
    """Make the later set of so many histories the present one."""
    mind.size[0] = count
    for i in range(count):
        mind.history[i], mind.weight[i, 0] = mind.later[i], mind.later_weight[i, 0]


@kernel
def _begin(abstract: Tree, mind: Mind) -> None:
    """Forget the hand before."""
    mind.size[0], mind.weight[0, 0] = 1, 1.0
    mind.history[0] = 0 if abstract.mover[0] > 0 else OVER


@kernel
def _decide(
    real: Tree,
    abstract: Tree,
    rules: Rules,
    sigma: Array,
    group: Array,
    mind: Mind,
    node: int,
    u: float,
) -> int:
    """Decide at a real node from the whole set, and weigh the set by it; return the child.

    group is the abstract class of the player's hand, one entry.
    """
    size, history, weight, later, later_weight, action, target, chosen = mind
    here, weight = history[: size[0]], weight[: size[0]]
    n = intend(
        *(real, abstract, rules, sigma, group, node, here, weight), *(action, target, chosen)
    )
    child: int = target[_pick(played(abstract, rules, weight, action[:n], chosen[:n]), u)]
    if real.mover[child] > 0:
        n = do(
            *(real, abstract, rules, node, child, here, weight),
            *(action[:n], target[:n], chosen[:n], later, later_weight),
        )
        _keep(mind, n)
    return child


@kernel
def _see(real: Tree, abstract: Tree, rules: Rules, mind: Mind, node: int, child: int) -> None:
    """Follow the opponent's action from a real node to its child in all of the set."""
    size, history, weight, later, later_weight, _, _, _ = mind
    here, weight = history[: size[0]], weight[: size[0]]
    n = observe(real, abstract, rules, node, child, here, weight, later, later_weight)
    _keep(mind, n)


@kernel
def play(
    key: Any,
    start: int,
    pairs: Pairs,
    real: Tree,
    sides: tuple[Side, Side],
    machines: tuple[Machine, Machine],
    minds: tuple[Mind, Mind],
    leaf: Array,
    held: Array,
) -> None:
    """Play the hands from number `start` on; write where each ended and with which pair."""
    # Taken apart here once: every array in a tuple that is handed on costs some nanoseconds.
    mover, round_, child = real.mover, real.round, real.child
    (side1, side2), (machine1, machine2), (mind1, mind2) = sides, machines, minds
    _, single1, abstract1, rules1, sigma1, group1, first1 = side1
    _, single2, abstract2, rules2, sigma2, group2, first2 = side2
    for i in range(leaf.shape[0]):
        hand, node, pair, dealt, state1, state2 = start + i, 0, 0, -1, 0, 0
        _begin(abstract1, mind1)
        _begin(abstract2, mind2)
        while True:
            while dealt < round_[node]:
                dealt += 1
                pair = drawn(pairs, pair, chance(key, hand, USES * dealt + CARDS))
            if mover[node] <= 0:
                break
            u = chance(key, hand, USES * node + ACTION)
            if mover[node] == 1:
                k = first1[round_[node]] + pairs.one[pair]
                if single1:
                    e = _choose(machine1, sigma1, state1, group1[k], u)
                    to = machine1.edge[e, TARGET]
                    state1 = _read(machine1, e, 1, key, hand)
                else:
                    of = group1[k : k + 1]
                    to = _decide(real, abstract1, rules1, sigma1, of, mind1, node, u)
                if mover[to] > 0 and single2:
                    e = machine2.first[state2] + to - child[node]
                    state2 = _read(machine2, e, 2, key, hand)
                elif mover[to] > 0:
                    _see(real, abstract2, rules2, mind2, node, to)
            else:
                k = first2[round_[node]] + pairs.two[pair]
                if single2:
                    e = _choose(machine2, sigma2, state2, group2[k], u)
                    to = machine2.edge[e, TARGET]
                    state2 = _read(machine2, e, 2, key, hand)
                else:
                    of = group2[k : k + 1]
                    to = _decide(real, abstract2, rules2, sigma2, of, mind2, node, u)
                if mover[to] > 0 and single1:
                    e = machine1.first[state1] + to - child[node]
                    state1 = _read(machine1, e, 1, key, hand)
                elif mover[to] > 0:
                    _see(real, abstract1, rules1, mind1, node, to)
            node = to
        leaf[i], held[i] = node, pair
