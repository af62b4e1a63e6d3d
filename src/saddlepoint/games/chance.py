"""Probabilities of chance as fractions that sum to exactly one.

What chance does in a game is rational, but a double that comes out of a computation is
often a rounding error away from the one that is nearest to the fraction: 1/6 as
0.16666666666666669. Programs that compute with fractions take that at its word, and refuse
a node whose probabilities do not sum to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

# Fractions up to this denominator are looked for, so many units in the last place around.
_MAX_DENOMINATOR = 10**6
_ULPS = 8


@lru_cache(maxsize=4096)
def rational(probabilities: tuple[float, ...]) -> tuple[Fraction, ...] | None:
    """The simplest fractions within rounding errors of the probabilities, if they sum to 1.

    >>> rational((0.16666666666666669, 0.8333333333333333))
    (Fraction(1, 6), Fraction(5, 6))
    >>> rational((0.5, 0.4))
    """
    found = tuple(Fraction(p).limit_denominator(_MAX_DENOMINATOR) for p in probabilities)
    near = all(
        abs(float(fraction) - p) <= _ULPS * math.ulp(p)
        for fraction, p in zip(found, probabilities, strict=True)
    )
    return found if near and sum(found) == 1 else None


def rounded(probabilities: Sequence[float]) -> list[float]:
    """The doubles nearest to the fractions that the probabilities are, if they are."""
    exact = rational(tuple(probabilities))
    return list(probabilities) if exact is None else [float(p) for p in exact]
