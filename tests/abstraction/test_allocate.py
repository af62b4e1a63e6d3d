"""The integer program against brute force and dynamic programming."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.abstraction.allocate import allocate
from saddlepoint.core.errors import SettingsError


def spent(errors: list[np.ndarray], counts: np.ndarray) -> float:
    return sum(float(row[k - 1]) for row, k in zip(errors, counts, strict=True))


@given(data=st.data())
def test_optimal_against_brute_force(data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=4), min_size=1, max_size=4)
    )
    errors = [np.array(row, float) for row in rows]
    total = data.draw(st.integers(len(rows), 12))
    counts = allocate(errors, total)
    assert counts.sum() <= total
    best = min(
        sum(row[k - 1] for row, k in zip(rows, choice, strict=True))
        for choice in product(*(range(1, len(row) + 1) for row in rows))
        if sum(choice) <= total
    )
    if sum(map(len, rows)) > total:  # else every parent has all of its children
        assert spent(errors, counts) == pytest.approx(best)


def test_a_large_program_against_dynamic_programming() -> None:
    rng = np.random.default_rng(0)
    errors = [np.sort(rng.random(30))[::-1] * rng.random() for _ in range(40)]
    total = 150
    best = np.zeros(total + 1)
    for row in errors:
        new = np.full(total + 1, np.inf)
        for k in range(1, len(row) + 1):
            new[k:] = np.minimum(new[k:], best[: total + 1 - k] + row[k - 1])
        best = np.minimum.accumulate(new)
    counts = allocate(errors, total)
    assert counts.sum() <= total
    assert spent(errors, counts) == pytest.approx(best[total], abs=1e-9)


def test_too_few_children() -> None:
    with pytest.raises(SettingsError, match="2 buckets for 3 parents, expected at least one"):
        allocate([np.zeros(2)] * 3, 2)
