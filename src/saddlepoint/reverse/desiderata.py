r"""What a mapping should satisfy (paper 001, section 4), as checks that are run.

| desideratum         | meaning                                                         |
|---------------------|-----------------------------------------------------------------|
| boundary            | f(A) = 1 and f(B) = 0                                           |
| monotonicity        | f does not increase from A to B                                 |
| scale invariance    | chips and pot scaled together change nothing                    |
| printed invariance  | the formula as printed: A, B and x times k, the pot still 1     |
| action robustness   | f is continuous in x, with a bounded slope                      |
| boundary robustness | f is continuous in A and in B, with a bounded slope             |

Every one is asked for A > 0 and for A = 0 by itself, where the geometric mappings are
degenerate. The paper says that all mappings are scale invariant. As it is printed,
$f_{kA,kB}(kx) = f_{A,B}(x)$, the condition fails for the pseudo-harmonic ones, in which a
pot of 1 stands; what holds is that chips and pot may be scaled together. Both are checked.

A check looks at a grid of sizes and returns the worst that it has found. Continuity with a
bounded slope is a statement about limits; it is read off two finite steps, of which the
second is a thousand times smaller: a slope that grows by more than a hundred times with
it is a jump. For the domain A > 0 of the boundary robustness the lower bound approaches 0,
as in the paper's proposition 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.reverse.mappings import MAPPINGS, Mapping

Sizes = NDArray[np.float64]

LOW, ZERO = "A > 0", "A = 0"
_FACTORS = (0.1, 0.5, 3.0, 50.0)
_STEPS = (1e-4, 1e-7)
_JUMP = 100.0
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Parameters
    ----------
    mapping, desideratum, domain
        Which was asked, and where: for `A > 0` or for `A = 0`.
    holds
        The answer.
    worst
        By how much it fails at the worst place (a difference of probabilities, or the
        greatest slope where robustness is asked).
    where
        That place, as text.
    """

    mapping: str
    desideratum: str
    domain: str
    holds: bool
    worst: float
    where: str


def report(mappings: list[Mapping] | None = None, points: int = 41) -> list[Finding]:
    """Check every desideratum of every mapping.

    >>> [(f.desideratum, f.domain) for f in report([MAPPINGS["rand-pshar"]]) if not f.holds]
    [('printed invariance', 'A > 0'), ('printed invariance', 'A = 0')]
    """
    chosen = list(MAPPINGS.values()) if mappings is None else mappings
    return [
        check(mapping, domain, points)
        for mapping in chosen
        for check in CHECKS.values()
        for domain in (LOW, ZERO)
    ]


def _grid(domain: str, points: int) -> tuple[Sizes, Sizes, Sizes]:
    """Lower sizes, upper sizes, and sizes between them, one row for each interval."""
    lows = np.array([0.0]) if domain == ZERO else np.array([0.001, 0.01, 0.1, 0.5, 1.0, 4.0])
    pairs = [(a, b) for a in lows for b in (0.25, 0.5, 1.0, 2.0, 4.0, 100.0) if b > a]
    A, B = np.array(pairs).T[:, :, None]
    between = np.linspace(0.0, 1.0, points) ** 2  # dense where the geometric ones are steep
    return A, B, A + (B - A) * between


def _finding(
    mapping: Mapping, name: str, domain: str, off: Sizes, places: tuple[Sizes, ...], limit: float
) -> Finding:
    off, *rest = np.broadcast_arrays(off, *places)
    worst = np.unravel_index(int(np.argmax(off)), off.shape)
    where = ", ".join(
        f"{key} = {float(values[worst]):.4g}" for key, values in zip("ABx", rest, strict=False)
    )
    return Finding(mapping.name, name, domain, bool(off[worst] <= limit), float(off[worst]), where)


def boundary(mapping: Mapping, domain: str, points: int = 41) -> Finding:
    """f(A) = 1 and f(B) = 0."""
    A, B, _ = _grid(domain, points)
    off = np.maximum(1.0 - mapping(A, B, A), mapping(A, B, B))
    return _finding(mapping, "boundary", domain, off, (A, B), _ROUNDING)


def monotonicity(mapping: Mapping, domain: str, points: int = 41) -> Finding:
    """What is larger is not likelier taken for A."""
    A, B, x = _grid(domain, points)
    rise = np.diff(mapping(A, B, x), axis=1)
    return _finding(mapping, "monotonicity", domain, rise, (A, B, x[:, 1:]), _ROUNDING)


def scale_invariance(mapping: Mapping, domain: str, points: int = 41) -> Finding:
    """Chips and pot times k give the same f.

    Since a mapping sees sizes in pots, this holds by construction, up to rounding.
    """
    pot = 6.0
    return _invariance(
        mapping, "scale invariance", domain, points, lambda size, k: size * (pot * k) / (pot * k)
    )


def printed_invariance(mapping: Mapping, domain: str, points: int = 41) -> Finding:
    """The condition as printed, with a pot of 1 before and after."""
    return _invariance(mapping, "printed invariance", domain, points, lambda size, k: size * k)


def _invariance(
    mapping: Mapping,
    name: str,
    domain: str,
    points: int,
    scaled: Callable[[Sizes, float], Sizes],
) -> Finding:
    A, B, x = _grid(domain, points)
    off = np.zeros_like(x)
    for k in _FACTORS:
        a, b = scaled(A, k), scaled(B, k)
        there = mapping(a, b, np.clip(scaled(x, k), a, b))
        off = np.maximum(off, np.abs(there - mapping(A, B, x)))
    if mapping.median is not None:  # there, rounding decides
        off[np.abs(x - mapping.median(A, B)) <= _ROUNDING * (1.0 + x)] = 0.0
    return _finding(mapping, name, domain, off, (A, B, x), 1e-6)


def _robust(
    mapping: Mapping,
    name: str,
    domain: str,
    moved: Callable[[float], tuple[Sizes, Sizes, Sizes, Sizes]],
) -> Finding:
    """Compare the greatest slopes of two steps: moved(step) gives |difference|, A, B, x."""
    slopes, places = [], []
    for step in _STEPS:
        off, *at = moved(step)
        slopes.append(off / step)
        places.append(at)
    greatest = [float(s.max()) for s in slopes]
    found = _finding(mapping, name, domain, slopes[1], tuple(places[1]), np.inf)
    holds = greatest[1] <= _JUMP * max(1.0, greatest[0])
    return Finding(mapping.name, name, domain, holds, greatest[1], found.where)


def action_robustness(mapping: Mapping, domain: str, points: int = 41) -> Finding:
    """Continuity of f in x, with a bounded slope, for each A and B."""
    A, B, x = _grid(domain, points)

    def moved(step: float) -> tuple[Sizes, Sizes, Sizes, Sizes]:
        here = _with(mapping, A, B, x, A, B)
        # Whichever way a tie at the median goes, half a step below it there is a jump.
        here = np.clip(np.concatenate([here, here - step / 2], axis=1), A, B)
        there = np.minimum(here + step, B)
        return np.abs(mapping(A, B, there) - mapping(A, B, here)), A, B, here

    return _robust(mapping, "action robustness", domain, moved)


def boundary_robustness(mapping: Mapping, domain: str, points: int = 41) -> Finding:
    """Continuity of f in A and in B, with a slope that stays bounded as A approaches 0."""
    A, B, x = _grid(domain, points)

    def moved(step: float) -> tuple[Sizes, Sizes, Sizes, Sizes]:
        # As A approaches 0, so does the domain: its least A goes with the step.
        low = A if domain == ZERO else np.where(A.min() < A, A, step)
        above, beyond = low + step, B + step
        # Sizes in both intervals, those between the old and the new median among them.
        here = np.clip(_with(mapping, low, B, x, low + step / 2, B + step / 2), above, B)
        by_low = np.abs(mapping(above, B, here) - mapping(low, B, here))
        by_high = np.abs(mapping(low, beyond, here) - mapping(low, B, here))
        return np.maximum(by_low, by_high), low, B, here

    return _robust(mapping, "boundary robustness", domain, moved)


def _with(mapping: Mapping, A: Sizes, B: Sizes, x: Sizes, low: Sizes, high: Sizes) -> Sizes:
    """Sizes x with the medians of A and high and of low and B among them."""
    if mapping.median is None:
        return x
    medians = [mapping.median(low, B), mapping.median(A, high)]
    found: Sizes = np.clip(np.concatenate([x, *medians], axis=1), A, B)
    return found


CHECKS: dict[str, Callable[..., Finding]] = {
    "boundary": boundary,
    "monotonicity": monotonicity,
    "scale invariance": scale_invariance,
    "printed invariance": printed_invariance,
    "action robustness": action_robustness,
    "boundary robustness": boundary_robustness,
}
