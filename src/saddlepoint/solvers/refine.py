r"""A better choice among equilibria, and at information sets that equilibrium says nothing of.

An equilibrium strategy of a zero-sum game guarantees the value, no more: it may throw away
what an opponent who errs would give, in two places.

**Among equilibria.** `undominated` chooses, of all plans of a player that guarantee the
value, one that earns most against a fully mixed strategy of the opponent. No plan does at
least as well against every plan of the opponent and better against some: such a plan would
guarantee the value too, and earn more against a strategy that plays everything. Two such
plans are a normal-form perfect equilibrium (van Damme 1987: in games of two players, an
equilibrium in undominated strategies is one).

**Off the path.** At information sets that a player's own plan excludes, any behaviour
belongs to the same plan. `continued` plays there a best response to the opponent's
strategy with a little of a fully mixed one, to all that is still to come. The plan is the
same, so what it guarantees is the same; and no continuation is dominated.

What is *not* guaranteed is a sequential or an extensive-form perfect equilibrium: the two
players' behaviour off the path need not be consistent with each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence.form import Problem, as_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.solution import Solution, Status
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.solvers.program import NOISE, Program

Vector = NDArray[np.float64]

# The share of the fully mixed strategy in what play off the path answers to.
TREMBLE = 1e-3
# What the name of a method ends in whose strategies were refined.
REFINED = ", refined"


def undominated(problem: Problem, player: int, against: ArrayLike | None = None) -> Vector:
    """An equilibrium plan that no other plan of the player dominates.

    Parameters
    ----------
    problem
        The game.
    player
        1 or 2.
    against
        A behaviour strategy of the opponent that plays every action, against which the
        plan earns most of all equilibrium plans; the uniform one if absent.

    Examples
    --------
    Both rows guarantee 1; the second earns more if player 2 errs:

    >>> from saddlepoint.sequence.form import matrix_form
    >>> undominated(matrix_form([[1, 1], [1, 3]]), 1)
    array([1., 0., 1.])
    """
    face = EquilibriumFace(problem, player)
    mixed = _fully_mixed(face.program.other, against)
    return face.maximise(face.program.gradient(player, face.program.other.plan(mixed)))


def continued(
    problem: Problem,
    player: int,
    plan: ArrayLike,
    opponent: ArrayLike,
    against: ArrayLike | None = None,
    tremble: float = TREMBLE,
) -> Vector:
    """The behaviour strategy of a plan, with best responses where the plan never arrives.

    Parameters
    ----------
    problem
        The game.
    player
        1 or 2.
    plan, opponent
        The player's and the opponent's realization plans.
    against
        A behaviour strategy of the opponent that plays every action; uniform if absent.
    tremble
        Its share in the mixture of plans that is answered, above 0 and at most 1.
    """
    if not 0.0 < tremble <= 1.0:
        raise SettingsError(f"tremble is {tremble}, expected above 0 and at most 1")
    program = Program(as_form(problem), player)
    own, other = program.own, program.other
    mixed = other.plan(_fully_mixed(other, against))
    faced = (1.0 - tremble) * other.vector(opponent) + tremble * mixed
    x = own.vector(plan)
    _, response = own.best_response(program.gradient(player, faced))
    arrives = np.ones(own.n_sequences, bool)
    arrives[1:] = x[own.flat.parent][own.flat.infoset[1:]] > NOISE
    return np.where(arrives, own.behaviour(x), response)


def refine(solution: Solution, against: tuple[ArrayLike, ArrayLike] | None = None) -> Solution:
    """A solution whose strategies are undominated and play on sensibly off their path.

    Parameters
    ----------
    solution
        Tells the game; its strategies are replaced.
    against
        Fully mixed behaviour strategies of player 1 and player 2 to do well against; the
        uniform ones if absent. Player 1's plan is chosen against player 2's strategy.

    Returns
    -------
    Solution
        Its strategies come from linear programs, whatever method came before, so its bounds
        are as tight as theirs; `method` ends in ", refined", and the notes have the bounds
        from before. Iterations, seconds, settings and trace stay those of the method.

    Raises
    ------
    SizeError
        If the game is too large for a linear program.

    Examples
    --------
    >>> from saddlepoint.sequence.form import matrix_form
    >>> from saddlepoint.solvers.lp import LinearProgram
    >>> from saddlepoint.solvers.run import run
    >>> better = refine(run(matrix_form([[1, 1], [1, 3]]), LinearProgram()))
    >>> better.profile.first["row"], better.notes["refined"]
    ({'1': 0.0, '2': 1.0}, 'undominated')
    """
    form = solution.profile.form
    first, second = against if against is not None else (None, None)
    x, y = undominated(form, 1, second), undominated(form, 2, first)
    profile = Profile.of(form, continued(form, 1, x, y, second), continued(form, 2, y, x, first))
    x, y = profile.first.plan, profile.second.plan
    found = gap(form.X, form.Y, form.A, x, y)
    method = solution.method
    return replace(
        solution,
        profile=profile,
        method=method if method.endswith(REFINED) else method + REFINED,
        status=Status.CONVERGED,
        value=float(x @ (form.A @ y)),
        lower=found.lower,
        upper=found.upper,
        notes=dict(solution.notes)
        | {
            "refined": "undominated",
            "strategies by": "linear programs on the equilibria; iterations, seconds, trace and "
            "settings are those of the method before",
            "bounds before": [solution.lower, solution.upper],
        },
    )


def _fully_mixed(plex: Treeplex, against: ArrayLike | None) -> Vector:
    if against is None:
        return plex.uniform()
    s = plex.check(against)
    if (s <= 0.0).any():
        q = int(np.flatnonzero(s <= 0.0)[0])
        raise StrategyError(
            f"the strategy to do well against never plays '{plex.sequence_name(q)}', "
            "expected one that plays every action"
        )
    return s
