r"""Sets of k numbers below n, and their places in colexicographic order.

Sets are compared by their largest members first, so the place of
\(c_1 < c_2 < \dots < c_k\) does not depend on n:

$$\sum_{i=1}^k \binom{c_i}{i}$$

Pairs of cards begin {0, 1}, {0, 2}, {1, 2}, {0, 3}; the last one of a full deck, {50, 51}, has
place 1,325. This is the combinatorial number system (Knuth, The Art of Computer Programming
4A, 7.2.1.3).
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.checks import shown, whole
from saddlepoint.core.errors import SettingsError, SizeError
from saddlepoint.core.kernel import kernel

# Places are int64. Binomial coefficients beyond that are never places of any set.
_LARGEST = 2**63 - 1


def binomials(n: int, k: int) -> NDArray[np.int64]:
    """A table of all C(i, j) with i up to n and j up to k; what is beyond int64 is cut there."""
    rows = [[min(comb(i, j), _LARGEST) for j in range(k + 1)] for i in range(n + 1)]
    return np.array(rows, np.int64)


def subset_index(subsets: ArrayLike, n: int) -> NDArray[np.int64]:
    """The places of sets of numbers below n, one a row, in any order within it; O(k log k) each.

    Raises
    ------
    SettingsError
        If a row has a number that is not below n, or one twice.
    SizeError
        If there are more sets than 64 bits count.

    Examples
    --------
    >>> subset_index([[0, 1], [3, 0], [50, 51]], 52).tolist()
    [0, 3, 1325]
    """
    found = integers("subsets", subsets, 2)
    _count(n, found.shape[1])
    rows = np.sort(found, axis=1)
    outside = (rows < 0) | (rows >= n)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise SettingsError(
            f"row {row} of the subsets has {rows[row, column]}, expected numbers from 0 to {n - 1}"
        )
    if (twice := rows[:, 1:] == rows[:, :-1]).any():
        row, column = np.argwhere(twice)[0]
        raise SettingsError(
            f"row {row} of the subsets has {rows[row, column]} twice, expected different numbers"
        )
    places = np.zeros(len(rows), np.int64)
    _rank(np.ascontiguousarray(rows), binomials(n, rows.shape[1]), places)
    return places


def subset_of(places: ArrayLike, n: int, k: int) -> NDArray[np.int64]:
    """The sets of k numbers below n at some places, ascending, one a row; O(n + k) each.

    Raises
    ------
    SettingsError
        If a place is not below C(n, k).
    SizeError
        If there are more sets than 64 bits count.

    Examples
    --------
    >>> subset_of([0, 3, 1325], 52, 2).tolist()
    [[0, 1], [0, 3], [50, 51]]
    """
    found = integers("places", places, 1)
    check_below("places", found, _count(n, k))
    subsets = np.zeros((len(found), k), np.int64)
    _unrank(found, binomials(n, k), subsets)
    return subsets


def integers(name: str, values: ArrayLike, dimensions: int) -> NDArray[np.int64]:
    """Whole numbers as a contiguous array of int64 with so many dimensions."""
    try:
        found = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise SettingsError(f"{name} are {shown(values)}, expected rows of equal lengths") from None
    if found.ndim != dimensions or (found.size and found.dtype.kind not in "iu"):
        raise SettingsError(
            f"{name} are an array of {found.dtype} with shape {found.shape}, expected whole "
            f"numbers and {dimensions} dimension{'s' if dimensions > 1 else ''}"
        )
    return np.ascontiguousarray(found, np.int64)


def check_below(name: str, values: NDArray[np.int64], size: int) -> None:
    """Refuse numbers that are negative or not below a size."""
    wrong = (values < 0) | (values >= size)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise SettingsError(
            f"{name}[{place}] is {values[place]}, expected a whole number from 0 to {size - 1:,} "
            f"({int(wrong.sum()):,} of {len(values):,} are wrong)"
        )


def _count(n: int, k: int) -> int:
    """How many sets of k numbers below n there are, which has to fit int64."""
    count = comb(whole("n", n, 0), whole("k", k, 0))
    if count > _LARGEST:
        raise SizeError(f"there are {count:.3g} sets of {k} numbers below {n}, too many for int64")
    return count


@kernel
def _rank(rows: NDArray[np.int64], choose: NDArray[np.int64], places: NDArray[np.int64]) -> None:
    """Write the place of each ascending row; O(k) a row."""
    for row in range(rows.shape[0]):
        place = 0
        for i in range(rows.shape[1]):
            place += choose[rows[row, i], i + 1]
        places[row] = place


@kernel
def _unrank(places: NDArray[np.int64], choose: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Write the set at each place: the largest member whose coefficient fits comes first."""
    for row in range(rows.shape[0]):
        rest = places[row]
        member = choose.shape[0] - 1
        for i in range(rows.shape[1], 0, -1):
            member -= 1
            while choose[member, i] > rest:
                member -= 1
            rest -= choose[member, i]
            rows[row, i - 1] = member
