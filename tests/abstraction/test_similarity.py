"""Lossy GameShrink: differences by brute force, thresholds by bisection."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.abstraction.hands import Hands, hands_of
from saddlepoint.abstraction.similarity import (
    Similarity,
    anytime,
    lossy_game_shrink,
    merges,
    outcome_difference,
)
from saddlepoint.core.errors import GameError, SettingsError
from saddlepoint.games.poker import leduc, rhode_island

SMALL = rhode_island(ranks="2345", suits=2)


@given(data=st.data())
def test_outcomes_are_paired_at_the_least_cost(data: st.DataObject) -> None:
    """Six opponents' hands each: the closed form against all 720 pairings."""
    draw = st.lists(st.sampled_from([-1, 0, 1]), min_size=6, max_size=6)
    one, two = np.array(data.draw(draw)), np.array(data.draw(draw))
    best = min(np.mean((one - np.array(order)) ** 2) for order in set(permutations(two.tolist())))
    ends = [(np.mean(v < 0), np.mean(v < 1)) for v in (one, two)]
    assert outcome_difference(*ends) == pytest.approx(best, abs=1e-12)


def test_earlier_rounds_match_the_cards_to_come() -> None:
    """The definition, by all matchings of a few cards."""
    game = rhode_island(ranks="23", suits=2)
    hands = hands_of(game.deal)
    similarity = Similarity(hands)
    last = similarity.among(2, np.arange(hands.size(2)))
    second = similarity.among(1, np.arange(hands.size(1)))
    after = similarity.next[1]
    for i in range(hands.size(1)):
        for j in range(hands.size(1)):
            best = min(
                np.mean([last[a, b] for a, b in zip(after[i], order, strict=True)])
                for order in permutations(after[j].tolist())
            )
            assert second[i, j] == pytest.approx(best, abs=1e-12)
    first = similarity.among(0, np.arange(hands.size(0)))
    flops = similarity.next[0]
    for i in range(hands.size(0)):
        for j in range(hands.size(0)):
            best = min(
                np.mean([second[a, b] for a, b in zip(flops[i], order, strict=True)])
                for order in permutations(flops[j].tolist())
            )
            assert first[i, j] == pytest.approx(best, abs=1e-12)


def test_merging_is_a_union_of_all_close_pairs() -> None:
    hands = hands_of(SMALL.deal)
    similarity = Similarity(hands)
    above = np.zeros(hands.size(2), np.int64)
    found = merges(similarity, 2, above)
    table = similarity.among(2, np.arange(hands.size(2)))
    for threshold in (0.0, 0.05, 0.2, 1.0):
        leader = np.arange(hands.size(2))
        for i, j in np.argwhere(table <= threshold + 1e-11):  # slow union
            leader[leader == leader[i]] = leader[j]
        groups = found.groups(threshold)
        for value in np.unique(leader):
            assert len(np.unique(groups[leader == value])) == 1
        assert len(np.unique(leader)) == groups.max() + 1


@pytest.mark.parametrize("wanted", [1, 5, 20, 60])
def test_thresholds_are_those_that_bisection_finds(wanted: int) -> None:
    """Section 6.3.1 searches for the least threshold with at most so many classes."""
    hands = hands_of(SMALL.deal)
    found = merges(Similarity(hands), 2, np.zeros(hands.size(2), np.int64))
    low, high = -1e-6, 4.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if found.groups(middle).max() + 1 <= wanted:
            high = middle
        else:
            low = middle
    assert found.threshold(wanted) == pytest.approx(max(0.0, high), abs=1e-7)
    assert found.groups(found.threshold(wanted)).max() + 1 <= wanted


def test_sizes_and_thresholds_agree() -> None:
    hands = hands_of(SMALL.deal)
    by_size = lossy_game_shrink(hands, (4, 10, 30))
    assert all(a <= b for a, b in zip(by_size.sizes, (4, 10, 30), strict=True))
    by_threshold = lossy_game_shrink(hands, thresholds=by_size.errors)
    for a, b in zip(by_size.groups, by_threshold.groups, strict=True):
        np.testing.assert_array_equal(a, b)
    everything = lossy_game_shrink(hands, thresholds=(9, 9, 9))
    assert everything.sizes == (1, 1, 1)


def test_anytime_is_finer_and_finer() -> None:
    hands = hands_of(SMALL.deal)
    found = list(anytime(hands, [(4, 6, 10), (4, 12, 40), (4, 28, 168)]))
    sizes = [buckets.sizes for buckets in found]
    assert sizes == sorted(sizes)
    assert sizes[-1] == (4, 28, 168)
    assert all(buckets.forgets(hands.up) == [] for buckets in found)


def test_bad_input() -> None:
    hands = hands_of(leduc().deal)
    with pytest.raises(SettingsError, match="either numbers of buckets or thresholds"):
        lossy_game_shrink(hands)
    for thresholds in ((0.0,), (0.0, -1.0), (0.0, float("nan"))):
        with pytest.raises(SettingsError, match="expected a number of at least 0 for each of 2"):
            lossy_game_shrink(hands, thresholds=thresholds)
    uneven = Hands(
        (["a"], ["b", "c"]),
        (np.zeros(1, np.int64), np.zeros(2, np.int64)),
        (np.ones(1), np.array([1 / np.pi, 1 - 1 / np.pi])),
        (np.full(1, 0.5), np.full(2, 0.5)),
        (np.full(1, 0.5), np.full(2, 0.5)),
    )
    with pytest.raises(GameError, match="what round 2 deals is not equally likely"):
        lossy_game_shrink(uneven, (1, 1))
