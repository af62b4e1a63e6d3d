r"""Potential-aware abstraction: hands with similar futures share a bucket.

A hand is described by a histogram over clusters of the next round's hands, and those by
histograms over the round after that (thesis 003, section 6.5). For each bucket of the round
before, a bottom-up pass over the hands below it makes these clusters anew: of the last round
by strength, exactly, and further up by k-means on histograms. So two hands of equal strength
stay apart where one of them may still become something else. As in
`saddlepoint.abstraction.expectation`, an integer program divides a round's buckets among
parents; hands of the last round have no future and are clustered by strength.

What the text leaves open:

* *How many clusters the passes make* (`dimension`). Footnote 7 wants at least as many clusters
  in a round as in those that follow, and section 6.7.1 fewer than there are buckets in the
  round that is abstracted: by default as many as this round has buckets.
* *The error* that the program adds up: the distances of hands from the centre of their
  cluster, as printed (`distance`), or their squares (`squared`), which Lloyd's algorithm makes
  small.
* *Hands of the last round* are clustered by strength as printed. That cannot tell apart a sure
  draw from an even chance, and yet section 6.7.2 finds 13-205-1774, which does: buckets that
  no error needs are given to hands of equal strength and different chances of a draw.

`metric` is the Euclidean distance of histograms as in the thesis (`l2`), or the earth mover's
(`emd`), with the clusters of the next round on a line by their mean strength.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.cluster import lloyd, on_line, segments
from saddlepoint.abstraction.division import ERRORS, STARTS, divide_points
from saddlepoint.abstraction.expectation import OnLine, checked_sizes, divide
from saddlepoint.abstraction.hands import SAME, Classes, Hands
from saddlepoint.abstraction.work import SILENT, Work
from saddlepoint.core.checks import whole
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.core.seeds import derived
from saddlepoint.sequence.entries import Entries

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

METRICS = ("l2", "emd")


@dataclass(frozen=True)
class _Clusters:
    """Clusters of a round's hands: which one each hand is in (-1 for hands left out)."""

    group: Classes
    places: Vector
    """The mean strength of each."""

    @property
    def count(self) -> int:
        return len(self.places)


def histograms(hands: Hands, round_: int, among: Classes, clusters: Classes, count: int) -> Matrix:
    """For some hands of a round, the probabilities of the next round's clusters.

    Parameters
    ----------
    hands
        The hands.
    round_
        The round of the hands that are described.
    among
        Which of them.
    clusters
        The cluster of every hand of the next round, -1 for hands that come from none of them.
    count
        How many clusters there are.
    """
    row = np.full(hands.size(round_), -1, np.int64)
    row[among] = np.arange(len(among))
    up = hands.up[round_ + 1]
    below = np.flatnonzero(row[up] >= 0)
    weight = hands.weight[round_ + 1][below] / hands.weight[round_][up[below]]
    table = Entries.of((len(among), count), row[up[below]], clusters[below], weight).dense()
    return _alike(table)


def _alike(table: Matrix) -> Matrix:
    """The table with numbers that differ by rounding made equal."""
    flat = table.ravel()
    order = np.argsort(flat, kind="stable")
    level = np.concatenate([[0], np.cumsum(np.diff(flat[order]) > SAME)])
    first = np.searchsorted(level, np.arange(level[-1] + 1))
    found = np.empty_like(flat)
    found[order] = flat[order][first][level]
    return found.reshape(table.shape)


def _points(table: Matrix, places: Vector, metric: str) -> tuple[Matrix, str]:
    """Histograms as points, and the distance between them."""
    return (table, "l2") if metric == "l2" else (_alike(on_line(table, places)), "l1")


def _pass(
    hands: Hands, round_: int, among: Classes, dimension: int, metric: str, seed: int
) -> _Clusters:
    """Cluster the hands of the round after `round_` that come from some of it, bottom-up."""
    here = np.zeros(hands.size(round_), bool)
    here[among] = True
    alive = [here]
    for r in range(round_ + 1, hands.rounds):
        alive.append(alive[-1][hands.up[r]])
    found: _Clusters | None = None
    for r in range(hands.rounds - 1, round_, -1):
        members = np.flatnonzero(alive[r - round_])
        if found is None:
            line = OnLine(hands.strength(r)[members], hands.weight[r][members])
            k = min(dimension, line.distinct)
            part = segments(line.values, line.weights, k).groups(k)[line.place]
        else:
            table = histograms(hands, r, members, found.group, found.count)
            points, distance = _points(table, found.places, metric)
            rng = derived(seed, "pass", round_, r, int(among[0]))
            part = lloyd(
                points,
                hands.weight[r][members],
                min(dimension, len(members)),
                distance=distance,
                restarts=STARTS,
                seed=rng,
            ).groups
        group = np.full(hands.size(r), -1, np.int64)
        group[members] = part
        mass = hands.weight[r][members]
        total = np.bincount(part, mass)
        found = _Clusters(group, np.bincount(part, mass * hands.strength(r)[members]) / total)
    assert found is not None
    return found


def potential_aware(
    hands: Hands,
    sizes: Sequence[int],
    *,
    dimension: int | None = None,
    metric: str = "l2",
    error: str = "distance",
    leaf_error: str = "squared",
    seed: int = 0,
    given: Sequence[Classes] = (),
    work: Work = SILENT,
    key: dict[str, Any] | None = None,
) -> Buckets:
    """Buckets of similar histograms over what hands may become.

    Parameters
    ----------
    hands
        The hands of a player.
    sizes
        At most so many buckets by round.
    dimension
        Clusters of each later round in the passes; as many as the round has buckets if absent.
    metric
        `l2` or `emd`.
    error
        `distance` or `squared`.
    leaf_error
        The error of the last round, `squared` or `absolute`.
    seed
        For the starts of k-means.
    given
        Buckets of the first rounds, if these are not to be made.
    work, key
        How chunks are kept, and under which key.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import rhode_island
    >>> hands = hands_of(rhode_island(ranks="23456", suits=3).deal)
    >>> potential_aware(hands, (5, 10, 30)).sizes
    (5, 10, 30)
    """
    for name, chosen, known in (("metric", metric, METRICS), ("error", error, ERRORS)):
        if chosen not in known:
            raise SettingsError(unknown(name, chosen, known))
    if dimension is not None:
        whole("dimension", dimension, 1)
    found = checked_sizes(hands, sizes)
    groups = list(given)
    errors = [0.0] * len(groups)
    for r in range(len(groups), hands.last):
        above = groups[-1][hands.up[r]] if r else np.zeros(hands.size(0), np.int64)
        width = found[r] if dimension is None else dimension

        def points(members: Classes, r: int = r, width: int = width) -> tuple[Matrix, str]:
            clusters = _pass(hands, r, members, width, metric, seed)
            table = histograms(hands, r, members, clusters.group, clusters.count)
            return _points(table, clusters.places, metric)

        group, spent = divide_points(
            *(hands, r, above, found[r], points),
            error=error,
            seed=seed,
            width=width,
            work=work,
            key=key,
        )
        groups.append(group)
        errors.append(spent)
    last = hands.last
    above = groups[-1][hands.up[last]] if last else np.zeros(hands.size(0), np.int64)
    draw = 1.0 - hands.win[last] - hands.lose[last]
    group, spent = divide(
        *(hands, last, above, found[last], hands.strength(last)),
        apart=draw,
        error=leaf_error,
        work=work,
        key=key,
    )
    return Buckets((*groups, group), "", (*errors, spent))
