"""Which hands are the same: canonical forms under a group of renamings of the cards.

Two hands (private cards, then the streets of the board in order) are equivalent if a
renaming in the group turns one into the other; within a street the order of the cards
does not matter. The groups are `cards` (no renaming), `suits` (the same renaming of suits
for all ranks, which every poker game allows) and `ranks` (suits are forgotten, which
games without flushes allow).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.deck import Deck
from saddlepoint.core.errors import SettingsError, unknown

GROUPS = ("cards", "suits", "ranks")


def canonical_keys(
    deck: Deck, hands: NDArray[np.int64], streets: Sequence[int], group: str
) -> NDArray[np.int64]:
    """One number for each row, equal for rows that the group identifies.

    Parameters
    ----------
    deck
        The deck.
    hands
        One row of cards for each hand.
    streets
        How many cards each street has (the private cards are the first); they sum to the
        number of columns.
    group
        `cards`, `suits` or `ranks`.

    Examples
    --------
    >>> deck = Deck("JQK", 2)
    >>> hands = np.array([[0, 1], [1, 0], [0, 3]])
    >>> [len(set(canonical_keys(deck, hands, [1, 1], group))) for group in GROUPS]
    [3, 2, 2]
    """
    if group not in GROUPS:
        raise SettingsError(unknown("isomorphism", group, GROUPS))
    if sum(streets) != hands.shape[1]:
        raise SettingsError(f"streets {list(streets)} do not sum to {hands.shape[1]} cards")
    if group == "cards":
        return _encode(hands, streets, len(deck))
    rank, suit = hands // deck.suits, hands % deck.suits
    if group == "ranks":
        return _encode(rank, streets, len(deck.ranks))
    best: NDArray[np.int64] | None = None
    for renaming in permutations(range(deck.suits)):
        keys = _encode(rank * deck.suits + np.array(renaming)[suit], streets, len(deck))
        best = keys if best is None else np.minimum(best, keys)
    assert best is not None
    return best


def _encode(cards: NDArray[np.int64], streets: Sequence[int], base: int) -> NDArray[np.int64]:
    """The cards as digits of one number, sorted within each street."""
    keys = np.zeros(len(cards), np.int64)
    column = 0
    for size in streets:
        street = np.sort(cards[:, column : column + size], axis=1)
        for k in range(size):
            keys = keys * base + street[:, k]
        column += size
    return keys
