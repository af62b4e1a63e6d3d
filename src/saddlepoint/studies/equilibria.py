"""Which equilibrium: the one that a plain linear program returns, and others of its face.

A figure that depends on the choice is reported for the *unselected* equilibrium, which is
the vertex that HiGHS's dual simplex method returns on the plain linear program of the
player, with its presolve and without a starting basis; and as a range over vertices of the
player's equilibrium face, found with seeded random objectives (`solvers.face`).

For thesis 004 it is reported for the *central* equilibrium, where an interior point method
ends that is not followed by crossover: inside of the face, away from all vertices. The thesis
used CPLEX and cites Mehrotra's method, and its agents are far from any vertex of ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SaddlepointError
from saddlepoint.core.seeds import derived
from saddlepoint.reverse.purify import threshold
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.solvers.highs import DUAL_SIMPLEX, Outcome, Solver
from saddlepoint.solvers.program import Program
from saddlepoint.studies.recipes import Kitchen

Plans = NDArray[np.float64]
LEFT = 1e-6


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


def central(problem: Problem, player: int) -> Plans:
    """The plan of a player at which HiGHS's interior point method ends, without crossover.

    Probabilities below `LEFT` are what the method leaves of zeros.
    """
    form = as_form(problem)
    program = Program(form, player)
    solver = Solver(program.model(), solver="ipm", run_crossover="off", presolve="on")
    solver.solve()
    plan = program.plans(*solver.values())[player - 1]
    return threshold(Strategy.of_plan(program.own, plan, player), LEFT).plan


def equilibria(
    kitchen: Kitchen, problem: Problem, player: int, inside: bool = False
) -> list[Strategy]:
    """The unselected equilibrium strategy of a player, and vertices of his face after it.

    With `inside` the central one comes before them.
    """
    form = as_form(problem)
    plex = form.X if player == 1 else form.Y
    key = {
        "game": dict(form.spec),
        "player": player,
        "vertices": kitchen.vertices,
        "seed": kitchen.seed,
        "highs": highs_version(),
    }
    whose = f"of {form.name}, player {player}"
    found = kitchen.step(
        "equilibria", key, lambda: _plans(form, player, kitchen), f"equilibria {whose}"
    )
    plans = list(found["plans"])
    if inside:
        found = kitchen.step(
            "central", key, lambda: {"plan": central(form, player)}, f"central equilibrium {whose}"
        )
        plans.insert(0, found["plan"])
    return [Strategy.of_plan(plex, plan, player) for plan in plans]


def _plans(form: SequenceForm, player: int, kitchen: Kitchen) -> dict[str, Any]:
    face = EquilibriumFace(form, player)
    drawn = face.vertices(kitchen.vertices, derived(kitchen.seed, "face", form.name, player))
    return {"plans": np.vstack([unselected(form, player)[None], drawn])}
