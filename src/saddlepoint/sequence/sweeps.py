"""Sweeps over a treeplex: the bottom-up and top-down passes that everything is made of.

A treeplex is stored in *blocks*. A block is a set of information sets, its *lanes*,
that have the same number of actions: lane `l` and action `a` of block `b` are sequence
`start[b] + a * lanes[b] + l`, so one action of all lanes is a contiguous row and the
inner loops run over rows. The parent sequence of lane `l` is `parent[b] + l`, or
`links[link[b] + l]` where `link[b] >= 0`. Blocks are numbered parents first. A *run* is
a range of blocks with equal lanes that hand values up to each other lane by lane; it is
swept in tiles of lanes, which keeps the rows of a tile in the nearest cache.

A game tree without structure has blocks of one lane. A poker game has one block for a
betting node, and its lanes are the hands (times the betting histories that lead to the
same betting ahead). The kernels are the same.

Each kernel costs O(sequences) and allocates at most one tile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel

TILE = 512

Array = NDArray[Any]


class Blocks(NamedTuple):
    """The arrays of a treeplex as kernels take them."""

    start: NDArray[np.int64]
    actions: NDArray[np.int64]
    lanes: NDArray[np.int64]
    parent: NDArray[np.int64]
    link: NDArray[np.int64]
    links: NDArray[np.int32]
    runs: NDArray[np.int64]


@kernel
def _hand_up(T: Blocks, b: int, low: int, n: np.uint64, u: Array, v: Array) -> None:
    """Add the values `u` of n lanes of block b, from lane low on, to their parent sequences."""
    if T.link[b] < 0:
        row = np.uint64(T.parent[b] + low)
        for i in range(n):
            v[row + i] += u[i]
    else:
        link = np.uint64(T.link[b] + low)
        for i in range(n):
            v[T.links[link + i]] += u[i]


@kernel
def plan(T: Blocks, s: Array, x: Array) -> None:
    """Turn a behaviour strategy into a realization plan: x[Ia] = x[p(I)] s[Ia].

    Overwrites x.
    """
    x[0] = 1.0
    for r in range(T.runs.shape[0] - 1):
        lanes = T.lanes[T.runs[r]]
        for low in range(0, lanes, TILE):
            n = np.uint64(min(TILE, lanes - low))
            for b in range(T.runs[r], T.runs[r + 1]):
                parent, link = np.uint64(T.parent[b] + low), np.uint64(T.link[b] + low)
                for a in range(T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    if T.link[b] < 0:
                        for i in range(n):
                            x[row + i] = x[parent + i] * s[row + i]
                    else:
                        for i in range(n):
                            x[row + i] = x[T.links[link + i]] * s[row + i]


@kernel
def behaviour(T: Blocks, x: Array, s: Array) -> None:
    """Turn a realization plan into a behaviour strategy: s[Ia] = x[Ia] / sum_b x[Ib].

    Overwrites s. An information set that the plan never reaches is left uniform. The
    sum, rather than x[p(I)], divides: rounding in x then cannot spoil the distribution.
    """
    total = np.empty(TILE, x.dtype)
    s[0] = 1.0
    for r in range(T.runs.shape[0] - 1):
        lanes = T.lanes[T.runs[r]]
        for low in range(0, lanes, TILE):
            n = np.uint64(min(TILE, lanes - low))
            for b in range(T.runs[r], T.runs[r + 1]):
                for i in range(n):
                    total[i] = 0.0
                for a in range(T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        total[i] += x[row + i]
                even = x.dtype.type(1.0) / T.actions[b]
                for a in range(T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        s[row + i] = x[row + i] / total[i] if total[i] > 0.0 else even


@kernel
def faults(T: Blocks, s: Array, tolerance: float) -> tuple[int, int]:
    """Count the information sets where s is no distribution, and name the first one.

    Written so that NaN is a fault: a comparison with it is false.
    """
    count, first, before = 0, -1, 0
    for b in range(T.start.shape[0]):
        lanes = T.lanes[b]
        for i in range(lanes):
            total, fine = 0.0, True
            for a in range(T.actions[b]):
                p = s[T.start[b] + a * lanes + i]
                total += p
                fine = fine and p >= -tolerance
            if not (fine and abs(total - 1.0) <= tolerance):
                count += 1
                if first < 0:
                    first = before + i
        before += lanes
    return count, first


@kernel
def values(T: Blocks, s: Array, v: Array) -> None:
    """Turn gradients into action values, bottom-up.

        v[Ia] = g[Ia] + sum_{J in C(Ia)} u[J],   u[I] = sum_a s[Ia] v[Ia]

    v holds the gradient g = A y, already weighted by chance and opponent reach, and is
    overwritten by the values; v[0] is then the value of s against y.
    """
    u = np.empty(TILE, v.dtype)
    for r in range(T.runs.shape[0] - 2, -1, -1):
        lanes = T.lanes[T.runs[r]]
        for low in range(0, lanes, TILE):
            n = np.uint64(min(TILE, lanes - low))
            for b in range(T.runs[r + 1] - 1, T.runs[r] - 1, -1):
                for i in range(n):
                    u[i] = 0.0
                for a in range(T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        u[i] += s[row + i] * v[row + i]
                _hand_up(T, b, low, n, u, v)


@kernel
def best_values(T: Blocks, v: Array) -> None:
    """Turn gradients into best-response action values: u[I] = max_a v[Ia].

    As `values`; v[0] is then the value of a best response.
    """
    u = np.empty(TILE, v.dtype)
    for r in range(T.runs.shape[0] - 2, -1, -1):
        lanes = T.lanes[T.runs[r]]
        for low in range(0, lanes, TILE):
            n = np.uint64(min(TILE, lanes - low))
            for b in range(T.runs[r + 1] - 1, T.runs[r] - 1, -1):
                row = np.uint64(T.start[b] + low)
                for i in range(n):
                    u[i] = v[row + i]
                for a in range(1, T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        w = v[row + i]
                        # NaN must stay: it is the only number unequal to itself.
                        u[i] = w if (w > u[i] or w != w) else u[i]
                _hand_up(T, b, low, n, u, v)


@kernel
def greedy(T: Blocks, v: Array, s: Array) -> None:
    """Choose the first action of greatest value in every information set. Overwrites s."""
    s[0] = 1.0
    for b in range(T.start.shape[0]):
        lanes = T.lanes[b]
        for i in range(lanes):
            best = T.start[b] + i
            for a in range(1, T.actions[b]):
                q = T.start[b] + a * lanes + i
                if v[q] > v[best]:
                    best = q
            for a in range(T.actions[b]):
                s[T.start[b] + a * lanes + i] = 0.0
            s[best] = 1.0


@kernel
def match_regrets(
    T: Blocks, s: Array, v: Array, R: Array, positive: float, negative: float, foresight: float
) -> None:
    """One regret-matching step in every information set, bottom-up.

        r[Ia] = v[Ia] - u[I],                R <- d(R + r) (R + r)
        s[Ia] <- [R[Ia] + foresight r[Ia]]+  normalised (uniform where all are zero)

    with the values v and u of `values`, and d(z) = `positive` for z > 0, `negative`
    otherwise. negative = 0 is regret matching+, foresight = 1 the predictive variant.
    v holds the gradient and is overwritten by the regrets r (v[0] by the value); R and s
    are updated in place. The loops over lanes are short and use few arrays each, because
    the compiler vectorises a loop only if few pairs of arrays could overlap.
    """
    space = np.empty((3, TILE), v.dtype)
    for run in range(T.runs.shape[0] - 2, -1, -1):
        lanes = T.lanes[T.runs[run]]
        for low in range(0, lanes, TILE):
            n = np.uint64(min(TILE, lanes - low))
            for b in range(T.runs[run + 1] - 1, T.runs[run] - 1, -1):
                row, step = np.uint64(T.start[b] + low), np.uint64(lanes)
                match_lanes(
                    T.actions[b],
                    n,
                    row,
                    step,
                    row,
                    step,
                    s,
                    v,
                    R,
                    positive,
                    negative,
                    foresight,
                    space,
                )
                _hand_up(T, b, low, n, space[0], v)


@kernel
def match_lanes(
    actions: int,
    n: np.uint64,
    row: np.uint64,
    step: np.uint64,
    at: np.uint64,
    apart: np.uint64,
    s: Array,
    v: Array,
    R: Array,
    positive: float,
    negative: float,
    foresight: float,
    space: Array,
) -> None:
    """The step of `match_regrets` in n information sets with equally many actions.

    Action a of lane i is number row + a * step + i of s and R, and at + a * apart + i of v.
    Writes the values u into row 0 of space, and overwrites rows 1 and 2.
    """
    u, total, even = space[0], space[1], space[2]
    zero, one = v.dtype.type(0.0), v.dtype.type(1.0)
    for i in range(n):
        u[i] = 0.0
        total[i] = 0.0
    for a in range(actions):
        here, there = row + np.uint64(a) * step, at + np.uint64(a) * apart
        for i in range(n):
            u[i] += s[here + i] * v[there + i]
    for a in range(actions):
        here, there = row + np.uint64(a) * step, at + np.uint64(a) * apart
        for i in range(n):
            v[there + i] -= u[i]
        for i in range(n):
            z = R[here + i] + v[there + i]
            z *= positive if z > zero else negative
            R[here + i] = z
            z += foresight * v[there + i]
            s[here + i] = z if z > zero else zero
        for i in range(n):
            total[i] += s[here + i]
    share = one / v.dtype.type(actions)
    for i in range(n):
        even[i] = zero if total[i] > zero else share
        total[i] = one / (total[i] if total[i] > zero else one)
    for a in range(actions):
        here = row + np.uint64(a) * step
        for i in range(n):
            s[here + i] = s[here + i] * total[i] + even[i]


@kernel
def average(x: Array, mean: Array, weight: float) -> None:
    """Move a running average towards x: mean <- mean + weight (x - mean)."""
    for q in range(x.shape[0]):
        mean[q] += weight * (x[q] - mean[q])
