from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.core.errors import SaddlepointError, SizeError
from saddlepoint.solvers import elimination
from saddlepoint.solvers.elimination import Entries, eliminate, lift, solve_exactly

flint = pytest.mark.skipif(not elimination.installed(), reason="python-flint is not installed")


def random_system(seed: int, size: int, density: float) -> Entries:
    """Of full rank almost surely, with fractions for entries."""
    rng = np.random.default_rng(seed)
    system = {(i, int(j)): Fraction(1 + i, 3) for i, j in enumerate(rng.permutation(size))}
    for i, j in zip(*np.nonzero(rng.random((size, size)) < density), strict=True):
        system[int(i), int(j)] = Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9)))
    return system


def times(system: Entries, z: list[Fraction]) -> dict[int, Fraction]:
    out = {i: Fraction(0) for i in range(len(z))}
    for (i, j), entry in system.items():
        out[i] += entry * z[j]
    return out


@flint
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from([0.0, 0.2, 0.9]))
def test_all_ways_solve_the_system_exactly(seed: int, size: int, density: float) -> None:
    system = random_system(seed, size, density)
    right = {0: Fraction(1), size - 1: Fraction(2, 7)}
    full = {i: right.get(i, Fraction(0)) for i in range(size)}
    try:
        z = lift(system, size, right)
    except SaddlepointError:
        with pytest.raises(SaddlepointError, match="singular"):
            eliminate(system, size, right)
        return
    assert times(system, z) == full
    assert eliminate(system, size, right) == z
    for use in (True, False):
        primal, dual = solve_exactly(system, size, right, right, flint=use)
        assert primal == z
        assert times({(j, i): e for (i, j), e in system.items()}, dual) == full


@pytest.mark.parametrize("use", [pytest.param(True, marks=flint), False])
@pytest.mark.parametrize("size", [2, 9])
def test_singular_systems_are_refused(use: bool, size: int) -> None:
    one = Fraction(1)
    full = {(i, j): one for i in range(2) for j in range(2)} | {(i, i): one for i in range(2, size)}
    with pytest.raises(SaddlepointError, match="singular"):
        solve_exactly(full, size, {0: one}, {0: one}, flint=use)
    with pytest.raises(SaddlepointError, match="singular"):
        solve_exactly({(0, 0): one}, 2, {0: one}, {0: one}, flint=use)


def test_large_systems_are_refused() -> None:
    with pytest.raises(SizeError, match="30,000 unknowns"):
        solve_exactly({}, 30_000, {}, {})


def test_almost_triangular_systems_do_not_fill_in() -> None:
    n = 3000
    one = Fraction(1)
    system = {(i, i): one for i in range(n)} | {
        (i, (i * 7 + 3) % (i + 1)): one / 2 for i in range(n)
    }
    z = eliminate(system, n, {0: one})
    assert times(system, z) == {i: Fraction(int(i == 0)) for i in range(n)}
