from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.abstraction.buckets import checked
from saddlepoint.abstraction.hands import Hands, hands_of, levels
from saddlepoint.abstraction.percentile import percentile_buckets, percentiles, worths
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.errors import SettingsError
from saddlepoint.games.poker import leduc, rhode_island


def slow_percentiles(
    values: list[int], weights: list[int], n: int, above: list[int]
) -> list[tuple[int, int]]:
    """For each point its parent and how many moved boundaries are below it, exactly."""
    found = []
    for v, parent in zip(values, above, strict=True):
        family = [k for k in range(len(values)) if above[k] == parent]
        distinct = sorted({values[k] for k in family})
        if len(distinct) <= n:
            found.append((parent, distinct.index(v)))
            continue
        cuts = [
            Fraction(sum(weights[k] for k in family if values[k] < d)) for d in (*distinct, 10**9)
        ]
        moved = [
            min(cuts, key=lambda cut, j=j: (abs(cut - j * cuts[-1] / n), cut))  # type: ignore[misc]
            for j in range(1, n)
        ]
        found.append((parent, sum(b <= cuts[distinct.index(v)] for b in moved)))
    return found


POINTS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(0, 2)), min_size=1, max_size=30
)


@given(POINTS, st.integers(1, 9))
def test_boundaries_move_to_the_nearest_cut(points: list[tuple[int, int, int]], n: int) -> None:
    values, weights, above = (list(column) for column in zip(*points, strict=True))
    slow = slow_percentiles(values, weights, n, above)
    numbers = {pair: k for k, pair in enumerate(sorted(set(slow)))}
    expected = [numbers[pair] for pair in slow]
    # Sevenths are rounded, so that middles on a boundary are not found there by luck.
    fast = percentiles(np.array(values) / 7, np.array(weights) / 7, n, above)
    assert fast.tolist() == expected


@pytest.mark.parametrize(
    ("weights", "n", "expected"),
    [
        ([1, 1, 1], 2, [0, 1, 1]),  # the middle one lies on the boundary: up
        ([1, 9, 1, 1, 1], 3, [0, 1, 2, 2, 2]),  # cuts at 1 and 10 are the nearest to 13/3, 26/3
        ([1, 1, 9, 1], 3, [0, 0, 1, 2]),
        ([8, 1, 1, 1, 1], 4, [0, 1, 2, 2, 2]),  # boundaries at 3, 6, 9 move to 0, 8, 9
        ([8, 2, 1, 1], 3, [0, 1, 1, 1]),  # those at 4 and 8 to 0 and 8
        ([9, 1, 1, 1], 3, [0, 1, 1, 1]),  # 4 goes to 0, 8 to 9
        ([100, 1, 1], 3, [0, 1, 2]),  # no more values than buckets: each has its own
        ([1] * 12, 4, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]),
        ([1] * 7, 1, [0] * 7),
    ],
)
def test_cuts(weights: list[int], n: int, expected: list[int]) -> None:
    values = np.arange(len(weights)) / 10
    assert percentiles(values, weights, n).tolist() == expected


def test_values_that_differ_by_rounding_stay_together() -> None:
    assert percentiles([0.1 + 0.2, 0.3, 0.3, 0.9, 0.1], [1] * 5, 3).tolist() == [1, 1, 1, 2, 0]


def rolled_out(deck: Deck, ranking: str, board: int, hand: tuple[int, ...]) -> dict[str, float]:
    """Both worths of a private card and the first public cards, dealing out all the others."""
    rest = [c for c in range(len(deck)) if c not in hand]
    strengths = []
    for more in permutations(rest, board - len(hand) + 1):
        full = (*hand, *more)
        others = [c for c in rest if c not in more]
        rows = np.array([full, *[(c, *full[1:]) for c in others]])
        mine, *theirs = RANKINGS[ranking](deck, rows).tolist()
        strengths.append(np.mean([(mine > t) + 0.5 * (mine == t) for t in theirs]))
    v = np.array(strengths)
    return {"hs": float(v.mean()), "hs2": float((v * v).mean())}


@pytest.mark.parametrize("kind", ["hs", "hs2"])
def test_worths_are_those_of_a_direct_roll_out(kind: str) -> None:
    for game, deck, ranking, board in (
        (leduc(isomorphism="cards"), Deck("JQK", 2), "pair", 1),
        (rhode_island(ranks="345", suits=2), Deck("345", 2), "three-card", 2),
    ):
        hands = hands_of(game.deal)
        for names, found in zip(hands.names, worths(hands, kind), strict=True):
            for name, worth in zip(names, found, strict=True):
                text = name.replace("|", "")
                hand = tuple(deck.card(text[k : k + 2]) for k in range(0, len(text), 2))
                assert worth == pytest.approx(rolled_out(deck, ranking, board, hand)[kind])


@pytest.fixture(scope="module")
def rhode() -> Hands:
    return hands_of(rhode_island().deal)


def test_squares_are_not_the_square_of_the_expectation(rhode: Hands) -> None:
    hs, hs2 = worths(rhode, "hs"), worths(rhode)
    for r in range(3):
        np.testing.assert_allclose(hs[r], rhode.strength(r), atol=1e-12)
    np.testing.assert_allclose(hs2[2], hs[2] ** 2, atol=1e-15)
    for r in (0, 1):
        assert (hs2[r] > hs[r] ** 2 + 1e-4).all()


@pytest.mark.parametrize("n", [2, 8, 50])
@pytest.mark.parametrize("r", [1, 2])
def test_masses_are_equal_up_to_ties(rhode: Hands, n: int, r: int) -> None:
    """What lies below a bucket is off by half the probability of one value at most."""
    worth, weight = worths(rhode)[r], rhode.weight[r]
    group = percentiles(worth, weight, n)
    level = levels(worth)
    tie = np.bincount(level, weight).max()
    mass = np.bincount(group, weight)
    upto = np.cumsum(mass)
    nearest = np.round(upto * n) / n
    assert np.abs(upto - nearest).max() <= tie / 2 + 1e-12
    if tie < 1 / n:
        assert len(mass) == n
        assert np.abs(mass - 1 / n).max() <= tie + 1e-12
    for k in range(len(mass) - 1):
        assert worth[group == k].max() < worth[group == k + 1].min()


def test_the_order_of_hands_does_not_matter(rhode: Hands) -> None:
    rng = np.random.default_rng(5)
    worth, weight, above = worths(rhode)[2], rhode.weight[2], rhode.ancestors(2, 0)
    order = rng.permutation(len(worth))
    whole = percentiles(worth, weight, 6, above)
    assert (percentiles(worth[order], 3 * weight[order], 6, above[order]) == whole[order]).all()


def test_all_hands_of_a_round_have_buckets_of_their_own(rhode: Hands) -> None:
    assert percentile_buckets(rhode, (13, 1, 1)).groups[0].tolist() == list(range(13))


def test_who_remembers_and_who_forgets(rhode: Hands) -> None:
    kept = checked(percentile_buckets(rhode, (4, 5, 3), kind="hs"), rhode)
    lost = checked(percentile_buckets(rhode, (4, 5, 3), kind="hs", forget=True), rhode)
    assert kept.sizes == (4, 20, 60)
    assert lost.sizes == (4, 5, 3)
    assert kept.forgets(rhode.up) == []
    assert lost.forgets(rhode.up) == [1, 2]
    for parent in range(20):  # the hands of a parent are divided as if there were no others
        here = np.flatnonzero(kept.groups[1][rhode.up[2]] == parent)
        alone = percentiles(rhode.strength(2)[here], rhode.weight[2][here], 3)
        assert (kept.groups[2][here] - kept.groups[2][here].min() == alone).all()


def test_bad_settings_are_refused(rhode: Hands) -> None:
    with pytest.raises(SettingsError, match=r"unknown kind 'hs3'.*expected one of hs, hs2"):
        worths(rhode, "hs3")
    with pytest.raises(SettingsError, match="n is 0, expected a whole number of at least 1"):
        percentiles([0.5], [1], 0)
    with pytest.raises(SettingsError, match=r"found values of shape \(2,\).*expected as many"):
        percentiles([0.5, 1.0], [1], 2)
    with pytest.raises(SettingsError, match="weights above 0"):
        percentiles([0.5, 1.0], [1, 0], 2)
    with pytest.raises(SettingsError, match="buckets of 2 rounds, expected a number for each of 3"):
        percentile_buckets(rhode, (3, 3))
