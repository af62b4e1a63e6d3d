"""Filtered ordered games: an ordered game whose players are told classes of signals.

A filtered game is an extensive form game with perfect recall (thesis 003, Proposition 1). Its
payoffs are averages over the real signals that a filter puts together. For two players whose
payoffs sum to a constant there is its sequence form, and its game tree for small games.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError, SizeError
from saddlepoint.games.chance import rounded
from saddlepoint.games.information import InformationFilter
from saddlepoint.games.signal_tree import SignalTree, filtered_signal_tree
from saddlepoint.games.signals import OrderedGame
from saddlepoint.games.tree import Recorder, TreeGame
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.form import CHANCE, LEAF, SequenceForm
from saddlepoint.sequence.names import ListedNames
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.treeplex import Treeplex

Integers = NDArray[np.int64]
MOST_NODES = 2_000_000
# How far payoffs may sum from a constant, as a part of the largest one.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class FilteredGame:
    """An ordered game with an information filter (thesis 003, section 5.3.2).

    Parameters
    ----------
    information
        The filter, which knows its game.

    Examples
    --------
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import kuhn
    >>> game = FilteredGame.of(ordered_poker(kuhn()))
    >>> game.sequence_form()
    <SequenceForm kuhn: 13 and 13 sequences>
    >>> game.tree()
    <TreeGame kuhn: 58 nodes, 6 and 6 information sets>
    """

    information: InformationFilter

    @classmethod
    def of(cls, game: OrderedGame) -> FilteredGame:
        """The game itself: with the filter that tells everything."""
        return cls(InformationFilter.identity(game))

    @property
    def game(self) -> OrderedGame:
        """The ordered game."""
        return self.information.game

    def __repr__(self) -> str:
        return f"<FilteredGame: {self.information!r}>"

    # Names and numbers of decisions --------------------------------------------------------

    def infoset(self, node: int, number: int) -> str:
        """The name of a decision in a class: what is known, a colon, what was done."""
        act = self.game.actions.nodes[node]
        return f"{self.information.label(act.round, number)}:{self.game.actions.name(act.path)}"

    def starts(self, player: int) -> dict[int, int]:
        """The first sequence of each of a player's decisions, class by class from there."""
        found, start = {}, 1
        for node in self.game.actions.decisions(player):
            act = self.game.actions.nodes[node]
            found[node] = start
            start += self.information.sizes[act.round - 1] * len(act.actions)
        return found

    def _sequences(self, player: int, node: int, starts: dict[int, int]) -> Integers:
        """For every deal, the player's sequence that leads to a node where he need not act."""
        tree, at = self.game.actions, node
        while tree.nodes[at].above[0] >= 0:
            at, action = tree.nodes[at].above
            act = tree.nodes[at]
            if act.player == player:
                told = self.information.told(player, act.round)
                return starts[at] + told * len(act.actions) + action
        return np.zeros(len(self.game.deals), np.int64)

    # As (X, Y, A) --------------------------------------------------------------------------

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`, computed once: O(paths to the end * deals).

        Information sets are called by the first signals of their class, how many others it
        has, and the actions so far.

        Raises
        ------
        GameError
            If there are not two players, or if their payoffs do not sum to a constant.
        """
        return self._form

    @cached_property
    def _form(self) -> SequenceForm:
        game, tree = self.game, self.game.actions
        check_constant_sum(game)
        starts = (self.starts(1), self.starts(2))
        plexes = [self._treeplex(player, starts[player - 1]) for player in (1, 2)]
        p = game.deals.probability
        rows, columns, values = [], [], []
        for k, end in enumerate(tree.ends):
            rows.append(self._sequences(1, end, starts[0]))
            columns.append(self._sequences(2, end, starts[1]))
            values.append(p * game.payoffs[k, :, 0])
        shape = (plexes[0].n_sequences, plexes[1].n_sequences)
        A = Entries.of(shape, *(np.concatenate(part) for part in (rows, columns, values)))
        return SequenceForm(
            plexes[0], plexes[1], PayoffOperator.of(A), name=game.name, unit=game.unit
        )

    def _treeplex(self, player: int, starts: dict[int, int]) -> Treeplex:
        tree, parents, widths = self.game.actions, [], []
        names: tuple[list[str], list[tuple[str, ...]]] = ([], [])
        for node in tree.decisions(player):
            act, own = tree.nodes[node], tree.last_own(node)
            classes = self.information.sizes[act.round - 1]
            if own is None:
                parents.append(np.zeros(classes, np.int64))
            else:
                before = tree.nodes[own[0]]
                up = self.information.up(act.round, before.round)
                parents.append(starts[own[0]] + up * len(before.actions) + own[1])
            widths += [len(act.actions)] * classes
            names[0].extend(self.infoset(node, c) for c in range(classes))
            names[1].extend([act.actions] * classes)
        above = np.concatenate(parents) if parents else np.zeros(0, np.int64)
        return Treeplex.of_infosets(above, widths, ListedNames(*names))

    # As a tree -----------------------------------------------------------------------------

    def tree_size(self) -> int:
        """Number of nodes of the game tree, where chance tells one thing at a node."""
        signals = filtered_signal_tree(self.information)
        nodes, histories, before = 0, 1, 0
        for stage, level in zip(self.game.stages, signals.complete, strict=True):
            nodes += histories * sum(signals.sizes[before:level])
            nodes += histories * signals.sizes[level] * (len(stage.nodes) - len(stage.continuing))
            histories, before = histories * len(stage.continuing), level
        return nodes

    def tree(self) -> TreeGame:
        """The game tree: levels of the filtered signal tree, then stages, round by round.

        Raises
        ------
        GameError
            If there are not two players, or if their payoffs do not sum to a constant.
        SizeError
            If there are more than two million nodes.
        """
        constant = check_constant_sum(self.game)
        if (size := self.tree_size()) > MOST_NODES:
            raise SizeError(
                f"the tree of {self.game.name} has {size:,} nodes, expected at most {MOST_NODES:,}"
            )
        record = Recorder()
        _Grower(self, record).grow()
        return record.game(self.game.name, constant_sum=constant, unit=self.game.unit)


class _Grower:
    """Walks through the game tree of a filtered game and records its nodes."""

    def __init__(self, filtered: FilteredGame, record: Recorder) -> None:
        self.filtered, self.record, self.game = filtered, record, filtered.game
        self.signals: SignalTree = filtered_signal_tree(filtered.information)
        self.deal = [np.unique(place, return_index=True)[1] for place in self.signals.place]
        self.chances = [
            self.signals.probability(level) for level in range(1, self.signals.depth + 1)
        ]
        self.told = [
            [filtered.information.told(i, j) for j in range(1, self.game.rounds + 1)]
            for i in (1, 2)
        ]
        # Average payoffs by path, and by node of the level where its round is complete.
        self.payoff: dict[int, NDArray[np.float64]] = {}
        p = self.game.deals.probability
        for k, end in enumerate(self.game.actions.ends):
            place = self.signals.place[self._level(end)]
            mass = np.bincount(place, p)
            self.payoff[end] = np.bincount(place, p * self.game.payoffs[k, :, 0]) / mass

    def _level(self, act: int) -> int:
        """The level at which chance is done before a node of actions."""
        return self.signals.complete[self.game.actions.nodes[act].round - 1]

    def grow(self) -> None:
        """Record all nodes: the act, the level and node of the signals, what leads here."""
        todo: list[tuple[int, int, int, int, int, float]] = [(0, 0, 0, -1, 0, 1.0)]
        while todo:
            act, level, node, parent, move, chance = todo.pop()
            if level < self._level(act):
                below = self.signals.children[level][node]
                odds = rounded([float(self.chances[level][c]) for c in below])
                names = [str(k + 1) for k in range(len(below))]
                event = self.record.event((level, tuple(odds)), names)
                here = self.record.add(parent, move, chance, CHANCE, event)
                for k in reversed(range(len(below))):
                    todo.append((act, level + 1, below[k], here, k, odds[k]))
                continue
            after = self._after(act, level, node, parent, move, chance)
            todo += reversed(after)

    def _after(
        self, act: int, level: int, node: int, parent: int, move: int, chance: float
    ) -> list[tuple[int, int, int, int, int, float]]:
        """Record a decision or an end, and return what follows."""
        here = self.game.actions.nodes[act]
        if here.over:
            payoff = float(self.payoff[act][node]) + 0.0
            self.record.add(parent, move, chance, LEAF, payoff=payoff)
            return []
        number = int(self.told[here.player - 1][here.round - 1][self.deal[level][node]])
        name = self.filtered.infoset(act, number)
        infoset = self.record.infoset(here.player, name, name, here.actions)
        added = self.record.add(parent, move, chance, here.player, infoset)
        following = self.game.actions.children[act]
        return [(child, level, node, added, k, 1.0) for k, child in enumerate(following)]


def check_constant_sum(game: OrderedGame) -> float:
    """The sum of both players' payoffs, if it is the same everywhere.

    Raises
    ------
    GameError
        If there are not two players, or if the sum differs, naming a path.
    """
    if game.players != 2:
        raise GameError(
            f"{game.name} has {game.players} players; a sequence form needs two whose payoffs "
            "sum to a constant"
        )
    sums = game.payoffs.sum(axis=2)
    first = float(sums[0, 0])
    off = np.abs(sums - first).max(axis=1) > TOLERANCE * max(1.0, float(np.abs(sums).max()))
    if off.any():
        end = int(np.flatnonzero(off)[0])
        path = game.actions.name(game.actions.nodes[game.actions.ends[end]].path)
        other = float(sums[end][np.abs(sums[end] - first).argmax()])
        raise GameError(
            f"payoffs of {game.name} sum to {first:g} and, after '{path}', to {other:g}; a "
            "sequence form needs two players whose payoffs sum to a constant"
        )
    return first
