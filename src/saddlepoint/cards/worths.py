r"""What poker hands are worth, by the rules, of which the tables of strengths are made.

Sets of ranks are numbers of 13 bits. Of two sets of equally many ranks the one with the highest
rank that the other lacks is the larger number, which is how kickers are compared. So a *worth*
is one number, of two hands the higher one wins, and there are 7,462 of them:

$$2^{26} \cdot \text{category} + 2^{13} \cdot \text{ranks that make it} + \text{kickers}$$
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)
RANKS = 13


def _worths(category: int, makers: Any, kickers: Any = 0) -> NDArray[np.int64]:
    found: NDArray[np.int64] = (category << 2 * RANKS) | (makers << RANKS) | kickers
    return found


def bit_count(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many ranks each set has."""
    found: NDArray[np.int64] = (sets[:, None] >> np.arange(RANKS) & 1).sum(axis=1)
    return found


def _top(sets: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The highest `size` ranks of each set."""
    found, left = sets.copy(), bit_count(sets)
    while (left > size).any():
        found = np.where(left > size, found & (found - 1), found)
        left -= left > size
    return found


def _straights(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The highest rank of the best straight in each set as a bit, 0 if there is none."""
    with_low_ace = sets << 1 | sets >> RANKS - 1
    run = with_low_ace
    for k in range(1, 5):
        run = run & with_low_ace << k
    return _top(run >> 1, 1)


def worths_of_counts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The worths of hands without a flush, by how often they have each rank."""
    bits = 1 << np.arange(RANKS)
    at_least: list[NDArray[np.int64]] = [(counts >= k).astype(np.int64) @ bits for k in range(5)]
    sets, pairs, trips, quads = at_least[1:]
    straight, trip, quad, two = _straights(sets), _top(trips, 1), _top(quads, 1), _top(pairs, 2)
    beside = _top(pairs & ~trip, 1)
    several = bit_count(pairs) >= 2
    return np.select(
        [quad > 0, (trip > 0) & (beside > 0), straight > 0, trip > 0, several, pairs > 0],
        [
            _worths(QUADS, quad, _top(sets & ~quad, 1)),
            _worths(FULL_HOUSE, trip, beside),
            _worths(STRAIGHT, straight),
            _worths(TRIPS, trip, _top(sets & ~trip, 2)),
            _worths(TWO_PAIR, two, _top(sets & ~two, 1)),
            _worths(PAIR, pairs, _top(sets & ~pairs, 3)),
        ],
        _worths(HIGH_CARD, _top(sets, 5)),
    )


def worths_of_flushes(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The worths of five ranks or more of one suit."""
    straight = _straights(sets)
    flush = _worths(FLUSH, _top(sets, 5))
    return np.where(straight > 0, _worths(STRAIGHT_FLUSH, straight), flush)


def rank_counts(size: int) -> NDArray[np.int64]:
    """How often a hand can have each rank: one row for each possibility."""
    rows = np.zeros((1, 0), np.int64)
    for rank in range(RANKS):
        rows = np.vstack([np.insert(rows, rank, k, axis=1) for k in range(5)])
        total = rows.sum(axis=1)
        rows = rows[(total <= size) & (total + 4 * (RANKS - 1 - rank) >= size)]
    return rows


@cache
def all_worths() -> NDArray[np.int64]:
    """The worths that there are, in order: what strengths count."""
    sets = np.arange(1 << RANKS)
    flushes = worths_of_flushes(sets[bit_count(sets) == 5])
    return np.unique(np.concatenate([worths_of_counts(rank_counts(5)), flushes]))


@cache
def first_of_category() -> NDArray[np.int64]:
    """The lowest strength of each category."""
    return np.searchsorted(all_worths(), np.arange(len(CATEGORIES)) << 2 * RANKS)
