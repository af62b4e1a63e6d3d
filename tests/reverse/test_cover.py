from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import NamedTuple

import numpy as np
import pytest

from saddlepoint.core.errors import GameError, SettingsError
from saddlepoint.games.betting_moves import CALL
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import leduc, no_limit_leduc
from saddlepoint.reverse.cover import (
    LEAST_ANTE,
    Stakes,
    abstract_game,
    full_cover,
    sample,
    sub_cover,
)
from saddlepoint.studies.published import table

# Written from the definition, hand by hand in plain Python --------------------------------


class Situation(NamedTuple):
    """A bet that is faced, or may be made: what was done before it, and what it is."""

    before: str
    """The moves before the bet, b for one and c for a call; rounds do not matter."""
    pot: int
    bet: Fraction


def situations(stack: int, ante: int = 1) -> list[Situation]:
    """Every situation of no-limit Leduc Hold'em, in the order in which the tree is walked."""

    def at(
        round_: int, mine: int, theirs: int, last: int, acted: bool, moves: str, faced: Fraction
    ) -> Iterator[Situation]:
        """Of a player who has paid `mine`; last is the last raise, faced the bet he faces."""
        level = max(mine, theirs)
        totals = range(level + max(1, last), stack) if theirs < stack else range(0)
        if faced:
            yield Situation(moves[:-1], 2 * mine, faced)
        else:
            yield from (Situation(moves, 2 * level, part(level, total)) for total in totals)
        if not acted:
            yield from at(round_, theirs, level, last, True, moves + "c", Fraction(0))
        elif round_ == 0 and level < stack:
            yield from at(1, level, level, 0, False, moves + "c", Fraction(0))
        for total in totals:
            raised = max(last, total - level)
            yield from at(round_, theirs, total, raised, True, moves + "b", part(level, total))
        if theirs < stack:
            yield from at(round_, theirs, stack, 0, True, moves + "a", Fraction(0))

    def part(level: int, total: int) -> Fraction:
        return Fraction(total - level, 2 * level)

    return list(at(0, ante, ante, 0, False, "", Fraction(0)))


def stakes_of(situation: Situation, stack: int) -> Stakes:
    """The least ante that makes the bet and the stack whole, and what the stack is then."""
    bet = situation.bet
    for ante in count(100):
        pot = 2 * ante
        for _ in range(situation.before.count("b")):
            pot += 2 * math.floor(bet * pot)
        units = Fraction(stack, situation.pot) * pot
        if math.floor(bet * pot) == bet * pot and math.floor(units) == units:
            return Stakes(units / ante, bet, ante)
    raise AssertionError


def cover_of(stack: int, ante: int = 1) -> list[Stakes]:
    """One game for every pair of ratios with six decimals, the first that is found."""
    found: dict[str, Stakes] = {}
    for situation in dict.fromkeys(situations(stack, ante)):
        stakes = stakes_of(situation, stack)
        found.setdefault(f"{float(stakes.stack_ratio):.6f} {float(stakes.bet):.6f}", stakes)
    return list(found.values())


# The cover ---------------------------------------------------------------------------------


def test_the_full_cover_of_12_chips_is_that_of_the_thesis() -> None:
    """Table A.1, in its order."""
    cover = [stakes.printed for stakes in full_cover(no_limit_leduc())]
    stacks, bets = table("004", "A.1").cells, table("004", "A.1 (bets)").cells
    assert len(cover) == len(stacks) == len(bets) == 172
    assert cover == list(zip(stacks.values(), bets.values(), strict=True))
    assert [cover[k] for k in (0, 20, 54, 171)] == [
        *((12.0, 0.5), (7.08, 0.125), (62.138614, 0.875), (1.32, 0.05))
    ]


# With 7, 9 and 11 chips a bet may be whole in units of which the stack is no whole number,
# and with 10 two situations have the same pair by different antes.
@pytest.mark.parametrize(("stack", "ante"), [*((k, 1) for k in range(2, 12)), (9, 2), (15, 3)])
def test_the_full_cover_is_that_of_the_definition(stack: int, ante: int) -> None:
    assert full_cover(no_limit_leduc(stack=stack, ante=ante)) == cover_of(stack, ante)


def test_a_menu_of_the_real_game_leaves_its_own_bets() -> None:
    """Pot bets alone, which one game knows however many there are: 1, 3 and 9 of 12 chips."""
    cover = full_cover(no_limit_leduc(menu="fcpa"))
    assert [(s.stack_ratio, s.bet, s.ante) for s in cover] == [(12, 1, 100)]


@pytest.mark.parametrize("real", ["limit", "blinds"])
def test_other_games_have_no_cover(real: str) -> None:
    game = leduc() if real == "limit" else no_limit_leduc(stack=6)
    if real == "blinds":
        game = replace(game, betting=replace(game.betting, blinds=(1, 2)))
    with pytest.raises(GameError, match="a no-limit game with antes and without blinds, found"):
        full_cover(game)
    with pytest.raises(GameError, match="without blinds, found"):
        abstract_game(game, Stakes(Fraction(6), Fraction(1)))


@pytest.mark.parametrize(
    ("ratio", "bet", "ante"), [("1/2", "1", 100), ("6", "0", 100), ("6", "1", 0)]
)
def test_stakes_are_checked(ratio: str, bet: str, ante: int) -> None:
    with pytest.raises(
        SettingsError, match=f"stakes are stack .* with an ante of {ante}, expected"
    ):
        Stakes(Fraction(ratio), Fraction(bet), ante)


# Parts of it -------------------------------------------------------------------------------


def test_the_cover_picked_by_hand_is_a_part_of_the_full_one() -> None:
    """Table A.2."""
    cells = table("004", "A.2").cells
    picked = [(cells[f"{k}, stack"], cells[f"{k}, bet"]) for k in range(1, 16)]
    cover = full_cover(no_limit_leduc())
    places = sub_cover(cover, picked)
    assert places[:5] == [0, 1, 2, 4, 7]
    assert [cover[k].printed for k in places] == picked
    assert sub_cover(cover, []) == []
    with pytest.raises(SettingsError, match=r"no pair \(12.0, 5.5\); it has 172 others"):
        sub_cover(cover, [(12.0, 1.0), (12.0, 5.5)])


def test_samples_are_fcpa_and_others() -> None:
    cover = full_cover(no_limit_leduc())
    drawn = [sample(cover, 14, seed) for seed in range(300)]
    for places in drawn:
        assert cover[places[0]].printed == (12.0, 1.0)
        assert len(places) == len(set(places)) == 15
        assert 0 <= min(places) <= max(places) < 172
    # 300 * 14 draws of 171: each is drawn 24.6 times on average.
    times = np.bincount(np.concatenate([places[1:] for places in drawn]), minlength=172)
    assert times[1] == 0
    assert 5 <= np.delete(times, 1).min() <= np.delete(times, 1).max() <= 50


def test_samples_come_from_their_seed() -> None:
    cover = full_cover(no_limit_leduc(stack=8))
    assert sample(cover, 5, 3) == sample(cover, 5, 3) == sample(cover, 5, np.random.default_rng(3))
    assert sample(cover, 5, 3) != sample(cover, 5, 4)
    assert sorted(sample(cover, 39, 0)) == list(range(40))
    assert sample(cover, 0, 0) == [1]


@pytest.mark.parametrize("drawn", [-1, 40])
def test_samples_are_no_greater_than_the_cover(drawn: int) -> None:
    with pytest.raises(SettingsError, match=f"count is {drawn}, expected 0 to 39"):
        sample(full_cover(no_limit_leduc(stack=8)), drawn, 0)


@pytest.mark.parametrize("stack", [2, 3])
def test_small_covers_without_fcpa_have_no_samples(stack: int) -> None:
    """With 3 chips a pot bet is all-in, and with 2 every bet."""
    with pytest.raises(SettingsError, match="no game with pot bets and the real stack"):
        sample(full_cover(no_limit_leduc(stack=stack)), 0, 0)


# Its games ---------------------------------------------------------------------------------


def followed(game: FactoredGame, moves: str) -> int:
    """The node after some moves, of which b is the least bet that there is."""
    tree, node = game.tree, 0
    for move in moves:
        below = range(tree.child[node], tree.child[node] + tree.children[node])
        raises = [c for c in below if tree.move[c] > 0]
        node = raises[0] if move == "b" else next(c for c in below if tree.move[c] == CALL)
    return node


@pytest.mark.parametrize(("stack", "ante"), [(5, 1), (7, 1), (8, 1), (9, 2)])
def test_games_of_a_cover_meet_both_ratios_exactly(stack: int, ante: int) -> None:
    """Every situation of the real game, once its moves are made in the game of its stakes."""
    real = no_limit_leduc(stack=stack, ante=ante)
    games: dict[Stakes, FactoredGame] = {}
    for situation in dict.fromkeys(situations(stack, ante)):
        stakes = stakes_of(situation, stack)
        game = games.setdefault(stakes, abstract_game(real, stakes))
        node = followed(game, situation.before)
        level = int(game.tree.contribution[node].max())
        assert game.tree.mover[node] > 0
        assert Fraction(game.betting.stack, 2 * level) == Fraction(stack, situation.pot)
        after = int(game.tree.contribution[followed(game, situation.before + "b")].max())
        assert Fraction(after - level, 2 * level) == situation.bet
        assert after < game.betting.stack
    assert len(games) >= len(full_cover(real))


def test_other_stakes_are_met_to_half_a_unit() -> None:
    """233 1/3 units of stack, bets of 14 and 2/7 units."""
    game = abstract_game(no_limit_leduc(stack=6), Stakes(Fraction(7, 3), Fraction(1, 14)))
    assert game.betting.stack == 233
    assert game.tree.contribution[followed(game, "b")].tolist() == [114, 100]
    coarse = abstract_game(no_limit_leduc(stack=6), Stakes(Fraction(7, 3), Fraction(1, 3), ante=1))
    # No unit is as little as a third of 2 units: all-in is the only bet.
    assert coarse.tree.contribution[followed(coarse, "b")].tolist() == [2, 1]


def test_games_of_a_cover_have_the_cards_of_the_real_game_and_its_money() -> None:
    real = no_limit_leduc(stack=9, ante=2)
    for stakes in full_cover(real)[::7]:
        game = abstract_game(real, stakes)
        assert game.hands() == real.hands()
        assert game.betting.ante * game.scale == pytest.approx(2.0, rel=1e-12)
        assert (game.betting.ante, game.betting.stack) == (stakes.ante, stakes.stack)
        assert game.betting.menu.bets == (float(stakes.bet),)
        assert game.betting.menu.all_in
        assert stakes.text in game.name


def test_the_game_of_pot_bets_and_the_real_stack_is_fcpa() -> None:
    """By its names and by what random plays win, in chips."""
    game = abstract_game(no_limit_leduc(), Stakes(Fraction(12), Fraction(1), LEAST_ANTE))
    one, other = game.sequence_form(), no_limit_leduc(menu="fcpa").sequence_form()
    for mine, theirs in ((one.X, other.X), (one.Y, other.Y)):
        names = [mine.sequence_name(q) for q in range(mine.n_sequences)]
        assert names == [theirs.sequence_name(q) for q in range(theirs.n_sequences)]
    for seed in range(3):
        x, y = one.X.plan(one.X.random(seed)), one.Y.plan(one.Y.random(seed + 9))
        np.testing.assert_allclose(x @ (one.A @ y), x @ (other.A @ y), atol=1e-12)
