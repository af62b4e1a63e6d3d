from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import form_of
from random_games import matrices, trees
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.solution import Status
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.methods import solve
from saddlepoint.solvers.program import Program
from saddlepoint.solvers.refine import continued, refine, undominated
from saddlepoint.solvers.run import run


def gain_by_dominating(form: SequenceForm, player: int, x: np.ndarray) -> float:
    """What a plan that is nowhere worse than x can earn more against the uniform strategy.

    Over plans x' and u with F'u <= A'(x' - x) and u_0 >= 0, in SciPy.
    """
    program = Program(form, player)
    M, n, m = program.matrix.dense(), program.own.n_sequences, program.other.n_sequences
    c = program.gradient(player, program.other.plan(program.other.uniform()))
    limits = [(0, None)] * n + [(0, None)] + [(None, None)] * (M.shape[1] - n - 1)
    found = scipy.optimize.linprog(
        -np.append(c, np.zeros(M.shape[1] - n)),
        M[:m],
        M[:m, :n] @ x + 1e-12,
        M[m:],
        program.right[m:],
        limits,
    )
    assert found.success
    return float(-found.fun - c @ x)


@given(trees, st.sampled_from([1, 2]))
@settings(max_examples=60)
def test_no_plan_dominates_an_undominated_one(form: SequenceForm, player: int) -> None:
    assert gain_by_dominating(form, player, undominated(form, player)) < 1e-7


def test_some_plans_are_dominated() -> None:
    form = matrix_form([[1, 1], [1, 3]])
    assert gain_by_dominating(form, 1, np.array([1.0, 1.0, 0.0])) == pytest.approx(1.0)
    np.testing.assert_array_equal(undominated(form, 1), [1, 0, 1])


@given(matrices)
def test_against_chooses_among_undominated_plans(M: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    y = np.append(1.0, rng.dirichlet(np.ones(M.shape[1])))
    form = matrix_form(M)
    x = undominated(form, 1, y)
    even = undominated(form, 1)
    assert (M @ y[1:]) @ x[1:] >= (M @ y[1:]) @ even[1:] - 1e-9
    assert M.mean(axis=1) @ even[1:] >= M.mean(axis=1) @ x[1:] - 1e-9


@given(trees)
@settings(max_examples=40)
def test_a_refined_solution_is_still_one(form: SequenceForm) -> None:
    before = run(form, LinearProgram())
    after = refine(before)
    assert after.gap <= 1e-10
    assert after.value == pytest.approx(before.value, abs=1e-10)
    assert (after.iterations, after.notes["refined"]) == (before.iterations, "undominated")
    g = form.A @ form.Y.plan(form.Y.uniform())
    assert after.profile.first.plan @ g >= before.profile.first.plan @ g - 1e-9


def test_off_the_path_it_answers_instead_of_guessing() -> None:
    """In Kuhn poker a king that was bet is never asked to call, and would call."""
    form = form_of("kuhn")
    found = refine(run(form, LinearProgram()))
    first = found.profile.first
    for name, certain in (("J:cr", "f"), ("K:cr", "c")):
        assert first[name][certain] == 1.0, name
    assert found.value == pytest.approx(-1 / 18)
    # Bet every king, the other end of Kuhn's family: the plan excludes K:cr.
    often = {
        "J:": [2 / 3, 1 / 3],
        "Q:": [1, 0],
        "K:": [0, 1],
        "J:cr": [1, 0],
        "Q:cr": [1 / 3, 2 / 3],
        "K:cr": [0.5, 0.5],
    }
    betting = form.X.from_function(lambda name, _: often[name])
    plan = form.X.plan(betting)
    assert plan[form.X.sequences(form.X.find("K:cr"))].sum() == 0.0
    s = continued(form, 1, plan, found.profile.second.plan)
    np.testing.assert_array_equal(s[form.X.sequences(form.X.find("K:cr"))], [0, 1])
    np.testing.assert_array_equal(form.X.plan(s), plan)


@given(trees, st.sampled_from([1, 2]), st.integers(0, 99))
@settings(max_examples=40)
def test_continuations_are_best_responses_and_keep_the_plan(
    form: SequenceForm, player: int, seed: int
) -> None:
    program = Program(form, player)
    own, other = program.own, program.other
    x = own.plan(own.best_response(np.random.default_rng(seed).normal(size=own.n_sequences))[1])
    y = other.plan(other.random(seed))
    s = continued(form, player, x, y, tremble=0.5)
    np.testing.assert_allclose(own.plan(s), x, atol=1e-15)
    mixed = 0.5 * y + 0.5 * other.plan(other.uniform())
    v = own.action_values(s, program.gradient(player, mixed))
    for i in range(own.n_infosets):
        if x[own.flat.parent[i]] == 0.0:
            row = own.sequences(i)
            assert s[row] @ v[row] == pytest.approx(v[row].max(), abs=1e-12)


def test_strategies_to_do_well_against_are_checked() -> None:
    form = form_of("kuhn")
    with pytest.raises(StrategyError, match="never plays 'J:c"):
        undominated(form, 1, form.Y.best_response(np.zeros(form.Y.n_sequences))[1])
    with pytest.raises(SettingsError, match="tremble"):
        continued(form, 1, form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform()), tremble=0)


def test_a_refined_solution_says_what_it_is() -> None:
    rough = solve(form_of("kuhn"), "cfr+", iterations=5)
    better = refine(rough)
    assert rough.gap > 1e-3
    assert better.gap < 1e-9
    assert better.method == refine(better).method == "cfr+, refined"
    assert (better.iterations, better.status) == (rough.iterations, Status.CONVERGED)
    assert better.notes["bounds before"] == [rough.lower, rough.upper]
