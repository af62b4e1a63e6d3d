from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from saddlepoint.core import store
from saddlepoint.core.errors import StoreError

ARRAYS = {
    "x": np.arange(10.0),
    "y": np.arange(12, dtype=np.float32).reshape(3, 4),
    "empty": np.zeros(0),
    "flag": np.array([True, False]),
}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return store.write(tmp_path / "a.saddle", {"kind": "test", "seed": 7}, ARRAYS)


@pytest.mark.parametrize("mapped", [False, True])
def test_what_was_written_is_read(written: Path, mapped: bool) -> None:
    found = store.read(written, mapped=mapped)
    assert found.manifest["seed"] == 7
    assert list(found.arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)


def test_mapped_arrays_are_aligned_and_read_only(written: Path) -> None:
    x = store.read(written, mapped=True).arrays["x"]
    assert x.ctypes.data % store.ALIGNMENT == 0
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1.0


def test_numpy_reads_the_file_too(written: Path) -> None:
    np.testing.assert_array_equal(np.load(written)["y"], ARRAYS["y"])


def test_equal_content_has_an_equal_name(tmp_path: Path) -> None:
    one, two = (store.write(tmp_path / f"{k}.saddle", {"kind": "t"}, ARRAYS) for k in "ab")
    three = store.write(tmp_path / "c.saddle", {"kind": "u"}, ARRAYS)
    assert store.digest(one) == store.digest(two) != store.digest(three)


def test_every_flipped_bit_is_found(written: Path, tmp_path: Path) -> None:
    good = written.read_bytes()
    rng = np.random.default_rng(1)
    damaged = tmp_path / "b.saddle"
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= 1 << int(rng.integers(8))
        damaged.write_bytes(bad)
        with pytest.raises(StoreError):
            store.read(damaged)


def test_every_truncation_is_found(written: Path, tmp_path: Path) -> None:
    good = written.read_bytes()
    damaged = tmp_path / "b.saddle"
    for length in range(len(good)):
        damaged.write_bytes(good[:length])
        with pytest.raises(StoreError):
            store.read(damaged)


def test_unverified_damage_raises_nothing_else(written: Path, tmp_path: Path) -> None:
    good = written.read_bytes()
    rng = np.random.default_rng(2)
    damaged = tmp_path / "b.saddle"
    for _ in range(500):
        bad = bytearray(good)
        for place in rng.integers(len(good), size=3):
            bad[place] = int(rng.integers(256))
        damaged.write_bytes(bad)
        try:
            store.read(damaged, verify=False, mapped=True)
        except StoreError:
            continue


def test_foreign_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    np.savez(tmp_path / "plain.npz", x=np.zeros(3))
    for name in ("text", "plain.npz"):
        with pytest.raises(StoreError, match="not a Saddlepoint file"):
            store.read(tmp_path / name)
    with pytest.raises(StoreError, match="no such file"):
        store.read(tmp_path / "absent")
    with pytest.raises(StoreError, match="folder"):
        store.read(tmp_path)


def test_a_failed_write_leaves_the_old_file(written: Path) -> None:
    before = written.read_bytes()
    with pytest.raises(TypeError):
        store.write(written, {"kind": object()}, ARRAYS)
    with pytest.raises(StoreError, match="Python objects"):
        store.write(written, {"kind": "t"}, {"bad": np.array([object()])})
    assert written.read_bytes() == before
    assert os.listdir(written.parent) == [written.name]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        store.write(tmp_path / "nowhere" / "a.saddle", {}, {})
