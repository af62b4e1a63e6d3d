"""Our poker games against PokerKit's: the same moves are legal and the same chips are won.

The games are built independently. PokerKit deals and bets hand by hand; ours are a betting
tree and a ranking. Hands are drawn at random, every betting history of the small games and
many of Rhode Island Hold'em are played.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from saddlepoint.cards.deck import Deck
from saddlepoint.cards.ranking import CATEGORIES, RANKINGS, category
from saddlepoint.games import poker
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import CALL, FOLD, SHOWDOWN

pokerkit = pytest.importorskip("pokerkit")
A = pokerkit.Automation
AUTOMATIONS = (
    A.ANTE_POSTING,
    A.BET_COLLECTION,
    A.CARD_BURNING,
    A.HOLE_CARDS_SHOWING_OR_MUCKING,
    A.HAND_KILLING,
    A.CHIPS_PUSHING,
    A.CHIPS_PULLING,
)
STACK = 100_000


def kuhn_state() -> Any:
    return pokerkit.KuhnPoker.create_state(AUTOMATIONS, raw_starting_stacks=STACK)


def leduc_state() -> Any:
    return pokerkit.LeducHoldem.create_state(AUTOMATIONS, raw_starting_stacks=STACK)


def rhode_island_state() -> Any:
    return pokerkit.RhodeIslandHoldem.create_state(
        AUTOMATIONS, raw_antes=500, small_bet=1000, big_bet=2000, raw_starting_stacks=STACK
    )


GAMES = {
    "kuhn": (poker.kuhn(), Deck("JQK", 1), kuhn_state, "s", "high-card"),
    "leduc": (poker.leduc(), Deck("JQK", 2), leduc_state, "sh", "pair"),
    "rhode-island": (poker.rhode_island(), Deck(), rhode_island_state, "cdhs", "three-card"),
}


def paths(tree: BettingTree, leaf: int) -> list[int]:
    """The nodes from the root to a leaf."""
    nodes = [leaf]
    while tree.parent[nodes[-1]] >= 0:
        nodes.append(int(tree.parent[nodes[-1]]))
    return nodes[::-1]


def leaves(tree: BettingTree, rng: np.random.Generator, most: int) -> Iterator[int]:
    every = np.flatnonzero(tree.mover <= 0)
    yield from (every if len(every) <= most else rng.choice(every, most, replace=False)).tolist()


def check_moves(state: Any, tree: BettingTree, node: int) -> None:
    """The same player moves, and may do the same."""
    assert state.actor_index == tree.mover[node] - 1
    children = range(tree.child[node], tree.child[node] + tree.children[node])
    moves = [int(tree.move[c]) for c in children]
    assert (FOLD in moves) == state.can_fold()
    assert CALL in moves
    assert state.can_check_or_call()
    raises = [m for m in moves if m > 0]
    assert bool(raises) == state.can_complete_bet_or_raise_to()


# PokerKit burns cards at random, and warns when such a card is dealt later.
@pytest.mark.filterwarnings("ignore:A card being dealt")
@pytest.mark.parametrize("name", GAMES)
def test_hands_are_played_and_paid_as_by_pokerkit(name: str) -> None:
    game, deck, new_state, suits, ranking = GAMES[name]
    tree, rng = game.tree, np.random.default_rng(11)
    text = [deck.ranks[c // deck.suits] + suits[c % deck.suits] for c in range(len(deck))]
    boards = game.betting.rounds - 1
    for leaf in leaves(tree, rng, 400):
        cards = rng.choice(len(deck), 2 + boards, replace=False)
        state, shown = new_state(), 0
        for player in (0, 1):
            state.deal_hole(text[cards[player]])
        path = paths(tree, leaf)
        for node, after in pairwise(path):
            while state.actor_index is None:
                state.deal_board(text[cards[2 + shown]])
                shown += 1
            check_moves(state, tree, node)
            move = int(tree.move[after])
            if move == FOLD:
                state.fold()
            elif move == CALL:
                state.check_or_call()
            else:
                before = tree.contribution[node].max()
                state.complete_bet_or_raise_to()
                assert max(state.bets) - min(state.bets) == move - before
        assert not state.status
        won = float(tree.payoff()[leaf])
        if tree.mover[leaf] == SHOWDOWN:
            hands = np.array([[cards[0], *cards[2:]], [cards[1], *cards[2:]]])
            won *= np.sign(np.subtract(*RANKINGS[ranking](deck, hands)))
        assert state.stacks[0] - STACK == won


def test_three_card_hands_compare_as_by_pokerkit() -> None:
    """Every category, and who wins, over hands drawn at random."""
    deck, rng = Deck(), np.random.default_rng(12)
    text = [deck.ranks[c // 4] + "cdhs"[c % 4] for c in range(52)]
    hands = np.array([rng.choice(52, 3, replace=False) for _ in range(3000)])
    strength = RANKINGS["three-card"](deck, hands)
    theirs = [
        pokerkit.RhodeIslandHoldemHand(list(pokerkit.Card.parse("".join(text[c] for c in row))))
        for row in hands
    ]
    for k in range(len(hands) - 1):
        assert (strength[k] > strength[k + 1]) == (theirs[k] > theirs[k + 1])
        assert (strength[k] == strength[k + 1]) == (theirs[k] == theirs[k + 1])
    names = {"One pair": "pair"}
    for name, hand in zip(category(deck, hands), theirs, strict=True):
        label = hand.entry.label.value
        assert CATEGORIES[name] == names.get(label, label.lower())
