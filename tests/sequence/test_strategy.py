from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import saddlepoint as sp
from conftest import form_of
from saddlepoint.core.errors import GameError, SettingsError, StoreError, StrategyError
from saddlepoint.sequence.form import matrix_form
from saddlepoint.sequence.strategy import Profile, Strategy


def test_a_mixture_is_a_coin_tossed_before_the_game() -> None:
    form = form_of("leduc")
    one, two = Strategy.random(form.X, 1), Strategy.random(form.X, 2)
    mixed = one.mix(two, 0.3)
    np.testing.assert_allclose(mixed.plan, 0.7 * one.plan + 0.3 * two.plan, atol=1e-12)
    with pytest.raises(SettingsError, match="weight is 2"):
        one.mix(two, 2)
    with pytest.raises(StrategyError, match="different games"):
        one.mix(Strategy.uniform(form_of("kuhn").X), 0.5)


def test_strategies_are_read_by_name() -> None:
    s = Strategy.uniform(form_of("leduc").X)
    assert s["J:cr"] == pytest.approx({"f": 1 / 3, "c": 1 / 3, "r": 1 / 3})
    assert dict(s)["Q|J:cc/"] == {"c": 0.5, "r": 0.5}
    assert [row.infoset for row in s.rows()][:2] == ["J:", "Q:"]
    assert s.row("J:cr").reach == 0.5
    assert "J:cr" in s
    assert "J:x" not in s
    assert "J:cr" in s._repr_html_()


def test_data_frames_hold_every_action() -> None:
    pytest.importorskip("pandas")
    frame = Profile.uniform(form_of("kuhn")).to_frame()
    assert len(frame) == 24
    assert frame.groupby(["player", "infoset"]).probability.sum().to_numpy() == pytest.approx(1)


def test_profiles_are_saved_and_loaded(tmp_path: Path) -> None:
    profile = Profile.random(form_of("leduc"), 5)
    path = profile.save(tmp_path / "p.saddle", seed=5)
    for mapped in (False, True):
        found = sp.load(path, mapped=mapped)
        np.testing.assert_array_equal(found.first.probabilities, profile.first.probabilities)
        np.testing.assert_array_equal(found.second.plan, profile.second.plan)


def test_solutions_are_saved_and_loaded(tmp_path: Path) -> None:
    solution = sp.solve("kuhn", "cfr+", gap=1e-3)
    found = sp.load(solution.save(tmp_path / "s.saddle"))
    assert found.summary() == solution.summary()
    assert found.status is solution.status
    np.testing.assert_array_equal(found.trace.gap, solution.trace.gap)
    assert "cfr+" in found._repr_html_()


def test_files_of_other_games_are_refused(tmp_path: Path) -> None:
    path = Profile.uniform(form_of("kuhn")).save(tmp_path / "p.saddle")
    with pytest.raises(StrategyError, match="was made for kuhn"):
        sp.load(path, "leduc")
    unnamed = Profile.uniform(matrix_form([[1, 2], [3, 4]])).save(tmp_path / "m.saddle")
    with pytest.raises(GameError, match="name the game"):
        sp.load(unnamed)
    from saddlepoint.core import store

    other = store.write(tmp_path / "o.saddle", {"kind": "checkpoint"}, {})
    with pytest.raises(StoreError, match="holds a checkpoint"):
        sp.load(other)


def test_a_profile_belongs_to_its_game() -> None:
    kuhn, leduc = form_of("kuhn"), form_of("leduc")
    with pytest.raises(StrategyError, match="another game than leduc"):
        Profile(leduc, Strategy.uniform(kuhn.X), Strategy.uniform(kuhn.Y))
    with pytest.raises(SettingsError, match="player is 3"):
        Profile.uniform(kuhn).player(3)


def test_compact_files_hold_what_they_say(tmp_path: Path) -> None:
    solution = sp.solve("leduc", "lp")
    plain, small = solution.save(tmp_path / "a.saddle"), tmp_path / "b.saddle"
    solution.save(small, compact=True)
    assert small.stat().st_size < plain.stat().st_size
    loaded = sp.load(small)
    assert isinstance(loaded, sp.Solution)
    # Bounds in the file are those of its strategies, and they have lost little.
    assert (loaded.lower, loaded.upper) == pytest.approx(
        (sp.bounds(loaded.profile).lower, sp.bounds(loaded.profile).upper), abs=1e-12
    )
    assert solution.gap < loaded.gap < 1e-3
    for one, two in zip(loaded.profile, solution.profile, strict=True):
        np.testing.assert_allclose(one.probabilities, two.probabilities, atol=1e-4)
    again = loaded.save(tmp_path / "c.saddle", compact=True)
    np.testing.assert_allclose(
        sp.load(again).profile.first.probabilities, loaded.profile.first.probabilities, atol=2e-5
    )
