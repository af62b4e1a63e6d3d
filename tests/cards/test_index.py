from __future__ import annotations

from itertools import combinations
from math import comb, perm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.cards.deck import Deck
from saddlepoint.cards.index import HandIndex
from saddlepoint.cards.isomorphism import canonical_keys
from saddlepoint.cards.numbering import largest, multiset
from saddlepoint.core.errors import SettingsError, SizeError

# Waugh (2013), Table 1, for hold'em with streets in order; Gilpin (2009) for Rhode Island.
SIZES = {
    (2,): 169,
    (2, 3): 1_286_792,
    (2, 3, 1): 55_190_538,
    (2, 3, 1, 1): 2_428_287_420,
    (2, 4): 13_960_050,
    (2, 5): 123_156_254,
    (1,): 13,
    (1, 1): 325,
    (1, 1, 1): 9_997,
}

REDUCED = [
    ("QKA", 2, (2,)),
    ("QKA", 4, (1, 1)),
    ("QKA", 4, (2, 2)),
    ("QKA", 4, (1, 1, 1, 1)),
    ("QKA", 3, (2, 1, 2)),
    ("QKA", 3, (4, 1)),
    ("KA", 4, (3, 2)),
    ("KA", 4, (1, 3, 1, 1)),
    ("KA", 4, (8,)),
    ("KA", 3, (1, 1, 1, 1, 1, 1)),
    ("KA", 1, (1, 1)),
    ("JQKA", 1, (2, 2)),
    ("JQKA", 2, (3, 3)),
    ("JQKA", 2, (2, 2, 1)),
    ("JQKA", 3, (2, 2)),
    ("JQKA", 4, (2, 3)),
    ("A", 4, (1, 2)),
    ("23456789TJQKA", 1, (2, 3)),
    ("23456789TJQKA", 4, (1, 1)),
]


def all_hands(cards: int, streets: tuple[int, ...]) -> np.ndarray:
    """Every hand of a deck, streets ascending."""
    hands = [()]
    for size in streets:
        hands = [
            hand + street
            for hand in hands
            for street in combinations([c for c in range(cards) if c not in hand], size)
        ]
    return np.array(hands, np.int64)


def random_hands(rng: np.random.Generator, n: int, cards: int, size: int) -> np.ndarray:
    """Hands without duplicates, in any order."""
    hands = np.empty((n, size), np.int64)
    for k in range(size):
        hands[:, k] = rng.integers(0, cards - k, n)
        # Step over the cards that were dealt, the lowest first.
        for dealt in np.sort(hands[:, :k], axis=1).T:
            hands[:, k] += hands[:, k] >= dealt
    return hands


@pytest.mark.parametrize("streets", SIZES)
def test_sizes_are_the_published_ones(streets: tuple[int, ...]) -> None:
    assert HandIndex(streets).size == SIZES[streets]


@pytest.mark.parametrize(("ranks", "suits", "streets"), REDUCED)
def test_classes_of_small_decks_are_the_orbits(
    ranks: str, suits: int, streets: tuple[int, ...]
) -> None:
    deck = Deck(ranks, suits)
    index = HandIndex(streets, deck)
    hands = all_hands(len(deck), streets)
    numbers = index.index(hands)
    keys = canonical_keys(deck, hands, streets, "suits")
    # One number for each key, and one key for each number, without gaps.
    assert len({*zip(keys.tolist(), numbers.tolist(), strict=True)}) == len(np.unique(keys))
    np.testing.assert_array_equal(np.unique(numbers), np.arange(index.size))
    back = index.unindex(np.arange(index.size))
    np.testing.assert_array_equal(index.index(back), np.arange(index.size))
    first = np.unique(numbers, return_index=True)[1]
    np.testing.assert_array_equal(canonical_keys(deck, back, streets, "suits"), keys[first])


def test_the_flop_is_a_bijection() -> None:
    index = HandIndex([2, 3])
    numbers = np.arange(index.size)
    hands = index.unindex(numbers)
    np.testing.assert_array_equal(index.index(hands), numbers)
    assert len(np.unique(canonical_keys(index.deck, hands, [2, 3], "suits"))) == index.size


@pytest.mark.parametrize("streets", [(2, 3, 1), (2, 3, 1, 1), (2, 4), (2, 5), (7,), (1,) * 7])
def test_random_numbers_lead_back(streets: tuple[int, ...]) -> None:
    index = HandIndex(streets)
    numbers = np.random.default_rng(1).integers(0, index.size, 10**6)
    numbers[:2] = 0, index.size - 1
    hands = index.unindex(numbers)
    begin = 0
    for size in streets:
        assert (np.diff(hands[:, begin : begin + size], axis=1) > 0).all()
        begin += size
    np.testing.assert_array_equal(index.index(hands), numbers)


@pytest.mark.parametrize("streets", [(2, 3, 1), (2, 3, 1, 1), (2, 4), (2, 5)])
def test_random_hands_have_the_classes_of_the_twin(streets: tuple[int, ...]) -> None:
    index, n = HandIndex(streets), 10**6 if streets == (2, 3, 1, 1) else 10**5
    hands = random_hands(np.random.default_rng(2), n, 52, sum(streets))
    back = index.unindex(index.index(hands))
    np.testing.assert_array_equal(
        canonical_keys(index.deck, back, streets, "suits"),
        canonical_keys(index.deck, hands, streets, "suits"),
    )


@st.composite
def layouts(draw: st.DrawFn) -> HandIndex:
    """Any deck with any few streets."""
    ranks = "23456789TJQKA"[-draw(st.integers(1, 13)) :]
    deck = Deck(ranks, draw(st.integers(1, 4)))
    streets: list[int] = []
    while sum(streets) < len(deck) and len(streets) < 5 and (not streets or draw(st.booleans())):
        streets.append(draw(st.integers(1, min(4, len(deck) - sum(streets)))))
    return HandIndex(streets, deck)


@given(layouts(), st.data())
def test_numbers_do_not_depend_on_suits_and_orders(index: HandIndex, data: st.DataObject) -> None:
    suits, total = index.deck.suits, sum(index.streets)
    hand = np.array(data.draw(st.permutations(range(len(index.deck))))[:total])
    renaming = np.array(data.draw(st.permutations(range(suits))))
    other = hand // suits * suits + renaming[hand % suits]
    begin = 0
    for size in index.streets:
        order = data.draw(st.permutations(range(begin, begin + size)))
        other[begin : begin + size] = other[order]
        begin += size
    number, same = index.index([hand, other]).tolist()
    assert number == same
    assert 0 <= number < index.size
    (canonical,) = index.unindex([number])
    keys = canonical_keys(index.deck, np.array([hand, canonical]), index.streets, "suits")
    assert keys[0] == keys[1] or total * np.log2(len(index.deck)) > 63  # the twin's keys overflow
    assert index.index(canonical[None]).tolist() == [number]


@given(layouts(), st.data())
def test_the_number_of_classes_is_that_of_burnside(index: HandIndex, data: st.DataObject) -> None:
    """Classes are counted by the hands that a renaming leaves alone, on the mean of all."""
    place = data.draw(st.integers(0, index.size - 1))
    assert index.index(index.unindex([place])).tolist() == [place]
    assert index.size == burnside(index)


def burnside(index: HandIndex) -> int:
    """How many orbits there are, from the cycles of the renamings."""
    from itertools import permutations

    fixed, renamings = 0, list(permutations(range(index.deck.suits)))
    for renaming in renamings:
        cycles = cycle_lengths(renaming)
        # ways[c] for streets dealt one after another: cycles of each length that are left
        left = {length: len(index.deck.ranks) * cycles.count(length) for length in set(cycles)}
        fixed += fixed_hands(left, index.streets)
    assert fixed % len(renamings) == 0
    return fixed // len(renamings)


def cycle_lengths(renaming: tuple[int, ...]) -> list[int]:
    seen: set[int] = set()
    lengths = []
    for begin in range(len(renaming)):
        length, at = 0, begin
        while at not in seen:
            seen.add(at)
            at, length = renaming[at], length + 1
        if length:
            lengths.append(length)
    return lengths


def fixed_hands(left: dict[int, int], streets: tuple[int, ...]) -> int:
    """Hands whose every street is a union of whole cycles."""
    if not streets:
        return 1

    def choices(lengths: list[int], size: int) -> list[tuple[int, dict[int, int]]]:
        if not lengths:
            return [(1, {})] if size == 0 else []
        length, rest = lengths[0], lengths[1:]
        return [
            (comb(left[length], k) * ways, {length: k, **taken})
            for k in range(min(left[length], size // length) + 1)
            for ways, taken in choices(rest, size - k * length)
        ]

    return sum(
        ways * fixed_hands({length: left[length] - taken[length] for length in left}, streets[1:])
        for ways, taken in choices(list(left), streets[0])
    )


def test_narrow_and_empty_rows() -> None:
    index = HandIndex([2, 3])
    hands = random_hands(np.random.default_rng(3), 1000, 52, 5)
    expected = index.index(hands)
    for dtype in (np.uint8, np.int8, np.int32, np.uint64):
        np.testing.assert_array_equal(index.index(hands.astype(dtype)), expected)
    np.testing.assert_array_equal(index.index(np.asfortranarray(hands)), expected)
    assert index.index(np.zeros((0, 5), np.int64)).shape == (0,)
    assert index.unindex([]).shape == (0, 5)


def test_all_cards_in_order_have_one_class_for_each_order_of_the_suits() -> None:
    deck = Deck("KA", 4)
    index = HandIndex([1] * 8, deck)
    assert index.size == perm(8) // 24
    assert HandIndex([52]).size == 1


def test_wrong_hands_and_numbers_are_refused() -> None:
    index = HandIndex([2, 1])
    with pytest.raises(SettingsError, match="row 1 of the hands has card 52, expected numbers"):
        index.index([[0, 1, 2], [0, 52, 3]])
    with pytest.raises(SettingsError, match="row 0 of the hands has card -1"):
        index.index([[0, 1, -1]])
    with pytest.raises(SettingsError, match=r"row 2 of the hands has card 51 \(As\) twice"):
        index.index([[0, 1, 2], [2, 1, 0], [51, 4, 51]])
    with pytest.raises(SettingsError, match="2 columns, expected 3"):
        index.index([[0, 1]])
    with pytest.raises(SettingsError, match="2 dimensions"):
        index.index([0, 1, 2])
    with pytest.raises(SettingsError, match="array of float64"):
        index.index([[0.0, 1, 2]])
    with pytest.raises(SettingsError, match=r"numbers\[1\] is \d+, expected a whole number from 0"):
        index.unindex([0, index.size])


def test_wrong_streets_are_refused() -> None:
    for streets in ([], [0, 1], [2, 51], "23", [1.5]):
        with pytest.raises(SettingsError, match="streets"):
            HandIndex(streets)  # type: ignore[arg-type]
    with pytest.raises(SizeError, match=r"or more classes of hands, expected at most 2\*\*61"):
        HandIndex([13, 13, 13])
    with pytest.raises(SizeError, match="in too many ways: 2,048 for a suit, expected at most"):
        HandIndex([1] * 11)
    assert HandIndex([1] * 13, Deck(suits=1)).size == perm(13)


def test_multisets_are_counted_and_found() -> None:
    for smaller in range(4):
        for m in [*range(50), 715, 1287, 1716]:
            count = multiset(m, smaller)
            assert count == comb(m + smaller, smaller + 1)
            assert largest(count, smaller) == m
            if m:
                assert largest(count - 1, smaller) == m - 1
