r"""What the rest of a game is worth, where its first rounds end.

After a history h with $c_h$ chips of each player in the pot, the rest is worth

$$c_h\, M^1_{ij} + M^2_{ij}$$

to player 1 with hand i against hand j, with $M^1$ the expected sign of the outcome and $M^2$
the expected chips that are paid on top. If nobody bets any more, $M^1$ is the expected showdown
and $M^2$ is zero; else both follow from the strategies of a model
(`saddlepoint.abstraction.rollout_model`). They depend on the betting ahead, but not on how it
came to that, so that histories with equal betting ahead share them.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.rollout_model import (
    Model,
    Modelled,
    Nodes,
    Place,
    RollOut,
    betting_of_round,
)
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import FOLDED1, SHOWDOWN
from saddlepoint.games.deal import Classes
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.payoff import DealMatrix, SparseDeal

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Rest:
    """What the rest of the game is worth after some histories with equal betting ahead.

    Parameters
    ----------
    nodes
        The first betting node of the rest, after each history.
    sign, extra
        $M^1$ and $M^2$: expected sign of the outcome, and expected units on top, over the
        classes that the players saw when they last acted; `extra` is None if it is zero.
    """

    nodes: Nodes
    sign: DealMatrix
    extra: DealMatrix | None


def rests(game: FactoredGame, keep: int, model: Model) -> list[Rest]:
    """The worth of the rest of the game after every history that goes on past `keep` rounds.

    Costs O(leaves ahead * pairs of hands) for each set of histories with equal betting ahead.
    """
    tree, found = game.tree, []
    heads = (tree.mover > 0) & (tree.round >= keep) & (tree.parent >= 0)
    first = np.flatnonzero(heads & (tree.round[tree.parent] < keep))
    sets = [first] if isinstance(model, RollOut) else _equal_ahead(tree, first)
    for ids in sets if len(first) else []:
        seen = np.array([[int(place.seen[n]) for place in game.factored.places] for n in ids])
        for pair in np.unique(seen, axis=0):
            nodes = ids[(seen == pair).all(axis=1)]
            one, two = (int(r) for r in pair)
            if isinstance(model, RollOut):
                found.append(Rest(nodes, game.deal.matrix(True, keep - 1, one, two), None))
            else:
                sign, extra = _Ahead(game, keep, model, (one, two)).worth(int(nodes[0]))
                found.append(Rest(nodes, sign, extra if len(extra.table) else None))
    return found


def _equal_ahead(tree: BettingTree, first: Nodes) -> list[Nodes]:
    """The first nodes of the rest, those with equal betting and equal bets ahead together."""
    payoff, sets = tree.payoff(), defaultdict(list)
    for n in first.tolist():
        base, digest, waiting = int(tree.contribution[n].min()), hashlib.blake2b(), [n]
        while waiting:
            node = waiting.pop()
            mover, below = int(tree.mover[node]), int(tree.child[node])
            worth = 0.0 if mover > 0 else payoff[node] - _sign(mover) * base
            digest.update(f"{mover} {tree.round[node]} {tree.children[node]} {worth};".encode())
            waiting.extend(range(below, below + int(tree.children[node])))
        sets[digest.digest()].append(n)
    return [np.array(ids) for ids in sets.values()]


def _sign(mover: int) -> int:
    """Who gets the pot at a leaf, or at a showdown the winner's sign."""
    return -1 if mover == FOLDED1 else 1


class _Ahead:
    """A walk over the rest of a betting tree with the modelled strategies of both players."""

    def __init__(
        self, game: FactoredGame, keep: int, model: Modelled, seen: tuple[int, int]
    ) -> None:
        self.tree, self.deal, self.model, self.keep, self.seen = (
            *(game.tree, game.deal, model, keep),
            seen,
        )
        self.payoff = self.tree.payoff()
        self.places: dict[int, tuple[Place, int]] = {}
        self.buckets: dict[tuple[int, int], Classes] = {}
        for r in range(keep, game.betting.rounds):
            for player in (1, 2):
                self.buckets[r, player] = model.bucket(self.deal, r, player)
            for betting in betting_of_round(self.tree, r):
                for decision, ids in enumerate(betting.nodes):
                    for n in ids.tolist():
                        self.places[n] = (r, betting.shape), decision
        # Sums over leaves, by round and by whether there is a showdown: sign, and extra.
        self.sums: dict[tuple[int, bool], list[Vector]] = {}
        self.pairs: dict[tuple[int, bool], Entries] = {}

    def worth(self, head: int) -> tuple[SparseDeal, SparseDeal]:
        """The matrices $M^1$ and $M^2$ after one history."""
        self.base = int(self.tree.contribution[head].min())
        r = int(self.tree.round[head])
        self._walk(head, r, [np.ones(self.deal.classes(player, r)) for player in (1, 2)])
        shape = tuple(self.deal.classes(k + 1, self.seen[k]) for k in range(2))
        parts: list[list[Vector]] = [[], [], [], []]
        for (r, showdown), sums in self.sums.items():
            E = self.pairs[r, showdown]
            for k, at in enumerate((E.rows, E.columns)):
                parts[k].append(self.deal.up(k + 1, r, self.seen[k])[at])
            for k, total in enumerate(sums, 2):
                parts[k].append(total * E.values)
        i, j, *values = (np.concatenate(part) for part in parts)
        sign, extra = (SparseDeal(Entries.of((shape[0], shape[1]), i, j, v)) for v in values)
        return sign, extra

    def _walk(self, node: int, r: int, reach: list[Vector]) -> None:
        mover, here = int(self.tree.mover[node]), int(self.tree.round[node])
        if mover <= 0:
            self._leaf(node, r, reach)
            return
        for _ in range(r, here):
            r += 1
            reach = [p[self.deal.rounds[r].up[k]] for k, p in enumerate(reach)]
        place, decision = self.places[node]
        actions = int(self.tree.children[node])
        bucket = self.buckets[r, mover]
        s = self.model.probabilities(place, decision, bucket, actions)
        for a in range(actions):
            after = list(reach)
            after[mover - 1] = reach[mover - 1] * s[:, a]
            self._walk(int(self.tree.child[node]) + a, r, after)

    def _leaf(self, node: int, r: int, reach: list[Vector]) -> None:
        mover = int(self.tree.mover[node])
        key = r, mover == SHOWDOWN
        if key not in self.pairs:
            here = self.deal.rounds[r]
            self.pairs[key] = (here.showdown if key[1] else here.fold).entries()
            self.sums[key] = [np.zeros(len(self.pairs[key])) for _ in range(2)]
        E, sign = self.pairs[key], _sign(mover)
        both = reach[0][E.rows] * reach[1][E.columns]
        self.sums[key][0] += sign * both
        self.sums[key][1] += (self.payoff[node] - sign * self.base) * both
