r"""Two distributions over hands against each other on all boards: exact sums of wins and ties.

Summed are `w1[h1] * w2[h2]` over all pairs of hands that share no card with each other or the
board, and over all boards. There are two ways, and `exact_sums` takes the one that costs less:

* **pairs**, without a board: pairs of hands that a renaming of suits turns into each other have
  the same wins and ties, so one of each class is played out on all 1,712,304 boards, in partial
  sums. O(classes * boards), about 5 ms a class;
* **boards**: on each board the hands of both players are sorted by strength, and one pass keeps
  the weight of player 2's hands so far, in all and by card. What a hand beats is what is there
  less what holds one of its cards. O(boards * hands), about 20 ns each. Boards that a renaming
  of suits turns into each other count once if it leaves both distributions as they are.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.boards import BOARD, renamings, symmetric_boards
from saddlepoint.cards.evaluation import flush_strength
from saddlepoint.cards.hand_tables import (
    CARDS,
    COLUMNS,
    FLUSHES,
    NO_CARDS,
    ROW_SHIFT,
    ROWS,
    STRENGTHS,
    Tables,
    tables,
)
from saddlepoint.cards.ranges import HANDS, pairs
from saddlepoint.core.kernel import kernel

Weights = NDArray[np.float64]
_PORTION, _PAIRS = 10_000, 50
# Seconds, roughly, for the choice between both ways only.
_PER_PAIR, _PER_BOARD, _PER_HAND = 4.5e-3, 1e-6, 1.6e-8
_LOW_BITS = 7
_LOW = 1 << _LOW_BITS
_HIGH = (STRENGTHS >> _LOW_BITS) + 1


def exact_sums(w1: Weights, w2: Weights, board: NDArray[np.uint8]) -> tuple[float, float, float]:
    """The sums over wins, over ties, and over everything.

    The weights are `(1326,)`, 0 for hands that hold a card of the board; the board has 0 to 5
    cards. Cost: see above; at worst, two wide ranges without any symmetry and without a board,
    about a minute.
    """
    images = _renamed_hands()
    same = [g for g in range(len(images)) if _stays(images[g], w1, w2, board, g)]
    n_boards = comb(CARDS - len(board), BOARD - len(board)) / len(same)
    n_hands = np.count_nonzero((w1 > 0) | (w2 > 0))
    by_boards = n_boards * (_PER_BOARD + n_hands * _PER_HAND)
    n_pairs = np.count_nonzero(w1) * np.count_nonzero(w2) / len(images)
    if not len(board) and n_pairs * _PER_PAIR < by_boards:
        first, second, weights = _classes_of_pairs(w1, w2)
        if len(weights) * _PER_PAIR < by_boards:
            return _by_pairs(first, second, weights)
    boards, times = symmetric_boards(board, np.array(renamings())[same])
    held = np.flatnonzero((w1 > 0) | (w2 > 0))
    sums = np.zeros(3)
    hands = pairs()[held].astype(np.uint8)
    for k in range(0, len(boards), _PORTION):  # so that an interrupt is heard
        part = slice(k, k + _PORTION)
        _play_boards(boards[part], times[part], hands, w1[held], w2[held], tables(7), sums)
    return float(sums[0]), float(sums[1]), float(sums[2])


@cache
def _renamed_hands() -> NDArray[np.int64]:
    """The hand that each hand becomes under each renaming: `(24, 1326)`."""
    cards = pairs()
    found = np.empty((24, HANDS), np.int64)
    for g, suits in enumerate(renamings()):
        low, high = np.sort(cards // 4 * 4 + np.array(suits)[cards % 4], axis=1).T
        found[g] = high * (high - 1) // 2 + low
    return found


def _stays(
    image: NDArray[np.int64], w1: Weights, w2: Weights, board: NDArray[np.uint8], g: int
) -> bool:
    """Whether a renaming leaves the board and both distributions as they are."""
    renamed = board // 4 * 4 + np.array(renamings()[g])[board % 4]
    return (
        set(renamed.tolist()) == set(board.tolist())
        and np.array_equal(w1[image], w1)
        and np.array_equal(w2[image], w2)
    )


def _classes_of_pairs(
    w1: Weights, w2: Weights
) -> tuple[NDArray[np.int64], NDArray[np.int64], Weights]:
    """A pair of hands of each class that has weight, and the weight of the class."""
    cards = pairs()
    first, second = (held.ravel() for held in np.meshgrid(np.flatnonzero(w1), np.flatnonzero(w2)))
    apart = (cards[first][:, :, None] != cards[second][:, None, :]).all(axis=(1, 2))
    first, second = first[apart], second[apart]
    keys = np.full(len(first), HANDS * HANDS)
    for image in _renamed_hands():
        np.minimum(keys, image[first] * HANDS + image[second], out=keys)
    classes, members = np.unique(keys, return_inverse=True)
    weights = np.bincount(members, w1[first] * w2[second]).astype(np.float64)
    return classes // HANDS, classes % HANDS, weights


def _by_pairs(
    first: NDArray[np.int64], second: NDArray[np.int64], weights: Weights
) -> tuple[float, float, float]:
    found = np.zeros((len(first), 2), np.int64)
    cards = pairs().astype(np.uint8)
    for k in range(0, len(first), _PAIRS):
        part = slice(k, k + _PAIRS)
        _play_pairs(cards[first[part]], cards[second[part]], tables(7), found[part])
    win, tie = (weights @ found).tolist()
    return win, tie, float(weights.sum()) * comb(CARDS - 4, BOARD)


@kernel
def _play_pairs(
    first: NDArray[np.uint8], second: NDArray[np.uint8], known: Tables, found: NDArray[np.int64]
) -> None:
    """Add the wins of first[p] over second[p] on all boards to found[p, 0], ties to found[p, 1]."""
    rows, ranks, flushes = known.rows, known.ranks, known.flushes
    keys, at = np.empty(CARDS - 4, np.uint64), np.empty(CARDS - 4, np.uint64)
    for p in range(first.shape[0]):
        a, b, c, d = first[p, 0], first[p, 1], second[p, 0], second[p, 1]
        n = 0
        for card in range(CARDS):
            if card != a and card != b and card != c and card != d:
                keys[n], at[n] = known.keys[card], known.places[card]
                n += 1
        key1, key2 = known.keys[a] + known.keys[b], known.keys[c] + known.keys[d]
        at1, at2 = known.places[a] | known.places[b], known.places[c] | known.places[d]
        win, tie = 0, 0
        for e in range(n):
            for f in range(e):
                for g in range(f):
                    kg, pg = NO_CARDS + keys[e] + keys[f] + keys[g], at[e] | at[f] | at[g]
                    for h in range(g):
                        kh, ph = kg + keys[h], pg | at[h]
                        for i in range(h):
                            ki, pi = kh + keys[i], ph | at[i]
                            k1, k2 = ki + key1, ki + key2
                            if k1 & FLUSHES:
                                s1 = flush_strength(k1, pi | at1, flushes)
                            else:
                                s1 = ranks[rows[(k1 >> ROW_SHIFT) & ROWS] + (k1 & COLUMNS)]
                            if k2 & FLUSHES:
                                s2 = flush_strength(k2, pi | at2, flushes)
                            else:
                                s2 = ranks[rows[(k2 >> ROW_SHIFT) & ROWS] + (k2 & COLUMNS)]
                            win += s1 > s2
                            tie += s1 == s2
        found[p, 0] += win
        found[p, 1] += tie


@kernel
def _play_boards(
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
    hands: NDArray[np.uint8],
    w1: Weights,
    w2: Weights,
    known: Tables,
    sums: Weights,
) -> None:
    """Add wins, ties and everything over all boards to `sums`. O(boards * hands)."""
    rows, ranks, flushes = known.rows, known.ranks, known.flushes
    n_hands = hands.shape[0]
    worth, live = np.empty(n_hands, np.int64), np.empty(n_hands, np.int64)
    spare, begin = np.empty(n_hands, np.int64), np.empty(max(_LOW, _HIGH) + 1, np.int64)
    by_card = np.empty(CARDS)
    key, at = np.empty(n_hands, np.uint64), np.empty(n_hands, np.uint64)
    for h in range(n_hands):
        key[h] = known.keys[hands[h, 0]] + known.keys[hands[h, 1]]
        at[h] = known.places[hands[h, 0]] | known.places[hands[h, 1]]
    for b in range(boards.shape[0]):
        of_board, places = NO_CARDS, np.uint64(0)
        for k in range(boards.shape[1]):
            of_board += known.keys[boards[b, k]]
            places |= known.places[boards[b, k]]
        n = 0
        for h in range(n_hands):
            if at[h] & places == 0:
                k7 = of_board + key[h]
                if k7 & FLUSHES:
                    worth[h] = flush_strength(k7, places | at[h], flushes)
                else:
                    worth[h] = ranks[rows[(k7 >> ROW_SHIFT) & ROWS] + (k7 & COLUMNS)]
                live[n] = h
                n += 1
        _sort(live[:n], worth, spare, begin)
        win, tie, total = _showdown(live[:n], worth, hands, w1, w2, by_card)
        sums[0] += times[b] * win
        sums[1] += times[b] * tie
        sums[2] += times[b] * total


@kernel
def _sort(
    live: NDArray[np.int64],
    worth: NDArray[np.int64],
    spare: NDArray[np.int64],
    begin: NDArray[np.int64],
) -> None:
    """Sort hands by worth, by its lower digit and then by its higher one. O(hands)."""
    begin[:] = 0
    for h in live:
        begin[(worth[h] & (_LOW - 1)) + 1] += 1
    for k in range(1, _LOW):
        begin[k] += begin[k - 1]
    for h in live:
        digit = worth[h] & (_LOW - 1)
        spare[begin[digit]] = h
        begin[digit] += 1
    begin[:] = 0
    for h in live:
        begin[(worth[h] >> _LOW_BITS) + 1] += 1
    for k in range(1, _HIGH):
        begin[k] += begin[k - 1]
    for k in range(live.shape[0]):
        h = spare[k]
        digit = worth[h] >> _LOW_BITS
        live[begin[digit]] = h
        begin[digit] += 1


@kernel
def _showdown(
    order: NDArray[np.int64],
    worth: NDArray[np.int64],
    hands: NDArray[np.uint8],
    w1: Weights,
    w2: Weights,
    by_card: Weights,
) -> tuple[float, float, float]:
    """Wins, ties and everything of player 1 with hands in order of their worth. O(hands).

    `by_card[c]` is the weight so far of player 2's hands with card c. A hand's two cards take
    that away from all; the hand itself is in both, and comes back once.
    """
    n = order.shape[0]
    win, tie, total, beaten = 0.0, 0.0, 0.0, 0.0
    by_card[:] = 0.0
    low = 0
    while low < n:
        high, now = low, beaten
        while high < n and worth[order[high]] == worth[order[low]]:
            h = order[high]
            below = w1[h] * (beaten - by_card[hands[h, 0]] - by_card[hands[h, 1]])
            win += below
            tie -= below
            now += w2[h]
            high += 1
        for k in range(low, high):
            h = order[k]
            by_card[hands[h, 0]] += w2[h]
            by_card[hands[h, 1]] += w2[h]
        beaten = now
        for k in range(low, high):
            h = order[k]
            tie += w1[h] * (beaten - by_card[hands[h, 0]] - by_card[hands[h, 1]] + w2[h])
        low = high
    for h in order:
        total += w1[h] * (beaten - by_card[hands[h, 0]] - by_card[hands[h, 1]] + w2[h])
    return win, tie, total
