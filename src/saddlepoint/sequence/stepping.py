r"""Stepping along single histories: what sampling solvers take besides `(X, Y, A)`.

A solver that samples needs no products, but a way from the root to a leaf. `Steps` is that way
as flat arrays, with two kinds of chance side by side:

* a tree of *nodes*: decisions, leaves, and chance nodes, whose children have probabilities;
* a tree of *pairs* of classes, of which `depth[n]` are drawn before anything happens at node n.

A betting tree times a deal has no chance nodes, and all its chance in the pairs. An explicit
tree has nothing but the root in its pairs, and all its chance in the nodes. Walks know no
difference. The information set of the player who moves at node n with pair q follows from both,

    sequence of action a = row[n] + a * step[n] + stride[n] * (what he sees in q)

and a leaf is worth `payoff[n]` to player 1, times `outcome[q]` if hands are shown. Where players
forget, sequences are those of ties (`tied`): what is seen in q is then a bucket.

Memory is that of the nodes and of all pairs of all rounds, written out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.form import CHANCE, SequenceForm, Tree, form_of_tree
from saddlepoint.sequence.treeplex import Treeplex

Array = NDArray[Any]
Numbers = NDArray[np.int64]


class Steps(NamedTuple):
    """A game as walks take it: arrays over nodes, parents first, and over pairs.

    The children of node n are `child[n]` up to `child[n] + children[n]`. After pair q comes one
    of the pairs `first[q]` up to `first[q + 1]`; node 0 and pair 0 are the roots.
    """

    mover: Numbers
    """1, 2, `CHANCE` or `LEAF`."""
    child: Numbers
    children: Numbers
    depth: Numbers
    """How many pairs are drawn on the way to a node."""
    likely: NDArray[np.float64]
    """At children of chance nodes, the probability of them and of all children before."""
    row: Numbers
    step: Numbers
    stride: Numbers
    payoff: NDArray[np.float64]
    shown: NDArray[np.bool_]
    first: Numbers
    upto: NDArray[np.float64]
    """The probability, given the pair before, of a pair and all before it that follow that one."""
    one: Numbers
    two: Numbers
    """The classes of both players, who remember everything."""
    seen1: Numbers
    seen2: Numbers
    """What they tell apart now: the same, unless they forget."""
    outcome: NDArray[np.float64]


@kernel
def picked(upto: Array, low: int, high: int, u: float) -> int:
    """The first of the places low, ..., high - 1 with upto > u, or the last: O(log places)."""
    high -= 1
    while low < high:
        middle = (low + high) // 2
        if upto[middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, repr=False)
class SteppedForm(SequenceForm):
    """A sequence form that can be stepped along, too.

    Parameters
    ----------
    make
        Makes the steps; called when they are first needed.
    """

    make: Callable[[], Steps] = field(kw_only=True, compare=False)

    @cached_property
    def steps(self) -> Steps:
        """The steps, in which sequences are those of X and Y."""
        return self.make()

    @classmethod
    def of(cls, form: SequenceForm, make: Callable[[], Steps]) -> SteppedForm:
        """A sequence form with its steps."""
        told = (form.spec, form.name, form.unit, form.sources)
        return cls(form.X, form.Y, form.A, *told, make=make)


def stepped_form(tree: Tree, **description: Any) -> SteppedForm:
    """The sequence form of a game tree, with steps; see `saddlepoint.sequence.form.form_of_tree`.

    Examples
    --------
    A coin that player 1 bets on unseen:

    >>> from saddlepoint.sequence.form import LEAF
    >>> coin = Tree(
    ...     parent=np.array([-1, 0, 0, 1, 1, 2, 2]),
    ...     move=np.array([0, 0, 1, 0, 1, 0, 1]),
    ...     mover=np.array([CHANCE, 1, 1, LEAF, LEAF, LEAF, LEAF]),
    ...     infoset=np.zeros(7, np.int64),
    ...     probability=np.array([1, 0.5, 0.5, 1, 1, 1, 1]),
    ...     payoff=np.array([0, 0, 0, 1.0, -1, -1, 1]),
    ...     infosets=(["bet"], []),
    ...     actions=([["heads", "tails"]], []),
    ... )
    >>> steps = stepped_form(coin).steps
    >>> steps.likely[steps.child[0] :][:2].tolist(), steps.row[1:3].tolist()
    ([0.5, 1.0], [1, 1])
    """
    form = form_of_tree(tree, **description)
    return SteppedForm.of(form, lambda: steps_of_tree(tree, form))


def steps_of_tree(tree: Tree, form: SequenceForm) -> Steps:
    """The steps of a game tree with this sequence form: O(nodes log nodes)."""
    n = tree.n_nodes
    place, order = _level_by_level(tree)
    parent = np.where(tree.parent < 0, -1, place[tree.parent])[order]
    mover = tree.mover[order].astype(np.int64)
    children = np.bincount(parent[1:], minlength=n).astype(np.int64)
    child = 1 + np.cumsum(children) - children
    row, step = np.zeros(n, np.int64), np.ones(n, np.int64)
    for player, plex in enumerate((form.X, form.Y), 1):
        # Information sets are numbered by their first node in the tree as it was given.
        own = tree.infoset[tree.mover == player]
        found, position = np.unique(own, return_index=True)
        rank = np.zeros(len(tree.infosets[player - 1]), np.int64)
        rank[found[np.argsort(position)]] = np.arange(len(found))
        at = np.flatnonzero(mover == player)
        infoset = rank[tree.infoset[order[at]]]
        row[at], step[at] = plex.flat.start[infoset], plex.flat.stride[infoset]
    none = np.zeros(1, np.int64)
    return Steps(
        mover=mover,
        child=child,
        children=children,
        depth=np.zeros(n, np.int64),
        likely=_running(tree, order, parent, mover),
        row=row,
        step=step,
        stride=np.zeros(n, np.int64),
        payoff=tree.payoff[order].astype(np.float64),
        shown=np.zeros(n, np.bool_),
        first=np.ones(2, np.int64),
        upto=np.ones(1),
        one=none,
        two=none,
        seen1=none,
        seen2=none,
        outcome=np.zeros(1),
    )


def _level_by_level(tree: Tree) -> tuple[Numbers, Numbers]:
    """The place of every node when siblings stand side by side, by move, and the node there."""
    n = tree.n_nodes
    level, place = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for k in range(1, n):
        level[k] = level[tree.parent[k]] + 1
    order, begin = np.zeros(n, np.int64), 0
    for depth in range(int(level.max()) + 1):
        here = np.flatnonzero(level == depth)
        above = place[tree.parent[here]] if depth else here
        here = here[np.lexsort((tree.move[here], above))]
        order[begin : begin + len(here)] = here
        place[here] = begin + np.arange(len(here))
        begin += len(here)
    return place, order


def _running(tree: Tree, order: Numbers, parent: Numbers, mover: Numbers) -> NDArray[np.float64]:
    """Running sums of probabilities over the children of chance nodes; 1 elsewhere."""
    upto = np.ones(len(order))
    below = np.flatnonzero((parent >= 0) & (mover[parent] == CHANCE))
    total = np.cumsum(tree.probability[order[below]])
    # Of every child, the sum before the first child of its parent.
    begin = np.searchsorted(parent[below], parent[below])
    upto[below] = total - np.concatenate([[0.0], total])[begin]
    return upto


def tied(steps: Steps, actions: tuple[Array, Array]) -> Steps:
    """The steps of players who forget.

    Parameters
    ----------
    steps
        Those of the game in which nothing is forgotten.
    actions
        For either player, the tied sequence of every sequence.

    Raises
    ------
    GameError
        If what a player forgets of the pairs depends on where he is in the tree of nodes,
        other than by the number of pairs drawn.
    """
    row, step, stride = steps.row.copy(), steps.step.copy(), steps.stride.copy()
    seen = [steps.seen1.copy(), steps.seen2.copy()]
    level = levels(steps)
    for k, (action, classes) in enumerate(zip(actions, (steps.one, steps.two), strict=True)):
        for depth in np.unique(steps.depth[steps.mover == k + 1]):
            nodes = np.flatnonzero((steps.mover == k + 1) & (steps.depth == depth))
            pairs = np.flatnonzero(level == depth)
            hands = np.arange(int(classes[pairs].max()) + 1)
            told = action[steps.row[nodes, None] + steps.stride[nodes, None] * hands]
            _, some, bucket = np.unique(told[0], return_index=True, return_inverse=True)
            row[nodes] = told[:, some[0]]
            stride[nodes] = told[:, some[min(1, len(some) - 1)]] - row[nodes]
            if (told != row[nodes, None] + stride[nodes, None] * bucket).any():
                raise GameError(
                    f"player {k + 1} forgets different things at different places after "
                    f"{depth} draws; sampling needs ties of whole classes"
                )
            second = np.minimum(1, steps.children[nodes] - 1) * steps.step[nodes]
            zero = steps.row[nodes] + steps.stride[nodes] * hands[some[0]]
            step[nodes] = action[zero + second] - action[zero]
            seen[k][pairs] = bucket[classes[pairs]]
    return steps._replace(row=row, step=step, stride=stride, seen1=seen[0], seen2=seen[1])


def levels(steps: Steps) -> Numbers:
    """How many pairs are drawn before and with each pair: 0 for the root, then 1, 2, ..."""
    level = np.zeros(len(steps.one), np.int64)
    begin, end, count = 0, 1, 0
    while begin < end:
        level[begin:end] = count
        begin, end, count = end, int(steps.first[end]), count + 1
    return level


def steppable(form: SequenceForm) -> SteppedForm:
    """The form, if it can be stepped along.

    Raises
    ------
    GameError
        If it cannot.
    """
    if isinstance(form, SteppedForm):
        return form
    raise GameError(
        f"{form.name} is known by its payoffs over sequences alone, and sampling needs its rules: "
        "give a game with cards or a game tree"
    )


def matches(steps: Steps, plexes: tuple[Treeplex, Treeplex]) -> bool:
    """Whether no sequence of the steps lies outside the treeplexes."""
    for k, (plex, seen) in enumerate(zip(plexes, (steps.seen1, steps.seen2), strict=True)):
        nodes = np.flatnonzero(steps.mover == k + 1)
        most = np.zeros(int(steps.depth.max()) + 1, np.int64)
        np.maximum.at(most, np.minimum(levels(steps), len(most) - 1), seen)
        last = steps.row[nodes] + (steps.children[nodes] - 1) * steps.step[nodes]
        last += steps.stride[nodes] * most[steps.depth[nodes]]
        if len(nodes) and (last.max() >= plex.n_sequences or steps.row[nodes].min() < 1):
            return False
    return True
