r"""The payoff operator: products with the payoff matrix, which is never written down.

Over two treeplexes, player 1's expected payoff is $x^\top A y$. In a game that is a
betting tree times a deal the matrix is a sum of Kronecker products,

$$A = \sum_t F_t \otimes B_t,$$

where $F_t$ holds the payoffs of the betting tree's leaves of one kind and $B_t$ the
probability (or the expected outcome) of every pair of hands (thesis 003, section 10.2).
Here a *term* is one such product, $F_t$ is a table of leaves, and $B_t$ is a *deal
matrix* in one of three realisations: `DenseDeal`, `SparseDeal`, `CardDeal`. A game with
no structure is a single term with one leaf.

Leaves whose sequences lie side by side (betting histories that lead to equal betting)
form a *bundle* of some width, which is the innermost loop of every product:

    A[row1 + i * stride1 + h, row2 + j * stride2 + h] += weight[h] * B[i, j]

A product costs O(sum over bundles of width * cost of B), without allocation beyond a
buffer of one width; `cost of B` is its entries when dense or sparse, its hands for cards.
Dense matrices with many leaves go block by block (`saddlepoint.sequence.blocked`), and
`saddlepoint.sequence.partition` does products on several threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.sequence import products
from saddlepoint.sequence.blocked import LEAST_HANDS, LEAST_HISTORIES
from saddlepoint.sequence.entries import Entries

Vector = NDArray[np.float64]


class DealMatrix(Protocol):
    """A matrix over pairs of hands, in a form that products can use."""

    kind: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of player 1 and of player 2."""

    def pack(self, pools: products.Pools) -> tuple[int, ...]:
        """Append the arrays to the pools; return where they begin (see `products`)."""

    def entries(self) -> Entries:
        """The matrix itself, by its nonzero entries."""


@dataclass(frozen=True)
class DenseDeal:
    """A deal matrix that is written out."""

    matrix: Vector
    kind = products.DENSE

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of player 1 and of player 2."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def pack(self, pools: products.Pools) -> tuple[int, ...]:
        """Append the matrix and its transpose: products run along rows of the other."""
        return 0, 0, pools.numbers(self.matrix.T), 0, 0, pools.numbers(self.matrix)

    def entries(self) -> Entries:
        """The matrix by its nonzero entries."""
        return Entries.of_dense(self.matrix)


@dataclass(frozen=True)
class SparseDeal:
    """A deal matrix of which most entries are zero."""

    table: Entries
    kind = products.SPARSE

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of player 1 and of player 2."""
        return self.table.shape

    def pack(self, pools: products.Pools) -> tuple[int, ...]:
        """Append the compressed rows of the matrix and of its transpose."""
        return tuple(
            begin
            for m in (self.table, self.table.T)
            for begin in (
                pools.places(m.starts()),
                pools.indices(m.columns),
                pools.numbers(m.values),
            )
        )

    def entries(self) -> Entries:
        """The matrix by its nonzero entries."""
        return self.table


@dataclass(frozen=True)
class CardDeal:
    """Pairs of private hands on boards, O(hands) a product, with card removal.

    The hands of all boards are listed board by board, and within a board by strength.
    `board[k]` is where board k begins (one more entry than boards). Hand i stands for
    `count[i]` equal private cards, of which the opponent cannot hold the same one; a pair
    of hands (i, j) on a board of probability `weight[k]` per pair of cards has entry

        weight[k] * count[i] * (count[j] - [i = j])                    when showdown is None
        the same, times the sign of strength[i] - strength[j]          otherwise.
    """

    board: NDArray[np.int64]
    weight: Vector
    count: Vector
    strength: NDArray[np.int64] | None = None
    kind = products.CARDS

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of player 1 and of player 2."""
        return len(self.count), len(self.count)

    def pack(self, pools: products.Pools) -> tuple[int, ...]:
        """Append boards, counts and weights; ties of strength become groups."""
        if self.strength is None:
            groups, sign = self.board, 0
        else:
            change = np.flatnonzero(np.diff(self.strength)) + 1
            groups, sign = np.union1d(change, self.board), 1
        first = np.searchsorted(groups, self.board)
        at = (pools.places(self.board), pools.numbers(self.weight), pools.numbers(self.count))
        return *at, pools.places(groups), pools.places(first), sign

    def entries(self) -> Entries:
        """The matrix by its nonzero entries: every pair of hands on every board."""
        sizes = np.diff(self.board)
        i = np.repeat(np.arange(len(self.count)), np.repeat(sizes, sizes))
        # Hand i is paired with each hand from the first of its board on.
        first = np.repeat(self.board[:-1], sizes**2)
        j = first + np.arange(len(i)) - np.repeat(np.cumsum(sizes**2) - sizes**2, sizes**2)
        j = first + (j - first) % np.repeat(sizes, sizes**2)
        values = np.repeat(self.weight, sizes**2) * self.count[i] * (self.count[j] - (i == j))
        if self.strength is not None:
            values *= np.sign(self.strength[i] - self.strength[j])
        return Entries.of(self.shape, i, j, values)


@dataclass(frozen=True)
class Bundle:
    """Leaves that lie side by side: rows, strides, and one weight for each leaf."""

    row1: int
    stride1: int
    row2: int
    stride2: int
    weights: ArrayLike


@dataclass(frozen=True)
class Term:
    """One Kronecker product: leaves of the betting tree times a deal matrix."""

    bundles: Sequence[Bundle]
    deal: DealMatrix

    @cached_property
    def kind(self) -> int:
        """How products go over the term: as its deal says, or block by block if that pays."""
        dense = isinstance(self.deal, DenseDeal) and min(self.deal.shape) >= LEAST_HANDS
        leaves = sum(np.size(b.weights) for b in self.bundles) if dense else 0
        return products.BLOCKED if leaves >= LEAST_HISTORIES else self.deal.kind

    def pack(self, pools: products.Pools) -> tuple[int, ...]:
        """Append what products need of the deal; a matrix that goes in blocks only once."""
        if self.kind == products.BLOCKED and isinstance(self.deal, DenseDeal):
            return 0, 0, pools.numbers(self.deal.matrix), 0, 0, 0
        return self.deal.pack(pools)


class PayoffOperator:
    """Player 1's payoffs over pairs of sequences: `A @ y`, `A.T @ x`, `x @ (A @ y)`.

    Parameters
    ----------
    shape
        Number of sequences of player 1 and of player 2.
    terms
        The Kronecker products whose sum the operator is.

    Examples
    --------
    >>> A = PayoffOperator.of([[1.0, 0.0], [0.0, 2.0]])
    >>> A @ [3.0, 4.0], A.T @ [1.0, 0.0]
    (array([3., 8.]), array([1., 0.]))
    """

    def __init__(self, shape: tuple[int, int], terms: Sequence[Term]) -> None:
        self.shape = shape
        self.terms = tuple(terms)
        self.arrays = products.pack(self.terms)
        if not np.isfinite(self.arrays.weights).all() or not np.isfinite(self.arrays.data).all():
            raise GameError("payoffs must be finite numbers; found NaN or infinity")

    @classmethod
    def of(cls, matrix: Any) -> PayoffOperator:
        """The operator of a dense or sparse matrix; an operator is passed through."""
        if isinstance(matrix, PayoffOperator):
            return matrix
        deal: DealMatrix
        if hasattr(matrix, "tocoo"):  # SciPy's sparse arrays and matrices
            coo = matrix.tocoo()
            deal = SparseDeal(Entries.of(coo.shape, coo.row, coo.col, coo.data))
        elif isinstance(matrix, Entries):
            deal = SparseDeal(matrix)
        else:
            try:
                dense = np.array(matrix, np.float64)
            except (TypeError, ValueError):
                raise GameError(
                    f"cannot take a {type(matrix).__name__} for payoffs: expected a matrix of "
                    "numbers, a SciPy sparse array or a PayoffOperator"
                ) from None
            if dense.ndim != 2:
                raise GameError(f"a payoff matrix has 2 dimensions, found {dense.ndim}")
            deal = DenseDeal(dense)
        return cls(deal.shape, [Term([Bundle(0, 1, 0, 1, (1.0,))], deal)])

    def __matmul__(self, y: ArrayLike) -> Vector:
        """A @ y: player 1's gradient."""
        return self.product(y, False)

    @property
    def T(self) -> Transposed:
        """The transpose, for `A.T @ x`: minus player 2's gradient."""
        return Transposed(self)

    def product(self, vector: ArrayLike, transposed: bool) -> Vector:
        """A @ y, or A.T @ x."""
        into, of = self.shape[::-1] if transposed else self.shape
        vector = np.ascontiguousarray(vector, np.float64)
        if vector.shape != (of,):
            raise GameError(f"product with a vector of shape {vector.shape}, expected ({of},)")
        out = np.empty(into)
        products.gradient(self.arrays, transposed, np.require(vector, None, "W"), out)
        return np.negative(out, out=out) if transposed else out

    def single(self) -> products.Arrays:
        """The arrays in single precision, for kernels that work in float32."""
        return products.single(self.arrays)

    @cached_property
    def n_bytes(self) -> int:
        """Bytes of all arrays of the operator."""
        return sum(array.nbytes for array in self.arrays[:-1])

    def entries(self) -> Entries:
        """The nonzero entries of the matrix: for small games and for tests."""
        rows, columns, values = ([np.zeros(0, t)] for t in (np.int64, np.int64, np.float64))
        for term in self.terms:
            E = term.deal.entries()
            for b in term.bundles:
                w = np.atleast_1d(np.asarray(b.weights, np.float64))
                h = np.arange(len(w))
                rows.append((b.row1 + E.rows[:, None] * b.stride1 + h).ravel())
                columns.append((b.row2 + E.columns[:, None] * b.stride2 + h).ravel())
                values.append((E.values[:, None] * w).ravel())
        return Entries.of(self.shape, *(np.concatenate(part) for part in (rows, columns, values)))

    def to_sparse(self) -> Any:
        """The matrix written down, as a SciPy CSR array."""
        return self.entries().to_scipy()

    def __repr__(self) -> str:
        kinds = ", ".join(type(term.deal).__name__ for term in self.terms)
        return f"<PayoffOperator {self.shape[0]} by {self.shape[1]}: {kinds}>"


class _Products(Protocol):
    def product(self, vector: ArrayLike, transposed: bool) -> NDArray[Any]: ...


class Transposed:
    """The transpose of an operator, for products only."""

    def __init__(self, operator: _Products) -> None:
        self.operator = operator

    def __matmul__(self, x: ArrayLike) -> NDArray[Any]:
        """A.T @ x."""
        return self.operator.product(x, True)
