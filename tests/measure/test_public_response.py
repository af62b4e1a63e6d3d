"""The certificate: best responses by the public tree, against recursions from the rules."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

import saddlepoint as sp
from saddlepoint.abstraction.cards import grouped
from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.games.betting_moves import FOLDED1, FOLDED2
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import clairvoyance, leduc, no_limit_leduc, rhode_island
from saddlepoint.measure.public_response import certify, public_response
from saddlepoint.reverse.lift import lift_profile
from saddlepoint.reverse.purify import purify
from saddlepoint.sequence.strategy import Profile, Strategy


@dataclass
class Twin:
    """One hand of the responder after the other, cards by their texts, dictionaries of reach."""

    game: FactoredGame
    strategy: Strategy
    own: Strategy | None

    def __post_init__(self) -> None:
        self.deck, self.tree = self.game.deal.cards.deck, self.game.tree
        self.board = self.game.deal.cards.board
        self.cards = list(range(len(self.deck)))

    def told(self, strategy: Strategy, node: int, card: int, board: tuple[int, ...]) -> dict:
        """The probabilities at a decision, looked up by every name that the hand may have."""
        r = int(self.tree.round[node])
        known = set(self.game.deal.rounds[r].names[strategy.player - 1])
        history = self.tree.history(node, self.game.scale, self.game.less)
        streets = [(card,)]
        at = 0
        for size in self.board[: r + 1]:
            if size:
                streets.append(board[at : at + size])
            at += size
        suits = self.deck.suits
        for renaming in permutations(range(suits)):
            parts = [
                sorted(c // suits * suits + renaming[c % suits] for c in street)
                for street in streets
            ]
            text = "".join(self.deck.text(c) for part in parts[1:] for c in part)
            name = self.deck.text(parts[0][0]) + ("|" + text if text else "")
            if self.game.deal.cards.isomorphism == "ranks":
                ranks = "".join(self.deck.rank_text(c) for part in parts[1:] for c in part)
                name = self.deck.rank_text(card) + ("|" + ranks if ranks else "")
            if name in known:
                return strategy[f"{name}:{history}"]
        raise AssertionError(f"no class has {card} on {board}")

    def worth(self) -> float:
        player = 3 - self.strategy.player
        total = sum(
            self.dealt(0, 0, i, {j: 1.0 for j in self.cards if j != i}, (), player)
            for i in self.cards
        )
        left, deals = len(self.deck), 1
        for size in (1, 1, *self.board):
            assert size <= 1
            deals *= left if size else 1
            left -= size
        return total / deals

    def dealt(self, node: int, r: int, i: int, reach: dict, board: tuple, player: int) -> float:
        """Turn up the card of round r, if there is one, and go on."""
        if not self.board[r]:
            return self.visit(node, i, reach, board, player)
        return sum(
            self.visit(node, i, {j: w for j, w in reach.items() if j != c}, (*board, c), player)
            for c in self.cards
            if c != i and c not in board
        )

    def run_out(self, r: int, i: int, reach: dict, board: tuple, paid: float) -> float:
        """A showdown after all cards that are still to come."""
        if r + 1 < len(self.board):
            if not self.board[r + 1]:
                return self.run_out(r + 1, i, reach, board, paid)
            return sum(
                self.run_out(
                    r + 1, i, {j: w for j, w in reach.items() if j != c}, (*board, c), paid
                )
                for c in self.cards
                if c != i and c not in board
            )
        rank = RANKINGS[self.game.deal.cards.ranking]
        mine, *others = rank(self.deck, np.array([(h, *board) for h in (i, *reach)]))
        return paid * sum(
            w * np.sign(mine - other) for w, other in zip(reach.values(), others, strict=True)
        )

    def ways(self, r: int, board: tuple) -> int:
        """Deals of the cards that are still to come, when somebody has folded."""
        left, ways = len(self.deck) - 2 - len(board), 1
        for size in self.board[r + 1 :]:
            ways *= left if size else 1
            left -= size
        return ways

    def visit(self, node: int, i: int, reach: dict, board: tuple, player: int) -> float:
        tree, r = self.tree, int(self.tree.round[node])
        mover, unit = int(tree.mover[node]), self.game.scale
        if mover in (FOLDED1, FOLDED2):
            folder = 1 if mover == FOLDED1 else 2
            paid = unit * int(tree.contribution[node][folder - 1])
            won = -paid if folder == player else paid
            return won * sum(reach.values()) * self.ways(r, board)
        if mover <= 0:
            paid = unit * int(min(tree.contribution[node]))
            return self.run_out(r, i, reach, board, paid)
        values, weights = [], None
        if mover == player and self.own is not None:
            weights = list(self.told(self.own, node, i, board).values())
        told = {}
        if mover != player:
            told = {j: list(self.told(self.strategy, node, j, board).values()) for j in reach}
        for a in range(int(tree.children[node])):
            child = int(tree.child[node]) + a
            after = {j: w * told[j][a] for j, w in reach.items()} if told else reach
            if tree.mover[child] > 0 and tree.round[child] != r:
                values.append(self.dealt(child, r + 1, i, after, board, player))
            else:
                values.append(self.visit(child, i, after, board, player))
        if mover != player:
            return sum(values)
        if weights is None:
            return max(values)
        return float(np.dot(weights, values))


def agree(game: FactoredGame, seed: int) -> None:
    profile = Profile.random(game, seed)
    found = certify(game, profile)
    first, second = profile
    assert found.value == pytest.approx(Twin(game, second, first).worth(), abs=1e-9)
    assert found.upper == pytest.approx(Twin(game, second, None).worth(), abs=1e-9)
    assert found.lower == pytest.approx(-Twin(game, first, None).worth(), abs=1e-9)
    of_form = sp.bounds(profile)
    assert found.value == pytest.approx(sp.expected_value(profile), abs=1e-9)
    assert (found.lower, found.upper) == pytest.approx((of_form.lower, of_form.upper), abs=1e-9)


@pytest.mark.parametrize(
    ("ranks", "suits"), [("2A", 2), ("23A", 2), ("2A", 3), ("234A", 2), ("23A", 3)]
)
def test_rhode_island_on_small_decks(ranks: str, suits: int) -> None:
    agree(rhode_island(ranks=ranks, suits=suits, raises=0), 1)


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "suits"), [("2A", 2), ("23A", 2), ("2A", 3), ("234A", 3)])
def test_rhode_island_with_raises_and_larger_decks(ranks: str, suits: int) -> None:
    agree(rhode_island(ranks=ranks, suits=suits, raises=1 if len(ranks) < 4 else 0), 2)


@pytest.mark.parametrize(
    "game",
    [leduc(), leduc(isomorphism="cards"), no_limit_leduc(stack=4), sp.game("kuhn")],
    ids=["leduc", "leduc card by card", "all-ins that are run out", "kuhn"],
)
def test_other_card_games(game: FactoredGame) -> None:
    agree(game, 3)


def test_strategies_from_elsewhere_are_measured_in_the_whole_game() -> None:
    """Lifted from groups of cards, and purified: what the sequence form says of them."""
    pair = grouped(leduc(), "JQ.K")
    solution = sp.solve(pair.game, "lp")
    lifted = lift_profile(pair, solution.profile)
    pure = Profile(lifted.form, *(purify(s) for s in lifted))
    for profile in (lifted, pure):
        found = certify(pair.real, profile)
        assert found.exploitability == pytest.approx(sp.exploitability(profile), abs=1e-9)
    assert certify(pair.real, lifted).gap > 0.1


def test_an_equilibrium_is_certified() -> None:
    game = rhode_island(ranks="234A", suits=2)
    solution = sp.solve(game, "cfr+", gap=1.0)
    found = certify(game, solution.profile)
    assert found.gap == pytest.approx(solution.gap, rel=1e-9)
    assert found.gap <= 1.0
    first = solution.profile.first
    assert public_response(game, first) == pytest.approx(-found.lower, abs=1e-9)


def test_what_has_no_cards_is_refused() -> None:
    game = clairvoyance()
    with pytest.raises(GameError, match="not dealt from a deck"):
        certify(game, Profile.uniform(game))
    with pytest.raises(StrategyError, match="is not one of leduc, player 2"):
        certify(leduc(), Profile.uniform(sp.game("kuhn")))
