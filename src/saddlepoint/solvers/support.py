r"""Support enumeration: all extreme equilibria of a small matrix game.

For every pair of row sets I and column sets J of equal size k, the equations

$$\begin{pmatrix} A_{IJ} & -1 \\ 1^\top & 0 \end{pmatrix}
  \begin{pmatrix} y_J \\ v \end{pmatrix} = \begin{pmatrix} 0 \\ 1 \end{pmatrix}$$

and those of the transpose ask for strategies that make the other player indifferent on
his set. Where they have one solution, it is an equilibrium if no probability is negative
and no row or column outside does better.

Shapley and Snow (1950) proved that the pairs of *extreme* optimal strategies are exactly
the solutions of such systems, with $k \le \min(m, n)$ and probabilities of zero allowed.
So the list is complete in degenerate games too, where supports of different sizes meet:
the optimal strategies of a player are the convex combinations of those listed, and every
pair of optimal strategies is an equilibrium. There are $\binom{m+n}{n} - 1$ pairs of sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import GameError, SizeError
from saddlepoint.sequence.form import SequenceForm

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Sets = NDArray[np.int64]

LARGEST = 5_000_000
# Systems are solved so many at a time, about.
BATCH = 20_000
# Payoffs are scaled to at most 1 in size. A probability below -TOLERANCE is negative, a
# gain above it is one, and strategies that differ by less are the same.
TOLERANCE = 1e-9
# A determinant below this, relative to the product of the columns' lengths, is zero.
SINGULAR = 1e-12


class Equilibrium(NamedTuple):
    """Mixed strategies of both players, and the value."""

    x: Vector
    y: Vector
    value: float


def enumerate_supports(game: SequenceForm | ArrayLike, largest: int = LARGEST) -> list[Equilibrium]:
    """All pairs of extreme optimal strategies of a matrix game.

    Parameters
    ----------
    game
        The payoffs to the row player, or the sequence form of a matrix game.
    largest
        Pairs of supports to try at most.

    Returns
    -------
    list of Equilibrium
        Each pair once, those with small supports first.

    Raises
    ------
    SizeError
        If there are more pairs of supports.
    GameError
        If the sequence form is not that of a matrix game.

    Examples
    --------
    >>> for x, y, value in enumerate_supports([[1, 1], [0, 2]]):
    ...     print(x, y, value)
    [1. 0.] [1. 0.] 1.0
    [1. 0.] [0.5 0.5] 1.0
    """
    M = matrix_of(game)
    m, n = M.shape
    count = comb(m + n, n) - 1
    if count > largest:
        raise SizeError(
            f"a {m} by {n} game has {count:,} pairs of supports, at most {largest:,} are tried; "
            "linear programming finds one equilibrium, EquilibriumFace some more"
        )
    scale = float(np.abs(M).max()) or 1.0
    found: list[Equilibrium] = []
    for rows, columns in _pairs(m, n):
        for e in _solve(M / scale, rows, columns):
            if not any(_same(e, other) for other in found):
                found.append(e)
    return [Equilibrium(x, y, float(x @ M @ y)) for x, y, _ in found]


def matrix_of(game: SequenceForm | ArrayLike) -> Matrix:
    """The payoff matrix of a matrix game, however it is given."""
    if not isinstance(game, SequenceForm):
        M = np.asarray(game, np.float64)
        if M.ndim != 2 or 0 in M.shape:
            raise GameError(f"a matrix game needs a matrix, found an array of shape {M.shape}")
        if not np.isfinite(M).all():
            raise GameError("payoffs must be finite numbers; found NaN or infinity")
        return M
    for player, plex in ((1, game.X), (2, game.Y)):
        if plex.n_infosets != 1:
            raise GameError(
                f"{game.name} is no matrix game: player {player} has {plex.n_infosets} "
                "information sets, expected 1"
            )
    A = game.A.to_sparse().toarray()
    return np.asarray(A[1:, 1:] + A[1:, :1] + A[:1, 1:] + A[0, 0])


def _pairs(m: int, n: int) -> Iterator[tuple[Sets, Sets]]:
    """All pairs of row sets and column sets of equal size, in batches."""
    for k in range(1, min(m, n) + 1):
        columns = np.array(list(combinations(range(n), k)))
        sets = combinations(range(m), k)
        while part := list(islice(sets, max(1, BATCH // len(columns)))):
            rows = np.array(part)
            yield np.repeat(rows, len(columns), axis=0), np.tile(columns, (len(rows), 1))


def _solve(M: Matrix, rows: Sets, columns: Sets) -> Iterator[Equilibrium]:
    """The equilibria among the solutions of a batch of systems.

    M (m, n) with entries up to 1; rows and columns (batch, k).
    """
    count, k = rows.shape
    K = np.ones((count, k + 1, k + 1))
    K[:, :k, :k] = M[rows[:, :, None], columns[:, None, :]]
    K[:, :k, k], K[:, k, k] = -1.0, 0.0
    lengths = np.linalg.norm(K, axis=1).prod(axis=1)
    regular = np.abs(np.linalg.det(K)) > SINGULAR * lengths
    K, rows, columns = K[regular], rows[regular], columns[regular]
    right = np.zeros((len(K), k + 1, 1))
    right[:, k] = 1.0
    y = np.linalg.solve(K, right)[:, :, 0]
    good = (y[:, :k] >= -TOLERANCE).all(axis=1)
    K, rows, columns, y, right = K[good], rows[good], columns[good], y[good], right[good]
    # The transpose has -1 in its last row and 1 in its last column: x and -v up to sign.
    x = -np.linalg.solve(K.transpose(0, 2, 1), right)[:, :, 0]
    good = (x[:, :k] >= -TOLERANCE).all(axis=1)
    for i, j, p, q in zip(rows[good], columns[good], x[good], y[good], strict=True):
        strategies = _spread(p[:k], i, M.shape[0]), _spread(q[:k], j, M.shape[1])
        value = float(strategies[0] @ M @ strategies[1])
        best = float((M @ strategies[1]).max()), float((strategies[0] @ M).min())
        if best[0] <= value + TOLERANCE and best[1] >= value - TOLERANCE:
            yield Equilibrium(*strategies, value)


def _spread(p: Vector, places: Sets, size: int) -> Vector:
    """Probabilities at their places, noise cut off."""
    strategy = np.zeros(size)
    strategy[places] = np.where(p > TOLERANCE, p, 0.0)
    strategy /= strategy.sum()
    return strategy


def _same(one: Equilibrium, two: Equilibrium) -> bool:
    return (
        float(np.abs(one.x - two.x).max()) <= TOLERANCE * 10
        and float(np.abs(one.y - two.y).max()) <= TOLERANCE * 10
    )
