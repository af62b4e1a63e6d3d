"""Linear systems of fractions: by python-flint, or by sparse elimination in Python."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from saddlepoint.core.errors import SaddlepointError, SizeError

Entries = dict[tuple[int, int], Fraction]

# Unknowns of a system; both take about a minute at this size.
LARGEST_FLINT, LARGEST_PYTHON = 3_000, 1_000


def solve_exactly(
    system: Entries,
    size: int,
    right: Mapping[int, Fraction],
    transposed: Mapping[int, Fraction],
    *,
    flint: bool | None = None,
) -> tuple[list[Fraction], list[Fraction]]:
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
    >>> solve_exactly(K, 2, {1: Fraction(1)}, {0: Fraction(1)}, flint=False)
    ([Fraction(-2, 3), Fraction(1, 3)], [Fraction(1, 1), Fraction(-2, 3)])
    """
    use = installed() if flint is None else flint
    largest = LARGEST_FLINT if use else LARGEST_PYTHON
    if size > largest:
        cure = "" if use else "; python-flint (the extra 'exact') goes further"
        raise SizeError(f"an exact system of {size} unknowns, at most {largest} are tried{cure}")
    if use:
        return _by_flint(system, size, right, transposed)
    turned = {(j, i): entry for (i, j), entry in system.items()}
    return eliminate(system, size, right), eliminate(turned, size, transposed)


def installed() -> bool:
    """Whether python-flint is there."""
    try:
        import flint  # noqa: F401
    except ImportError:
        return False
    return True


def _by_flint(
    system: Entries, size: int, right: Mapping[int, Fraction], transposed: Mapping[int, Fraction]
) -> tuple[list[Fraction], list[Fraction]]:
    """Scale rows to integers, D K; then z solves D K z = D right, and w = D w' with
    (D K)' w' = transposed.
    """
    import flint

    scale = [1] * size
    for (i, _), entry in system.items():
        scale[i] = lcm(scale[i], entry.denominator)
    for i, entry in right.items():
        scale[i] = lcm(scale[i], entry.denominator)
    numbers = [0] * (size * size)
    for (i, j), entry in system.items():
        numbers[i * size + j] = int(entry * scale[i])
    K = flint.fmpz_mat(size, size, numbers)
    b = flint.fmpz_mat(size, 1, [int(right.get(i, 0) * scale[i]) for i in range(size)])
    below = lcm(*(entry.denominator for entry in transposed.values()))
    c = flint.fmpz_mat(size, 1, [int(transposed.get(j, 0) * below) for j in range(size)])
    try:
        z, w = K.solve(b), K.transpose().solve(c)
    except ZeroDivisionError:
        raise SaddlepointError("a basis of HiGHS is singular in exact arithmetic") from None
    return (
        [_fraction(z[i, 0]) for i in range(size)],
        [_fraction(w[i, 0]) * scale[i] / below for i in range(size)],
    )


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def eliminate(system: Entries, size: int, right: Mapping[int, Fraction]) -> list[Fraction]:
    """Gaussian elimination on sparse rows.

    The pivot is in a row with fewest entries, in its column with fewest: the constraints
    of realization plans are almost triangular, and so almost nothing fills in.
    """
    rows: list[dict[int, Fraction]] = [{} for _ in range(size)]
    where: list[set[int]] = [set() for _ in range(size)]
    for (i, j), entry in system.items():
        rows[i][j] = entry
        where[j].add(i)
    b = [right.get(i, Fraction(0)) for i in range(size)]
    left, order = set(range(size)), []
    while left:
        i = min(left, key=lambda k: (len(rows[k]), k))
        if not rows[i]:
            raise SaddlepointError("a basis of HiGHS is singular in exact arithmetic")
        j = min(rows[i], key=lambda k: (len(where[k]), k))
        left.remove(i)
        for column in rows[i]:
            where[column].discard(i)
        order.append((i, j))
        for k in list(where[j]):
            factor = rows[k].pop(j) / rows[i][j]
            for column, entry in rows[i].items():
                if column != j:
                    _add(rows[k], where[column], k, column, -factor * entry)
            b[k] -= factor * b[i]
        where[j].clear()
    z = [Fraction(0)] * size
    for i, j in reversed(order):
        rest = sum((e * z[c] for c, e in rows[i].items() if c != j), Fraction(0))
        z[j] = (b[i] - rest) / rows[i][j]
    return z


def _add(row: dict[int, Fraction], where: set[int], k: int, column: int, entry: Fraction) -> None:
    """Add to an entry of row k, and note whether it is zero now."""
    total = row.get(column, Fraction(0)) + entry
    if total:
        row[column] = total
        where.add(k)
    else:
        row.pop(column, None)
        where.discard(k)
