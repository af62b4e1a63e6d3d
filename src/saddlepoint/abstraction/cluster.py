r"""Clustering: exact in one dimension, Lloyd's algorithm with restarts in more.

Points $x_i$ with weights $w_i$ are divided into k clusters with centres $c_j$ so that

$$\sum_i w_i\, \delta(x_i, c_{j(i)})$$

is small, where $\delta$ is the square of the distance (`squared`, centres are means) or the
distance itself (`absolute`, centres are medians). In one dimension clusters are segments of
the sorted points, and the least error is found by dynamic programming over them, for all
numbers of clusters in one pass: O(k n log n), because the best last segment moves to the
right with its end. Algorithm 4 of thesis 003 is Lloyd's, which ends in local optima.

In more dimensions $\delta$ is the squared Euclidean distance (`l2`), or the sum of absolute
differences (`l1`). The earth mover's distance of histograms over places on a line is the
latter, between running sums times the steps between places (`on_line`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.core.kernel import kernel
from saddlepoint.core.seeds import Seed, generator

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Classes = NDArray[np.int64]
Array = NDArray[Any]

ERRORS = ("squared", "absolute")
DISTANCES = ("l2", "l1")
RESTARTS = 100
MOST_STEPS = 300


@kernel
def _segment_cost(W: Array, S: Array, Q: Array, x: Array, i: int, j: int, absolute: bool) -> float:
    """The error of points i, ..., j - 1 around their mean or median, by running sums.

    W, S and Q are running sums of w, w x and w x^2. O(1), or O(log n) for medians.
    """
    w = W[j] - W[i]
    if w <= 0.0:
        return 0.0
    if not absolute:
        s = S[j] - S[i]
        around: float = max(0.0, Q[j] - Q[i] - s * s / w)
        return around
    half, low, high = W[i] + 0.5 * w, i, j - 1
    while low < high:
        middle = (low + high) // 2
        if W[middle + 1] < half:
            low = middle + 1
        else:
            high = middle
    c = x[low]
    below = c * (W[low] - W[i]) - (S[low] - S[i])
    above = (S[j] - S[low]) - c * (W[j] - W[low])
    total: float = max(0.0, below + above)
    return total


@kernel
def _segments(
    W: Array, S: Array, Q: Array, x: Array, absolute: bool, cost: Array, split: Array
) -> None:
    """Fill cost[k, j], the least error of the first j points in k + 1 segments.

    split[k, j] is where the last of these segments begins. Rows are filled by divide and
    conquer on an explicit stack of (low, high, least split, greatest split).
    O(k n log n).
    """
    n = x.shape[0]
    for j in range(n + 1):
        cost[0, j] = _segment_cost(W, S, Q, x, 0, j, absolute)
        split[0, j] = 0
    stack = np.empty((2 * n + 64, 4), np.int64)
    for k in range(1, cost.shape[0]):
        for j in range(k + 1):
            cost[k, j] = 0.0
            split[k, j] = max(0, j - 1)
        top = 0
        if k + 1 <= n:
            stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = k + 1, n, k, n - 1
            top = 1
        while top > 0:
            top -= 1
            low, high, least, greatest = stack[top]
            j = (low + high) // 2
            best, at = np.inf, least
            for i in range(least, min(greatest, j - 1) + 1):
                found = cost[k - 1, i] + _segment_cost(W, S, Q, x, i, j, absolute)
                if found < best:
                    best, at = found, i
            cost[k, j], split[k, j] = best, at
            if low <= j - 1:
                stack[top, 0], stack[top, 1] = low, j - 1
                stack[top, 2], stack[top, 3] = least, at
                top += 1
            if j + 1 <= high:
                stack[top, 0], stack[top, 1] = j + 1, high
                stack[top, 2], stack[top, 3] = at, greatest
                top += 1


@dataclass(frozen=True)
class Segments:
    """All best divisions of points on a line into 1, 2, ... segments.

    `errors[k - 1]` is the least error with k segments.
    """

    order: Classes
    split: NDArray[np.int64]
    errors: Vector

    def groups(self, k: int) -> Classes:
        """The segment, from the lowest up, of each point, with k segments."""
        n = len(self.order)
        k = min(whole("k", k, 1), len(self.errors))
        found, end = np.empty(n, np.int64), n
        for j in range(k - 1, -1, -1):
            begin = int(self.split[j, end])
            found[self.order[begin:end]] = j
            end = begin
        return found


def segments(values: ArrayLike, weights: ArrayLike, most: int, error: str = "squared") -> Segments:
    """The best divisions of points on a line into 1, ..., `most` segments.

    Parameters
    ----------
    values, weights
        The points; equal values may stay apart, in the order in which they are given, which
        no error needs.
    most
        Greatest number of segments; at most as many as there are points are found.
    error
        `squared` or `absolute`.

    Examples
    --------
    >>> found = segments([0.0, 0.1, 1.0, 0.9], [1, 1, 1, 1], 4)
    >>> found.errors.round(3).tolist(), found.groups(2).tolist()
    ([0.82, 0.01, 0.005, 0.0], [0, 0, 1, 1])
    """
    if error not in ERRORS:
        raise SettingsError(unknown("error", error, ERRORS))
    x, w = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    if x.ndim != 1 or x.shape != w.shape or not len(x):
        raise SettingsError(
            f"found values of shape {x.shape} and weights of shape {w.shape}, expected as many of "
            "either, at least one"
        )
    if not np.isfinite(x).all() or not (np.isfinite(w) & (w >= 0)).all():
        raise SettingsError("values and weights have to be finite numbers, weights at least 0")
    k = min(whole("most", most, 1), len(x))
    order = np.argsort(x, kind="stable")
    x, w = x[order], w[order]
    # Sums of squares around 0 would lose digits for values that lie far away from it.
    x = x - np.average(x, weights=w if w.sum() > 0 else None)
    W, S, Q = (np.concatenate([[0.0], np.cumsum(v)]) for v in (w, w * x, w * x * x))
    cost = np.zeros((k, len(x) + 1))
    split = np.zeros((k, len(x) + 1), np.int64)
    _segments(W, S, Q, x, error == "absolute", cost, split)
    return Segments(order, split, cost[:, -1].copy())


def on_line(histograms: ArrayLike, places: ArrayLike) -> Matrix:
    """Points whose `l1` distance is the earth mover's distance of histograms on a line.

    Parameters
    ----------
    histograms
        A row of masses for each point; all rows have the same sum.
    places
        Where on the line the masses are.

    Notes
    -----
    In one dimension that distance is the area between the running sums (Vallender 1974).
    Medians of running sums are running sums again, so that `l1` centres are histograms.

    Examples
    --------
    >>> points = on_line([[1, 0, 0], [0, 0, 1]], [0.0, 0.25, 1.0])
    >>> float(np.abs(points[0] - points[1]).sum())
    1.0
    """
    h, at = np.asarray(histograms, np.float64), np.asarray(places, np.float64)
    order = np.argsort(at, kind="stable")
    running: Matrix = np.cumsum(h[:, order], axis=1)[:, :-1] * np.diff(at[order])
    return running


@kernel
def _assign(X: Array, C: Array, absolute: bool, near: Array, away: Array) -> None:
    """Give every point its nearest centre, the first of equals, and the distance. O(n k d)."""
    for i in range(X.shape[0]):
        best, at = np.inf, 0
        for j in range(C.shape[0]):
            total = 0.0
            for m in range(X.shape[1]):
                step = X[i, m] - C[j, m]
                total += abs(step) if absolute else step * step
            if total < best:
                best, at = total, j
        near[i], away[i] = at, best


@kernel
def _means(X: Array, w: Array, near: Array, C: Array, mass: Array) -> None:
    """Move centres to the weighted means of their points; empty ones stay. O(n d)."""
    for j in range(C.shape[0]):
        mass[j] = 0.0
    for i in range(X.shape[0]):
        mass[near[i]] += w[i]
    for j in range(C.shape[0]):
        if mass[j] > 0.0:
            for m in range(C.shape[1]):
                C[j, m] = 0.0
    for i in range(X.shape[0]):
        j = near[i]
        if mass[j] > 0.0:
            for m in range(C.shape[1]):
                C[j, m] += w[i] / mass[j] * X[i, m]


def _medians(X: Matrix, w: Vector, near: Classes, C: Matrix) -> None:
    """Move centres to the weighted medians of their points, by coordinate. O(n d log n)."""
    for j in np.unique(near):
        here = near == j
        part, mass = X[here], w[here]
        order = np.argsort(part, axis=0, kind="stable")
        running = np.cumsum(mass[order], axis=0)
        middle = (running >= 0.5 * running[-1] * (1 - 1e-12)).argmax(axis=0)
        C[j] = np.take_along_axis(part, order, axis=0)[middle, np.arange(X.shape[1])]


@dataclass(frozen=True)
class Clusters:
    """A division into clusters: the cluster of each point, centres, and the error."""

    groups: Classes
    centres: Matrix
    error: float


def lloyd(
    points: ArrayLike,
    weights: ArrayLike,
    k: int,
    *,
    distance: str = "l2",
    restarts: int = RESTARTS,
    seed: Seed = 0,
) -> Clusters:
    """Lloyd's algorithm, the best of several starts.

    Parameters
    ----------
    points
        A row for each point, or numbers.
    weights
        A weight for each.
    k
        How many clusters; as many as there are distinct points at most are found.
    distance
        `l2` or `l1`.
    restarts
        How many starts, each from points drawn with k-means++ (Arthur and Vassilvitskii
        2007).
    seed
        For the starts.

    Examples
    --------
    >>> lloyd([[0, 0], [0, 1], [5, 5]], [1, 1, 1], 2).groups.tolist()
    [0, 0, 1]
    """
    if distance not in DISTANCES:
        raise SettingsError(unknown("distance", distance, DISTANCES))
    X = np.ascontiguousarray(points, np.float64)
    X = X[:, None] if X.ndim == 1 else X
    X = np.zeros((len(X), 1)) if X.shape[1] == 0 else X
    w = np.ascontiguousarray(weights, np.float64)
    whole("k", k, 1)
    whole("restarts", restarts, 1)
    distinct, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    if k >= len(distinct):
        place = np.argsort(np.argsort(first))
        return Clusters(place[which].astype(np.int64), distinct[np.argsort(first)], 0.0)
    mass: Vector = np.bincount(which, w, len(distinct)).astype(np.float64)
    rng, best = generator(seed), None
    for _ in range(restarts):
        found = _one_start(distinct, mass, k, distance == "l1", rng)
        if best is None or found.error < best.error:
            best = found
    assert best is not None
    groups = best.groups[which]
    # Clusters are numbered in the order of their first points, whatever the start was.
    _, at = np.unique(groups, return_index=True)
    place = np.full(len(best.centres), -1, np.int64)
    kept = np.unique(groups)[np.argsort(at)]
    place[kept] = np.arange(len(kept))
    return Clusters(place[groups], best.centres[kept], best.error)


def _one_start(X: Matrix, w: Vector, k: int, absolute: bool, rng: np.random.Generator) -> Clusters:
    near, away = np.empty(len(X), np.int64), np.empty(len(X))
    C = _spread(X, w, k, absolute, rng)
    error, mass = np.inf, np.empty(k)
    for _ in range(MOST_STEPS):
        _assign(X, C, absolute, near, away)
        now = float(away @ w)
        if now >= error * (1 - 1e-12):
            break
        error = now
        if absolute:
            _medians(X, w, near, C)
        else:
            _means(X, w, near, C, mass)
    return Clusters(near, C, min(error, now))


def _spread(X: Matrix, w: Vector, k: int, absolute: bool, rng: np.random.Generator) -> Matrix:
    """Centres drawn one by one, in proportion to weight times distance from those before."""
    C = np.empty((k, X.shape[1]))
    far = np.ones(len(X))
    for j in range(k):
        chance = w * far
        total = chance.sum()
        p = chance / total if total > 0 else np.full(len(X), 1.0 / len(X))
        C[j] = X[rng.choice(len(X), p=p)]
        step = X - C[j]
        away = np.abs(step).sum(axis=1) if absolute else (step * step).sum(axis=1)
        far = away if j == 0 else np.minimum(far, away)
    return C
