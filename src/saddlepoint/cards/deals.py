"""Deals drawn at random: two hands and a board, and how often player 1 wins and ties.

Deals are drawn independently: the pair of hands from the table of all pairs that share no card,
so that ranges which hold much the same cards do not cost more, then the board card by card, where
a card that is gone is drawn again. Random numbers come by [counting][saddlepoint.core.counter].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.boards import BOARD
from saddlepoint.cards.evaluation import flush_strength
from saddlepoint.cards.hand_tables import (
    CARDS,
    COLUMNS,
    FLUSHES,
    NO_CARDS,
    ROW_SHIFT,
    ROWS,
    Tables,
    tables,
)
from saddlepoint.cards.ranges import pairs
from saddlepoint.core.counter import chance, key_of
from saddlepoint.core.kernel import kernel
from saddlepoint.core.seeds import Seed

Weights = NDArray[np.float64]
_PORTION = 1_000_000


def sampled_counts(
    w1: Weights, w2: Weights, board: NDArray[np.uint8], samples: int, seed: Seed
) -> tuple[int, int]:
    """How many of the deals player 1 wins, and how many are ties.

    The weights are `(1326,)`, 0 for hands that hold a card of the board, and some two hands can
    be dealt together. O(pairs of hands + samples * log(pairs of hands)).
    """
    cards = pairs().astype(np.uint8)
    held1, held2 = np.flatnonzero(w1), np.flatnonzero(w2)
    table = np.outer(w1[held1] / w1.max(), w2[held2] / w2.max())
    for column in (0, 1):
        for other in (0, 1):
            table[cards[held1][:, None, column] == cards[held2][None, :, other]] = 0.0
    possible = np.flatnonzero(table)
    bounds = np.cumsum(table.ravel()[possible])
    first, second = cards[held1[possible // len(held2)]], cards[held2[possible % len(held2)]]
    counts, key = np.zeros(2, np.int64), key_of(seed)
    for start in range(0, samples, _PORTION):  # so that an interrupt is heard
        end = min(samples, start + _PORTION)
        _deal(bounds, first, second, board, key, start, end, tables(7), counts)
    return int(counts[0]), int(counts[1])


@kernel
def _deal(
    bounds: Weights,
    first: NDArray[np.uint8],
    second: NDArray[np.uint8],
    board: NDArray[np.uint8],
    key: np.uint64,
    start: int,
    end: int,
    known: Tables,
    counts: NDArray[np.int64],
) -> None:
    """Add the wins and the ties of deals start to end to `counts`. O(log(pairs)) a deal."""
    keys, at, rows, ranks, flushes = known
    dealt, on_board = NO_CARDS, np.uint64(0)
    for card in board:
        dealt += keys[card]
        on_board |= at[card]
    last = bounds.shape[0] - 1
    for trial in range(start, end):
        wanted = chance(key, trial, 0) * bounds[last]
        low, high = 0, last  # the first place whose bound is above `wanted`
        while low < high:
            middle = (low + high) >> 1
            if bounds[middle] > wanted:
                high = middle
            else:
                low = middle + 1
        a, b, c, d = first[low, 0], first[low, 1], second[low, 0], second[low, 1]
        at1, at2 = at[a] | at[b], at[c] | at[d]
        gone, places, total = at1 | at2 | on_board, on_board, dealt
        missing, use = BOARD - board.shape[0], 0
        while missing > 0:
            use += 1
            card = int(chance(key, trial, use) * CARDS)
            if gone & at[card] == 0:
                gone |= at[card]
                places |= at[card]
                total += keys[card]
                missing -= 1
        key1, key2 = total + keys[a] + keys[b], total + keys[c] + keys[d]
        if key1 & FLUSHES:
            s1 = flush_strength(key1, places | at1, flushes)
        else:
            s1 = ranks[rows[(key1 >> ROW_SHIFT) & ROWS] + (key1 & COLUMNS)]
        if key2 & FLUSHES:
            s2 = flush_strength(key2, places | at2, flushes)
        else:
            s2 = ranks[rows[(key2 >> ROW_SHIFT) & ROWS] + (key2 & COLUMNS)]
        counts[0] += s1 > s2
        counts[1] += s1 == s2
