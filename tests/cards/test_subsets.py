from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.cards.subsets import binomials, subset_index, subset_of
from saddlepoint.core.errors import SettingsError, SizeError


def colexicographic(n: int, k: int) -> list[tuple[int, ...]]:
    """All sets, compared by their largest members first."""
    return sorted(combinations(range(n), k), key=lambda members: members[::-1])


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 1), (5, 0), (6, 2), (7, 3), (9, 9), (13, 5)])
def test_places_are_colexicographic(n: int, k: int) -> None:
    subsets = np.array(colexicographic(n, k), np.int64).reshape(comb(n, k), k)
    places = np.arange(comb(n, k))
    np.testing.assert_array_equal(subset_index(subsets, n), places)
    np.testing.assert_array_equal(subset_index(subsets[:, ::-1], n), places)
    np.testing.assert_array_equal(subset_of(places, n, k), subsets)


@given(st.data())
def test_places_lead_back(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 60))
    k = data.draw(st.integers(0, n))
    place = data.draw(st.integers(0, comb(n, k) - 1))
    (members,) = subset_of([place], n, k).tolist()
    assert members == sorted(set(members))
    assert sum(comb(c, i + 1) for i, c in enumerate(members)) == place
    assert subset_index([data.draw(st.permutations(members))], n).tolist() == [place]


def test_binomials() -> None:
    table = binomials(52, 7)
    assert all(table[n, k] == comb(n, k) for n in range(53) for k in range(8))
    assert binomials(100, 50)[100, 50] == 2**63 - 1


def test_wrong_sets_are_refused() -> None:
    with pytest.raises(SettingsError, match="row 1 of the subsets has 5, expected numbers from 0"):
        subset_index([[0, 1], [2, 5]], 5)
    with pytest.raises(SettingsError, match="row 0 of the subsets has -1"):
        subset_index([[0, -1]], 5)
    with pytest.raises(SettingsError, match="row 1 of the subsets has 3 twice"):
        subset_index([[0, 1], [3, 3]], 5)
    with pytest.raises(SettingsError, match="array of float64"):
        subset_index([[0.5, 1]], 5)
    with pytest.raises(SettingsError, match="2 dimensions"):
        subset_index([0, 1], 5)
    with pytest.raises(SettingsError, match="rows of equal lengths"):
        subset_index([[0, 1], [2]], 5)
    with pytest.raises(SettingsError, match=r"places\[1\] is 10, .* from 0 to 9 \(1 of 2"):
        subset_of([9, 10], 5, 2)
    with pytest.raises(SettingsError, match=r"places\[0\] is -1"):
        subset_of([-1], 5, 2)
    with pytest.raises(SizeError, match="sets of 50 numbers below 100"):
        subset_of([0], 100, 50)
