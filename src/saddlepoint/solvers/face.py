r"""All equilibrium plans of a player: a face of his polytope of plans, explored by programs.

A zero-sum game has one value and, as a rule, many equilibria. The plans of player 1 that
guarantee the value are a polytope: with any one optimal plan $y^*$ of the opponent and the
values $v^*$ of his own information sets against it, complementary slackness says that x
is one of them exactly if

* $x_q = 0$ for every sequence q that loses against $y^*$ (its reduced cost is not 0), and
* the opponent's sequences with $y^*_q > 0$ stay best responses to x (their rows are tight).

So the face is the program of `saddlepoint.solvers.program` with these bounds: no bound on
the value with a slack to choose, by which the face would grow in every direction.

Tolerance: a loss of less than `INDIFFERENT`, in units of the greatest payoff weighted by
chance, counts as none. The ranges found are those of plans that guarantee the value but
for such a loss; with payoffs that differ by more than that they are the exact ones, up to
rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SaddlepointError, SettingsError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.sequence.form import Problem, as_form
from saddlepoint.solvers.highs import PRIMAL_SIMPLEX, Outcome, solved
from saddlepoint.solvers.program import Program, tidy

Vector = NDArray[np.float64]

# A reduced cost below this is rounding: it is what HiGHS takes for zero.
INDIFFERENT = 1e-9
# Plans that differ by less than this are the same vertex.
SAME = 1e-7


@dataclass(frozen=True)
class Range:
    """Between what a linear function of a plan can vary, and plans where it does."""

    minimum: float
    maximum: float
    argmin: Vector
    argmax: Vector


class EquilibriumFace:
    """The polytope of a player's equilibrium plans.

    Parameters
    ----------
    problem
        The game.
    player
        1 or 2.

    Raises
    ------
    SizeError
        If the game is too large for a linear program.

    Examples
    --------
    Player 1 of this game may play the first row, the second, or mix them:

    >>> from saddlepoint.sequence.form import matrix_form
    >>> face = EquilibriumFace(matrix_form([[1, 2], [1, 3], [0, 9]]), 1)
    >>> first = face.range([0, 1, 0, 0])
    >>> first.minimum, first.maximum, face.unique
    (0.0, 1.0, False)
    """

    def __init__(self, problem: Problem, player: int) -> None:
        if player not in (1, 2):
            raise SettingsError(f"player is {player}, expected 1 or 2")
        self.form, self.player = as_form(problem), player
        self.program = Program(self.form, player)
        self._solver = solved(self.program)
        columns, duals = self._solver.values()
        plans = self.program.plans(columns, duals)
        self.plan: Vector = plans[player - 1]
        """One equilibrium plan of the player: a vertex."""
        self.opponent: Vector = plans[2 - player]
        """One equilibrium plan of the opponent."""
        self._confine(duals)

    def _confine(self, duals: Vector) -> None:
        """Hold the program to the face, and drop its objective.

        Only bounds of variables at their bounds change: the last basis stays feasible, and
        the primal simplex goes on from vertex to vertex.
        """
        highs, n = self._solver.highs, self.program.own.n_sequences
        loses = np.flatnonzero(np.abs(self._solver.reduced_costs()[:n]) > INDIFFERENT)
        tight = np.flatnonzero(np.abs(duals[: self.program.other.n_sequences]) > INDIFFERENT)
        zero = np.zeros(len(loses))
        highs.changeColsBounds(len(loses), loses.astype(np.int32), zero, zero)
        for q in tight.tolist():
            highs.changeRowBounds(q, 0.0, 0.0)
        highs.changeColCost(n, 0.0)
        self._solver.set(simplex_strategy=PRIMAL_SIMPLEX)

    # Questions ------------------------------------------------------------------------

    @cached_property
    def value(self) -> float:
        """The value of the game, as a payoff to player 1."""
        sign = 1.0 if self.player == 1 else -1.0
        return sign * float(self.plan @ self.program.gradient(self.player, self.opponent))

    def maximise(self, c: ArrayLike) -> Vector:
        """An equilibrium plan with the greatest value of c @ plan: a vertex of the face."""
        c = self.program.own.vector(c)
        greatest = float(np.abs(c).max())
        places = np.arange(len(c), dtype=np.int32)
        # HiGHS's tolerance for costs is absolute.
        self._solver.highs.changeColsCost(len(c), places, c / greatest if greatest else c)
        if self._solver.solve() is not Outcome.OPTIMAL:
            raise SaddlepointError(f"HiGHS cannot solve {self.form.name}: {self._solver.words}")
        return tidy(self.program.own, self._solver.values()[0][: len(c)])

    def range(self, c: ArrayLike) -> Range:
        """Between what c @ plan varies over the player's equilibrium plans.

        Parameters
        ----------
        c
            One coefficient for each sequence of the player. A single 1 asks for the
            probability with which he plays a sequence, as far as it depends on him.
        """
        c = self.program.own.vector(c)
        low, high = self.maximise(-c), self.maximise(c)
        return Range(float(c @ low), float(c @ high), low, high)

    def vertices(self, count: int, seed: Seed = 0) -> NDArray[np.float64]:
        """The vertices found with so many objectives drawn at random, one in each row.

        A normal direction: vertices turn up with the probability of their normal cones,
        each once in the result.
        """
        if count < 1:
            raise SettingsError(f"count is {count}, expected at least 1")
        rng, found = generator(seed), list[Vector]()
        for _ in range(count):
            plan = self.maximise(rng.normal(size=self.program.own.n_sequences))
            if all(np.abs(plan - other).max() > SAME for other in found):
                found.append(plan)
        return np.array(found)

    @cached_property
    def unique(self) -> bool:
        """Whether the player has one equilibrium plan only.

        A direction drawn at random is constant on the face exactly if that is a point.
        """
        direction = np.random.default_rng(0).normal(size=self.program.own.n_sequences)
        found = self.range(direction)
        return bool(np.abs(found.argmax - found.argmin).max() <= SAME)
