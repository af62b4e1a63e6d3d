"""The 13, 205 and 1,774 classes of Rhode Island Hold'em that thesis 003 works with.

In round 1 a bucket is the rank of the card. Later it is the bucket of the round before,
together with the wins and losses of the hand against all cards of the opponent and all boards
to come.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.abstraction.cards import coarse
from saddlepoint.games.deal import Deal
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import rhode_island

# Board cards still to come, times cards of the opponent, by round.
ROLL_OUTS = {1: 50 * 49, 2: 49}


@cache
def bucketed() -> FactoredGame:
    """Rhode Island Hold'em in 13, 205 and 1,774 buckets."""
    real = rhode_island()
    deal = real.deal
    groups = [np.arange(13)]
    for r in ROLL_OUTS:
        before = groups[-1][deal.rounds[r].up[0]]
        groups.append(numbered(np.column_stack([before, *outcomes(deal, r)])))
    names = [[str(b) for b in range(int(group.max()) + 1)] for group in groups]
    both = (tuple(groups), tuple(groups))
    small = coarse(deal, both, (names, names))
    return replace(real, name="rhode-island in buckets", dealer=lambda: small)


def outcomes(deal: Deal, round_: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins and losses of each hand of a round, in whole numbers."""
    pairs, sign = (getattr(deal.rounds[2], kind).entries() for kind in ("fold", "showdown"))
    up, n = deal.up(1, 2, round_), deal.classes(1, round_)
    held = np.bincount(up[pairs.rows], pairs.values, n)
    counts = []
    for way in (1.0, -1.0):
        share = np.bincount(up[sign.rows], np.maximum(way * sign.values, 0.0), n) / held
        whole = np.rint(share * ROLL_OUTS[round_])
        np.testing.assert_allclose(share * ROLL_OUTS[round_], whole, atol=1e-9)
        counts.append(whole.astype(np.int64))
    return counts[0], counts[1]


def numbered(keys: ArrayLike) -> NDArray[np.int64]:
    """A number for each row, equal for equal rows."""
    _, which = np.unique(np.asarray(keys), axis=0, return_inverse=True)
    return which.ravel().astype(np.int64)
