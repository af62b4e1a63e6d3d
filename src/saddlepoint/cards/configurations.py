"""Patterns of suits and their configurations, the tables of [`index`][saddlepoint.cards.index].

A *pattern* is how many cards of each street are of a suit; it is a number whose digit k, the
first street lowest, is that of street k. A *configuration* is a multiset of four patterns that
deal all streets. Both are few: 48 and 158 for private cards, flop, turn and river.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import comb, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.deck import Deck
from saddlepoint.cards.subsets import binomials

SUITS, RANKS = 4, 13
# Sizes stop well below 2**63 because multisets of four multiply by 4 before they divide by 4.
LARGEST = 2**61

Array = NDArray[np.int64]
Words = NDArray[np.uint64]


class Tables(NamedTuple):
    """What the kernel needs to number hands.

    Attributes
    ----------
    bits, suits
        `(cards,)` uint64, the rank of each card as a bit, and its suit.
    ones, places
        `(8192,)` uint8 and uint16, how many ranks each set of ranks has, and its place.
    numbers
        `(patterns,)` uint64, how many numbers each pattern p has.
    pairs, triples
        `(patterns,)` uint64, C(p + 1, 2) and C(p + 2, 3).
    slots
        int32, the configuration of the three smallest patterns p <= q <= r, at the place
        p + pairs[q] + triples[r].
    factors
        `(configurations, 5)` int64, the first number of each configuration and what the parts
        of its four suits are multiplied by.
    """

    bits: Words
    suits: Words
    ones: NDArray[np.uint8]
    places: NDArray[np.uint16]
    numbers: Words
    pairs: Words
    triples: Words
    slots: NDArray[np.int32]
    factors: Array


def patterns_of(streets: Sequence[int], ranks: int) -> Array:
    """How many numbers each pattern has.

    Digit k of a pattern, the first one lowest, is how many cards of street k are of the suit.
    Patterns with more cards than there are ranks have no numbers.
    """
    count = prod(size + 1 for size in streets)
    sizes = np.zeros(count, np.int64)
    for p, digits in enumerate(product(*(range(size + 1) for size in reversed(streets)))):
        left, numbers = ranks, 1
        for digit in reversed(digits):
            numbers *= comb(left, digit)
            left -= digit
            if left < 0:
                break
        sizes[p] = numbers if left >= 0 else 0
    return sizes


def configurations_of(streets: Sequence[int], ranks: int, suits: int) -> Iterator[tuple[int, ...]]:
    """All configurations: four ascending patterns of suits that deal the streets."""
    places = [prod(size + 1 for size in streets[:k]) for k in range(len(streets))]

    def number(digits: Sequence[int]) -> int:
        return sum(d * place for d, place in zip(digits, places, strict=True))

    def parts(left: tuple[int, ...], most: int, suits: int) -> Iterator[tuple[int, ...]]:
        """The patterns of the last suits, none above `most`, that deal what is left."""
        if suits == 1:
            if sum(left) <= ranks and number(left) <= most:
                yield (number(left),)
            return
        for digits in product(*(range(d + 1) for d in left)):
            if sum(digits) <= ranks and (p := number(digits)) <= most:
                rest = tuple(d - e for d, e in zip(left, digits, strict=True))
                for others in parts(rest, p, suits - 1):
                    yield (*others, p)

    highest = number(streets)
    for found in parts(tuple(streets), highest, suits):
        yield (0,) * (SUITS - suits) + found


def factors_of(groups: Array, sizes: list[int]) -> tuple[Array, int]:
    """The first number of each configuration and what its suits' parts are multiplied by.

    Also how many classes there are; if that is not below 2**63, the factors are wrong.
    """
    factors = np.zeros((len(groups), 1 + SUITS), np.int64)
    first = 0
    for row, patterns in enumerate(groups.tolist()):
        factors[row, 0] = min(first, LARGEST)
        classes = 1
        for p in sorted(set(patterns)):
            count = patterns.count(p)
            begin = 1 + patterns.index(p)
            factors[row, begin : begin + count] = min(classes, LARGEST)
            classes *= comb(sizes[p] + count - 1, count)
        first += classes
    return factors, first


def tables_of(deck: Deck, numbers: Array, groups: Array, factors: Array) -> Tables:
    """The tables of a deck and its configurations, which are row by row in the last two."""
    p = np.arange(len(numbers))
    pairs = p * (p + 1) // 2
    triples = pairs * (p + 2) // 3
    places = groups[:, 0] + pairs[groups[:, 1]] + triples[groups[:, 2]]
    slots = np.zeros(int(places.max()) + 1, np.int32)
    slots[places] = np.arange(len(groups))
    rank, suit = np.divmod(np.arange(len(deck)), deck.suits)
    members = (np.arange(1 << RANKS)[:, None] >> np.arange(RANKS)) & 1
    ones = members.sum(axis=1)
    terms = binomials(RANKS, RANKS)[np.arange(RANKS), np.cumsum(members, axis=1)]
    return Tables(
        bits=(1 << rank).astype(np.uint64),
        suits=suit.astype(np.uint64),
        ones=ones.astype(np.uint8),
        places=(terms * members).sum(axis=1).astype(np.uint16),
        numbers=numbers.astype(np.uint64),
        pairs=pairs.astype(np.uint64),
        triples=triples.astype(np.uint64),
        slots=slots,
        factors=factors,
    )
