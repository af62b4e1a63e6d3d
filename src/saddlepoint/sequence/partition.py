r"""Products on several threads: each one has its own rows, of every term.

Thesis 003, section 10.3.1, parts the payoff matrix into as many pieces as there are
processors, and every thread allocates and fills what it works on, so that it lies in the
memory next to it. Here thread k of n takes hands

$$\lfloor k H / n \rfloor, \dots, \lfloor (k + 1) H / n \rfloor - 1$$

of the H hands of the player whose gradient is wanted, in all terms alike (whole boards, where
cards are dealt). Their sequences are no one else's, so nothing has to be added up and no sum
changes its order: the number of threads makes no difference to the result. The vector that
comes out is filled first by the threads that write it. The factors of the matrix are shared,
unlike in the thesis, whose 16 GB were not: they are small, and read by all.

Work is shared out by hands, not by entries; where these lie unevenly, threads wait for each
other. Three barriers a product cost some hundred microseconds, which pays from about a
millisecond of work on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import GameError
from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.payoff import PayoffOperator, Transposed
from saddlepoint.sequence.products import CARDS, Array, Arrays, gradient

Cuts = NDArray[np.uint64]
MOST_THREADS = 64


@kernel
def _fill(out: Array, first: int, last: int) -> None:
    for q in range(first, last):
        out[q] = 0.0


@kernel
def _negate(out: Array, first: int, last: int) -> None:
    for q in range(first, last):
        out[q] = -out[q]


class Partition:
    """A payoff operator whose products several threads work on.

    Parameters
    ----------
    operator
        The operator.
    threads
        How many threads.
    single
        Whether to work in single precision.

    Attributes
    ----------
    threads
        How many there are: 1 where rows of different terms overlap so that hands do not part
        them, as in no game that is betting times a deal.

    Examples
    --------
    >>> A = Partition(PayoffOperator.of([[1.0, 0.0], [0.0, 2.0]]), 2)
    >>> A @ [3.0, 4.0], A.T @ [1.0, 0.0]
    (array([3., 8.]), array([1., 0.]))
    """

    def __init__(self, operator: PayoffOperator, threads: int, single: bool = False) -> None:
        self.shape = operator.shape
        self.arrays = operator.single() if single else operator.arrays
        self.dtype: Any = np.float32 if single else np.float64
        threads = whole("threads", threads, 1, MOST_THREADS)
        if not all(_apart(self.arrays, side, threads) for side in (0, 1)):
            threads = 1
        self.threads = threads
        cuts = [_cuts(self.arrays, side, threads)[0] for side in (0, 1)]
        self._parts = [_part(self.arrays, [c[:, k : k + 2] for c in cuts]) for k in range(threads)]
        self._pool = None
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(threads)

    def gradient(self, second: bool, x: Array, out: Array) -> None:
        """Make out the gradient of the player who faces plan x, as `products.gradient` does."""
        bounds = [len(out) * k // self.threads for k in range(self.threads + 1)]
        self._each(lambda k: _fill(out, bounds[k], bounds[k + 1]))
        self._each(lambda k: gradient(self._parts[k], second, x, out))
        if second:
            self._each(lambda k: _negate(out, bounds[k], bounds[k + 1]))

    def _each(self, work: Callable[[int], None]) -> None:
        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self.threads)))

    def __matmul__(self, y: ArrayLike) -> NDArray[Any]:
        """A @ y: player 1's gradient."""
        return self.product(y, False)

    @property
    def T(self) -> Transposed:
        """The transpose, for `A.T @ x`: minus player 2's gradient."""
        return Transposed(self)

    def product(self, vector: ArrayLike, transposed: bool) -> NDArray[Any]:
        """A @ y, or A.T @ x."""
        into, of = self.shape[::-1] if transposed else self.shape
        vector = np.require(np.ascontiguousarray(vector, self.dtype), None, "W")
        if vector.shape != (of,):
            raise GameError(f"product with a vector of shape {vector.shape}, expected ({of},)")
        out = np.empty(into, self.dtype)
        self.gradient(transposed, vector, out)
        return np.negative(out, out=out) if transposed else out

    def __repr__(self) -> str:
        return f"<Partition {self.shape[0]} by {self.shape[1]}: {self.threads} threads>"


def _cuts(A: Arrays, side: int, threads: int) -> tuple[Cuts, NDArray[np.int64]]:
    """Where the rows of each thread begin, by term: as kernels count them, and in hands."""
    rows = np.zeros((len(A.terms), threads + 1), np.uint64)
    hands = np.zeros(rows.shape, np.int64)
    for t, term in enumerate(A.terms):
        at = int(term[1 + side]) * np.arange(threads + 1) // threads
        rows[t], hands[t] = at.astype(np.uint64), at
        if term[0] == CARDS:
            board = A.places[int(term[5]) : int(term[8])].astype(np.int64)
            rows[t] = np.searchsorted(board, at)
            hands[t] = board[rows[t]]
    return rows, hands


def _part(A: Arrays, rows: list[Cuts]) -> Arrays:
    """The same operator, of which only some rows of either player are added."""
    return A._replace(terms=np.hstack([A.terms[:, :11], *rows]), part=True)


def _apart(A: Arrays, side: int, threads: int) -> bool:
    """Whether threads that part hands part sequences, too.

    Bundles whose sequences overlap have to have the same hands, cuts and stride, and together
    no more histories than the stride: then hands are rows of one table.
    """
    if not len(A.bundles):
        return True
    term = np.repeat(np.arange(len(A.terms)), (A.terms[:, 4] - A.terms[:, 3]).astype(np.int64))
    first = np.concatenate(
        [np.arange(begin, end) for begin, end in A.terms[:, 3:5].astype(np.int64)]
    )
    row, stride, width = A.bundles[first][:, [2 * side, 2 * side + 1, 4]].astype(np.int64).T
    cuts = _cuts(A, side, threads)[1][term]
    hands = cuts[:, -1]
    end = row + (hands - 1) * stride + width
    order = np.argsort(row, kind="stable")
    row, stride, width, cuts, hands, end = (
        part[order] for part in (row, stride, width, cuts, hands, end)
    )
    new = np.append(True, row[1:] >= np.maximum.accumulate(end)[:-1])
    group, start = np.cumsum(new) - 1, np.flatnonzero(new)
    alike = (stride == stride[start][group]) & (cuts == cuts[start][group]).all(axis=1)
    histories = np.maximum.reduceat(row + width, start) - row[start]
    fits = histories <= stride[start]
    return bool(((alike & fits[group]) | (hands <= 1)).all())
