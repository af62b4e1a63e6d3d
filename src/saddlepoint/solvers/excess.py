r"""Steps of the excessive gap technique as kernels, for `saddlepoint.solvers.excessive_gap`.

Both players are treated alike. With the gradients $g_1 = A y$ and $g_2 = -A^\top x$ that they
face, and smax as in `saddlepoint.solvers.prox`, the excessive gap condition is

    smax_1(g_1, mu_1) + smax_2(g_2, mu_2) <= 0.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.products import Arrays, gradient
from saddlepoint.solvers.prox_sweeps import Smoother, soften

Array = NDArray[Any]
# Where smoothing ends: this part of what it began with is less than rounding errors.
FLOOR = 1e-15
# The greatest tau that is tried.
LARGEST = 0.5
# What balancing accepts, and what it takes off both mu at once.
BALANCED, REDUCED = 1.5, 0.9


class Plan(NamedTuple):
    """The vectors of a player: where he stands, and work space."""

    z: Array
    """The plan."""
    g: Array
    """The gradient that he faces."""
    new_z: Array
    new_g: Array
    peak: Array
    """The smoothed response to g."""
    hat: Array
    v: Array
    s: Array


class Steps(NamedTuple):
    """Settings as kernels take them; ratio is the norm of A over the root of both moduli."""

    aggressive: bool
    balance: int
    growth: float
    ratio: float


class Counts(NamedTuple):
    """Where the numbers stand that a run carries from step to step."""

    tau: int = 0
    decreases: int = 1
    shrinks: int = 2
    lopsided: int = 3


AT = Counts()


@kernel
def _blend(tau: float, one: Array, other: Array, out: Array) -> None:
    """Overwrite out with (1 - tau) one + tau other."""
    for q in range(out.shape[0]):
        out[q] = one[q] + tau * (other[q] - one[q])


@kernel
def _respond(S: Smoother, P: Plan, g: Array, mu: float, out: Array) -> float:
    """Overwrite out with the smoothed response to g; return smax."""
    for q in range(g.shape[0]):
        P.v[q] = g[q]
    return soften(S, mu, P.v, P.s, out)


@kernel
def excess(S: tuple[Smoother, Smoother], P: tuple[Plan, Plan], mu1: float, mu2: float) -> float:
    """The sum of both smax, at most 0 under the condition. Overwrites both peaks."""
    one = _respond(S[0], P[0], P[0].g, mu1, P[0].peak)
    return one + _respond(S[1], P[1], P[1].g, mu2, P[1].peak)


@kernel
def _shrink(
    A: Arrays,
    S: tuple[Smoother, Smoother],
    P: tuple[Plan, Plan],
    mu: Array,
    b: int,
    tau: float,
    check: bool,
) -> float:
    """Try to take the part tau off mu[b] (Algorithm 6); return the excess, if asked for.

    P[b].peak holds the smoothed response to P[b].g. Three products with A.
    """
    one, two = P[1 - b], P[b]
    _blend(tau, two.z, two.peak, two.new_z)
    gradient(A, b == 0, two.new_z, one.v)
    soften(S[1 - b], mu[1 - b], one.v, one.s, one.hat)
    gradient(A, b == 1, one.hat, two.v)
    _blend(tau, two.g, two.v, two.new_g)
    mine = _respond(S[b], two, two.new_g, (1.0 - tau) * mu[b], two.hat)
    _blend(tau, two.z, two.hat, two.new_z)
    gradient(A, b == 0, two.new_z, one.new_g)
    if not check:
        return 0.0
    return mine + _respond(S[1 - b], one, one.new_g, mu[1 - b], one.peak)


@kernel
def decrease(
    A: Arrays,
    S: tuple[Smoother, Smoother],
    P: tuple[Plan, Plan],
    mu: Array,
    b: int,
    tau: float,
    counts: Array,
    e: Steps,
) -> float:
    """Shrink mu[b] so that the condition holds (Algorithm 8); return the tau that did.

    A tau that is known to be small enough is not refused for a rounding error.
    """
    one, two = P[1 - b], P[b]
    if mu[b] > 2.0 * mu[1 - b]:
        counts[AT.lopsided] = 1.0
    _respond(S[b], two, two.g, mu[b], two.peak)
    safe = mu[0] * mu[1] / e.ratio**2
    while True:
        counts[AT.shrinks] += 1.0
        over = _shrink(A, S, P, mu, b, tau, e.aggressive)
        if not over > 0.0 or tau * tau <= safe * (1.0 - tau):
            break
        tau *= 0.5
    _blend(tau, one.z, one.hat, one.z)
    for q in range(one.g.shape[0]):
        one.g[q] = one.new_g[q]
    for q in range(two.z.shape[0]):
        two.z[q], two.g[q] = two.new_z[q], two.new_g[q]
    mu[b] *= 1.0 - tau
    counts[AT.decreases] += 1.0
    return tau


@kernel
def _tau(k: int, mu: Array, counts: Array, e: Steps) -> float:
    """The tau to try: the last one, or else the greatest that is known to be small enough."""
    if e.aggressive:
        tau: float = min(LARGEST, e.growth * counts[AT.tau])
    elif e.balance == 0:
        tau = 2.0 / (k + 3)
    else:
        m = mu[0] * mu[1] / e.ratio**2
        tau = 2.0 * m / (m + math.sqrt(m * m + 4.0 * m))
    return tau


@kernel
def _larger(mu: Array) -> int:
    """Which mu is too large beside the other one, or -1."""
    if mu[1] > BALANCED * mu[0]:
        return 1
    return 0 if mu[0] > BALANCED * mu[1] else -1


@kernel
def iterate(
    A: Arrays,
    S: tuple[Smoother, Smoother],
    P: tuple[Plan, Plan],
    mu: Array,
    counts: Array,
    e: Steps,
    start: int,
    count: int,
) -> None:
    """Do steps start, ..., start + count - 1 (Algorithms 7 and 10).

    Even ones shrink mu[1]. Where balancing is due, the larger mu is shrunk until they are near,
    then both are reduced together (Algorithm 9). Updates plans, gradients, mu and counts.
    """
    for k in range(start, start + count):
        due = e.balance > 0 and k % e.balance == 0
        b = 1 - k % 2
        while b >= 0:
            counts[AT.tau] = decrease(A, S, P, mu, b, _tau(k, mu, counts, e), counts, e)
            b = _larger(mu) if due else -1
        while due and mu[0] > FLOOR * e.ratio:
            if excess(S, P, REDUCED * mu[0], REDUCED * mu[1]) > 0.0:
                break
            mu[0] *= REDUCED
            mu[1] *= REDUCED
