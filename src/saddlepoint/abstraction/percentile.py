r"""Percentile buckets: equally likely buckets of hands, sorted by what they are worth.

*Hand strength* is the share of the opponent's hands that a final hand beats, draws counted by
half. A hand of an earlier round is worth, over the final hands f that it may become,

$$\mathrm{hs}(h) = E[v_f \mid h], \qquad \mathrm{hs2}(h) = E[v_f^2 \mid h].$$

The second is not the square of the first: it is greater by the variance of $v_f$, so of two
hands with equal expectation it puts the one that may still become something else first
(thesis 004, section 2.3.2).

The hands of each parent are sorted by one of these, and n - 1 *boundaries* divide their
probability into n equal parts. What the text leaves open:

* *Hands of equal worth stay together.* No order among them would mean anything, and their
  buckets would depend on how hands are listed. So there are *cuts* only between different
  values, and each boundary moves to the nearest cut: the hands of a value go where the middle of
  their probability lies, and up if that is a boundary. Each boundary moves by half the
  probability of one value at most, and what is above it does not depend on what was cut below.
* *Boundaries that move to one cut leave an empty bucket*, which is dropped: to put it elsewhere
  would make unequal buckets that nobody asked for. So n is the most that a parent gets.
* *A parent with no more than n values* has a bucket for each, whatever their probabilities are:
  there is no need to join any.
* *Buckets are numbered upwards*, by parent and then by worth. The thesis counts from the top.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.hands import Classes, Hands, levels
from saddlepoint.core.checks import whole, wholes
from saddlepoint.core.errors import SettingsError, unknown

Vector = NDArray[np.float64]

KINDS = ("hs", "hs2")
# A middle this near to a boundary, in buckets, lies on it: sums of weights are rounded.
_ON = 1e-9


def worths(hands: Hands, kind: str = "hs2") -> tuple[Vector, ...]:
    """What hands are worth, by round: expected strength, or strength squared.

    Parameters
    ----------
    hands
        The hands of a player.
    kind
        `hs` or `hs2`.

    Notes
    -----
    Rolled up from the last round with the weights of the hands, O(hands).

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import leduc
    >>> hands = hands_of(leduc().deal)
    >>> worths(hands, "hs")[0].round(3).tolist(), worths(hands)[0].round(3).tolist()
    ([0.3, 0.5, 0.7], [0.212, 0.362, 0.512])
    """
    if kind not in KINDS:
        raise SettingsError(unknown("kind", kind, KINDS))
    v = hands.strength(hands.last)
    found = [v * v if kind == "hs2" else v]
    for r in range(hands.last, 0, -1):
        up, part = hands.up[r], hands.given(r) * found[0]
        found.insert(0, np.bincount(up, part, hands.size(r - 1)).astype(np.float64))
    return tuple(found)


def percentiles(
    values: ArrayLike, weights: ArrayLike, n: int, above: ArrayLike | None = None
) -> Classes:
    """Divide the points of each parent into at most n groups of about equal weight.

    Parameters
    ----------
    values, weights
        What each point is worth, and how likely it is.
    n
        At most so many groups of each parent.
    above
        The parent of each point; all have the same one if absent.

    Returns
    -------
    array
        The group of each point, numbered by parent and then by value; all numbers are used.

    Notes
    -----
    O(points log points), whatever n and the number of parents.

    Examples
    --------
    >>> percentiles([0.9, 0.1, 0.5, 0.4], [1, 1, 1, 1], 2).tolist()
    [1, 0, 1, 0]
    >>> percentiles([0.1, 0.5, 0.5, 0.5, 0.6, 0.9], [1] * 6, 3).tolist()
    [0, 1, 1, 1, 2, 2]
    >>> percentiles([0.1, 0.5, 0.5, 0.5], [1, 1, 1, 1], 3).tolist()
    [0, 1, 1, 1]
    """
    v, w = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    parent = np.zeros(len(v), np.int64) if above is None else np.asarray(above, np.int64)
    if not v.shape == w.shape == parent.shape or v.ndim != 1 or not len(v):
        raise SettingsError(
            f"found values of shape {v.shape}, weights of shape {w.shape} and parents of shape "
            f"{parent.shape}, expected as many of each, at least one"
        )
    if not np.isfinite(v).all() or not (np.isfinite(w) & (w > 0)).all():
        raise SettingsError("values and weights have to be finite numbers, weights above 0")
    whole("n", n, 1)
    level = levels(v)
    order = np.lexsort((level, parent))
    # Cells are the values of a parent; `of` is the parent of a cell, counted from 0.
    begins = _begins(parent[order], level[order])
    cell = np.cumsum(begins) - 1
    mass = np.bincount(cell, w[order])
    fresh = _begins(parent[order][begins])
    of, first = np.cumsum(fresh) - 1, np.flatnonzero(fresh)
    running = np.cumsum(mass)
    below = (running - mass)[first]
    total = np.add.reduceat(mass, first)
    middle = (running - 0.5 * mass - below[of]) / total[of]
    part = np.clip(np.floor(n * middle + _ON).astype(np.int64), 0, n - 1)
    count = np.diff(np.append(first, len(mass)))
    part = np.where(count[of] <= n, np.arange(len(mass)) - first[of], part)
    found = np.empty(len(v), np.int64)
    found[order] = (np.cumsum(_begins(of, part)) - 1)[cell]
    return found


def _begins(*columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where rows of sorted columns differ from the row before."""
    found = np.zeros(len(columns[0]), bool)
    found[0] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found


def percentile_buckets(
    hands: Hands, sizes: Sequence[int], *, kind: str = "hs2", forget: bool = False
) -> Buckets:
    """Percentile buckets of one kind in every round.

    Parameters
    ----------
    hands
        The hands of a player.
    sizes
        By round, at most so many buckets below each bucket of the round before; of all hands
        if the player forgets.
    kind
        `hs` or `hs2`.
    forget
        Whether the player forgets the buckets of the rounds before.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import rhode_island
    >>> hands = hands_of(rhode_island().deal)
    >>> percentile_buckets(hands, (4, 3, 2)).sizes
    (4, 12, 24)
    >>> percentile_buckets(hands, (13, 20, 8), forget=True).sizes
    (13, 20, 8)
    """
    found = wholes("buckets", sizes, 1)
    if len(found) != hands.rounds:
        raise SettingsError(
            f"buckets of {len(found)} rounds, expected a number for each of {hands.rounds}"
        )
    values, groups = worths(hands, kind), list[Classes]()
    for r, n in enumerate(found):
        above = groups[-1][hands.up[r]] if r and not forget else None
        groups.append(percentiles(values[r], hands.weight[r], n, above))
    return Buckets(tuple(groups), f"{kind}:{'-'.join(map(str, found))}")
