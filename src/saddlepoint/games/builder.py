"""Writing a game tree by hand.

>>> b = TreeBuilder("coin toss")
>>> toss = b.chance({"heads": 0.5, "tails": 0.5})
>>> for side, price in (("heads", 0.5), ("tails", -0.5)):
...     toss[side] = held = b.decision(1, side, ["sell", "play"])
...     held["sell"] = price
...     held["play"] = guess = b.decision(2, "guess", ["heads", "tails"])
...     guess["heads"] = -1 if side == "heads" else 1
...     guess["tails"] = -1 if side == "tails" else 1
>>> b.build()
<TreeGame coin toss: 11 nodes, 2 and 1 information sets>

Nodes are made by the builder and put in their place by assignment to a move of another
node; a number is a leaf that pays it to player 1. The node that is never put anywhere is
the root. Nodes of one information set are made with the same name. Games with more
structure than fits a page are better given as rules: see `saddlepoint.games.rules`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from saddlepoint.core.errors import RulesError
from saddlepoint.games.tree import Recorder, TreeGame
from saddlepoint.games.tree_check import SUM_TOLERANCE
from saddlepoint.sequence.form import CHANCE, LEAF


class Node:
    """A node of a tree that is being written; assign to its moves.

    Made by `TreeBuilder.chance`, `decision` and `leaf`.
    """

    def __init__(
        self,
        mover: int,
        name: str = "",
        moves: Sequence[str] = (),
        probabilities: Sequence[float] = (),
        payoff: float = 0.0,
    ) -> None:
        self.mover, self.name, self.moves = mover, name, tuple(moves)
        self.probabilities, self.payoff = tuple(probabilities), payoff
        self.children: dict[str, Node] = {}
        self.placed = False

    def __repr__(self) -> str:
        if self.mover == LEAF:
            return f"leaf paying {self.payoff:g}"
        kind = "chance" if self.mover == CHANCE else f"decision '{self.name}' of {self.mover}"
        return f"{kind} between {', '.join(self.moves)}"

    def __getitem__(self, move: str) -> Node:
        """The node that a move leads to."""
        self._check(move)
        if move not in self.children:
            raise RulesError(f"move '{move}' of the {self!r} leads nowhere yet")
        return self.children[move]

    def __setitem__(self, move: str, child: Node | float) -> None:
        """Let a move lead to a node, or to a leaf with this payoff."""
        self._check(move)
        if move in self.children:
            raise RulesError(f"move '{move}' of the {self!r} already leads to a node")
        node = child if isinstance(child, Node) else _leaf(child)
        if node.placed:
            raise RulesError(f"the {node!r} already stands elsewhere; a tree needs a new node")
        node.placed = True
        self.children[move] = node

    def _check(self, move: str) -> None:
        if move not in self.moves:
            raise RulesError(f"the {self!r} has no move '{move}'")


class TreeBuilder:
    """Makes the nodes of a tree and, at the end, the game.

    Parameters
    ----------
    name
        What people call the game.
    description
        Further fields of `TreeGame`: `players`, `constant_sum`, `unit`, `spec`.

    Raises
    ------
    RulesError
        Where a node contradicts itself or another one, naming it.

    Examples
    --------
    >>> b = TreeBuilder("matching pennies")
    >>> root = b.decision(1, "hide", ["heads", "tails"])
    >>> for side in root.moves:
    ...     root[side] = b.decision(2, "guess", ["heads", "tails"])
    ...     root[side]["heads"] = -1 if side == "heads" else 1
    ...     root[side]["tails"] = -1 if side == "tails" else 1
    >>> b.build().counts().infosets
    (1, 1)
    """

    def __init__(self, name: str = "game", **description: Any) -> None:
        self.name, self.description = name, description
        self._nodes: list[Node] = []
        self._movers: dict[str, tuple[int, tuple[str, ...]]] = {}

    def chance(self, moves: Mapping[str, float] | Iterable[tuple[str, float]]) -> Node:
        """Make a chance node from moves with their probabilities."""
        pairs = list(moves.items()) if isinstance(moves, Mapping) else list(moves)
        names = _names([move for move, _ in pairs], "a chance node")
        probabilities = [float(p) for _, p in pairs]
        bad = [(m, p) for m, p in zip(names, probabilities, strict=True) if not 0.0 < p <= 1.0]
        if bad:
            raise RulesError(
                f"chance move '{bad[0][0]}' has probability {bad[0][1]:g}, "
                "expected a number above 0 and at most 1"
            )
        if abs(math.fsum(probabilities) - 1.0) > SUM_TOLERANCE:
            raise RulesError(
                f"the chance moves {', '.join(names)} have probabilities that sum to "
                f"{math.fsum(probabilities):.10g}, expected 1"
            )
        return self._made(Node(CHANCE, "", names, probabilities))

    def decision(self, player: int, infoset: str, actions: Iterable[str]) -> Node:
        """Make a node at which a player moves who knows no more than `infoset`."""
        if player not in (1, 2):
            raise RulesError(f"player of '{infoset}' is {player}, expected 1 or 2")
        names = tuple(_names(list(actions), f"information set '{infoset}'"))
        owner, known = self._movers.setdefault(infoset, (player, names))
        if owner != player:
            raise RulesError(
                f"information set '{infoset}' belongs to player {owner}, not to player {player}"
            )
        if known != names:
            raise RulesError(
                f"information set '{infoset}' has actions {list(known)} at one node and "
                f"{list(names)} at another"
            )
        return self._made(Node(player, infoset, names))

    def leaf(self, payoff: float) -> Node:
        """Make a leaf from player 1's payoff."""
        return self._made(_leaf(payoff))

    def _made(self, node: Node) -> Node:
        self._nodes.append(node)
        return node

    def build(self) -> TreeGame:
        """Check that the tree is complete, and make the game."""
        roots = [node for node in self._nodes if not node.placed]
        if len(roots) != 1:
            found = "; ".join(repr(node) for node in roots[:3]) or "none"
            raise RulesError(
                f"{len(roots)} of {len(self._nodes)} nodes stand under no other ({found}), "
                "expected exactly one: the root"
            )
        record = Recorder()
        stack: list[tuple[Node, int, int, float]] = [(roots[0], -1, 0, 1.0)]
        while stack:
            node, parent, move, probability = stack.pop()
            number = -1
            if node.mover == CHANCE:
                number = record.event((node.moves, node.probabilities), node.moves)
            elif node.mover != LEAF:
                number = record.infoset(node.mover, node.name, node.name, node.moves)
            here = record.add(parent, move, probability, node.mover, number, node.payoff)
            for k in range(len(node.moves) - 1, -1, -1):
                chances = node.probabilities or (1.0,) * len(node.moves)
                stack.append((node[node.moves[k]], here, k, chances[k]))
        return record.game(self.name, **self.description)


def _leaf(payoff: float) -> Node:
    value = float(payoff)
    if not math.isfinite(value):
        raise RulesError(f"a leaf has payoff {value}, expected a finite number")
    return Node(LEAF, payoff=value)


def _names(moves: Sequence[str], where: str) -> list[str]:
    names = [str(move) for move in moves]
    if not names:
        raise RulesError(f"{where} offers no moves, expected at least one")
    if len(set(names)) != len(names):
        raise RulesError(f"{where} has two moves of one name: {names}")
    return names
