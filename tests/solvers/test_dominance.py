from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_games import matrices
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence.form import matrix_form
from saddlepoint.solvers.dominance import Elimination, eliminate_dominated
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.run import run

ALL = [("strict", "pure"), ("strict", "mixed"), ("weak", "pure"), ("weak", "mixed")]


def value(M: np.ndarray) -> float:
    return run(matrix_form(M), LinearProgram()).value


def test_a_chain_of_eliminations() -> None:
    """Each step makes the next possible: row 2 falls to row 0, then column 2 to column 1 ..."""
    M = [[3, 2, 9], [1, 4, 8], [2, 1, -9]]
    left = eliminate_dominated(M, "strict", "pure")
    assert [(r.player, r.strategy, r.by, r.round) for r in left.order] == [
        (1, 2, (0,), 1),
        (2, 2, (0,), 1),
    ]
    np.testing.assert_array_equal(left.matrix, [[3, 2], [1, 4]])
    x, y = left.lift([0.75, 0.25], [0.5, 0.5])
    np.testing.assert_array_equal(x, [0.75, 0.25, 0])
    np.testing.assert_array_equal(y, [0.5, 0.5, 0])


def test_the_four_kinds_differ() -> None:
    M = np.array([[4, 0, 2], [0, 4, 2], [1, 1, 1.0], [0, 4, 1]])
    kept = {kind: eliminate_dominated(M, *kind).rows.tolist() for kind in ALL}
    assert kept["strict", "pure"] == [0, 1, 2, 3]
    assert kept["strict", "mixed"] == [0, 1, 3]
    assert kept["weak", "pure"] == [0, 1, 2]
    assert kept["weak", "mixed"] == [0, 1]


def test_equal_rows_do_not_dominate_each_other() -> None:
    for kind in ALL:
        assert eliminate_dominated([[1, 0], [1, 0], [0, 1]], *kind).rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("kind", "by"), ALL)
@given(M=matrices)
def test_the_value_stays_and_lifted_equilibria_are_equilibria(
    M: np.ndarray, kind: str, by: str
) -> None:
    left = eliminate_dominated(M, kind, by)
    np.testing.assert_array_equal(left.matrix, M[np.ix_(left.rows, left.columns)])
    found = run(matrix_form(left.matrix), LinearProgram())
    assert found.value == pytest.approx(value(M), abs=1e-6)
    x, y = left.lift(found.profile.first.plan[1:], found.profile.second.plan[1:])
    assert (M @ y).max() - (x @ M).min() <= 1e-6


@pytest.mark.parametrize(("kind", "by"), ALL)
@given(M=matrices)
def test_every_removal_is_what_it_says(M: np.ndarray, kind: str, by: str) -> None:
    left = eliminate_dominated(M, kind, by)
    rows, columns = (np.ones(n, bool) for n in M.shape)
    for r in left.order:
        payoffs = M if r.player == 1 else -M.T
        own, other = (rows, columns) if r.player == 1 else (columns, rows)
        difference = (np.array(r.weights) @ payoffs[list(r.by)] - payoffs[r.strategy])[other]
        assert sum(r.weights) == pytest.approx(1)
        assert all(own[list(r.by)])
        assert r.strategy not in r.by
        assert difference.min() > 0 if kind == "strict" else difference.min() >= -1e-7
        assert difference.max() > 0
        assert by == "mixed" or len(r.by) == 1
        own[r.strategy] = False
    assert np.flatnonzero(rows).tolist() == left.rows.tolist()
    assert np.flatnonzero(columns).tolist() == left.columns.tolist()


@given(matrices)
def test_mixtures_remove_no_less_than_pure_strategies(M: np.ndarray) -> None:
    """Of strictly dominated strategies, which are independent of the order."""
    pure, mixed = (eliminate_dominated(M, "strict", by) for by in ("pure", "mixed"))
    assert set(mixed.rows) <= set(pure.rows)
    assert set(mixed.columns) <= set(pure.columns)
    again = eliminate_dominated(mixed.matrix, "strict", "mixed")
    assert again.order == ()


@given(matrices, st.randoms())
def test_the_order_of_strategies_does_not_matter_to_strict_dominance(M: np.ndarray, rng) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(M)))
    rng.shuffle(order)
    plain, shuffled = eliminate_dominated(M), eliminate_dominated(M[order])
    assert sorted(order[i] for i in shuffled.rows) == plain.rows.tolist()


def test_all_strategies_but_one_may_go() -> None:
    left: Elimination = eliminate_dominated([[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    assert left.matrix.tolist() == [[3]]
    assert eliminate_dominated(matrix_form([[5.0]])).matrix.tolist() == [[5]]


def test_questions_are_checked() -> None:
    with pytest.raises(SettingsError, match="kind is 'very'"):
        eliminate_dominated([[1]], "very")
    with pytest.raises(SettingsError, match="by is 'all'"):
        eliminate_dominated([[1]], by="all")
    with pytest.raises(StrategyError, match="one probability for each strategy"):
        eliminate_dominated([[1]]).lift([1, 0], [1])
