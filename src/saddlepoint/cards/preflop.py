r"""The equity of every hold'em hand against a random one, before the flop: exactly.

A hand meets all hands of the other 50 cards on all boards of the remaining 48,

$$\binom{50}{2} \binom{48}{5} = 2{,}097{,}572{,}400$$

times. All hands are played at once: on each board they are sorted by strength, and what a hand
beats is what lies below it, less what holds one of its cards. Of the boards that are the same
up to their suits one is played for all: 134,459 instead of 2,598,960.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.boards import symmetric_boards
from saddlepoint.cards.evaluation import strength_of
from saddlepoint.cards.hand_tables import CARDS, NO_CARDS, Tables, tables
from saddlepoint.cards.ranges import HANDS, classes, pairs
from saddlepoint.core.kernel import kernel

DEALS = comb(50, 2) * comb(48, 5)
# A hand's number takes 11 bits beside its strength.
_BITS, _LOW = 11, (1 << 11) - 1


@cache
def equities() -> NDArray[np.float64]:
    """The equity of each hand, wins and half of the ties, in the order of `ranges.pairs`.

    The first call plays all boards, which takes some seconds. Not to be written to.

    Examples
    --------
    >>> from saddlepoint.cards.ranges import parse
    >>> print(f"{equities()[parse('AsAh') > 0].item():.6f}")
    0.852037
    """
    boards, times = symmetric_boards(np.empty(0, np.uint8), np.array(list(permutations(range(4)))))
    halves = np.zeros(HANDS, np.int64)
    _play(boards, times, pairs().astype(np.uint8), tables(7), halves)
    # A board stands for others, so only the sum over a class of hands is right.
    of, sizes = classes(), np.bincount(classes())
    sums = np.zeros(len(sizes), np.int64)
    np.add.at(sums, of, halves)
    found: NDArray[np.float64] = sums[of] / (2.0 * DEALS * sizes[of])
    found.flags.writeable = False
    return found


@kernel
def _play(
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
    hands: NDArray[np.uint8],
    known: Tables,
    halves: NDArray[np.int64],
) -> None:
    """Add to each hand 2 for a hand that it beats and 1 for a tie, on all boards.

    O(boards * hands * log hands). Hands that share a card with the board or with the hand do
    not count: `by_card` has how many of the weaker hands hold each card.
    """
    rows, ranks, flushes = known.rows, known.ranks, known.flushes
    order = np.empty(hands.shape[0], np.int64)
    by_card = np.empty(CARDS, np.int64)
    for b in range(boards.shape[0]):
        key, places = NO_CARDS, np.uint64(0)
        for k in range(boards.shape[1]):
            key += known.keys[boards[b, k]]
            places |= known.places[boards[b, k]]
        n = 0
        for h in range(hands.shape[0]):
            low, high = hands[h, 0], hands[h, 1]
            held = known.places[low] | known.places[high]
            if held & places == 0:
                whole = key + known.keys[low] + known.keys[high]
                strength = strength_of(whole, places | held, rows, ranks, flushes)
                order[n] = np.int64(strength) << _BITS | h
                n += 1
        order[:n].sort()
        by_card[:] = 0
        begin = 0
        while begin < n:
            end = begin
            while end < n and order[end] >> _BITS == order[begin] >> _BITS:
                h = order[end] & _LOW
                weaker = begin - by_card[hands[h, 0]] - by_card[hands[h, 1]]
                halves[h] += times[b] * weaker
                end += 1
            for k in range(begin, end):
                h = order[k] & _LOW
                by_card[hands[h, 0]] += 1
                by_card[hands[h, 1]] += 1
            # Counted again with the equal ones; the hand itself is in both of its cards' counts.
            for k in range(begin, end):
                h = order[k] & _LOW
                halves[h] += times[b] * (end - by_card[hands[h, 0]] - by_card[hands[h, 1]] + 1)
            begin = end
