"""Random games with perfect recall, for tests that should hold of every game.

A tree grows from the root with a budget of nodes. Chance may tell either player, both or
neither which of its moves it made; an opponent's move is seen or not. A player knows what
he was told, what he saw and what he did, in this order: this memory is his information
set, and that he has a move there, and how many, is a function of it. So nobody forgets.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from saddlepoint.sequence.form import CHANCE, LEAF, SequenceForm, Tree, form_of_tree, matrix_form

Memory = tuple[str, ...]
MOVES = 3


@dataclass
class _Grower:
    rng: np.random.Generator
    depth: int
    parent: list[int] = field(default_factory=list)
    move: list[int] = field(default_factory=list)
    mover: list[int] = field(default_factory=list)
    infoset: list[int] = field(default_factory=list)
    probability: list[float] = field(default_factory=list)
    payoff: list[float] = field(default_factory=list)
    known: tuple[dict[Memory, int], dict[Memory, int]] = field(default_factory=lambda: ({}, {}))
    actions: tuple[list[list[str]], list[list[str]]] = field(default_factory=lambda: ([], []))

    def node(self, parent: int, move: int, mover: int, infoset: int, p: float) -> int:
        self.parent.append(parent)
        self.move.append(move)
        self.mover.append(mover)
        self.infoset.append(infoset)
        self.probability.append(p)
        self.payoff.append(float(self.rng.integers(-4, 5)) if mover == LEAF else 0.0)
        return len(self.parent) - 1

    def number(self, player: int, memory: Memory) -> int:
        """The information set of a memory; its actions are drawn when it is first met."""
        known, actions = self.known[player - 1], self.actions[player - 1]
        if memory not in known:
            known[memory] = len(known)
            count = int(self.rng.integers(1, MOVES + 1))
            actions.append([chr(ord("a") + k) for k in range(count)])
        return known[memory]

    def grow(
        self, parent: int, move: int, p: float, memories: tuple[Memory, Memory], depth: int
    ) -> None:
        kind = int(self.rng.choice([CHANCE, 1, 2, LEAF], p=[0.2, 0.33, 0.33, 0.14]))
        if depth == 0 or (kind == LEAF and parent >= 0):
            self.node(parent, move, LEAF, -1, p)
        elif kind in (1, 2):
            self.grow_player(parent, move, p, memories, depth, kind)
        else:
            self.grow_chance(parent, move, p, memories, depth)

    def grow_player(
        self,
        parent: int,
        move: int,
        p: float,
        memories: tuple[Memory, Memory],
        depth: int,
        player: int,
    ) -> None:
        infoset = self.number(player, memories[player - 1])
        n = self.node(parent, move, player, infoset, p)
        seen = bool(self.rng.integers(2))
        for k, name in enumerate(self.actions[player - 1][infoset]):
            after = list(memories)
            after[player - 1] = (*memories[player - 1], f"did {name}")
            if seen:
                after[2 - player] = (*memories[2 - player], f"saw {name}")
            self.grow(n, k, 1.0, (after[0], after[1]), depth - 1)

    def grow_chance(
        self, parent: int, move: int, p: float, memories: tuple[Memory, Memory], depth: int
    ) -> None:
        n = self.node(parent, move, CHANCE, -1, p)
        weights = self.rng.integers(1, 4, size=int(self.rng.integers(2, 4))).astype(float)
        told = self.rng.integers(2, size=2)
        for k, weight in enumerate(weights / weights.sum()):
            after = [m + (f"told {k}",) * int(t) for m, t in zip(memories, told, strict=True)]
            self.grow(n, k, float(weight), (after[0], after[1]), depth - 1)


def random_tree(seed: int, depth: int = 5) -> Tree:
    """A tree of at most so many moves, with payoffs between -4 and 4."""
    grower = _Grower(np.random.default_rng(seed), depth)
    grower.grow(-1, 0, 1.0, ((), ()), depth)
    names = tuple([" ".join(m) or "start" for m in known] for known in grower.known)
    integers = (grower.parent, grower.move, grower.mover, grower.infoset)
    return Tree(
        *(np.array(values, np.int64) for values in integers),
        np.array(grower.probability),
        np.array(grower.payoff),
        (names[0], names[1]),
        grower.actions,
    )


def random_form(seed: int, depth: int = 5) -> SequenceForm:
    """The sequence form of a random tree."""
    return form_of_tree(random_tree(seed, depth), name=f"random tree {seed}")


def random_matrix(seed: int, rows: int = 5, columns: int = 5, most: int = 9) -> np.ndarray:
    """A matrix of whole numbers, from -most to most."""
    return np.random.default_rng(seed).integers(-most, most + 1, size=(rows, columns)) * 1.0


trees = st.builds(random_form, st.integers(0, 10**6), st.integers(2, 6))
matrices = st.builds(
    random_matrix, st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 7), st.integers(1, 9)
)
matrix_forms = matrices.map(matrix_form)
