r"""Action translation mappings: which of two abstract sizes a real one stands for.

Let $A \le x \le B$, where A and B are the nearest sizes in the abstraction and x was
observed. A mapping is a function $f_{A,B}(x)$, the probability that x is taken for A; else
it is taken for B (paper 001, section 2). Sizes are bets in pots, 0 is a check. Its
*median* is the size that is taken for either with probability one half.

| name       | f                                            | median                    | in  |
|------------|----------------------------------------------|---------------------------|-----|
| det-arith  | 1 if x - A <= B - x                          | (A + B) / 2               | 5.1 |
| rand-arith | (B - x) / (B - A)                            | (A + B) / 2               | 5.2 |
| det-geo    | 1 if A / x > x / B                           | sqrt(A B)                 | 5.3 |
| rand-geo-1 | A (B - x) / (A (B - x) + x (x - A))          | sqrt(A B)                 | 5.4 |
| rand-geo-2 | A (B + x) (B - x) / ((B - A) (x x + A B))    | sqrt(A B)                 | 5.5 |
| det-pshar  | 1 if x is at most the median                 | (A + B + 2AB) / (A + B + 2) | 6 |
| rand-pshar | (B - x) (1 + A) / ((B - A) (1 + x))          | (A + B + 2AB) / (A + B + 2) | 6 |

The geometric ones are also the similarities of thesis 004: det-geo chooses the greater
one of equation 4.6, rand-geo-1 weighs by equations 4.7 and 4.8. Equation 4.5 with the
similarity of 4.6 as it stands is `SIMILARITY`, AB / (AB + x x), which is no mapping of paper
001: it fails its boundary condition, f(A) = 1 and f(B) = 0.

Ties, which the papers leave open: at the median, up to rounding, det-arith and det-pshar
say A, det-geo says B. The published tables come out with these. A size that is in the
abstraction is taken for itself, with an exception that follows from the formulas: with
A = 0 the geometric mappings never say A, not even for x = 0.

A mapping of your own is a function of arrays:

>>> halfway = Mapping("halfway", lambda A, B, x: np.where(x < B, 0.5, 0.0))
>>> float(halfway(0.0, 1.0, 0.25))
0.5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError, unknown

Sizes = NDArray[np.float64]
Function = Callable[[Any, Any, Any], Any]

# A probability may leave [0, 1] by as much, from rounding, before it counts as wrong.
_SLACK = 1e-9
# Sizes are tied at a median if they differ by no more than rounding.
_TIE = 1e-12


@dataclass(frozen=True)
class Mapping:
    """An action translation mapping.

    Parameters
    ----------
    name
        What it is called.
    function
        f: takes arrays A, B and x with A <= x <= B and A < B, returns the probability of A.
    median
        The size that is as likely to be taken for A as for B, as a function of A and B.
    source
        Where it comes from.
    """

    name: str
    function: Function
    median: Callable[[Any, Any], Any] | None = field(default=None, compare=False)
    source: str = ""

    def __call__(self, A: ArrayLike, B: ArrayLike, x: ArrayLike) -> Sizes:
        """The probability that x is taken for A; 1 where A and B are the same size.

        Raises
        ------
        SettingsError
            If sizes are not 0 <= A <= x <= B, or the function gives no probability.
        """
        A, B, x = np.broadcast_arrays(*(np.asarray(size, np.float64) for size in (A, B, x)))
        wrong = ~((A >= 0.0) & (x >= A) & (x <= B))
        if wrong.any():
            a, b, c = (float(size[wrong][0]) for size in (A, B, x))
            raise SettingsError(
                f"sizes are A = {a:g}, B = {b:g}, x = {c:g}; expected 0 <= A <= x <= B"
            )
        alone = A == B
        with np.errstate(divide="ignore", invalid="ignore"):
            f = np.asarray(self.function(A, np.where(alone, B + 1.0, B), x), np.float64)
        f = np.where(alone, 1.0, f)
        bad = ~((f >= -_SLACK) & (f <= 1.0 + _SLACK))
        if bad.any():
            a, b, c, p = (float(values[bad][0]) for values in (A, B, x, f))
            raise SettingsError(
                f"mapping {self.name} gives {p:g} for A = {a:g}, B = {b:g}, x = {c:g}; "
                "expected a probability"
            )
        return np.clip(f, 0.0, 1.0)


def _first(yes: Any) -> Any:
    return np.where(yes, 1.0, 0.0)


def _det_arith(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return _first(x - A <= B - x + _TIE * B)


def _rand_arith(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return (B - x) / (B - A)


def _det_geo(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return _first(x * x * (1.0 + _TIE) < A * B)


def _rand_geo_1(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return np.where(A > 0.0, A * (B - x) / (A * (B - x) + x * (x - A)), 0.0)


def _rand_geo_2(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return np.where(A > 0.0, A * (B + x) * (B - x) / ((B - A) * (x * x + A * B)), 0.0)


def _det_pshar(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return _first(x <= _harmonic(A, B) * (1.0 + _TIE))


def _rand_pshar(A: Sizes, B: Sizes, x: Sizes) -> Any:
    return (B - x) * (1.0 + A) / ((B - A) * (1.0 + x))


def _mean(A: Any, B: Any) -> Any:
    return (A + B) / 2.0


def _geometric(A: Any, B: Any) -> Any:
    return np.sqrt(A * B)


def _harmonic(A: Any, B: Any) -> Any:
    return (A + B + 2.0 * A * B) / (A + B + 2.0)


MAPPINGS: dict[str, Mapping] = {
    m.name: m
    for m in (
        Mapping("det-arith", _det_arith, _mean, "paper 001, section 5.1"),
        Mapping("rand-arith", _rand_arith, _mean, "paper 001, section 5.2"),
        Mapping("det-geo", _det_geo, _geometric, "paper 001, section 5.3; thesis 004, 4.6"),
        Mapping("rand-geo-1", _rand_geo_1, _geometric, "paper 001, section 5.4; thesis 004, 4.7"),
        Mapping("rand-geo-2", _rand_geo_2, _geometric, "paper 001, section 5.5"),
        Mapping("det-pshar", _det_pshar, _harmonic, "paper 001, section 6"),
        Mapping("rand-pshar", _rand_pshar, _harmonic, "paper 001, section 6"),
    )
}


SIMILARITY = Mapping(
    "similarity",
    lambda A, B, x: np.where(A > 0.0, A * B / (A * B + x * x), 0.0),
    _geometric,
    "thesis 004, 4.5 with 4.6",
)
# Those that can be asked for by name.
NAMED = MAPPINGS | {SIMILARITY.name: SIMILARITY}


def mapping_named(name: str | Mapping) -> Mapping:
    """The mapping of a name; a mapping is passed through.

    >>> round(float(mapping_named("rand-pshar")(0.0, 1.0, 0.25)), 12)
    0.6
    """
    if isinstance(name, Mapping):
        return name
    if name not in NAMED:
        raise SettingsError(unknown("mapping", name, NAMED))
    return NAMED[name]


def by_interval(below: Mapping | str, border: float, above: Mapping | str) -> Mapping:
    """One mapping for intervals that end by a size, another one for those beyond it.

    Paper 001, section 11, proposes it: small bets by one mapping, large ones by another.

    Parameters
    ----------
    below, above
        Mappings for intervals with B <= border, and for all others.
    border
        A size in pots.

    Examples
    --------
    >>> f = by_interval("rand-pshar", 1.0, "det-arith")
    >>> float(f(0.0, 1.0, 0.5)), float(f(1.0, 3.0, 1.5))
    (0.3333333333333333, 1.0)
    """
    low, high = mapping_named(below), mapping_named(above)
    return Mapping(
        f"{low.name} to {border:g}, {high.name} beyond",
        lambda A, B, x: np.where(border >= B, low.function(A, B, x), high.function(A, B, x)),
    )
