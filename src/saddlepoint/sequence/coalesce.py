"""Information sets side by side: the treeplex of a general tree in few, wide blocks.

A tree without structure has one block for each information set (`saddlepoint.sequence.sweeps`),
and a sweep over blocks of one lane is a loop over loops of length one. But information sets
that are equally deep and have equally many actions do not lead to each other, so that they can
be lanes of one block, whose links say where each comes from. A treeplex of depth d and a
different numbers of actions has at most a d blocks then, and sweeps run along rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.sequence.names import Names
from saddlepoint.sequence.treeplex import Treeplex

Places = NDArray[np.int64]


class Renumbered:
    """Names of information sets that were put into another order."""

    def __init__(self, names: Names, order: Places) -> None:
        self.names, self.order = names, order

    def infoset(self, i: int) -> str:
        """The name of information set i."""
        return self.names.infoset(int(self.order[i]))

    def action(self, i: int, a: int) -> str:
        """The name of action a of information set i."""
        return self.names.action(int(self.order[i]), a)


def depths(plex: Treeplex) -> Places:
    """How many information sets of the player lead to each: O(information sets * depth)."""
    f = plex.flat
    above = f.infoset[f.parent]
    depth = np.zeros(plex.n_infosets, np.int64)
    while True:
        deeper = np.where(above >= 0, depth[above] + 1, 0)
        if (deeper == depth).all():
            return depth
        depth = deeper


def coalesced(plex: Treeplex) -> tuple[Treeplex, Places]:
    """The same treeplex in wide blocks, and the new number of every sequence.

    Examples
    --------
    >>> X = Treeplex.of_infosets(parent=[0, 1, 2], actions=[2, 2, 2])
    >>> wide, place = coalesced(X)
    >>> wide.n_blocks, place.tolist()  # the two later information sets share a block
    (2, [0, 1, 2, 3, 5, 4, 6])
    >>> x = X.plan([1, 0.5, 0.5, 0.2, 0.8, 1, 0])
    >>> bool((wide.plan([1, 0.5, 0.5, 0.2, 1, 0.8, 0])[place] == x).all())
    True
    """
    if not plex.n_infosets:
        return plex, np.zeros(1, np.int64)
    f, depth = plex.flat, depths(plex)
    order = np.lexsort((np.arange(plex.n_infosets), f.actions, depth))
    keys = np.column_stack([depth, f.actions])[order]
    first = np.flatnonzero(np.append(True, (np.diff(keys, axis=0) != 0).any(axis=1)))
    lanes = np.diff(np.append(first, len(order)))
    actions = f.actions[order[first]]
    start = 1 + np.cumsum(actions * lanes) - actions * lanes
    place = np.zeros(plex.n_sequences, np.int64)
    block = np.repeat(np.arange(len(first)), lanes)
    begin = start[block] + np.arange(len(order)) - first[block]
    for a in range(int(actions.max())):
        has = f.actions[order] > a
        old = f.start[order] + a * f.stride[order]
        place[old[has]] = (begin + a * lanes[block])[has]
    links = place[f.parent[order]]
    names = Renumbered(plex.names, order)
    return Treeplex(actions, lanes, np.zeros(len(first)), first, links, names), place
