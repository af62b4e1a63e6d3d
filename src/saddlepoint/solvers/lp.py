r"""Linear programming: exact equilibria of games whose payoffs can be written down.

The program is described in `saddlepoint.solvers.program`; HiGHS solves it (Huangfu and
Hall 2018), by one of two algorithms.

The **simplex method** walks from basis to basis. Thesis 003, section 2.3.3, observes that
it is an anytime algorithm for one of the players: every basis of the primal simplex holds
a strategy of the player whose plan is x, every basis of the dual simplex one of the
opponent, each with the bound on the value that it guarantees. An interrupted run keeps
that strategy, and goes on from its basis later (section 6.3.1, of the player GS1).

The **interior-point method** holds nothing usable before it ends (crossover to a basis
included), and ends sooner on large programs.

Where this differs from the thesis: instead of one program and the choice between primal
and dual simplex, it is always the dual simplex, on the program of the opponent of the
player who is to be left a strategy. That is the same by duality, and HiGHS's dual simplex
is the quicker one and loses less when it is interrupted. And the first basis is not that
of slacks, from which nobody has a strategy for the first half of the way, but that of two
pure strategies: the likeliest actions of the player after a few iterations of CFR+ (on
small programs, an answer to the uniform strategy), and the answer to them. The player has
a strategy from the first iteration on, and on poker games the way is a third as long.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SaddlepointError, SettingsError
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.response import gap
from saddlepoint.solvers.cfr import CFRPlus
from saddlepoint.solvers.highs import DUAL_SIMPLEX, Outcome, Solver, Statuses
from saddlepoint.solvers.program import Program

Vector = NDArray[np.float64]

ALGORITHMS = ("auto", "interior", "simplex")
PRESOLVE = ("auto", "on", "off")
# Interior point is likely to be quicker on programs with more payoffs or rows than this:
# measured on Leduc Hold'em with 3 to 16 ranks, small Rhode Island Hold'em, liar's dice,
# goofspiel and random matrix games. Near the border neither is three times the other.
INTERIOR_PAYOFFS, INTERIOR_ROWS = 150_000, 15_000
# So many iterations of CFR+ choose the pure strategies to begin from, on programs of more
# rows than this. More do not help; on small programs they save less than they cost.
WARMING, WARM_ROWS = 30, 1_000
# A slice of the simplex method ends after so many iterations, because what it has done is
# known only then; where an early strategy matters, a slice is short.
SLICE, SHORT_SLICE = 5_000, 32
# Even a slice of one iteration takes a moment, however little time there is left.
LEAST_SECONDS = 0.02
# So long is waited for what has nothing usable before it ends to stop.
PATIENCE_SECONDS = 0.25
_LARGEST_LIMIT = 2**31 - 1
_NO_STATUSES = np.zeros(0, np.int8)


@dataclass(frozen=True, kw_only=True)
class LinearProgram:
    """Settings of linear programming.

    Parameters
    ----------
    algorithm
        `simplex`, `interior`, or `auto`: the one that is likely to be quicker.
    player
        1 or 2: an interrupted run leaves this player a strategy and its bound, which
        never worsens (simplex only). 0: neither matters before the end.
    presolve
        `on`, `off`, or `auto`: on for interior point, off for the simplex method, which
        needs the whole program to begin from two pure strategies and to be interrupted.

    Examples
    --------
    >>> from saddlepoint.sequence.form import matrix_form
    >>> from saddlepoint.solvers.run import run
    >>> solution = run(matrix_form([[2, -1], [-1, 1]]), LinearProgram())
    >>> round(solution.value, 12), solution.status.value
    (0.2, 'converged')
    """

    name: ClassVar[str] = "lp"
    sources: ClassVar[tuple[str, ...]] = ("stengel1996", "koller1996", "huangfu2018")
    algorithm: str = "auto"
    player: int = 0
    presolve: str = "auto"

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise SettingsError(f"algorithm is '{self.algorithm}', expected one of {ALGORITHMS}")
        if self.presolve not in PRESOLVE:
            raise SettingsError(f"presolve is '{self.presolve}', expected one of {PRESOLVE}")
        if self.player not in (0, 1, 2):
            raise SettingsError(f"player is {self.player}, expected 1, 2, or 0 for neither")
        if self.player and (self.algorithm == "interior" or self.presolve == "on"):
            raise SettingsError(
                f"player is {self.player}, but an interrupted run leaves a player his strategy "
                "only with the simplex algorithm and without presolve"
            )

    def start(self, form: SequenceForm) -> LinearRun:
        """Write the program of a game down, and begin."""
        return LinearRun(form, self)

    def ways(self, payoffs: int, rows: int) -> list[tuple[str, bool]]:
        """Algorithms and whether to presolve: the way to go, and what to try if it fails."""
        large = payoffs > INTERIOR_PAYOFFS or rows > INTERIOR_ROWS
        automatic = "interior" if large and not self.player else "simplex"
        algorithm = automatic if self.algorithm == "auto" else self.algorithm
        presolve = algorithm == "interior" if self.presolve == "auto" else self.presolve == "on"
        rest = [("simplex", False), ("interior", True), ("simplex", True)]
        return [(algorithm, presolve), *(way for way in rest if way != (algorithm, presolve))]


class LinearRun:
    """HiGHS at work on the program of a game.

    Between slices it holds the best plan of each player so far, the bound on the value
    that each guarantees, and a basis.
    """

    def __init__(self, form: SequenceForm, settings: LinearProgram) -> None:
        self.form, self.settings = form, settings
        self.program = Program(form, 2 if settings.player == 1 else 1)
        self.iterations, self.finished = 0, False
        self.lower, self.upper = -np.inf, np.inf
        self._ways = settings.ways(len(self.program.payoffs), self.program.n_rows)
        self._failed: list[str] = []
        self._statuses: Statuses | None = None
        pure = self._pure()
        self._begin(pure)
        own, other = self.program.own.plan(pure[0]), self.program.other.plan(pure[1])
        self._keep(*((own, other) if self.program.player == 1 else (other, own)))

    def _pure(self) -> tuple[Vector, Vector]:
        """The pure strategies to begin from."""
        if self.program.n_rows <= WARM_ROWS:
            return self.program.pure_start()
        run = CFRPlus().start(self.form)
        while run.iterations < WARMING:
            run.advance(WARMING - run.iterations, 1.0)
        other = run.plans()[2 - self.program.player]
        return self.program.pure_start(self.program.other.behaviour(other))

    def _begin(self, pure: tuple[Vector, Vector]) -> None:
        algorithm, presolve = self._ways[0]
        self.solver = Solver(
            self.program.model(),
            solver="ipm" if algorithm == "interior" else "simplex",
            simplex_strategy=DUAL_SIMPLEX,
            presolve="on" if presolve else "off",
        )
        self.sliced, self.stride = algorithm == "simplex" and not presolve, _LARGEST_LIMIT
        if self.sliced:
            self.solver.basis = self.program.statuses(*pure)
            self.stride = SHORT_SLICE if self.settings.player else SLICE
        weakref.finalize(self, self.solver.halt, PATIENCE_SECONDS)

    def _keep(self, x: Vector, y: Vector) -> None:
        """Keep each plan that guarantees its player no less than the one he has."""
        found = gap(self.form.X, self.form.Y, self.form.A, x, y)
        if found.lower >= self.lower:
            self.x, self.lower = x, found.lower
        if found.upper <= self.upper:
            self.y, self.upper = y, found.upper

    @property
    def notes(self) -> Mapping[str, Any]:
        """What ran, on what, and what failed before it."""
        algorithm, presolve = self._ways[0]
        notes: dict[str, Any] = {
            "algorithm": algorithm,
            "presolve": presolve,
            "program of player": self.program.player,
            "rows": self.program.n_rows,
            "columns": self.program.n_columns,
            "payoffs": len(self.program.payoffs),
        }
        return notes | ({"failed before": list(self._failed)} if self._failed else {})

    # The protocol of a run ------------------------------------------------------------

    def advance(self, iterations: int, seconds: float) -> None:
        """Let HiGHS work; what it has done counts at the end of its slice.

        A slice goes on in the background when the time is over first, so that time has no
        influence on its path.
        """
        if self.finished:
            return
        if not self.solver.working:
            limit = min(iterations, _LARGEST_LIMIT)
            self.solver.set(simplex_iteration_limit=limit, ipm_iteration_limit=limit)
            if self._statuses is not None:
                # As after a resumption: the path must not depend on whether there was one.
                self.solver.restart(self._statuses)
            self.solver.begin()
        if self.solver.wait(max(seconds, LEAST_SECONDS)):
            self._harvest()

    def halt(self) -> None:
        """Stop in the middle of a slice, and keep what it has found, if it can be of use."""
        if self.solver.working and self.solver.halt(None if self.sliced else PATIENCE_SECONDS):
            self._harvest()

    def _harvest(self) -> None:
        outcome, done = self.solver.outcome, self.solver.iterations
        stuck = outcome is Outcome.LIMIT and done == 0
        if outcome is Outcome.FAILED or stuck:
            self._fall_back(self.solver.words)
            return
        self.iterations += done
        self.finished = outcome is Outcome.OPTIMAL
        basis, (columns, duals) = self.solver.basis, self.solver.values()
        if basis is not None and len(columns) and (self.finished or self.sliced):
            self._statuses = basis
            self._keep(*self.program.plans(columns, duals))

    def _fall_back(self, words: str) -> None:
        algorithm, presolve = self._ways.pop(0)
        self._failed.append(f"{algorithm} {'with' if presolve else 'without'} presolve: {words}")
        if not self._ways:
            entries = np.abs(self.program.payoffs.values)
            raise SaddlepointError(
                f"HiGHS cannot solve {self.form.name} ({'; '.join(self._failed)}); its payoffs, "
                f"weighted by chance, range from {entries.min(initial=0):.3g} to "
                f"{entries.max(initial=0):.3g} in size; use an iterative method such as dcfr"
            )
        self._statuses = None
        self._begin(self._pure())

    def plans(self) -> tuple[Vector, Vector]:
        """The best plan of each player so far."""
        return self.x, self.y

    def state(self) -> Mapping[str, Any]:
        """The basis, the plans, and how it stands."""
        columns, rows = self._statuses or (_NO_STATUSES, _NO_STATUSES)
        flags = np.array([self.finished, len(self._failed)], np.int64)
        return {"columns": columns, "rows": rows, "x": self.x, "y": self.y, "flags": flags}

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state: with the simplex method from its basis, else from the start."""
        self.halt()
        finished, failed = (int(flag) for flag in state["flags"])
        while len(self._failed) < failed:
            self._fall_back("failed in an earlier run")
        self.iterations, self.finished = iterations, bool(finished)
        self.lower, self.upper = -np.inf, np.inf
        self._keep(np.array(state["x"]), np.array(state["y"]))
        self._statuses = None
        if self.sliced and len(state["columns"]):
            self._statuses = np.array(state["columns"]), np.array(state["rows"])
