from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.cards import hand_tables, worths
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.evaluation import category_of, frequencies, strengths
from saddlepoint.cards.worths import CATEGORIES
from saddlepoint.core.errors import RulesError

DECK = Deck()
FIVE = {
    "straight flush": 40,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}
SIX = {
    "straight flush": 1_844,
    "four of a kind": 14_664,
    "full house": 165_984,
    "flush": 205_792,
    "straight": 361_620,
    "three of a kind": 732_160,
    "two pair": 2_532_816,
    "pair": 9_730_740,
    "high card": 6_612_900,
}
SEVEN = {
    "straight flush": 41_584,
    "four of a kind": 224_848,
    "full house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three of a kind": 6_461_620,
    "two pair": 31_433_400,
    "pair": 58_627_800,
    "high card": 23_294_460,
}


def cards(text: str) -> list[int]:
    return [DECK.card(card) for card in text.split()]


def five(hand: tuple[int, ...]) -> tuple[int, list[int]]:
    """The worth of five cards by the rules: a category, then ranks, frequent ones first."""
    ranks = sorted((card // 4 for card in hand), reverse=True)
    times = Counter(ranks)
    by_times = sorted(times, key=lambda rank: (times[rank], rank), reverse=True)
    shape = sorted(times.values(), reverse=True)
    flush = len({card % 4 for card in hand}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        by_times = [3, 2, 1, 0, -1]
    straight = len(times) == 5 and by_times[0] - by_times[4] == 4
    kinds = {
        "straight flush": straight and flush,
        "four of a kind": shape == [4, 1],
        "full house": shape == [3, 2],
        "flush": flush,
        "straight": straight,
        "three of a kind": shape == [3, 1, 1],
        "two pair": shape == [2, 2, 1],
        "pair": shape == [2, 1, 1, 1],
        "high card": True,
    }
    return CATEGORIES.index(next(kind for kind, is_it in kinds.items() if is_it)), by_times


def worth(hand: list[int]) -> tuple[int, list[int]]:
    return max(five(part) for part in combinations(hand, 5))


def random_hands(rng: np.random.Generator, n: int, size: int, of: int = 52) -> np.ndarray:
    """Different cards in each row, of the `of` highest cards of the deck."""
    order = np.argsort(rng.random((n, of)), axis=1)[:, :size]
    return (52 - of + order).astype(np.uint8)


def by_category(size: int) -> dict[str, int]:
    counts = np.bincount(
        category_of(np.arange(hand_tables.STRENGTHS)), frequencies(size), len(CATEGORIES)
    )
    return dict(zip(CATEGORIES, counts.astype(int).tolist(), strict=True))


@pytest.mark.parametrize(("size", "known"), [(5, FIVE), (6, SIX), (7, SEVEN)])
def test_all_hands_by_category(size: int, known: dict[str, int]) -> None:
    assert by_category(size) == known
    assert sum(known.values()) == comb(52, size)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_strengths_are_all_there_is(size: int) -> None:
    """7,462 worths of five cards; of seven only 4,824, because two cards are always spare."""
    assert np.count_nonzero(frequencies(size)) == {5: 7462, 6: 6075, 7: 4824}[size]


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("of", [12, 20, 52])
def test_order_is_that_of_the_rules(size: int, of: int) -> None:
    """Over short decks too, where flushes, straights, quads and full houses are common."""
    hands = random_hands(np.random.default_rng([size, of]), 600, size, of)
    found = strengths(hands)
    wanted = [worth(hand) for hand in hands.tolist()]
    assert category_of(found).tolist() == [category for category, _ in wanted]
    order = {w: k for k, w in enumerate(sorted({(c, tuple(r)) for c, r in wanted}))}
    places = np.array([order[c, tuple(r)] for c, r in wanted])
    distinct, ours = np.unique(found, return_inverse=True)
    np.testing.assert_array_equal(ours, places)
    assert len(distinct) == len(order)


@given(st.permutations(range(52)), st.permutations(range(4)), st.sampled_from([5, 6, 7]))
def test_order_of_cards_and_names_of_suits_do_not_matter(
    deck: list[int], suits: list[int], size: int
) -> None:
    hand = np.array(deck[:size])
    renamed = hand // 4 * 4 + np.array(suits)[hand % 4]
    first, again, other = strengths(np.stack([hand, hand[::-1], renamed]))
    assert first == again == other


@given(st.permutations(range(52)))
def test_more_cards_are_the_best_of_fewer(deck: list[int]) -> None:
    seven = strengths([deck[:7]])[0]
    assert seven == strengths(list(combinations(deck[:7], 6))).max()
    assert seven == strengths(list(combinations(deck[:7], 5))).max()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts", "Ks Qs Js Ts 9s"),
        ("5s 4s 3s 2s As", "Ac Ad Ah As Kc"),
        ("2c 2d 2h 2s 3c", "Ac Ad Ah Ks Kc"),
        ("2c 2d 2h 3s 3c", "As Ks Qs Js 9s"),
        ("7s 5s 4s 3s 2s", "Ac Kd Qh Js Tc"),
        ("6c 5d 4h 3s 2c", "5c 4d 3h 2s Ac"),
        ("5c 4d 3h 2s Ac", "Ac Ad Ah Ks Qc"),
        ("2c 2d 2h 4s 3c", "Ac Ad Kh Ks Qc"),
        ("2c 2d 3h 3s 4c", "Ac Ad Kh Qs Jc"),
        ("2c 2d 5h 4s 3c", "Ac Kd Qh Js 9c"),
        ("Ac Ad Kh Qs 3c", "Ah As Kc Qd 2h"),
    ],
)
def test_known_comparisons(better: str, worse: str) -> None:
    high, low = strengths([cards(better), cards(worse)])
    assert high > low


def test_no_straight_wraps_around() -> None:
    assert category_of(strengths([cards("Ks Ad 2c 3h 4s")]))[0] == worths.HIGH_CARD


def test_two_hands_can_tie() -> None:
    """A straight on the board plays for both; a flush with lower cards beside it, too."""
    first, second = strengths([cards("9c 8d 7h 6s 5c 2d 2h"), cards("9c 8d 7h 6s 5c Ad Kh")])
    assert first == second
    first, second = strengths([cards("As Ks Qs 9s 8s 2s 3d"), cards("As Ks Qs 9s 8s 7s 3d")])
    assert first == second


def test_rank_sums_differ() -> None:
    for size in hand_tables.SIZES:
        counts = worths.rank_counts(size)
        sums = counts @ np.array(hand_tables._RANK_KEYS)
        assert len(np.unique(sums)) == len(counts) == {5: 6175, 6: 18395, 7: 49205}[size]


def test_tables_fit_into_the_second_level_cache() -> None:
    known = hand_tables.tables(7)
    assert sum(array.nbytes for array in known) < 300_000
    assert hand_tables.tables(7) is known


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint32])
def test_any_whole_numbers_in_any_layout(dtype: type) -> None:
    hands = random_hands(np.random.default_rng(0), 50, 7)
    wanted = strengths(hands)
    np.testing.assert_array_equal(strengths(hands.astype(dtype)), wanted)
    np.testing.assert_array_equal(strengths(np.asfortranarray(hands.astype(dtype))), wanted)
    np.testing.assert_array_equal(strengths(hands[::2]), wanted[::2])
    assert strengths(hands[:0]).shape == (0,)


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_errors_name_the_row_and_the_card(size: int, dtype: type) -> None:
    hands = random_hands(np.random.default_rng(1), 9, size).astype(dtype)
    hands[4, size - 1] = hands[4, 0] = 50
    with pytest.raises(RulesError, match=r"hand 4 has the card 50 \(Ah\) twice"):
        strengths(hands)
    for wrong in (52, 63, 64, 116, 255):
        hands[4, size - 1] = wrong
        with pytest.raises(RulesError, match=f"hand 4 has the card {wrong}, expected 0 to 51"):
            strengths(hands)


def test_other_errors() -> None:
    with pytest.raises(RulesError, match="hand 0 has the card -1"):
        strengths([[-1, 1, 2, 3, 4]])
    with pytest.raises(RulesError, match=r"hands have shape \(1, 4\)"):
        strengths([[0, 1, 2, 3]])
    with pytest.raises(RulesError, match="hands are float64"):
        strengths([[0.0, 1, 2, 3, 4]])
    with pytest.raises(RulesError, match="expected 5, 6 or 7"):
        frequencies(8)
    with pytest.raises(RulesError, match="strengths are 0 to 7461"):
        category_of(7462)


def test_a_million_hands_are_ordered_as_phevaluator_orders_them() -> None:
    """Its ranks are 1 for a royal flush to 7,462; ours count from the other end."""
    phevaluator = pytest.importorskip("phevaluator")
    hands = np.concatenate([random_hands(np.random.default_rng(k), 100_000, 7) for k in range(10)])
    theirs = [phevaluator.evaluate_cards(*hand) for hand in hands.tolist()]
    np.testing.assert_array_equal(strengths(hands), 7462 - np.array(theirs))
