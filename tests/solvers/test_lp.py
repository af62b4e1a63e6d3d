from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import form_of
from random_games import matrices, trees
from saddlepoint.core.errors import SaddlepointError, SettingsError, SizeError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.solution import Solution, Status
from saddlepoint.solvers import cfr, highs, program
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.run import run

WAYS: list[dict[str, Any]] = [
    {},
    {"player": 1},
    {"player": 2},
    {"algorithm": "interior"},
    {"algorithm": "interior", "presolve": "off"},
    {"algorithm": "simplex", "presolve": "on"},
]
# Some seconds of work for HiGHS, by either algorithm.
LARGE = "rhode-island:ranks=234,suits=2,raises=1,realisation=cards"


def solved(form: SequenceForm, **ways: Any) -> Solution:
    return run(form, LinearProgram(**ways), gap=1e-9)


def probabilities(solution: Solution) -> tuple[list[float], list[float]]:
    first, second = (list(next(iter(s))[1].values()) for s in solution.profile)
    return first, second


# Answers known in closed form ---------------------------------------------------------


@given(*(st.integers(-20, 20),) * 4)
def test_two_by_two_games_have_a_formula(a: int, b: int, c: int, d: int) -> None:
    M = [[a, b], [c, d]]
    saddle = max(min(row) for row in M) == min(max(a, c), max(b, d))
    value = max(min(row) for row in M) if saddle else (a * d - b * c) / (a + d - b - c)
    found = solved(matrix_form(M))
    assert found.status is Status.CONVERGED
    assert found.value == pytest.approx(value, abs=1e-12)
    if not saddle:
        p = (d - c) / (a + d - b - c)
        q = (d - b) / (a + d - b - c)
        assert probabilities(found)[0] == pytest.approx([p, 1 - p], abs=1e-12)
        assert probabilities(found)[1] == pytest.approx([q, 1 - q], abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wins", [(1, 1, 1), (1, 2, 3), (5, 1, 2)])
def test_weighted_rock_paper_scissors(way: dict[str, Any], wins: tuple[int, int, int]) -> None:
    a, b, c = wins  # paper beats rock for a, rock beats scissors for b, scissors paper for c
    found = solved(matrix_form([[0, -a, b], [a, 0, -c], [-b, c, 0]]), **way)
    expected = np.array([c, b, a]) / (a + b + c)
    assert abs(found.value) < 1e-12
    for s in probabilities(found):
        assert s == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn", -1 / 18),  # Kuhn 1950
        ("leduc", -0.085606424),  # as OpenSpiel's tests have it
        ("clairvoyance:stack=2", 1 / 3),  # pot 1, bet 2: he wins bet / (pot + bet) / 2
    ],
)
def test_poker_games_have_their_published_values(
    name: str, value: float, way: dict[str, Any]
) -> None:
    found = solved(form_of(name), **way)
    assert found.status is Status.CONVERGED
    assert found.gap <= 1e-11
    assert found.value == pytest.approx(value, abs=1e-9)
    for s in found.profile:
        s.treeplex.check(s.probabilities, 1e-14)


def test_every_small_game_is_solved_to_the_end(small_form: SequenceForm) -> None:
    found = solved(small_form)
    assert found.gap <= 1e-10 * max(1.0, abs(found.value))
    assert found.iterations > 0


# Against other methods ----------------------------------------------------------------


@given(matrices)
def test_matrix_games_agree_with_scipy(M: np.ndarray) -> None:
    m, n = M.shape
    inequalities = np.column_stack([-M.T, np.ones(n)])
    mixture = np.append(np.ones(m), 0.0)[None]
    bounds = [(0, None)] * m + [(None, None)]
    best = scipy.optimize.linprog(
        -np.append(np.zeros(m), 1.0), inequalities, np.zeros(n), mixture, [1.0], bounds
    )
    assert solved(matrix_form(M)).value == pytest.approx(-best.fun, abs=1e-8)


@given(trees, st.sampled_from(WAYS))
@settings(max_examples=60)
def test_trees_agree_with_regret_matching(form: SequenceForm, way: dict[str, Any]) -> None:
    found = solved(form, **way)
    assert found.status is Status.CONVERGED
    for method in (cfr.CFRPlus(), cfr.DiscountedCFR()):
        other = run(form, method, iterations=100)
        assert other.lower - 1e-9 <= found.value <= other.upper + 1e-9


# Interruption -------------------------------------------------------------------------


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize("name", ["leduc", "leduc:isomorphism=cards"])
def test_an_interrupted_run_leaves_its_player_a_strategy(name: str, player: int) -> None:
    form = form_of(name)
    work = LinearProgram(player=player).start(form)
    bounds = []
    for _ in range(200):
        x, y = work.plans()
        for plex, plan in ((form.X, x), (form.Y, y)):
            np.testing.assert_allclose(plex.plan(plex.behaviour(plan)), plan, atol=1e-15)
        found = gap(form.X, form.Y, form.A, x, y)
        assert (found.lower, found.upper) == (work.lower, work.upper)
        bounds.append(found.lower if player == 1 else -found.upper)
        if work.finished:
            break
        before = work.iterations
        work.advance(20, 60.0)
        assert before < work.iterations <= before + 20 or work.finished
    assert work.finished
    assert np.all(np.diff(bounds) >= 0)
    assert bounds[0] < bounds[-1] - 0.5  # the answer is not where it starts
    halfway = bounds[len(bounds) // 2]
    assert bounds[0] + 0.5 < halfway < bounds[-1]
    assert work.upper - work.lower < 1e-11


@pytest.mark.parametrize("player", [1, 2])
def test_every_basis_holds_a_strategy_of_the_player_and_its_bound(player: int) -> None:
    """In the very numbers of HiGHS, without a repair: thesis 003, section 2.3.3."""
    form = form_of("leduc")
    work = LinearProgram(player=player).start(form)
    plex = form.X if player == 1 else form.Y
    for _ in range(6):
        work.advance(20, 60.0)
        assert not work.finished
        columns, duals = work.solver.values()
        plan = duals[: plex.n_sequences]
        np.testing.assert_allclose(plex.plan(plex.behaviour(plan)), plan, atol=1e-9)
        mine = work.program.plans(columns, duals)[player - 1]
        other = work.program.own.best_response(work.program.gradient(3 - player, mine))[0]
        value = columns[work.program.own.n_sequences] * work.program.scale
        assert other == pytest.approx(value, abs=1e-4)  # HiGHS perturbs costs on its way


@pytest.mark.parametrize("way", [{"algorithm": "interior"}, {"player": 1}, {"player": 2}])
def test_time_ends_a_run_promptly_and_leaves_nothing_behind(way: dict[str, Any]) -> None:
    form = form_of(LARGE)
    LinearProgram(**way).start(form_of("kuhn"))  # compiles
    began = time.perf_counter()
    found = run(form, LinearProgram(**way), gap=1e-9, seconds=0.3)
    assert found.status is Status.SECONDS
    assert time.perf_counter() - began < 60.0  # not after the whole program
    assert found.lower - 1e-9 <= found.value <= found.upper + 1e-9
    assert found.gap > 1.0
    assert not [thread for thread in threading.enumerate() if thread.name == "highs"]


def test_whoever_asks_may_stop_it() -> None:
    found = run(form_of(LARGE), LinearProgram(), stop=lambda: True)
    assert found.status is Status.INTERRUPTED
    assert found.gap > 1.0


def test_an_abandoned_run_stops_its_thread() -> None:
    work = LinearProgram(algorithm="interior").start(form_of(LARGE))
    work.advance(1_000, 0.0)
    assert not work.finished
    del work
    assert not [thread for thread in threading.enumerate() if thread.name == "highs"]


@pytest.mark.parametrize("player", [1, 2])
def test_a_resumed_run_ends_as_one_that_was_never_stopped(tmp_path: Path, player: int) -> None:
    form, method = form_of("leduc"), LinearProgram(player=player)
    straight = run(form, method)
    path = tmp_path / "lp.saddle"
    part = run(form, method, iterations=64, checkpoint=path)
    assert (part.status, part.iterations) == (Status.ITERATIONS, 64)
    assert part.gap > 0.01
    resumed = run(form, method, checkpoint=path)
    assert resumed.iterations == straight.iterations
    for a, b in zip(resumed.profile, straight.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)
    again = run(form, method, checkpoint=path)  # nothing is left to do
    assert (again.iterations, again.value) == (straight.iterations, straight.value)


def test_equal_settings_give_equal_numbers() -> None:
    one, two = (run(form_of("leduc"), LinearProgram()) for _ in range(2))
    for a, b in zip(one.profile, two.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


# Edges --------------------------------------------------------------------------------


def test_a_gap_beyond_floating_point_is_said_to_be() -> None:
    form = matrix_form(np.random.default_rng(0).normal(size=(40, 40)))
    found = run(form, LinearProgram(), gap=0.0)
    assert 0.0 < found.gap < 1e-12
    assert found.status is Status.PRECISION
    assert "exact" in found.status.cure
    assert run(form, LinearProgram()).status is Status.CONVERGED


@pytest.mark.parametrize("M", [[[0.0]], [[0, 0], [0, 0]], [[7, 7, 7]], [[1], [2], [3]]])
def test_degenerate_matrices(M: list[list[float]]) -> None:
    for way in WAYS:
        found = solved(matrix_form(M), **way)
        assert (found.gap, found.value) == (0.0, max(min(row) for row in M))


@pytest.mark.parametrize("exponent", [-250, -12, 12, 250])
def test_units_of_payoffs_do_not_matter(exponent: int) -> None:
    M = np.random.default_rng(1).integers(-9, 10, size=(12, 9))
    unit = 10.0**exponent
    plain, scaled = (
        run(matrix_form(M), LinearProgram()),
        run(matrix_form(M * unit), LinearProgram()),
    )
    assert scaled.value == pytest.approx(plain.value * unit, rel=1e-9)
    assert scaled.gap <= 1e-12 * unit


@given(st.integers(0, 1000))
@settings(max_examples=30)
def test_payoffs_of_very_different_sizes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(8, 8)) * 10.0 ** rng.uniform(-7, 0, size=(8, 8))
    found = solved(matrix_form(M))
    assert found.gap <= 1e-9


def test_settings_are_checked() -> None:
    for bad in (
        {"algorithm": "primal"},
        {"player": 3},
        {"presolve": "maybe"},
        {"player": 1, "algorithm": "interior"},
        {"player": 2, "presolve": "on"},
    ):
        with pytest.raises(SettingsError, match=next(iter(bad))):
            LinearProgram(**bad)


def test_a_game_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "LARGEST", 500)
    with pytest.raises(SizeError, match="966 payoffs"):
        LinearProgram().start(form_of("leduc"))


def test_what_fails_is_followed_by_what_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = highs.Solver.outcome.fget
    assert outcome is not None

    def broken(solver: highs.Solver) -> highs.Outcome:
        simplex = solver.highs.getOptionValue("solver")[1] == "simplex"
        return highs.Outcome.FAILED if simplex else outcome(solver)

    monkeypatch.setattr(highs.Solver, "outcome", property(broken))
    found = solved(form_of("kuhn"), player=1)
    assert found.value == pytest.approx(-1 / 18)
    assert found.notes["algorithm"] == "interior"
    assert "simplex without presolve" in found.notes["failed before"][0]
    monkeypatch.setattr(highs.Solver, "outcome", highs.Outcome.FAILED)
    with pytest.raises(SaddlepointError, match=r"kuhn.*range from.*use an iterative method"):
        solved(form_of("kuhn"))
