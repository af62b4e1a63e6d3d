'''Games given by their rules: a class with six short methods becomes a tree.

The rules say who moves in a state, what the moves are, where they lead, what the mover
sees and what the end pays. `tree_of` unfolds them. As an example, Dresher's inspection
game (M. Dresher, A sampling inspection problem in arms control agreements, 1962): over
some days an inspector may inspect a limited number of times; a smuggler acts once, on a
day of his choice or never; each learns at night what the other did.

>>> class Inspection:
...     """A state is the letters played: inspect or stay, then (same day) act or wait."""
...
...     def __init__(self, days, inspections):
...         self.days, self.inspections = days, inspections
...
...     def root(self):
...         return ""
...
...     def mover(self, state):
...         over = state.endswith("a") or len(state) == 2 * self.days
...         return None if over else 1 + len(state) % 2
...
...     def moves(self, state):
...         if self.mover(state) == 2:
...             return ["a", "w"]
...         return ["i", "s"] if state.count("i") < self.inspections else ["s"]
...
...     def play(self, state, move):
...         return state + move
...
...     def infoset(self, state):
...         return f"day {len(state) // 2 + 1}: {state[: len(state) // 2 * 2]}"
...
...     def payoff(self, state):
...         return 0 if not state.endswith("a") else 1 if state[-2] == "i" else -1
>>> game = tree_of(Inspection(days=3, inspections=1), name="inspection")
>>> game.n_nodes, game.counts().infosets
(28, (6, 6))
>>> game.path(game.n_nodes - 1)
('s', 'w', 's', 'w', 's', 'w')
'''

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Protocol, TypeVar

from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.games.tree import Recorder, TreeGame
from saddlepoint.games.tree_check import SUM_TOLERANCE
from saddlepoint.sequence.form import CHANCE, LEAF

State = TypeVar("State")

MAX_NODES = 5_000_000
# Lists of numbers while the tree grows, arrays at the end.
_BYTES_PER_NODE = 300
_PROGRESS_EVERY = 10_000
_SHOWN_CHARACTERS = 80


class Rules(Protocol[State]):
    """What a game's rules have to answer; states and moves are whatever suits them.

    States are never changed, only made: `play` returns a new one.
    """

    def root(self) -> State:
        """The state before the first move."""

    def mover(self, state: State) -> Any:
        """Who moves: 1, 2, "chance", or None at the end of the game."""

    def moves(self, state: State) -> Iterable[Any]:
        """The legal moves; at chance nodes pairs of a move and its probability.

        `str(move)` is the name of the move, different for different moves of a state.
        """

    def play(self, state: State, move: Any) -> State:
        """The state after a move."""

    def infoset(self, state: State) -> Hashable:
        """What the mover knows: equal in the states that he cannot tell apart.

        `str` of it is the name of the information set. The players' information sets
        are apart: they may be called the same.
        """

    def payoff(self, state: State) -> float:
        """What player 1 receives at the end of the game."""


def tree_of(
    rules: Rules[State],
    *,
    name: str = "game",
    max_nodes: int = MAX_NODES,
    progress: Callable[[int], None] | None = None,
    **description: Any,
) -> TreeGame:
    """Unfold rules into an explicit tree.

    Costs O(nodes) calls of each method; games of any depth.

    Parameters
    ----------
    rules
        The rules: any object with the methods of `Rules`.
    name
        What people call the game.
    max_nodes
        Refuse larger trees.
    progress
        Called now and then with the number of nodes so far.
    description
        Further fields of `TreeGame`: `players`, `constant_sum`, `unit`, `spec`.

    Raises
    ------
    RulesError
        If the rules contradict themselves, naming the state.
    SizeError
        If there are more than `max_nodes` nodes.
    """
    unfolding = _Unfolding(rules)
    record = unfolding.record
    stack: list[tuple[Any, Any, int, int, float]] = [(rules.root(), None, -1, 0, 1.0)]
    while stack:
        state, step, parent, k, probability = stack.pop()
        if parent >= 0:
            state = rules.play(state, step)
        if len(record) >= max_nodes:
            raise too_large(name, max_nodes)
        mover, number, payoff, branches = unfolding.look(state)
        node = record.add(parent, k, probability, mover, number, payoff)
        for j in range(len(branches) - 1, -1, -1):
            stack.append((state, branches[j][1], node, j, branches[j][2]))
        if progress is not None and len(record) % _PROGRESS_EVERY == 0:
            progress(len(record))
    return record.game(name, **description)


def too_large(name: str, max_nodes: int) -> SizeError:
    """The refusal of a tree that outgrew its limit."""
    return SizeError(
        f"the tree of {name} has more than {max_nodes:,} nodes, which take about "
        f"{max_nodes * _BYTES_PER_NODE / 1e9:.2g} GB while it is built; raise max_nodes to allow it"
    )


# The name of a move, the move itself, and its probability.
Branch = tuple[str, Any, float]


class _Unfolding:
    """Asks the rules about one state at a time, and checks what they say."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules, self.record = rules, Recorder()
        self._keys: dict[tuple[int, str], Hashable] = {}

    def look(self, state: Any) -> tuple[int, int, float, list[Branch]]:
        """Mover, number of the information set or event, payoff, and branches of a state."""
        mover = self.rules.mover(state)
        if mover is None:
            return LEAF, -1, _payoff(self.rules, state), []
        if mover == "chance":
            branches = _chances(self.rules, state)
            names = [name for name, _, _ in branches]
            key = tuple((name, p) for name, _, p in branches)
            return CHANCE, self.record.event(key, names), 0.0, branches
        if mover in (1, 2):
            branches = _choices(self.rules, state)
            seen = self._key(mover, state)
            names = [name for name, _, _ in branches]
            return mover, self.record.infoset(mover, seen, str(seen), names), 0.0, branches
        raise RulesError(
            f"mover is {mover!r} in state {_shown(state)}, expected 1, 2, 'chance' or None"
        )

    def _key(self, player: int, state: Any) -> Hashable:
        """What the mover sees, which must have a name of its own."""
        key = self.rules.infoset(state)
        try:
            hash(key)
        except TypeError:
            raise RulesError(
                f"infoset is {_shown(key)} in state {_shown(state)}, expected something hashable, "
                "such as text or a tuple"
            ) from None
        known = self._keys.setdefault((player, str(key)), key)
        if known != key:
            raise RulesError(
                f"information sets {known!r} and {key!r} of player {player} are both called "
                f"'{key}', the second in state {_shown(state)}"
            )
        return key


def _choices(rules: Rules[State], state: State) -> list[Branch]:
    return _named([(str(move), move, 1.0) for move in rules.moves(state)], state)


def _chances(rules: Rules[State], state: State) -> list[Branch]:
    try:
        pairs = [(move, float(p)) for move, p in rules.moves(state)]
    except (TypeError, ValueError):
        raise RulesError(
            f"chance moves in state {_shown(state)}: expected pairs of a move and a probability"
        ) from None
    branches = _named([(str(move), move, p) for move, p in pairs], state)
    total = math.fsum(p for _, p in pairs)
    if not all(p > 0.0 for _, p in pairs) or not abs(total - 1.0) <= SUM_TOLERANCE:
        raise RulesError(
            f"chance probabilities in state {_shown(state)} are {[p for _, p in pairs]}: "
            f"sum {total:.10g}, expected positive numbers with sum 1"
        )
    return branches


def _named(branches: list[Branch], state: object) -> list[Branch]:
    names = [name for name, _, _ in branches]
    if not names:
        raise RulesError(f"no moves in state {_shown(state)}, though somebody is to move")
    if len(set(names)) != len(names):
        raise RulesError(f"two moves of one name in state {_shown(state)}: {names}")
    return branches


def _payoff(rules: Rules[State], state: State) -> float:
    payoff = float(rules.payoff(state))
    if not math.isfinite(payoff):
        raise RulesError(f"payoff is {payoff} in state {_shown(state)}, expected a finite number")
    return payoff


def _shown(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."
