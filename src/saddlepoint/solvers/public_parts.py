r"""What is public of a deal: the parts that pairs of classes fall into.

Classes of the two players that some chain of pairs connects form a *part*, which both players
know they are in: a board, where cards are dealt; all of a round, where buckets blur the boards.
Parts of a round lie in parts of the round before. They are found in the pairs themselves, so
that who samples them (`saddlepoint.solvers.public`) needs to know no cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.sequence.form import CHANCE
from saddlepoint.sequence.stepping import Steps, levels

Numbers = NDArray[np.int64]


class Table(NamedTuple):
    """The tree of parts. Part 0 is the time before the first draw.

    Part c goes on to parts `first[c]` up to `first[c + 1]`, has the pairs `pairs[c]` up to
    `pairs[c + 1]`, and the hands `hands1[c]` up to `hands1[c + 1]` of player 1.
    """

    first: Numbers
    upto: NDArray[np.float64]
    pairs: Numbers
    i: Numbers
    """Of a pair: which hand of the part player 1 has."""
    j: Numbers
    share: NDArray[np.float64]
    gain: NDArray[np.float64]
    """Share times outcome."""
    hands1: Numbers
    hands2: Numbers
    seen1: Numbers
    seen2: Numbers
    up1: Numbers
    """Of a hand: which hand of the part before it belongs to."""
    up2: Numbers


def table_of(steps: Steps) -> Table:
    """The parts of a game's pairs: O(pairs log pairs) a round and sweep over the pairs.

    Raises
    ------
    GameError
        If the game has chance nodes among its nodes: these say nothing of what is public.
    """
    if (steps.mover == CHANCE).any():
        raise GameError(
            "public chance sampling needs a betting tree and a deal, found a game tree with chance "
            "nodes; take 'chance' or 'external'"
        )
    level, above = levels(steps), np.zeros(len(steps.one), np.int64)
    above[1:] = np.repeat(np.arange(len(steps.one)), np.diff(steps.first))
    given = np.diff(np.concatenate([[0.0], steps.upto]))
    begin = steps.first[above]
    given[1:] = np.where(np.arange(1, len(above)) == begin[1:], steps.upto[1:], given[1:])
    weight, part = np.ones(len(above)), np.zeros(len(above), np.int64)
    rows: list[Numbers] = []
    parent_of: list[Numbers] = [np.zeros(1, np.int64)]
    mass: list[NDArray[np.float64]] = [np.ones(1)]
    count = 1
    for depth in range(int(level.max()) + 1):
        at = np.flatnonzero(level == depth)
        if depth:
            weight[at] = weight[above[at]] * given[at]
            label = _parts(part[above[at]], steps.one[at], steps.two[at])
            found, some, part[at] = np.unique(label, return_index=True, return_inverse=True)
            parent_of.append(part[above[at[some]]])
            mass.append(np.bincount(part[at], weight[at]).astype(np.float64))
            part[at] += count
            count += len(found)
        rows.append(at[np.argsort(part[at], kind="stable")])
    order, parents, P = np.concatenate(rows), np.concatenate(parent_of), np.concatenate(mass)
    first = np.searchsorted(parents[1:], np.arange(count + 1)) + 1
    upto = np.ones(count)
    for c in range(count):
        inside = slice(first[c], first[c + 1])
        upto[inside] = np.cumsum(P[inside]) / P[c]
    share = weight[order] / P[part[order]]
    sides = [
        _hands(part, above, level, *side)
        for side in ((steps.one, steps.seen1), (steps.two, steps.seen2))
    ]
    (hands1, local1, seen1, up1), (hands2, local2, seen2, up2) = sides
    return Table(
        first=first,
        upto=upto,
        pairs=np.searchsorted(part[order], np.arange(count + 1)).astype(np.int64),
        i=local1[order],
        j=local2[order],
        share=share,
        gain=share * steps.outcome[order],
        hands1=hands1,
        hands2=hands2,
        seen1=seen1,
        seen2=seen2,
        up1=up1,
        up2=up2,
    )


def _parts(before: Numbers, one: Numbers, two: Numbers) -> Numbers:
    """A label for every pair: equal where chains of pairs connect them, ascending with `before`.

    Labels spread from pair to pair over common classes until none changes.
    """
    order = np.lexsort((two, one, before))
    label = np.empty(len(one), np.int64)
    label[order] = np.arange(len(one))
    while True:
        old = label.copy()
        for classes in (one, two):
            least = np.full(int(classes.max()) + 1, len(one), np.int64)
            np.minimum.at(least, classes, label)
            label = least[classes]
        if np.array_equal(old, label):
            return label


def _hands(
    part: Numbers, above: Numbers, level: Numbers, classes: Numbers, seen: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Where hands of parts begin, the hand of each pair, what is seen of it, the one before."""
    key = part * (int(classes.max()) + 1) + classes
    _, some, hand = np.unique(key, return_index=True, return_inverse=True)
    begin = np.searchsorted(part[some], np.arange(int(part.max()) + 2)).astype(np.int64)
    local = hand - begin[part]
    return begin, local, seen[some], local[above[some]]
