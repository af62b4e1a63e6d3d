r"""Sampled walks through a game as kernels, for `saddlepoint.solvers.montecarlo`.

A walk updates the regrets of one player, the *traverser*. It goes down listing the nodes that
it visits, parents first, and comes back along the list with their values; the list is all the
stack there is. What is sampled on the way down depends on the scheme:

| scheme   | chance | opponent | traverser                       | weight of regrets             |
|----------|--------|----------|---------------------------------|-------------------------------|
| chance   | one    | all      | all                             | reach of the opponent         |
| external | one    | one      | all                             | 1                             |
| outcome  | one    | one      | one, with probability $\xi$     | 1 / own probability to be here |

With the sampled value $\hat v$ of what is visited below (over $\xi$ where the traverser's own
action was drawn), a visited information set gains $w (\hat v(Ia) - \sum_b \sigma(Ib) \hat v(Ib))$.
Its expectation over all samples is the counterfactual regret of all of the game (Lanctot et al.
2009). Strategies follow from regrets where they are needed and are stored nowhere; regrets are
added on the way back, so that all of a walk plays the same strategy.

The averages of the *opponent* are updated on the way down, each of his information sets with
the reach that the sampling has not already given it; what is left of chance is the same factor
at all times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.counter import chance
from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.form import CHANCE, LEAF
from saddlepoint.sequence.stepping import Steps, picked

Array = NDArray[Any]

BY_CHANCE, EXTERNAL, OUTCOME = 0, 1, 2


class Memory(NamedTuple):
    """What both players carry from walk to walk, by (tied) sequence."""

    R1: NDArray[np.float64]
    R2: NDArray[np.float64]
    total1: NDArray[np.float64]
    total2: NDArray[np.float64]


class Space(NamedTuple):
    """Work space of a walk: the list of visited nodes, and what is noted at nodes."""

    order: NDArray[np.int64]
    pair: NDArray[np.int64]
    at: NDArray[np.int64]
    """Where the first sequence of the information set at a node stands."""
    taken: NDArray[np.int64]
    """The child that was sampled, -1 if all are visited."""
    sigma: NDArray[np.float64]
    """Probability of the action that leads to a node."""
    reach: NDArray[np.float64]
    """The opponent's reach, as far as it is not sampled."""
    drawn: NDArray[np.float64]
    """The probability with which the traverser's own actions led here."""
    value: NDArray[np.float64]


class Scheme(NamedTuple):
    """What is sampled, how much the traverser explores, and whether regrets stay above zero."""

    kind: int
    explore: float
    plus: bool


def space_for(steps: Steps) -> Space:
    """Room for a walk."""
    n = len(steps.mover)
    order, pair, at, taken = np.zeros((4, n), np.int64)
    sigma, reach, drawn, value = np.zeros((4, n))
    return Space(order, pair, at, taken, sigma, reach, drawn, value)


@kernel
def match(R: Array, at: int, step: int, sigma: Array, first: int, count: int) -> None:
    """Write the strategy of regrets R[at + a * step] to sigma[first + a], for count actions."""
    total = 0.0
    for a in range(count):
        z = R[at + a * step]
        z = z if z > 0.0 else 0.0
        sigma[first + a] = z
        total += z
    for a in range(count):
        sigma[first + a] = sigma[first + a] / total if total > 0.0 else 1.0 / count


@kernel
def number(key: np.uint64, trial: int, use: int, given: Array) -> float:
    """A random number, or the one that is given for this use."""
    return given[use] if given.shape[0] > 0 else chance(key, trial, use)


@kernel
def one_of(sigma: Array, first: int, count: int, even: float, u: float) -> int:
    """The place first + a, drawn with probability even / count + (1 - even) sigma[first + a]."""
    last, upto = first, 0.0
    for c in range(first, first + count):
        p = even / count + (1.0 - even) * sigma[c]
        if p > 0.0:
            last = c
            upto += p
            if u < upto:
                break
    return last


@kernel
def _visit(
    s: Steps, W: Space, n: int, c: int, count: int, key: np.uint64, trial: int, given: Array
) -> int:
    """Put child c of node n on the list, and draw what is dealt on the way to it."""
    q = W.pair[n]
    for draw in range(s.depth[n], s.depth[c]):
        u = number(key, trial, 2 * draw, given)
        q = picked(s.upto, s.first[q], s.first[q + 1], u)
    W.pair[c] = q
    W.order[count] = c
    return count + 1


@kernel
def _down(
    s: Steps,
    M: Memory,
    W: Space,
    seat: int,
    scheme: Scheme,
    weight: float,
    key: np.uint64,
    trial: int,
    given: Array,
) -> int:
    """List the nodes of a walk, and update the opponent's averages; return how many there are."""
    q = 0
    for draw in range(s.depth[0]):
        q = picked(s.upto, s.first[q], s.first[q + 1], number(key, trial, 2 * draw, given))
    W.order[0], W.pair[0], W.reach[0], W.drawn[0] = 0, q, 1.0, 1.0
    count, k = 1, 0
    while k < count:
        n = W.order[k]
        k += 1
        mover, low, many = s.mover[n], s.child[n], s.children[n]
        if mover == LEAF:
            continue
        W.taken[n] = -1
        if mover == CHANCE:
            u = number(key, trial, 2 * n + 1, given)
            W.taken[n] = picked(s.likely, low, low + many, u)
        else:
            seen = s.seen1[W.pair[n]] if mover == 1 else s.seen2[W.pair[n]]
            at = s.row[n] + s.stride[n] * seen
            W.at[n] = at
            match(M.R1 if mover == 1 else M.R2, at, s.step[n], W.sigma, low, many)
            if mover != seat:
                total = M.total1 if mover == 1 else M.total2
                w = weight * W.reach[n] / W.drawn[n]
                for a in range(many):
                    total[at + a * s.step[n]] += w * W.sigma[low + a]
            if scheme.kind == OUTCOME or (scheme.kind == EXTERNAL and mover != seat):
                even = scheme.explore if mover == seat else 0.0
                u = number(key, trial, 2 * n + 1, given)
                W.taken[n] = one_of(W.sigma, low, many, even, u)
        for c in range(low, low + many):
            if W.taken[n] >= 0 and c != W.taken[n]:
                continue
            W.reach[c], W.drawn[c] = W.reach[n], W.drawn[n]
            if mover == seat and W.taken[n] >= 0:
                W.drawn[c] *= scheme.explore / many + (1.0 - scheme.explore) * W.sigma[c]
            elif mover != CHANCE and mover != seat and W.taken[n] < 0:
                W.reach[c] *= W.sigma[c]
                if W.reach[c] == 0.0:  # the opponent never comes here
                    W.value[c] = 0.0
                    continue
            count = _visit(s, W, n, c, count, key, trial, given)
    return count


@kernel
def _up(s: Steps, M: Memory, W: Space, seat: int, count: int) -> None:
    """Value the listed nodes from the last to the first, and add the traverser's regrets."""
    R = M.R1 if seat == 1 else M.R2
    sign = 1.0 if seat == 1 else -1.0
    for k in range(count - 1, -1, -1):
        n = W.order[k]
        low, many = s.child[n], s.children[n]
        if s.mover[n] == LEAF:
            W.value[n] = sign * s.payoff[n] * (s.outcome[W.pair[n]] if s.shown[n] else 1.0)
        elif s.mover[n] != seat and W.taken[n] >= 0:
            W.value[n] = W.value[W.taken[n]]
        else:
            taken = W.taken[n]
            if s.mover[n] == seat and taken >= 0:
                for c in range(low, low + many):
                    W.value[c] = W.value[c] * W.drawn[n] / W.drawn[c] if c == taken else 0.0
            u = 0.0
            for c in range(low, low + many):
                u += W.sigma[c] * W.value[c]
            W.value[n] = u
            if s.mover[n] == seat:
                w = W.reach[n] / W.drawn[n]
                for a in range(many):
                    R[W.at[n] + a * s.step[n]] += w * (W.value[low + a] - u)


@kernel
def walk(
    s: Steps,
    M: Memory,
    W: Space,
    seat: int,
    scheme: Scheme,
    weight: float,
    key: np.uint64,
    trial: int,
    given: Array,
) -> int:
    """Walk once for the player of a seat; return how many nodes were visited.

    Random numbers are those of (key, trial), or, if there are any, those `given`: number 2 d for
    draw d of a pair, 2 n + 1 for node n. Updates M and overwrites W. O(nodes visited * log pairs).
    """
    count = _down(s, M, W, seat, scheme, weight, key, trial, given)
    _up(s, M, W, seat, count)
    if scheme.plus:
        R = M.R1 if seat == 1 else M.R2
        for k in range(count):
            n = W.order[k]
            if s.mover[n] == seat:
                for a in range(s.children[n]):
                    R[W.at[n] + a * s.step[n]] = max(0.0, R[W.at[n] + a * s.step[n]])
    return count


@kernel
def iterate(
    s: Steps,
    M: Memory,
    W: Space,
    scheme: Scheme,
    gamma: float,
    key: np.uint64,
    start: int,
    count: int,
    given: Array,
) -> int:
    """Do iterations start + 1, ..., start + count: a walk for either player, player 1 first.

    Iteration t has weight t^gamma in the averages. Returns how many nodes were visited.
    """
    visited = 0
    for t in range(start + 1, start + count + 1):
        for seat in range(1, 3):
            weight = float(t) ** gamma
            trial = 2 * t + seat - 1
            visited += walk(s, M, W, seat, scheme, weight, key, trial, given)
    return visited
