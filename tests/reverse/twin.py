"""Translation written from its definition, on betting texts and dictionaries, one hand at a time.

Slow and obvious: states of the abstract game are nodes of its betting tree, everything else
is plain Python. It shares with the package the betting trees and the mappings, no more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import CALL, FOLD
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.strategy import Strategy

Weights = dict[int | str, float]
OVER = "over"


def children(tree: BettingTree, node: int) -> list[int]:
    return list(range(tree.child[node], tree.child[node] + tree.children[node]))


def by_move(tree: BettingTree, node: int, move: int) -> int | None:
    return next((c for c in children(tree, node) if tree.move[c] == move), None)


@dataclass
class Twin:
    """One player's translation between two games."""

    pair: AbstractGame
    strategy: Strategy
    settings: Translation

    def __post_init__(self) -> None:
        self.real, self.abstract = self.pair.real.tree, self.pair.game.tree
        self.player = self.strategy.player
        self.stack = self.pair.real.betting.stack

    def level(self, tree: BettingTree, node: int) -> int:
        return int(max(tree.contribution[node]))

    def waits(self, h: int | str, node: int) -> bool:
        return h == OVER or self.abstract.round[h] > self.real.round[node]

    def sigma(self, h: int, hand: str, move: int) -> float:
        """The probability of an abstract move, looked up by name."""
        history = self.abstract.history(h, self.pair.game.scale, self.pair.game.less)
        name = f"{hand}:{history}"
        text = self.abstract.move_text(move, self.pair.game.scale, self.pair.game.less)
        return self.strategy[name][text]

    def read(self, h: int, node: int, child: int) -> Weights:
        """The abstract actions that a real bet may be, and how likely each is."""
        s, A = self.settings, self.abstract
        L, T, level = self.level(self.real, node), int(self.real.move[child]), self.level(A, h)
        pot = 2 * (L if s.observe == "pots" else level)
        x = (T - (level if s.observe == "totals" else L)) / pot
        sizes: list[tuple[float, int]] = []
        facing = self.facing(h)
        for c in children(A, h):
            if A.move[c] > 0:
                size = (int(A.move[c]) - level) / (2 * level)
                if s.observe == "pots":
                    all_in = (self.stack - L) / pot
                    size = all_in if A.move[c] == A.rules.stack else min(size, all_in)
                if self.stack == T and A.move[c] == A.rules.stack:
                    return {c: 1.0}
                sizes.append((size, c))
        answered_later = facing and s.closing == "again"
        if not sizes or (s.check is not None and not answered_later and (s.calls or not facing)):
            call = by_move(A, h, CALL)
            sizes.insert(0, ((s.check or 0) / pot, call))
            if len(sizes) > 1:
                sizes[0] = (min(sizes[0][0], sizes[1][0]), call)
        exact = [c for size, c in sizes if abs(size - x) < 1e-12]
        if exact:
            return {exact[-1]: 1.0}
        below = [pair for pair in sizes if pair[0] < x]
        above = [pair for pair in sizes if pair[0] > x]
        if not below:
            smallest = [c for size, c in sizes if size == sizes[0][0]]
            return {smallest[-1]: 1.0}
        if not above:
            return {sizes[-1][1]: 1.0}
        share = float(s.mapping(below[-1][0], above[0][0], x))
        return {c: p for c, p in ((below[-1][1], share), (above[0][1], 1 - share)) if p > 0}

    def facing(self, h: int) -> bool:
        return bool(self.abstract.contribution[h, 0] != self.abstract.contribution[h, 1])

    def enters(self, c: int) -> int | str:
        return c if self.abstract.mover[c] > 0 else OVER

    def caught_up(self, h: int | str, child: int) -> int | str:
        """Close rounds of the abstract game that are over in the real one."""
        if self.real.mover[child] > 0:
            while h != OVER and self.abstract.round[h] < self.real.round[child]:
                h = self.enters(by_move(self.abstract, h, CALL))
        return h

    def follow(self, h: int, read: int) -> int | str:
        """Where a bet leads that is read as an abstract move: a check may not close a round."""
        A, before = self.abstract, int(self.abstract.parent[h])
        checked = A.move[read] == CALL and not self.facing(h)
        opened = before >= 0 and A.round[before] == A.round[h]
        if self.settings.closing == "again" and checked and opened:
            return before
        return self.enters(read)

    def undone(self, h: int | str, node: int) -> dict[int | str, float]:
        """What a history was before a raise that is called now, if that was a call itself."""
        s, A = self.settings, self.abstract
        if h == OVER or s.closing != "again" or s.check is None or not s.calls:
            return {}
        if self.real.move[node] <= 0 or A.move[h] <= 0 or not self.facing(int(A.parent[h])):
            return {}
        before = int(A.parent[h])
        settings, self.settings = s, replace(s, closing="call")
        L, T = self.level(self.real, int(self.real.parent[node])), int(self.real.move[node])
        found = self.read(before, int(self.real.parent[node]), node)
        self.settings = settings
        share = sum(p for c, p in found.items() if A.move[c] == CALL)
        return {self.enters(by_move(A, before, CALL)): share} if share and L < T else {}

    def observed(self, weights: Weights, node: int, child: int) -> Weights:
        later: Weights = {}
        for h, w in weights.items():
            if self.waits(h, node):
                found = {h: 1.0}
            elif self.real.move[child] == CALL:
                found = {self.enters(by_move(self.abstract, h, CALL)): 1.0}
            else:
                found = {}
                for c, p in self.read(h, node, child).items():
                    place = self.follow(h, c)
                    found[place] = found.get(place, 0.0) + p
            for c, p in found.items():
                place = self.caught_up(c, child)
                later[place] = later.get(place, 0.0) + w * p
        return later

    def carry_out(self, h: int, move: int, node: int) -> int:
        A, R = self.abstract, self.real
        call = by_move(R, node, CALL)
        if A.move[move] == FOLD:
            fold = by_move(R, node, FOLD)
            return call if fold is None else fold
        L, level = self.level(R, node), self.level(A, h)
        if A.move[move] == CALL:
            if self.settings.call_is_call or self.settings.act != "totals" or level <= L:
                return call
            total = level
        elif A.move[move] == A.rules.stack:
            total = self.stack
        elif self.settings.act == "totals":
            total = int(A.move[move])
        else:
            total = L + int(2 * L * ((int(A.move[move]) - level) / (2 * level)) + 1e-9)
        legal = [c for c in children(R, node) if R.move[c] > 0]
        if not legal:
            return call
        return min(legal, key=lambda c: (abs(int(R.move[c]) - total), int(R.move[c])))

    def intended(self, weights: Weights, node: int, hand: str) -> list[tuple]:
        """(history, abstract move or OVER, real child, weight) of everything he might do."""
        found = []
        for h, w in weights.items():
            if self.waits(h, node):
                found.append((h, OVER, by_move(self.real, node, CALL), w))
                continue
            for c in children(self.abstract, h):
                found.append((h, c, self.carry_out(h, c, node), w * self.sigma(h, hand, c)))
        return found

    def played(self, weights: Weights, found: list[tuple]) -> list[tuple]:
        """What is left of the intentions: those that no history avoids."""
        return found if self.settings.avoid is None else self.without_dominated(weights, found)

    def label(self, c: int | str) -> tuple:
        A = self.abstract
        if c == OVER or A.move[c] == CALL:
            return ("call",)
        if A.move[c] == FOLD:
            return ("fold",)
        if A.move[c] == A.rules.stack:
            return ("all-in",)
        level = self.level(A, int(A.parent[c]))
        return ("bet", round((int(A.move[c]) - level) / (2 * level), 9))

    def without_dominated(self, weights: Weights, found: list[tuple]) -> list[tuple]:
        eps = self.settings.avoid
        bad = {
            self.label(c)
            for h, c, _, p in found
            if weights[h] > 0 and c != OVER and p < eps * weights[h]
        }
        if any(weights[h] > 0 and c == OVER for h, c, _, _ in found):
            bad |= {self.label(c) for _, c, _, _ in found} - {("call",)}
        kept = []
        for h, w in weights.items():
            rest = [row for row in found if row[0] == h and self.label(row[1]) not in bad]
            total = sum(row[3] for row in rest)
            if total > 1e-12 * w:
                kept += [(h, c, target, p * w / total) for h, c, target, p in rest]
        if sum(row[3] for row in kept) == 0.0:
            calls = [row for row in found if self.label(row[1]) == ("call",)]
            return [(h, c, target, weights[h]) for h, c, target, _ in calls]
        return kept

    def distribution(self, intended: list[tuple], node: int) -> dict[int, float]:
        total = sum(row[3] for row in intended)
        moves = children(self.real, node)
        if total <= 0.0:
            if self.settings.unreached == "uniform":
                return {c: 1 / len(moves) for c in moves}
            return {c: float(self.real.move[c] == CALL) for c in moves}
        return {c: sum(row[3] for row in intended if row[2] == c) / total for c in moves}

    def acted(self, weights: Weights, intended: list[tuple], node: int, child: int) -> Weights:
        if not self.settings.remember:
            return self.observed(weights, node, child)
        later: Weights = {}
        for h, c, target, w in intended:
            if target == child:
                before = {} if c == OVER else self.undone(h, node)
                if self.real.move[child] != CALL:
                    before = {}
                for place, share in before.items():
                    later[place] = later.get(place, 0.0) + w * share
                place = h if c == OVER else self.caught_up(self.enters(c), child)
                later[place] = later.get(place, 0.0) + w * (1.0 - sum(before.values()))
        return later

    def whole(self) -> np.ndarray:
        """The strategy in the real game, by visiting every history with every hand."""
        real = self.pair.real
        form = real.sequence_form()
        plex = form.X if self.player == 1 else form.Y
        out = np.ones(plex.n_sequences)
        deal = real.deal
        groups = self.pair.groups[self.player - 1]

        def visit(node: int, weights: Weights, round_: int, k: int) -> None:
            """k is the class of the hand in the round of the node."""
            if self.real.mover[node] <= 0:
                return
            now = int(self.real.round[node])
            if now != round_:
                for later in np.flatnonzero(deal.up(self.player, now, round_) == k):
                    visit(node, weights, now, int(later))
                return
            moves = children(self.real, node)
            if self.real.mover[node] != self.player:
                for c in moves:
                    if self.real.move[c] != FOLD:
                        visit(c, self.observed(weights, node, c), now, k)
                return
            names = self.pair.game.deal.rounds[now].names[self.player - 1]
            intended = self.intended(weights, node, names[groups[now][k]])
            played = self.distribution(self.played(weights, intended), node)
            hand = deal.rounds[now].names[self.player - 1][k]
            history = self.real.history(node, real.scale, real.less)
            i = plex.find(f"{hand}:{history}")
            out[plex.sequences(i)] = [played[c] for c in moves]
            for c in moves:
                if self.real.move[c] != FOLD:
                    visit(c, self.acted(weights, intended, node, c), now, k)

        for k in range(deal.classes(self.player, 0)):
            visit(0, {0 if self.abstract.mover[0] > 0 else OVER: 1.0}, 0, k)
        return out
