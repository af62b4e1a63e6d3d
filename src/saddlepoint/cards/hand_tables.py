r"""The tables by which hands are ranked: a number for each card, and strengths by their sums.

Every card has a 64-bit *key*, and a hand's key is the sum of its cards' keys:

* in the lower half a number of the rank, such that all sums over hands of up to seven cards,
  with a rank at most four times, are different. A sum has a high part (a row) and a low one
  (a column); the rows are laid over each other in one table so that no two entries meet
  (row displacement), which takes two loads that stay in the second-level cache;
* in the upper half four counters of four bits, one a suit. They begin at 3, so that the
  fifth card of a suit sets the highest bit of its counter. A hand of at most seven cards with
  a flush has neither four of a kind nor a full house, so the set of ranks in that suit tells
  all: it is the index of a second table.

The tables are made from the [rules][saddlepoint.cards.worths] at the first use, in 0.1 s, and
take 88 to 265 kB for a size of hands.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.worths import (
    RANKS,
    all_worths,
    bit_count,
    rank_counts,
    worths_of_counts,
    worths_of_flushes,
)
from saddlepoint.core.errors import RulesError
from saddlepoint.core.kernel import kernel

STRENGTHS = 7462
SIZES = (5, 6, 7)
CARDS = 52
# Of a key: its column, its row, the counters of no cards, and those that tell a flush.
COLUMN_BITS = 9
COLUMNS = np.uint64((1 << COLUMN_BITS) - 1)
ROW_SHIFT = np.uint64(COLUMN_BITS)
ROWS = np.uint64((1 << 32 - COLUMN_BITS) - 1)
SUITS_AT = 32
NO_CARDS = np.uint64(0x3333 << SUITS_AT)
FLUSHES = np.uint64(0x8888 << SUITS_AT)
FIRST_SUIT = np.uint64(0x8 << SUITS_AT)

# All sums of seven of them, each at most four times, differ: found by search, and tested.
_RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)


class Tables(NamedTuple):
    """What kernels need to rank hands of one size.

    Attributes
    ----------
    keys
        `(52,)` uint64, the keys of the cards.
    places
        `(52,)` uint64, the bit `13 * suit + rank` of each card.
    rows
        uint32, where a row of rank sums begins in `ranks`.
    ranks
        int16, the strengths of hands without a flush.
    flushes
        `(8192,)` int16, the strengths of flushes by their set of ranks.
    """

    keys: NDArray[np.uint64]
    places: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    ranks: NDArray[np.int16]
    flushes: NDArray[np.int16]


@cache
def tables(size: int) -> Tables:
    """The tables for hands of 5, 6 or 7 cards, made at the first call. Not to be written to."""
    if size not in SIZES:
        raise RulesError(f"hands have {size} cards, expected 5, 6 or 7")
    known = all_worths()
    counts = rank_counts(size)
    worth = np.searchsorted(known, worths_of_counts(counts)).astype(np.int16)
    rows, ranks = _packed(counts @ np.array(_RANK_KEYS), worth)
    sets = np.arange(1 << RANKS)
    flushes = np.full(1 << RANKS, -1, np.int16)
    enough = bit_count(sets) >= 5
    flushes[enough] = np.searchsorted(known, worths_of_flushes(sets[enough]))
    rank, suit = np.divmod(np.arange(CARDS, dtype=np.uint64), np.uint64(4))
    counters = np.uint64(1) << (np.uint64(SUITS_AT) + np.uint64(4) * suit)
    keys = np.array(_RANK_KEYS, np.uint64)[rank.astype(np.int64)] + counters
    places = np.uint64(1) << (np.uint64(RANKS) * suit + rank)
    return Tables(keys, places, rows, ranks, flushes)


def _packed(
    sums: NDArray[np.int64], worth: NDArray[np.int16]
) -> tuple[NDArray[np.uint32], NDArray[np.int16]]:
    """Lay rows over each other, the longest first: where each begins, and the table."""
    order = np.argsort(sums)
    sums, worth = sums[order], worth[order]
    row, column = sums >> COLUMN_BITS, sums & ((1 << COLUMN_BITS) - 1)
    n_rows = int(row[-1]) + 1
    first = np.searchsorted(row, np.arange(n_rows + 1))
    longest = np.argsort(-np.diff(first), kind="stable")
    begins = np.zeros(n_rows, np.uint32)
    ranks = np.full(2 * len(sums) + (1 << COLUMN_BITS), -1, np.int16)
    size = _lay(first, column, longest, worth, begins, ranks)
    return begins, ranks[:size].copy()


@kernel
def _lay(
    first: NDArray[np.int64],
    column: NDArray[np.int64],
    order: NDArray[np.int64],
    worth: NDArray[np.int16],
    begins: NDArray[np.uint32],
    ranks: NDArray[np.int16],
) -> int:
    """Write entries first[r] to first[r + 1] of every row r at begins[r] + column.

    Free places of `ranks` hold -1. Returns how many are used. The longest rows go first, each
    to where it first fits beyond the last one of its length: some dozens of tries a row.
    """
    size, begin, length = 0, 0, 0
    for row in order:
        low, high = first[row], first[row + 1]
        if low == high:
            break
        if high - low != length:
            begin, length = 0, high - low
        fits = False
        while not fits:
            fits = True
            for k in range(low, high):
                if ranks[begin + column[k]] >= 0:
                    fits = False
                    begin += 1
                    break
        begins[row] = begin
        for k in range(low, high):
            ranks[begin + column[k]] = worth[k]
            size = max(size, begin + column[k] + 1)
    return size
