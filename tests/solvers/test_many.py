from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from random_games import random_matrix
from saddlepoint.core.errors import GameError, SaddlepointError, SizeError
from saddlepoint.sequence.form import matrix_form
from saddlepoint.solvers import many
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.many import GAP, LARGEST, solve_many
from saddlepoint.solvers.run import run
from saddlepoint.solvers.support import enumerate_supports

SIZES = [(m, n) for m in range(1, 7) for n in range(1, 6)]

sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))
seeds = st.integers(0, 10**6)


def integer_games(seed: int, count: int, m: int, n: int, most: int) -> np.ndarray:
    """Games of few different payoffs, so that most are degenerate."""
    rng = np.random.default_rng(seed)
    return rng.integers(-most, most + 1, size=(count, m, n)) * 1.0


def assert_solved(M: np.ndarray, within: float = 1e-9) -> None:
    """Strategies are strategies, and nobody gains against them."""
    found = solve_many(M)
    assert found.x.shape == M.shape[:2]
    assert found.y.shape == (len(M), M.shape[2])
    for A, x, y, value in zip(M, *found, strict=True):
        assert min(x.min(), y.min()) >= 0
        assert x.sum() == pytest.approx(1, abs=1e-12)
        assert y.sum() == pytest.approx(1, abs=1e-12)
        assert max(A @ y) <= value + within * np.ptp(A)
        assert min(x @ A) >= value - within * np.ptp(A)


def test_known_games() -> None:
    pennies, roshambo = (
        np.array([[[1, -1], [-1, 1]]]),
        np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
    )
    found = solve_many(pennies)
    np.testing.assert_allclose(np.concatenate([found.x, found.y]), 0.5, atol=1e-15)
    assert found.value[0] == pytest.approx(0.0, abs=1e-15)
    found = solve_many(roshambo[None] * 1e7 + 3e7)
    np.testing.assert_allclose(found.x, 1 / 3, atol=1e-15)
    np.testing.assert_allclose(found.y, 1 / 3, atol=1e-15)
    assert found.value[0] == pytest.approx(3e7)


@pytest.mark.parametrize(("m", "n"), SIZES)
def test_random_games_have_the_equilibrium_of_support_enumeration(m: int, n: int) -> None:
    """The slow twin: a game with payoffs drawn from an interval has one equilibrium."""
    M = np.random.default_rng(m * 10 + n).uniform(-1, 1, (20, m, n))
    found = solve_many(M)
    for A, x, y, value in zip(M, *found, strict=True):
        (only,) = enumerate_supports(A)
        np.testing.assert_allclose(x, only.x, atol=1e-8)
        np.testing.assert_allclose(y, only.y, atol=1e-8)
        assert value == pytest.approx(only.value, abs=1e-12)


@given(seeds, sizes, st.integers(1, 5))
def test_degenerate_games_have_an_equilibrium_of_support_enumeration(
    seed: int, size: tuple[int, int], most: int
) -> None:
    """What simplex ends with is a vertex: one of the extreme optimal strategies."""
    (A,) = integer_games(seed, 1, *size, most)
    x, y, value = (part[0] for part in solve_many(A[None]))
    listed = enumerate_supports(A)
    assert value == pytest.approx(listed[0].value, abs=1e-12)
    assert any(np.allclose(x, e.x, atol=1e-8) for e in listed)
    assert any(np.allclose(y, e.y, atol=1e-8) for e in listed)


@pytest.mark.parametrize(("m", "n"), SIZES)
def test_values_are_those_of_linear_programming(m: int, n: int) -> None:
    rng = np.random.default_rng(m * 10 + n)
    M = np.concatenate([rng.uniform(-1, 1, (3, m, n)), integer_games(m + n, 5, m, n, 2)])
    for A, value in zip(M, solve_many(M).value, strict=True):
        assert value == pytest.approx(run(matrix_form(A), LinearProgram()).value, abs=1e-8)


@given(seeds, st.integers(1, LARGEST), st.integers(1, LARGEST), st.integers(1, 3))
def test_many_ties(seed: int, m: int, n: int, most: int) -> None:
    assert_solved(integer_games(seed, 20, m, n, most))


@given(seeds, sizes)
def test_dominated_and_repeated_actions(seed: int, size: tuple[int, int]) -> None:
    """Copies of rows and columns, worse ones and nearly equal ones leave the value alone."""
    M = integer_games(seed, 10, *size, 3)
    value = solve_many(M).value
    worse = np.concatenate([M, M, M - 1, M - 1e-10], axis=1)[:, :LARGEST]
    assert_solved(worse)
    np.testing.assert_allclose(solve_many(worse).value, value, atol=1e-9)
    worse = np.concatenate([M + 1, M, M + 1e-10, M], axis=2)[:, :, :LARGEST]
    assert_solved(worse)
    np.testing.assert_allclose(
        solve_many(worse[:, :, ::-1]).value, solve_many(worse).value, atol=1e-9
    )


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(-1e300, 1e300), min_size=n, max_size=n), min_size=1, max_size=6
        )
    )
)
@example([[0.0, 5e-324], [5e-324, 0.0]])
@example([[1e300, -1e300], [-1e300, 1e300]])
@example([[1.0, 1.0 + 1e-15], [1.0 + 1e-15, 1.0]])
def test_any_finite_payoffs_are_solved(A: list[list[float]]) -> None:
    M = np.array([A])
    found = solve_many(M)
    assert found.x.sum() == pytest.approx(1)
    assert found.y.sum() == pytest.approx(1)
    assert M.min() <= found.value[0] <= M.max()


def test_one_row_or_one_column() -> None:
    M = np.random.default_rng(0).uniform(-1, 1, (50, 1, 7))
    found = solve_many(M)
    np.testing.assert_array_equal(found.x, 1.0)
    np.testing.assert_array_equal(found.y.argmax(axis=1), M[:, 0].argmin(axis=1))
    np.testing.assert_allclose(found.value, M.min(axis=(1, 2)), atol=1e-15)
    found = solve_many(M.transpose(0, 2, 1))
    np.testing.assert_array_equal(found.x.argmax(axis=1), M[:, 0].argmax(axis=1))
    np.testing.assert_allclose(found.value, M.max(axis=(1, 2)), atol=1e-15)


@pytest.mark.parametrize("payoff", [0.0, 1.0, -7.5, 1e-300, 1e300])
def test_constant_games(payoff: float) -> None:
    M = np.full((3, 4, 5), payoff)
    assert_solved(M)
    np.testing.assert_allclose(solve_many(M).value, payoff, rtol=1e-15)


@given(seeds, sizes)
def test_players_can_change_places(seed: int, size: tuple[int, int]) -> None:
    M = np.random.default_rng(seed).uniform(-1, 1, (5, *size))
    found, turned = solve_many(M), solve_many(-M.transpose(0, 2, 1))
    np.testing.assert_allclose(turned.value, -found.value, atol=1e-9)
    np.testing.assert_allclose(turned.x, found.y, atol=1e-6)


@given(seeds, st.integers(-8, 8), st.sampled_from([0.0, 1.0, -100.0]))
def test_units_of_payoffs_do_not_matter(seed: int, exponent: int, shift: float) -> None:
    M = random_matrix(seed, 4, 4)[None]
    found, scaled = solve_many(M), solve_many((M + shift) * 2.0**exponent)
    np.testing.assert_allclose(scaled.value, (found.value + shift) * 2.0**exponent, atol=1e-9)
    np.testing.assert_allclose(scaled.x, found.x, atol=1e-9)


def test_games_do_not_influence_each_other() -> None:
    M = np.random.default_rng(0).uniform(-1, 1, (40_000, 3, 4))
    together, alone = solve_many(M), solve_many(M[39_000:39_001])
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one[39_000], other[0])


def test_the_largest_games_and_none() -> None:
    assert_solved(np.random.default_rng(5).uniform(-1, 1, (200, LARGEST, LARGEST)))
    none = solve_many(np.zeros((0, 3, 2)))
    assert (none.x.shape, none.y.shape, none.value.shape) == ((0, 3), (0, 2), (0,))


def test_other_arrays_are_taken_as_they_are() -> None:
    M = integer_games(3, 6, 4, 3, 4)
    turned = np.asfortranarray(M.astype(np.int8))
    np.testing.assert_array_equal(solve_many(turned).x, solve_many(M).x)
    np.testing.assert_array_equal(solve_many(M.tolist()).y, solve_many(M).y)


def solved_by(M: np.ndarray) -> np.ndarray:
    """Values by the uncompiled outer loop, which sees constants that a test has changed."""
    (count, m, n), outer = M.shape, many._solve_each
    x, y = np.zeros((count, m)), np.zeros((count, n))
    scratch = np.empty((m + 1, n + 1)), np.empty(m, np.int64), np.empty(n, np.int64)
    getattr(outer, "py_func", outer)(M, x, y, *scratch)
    return many._values(M, x, y)


def test_the_rule_of_bland_alone_solves_every_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "PLAIN", 0)
    for M in (integer_games(1, 300, 6, 5, 1), np.random.default_rng(2).uniform(-1, 1, (100, 9, 9))):
        np.testing.assert_allclose(solved_by(M), solve_many(M).value, atol=1e-9)


@given(seeds)
def test_pivots_are_chosen_by_their_rules(seed: int) -> None:
    """Twin: by sorting. Costs, right sides and pivots of few values, so that there are ties."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    T = rng.integers(-2, 3, size=(m + 1, n + 1)) * 1.0
    T[:m, n] = rng.integers(0, 3, size=m)
    labels = rng.permutation(m + n)
    rows, columns = labels[:m], labels[m:]
    costs = [(T[m, j], j) for j in range(n) if T[m, j] < 0]
    assert many._entering(T, columns, True) == (min(costs)[1] if costs else -1)
    first = min(((columns[j], j) for _, j in costs), default=(0, -1))
    assert many._entering(T, columns, False) == first[1]
    for s in range(n):
        rates = [(T[i, n] / T[i, s], -T[i, s], i) for i in range(m) if T[i, s] > 0]
        assert many._leaving(T, rows, s, True) == min(rates, default=(-1,))[-1]
        first = min(((ratio, rows[i], i) for ratio, _, i in rates), default=(-1,))
        assert many._leaving(T, rows, s, False) == first[-1]


def test_a_game_that_is_not_solved_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    M = np.random.default_rng(1).uniform(-1, 1, (10, 4, 4))
    monkeypatch.setattr(many, "MOST", 0)
    with pytest.raises(SaddlepointError, match=r"game 0 is not solved.*\(10 of 10 games"):
        solved_by(M)


def test_the_check_does_not_believe_the_kernel() -> None:
    """A NaN, too, is no solution, wherever it stands."""
    M = np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 3)
    x = y = np.full((3, 2), 0.5)
    assert many._values(M, x, y).tolist() == [0.0] * 3
    off = np.array([[0, 0], [0, 0], [1, -1]])
    many._values(M, x, y + off * GAP / 2)
    with pytest.raises(SaddlepointError, match=r"game 2 is not solved.*\(1 of 3 games"):
        many._values(M, x, y + off * GAP * 2)
    for nan in ([0, np.nan], [np.nan, 0]):
        for place in (0, 1):
            spoilt = [x.copy(), y.copy()]
            spoilt[place][1] += nan
            with pytest.raises(SaddlepointError, match=r"game 1 is not solved.*\(1 of 3 games"):
                many._values(M, *spoilt)


@pytest.mark.parametrize(
    ("M", "error", "message"),
    [
        (np.zeros((3, 3)), GameError, r"shape \(3, 3\)"),
        (np.zeros((2, 0, 3)), GameError, r"shape \(2, 0, 3\)"),
        (np.zeros((1, 17, 2)), SizeError, "17 by 2"),
        (np.full((1, 2, 2), np.nan), GameError, "game 0 has a payoff that is NaN"),
        (np.array([[[0.0]], [[np.inf]]]), GameError, "game 1 has"),
        (np.array([[[0.0]], [[0.0]], [[-1e301]]]), GameError, r"game 2 .* above 1e\+300"),
    ],
)
def test_what_cannot_be_solved_is_refused(
    M: np.ndarray, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        solve_many(M)
