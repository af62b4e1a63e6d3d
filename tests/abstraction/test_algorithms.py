"""Expectation-based, potential-aware and strategy-based buckets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.buckets import Buckets, bucketed
from saddlepoint.abstraction.expectation import OnLine, expectation_based
from saddlepoint.abstraction.hands import Hands, hands_of, levels, numbered
from saddlepoint.abstraction.lossless import lossless
from saddlepoint.abstraction.potential import histograms, potential_aware
from saddlepoint.abstraction.strategic import strategy_based, strategy_vectors
from saddlepoint.abstraction.work import Work
from saddlepoint.core.errors import GameError, SettingsError, StrategyError
from saddlepoint.games.poker import clairvoyance, leduc, rhode_island
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers.methods import solve

GRANULARITIES = ((13, 25, 125), (13, 50, 250), (13, 100, 750), (13, 150, 1250))
Classes = NDArray[np.int64]


@pytest.fixture(scope="module")
def hands() -> Hands:
    return hands_of(rhode_island().deal)


def same_partition(one: Classes, two: Classes) -> bool:
    """Whether two numberings part in the same way."""
    return len(np.unique(numbered(one, two))) == one.max() + 1 == two.max() + 1


@pytest.mark.parametrize("sizes", GRANULARITIES)
@pytest.mark.parametrize("value", ["strength", "squared"])
def test_expectation_based_uses_all_buckets_and_remembers(
    hands: Hands, sizes: tuple[int, int, int], value: str
) -> None:
    found = expectation_based(hands, sizes, value=value)
    assert found.sizes == sizes
    assert found.forgets(hands.up) == []
    for r in range(3):  # buckets of one parent are segments on the line
        parent = found.groups[r - 1][hands.up[r]] if r else np.zeros(13, np.int64)
        v = hands.strength(r)
        for b in np.unique(parent):
            here = parent == b
            order = np.argsort(v[here], kind="stable")
            assert (np.diff(found.groups[r][here][order]) >= 0).all()


def test_expectation_based_tells_204_and_1748_apart(hands: Hands) -> None:
    """Thesis 003, section 6.7.1: equal strength is all that it sees."""
    found = expectation_based(hands, (13, 205, 1774))
    assert found.sizes == (13, 204, 1748)
    rank = levels(hands.strength(0))
    second = numbered(rank[hands.up[1]], levels(hands.strength(1)))
    third = numbered(second[hands.up[2]], levels(hands.strength(2)))
    assert same_partition(found.groups[1], second)
    assert same_partition(found.groups[2], third)
    assert found.errors == pytest.approx((0, 0, 0), abs=1e-15)


@pytest.mark.parametrize("metric", ["l2", "emd"])
def test_potential_aware_finds_what_gameshrink_finds(hands: Hands, metric: str) -> None:
    """Section 6.7.2: at 13-205-1774 the buckets are those of equal wins, losses and draws."""
    found = potential_aware(hands, (13, 205, 1774), metric=metric)
    counts, _ = lossless(rhode_island().deal, "counts")
    for r in range(3):
        assert same_partition(found.groups[r], counts.groups[r])


def test_potential_aware_tells_potential_from_strength() -> None:
    """Hands of nearly equal strength stay apart where one has a sure future, the other none."""
    up = (np.zeros(3, np.int64), np.array([0, 0, 1, 1, 2, 2]))
    win = (np.array([0.5, 0.5, 0.45]), np.array([1.0, 0.0, 0.5, 0.5, 0.45, 0.45]))
    weight = (np.full(3, 1 / 3), np.full(6, 1 / 6))
    names = (["a", "b", "c"], list("uvwxyz"))
    small = Hands(names, up, weight, win, tuple(1 - w for w in win))
    potential = potential_aware(small, (2, 6))
    assert potential.groups[0].tolist() == [0, 1, 1]
    expectation = expectation_based(small, (2, 6))
    assert expectation.groups[0].tolist() == [1, 1, 0]


def test_histograms_are_chances_of_clusters(hands: Hands) -> None:
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 4, hands.size(2))
    among = np.array([3, 30, 300])
    table = histograms(hands, 1, among, clusters, 4)
    for row, hand in zip(table, among, strict=True):
        below = np.flatnonzero(hands.up[2] == hand)
        for c in range(4):
            mass = hands.weight[2][below[clusters[below] == c]].sum()
            assert row[c] == pytest.approx(mass / hands.weight[1][hand])
    assert table.sum(axis=1) == pytest.approx(np.ones(3))


def test_more_buckets_never_have_more_error(hands: Hands) -> None:
    errors = [
        (potential_aware(hands, s).errors[1], expectation_based(hands, s).errors[1])
        for s in GRANULARITIES
    ]
    for one, two in pairwise(errors):
        assert two[0] < one[0]
        assert two[1] < one[1]


def test_equal_values_stay_apart_only_where_buckets_are_left_over() -> None:
    line = OnLine(np.array([0.5, 0.5, 1.0]), np.ones(3), np.array([0.0, 1.0, 0.0]))
    assert (len(line), line.distinct) == (3, 2)
    assert line.place.tolist() == [0, 1, 2]
    plain = OnLine(np.array([0.5, 0.5, 1.0]), np.ones(3))
    assert plain.place.tolist() == [0, 0, 1]


def test_chunks_change_nothing_but_what_is_kept(hands: Hands) -> None:
    kept: list[str] = []

    def keep(name: str, key: object, compute: object) -> dict[str, object]:
        kept.append(f"{name} {key}")
        return compute()  # type: ignore[operator,no-any-return]

    for make in (expectation_based, potential_aware):
        kept.clear()
        whole = make(hands, (13, 50, 250))
        parts = make(hands, (13, 50, 250), work=Work(keep=keep, portion=1e4), key={"a": 1})
        assert len(kept) > 10
        assert len(set(kept)) == len(kept)
        for a, b in zip(whole.groups, parts.groups, strict=True):
            np.testing.assert_array_equal(a, b)


def test_hands_that_are_played_alike_share_a_bucket() -> None:
    game = leduc()
    pair = AbstractGame.of(game, game)
    hands = hands_of(game.deal)

    def play(infoset: str, actions: list[str]) -> list[float]:
        timid = infoset[0] in "JQ"  # jacks and queens are played alike, kings are not
        return [float(a == ("c" if timid else actions[-1])) for a in actions]

    profile = Profile.of_function(game.sequence_form(), play)
    vectors = strategy_vectors(pair, profile, 0)
    assert np.abs(vectors[0] - vectors[1]).sum() == 0
    assert np.abs(vectors[0] - vectors[2]).sum() > 1
    found = strategy_based(hands, (2, 6), pair, profile)
    assert found.groups[0].tolist() == [0, 0, 1]
    assert found.forgets(hands.up) == []
    both = strategy_based(hands, (2, 4), pair, profile, rounds=2)
    assert both.sizes == (2, 2)  # two ways to play each round are all there is
    solution = solve(game, "lp").profile
    reach = strategy_vectors(pair, solution, 1, reach=True)
    assert reach.shape[0] == 9
    assert (reach <= strategy_vectors(pair, solution, 1) + 1e-12).all()


def test_strategies_of_another_game_are_refused() -> None:
    pair = AbstractGame.of(leduc(), leduc())
    with pytest.raises(StrategyError, match="the strategies are of leduc, expected leduc"):
        strategy_vectors(pair, Profile.uniform(leduc(raises=2)), 0)
    lopsided = AbstractGame.of(clairvoyance(), clairvoyance())
    with pytest.raises(GameError, match="player 1 has 2 hands in round 1 and player 2 1"):
        strategy_vectors(lopsided, Profile.uniform(clairvoyance()), 0)


def test_bad_sizes(hands: Hands) -> None:
    for sizes, problem in (
        ((13, 50), "buckets are 13-50, expected a number for each of 3 rounds"),
        ((14, 50, 250), "14 buckets in round 1, expected at most its 13 hands"),
        ((13, 10, 250), "10 buckets in round 2, expected at least the 13"),
        ((13, 0, 250), "buckets\\[1\\] is 0"),
    ):
        for make in (expectation_based, potential_aware):
            with pytest.raises(SettingsError, match=problem):
                make(hands, sizes)
    with pytest.raises(SettingsError, match="unknown metric 'l1'"):
        potential_aware(hands, (13, 50, 250), metric="l1")
    with pytest.raises(SettingsError, match="unknown value 'hs'"):
        expectation_based(hands, (13, 50, 250), value="hs")


def test_abstract_payoffs_are_sums_of_the_real_ones() -> None:
    """The abstract operator is the real one with rows and columns of buckets added up."""
    real = rhode_island(ranks="234", suits=2)
    hands = hands_of(real.deal)
    pair = bucketed(real, expectation_based(hands, (3, 5, 9)))
    assert isinstance(pair.groups[0], tuple)
    assert pair.game.hands() == ((3, 3), (5, 5), (9, 9))
    for r, (here, there) in enumerate(zip(real.deal.rounds, pair.game.deal.rounds, strict=True)):
        one, two = pair.groups[0][r], pair.groups[1][r]
        for kind in ("fold", "showdown"):
            whole = getattr(here, kind).entries().dense()
            expected = np.zeros((one.max() + 1, two.max() + 1))
            np.add.at(expected, (one[:, None], two[None, :]), whole)
            found = getattr(there, kind).entries().dense()
            np.testing.assert_allclose(found, expected, atol=1e-15)
    assert Buckets(pair.groups[0]).sizes == (3, 5, 9)
