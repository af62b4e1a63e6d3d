"""Slow, obvious twins of the kernels, written from the definitions.

They walk information sets one by one through `Treeplex.flat`, or the nodes of a tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.sequence.form import CHANCE, LEAF, Tree
from saddlepoint.sequence.treeplex import Treeplex

Vector = NDArray[np.float64]


def plan(T: Treeplex, s: Vector) -> Vector:
    """x[Ia] = x[p(I)] s[Ia]."""
    x = np.zeros(T.n_sequences)
    x[0] = 1.0
    for i in range(T.n_infosets):
        for q in range(*T.sequences(i).indices(T.n_sequences)):
            x[q] = x[T.flat.parent[i]] * s[q]
    return x


def values(T: Treeplex, s: Vector, g: Vector) -> Vector:
    """v[Ia] = g[Ia] + sum over the information sets that follow of their values."""

    def below(q: int) -> float:
        follow = [i for i in range(T.n_infosets) if T.flat.parent[i] == q]
        return float(g[q]) + sum(
            sum(s[r] * below(r) for r in range(*T.sequences(i).indices(T.n_sequences)))
            for i in follow
        )

    return np.array([below(q) for q in range(T.n_sequences)])


def best_value(T: Treeplex, g: Vector) -> float:
    """The best response's value, by recursion."""

    def below(q: int) -> float:
        follow = [i for i in range(T.n_infosets) if T.flat.parent[i] == q]
        return float(g[q]) + sum(
            max(below(r) for r in range(*T.sequences(i).indices(T.n_sequences))) for i in follow
        )

    return below(0)


class TreeCFR:
    """Counterfactual regret minimisation on the nodes of a tree, with dictionaries.

    Simultaneous updates, regret matching, averages weighted by own reach: the algorithm
    of Zinkevich et al. (2007) as it is usually taught.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.children: list[list[int]] = [[] for _ in range(tree.n_nodes)]
        for n in range(1, tree.n_nodes):
            self.children[int(tree.parent[n])].append(n)
        self.regret: dict[tuple[int, int], Vector] = {}
        self.total: dict[tuple[int, int], Vector] = {}

    def strategy(self, key: tuple[int, int], n: int) -> Vector:
        positive = np.maximum(self.regret.setdefault(key, np.zeros(n)), 0)
        return positive / positive.sum() if positive.sum() > 0 else np.full(n, 1 / n)

    def iterate(self) -> float:
        gains: list[tuple[tuple[int, int], Vector]] = []
        value = self.walk(0, 1.0, 1.0, 1.0, gains)
        for key, gain in gains:
            self.regret[key] = self.regret[key] + gain
        return value

    def walk(
        self,
        n: int,
        reach1: float,
        reach2: float,
        chance: float,
        gains: list[tuple[tuple[int, int], Vector]],
    ) -> float:
        mover = int(self.tree.mover[n])
        if mover == LEAF:
            return float(self.tree.payoff[n])
        if mover == CHANCE:
            return sum(
                float(self.tree.probability[c])
                * self.walk(c, reach1, reach2, chance * float(self.tree.probability[c]), gains)
                for c in self.children[n]
            )
        key = (mover, int(self.tree.infoset[n]))
        s = self.strategy(key, len(self.children[n]))
        below = np.array(
            [
                self.walk(
                    c,
                    reach1 * (s[k] if mover == 1 else 1.0),
                    reach2 * (s[k] if mover == 2 else 1.0),
                    chance,
                    gains,
                )
                for k, c in enumerate(self.children[n])
            ]
        )
        value = float(s @ below)
        own, other, sign = (reach1, reach2, 1.0) if mover == 1 else (reach2, reach1, -1.0)
        gains.append((key, sign * chance * other * (below - value)))
        self.total[key] = self.total.get(key, np.zeros(len(s))) + own * s
        return value

    def average(self, key: tuple[int, int]) -> Vector:
        total = self.total[key]
        return total / total.sum() if total.sum() > 0 else np.full(len(total), 1 / len(total))
