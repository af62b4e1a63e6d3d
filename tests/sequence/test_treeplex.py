from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from conftest import form_of
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.sequence.treeplex import Treeplex


@st.composite
def treeplexes(draw: st.DrawFn) -> Treeplex:
    """Random treeplexes with blocks of several lanes, linked and unlinked."""
    actions, lanes, parent, link, links = [], [], [], [], []
    n, rows = 1, []
    for _ in range(draw(st.integers(1, 6))):
        k = draw(st.integers(1, 4))
        fitting = [row for row, width in rows]
        if fitting and draw(st.booleans()):
            row, width = draw(st.sampled_from(rows))
            parent.append(row)
            link.append(-1)
        else:
            width = draw(st.sampled_from([1, 2, 3, 600]))
            parent.append(0)
            link.append(len(links))
            links += draw(st.lists(st.integers(0, n - 1), min_size=width, max_size=width))
        actions.append(k)
        lanes.append(width)
        rows += [(n + a * width, width) for a in range(k)]
        n += k * width
    return Treeplex(actions, lanes, parent, link, links)


@given(treeplexes(), st.integers(0, 99))
def test_sweeps_are_their_slow_twins(T: Treeplex, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = T.random(rng)
    g = rng.normal(size=T.n_sequences)
    x = twins.plan(T, s)
    np.testing.assert_allclose(T.plan(s), x, rtol=1e-12)
    np.testing.assert_allclose(T.plan(T.behaviour(x)), x, atol=1e-12)
    if T.n_sequences < 60:
        np.testing.assert_allclose(T.action_values(s, g), twins.values(T, s, g), atol=1e-9)
        value, best = T.best_response(g)
        assert value == pytest.approx(twins.best_value(T, g), abs=1e-9)
    # The value is linear in the plan, and a best response attains its own value.
    value, best = T.best_response(g)
    assert T.plan(best) @ g == pytest.approx(value, abs=1e-8)
    assert T.value(s, g) == pytest.approx(x @ g, abs=1e-8)
    assert value >= x @ g - 1e-9


def test_plans_satisfy_the_constraints(small_form: SequenceForm) -> None:
    for T in (small_form.X, small_form.Y):
        x = T.plan(T.random(3))
        assert x[0] == 1.0
        np.testing.assert_allclose(T.sums(x), x[T.flat.parent], atol=1e-12)


def test_unreached_information_sets_are_uniform() -> None:
    T = Treeplex.of_infosets([0, 2], [2, 4])
    np.testing.assert_array_equal(T.behaviour([1, 1, 0, 0, 0, 0, 0]), [1, 1, 0, *[0.25] * 4])


def test_ties_go_to_the_first_action() -> None:
    assert Treeplex.simplex(3).best_response([0, 1, 2, 2])[1].tolist() == [1, 0, 1, 0]


def test_not_a_number_is_not_hidden_by_a_maximum() -> None:
    for place in (1, 2, 3):
        g = np.zeros(4)
        g[place] = np.nan
        assert np.isnan(Treeplex.simplex(3).best_response(g)[0])


def test_parents_must_come_first() -> None:
    with pytest.raises(GameError, match="parents first"):
        Treeplex.of_infosets([3, 0], [2, 2])
    with pytest.raises(GameError, match="at least one action"):
        Treeplex.of_infosets([0], [0])


def test_wrong_strategies_are_refused_by_name() -> None:
    T = form_of("kuhn").X
    s = T.uniform()
    s[T.sequences(T.find("Q:"))] = [0.7, 0.5]
    with pytest.raises(StrategyError) as error:
        T.check(s)
    assert str(error.value) == (
        "probabilities at 'Q:' (information set 1) are [0.7, 0.5]: sum 1.2, expected nonnegative "
        "numbers with sum 1 within 1e-09 (1 of 6 information sets are wrong)"
    )
    with pytest.raises(StrategyError, match=r"shape \(3,\), expected \(13,\)"):
        T.check([1, 2, 3])
    for bad in (np.nan, -0.5, np.inf):
        s = T.uniform()
        s[2] = bad
        with pytest.raises(StrategyError):
            T.check(s)


def test_functions_become_strategies() -> None:
    T = form_of("kuhn").X
    s = T.from_function(lambda name, actions: {"c": 1.0} if "c" in actions else [1, 0])
    assert s[T.sequences(T.find("J:"))].tolist() == [1, 0]
    with pytest.raises(StrategyError, match="no action 'z'"):
        T.from_function(lambda name, actions: {"z": 1.0})
    with pytest.raises(StrategyError, match="3 probabilities at"):
        T.from_function(lambda name, actions: [1, 0, 0])
    with pytest.raises(StrategyError, match="no information set is called 'A:'"):
        T.find("A:")


def test_functions_of_an_information_set_alone() -> None:
    X = form_of("kuhn").X
    table = dict(Strategy.uniform(X))
    for function in (
        lambda infoset: table[infoset],
        lambda infoset, actions: table[infoset],
        lambda *seen: table[seen[0]],
    ):
        np.testing.assert_array_equal(X.from_function(function), X.uniform())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "found None at 'J:', expected probabilities of"),
        (0.5, "found 0.5 at 'J:'"),
        ("cr", "found 'cr' at 'J:'"),
        (["a", "b"], r"found \['a', 'b'\] at 'J:'"),
        ({"c": None}, r"found \[None, 0.0\] at 'J:'"),
        ({"x": 1}, "'J:' has no action 'x'"),
        ([1], "1 probabilities at 'J:', expected 2"),
        ([0.5, 0.6], "probabilities at 'J:'"),
        (np.array([0.5, np.nan]), "probabilities at 'J:'"),
    ],
)
def test_what_is_no_distribution_is_refused_by_name(given: object, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        form_of("kuhn").X.from_function(lambda infoset: given)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(StrategyError, match="expected a function"):
        form_of("kuhn").X.from_function({"J:": [1, 0]})  # type: ignore[arg-type]
