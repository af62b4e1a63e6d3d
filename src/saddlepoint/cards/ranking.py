"""The strength of a private card with the board: the higher number wins.

Each ranking is a function of a deck and an array with one row for each hand: the private
card first, then the board. Rows are compared within one deck and one number of cards.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.deck import RANKS, Deck
from saddlepoint.core.errors import RulesError

Hands = NDArray[np.int64]
Ranking = Callable[[Deck, Hands], NDArray[np.int64]]

# Categories of three-card hands from the lowest to the highest (thesis 003, Table 3.1).
HIGH_CARD, PAIR, FLUSH, STRAIGHT, TRIPS, STRAIGHT_FLUSH = range(6)
CATEGORIES = ("high card", "pair", "flush", "straight", "three of a kind", "straight flush")


def high_card(deck: Deck, hands: Hands) -> NDArray[np.int64]:
    """The private card's rank decides, the board does not matter (Kuhn poker)."""
    strength: NDArray[np.int64] = hands[:, 0] // deck.suits
    return strength


def pair_or_high(deck: Deck, hands: Hands) -> NDArray[np.int64]:
    """A pair with the board beats the higher private card (Leduc Hold'em).

    >>> deck = Deck("JQK", 2)
    >>> pair_or_high(deck, np.array([[0, 1], [4, 0]])).tolist()  # a jack on a jack, a king
    [3, 2]
    """
    ranks = hands // deck.suits
    paired = (ranks[:, 1:] == ranks[:, :1]).any(axis=1)
    strength: NDArray[np.int64] = ranks[:, 0] + len(deck.ranks) * paired
    return strength


def three_card(deck: Deck, hands: Hands) -> NDArray[np.int64]:
    """Three-card poker hands, where a straight beats a flush (Rhode Island Hold'em).

    Straights run from ace, two, three to queen, king, ace, without wrapping; ties are
    broken by all cards. The ranks are those of the full deck, so a short deck has
    straights only where its ranks follow each other.
    """
    if hands.shape[1] != 3:
        raise RulesError(f"a three-card ranking needs 3 cards, found {hands.shape[1]}")
    place = np.array([RANKS.index(letter) for letter in deck.ranks])
    ranks = np.sort(place[hands // deck.suits], axis=1)
    suits = hands % deck.suits
    low, mid, high = ranks.T
    flush = (suits == suits[:, :1]).all(axis=1)
    wheel = (low == 0) & (mid == 1) & (high == len(RANKS) - 1)
    straight = ((high - mid == 1) & (mid - low == 1)) | wheel
    trips = low == high
    pair = ((low == mid) | (mid == high)) & ~trips
    category = np.select(
        [flush & straight, trips, straight, flush, pair],
        [STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR],
        HIGH_CARD,
    )
    size = len(RANKS)
    kickers = (high * size + mid) * size + low
    # Pairs compare the paired rank (the middle card) before the other one.
    kickers = np.where(pair, (mid * size + low + high - mid) * size, kickers)
    kickers = np.where(wheel & straight, 1, kickers)  # the lowest straight
    strength: NDArray[np.int64] = category * size**3 + kickers
    return strength


def category(deck: Deck, hands: Hands) -> NDArray[np.int64]:
    """The category of three-card hands, as a place in `CATEGORIES`."""
    strength: NDArray[np.int64] = three_card(deck, hands) // len(RANKS) ** 3
    return strength


RANKINGS: dict[str, Ranking] = {
    "high-card": high_card,
    "pair": pair_or_high,
    "three-card": three_card,
}
