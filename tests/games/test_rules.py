"""Games given by rules, solved by hand: Dresher's inspection game and a sealed-bid auction."""

import math
from itertools import product

import pytest

from saddlepoint.core.errors import RecallError, RulesError, SizeError
from saddlepoint.games.rules import tree_of
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.strategy import Profile


class Inspection:
    """An inspector, a smuggler: a state is the letters played, two a day."""

    def __init__(self, days, inspections):
        self.days, self.inspections = days, inspections

    def root(self):
        return ""

    def mover(self, state):
        over = state.endswith("a") or len(state) == 2 * self.days
        return None if over else 1 + len(state) % 2

    def moves(self, state):
        if self.mover(state) == 2:
            return ["a", "w"]
        return ["i", "s"] if state.count("i") < self.inspections else ["s"]

    def play(self, state, move):
        return state + move

    def infoset(self, state):
        return state[: len(state) // 2 * 2]

    def payoff(self, state):
        return 0 if not state.endswith("a") else 1 if state[-2] == "i" else -1


def dresher(days, inspections):
    """The value, M. Dresher 1962."""
    return -math.comb(days - 1, inspections) / sum(
        math.comb(days, i) for i in range(inspections + 1)
    )


def solve_one_day(a, b, c, d):
    """Row and column mixtures of [[a, b], [c, d]] with no saddle point."""
    total = a - b - c + d
    return (d - c) / total, (d - b) / total


@pytest.mark.parametrize(("days", "inspections"), [(2, 1), (4, 1), (4, 2), (6, 3)])
def test_the_inspection_game_has_dreshers_value(days, inspections):
    def play(name, actions):
        left, stock = days - len(name) // 2, inspections - name.count("i")
        if actions == ["s"]:
            return [1.0]
        if stock == 0:  # nobody comes any more: act
            return [1.0, 0.0]
        if stock >= left:
            return [1.0, 0.0] if actions[0] == "i" else [0.0, 1.0]
        inspect, act = solve_one_day(1, dresher(left - 1, stock - 1), -1, dresher(left - 1, stock))
        return [inspect, 1 - inspect] if actions[0] == "i" else [act, 1 - act]

    game = tree_of(Inspection(days, inspections))
    X, Y, A = game.sequence_form()
    profile = Profile.of_function(game, play)
    found = gap(X, Y, A, profile.first.plan, profile.second.plan)
    assert found.gap == pytest.approx(0, abs=1e-12)
    assert found.lower == pytest.approx(dresher(days, inspections))


def test_the_inspection_game_has_the_nodes_that_its_recursion_counts():
    def nodes(days, stock):
        if days == 0:
            return 1
        return 1 + sum(2 + nodes(days - 1, stock - k) for k in range(min(stock, 1) + 1))

    for days, stock in product(range(1, 6), range(3)):
        assert tree_of(Inspection(days, stock)).n_nodes == nodes(days, stock)


class Auction:
    """A sealed-bid first-price auction; the payoff is player 1's surplus less player 2's.

    Both bidders know only what the thing is worth to themselves; ties are tossed for.
    """

    values, bids = (1, 2, 3), (0, 1, 2)

    def root(self):
        return ()

    def mover(self, state):
        return ("chance", 1, 2, None)[len(state)]

    def moves(self, state):
        if state:
            return self.bids
        return [(pair, 1 / 9) for pair in product(self.values, self.values)]

    def play(self, state, move):
        return (*state, move)

    def infoset(self, state):
        return f"worth {state[0][self.mover(state) - 1]}"

    def payoff(self, state):
        (v1, v2), b1, b2 = state
        if b1 == b2:
            return ((v1 - b1) - (v2 - b2)) / 2
        return v1 - b1 if b1 > b2 else b2 - v2


def test_the_auction_is_symmetric():
    game = tree_of(Auction(), name="auction")
    counts = game.counts()
    assert (counts.nodes, counts.leaves, counts.infosets) == (1 + 9 * 13, 81, (3, 3))
    X, Y, A = game.sequence_form()
    assert game.infosets[0] == game.infosets[1] == ("worth 1", "worth 2", "worth 3")
    s = X.random(1)
    assert X.plan(s) @ (A @ Y.plan(s)) == pytest.approx(0, abs=1e-12)
    found = gap(X, Y, A, X.plan(s), Y.plan(s))
    assert found.upper == pytest.approx(-found.lower)
    assert found.upper > 0


def test_expected_payoffs_agree_with_playing_the_rules_out():
    rules, game = Auction(), tree_of(Auction())
    A, profile = game.sequence_form().A, Profile.random(game, 5)

    def value(state):
        mover = rules.mover(state)
        if mover is None:
            return rules.payoff(state)
        if mover == "chance":
            return sum(p * value(rules.play(state, m)) for m, p in rules.moves(state))
        row = profile.player(mover)[rules.infoset(state)]
        return sum(row[str(m)] * value(rules.play(state, m)) for m in rules.moves(state))

    assert profile.first.plan @ (A @ profile.second.plan) == pytest.approx(value(rules.root()))


class Broken(Inspection):
    """Rules with one method replaced."""

    def __init__(self, **methods):
        super().__init__(2, 1)
        for name, method in methods.items():
            setattr(self, name, method)


@pytest.mark.parametrize(
    ("methods", "problem"),
    [
        ({"mover": lambda s: 3}, "mover is 3 in state '', expected 1, 2, 'chance' or None"),
        ({"moves": lambda s: []}, "no moves in state ''"),
        ({"moves": lambda s: ["i", "i"]}, "two moves of one name in state ''"),
        ({"moves": lambda s: [1, "1"]}, "two moves of one name in state ''"),
        ({"infoset": lambda s: [s]}, r"infoset is \[''\] in state '', expected something hashable"),
        ({"infoset": lambda s: 1 if s == "" else "1"}, "both called .1., the second in state .iw."),
        ({"infoset": lambda s: 0}, "'0' of player 1 has actions .* elsewhere"),
        ({"payoff": lambda s: math.nan}, "payoff is nan in state '..+', expected a finite"),
        ({"mover": lambda s: "chance"}, "chance moves in state '': expected pairs"),
    ],
)
def test_rules_that_contradict_themselves_are_refused_with_the_state(methods, problem):
    with pytest.raises(RulesError, match=problem):
        tree_of(Broken(**methods))


@pytest.mark.parametrize("chances", [[0.5, 0.4], [1.5, -0.5], [1.0, 0.0], [math.nan, 1.0]])
def test_chance_needs_a_distribution(chances):
    rules = Broken(
        mover=lambda s: "chance" if s == "" else None,
        moves=lambda s: list(zip("hta", chances, strict=False)),
    )
    with pytest.raises(RulesError, match=r"chance probabilities in state '' .* sum"):
        tree_of(rules)


def test_long_states_are_cut_short_in_errors():
    rules = Broken(root=lambda: "x" * 1000, mover=lambda s: 3)
    with pytest.raises(RulesError) as problem:
        tree_of(rules)
    assert len(str(problem.value)) < 200


def test_forgetting_is_refused_by_the_name_of_the_information_set():
    rules = Broken(infoset=lambda s: f"day {len(s) // 2}", moves=lambda s: ["w", "x"])
    with pytest.raises(RecallError, match="'day 1'"):
        tree_of(rules).sequence_form()


def test_trees_that_outgrow_their_limit_are_refused():
    with pytest.raises(SizeError, match="more than 100 nodes"):
        tree_of(Inspection(30, 10), max_nodes=100)
    assert tree_of(Inspection(3, 1), max_nodes=28).n_nodes == 28
    with pytest.raises(SizeError):
        tree_of(Inspection(3, 1), max_nodes=27)


def test_progress_is_told_and_depth_is_no_obstacle():
    seen = []
    game = tree_of(Inspection(10_000, 0), progress=seen.append)
    assert game.n_nodes == 30_001
    assert seen == [10_000, 20_000, 30_000]
