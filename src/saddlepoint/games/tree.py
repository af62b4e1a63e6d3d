"""Explicit extensive-form games: a tree written node by node, checked once when it is made.

A `TreeGame` holds the arrays of `saddlepoint.sequence.form.Tree` and what people call
things. Trees come from four places: written by hand (`games.builder`), unfolded from
rules (`games.rules`), read from Gambit files (`games.gambit`) or taken from OpenSpiel
(`games.openspiel`). All of them record their nodes through `Recorder`, in prefix order:
a node, then the subtrees of its actions from first to last.

A game may be constant-sum: the tree keeps player 1's payoffs u, and player 2 receives
`constant_sum - u`. That changes neither what is optimal nor the value to player 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import RulesError
from saddlepoint.core.units import UTILS, Unit
from saddlepoint.games.counts import Counts
from saddlepoint.games.tree_check import checked
from saddlepoint.sequence.form import CHANCE, LEAF, SequenceForm, Tree
from saddlepoint.sequence.stepping import stepped_form

Labels = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class TreeGame:
    """A two-player zero-sum or constant-sum game as an explicit tree.

    Two games are equal if their trees, names, payoffs and unit are; `spec` may differ.

    Parameters
    ----------
    tree
        The nodes, with player 1's payoffs. At chance nodes `tree.infoset` is the number
        of the event in `events`.
    name
        What people call the game.
    players
        The names of player 1 and player 2.
    constant_sum
        The sum of both players' payoffs at every leaf: 0 in a zero-sum game.
    events
        The names of the moves of each chance event. Left empty, every chance node
        becomes an event of its own, whose moves are called 1, 2, ...
    spec
        How to build the game again, as data.
    unit
        What a payoff counts.

    Raises
    ------
    GameError
        If the arrays are not a tree, naming the first node that is wrong.

    Examples
    --------
    >>> from saddlepoint.games.builder import TreeBuilder
    >>> b = TreeBuilder("take or pass")
    >>> root = b.decision(1, "start", ["take", "pass"])
    >>> root["take"] = 1
    >>> root["pass"] = b.decision(2, "passed", ["small", "large"])
    >>> root["pass"]["small"], root["pass"]["large"] = 0, 2
    >>> game = b.build()
    >>> game.counts().nodes, game.path(4)
    (5, ('pass', 'large'))
    """

    tree: Tree
    name: str = "game"
    players: tuple[str, str] = ("Player 1", "Player 2")
    constant_sum: float = 0.0
    events: Labels = ()
    spec: Mapping[str, Any] = field(default_factory=dict)
    unit: Unit = UTILS

    def __post_init__(self) -> None:
        tree, events = checked(self.tree, self.events)
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "events", events)
        object.__setattr__(self, "constant_sum", float(self.constant_sum) + 0.0)

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`, computed once.

        Raises
        ------
        RecallError
            If a player forgets what he knew or did, naming the information set.
        """
        return self._form

    @cached_property
    def _form(self) -> SequenceForm:
        return stepped_form(self.tree, name=self.name, spec=dict(self.spec), unit=self.unit)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves and chance nodes included."""
        return self.tree.n_nodes

    @property
    def infosets(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Per player: the names of the information sets."""
        first, second = self.tree.infosets
        return tuple(first), tuple(second)

    @property
    def actions(self) -> tuple[Labels, Labels]:
        """Per player: the names of the actions of each information set."""
        first, second = self.tree.actions
        return tuple(map(tuple, first)), tuple(map(tuple, second))

    def counts(self) -> Counts:
        """Nodes by kind, information sets and sequences."""
        mover, infoset = self.tree.mover, self.tree.infoset
        used = [np.unique(infoset[mover == player]) for player in (1, 2)]
        sequences = [
            1 + sum(len(self.tree.actions[k][i]) for i in own) for k, own in enumerate(used)
        ]
        return Counts(
            nodes=self.n_nodes,
            chance_nodes=int((mover == CHANCE).sum()),
            decision_nodes=int((mover > 0).sum()),
            leaves=int((mover == LEAF).sum()),
            infosets=(len(used[0]), len(used[1])),
            sequences=(sequences[0], sequences[1]),
        )

    def moves(self, node: int) -> tuple[str, ...]:
        """The names of the moves at a node; none at a leaf."""
        mover, i = int(self.tree.mover[node]), int(self.tree.infoset[node])
        if mover == LEAF:
            return ()
        return self.events[i] if mover == CHANCE else tuple(self.tree.actions[mover - 1][i])

    def path(self, node: int) -> tuple[str, ...]:
        """The names of the moves that lead from the root to a node."""
        names: list[str] = []
        while (parent := int(self.tree.parent[node])) >= 0:
            names.append(self.moves(parent)[int(self.tree.move[node])])
            node = parent
        return tuple(reversed(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeGame):
            return NotImplemented
        arrays = ("parent", "move", "mover", "infoset", "probability", "payoff")
        facts = ("name", "players", "constant_sum", "events", "infosets", "actions", "unit")
        return all(getattr(self, key) == getattr(other, key) for key in facts) and all(
            np.array_equal(getattr(self.tree, key), getattr(other.tree, key)) for key in arrays
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        c = self.counts()
        return (
            f"<TreeGame {self.name}: {c.nodes} nodes, {c.infosets[0]} and {c.infosets[1]} "
            "information sets>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(key.replace('_', ' '))}</th><td>{value}</td></tr>"
            for key, value in self.counts().to_dict().items()
        )
        return f"<table><caption>{escape(self.name)}</caption>{rows}</table>"


class Recorder:
    """Collects the nodes of a tree in prefix order.

    Information sets and events are numbered as they first appear; asking for a known
    one again returns its number and checks that nothing about it has changed.
    """

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.move: list[int] = []
        self.mover: list[int] = []
        self.set: list[int] = []
        self.probability: list[float] = []
        self.payoff: list[float] = []
        self.infosets: tuple[list[str], list[str]] = ([], [])
        self.actions: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
        self.events: list[tuple[str, ...]] = []
        self._known: dict[tuple[int, Hashable], int] = {}

    def __len__(self) -> int:
        return len(self.parent)

    def infoset(self, player: int, key: Hashable, name: str, actions: Sequence[str]) -> int:
        """The number of a player's information set, entered when it is new."""
        number = self._known.setdefault((player, key), len(self.infosets[player - 1]))
        if number == len(self.infosets[player - 1]):
            self.infosets[player - 1].append(name)
            self.actions[player - 1].append(tuple(actions))
        elif (known := self.actions[player - 1][number]) != tuple(actions):
            raise RulesError(
                f"information set '{name}' of player {player} has actions {list(actions)}, "
                f"elsewhere {list(known)}; its nodes must offer the same actions in the same order"
            )
        return number

    def event(self, key: Hashable, moves: Sequence[str]) -> int:
        """The number of a chance event, entered when it is new."""
        number = self._known.setdefault((CHANCE, key), len(self.events))
        if number == len(self.events):
            self.events.append(tuple(moves))
        return number

    def add(
        self,
        parent: int,
        move: int,
        probability: float,
        mover: int,
        number: int = -1,
        payoff: float = 0.0,
    ) -> int:
        """Add a node: `number` is its information set or event. Returns the node."""
        self.parent.append(parent)
        self.move.append(move)
        self.probability.append(probability)
        self.mover.append(mover)
        self.set.append(number)
        self.payoff.append(payoff)
        return len(self.parent) - 1

    def tree(self) -> Tree:
        """The nodes as arrays."""

        def integers(values: list[int]) -> NDArray[np.int64]:
            return np.array(values, np.int64)

        return Tree(
            parent=integers(self.parent),
            move=integers(self.move),
            mover=integers(self.mover),
            infoset=integers(self.set),
            probability=np.array(self.probability, np.float64),
            payoff=np.array(self.payoff, np.float64),
            infosets=self.infosets,
            actions=self.actions,
        )

    def game(self, name: str, **description: Any) -> TreeGame:
        """The game, with further fields of `TreeGame` by name."""
        return TreeGame(self.tree(), name, events=tuple(self.events), **description)
