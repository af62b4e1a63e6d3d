"""Treeplexes and games with some of the sequences left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.sequence.names import ListedNames
from saddlepoint.sequence.treeplex import Treeplex

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

ELSEWHERE = -1


class Restricted(NamedTuple):
    """A smaller treeplex, and which sequence of the whole one each of its sequences is."""

    treeplex: Treeplex
    origin: Indices


def below(plex: Treeplex, root: int) -> Mask:
    """The sequences that begin with a given one, itself included."""
    f = plex.flat
    mask = np.zeros(plex.n_sequences, bool)
    mask[root] = True
    for i in np.flatnonzero(f.parent >= root).tolist():  # children come later
        if mask[f.parent[i]]:
            mask[plex.sequences(i)] = True
    return mask


def closed(plex: Treeplex, mask: Mask) -> Mask:
    """The sequences in a mask with all that lead to them; the empty one always."""
    f, full = plex.flat, mask.copy()
    for i in range(plex.n_infosets - 1, -1, -1):
        if full[plex.sequences(i)].any():
            full[f.parent[i]] = True
    full[0] = True
    return full


def restrict(
    plex: Treeplex, mask: Mask, root: int = 0, *, elsewhere: bool = False, named: bool = False
) -> Restricted:
    """The treeplex of some of the sequences.

    Parameters
    ----------
    plex
        The whole one.
    mask
        The sequences to keep: each with its parent, down to the root.
    root
        The sequence that becomes the empty one.
    elsewhere
        Give every information set that loses actions, but not all, one action in their
        place (`origin` is `ELSEWHERE`).
    named
        Keep the names; without it they are numbered.
    """
    f = plex.flat
    q = np.flatnonzero(mask)
    q = q[(q != root) & (q != 0)]
    order = np.lexsort((q, f.infoset[q]))
    q = q[order]
    infosets, counts = np.unique(f.infoset[q], return_counts=True)
    extra = (counts < f.actions[infosets]) & elsewhere
    first = 1 + np.cumsum(counts + extra) - (counts + extra)
    origin = np.full(1 + int((counts + extra).sum()), ELSEWHERE, np.int64)
    origin[0] = root
    origin[
        np.repeat(first, counts) + np.arange(len(q)) - np.repeat(np.cumsum(counts) - counts, counts)
    ] = q
    place = np.zeros(plex.n_sequences, np.int64)
    place[origin[origin >= 0]] = np.flatnonzero(origin >= 0)
    names = _names(plex, infosets.tolist(), np.split(q, np.cumsum(counts))[:-1]) if named else None
    smaller = Treeplex.of_infosets(place[f.parent[infosets]], counts + extra, names)
    return Restricted(smaller, origin)


def _names(plex: Treeplex, infosets: list[int], sequences: list[Indices]) -> ListedNames:
    f = plex.flat
    return ListedNames(
        [plex.names.infoset(i) for i in infosets],
        [
            [plex.names.action(i, a) for a in ((q - f.start[i]) // f.stride[i]).tolist()]
            for i, q in zip(infosets, sequences, strict=True)
        ],
    )
