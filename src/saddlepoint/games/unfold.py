"""The explicit game tree of a betting tree times a deal: for export and for small games.

Chance deals classes of hands, not cards: a node has a child for every pair of classes
with its probability, so the tree is as small as the sequence form allows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SizeError
from saddlepoint.games.betting_moves import SHOWDOWN
from saddlepoint.games.chance import rounded
from saddlepoint.games.deal import Deal
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.form import CHANCE, LEAF, Tree

MOST_NODES = 5_000_000
Pair = tuple[int, int]


class _Unfolder:
    """Grows the arrays of a `Tree`, parents first."""

    def __init__(self, game: FactoredGame, most: int) -> None:
        self.game, self.most = game, most
        self.betting, self.deal = game.tree, game.deal
        self.payoff = self.betting.payoff() * game.scale
        self.next = [_transitions(self.deal, r) for r in range(len(self.deal.rounds))]
        self.signs = [_outcomes(self.deal, r) for r in range(len(self.deal.rounds))]
        form = game.sequence_form()
        self.names = [plex.names for plex in (form.X, form.Y)]
        self.numbers: list[dict[Pair, int]] = [{}, {}]
        for k, plex in enumerate((form.X, form.Y)):
            for i in range(plex.n_infosets):
                self.numbers[k][plex.names.place(i)] = i  # type: ignore[attr-defined]
        self.rows: list[tuple[int, int, int, int, float, float]] = []

    def add(
        self, parent: int, move: int, mover: int, infoset: int, chance: float, payoff: float
    ) -> int:
        if len(self.rows) >= self.most:
            raise SizeError(f"the tree of {self.game.name} has more than {self.most:,} nodes")
        self.rows.append((parent, move, mover, infoset, chance, payoff))
        return len(self.rows) - 1

    def grow(self) -> None:
        """Walk from the root, without recursion.

        What is to do: a betting node, the hands, the parent, the move from there and its
        probability, and whether the board has to be dealt first.
        """
        todo = [(0, (-1, -1), -1, 0, 1.0, True)]
        while todo:
            bet, pair, parent, move, chance, deal = todo.pop()
            mover, round_ = int(self.betting.mover[bet]), int(self.betting.round[bet])
            if deal:
                node = self.add(parent, move, CHANCE, -1, chance, 0.0)
                following = enumerate(self.next[round_][pair])
                todo += [(bet, to, node, k, p, False) for k, (to, p) in following][::-1]
            elif mover <= 0:
                sign = self.signs[round_].get(pair, 0.0) if mover == SHOWDOWN else 1.0
                self.add(parent, move, LEAF, -1, chance, sign * float(self.payoff[bet]) + 0.0)
            else:
                infoset = self.numbers[mover - 1][bet, pair[mover - 1]]
                node = self.add(parent, move, mover, infoset, chance, 0.0)
                first, count = int(self.betting.child[bet]), int(self.betting.children[bet])
                for a in reversed(range(count)):
                    later = self.betting.mover[first + a] > 0 and (
                        self.betting.round[first + a] != round_
                    )
                    todo.append((first + a, pair, node, a, 1.0, bool(later)))


def unfold(game: FactoredGame, most: int = MOST_NODES) -> Tree:
    """The game tree of a factored game.

    Raises
    ------
    SizeError
        If it has more nodes than `most`.
    """
    pairs = [len(game.deal.joint(r)) for r in range(game.betting.rounds)]
    bets = game.tally
    leaves = sum(p * int(f + s) for p, f, s in zip(pairs, bets.folds, bets.showdowns, strict=True))
    if leaves > most:
        raise SizeError(f"the tree of {game.name} has {leaves:,} leaves, more than {most:,} nodes")
    work = _Unfolder(game, most)
    work.grow()
    parent, move, mover, infoset, chance, payoff = zip(*work.rows, strict=True)
    names, form = work.names, game.sequence_form()
    plexes = (form.X, form.Y)
    return Tree(
        parent=np.array(parent, np.int64),
        move=np.array(move, np.int64),
        mover=np.array(mover, np.int64),
        infoset=np.array(infoset, np.int64),
        probability=np.array(chance, np.float64),
        payoff=np.array(payoff, np.float64),
        infosets=_both(
            [[names[k].infoset(i) for i in range(plexes[k].n_infosets)] for k in range(2)]
        ),
        actions=_both(
            [
                [
                    [names[k].action(i, a) for a in range(int(plexes[k].flat.actions[i]))]
                    for i in range(plexes[k].n_infosets)
                ]
                for k in range(2)
            ]
        ),
    )


def _both(pair: list[list]) -> tuple:  # type: ignore[type-arg]
    return pair[0], pair[1]


def _transitions(deal: Deal, round_: int) -> dict[Pair, list[tuple[Pair, float]]]:
    """For each pair of classes of the round before, the pairs that follow and how likely."""
    joint = deal.joint(round_)
    i, j = joint.rows, joint.columns
    up_i, up_j = _above(deal, 1, round_)[i], _above(deal, 2, round_)[j]
    table: dict[Pair, list[tuple[Pair, float]]] = {}
    for k in range(len(joint)):
        pair = (int(i[k]), int(j[k]))
        table.setdefault((int(up_i[k]), int(up_j[k])), []).append((pair, float(joint.values[k])))
    for row in table.values():
        total = sum(p for _, p in row)
        chances = rounded([p / total for _, p in row])
        row[:] = [(pair, p) for (pair, _), p in zip(row, chances, strict=True)]
    return table


def _above(deal: Deal, player: int, round_: int) -> NDArray[np.int64]:
    if round_ == 0:
        return np.full(deal.classes(player, 0), -1, np.int64)
    return deal.up(player, round_, round_ - 1)


def _outcomes(deal: Deal, round_: int) -> dict[Pair, float]:
    """The expected sign of a showdown for each pair of classes."""
    joint, sign = deal.joint(round_), deal.rounds[round_].showdown.entries()
    weights = zip(joint.rows.tolist(), joint.columns.tolist(), joint.values.tolist(), strict=True)
    weight = {(i, j): p for i, j, p in weights}
    outcomes = zip(sign.rows.tolist(), sign.columns.tolist(), sign.values.tolist(), strict=True)
    return {(i, j): value / weight[i, j] for i, j, value in outcomes}
