"""HiGHS at work in a thread of its own, so that it can be waited for and stopped.

HiGHS lets go of the interpreter while it works and asks a callback at every iteration
whether to stop. With one thread and a fixed seed its path depends on nothing else; time
decides only how long somebody waits for it.
"""

from __future__ import annotations

import atexit
import threading
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SaddlepointError
from saddlepoint.solvers.program import Program

Vector = NDArray[np.float64]
Statuses = tuple[NDArray[np.int8], NDArray[np.int8]]

# HiGHS works with payoffs of at most 1 (see `Program`), where this is far below any gap
# that is asked for, and far enough above rounding for its simplex method to end.
TOLERANCE = 1e-9
SMALLEST_ENTRY = 1e-12
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4

BASE: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "random_seed": 0,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
    "small_matrix_value": SMALLEST_ENTRY,
}


class Outcome(Enum):
    """How a call of HiGHS ended."""

    OPTIMAL = "optimal"
    LIMIT = "iteration limit"
    STOPPED = "stopped"
    FAILED = "failed"


class Solver:
    """HiGHS with a model.

    Parameters
    ----------
    model
        A `HighsLp`.
    options
        Options of HiGHS beyond `BASE`, by name.
    """

    def __init__(self, model: Any, **options: Any) -> None:
        import highspy

        highs: Any = highspy.Highs
        self.highs = highs()
        self._ended, self._stop = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._left_behind: threading.Thread | None = None
        self.set(**BASE | options)
        if self.highs.passModel(model) == highspy.HighsStatus.kError:
            raise SaddlepointError("HiGHS refuses the linear program: see its payoffs")
        self.highs.cbSimplexInterrupt.subscribe(self._asked)
        self.highs.cbIpmInterrupt.subscribe(self._asked)

    def set(self, **options: Any) -> None:
        """Set options of HiGHS."""
        import highspy

        for name, value in options.items():
            if self.highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                raise SaddlepointError(f"HiGHS does not take the option {name} = {value!r}")

    # Work -----------------------------------------------------------------------------

    @property
    def working(self) -> bool:
        """Whether a call is under way, or over and not yet waited for."""
        return self._thread is not None

    def begin(self) -> None:
        """Begin to solve, and return at once."""
        if self._left_behind is not None:
            self._left_behind.join()
            self._left_behind = None
        self._ended.clear()
        self._stop.clear()
        self._thread = threading.Thread(target=self._work, name="highs", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self.highs.run()
        finally:
            self._ended.set()

    def _asked(self, event: Any) -> None:
        if self._stop.is_set():
            event.interrupt()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until HiGHS has ended, at most so long; whether it has."""
        if self._thread is not None:
            if not self._ended.wait(seconds):
                return False
            self._thread.join()
            self._thread = None
        return True

    def halt(self, patience: float | None = None) -> bool:
        """Make HiGHS stop at its next iteration; whether it has.

        Presolving and the first steps of an interior-point method are not asked whether to
        stop, for many seconds on large programs. Who does not need what HiGHS has found waits
        with `patience`, in seconds, and leaves it behind: it ends by itself, unseen.
        """
        self._stop.set()
        if self.wait(patience):
            return True
        self._left_behind, self._thread = self._thread, None
        if self._left_behind is not None:
            self._left_behind.name = "left behind"
            # HiGHS must not call back into an interpreter that is no longer there.
            atexit.register(self._left_behind.join)
        return False

    def solve(self) -> Outcome:
        """Solve to the end; an exception in the meantime (Ctrl-C) stops HiGHS."""
        self.begin()
        try:
            self.wait()
        finally:
            self.halt()
        return self.outcome

    # Results --------------------------------------------------------------------------

    @property
    def outcome(self) -> Outcome:
        """How the last call ended."""
        from highspy import HighsModelStatus as Status

        return {
            Status.kOptimal: Outcome.OPTIMAL,
            Status.kIterationLimit: Outcome.LIMIT,
            Status.kInterrupt: Outcome.STOPPED,
        }.get(self.highs.getModelStatus(), Outcome.FAILED)

    @property
    def words(self) -> str:
        """How the last call ended, in HiGHS's words."""
        return str(self.highs.modelStatusToString(self.highs.getModelStatus()))

    @property
    def iterations(self) -> int:
        """Iterations of the last call, of all kinds."""
        info = self.highs.getInfo()
        counts = (
            info.simplex_iteration_count,
            info.ipm_iteration_count,
            info.crossover_iteration_count,
        )
        return sum(max(0, int(count)) for count in counts)

    def values(self) -> tuple[Vector, Vector]:
        """Values of the columns, and dual values of the rows."""
        solution = self.highs.getSolution()
        return np.array(solution.col_value), np.array(solution.row_dual)

    def reduced_costs(self) -> Vector:
        """Dual values of the columns."""
        return np.array(self.highs.getSolution().col_dual)

    @property
    def basis(self) -> Statuses | None:
        """Statuses of columns and rows in the last basis, as HiGHS codes; None without one."""
        basis = self.highs.getBasis()
        if not basis.valid:
            return None
        columns, rows = (
            np.array([int(status) for status in side], np.int8)
            for side in (basis.col_status, basis.row_status)
        )
        return columns, rows

    @basis.setter
    def basis(self, statuses: Statuses) -> None:
        import highspy

        codes = {int(status): status for status in highspy.HighsBasisStatus.__members__.values()}
        basis = highspy.HighsBasis()
        basis.col_status, basis.row_status = (
            [codes[int(code)] for code in side] for side in statuses
        )
        basis.valid, basis.alien = True, False
        if self.highs.setBasis(basis) == highspy.HighsStatus.kError:
            raise SaddlepointError("HiGHS refuses the basis: it is not one of this program")

    def restart(self, statuses: Statuses) -> None:
        """Forget everything but a basis."""
        self.highs.clearSolver()
        self.basis = statuses


def solved(program: Program, **options: Any) -> Solver:
    """A solver that has found an optimal basis of a program, by the dual simplex.

    Raises
    ------
    SaddlepointError
        If HiGHS does not find one.
    """
    ready = {"solver": "simplex", "simplex_strategy": DUAL_SIMPLEX, "presolve": "off"}
    solver = Solver(program.model(), **ready | options)
    solver.basis = program.statuses(*program.pure_start())
    if solver.solve() is not Outcome.OPTIMAL:
        raise SaddlepointError(f"HiGHS cannot solve {program.form.name}: {solver.words}")
    return solver
