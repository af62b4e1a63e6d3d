r"""Stage games: the trees that the players of an ordered game act on, one for each round.

A stage is a finite tree without chance. Its inner nodes are decisions, its leaves end the game
(`over`) or lead to the next round (`continue`): the trees $G^j$, the labels $L^j$ and the map
$\omega$ of Definition 5 (thesis 003, section 5.3). What can be done does not depend on the
signals, so all rounds together are one tree of actions as well, `ActionTree`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from saddlepoint.core.checks import listed, shown, text, whole
from saddlepoint.core.errors import RulesError

OVER, CONTINUE = "over", "continue"
# What separates actions and rounds in the names of histories.
DOT, STROKE = ".", "/"
FORBIDDEN = "./:,"
# The actions of one player after another, by round.
Path = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Decision:
    """An inner node of a stage: who acts, and the node that each of his actions leads to.

    Parameters
    ----------
    player
        Who acts, counted from 1.
    moves
        The number of a node in its `Stage` for the name of each action.
    """

    player: int
    moves: Mapping[str, int]

    def __post_init__(self) -> None:
        whole("player", self.player, 1, error=RulesError)
        if not isinstance(self.moves, Mapping) or not self.moves:
            raise RulesError(
                f"moves are {shown(self.moves)}, expected a table with at least one action"
            )
        for action, node in self.moves.items():
            if not text("action", action, error=RulesError) or set(action) & set(FORBIDDEN):
                raise RulesError(
                    f"action is {shown(action)}, expected a name without any of {FORBIDDEN}"
                )
            whole(f"the node after '{action}'", node, 0, error=RulesError)


Node = Decision | str


@dataclass(frozen=True)
class Stage:
    """The game of one round: a tree of decisions, given node by node.

    Parameters
    ----------
    nodes
        Node 0 is the root. A node is a `Decision`, or a leaf: `over` or `continue`.

    Raises
    ------
    RulesError
        If the nodes are no tree, naming the first node that is wrong.

    Examples
    --------
    Player 1 passes or bets; a bet is met by player 2 or not:

    >>> stage = Stage(
    ...     (
    ...         Decision(1, {"pass": 1, "bet": 2}),
    ...         "continue",
    ...         Decision(2, {"fold": 3, "call": 4}),
    ...         "over",
    ...         "continue",
    ...     )
    ... )
    >>> [stage.path(leaf) for leaf in stage.leaves]
    [('pass',), ('bet', 'fold'), ('bet', 'call')]
    """

    nodes: Sequence[Node]

    def __post_init__(self) -> None:
        nodes = listed("nodes", self.nodes, "decisions and leaves", error=RulesError)
        object.__setattr__(self, "nodes", nodes)
        if not nodes:
            raise RulesError("a stage needs at least one node, found none")
        above: dict[int, int] = {}
        for number, node in enumerate(nodes):
            if not isinstance(node, Decision):
                if node not in (OVER, CONTINUE):
                    raise RulesError(
                        f"node {number} of a stage is {shown(node)}, expected a Decision, "
                        f"'{OVER}' or '{CONTINUE}'"
                    )
                continue
            for action, child in node.moves.items():
                self._place(above, number, action, child)
        for number in range(1, len(nodes)):
            at, steps = number, 0
            while at and steps <= len(nodes):
                if at not in above:
                    raise RulesError(f"node {at} of a stage is no tree: no action leads to it")
                at, steps = above[at], steps + 1
            if at:
                raise RulesError(f"node {number} of a stage is no tree: it stands above itself")

    def _place(self, above: dict[int, int], number: int, action: str, child: int) -> None:
        where = f"action '{action}' of node {number} of a stage leads to node {child}"
        if child >= len(self.nodes):
            raise RulesError(f"{where}, expected one of the {len(self.nodes)} nodes")
        if child == 0:
            raise RulesError(f"{where}: no tree, expected no action that leads to the root")
        if child in above:
            raise RulesError(f"{where}: no tree, node {above[child]} leads there too")
        above[child] = number

    @classmethod
    def of(cls, table: Any, where: str = "stage") -> Stage:
        """The stage of nested tables: `player` and `actions`, at the ends `over` or `continue`.

        >>> Stage.of({"player": 1, "actions": {"pass": "over", "bet": "continue"}}).leaves
        (1, 2)
        """
        nodes: list[Node] = []
        _listed_nodes(table, nodes, where)
        return cls(nodes)

    @cached_property
    def above(self) -> dict[int, tuple[int, str]]:
        """For every node but the root: the node above it, and the action that leads here."""
        return {
            child: (number, action)
            for number, node in enumerate(self.nodes)
            if isinstance(node, Decision)
            for action, child in node.moves.items()
        }

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The leaves, in the order in which a walk from the root meets them."""
        found, todo = [], [0]
        while todo:
            number = todo.pop()
            node = self.nodes[number]
            if isinstance(node, Decision):
                todo += reversed(list(node.moves.values()))
            else:
                found.append(number)
        return tuple(found)

    @property
    def continuing(self) -> tuple[int, ...]:
        """The leaves that lead to the next round."""
        return tuple(leaf for leaf in self.leaves if self.nodes[leaf] == CONTINUE)

    def path(self, node: int) -> tuple[str, ...]:
        """The actions that lead from the root to a node."""
        actions: list[str] = []
        while node:
            node, action = self.above[node]
            actions.append(action)
        return tuple(reversed(actions))


def _listed_nodes(table: Any, nodes: list[Node], where: str) -> int:
    """Append the nodes of nested tables; return the number of their root."""
    number = len(nodes)
    if isinstance(table, str):
        if table not in (OVER, CONTINUE):
            raise RulesError(
                f"{where} is {shown(table)}, expected '{OVER}', '{CONTINUE}' or a table"
            )
        nodes.append(table)
        return number
    if not isinstance(table, Mapping) or set(table) != {"player", "actions"}:
        raise RulesError(f"{where} is {shown(table)}, expected a table with 'player' and 'actions'")
    player, actions = table["player"], table["actions"]
    if not isinstance(actions, Mapping):
        raise RulesError(f"{where}.actions is {shown(actions)}, expected a table")
    nodes.append(OVER)  # holds the place until the nodes below have numbers
    moves = {
        action: _listed_nodes(below, nodes, f"{where}.{action}")
        for action, below in actions.items()
    }
    try:
        nodes[number] = Decision(player, moves)
    except RulesError as problem:
        raise RulesError(f"{where}: {problem}") from None
    return number


@dataclass(frozen=True)
class Act:
    """A node of the tree of all actions.

    Parameters
    ----------
    round
        The round, counted from 1.
    player
        Who acts; 0 where the game is over.
    actions
        What he may do.
    above
        The number of the node before this one (-1 at the root) and the place of the action
        that leads here.
    path
        What has been done, by round.
    """

    round: int
    player: int
    actions: tuple[str, ...]
    above: tuple[int, int]
    path: Path

    @property
    def over(self) -> bool:
        """Whether the game is over here."""
        return self.player == 0


class ActionTree:
    """All rounds' stages joined: what can be done, whatever the signals.

    The nodes are `Act`s, parents first, a node before the subtrees of its actions; where a
    leaf continues stands the root of the next stage. `children` lists what follows each.

    >>> stage = Stage.of({"player": 1, "actions": {"stop": "over", "go": "continue"}})
    >>> last = Stage.of({"player": 2, "actions": {"left": "over", "right": "over"}})
    >>> tree = ActionTree((stage, last))
    >>> [tree.name(node.path) for node in tree.nodes if node.over]
    ['stop', 'go/left', 'go/right']
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.nodes: list[Act] = []
        self.children: list[list[int]] = []
        # Longer names of actions need a dot between them.
        names = [a for s in stages for n in s.nodes if isinstance(n, Decision) for a in n.moves]
        self._dot = DOT if any(len(name) > 1 for name in names) else ""
        todo: list[tuple[int, int, tuple[int, int], Path]] = [(0, 0, (-1, 0), ((),))]
        while todo:
            j, number, above, path = todo.pop()
            node = stages[j].nodes[number]
            while node == CONTINUE:
                j, number, path = j + 1, 0, (*path, ())
                node = stages[j].nodes[0]
            here = len(self.nodes)
            if above[0] >= 0:
                self.children[above[0]].append(here)
            self.children.append([])
            if not isinstance(node, Decision):
                self.nodes.append(Act(j + 1, 0, (), above, path))
                continue
            self.nodes.append(Act(j + 1, node.player, tuple(node.moves), above, path))
            for k, (action, child) in reversed(list(enumerate(node.moves.items()))):
                done = (*path[:-1], (*path[-1], action))
                todo.append((j, child, (here, k), done))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The numbers of the nodes where the game is over."""
        return tuple(k for k, node in enumerate(self.nodes) if node.over)

    @cached_property
    def end_of(self) -> dict[Path, int]:
        """The place among `ends` of every path to the end."""
        return {self.nodes[node].path: k for k, node in enumerate(self.ends)}

    def decisions(self, player: int) -> tuple[int, ...]:
        """The numbers of a player's nodes."""
        return tuple(k for k, node in enumerate(self.nodes) if node.player == player)

    def last_own(self, node: int) -> tuple[int, int] | None:
        """The mover's decision before this one and the action he took, if there was one."""
        player, (at, action) = self.nodes[node].player, self.nodes[node].above
        while at >= 0:
            if self.nodes[at].player == player:
                return at, action
            at, action = self.nodes[at].above
        return None

    def name(self, path: Path) -> str:
        """A path as text: actions joined (by dots, where they are words), rounds by strokes."""
        return STROKE.join(self._dot.join(actions) for actions in path)
