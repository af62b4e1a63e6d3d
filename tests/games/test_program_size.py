from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import SMALL_GAMES
from rhode_buckets import bucketed
from saddlepoint.cards.deck import Deck
from saddlepoint.core.errors import RulesError
from saddlepoint.games.betting import BettingRules
from saddlepoint.games.catalogue import game
from saddlepoint.games.deal import deal_of_tables
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import kuhn, leduc, poker, rhode_island
from saddlepoint.games.program_size import ProgramShape, program_shape, program_size
from saddlepoint.solvers.program import Program

RHODE_ISLAND = rhode_island().betting
# Wins and losses that cancel but for rounding.
NOISE = 1e-15


def limit(bets: int, rounds: int = 4) -> BettingRules:
    """Limit Texas Hold'em: blinds of 1 and 2, and the big blind is the first bet."""
    return BettingRules(
        rounds=rounds,
        blinds=(1, 2),
        first=(1, 2, 2, 2)[:rounds],
        bets=(2, 2, 4, 4)[:rounds],
        max_bets=bets,
    )


def round_by_round(*bets: int) -> list[BettingRules]:
    """The same with its own limit of bets in each round."""
    later = [BettingRules(ante=1, first=(2,), bets=(2,), max_bets=most) for most in bets[1:]]
    return [limit(bets[0], 1), *later]


def blind_game(**betting: object) -> FactoredGame:
    """Two rounds with four ranks: with blinds, player 2 may win before he has acted."""
    rules = BettingRules(**{"rounds": 2, "first": (1, 2), **betting})  # type: ignore[arg-type]
    return poker("blinds", {}, rules, Deck("TJQK", 1), (0, 1), "high-card", "cards")


UNUSUAL = {
    "blinds": {"blinds": (1, 2), "bets": (2, 4), "max_bets": 3},
    "nothing to lose by a fold": {"blinds": (0, 1), "bets": (2, 4), "max_bets": 2},
    "all-in before the board": {"blinds": (1, 2), "stack": 5},
    "no bet fits in round 2": {"ante": 1, "bets": (2, 9), "stack": 5},
    "one player bets": {"ante": 1, "bets": (2, 4), "max_bets": 1, "may_bet": (False, True)},
    "no bets": {"ante": 1, "bets": (2, 4), "max_bets": 0},
}


def check(game: FactoredGame) -> None:
    """The size is that of the program when it is written down."""
    for player in (1, 2):
        size, program = program_size(game, player), Program(game.sequence_form(), player)
        assert (size.rows, size.columns) == (program.n_rows, program.n_columns)
        noise = int((abs(program.payoffs.values) < NOISE).sum())
        assert size.payoff_nonzeros == len(program.payoffs) - noise
        assert size.nonzeros == len(program.matrix) - noise


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_sizes_are_those_of_programs_that_are_written_down(name: str) -> None:
    found = game(name)
    assert isinstance(found, FactoredGame)
    check(found)


@pytest.mark.parametrize("name", UNUSUAL)
def test_sizes_of_unusual_betting(name: str) -> None:
    check(blind_game(**UNUSUAL[name]))


def test_wins_and_losses_that_cancel_are_no_payoff() -> None:
    """Two folds with four pairs each, and three showdowns; one is 0 but for rounding."""
    fold, showdown = np.full((2, 2), 0.25), np.array([[0.25, 1e-17], [0.0, -0.25]])
    deal = deal_of_tables(fold, showdown, (("a", "b"), ("c", "d")))
    game = replace(kuhn(), dealer=lambda: deal)
    assert program_size(game).payoff_nonzeros == 2 * 4 + 3 * 2


def test_rhode_island_as_the_thesis_abstracts_it() -> None:
    """Thesis 003, sections 5.2.1 and 10.2 and Table 8.1."""
    small = bucketed()
    assert small.hands() == ((13, 13), (205, 205), (1774, 1774))
    size = program_size(small)
    assert size.sequences == (883_741, 883_741)
    assert size.infosets == (353_496, 353_496)
    assert (size.rows, size.columns) == (1_237_238, 1_237_238)
    folds = [len(r.fold.entries()) for r in small.deal.rounds]
    showdown = len(small.deal.rounds[2].showdown.entries())
    assert (folds, showdown) == ([169, 6_393, 75_822], 74_032)
    assert size.payoff_nonzeros == 6 * 169 + 42 * 6_393 + 294 * 75_822 + 343 * 74_032
    assert size.nonzeros == 50_428_638 == size.payoff_nonzeros + 2 * 1_237_237
    assert str(size) == "1,237,238 rows by 1,237,238 columns, 50,428,638 non-zeros"
    assert program_shape(RHODE_ISLAND, (13, 205, 1774)) == ProgramShape(
        sequences=size.sequences, infosets=size.infosets
    )


def test_rhode_island_with_all_cards_distinct() -> None:
    """Section 5.2.1: the hands of a round are a card and the board in its order."""
    shape = program_shape(RHODE_ISLAND, (52, 52 * 51, 52 * 51 * 50))
    assert (shape.rows, shape.columns) == (91_224_226, 91_224_226)
    full = rhode_island(isomorphism="cards").counts()
    assert (shape.sequences, shape.infosets) == (full.sequences, full.infosets)
    assert full.nodes == 6_705_372_545


@pytest.mark.parametrize(
    ("betting", "buckets", "rows", "columns"),
    [
        pytest.param(RHODE_ISLAND, (13, 14, 19), 14_590, 14_590, id="10k"),
        pytest.param(RHODE_ISLAND, (13, 205, 300), 226_074, 226_074, id="160k"),
        pytest.param(round_by_round(4, 3), (169, 2465), 243_938, 244_107, id="GS1"),
        pytest.param(
            *(round_by_round(4, 3, 3, 3), (10, 150, 750, 3750), 18_536_842, 18_536_852), id="Texas"
        ),
        pytest.param(
            *(limit(4), (20, 800, 4800, 28800), 299_477_082, 299_477_102), id="GS4, in one"
        ),
        pytest.param(
            *(round_by_round(4, 4, 4, 4), (20, 800, 4800, 28800), 299_477_082, 299_477_102),
            id="GS4, round by round",
        ),
    ],
)
def test_published_sizes_of_betting_times_buckets(
    betting: BettingRules | list[BettingRules], buckets: tuple[int, ...], rows: int, columns: int
) -> None:
    """Thesis 003, section 6.3.1 (GS1) and Table 8.1.

    The buckets of 10k and 160k are not published; these fit. Columns are the program of the
    small blind, who acts last after the flop.
    """
    shape = program_shape(betting, buckets)
    assert (shape.rows, shape.columns) == (rows, columns)
    other = program_shape(betting, buckets, player=2)
    assert (other.rows, other.columns) == (columns, rows)


def test_texas_has_so_many_sequences() -> None:
    shape = program_shape(round_by_round(4, 3, 3, 3), (10, 150, 750, 3750))
    assert shape.sequences == (13_240_611, 13_240_601)
    assert shape.infosets == (5_296_240, 5_296_240)


def test_a_blind_is_a_bet() -> None:
    """With two bets the small blind folds, calls or raises, and the raise is the last."""
    shape = program_shape(limit(2, 1), (1,))
    assert shape.infosets == (2, 2)  # open, answer to a raise; after a call, after a raise
    assert shape.sequences == (1 + 3 + 2, 1 + 2 + 2)


def test_sizes_beyond_64_bits() -> None:
    deep = BettingRules(ante=1, rounds=8, bets=(1,) * 8, max_bets=9)
    large = program_shape(deep, (10**20,) * 8)
    assert large.rows == program_shape(deep, (1,) * 8).rows * 10**20 - 2 * 10**20 + 2


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(RulesError, match=r"buckets are \(3,\), expected a number for each of 2"):
        program_shape(leduc().betting, (3,))
    with pytest.raises(RulesError, match=r"buckets\[1\] is 0"):
        program_shape(leduc().betting, (3, 0))
    with pytest.raises(RulesError, match=r"betting\[1\] has 2 rounds and a stack of None"):
        program_shape([limit(4, 1), limit(4, 2)], (3, 3))
    with pytest.raises(RulesError, match=r"betting\[0\] has 1 rounds and a stack of 5"):
        program_shape([BettingRules(ante=1, stack=5)], (3,))
