r"""Very many small matrix games at once, each by the simplex method, in compiled code.

Studies of random games need equilibria of millions of small games, where a general solver
spends its time on everything but pivots. With payoffs brought to numbers between 1 and 2,
$B = 1 + (A - \min A) / (\max A - \min A)$, the value of $B$ is positive and the game is
the linear program

$$\max\ 1^\top q \quad\text{subject to}\quad B q \le 1,\ q \ge 0,$$

whose solution is player 2's strategy $y = q\,v$ with $1 / v = 1^\top q$, and whose dual
$p$ is player 1's, $x = p\,v$ (Dantzig 1951; T. Ferguson, Game Theory, part II, section
4). It begins at $q = 0$ and every pivot exchanges a row and a column of one tableau of
$(m + 1) \times (n + 1)$ numbers, from which x and y are read at the end.

The column with the most negative cost enters. Degenerate games, in which that rule could
go round in a circle, are finished by Bland's rule (Bland 1977) after `PLAIN` pivots for
each row and column, which is several times what random games need.

Nothing is believed: a pair of strategies is returned if the row player cannot gain more
against y than x guarantees him, but for `GAP` of the spread of payoffs. Where a game has
several equilibria, the one returned depends on the order of rows and columns and on
nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import GameError, SaddlepointError, SizeError
from saddlepoint.core.kernel import kernel

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

LARGEST = 16
# Beyond this, sums of payoffs could overflow.
LARGEST_PAYOFF = 1e300
# The gap that is allowed, in parts of the difference between the greatest and the least
# payoff; and what rounding may add where payoffs are large and close to each other.
GAP = 1e-9
ROUNDING = 64 * float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
# Costs above -COST are none, and entries up to PIVOT are no pivots. Both are relative to
# entries from 1 to 2.
COST, PIVOT = 1e-12, 1e-11
# Pivots by the largest coefficient, and pivots at all, for each row and column.
PLAIN, MOST = 8, 1000
# Payoffs are looked at in so many games at a time.
_AT_ONCE = 1 << 15


class Solved(NamedTuple):
    """Mixed strategies of both players and the values, one row for each game."""

    x: Array
    y: Array
    value: Array


def solve_many(M: ArrayLike) -> Solved:
    """An equilibrium of each of many matrix games of one size.

    Parameters
    ----------
    M
        Payoffs to the row player, of shape (count, m, n) with m and n up to 16.

    Returns
    -------
    Solved
        x (count, m), y (count, n), and value (count), the middle between what x guarantees
        and what y concedes.

    Raises
    ------
    GameError
        If this is no array of matrices of finite numbers.
    SizeError
        If the matrices are too large.
    SaddlepointError
        If a game is not solved to within `GAP`; the message names it.

    Notes
    -----
    O(pivots * m * n) for each game, with about as many pivots as the smaller of m and n.

    Examples
    --------
    >>> found = solve_many([[[2, -1], [-1, 1]], [[0, 3], [1, 2]]])
    >>> print(found.x.round(12), found.value.round(12))
    [[0.4 0.6]
     [0.  1. ]] [0.2 1. ]
    """
    M = _checked(M)
    count, m, n = M.shape
    x, y = np.zeros((count, m)), np.zeros((count, n))
    scratch = np.empty((m + 1, n + 1)), np.empty(m, np.int64), np.empty(n, np.int64)
    _solve_each(M, x, y, *scratch)
    return Solved(x, y, _values(M, x, y))


def _checked(M: ArrayLike) -> Array:
    M = np.ascontiguousarray(M, np.float64)
    if M.ndim != 3 or 0 in M.shape[1:]:
        raise GameError(
            f"many games need an array of shape (games, rows, columns), found one of shape "
            f"{M.shape}"
        )
    if max(M.shape[1:]) > LARGEST:
        raise SizeError(
            f"games are {M.shape[1]} by {M.shape[2]}, expected at most {LARGEST} rows and "
            "columns; linear programming solves larger ones"
        )
    for first in range(0, len(M), _AT_ONCE):
        good = np.abs(M[first : first + _AT_ONCE]) <= LARGEST_PAYOFF
        if not good.all():
            raise GameError(
                f"game {first + int(good.all(axis=(1, 2)).argmin())} has a payoff that is NaN, "
                f"infinite or above {LARGEST_PAYOFF:g} in size"
            )
    return M


def _values(M: Array, x: Array, y: Array) -> Array:
    """The values of games with these strategies, checked by their gaps."""
    lower, upper, allowed = (np.empty(len(M)) for _ in range(3))
    _measure(M, x, y, lower, upper, allowed)
    wrong = ~(upper - lower <= allowed)
    if wrong.any():
        worst = int(wrong.argmax())
        raise SaddlepointError(
            f"game {worst} is not solved: its strategies guarantee {lower[worst]!s} and "
            f"{upper[worst]!s} ({wrong.sum()} of {len(M)} games are not solved); linear "
            "programming may do it"
        )
    return np.asarray(lower / 2 + upper / 2)


# Kernels ------------------------------------------------------------------------------


@kernel
def _solve_each(M: Array, x: Array, y: Array, T: Array, rows: Labels, columns: Labels) -> None:
    """Solve every game: M (count, m, n), x (count, m) and y (count, n), which are zero.

    Writes into x and y, NaN where the method does not come to an end. Overwrites T
    (m + 1, n + 1), rows (m) and columns (n). O(pivots * m * n) a game.
    """
    m, n = M.shape[1], M.shape[2]
    for g in range(M.shape[0]):
        _load(M[g], T, rows, columns)
        solved = False
        for k in range(MOST * (m + n)):
            plain = k < PLAIN * (m + n)
            s = _entering(T, columns, plain)
            if s < 0:
                solved = True
                break
            r = _leaving(T, rows, s, plain)
            if r < 0:
                break
            _pivot(T, r, s)
            rows[r], columns[s] = columns[s], rows[r]
        if solved:
            _read(T, rows, columns, x[g], y[g])
        else:
            x[g], y[g] = np.nan, np.nan


@kernel
def _load(M: Array, T: Array, rows: Labels, columns: Labels) -> None:
    """Write the first tableau of a game: payoffs from 1 to 2, right sides 1, costs -1.

    Overwrites all of T, rows and columns. Variable j < n is q[j], variable n + i the slack
    of row i; rows has the variable of each row, which is basic, and columns the others.
    """
    m, n = M.shape
    low = high = M[0, 0]
    for i in range(m):
        for j in range(n):
            low, high = min(low, M[i, j]), max(high, M[i, j])
    spread = high - low
    for i in range(m):
        rows[i] = n + i
        for j in range(n):
            T[i, j] = 1.0 + ((M[i, j] - low) / spread if spread > 0.0 else 0.0)
        T[i, n] = 1.0
    for j in range(n):
        columns[j] = j
        T[m, j] = -1.0
    T[m, n] = 0.0


@kernel
def _entering(T: Array, columns: Labels, plain: bool) -> int:
    """Return the column that enters, or -1 if no cost is negative.

    The least cost, or by Bland's rule the first variable of negative cost.
    """
    m, n, found = T.shape[0] - 1, T.shape[1] - 1, -1
    for j in range(n):
        if T[m, j] < -COST and (
            found < 0 or (T[m, j] < T[m, found] if plain else columns[j] < columns[found])
        ):
            found = j
    return found


@kernel
def _leaving(T: Array, rows: Labels, s: int, plain: bool) -> int:
    """Return the row that column s drives to zero first, or -1 if there is none.

    Of equal ones the largest pivot, or by Bland's rule the first variable.
    """
    m, n, found, least = T.shape[0] - 1, T.shape[1] - 1, -1, np.inf
    for i in range(m):
        if T[i, s] > PIVOT:
            ratio = max(T[i, n], 0.0) / T[i, s]  # rounding may have left it below 0
            if ratio < least or (
                ratio == least and (T[i, s] > T[found, s] if plain else rows[i] < rows[found])
            ):
                found, least = i, ratio
    return found


@kernel
def _pivot(T: Array, r: int, s: int) -> None:
    """Exchange the variables of row r and column s. Overwrites T, O(m * n)."""
    inverse = 1.0 / T[r, s]
    for j in range(T.shape[1]):
        T[r, j] *= inverse
    for i in range(T.shape[0]):
        if i != r:
            factor = T[i, s]
            for j in range(T.shape[1]):
                T[i, j] -= factor * T[r, j]
            T[i, s] = -factor * inverse
    T[r, s] = inverse


@kernel
def _read(T: Array, rows: Labels, columns: Labels, x: Array, y: Array) -> None:
    """Write the strategies of the last tableau into x and y, which are zero."""
    m, n = x.shape[0], y.shape[0]
    total = 0.0
    for i in range(m):
        if rows[i] < n:
            y[rows[i]] = max(T[i, n], 0.0)
            total += y[rows[i]]
    for j in range(n):
        y[j] /= total
    total = 0.0
    for j in range(n):
        if columns[j] >= n:
            x[columns[j] - n] = max(T[m, j], 0.0)
            total += x[columns[j] - n]
    for i in range(m):
        x[i] /= total


@kernel
def _measure(M: Array, x: Array, y: Array, lower: Array, upper: Array, allowed: Array) -> None:
    """Write what x and y guarantee in each game, and the gap that is allowed between them.

    M (count, m, n), x (count, m), y (count, n). Overwrites lower, upper and allowed, all
    (count); O(m * n) a game. NaN in a strategy stays NaN.
    """
    m, n = x.shape[1], y.shape[1]
    for g in range(M.shape[0]):
        upper[g], lower[g] = -np.inf, np.inf
        low = high = M[g, 0, 0]
        for i in range(m):
            earned = 0.0
            for j in range(n):
                earned += M[g, i, j] * y[g, j]
                low, high = min(low, M[g, i, j]), max(high, M[g, i, j])
            if not earned <= upper[g]:
                upper[g] = earned
        for j in range(n):
            earned = 0.0
            for i in range(m):
                earned += x[g, i] * M[g, i, j]
            if not earned >= lower[g]:
                lower[g] = earned
        allowed[g] = GAP * (high - low) + ROUNDING * max(abs(high), abs(low)) + TINY
