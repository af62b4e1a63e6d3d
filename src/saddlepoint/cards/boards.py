"""Boards up to the names of suits: one of each class, and how many it stands for."""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.hand_tables import CARDS
from saddlepoint.core.kernel import kernel

BOARD = 5
_ONE, _SUIT, _RANKS = np.uint64(1), np.uint64(13), np.uint64((1 << 13) - 1)


def renamings() -> list[tuple[int, ...]]:
    """The renamings of four suits."""
    return list(permutations(range(4)))


def symmetric_boards(
    board: NDArray[np.uint8], suits: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """One board of each class under renamings of suits, and how many boards are in it.

    Parameters
    ----------
    board
        The cards that are dealt; the renamings keep this set as it is.
    suits
        `(n, 4)`, a group of renamings: what each suit becomes.

    Examples
    --------
    >>> boards, times = symmetric_boards(np.empty(0, np.uint8), np.array(renamings()))
    >>> len(boards), int(times.sum())  # as is known
    (134459, 2598960)
    """
    more = BOARD - len(board)
    rest = np.setdiff1d(np.arange(CARDS), board).astype(np.uint8)
    boards = np.empty((comb(len(rest), more), BOARD), np.uint8)
    boards[:, : BOARD - more] = board
    times = np.empty(len(boards), np.int64)
    size = _list_boards(rest, more, suits.astype(np.uint64), boards, times)
    return boards[:size], times[:size]


@kernel
def _list_boards(
    rest: NDArray[np.uint8],
    more: int,
    suits: NDArray[np.uint64],
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
) -> int:
    """Write the last `more` columns of `boards` and `times`; return how many boards there are.

    A board stands for its class if its cards as a number, suit by suit, are the largest. The
    first columns of all rows have to be there. O(boards * renamings).
    """
    size, offset = 0, boards.shape[1] - more
    chosen = np.arange(more)
    fixed = np.uint64(0)
    for k in range(offset):
        fixed |= _place(boards[0, k])
    while True:
        places = fixed
        for k in range(more):
            places |= _place(rest[chosen[k]])
        alike, largest = 0, True
        for g in range(suits.shape[0]):
            image = np.uint64(0)
            for suit in range(4):
                ranks = (places >> (_SUIT * np.uint64(suit))) & _RANKS
                image |= ranks << (_SUIT * suits[g, suit])
            alike += image == places
            if image > places:
                largest = False
                break
        if largest:
            for k in range(more):
                boards[size, offset + k] = rest[chosen[k]]
            times[size] = suits.shape[0] // alike
            size += 1
        k = more - 1
        while k >= 0 and chosen[k] == rest.shape[0] - more + k:
            k -= 1
        if k < 0:
            return size
        chosen[k] += 1
        for j in range(k + 1, more):
            chosen[j] = chosen[j - 1] + 1


@kernel
def _place(card: int) -> np.uint64:
    """A card as a bit, suit by suit."""
    return _ONE << (_SUIT * np.uint64(card & 3) + np.uint64(card >> 2))
