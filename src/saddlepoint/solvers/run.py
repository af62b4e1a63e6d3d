"""The one loop in which every solver runs: goal, budgets, progress, trace, checkpoint.

A *method* is a frozen record of settings that can `start` on a sequence form. What it
starts is a `Run`: it can advance by some iterations, say where it stands, and put its
whole state into arrays and back. Everything else happens here.

The gap is measured after iterations 1, 2, 3, ... and later at steps of one eighth of the
iterations done. This schedule depends on nothing but the count, so that a run which was
killed and resumed ends at the same iteration, with the same numbers, as one which was
not. Time decides only when to report and when to write a checkpoint.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core import store
from saddlepoint.core.checks import is_truth, shown, whole
from saddlepoint.core.errors import SettingsError, StoreError
from saddlepoint.core.version import VERSION
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.response import gap as measure_gap
from saddlepoint.sequence.solution import Solution, Status, Trace
from saddlepoint.sequence.strategy import Profile, belongs_to
from saddlepoint.solvers.ties import Tied, TiedForm

Vector = NDArray[np.float64]

SLICE_SECONDS = 0.25
CHECKPOINT_SECONDS = 10.0
SCHEDULE = 8


class Run(Protocol):
    """A method at work on a sequence form.

    A run may also have: `stride`, the least number of iterations between measurements;
    `spacing`, the same where measurements depend on nothing but the count;
    `halt()`, called when the loop ends, which stops what goes on in the background;
    `behaviours()`, the strategies, where they say more than their plans; `measure()`, what the
    loop measures instead of the gap of its plans; and `notes`, for the solution.
    """

    iterations: int
    finished: bool

    def advance(self, iterations: int, seconds: float) -> None:
        """Do at most so many iterations, at least one, and return after about so long."""

    def plans(self) -> tuple[Vector, Vector]:
        """The realization plans that would be the answer now."""

    def state(self) -> Mapping[str, Any]:
        """Everything needed to go on from here, as named arrays."""

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""


class Method(Protocol):
    """The settings of an algorithm."""

    name: ClassVar[str]
    sources: ClassVar[tuple[str, ...]]

    def start(self, form: SequenceForm) -> Run:
        """Begin on a game."""


@runtime_checkable
class TiedMethod(Protocol):
    """The settings of an algorithm for players who forget, too."""

    def start_tied(self, tied: TiedForm) -> Run:
        """Begin on a game with ties."""


def form_for(problem: Problem, method: object) -> SequenceForm | TiedForm:
    """What a method begins on: the tied form of a problem that has one, if the method knows ties.

    Raises
    ------
    RecallError
        If somebody forgets, and the method needs perfect recall.
    """
    if isinstance(problem, Tied) and isinstance(method, TiedMethod):
        return problem.tied_form()
    return as_form(problem)


def begin(problem: Problem, method: Method) -> tuple[SequenceForm, Run]:
    """Start a method; return what it runs on, and the run."""
    form = form_for(problem, method)
    if isinstance(form, TiedForm):
        assert isinstance(method, TiedMethod)
        return form.form, method.start_tied(form)
    return form, method.start(form)


@dataclass(frozen=True)
class Progress:
    """What a run reports while it works."""

    iterations: int
    seconds: float
    gap: float
    goal: float | None
    left: float | None
    """Seconds left, guessed from how the gap has fallen; None where no guess is possible."""


def check_budget(name: str, value: float | None, *, zero: bool = False) -> None:
    """Raise unless a budget is absent or a positive number (or zero, where that is allowed)."""
    if value is None:
        return
    counts = isinstance(value, int | float | np.number) and not is_truth(value)
    if not counts or not (value >= 0 if zero else value > 0):
        least = "at least 0" if zero else "above 0"
        raise SettingsError(f"{name} is {shown(value)}, expected a number {least}")


def run(
    problem: Problem,
    method: Method,
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Solution:
    """Run a method until a goal is reached or a budget is spent.

    Parameters
    ----------
    problem
        A game, a sequence form or a triple `(X, Y, A)`; for methods that know ties also a
        `saddlepoint.solvers.ties.TiedForm`, or what has one.
    method
        The settings of an algorithm.
    gap
        Stop when the sum of both players' best-response gains is at most this.
    iterations, seconds
        Stop when so many are spent (those of an earlier, resumed run included).
    progress
        Called about every quarter of a second.
    stop
        Asked as often; the run ends when it says True.
    checkpoint
        A file to write the state to every `checkpoint_seconds` and at the end. If it
        exists, the run goes on from there.

    Returns
    -------
    Solution
        With its status: not reaching the goal is not an error.
    """
    check_budget("gap", gap, zero=True)
    iterations = None if iterations is None else whole("iterations", iterations, 1)
    check_budget("seconds", seconds)
    form, work = begin(problem, method)
    loop = Loop(form, method, work, checkpoint)
    return loop.solution(loop.go(gap, iterations, seconds, progress, stop, checkpoint_seconds))


class Loop:
    """The loop itself, for callers who start a run in a way of their own.

    Parameters
    ----------
    form
        The game.
    method
        The settings, for checkpoints and the solution.
    work
        The run.
    checkpoint
        A file for its state, from which it goes on if it is there.
    """

    def __init__(
        self,
        form: SequenceForm,
        method: Method,
        work: Run,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.form, self.method, self.work = form, method, work
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        self.points: list[tuple[int, float, float]] = []
        self.before = 0.0
        if self.checkpoint is not None and self.checkpoint.exists():
            self._resume(self.checkpoint)
        self.began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds so far, those of an earlier run that was resumed included."""
        return self.before + time.perf_counter() - self.began

    def go(
        self,
        goal: float | None,
        iterations: int | None,
        seconds: float | None,
        progress: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
        checkpoint_seconds: float,
    ) -> Status:
        """Advance until a goal is reached or a budget is spent; see `run`."""
        try:
            return self._go(goal, iterations, seconds, progress, stop, checkpoint_seconds)
        finally:
            self._halt()

    def _go(
        self,
        goal: float | None,
        iterations: int | None,
        seconds: float | None,
        progress: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
        checkpoint_seconds: float,
    ) -> Status:
        saved = reported = time.perf_counter()
        work = self.work
        while True:
            if self.points and (status := self._done(goal, iterations)) is not None:
                break
            stride = getattr(work, "stride", 1)
            due = next_measurement(work.iterations, getattr(work, "spacing", 1))
            target = max(due, work.iterations + stride)
            target = target if iterations is None else min(target, iterations)
            left = math.inf if seconds is None else seconds - self.seconds
            if left <= 0 and self.points:
                status = Status.SECONDS
                break
            work.advance(target - work.iterations, max(0.0, min(SLICE_SECONDS, left)))
            if work.iterations >= target or work.finished or not self.points:
                self._measure()
            now = time.perf_counter()
            if progress is not None and now - reported >= SLICE_SECONDS:
                progress(self._progress(goal))
                reported = now
            if self.checkpoint is not None and now - saved >= checkpoint_seconds:
                self._save()
                saved = time.perf_counter()
            if stop is not None and stop():
                status = Status.INTERRUPTED
                break
        self._halt()
        if self.points[-1][0] != work.iterations:
            self._measure()
            status = self._done(goal, iterations) or status
        if self.checkpoint is not None:
            self._save()
        if progress is not None:
            progress(self._progress(goal))
        return status

    def _halt(self) -> None:
        """Stop what the run does in the background, if anything."""
        if hasattr(self.work, "halt"):
            self.work.halt()

    def _done(self, goal: float | None, iterations: int | None) -> Status | None:
        if goal is not None and self.points[-1][2] <= goal:
            return Status.CONVERGED
        if self.work.finished:
            return Status.CONVERGED if goal is None else Status.PRECISION
        if iterations is not None and self.work.iterations >= iterations:
            return Status.ITERATIONS
        return None

    def _measure(self) -> None:
        if hasattr(self.work, "measure"):
            found = self.work.measure()
        else:
            found = measure_gap(self.form.X, self.form.Y, self.form.A, *self.work.plans())
        self.points.append((self.work.iterations, self.seconds, found.gap))

    def _progress(self, goal: float | None) -> Progress:
        return Progress(
            self.work.iterations,
            self.seconds,
            self.points[-1][2],
            goal,
            time_left(self.points, goal),
        )

    def trace(self) -> Trace:
        """The measurements so far."""
        columns = list(zip(*self.points, strict=True)) if self.points else [(), (), ()]
        return Trace(
            np.array(columns[0], np.int64), np.array(columns[1], float), np.array(columns[2], float)
        )

    def solution(self, status: Status) -> Solution:
        """Measure the very strategies that are returned, not what the method holds."""
        if hasattr(self.work, "behaviours"):
            profile = Profile.of(self.form, *self.work.behaviours())
        else:
            profile = Profile.of_plans(self.form, *self.work.plans())
        x, y = profile.first.plan, profile.second.plan
        found = measure_gap(self.form.X, self.form.Y, self.form.A, x, y)
        return Solution(
            profile=profile,
            value=float(x @ (self.form.A @ y)),
            lower=found.lower,
            upper=found.upper,
            method=self.method.name,
            settings=settings_of(self.method),
            iterations=self.work.iterations,
            seconds=self.seconds,
            status=status,
            trace=self.trace(),
            notes=dict(getattr(self.work, "notes", {})),
            sources=(*self.form.sources, *self.method.sources),
        )

    def _save(self) -> None:
        assert self.checkpoint is not None
        manifest = {
            "kind": "checkpoint",
            "version": VERSION,
            "name": self.form.name,
            "game": dict(self.form.spec),
            "fingerprint": self.form.fingerprint,
            "method": self.method.name,
            "settings": settings_of(self.method),
            "iterations": self.work.iterations,
            "seconds": self.seconds,
        }
        store.write(self.checkpoint, manifest, {**self.work.state(), **self.trace().arrays()})

    def _resume(self, path: Path) -> None:
        artefact = store.read(path)
        found = artefact.manifest
        if found.get("kind") != "checkpoint":
            raise StoreError(f"{path} holds a {found.get('kind', 'file')}, expected a checkpoint")
        belongs_to(found, self.form, str(path))
        mine = (self.method.name, settings_of(self.method))
        theirs = (found["method"], dict(found["settings"]) | {"threads": None})
        if theirs != (mine[0], mine[1] | {"threads": None}):  # threads make no difference
            raise StoreError(
                f"{path} is a checkpoint of {found['method']} with {found['settings']}, "
                f"not of {mine[0]} with {mine[1]}; name another checkpoint or delete it"
            )
        self.work.restore(int(found["iterations"]), artefact.arrays)
        trace = Trace.of_arrays(artefact.arrays)
        rows = zip(trace.iterations, trace.seconds, trace.gap, strict=True)
        self.points = [(int(i), float(s), float(g)) for i, s, g in rows]
        self.before = float(found["seconds"])


def settings_of(method: Method) -> dict[str, Any]:
    """The settings of a method as plain data, infinities as text that reads back."""
    return {
        key: str(value) if isinstance(value, float) and math.isinf(value) else value
        for key, value in asdict(method).items()  # type: ignore[call-overload]
    }


def next_measurement(iterations: int, spacing: int = 1) -> int:
    """The iteration after which the gap is measured next, wherever a run stands.

    >>> [next_measurement(i) for i in (0, 1, 7, 16, 17, 100)]
    [1, 2, 8, 18, 18, 102]
    """
    due = 0
    while due <= iterations:
        due += max(spacing, due // SCHEDULE)
    return due


def time_left(points: list[tuple[int, float, float]], goal: float | None) -> float | None:
    """Guess the seconds to the goal from the power law of the latter half of the trace."""
    if goal is None or goal <= 0 or len(points) < 8:
        return None
    half = [p for p in points if p[1] >= points[-1][1] / 4 and p[2] > 0]
    if len(half) < 4 or half[-1][1] <= half[0][1]:
        return None
    logs = np.log(np.array(half)[:, 1:])
    slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    if slope >= -1e-3:
        return None
    now = points[-1]
    ratio = (math.log(goal) - math.log(max(now[2], 1e-300))) / slope
    return 0.0 if ratio <= 0 else float(now[1] * math.expm1(min(ratio, 50.0)))
