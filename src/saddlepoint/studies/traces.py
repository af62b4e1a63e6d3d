"""Traces of solvers side by side: when each was how close, and a plot of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.solution import Solution, Trace
from saddlepoint.studies.plots import Plot

AXES = ("seconds", "iterations")


def reached(trace: Trace, goal: float) -> tuple[int, float] | None:
    """Iterations and seconds at the first measurement with at most this gap.

    >>> trace = Trace(np.array([1, 2]), np.array([0.1, 0.2]), np.array([1.0, 0.05]))
    >>> reached(trace, 0.1), reached(trace, 0.01)
    ((2, 0.2), None)
    """
    below = np.flatnonzero(trace.gap <= goal)
    if not len(below):
        return None
    k = int(below[0])
    return int(trace.iterations[k]), float(trace.seconds[k])


def goals_of(traces: Sequence[Trace]) -> list[float]:
    """Powers of ten from the largest gap that was measured down to the smallest."""
    gaps = np.concatenate([t.gap[t.gap > 0] for t in traces])
    if not len(gaps):
        raise SettingsError("nothing was measured: these solutions have no trace")
    high, low = (math.floor(math.log10(g)) for g in (gaps.max(), gaps.min()))
    return [10.0**k for k in range(high, low, -1)] or [10.0**high]


def named(solutions: Mapping[str, Solution]) -> dict[str, Solution]:
    """The solutions by game and method where that tells them apart, else by file."""
    games = {s.profile.form.name for s in solutions.values()}
    labels = [
        s.method if len(games) == 1 else f"{s.profile.form.name} by {s.method}"
        for s in solutions.values()
    ]
    names = labels if len(set(labels)) == len(labels) else list(solutions)
    return dict(zip(names, solutions.values(), strict=True))


def trace_plot(solutions: Mapping[str, Solution], over: str = "seconds") -> Plot:
    """The gap over seconds or iterations, both axes logarithmic."""
    if over not in AXES:
        raise SettingsError(f"over is '{over}', expected one of {', '.join(AXES)}")
    units = {s.profile.form.unit.name for s in solutions.values()}
    series = {}
    for name, solution in solutions.items():
        trace = solution.trace
        kept = (trace.gap > 0) & (getattr(trace, over) > 0)
        series[name] = (getattr(trace, over)[kept], trace.gap[kept])
    return Plot(
        title="convergence",
        x=over,
        y=f"gap, {' or '.join(sorted(units))}",
        series=series,
        logarithmic=(True, True),
    )
