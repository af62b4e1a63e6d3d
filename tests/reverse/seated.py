"""Hands played from their definition, in plain Python, by players who remember nothing.

At every decision a player follows the whole hand again from its beginning, and is told no
more than the number of the hand, the betting and his cards. Shares with the package what
`twin` does, and the numbers that chance is counted by.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from twin import OVER, Twin

from saddlepoint.core.counter import GAMMA
from saddlepoint.games.deal import Deal

MASK = (1 << 64) - 1


def mixed(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def chance(key: int, trial: int, use: int) -> float:
    x = mixed((key + int(GAMMA) * (trial + 1)) & MASK)
    return (mixed((x + int(GAMMA) * (use + 1)) & MASK) >> 11) / 2**53


def drawn(rows: list, weights: list[float], u: float):
    """One of the rows, in proportion to its weight."""
    total, upto, last = sum(weights), 0.0, None
    for row, weight in zip(rows, weights, strict=True):
        if weight > 0:
            last, upto = row, upto + weight
            if u * total < upto:
                break
    return last


@dataclass
class Seated:
    """A player at the table."""

    twin: Twin
    single: bool
    key: int

    def hand_of(self, node: int, cards: list[tuple[int, int]]) -> str:
        player, r = self.twin.player, int(self.twin.real.round[node])
        group = self.twin.pair.groups[player - 1][r][cards[r][player - 1]]
        return str(self.twin.pair.game.deal.rounds[r].names[player - 1][group])

    def luck(self, hand: int, child: int) -> float:
        return chance(self.key, hand, 4 * child + 2 + self.twin.player - 1)

    def one_of(self, weights: dict, child: int, hand: int) -> dict:
        """The one history that the hand is followed in, of those that the last move leads to."""
        return {drawn(list(weights), list(weights.values()), self.luck(hand, child)): 1.0}

    def intention(self, weights: dict, node: int, cards: list, hand: int) -> tuple:
        """What he means to do, and all that he might have meant."""
        rows = self.twin.intended(weights, node, self.hand_of(node, cards))
        u = chance(self.key, hand, 4 * node + 1)
        left = self.twin.played(weights, rows)
        return drawn(left, [row[3] for row in left], u), rows

    def decide(self, path: list[int], cards: list, hand: int) -> int:
        """The real move at the end of a path of betting nodes."""
        twin = self.twin
        weights = {0 if twin.abstract.mover[0] > 0 else OVER: 1.0}
        for node, child in pairwise(path):
            if twin.real.mover[node] == twin.player:
                meant, rows = self.intention(weights, node, cards, hand)
                assert meant[2] == child  # he would do the same again
                weights = twin.acted(weights, [meant] if self.single else rows, node, child)
            else:
                weights = twin.observed(weights, node, child)
            if self.single:
                weights = self.one_of(weights, child, hand)
        return int(self.intention(weights, path[-1], cards, hand)[0][2])


def dealt(deal: Deal, r: int, before: tuple[int, int], u: float) -> tuple[int, int]:
    """The classes of round r after those of the round before."""
    joint, up = deal.joint(r), deal.rounds[r].up
    follows = [
        up[0][i] == before[0] and up[1][j] == before[1]
        for i, j in zip(joint.rows, joint.columns, strict=True)
    ]
    rows = np.flatnonzero(follows)
    k = drawn(list(rows), list(joint.values[rows]), u)
    return int(joint.rows[k]), int(joint.columns[k])


def played(first: Seated, second: Seated, hand: int) -> tuple[int, int, int, float]:
    """The leaf, both classes and the payoff of one hand."""
    real = first.twin.pair.real
    tree, deal = real.tree, real.deal
    path, cards = [0], []
    while True:
        node = path[-1]
        while len(cards) <= tree.round[node]:
            r = len(cards)
            cards.append(
                dealt(deal, r, cards[-1] if cards else (0, 0), chance(first.key, hand, 4 * r))
            )
        if tree.mover[node] <= 0:
            break
        path.append((first if tree.mover[node] == 1 else second).decide(path, cards, hand))
    one, two = cards[-1]
    payoff = float(tree.payoff()[node]) * real.scale
    if tree.mover[node] == 0:
        here = deal.rounds[int(tree.round[node])]
        payoff *= here.showdown.entries().dense()[one, two] / here.fold.entries().dense()[one, two]
    return node, one, two, payoff
