from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import form_of
from random_games import matrices, trees
from saddlepoint.core.errors import GameError, SaddlepointError, SettingsError, StrategyError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.solvers import elimination, exact
from saddlepoint.solvers.exact import recovered, solve_in_fractions
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.run import run

# Found by this module and proved by its own best responses, with and without python-flint,
# in the game with and without equivalent suits.
LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)


@pytest.fixture(params=[True, False], ids=["flint", "python"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and not elimination.installed():
        pytest.skip("python-flint is not installed")
    monkeypatch.setattr(elimination, "installed", lambda: request.param)


@pytest.mark.usefixtures("arithmetic")
def test_kuhn_poker_is_worth_minus_one_eighteenth() -> None:
    found = solve_in_fractions(form_of("kuhn"))
    assert found.value == Fraction(-1, 18)  # Kuhn 1950
    assert found.probabilities(2, "J:c") == {"c": Fraction(2, 3), "r": Fraction(1, 3)}
    assert found.probabilities(2, "K:r") == {"f": 0, "c": 1}
    alpha = found.probabilities(1, "J:")["r"]
    assert found.probabilities(1, "K:")["r"] == 3 * alpha
    assert found.probabilities(1, "Q:cr")["c"] == alpha + Fraction(1, 3)


@pytest.mark.usefixtures("arithmetic")
def test_leduc_holdem_has_an_exact_value() -> None:
    found = solve_in_fractions(form_of("leduc"))
    assert found.value == LEDUC
    assert float(LEDUC) == pytest.approx(-0.085606424, abs=1e-9)  # as OpenSpiel's tests have it
    assert found.solution.gap <= 1e-14
    assert found.solution.value == float(found.value)
    cards = solve_in_fractions(form_of("leduc:isomorphism=cards"))
    assert cards.value == found.value  # suits do not matter, to the last digit


@pytest.mark.usefixtures("arithmetic")
@pytest.mark.parametrize(
    ("name", "value"),
    [("clairvoyance:stack=2", Fraction(1, 3)), ("no-limit-kuhn:stack=3", Fraction(1, 35))],
)
def test_small_games_are_solved_in_fractions(name: str, value: Fraction) -> None:
    assert solve_in_fractions(form_of(name)).value == value


@given(matrices)
def test_plans_of_matrix_games_guarantee_the_value_exactly(M: np.ndarray) -> None:
    found = solve_in_fractions(matrix_form(M))
    A = [[Fraction(int(p)) for p in row] for row in M]
    x, y = found.x[1:], found.y[1:]
    assert sum(x) == sum(y) == 1
    assert min(sum(p * A[i][j] for i, p in enumerate(x)) for j in range(len(y))) == found.value
    assert max(sum(p * A[i][j] for j, p in enumerate(y)) for i in range(len(x))) == found.value


@given(trees)
@settings(max_examples=50)
def test_random_games_agree_with_floating_point(form: SequenceForm) -> None:
    found = solve_in_fractions(form)
    assert float(found.value) == pytest.approx(run(form, LinearProgram()).value, abs=1e-12)


# Recovering fractions -----------------------------------------------------------------


@given(st.fractions(-1000, 1000, max_denominator=1000), st.integers(-3, 3))
def test_fractions_survive_rounding(fraction: Fraction, ulps: int) -> None:
    value = float(fraction)
    for _ in range(abs(ulps)):
        value = float(np.nextafter(value, np.inf if ulps > 0 else -np.inf))
    assert recovered(value, 1e-300) == fraction


def test_what_cancelled_is_zero() -> None:
    M = [[0.1 + 0.2 - 0.3, 1.0], [1.0, 0.0]]
    assert M[0][0] != 0.0
    assert solve_in_fractions(matrix_form(M)).value == Fraction(1, 2)


def test_an_irrational_payoff_is_refused_by_name() -> None:
    M = [[np.pi, 0], [0, 1]]
    with pytest.raises(GameError, match=r"'row 1' against 'column 1'.*3\.14159.*payoffs='binary'"):
        solve_in_fractions(matrix_form(M))
    found = solve_in_fractions(matrix_form(M), payoffs="binary")
    p = Fraction(np.pi)
    assert found.value == p / (1 + p)


def test_a_basis_that_is_not_optimal_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        basis = (np.array([1, 1, 0, 1, 1], np.int8), np.array([2, 2, 1, 0, 0], np.int8))

    assert solve_in_fractions(matrix_form([[3, 0], [1, 2]])).value == Fraction(3, 2)
    monkeypatch.setattr(exact, "solved", lambda *_, **__: Wrong)
    with pytest.raises(SaddlepointError, match="not exactly optimal"):
        solve_in_fractions(matrix_form([[3, 0], [1, 2]]))


def test_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="payoffs"):
        solve_in_fractions(form_of("kuhn"), payoffs="decimal")
    with pytest.raises(GameError, match="expected a finite number"):
        recovered(float("inf"))
    with pytest.raises(StrategyError, match="no information set"):
        solve_in_fractions(form_of("kuhn")).probabilities(1, "A:")
