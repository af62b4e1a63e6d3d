from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from twin import Twin

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.cards import grouped
from saddlepoint.core.errors import SettingsError, SizeError, StrategyError
from saddlepoint.games.catalogue import game
from saddlepoint.games.poker import clairvoyance, leduc, no_limit_kuhn, no_limit_leduc
from saddlepoint.reverse import translate
from saddlepoint.reverse.lift import lift, lift_profile
from saddlepoint.reverse.mappings import MAPPINGS
from saddlepoint.reverse.translate import FRAMES, Translation
from saddlepoint.sequence.strategy import Profile, Strategy


def sparse(pair: AbstractGame, seed: int) -> Profile:
    """A random profile of the abstract game, a third of whose actions are never played."""
    form, rng = pair.game.sequence_form(), np.random.default_rng(seed)
    halves = []
    for plex, player in ((form.X, 1), (form.Y, 2)):
        x = rng.exponential(size=plex.n_sequences) * (rng.random(plex.n_sequences) > 1 / 3)
        halves.append(Strategy(plex, plex.behaviour(x), player))
    return Profile(form, *halves)


SETTINGS = [
    {},
    {"avoid": 1e-6},
    {"avoid": 0.2, "unreached": "uniform"},
    {"check": 1},
    {"check": None, "calls": False},
    {"check": 1, "calls": False, "call_is_call": False},
    {"remember": False},
    {"remember": False, "call_is_call": False, "check": 1},
    {"check": 1, "closing": "again"},
    {"check": 1, "closing": "again", "avoid": 1e-6},
    {"check": 2, "closing": "again", "remember": False},
    {"check": 1, "closing": "again", "calls": False, "call_is_call": False},
]
PAIRS = {
    "6 chips, fcpa": (no_limit_leduc(stack=6), no_limit_leduc(stack=6, menu="fcpa")),
    "5 chips, fcha": (no_limit_leduc(stack=5), no_limit_leduc(stack=5, menu="fcha")),
    "9 chips, fcp": (no_limit_leduc(stack=9), no_limit_leduc(stack=9, menu="fcp")),
    "kuhn": (no_limit_kuhn(stack=3), no_limit_kuhn(stack=3, menu="fcpa")),
}


@pytest.mark.parametrize("names", PAIRS)
@pytest.mark.parametrize("frame", [*FRAMES, "unfixed"])
@pytest.mark.parametrize("settings", range(len(SETTINGS)))
def test_lifted_strategies_are_those_of_the_definition(
    names: str, frame: str, settings: int
) -> None:
    """Every real history and hand, against plain Python, in every frame and with every fix."""
    pair = AbstractGame.of(*PAIRS[names])
    observe, act = FRAMES.get(frame, ("chips", "totals"))
    mapping = sorted(MAPPINGS)[(settings + len(frame)) % len(MAPPINGS)]
    chosen = Translation(mapping=mapping, observe=observe, act=act, **SETTINGS[settings])
    for strategy in sparse(pair, settings):
        expected = Twin(pair, strategy, chosen).whole()
        found = lift(pair, strategy, chosen).strategy.probabilities
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_every_mapping(mapping: str) -> None:
    pair = AbstractGame.of(*PAIRS["6 chips, fcpa"])
    strategy = sparse(pair, 9).second
    chosen = Translation(mapping=mapping)
    expected = Twin(pair, strategy, chosen).whole()
    np.testing.assert_allclose(
        lift(pair, strategy, chosen).strategy.probabilities, expected, atol=1e-12
    )


@pytest.mark.parametrize(
    "text",
    ["leduc", "no-limit-leduc:stack=7", "no-limit-kuhn:stack=2", "rhode-island:ranks=23A,suits=2"],
)
@pytest.mark.parametrize(("frame", "mapping"), list(product(FRAMES, ("det-geo", "rand-pshar"))))
def test_without_abstraction_the_strategy_is_itself(text: str, frame: str, mapping: str) -> None:
    """Exactly, not about: to the last bit."""
    real = game(text)
    pair = AbstractGame.of(real, real)
    profile = Profile.random(real, 3)
    chosen = Translation.in_frame(frame, mapping=mapping)
    for strategy in profile:
        found = lift(pair, strategy, chosen)
        np.testing.assert_array_equal(found.strategy.probabilities, strategy.probabilities)
        assert found.inconsistent == 0
        assert sum(found.carried_out.values()) == found.carried_out["as meant"]


@pytest.mark.parametrize("text", ["JQ.K", "J.Q.K-JQK", "full-J.QK"])
def test_card_groups_are_lifted_hand_by_hand(text: str) -> None:
    pair = grouped(leduc(), text)
    profile = Profile.random(pair.game, 4)
    for strategy in lift_profile(pair, profile):
        player = strategy.player
        for name, actions in strategy:
            hand, _, betting = name.partition(":")
            r = int("|" in hand)
            k = list(pair.real.deal.rounds[r].names[player - 1]).index(hand)
            group = pair.game.deal.rounds[r].names[player - 1][pair.groups[player - 1][r][k]]
            assert actions == profile.player(player)[f"{group}:{betting}"]


def test_bets_are_carried_out_by_the_rules() -> None:
    """An abstract pot bet after a real overbet: to the abstract total, or a real pot."""
    pair = AbstractGame.of(no_limit_leduc(stack=12), no_limit_leduc(stack=12, menu="fcpa"))
    plex = pair.game.sequence_form().X

    def bet(name: str, actions: list[str]) -> dict[str, float]:
        # Bet the pot, raise a bet by the pot, and so on: the first raise that there is.
        raises = [a for a in actions if a.startswith("r")]
        return {raises[0] if raises else "c": 1.0}

    strategy = Strategy.of_function(plex, bet, 1)
    by_totals = lift(pair, strategy, Translation.in_frame("abstract", mapping="det-geo"))
    in_pots = lift(pair, strategy, Translation.in_frame("real", mapping="det-geo"))
    assert by_totals.strategy["J:"]["r3"] == in_pots.strategy["J:"]["r3"] == 1.0
    # A raise to 8 is read as one to 9; both go all-in. In the next round after a call of a
    # bet to 3 at a pot of 6 units, a pot is a bet of 6.
    assert in_pots.strategy["J|Q:r3c/"]["r9"] == 1.0
    # After check and a bet of 3 chips (1.5 pots, read as a pot: total 3 for 4) the abstract
    # raise is to 9, and the real pot-sized one to 12, which is all-in.
    assert by_totals.strategy["J:"]["r3"] == 1.0


def test_exceptions_are_counted_and_shown() -> None:
    pair = AbstractGame.of(no_limit_leduc(stack=12), no_limit_leduc(stack=12, menu="fcpa"))
    profile = Profile.uniform(pair.game)
    found = lift(pair, profile.second, Translation.in_frame("real", mapping="rand-geo-1"))
    assert found.inconsistent >= len(found.examples) > 0
    assert sum(found.carried_out.values()) > found.carried_out["as meant"] > 0
    for history, abstract, move in found.examples:
        assert history
        assert abstract
        assert move[0] in "cr"


def test_what_cannot_be_lifted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = AbstractGame.of(clairvoyance(), clairvoyance(menu="fcpa"))
    with pytest.raises(StrategyError, match="does not belong to clairvoyance, player 2"):
        lift(pair, Strategy(pair.game.sequence_form().X, pair.game.sequence_form().X.uniform(), 2))
    monkeypatch.setattr(translate, "MOST_READINGS", 5)
    with pytest.raises(SizeError, match="readings, more than 5"):
        lift(pair, Profile.uniform(pair.game).second)
    for settings, message in (
        ({"mapping": "rand-psharp"}, "unknown mapping 'rand-psharp'"),
        ({"observe": "pot"}, "unknown observe 'pot'"),
        ({"act": "chips"}, "unknown act"),
        ({"unreached": "fold"}, "unknown unreached"),
        ({"closing": "twice"}, "unknown closing 'twice'"),
        ({"outside": "clip"}, "unknown outside 'clip'"),
        ({"check": -1}, "check is -1"),
        ({"avoid": 0.0}, "avoid is 0"),
    ):
        with pytest.raises(SettingsError, match=message):
            Translation(**settings)
    with pytest.raises(SettingsError, match="unknown frame 'abstrakt'"):
        Translation.in_frame("abstrakt")


def test_bets_beyond_the_abstraction_can_be_refused() -> None:
    pair = AbstractGame.of(*PAIRS["9 chips, fcp"])
    strategy = Profile.uniform(pair.game).second
    assert lift(pair, strategy, Translation(outside="nearest"))
    with pytest.raises(SettingsError, match=r"menu 'fcp' has no all-in \(a\); add it"):
        lift(pair, strategy, Translation(outside="refuse"))
    complete = AbstractGame.of(*PAIRS["6 chips, fcpa"])
    assert lift(complete, Profile.uniform(complete.game).second, Translation(outside="refuse"))
