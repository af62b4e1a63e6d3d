r"""Smoothed best responses as kernels: bottom-up passes for `saddlepoint.solvers.prox`.

A dilated prox function is a sum over information sets I with n actions,

$$d(x) = \sum_I w_I \, x_{p(I)} \, \psi(x_{I\cdot} / x_{p(I)}), \qquad
  \psi(p) = \ln n + \sum_a p_a \ln p_a \quad\text{or}\quad \tfrac12 \sum_a (p_a - 1/n)^2,$$

so that maximising $g^\top x - \mu\,d(x)$ is one maximisation over a simplex in every information
set, parents last, with the values of what follows added to the gradient (thesis 003, Theorem 4).
Blocks, lanes and tiles are those of `saddlepoint.sequence.sweeps`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.sweeps import TILE, Blocks

Array = NDArray[Any]


class Smoother(NamedTuple):
    """A treeplex and its prox function as kernels take them."""

    T: Blocks
    first: NDArray[np.int64]
    """Per block: the number of the information set in lane 0."""
    w: NDArray[np.float64]
    """The weight of every information set."""
    euclidean: bool
    """Whether psi is half the squared distance to the centre, rather than entropy."""


@kernel
def soften(P: Smoother, mu: float, v: Array, s: Array, x: Array) -> float:
    """Maximise g'x - mu d(x): overwrite x with the plan, and return the maximum.

    v holds the gradient g and is overwritten by action values; s is overwritten by the
    behaviour strategy of x. O(sequences), with the Euclidean psi times log(actions).
    """
    if P.euclidean:
        _soften_euclidean(P.T, P.first, P.w, mu, v, s)
    else:
        _soften_entropy(P.T, P.first, P.w, mu, v, s)
    sweeps.plan(P.T, s, x)
    value: float = v[0]
    return value


@kernel
def _soften_entropy(T: Blocks, first: Array, w: Array, mu: float, v: Array, s: Array) -> None:
    """Soft maxima instead of maxima, with c = mu w[I] and n actions.

        s[Ia] = exp(v[Ia] / c) / sum_b exp(v[Ib] / c),   u[I] = c log(sum_a exp(v[Ia] / c) / n)

    The greatest value is taken out of all exponents, so that nothing overflows.
    """
    space = np.empty((3, TILE))
    top, total, scale = space[0], space[1], space[2]
    s[0] = 1.0
    for r in range(T.runs.shape[0] - 2, -1, -1):
        lanes = T.lanes[T.runs[r]]
        for low in range(0, lanes, TILE):
            n = np.uint64(min(TILE, lanes - low))
            for b in range(T.runs[r + 1] - 1, T.runs[r] - 1, -1):
                row, here = np.uint64(T.start[b] + low), np.uint64(first[b] + low)
                for i in range(n):
                    scale[i] = mu * w[here + i]
                    top[i] = v[row + i]
                    total[i] = 0.0
                for a in range(1, T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        top[i] = max(top[i], v[row + i])
                for a in range(T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        s[row + i] = math.exp((v[row + i] - top[i]) / scale[i])
                        total[i] += s[row + i]
                for a in range(T.actions[b]):
                    row = np.uint64(T.start[b] + a * lanes + low)
                    for i in range(n):
                        s[row + i] /= total[i]
                for i in range(n):
                    top[i] += scale[i] * math.log(total[i] / T.actions[b])
                sweeps._hand_up(T, b, low, n, top, v)


@kernel
def _soften_euclidean(T: Blocks, first: Array, w: Array, mu: float, v: Array, s: Array) -> None:
    """Projections onto simplexes instead of maxima, with c = mu w[I] and n actions.

        s[I] = projection of v[I] / c,   u[I] = s[I]'v[I] - c/2 |s[I] - 1/n|^2

    The threshold is found among the sorted values.
    """
    value, most = np.empty(1), 1
    for b in range(T.start.shape[0]):
        most = max(most, T.actions[b])
    z, ordered = np.empty(most), np.empty(most)
    s[0] = 1.0
    for b in range(T.start.shape[0] - 1, -1, -1):
        n, lanes = T.actions[b], T.lanes[b]
        for i in range(lanes):
            scale, top = mu * w[first[b] + i], v[T.start[b] + i]
            for a in range(1, n):
                top = max(top, v[T.start[b] + a * lanes + i])
            for a in range(n):
                z[a] = (v[T.start[b] + a * lanes + i] - top) / scale
                ordered[a] = z[a]
            ordered[:n].sort()
            threshold, total = -1.0, 0.0
            for k in range(1, n):  # the greatest one, 0, is always in
                total += ordered[n - 1 - k]
                if ordered[n - 1 - k] <= (total - 1.0) / (k + 1):
                    break
                threshold = (total - 1.0) / (k + 1)
            gain, square = 0.0, 0.0
            for a in range(n):
                p = max(0.0, z[a] - threshold)
                s[T.start[b] + a * lanes + i] = p
                gain += p * z[a] if p > 0.0 else 0.0
                square += (p - 1.0 / n) ** 2
            value[0] = top + scale * (gain - 0.5 * square)
            sweeps._hand_up(T, b, i, np.uint64(1), value, v)


@kernel
def accumulate(
    T: Blocks, base: Array, factor: Array, together: bool, total: Array, v: Array
) -> None:
    """Bound the rest of the game from every information set on, bottom-up.

        total[I] = base[I] + factor[I] max_a v[Ia],   v[q] = sum of total[J] over J in C(q)

    or with the maximum over J instead of the sum, unless `together`. Overwrites total and v;
    v[0] is that of the whole treeplex. O(sequences).
    """
    for q in range(v.shape[0]):
        v[q] = 0.0
    k = total.shape[0]
    for b in range(T.start.shape[0] - 1, -1, -1):
        lanes = T.lanes[b]
        for i in range(lanes - 1, -1, -1):
            k -= 1
            most = v[T.start[b] + i]
            for a in range(1, T.actions[b]):
                most = max(most, v[T.start[b] + a * lanes + i])
            total[k] = base[k] + factor[k] * most
            up = T.parent[b] + i if T.link[b] < 0 else T.links[T.link[b] + i]
            v[up] = v[up] + total[k] if together else max(v[up], total[k])
