"""Thesis 003: hands of three cards (Table 3.1), and sizes of games and programs.

Sections 5.2.1, 6.3.1 and 10.2.1 and Table 8.1. No program is written down: sizes are counted
from betting and buckets (`saddlepoint.games.program_size`), and what the elimination of
dominated strategies leaves from the hands that never lose (`saddlepoint.abstraction.
never_lose`).
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from saddlepoint.abstraction.never_lose import Needless
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.ranking import CATEGORIES, category
from saddlepoint.games.betting import BettingRules
from saddlepoint.games.poker import rhode_island
from saddlepoint.games.program_size import ProgramShape, program_shape, program_size
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.tables.rhode_island import fine_pair, real_game


def table_3_1(kitchen: Kitchen) -> dict[str, Ours]:
    """The frequencies of three-card hands, over all of them."""
    deck = Deck()
    hands = np.array(list(combinations(range(len(deck)), 3)), np.int64)
    count = np.bincount(category(deck, hands), minlength=len(CATEGORIES))
    total = comb(len(deck), 3)
    return {
        f"{name}, Prob.": Ours(int(n) / total) for name, n in zip(CATEGORIES, count, strict=True)
    }


def section_5_2_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Programs of Rhode Island Hold'em, with and without GameShrink and elimination."""
    fine, full = fine_pair().game, rhode_island(isomorphism="cards")
    # Rows and columns are those of player 2, who is second to act in each round.
    shapes = {
        "no abstraction": full_shape(),
        "GameShrink": program_size(fine, 2),
        "GameShrink, then elimination": Needless(fine).shape(2),
        "elimination only": Needless(full).shape(2),
    }
    cells = {}
    for name, shape in shapes.items():
        cells[f"{name}, rows"] = Ours(shape.rows)
        cells[f"{name}, columns"] = Ours(shape.columns)
    cells["GameShrink, non-zeros"] = Ours(program_size(fine, 2).nonzeros)
    return cells


def full_shape() -> ProgramShape:
    """The program of Rhode Island Hold'em whose cards are all distinct."""
    return program_shape(real_game().betting, (52, 52 * 51, 52 * 51 * 50), 2)


def section_5_5(kitchen: Kitchen) -> dict[str, Ours]:
    """Nodes of the signal tree and of the game tree."""
    levels = [1, 52, 52 * 51, 52 * 51 * 50, 52 * 51 * 50 * 49]
    nodes = rhode_island(isomorphism="cards").counts().nodes
    return {
        "signal tree, nodes": Ours(sum(levels)),
        "game tree, nodes": Ours(nodes),
    }


def hold_em(bets: tuple[int, ...]) -> list[BettingRules]:
    """Limit hold'em round by round: the big blind counts as a bet, and acts last after the flop."""
    return [
        BettingRules(blinds=(1, 2), bets=(2,), max_bets=most, first=(1,))
        if r == 0
        else BettingRules(ante=2, bets=(2,), max_bets=most, first=(2,))
        for r, most in enumerate(bets)
    ]


def table_8_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Sizes of the instances, from numbers of buckets."""
    ri = real_game().betting
    shapes = {
        "10k": program_shape(ri, (13, 14, 19), 2),
        "160k": program_shape(ri, (13, 205, 300), 2),
        "RI": program_shape(ri, (13, 205, 1774), 2),
        "Texas": program_shape(hold_em((4, 3, 3, 3)), (10, 150, 750, 3750)),
        "GS4": program_shape(hold_em((4, 4, 4, 4)), (20, 800, 4800, 28800)),
    }
    cells = {}
    for name, shape in shapes.items():
        cells[f"{name}, Rows"] = Ours(shape.rows)
        cells[f"{name}, Columns"] = Ours(shape.columns)
    cells["RI, Non-Zero Entries"] = Ours(program_size(fine_pair().game, 2).nonzeros)
    return cells


def section_6_3_1(kitchen: Kitchen) -> dict[str, Ours]:
    """The program of GS1: two rounds, 169 and 2,465 classes of hands."""
    shape = program_shape(hold_em((4, 3)), (169, 2465))
    return {"GS1, rows": Ours(shape.rows), "GS1, columns": Ours(shape.columns)}


def section_10_2_1(kitchen: Kitchen) -> dict[str, Ours]:
    """The factors of the payoff matrix of Rhode Island Hold'em."""
    game = fine_pair().game
    moves = int(game.tally.sequences[0, 0])
    cells = {"F, size": Ours(moves)}
    for r, (classes, _) in enumerate(game.hands()):
        cells[f"B{r + 1}, size"] = Ours(classes)
    cells["A, size"] = Ours(game.counts().sequences[0])
    return cells
