"""Trees written by hand: a builder that takes only whole, consistent trees."""

import math

import pytest

from saddlepoint.core.errors import RulesError
from saddlepoint.core.units import CHIPS
from saddlepoint.games.builder import TreeBuilder


def test_what_is_written_is_what_is_built():
    b = TreeBuilder("draw", players=("Ann", "Bob"), constant_sum=1, unit=CHIPS, spec={"a": 1})
    root = b.chance([("high", 0.25), ("low", 0.75)])
    root["low"] = b.leaf(0.5)
    root["high"] = b.decision(2, "sees high", ["fold", "call"])
    root["high"]["fold"] = 1
    root["high"]["call"] = b.decision(1, "called", ["show"])
    root["high"]["call"]["show"] = -1
    game = b.build()
    assert [game.path(n) for n in range(game.n_nodes)] == [
        (),
        ("high",),
        ("high", "fold"),
        ("high", "call"),
        ("high", "call", "show"),
        ("low",),
    ]
    assert game.tree.payoff.tolist() == [0, 0, 1, 0, -1, 0.5]
    assert game.tree.probability.tolist() == [1, 0.25, 1, 1, 1, 0.75]
    assert (game.name, game.players, game.constant_sum) == ("draw", ("Ann", "Bob"), 1)
    assert (game.unit, game.spec) == (CHIPS, {"a": 1})


def test_equal_chance_nodes_are_one_event():
    b = TreeBuilder()
    root = b.decision(1, "start", ["l", "r"])
    for move in root.moves:
        root[move] = b.chance({"h": 0.5, "t": 0.5})
        root[move]["h"] = root[move]["t"] = 0
    assert b.build().events == (("h", "t"),)


def test_a_single_leaf_is_a_game():
    b = TreeBuilder()
    b.leaf(2)
    assert b.build().counts().nodes == 1


@pytest.mark.parametrize(
    ("moves", "problem"),
    [
        ({"h": 0.5, "t": 0.4}, "h, t have probabilities that sum to 0.9, expected 1"),
        ({"h": 1.0, "t": 0.0}, "'t' has probability 0, expected a number above 0"),
        ({"h": 1.5, "t": -0.5}, "'h' has probability 1.5"),
        ({"h": math.nan}, "'h' has probability nan"),
        ([("h", 0.5), ("h", 0.5)], "two moves of one name"),
        ({}, "a chance node offers no moves"),
    ],
)
def test_chance_moves_need_a_distribution(moves, problem):
    with pytest.raises(RulesError, match=problem):
        TreeBuilder().chance(moves)


def test_an_information_set_has_one_player_and_one_list_of_actions():
    b = TreeBuilder()
    b.decision(1, "I", ["l", "r"])
    with pytest.raises(RulesError, match="'I' belongs to player 1, not to player 2"):
        b.decision(2, "I", ["l", "r"])
    with pytest.raises(RulesError, match=r"'I' has actions \['l', 'r'\] at one node and \['l'\]"):
        b.decision(1, "I", ["l"])
    with pytest.raises(RulesError, match="player of 'J' is 3, expected 1 or 2"):
        b.decision(3, "J", ["l"])
    with pytest.raises(RulesError, match="information set 'J' offers no moves"):
        b.decision(1, "J", [])
    with pytest.raises(RulesError, match="information set 'J' has two moves of one name"):
        b.decision(1, "J", ["l", "l"])


def test_branches_are_filled_once_and_with_moves_that_exist():
    b = TreeBuilder()
    root = b.decision(1, "I", ["l", "r"])
    with pytest.raises(RulesError, match="decision 'I' of 1 between l, r has no move 'm'"):
        root["m"] = 1
    root["l"] = 1
    with pytest.raises(RulesError, match=r"move 'l' .* already leads to a node"):
        root["l"] = 2
    with pytest.raises(RulesError, match=r"move 'r' .* leads nowhere yet"):
        b.build()


def test_a_leaf_pays_a_finite_number():
    with pytest.raises(RulesError, match="a leaf has payoff inf"):
        TreeBuilder().leaf(math.inf)
    root = TreeBuilder().decision(1, "I", ["l"])
    with pytest.raises(RulesError, match="a leaf has payoff nan"):
        root["l"] = math.nan


def test_a_node_stands_in_one_place():
    b = TreeBuilder()
    root, leaf = b.decision(1, "I", ["l", "r"]), b.leaf(1)
    root["l"] = leaf
    with pytest.raises(RulesError, match="leaf paying 1 already stands elsewhere"):
        root["r"] = leaf


def test_there_is_one_root():
    b = TreeBuilder()
    with pytest.raises(RulesError, match=r"0 of 0 nodes stand under no other \(none\)"):
        b.build()
    b.leaf(1)
    b.leaf(2)
    with pytest.raises(RulesError, match=r"2 of 2 .*leaf paying 1; leaf paying 2"):
        b.build()


def test_a_circle_has_no_root():
    b = TreeBuilder()
    one, two = b.decision(1, "I", ["go"]), b.decision(2, "J", ["go"])
    one["go"], two["go"] = two, one
    with pytest.raises(RulesError, match="0 of 2 nodes stand under no other"):
        b.build()


def test_depth_is_no_obstacle():
    b = TreeBuilder()
    node = b.decision(1, "0", ["go"])
    for k in range(5000):
        node["go"] = b.decision(1, str(k + 1), ["go"])
        node = node["go"]
    node["go"] = 1
    assert b.build().counts().infosets == (5001, 0)
