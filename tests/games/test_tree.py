"""Explicit trees: what they hold, how they become (X, Y, A), and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from saddlepoint.core.errors import GameError, RecallError, RulesError
from saddlepoint.games.builder import TreeBuilder
from saddlepoint.games.tree import Recorder, TreeGame
from saddlepoint.sequence.form import CHANCE, LEAF, Tree
from saddlepoint.sequence.response import gap


def coin_toss():
    """Player 1 sees a coin and sells it at a price, or lets player 2 guess it."""
    b = TreeBuilder("coin toss")
    toss = b.chance({"heads": 0.5, "tails": 0.5})
    for side, price in (("heads", 0.5), ("tails", -0.5)):
        toss[side] = held = b.decision(1, side, ["sell", "play"])
        held["sell"] = price
        held["play"] = guess = b.decision(2, "guess", ["heads", "tails"])
        guess["heads"] = -1 if side == "heads" else 1
        guess["tails"] = -1 if side == "tails" else 1
    return b.build()


def small(**changes):
    """Player 1 goes left to a payoff or right to a chance node, as arrays."""
    arrays = {
        "parent": [-1, 0, 0, 2, 2],
        "move": [0, 0, 1, 0, 1],
        "mover": [1, LEAF, CHANCE, LEAF, LEAF],
        "infoset": [0, -1, 0, -1, -1],
        "probability": [1, 1, 1, 0.25, 0.75],
        "payoff": [0, 1, 0, 2, -2],
        "infosets": (["start"], []),
        "actions": ([["left", "right"]], []),
    }
    return Tree(**{**arrays, **changes})


def test_counts_of_the_coin_toss():
    counts = coin_toss().counts()
    assert (counts.nodes, counts.chance_nodes, counts.decision_nodes, counts.leaves) == (
        11,
        1,
        4,
        6,
    )
    assert (counts.infosets, counts.sequences) == ((2, 1), (5, 3))


def test_nodes_stand_in_prefix_order_and_know_their_paths():
    game = coin_toss()
    assert game.path(0) == ()
    assert [game.path(n) for n in range(4)] == [
        (),
        ("heads",),
        ("heads", "sell"),
        ("heads", "play"),
    ]
    assert game.path(10) == ("tails", "play", "tails")
    assert game.moves(0) == ("heads", "tails")
    assert game.moves(10) == ()
    assert game.infosets == (("heads", "tails"), ("guess",))


def test_the_coin_toss_has_value_zero():
    # The coin toss game of Brown and Sandholm 2017 with these prices: against the guess
    # heads with probability 1/4, either side is sold and played alike.
    X, Y, A = coin_toss().sequence_form()
    never_sell = X.plan([1, 0, 1, 0, 1])
    found = gap(X, Y, A, never_sell, Y.plan([1, 0.25, 0.75]))
    assert (found.lower, found.upper) == pytest.approx((0, 0))
    assert gap(X, Y, A, never_sell, Y.plan([1, 0.3, 0.7])).upper > 0.01


def test_imperfect_recall_is_refused_by_the_name_of_the_information_set():
    b = TreeBuilder("absent-minded")
    root = b.decision(1, "first", ["l", "r"])
    for move in root.moves:
        root[move] = b.decision(1, "forgot", ["l", "r"])
        root[move]["l"], root[move]["r"] = 0, 1
    with pytest.raises(RecallError, match=r"player 1 has imperfect recall: .*'forgot'"):
        b.build().sequence_form()


def test_a_tree_of_one_leaf_is_a_game():
    game = TreeGame(Tree([-1], [0], [LEAF], [0], [1], [3.5], ([], []), ([], [])))
    A = game.sequence_form().A
    assert (A @ [1.0]).tolist() == [3.5]
    assert game.counts().infosets == (0, 0)


def test_arrays_are_brought_into_normal_form():
    game = TreeGame(small(payoff=[9, -0.0, 9, 2, -2], probability=[0, 0, 0, 0.25, 0.75]))
    assert game.tree.payoff.tolist() == [0, 0, 0, 2, -2]
    assert not np.signbit(game.tree.payoff[1])
    assert game.tree.probability.tolist() == [1, 1, 1, 0.25, 0.75]
    assert game.events == (("1", "2"),)
    assert not game.tree.payoff.flags.writeable


def test_equality_looks_at_everything_but_the_spec():
    game = TreeGame(small())
    assert game == TreeGame(small(), spec={"x": 1})
    assert game != TreeGame(small(payoff=[0, 1, 0, 2, -3]))
    assert game != TreeGame(small(infosets=(["begin"], [])))
    assert game != TreeGame(small(), constant_sum=2)
    assert game != TreeGame(small(), events=[["a", "b"]])
    assert game != replace(game, name="other")
    assert game != small()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"parent": [0, 0, 0, 2, 2]}, "node 0 .* has parent 0"),
        ({"parent": [-1, 0, 3, 2, 2]}, "node 2 .* has parent 3"),
        ({"parent": [-1, 0, -1, 2, 2]}, "node 2 .* has parent -1"),
        ({"parent": [-1, 0, 0, 2]}, "shapes"),
        ({"mover": [7, LEAF, CHANCE, LEAF, LEAF]}, "node 0 .* has mover 7"),
        ({"infoset": [1, -1, 0, -1, -1]}, "node 0 .* has number 1 among 1 information sets"),
        ({"infoset": [-1, -1, 0, -1, -1]}, "node 0 .* has number -1"),
        ({"move": [0, 0, 2, 0, 1]}, "node 2 .* reached by move 2, which its parent does not"),
        ({"move": [0, 0, -1, 0, 1]}, "node 2 .* reached by move -1"),
        ({"move": [0, 1, 1, 0, 1]}, r"node 1 .* as another child .* \(2 nodes are wrong\)"),
        ({"mover": [LEAF, LEAF, CHANCE, LEAF, LEAF]}, "node 1 .* reached by move 0"),
        ({"mover": [1, 1, CHANCE, LEAF, LEAF]}, "node 1 .* has number -1"),
        ({"actions": ([["l", "m", "r"]], [])}, "node 0 .* has 2 children"),
        ({"actions": ([["l", "l"]], [])}, "'start' of player 1 has two actions of one name"),
        ({"actions": ([[]], [])}, "node 0 .* offers 0 moves"),
        ({"actions": ([["l", "r"]] * 2, [])}, "1 names of information sets and 2 lists"),
        (
            {"infosets": (["a", "a"], []), "actions": ([["l", "r"]] * 2, [])},
            "two information sets of player 1 are called 'a'",
        ),
        ({"probability": [1, 1, 1, 0.25, 0.7]}, "node 2 .* sum to 0.95"),
        ({"probability": [1, 1, 1, 1.25, -0.25]}, "node 4 .* has probability -0.25"),
        ({"probability": [1, 1, 1, np.nan, 0.75]}, "node 3 .* has probability nan"),
        ({"payoff": [0, np.inf, 0, 2, -2]}, "node 1 .* has payoff inf"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(changes, problem):
    with pytest.raises(GameError, match=problem):
        TreeGame(small(**changes))


def test_no_nodes_are_refused():
    with pytest.raises(GameError, match="at least one node"):
        TreeGame(Tree([], [], [], [], [], [], ([], []), ([], [])))


def test_events_have_to_fit():
    with pytest.raises(GameError, match=r"node 2 .* has 2 children"):
        TreeGame(small(), events=[["a", "b", "c"]])
    with pytest.raises(GameError, match=r"node 2 .* has number 1 among 1 chance events"):
        TreeGame(small(infoset=[0, -1, 1, -1, -1]), events=[["a", "b"]])


def test_an_event_has_the_same_probabilities_everywhere():
    tree = Tree(
        parent=[-1, 0, 1, 1, 0, 4, 4],
        move=[0, 0, 0, 1, 1, 0, 1],
        mover=[1, CHANCE, LEAF, LEAF, CHANCE, LEAF, LEAF],
        infoset=[0, 0, -1, -1, 0, -1, -1],
        probability=[1, 1, 0.5, 0.5, 1, 0.4, 0.6],
        payoff=np.zeros(7),
        infosets=(["i"], []),
        actions=([["l", "r"]], []),
    )
    with pytest.raises(GameError, match=r"node 5 .* not that of its event elsewhere"):
        TreeGame(tree, events=[["a", "b"]])
    assert len(TreeGame(tree).events) == 2


def test_a_recorder_wants_the_same_actions_throughout_an_information_set():
    record = Recorder()
    assert record.infoset(1, "k", "k", ["l", "r"]) == 0
    assert record.infoset(2, "k", "k", ["x"]) == 0
    assert record.infoset(1, "k", "k", ["l", "r"]) == 0
    with pytest.raises(RulesError, match=r"'k' of player 1 has actions \['r', 'l'\], elsewhere"):
        record.infoset(1, "k", "k", ["r", "l"])


def test_a_notebook_shows_counts():
    html = coin_toss()._repr_html_()
    assert "<td>11</td>" in html
    assert "coin toss" in html
