"""Purification in each of many matrix games, summed up: one batch of trials.

What a trial is, `saddlepoint.studies.trials` says. Everything here is vectorised over the
games, after both games of each have been solved by `saddlepoint.solvers.many`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.reverse.purify import TIE
from saddlepoint.solvers.many import solve_many

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# A difference up to this is none: where purification changes nothing, the two payoffs are
# different sums of the same numbers.
UNCHANGED = 1e-9
# A probability above this is one of the support.
SUPPORT = 1e-9

# What is summed over games, and what is counted.
SUMS = ("purified", "unpurified", "gain")
COUNTS = ("games", "improved", "worse", "unchanged")


def tally(M: Array, abstract: int, skip_pure: bool = False) -> dict[str, Any]:
    """What purification does in each of many games, summed up.

    Parameters
    ----------
    M
        The games, of shape (count, size, size).
    abstract
        How many rows and columns the abstraction leaves.
    skip_pure
        Leave out games whose abstraction has a pure equilibrium.

    Returns
    -------
    dict
        For each name of `SUMS` the sum and the sum of squares; the counts of `COUNTS`; and
        by support pair, as `support_code` numbers them, the count of games and the sum and
        sum of squares of the gain.
    """
    if skip_pure:
        M = M[~has_pure_equilibrium(M[:, :abstract, :abstract])]
    size = M.shape[1]
    full, own = solve_many(M), solve_many(M[:, :abstract, :abstract]).x
    against = np.einsum("gij,gj->gi", M[:, :abstract], full.y)
    unpurified = (own * against).sum(axis=1)
    purified = (most_likely(own) * against).sum(axis=1)
    gain = purified - unpurified
    gain[np.abs(gain) <= UNCHANGED] = 0.0
    pairs = support_code(full.x) << size | support_code(full.y)
    codes, place = np.unique(pairs, return_inverse=True)
    return {
        "games": len(M),
        "improved": int((gain > 0).sum()),
        "worse": int((gain < 0).sum()),
        "unchanged": int((gain == 0).sum()),
        "purified": [float(purified.sum()), float(purified @ purified)],
        "unpurified": [float(unpurified.sum()), float(unpurified @ unpurified)],
        "gain": [float(gain.sum()), float(gain @ gain)],
        "codes": codes,
        "code_games": np.bincount(place, minlength=len(codes)),
        "code_sums": np.bincount(place, gain, len(codes)),
        "code_squares": np.bincount(place, gain * gain, len(codes)),
    }


def has_pure_equilibrium(M: Array) -> NDArray[np.bool_]:
    """Which of many games have a saddle point.

    >>> has_pure_equilibrium(np.array([[[1.0, 2.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]]]))
    array([ True, False])
    """
    return np.asarray(M.min(axis=2).max(axis=1) >= M.max(axis=1).min(axis=1))


def most_likely(x: Array) -> Array:
    """The purification of each row, as `saddlepoint.reverse.purify` does it.

    >>> most_likely(np.array([[0.5, 0.3, 0.2], [0.4, 0.2, 0.4]]))
    array([[1. , 0. , 0. ],
           [0.5, 0. , 0.5]])
    """
    kept = x >= x.max(axis=1, keepdims=True) - TIE
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def support_code(x: Array) -> Integers:
    """The support of each row, action k as bit k.

    >>> support_code(np.array([[0.5, 0.0, 0.5]]))
    array([5])
    """
    return np.asarray((x > SUPPORT) @ (1 << np.arange(x.shape[1])), np.int64)
