from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import form_of
from random_games import matrices, trees
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.solvers.support import enumerate_supports


def unit(plex: Treeplex, name: str) -> np.ndarray:
    names = [plex.sequence_name(q) for q in range(plex.n_sequences)]
    return np.eye(plex.n_sequences)[names.index(name)]


def test_kuhn_poker_has_the_equilibria_that_kuhn_found() -> None:
    """Player 1: alpha in [0, 1/3] is bet with the jack, 3 alpha with the king; the queen
    calls with alpha + 1/3. Player 2 has one equilibrium (Kuhn 1950).
    """
    face = EquilibriumFace(form_of("kuhn"), 1)
    X = face.form.X
    jack, queen, king = (unit(X, name) for name in ("J: r", "Q:cr c", "K: r"))
    assert face.value == pytest.approx(-1 / 18, abs=1e-14)
    assert not face.unique
    for c, low, high in ((jack, 0, 1 / 3), (king, 0, 1), (queen, 1 / 3, 2 / 3)):
        found = face.range(c)
        assert (found.minimum, found.maximum) == pytest.approx((low, high), abs=1e-12)
        assert (c @ found.argmin, c @ found.argmax) == (found.minimum, found.maximum)
    for c, constant in ((king - 3 * jack, 0), (queen - jack, 1 / 3)):
        found = face.range(c)
        assert (found.minimum, found.maximum) == pytest.approx((constant,) * 2, abs=1e-12)
    ends = face.vertices(20, seed=1)
    assert sorted(ends @ jack) == pytest.approx([0, 1 / 3])

    second = EquilibriumFace(face.form, 2)
    assert second.unique
    assert second.value == pytest.approx(-1 / 18, abs=1e-14)
    assert len(second.vertices(10)) == 1
    Y = face.form.Y
    assert unit(Y, "J:c r") @ second.plan == pytest.approx(1 / 3)
    assert unit(Y, "Q:r c") @ second.plan == pytest.approx(1 / 3)


@given(trees, st.sampled_from([1, 2]), st.integers(0, 100))
@settings(max_examples=60)
def test_all_that_it_finds_are_equilibria(form: SequenceForm, player: int, seed: int) -> None:
    face = EquilibriumFace(form, player)
    for plan in face.vertices(5, seed):
        x, y = (plan, face.opponent) if player == 1 else (face.opponent, plan)
        found = gap(form.X, form.Y, form.A, x, y)
        assert found.gap <= 1e-10
        assert found.lower == pytest.approx(face.value, abs=1e-10)


@given(matrices, st.sampled_from([1, 2]), st.integers(0, 100))
def test_ranges_are_those_over_all_extreme_equilibria(
    M: np.ndarray, player: int, seed: int
) -> None:
    extreme = np.array([e[player - 1] for e in enumerate_supports(M)])
    face = EquilibriumFace(matrix_form(M), player)
    c = np.random.default_rng(seed).normal(size=extreme.shape[1])
    found = face.range(np.append(0.0, c))
    assert found.minimum == pytest.approx((extreme @ c).min(), abs=1e-8)
    assert found.maximum == pytest.approx((extreme @ c).max(), abs=1e-8)
    assert face.unique == (np.ptp(extreme, axis=0).max() < 1e-7)


def test_ranges_do_not_depend_on_what_was_asked_before() -> None:
    form = form_of("leduc")
    c = np.random.default_rng(3).normal(size=form.X.n_sequences)
    once = EquilibriumFace(form, 1).range(c)
    face = EquilibriumFace(form, 1)
    face.vertices(10)
    again = face.range(c)
    assert (once.minimum, once.maximum) == pytest.approx((again.minimum, again.maximum), abs=1e-9)
    assert once.maximum > once.minimum + 0.1
    assert face.range(c * 0.0).maximum == 0.0


def test_questions_are_checked() -> None:
    face = EquilibriumFace(form_of("kuhn"), 1)
    with pytest.raises(StrategyError, match="one number for each sequence"):
        face.range([1.0])
    with pytest.raises(SettingsError, match="count"):
        face.vertices(0)
    with pytest.raises(SettingsError, match="player"):
        EquilibriumFace(form_of("kuhn"), 3)
