"""What is lossless and what is not: the settled question, on small decks and on the whole one."""

from __future__ import annotations

import numpy as np
import pytest

from saddlepoint.abstraction.buckets import Buckets, bucketed, buckets_of
from saddlepoint.abstraction.hands import hands_of, numbered
from saddlepoint.abstraction.lossless import READINGS, lossless, marks
from saddlepoint.abstraction.similarity import lossy_game_shrink
from saddlepoint.core.errors import SettingsError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import clairvoyance, kuhn, leduc, rhode_island
from saddlepoint.measure.exact import gap
from saddlepoint.reverse.lift import lift_profile
from saddlepoint.solvers.methods import solve

# Ranks, suits and bets a round; programs of more than some seconds are for the long run.
DECKS = [
    pytest.param(
        *(ranks, suits, bets),
        marks=[pytest.mark.slow]
        * ((len(ranks) * suits > 6 and bets > 1) or suits * len(ranks) > 9),
    )
    for ranks in ("23", "234", "2345")
    for suits in (2, 3)
    for bets in (1, 2)
]


def lifted_gap(game: FactoredGame, one: Buckets, two: Buckets) -> float:
    """What an equilibrium of the abstract game concedes in the unabstracted one."""
    pair = bucketed(game, one, two)
    return gap(lift_profile(pair, solve(pair.game, "lp").profile))


@pytest.mark.parametrize(("ranks", "suits", "bets"), DECKS)
def test_equilibria_of_joint_buckets_lose_nothing(ranks: str, suits: int, bets: int) -> None:
    """Measured where all cards are distinct, which no bucket can have been made to fit."""
    game = rhode_island(ranks=ranks, suits=suits, raises=bets - 1, isomorphism="cards")
    one, two = lossless(game.deal, "joint")
    assert one.sizes[-1] < game.hands()[-1][0]
    assert lifted_gap(game, one, two) < 1e-6  # of 500 chips at least


@pytest.mark.parametrize("reading", ["counts", "own-first", "others-first"])
def test_gameshrinks_readings_lose(reading: str) -> None:
    game = rhode_island(ranks="2345", suits=2, raises=0, isomorphism="cards")
    one, two = lossless(game.deal, reading)
    joint, _ = lossless(game.deal, "joint")
    assert one.sizes[-1] < joint.sizes[-1]
    assert lifted_gap(game, one, two) > 1.0


def test_rhode_island_holdem() -> None:
    """The published classes, and those that lose nothing."""
    deal = rhode_island().deal
    joint, again = lossless(deal)
    assert joint.sizes == again.sizes == (13, 325, 7969)
    for reading in ("counts", "own-first"):
        found, _ = lossless(deal, reading)
        assert found.sizes == (13, 205, 1774)
        assert len(np.unique(numbered(found.groups[2], joint.groups[2]))) == 7969  # finer


@pytest.mark.slow
def test_rhode_island_holdem_by_single_cards() -> None:
    deal = rhode_island(isomorphism="cards").deal
    assert lossless(deal, "others-first")[0].sizes == (13, 205, 1774)
    assert lossless(deal, "joint")[0].sizes == (13, 325, 7969)


@pytest.mark.parametrize("text", ["2345", "236"])
def test_single_cards_and_suits_give_the_same_buckets(text: str) -> None:
    """Refinement finds suit isomorphism by itself."""
    single = rhode_island(ranks=text, suits=3, isomorphism="cards").deal
    suits = rhode_island(ranks=text, suits=3).deal
    for reading in ("joint", "own-first", "counts"):
        assert lossless(single, reading)[0].sizes == lossless(suits, reading)[0].sizes


def test_other_games() -> None:
    assert lossless(leduc(isomorphism="cards").deal)[0].sizes == (3, 9)
    assert lossless(kuhn().deal)[0].sizes == (3,)
    one, two = lossless(clairvoyance().deal)
    assert (one.sizes, two.sizes) == ((2,), (1,))


def test_joint_buckets_are_stable_and_equal_by_definition() -> None:
    """Written from the definition: chances of the opponent's bucket and outcome, hand by hand."""
    deal = rhode_island(ranks="234", suits=2, isomorphism="cards").deal
    one, two = lossless(deal)
    fold = deal.rounds[-1].fold.entries().dense()
    shown = deal.rounds[-1].showdown.entries().dense()
    rows: dict[int, tuple[object, ...]] = {}
    for hand in range(len(fold)):
        chances: dict[tuple[int, int], float] = {}
        for other in np.flatnonzero(fold[hand]):
            key = int(two.groups[-1][other]), int(np.sign(shown[hand, other]))
            chances[key] = chances.get(key, 0.0) + fold[hand, other] / fold[hand].sum()
        row = tuple(sorted((k, round(v, 9)) for k, v in chances.items()))
        bucket = int(one.groups[-1][hand])
        assert rows.setdefault(bucket, row) == row


def test_thresholds_of_zero_are_the_reading_own_first() -> None:
    """The definition by matchings, and by counting what follows."""
    for game in (
        rhode_island(ranks="2345", suits=3),
        rhode_island(ranks="23456", suits=2),
        leduc(),
    ):
        found = lossy_game_shrink(hands_of(game.deal), thresholds=[0] * game.betting.rounds)
        expected, _ = lossless(game.deal, "own-first")
        for a, b in zip(found.groups, expected.groups, strict=True):
            assert len(np.unique(numbered(a, b))) == a.max() + 1 == b.max() + 1


def test_marks_tell_chances_apart() -> None:
    of = np.array([0, 0, 1, 1, 2, 3])
    kind = np.array([0, 1, 1, 0, 0, 0])
    chance = np.array([0.3, 0.7, 0.7, 0.1 + 0.2, 1.0, 0.5])
    found = marks(of, kind, chance, 4)
    assert found[0] == found[1]
    assert len(set(found.tolist())) == 3


def test_unknown_readings() -> None:
    with pytest.raises(SettingsError, match=r"unknown reading 'jont'.*did you mean 'joint'"):
        lossless(kuhn().deal, "jont")
    with pytest.raises(SettingsError, match='expected isomorphism="cards"'):
        lossless(rhode_island(ranks="234").deal, "others-first")
    assert set(READINGS) == {"joint", "own-first", "others-first", "counts"}


def test_what_lifting_concedes_is_nothing_where_nothing_is_merged() -> None:
    whole = buckets_of(leduc().deal)
    assert lifted_gap(leduc(), whole, whole) < 1e-9
