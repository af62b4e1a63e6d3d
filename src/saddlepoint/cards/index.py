r"""Numbers for hands that are the same up to their suits, without gaps, and back.

A *hand* is a row of cards, street after street: each street is a set, and streets come in
order. Streets (2, 3, 1, 1) are the private cards, flop, turn and river of hold'em; (2, 5)
forgets when the cards of the board came. Two hands are of one class if a renaming of suits
turns one into the other, for all streets alike.

The method is that of Waugh (2013), A Fast and Optimal Hand Isomorphism Algorithm. What a hand
has in one suit is described by its *pattern*, how many cards of each street, and within the
pattern by a number: street after street the place of the set of ranks in colexicographic
order, among the ranks that earlier streets have left. A renaming of suits permutes four pairs
of pattern and number, so a class is a multiset of four such pairs. It is counted by the
multiset of patterns, its *configuration*, and within the configuration by a multiset of
numbers for each group of equal patterns, of which there are, with \(m\) numbers and \(k\)
suits,

$$\binom{m + k - 1}{k}$$

It differs from the paper in two ways. Patterns are sorted together with their numbers and the
configuration is looked up once, by its three smallest patterns (the sum of all four is known),
instead of being followed from street to street. And a deck of fewer suits is one of four whose
other suits are not dealt, which adds nothing: a suit without cards has one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.cards.configurations import (
    LARGEST,
    RANKS,
    SUITS,
    configurations_of,
    factors_of,
    patterns_of,
    tables_of,
)
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.numbering import first_wrong, hands_of_numbers, numbers_of_hands
from saddlepoint.cards.subsets import binomials, check_below, integers
from saddlepoint.core.checks import wholes
from saddlepoint.core.errors import SettingsError, SizeError

# The table of configurations then has 22 million places: of two patterns the smaller one is at
# most half of all.
_MOST_PATTERNS = 1024

Array = NDArray[np.int64]


class HandIndex:
    """All classes of hands with given streets, numbered from 0 to `size` - 1.

    Parameters
    ----------
    streets
        How many cards each street has, in the order in which they are dealt.
    deck
        The deck, the full one if it is left out.

    Attributes
    ----------
    size : int
        How many classes there are.
    deck : Deck
        The deck.
    streets : tuple of int
        How many cards each street has.

    Raises
    ------
    SettingsError
        If the streets are not numbers of cards of at least 1, or are more than the deck has.
    SizeError
        If there are more than 2**61 classes, or too many streets for the tables of this method.

    Examples
    --------
    >>> preflop = HandIndex([2])
    >>> preflop.size
    169
    >>> deck = preflop.deck
    >>> hands = [[deck.card("As"), deck.card("Kh")], [deck.card("Kc"), deck.card("Ad")]]
    >>> a, b = preflop.index(hands)
    >>> bool(a == b), " ".join(deck.text(card) for card in preflop.unindex([a])[0])
    (True, 'Kd Ac')
    """

    def __init__(self, streets: Sequence[int], deck: Deck | None = None) -> None:
        self.deck = Deck() if deck is None else deck
        self.streets = wholes("streets", streets, 1)
        if not 0 < sum(self.streets) <= len(self.deck):
            raise SettingsError(
                f"streets are {list(self.streets)}, {sum(self.streets)} cards in all, expected "
                f"1 to {len(self.deck)}, which is the whole deck"
            )
        if (least := _hands(self.streets, len(self.deck)) // 24) > LARGEST:
            raise SizeError(_too_many(self.streets, least))
        ranks, suits = len(self.deck.ranks), self.deck.suits
        patterns = prod(size + 1 for size in self.streets)
        if suits > 1 and patterns > _MOST_PATTERNS:
            raise SizeError(
                f"streets {list(self.streets)} can be split over suits in too many ways: "
                f"{patterns:,} for a suit, expected at most {_MOST_PATTERNS:,}"
            )
        self._streets = np.array(self.streets, np.int64)
        self._choose = binomials(RANKS, RANKS)
        numbers = patterns_of(self.streets, ranks)
        self._groups = np.array(sorted(configurations_of(self.streets, ranks, suits)), np.int64)
        factors, self.size = factors_of(self._groups, numbers.tolist())
        if self.size > LARGEST:
            raise SizeError(_too_many(self.streets, self.size))
        self._tables = tables_of(self.deck, numbers, self._groups, factors)

    def __repr__(self) -> str:
        return f"<HandIndex of streets {self.streets}: {self.size:,} classes>"

    def index(self, hands: ArrayLike) -> Array:
        """The numbers of hands, one a row; O(cards) each.

        The cards of a street may come in any order. Rows of uint8 are read as they are, those
        of other integers as int64.

        Raises
        ------
        SettingsError
            If the rows do not have a column for each card, or a row has a card that is not in
            the deck or has one twice.
        """
        narrow = isinstance(hands, np.ndarray) and hands.dtype == np.uint8 and hands.ndim == 2
        rows = np.ascontiguousarray(hands) if narrow else integers("hands", hands, 2)
        if rows.shape[1] != sum(self.streets):
            raise SettingsError(
                f"hands have {rows.shape[1]} columns, expected {sum(self.streets)}: streets are "
                f"{list(self.streets)}"
            )
        if (place := first_wrong(rows, len(self.deck))) >= 0:
            raise SettingsError(self._wrong(rows, *divmod(place, rows.shape[1])))
        numbers = np.zeros(len(rows), np.int64)
        numbers_of_hands(
            rows,
            self._streets,
            self._tables,
            np.zeros((4, SUITS), np.uint64),
            numbers,
        )
        return numbers

    def unindex(self, numbers: ArrayLike) -> NDArray[np.int64]:
        """The hands that stand for their classes, by the numbers of these; O(cards * ranks) each.

        Cards ascend within each street. The suit with the largest pattern is the first one.

        Raises
        ------
        SettingsError
            If a number is not below `size`.
        """
        found = integers("numbers", numbers, 1)
        check_below("numbers", found, self.size)
        hands = np.zeros((len(found), sum(self.streets)), np.int64)
        hands_of_numbers(
            found,
            self._streets,
            np.array([len(self.deck.ranks), self.deck.suits]),
            self._tables.numbers.view(np.int64),
            self._choose,
            self._groups,
            self._tables.factors,
            np.zeros(SUITS, np.int64),
            hands,
        )
        return hands

    def _wrong(self, rows: NDArray[np.integer], row: int, column: int) -> str:
        """What is wrong with a card of a row."""
        card = int(rows[row, column])
        if not 0 <= card < len(self.deck):
            return (
                f"row {row} of the hands has card {card}, expected numbers from 0 to "
                f"{len(self.deck) - 1}"
            )
        return (
            f"row {row} of the hands has card {card} ({self.deck.text(card)}) twice, expected "
            f"different cards"
        )


def _hands(streets: Sequence[int], cards: int) -> int:
    """How many hands there are, of which 24 at most are of one class."""
    dealt = [sum(streets[:k]) for k in range(len(streets))]
    return prod(comb(cards - d, size) for d, size in zip(dealt, streets, strict=True))


def _too_many(streets: Sequence[int], least: int) -> str:
    return (
        f"streets {list(streets)} have {least:.3g} or more classes of hands, expected at most 2**61"
    )
