from __future__ import annotations

import numpy as np
import pytest

import saddlepoint as sp
from conftest import form_of
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.strategy import Profile


def test_gap_is_the_sum_of_the_gains(small_form: SequenceForm) -> None:
    profile = Profile.random(small_form, 1)
    value = sp.expected_value(profile)
    first, s1 = sp.best_response(profile, 1)
    second, s2 = sp.best_response(profile, 2)
    assert sp.gap(profile) == pytest.approx((first - value) + (second + value))
    assert sp.exploitability(profile) == sp.gap(profile) / 2
    assert sp.expected_value(Profile(small_form, s1, profile.second)) == pytest.approx(first)
    assert sp.expected_value(Profile(small_form, profile.first, s2)) == pytest.approx(-second)


def test_seats_split_the_gap() -> None:
    form = form_of("kuhn")
    seats = sp.exploitability_by_seat(Profile.uniform(form), -1 / 18)
    assert seats.first + seats.second == pytest.approx(sp.gap(Profile.uniform(form)))
    # By hand: against uniform play a best response earns 1/2 first and 5/12 second.
    assert seats.second == pytest.approx(1 / 2 + 1 / 18)
    assert seats.first == pytest.approx(-1 / 18 + 5 / 12)


def test_values_by_enumeration() -> None:
    M = np.array([[1.0, -2.0], [0.0, 3.0]])
    form = matrix_form(M)
    profile = Profile.of(form, [1, 0.25, 0.75], [1, 0.5, 0.5])
    assert sp.expected_value(profile) == pytest.approx(0.25 * -0.5 + 0.75 * 1.5)
    assert sp.bounds(profile).upper == pytest.approx(1.5)
    assert sp.bounds(profile).lower == pytest.approx(0.25)


def test_many_against_many() -> None:
    form = form_of("leduc")
    profiles = [Profile.random(form, seed) for seed in range(4)]
    V = sp.value_matrix([p.first for p in profiles], [p.second for p in profiles], form)
    for i, one in enumerate(profiles):
        for j, two in enumerate(profiles):
            mixed = Profile(form, one.first, two.second)
            assert V[i, j] == pytest.approx(sp.expected_value(mixed))
    both = sp.head_to_head(profiles)
    np.testing.assert_allclose(both, -both.T)
    assert both[0, 1] == pytest.approx((V[0, 1] - V[1, 0]) / 2)
    assert sp.head_to_head([]).shape == (0, 0)


def test_wrong_players_and_games_are_refused() -> None:
    profile = Profile.uniform(form_of("kuhn"))
    with pytest.raises(SettingsError, match="player is 0"):
        sp.best_response(profile, 0)
    with pytest.raises(StrategyError, match="same game"):
        sp.head_to_head([profile, Profile.uniform(form_of("leduc"))])


def test_solutions_are_measured_as_their_profiles() -> None:
    solution = sp.solve("kuhn", "cfr+", iterations=10)
    profile = solution.profile
    assert sp.expected_value(solution) == sp.expected_value(profile) == solution.value
    assert sp.gap(solution) == sp.gap(profile) == pytest.approx(solution.gap)
    assert sp.exploitability(solution) == sp.exploitability(profile)
    assert sp.bounds(solution) == sp.bounds(profile)
    assert sp.best_response(solution, 1)[0] == sp.best_response(profile, 1)[0]
    assert sp.exploitability_by_seat(solution, 0.0) == sp.exploitability_by_seat(profile, 0.0)
    assert sp.head_to_head([solution, profile]).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(StrategyError, match="found a str, expected a Profile or a Solution"):
        sp.gap("kuhn")  # type: ignore[arg-type]


def test_bounds_have_no_minus_zero() -> None:
    found = sp.bounds(sp.Profile.uniform([[0.0]]))
    assert f"{found.lower:g} {found.upper:g}" == "0 0"
