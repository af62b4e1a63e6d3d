"""The front desk: what `import saddlepoint as sp` offers, one call a verb."""

from __future__ import annotations

import os
from fractions import Fraction
from importlib import import_module
from typing import Any

from saddlepoint.core import store
from saddlepoint.core.errors import GameError, StoreError
from saddlepoint.games.catalogue import game
from saddlepoint.measure.exact import (
    best_response,
    bounds,
    expected_value,
    exploitability,
    exploitability_by_seat,
    gap,
    head_to_head,
    value_matrix,
)
from saddlepoint.sequence.form import Game, Problem, SequenceForm
from saddlepoint.sequence.solution import Solution
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.sequence.strategy_text import profile_of_tables, tables_of_text
from saddlepoint.solvers.methods import METHODS
from saddlepoint.solvers.methods import solve as solve_problem


def solve(problem: Problem | str, method: Any = "auto", **options: Any) -> Solution:
    """Find an equilibrium of a game, of the game that a text names, or of a matrix.

    See `saddlepoint.solvers.methods.solve` for the options.

    >>> solve("kuhn", "cfr+", gap=1e-3).status.value
    'converged'
    >>> round(solve([[3, -1], [-1, 1]]).value, 9)
    0.333333333
    """
    return solve_problem(game(problem) if isinstance(problem, str) else problem, method, **options)


def load(
    path: str | os.PathLike[str], problem: Problem | str | None = None, *, mapped: bool = False
) -> Solution | Profile:
    """Read a saved solution or profile.

    Parameters
    ----------
    path
        A `.saddle` file, or strategies as JSON; which of them, its content says.
    problem
        The game, if the file cannot tell how to build it (games made in Python).
    mapped
        Map the strategies of a `.saddle` file into memory instead of reading them.
    """
    if not store.is_archive(path):
        return _of_json(path, problem)
    artefact = store.read(path, mapped=mapped)
    kind = artefact.manifest.get("kind")
    if kind not in ("solution", "profile"):
        raise StoreError(f"{path} holds a {kind}, expected a solution or a profile")
    found = _game_for(path, artefact.manifest.get("game", {}), problem)
    read = Solution.of_artefact if kind == "solution" else Profile.of_artefact
    return read(artefact, found, str(path))


def _of_json(path: str | os.PathLike[str], problem: Problem | str | None) -> Profile:
    text = store.content(path)
    if not text.lstrip().startswith((b"{", b"[")) and not str(path).endswith(".json"):
        raise StoreError(f"{path} is neither a Saddlepoint file nor strategies as JSON")
    tables = tables_of_text(text, str(path))
    return profile_of_tables(tables, _game_for(path, tables.get("spec"), problem), str(path))


def _game_for(path: str | os.PathLike[str], spec: Any, problem: Problem | str | None) -> Problem:
    """The game that was given, or else the one that a file says."""
    if problem is not None:
        return game(problem) if isinstance(problem, str) else problem
    from saddlepoint.abstraction.shrink import game_of_spec

    try:
        return game_of_spec(spec if isinstance(spec, dict) else {})
    except GameError as error:
        raise GameError(f"{path}: {error}") from None


def profile_of(loaded: Solution | Profile) -> Profile:
    """The profile itself, of a solution or a profile."""
    return loaded.profile if isinstance(loaded, Solution) else loaded


def exact_value(problem: Problem | str) -> Fraction:
    """The value of a small game as a fraction, proved by exact arithmetic.

    >>> exact_value("kuhn")
    Fraction(-1, 18)
    """
    from saddlepoint.solvers.exact import solve_in_fractions

    return solve_in_fractions(game(problem) if isinstance(problem, str) else problem).value


# Offered here, loaded when first used: what not every run needs.
_ELSEWHERE = {
    "AbstractGame": "abstraction.abstract_game",
    "Buckets": "abstraction.buckets",
    "OrderedGame": "games.signals",
    "certify": "measure.public_response",
    "EquilibriumFace": "solvers.face",
    "Translation": "reverse.translate",
    "eliminate_dominated": "solvers.dominance",
    "enumerate_supports": "solvers.support",
    "game_shrink": "abstraction.gameshrink",
    "lift": "reverse.lift",
    "lift_limited": "reverse.limits",
    "lift_profile": "reverse.lift",
    "load_abstraction": "abstraction.files",
    "prune": "solvers.prune",
    "purify": "reverse.purify",
    "refine": "solvers.refine",
    "save_abstraction": "abstraction.files",
    "shrink": "abstraction.shrink",
    "solve_in_fractions": "solvers.exact",
    "threshold": "reverse.purify",
}


def __getattr__(name: str) -> Any:
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'saddlepoint.api' has no attribute '{name}'")
    return getattr(import_module(f"saddlepoint.{_ELSEWHERE[name]}"), name)


__all__ = [
    "METHODS",
    "Game",
    "Profile",
    "SequenceForm",
    "Solution",
    "Strategy",
    "best_response",
    "bounds",
    "exact_value",
    "expected_value",
    "exploitability",
    "exploitability_by_seat",
    "game",
    "gap",
    "head_to_head",
    "load",
    "profile_of",
    "solve",
    "value_matrix",
]
__all__ += list(_ELSEWHERE)
