"""A matrix as the list of its nonzero entries, in NumPy alone.

SciPy has the same and more, but takes a tenth of a second to load, which a small game is
solved in many times over. Where its algebra is needed, `to_scipy` hands over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Entries:
    """Nonzero entries of a matrix, by rows and then by columns, each place once.

    Examples
    --------
    >>> E = Entries.of((2, 3), [1, 0, 1], [2, 0, 2], [1.0, 5.0, 2.0])
    >>> E.dense()
    array([[5., 0., 0.],
           [0., 0., 3.]])
    """

    shape: tuple[int, int]
    rows: Places
    columns: Places
    values: Vector

    @classmethod
    def of(
        cls, shape: tuple[int, int], rows: ArrayLike, columns: ArrayLike, values: ArrayLike
    ) -> Entries:
        """Entries in any order; those of the same place are added, zeros are dropped."""
        place = np.asarray(rows, np.int64) * shape[1] + np.asarray(columns, np.int64)
        found, which = np.unique(place, return_inverse=True)
        total = np.bincount(which, np.asarray(values, np.float64), len(found))
        kept = total != 0
        at = found[kept]
        return cls(shape, at // max(1, shape[1]), at % max(1, shape[1]), total[kept])

    @classmethod
    def of_dense(cls, matrix: Vector) -> Entries:
        """The entries of a matrix that is written out."""
        rows, columns = np.nonzero(matrix)
        return cls((matrix.shape[0], matrix.shape[1]), rows, columns, matrix[rows, columns])

    @property
    def T(self) -> Entries:
        """The transpose."""
        order = np.argsort(self.columns, kind="stable")
        shape = (self.shape[1], self.shape[0])
        return Entries(shape, self.columns[order], self.rows[order], self.values[order])

    def __len__(self) -> int:
        return len(self.values)

    def starts(self) -> Places:
        """Where each row begins, and the end (the `indptr` of compressed rows)."""
        return np.searchsorted(self.rows, np.arange(self.shape[0] + 1)).astype(np.int64)

    def dense(self) -> Vector:
        """The matrix written out."""
        matrix = np.zeros(self.shape)
        matrix[self.rows, self.columns] = self.values
        return matrix

    def to_scipy(self) -> Any:
        """The matrix as a SciPy CSR array."""
        import scipy.sparse as sp

        return sp.csr_array((self.values, self.columns, self.starts()), shape=self.shape)
