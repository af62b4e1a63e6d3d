"""Clustering against definitions: brute force on a line, Lloyd's algorithm, transport programs."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from saddlepoint.abstraction.cluster import lloyd, on_line, segments
from saddlepoint.abstraction.expectation import expectation_based
from saddlepoint.abstraction.hands import hands_of
from saddlepoint.core.errors import SettingsError
from saddlepoint.games.poker import rhode_island

Vector = NDArray[np.float64]


def error_of(x: Vector, w: Vector, error: str) -> float:
    """The error of one cluster, from the definition."""
    if w.sum() == 0:
        return 0.0
    if error == "squared":
        return float(w @ (x - np.average(x, weights=w)) ** 2)
    return min(float(w @ np.abs(x - c)) for c in x)


def brute_force(x: Vector, w: Vector, k: int, error: str) -> float:
    """The least error over all divisions of the sorted points into k segments."""
    order = np.argsort(x)
    x, w = x[order], w[order]
    best = np.inf
    for cuts in combinations(range(1, len(x)), k - 1):
        ends = [0, *cuts, len(x)]
        parts = pairwise(ends)
        best = min(best, sum(error_of(x[a:b], w[a:b], error) for a, b in parts))
    return best


@pytest.mark.parametrize("error", ["squared", "absolute"])
@given(data=st.data())
def test_segments_are_the_best_there_are(error: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    x = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), float) / 3
    w = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), float)
    found = segments(x, w, n, error)
    for k in range(1, n + 1):
        best = brute_force(x, w, k, error)
        assert found.errors[k - 1] == pytest.approx(best, abs=1e-12)
        groups = found.groups(k)
        spent = sum(error_of(x[groups == g], w[groups == g], error) for g in range(k))
        assert spent == pytest.approx(best, abs=1e-12)
        assert len(np.unique(groups)) == k


@pytest.mark.parametrize("error", ["squared", "absolute"])
def test_exact_is_never_worse_than_lloyd_with_100_restarts(error: str) -> None:
    hands = hands_of(rhode_island().deal)
    v, w = hands.strength(1), hands.weight[1]
    best = segments(v, w, 40, error).errors
    worse = 0
    for k in (2, 5, 13, 25, 40):
        distance = "l2" if error == "squared" else "l1"
        found = lloyd(v, w, k, distance=distance, restarts=100, seed=k).error
        assert best[k - 1] <= found * (1 + 1e-9)
        worse += found > best[k - 1] * (1 + 1e-6)
    assert worse >= 1  # Lloyd's algorithm does end in local optima


def test_expectation_based_by_either_solver() -> None:
    hands = hands_of(rhode_island(ranks="23456", suits=3).deal)
    exact = expectation_based(hands, (5, 12, 40))
    by_lloyd = expectation_based(hands, (5, 12, 40), solver="lloyd", restarts=20)
    assert by_lloyd.sizes == exact.sizes
    assert all(
        a <= b * (1 + 1e-9) + 1e-15 for a, b in zip(exact.errors, by_lloyd.errors, strict=True)
    )


def test_lloyd_finds_what_is_there() -> None:
    rng = np.random.default_rng(1)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10.0]])
    points = np.repeat(centres, 25, axis=0) + rng.normal(size=(100, 2)) * 0.1
    for distance in ("l2", "l1"):
        found = lloyd(points, np.ones(100), 4, distance=distance, restarts=10)
        assert all(len(set(found.groups[k * 25 : (k + 1) * 25].tolist())) == 1 for k in range(4))
        assert found.groups[0] == 0  # numbered by first points
        again = lloyd(points, np.ones(100), 4, distance=distance, restarts=10)
        np.testing.assert_array_equal(found.groups, again.groups)


def test_equal_points_share_a_cluster_and_weights_count() -> None:
    found = lloyd([[1.0], [1.0], [2.0]], [1, 1, 1], 3)
    assert found.groups.tolist() == [0, 0, 1]
    heavy = lloyd([0.0, 1.0, 1.9], [100.0, 1.0, 100.0], 2)
    assert heavy.groups.tolist() == [0, 1, 1]
    assert lloyd(np.zeros((4, 0)), np.ones(4), 2).groups.tolist() == [0, 0, 0, 0]


def test_medians_minimise_absolute_differences() -> None:
    points = np.array([[0.0], [1.0], [10.0]])
    found = lloyd(points, [1, 1, 1], 1, distance="l1")
    assert found.error == pytest.approx(10.0)
    assert found.centres.tolist() == [[1.0]]


def transport(p: Vector, q: Vector, places: Vector) -> float:
    """The earth mover's distance as a linear program."""
    n = len(p)
    cost = np.abs(places[:, None] - places).ravel()
    rows = np.kron(np.eye(n), np.ones(n))
    columns = np.kron(np.ones(n), np.eye(n))
    found = linprog(cost, A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    return float(found.fun)


def test_differences_on_a_line_are_the_earth_movers_distance() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        places = rng.random(5)
        p, q = rng.dirichlet(np.ones(5), 2)
        a, b = on_line([p, q], places)
        assert np.abs(a - b).sum() == pytest.approx(transport(p, q, places), abs=1e-9)


def test_bad_input() -> None:
    with pytest.raises(SettingsError, match=r"unknown error 'sqared'.*did you mean 'squared'"):
        segments([1.0], [1.0], 1, "sqared")
    with pytest.raises(SettingsError, match="as many of either"):
        segments([1.0, 2.0], [1.0], 1)
    with pytest.raises(SettingsError, match="finite"):
        segments([np.nan], [1.0], 1)
    with pytest.raises(SettingsError, match="unknown distance 'l3'"):
        lloyd([1.0], [1.0], 1, distance="l3")
    with pytest.raises(SettingsError, match="k is 0"):
        lloyd([1.0], [1.0], 0)
