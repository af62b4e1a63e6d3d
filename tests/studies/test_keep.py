"""Kept steps: computed once, under what made them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saddlepoint.core.errors import StoreError
from saddlepoint.studies.keep import Keeper, default_folder


def test_a_step_is_computed_once_and_read_back_equal(tmp_path: Path) -> None:
    calls: list[int] = []

    def compute() -> dict[str, object]:
        calls.append(1)
        return {"x": np.arange(5.0), "name": "five", "list": [1, 2.5]}

    first = Keeper(tmp_path).step("numbers", {"n": 5}, compute)
    again = Keeper(tmp_path).step("numbers", {"n": 5}, compute)
    assert len(calls) == 1
    np.testing.assert_array_equal(first["x"], again["x"])
    assert (again["name"], again["list"]) == ("five", [1, 2.5])


def test_another_key_another_name_or_fresh_computes_anew(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    for name, key in (("a", {"n": 1}), ("a", {"n": 2}), ("b", {"n": 1})):
        keeper.step(name, key, lambda: {"done": True})
    assert keeper.computed == ["a", "a", "b"]
    Keeper(tmp_path, fresh=True).step("a", {"n": 1}, lambda: {"done": False})
    assert Keeper(tmp_path).step("a", {"n": 1}, dict) == {"done": False}


def test_other_sources_compute_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Keeper(tmp_path).step("a", {}, lambda: {"v": 1})
    monkeypatch.setattr("saddlepoint.studies.keep.sources_digest", lambda: "other")
    assert Keeper(tmp_path).step("a", {}, lambda: {"v": 2}) == {"v": 2}


def test_a_damaged_file_is_computed_anew(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    keeper.step("a", {}, lambda: {"v": 1})
    path = keeper.path("a", {})
    path.write_bytes(path.read_bytes()[:-100])
    assert keeper.step("a", {}, lambda: {"v": 2}) == {"v": 2}
    assert keeper.step("a", {}, lambda: {"v": 3}) == {"v": 2}


def test_nothing_is_kept_of_a_step_that_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        Keeper(tmp_path).step("a", {}, lambda: {"v": 1 // 0})
    assert not list(tmp_path.iterdir())


def test_where_steps_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SADDLEPOINT_CACHE", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine"
    monkeypatch.delenv("SADDLEPOINT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "saddlepoint"
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the folder"):
        Keeper(tmp_path / "file" / "below").step("a", {}, lambda: {"v": 1})
