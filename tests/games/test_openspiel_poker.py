"""Our Kuhn and Leduc against OpenSpiel's: the same strategies, measured by both.

The games are built independently: ours as betting tree times deal, theirs by its own
rules. Strategies are carried over by the history of cards and moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conftest import form_of
from saddlepoint.core.errors import GameError
from saddlepoint.games.openspiel import from_openspiel, policy_of_profile
from saddlepoint.measure.exact import expected_value, gap
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers.methods import solve

Namer = Callable[[Any], tuple[str, list[str]]]

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import expected_game_score, exploitability  # noqa: E402


def kuhn_name(state: Any) -> tuple[str, list[str]]:
    """The name of our information set, and our moves in the order of OpenSpiel's actions."""
    history, facing = state.history(), False
    letters = []
    for action in history[2:]:
        letters.append(("c" if facing else "r") if action == 1 else ("f" if facing else "c"))
        facing = facing or action == 1
    card = "JQK"[history[state.current_player()]]
    return f"{card}:{''.join(letters)}", ["f", "c"] if facing else ["c", "r"]


def leduc_name(state: Any) -> tuple[str, list[str]]:
    """As `kuhn_name`; OpenSpiel's cards are numbered as ours, its actions fold, call, raise."""
    history = state.history()
    text, letters, raised, acted = [], [], 0, 0
    own, board = history[state.current_player()], None
    open_round = True
    for action in history[2:]:
        if not open_round:
            board, open_round, raised, acted = action, True, 0, 0
            letters.append("/")
            continue
        letters.append("fcr"[action])
        acted += 1
        open_round = not (action == 1 and acted > 1)
        raised += action == 2
    for card in (own, board):
        if card is not None:
            text.append("JQK"[card // 2] + "cd"[card % 2])
    return f"{'|'.join(text)}:{''.join(letters)}", ["fcr"[a] for a in state.legal_actions()]


class Ours(policies.Policy):
    """One of our profiles as a policy of OpenSpiel's game."""

    def __init__(self, game: Any, profile: Profile, name_of: Namer) -> None:
        super().__init__(game, [0, 1])
        self.profile, self.name_of = profile, name_of

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        name, moves = self.name_of(state)
        row = self.profile.player(state.current_player() + 1)[name]
        return {a: row[m] for a, m in zip(state.legal_actions(), moves, strict=True)}


GAMES = [("kuhn", "kuhn_poker", kuhn_name), ("leduc:isomorphism=cards", "leduc_poker", leduc_name)]


@pytest.mark.parametrize(("ours", "theirs", "name_of"), GAMES, ids=["kuhn", "leduc"])
def test_both_measure_the_same(ours: str, theirs: str, name_of: Any) -> None:
    game = pyspiel.load_game(theirs)
    form = form_of(ours)
    for seed in range(20):
        profile = Profile.random(form, seed)
        policy = Ours(game, profile, name_of)
        value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
        assert expected_value(profile) == pytest.approx(value[0], abs=1e-10)
        conv = exploitability.nash_conv(game, policy, use_cpp_br=False)
        assert gap(profile) == pytest.approx(conv, abs=1e-10)


@pytest.mark.parametrize(("ours", "theirs", "name_of"), GAMES, ids=["kuhn", "leduc"])
def test_our_equilibria_are_theirs(ours: str, theirs: str, name_of: Any) -> None:
    game = pyspiel.load_game(theirs)
    profile = solve(form_of(ours), "lp").profile
    conv = exploitability.nash_conv(game, Ours(game, profile, name_of), use_cpp_br=False)
    assert np.abs(conv) < 1e-8


EXPORTED = [
    "kuhn",
    "kuhn:ranks=TQA",
    "leduc",
    "leduc:isomorphism=cards",
    "leduc:isomorphism=suits",
    "leduc:ranks=9TA,realisation=cards",
]


@pytest.mark.parametrize("text", EXPORTED)
def test_policies_of_our_profiles_measure_the_same_there(text: str) -> None:
    form = form_of(text)
    for profile in (Profile.random(form, 3), solve(form, "cfr+", iterations=20).profile):
        policy = policy_of_profile(profile)
        game = policy.game
        value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
        assert expected_value(profile) == pytest.approx(value[0], abs=1e-10)
        assert gap(profile) == pytest.approx(exploitability.nash_conv(game, policy), abs=1e-10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leduc:raises=2", "leduc_poker has raises 1, this leduc has 2"),
        ("leduc:bets=1/2", r"leduc_poker has bets \[2, 4\], this leduc has \[1, 2\]"),
        ("leduc:ranks=TJQK", "leduc_poker has 3 ranks in 2 suits, this leduc has 4 in 2"),
        ("kuhn:ante=2", "kuhn_poker has ante 1, this kuhn has 2"),
        ("no-limit-kuhn", "OpenSpiel has no twin of no-limit-kuhn; of the catalogue it has kuhn"),
    ],
)
def test_games_that_are_not_theirs_are_refused(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        policy_of_profile(Profile.uniform(form_of(text)))


def test_profiles_of_openspiel_s_games_need_no_game() -> None:
    game = from_openspiel("kuhn_poker")
    profile = Profile.random(game, 1)
    mine, given = policy_of_profile(profile), policy_of_profile(profile, game)
    np.testing.assert_array_equal(mine.action_probability_array, given.action_probability_array)


def test_unknown_names_are_told_with_their_neighbours_only() -> None:
    with pytest.raises(GameError, match=r"did you mean 'kuhn_poker'") as problem:
        from_openspiel("khun_poker")
    assert len(str(problem.value)) < 200
    with pytest.raises(GameError) as problem:
        from_openspiel("foo")
    assert len(str(problem.value)) < 200
