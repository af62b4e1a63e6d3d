r"""Best responses and the gap: here and nowhere else.

For realization plans x and y with gradients $g_1 = A y$ and $g_2 = -A^\top x$,

$$\text{gap}(x, y) = \max_{x'} x'^\top A y - \min_{y'} x^\top A y'
                   = \text{BR}_1(g_1) + \text{BR}_2(g_2)$$

is the sum of what both players could gain by deviating. **Exploitability is half of it**:
the average over seats of what a best-responding opponent gains on the game value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.products import Array, Arrays, gradient
from saddlepoint.sequence.sweeps import Blocks
from saddlepoint.sequence.treeplex import Treeplex

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Gap:
    """What both players have against a profile, all as payoffs to player 1.

    Parameters
    ----------
    upper
        The value of player 1's best response to player 2's plan.
    lower
        The value that player 1's plan guarantees: player 2's best response to it.
    """

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """The sum of both players' best-response gains."""
        return self.upper - self.lower

    @property
    def exploitability(self) -> float:
        """Half the gap."""
        return self.gap / 2


@kernel
def bounds(
    A: Arrays, T1: Blocks, T2: Blocks, x: Array, y: Array, g1: Array, g2: Array
) -> tuple[float, float]:
    """Return player 2's and player 1's best-response values, as payoffs to player 1.

    g1 and g2 are overwritten. O(cost of two products + sequences).
    """
    # Numba compiles once for a constant True and once for False; these are not constants.
    first, second = x.shape[0] < 0, x.shape[0] >= 0
    gradient(A, first, y, g1)
    sweeps.best_values(T1, g1)
    gradient(A, second, x, g2)
    sweeps.best_values(T2, g2)
    return -g2[0], g1[0]


def gap(X: Treeplex, Y: Treeplex, A: PayoffOperator, x: ArrayLike, y: ArrayLike) -> Gap:
    """Measure a pair of realization plans by both best responses.

    >>> X, A = Treeplex.simplex(2), PayoffOperator.of([[0, 0, 0], [0, 1, -1], [0, -1, 1]])
    >>> gap(X, X, A, [1, 0.5, 0.5], [1, 1, 0])
    Gap(lower=0.0, upper=1.0)
    """
    x, y = X.vector(x), Y.vector(y)
    lower, upper = bounds(A.arrays, X.blocks, Y.blocks, x, y, np.empty_like(x), np.empty_like(y))
    return Gap(float(lower) + 0.0, float(upper) + 0.0)  # no minus zero
