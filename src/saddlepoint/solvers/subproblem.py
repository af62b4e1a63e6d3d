r"""Projections onto a treeplex, exactly: the subproblem of smoothing in the Euclidean norm.

For a vector g the projection is the plan u that attains

$$\min \{\tfrac12 \|u\|^2 - g^\top u : u \in Q\}.$$

Let $v_I(t)$ be the minimum over what follows from information set I, if I is reached with
probability t. Its derivative $\lambda_I(t)$ is piecewise linear and increasing, and with

$$\tilde\lambda_{Ia}(t) = t - g_{Ia} + \sum_{J \in C(Ia)} \lambda_J(t), \qquad
  \theta_I(\lambda) = \sum_a \max\{0, \tilde\lambda_{Ia}^{-1}(\lambda)\}$$

$\lambda_I$ is the inverse of $\theta_I$: derivatives of what is decided together are added at equal
t, those of alternatives at equal $\lambda$. A bottom-up pass computes all functions, as
breakpoints; a top-down pass reads the plan off (`ComplexSubproblem` of thesis 003, section 8.5).
An action is not played where the price $\lambda$ is below its $\tilde\lambda(0)$.

A sequence has at most as many breakpoints as there are sequences without successors from it on,
so that a call costs O(B log B) with B the sum of these numbers over all sequences, at most
sequences times depth. On a simplex this is the projection by a sorted threshold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.treeplex import Treeplex

Array = NDArray[Any]
Vector = NDArray[np.float64]


class Pieces(NamedTuple):
    """A treeplex, and where the breakpoints of its functions stand.

    Function k has breakpoints first[k] to first[k + 1] - 1, at `t` with derivative `level`, and
    grows with `slope` after each of them. Functions 0, 1, ... are those of sequences, and the
    information sets follow.
    """

    parent: NDArray[np.int64]
    start: NDArray[np.int64]
    stride: NDArray[np.int64]
    actions: NDArray[np.int64]
    child: NDArray[np.int64]
    """Per sequence: where its information sets begin in `children`."""
    children: NDArray[np.int64]
    first: NDArray[np.int64]
    t: Vector
    level: Vector
    slope: Vector


class Projection:
    """Projections onto a treeplex.

    Parameters
    ----------
    plex
        The treeplex.

    Examples
    --------
    A decision between two actions, the first of which leads to another decision:

    >>> Q = Treeplex.of_infosets(parent=[0, 1], actions=[2, 2])
    >>> Projection(Q)([0.0, 0.5, 0.5, 1.0, 0.0])
    array([1.        , 0.66666667, 0.33333333, 0.66666667, 0.        ])
    """

    def __init__(self, plex: Treeplex) -> None:
        self.plex = plex
        f = plex.flat
        child = np.searchsorted(np.sort(f.parent), np.arange(plex.n_sequences + 1))
        counts = np.zeros(plex.n_sequences + plex.n_infosets, np.int64)
        _count(
            *(f.parent, f.start, f.stride, f.actions),
            *(counts[: plex.n_sequences], counts[plex.n_sequences :]),
        )
        first = np.concatenate([[0], np.cumsum(counts)])
        room = (np.zeros(int(first[-1])) for _ in range(3))
        self.pieces = Pieces(
            *(f.parent, f.start, f.stride, f.actions),
            *(child, np.argsort(f.parent, kind="stable"), first),
            *room,
        )

    @property
    def breakpoints(self) -> int:
        """How many breakpoints there is room for: B of the cost."""
        return int(self.pieces.first[-1])

    def __call__(self, g: ArrayLike) -> Vector:
        """The plan nearest to g."""
        g = self.plex.vector(g)
        u = np.empty_like(g)
        project(self.pieces, g, u)
        return u

    def price(self, g: ArrayLike, infoset: int, t: float) -> float:
        """The derivative of an information set's minimum at t, for a vector g."""
        self(g)
        k = self.plex.n_sequences + infoset
        return float(_level(self.pieces, k, t))


@kernel
def _count(
    parent: Array, start: Array, stride: Array, actions: Array, sequences: Array, infosets: Array
) -> None:
    """Count breakpoints, children first. Overwrites sequences and infosets."""
    for q in range(sequences.shape[0]):
        sequences[q] = 1
    for i in range(parent.shape[0] - 1, -1, -1):
        infosets[i] = 0
        for a in range(actions[i]):
            infosets[i] += sequences[start[i] + a * stride[i]]
        sequences[parent[i]] += infosets[i] - 1
    sequences[0] = 0  # the empty sequence needs none


@kernel
def _locate(values: Array, low: int, high: int, value: float) -> int:
    """The last place from low on, before high, whose number is at most value; low if none is."""
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@kernel
def _level(F: Pieces, k: int, t: float) -> float:
    """Function k at t."""
    at = _locate(F.t, F.first[k], F.first[k + 1], t)
    found: float = F.level[at] + F.slope[at] * (t - F.t[at])
    return found


@kernel
def _amount(F: Pieces, k: int, level: float) -> float:
    """The inverse of function k at a level; 0 below its first one."""
    at = _locate(F.level, F.first[k], F.first[k + 1], level)
    found: float = F.t[at] + (level - F.level[at]) / F.slope[at]
    return max(0.0, found)


@kernel
def _add_together(F: Pieces, q: int, g: float, key: Array, change: Array) -> None:
    """The function of sequence q: t - g and those of its information sets, at equal t."""
    S, low = F.child.shape[0] - 1, F.first[q]
    level, slope, n = -g, 1.0, 0
    for c in range(F.child[q], F.child[q + 1]):
        k = S + F.children[c]
        level += F.level[F.first[k]]
        slope += F.slope[F.first[k]]
        for at in range(F.first[k] + 1, F.first[k + 1]):
            key[n], change[n] = F.t[at], F.slope[at] - F.slope[at - 1]
            n += 1
    order = np.argsort(key[:n])
    F.t[low], F.level[low], F.slope[low] = 0.0, level, slope
    for m in range(n):
        at = low + m + 1
        F.t[at] = key[order[m]]
        F.level[at] = F.level[at - 1] + F.slope[at - 1] * (F.t[at] - F.t[at - 1])
        F.slope[at] = F.slope[at - 1] + change[order[m]]


@kernel
def _add_alternatives(F: Pieces, i: int, key: Array, change: Array) -> None:
    """The function of information set i: the inverses of those of its actions, at equal levels."""
    S, n = F.child.shape[0] - 1, 0
    low = F.first[S + i]
    for a in range(F.actions[i]):
        q = F.start[i] + a * F.stride[i]
        for at in range(F.first[q], F.first[q + 1]):
            before = 0.0 if at == F.first[q] else 1.0 / F.slope[at - 1]
            key[n], change[n] = F.level[at], 1.0 / F.slope[at] - before
            n += 1
    order = np.argsort(key[:n])
    rate = change[order[0]]
    F.t[low], F.level[low], F.slope[low] = 0.0, key[order[0]], 1.0 / rate
    for m in range(1, n):
        at = low + m
        F.level[at] = key[order[m]]
        F.t[at] = F.t[at - 1] + rate * (F.level[at] - F.level[at - 1])
        rate += change[order[m]]
        F.slope[at] = 1.0 / rate


@kernel
def project(F: Pieces, g: Array, u: Array) -> None:
    """Overwrite u with the plan nearest to g, and the breakpoints with those of g. O(B log B)."""
    S, n = F.child.shape[0] - 1, F.parent.shape[0]
    most = 1
    for k in range(S, S + n):
        most = max(most, F.first[k + 1] - F.first[k])
    key, change = np.empty(most), np.empty(most)
    for i in range(n - 1, -1, -1):
        for a in range(F.actions[i]):
            q = F.start[i] + a * F.stride[i]
            _add_together(F, q, g[q], key, change)
        _add_alternatives(F, i, key, change)
    u[0] = 1.0
    for i in range(n):
        price = _level(F, S + i, u[F.parent[i]])
        total = 0.0
        for a in range(F.actions[i]):
            q = F.start[i] + a * F.stride[i]
            u[q] = _amount(F, q, price)
            total += u[q]
        for a in range(F.actions[i]):  # rounding must not add up from the root to the leaves
            q = F.start[i] + a * F.stride[i]
            u[q] = u[q] * u[F.parent[i]] / total if total > 0.0 else 0.0
