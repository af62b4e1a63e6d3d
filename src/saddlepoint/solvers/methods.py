"""The methods by name, and the one call that solves a game with any of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.sequence.form import Problem, SequenceForm
from saddlepoint.sequence.response import gap as gap_of_plans
from saddlepoint.sequence.solution import Solution
from saddlepoint.solvers import cfr
from saddlepoint.solvers.excessive_gap import ExcessiveGap, ExcessiveGap2
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.montecarlo import MonteCarlo
from saddlepoint.solvers.run import CHECKPOINT_SECONDS, Method, Progress, form_for, run
from saddlepoint.solvers.smoothing import IteratedSmoothing, Smoothing
from saddlepoint.solvers.tied import TiedRegretMatching
from saddlepoint.solvers.ties import Tied, TiedForm

METHODS: dict[str, type[Method]] = {
    LinearProgram.name: LinearProgram,
    **{method.name: method for method in cfr.FAMILY},
    **{
        method.name: method
        for method in (ExcessiveGap, ExcessiveGap2, Smoothing, IteratedSmoothing)
    },
    TiedRegretMatching.name: TiedRegretMatching,  # for players who forget
    MonteCarlo.name: MonteCarlo,
}

# A linear program is exact and, below this many sequences of both players, quick.
_LARGEST_PROGRAM = 20_000
_LARGE = 2_000_000
# Without a goal, iterative methods stop at this part of the gap of uniform strategies.
DEFAULT_PART = 1e-4
# And where somebody forgets, so that the gap may never be that small, after so many iterations.
DEFAULT_TIED_ITERATIONS = 2_000


def method_named(name: str, **settings: Any) -> Method:
    """The method of a name, with its settings.

    >>> method_named("dcfr", gamma=3.0).gamma
    3.0
    """
    if name not in METHODS:
        raise SettingsError(unknown("method", name, ["auto", *METHODS]))
    kind = METHODS[name]
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in settings:
        if key not in known:
            raise SettingsError(unknown(f"setting of {name}", key, known))
    return kind(**settings)


def chosen(form: SequenceForm) -> str:
    """The method that `auto` stands for: a linear program where it is small, else dcfr.

    For games that fill more than the caches it is hs-dcfr, in single precision.
    """
    sequences = form.X.n_sequences + form.Y.n_sequences
    return "lp" if sequences <= _LARGEST_PROGRAM else "dcfr" if sequences < _LARGE else "hs-dcfr"


def automatic(form: SequenceForm, **settings: Any) -> Method:
    """The method that `auto` stands for, with settings of it."""
    name = chosen(form)
    return method_named(name, **({"precision": "single"} if name == "hs-dcfr" else {}) | settings)


def solve(
    problem: Problem,
    method: str | Method = "auto",
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    **settings: Any,
) -> Solution:
    """Find an equilibrium of a game.

    Parameters
    ----------
    problem
        A game, a `SequenceForm`, a triple `(X, Y, A)`, or a matrix of payoffs to player 1; or a
        game in which a player forgets, for the method `tied`.
    method
        `lp`, `cfr`, `cfr+`, `lcfr`, `dcfr`, `pcfr+`, `hs-dcfr`, `egt`, `egt-2`, `smoothing`,
        `iterated`, `tied`, `mccfr`, `auto`, or the settings of a method.
    gap, iterations, seconds
        When to stop, see `saddlepoint.solvers.run.run`. If none of them is given, an
        iterative method stops at a ten-thousandth of the gap of uniform strategies; a
        linear program runs to its end. Where a player forgets, the gap may stay large, and
        iterations end after 2,000 at most.
    progress, stop, checkpoint, checkpoint_seconds
        See `saddlepoint.solvers.run.run`.
    **settings
        Settings of the named method.

    Returns
    -------
    Solution
        Strategies of both players, the value, certified bounds on it, and how it went.

    Raises
    ------
    RecallError
        If a player forgets, and the method needs perfect recall.

    Examples
    --------
    >>> from saddlepoint.games.catalogue import game
    >>> round(solve(game("kuhn")).value * 18, 9)
    -1.0
    """
    if method == "auto" and isinstance(problem, Tied):
        method = TiedRegretMatching.name
    if not isinstance(method, str) and settings:
        raise SettingsError(f"settings {sorted(settings)} go with the name of a method")
    if isinstance(method, str) and method != "auto":
        method = method_named(method, **settings)
    given = form_for(problem, method)
    form = given.form if isinstance(given, TiedForm) else given
    if isinstance(method, str):
        method = automatic(form, **settings)
    if gap is None and iterations is None and seconds is None:
        gap = None if isinstance(method, LinearProgram) else DEFAULT_PART * _uniform_gap(form)
        iterations = DEFAULT_TIED_ITERATIONS if isinstance(given, TiedForm) else None
    return run(
        given,
        method,
        gap=gap,
        iterations=iterations,
        seconds=seconds,
        progress=progress,
        stop=stop,
        checkpoint=checkpoint,
        checkpoint_seconds=checkpoint_seconds,
    )


def _uniform_gap(form: SequenceForm) -> float:
    x, y = form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform())
    return gap_of_plans(form.X, form.Y, form.A, x, y).gap
