r"""Expectation-based abstraction: hands of similar strength share a bucket.

Top-down, round by round (thesis 003, section 6.4): the hands below each bucket of the round
before are clustered on a line by what they are worth, for every number of children that the
bucket might have, and an integer program divides the round's buckets among them
(`saddlepoint.abstraction.allocate`). A hand is worth its strength $v = w + d/2$, or in
*expectation squared* (section 6.7) $v^2$.

Two things are open in the text. *The error measure*: centroids are means, and a distance is
the absolute difference of values, so both the sum of squares and that of absolute differences
fit; `error` says which, `squared` by default, which is what Lloyd's algorithm with means makes
small. *Whether weights count*: hands are weighted by their probability here, as the program's
`expected error` asks for. Clusters are the best ones there are (`saddlepoint.abstraction.
cluster`), where the thesis ran Lloyd's algorithm from several starts; `lloyd` does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.allocate import allocate
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.cluster import RESTARTS, lloyd, segments
from saddlepoint.abstraction.hands import Classes, Hands, levels
from saddlepoint.abstraction.work import SILENT, Result, Work, told
from saddlepoint.core.checks import wholes
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.core.seeds import derived

Vector = NDArray[np.float64]

VALUES = ("strength", "squared")
SOLVERS = ("exact", "lloyd")


def checked_sizes(hands: Hands, sizes: Sequence[int]) -> tuple[int, ...]:
    """Numbers of buckets by round, if the hands can have so many.

    Raises
    ------
    SettingsError
        If a round is missing, has more buckets than hands, or fewer than the round before.
    """
    found = wholes("buckets", sizes, 1)
    if len(found) != hands.rounds:
        raise SettingsError(
            f"buckets are {'-'.join(map(str, found))}, expected a number for each of "
            f"{hands.rounds} rounds"
        )
    for r, (size, most) in enumerate(zip(found, hands.sizes, strict=True)):
        if size > most:
            raise SettingsError(
                f"{size:,} buckets in round {r + 1}, expected at most its {most:,} hands"
            )
        if r and size < found[r - 1]:
            raise SettingsError(
                f"{size:,} buckets in round {r + 1}, expected at least the {found[r - 1]:,} of the "
                "round before, which the player remembers"
            )
    return found


class OnLine:
    """The points of one parent: hands on a line, equal ones together.

    Parameters
    ----------
    values, weights
        What each hand is worth, and how likely it is.
    apart
        Hands of equal value stay apart if this differs: where buckets are left over that the
        error does not need, they get buckets of their own.
    """

    def __init__(self, values: Vector, weights: Vector, apart: Vector | None = None) -> None:
        place = levels(values)
        self.distinct = int(place.max()) + 1
        if apart is not None:
            place = levels(place + 0.5 * levels(apart) / len(place), 1e-9 / len(place))
        self.place = place
        count = int(place.max()) + 1
        self.weights = np.bincount(place, weights, count)
        self.values = np.bincount(place, weights * values, count) / self.weights

    def __len__(self) -> int:
        return len(self.values)


def divide(
    hands: Hands,
    round_: int,
    above: Classes,
    total: int,
    values: Vector,
    *,
    apart: Vector | None = None,
    error: str = "squared",
    solver: str = "exact",
    restarts: int = RESTARTS,
    seed: int = 0,
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
    values
        What each hand is worth.
    apart
        See `OnLine`.
    error, solver, restarts, seed
        How they are clustered.
    work, key
        How chunks are kept, and under which key.

    Returns
    -------
    tuple
        The bucket of each hand, numbered by parent and then by value; and the expected error.
    """
    parents = int(above.max()) + 1
    members = [np.flatnonzero(above == b) for b in range(parents)]
    weight = hands.weight[round_]
    lines = [OnLine(values[m], weight[m], None if apart is None else apart[m]) for m in members]
    most = max(1, total - parents + 1)

    def curve(b: int) -> Vector:
        line = lines[b]
        k = min(most, line.distinct)
        if solver == "exact":
            return segments(line.values, line.weights, k, error).errors
        rng = derived(seed, "curve", round_, b)
        distance = "l2" if error == "squared" else "l1"
        options: dict[str, Any] = {"distance": distance, "restarts": restarts, "seed": rng}
        return np.array(
            [lloyd(line.values, line.weights, j, **options).error for j in range(1, k + 1)]
        )

    tries = 1.0 if solver == "exact" else float(restarts)
    costs = [len(line) * min(most, len(line)) * 12.0 * tries for line in lines]
    curves = _in_chunks("curves", costs, curve, work, (key or {}) | {"round": round_})
    counts = allocate(curves, total)
    spent = sum(float(row[k - 1]) for row, k in zip(curves, counts, strict=True))
    counts = _spare(counts, lines, total)
    group, first = np.empty(len(above), np.int64), 0
    for b, (line, m) in enumerate(zip(lines, members, strict=True)):
        k = int(counts[b])
        if solver == "exact" or k > line.distinct:
            part = segments(line.values, line.weights, k, error).groups(k)
        else:
            rng = derived(seed, "groups", round_, b, k)
            distance = "l2" if error == "squared" else "l1"
            part = lloyd(
                line.values, line.weights, k, distance=distance, restarts=restarts, seed=rng
            ).groups
        group[m] = first + part[line.place]
        first += int(part.max()) + 1
    return group, spent


def _spare(counts: NDArray[np.int64], lines: list[OnLine], total: int) -> NDArray[np.int64]:
    """Give buckets that no error needs to hands of equal value that are kept apart.

    Parents get them in proportion to what they can use, the first ones first.
    """
    counts = counts.copy()
    left = total - int(counts.sum())
    for b, line in enumerate(lines):
        if left <= 0:
            break
        if counts[b] >= line.distinct:
            more = min(left, len(line) - int(counts[b]))
            counts[b] += more
            left -= more
    return counts


def _in_chunks(
    name: str, costs: list[float], curve: Any, work: Work, key: dict[str, Any]
) -> list[Vector]:
    """The curves of all parents, chunk by chunk."""
    found: list[Vector] = []
    for part in work.chunks(costs):

        def compute(part: range = part) -> Result:
            work.say(f"round {key['round'] + 1}: segments below {told(part, len(costs))}")
            rows = [curve(b) for b in part]
            return {"sizes": [len(row) for row in rows], "errors": np.concatenate(rows)}

        kept = work.keep(name, key | {"first": part.start, "last": part.stop}, compute)
        found += np.split(np.asarray(kept["errors"]), np.cumsum(kept["sizes"])[:-1])
    return found


def expectation_based(
    hands: Hands,
    sizes: Sequence[int],
    *,
    value: str = "strength",
    error: str = "squared",
    solver: str = "exact",
    restarts: int = RESTARTS,
    seed: int = 0,
    work: Work = SILENT,
    key: dict[str, Any] | None = None,
) -> Buckets:
    """Buckets of similar expected strength.

    Parameters
    ----------
    hands
        The hands of a player.
    sizes
        At most so many buckets by round.
    value
        `strength`, or `squared`.
    error
        `squared` or `absolute`.
    solver
        `exact`, or `lloyd` with so many `restarts` of a `seed`.
    work, key
        How chunks are kept, and under which key.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import rhode_island
    >>> hands = hands_of(rhode_island().deal)
    >>> expectation_based(hands, (13, 50, 250)).sizes
    (13, 50, 250)
    """
    for name, given, known in (("value", value, VALUES), ("solver", solver, SOLVERS)):
        if given not in known:
            raise SettingsError(unknown(name, given, known))
    found = checked_sizes(hands, sizes)
    above = np.zeros(hands.size(0), np.int64)
    groups: list[Classes] = []
    errors: list[float] = []
    for r, total in enumerate(found):
        v = hands.strength(r)
        v = v * v if value == "squared" else v
        above = groups[-1][hands.up[r]] if r else above
        options: dict[str, Any] = {
            "error": error,
            "solver": solver,
            "restarts": restarts,
            "seed": seed,
        }
        group, spent = divide(hands, r, above, total, v, **options, work=work, key=key)
        groups.append(group)
        errors.append(spent)
    return Buckets(tuple(groups), "", tuple(errors))
