from __future__ import annotations

import zlib
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from saddlepoint.core.errors import GameError, RulesError, SizeError, StrategyError
from saddlepoint.games.catalogue import game as named
from saddlepoint.games.filtered import FilteredGame
from saddlepoint.games.filtered_play import Behaviour, best_response_value, expected_utilities
from saddlepoint.games.information import InformationFilter
from saddlepoint.games.interaction import Interaction, StageInteraction
from saddlepoint.games.ordered_data import ordered_game_of
from saddlepoint.games.ordered_poker import ordered_poker
from saddlepoint.games.ordered_stages import stage_based_of
from saddlepoint.games.poker import clairvoyance, kuhn, leduc, no_limit_leduc, rhode_island
from saddlepoint.games.rules_file import rules_game
from saddlepoint.games.signal_tree import filtered_signal_tree, signal_tree
from saddlepoint.games.signals import OrderedGame
from saddlepoint.games.stage_based import StageBasedGame, StageFilter
from saddlepoint.games.stages import ActionTree, Decision, Stage
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers.methods import solve

BET = Stage.of(
    {
        "player": 1,
        "actions": {
            "k": {"player": 2, "actions": {"k": "over", "b": "over"}},
            "b": {"player": 2, "actions": {"f": "over", "c": "over"}},
        },
    }
)
ONCE = Stage.of({"player": 1, "actions": {"stop": "over", "go": "continue"}})
LAST = Stage.of({"player": 2, "actions": {"left": "over", "right": "over"}})


def jacks_and_kings() -> OrderedGame:
    """The game of the thesis's Figure 5.2."""
    betting = {"ante": 1, "bets": [1], "max_bets": 1}
    deck = {"ranks": "JK", "suits": 2}
    return ordered_poker(rules_game({"name": "JJKK", "deck": deck, "betting": betting}))


def three_players(
    weights: list[int] | None = None, players: int = 3, signals: int = 4
) -> OrderedGame:
    """All may bid in turn for the pot; the best signal of those who did wins it."""
    table: Any = "over"
    for player in range(players, 0, -1):
        table = {"player": player, "actions": {"out": table, "in": table}}

    def utility(path: Any, public: Any, private: Any) -> list[float]:
        bids = [k for k, action in enumerate(path[0]) if action == "in"]
        best = max((private[k][0][0] for k in bids), default=None)
        return [
            (players + len(bids) - 1.0 - 1 if private[k][0][0] == best else -2.0)
            if k in bids
            else -1.0
            for k in range(players)
        ]

    return OrderedGame(
        players=players,
        stages=[Stage.of(table)],
        signals=range(1, signals + 1),
        public=[0],
        private=[1],
        utility=utility,
        rank=lambda public, private: private[0][0],
        weights=weights,
        name="bids",
    )


def simple(**changes: Any) -> OrderedGame:
    """A two-round game that is made wrong by changes."""
    fields: dict[str, Any] = {
        "players": 2,
        "stages": [ONCE, LAST],
        "signals": ["a", "b", "c", "d"],
        "public": [0, 1],
        "private": [1, 0],
        "utility": lambda path, public, private: (0.0, 0.0),
    }
    return OrderedGame(**(fields | changes))


# Sizes ------------------------------------------------------------------------------------


def test_rhode_island_has_the_signal_tree_of_the_thesis() -> None:
    """Thesis 003, section 5.5: 6,632,705 nodes, by formula and not by listing."""
    game = ordered_poker(rhode_island())
    assert game.signal_tree_size() == 6_632_705
    assert game.game_tree_size() == rhode_island().counts().nodes == 6_705_372_545


@pytest.mark.parametrize(
    "text", ["kuhn", "leduc", "kuhn:raises=1,ranks=TJQK", "rhode-island:ranks=234,suits=2,raises=0"]
)
def test_poker_games_are_what_they_were(text: str) -> None:
    """Counts, names of information sets, and what profiles are worth."""
    real = named(text if "leduc" not in text else "leduc:isomorphism=cards")
    game = ordered_poker(real)
    game.check_order()
    assert game.game_tree_size() == real.counts().nodes
    filtered = FilteredGame.of(game)
    assert filtered.tree_size() == game.game_tree_size()
    form = filtered.sequence_form()
    assert solve(form, "lp").value == pytest.approx(solve(real, "lp").value, abs=1e-9)
    if "rhode" in text:  # hands that are the same up to suits have one name there
        return

    def mixed(infoset: str, actions: list[str]) -> Any:
        return np.random.default_rng(zlib.crc32(infoset.encode())).dirichlet(np.ones(len(actions)))

    values = []
    for problem in (real.sequence_form(), form, filtered.tree().sequence_form()):
        profile = Profile.of_function(problem, mixed)
        values.append(profile.first.plan @ (problem.A @ profile.second.plan))
    assert values[1:] == pytest.approx([values[0]] * 2, abs=1e-12)
    played = Behaviour.of_profile(filtered, Profile.of_function(form, mixed))
    assert expected_utilities(played) == pytest.approx([values[0], -values[0]], abs=1e-12)


def test_the_tree_has_the_nodes_of_figure_5_2() -> None:
    game = jacks_and_kings()
    ranks = InformationFilter.of_labels(game, lambda j, public, private: private[0][0][0])
    assert FilteredGame.of(game).tree().n_nodes == FilteredGame.of(game).tree_size() == 113
    small = FilteredGame(ranks)
    tree = small.tree()
    assert tree.n_nodes == small.tree_size() == 39
    assert filtered_signal_tree(ranks).sizes == (1, 2, 4)
    # A jack leaves one jack and two kings.
    signals = filtered_signal_tree(ranks)
    assert signals.probability(1).tolist() == [0.5, 0.5]
    assert signals.probability(2).tolist() == [1 / 3, 2 / 3, 2 / 3, 1 / 3]
    assert tree.infosets[0] == ("Jc(+1):", "Jc(+1):cr", "Kc(+1):", "Kc(+1):cr")
    for problem in (tree, small):
        assert solve(problem, "lp").value == pytest.approx(
            solve(FilteredGame.of(game), "lp").value, abs=1e-12
        )


def test_payoffs_of_a_filtered_game_are_averages() -> None:
    """Who is told nothing plays for the average over all deals."""
    game = jacks_and_kings()
    blind = FilteredGame(InformationFilter.coarsest(game))
    X, Y, A = blind.sequence_form()
    assert (X.n_sequences, Y.n_sequences) == (5, 5)
    assert solve(blind, "lp").value == pytest.approx(0.0, abs=1e-12)
    # Showdowns are fair, up to rounding, and folds cost the ante.
    matrix = np.round([A @ row for row in np.eye(5)], 12)
    assert sorted(matrix[matrix != 0].tolist()) == [-1.0, 1.0]
    payoff = FilteredGame(InformationFilter.coarsest(ordered_poker(kuhn()))).tree().tree.payoff
    assert np.round(payoff[np.abs(payoff) > 1e-12], 12).tolist() == [-1.0, 1.0]


def test_a_filter_may_tell_later_what_was_drawn_before() -> None:
    """Nothing is drawn in round 2, but then the players are told their cards."""
    game = OrderedGame(
        players=2,
        stages=[ONCE, LAST],
        signals=[1, 2],
        public=[0, 0],
        private=[1, 0],
        utility=lambda path, public, private: (
            (0, 0) if path[0] == ("stop",) else (d := private[0][0][0] - 1.5, -d)
        ),
    )
    late = InformationFilter(game, (np.zeros(2, int), np.arange(2)))
    tree = filtered_signal_tree(late)
    assert (tree.sizes, tree.complete) == ((1, 1, 1, 2), (2, 3))
    assert tree.labels[2] == "told in round 2"
    small = FilteredGame(late)
    assert small.tree_size() == small.tree().n_nodes
    assert solve(small.tree(), "lp").value == pytest.approx(solve(small, "lp").value)


def test_nobody_learns_from_what_another_is_told() -> None:
    """Round 1 tells nothing, round 2 everything: to player 1 first."""
    game = simple(stages=[ONCE, LAST], public=[0, 0], private=[1, 1])
    late = InformationFilter(game, (np.zeros(4, int), np.arange(12)))
    assert filtered_signal_tree(late).sizes == (1, 1, 1, 12, 24)
    # A public signal of which one half is told says which classes are left.
    parts = simple(public=[2, 0], private=[0, 0], stages=[ONCE, LAST])
    first = InformationFilter.of_labels(parts, lambda j, public, private: public[0][0] in "ab")
    assert filtered_signal_tree(first).sizes == (1, 2, 2)
    last = InformationFilter.of_labels(parts, lambda j, public, private: public[0][1] in "ab")
    assert filtered_signal_tree(last).sizes == (1, 1, 2)


# Chance -----------------------------------------------------------------------------------


def test_signals_are_drawn_in_proportion_to_their_weights() -> None:
    weights = [1, 2, 3, Fraction(1, 2)]
    game = three_players(weights=weights, players=2)  # type: ignore[arg-type]
    total = sum(weights)
    for row, p in zip(game.deals.places.tolist(), game.deals.probability, strict=True):
        first, second = (weights[k] for k in row)
        assert p == pytest.approx(float(first / total * second / (total - first)), rel=1e-14)
    assert game.deals.probability.sum() == pytest.approx(1.0, abs=1e-14)
    tree = signal_tree(game)
    assert tree.probability(1) == pytest.approx([float(w / total) for w in weights])
    assert three_players([2, 2, 2, 2]).deals.weight.tolist() == [1] * 24


def test_deals_are_listed_level_by_level() -> None:
    game = simple()
    assert [str(level) for level in game.deals.levels] == [
        "player 1, round 1",
        "player 2, round 1",
        "public, round 2",
    ]
    for player, column in ((1, 0), (2, 1)):
        for j in (1, 2):
            told = game.informations(j)
            numbers = game.deals.information(player, j)
            for row, k in zip(game.deals.places.tolist(), numbers.tolist(), strict=True):
                names = ["abcd"[place] for place in row]
                public = ((), (names[2],))[:j]
                assert told[k] == (public, ((names[column],), ())[:j])


# What strategies are worth ------------------------------------------------------------------


def walk(behaviour: Behaviour, deal: int, node: int, player: int, pure: dict[Any, int]) -> Any:
    """Utilities of one deal from a node on; `pure` replaces a player's strategy."""
    tree, game = behaviour.game.actions, behaviour.game
    act = tree.nodes[node]
    if act.over:
        public, private = told_in(game, deal, act.round)
        return np.array(game.utility(act.path, public, private))
    below = tree.children[node]
    if act.player == player:
        information = told_in(game, deal, act.round)
        own = (information[0], information[1][player - 1])
        return walk(behaviour, deal, below[pure[node, own]], player, pure)
    odds = behaviour.odds(node)[deal]
    return sum(
        p * walk(behaviour, deal, child, player, pure) for p, child in zip(odds, below, strict=True)
    )


def told_in(game: OrderedGame, deal: int, round_: int) -> Any:
    """Public and private signals of a deal, by the definition of its levels."""
    row = [game.signals[k] for k in game.deals.places[deal]]
    parts: dict[Any, list[Any]] = {}
    for level, signal in zip(game.deals.levels, row, strict=True):
        parts.setdefault((level.player, level.round), []).append(signal)

    def revealed(player: int) -> Any:
        return tuple(tuple(parts.get((player, j), ())) for j in range(1, round_ + 1))

    return revealed(0), tuple(revealed(i) for i in range(1, game.players + 1))


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4]])
def test_expected_utilities_of_three_players(weights: list[int] | None) -> None:
    game = three_players(weights)
    game.check_order()
    pairs = InformationFilter.of_labels(game, lambda j, public, private: private[0][0] > 2)
    for information in (pairs, InformationFilter.identity(game)):
        played = Behaviour.random(information, 3)
        naive = sum(p * walk(played, k, 0, 0, {}) for k, p in enumerate(game.deals.probability))
        assert expected_utilities(played) == pytest.approx(naive, abs=1e-12)


def test_best_responses_of_three_players_are_the_best_pure_strategies() -> None:
    """Against every pure strategy, with all signals and with two classes."""
    game = three_players([1, 2, 3, 4])
    pairs = InformationFilter.of_labels(game, lambda j, public, private: private[0][0] > 2)
    played = Behaviour.random(pairs, 5)
    told = game.informations(1)
    for player in (1, 3):
        # What was done before does not change what is known of it: one choice of three nodes.
        nodes = game.actions.decisions(player)[:1] if player == 1 else game.actions.decisions(3)
        for information in (pairs, InformationFilter.identity(game)):
            by_class: dict[Any, float] = {}
            for node in nodes:
                for number in range(information.sizes[0]):
                    options = []
                    for action in (0, 1):
                        pure = {(n, one): action for n in nodes for one in told}
                        options.append(
                            sum(
                                p * reaching(played, k, node, pure, player)
                                for k, p in enumerate(game.deals.probability)
                                if information.told(player, 1)[k] == number
                            )
                        )
                    by_class[node, number] = max(options)
            value = best_response_value(played, player, information)
            assert value == pytest.approx(sum(by_class.values()), abs=1e-12)


def reaching(played: Behaviour, deal: int, node: int, pure: Any, player: int) -> float:
    """A player's utility of one deal in the part of the game below a node."""
    tree, p, at = played.game.actions, 1.0, node
    while at:
        above, action = tree.nodes[at].above
        if tree.nodes[above].player != player:
            p *= played.odds(above)[deal, action]
        at = above
    return float(p * walk(played, deal, node, player, pure)[player - 1])


def test_best_responses_of_two_players_are_those_of_the_sequence_form() -> None:
    game = ordered_poker(leduc())
    suits = InformationFilter.of_labels(
        game, lambda j, public, private: (private[0][0][0], [s for row in public for s in row])
    )
    filtered = FilteredGame(suits)
    form = filtered.sequence_form()
    profile = Profile.random(form, 1)
    played = Behaviour.of_profile(filtered, profile)
    upper = form.X.best_response(form.A @ profile.second.plan)[0]
    lower = form.Y.best_response(-(form.A.T @ profile.first.plan))[0]
    assert best_response_value(played, 1, suits) == pytest.approx(upper, abs=1e-12)
    assert best_response_value(played, 2, suits) == pytest.approx(lower, abs=1e-12)
    full = FilteredGame.of(game)
    lifted = played.lifted(full.information)
    assert expected_utilities(lifted) == pytest.approx(expected_utilities(played), abs=1e-12)
    assert best_response_value(lifted, 1) == best_response_value(played, 1)
    assert best_response_value(played, 1) > upper + 1e-3
    with pytest.raises(StrategyError, match="tells less"):
        lifted.lifted(suits)
    with pytest.raises(GameError, match="another game"):
        Behaviour.of_profile(full, profile)


def test_profiles_are_checked() -> None:
    information = InformationFilter.identity(jacks_and_kings())
    tables = dict(Behaviour.uniform(information).tables)
    with pytest.raises(StrategyError, match="at decision 0 of player 1, ''"):
        Behaviour(information, {k: t for k, t in tables.items() if k})
    with pytest.raises(StrategyError, match=r"shape \(1, 2\), expected \(4, 2\)"):
        Behaviour(information, tables | {0: np.array([[0.5, 0.5]])})
    wrong = tables[0].copy()
    wrong[1] = 0.5, 0.7
    with pytest.raises(StrategyError, match=r"of class Jd are \[0.5, 0.7\]"):
        Behaviour(information, tables | {0: wrong})
    with pytest.raises(GameError, match="player is 3"):
        best_response_value(Behaviour.uniform(information), 3)


def test_only_two_players_with_constant_sums_have_a_sequence_form() -> None:
    with pytest.raises(GameError, match="bids has 3 players"):
        FilteredGame.of(three_players()).sequence_form()
    with pytest.raises(GameError, match=r"sum to -2 and, after 'out\.in', to"):
        FilteredGame.of(three_players(players=2)).tree()
    # Constant sums are as good as zero.
    game = OrderedGame(
        players=2,
        stages=[LAST],
        signals=[1, 2],
        public=[0],
        private=[1],
        utility=lambda path, public, private: (private[0][0][0], 7 - private[0][0][0]),
    )
    tree = FilteredGame.of(game).tree()
    assert tree.constant_sum == 7.0
    assert solve(tree, "lp").value == pytest.approx(1.5)


# Stages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        ([], "at least one node"),
        (["end"], "node 0 of a stage is 'end', expected a Decision, 'over' or 'continue'"),
        ([Decision(1, {"a": 1, "b": 1}), "over"], "no tree, node 0 leads there too"),
        ([Decision(1, {"a": 0}), "over"], "leads to node 0: no tree"),
        ([Decision(1, {"a": 5}), "over"], "leads to node 5, expected one of the 2 nodes"),
        ([Decision(1, {"a": 1}), "over", "over"], "node 2 of a stage is no tree: no action"),
        (
            [Decision(1, {"a": 1}), "over", Decision(1, {"a": 3}), Decision(2, {"a": 2})],
            "node 2 of a stage is no tree: it stands above itself",
        ),
    ],
)
def test_stages_have_to_be_trees(nodes: Any, problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        Stage(nodes)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Decision(0, {"a": 1}), "player is 0"),
        (lambda: Decision(1, {}), "at least one action"),
        (lambda: Decision(1, {"a.b": 1}), "action is 'a.b', expected a name without"),
        (lambda: Decision(1, {"": 1}), "action is ''"),
        (lambda: Decision(1, {"a": -1}), "the node after 'a' is -1"),
        (lambda: Stage.of({"player": 1}), "stage is .*'player' and 'actions'"),
        (lambda: Stage.of({"player": 1, "actions": {"a": "end"}}), r"stage\.a is 'end'"),
        (
            lambda: Stage.of({"player": 1, "actions": {"a": {"player": 0, "actions": {}}}}),
            r"stage\.a: player is 0",
        ),
        (lambda: Stage.of({"player": 1, "actions": 3}), r"stage\.actions is 3"),
    ],
)
def test_decisions_and_tables_are_checked(make: Callable[[], Any], problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        make()


def test_actions_of_all_rounds_are_one_tree() -> None:
    tree = ActionTree((ONCE, LAST))
    assert [(n.round, n.player, tree.name(n.path)) for n in tree.nodes] == [
        (1, 1, ""),
        (1, 0, "stop"),
        (2, 2, "go/"),
        (2, 0, "go/left"),
        (2, 0, "go/right"),
    ]
    assert tree.children[2] == [3, 4]
    assert tree.last_own(2) is None
    # A stage without decisions only deals.
    skipped = ActionTree((Stage(["continue"]), LAST))
    assert [n.path for n in skipped.nodes] == [((), ()), ((), ("left",)), ((), ("right",))]


# The game ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"players": 0}, "players is 0"),
        ({"stages": []}, "stages is empty"),
        ({"stages": [ONCE, "x"]}, "stage 2 is 'x', expected a Stage"),
        ({"stages": [LAST, ONCE]}, "stage 2 is the last one but continues after go"),
        ({"players": 1}, "node 0 of stage 2 belongs to player 2, expected one of 1 players"),
        ({"public": [1]}, r"public is \(1,\), expected a number for each of 2 rounds"),
        ({"private": [1, 0, 0]}, "private is .* expected a number for each of 2 rounds"),
        ({"private": [1, -1]}, r"private\[1\] is -1"),
        ({"private": [2, 0]}, "4 signals are not enough: 1 public ones and 2 for each of 2"),
        ({"signals": ["a", "b", "b", "c"]}, "two signals are called 'b'"),
        ({"signals": [["a"], "b", "c", "d"]}, "cannot be hashed"),
        ({"weights": [1, 2, 3]}, "3 weights are given for 4 signals"),
        ({"weights": [1, 2, 3, 0]}, r"weights\[3\] is 0, expected a number above 0"),
        ({"weights": [1, 2, 3, -1]}, r"weights\[3\] is -1"),
        ({"weights": [1, 2, 3, float("nan")]}, r"weights\[3\] is nan"),
        ({"weights": [1, 2, 3, "1"]}, r"weights\[3\] is '1'"),
        ({"utility": 3}, "utility is 3, expected a function"),
        ({"rank": 3}, "rank is 3, expected a function"),
    ],
)
def test_games_are_checked(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        simple(**changes)


@pytest.mark.parametrize("found", [(0.0,), (0.0, float("inf")), None, "ab", (0.0, "x")])
def test_utilities_are_checked(found: Any) -> None:
    game = simple(utility=lambda path, public, private: found)
    with pytest.raises(RulesError, match="after 'stop' with player 1: a; player 2: b, expected 2"):
        _ = game.payoffs


def test_rounds_and_sizes_are_checked() -> None:
    with pytest.raises(RulesError, match="round is 3"):
        simple().informations(3)
    with pytest.raises(SizeError, match="6,497,400 ways to reveal"):
        _ = ordered_poker(rhode_island()).deals


def test_games_without_cards_or_stages_are_no_ordered_poker() -> None:
    with pytest.raises(RulesError, match="clairvoyance is not dealt from a deck"):
        ordered_poker(clairvoyance())
    with pytest.raises(RulesError, match="in round 2 of no-limit-leduc depends on"):
        ordered_poker(no_limit_leduc(stack=4))


# The order --------------------------------------------------------------------------------


def with_orders(pays: dict[str, dict[str, float]], rank: Any = None) -> OrderedGame:
    """Kuhn betting with a table of what player 1 wins from player 2 in a showdown."""

    def utility(path: Any, public: Any, private: Any) -> tuple[float, float]:
        if path == (("b", "f"),):
            return 1.0, -1.0
        won = pays[private[0][0][0]][private[1][0][0]] * (2.0 if "b" in path[0] else 1.0)
        return won, -won

    return OrderedGame(
        players=2,
        stages=[BET],
        signals=list(pays),
        public=[0],
        private=[1],
        utility=utility,
        rank=rank,
    )


def test_a_game_in_which_players_order_signals_differently_is_refused() -> None:
    """Thesis 003, section 5.4.1: player 1 has K > J1 ~ J2, player 2 has J2 > K > J1.

    No common order is left, whatever the rank.
    """
    pays = {
        "J1": {"J2": -2.0, "K": -1.0},
        "J2": {"J1": 0.0, "K": -1.0},
        "K": {"J1": 1.0, "J2": 0.0},
    }
    for order in permutations(("J1", "J2", "K")):
        rank = dict(zip(order, range(3), strict=True))
        game = with_orders(pays, lambda public, private, rank=rank: rank[private[0][0]])
        with pytest.raises(RulesError, match="does not increase in his signals"):
            game.check_order()
    tied = with_orders(pays, lambda public, private: private[0][0] == "K")
    with pytest.raises(RulesError, match="J2 is worse than K, but pays 2 and not 1 where player 1"):
        tied.check_order()


def test_utilities_that_depend_on_signals_need_an_order() -> None:
    one = with_orders({"a": {"b": 1.0}, "b": {"a": -1.0}})
    with pytest.raises(RulesError, match=r"depends on signals .* but there is no order"):
        one.check_order()
    with_orders({"a": {"b": 1.0}, "b": {"a": 1.0}}).check_order()
    with pytest.raises(RulesError, match="has no order: expected a rank"):
        one.ranks(1)


def test_the_error_of_a_wrong_order_names_path_player_and_signals() -> None:
    pays = {"a": {"b": 1.0}, "b": {"a": -1.0}}
    third = {"a": {"b": 1.0, "c": 1.0}, "b": {"a": -1.0, "c": -1.0}, "c": {"a": 0.0, "b": 0.0}}
    wrong = with_orders(third, lambda public, private: private[0][0])
    with pytest.raises(
        RulesError,
        match="utility of player 1 after 'kk' does not increase in his signals: a is worse than "
        "c, but pays 1 and not 0 where player 2 is told b",
    ):
        wrong.check_order()
    equal = with_orders(
        {"a": {"c": 1.0}, "b": {"c": 2.0}, "c": {"a": 0.0, "b": 0.0}}
        | {"a": {"b": 0.0, "c": 1.0}, "b": {"a": 0.0, "c": 2.0}},
        lambda public, private: private[0][0] == "c",
    )
    with pytest.raises(RulesError, match="a is as good as b, but pays 1 and not 2 where"):
        equal.check_order()
    mixed = with_orders(pays, lambda public, private: 1 if private[0][0] == "a" else "x")
    with pytest.raises(RulesError, match="cannot be compared"):
        mixed.check_order()


def test_only_hands_on_one_board_are_compared() -> None:
    game = ordered_poker(leduc())
    told, ranks = game.informations(2), game.ranks(2)
    strength = dict(zip(told, ranks.tolist(), strict=True))
    board = ((), ("Jc",))
    assert strength[board, (("Jd",), ())] == max(
        r for (public, _), r in strength.items() if public == board
    )
    assert strength[board, (("Qc",), ())] == strength[board, (("Qd",), ())] == 0


# Filters ----------------------------------------------------------------------------------


def test_filters_are_checked() -> None:
    game = simple()
    one = game.informations(1)
    two = game.informations(2)
    alone = [{s: [s] for s in one}, {s: [s] for s in two}]
    assert InformationFilter.of_sets(game, alone) == InformationFilter.identity(game)
    a, b, c = one[:3]
    with pytest.raises(RulesError, match="round 1 is not truthful: a is not in its own set"):
        InformationFilter.of_sets(game, [alone[0] | {a: [b]}, alone[1]])
    with pytest.raises(RulesError, match="no partition: b is in the set of a"):
        InformationFilter.of_sets(game, [alone[0] | {a: [a, b]}, alone[1]])
    with pytest.raises(RulesError, match="no partition"):
        InformationFilter.of_sets(game, [alone[0] | {a: [a, b], b: [a, b, c]}, alone[1]])
    with pytest.raises(RulesError, match="round 1 has no set for d"):
        InformationFilter.of_sets(game, [{s: [s] for s in one[:3]}, alone[1]])
    with pytest.raises(RulesError, match=r"set with b\|a, which no player can be told"):
        InformationFilter.of_sets(game, [alone[0] | {a: [a, two[3]]}, alone[1]])
    merged = {s: [s, two[3]] if s == two[0] else [two[0], s] if s == two[3] else [s] for s in two}
    with pytest.raises(RulesError, match=r"forgets: a\|b and b\|a are not told apart in round 2"):
        InformationFilter.of_sets(game, [alone[0], merged])
    with pytest.raises(RulesError, match="a filter has 1 rounds, the game has 2"):
        InformationFilter.of_sets(game, alone[:1])
    with pytest.raises(RulesError, match=r"shape \(3,\), expected \(12,\)"):
        InformationFilter(game, (np.arange(4), np.arange(3)))


def test_filters_from_partitions() -> None:
    game = simple()
    one, two = game.informations(1), game.informations(2)
    pairs = InformationFilter.of_partition(game, [[one[:2], one[2:]], []])
    assert pairs.sizes == (2, 12)
    assert pairs.classes(1) == (tuple(one[:2]), tuple(one[2:]))
    assert pairs(*one[1]) == frozenset(one[:2])
    assert pairs.up(2, 1).tolist() == [0] * 6 + [1] * 6
    assert pairs.label(1, 1) == "c(+1)"
    assert InformationFilter.identity(game).refines(pairs)
    assert not pairs.refines(InformationFilter.identity(game))
    assert pairs.refines(InformationFilter.coarsest(game))
    with pytest.raises(RulesError, match="b stands in two classes of round 1"):
        InformationFilter.of_partition(game, [[one[:2], one[1:]], []])
    with pytest.raises(RulesError, match="nothing that a player can be told"):
        pairs((("a",),), (("a",),))
    with pytest.raises(GameError, match="different games"):
        pairs.refines(InformationFilter.identity(simple()))
    assert two[0] == (((), ("b",)), (("a",), ()))


# From data --------------------------------------------------------------------------------


def auction(**changes: Any) -> dict[str, Any]:
    """Both bid for a good in turn; player 2's bid is higher and wins if he makes it."""
    data: dict[str, Any] = {
        "name": "auction",
        "players": 2,
        "signals": ["low", "middle", "high"],
        "values": [10, 20, 30],
        "weights": [1, 2, 1],
        "public": [0],
        "private": [1],
        "order": "sum",
        "stages": [
            {
                "player": 1,
                "actions": {
                    "pass": "over",
                    "bid": {"player": 2, "actions": {"pass": "over", "raise": "over"}},
                },
            }
        ],
        "payoffs": {
            "pass": {"kind": "constant", "payoffs": [0, 0]},
            "bid.pass": {"kind": "value", "winner": 1, "price": 12},
            "bid.raise": {"kind": "value", "winner": 2, "price": 15},
        },
    }
    return data | changes


def test_values_less_a_price() -> None:
    game = ordered_game_of(auction())
    game.check_order()
    assert game.name == "auction"
    told = game.informations(1)
    low, high = told[0], told[2]
    assert game.utility((("bid", "pass"),), ((),), (low[1], high[1])) == [-2.0, 0.0]
    assert game.utility((("bid", "raise"),), ((),), (low[1], high[1])) == [0.0, 15.0]
    data = auction()
    data["payoffs"]["bid.raise"] |= {"loser": 1}
    lost = ordered_game_of(data).utility((("bid", "raise"),), ((),), (low[1], high[1]))
    assert lost == [-15.0, 15.0]


def test_pots_are_won_by_the_best_and_split_by_equals() -> None:
    data = auction(
        signals=["J1", "J2", "K"],
        values=[1, 1, 3],
        weights=[1, 1, 1],
        payoffs={
            "pass": {"kind": "pot", "paid": [1, 1], "in": [2]},
            "bid.pass": {"kind": "pot", "paid": [2, 1]},
            "bid.raise": {"kind": "pot", "paid": [2, 2]},
        },
    )
    game = ordered_game_of(data)
    private = {s: ((s,),) for s in ("J1", "J2", "K")}
    assert game.utility((("pass",),), ((),), (private["K"], private["J1"])) == [-1.0, 1.0]
    assert game.utility((("bid", "pass"),), ((),), (private["K"], private["J1"])) == [1.0, -1.0]
    assert game.utility((("bid", "pass"),), ((),), (private["J2"], private["J1"])) == [-0.5, 0.5]
    game.check_order()


def test_kuhn_and_leduc_from_data() -> None:
    """The sum and the pair order give the values of the poker games."""
    kuhn_stage = {
        "player": 1,
        "actions": {
            "c": {
                "player": 2,
                "actions": {
                    "c": "over",
                    "r": {"player": 1, "actions": {"f": "over", "c": "over"}},
                },
            },
            "r": {"player": 2, "actions": {"f": "over", "c": "over"}},
        },
    }
    payoffs = {
        "cc": {"kind": "pot", "paid": [1, 1]},
        "crf": {"kind": "pot", "paid": [1, 2], "in": [2]},
        "crc": {"kind": "pot", "paid": [2, 2]},
        "rf": {"kind": "constant", "payoffs": [1, -1]},
        "rc": {"kind": "pot", "paid": [2, 2]},
    }
    data = {
        "players": 2,
        "signals": ["J", "Q", "K"],
        "public": [0],
        "private": [1],
        "order": "sum",
        "stages": [kuhn_stage],
        "payoffs": payoffs,
    }
    value = solve(FilteredGame.of(ordered_game_of(data)), "lp").value
    assert value == pytest.approx(-1 / 18, abs=1e-12)
    first = {"player": 1, "actions": {"c": "continue"}}
    two = data | {
        "signals": ["J1", "J2", "Q1", "Q2", "K1", "K2"],
        "values": [1, 1, 2, 2, 3, 3],
        "public": [0, 1],
        "private": [1, 0],
        "order": "pair",
        "stages": [first, kuhn_stage],
        "payoffs": {f"c/{path}": pay for path, pay in payoffs.items()},
    }
    game = ordered_game_of(two)
    game.check_order()
    betting = {"ante": 1, "bets": [1, 1], "max_bets": 1}
    deck = {"ranks": "JQK", "suits": 2, "board": [0, 1], "ranking": "pair"}
    real = ordered_poker(rules_game({"name": "real", "deck": deck, "betting": betting}))
    board, private = ((), ("K1",)), ((("K2",), ()), (("Q1",), ()))
    paired, high = ((), ("Q2",)), (("c",), ("c", "c"))
    assert game.utility(high, board, private) == [1.0, -1.0]
    assert game.utility(high, paired, private) == [-1.0, 1.0]
    free = [
        k
        for k, end in enumerate(real.actions.ends)
        if real.actions.nodes[end].path[0] == ("c", "c")
    ]
    assert np.abs(np.sort(game.payoffs.ravel()) - np.sort(real.payoffs[free].ravel())).max() == 0


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"colour": 1}, "data: unknown key 'colour'"),
        ({"players": "2"}, "data: players is '2'"),
        ({"signals": ["a", 1, "c"]}, r"signals\[1\] is 1, expected a text"),
        ({"values": [1, 2]}, "values has 2 numbers for 3 signals"),
        ({"values": [1, 2, "x"]}, r"values\[2\] is 'x', expected a finite number"),
        ({"order": "big"}, "unknown order 'big'"),
        ({"weights": [1, 1, 0]}, r"weights\[2\] is 0"),
        ({"stages": [{"player": 1}]}, r"stages\[0\] is"),
        ({"stages": [{"player": 1, "actions": {"a": "end"}}]}, r"stages\[0\]\.a is 'end'"),
        ({"payoffs": []}, r"payoffs is \[\], expected a table of paths"),
        ({"payoffs": {}}, "payoffs of the path 'pass' and 2 others are missing"),
    ],
)
def test_data_is_checked(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        ordered_game_of(auction(**changes))


@pytest.mark.parametrize(
    ("path", "pay", "problem"),
    [
        ("bid.fold", {}, "unknown path in payoffs 'bid.fold'"),
        ("bid.pass", 3, r"payoffs\['bid.pass'\] is 3, expected a table"),
        ("bid.pass", {}, r"payoffs\['bid.pass'\].kind is None, expected a text"),
        ("bid.pass", {"kind": "gift"}, r"unknown kind of payoffs\['bid.pass'\] 'gift'"),
        ("bid.pass", {"kind": "pot", "price": 1}, r"unknown key of payoffs\['bid.pass'\] 'price'"),
        ("bid.pass", {"kind": "pot"}, r"paid is None, expected a list"),
        ("bid.pass", {"kind": "pot", "paid": [1]}, "paid has 1 numbers, expected one for each"),
        ("bid.pass", {"kind": "pot", "paid": [1, 1], "in": [3]}, r"in\[0\] is 3"),
        ("bid.pass", {"kind": "pot", "paid": [1, 1], "in": []}, "expected players, each once"),
        ("bid.pass", {"kind": "value", "winner": 3, "price": 1}, "winner is 3"),
        ("bid.pass", {"kind": "value", "winner": 1}, "price is None, expected a finite number"),
        (
            "bid.pass",
            {"kind": "value", "winner": 1, "price": 1, "loser": 1},
            "loser is 1, the winner",
        ),
        ("bid.pass", {"kind": "constant", "payoffs": [1, "x"]}, r"payoffs\[1\] is 'x'"),
    ],
)
def test_payoffs_in_data_are_checked(path: str, pay: Any, problem: str) -> None:
    data = auction()
    data["payoffs"] = data["payoffs"] | {path: pay}
    with pytest.raises(RulesError, match=problem):
        ordered_game_of(data)


def test_data_without_an_order_has_no_pots_and_no_missing_keys() -> None:
    pot = {"kind": "pot", "paid": [1, 1]}
    with pytest.raises(RulesError, match="a pot for the best-ranked player but there is no order"):
        ordered_game_of(auction(order="none", payoffs=auction()["payoffs"] | {"pass": pot}))
    data = auction()
    del data["public"]
    with pytest.raises(RulesError, match="'public' is missing"):
        ordered_game_of(data)
    with pytest.raises(RulesError, match="file: found 3, expected a table"):
        ordered_game_of(3, "file")  # type: ignore[arg-type]


# Stage-based games ------------------------------------------------------------------------


def plans(behaviour: Behaviour, game: OrderedGame) -> list[Any]:
    """A behaviour profile as distributions over the plans of every stage."""

    def strategy_of(player: int) -> Any:
        def strategy(played: Any, stage: str, public: Any, private: Any) -> dict[str, float]:
            j = len(played) + 1
            nodes = game.stages[j - 1].nodes
            own = [k for k, n in enumerate(nodes) if isinstance(n, Decision) and n.player == player]
            told = game.informations(j).index((public, private))
            row = behaviour.information.numbers[j - 1][told]
            before = tuple(tuple(outcome.split(".")) for _, outcome in played)
            options = []
            for k in own:
                path = (*before, game.stages[j - 1].path(k))
                node = next(n for n, act in enumerate(game.actions.nodes) if act.path == path)
                odds = behaviour.tables[node][row]
                options.append(list(zip(nodes[k].moves, odds, strict=True)))  # type: ignore[union-attr]
            return {
                ",".join(a for a, _ in plan) or "-": float(np.prod([p for _, p in plan]))
                for plan in product(*options)
            }

        return strategy

    return [strategy_of(i) for i in range(1, game.players + 1)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: ordered_poker(kuhn()),
        lambda: three_players([1, 2, 3, 4]),
        lambda: ordered_poker(rhode_island_like()),
    ],
)
def test_ordered_games_are_stage_based_games(make: Callable[[], OrderedGame]) -> None:
    """Plans for a stage are worth what the behaviour strategies are."""
    game = make()
    staged = stage_based_of(game)
    assert staged.sequences()[-1] == tuple(f"round {j + 1}" for j in range(game.rounds))
    assert staged.informations(["round 1"], 1) == game.informations(1)
    played = Behaviour.random(InformationFilter.identity(game), 2)
    found = staged.expected_utilities(plans(played, game))
    assert found == pytest.approx(expected_utilities(played), abs=1e-12)


def rhode_island_like() -> Any:
    betting = {"ante": 1, "bets": [1, 1], "max_bets": 1}
    deck = {"ranks": "JK", "suits": 2, "board": [0, 1], "ranking": "pair"}
    return rules_game({"name": "small", "deck": deck, "betting": betting})


def chain(**changes: Any) -> StageBasedGame:
    ask = Interaction((("yes", "no"),), ("yes", "no"), lambda actions: {actions[0]: 1.0})
    fields: dict[str, Any] = {
        "signals": ("s", "t"),
        "draw": lambda revealed: {"t": 1.0} if "s" in revealed else {"s": 0.25, "t": 0.75},
        "stages": {t: StageInteraction(0, (1,), ask) for t in ("first", "second")},
        "start": "first",
        "following": {
            ("first", "yes"): "second",
            ("first", "no"): None,
            ("second", "yes"): None,
            ("second", "no"): None,
        },
        "utility": lambda played, public, private: (float(private[0][0] == ("s",)),),
    }
    return StageBasedGame(**(fields | changes))


def test_stage_based_games_draw_from_a_joint_distribution() -> None:
    game = chain()
    assert game.graph() == {"first": ("second",), "second": ()}
    never = [lambda played, stage, public, private: {"no": 1.0}]
    assert game.expected_utilities(never) == pytest.approx([0.25])
    assert game.informations(["first", "second"], 1)[0] == (((), ()), (("s",), ("t",)))
    always = [lambda played, stage, public, private: {"yes": 1.0}]
    with pytest.raises(RulesError, match=r"signal 't' has probability 0.75 after \('t',\)"):
        chain(draw=lambda revealed: {"s": 0.25, "t": 0.75}).expected_utilities(always)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"start": "third"}, "unknown stage 'third'"),
        ({"following": {}}, "nothing of outcome 'yes' of stage 'first'"),
        (
            {"following": {(t, o): "third" for t in ("first", "second") for o in ("yes", "no")}},
            "unknown stage after 'first', 'yes' 'third'",
        ),
        (
            {
                "following": {(t, o): "first" for t in ("first", "second") for o in ("yes", "no")},
            },
            "in a circle: first -> first",
        ),
        ({"signals": ("s",)}, "1 signals are not enough for the stages first, second"),
    ],
)
def test_stage_based_games_are_checked(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        chain(**changes)


def test_strategies_and_draws_of_stage_based_games_are_checked() -> None:
    with pytest.raises(RulesError, match="unknown action of player 1 'maybe'"):
        chain().expected_utilities([lambda *told: {"maybe": 1.0}])
    with pytest.raises(RulesError, match=r"actions of player 1 in stage 'first' are .*sum 0.5"):
        chain().expected_utilities([lambda *told: {"yes": 0.5}])
    with pytest.raises(RulesError, match="0 strategies are given for 1 players"):
        chain().expected_utilities([])
    with pytest.raises(RulesError, match="utility is"):
        chain(utility=lambda *told: (1.0, 2.0)).expected_utilities([lambda *told: {"no": 1.0}])
    with pytest.raises(RulesError, match="probabilities of the signals"):
        chain(draw=lambda revealed: {"s": 0.5}).expected_utilities([lambda *told: {"no": 1.0}])


def test_interactions_are_checked() -> None:
    with pytest.raises(RulesError, match=r"unknown outcome of \('a',\) 'x'"):
        Interaction((("a",),), ("y",), lambda actions: {"x": 1.0})
    with pytest.raises(RulesError, match=r"outcomes of \('a',\) are .*sum 0.9"):
        Interaction((("a",),), ("y",), lambda actions: {"y": 0.9})
    with pytest.raises(RulesError, match="expected different names"):
        Interaction((("a", "a"),), ("y",), lambda actions: {"y": 1.0})
    with pytest.raises(SizeError, match="too many to be listed"):
        Interaction(((*map(str, range(400)),),) * 2, ("y",), lambda actions: {"y": 1.0})
    ask = Interaction((("a",),), ("y",), lambda actions: {"y": 1.0})
    with pytest.raises(RulesError, match="expected a number for each of 1 players"):
        StageInteraction(0, (1, 1), ask)


def test_filters_of_stage_based_games_are_partitions() -> None:
    game = chain()
    full = StageFilter.identity(game, 1)
    assert len(full.classes(("first", "second"))) == 2
    s, t = game.informations(("first",), 1)
    joined = full.sets | {("first",): {s: (s, t), t: (s, t)}}  # type: ignore[operator]
    assert StageFilter(game, 1, joined).classes(("first",)) == [frozenset((s, t))]
    with pytest.raises(RulesError, match="sets of the filter of the stages first are no partition"):
        StageFilter(game, 1, full.sets | {("first",): {s: (s, t), t: (t,)}})  # type: ignore[operator]
    with pytest.raises(RulesError, match="says nothing of the stages first, second"):
        StageFilter(game, 1, {("first",): full.sets["first",]})
    with pytest.raises(RulesError, match="cannot be played in this sequence"):
        game.informations(("second",), 1)
