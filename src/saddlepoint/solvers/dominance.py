r"""Iterated elimination of dominated strategies of a matrix game.

A row is *strictly* dominated if some other row, or mixture of rows, earns more against
every column; *weakly* if it never earns less and earns more against some column. Columns
are judged by what the row player loses. Removing strictly dominated strategies removes no
equilibrium, and the order does not matter. Removing weakly dominated ones may remove
equilibria, and which ones depends on the order; the value stays, and every equilibrium of
what is left is one of the whole game.

Rounds alternate between rows and columns; all dominated rows, or columns, go at once. That
is sound: each of them is dominated by what stays.

For games in sequence form see `saddlepoint.solvers.prune`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SaddlepointError, SettingsError, StrategyError
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.solvers.highs import Outcome, Solver
from saddlepoint.solvers.support import matrix_of

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]

KINDS = ("strict", "weak")
BY = ("pure", "mixed")
# Pure strategies are compared as they are. Of mixtures, with payoffs scaled to at most 1,
# a program knows losses to its own tolerance, 1e-9: a gain counts above this.
GAIN = 1e-7


@dataclass(frozen=True)
class Removal:
    """A strategy that went, in which round, and what dominates it.

    Players are 1 for rows and 2 for columns; `by` has the indices of the strategies that
    dominate it, mixed with the probabilities in `weights`. All indices are those of the
    whole game.
    """

    player: int
    strategy: int
    round: int
    by: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Elimination:
    """What is left of a matrix game, and in which order the rest went."""

    matrix: Matrix
    rows: Indices
    columns: Indices
    order: tuple[Removal, ...]
    shape: tuple[int, int]

    def lift(self, x: ArrayLike, y: ArrayLike) -> tuple[Vector, Vector]:
        """Strategies of the whole game from strategies of what is left."""
        lifted = []
        for p, kept, size in zip((x, y), (self.rows, self.columns), self.shape, strict=True):
            q, full = np.asarray(p, np.float64), np.zeros(size)
            if q.shape != kept.shape:
                raise StrategyError(
                    f"a mixed strategy has shape {q.shape}, expected {kept.shape}: one "
                    "probability for each strategy that is left"
                )
            full[kept] = q
            lifted.append(full)
        return lifted[0], lifted[1]


def eliminate_dominated(
    game: SequenceForm | ArrayLike, kind: str = "strict", by: str = "mixed"
) -> Elimination:
    """Remove dominated strategies until none is left.

    Parameters
    ----------
    game
        The payoffs to the row player, or the sequence form of a matrix game.
    kind
        `strict` or `weak`.
    by
        `pure`: only what a single strategy dominates; O(m^2 n) comparisons a round.
        `mixed`: what a mixture dominates, too; a linear program for each strategy.

    Examples
    --------
    No column dominates the third, but half of the first with half of the second does;
    and then the third row is dominated, too:

    >>> left = eliminate_dominated([[4, 0, 5], [0, 4, 5], [1, 1, 6]])
    >>> left.rows, left.columns
    (array([0, 1]), array([0, 1]))
    >>> [(r.player, r.strategy, r.by) for r in left.order]
    [(2, 2, (0, 1)), (1, 2, (0, 1))]
    """
    if kind not in KINDS:
        raise SettingsError(f"kind is '{kind}', expected one of {KINDS}")
    if by not in BY:
        raise SettingsError(f"by is '{by}', expected one of {BY}")
    M = matrix_of(game)
    kept = [np.arange(M.shape[0]), np.arange(M.shape[1])]
    order: list[Removal] = []
    search = _by_pure if by == "pure" else _by_mixed
    round_ = 0
    while True:
        round_ += 1
        before = len(order)
        for player in (1, 2):
            left = M[np.ix_(*kept)]
            own = kept[player - 1]
            found = search(left if player == 1 else -left.T, kind == "strict")
            for k, weights in found.items():
                mixed = np.flatnonzero(weights)
                by_what = tuple(own[mixed].tolist())
                order.append(
                    Removal(player, int(own[k]), round_, by_what, tuple(weights[mixed].tolist()))
                )
            kept[player - 1] = np.delete(own, list(found))
        if len(order) == before:
            return Elimination(M[np.ix_(*kept)], kept[0], kept[1], tuple(order), M.shape)


def _by_pure(M: Matrix, strict: bool) -> dict[int, Vector]:
    """The dominated rows, each with an undominated row that dominates it."""
    m = len(M)
    dominates = np.zeros((m, m), bool)
    for k in range(m):
        if strict:
            dominates[:, k] = (M[k] < M).all(axis=1)
        else:
            dominates[:, k] = (M[k] <= M).all(axis=1) & (M[k] < M).any(axis=1)
    best = ~dominates.any(axis=0)
    found = {}
    for k in np.flatnonzero(~best).tolist():
        weights = np.zeros(m)
        weights[np.flatnonzero(dominates[:, k] & best)[0]] = 1.0
        found[k] = weights
    return found


def _by_mixed(M: Matrix, strict: bool) -> dict[int, Vector]:
    """The dominated rows, each with a mixture that dominates it.

    Row k is strictly dominated if the program

        max t   subject to   M' p - t >= M[k],  p a mixture

    has a value above 0, and weakly if max 1' M' p subject to M' p >= M[k] is above the sum
    of M[k]. Only the right-hand side depends on k, so each program goes on from the basis
    of the last. An optimal p holds no dominated row, so neither k itself nor one that was
    found before: what dominates it would earn more in its place.
    """
    m, n = M.shape
    if m == 1:
        return {}
    scale = float(np.abs(M).max()) or 1.0
    A = M / scale
    solver = Solver(_mixture_model(A, strict), solver="simplex", presolve="off")
    found: dict[int, Vector] = {}
    for k in range(m):
        for j in range(n):
            solver.highs.changeRowBounds(j, float(A[k, j]), np.inf)
        if solver.solve() is not Outcome.OPTIMAL:
            raise SaddlepointError(f"HiGHS cannot compare strategy {k}: {solver.words}")
        values, _ = solver.values()
        p = np.maximum(values[:m], 0.0)
        gain = values[m] if strict else float((p @ A - A[k]).sum())
        if gain > GAIN:
            found[k] = np.where(p > GAIN, p, 0.0) / p[p > GAIN].sum()
    return found


def _mixture_model(A: Matrix, strict: bool) -> object:
    """The program of `_by_mixed`, without its right-hand side, which is set later."""
    import highspy

    m, n = A.shape
    columns = m + 1 if strict else m
    dense = np.zeros((n + 1, columns))
    dense[:n, :m], dense[n, :m] = A.T, 1.0
    if strict:
        dense[:n, m] = -1.0
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = dense.shape
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = np.append(np.zeros(m), 1.0) if strict else A.sum(axis=1)
    lp.col_lower_ = np.append(np.zeros(m), np.full(columns - m, -highspy.kHighsInf))
    lp.col_upper_ = np.full(columns, highspy.kHighsInf)
    lp.row_lower_ = np.append(np.full(n, -highspy.kHighsInf), 1.0)
    lp.row_upper_ = np.append(np.full(n, highspy.kHighsInf), 1.0)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.arange(n + 2) * columns
    lp.a_matrix_.index_ = np.tile(np.arange(columns), n + 1)
    lp.a_matrix_.value_ = dense.ravel()
    return lp
