"""The kernels behind the payoff operator, and the arrays that they run over.

`Arrays.terms` has a row for each term: kind of its deal matrix, number of hands of
either player, first and last bundle, and six places in the pools (three for the product
with the matrix, three for its transpose; for cards as `CardDeal.pack` returns them).
`Arrays.bundles` has a row for each bundle: row1, stride1, row2, stride2, width, and the
place of its weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.kernel import kernel

if TYPE_CHECKING:
    from saddlepoint.sequence.payoff import Term

DENSE, SPARSE, CARDS = 0, 1, 2


class Arrays(NamedTuple):
    """A payoff operator as kernels take it."""

    terms: NDArray[np.int64]
    bundles: NDArray[np.int64]
    weights: NDArray[Any]
    places: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[Any]


class Pools:
    """Growing pools of places, indices and numbers; appending returns the position."""

    def __init__(self) -> None:
        self._parts: tuple[list[NDArray[Any]], ...] = ([], [], [])
        self._sizes = [0, 0, 0]

    def _append(self, pool: int, values: ArrayLike, dtype: Any) -> int:
        array = np.ascontiguousarray(values, dtype).ravel()
        self._parts[pool].append(array)
        self._sizes[pool] += array.size
        return self._sizes[pool] - array.size

    def places(self, values: ArrayLike) -> int:
        """Append 64-bit positions."""
        return self._append(0, values, np.int64)

    def indices(self, values: ArrayLike) -> int:
        """Append 32-bit indices."""
        return self._append(1, values, np.int32)

    def numbers(self, values: ArrayLike) -> int:
        """Append numbers."""
        return self._append(2, values, np.float64)

    def arrays(self) -> list[NDArray[Any]]:
        """The pools, each as one array."""
        types = (np.int64, np.int32, np.float64)
        return [
            np.concatenate([np.zeros(0, t), *part])
            for part, t in zip(self._parts, types, strict=True)
        ]


def pack(terms: Sequence[Term]) -> Arrays:
    """Lay the terms of an operator out in flat arrays."""
    pools, rows, bundles, weights = Pools(), [], [], [np.zeros(0)]
    size = 0
    packed: dict[int, tuple[int, ...]] = {}
    for term in terms:
        first = len(bundles)
        for b in term.bundles:
            bundles.append((b.row1, b.stride1, b.row2, b.stride2, len(b.weights), size))
            weights.append(np.asarray(b.weights, np.float64))
            size += len(b.weights)
        if id(term.deal) not in packed:
            packed[id(term.deal)] = term.deal.pack(pools)
        rows.append(
            (term.deal.kind, *term.deal.shape, first, len(bundles), *packed[id(term.deal)])
        )
    return Arrays(
        np.array(rows, np.int64).reshape(-1, 11),
        np.array(bundles, np.int64).reshape(-1, 6),
        np.concatenate(weights),
        *pools.arrays(),
    )


@kernel
def _sparse(A, t, z, row, stride, other, step, m, p, d, y, out, total):  # type: ignore[no-untyped-def]
    """Bundle z times a sparse matrix of m rows, whose places begin at p, d[0], d[1]."""
    width, w = A.bundles[z, 4], A.bundles[z, 5]
    indices, data = d
    if width == 1:
        weight = A.weights[w]
        for i in range(m):
            sum_ = A.data.dtype.type(0.0)
            for k in range(A.places[p + i], A.places[p + i + 1]):
                sum_ += A.data[data + k] * y[other + A.indices[indices + k] * step]
            out[row + i * stride] += weight * sum_
        return
    for i in range(m):
        for h in range(width):
            total[h] = 0.0
        for k in range(A.places[p + i], A.places[p + i + 1]):
            c, at = A.data[data + k], other + A.indices[indices + k] * step
            for h in range(width):
                total[h] += c * y[at + h]
        at = row + i * stride
        for h in range(width):
            out[at + h] += A.weights[w + h] * total[h]


@kernel
def _dense(A, t, z, row, stride, other, step, m, n, data, y, out):  # type: ignore[no-untyped-def]
    """Bundle z times a dense m by n matrix whose transpose begins at data."""
    width, w = A.bundles[z, 4], A.bundles[z, 5]
    for j in range(n):
        at = data + j * m
        for h in range(width):
            c = A.weights[w + h] * y[other + j * step + h]
            if stride == 1:
                to = row + h
                for i in range(m):
                    out[to + i] += A.data[at + i] * c
            else:
                for i in range(m):
                    out[row + i * stride + h] += A.data[at + i] * c


@kernel
def _cards(A, t, z, row, stride, other, step, sign, y, out, total, below, tie):  # type: ignore[no-untyped-def]
    """Bundle z times a card deal: running sums over hands in order of strength.

    sign is 0 for a fold; 1 or -1 for a showdown seen by player 1 or player 2.
    """
    width, w = A.bundles[z, 4], A.bundles[z, 5]
    board, weight, count = A.terms[t, 5], A.terms[t, 6], A.terms[t, 7]
    group, first = A.terms[t, 8], A.terms[t, 9]
    k = 0
    while A.places[board + k] < A.terms[t, 1]:
        low, high = A.places[board + k], A.places[board + k + 1]
        for h in range(width):
            total[h] = 0.0
            below[h] = 0.0
        for i in range(low, high):
            c, at = A.data[count + i], other + i * step
            for h in range(width):
                total[h] += c * y[at + h]
        if sign == 0:
            for i in range(low, high):
                c, at, to = A.data[weight + k] * A.data[count + i], other + i * step, row + i * stride
                for h in range(width):
                    out[to + h] += c * A.weights[w + h] * (total[h] - y[at + h])
        else:
            for g in range(A.places[first + k], A.places[first + k + 1]):
                one, end = A.places[group + g], A.places[group + g + 1]
                for h in range(width):
                    tie[h] = 0.0
                for i in range(one, end):
                    c, at = A.data[count + i], other + i * step
                    for h in range(width):
                        tie[h] += c * y[at + h]
                for h in range(width):
                    # What is below minus what is above, from total = below + tie + above.
                    tie[h] += below[h]
                for i in range(one, end):
                    c, to = sign * A.data[weight + k] * A.data[count + i], row + i * stride
                    for h in range(width):
                        out[to + h] += c * A.weights[w + h] * (below[h] + tie[h] - total[h])
                for h in range(width):
                    below[h] = tie[h]
        k += 1


@kernel
def product(A, transposed, y, out):  # type: ignore[no-untyped-def]
    """out <- A y, or A' y where transposed. Overwrites out."""
    widest = 1
    for z in range(A.bundles.shape[0]):
        widest = max(widest, A.bundles[z, 4])
    total, below, tie = (
        np.empty(widest, out.dtype),
        np.empty(widest, out.dtype),
        np.empty(widest, out.dtype),
    )
    for q in range(out.shape[0]):
        out[q] = 0.0
    for t in range(A.terms.shape[0]):
        kind, m, n = A.terms[t, 0], A.terms[t, 1], A.terms[t, 2]
        p, d, e = A.terms[t, 5], A.terms[t, 6], A.terms[t, 7]
        if transposed:
            m, n = n, m
            if kind != CARDS:
                p, d, e = A.terms[t, 8], A.terms[t, 9], A.terms[t, 10]
        for z in range(A.terms[t, 3], A.terms[t, 4]):
            row, stride, other, step = (
                A.bundles[z, 0],
                A.bundles[z, 1],
                A.bundles[z, 2],
                A.bundles[z, 3],
            )
            if transposed:
                row, stride, other, step = other, step, row, stride
            if kind == SPARSE:
                _sparse(A, t, z, row, stride, other, step, m, p, (d, e), y, out, total)
            elif kind == DENSE:
                _dense(A, t, z, row, stride, other, step, m, n, e, y, out)
            else:
                sign = -A.terms[t, 10] if transposed else A.terms[t, 10]
                _cards(A, t, z, row, stride, other, step, sign, y, out, total, below, tie)
