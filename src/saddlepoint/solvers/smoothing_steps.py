"""Iterations of Nesterov's smoothing as a kernel, for `saddlepoint.solvers.smoothing`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.products import Arrays, gradient
from saddlepoint.sequence.response import bounds
from saddlepoint.sequence.sweeps import Blocks
from saddlepoint.solvers.subproblem import Pieces, project

Array = NDArray[Any]


class Mover(NamedTuple):
    """The vectors of a player."""

    x: Array
    """The plan."""
    w: Array
    """The auxiliary plan."""
    start: Array
    """Where this round of smoothing began."""
    total: Array
    """The weighted sum of the gradients since."""
    centre: Array
    u: Array
    """Work space: the plan at which the gradient is taken, gradients, and what is projected."""
    g: Array
    h: Array


@kernel
def _project_step(F: Pieces, base: Array, step: float, g: Array, space: Array, out: Array) -> None:
    """Overwrite out with the plan nearest to base + step g."""
    for q in range(g.shape[0]):
        space[q] = base[q] + step * g[q]
    project(F, space, out)


@kernel
def smooth(
    A: Arrays,
    T: tuple[Blocks, Blocks],
    F: tuple[Pieces, Pieces],
    P: tuple[Mover, Mover],
    k: int,
    count: int,
    mu: float,
    lipschitz: float,
    goal: float,
    lan: bool,
) -> tuple[int, float]:
    """Do iterations k, k + 1, ... until the gap is below goal or count are done.

    Returns how many were done, and the gap. Updates x, w and total of both players.
    """
    first, second = count < 0, count >= 0
    gap = np.inf
    for done in range(count):
        share = 2.0 / (k + 2)
        for M in P:
            for q in range(M.x.shape[0]):
                M.u[q] = M.x[q] + share * (M.w[q] - M.x[q])
        gradient(A, first, P[1].u, P[0].g)
        gradient(A, second, P[0].u, P[1].g)
        for i in range(2):  # the smoothed best responses, in x: they are not needed for long
            _project_step(F[i], P[i].centre, 1.0 / mu, P[i].g, P[i].h, P[i].x)
        gradient(A, first, P[1].x, P[0].g)
        gradient(A, second, P[0].x, P[1].g)
        for i in range(2):
            M = P[i]
            _project_step(F[i], M.u, 1.0 / lipschitz, M.g, M.h, M.x)
            if lan:
                _project_step(F[i], M.w, 0.5 * (k + 2) / lipschitz, M.g, M.h, M.w)
            else:
                for q in range(M.total.shape[0]):
                    M.total[q] += 0.5 * (k + 1) * M.g[q]
                _project_step(F[i], M.start, 1.0 / lipschitz, M.total, M.h, M.w)
        k += 1
        low, high = bounds(A, T[0], T[1], P[0].x, P[1].x, P[0].g, P[1].g)
        gap = high - low
        if gap < goal:
            return done + 1, gap
    return count, gap
