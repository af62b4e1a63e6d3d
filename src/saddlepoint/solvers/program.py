r"""The linear program of a game in sequence form, as arrays.

A player with realization plans $Ex = e,\; x \ge 0$ looks for the plan that guarantees
most. Given x, the best that the opponent can do is itself a linear program over his plans
$Fy = f,\; y \ge 0$; the dual of that has one variable $u_J$ for each of his information
sets and $u_0$ for the root, so that the whole is (von Stengel 1996; Koller, Megiddo and
von Stengel 1996)

$$\max_{x, u}\; u_0 \quad\text{subject to}\quad
  u_{J(q)} - \sum_{K : p(K) = q} u_K \le (A^\top x)_q \;\;\text{for every sequence } q
  \text{ of the opponent},\quad Ex = e,\; x \ge 0.$$

$u_J$ is what the player still gets when the opponent, from J on, does his worst. The dual
values of the rows q are the opponent's plan y. Player 2's program is player 1's of the
game with payoffs $-A^\top$.

Columns are x, then u with the root first; rows are the opponent's sequences, then E with
the root first. Payoffs are divided by a power of two close to the greatest of them: they
are weighted by chance, and a solver's tolerances are absolute.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SizeError
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import CardDeal, DealMatrix, PayoffOperator, SparseDeal
from saddlepoint.sequence.treeplex import Treeplex

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]
Coordinates = tuple[Indices, Indices, Vector]

# A program with more payoffs than this needs tens of gigabytes to factorise.
LARGEST = 50_000_000
# Probabilities below this are rounding errors of a basis that leaves them at zero.
NOISE = 1e-12


def constraints(plex: Treeplex) -> Coordinates:
    """E as rows, columns and entries: row 0 the empty sequence, row 1 + I information set I.

    The right-hand side e is 1 for row 0 and 0 elsewhere.

    >>> rows, columns, entries = constraints(Treeplex.simplex(2))
    >>> Entries.of((2, 3), rows, columns, entries).dense()
    array([[ 1.,  0.,  0.],
           [-1.,  1.,  1.]])
    """
    f, n, m = plex.flat, plex.n_sequences, plex.n_infosets
    rows = np.concatenate([f.infoset + 1, np.arange(1, m + 1)])
    columns = np.concatenate([np.arange(n), f.parent])
    return rows, columns, np.concatenate([np.ones(n), -np.ones(m)])


def count_entries(A: PayoffOperator) -> int:
    """At most so many nonzero payoffs the operator has; they are not written down for it."""
    return sum(
        sum(np.size(b.weights) for b in term.bundles) * _entries(term.deal) for term in A.terms
    )


def _entries(deal: DealMatrix) -> int:
    if isinstance(deal, SparseDeal):
        return len(deal.table)
    if isinstance(deal, CardDeal):
        return int((np.diff(deal.board) ** 2).sum())
    return deal.shape[0] * deal.shape[1]


@dataclass(frozen=True)
class Program:
    """The linear program of one player.

    Parameters
    ----------
    form
        The game.
    player
        Whose plan is x; the other's plan is what the dual values are.
    """

    form: SequenceForm
    player: int = 1

    def __post_init__(self) -> None:
        size = count_entries(self.form.A)
        if size > LARGEST:
            raise SizeError(
                f"the linear program of {self.form.name} would have up to {size:,} payoffs, "
                f"at most {LARGEST:,} are tried; use an iterative method such as dcfr"
            )

    @property
    def own(self) -> Treeplex:
        """The treeplex of x."""
        return self.form.X if self.player == 1 else self.form.Y

    @property
    def other(self) -> Treeplex:
        """The opponent's treeplex."""
        return self.form.Y if self.player == 1 else self.form.X

    @property
    def n_columns(self) -> int:
        """Number of variables."""
        return self.own.n_sequences + self.other.n_infosets + 1

    @property
    def n_rows(self) -> int:
        """Number of constraints."""
        return self.other.n_sequences + self.own.n_infosets + 1

    @cached_property
    def payoffs(self) -> Entries:
        """Player 1's payoffs, written down."""
        return self.form.A.entries()

    @cached_property
    def scale(self) -> float:
        """The power of two that payoffs are divided by."""
        greatest = float(np.abs(self.payoffs.values).max(initial=0.0))
        return float(2.0 ** np.ceil(np.log2(greatest))) if greatest > 0.0 else 1.0

    @cached_property
    def matrix(self) -> Entries:
        """The constraint matrix."""
        A = self.payoffs
        sign, row, column = (
            (-1.0, A.columns, A.rows) if self.player == 1 else (1.0, A.rows, A.columns)
        )
        n_own, n_other = self.own.n_sequences, self.other.n_sequences
        e_row, e_column, e_entry = constraints(self.own)
        f_row, f_column, f_entry = constraints(self.other)
        rows = np.concatenate([row, f_column, e_row + n_other])
        columns = np.concatenate([column, f_row + n_own, e_column])
        entries = np.concatenate([A.values * (sign / self.scale), f_entry, e_entry])
        return Entries.of((self.n_rows, self.n_columns), rows, columns, entries)

    @cached_property
    def right(self) -> Vector:
        """The right-hand side: zeros, and the 1 of the empty sequence."""
        b = np.zeros(self.n_rows)
        b[self.other.n_sequences] = 1.0
        return b

    def model(self) -> Any:
        """The program as HiGHS takes it."""
        import highspy

        lp, M = highspy.HighsLp(), self.matrix.T
        n_own, n_other = self.own.n_sequences, self.other.n_sequences
        lp.num_col_, lp.num_row_ = M.shape
        lp.sense_ = highspy.ObjSense.kMaximize
        cost, lower, row_lower = np.zeros(M.shape[0]), np.zeros(M.shape[0]), self.right.copy()
        cost[n_own] = 1.0
        lower[n_own:], row_lower[:n_other] = -highspy.kHighsInf, -highspy.kHighsInf
        lp.col_cost_, lp.col_lower_ = cost, lower
        lp.col_upper_ = np.full(M.shape[0], highspy.kHighsInf)
        lp.row_lower_, lp.row_upper_ = row_lower, self.right
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = M.starts(), M.columns
        lp.a_matrix_.value_ = M.values
        return lp

    # Plans and bases ------------------------------------------------------------------

    def plans(self, columns: Vector, duals: Vector) -> tuple[Vector, Vector]:
        """Both players' plans (player 1's first) in values of columns and rows.

        They are realization plans whatever the values are: negative ones and noise count
        as zero, and the rest is renormalised in every information set.
        """
        own = tidy(self.own, columns[: self.own.n_sequences])
        other = tidy(self.other, duals[: self.other.n_sequences])
        return (own, other) if self.player == 1 else (other, own)

    def gradient(self, player: int, plan: Vector) -> Vector:
        """What each sequence of a player earns him against the opponent's plan."""
        A = self.form.A
        return A @ plan if player == 1 else -(A.T @ plan)

    def pure_start(self, other: Vector | None = None) -> tuple[Vector, Vector]:
        """Two pure behaviour strategies, own and other's.

        The opponent's is the mode of the behaviour strategy given, or else a best response
        to the uniform strategy; the own one is a best response to that in every information
        set, reached or not. So the basis of `statuses` is dual feasible: the dual simplex
        begins with a strategy of the opponent and never loses it.
        """
        if other is None:
            even = self.own.plan(self.own.uniform())
            _, pure = self.other.best_response(self.gradient(3 - self.player, even))
        else:
            pure = np.empty_like(other)
            sweeps.greedy(self.other.blocks, self.other.vector(other), pure)
        _, own = self.own.best_response(self.gradient(self.player, self.other.plan(pure)))
        return own, pure

    def statuses(self, own: Vector, other: Vector) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """The basis of two pure strategies: statuses of columns and of rows, as HiGHS codes.

        Basic are all u, the actions that the player chooses, and the slacks of the actions
        that the opponent does not choose. In the order of the treeplexes the basis matrix
        is triangular.
        """
        lower, basic, upper = 0, 1, 2
        columns = np.full(self.n_columns, basic, np.int8)
        columns[: self.own.n_sequences][own == 0.0] = lower
        rows = np.full(self.n_rows, lower, np.int8)
        rows[: self.other.n_sequences] = np.where(other == 0.0, basic, upper)
        return columns, rows


def tidy(plex: Treeplex, values: Vector) -> Vector:
    """The realization plan nearest at hand: noise cut off, sums made exact."""
    return plex.plan(plex.behaviour(np.where(values > NOISE, values, 0.0)))
