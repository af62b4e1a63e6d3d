"""Linear systems of fractions, solved exactly.

Systems of the sequence form are sparse and almost triangular: sparse elimination solves
them. Those of matrix games are dense, and go to python-flint's p-adic lifting. If
python-flint is missing, Python's fractions serve for both, several times more slowly.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from saddlepoint.core.errors import SaddlepointError, SizeError

Entries = dict[tuple[int, int], Fraction]
Vector = list[Fraction]

# Unknowns of a system, beyond which it is not tried.
LARGEST_SYSTEM = 20_000
# The part of entries that are not zero, from which a system counts as dense.
DENSE = 0.2
SINGULAR = "a basis of HiGHS is singular in exact arithmetic"


def solve_exactly(
    system: Entries,
    size: int,
    right: Mapping[int, Fraction],
    transposed: Mapping[int, Fraction],
    *,
    flint: bool | None = None,
) -> tuple[Vector, Vector]:
    """Solve K z = right and K' w = transposed.

    Parameters
    ----------
    system
        The entries of K that are not zero.
    size
        Number of rows and columns.
    right, transposed
        The entries of the right-hand sides that are not zero.
    flint
        Whether to use python-flint; if it is installed, by default.

    Raises
    ------
    SizeError
        If the system is too large.
    SaddlepointError
        If it is singular.

    Examples
    --------
    >>> K = {(0, 0): Fraction(1), (0, 1): Fraction(2), (1, 1): Fraction(3)}
    >>> solve_exactly(K, 2, {1: Fraction(1)}, {0: Fraction(1)})
    ([Fraction(-2, 3), Fraction(1, 3)], [Fraction(1, 1), Fraction(-2, 3)])
    """
    if size > LARGEST_SYSTEM:
        raise SizeError(
            f"an exact system of {size:,} unknowns, at most {LARGEST_SYSTEM:,} are tried"
        )
    use = installed() if flint is None else flint
    turned = {(j, i): entry for (i, j), entry in system.items()}
    if use and len(system) > DENSE * size * size:
        return lift(system, size, right), lift(turned, size, transposed)
    number = _flint_number if use else Fraction
    return (
        eliminate(system, size, right, number),
        eliminate(turned, size, transposed, number),
    )


def installed() -> bool:
    """Whether python-flint is there."""
    try:
        import flint  # noqa: F401
    except ImportError:
        return False
    return True


def _flint_number(entry: Fraction) -> Any:
    import flint

    return flint.fmpq(entry.numerator, entry.denominator)


def lift(system: Entries, size: int, right: Mapping[int, Fraction]) -> Vector:
    """Scale the rows to integers and let python-flint solve the dense system."""
    import flint

    scale = [1] * size
    for i, entry in (*((i, entry) for (i, _), entry in system.items()), *right.items()):
        scale[i] = lcm(scale[i], entry.denominator)
    numbers = [0] * (size * size)
    for (i, j), entry in system.items():
        numbers[i * size + j] = int(entry * scale[i])
    K = flint.fmpz_mat(size, size, numbers)
    b = flint.fmpz_mat(size, 1, [int(right.get(i, 0) * scale[i]) for i in range(size)])
    try:
        z = K.solve(b)
    except ZeroDivisionError:
        raise SaddlepointError(SINGULAR) from None
    return [_fraction(z[i, 0]) for i in range(size)]


def eliminate(
    system: Entries,
    size: int,
    right: Mapping[int, Fraction],
    number: Callable[[Fraction], Any] = Fraction,
) -> Vector:
    """Gaussian elimination on sparse rows, in the kind of numbers that `number` makes.

    The pivot is in a row with fewest entries, in its column with fewest: in systems that
    are almost triangular, almost nothing fills in.
    """
    rows: list[dict[int, Any]] = [{} for _ in range(size)]
    where: list[set[int]] = [set() for _ in range(size)]
    for (i, j), entry in system.items():
        rows[i][j] = number(entry)
        where[j].add(i)
    b: list[Any] = [number(right.get(i, Fraction(0))) for i in range(size)]
    heap = [(len(row), i) for i, row in enumerate(rows)]
    heapq.heapify(heap)
    pivots: dict[int, int] = {}
    while heap:
        length, i = heapq.heappop(heap)
        if i in pivots or length != len(rows[i]):
            continue  # has been used, or is in the heap with its new length
        if not rows[i]:
            raise SaddlepointError(SINGULAR)
        j = min(rows[i], key=lambda column: (len(where[column]), column))
        pivots[i] = j
        for column in rows[i]:
            where[column].discard(i)
        for k in where[j]:
            b[k] -= _clear(rows, where, i, j, k) * b[i]
            heapq.heappush(heap, (len(rows[k]), k))
    return _substitute(rows, b, pivots)


def _clear(rows: list[dict[int, Any]], where: list[set[int]], i: int, j: int, k: int) -> Any:
    """Clear column j of row k with the pivot in row i; return the multiple of row i taken off.

    Keeps `where` for all columns but j, which is used no more.
    """
    row = rows[k]
    factor = row.pop(j) / rows[i][j]
    for column, entry in rows[i].items():
        if column == j:
            continue
        total = row.get(column, 0) - factor * entry
        if total:
            row[column] = total
            where[column].add(k)
        else:
            del row[column]  # it was there: a product of numbers is not zero
            where[column].discard(k)
    return factor


def _substitute(rows: list[dict[int, Any]], b: list[Any], pivots: dict[int, int]) -> Vector:
    """Back substitution, from the last pivot to the first."""
    z: list[Any] = [0] * len(b)
    for i, j in reversed(pivots.items()):
        rest = b[i]
        for column, entry in rows[i].items():
            if column != j:
                rest -= entry * z[column]
        z[j] = rest / rows[i][j]
    return [_fraction(value) for value in z]


def _fraction(value: Any) -> Fraction:
    if isinstance(value, Fraction):
        return value
    return Fraction(int(value.p), int(value.q))
