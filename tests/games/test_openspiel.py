"""Games taken from OpenSpiel are its games: counts, values and exploitability agree."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from saddlepoint.core.errors import GameError, RecallError, SizeError, StrategyError
from saddlepoint.games.gambit import read_efg, write_efg
from saddlepoint.games.openspiel import (
    _action_names,
    from_openspiel,
    policy_of_profile,
    profile_of_policy,
)
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.strategy import Profile

pyspiel = pytest.importorskip("pyspiel")
policies = pytest.importorskip("open_spiel.python.policy")
exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
expected_game_score = pytest.importorskip("open_spiel.python.algorithms.expected_game_score")
gambit = pytest.importorskip("open_spiel.python.algorithms.gambit")

# Southey et al. 2005 for Kuhn and Leduc; the nodes are those of OpenSpiel's own trees.
COUNTS = {"kuhn_poker": (58, 6), "leduc_poker": (9457, 468)}


@pytest.fixture(scope="module", params=COUNTS)
def game(request):
    return from_openspiel(request.param)


def value(game, profile):
    return profile.first.plan @ (game.sequence_form().A @ profile.second.plan)


def nash_gap(game, profile):
    return gap(*game.sequence_form(), profile.first.plan, profile.second.plan).gap


def test_counts(game):
    nodes, infosets = COUNTS[game.name]
    counts = game.counts()
    assert counts.nodes == nodes
    assert counts.infosets == (infosets, infosets)
    assert from_openspiel(game.spec["openspiel"]) == replace(game, name=f"{game.name}()")


def test_twenty_random_strategies_are_worth_what_openspiel_says(game):
    for seed in range(20):
        profile = Profile.random(game, seed)
        policy = policy_of_profile(profile, game)
        state = game.source.new_initial_state()
        theirs = expected_game_score.policy_value(state, [policy, policy])[0]
        assert value(game, profile) == pytest.approx(theirs, abs=1e-10)
        theirs = exploitability.nash_conv(game.source, policy)
        assert nash_gap(game, profile) == pytest.approx(theirs, abs=1e-10)


def test_strategies_come_back_as_they_went(game):
    profile = Profile.random(game, 1)
    back = profile_of_policy(game, policy_of_profile(profile, game))
    for mine, theirs in zip(profile, back, strict=True):
        assert np.array_equal(mine.probabilities, theirs.probabilities)


class Bold(policies.Policy):
    """A policy that is not a table: the last legal action, nearly always."""

    def action_probabilities(self, state, player_id=None):
        *rest, last = state.legal_actions()
        return {last: 0.9, **{a: 0.1 / len(rest) for a in rest}} if rest else {last: 1.0}


@pytest.mark.parametrize(
    "make",
    [
        lambda g: policies.UniformRandomPolicy(g),
        lambda g: pyspiel.UniformRandomPolicy(g),
        lambda g: policies.tabular_policy_from_callable(g, Bold(g, [0, 1]).action_probabilities),
        lambda g: Bold(g, [0, 1]),
    ],
)
def test_policies_of_any_kind_are_taken(make):
    game = from_openspiel("kuhn_poker")
    policy = make(game.source)
    profile = profile_of_policy(game, policy)
    assert nash_gap(game, profile) == pytest.approx(
        exploitability.nash_conv(game.source, policy), abs=1e-10
    )


def test_the_value_of_kuhn_poker_at_a_known_equilibrium():
    # Kuhn 1950, with the first player bluffing a third of the time: value -1/18.
    bets = {"0": 1 / 3, "1": 0, "2": 1, "0pb": 0, "1pb": 2 / 3, "2pb": 1}
    bets |= {"0b": 0, "1b": 1 / 3, "2b": 1, "0p": 1 / 3, "1p": 0, "2p": 1}
    game = from_openspiel("kuhn_poker")
    profile = Profile.of_function(game, lambda name, _: {"Bet": bets[name], "Pass": 1 - bets[name]})
    assert value(game, profile) == pytest.approx(-1 / 18, abs=1e-15)
    assert nash_gap(game, profile) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("name", ["matrix_rps", "oshi_zumo(coins=3,size=1,horizon=3)"])
def test_simultaneous_moves_become_turns_that_are_not_seen(name):
    game = from_openspiel(name)
    profile = Profile.random(game, 2)
    policy = policy_of_profile(profile, game)
    assert nash_gap(game, profile) == pytest.approx(
        exploitability.nash_conv(game.source, policy), abs=1e-10
    )


def test_rock_paper_scissors_is_a_matrix():
    game = from_openspiel("matrix_rps")
    A = game.sequence_form().A.to_sparse().toarray()
    assert A[1:, 1:].tolist() == [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    assert game.actions[0] == (("Rock", "Paper", "Scissors"),)
    assert game.action_ids == (((0, 1, 2),), ((0, 1, 2),))


def test_a_game_of_imperfect_recall_is_refused_as_a_sequence_form():
    game = from_openspiel("liars_dice_ir(numdice=1,dice_sides=3,recall_length=1)")
    with pytest.raises(RecallError, match=r"player 2 .*'P1 1 1-3 2-1 2-2 2-3'"):
        game.sequence_form()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("matrix_pd", "general-sum"),
        ("kuhn_poker(players=3)", "a game of 3 players, expected two"),
        ("backgammon", "without information states"),
        ("khun_poker", r"unknown OpenSpiel game 'khun_poker' \(did you mean 'kuhn_poker'\?\)"),
        ("kuhn_poker(players=99)", "OpenSpiel cannot load 'kuhn_poker"),
        ("leduc_poker(suit_isomorphism=True", "OpenSpiel cannot load"),
        (7, "cannot take a int from OpenSpiel"),
    ],
)
def test_games_that_do_not_fit_are_refused(name, problem):
    with pytest.raises(GameError, match=problem):
        from_openspiel(name)


def test_trees_that_outgrow_their_limit_are_refused():
    with pytest.raises(SizeError, match=r"leduc_poker.* more than 9,456 nodes"):
        from_openspiel("leduc_poker", max_nodes=9456)
    seen = []
    from_openspiel("liars_dice(numdice=1,dice_sides=4)", progress=seen.append)
    assert seen == list(range(10_000, len(seen) * 10_000 + 1, 10_000))


def test_profiles_of_other_games_are_refused():
    game = from_openspiel("kuhn_poker")
    with pytest.raises(StrategyError, match="does not belong to kuhn_poker"):
        policy_of_profile(Profile.uniform(from_openspiel("matrix_rps")), game)


class Counting(Bold):
    """A policy that counts how often it is asked."""

    asked = 0

    def action_probabilities(self, state, player_id=None):
        self.asked += 1
        return super().action_probabilities(state)


def test_a_policy_is_asked_once_for_each_information_set():
    game = from_openspiel("kuhn_poker")
    policy = Counting(game.source, [0, 1])
    profile_of_policy(game, policy)
    assert policy.asked == 12


class Silent(policies.Policy):
    """A policy that knows nothing."""

    def action_probabilities(self, state, player_id=None):
        return {}


class Wrong(policies.Policy):
    """A policy whose probabilities sum to 2."""

    def action_probabilities(self, state, player_id=None):
        return dict.fromkeys(state.legal_actions(), 1.0)


def test_policies_without_probabilities_are_refused():
    game = from_openspiel("kuhn_poker")
    with pytest.raises(StrategyError, match="player 1 is silent at '0'"):
        profile_of_policy(game, Silent(game.source, [0, 1]))
    with pytest.raises(StrategyError, match=r"probabilities at '0' .* sum 2"):
        profile_of_policy(game, Wrong(game.source, [0, 1]))


def test_without_openspiel_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r"pip install saddlepoint\[openspiel\]"):
        from_openspiel("kuhn_poker")


def test_actions_of_one_name_are_told_apart_by_their_numbers():
    class State:
        def current_player(self):
            return 0

        def action_to_string(self, player, action):
            return "raise" if action else "fold"

    assert _action_names(State(), [0, 1, 2]) == ("fold [0]", "raise [1]", "raise [2]")
    assert _action_names(State(), [0, 1]) == ("fold", "raise")


# Gambit's format, as OpenSpiel writes it ----------------------------------------------


def test_the_exported_file_is_the_same_game(game):
    exported = read_efg(gambit.export_gambit(game.source))
    assert exported.counts() == game.counts()
    assert read_efg(write_efg(exported)) == exported
    profile = Profile.random(game, 3)
    # Both trees are in prefix order, so their information sets have the same numbers.
    same = Profile.of(exported, *(strategy.probabilities for strategy in profile))
    assert value(exported, same) == pytest.approx(value(game, profile), abs=1e-12)
    assert nash_gap(exported, same) == pytest.approx(nash_gap(game, profile), abs=1e-12)


def test_games_from_openspiel_are_written_and_read_back(game):
    plain = read_efg(write_efg(game))
    assert plain.tree.probability.tolist() == game.tree.probability.tolist()
    assert plain == game


def test_openspiel_reads_what_we_write(game):
    theirs = pyspiel.load_efg_game(write_efg(game))
    again = from_openspiel(theirs)
    assert again.counts() == game.counts()
    assert np.array_equal(again.tree.probability, game.tree.probability)
    assert np.array_equal(again.tree.payoff, game.tree.payoff)
    assert again.actions == game.actions


def test_we_read_openspiels_own_file():
    game = read_efg(pyspiel.get_kuhn_poker_efg_data())
    assert game.counts().nodes == 58
    assert game.infosets[0] == ("1", "1pb", "0", "0pb", "2", "2pb")
    bets = {"0": 1 / 3, "1": 0, "2": 1, "0pb": 0, "1pb": 2 / 3, "2pb": 1}
    bets |= {"0b": 0, "1b": 1 / 3, "2b": 1, "0p": 1 / 3, "1p": 0, "2p": 1}
    profile = Profile.of_function(game, lambda name, _: {"b": bets[name], "p": 1 - bets[name]})
    assert value(game, profile) == pytest.approx(-1 / 18, abs=1e-15)
    assert nash_gap(game, profile) == pytest.approx(0, abs=1e-15)
    with pytest.raises(GameError, match=r"Bayes game.* is general-sum"):
        read_efg(pyspiel.get_sample_efg_data())
