"""Which equilibrium: the one that a plain linear program returns, and others of its face.

A figure that depends on the choice is reported for the *unselected* equilibrium, which is
the vertex that HiGHS's dual simplex method returns on the plain linear program of the
player, with its presolve and without a starting basis; and as a range over vertices of the
player's equilibrium face, found with seeded random objectives (`solvers.face`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SaddlepointError
from saddlepoint.core.seeds import derived
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.solvers.highs import DUAL_SIMPLEX, Outcome, Solver
from saddlepoint.solvers.program import Program
from saddlepoint.studies.recipes import Kitchen

Plans = NDArray[np.float64]


def highs_version() -> str:
    """The version of HiGHS, on which the choice of a vertex depends."""
    from importlib.metadata import version

    return version("highspy")


def unselected(problem: Problem, player: int) -> Plans:
    """The plan of a player at the vertex that HiGHS's dual simplex returns."""
    form = as_form(problem)
    program = Program(form, player)
    solver = Solver(program.model(), solver="simplex", simplex_strategy=DUAL_SIMPLEX, presolve="on")
    if solver.solve() is not Outcome.OPTIMAL:
        raise SaddlepointError(f"HiGHS cannot solve {form.name}: {solver.words}")
    return program.plans(*solver.values())[player - 1]


def equilibria(kitchen: Kitchen, problem: Problem, player: int) -> list[Strategy]:
    """The unselected equilibrium strategy of a player, and vertices of his face after it."""
    form = as_form(problem)
    plex = form.X if player == 1 else form.Y
    key = {
        "game": dict(form.spec),
        "player": player,
        "vertices": kitchen.vertices,
        "seed": kitchen.seed,
        "highs": highs_version(),
    }
    found = kitchen.step("equilibria", key, lambda: _plans(form, player, kitchen))
    return [Strategy.of_plan(plex, plan, player) for plan in found["plans"]]


def _plans(form: SequenceForm, player: int, kitchen: Kitchen) -> dict[str, Any]:
    face = EquilibriumFace(form, player)
    drawn = face.vertices(kitchen.vertices, derived(kitchen.seed, "face", form.name, player))
    return {"plans": np.vstack([unselected(form, player)[None], drawn])}
