r"""The strength of poker hands of five, six or seven cards, in bulk: the higher number wins.

A hand is worth its best five cards, and there are 7,462 different worths. The strengths are
0 to 7,461 in their order, so equal strengths are ties and nothing else.

A hand's key is the sum of its cards' keys, and the strength is what the
[tables][saddlepoint.cards.hand_tables] hold for it: two loads, and one more for a flush. Cards
are the numbers of [`Deck()`][saddlepoint.cards.deck]: card = rank * 4 + suit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.cards.deck import Deck
from saddlepoint.cards.hand_tables import (
    CARDS,
    COLUMNS,
    FIRST_SUIT,
    FLUSHES,
    NO_CARDS,
    ROW_SHIFT,
    ROWS,
    SIZES,
    STRENGTHS,
    Tables,
    tables,
)
from saddlepoint.cards.worths import RANKS, first_of_category
from saddlepoint.core.errors import RulesError
from saddlepoint.core.kernel import kernel

_ONE, _ALL, _BIT = np.uint64(1), np.uint64(1 << CARDS), np.uint8(63)
_RANKS_OF_SUIT = np.uint64((1 << RANKS) - 1)


def strengths(hands: ArrayLike) -> NDArray[np.int16]:
    """The strengths of hands, one a row.

    Parameters
    ----------
    hands
        `(n, 5)`, `(n, 6)` or `(n, 7)` whole numbers of 0 to 51; fastest as contiguous uint8.

    Raises
    ------
    RulesError
        If a card is none or is twice in a row; the message tells the row and the card.

    Examples
    --------
    >>> deck = Deck()
    >>> hands = ["As Ah Kd 7c 4c 3d 2h", "As Kh Kd 5c 4c 3d 2h"]
    >>> high, low = strengths([[deck.card(c) for c in hand.split()] for hand in hands])
    >>> category_of([high, low]).tolist()  # a pair and a straight
    [1, 4]
    """
    cards = checked_hands(hands)
    found = np.empty(len(cards), np.int16)
    rank_hands(cards, tables(cards.shape[1]), found)
    return found


def checked_hands(hands: ArrayLike) -> NDArray[np.uint8]:
    """Hands as contiguous uint8, after it was made sure that each row holds different cards."""
    given = np.asarray(hands)
    if given.ndim != 2 or given.shape[1] not in SIZES:
        raise RulesError(f"hands have shape {given.shape}, expected (n, 5), (n, 6) or (n, 7)")
    if given.dtype != np.uint8:
        if not np.issubdtype(given.dtype, np.integer):
            raise RulesError(f"hands are {given.dtype}, expected whole numbers of 0 to 51")
        wrong = np.argwhere((given < 0) | (given >= CARDS))
        if len(wrong):
            row, column = wrong[0]
            raise RulesError(_wrong_card(int(row), int(given[row, column])))
    cards = np.ascontiguousarray(given, np.uint8)
    row = _first_wrong(cards)
    if row >= 0:
        seen: set[int] = set()
        for card in cards[row].tolist():
            if card >= CARDS or card in seen:
                raise RulesError(_wrong_card(row, card))
            seen.add(card)
    return cards


def _wrong_card(row: int, card: int) -> str:
    if 0 <= card < CARDS:
        return f"hand {row} has the card {card} ({Deck().text(card)}) twice"
    return f"hand {row} has the card {card}, expected 0 to {CARDS - 1}"


def category_of(strength: Any) -> Any:
    """The category of a strength, or of an array of them, as a place in `worths.CATEGORIES`.

    >>> category_of(0), category_of([7461, 1276, 1277]).tolist()
    (0, [8, 0, 1])
    """
    found = np.asarray(strength)
    if found.size and (found.min() < 0 or found.max() >= STRENGTHS):
        raise RulesError(f"strengths are 0 to {STRENGTHS - 1}, found {found.min()}..{found.max()}")
    place = np.searchsorted(first_of_category(), found, side="right") - 1
    return int(place) if place.ndim == 0 else place


def frequencies(size: int) -> NDArray[np.int64]:
    """How many of all hands of a size have each strength: `(7462,)`.

    >>> frequencies(5).sum(), frequencies(5)[-1]  # 2,598,960 hands, of which 4 royal flushes
    (np.int64(2598960), np.int64(4))
    """
    known = tables(size)
    found = np.zeros(STRENGTHS, np.int64)
    if size == 7:
        _count_sevens(known, found)
    else:
        _count_small(known, size, found)
    return found


# Kernels. Of a hand's key `key`: its row, its column, and whether one suit has five cards.


@kernel
def _first_wrong(hands: NDArray[np.uint8]) -> int:
    """The first row with a card above 51 or twice, or -1. O(cards), no branch but the last.

    A sum of bits is their union if and only if no bit is there twice.
    """
    if hands.shape[1] == 7:
        return _first_wrong_seven(hands)
    for i in range(hands.shape[0]):
        total, union, largest = np.uint64(0), np.uint64(0), np.uint8(0)
        for k in range(hands.shape[1]):
            bit = _ONE << np.uint64(hands[i, k] & _BIT)
            total, union, largest = total + bit, union | bit, max(largest, hands[i, k])
        if total != union or largest >= CARDS:
            return i
    return -1


@kernel
def _first_wrong_seven(hands: NDArray[np.uint8]) -> int:
    """`_first_wrong` for seven cards, in a straight line."""
    for i in range(hands.shape[0]):
        a, b, c, d = hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3]
        e, f, g = hands[i, 4], hands[i, 5], hands[i, 6]
        large = (a | b | c | d | e | f | g) > _BIT
        a1, b1 = _ONE << np.uint64(a & _BIT), _ONE << np.uint64(b & _BIT)
        c1, d1 = _ONE << np.uint64(c & _BIT), _ONE << np.uint64(d & _BIT)
        e1, f1 = _ONE << np.uint64(e & _BIT), _ONE << np.uint64(f & _BIT)
        g1 = _ONE << np.uint64(g & _BIT)
        union = a1 | b1 | c1 | d1 | e1 | f1 | g1
        if large or union >= _ALL or union != a1 + b1 + c1 + d1 + e1 + f1 + g1:
            return i
    return -1


@kernel
def flush_strength(key: np.uint64, places: np.uint64, flushes: NDArray[np.int16]) -> Any:
    """The strength of a hand where `key & FLUSHES` is not 0, by the bits of its cards. O(1)."""
    flush = key & FLUSHES
    while flush != FIRST_SUIT:
        flush >>= np.uint64(4)
        places >>= np.uint64(RANKS)
    return flushes[places & _RANKS_OF_SUIT]


@kernel
def strength_of(
    key: np.uint64,
    places: np.uint64,
    rows: NDArray[np.uint32],
    ranks: NDArray[np.int16],
    flushes: NDArray[np.int16],
) -> Any:
    """The strength of a hand by its key (with `NO_CARDS`) and the bits of its cards. O(1).

    The arrays are those of `Tables`. In the innermost loops it is written out: a call with
    many arrays costs more than it does.
    """
    if key & FLUSHES:
        return flush_strength(key, places, flushes)
    return ranks[rows[(key >> ROW_SHIFT) & ROWS] + (key & COLUMNS)]


@kernel
def rank_hands(hands: NDArray[np.uint8], known: Tables, out: NDArray[np.int16]) -> None:
    """Write the strengths of checked hands into `out`. O(hands), two table loads each."""
    if hands.shape[1] == 7:
        _rank_sevens(hands, known, out)
        return
    for i in range(hands.shape[0]):
        key, places = NO_CARDS, np.uint64(0)
        for k in range(hands.shape[1]):
            key += known.keys[hands[i, k]]
            places |= known.places[hands[i, k]]
        out[i] = strength_of(key, places, known.rows, known.ranks, known.flushes)


@kernel
def _rank_sevens(hands: NDArray[np.uint8], known: Tables, out: NDArray[np.int16]) -> None:
    """`rank_hands` for seven cards, in a straight line."""
    keys, at, rows, ranks = known.keys, known.places, known.rows, known.ranks
    for i in range(hands.shape[0]):
        a, b, c, d = hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3]
        e, f, g = hands[i, 4], hands[i, 5], hands[i, 6]
        key = NO_CARDS + keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f] + keys[g]
        if key & FLUSHES:
            places = at[a] | at[b] | at[c] | at[d] | at[e] | at[f] | at[g]
            out[i] = flush_strength(key, places, known.flushes)
        else:
            out[i] = ranks[rows[(key >> ROW_SHIFT) & ROWS] + (key & COLUMNS)]


@kernel
def _count_sevens(known: Tables, counts: NDArray[np.int64]) -> None:
    """Count the strengths of all 133,784,560 hands of seven cards, in partial sums."""
    keys, at, rows, ranks = known.keys, known.places, known.rows, known.ranks
    for a in range(CARDS):
        for b in range(a):
            for c in range(b):
                kc = NO_CARDS + keys[a] + keys[b] + keys[c]
                pc = at[a] | at[b] | at[c]
                for d in range(c):
                    for e in range(d):
                        ke, pe = kc + keys[d] + keys[e], pc | at[d] | at[e]
                        for f in range(e):
                            kf, pf = ke + keys[f], pe | at[f]
                            for g in range(f):
                                key = kf + keys[g]
                                if key & FLUSHES:
                                    counts[flush_strength(key, pf | at[g], known.flushes)] += 1
                                else:
                                    row = rows[(key >> ROW_SHIFT) & ROWS]
                                    counts[ranks[row + (key & COLUMNS)]] += 1


@kernel
def _count_small(known: Tables, size: int, counts: NDArray[np.int64]) -> None:
    """Count the strengths of all hands of five or six cards."""
    keys, at, rows, ranks, flushes = known
    for a in range(CARDS):
        for b in range(a):
            for c in range(b):
                kc = NO_CARDS + keys[a] + keys[b] + keys[c]
                pc = at[a] | at[b] | at[c]
                for d in range(c):
                    for e in range(d):
                        key, places = kc + keys[d] + keys[e], pc | at[d] | at[e]
                        if size == 5:
                            counts[strength_of(key, places, rows, ranks, flushes)] += 1
                            continue
                        for f in range(e):
                            one, more = key + keys[f], places | at[f]
                            counts[strength_of(one, more, rows, ranks, flushes)] += 1
