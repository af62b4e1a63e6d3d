"""Hands and buckets: roll-outs by brute force, names, recall."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from saddlepoint.abstraction.buckets import Buckets, bucketed, buckets_of, checked
from saddlepoint.abstraction.hands import hands_of, levels, numbered
from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.errors import GameError, RecallError
from saddlepoint.games.deal import Cards
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import clairvoyance, leduc, rhode_island
from saddlepoint.solvers.methods import solve

SMALL = {
    "leduc": leduc(),
    "leduc, cards": leduc(isomorphism="cards"),
    "rhode island": rhode_island(ranks="2345", suits=2),
    "rhode island, cards": rhode_island(ranks="234", suits=2, isomorphism="cards"),
}


def deals(cards: Cards) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """All deals of two private cards and a board, card by card."""
    for one, two, *board in permutations(range(len(cards.deck)), 2 + sum(cards.board)):
        yield one, two, tuple(board)


@pytest.mark.parametrize("name", SMALL)
def test_strengths_are_those_of_all_deals(name: str) -> None:
    """For every card of player 1 alone: the share of deals that it wins, draws by half."""
    game: FactoredGame = SMALL[name]
    hands, cards = hands_of(game.deal), game.deal.cards
    assert cards is not None
    points: dict[str, list[float]] = {}
    text = cards.deck.rank_text if cards.isomorphism == "ranks" else cards.deck.text
    for one, two, board in deals(cards):
        rows = np.array([[one, *board], [two, *board]])
        a, b = RANKINGS[cards.ranking](cards.deck, rows)
        points.setdefault(text(one)[0], []).append((1.0 + np.sign(a - b)) / 2.0)
    ranks = [name[0] for name in hands.names[0]]
    for k, rank in enumerate(ranks):
        assert hands.strength(0)[k] == pytest.approx(np.mean(points[rank]), abs=1e-12)
    for r in range(hands.rounds):
        assert hands.weight[r].sum() == pytest.approx(1.0)
        assert hands.weight[r] @ hands.strength(r) == pytest.approx(0.5)
    for r in range(1, hands.rounds):
        total = np.bincount(hands.up[r], hands.given(r))
        np.testing.assert_allclose(total, 1.0)


def test_public_cards_are_those_in_front() -> None:
    hands = hands_of(rhode_island(ranks="234", suits=2, isomorphism="cards").deal)
    assert hands.public is not None
    boards = [name.split("|")[1] for name in hands.names[2]]
    for public in np.unique(hands.public[2]):
        here = {boards[k] for k in np.flatnonzero(hands.public[2] == public)}
        assert len(here) == 1
    assert len(np.unique(hands.public[2])) == 6 * 5
    assert hands.public[0].tolist() == [0] * 6


def test_a_deal_by_tables_has_hands_for_either_player() -> None:
    one, two = (hands_of(clairvoyance().deal, player) for player in (1, 2))
    assert one.strength(0).tolist() == [1.0, 0.0]
    assert two.strength(0).tolist() == [0.5]
    assert one.public is None


def test_numbers_of_levels_and_rows() -> None:
    third = 1.0 / 3.0
    assert levels([third, 1 - 2 * third, 0.0]).tolist() == [1, 1, 0]
    assert numbered([2, 2, 0], [1, 0, 7]).tolist() == [2, 1, 0]


def test_buckets_remember_and_forget() -> None:
    up = (np.zeros(3, np.int64), np.array([0, 0, 1, 1, 2, 2]))
    remembers = Buckets((np.array([0, 0, 1]), np.array([0, 1, 0, 1, 2, 2])))
    assert remembers.forgets(up) == []
    assert remembers.names(up) == [["1", "2"], ["1.1", "1.2", "2.1"]]
    forgets = Buckets((np.array([0, 0, 1]), np.array([0, 1, 0, 1, 0, 1])))
    assert forgets.forgets(up) == [1]
    assert forgets.names(up)[1] == ["2:1", "2:2"]
    whole = forgets.remembered(up)
    assert whole.forgets(up) == []
    assert whole.groups[1].tolist() == [0, 1, 0, 1, 2, 3]


def test_buckets_of_buckets() -> None:
    deal = leduc().deal
    finer = buckets_of(deal)
    coarser = Buckets((np.array([0, 0, 1]), np.array([0, 0, 1, 0, 0, 1, 2, 2, 2])), "coarse")
    assert coarser.within(finer).after(finer).groups[1].tolist() == coarser.groups[1].tolist()
    with pytest.raises(GameError, match="in round 1 the buckets classes part hands"):
        finer.within(coarser)


def test_bad_buckets() -> None:
    hands = hands_of(leduc().deal)
    good = buckets_of(leduc().deal)
    assert checked(good, hands) is good
    for groups, problem in (
        (good.groups[:1], "buckets of 1 rounds"),
        ((good.groups[0], np.zeros(4, np.int64)), "in round 2 4 hands have buckets, expected 9"),
        ((np.array([0, 2, 2]), good.groups[1]), "numbered 0 to 2 with 2 in use"),
    ):
        with pytest.raises(GameError, match=problem):
            checked(Buckets(groups), hands)
    forgetful = Buckets((np.arange(3), np.zeros(9, np.int64)))
    with pytest.raises(RecallError, match="player 1 would forget his cards"):
        bucketed(leduc(), forgetful)


def test_all_hands_apart_are_the_game_itself() -> None:
    pair = bucketed(leduc(), buckets_of(leduc().deal))
    assert solve(pair.game, "lp").value == pytest.approx(solve(leduc(), "lp").value, abs=1e-9)
    assert pair.game.hands() == leduc().hands()
