"""Iterations of regret matching as kernels, for the family in `saddlepoint.solvers.cfr`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.products import Arrays, gradient
from saddlepoint.sequence.sweeps import Blocks


class Player(NamedTuple):
    """The vectors that a player carries from iteration to iteration."""

    s: NDArray[Any]
    """The current behaviour strategy."""
    x: NDArray[Any]
    """Its realization plan."""
    R: NDArray[Any]
    """Regrets."""
    mean: NDArray[Any]
    """The weighted average of the plans."""
    v: NDArray[Any]
    """Work space: gradients and action values."""


@kernel
def power(t: int, exponent: float) -> float:
    """t^e / (t^e + 1), with its limits for infinite exponents."""
    if math.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    power: float = float(t) ** exponent
    return power / (power + 1.0)


@kernel
def discounts(t: int, e: Exponents) -> tuple[float, float]:
    """What positive and negative regrets are multiplied by after iteration t."""
    alpha = e.alpha + e.climb * min(t, e.horizon) if e.climb != 0.0 else e.alpha
    return power(t, alpha), power(t, e.beta)


@kernel
def update(T: Blocks, P: Player, positive: float, negative: float, foresight: float) -> None:
    """Match regrets to the values in P.v, and play on."""
    one = P.v.dtype.type
    sweeps.match_regrets(T, P.s, P.v, P.R, one(positive), one(negative), one(foresight))
    sweeps.plan(T, P.s, P.x)


class Exponents(NamedTuple):
    """What tells the members of the family apart, as the kernel takes it.

    alpha is that of iteration 0; it gains `climb` in every iteration up to number `horizon`.
    """

    alpha: float
    climb: float
    horizon: int
    beta: float
    gamma: float
    foresight: float
    alternating: bool


@kernel
def iterate(
    A: Arrays,
    T1: Blocks,
    T2: Blocks,
    P1: Player,
    P2: Player,
    start: int,
    count: int,
    mass: float,
    e: Exponents,
) -> float:
    """Do iterations start + 1, ..., start + count; return the new mass of the average.

    mass is the sum of the weights so far, divided by the last one. Updates both players'
    vectors in place. O(two products + sequences) per iteration, no allocation beyond a
    tile.
    """
    # Numba compiles once for a constant True and once for False; these are not constants.
    first, second = count < 0, count >= 0
    for t in range(start + 1, start + count + 1):
        positive, negative = discounts(t, e)
        mass = 1.0 + mass * (1.0 - 1.0 / t) ** e.gamma
        weight = P1.v.dtype.type(1.0 / mass)
        sweeps.average(P2.x, P2.mean, weight)
        gradient(A, first, P2.x, P1.v)
        if e.alternating:
            update(T1, P1, positive, negative, e.foresight)
            sweeps.average(P1.x, P1.mean, weight)
            gradient(A, second, P1.x, P2.v)
        else:
            sweeps.average(P1.x, P1.mean, weight)
            gradient(A, second, P1.x, P2.v)
            update(T1, P1, positive, negative, e.foresight)
        update(T2, P2, positive, negative, e.foresight)
    return mass
