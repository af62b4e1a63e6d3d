from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from saddlepoint.cards import ranking
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.isomorphism import canonical_keys
from saddlepoint.core.errors import RulesError, SettingsError


def test_cards_have_texts() -> None:
    deck = Deck()
    assert [deck.card(deck.text(c)) for c in range(52)] == list(range(52))
    assert Deck("JQK", 1).text(2) == "K"
    with pytest.raises(RulesError, match="unknown card 'Xs'"):
        deck.card("Xs")
    with pytest.raises(RulesError, match="in this order"):
        Deck("KQ", 2)
    with pytest.raises(RulesError, match="suits is 5"):
        Deck("QK", 5)


def test_three_card_frequencies() -> None:
    """Thesis 003, Table 3.1, over the 22,100 hands of a full deck."""
    hands = np.array(list(combinations(range(52), 3)))
    counts = np.bincount(ranking.category(Deck(), hands), minlength=6)
    assert dict(zip(ranking.CATEGORIES, counts.tolist(), strict=True)) == {
        "straight flush": 48,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high card": 16440,
    }


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("AsKsQs", "2s2h2d"),
        ("2s2h2d", "AsKsQh"),
        ("4s3s2h", "AsKs9s"),
        ("4s3s2h", "As3s2h"),
        ("As3s2h", "AsAhKs"),
        ("7s5s2s", "AsAhKs"),
        ("2s2h3d", "AsKsJh"),
        ("AsAhKs", "AsAhQs"),
        ("3s3h2s", "2s2hAs"),
        ("AsKsJh", "AsKsTh"),
        ("KsJs9h", "KsJs8h"),
    ],
)
def test_three_card_hands_are_ordered(better: str, worse: str) -> None:
    deck = Deck()
    cards = [[deck.card(hand[k : k + 2]) for k in (0, 2, 4)] for hand in (better, worse)]
    for order in permutations(range(3)):
        rows = np.array([[hand[k] for k in order] for hand in cards])
        high, low = ranking.three_card(deck, rows)
        assert high > low


def test_no_straight_wraps_around() -> None:
    deck = Deck()
    row = np.array([[deck.card(c) for c in ("Kh", "As", "2d")]])
    assert ranking.category(deck, row)[0] == ranking.HIGH_CARD


def test_leduc_ranking() -> None:
    deck = Deck("JQK", 2)
    hands = [("Jc", "Jd"), ("Kc", "Jd"), ("Qc", "Jd"), ("Jc", "Qd")]
    rows = np.array([[deck.card(private), deck.card(public)] for private, public in hands])
    assert ranking.pair_or_high(deck, rows).tolist() == [3, 2, 1, 0]


def brute_force_classes(deck: Deck, hands: np.ndarray, streets: list[int]) -> int:
    """Orbits under renamings of suits, by comparing sorted images of every hand."""
    seen = set()
    for hand in hands.tolist():
        images = []
        for renaming in permutations(range(deck.suits)):
            cards = [c // deck.suits * deck.suits + renaming[c % deck.suits] for c in hand]
            parts, at = [], 0
            for size in streets:
                parts.append(tuple(sorted(cards[at : at + size])))
                at += size
            images.append(tuple(parts))
        seen.add(min(images))
    return len(seen)


@pytest.mark.parametrize("suits", [1, 2, 3, 4])
@pytest.mark.parametrize("streets", [[1], [1, 1], [1, 2], [2, 1]])
def test_canonical_keys_are_the_orbits(suits: int, streets: list[int]) -> None:
    deck = Deck("TJQK", suits)
    total = sum(streets)
    if total > len(deck):
        pytest.skip("more cards than the deck has")
    hands = np.array(list(permutations(range(len(deck)), total)))
    keys = canonical_keys(deck, hands, streets, "suits")
    assert len(np.unique(keys)) == brute_force_classes(deck, hands, streets)
    # Renaming suits does not change a key.
    renaming = np.random.default_rng(0).permutation(suits)
    renamed = hands // suits * suits + renaming[hands % suits]
    np.testing.assert_array_equal(keys, canonical_keys(deck, renamed, streets, "suits"))


def test_unknown_groups_and_streets_are_refused() -> None:
    deck = Deck("JQK", 2)
    with pytest.raises(SettingsError, match="unknown isomorphism 'suit'"):
        canonical_keys(deck, np.array([[0, 1]]), [1, 1], "suit")
    with pytest.raises(SettingsError, match="do not sum"):
        canonical_keys(deck, np.array([[0, 1]]), [1], "suits")
