from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import form_of
from random_games import matrices, random_matrix
from saddlepoint.core.errors import GameError, SizeError
from saddlepoint.sequence.form import matrix_form
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.run import run
from saddlepoint.solvers.support import Equilibrium, enumerate_supports, matrix_of


def listed(found: list[Equilibrium]) -> list[tuple[list[float], list[float]]]:
    return sorted((np.round(e.x, 9).tolist(), np.round(e.y, 9).tolist()) for e in found)


def test_known_games() -> None:
    pennies = enumerate_supports([[1, -1], [-1, 1]])
    assert listed(pennies) == [([0.5, 0.5], [0.5, 0.5])]
    assert pennies[0].value == 0.0
    third = [pytest.approx(1 / 3)] * 3
    (roshambo,) = enumerate_supports([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert roshambo.x.tolist() == third
    assert roshambo.y.tolist() == third


def test_two_finger_morra_has_the_mixtures_of_its_textbook() -> None:
    """Show one and guess two with 4/7 to 3/5, else show two and guess one."""
    found = enumerate_supports([[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]])
    ends = sorted({round(float(e.x[1]), 9) for e in found})
    assert ends == pytest.approx([4 / 7, 3 / 5])
    assert all(e.x[0] == e.x[3] == 0 for e in found)
    assert len(found) == 4


def test_degenerate_games_list_every_pair_of_extreme_strategies() -> None:
    zero = enumerate_supports(np.zeros((2, 3)))
    assert listed(zero) == sorted(
        (list(x), list(y)) for x, y in product(np.eye(2).tolist(), np.eye(3).tolist())
    )
    # A pure row and a mixture both guarantee 1, against a column mixture of unequal support.
    found = enumerate_supports([[2, 0], [0, 2], [1, 1]])
    assert listed(found) == [([0, 0, 1], [0.5, 0.5]), ([0.5, 0.5, 0], [0.5, 0.5])]


@given(matrices)
def test_values_are_those_of_linear_programming(M: np.ndarray) -> None:
    value = run(matrix_form(M), LinearProgram()).value
    found = enumerate_supports(M)
    assert found
    for e in found:
        assert e.value == pytest.approx(value, abs=1e-9)
        assert (M @ e.y).max() <= value + 1e-7
        assert (e.x @ M).min() >= value - 1e-7
        assert e.x.sum() == pytest.approx(1)
        assert min(e.x.min(), e.y.min()) >= 0


@given(matrices)
def test_what_is_listed_are_the_vertices_of_both_polytopes(M: np.ndarray) -> None:
    """Twin: the vertices of {x : x M >= value} by trying all sets of tight constraints."""
    value = run(matrix_form(M), LinearProgram()).value
    found = enumerate_supports(M)
    for k, payoffs in ((0, M), (1, -M.T)):
        goal = value if k == 0 else -value
        listed_ = {tuple(np.round(e[k], 6) + 0.0) for e in found}
        assert listed_ == extreme(payoffs, goal)
    firsts = {tuple(np.round(e.x, 6)) for e in found}
    seconds = {tuple(np.round(e.y, 6)) for e in found}
    assert len(found) == len(firsts) * len(seconds)


def extreme(M: np.ndarray, goal: float) -> set[tuple[float, ...]]:
    """The vertices of the mixtures of rows that earn at least a goal against every column."""
    m, n = M.shape
    if m == 1:
        return {(1.0,)}
    vertices = set()
    rows = np.vstack([np.eye(m), M.T])
    right = np.append(np.zeros(m), np.full(n, goal))
    for tight in combinations(range(m + n), m - 1):
        K = np.vstack([np.ones(m), rows[list(tight)]])
        if abs(np.linalg.det(K)) < 1e-9:
            continue
        x = np.linalg.solve(K, np.append(1.0, right[list(tight)]))
        if (rows @ x >= right - 1e-8).all():
            vertices.add(tuple(np.round(np.abs(x), 6) + 0.0))
    return vertices


@given(st.integers(0, 10**6), st.integers(-8, 8))
def test_units_of_payoffs_do_not_matter(seed: int, exponent: int) -> None:
    M = random_matrix(seed, 4, 4)
    assert listed(enumerate_supports(M * 10.0**exponent)) == listed(enumerate_supports(M))


def test_the_sequence_form_of_a_matrix_game_will_do() -> None:
    M = random_matrix(5, 3, 4)
    np.testing.assert_array_equal(matrix_of(matrix_form(M)), M)
    assert listed(enumerate_supports(matrix_form(M))) == listed(enumerate_supports(M))


def test_what_is_no_small_matrix_game_is_refused() -> None:
    with pytest.raises(SizeError, match="137,846,528,819 pairs"):
        enumerate_supports(np.zeros((20, 20)))
    with pytest.raises(GameError, match="leduc is no matrix game: player 1 has 144"):
        enumerate_supports(form_of("leduc"))
    with pytest.raises(GameError, match=r"shape \(3,\)"):
        enumerate_supports([1, 2, 3])
    with pytest.raises(GameError, match="NaN"):
        enumerate_supports([[np.nan]])
