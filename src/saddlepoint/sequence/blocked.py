r"""Dense deal matrices times many histories at once, block by block.

A term of $m$ leaves with a dense matrix $B$ is a product of matrices: every history of a
bundle is a column,

$$C = B Z, \qquad Z_{jh} = w_h\, y_{jh},$$

so that what is loaded of $B$ serves many histories. Columns are gathered from the plan,
bundle by bundle, into *tiles* of `TILE` that lie together, and multiplied `DEPTH` hands of
the opponent at a time, so that a tile of Z stays in the nearest cache and a strip of B in
the next one. The innermost loop takes 4 rows of B by 4 of its columns: 16 numbers that stay
in registers while it runs along a tile. Distances between rows of a tile are literal, which
tells the compiler that they do not overlap. There is no library behind it, so threads are
the caller's alone, and the order of all sums is fixed: for an entry of the product it does
not even depend on which rows are asked for.

The matrix is kept once: the transposed product reads it by columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel

if TYPE_CHECKING:
    from saddlepoint.sequence.products import Arrays

Array = NDArray[Any]
# Columns of a tile, and rows of it that are multiplied at once: 32 kB in double precision.
TILE, DEPTH = 64, 64
# Tiles that share a pass over the matrix.
PANEL = 6
# From so many histories on, and for so many hands of either player, a term is blocked.
LEAST_HISTORIES, LEAST_HANDS = 16, 16
# Rows and columns of the innermost block.
SIDE = 4
_T = np.uint64(TILE)
_2T, _3T = np.uint64(2 * TILE), np.uint64(3 * TILE)
_ONE = np.uint64(1)


@kernel
def _segments(A: Arrays, z: int, h: int, last: int, found: Array) -> tuple[int, int, int, int]:
    """List stretches of bundles z to last - 1, from history h on, that fill the next panel.

    A row of found is (bundle, first history, histories, column); a stretch lies in one tile.
    Returns how many there are, their columns, and the bundle and history that come next.
    Overwrites found.
    """
    count, column = 0, 0
    while z < last and column < PANEL * TILE and count < found.shape[0]:
        width: Any = np.int64(A.bundles[z, 4])
        n = min(width - h, TILE - column % TILE)
        found[count, 0], found[count, 1], found[count, 2], found[count, 3] = z, h, n, column
        count, column, h = count + 1, column + n, h + n
        if h == width:
            z, h = z + 1, 0
    return count, column, z, h


@kernel
def _gather(A: Arrays, second: bool, found: Array, hands: int, y: Array, Z: Array) -> None:
    """Write the weighted plans of some stretches into the tiles of Z."""
    side = 0 if second else 2
    for k in range(found.shape[0]):
        B, h = A.bundles[found[k, 0]], np.uint64(found[k, 1])
        n, tile = np.uint64(found[k, 2]), found[k, 3] // TILE
        to = np.uint64(tile * hands * TILE + found[k, 3] % TILE)
        of, step, w = B[side] + h, B[side + 1], B[5] + h
        for _ in range(hands):
            for i in range(n):
                Z[to + i] = A.weights[w + i] * y[of + i]
            of, to = of + step, to + _T


@kernel
def _scatter(
    A: Arrays, second: bool, found: Array, hands: int, first: int, last: int, C: Array, out: Array
) -> None:
    """Add the tiles of C, whose row 0 is hand `first`, to the sequences of some stretches."""
    side = 2 if second else 0
    for k in range(found.shape[0]):
        B, h = A.bundles[found[k, 0]], np.uint64(found[k, 1])
        n, tile = np.uint64(found[k, 2]), found[k, 3] // TILE
        of = np.uint64(tile * hands * TILE + found[k, 3] % TILE)
        step = B[side + 1]
        to = B[side] + h + np.uint64(first) * step
        for _ in range(first, last):
            for i in range(n):
                out[to + i] += C[of + i]
            of, to = of + _T, to + step


@kernel
def _block(
    data: Array, rows: tuple[Any, Any, Any, Any], along: Any, depth: int, Z: Array, z: Any,
    C: Array, c: Any,
) -> None:  # fmt: skip
    """Add 4 rows of a matrix times `depth` rows of a tile to 4 rows of a tile.

    Column j of a row begins at its place + j * along; the tiles at z and c.
    """
    r0, r1, r2, r3 = rows
    for _ in range(depth // SIDE):
        j1, j2, j3 = along, along + along, along + along + along
        a00, a01, a02, a03 = data[r0], data[r0 + j1], data[r0 + j2], data[r0 + j3]
        a10, a11, a12, a13 = data[r1], data[r1 + j1], data[r1 + j2], data[r1 + j3]
        a20, a21, a22, a23 = data[r2], data[r2 + j1], data[r2 + j2], data[r2 + j3]
        a30, a31, a32, a33 = data[r3], data[r3 + j1], data[r3 + j2], data[r3 + j3]
        for h in range(_T):
            z0, z1, z2, z3 = Z[z + h], Z[z + _T + h], Z[z + _2T + h], Z[z + _3T + h]
            C[c + h] += a00 * z0 + a01 * z1 + a02 * z2 + a03 * z3
            C[c + _T + h] += a10 * z0 + a11 * z1 + a12 * z2 + a13 * z3
            C[c + _2T + h] += a20 * z0 + a21 * z1 + a22 * z2 + a23 * z3
            C[c + _3T + h] += a30 * z0 + a31 * z1 + a32 * z2 + a33 * z3
        r0, r1, r2, r3 = r0 + j3 + along, r1 + j3 + along, r2 + j3 + along, r3 + j3 + along
        z += _3T + _T
    for _ in range(depth % SIDE):
        a00, a10, a20, a30 = data[r0], data[r1], data[r2], data[r3]
        for h in range(_T):
            z0 = Z[z + h]
            C[c + h] += a00 * z0
            C[c + _T + h] += a10 * z0
            C[c + _2T + h] += a20 * z0
            C[c + _3T + h] += a30 * z0
        r0, r1, r2, r3 = r0 + along, r1 + along, r2 + along, r3 + along
        z += _T


@kernel
def _multiply(
    data: Array, place: Any, across: Any, along: Any, first: int, last: int, hands: int,
    tiles: int, height: int, Z: Array, C: Array,
) -> None:  # fmt: skip
    """Make C the rows first to last - 1 of a matrix times Z, in tiles of `height` rows.

    Entry (i, j) is at place + i * across + j * along. Rows beyond the last repeat it.
    """
    for q in range(tiles * height * TILE):
        C[q] = 0.0
    final = np.uint64(last - 1)
    for low in range(0, hands, DEPTH):
        depth = min(DEPTH, hands - low)
        strip = place + np.uint64(low) * along
        for t in range(tiles):
            z = np.uint64((t * hands + low) * TILE)
            for i in range(0, height, SIDE):
                r = np.uint64(first + i)
                rows = (
                    strip + r * across,
                    strip + min(r + _ONE, final) * across,
                    strip + min(r + _ONE + _ONE, final) * across,
                    strip + min(r + _ONE + _ONE + _ONE, final) * across,
                )
                _block(data, rows, along, depth, Z, z, C, np.uint64((t * height + i) * TILE))


@kernel
def add_blocked(
    A: Arrays, t: int, second: bool, first: Any, last: Any, y: Array, out: Array
) -> None:
    """Add term t times plan y, or its transpose, to the sequences of hands first to last - 1.

    O(histories * (last - first) * hands), with buffers of `PANEL` tiles a hand.
    """
    if first >= last:
        return
    hands: Any = np.int64(A.terms[t, 2])
    across, along = A.terms[t, 2], _ONE
    if second:
        hands, across, along = np.int64(A.terms[t, 1]), _ONE, A.terms[t, 2]
    z: Any = np.int64(A.terms[t, 3])
    end: Any = np.int64(A.terms[t, 4])
    h = 0
    width: Any = 0
    for b in range(z, end):
        width += np.int64(A.bundles[b, 4])
    most = min(PANEL, (width + TILE - 1) // TILE)
    height = (last - first + SIDE - 1) // SIDE * SIDE
    Z, C = np.zeros(most * hands * TILE, out.dtype), np.empty(most * height * TILE, out.dtype)
    found = np.empty((PANEL * TILE, 4), np.int64)
    while z < end:
        count, columns, z, h = _segments(A, z, h, end, found)
        tiles = (columns + TILE - 1) // TILE
        _gather(A, second, found[:count], hands, y, Z)
        _multiply(A.data, A.terms[t, 7], across, along, first, last, hands, tiles, height, Z, C)
        _scatter(A, second, found[:count], height, first, last, C, out)
