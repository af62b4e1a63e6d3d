r"""A betting tree times a deal, as `(X, Y, A)`.

Every sequence of a player is a betting action times a class of his cards; every leaf of
the betting tree is a row of one Kronecker product. Betting nodes of a round from which the
betting goes on in the same way form a *group*, wherever they stand: after two histories
with equal chips behind, say. A group becomes one block of the treeplex, whose lanes are
the classes times the histories,

    sequence = start of the action + class * (histories of the group) + history

so that the innermost loops of all kernels run over histories first and hands next, which
are long together even where either is short. Groups are taken from the tallest to the
lowest, which puts parents first. Nothing here is done node by node: the work is
vectorised over the histories of a group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.core.kernel import kernel
from saddlepoint.core.units import Unit
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import SHOWDOWN
from saddlepoint.games.deal import EMPTY, Deal
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import Bundle, PayoffOperator, Term
from saddlepoint.sequence.treeplex import Treeplex

Nodes = NDArray[np.int64]
Array = NDArray[Any]


@kernel
def _shapes(
    mover: Array, round_: Array, child: Array, children: Array, shape: Array, height: Array
) -> None:
    """Give decision nodes whose betting is equal to the end of the round equal numbers.

    A 64-bit hash from the leaves up; whoever uses it compares what it groups. The height
    is that of the tree below in this round. Overwrites shape and height. O(nodes).
    """
    for n in range(mover.shape[0] - 1, -1, -1):
        h = np.uint64(1469598103934665603)
        h = (h ^ np.uint64(mover[n] + 4)) * np.uint64(1099511628211)
        height[n] = 0
        for c in range(child[n], child[n] + children[n]):
            if mover[c] > 0 and round_[c] != round_[n]:
                code = np.uint64(9)
            elif mover[c] > 0:
                code = shape[c]
                height[n] = max(height[n], height[c] + 1)
            else:
                code = np.uint64(mover[c] + 4)
            # Multiplied first, so that a child's hash cannot trade places with the parent's.
            code *= np.uint64(0x9E3779B97F4A7C15)
            h = (h ^ code ^ (code >> np.uint64(32))) * np.uint64(1099511628211)
            h = h ^ (h >> np.uint64(29))
        shape[n] = h


class _Side:
    """What is built for one player."""

    def __init__(self, number: int, nodes: int) -> None:
        self.number = number
        # Per betting node: where the row of the player's last action begins, how far its
        # classes lie apart, and in which round that action was.
        self.row = np.zeros(nodes, np.int64)
        self.stride = np.ones(nodes, np.int64)
        self.seen = np.full(nodes, EMPTY, np.int64)
        self.blocks: list[tuple[int, int, int, int]] = []
        self.links: list[NDArray[np.int32]] = []
        self.n_links = 0
        self.n_sequences = 1
        self.nodes: list[Nodes] = []

    def decide(self, ids: Nodes, round_: int, count: int, deal: Deal) -> int:
        """Add the block of a group; return the row of its first action."""
        width, classes = len(ids), deal.classes(self.number, round_)
        first = self.n_sequences
        if self.side_by_side(ids) and self.seen[ids[0]] == round_:
            link, parent = -1, int(self.row[ids[0]])
        else:
            link, parent = self.n_links, 0
            up = np.empty((classes, width), np.int32)
            for seen in np.unique(self.seen[ids]):
                at = self.seen[ids] == seen
                above = deal.up(self.number, round_, int(seen))
                up[:, at] = self.row[ids[at]] + above[:, None] * self.stride[ids[at]]
            self.links.append(up.ravel())
            self.n_links += up.size
        self.blocks.append((count, classes * width, parent, link))
        self.n_sequences += count * classes * width
        self.nodes.append(ids)
        return first

    def side_by_side(self, ids: Nodes) -> bool:
        """Whether the player's last actions are one whole row of an earlier block."""
        rows = self.row[ids] == self.row[ids[0]] + np.arange(len(ids))
        return bool(rows.all() and (self.stride[ids] == len(ids)).all())

    def treeplex(self, names: FactoredNames) -> Treeplex:
        actions, lanes, parent, link = np.array(self.blocks, np.int64).reshape(-1, 4).T
        links = np.concatenate([np.zeros(0, np.int32), *self.links])
        return Treeplex(actions, lanes, parent, link, links, names)


@dataclass(frozen=True)
class Sequences:
    """Where the sequences of a player stand, by betting node and class.

    The sequence of the action that led to betting node n, taken with class k, is
    `row[n] + stride[n] * k` (for the player who took it; for the other one, the same for
    his last action before). `seen[n]` is the round of that action, -1 if there is none.
    """

    row: Nodes
    stride: Nodes
    seen: Nodes


class FactoredNames:
    """Names of information sets: cards, a colon, and the betting so far."""

    def __init__(self, tree: BettingTree, deal: Deal, player: int, unit: float, less: int) -> None:
        self.tree, self.deal, self.player, self.unit, self.less = tree, deal, player, unit, less
        self.nodes: list[Nodes] = []

    @cached_property
    def _first(self) -> Nodes:
        sizes = [
            len(ids) * self.deal.classes(self.player, int(self.tree.round[ids[0]]))
            for ids in self.nodes
        ]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def place(self, i: int) -> tuple[int, int]:
        """The betting node and the class of information set i."""
        block = int(np.searchsorted(self._first, i, side="right")) - 1
        class_, h = divmod(i - int(self._first[block]), len(self.nodes[block]))
        return int(self.nodes[block][h]), class_

    def infoset(self, i: int) -> str:
        """The name of information set i."""
        node, class_ = self.place(i)
        cards = self.deal.rounds[int(self.tree.round[node])].names[self.player - 1][class_]
        return f"{cards}:{self.tree.history(node, self.unit, self.less)}"

    def action(self, i: int, a: int) -> str:
        """The name of action a of information set i."""
        node, _ = self.place(i)
        return self.tree.move_text(int(self.tree.child[node]) + a, self.unit, self.less)


class _Builder:
    """Walks the betting tree round by round and group by group."""

    def __init__(self, tree: BettingTree, deal: Deal, scale: float) -> None:
        self.tree, self.deal = tree, deal
        self.payoff = tree.payoff() * scale
        self.sides = (_Side(1, len(tree)), _Side(2, len(tree)))
        self.bundles: dict[tuple[bool, int, int, int], list[Bundle]] = defaultdict(list)

    def build(self) -> None:
        tree = self.tree
        if tree.mover[0] <= 0:
            self._leaves(np.zeros(1, np.int64), 0)
            return
        shape, height = np.zeros(len(tree), np.uint64), np.zeros(len(tree), np.int64)
        with np.errstate(over="ignore"):  # hashes wrap around; said for runs without compilation
            _shapes(tree.mover, tree.round, tree.child, tree.children, shape, height)
        for round_ in range(tree.rules.rounds):
            nodes = np.flatnonzero((tree.round == round_) & (tree.mover > 0))
            order = np.lexsort((nodes, shape[nodes], -height[nodes]))
            nodes = nodes[order]
            breaks = np.flatnonzero(np.diff(shape[nodes])) + 1
            for group in np.split(nodes, breaks) if len(nodes) else []:
                self._group(group, round_)

    def _group(self, ids: Nodes, round_: int) -> None:
        """Build the decision of a group, and the leaves that follow from it."""
        tree = self.tree
        mover, count = int(tree.mover[ids[0]]), int(tree.children[ids[0]])
        if (tree.mover[ids] != mover).any() or (tree.children[ids] != count).any():
            raise GameError("betting histories were grouped that do not lead to equal betting")
        side, other = self.sides[mover - 1], self.sides[2 - mover]
        # By the opponent's last action first: then leaves come in long bundles.
        ids = ids[np.lexsort((side.row[ids], other.row[ids]))]
        row = side.decide(ids, round_, count, self.deal)
        lanes = len(ids) * self.deal.classes(mover, round_)
        for a in range(count):
            below = tree.child[ids].astype(np.int64) + a
            other.row[below], other.stride[below] = other.row[ids], other.stride[ids]
            other.seen[below] = other.seen[ids]
            side.row[below] = row + a * lanes + np.arange(len(ids))
            side.stride[below], side.seen[below] = len(ids), round_
            if tree.mover[below[0]] <= 0:
                self._leaves(below, round_)

    def _leaves(self, ids: Nodes, round_: int) -> None:
        """Add equal leaves, in bundles of those whose rows lie side by side."""
        one, two = self.sides
        showdown = bool(self.tree.mover[ids[0]] == SHOWDOWN)
        breaks = np.zeros(len(ids) - 1, bool)
        for side in self.sides:
            breaks |= np.diff(side.row[ids]) != 1
            breaks |= np.diff(side.stride[ids]) != 0
            breaks |= np.diff(side.seen[ids]) != 0
        for part in np.split(ids, np.flatnonzero(breaks) + 1):
            n = part[0]
            key = (showdown, round_, int(one.seen[n]), int(two.seen[n]))
            self.bundles[key].append(
                Bundle(
                    *(int(one.row[n]), int(one.stride[n])),
                    *(int(two.row[n]), int(two.stride[n])),
                    self.payoff[part],
                )
            )

    def operator(self) -> PayoffOperator:
        terms = [
            Term(bundles, self.deal.matrix(*key)) for key, bundles in sorted(self.bundles.items())
        ]
        return PayoffOperator((self.sides[0].n_sequences, self.sides[1].n_sequences), terms)


@dataclass(frozen=True)
class Factored:
    """A sequence form with the places of its betting and its cards."""

    form: SequenceForm
    tree: BettingTree
    deal: Deal
    places: tuple[Sequences, Sequences]


def factored_form(
    tree: BettingTree,
    deal: Deal,
    *,
    name: str,
    spec: Mapping[str, Any],
    unit: Unit,
    scale: float = 1.0,
    less: int = 0,
    sources: tuple[str, ...] = (),
) -> Factored:
    """The sequence form of a betting tree times a deal.

    Parameters
    ----------
    tree, deal
        The factors; the deal has a round for every betting round.
    name, spec, unit, sources
        Description of the form.
    scale
        Chips in a unit of the betting tree.
    less
        Units taken off the totals in the names of bets.
    """
    builder = _Builder(tree, deal, scale)
    builder.build()
    plexes = []
    for side in builder.sides:
        names = FactoredNames(tree, deal, side.number, scale, less)
        names.nodes = side.nodes
        plexes.append(side.treeplex(names))
    A = builder.operator()
    form = SequenceForm(plexes[0], plexes[1], A, dict(spec), name, unit, sources)
    places = tuple(Sequences(s.row, s.stride, s.seen) for s in builder.sides)
    return Factored(form, tree, deal, (places[0], places[1]))
