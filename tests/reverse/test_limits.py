"""Strategies that know fewer bets, in limit games."""

from __future__ import annotations

import numpy as np
import pytest

import saddlepoint as sp
from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_most_bets
from saddlepoint.abstraction.shrink import shrink
from saddlepoint.core.errors import GameError, RulesError, SettingsError, StrategyError
from saddlepoint.games.poker import kuhn, leduc, no_limit_leduc, rhode_island
from saddlepoint.reverse.lift import lift
from saddlepoint.reverse.limits import (
    CALLED,
    lift_limited,
    lift_limited_profile,
    standings,
)
from saddlepoint.reverse.translate import Translation

GAMES = ("leduc:raises=2", "leduc:raises=3", "rhode-island:ranks=234,suits=2", "kuhn:raises=3")


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_calling_is_what_translation_lifts(name: str, most: int) -> None:
    """Two programs that share nothing: a gather by standings, and a walk that reads bets."""
    real = sp.game(name)
    pair = AbstractGame.of(real, with_most_bets(real, most))
    reads = Translation(mapping="det-arith", observe="totals", act="totals")
    for strategy in sp.Profile.random(pair.game, most):
        found = lift_limited(pair, strategy).plan
        np.testing.assert_allclose(found, lift(pair, strategy, reads).strategy.plan, atol=1e-15)


def moves(game: str, most: int, rule: str) -> dict[str, str | None]:
    """The abstract history that each real one stands for."""
    real = sp.game(game)
    small = with_most_bets(real, most)
    at = standings(real.tree, small.tree, rule)
    return {
        real.tree.history(n): None if at[n] == CALLED else small.tree.history(int(at[n]))
        for n in range(len(real.tree))
        if real.tree.mover[n] > 0
    }


def test_standings_by_hand() -> None:
    call, forget = (moves("leduc:raises=2", 1, rule) for rule in ("call", "forget"))
    assert call[""] == forget[""] == ""
    assert call["r"] == forget["r"] == "r"
    assert call["rr"] is None  # he only calls
    assert forget["rr"] == "cr"  # as if he had checked and the other had bet
    assert forget["rrr"] == "r"
    assert forget["crr"] == "r"
    assert call["rrc/"] == "rc/"
    assert forget["rrc/"] == "crc/"
    assert call["rrc/r"] == "rc/r"
    two = moves("leduc:raises=2", 2, "forget")
    assert two["rrr"] == "crr"
    assert two["crrr"] == "rr"
    assert two["crrrc/cr"] == "rrc/cr"


@pytest.mark.parametrize("rule", ["call", "forget"])
def test_nobody_makes_a_bet_that_his_game_does_not_have(rule: str) -> None:
    real = sp.game("leduc:raises=2")
    pair = AbstractGame.of(real, with_most_bets(real, 1))
    profile = lift_limited_profile(pair, sp.Profile.uniform(pair.game), rule)
    for strategy in profile:
        for name, actions in strategy:
            betting = name.split(":")[1].split("/")[-1]
            if "r" in betting:
                assert actions.get("r", 0.0) == 0.0


def test_cards_alone_are_looked_up() -> None:
    real = rhode_island(ranks="234", suits=2)
    pair = shrink(real, cards="eb:3-4-8")
    strategy = sp.Profile.random(pair.game, 1).second
    found = lift_limited(pair, strategy)
    names = real.deal.rounds[2].names[1]
    buckets = pair.game.deal.rounds[2].names[1]
    for hand in (0, 7, len(names) - 1):
        bucket = buckets[pair.groups[1][2][hand]]
        for betting in ("cc/cc/c", "rc/crc/r"):
            assert found[f"{names[hand]}:{betting}"] == strategy[f"{bucket}:{betting}"]


def test_a_strategy_with_all_bets_is_itself() -> None:
    real = leduc(raises=2)
    pair = AbstractGame.of(real, with_most_bets(real, 3))
    assert pair.game is real
    strategy = sp.Profile.random(real, 2).first
    for rule in ("call", "forget"):
        np.testing.assert_array_equal(
            lift_limited(pair, strategy, rule).probabilities, strategy.probabilities
        )


def test_fewer_bets_cost_something() -> None:
    """Exact figures: the fewer bets a strategy of Leduc Hold'em knows, the more it loses."""
    real = leduc(raises=2)
    lost = []
    for most in (1, 2, 3):
        pair = AbstractGame.of(real, with_most_bets(real, most))
        solved = sp.solve(pair.game, "lp").profile
        lost.append(sp.exploitability(lift_limited_profile(pair, solved)))
    assert lost[0] > lost[1] > lost[2]
    assert lost[2] < 1e-9


def test_bad_input() -> None:
    real = leduc()
    pair = AbstractGame.of(real, with_most_bets(real, 1))
    strategy = sp.Profile.uniform(pair.game).first
    with pytest.raises(SettingsError, match="unknown rule 'cal' \\(did you mean 'call'"):
        lift_limited(pair, strategy, "cal")
    with pytest.raises(StrategyError, match="does not belong to leduc with 1 bet a round"):
        lift_limited(pair, sp.Profile.uniform(leduc(raises=2)).first)
    with pytest.raises(GameError, match="only limit betting"):
        standings(no_limit_leduc(stack=4).tree, no_limit_leduc(stack=4).tree)
    with pytest.raises(GameError, match="only limit betting"):
        standings(leduc().tree, kuhn().tree)
    with pytest.raises(RulesError, match="bets is -1"):
        with_most_bets(real, -1)
