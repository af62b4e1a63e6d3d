r"""Drawing hands: the deal of a game as a tree of pairs of classes, for sampling.

Node 0 of the tree is the time before the first card. Below it stand the pairs (class of
player 1, class of player 2) that the first round can deal, below each of them the pairs of
the next round that belong to it, and so on: classes never forget, so that a pair has one
pair before it. Drawing goes down the tree,

$$P(i', j' \mid i, j) = B_{r+1}[i', j'] / B_r[i, j].$$

Memory is that of all pairs of all rounds, written out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.core.kernel import kernel
from saddlepoint.games.deal import Deal
from saddlepoint.sequence.stepping import picked

# The probabilities of the pairs that follow from one have its own for their sum, to rounding.
_SLACK = 1e-9


class Pairs(NamedTuple):
    """The tree of pairs, in arrays over pairs; the pairs of a round stand side by side.

    Pair q goes on to pairs `first[q]` up to `first[q + 1]`, whose probabilities given q,
    added up, are `upto` of them. In q the players hold classes `one[q]` and `two[q]`, and
    `outcome[q]` is what player 1 wins of one unit at a showdown if the hand ends in its
    round: the expectation over cards that are still to come, if there are any.
    """

    first: NDArray[np.int64]
    upto: NDArray[np.float64]
    one: NDArray[np.int64]
    two: NDArray[np.int64]
    outcome: NDArray[np.float64]


@kernel
def drawn(pairs: Pairs, pair: int, u: float) -> int:
    """The pair that follows a pair, for a number u in [0, 1): O(log pairs)."""
    return picked(pairs.upto, pairs.first[pair], pairs.first[pair + 1], u)


def pairs_of(deal: Deal) -> Pairs:
    """The tree of pairs of a deal.

    Raises
    ------
    GameError
        If the rounds of the deal contradict each other.

    Examples
    --------
    >>> from saddlepoint.games.poker import kuhn
    >>> pairs = pairs_of(kuhn().deal)
    >>> pairs.one[1:].tolist(), pairs.two[1:].tolist()
    ([0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1])
    """
    zero = np.zeros(1, np.int64)
    weight, parts = np.ones(1), [(np.ones(1), zero, zero, np.zeros(1))]
    keys, begin, first = zero, 1, []
    for r, here in enumerate(deal.rounds):
        joint = deal.joint(r)
        above = here.up[0][joint.rows] * deal.classes(2, r - 1) + here.up[1][joint.columns]
        ascending = np.argsort(keys)
        found = np.searchsorted(keys, above, sorter=ascending)
        parent = ascending[np.minimum(found, len(keys) - 1)]
        order = np.argsort(parent, kind="stable")
        if (keys[parent] != above).any() or not np.allclose(
            np.bincount(parent, joint.values, len(keys)), weight, rtol=_SLACK, atol=_SLACK
        ):
            raise GameError(f"the hands of round {r + 1} do not follow from those before them")
        parent, weight = parent[order], joint.values[order]
        starts = np.searchsorted(parent, np.arange(len(keys) + 1))
        first.append(begin + starts[:-1])
        begin += len(weight)
        one, two = joint.rows[order], joint.columns[order]
        keys = one * deal.classes(2, r) + two
        parts.append((_running(weight, starts), one, two, _outcomes(deal, r, keys, weight)))
    first.append(np.full(len(keys) + 1, begin, np.int64))
    return Pairs(np.concatenate(first), *map(np.concatenate, zip(*parts, strict=True)))


def _running(weight: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Running sums of the weights between starts, as parts of what they add up to."""
    total = np.concatenate([[0.0], np.cumsum(weight)])
    lengths = np.diff(starts)
    low, high = np.repeat(total[starts[:-1]], lengths), np.repeat(total[starts[1:]], lengths)
    upto: NDArray[np.float64] = (total[1:] - low) / (high - low)
    return upto


def _outcomes(
    deal: Deal, r: int, keys: NDArray[np.int64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What player 1 wins of a unit at a showdown in round r, by pair."""
    shown = deal.rounds[r].showdown.entries()
    at = shown.rows * shown.shape[1] + shown.columns
    found = np.minimum(np.searchsorted(at, keys), max(0, len(at) - 1))
    if not len(at):
        return np.zeros(len(keys))
    return np.where(at[found] == keys, shown.values[found] / p, 0.0)
