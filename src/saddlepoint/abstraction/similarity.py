r"""Lossy GameShrink: hands that are similar enough share a bucket (thesis 003, Algorithm 3).

Two hands of the last round differ by the least mean squared difference of what they win, over
all ways to pair the opponent's hands against one with those against the other. Outcomes are
-1, 0 and 1 of the stake, and the best pairing takes both in order, so that with the chances l
to lose and m = l + d not to win

$$\delta(h, h') = |l - l'| + |m - m'| + 2 \max(0, l - m') + 2 \max(0, l' - m).$$

Hands of an earlier round differ by the least mean difference of the hands that they may become,
over all ways to match the cards to come (a minimum-weight perfect matching). Top-down, hands
with one bucket in the round before are merged if they differ by at most the threshold of the
round.

What merges with a threshold T is a component of the graph of all pairs that differ by at most
T, as GameShrink unites A with B and B with C however much A and C differ. That is single-linkage
clustering: the merges for all thresholds are one tree, computed once, and the threshold for a
wanted number of buckets is read off it, where section 6.3.1 searches by bisection. With T = 0
the buckets are those of the reading `own-first` of `saddlepoint.abstraction.lossless`.

Open in the text: edges join "compatible" signals of the others; here all are, as the hands
against two different ones are never quite the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.expectation import checked_sizes
from saddlepoint.abstraction.hands import SAME, Classes, Hands, Vector
from saddlepoint.abstraction.work import SILENT, Result, Work, told
from saddlepoint.core.errors import GameError, SettingsError

Matrix = NDArray[np.float64]

# Cards to come are equally likely; no more of them are expected than this.
MOST_NEXT = 5000


def outcome_difference(own: tuple[Any, Any], other: tuple[Any, Any]) -> Any:
    """How much hands of the last round differ: the formula of the module.

    Parameters
    ----------
    own, other
        Chances to lose and not to win; arrays are broadcast.

    Examples
    --------
    >>> outcome_difference((0.0, 0.0), (1.0, 1.0))  # a sure win and a sure loss: 2 squared
    np.float64(4.0)
    """
    (low, high), (low2, high2) = own, other
    apart = abs(low - low2) + abs(high - high2)
    return apart + 2.0 * np.maximum(0.0, low - high2) + 2.0 * np.maximum(0.0, low2 - high)


class Similarity:
    """How much any two hands of a round differ.

    Parameters
    ----------
    hands
        The hands of a player.
    work, key
        How chunks are kept, and under which key.
    """

    def __init__(
        self, hands: Hands, work: Work = SILENT, key: dict[str, Any] | None = None
    ) -> None:
        self.hands, self.work, self.key = hands, work, key or {}
        last = hands.last
        self.ends = hands.lose[last], 1.0 - hands.win[last]
        self.next = {r: self._expanded(r) for r in range(last)}
        self.whole: dict[int, Matrix] = {}

    def among(self, round_: int, members: Classes) -> Matrix:
        """The differences of all pairs of some hands.

        Cost: O(pairs) in the last round; before it, for every pair a matching of the cards to
        come, O(cards^3).
        """
        if round_ == self.hands.last:
            low, high = (end[members] for end in self.ends)
            found: Matrix = outcome_difference((low[:, None], high[:, None]), (low, high))
            return found
        after = round_ + 1
        if after != self.hands.last and after not in self.whole:
            self.whole[after] = self.among(after, np.arange(self.hands.size(after)))
        return self._matched(round_, members)

    def _matched(self, round_: int, members: Classes) -> Matrix:
        from scipy.optimize import linear_sum_assignment

        next_ = self.next[round_][members]
        cards = next_.shape[1]
        found = np.zeros((len(members), len(members)))
        if round_ + 1 == self.hands.last:
            low, high = (end[next_] for end in self.ends)
        for i in range(len(members)):
            for j in range(i):
                if round_ + 1 == self.hands.last:
                    cost = outcome_difference(
                        (low[i][:, None], high[i][:, None]), (low[j], high[j])
                    )
                else:
                    cost = self.whole[round_ + 1][np.ix_(next_[i], next_[j])]
                rows, columns = linear_sum_assignment(cost)
                found[i, j] = found[j, i] = max(0.0, float(cost[rows, columns].sum()) / cards)
        return found

    def _expanded(self, round_: int) -> Classes:
        """For each hand of a round, the hand that each card to come makes of it."""
        up, given = self.hands.up[round_ + 1], self.hands.given(round_ + 1)
        cards = next(
            (n for n in range(1, MOST_NEXT) if np.abs(np.rint(given * n) - given * n).max() < 1e-9),
            None,
        )
        if cards is None:
            raise GameError(
                f"what round {round_ + 2} deals is not equally likely; GameShrink matches signals "
                "one by one"
            )
        times = np.rint(given * cards).astype(np.int64)
        order = np.argsort(up, kind="stable")
        spread = np.repeat(order, times[order])
        return spread.reshape(self.hands.size(round_), cards)


@dataclass(frozen=True)
class Merges:
    """The merges of one round, in the order in which rising thresholds make them."""

    members: tuple[Classes, ...]
    """The hands of each bucket of the round before."""
    trees: tuple[Matrix, ...]
    """For each of them the single-linkage tree of SciPy, by hands."""

    @property
    def heights(self) -> Vector:
        """The threshold of each merge, ascending."""
        rows = [tree[:, 2] for tree in self.trees]
        return np.sort(np.concatenate([np.zeros(0), *rows]))

    @property
    def hands(self) -> int:
        """How many hands there are."""
        return sum(len(m) for m in self.members)

    def threshold(self, size: int) -> float:
        """The least threshold with at most so many buckets; infinite if even that is too few."""
        if self.hands <= size:
            return 0.0
        merges = self.hands - size
        return float(self.heights[merges - 1]) if merges <= len(self.heights) else np.inf

    def groups(self, threshold: float) -> Classes:
        """The buckets with a threshold, numbered by parent and then by their first hands."""
        from scipy.cluster.hierarchy import fcluster

        found, first = np.empty(self.hands, np.int64), 0
        for members, tree in zip(self.members, self.trees, strict=True):
            part = np.zeros(len(members), np.int64)
            if len(members) > 1:
                # Differences that are 0 but for rounding merge at threshold 0.
                part = _by_first(fcluster(tree, threshold + SAME, "distance"))
            found[members] = first + part
            first += int(part.max()) + 1
        return found


def _by_first(labels: NDArray[Any]) -> Classes:
    """Numbers for labels in the order in which they first occur."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place.ravel()].astype(np.int64)


def merges(similarity: Similarity, round_: int, above: Classes) -> Merges:
    """All merges of a round, given the bucket of the round before of each hand."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    members = tuple(np.flatnonzero(above == b) for b in range(int(above.max()) + 1))
    last = round_ == similarity.hands.last
    cards = 1.0 if last else float(similarity.next[round_].shape[1])
    costs = [len(m) ** 2 * cards**2 * (10.0 if last else 20.0) for m in members]
    trees: list[Matrix] = []
    work = similarity.work
    for part in work.chunks(costs):

        def compute(part: range = part) -> Result:
            work.say(f"round {round_ + 1}: differences below {told(part, len(members))}")
            result: Result = {}
            for b in part:
                m = members[b]
                table = similarity.among(round_, m) if len(m) > 1 else np.zeros((1, 1))
                close = squareform(table, checks=False)
                result[f"tree{b}"] = linkage(close, "single") if len(m) > 1 else np.zeros((0, 4))
            return result

        key = similarity.key | {"round": round_, "first": part.start, "last": part.stop}
        kept = work.keep("merges", key, compute)
        trees += [np.asarray(kept[f"tree{b}"]) for b in part]
    return Merges(members, tuple(trees))


def lossy_game_shrink(
    hands: Hands,
    sizes: Sequence[int] | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    work: Work = SILENT,
    key: dict[str, Any] | None = None,
) -> Buckets:
    """Buckets of similar hands, by wanted numbers of buckets or by thresholds.

    Parameters
    ----------
    hands
        The hands of a player.
    sizes
        At most so many buckets by round; the threshold of each round is the least that gives
        no more.
    thresholds
        Or the thresholds themselves.
    work, key
        How chunks are kept, and under which key.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import rhode_island
    >>> hands = hands_of(rhode_island(ranks="2345", suits=3).deal)
    >>> lossy_game_shrink(hands, thresholds=(0, 0, 0)).sizes
    (4, 24, 122)
    >>> lossy_game_shrink(hands, (4, 8, 20)).sizes  # merges of equal hands come together
    (4, 6, 17)
    """
    if (sizes is None) == (thresholds is None):
        raise SettingsError("expected either numbers of buckets or thresholds, for each round")
    wanted = None if sizes is None else checked_sizes(hands, sizes)
    if thresholds is not None and not (
        len(thresholds) == hands.rounds and all(t >= 0 for t in thresholds)
    ):
        raise SettingsError(
            f"thresholds are {list(thresholds)}, expected a number of at least 0 for each of "
            f"{hands.rounds} rounds"
        )
    similarity = Similarity(hands, work, key)
    groups: list[Classes] = []
    used: list[float] = []
    for r in range(hands.rounds):
        above = groups[-1][hands.up[r]] if r else np.zeros(hands.size(0), np.int64)
        if wanted is not None and wanted[r] == hands.size(r):
            groups.append(np.arange(hands.size(r)))  # nothing has to be compared
            used.append(0.0)
            continue
        found = merges(similarity, r, above)
        limit = float(thresholds[r]) if thresholds is not None else 0.0
        if wanted is not None:
            limit = found.threshold(wanted[r])
            if not np.isfinite(limit):
                raise SettingsError(
                    f"{wanted[r]} buckets in round {r + 1}, expected at least the "
                    f"{len(found.members)} of the round before"
                )
        groups.append(found.groups(limit))
        used.append(limit)
    return Buckets(tuple(groups), "", tuple(used))


def anytime(
    hands: Hands, sizes: Sequence[Sequence[int]], *, work: Work = SILENT
) -> Iterator[Buckets]:
    """Finer and finer buckets, for a caller who solves and measures each while there is time.

    Thesis 003, section 5.6.1: turn the thresholds down, and keep the best of what was found.
    """
    for wanted in sizes:
        yield lossy_game_shrink(hands, wanted, work=work)
