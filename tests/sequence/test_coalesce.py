"""Wide blocks are the same treeplex, renumbered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.games.catalogue import game
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence import form as forms
from saddlepoint.sequence.coalesce import coalesced, depths
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.methods import solve


@given(data=st.data())
def test_plans_values_and_best_responses(data: st.DataObject) -> None:
    parents, actions, total = [], [], 1
    for _ in range(data.draw(st.integers(1, 12))):
        parents.append(data.draw(st.integers(0, total - 1)))
        actions.append(data.draw(st.integers(1, 4)))
        total += actions[-1]
    X = Treeplex.of_infosets(parents, actions)
    wide, place = coalesced(X)
    assert sorted(place.tolist()) == list(range(total))
    rng = np.random.default_rng(data.draw(st.integers(0, 100)))
    s, g = X.random(rng), rng.normal(size=total)
    moved, gradient = np.empty(total), np.empty(total)
    moved[place], gradient[place] = s, g
    np.testing.assert_allclose(wide.plan(moved)[place], X.plan(s), atol=1e-15)
    assert wide.value(moved, gradient) == pytest.approx(X.value(s, g))
    value, best = X.best_response(g)
    assert wide.best_response(gradient)[0] == pytest.approx(value)
    np.testing.assert_array_equal(wide.best_response(gradient)[1][place], best)
    for q in range(total):
        assert wide.sequence_name(int(place[q])) == X.sequence_name(q)
    assert wide.n_blocks <= (depths(X).max() + 1) * len(set(actions))


def test_large_trees_are_put_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same game with the same names, in blocks of one lane and in wide ones."""
    real = game("leduc")
    assert isinstance(real, FactoredGame)
    tree = unfold(real)
    plain = forms.form_of_tree(tree)
    assert plain.X.n_blocks == plain.X.n_infosets == 144
    monkeypatch.setattr(forms, "_SIDE_BY_SIDE_FROM", 1)
    wide = forms.form_of_tree(tree)
    assert wide.X.n_blocks <= 8
    assert wide.X.n_infosets == 144
    found = solve(wide, "cfr+", iterations=5)
    assert found.gap == pytest.approx(solve(plain, "cfr+", iterations=5).gap, rel=1e-9)
    names = {plain.X.names.infoset(i) for i in range(144)}
    assert {wide.X.names.infoset(i) for i in range(144)} == names


def test_an_empty_treeplex() -> None:
    nothing = Treeplex.of_infosets([], [])
    assert coalesced(nothing)[0] is nothing
