r"""Parts: the last round of a card game, board by board, so that a part fits into a cache.

The leaves of the last round of a poker game pair hands of one board with hands of the same
board. Where the last run of both treeplexes is dealt so, an iteration of regret matching
can do all of its work on one board, then all on the next one, and memory is passed through
once instead of once for every kernel: plan and average of the opponent, gradient, regrets
and strategy of the player. Parts do not depend on each other, so that they can be worked on
at the same time; what they hand up to the *trunk* (all that comes before) is collected by
chunk and added in the order of the chunks. There are as many chunks whatever the number of
threads, which so makes no difference to the result.

A part is k; its lanes of a run of `width` histories are those of its hands. Vectors of a
part in *local* layout have one row for each action of the run, of as many lanes as the
largest part has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.payoff import CardDeal, PayoffOperator, Term
from saddlepoint.sequence.products import Arrays, fold_on_board, pack, showdown_on_board
from saddlepoint.sequence.sweeps import Blocks, match_lanes
from saddlepoint.sequence.treeplex import Treeplex

Array = NDArray[Any]
CHUNKS = 8


class Run(NamedTuple):
    """The last run of a treeplex: its blocks, and where its local rows begin.

    Block b of the run has local rows from `local[b - first]` on; lanes are hands times
    `width` histories. A block is linked to the trunk, or its parent is local row
    `up[b - first]`.
    """

    first: int
    last: int
    width: int
    local: NDArray[np.int64]
    up: NDArray[np.int64]


class Parts(NamedTuple):
    """The parts of a game, as kernels take them."""

    begin: NDArray[np.int64]
    """The first hand of each part; one more entry than parts."""
    lanes: int
    """Lanes of the largest part."""
    trunk: tuple[int, int]
    """Sequences of each player before the last run."""
    runs: tuple[Run, Run]
    """The last run of either player."""
    bundles: NDArray[np.int64]
    """A row for each bundle of the last round: its term, the local rows of player 1 and of
    player 2, and the place of its weights."""
    chunks: NDArray[np.int64]
    """Where chunks of about equal work begin; one more entry than chunks."""


def parts_of(X: Treeplex, Y: Treeplex, A: PayoffOperator) -> tuple[Parts, Arrays] | None:
    """The parts of a game and the operator of its trunk; None if it has no parts.

    It has if the last run of both treeplexes has one lane for each hand of the boards of a
    `CardDeal` and each of equally many histories, all leaves of these runs pair them, and
    runs are linked to the trunk only.
    """
    starts = [int(plex.blocks.start[plex.blocks.runs[-2]]) for plex in (X, Y)]
    inner, outer = [], []
    for t, term in enumerate(A.terms):
        inside = [(b.row1 >= starts[0], b.row2 >= starts[1]) for b in term.bundles]
        if not any(one or two for one, two in inside):
            outer.append(term)
        elif isinstance(term.deal, CardDeal) and all(one and two for one, two in inside):
            inner.append((t, term))
        else:
            return None
    if not inner:
        return None
    boards = [term.deal.board for _, term in inner if isinstance(term.deal, CardDeal)]
    if any(not np.array_equal(board, boards[0]) for board in boards):
        return None
    runs = [_run(plex, int(boards[0][-1])) for plex in (X, Y)]
    bundles = [] if None in runs else _bundles(A, inner, (X, Y), runs)
    if not bundles:
        return None
    one, two = runs
    assert one is not None
    assert two is not None
    lanes = int(np.diff(boards[0]).max()) * one.width
    work = np.linspace(0, boards[0][-1], CHUNKS + 1)
    parts = Parts(
        *(boards[0].astype(np.int64), lanes, (starts[0], starts[1]), (one, two)),
        np.array(bundles, np.int64),
        np.searchsorted(boards[0], work).astype(np.int64),
    )
    return parts, pack(outer)


def _run(plex: Treeplex, hands: int) -> Run | None:
    """The last run as parts need it."""
    B = plex.blocks
    first, last = int(B.runs[-2]), int(B.runs[-1])
    lanes, origin = int(B.lanes[first]), int(B.start[first])
    if lanes % hands:
        return None
    local = np.concatenate([[0], np.cumsum(B.actions[first:last])]).astype(np.int64)
    up = np.zeros(last - first, np.int64)
    for b in range(first, last):
        if B.link[b] >= 0:
            above = B.links[B.link[b] : B.link[b] + lanes]
            if above.max() >= origin:
                return None
        elif B.parent[b] < origin:
            return None
        else:
            up[b - first] = (B.parent[b] - origin) // lanes
    return Run(first, last, lanes // hands, local[:-1], up)


def _bundles(
    A: PayoffOperator, inner: list[tuple[int, Term]], plexes: tuple[Treeplex, Treeplex], runs: Any
) -> list[tuple[int, ...]]:
    """A row for each bundle, or none if one is not a whole row of lanes."""
    width, found = runs[0].width, []
    if runs[1].width != width:
        return []
    for t, term in inner:
        places = range(int(A.arrays.terms[t, 3]), int(A.arrays.terms[t, 4]))
        for place, bundle in zip(places, term.bundles, strict=True):
            rows = []
            for plex, row, stride in zip(
                plexes,
                (bundle.row1, bundle.row2),
                (bundle.stride1, bundle.stride2),
                strict=True,
            ):
                B = plex.blocks
                first = int(B.runs[-2])
                apart, off = divmod(row - int(B.start[first]), int(B.lanes[first]))
                if off or stride != width or np.size(bundle.weights) != width:
                    return []
                rows.append(apart)
            found.append((t, *rows, int(A.arrays.bundles[place, 5])))
    return found


@kernel
def sweep_parts(
    A: Arrays,
    parts: Parts,
    second: bool,
    T: Blocks,
    own: tuple[Array, Array],
    opponent: Blocks,
    theirs: tuple[Array, Array, Array],
    weight: float,
    positive: float,
    negative: float,
    foresight: float,
    first: int,
    last: int,
    handed: Array,
) -> None:
    """Update a player in parts first to last - 1 against the opponent's strategy.

    own are his strategy and regrets, theirs the opponent's strategy, plan of the trunk and
    average plan, which moves by weight towards the plan. What the parts hand up is added to
    `handed`, one number for each sequence of the trunk. O(sequences of the parts).
    """
    s, R = own
    their_s, x, mean = theirs
    mine, other = (parts.runs[1], parts.runs[0]) if second else parts.runs
    kind, L = s.dtype.type, parts.lanes
    rows = mine.local[mine.last - mine.first - 1] + T.actions[mine.last - 1]
    their_rows = other.local[other.last - other.first - 1] + opponent.actions[other.last - 1]
    v, y = np.empty(rows * L, s.dtype), np.empty(their_rows * L, s.dtype)
    scratch = np.empty((2, mine.width), s.dtype)
    space = np.empty((3, L), s.dtype)
    sign, turn = kind(-1.0 if second else 1.0), kind(-1.0)
    for k in range(first, last):
        low = parts.begin[k] * mine.width
        n = np.uint64(parts.begin[k + 1] * mine.width - low)
        _plan_part(opponent, other, low, n, L, their_s, x, mean, weight, y)
        for q in range(v.shape[0]):
            v[q] = 0.0
        for z in range(parts.bundles.shape[0]):
            t, row, theirs_row, w = parts.bundles[z]
            if second:
                row, theirs_row = theirs_row, row
            # The kernels count hands from the first board on; unsigned, so below 0 wraps.
            back = np.uint64(low)
            at = (
                np.uint64(row * L) - back,
                np.uint64(mine.width),
                np.uint64(theirs_row * L) - back,
                np.uint64(mine.width),
                np.uint64(mine.width),
                np.uint64(w),
            )
            if A.terms[t, 10] == 0:
                fold_on_board(A, np.uint64(t), np.uint64(k), at, y, v, scratch)
            else:
                showdown_on_board(A, np.uint64(t), np.uint64(k), at, sign, y, v, scratch)
        if second:
            for q in range(v.shape[0]):
                v[q] *= turn
        lanes = T.lanes[mine.first]
        for b in range(mine.last - 1, mine.first - 1, -1):
            there, here = np.uint64(T.start[b] + low), np.uint64(mine.local[b - mine.first] * L)
            match_lanes(
                T.actions[b],
                n,
                there,
                np.uint64(lanes),
                here,
                np.uint64(L),
                s,
                v,
                R,
                positive,
                negative,
                foresight,
                space,
            )
            if T.link[b] < 0:
                up = np.uint64(mine.up[b - mine.first] * L)
                for i in range(n):
                    v[up + i] += space[0, i]
            else:
                link = np.uint64(T.link[b] + low)
                for i in range(n):
                    handed[T.links[link + i]] += space[0, i]


@kernel
def _plan_part(
    T: Blocks,
    run: Run,
    low: int,
    n: np.uint64,
    L: int,
    s: Array,
    x: Array,
    mean: Array,
    weight: float,
    y: Array,
) -> None:
    """Write the plan of a part in local layout, and move the average towards it."""
    for b in range(run.first, run.last):
        up, link = np.uint64(run.up[b - run.first] * L), np.uint64(T.link[b] + low)
        for a in range(T.actions[b]):
            there = np.uint64(T.start[b] + a * T.lanes[b] + low)
            here = np.uint64((run.local[b - run.first] + a) * L)
            if T.link[b] < 0:
                for i in range(n):
                    y[here + i] = y[up + i] * s[there + i]
            else:
                for i in range(n):
                    y[here + i] = x[T.links[link + i]] * s[there + i]
            for i in range(n):
                mean[there + i] += weight * (y[here + i] - mean[there + i])
