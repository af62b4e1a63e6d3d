"""The kernels behind the payoff operator, and the arrays that they run over.

`Arrays.terms` has a row for each term: kind of its deal matrix, number of hands of
either player, first and last bundle, and six places in the pools (three for the product
with the matrix, three for its transpose; for cards as `CardDeal.pack` returns them). Last
come the hands of player 1, then of player 2, whose gradient is wanted, first and one past
the last (of cards, the boards): all of them unless `Arrays.part` says that somebody else
does the rest.
`Arrays.bundles` has a row for each bundle: row1, stride1, row2, stride2, width, and the
place of its weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.blocked import add_blocked

if TYPE_CHECKING:
    from saddlepoint.sequence.payoff import Term

DENSE, SPARSE, CARDS, BLOCKED = 0, 1, 2, 3

Array = NDArray[Any]
# row, stride, other row, its stride, width, place of the weights, as the product needs them
# (whole numbers of any kind).
Bundle = tuple[Any, Any, Any, Any, Any, Any]
Places = tuple[Any, Any, Any]
# Positions are unsigned throughout: for a signed one the compiler would have to ask whether
# it counts from the end, which stops it from vectorising.
ONE = np.uint64(1)


class Arrays(NamedTuple):
    """A payoff operator as kernels take it."""

    terms: NDArray[np.uint64]
    bundles: NDArray[np.uint64]
    weights: NDArray[Any]
    places: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    data: NDArray[Any]
    part: bool = False


def single(arrays: Arrays) -> Arrays:
    """The same in single precision."""
    return arrays._replace(
        weights=arrays.weights.astype(np.float32), data=arrays.data.astype(np.float32)
    )


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
        return self._append(0, values, np.uint64)

    def indices(self, values: ArrayLike) -> int:
        """Append 32-bit indices."""
        return self._append(1, values, np.uint32)

    def numbers(self, values: ArrayLike) -> int:
        """Append numbers."""
        return self._append(2, values, np.float64)

    def arrays(self) -> list[NDArray[Any]]:
        """The pools, each as one array."""
        types = (np.uint64, np.uint32, np.float64)
        return [
            np.concatenate([np.zeros(0, t), *part])
            for part, t in zip(self._parts, types, strict=True)
        ]


def pack(terms: Sequence[Term]) -> Arrays:
    """Lay the terms of an operator out in flat arrays."""
    pools, rows, weights, size = Pools(), [], [np.zeros(0)], 0
    bundles: list[tuple[int, ...]] = []
    packed: dict[tuple[int, int], tuple[int, ...]] = {}
    for term in terms:
        first = len(bundles)
        for b in term.bundles:
            weights.append(np.atleast_1d(np.asarray(b.weights, np.float64)))
            width = len(weights[-1])
            bundles.append((b.row1, b.stride1, b.row2, b.stride2, width, size))
            size += width
        kind = term.kind
        if (id(term.deal), kind) not in packed:
            packed[id(term.deal), kind] = term.pack(pools)
        places = packed[id(term.deal), kind]
        n, m = term.deal.shape
        if kind == CARDS:  # the same boards for both players
            n = m = places[3] - places[0] - 1
        rows.append((kind, *term.deal.shape, first, len(bundles), *places, 0, n, 0, m))
    at, indices, data = pools.arrays()
    return Arrays(
        np.array(rows, np.uint64).reshape(-1, 15),
        np.array(bundles, np.uint64).reshape(-1, 6),
        np.concatenate(weights),
        *(at, indices, data),
    )


@kernel
def _sparse(
    A: Arrays, at: Bundle, low: int, high: int, pool: Places, y: Array, out: Array, scratch: Array
) -> None:
    """A bundle times rows low to high - 1 of a sparse matrix. O(width * entries)."""
    row, stride, other, step, width, w = at
    places, indices, data = pool
    if width == 1:
        weight = A.weights[w]
        for i in range(low, high):
            total = A.data.dtype.type(0.0)
            for k in range(A.places[places + i], A.places[places + i + ONE]):
                total += A.data[data + k] * y[other + A.indices[indices + k] * step]
            out[row + i * stride] += weight * total
        return
    totals = scratch[0]
    for i in range(low, high):
        for h in range(width):
            totals[h] = 0.0
        for k in range(A.places[places + i], A.places[places + i + ONE]):
            entry, of = A.data[data + k], other + A.indices[indices + k] * step
            for h in range(width):
                totals[h] += entry * y[of + h]
        to = row + i * stride
        for h in range(width):
            out[to + h] += A.weights[w + h] * totals[h]


@kernel
def _dense(A: Arrays, at: Bundle, low: int, high: int, shape: Places, y: Array, out: Array) -> None:
    """A bundle times rows low to high - 1 of a dense matrix. O(width * entries).

    shape is the number of rows, that of columns, and where the transpose begins.
    """
    row, stride, other, step, width, w = at
    rows, columns, data = shape
    for j in range(columns):
        column = data + j * rows
        for h in range(width):
            factor = A.weights[w + h] * y[other + j * step + h]
            if stride == 1:  # told apart because only unit steps are vectorised
                for i in range(low, high):
                    out[row + h + i] += A.data[column + i] * factor
            else:
                for i in range(low, high):
                    out[row + h + i * stride] += A.data[column + i] * factor


@kernel
def fold_on_board(
    A: Arrays, t: Any, k: Any, at: Bundle, y: Array, out: Array, scratch: Array
) -> None:
    """A bundle of folds on board k: all other hands but the ones that share the card."""
    row, stride, other, step, width, w = at
    board, weight, count = A.terms[t, 5] + k, A.terms[t, 6] + k, A.terms[t, 7]
    total = scratch[0]
    for h in range(width):
        total[h] = 0.0
    for i in range(A.places[board], A.places[board + ONE]):
        cards, of = A.data[count + i], other + i * step
        for h in range(width):
            total[h] += cards * y[of + h]
    for i in range(A.places[board], A.places[board + ONE]):
        factor, of, to = A.data[weight] * A.data[count + i], other + i * step, row + i * stride
        for h in range(width):
            out[to + h] += factor * A.weights[w + h] * (total[h] - y[of + h])


@kernel
def showdown_on_board(
    A: Arrays, t: Any, k: Any, at: Bundle, sign: float, y: Array, out: Array, scratch: Array
) -> None:
    """A bundle of showdowns on board k: what is below minus what is above.

    Hands that share a card are equally strong, so card removal takes no correction. Works
    with margin = below - above, which each group of ties raises twice by its own weight:
    once as it stops being above, once as it starts being below.
    """
    row, stride, other, step, width, w = at
    board, weight, count = A.terms[t, 5] + k, A.terms[t, 6] + k, A.terms[t, 7]
    group, first = A.terms[t, 8], A.terms[t, 9] + k
    margin, tied = scratch[0], scratch[1]
    for h in range(width):
        margin[h] = 0.0
    for i in range(A.places[board], A.places[board + ONE]):
        cards, of = A.data[count + i], other + i * step
        for h in range(width):
            margin[h] -= cards * y[of + h]
    for g in range(A.places[first], A.places[first + ONE]):
        low, high = A.places[group + g], A.places[group + g + ONE]
        for h in range(width):
            tied[h] = 0.0
        for i in range(low, high):
            cards, of = A.data[count + i], other + i * step
            for h in range(width):
                tied[h] += cards * y[of + h]
        for h in range(width):
            margin[h] += tied[h]
        for i in range(low, high):
            factor, to = sign * A.data[weight] * A.data[count + i], row + i * stride
            for h in range(width):
                out[to + h] += factor * A.weights[w + h] * margin[h]
        for h in range(width):
            margin[h] += tied[h]


@kernel
def _cards(
    A: Arrays, t: int, at: Bundle, low: int, high: int, sign: float, y: Array, out: Array,
    scratch: Array,
) -> None:  # fmt: skip
    """A bundle times boards low to high - 1 of a card deal. O(width * hands).

    sign is 1 as player 1 sees it, -1 as player 2 does.
    """
    for k in range(low, high):
        if A.terms[t, 10] == 0:
            fold_on_board(A, t, k, at, y, out, scratch)
        else:
            showdown_on_board(A, t, k, at, sign, y, out, scratch)


@kernel
def gradient(A: Arrays, second: bool, x: Array, out: Array) -> None:
    """Make out the gradient of the player who faces plan x: A x, or -A' x for player 2.

    Overwrites out. Of a part of the operator, adds A x or A' x to it.
    """
    widest = ONE
    for z in range(A.bundles.shape[0]):
        widest = max(widest, A.bundles[z, 4])
    scratch = np.empty((2, widest), out.dtype)
    sign = out.dtype.type(-1.0 if second else 1.0)
    if not A.part:
        for q in range(out.shape[0]):
            out[q] = 0.0
    for t in range(A.terms.shape[0]):
        kind, rows, columns = A.terms[t, 0], A.terms[t, 1], A.terms[t, 2]
        pool = (A.terms[t, 5], A.terms[t, 6], A.terms[t, 7])
        low, high = A.terms[t, 11], A.terms[t, 12]
        if second:
            rows, columns = columns, rows
            pool = (A.terms[t, 8], A.terms[t, 9], A.terms[t, 10])
            low, high = A.terms[t, 13], A.terms[t, 14]
        if kind == BLOCKED:
            add_blocked(A, t, second, np.int64(low), np.int64(high), x, out)
            continue
        for z in range(A.terms[t, 3], A.terms[t, 4]):
            B = A.bundles[z]
            at = (B[0], B[1], B[2], B[3], B[4], B[5])
            if second:
                at = (B[2], B[3], B[0], B[1], B[4], B[5])
            if kind == SPARSE:
                _sparse(A, at, low, high, pool, x, out, scratch)
            elif kind == DENSE:
                _dense(A, at, low, high, (rows, columns, pool[2]), x, out)
            else:
                _cards(A, t, at, low, high, sign, x, out, scratch)
    if second and not A.part:
        for q in range(out.shape[0]):
            out[q] = -out[q]
