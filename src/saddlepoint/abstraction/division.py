"""Dividing hands that are points in many dimensions among the buckets of a round.

The hands below each bucket of the round before are clustered into 1, 2, ... clusters by
k-means, and an integer program (`saddlepoint.abstraction.allocate`) says how many of these
each parent gets (thesis 003, section 6.5.2). Hands on a line are divided better, by
`saddlepoint.abstraction.expectation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.allocate import allocate
from saddlepoint.abstraction.cluster import lloyd
from saddlepoint.abstraction.hands import Classes, Hands, Vector
from saddlepoint.abstraction.work import SILENT, Result, Work, told
from saddlepoint.core.seeds import derived

Matrix = NDArray[np.float64]
# Points of some hands, and the distance between them: `l2` or `l1`.
Points = Callable[[Classes], tuple[Matrix, str]]

ERRORS = ("distance", "squared")
# Parents have few hands: so many starts find the best division nearly always.
STARTS = 24


def divide_points(
    hands: Hands,
    round_: int,
    above: Classes,
    total: int,
    points: Points,
    *,
    error: str = "distance",
    seed: int = 0,
    width: int = 1,
    work: Work = SILENT,
    key: dict[str, Any] | None = None,
) -> tuple[Classes, float]:
    """The buckets of one round, given those of the round before.

    Parameters
    ----------
    hands
        The hands.
    round_
        Which round.
    above
        The bucket of the round before of each hand of the round.
    total
        At most so many buckets.
    points
        Gives the points of the hands below one parent.
    error
        What the integer program adds up: `distance` of hands from their centres, or its square.
    seed
        For the starts of k-means.
    width
        About how many dimensions points have, to tell how long a chunk takes.
    work, key
        How chunks are kept, and under which key.

    Returns
    -------
    tuple
        The bucket of each hand, numbered by parent; and the expected error.
    """
    parents = int(above.max()) + 1
    members = [np.flatnonzero(above == b) for b in range(parents)]
    most = max(1, total - parents + 1)
    # About the steps of k-means for all numbers of clusters: a few passes for each start.
    costs = [float(STARTS * len(m) * min(most, len(m)) ** 2 * width) / 4.0 for m in members]
    curves: list[Vector] = []
    choices: list[Classes] = []
    for part in work.chunks(costs):

        def compute(part: range = part) -> Result:
            work.say(f"round {round_ + 1}: clusters below {told(part, parents)}")
            result: Result = {}
            for b in part:
                weight = hands.weight[round_][members[b]]
                found = _divisions(*points(members[b]), weight, most, error, (seed, round_, b))
                result[f"errors{b}"], result[f"groups{b}"] = found
            return result

        mine = {"round": round_, "first": part.start, "last": part.stop}
        kept = work.keep("divisions", (key or {}) | mine, compute)
        curves += [np.asarray(kept[f"errors{b}"]) for b in part]
        choices += [np.asarray(kept[f"groups{b}"]) for b in part]
    counts = allocate(curves, total)
    group, first, spent = np.empty(len(above), np.int64), 0, 0.0
    for b, m in enumerate(members):
        k = int(counts[b]) - 1
        group[m] = first + choices[b][k]
        first += int(choices[b][k].max()) + 1
        spent += float(curves[b][k])
    return group, spent


def _divisions(
    points: Matrix, distance: str, weight: Vector, most: int, error: str, seed: tuple[int, int, int]
) -> tuple[Vector, Classes]:
    """For one parent: the errors of its hands in 1, 2, ... clusters, and these clusters."""
    distinct = len(np.unique(points, axis=0)) if points.shape[1] else 1
    errors: list[float] = []
    groups: list[Classes] = []
    for k in range(1, min(most, distinct) + 1):
        rng = derived(seed[0], "divide", *seed[1:], k)
        found = lloyd(points, weight, k, distance=distance, restarts=STARTS, seed=rng)
        off = points - found.centres[found.groups]
        away = np.abs(off).sum(axis=1) if distance == "l1" else np.sqrt((off * off).sum(axis=1))
        spent = float(weight @ (away if error == "distance" else away * away))
        better = not errors or spent < errors[-1]  # more clusters never have to be worse
        errors.append(spent if better else errors[-1])
        groups.append(found.groups if better else groups[-1])
    return np.array(errors), np.array(groups, np.int64)
