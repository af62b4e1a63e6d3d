"""Disjoint sets that are joined one by one: the union-find structure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class UnionFind:
    """Sets of the numbers 0, 1, ..., n - 1; at first each is alone.

    M operations cost O(M alpha(M, n)), next to nothing each (thesis 003, section 5.5.1).

    Examples
    --------
    >>> forest = UnionFind(4)
    >>> forest.union(0, 2)
    >>> forest.union(2, 3)
    >>> forest.numbers()
    array([0, 1, 0, 0])
    """

    def __init__(self, n: int) -> None:
        self._above = list(range(n))
        self._size = [1] * n

    def find(self, k: int) -> int:
        """The number that stands for the set of k."""
        root = k
        while self._above[root] != root:
            root = self._above[root]
        while self._above[k] != root:
            self._above[k], k = root, self._above[k]
        return root

    def union(self, k: int, m: int) -> None:
        """Join the sets of two numbers."""
        k, m = self.find(k), self.find(m)
        if k == m:
            return
        if self._size[k] < self._size[m]:
            k, m = m, k
        self._above[m] = k
        self._size[k] += self._size[m]

    def numbers(self) -> NDArray[np.int64]:
        """For every number a number of its set, counted in the order in which they come first."""
        known: dict[int, int] = {}
        return np.array(
            [known.setdefault(self.find(k), len(known)) for k in range(len(self._above))], np.int64
        )
