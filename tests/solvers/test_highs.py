from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from conftest import form_of
from saddlepoint.core.errors import SaddlepointError
from saddlepoint.sequence.form import matrix_form
from saddlepoint.solvers.highs import Outcome, Solver, solved
from saddlepoint.solvers.program import Program

LARGE = "rhode-island:ranks=234,suits=2,raises=1,realisation=cards"


def test_it_solves_and_says_so() -> None:
    solver = Solver(Program(matrix_form([[2, -1], [-1, 1]]), 1).model())
    assert solver.solve() is Outcome.OPTIMAL
    columns, duals = solver.values()
    np.testing.assert_allclose(columns[:3], [1, 0.4, 0.6])
    np.testing.assert_allclose(duals[:3], [1, 0.4, 0.6])
    assert (solver.words, solver.working) == ("Optimal", False)


def test_a_limit_ends_it_and_its_basis_goes_on() -> None:
    program = Program(form_of("leduc"), 1)
    solver = Solver(program.model(), solver="simplex", presolve="off", simplex_iteration_limit=50)
    assert solver.solve() is Outcome.LIMIT
    assert solver.iterations == 50
    statuses = solver.basis
    assert statuses is not None
    other = Solver(program.model(), solver="simplex", presolve="off")
    assert other.basis is None
    other.basis = statuses
    whole = solved(program)
    assert other.solve() is Outcome.OPTIMAL
    n = program.own.n_sequences
    assert other.values()[0][n] == pytest.approx(whole.values()[0][n], abs=1e-12)
    assert whole.values()[0][n] * program.scale == pytest.approx(-0.085606424, abs=1e-9)


@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
def test_it_stops_when_asked(algorithm: str) -> None:
    solver = Solver(Program(form_of(LARGE), 1).model(), solver=algorithm)
    solver.begin()
    assert not solver.wait(0.2)
    assert solver.working
    began = time.perf_counter()
    solver.halt()
    assert time.perf_counter() - began < 60.0  # not after the whole program
    assert solver.outcome is Outcome.STOPPED
    assert not [thread for thread in threading.enumerate() if thread.name == "highs"]


def test_it_can_be_left_behind_and_begin_again() -> None:
    solver = Solver(Program(form_of(LARGE), 1).model(), solver="ipm")
    solver.begin()
    assert not solver.halt(patience=0.0)
    assert not solver.working
    assert [thread for thread in threading.enumerate() if thread.name == "left behind"]
    solver.begin()  # once what was left behind has ended
    assert not [thread for thread in threading.enumerate() if thread.name == "left behind"]
    assert solver.halt()


def test_nonsense_is_refused() -> None:
    program = Program(form_of("kuhn"), 1)
    with pytest.raises(SaddlepointError, match="does not take the option solver = 'magic'"):
        Solver(program.model(), solver="magic")
    solver = Solver(program.model())
    columns, rows = program.statuses(*program.pure_start())
    with pytest.raises(SaddlepointError, match="not one of this program"):
        solver.basis = columns[1:], rows
    with pytest.raises(SaddlepointError, match="cannot solve kuhn"):
        solved(program, simplex_iteration_limit=0)
