from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import form_of
from saddlepoint.core.errors import SettingsError
from saddlepoint.reverse.purify import most_likely, purify, round_to_grid, threshold
from saddlepoint.sequence.form import matrix_form
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.sequence.treeplex import Treeplex

GAMES = ("kuhn", "leduc", "no-limit-leduc:stack=4", "no-limit-leduc:stack=12,menu=fcpa")


def strategies() -> list[Strategy]:
    """Random strategies, some of whose probabilities are zero and some tied."""
    found = []
    for seed, text in enumerate(GAMES):
        X = form_of(text).X
        s = np.round(X.random(seed), 1)
        s[0] = 1.0
        sums = X.sums(s)[X.flat.infoset[1:]]
        s[1:] = np.where(sums > 0, s[1:] / np.where(sums > 0, sums, 1), X.uniform()[1:])
        found.append(Strategy(X, s))
    return found


def rows(strategy: Strategy) -> list[np.ndarray]:
    plex = strategy.treeplex
    return [strategy.probabilities[plex.sequences(i)] for i in range(plex.n_infosets)]


def naive_purified(row: np.ndarray) -> np.ndarray:
    best = [p >= max(row) - 1e-9 for p in row]
    return np.array(best) / sum(best)


def naive_threshold(row: np.ndarray, epsilon: float) -> np.ndarray:
    kept = np.array([p if p >= epsilon else 0.0 for p in row])
    return kept / kept.sum() if kept.sum() > 0 else naive_purified(row)


def naive_grid(row: np.ndarray, parts: int) -> np.ndarray:
    units = [int(np.floor(p * parts + 1e-9)) for p in row]
    losses = [round(p * parts - u, 12) for p, u in zip(row, units, strict=True)]
    for a in sorted(range(len(row)), key=lambda a: -losses[a])[: parts - sum(units)]:
        units[a] += 1
    return np.array(units) / parts


@pytest.mark.parametrize("strategy", strategies(), ids=GAMES)
def test_every_information_set_is_treated_as_by_definition(strategy: Strategy) -> None:
    for row, found in zip(rows(strategy), rows(purify(strategy)), strict=True):
        np.testing.assert_allclose(found, naive_purified(row), atol=1e-12)
    for epsilon in (0.0, 0.1, 0.25, 0.5, 0.8, 1.0):
        for row, found in zip(rows(strategy), rows(threshold(strategy, epsilon)), strict=True):
            np.testing.assert_allclose(found, naive_threshold(row, epsilon), atol=1e-12)
    for parts in (1, 2, 3, 10):
        for row, found in zip(rows(strategy), rows(round_to_grid(strategy, parts)), strict=True):
            np.testing.assert_allclose(found, naive_grid(row, parts), atol=1e-12)


def test_the_extremes_are_each_other() -> None:
    """Threshold 0 changes nothing; above a half it is purification, as is k = 1."""
    s = Strategy.random(form_of("leduc").X, 5)
    np.testing.assert_allclose(threshold(s, 0.0).probabilities, s.probabilities, atol=1e-15)
    for other in (threshold(s, 0.51), threshold(s, 0.7), threshold(s, 1.0), most_likely(s, 1)):
        np.testing.assert_array_equal(other.probabilities, purify(s).probabilities)


def test_the_k_likeliest() -> None:
    X = Treeplex.of_infosets([0, 0], [4, 2])
    s = Strategy(X, [1.0, 0.4, 0.3, 0.2, 0.1, 1.0, 0.0])
    assert most_likely(s, 2).probabilities.tolist() == [1, 0.5, 0.5, 0, 0, 1, 0]
    tied = Strategy(X, [1.0, 0.4, 0.2, 0.2, 0.2, 0.5, 0.5])
    np.testing.assert_allclose(most_likely(tied, 2).probabilities[1:5], 0.25)
    assert most_likely(tied, 9).probabilities[5:].tolist() == [0.5, 0.5]


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=8), st.floats(0, 1))
def test_thresholding_keeps_the_proportions_of_what_it_keeps(
    weights: list[float], epsilon: float
) -> None:
    p = np.array(weights) / sum(weights)
    s = Strategy(matrix_form(np.zeros((len(p), 1))).X, [1.0, *p])
    found = threshold(s, epsilon).probabilities[1:]
    kept = found > 0
    assert kept[p == p.max()].all()
    if (p >= epsilon).any():
        assert (kept == (p >= epsilon)).all()
        np.testing.assert_allclose(found[kept] / found[kept].sum(), p[kept] / p[kept].sum())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: threshold(s, 1.5), "threshold is 1.5, expected a number between 0 and 1"),
        (lambda s: threshold(s, float("nan")), "threshold is nan"),
        (lambda s: most_likely(s, 0), "k is 0"),
        (lambda s: round_to_grid(s, 0), "parts is 0"),
    ],
)
def test_wrong_settings_are_refused(call, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        call(Strategy.uniform(form_of("kuhn").X))
