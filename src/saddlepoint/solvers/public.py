r"""Public chance sampling as kernels: one public history, all hands that go with it.

A walk draws one part (`saddlepoint.solvers.public_parts`) for each draw of pairs, with its
probability P, and takes all pairs q in it with shares $P(q) / P$. So it evaluates a leaf of the
betting for vectors over hands,

$$\hat v_i = \sum_j \frac{P(i, j)}{P} u(i, j) x_j,$$

where x is the opponent's reach. Expectations over parts are counterfactual values (Johanson et
al. 2012). Sums over pairs are written out, O(pairs of a part) a leaf; sorted strengths, as in
`saddlepoint.sequence.payoff.CardDeal`, would make that O(hands).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.form import LEAF
from saddlepoint.sequence.stepping import Steps, picked
from saddlepoint.solvers.public_parts import Table
from saddlepoint.solvers.walking import Memory, number

Array = NDArray[Any]
Numbers = NDArray[np.int64]


class Room(NamedTuple):
    """Work space: rows over nodes, columns over the hands of a part."""

    part: Numbers
    """The part that was drawn, by number of draws."""
    reach: NDArray[np.float64]
    value: NDArray[np.float64]
    sigma: NDArray[np.float64]


def room_for(steps: Steps, table: Table) -> Room:
    """Room for a walk: O(nodes * hands of the widest part)."""
    widest = max(int(np.diff(begin).max()) for begin in (table.hands1, table.hands2))
    nodes = len(steps.mover)
    part = np.zeros(int(steps.depth.max()) + 1, np.int64)
    return Room(part, *(np.zeros((nodes, widest)) for _ in range(3)))


@kernel
def _match_hands(
    R: Array,
    at: int,
    step: int,
    stride: int,
    seen: Array,
    sigma: Array,
    first: int,
    count: int,
) -> None:
    """Write the strategies of all hands of a part to rows first, ... of sigma."""
    for h in range(seen.shape[0]):
        row, total = at + stride * seen[h], 0.0
        for a in range(count):
            z = R[row + a * step]
            sigma[first + a, h] = z if z > 0.0 else 0.0
            total += sigma[first + a, h]
        for a in range(count):
            sigma[first + a, h] = sigma[first + a, h] / total if total > 0.0 else 1.0 / count


@kernel
def _leaf(s: Steps, t: Table, W: Room, seat: int, n: int, c: int) -> None:
    """Value a leaf for all hands of the traverser in part c. Adds to W.value[n]."""
    worth = s.payoff[n] if seat == 1 else -s.payoff[n]
    share = t.gain if s.shown[n] else t.share
    mine, theirs = (t.i, t.j) if seat == 1 else (t.j, t.i)
    for e in range(t.pairs[c], t.pairs[c + 1]):
        W.value[n, mine[e]] += worth * share[e] * W.reach[n, theirs[e]]


@kernel
def walk(
    s: Steps,
    M: Memory,
    W: Room,
    t: Table,
    seat: int,
    plus: bool,
    weight: float,
    key: np.uint64,
    trial: int,
    given: Array,
) -> int:
    """Walk once through all nodes for the player of a seat; return how many there are.

    Random number 2 d of (key, trial) draws the part of draw d, or the number that is given.
    Updates M and overwrites W. O(nodes * (hands + pairs) of a part).
    """
    W.part[0] = 0
    for d in range(W.part.shape[0] - 1):
        c = W.part[d]
        W.part[d + 1] = picked(t.upto, t.first[c], t.first[c + 1], number(key, trial, 2 * d, given))
    mine, theirs = (t.hands1, t.hands2) if seat == 1 else (t.hands2, t.hands1)
    my_up, their_up = (t.up1, t.up2) if seat == 1 else (t.up2, t.up1)
    my_seen, their_seen = (t.seen1, t.seen2) if seat == 1 else (t.seen2, t.seen1)
    my_R, their_R = (M.R1, M.R2) if seat == 1 else (M.R2, M.R1)
    total = M.total2 if seat == 1 else M.total1
    nodes: int = s.mover.shape[0]
    W.reach[0, :] = 1.0
    for n in range(nodes):
        mover, low, many, depth = s.mover[n], s.child[n], s.children[n], s.depth[n]
        c = W.part[depth]
        for h in range(mine[c + 1] - mine[c]):
            W.value[n, h] = 0.0
        if mover == LEAF:
            _leaf(s, t, W, seat, n, c)
            continue
        if mover == seat:
            seen = my_seen[mine[c] : mine[c + 1]]
            _match_hands(my_R, s.row[n], s.step[n], s.stride[n], seen, W.sigma, low, many)
        else:
            seen = their_seen[theirs[c] : theirs[c + 1]]
            _match_hands(their_R, s.row[n], s.step[n], s.stride[n], seen, W.sigma, low, many)
            for h in range(seen.shape[0]):
                for a in range(many):
                    q = s.row[n] + a * s.step[n] + s.stride[n] * seen[h]
                    total[q] += weight * W.reach[n, h] * W.sigma[low + a, h]
        for k in range(low, low + many):
            _hand_down(W, n, k, depth, s.depth[k], theirs, their_up, mover != seat)
    for n in range(nodes - 1, -1, -1):
        if s.mover[n] == LEAF:
            continue
        _collect(s, W, n, seat, mine, my_up, my_seen, my_R)
    if plus:
        for n in range(nodes):
            if s.mover[n] == seat:
                c = W.part[s.depth[n]]
                for h in range(mine[c], mine[c + 1]):
                    for a in range(s.children[n]):
                        q = s.row[n] + a * s.step[n] + s.stride[n] * my_seen[h]
                        my_R[q] = max(0.0, my_R[q])
    return nodes


@kernel
def _hand_down(
    W: Room, n: int, k: int, depth: int, below: int, hands: Array, up: Array, acted: bool
) -> None:
    """Give the opponent's reach at node n to its child k, over the draws between them."""
    c = W.part[depth]
    if below == depth:
        for h in range(hands[c + 1] - hands[c]):
            W.reach[k, h] = W.reach[n, h] * (W.sigma[k, h] if acted else 1.0)
        return
    to = W.part[below]
    for g in range(hands[to + 1] - hands[to]):
        h = g
        for d in range(below, depth, -1):
            h = up[hands[W.part[d]] + h]
        W.reach[k, g] = W.reach[n, h] * (W.sigma[k, h] if acted else 1.0)


@kernel
def _collect(
    s: Steps, W: Room, n: int, seat: int, hands: Array, up: Array, seen: Array, R: Array
) -> None:
    """Value a node by its children, and add the regrets if it is the traverser's."""
    low, many, depth = s.child[n], s.children[n], s.depth[n]
    c = W.part[depth]
    count = hands[c + 1] - hands[c]
    for k in range(low, low + many):
        if s.depth[k] != depth:
            # The values of later hands add up to those of the hands they come from. Later
            # hands stand in the same row; the sums are put there in their place.
            to = W.part[s.depth[k]]
            later = W.value[k, : hands[to + 1] - hands[to]].copy()
            for h in range(count):
                W.value[k, h] = 0.0
            for g in range(later.shape[0]):
                h = g
                for d in range(s.depth[k], depth, -1):
                    h = up[hands[W.part[d]] + h]
                W.value[k, h] += later[g]
    for h in range(count):
        u = 0.0
        for k in range(low, low + many):
            u += W.value[k, h] * (W.sigma[k, h] if s.mover[n] == seat else 1.0)
        W.value[n, h] = u
        if s.mover[n] == seat:
            q = s.row[n] + s.stride[n] * seen[hands[c] + h]
            for a in range(many):
                R[q + a * s.step[n]] += W.value[low + a, h] - u


@kernel
def iterate(
    s: Steps,
    M: Memory,
    W: Room,
    t: Table,
    plus: bool,
    gamma: float,
    key: np.uint64,
    start: int,
    count: int,
    given: Array,
) -> int:
    """Do iterations start + 1, ..., start + count, as `saddlepoint.solvers.walking.iterate`."""
    visited = 0
    for n in range(start + 1, start + count + 1):
        for seat in range(1, 3):
            weight, trial = float(n) ** gamma, 2 * n + seat - 1
            visited += walk(s, M, W, t, seat, plus, weight, key, trial, given)
    return visited
