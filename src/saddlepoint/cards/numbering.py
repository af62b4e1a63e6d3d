"""The kernels of [`index`][saddlepoint.cards.index], which says what they compute.

A suit is one word while suits are sorted: its pattern, and in the lowest 33 bits its number
within the pattern, which is below 13!.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.configurations import Array, Tables, Words
from saddlepoint.core.kernel import kernel

_SHIFT = np.uint64(33)
_PATTERN, _MASK = np.uint64(1 << 33), np.uint64((1 << 33) - 1)
_NONE, _ONE = np.uint64(0), np.uint64(1)


@kernel
def first_wrong(hands: NDArray[np.integer], size: int) -> Any:
    """The place of the first card that is not in the deck or repeats one of its row, or -1."""
    one = np.uint64(1)
    for row in range(hands.shape[0]):
        seen = np.uint64(0)
        for column in range(hands.shape[1]):
            card = hands[row, column]
            if card < 0 or card >= size:
                return row * hands.shape[1] + column
            bit = one << np.uint64(card)
            if seen & bit:
                return row * hands.shape[1] + column
            seen |= bit
    return -1


@kernel
def numbers_of_hands(
    hands: NDArray[np.integer], streets: Array, known: Tables, suits: Words, numbers: Array
) -> None:
    """Write the number of each hand; O(cards + 4 * streets) each, no allocation.

    `suits` is for work, by suit: the ranks of earlier streets; those of this street, as places
    among the ranks that are left; the ranks of both; pattern and number in one.
    """
    used, street, both, key = suits[0], suits[1], suits[2], suits[3]
    for row in range(hands.shape[0]):
        suits[:] = _NONE
        begin, place = 0, _PATTERN
        for k in range(streets.shape[0]):
            end = begin + streets[k]
            if end == begin + 1:  # a single rank is its own place
                bit, s = known.bits[hands[row, begin]], known.suits[hands[row, begin]]
                below = bit - _ONE
                left = np.uint64(known.ones[below] - known.ones[used[s] & below])
                key[s] += place + known.numbers[key[s] >> _SHIFT] * left
                used[s] |= bit
                both[s] |= bit
            else:
                street[:] = _NONE
                for column in range(begin, end):
                    bit, s = known.bits[hands[row, column]], known.suits[hands[row, column]]
                    street[s] |= bit >> np.uint64(known.ones[used[s] & (bit - _ONE)])
                    both[s] |= bit
                for s in range(4):
                    ranks = street[s]
                    number = known.numbers[key[s] >> _SHIFT] * np.uint64(known.places[ranks])
                    key[s] += place * np.uint64(known.ones[ranks]) + number
                    used[s] = both[s]
            place *= np.uint64(end - begin + 1)
            begin = end
        a, b = min(key[0], key[1]), max(key[0], key[1])
        c, d = min(key[2], key[3]), max(key[2], key[3])
        numbers[row] = _joined(
            min(a, c), min(max(a, c), min(b, d)), max(max(a, c), min(b, d)), max(b, d), known
        )


@kernel
def _joined(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, known: Tables) -> Any:
    """The number of a class from pattern and number of its four suits, ascending; O(1)."""
    p, q, r, s = a >> _SHIFT, b >> _SHIFT, c >> _SHIFT, d >> _SHIFT
    factors = known.factors[known.slots[p + known.pairs[q] + known.triples[r]]]
    number = factors[0] + factors[1] * np.int64(a & _MASK)
    smaller = 1 if q == p else 0
    number += factors[2] * multiset(np.int64(b & _MASK), smaller)
    smaller = smaller + 1 if r == q else 0
    number += factors[3] * multiset(np.int64(c & _MASK), smaller)
    smaller = smaller + 1 if s == r else 0
    return number + factors[4] * multiset(np.int64(d & _MASK), smaller)


@kernel
def multiset(m: Any, smaller: int) -> Any:
    """C(m + smaller, smaller + 1): multisets of so many members more, all of them below m."""
    if smaller == 0:
        return m
    pairs = m * (m + 1) // 2
    if smaller == 1:
        return pairs
    triples = pairs * (m + 2) // 3
    if smaller == 2:
        return triples
    return triples * (m + 3) // 4


@kernel
def largest(number: int, smaller: int) -> int:
    """The largest m with `multiset(m, smaller)` not above a number; O(1)."""
    if smaller == 0:
        return number
    factorial = 2.0 if smaller == 1 else 6.0 if smaller == 2 else 24.0
    m = int((factorial * number) ** (1.0 / (smaller + 1)))
    m = max(m - smaller, 0)
    while m > 0 and multiset(m, smaller) > number:
        m -= 1
    while multiset(m + 1, smaller) <= number:
        m += 1
    return m


@kernel
def hands_of_numbers(
    numbers: Array,
    streets: Array,
    deck: Array,
    patterns: Array,
    choose: Array,
    groups: Array,
    factors: Array,
    found: Array,
    hands: Array,
) -> None:
    """Write the hand of each number; O(cards * ranks) each, no allocation.

    `deck` holds the numbers of ranks and suits. `found` is for work: numbers within patterns.
    """
    hands[:] = -1
    for row in range(numbers.shape[0]):
        low, high = 0, factors.shape[0]
        while high - low > 1:
            middle = (low + high) // 2
            if factors[middle, 0] <= numbers[row]:
                low = middle
            else:
                high = middle
        _part(numbers[row] - factors[low, 0], groups[low], patterns, found)
        for s in range(deck[1]):
            pattern, number, used, left = groups[low, 3 - s], found[3 - s], 0, deck[0]
            begin = 0
            for k in range(streets.shape[0]):
                end = begin + streets[k]
                count = pattern % (streets[k] + 1)
                pattern //= streets[k] + 1
                sets = choose[left, count]
                place, number = number % sets, number // sets
                later, member = used, left
                for i in range(count, 0, -1):
                    member -= 1
                    while choose[member, i] > place:
                        member -= 1
                    place -= choose[member, i]
                    rank = _free(used, member)
                    later |= 1 << rank
                    _insert(hands[row, begin:end], rank * deck[1] + s)
                used, left, begin = later, left - count, end


@kernel
def _part(number: int, group: Array, patterns: Array, found: Array) -> None:
    """Write the numbers of the four suits: for equal patterns the last one is the largest."""
    first = 0
    while first < 4:
        count = 1
        while first + count < 4 and group[first + count] == group[first]:
            count += 1
        size = multiset(patterns[group[first]], count - 1)
        rest, number = number % size, number // size
        for i in range(count - 1, -1, -1):
            found[first + i] = largest(rest, i)
            rest -= multiset(found[first + i], i)
        first += count


@kernel
def _free(used: int, place: int) -> int:
    """The rank at a place among those that are not used."""
    rank = 0
    while True:
        if not used >> rank & 1:
            if place == 0:
                return rank
            place -= 1
        rank += 1


@kernel
def _insert(street: Array, card: int) -> None:
    """Put a card into an ascending row, whose free places are -1 and come first."""
    i = 0
    while i + 1 < street.shape[0] and street[i + 1] < card:
        street[i] = street[i + 1]
        i += 1
    street[i] = card
