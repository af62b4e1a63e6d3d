"""The check that arrays are a game tree, before compiled code trusts them.

Kernels index without looking, so every index and every number of a tree is checked
here, once, when a `TreeGame` is made. Costs O(nodes), in array operations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.sequence.form import CHANCE, LEAF, Tree

# How far the probabilities of a chance node may sum from 1.
SUM_TOLERANCE = 1e-9

Integers = NDArray[np.int64]
Labels = tuple[tuple[str, ...], ...]


def checked(tree: Tree, events: Sequence[Sequence[str]]) -> tuple[Tree, Labels]:
    """Return the tree in normal form, and its events, if it is a tree.

    In normal form the arrays are read-only copies of fixed dtypes; leaves have information
    set -1, payoffs stand at leaves only, probabilities differ from 1 below chance nodes
    only, and minus zero is zero.

    Raises
    ------
    GameError
        Naming the first node that is wrong.
    """
    parent, move, mover, infoset = (
        np.array(array, np.int64, ndmin=1)
        for array in (tree.parent, tree.move, tree.mover, tree.infoset)
    )
    probability, payoff = (
        np.array(array, np.float64, ndmin=1) + 0.0 for array in (tree.probability, tree.payoff)
    )
    arrays = (parent, move, mover, infoset, probability, payoff)
    _check_order(parent, mover, [array.shape for array in arrays])
    names = _events(events, parent, mover, infoset)
    leaf = mover == LEAF
    infoset[leaf] = -1
    width = _widths(tree, names, mover, infoset)
    _check_branches(parent, move, width)
    probability[0] = 1.0
    probability[1:][mover[parent[1:]] != CHANCE] = 1.0
    _check_chance(parent, move, mover, infoset, probability, width)
    payoff[~leaf] = 0.0
    _refuse(~np.isfinite(payoff), "has payoff {}, expected a finite number", payoff)
    for array in arrays:
        array.flags.writeable = False
    labels = [[tuple(map(str, row)) for row in side] for side in tree.actions]
    sets = [tuple(map(str, side)) for side in tree.infosets]
    return Tree(*arrays, (sets[0], sets[1]), (labels[0], labels[1])), names


def _refuse(bad: NDArray[np.bool_], problem: str, values: NDArray[np.float64] | Integers) -> None:
    """Raise for the first node that is bad, quoting its value."""
    if bad.any():
        node = int(np.flatnonzero(bad)[0])
        more = f" ({int(bad.sum())} nodes are wrong)" if bad.sum() > 1 else ""
        raise GameError(f"node {node} of the tree {problem.format(values[node])}{more}")


def _check_order(parent: Integers, mover: Integers, shapes: list[tuple[int, ...]]) -> None:
    n = len(parent)
    if n == 0:
        raise GameError("a game tree needs at least one node, found none")
    if any(shape != (n,) for shape in shapes):
        raise GameError(f"the arrays of a tree have shapes {shapes}, expected one entry a node")
    bad = (parent < 0) | (parent >= np.arange(n))
    bad[0] = parent[0] != -1
    _refuse(bad, "has parent {}, expected -1 at node 0 and an earlier node elsewhere", parent)
    known = np.isin(mover, (1, 2, CHANCE, LEAF))
    _refuse(~known, f"has mover {{}}, expected 1, 2, {CHANCE} (chance) or {LEAF} (leaf)", mover)


def _events(
    events: Sequence[Sequence[str]], parent: Integers, mover: Integers, infoset: Integers
) -> Labels:
    """The names of chance moves; numbers them, in place, where there are none."""
    if len(events) or not (mover == CHANCE).any():
        return tuple(tuple(map(str, moves)) for moves in events)
    nodes = np.flatnonzero(mover == CHANCE)
    infoset[nodes] = np.arange(len(nodes))
    widths = np.bincount(parent[1:], minlength=len(parent))[nodes]
    return tuple(tuple(str(k + 1) for k in range(width)) for width in widths)


def _widths(tree: Tree, events: Labels, mover: Integers, infoset: Integers) -> Integers:
    """Number of moves at each node, by the names of its information set or event."""
    width = np.zeros(len(mover), np.int64)
    tables = {CHANCE: events, 1: tree.actions[0], 2: tree.actions[1]}
    for who, rows in tables.items():
        label = "chance events" if who == CHANCE else f"information sets of player {who}"
        if who != CHANCE:
            _check_names(tree.infosets[who - 1], rows, who)
        own = mover == who
        bad = own & ((infoset < 0) | (infoset >= len(rows)))
        _refuse(bad, f"has number {{}} among {len(rows)} {label}", infoset)
        sizes = np.array([len(row) for row in rows] or [0], np.int64)
        width[own] = sizes[infoset[own]]
    _refuse((width < 1) & (mover != LEAF), "offers {} moves, expected at least one", width)
    return width


def _check_names(names: Sequence[str], rows: Sequence[Sequence[str]], player: int) -> None:
    if len(names) != len(rows):
        raise GameError(
            f"player {player} has {len(names)} names of information sets and "
            f"{len(rows)} lists of actions"
        )
    if len(set(names)) != len(names):
        name = next(name for k, name in enumerate(names) if name in names[:k])
        raise GameError(f"two information sets of player {player} are called '{name}'")
    for name, row in zip(names, rows, strict=True):
        if len(set(row)) != len(row):
            raise GameError(
                f"information set '{name}' of player {player} has two actions of one name: "
                f"{list(row)}"
            )


def _check_branches(parent: Integers, move: Integers, width: Integers) -> None:
    """Every move of every node leads to exactly one child."""
    move[0] = 0
    bad = (move < 0) | (move >= np.where(parent >= 0, width[parent], 1))
    _refuse(bad, "is reached by move {}, which its parent does not have", move)
    children = np.bincount(parent[1:], minlength=len(parent))
    _refuse(children != width, "has {} children, expected one for each of its moves", children)
    branch = np.concatenate([[0], np.cumsum(width)[:-1]])[parent[1:]] + move[1:]
    twice = np.concatenate([[False], np.bincount(branch, minlength=len(branch))[branch] > 1])
    _refuse(twice, "is reached by move {}, as another child of its parent is", move)


def _check_chance(
    parent: Integers,
    move: Integers,
    mover: Integers,
    infoset: Integers,
    probability: NDArray[np.float64],
    width: Integers,
) -> None:
    """Probabilities are nonnegative, sum to 1, and are the same wherever an event occurs."""
    bad = ~(np.isfinite(probability) & (probability >= 0.0))
    _refuse(bad, "has probability {}, expected a number from 0 to 1", probability)
    sums = np.ones(len(parent))
    chance = mover == CHANCE
    sums[chance] = np.bincount(parent[1:], probability[1:], len(parent))[chance]
    off = np.abs(sums - 1.0) > SUM_TOLERANCE
    _refuse(off, "is a chance node whose probabilities sum to {}, expected 1", sums)
    below = np.flatnonzero(chance[parent] & (parent >= 0))
    if len(below):
        event, k = infoset[parent[below]], move[below]
        stride = int(width[chance].max())
        found, first = np.unique(event * stride + k, return_index=True)
        usual = probability[below][first][np.searchsorted(found, event * stride + k)]
        differs = np.zeros(len(parent), bool)
        differs[below] = probability[below] != usual
        _refuse(differs, "has probability {}, not that of its event elsewhere", probability)
