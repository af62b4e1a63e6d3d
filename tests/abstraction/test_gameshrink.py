from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saddlepoint.abstraction.gameshrink import READINGS, anytime, game_shrink, printed_levels
from saddlepoint.abstraction.isomorphic import (
    MatchingCosts,
    isomorphism_classes,
    ordered_game_isomorphic,
)
from saddlepoint.abstraction.preserving import largest_gain, lifted_exploitability, preserves
from saddlepoint.abstraction.union_find import UnionFind
from saddlepoint.core.errors import GameError, RulesError, SettingsError
from saddlepoint.games.builder import TreeBuilder
from saddlepoint.games.filtered import FilteredGame
from saddlepoint.games.information import InformationFilter
from saddlepoint.games.ordered_poker import ordered_poker
from saddlepoint.games.poker import kuhn, leduc, rhode_island
from saddlepoint.games.rules_file import rules_game
from saddlepoint.games.signal_tree import signal_tree
from saddlepoint.games.signals import OrderedGame
from saddlepoint.games.stages import Stage
from saddlepoint.games.tree import TreeGame
from saddlepoint.solvers.methods import solve

# Readings that compare subtrees of the signal tree.
TREES = ("own-first", "others-first", "nodes", "some-nodes")
LOSSY = ("own-first", "others-first", "counts", "nodes", "some-nodes")
BET = {
    "player": 1,
    "actions": {
        "k": {"player": 2, "actions": {"k": "over", "b": "over"}},
        "b": {"player": 2, "actions": {"f": "over", "c": "over"}},
    },
}


@cache
def small_rhode_island(ranks: str, suits: int) -> OrderedGame:
    """Rhode Island Hold'em with few cards and at most one bet a round."""
    return ordered_poker(rhode_island(ranks=ranks, suits=suits, raises=0))


@cache
def poker(ranks: str, suits: int) -> OrderedGame:
    """Kuhn poker with several suits."""
    betting = {"ante": 1, "bets": [1], "max_bets": 1}
    return ordered_poker(
        rules_game({"name": "poker", "deck": {"ranks": ranks, "suits": suits}, "betting": betting})
    )


@cache
def bids(players: int = 3) -> OrderedGame:
    """Signals 0 to 5, two of each worth; who stays in with the best one wins the pot."""
    table: Any = "over"
    for player in range(players, 0, -1):
        table = {"player": player, "actions": {"out": table, "in": table}}

    def utility(path: Any, public: Any, private: Any) -> list[float]:
        bidding = [k for k, action in enumerate(path[0]) if action == "in"]
        best = max((private[k][0][0] // 2 for k in bidding), default=None)
        winners = [k for k in bidding if private[k][0][0] // 2 == best]
        paid = [2.0 if k in bidding else 1.0 for k in range(players)]
        if not bidding:
            return [0.0] * players
        return [sum(paid) / len(winners) * (k in winners) - paid[k] for k in range(players)]

    return OrderedGame(
        players=players,
        stages=[Stage.of(table)],
        signals=range(6),
        public=[0],
        private=[1],
        utility=utility,
        rank=lambda public, private: private[0][0] // 2,
        name="bids",
    )


def random_game(seed: int, *, zero_sum: bool = False) -> OrderedGame:
    """A game of two or three players with random payoffs of signals that come in kinds."""
    rng = np.random.default_rng(seed)
    rounds = int(rng.integers(1, 3))
    players = 2 if zero_sum or rounds == 2 else int(rng.integers(2, 4))
    signals = int(rng.integers(players + rounds - 1, 6))
    kind = rng.integers(0, max(1, signals - 1), signals)
    weights = None if rng.random() < 0.5 else rng.integers(1, 3, signals)[kind].tolist()
    table: dict[Any, list[float]] = {}

    def utility(path: Any, public: Any, private: Any) -> list[float]:
        key = (path, *(tuple(kind[s] for r in part for s in r) for part in (public, *private)))
        if key not in table:
            found = rng.integers(0, 3, players).astype(float).tolist()
            table[key] = [found[0], -found[0]] if zero_sum else found
        return table[key]

    last = Stage.of(
        BET if rng.random() < 0.5 else {"player": 1, "actions": {"l": "over", "r": "over"}}
    )
    first = Stage.of({"player": 2, "actions": {"s": "over", "g": "continue", "h": "continue"}})
    return OrderedGame(
        players=players,
        stages=[last] if rounds == 1 else [first, last],
        signals=range(signals),
        public=[0] if rounds == 1 else [0, 1],
        private=[1] if rounds == 1 else [1, 0],
        utility=utility,
        weights=weights,
        name=f"random {seed}",
    )


# Algorithm 1 --------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_counting_classes_is_matching(seed: int) -> None:
    """Algorithm 1 and canonical signatures find the same nodes isomorphic."""
    tree = signal_tree(random_game(seed))
    classes, known = isomorphism_classes(tree), {}
    costs = MatchingCosts(tree)
    for level, size in enumerate(tree.sizes):
        for one in range(size):
            for two in range(one):
                same = ordered_game_isomorphic(tree, level, one, two, known)
                assert same == (classes[level][one] == classes[level][two])
                assert same == (costs.cost(level, one, two) == 0.0)


@pytest.mark.parametrize(("ranks", "suits"), [("JK", 2), ("JQK", 1), ("JQK", 2)])
def test_algorithm_1_on_poker(ranks: str, suits: int) -> None:
    """Cards are isomorphic if their ranks are equal; after them, if outcomes are."""
    game = poker(ranks, suits)
    tree, known = signal_tree(game), {}
    for one, name in enumerate(game.signals):
        for two, other in enumerate(game.signals):
            same = str(name)[0] == str(other)[0]
            assert ordered_game_isomorphic(tree, 1, one, two, known) == same
    assert len(set(isomorphism_classes(tree)[2].tolist())) == (3 if suits > 1 else 2)


def test_costs_are_cheapest_matchings() -> None:
    """Queen and king differ where the opponent's other cards can only be matched with a loss."""
    game = poker("JQK", 1)
    costs = MatchingCosts(signal_tree(game))
    # Showdowns at 3 of 5 ends pay 1, 2 and 2: the squared difference of a win and a loss.
    apart = (2**2 + 4**2 + 4**2) / 5
    leaves = {(a, b): k for k, (a, b) in enumerate(game.deals.places.tolist())}
    assert costs.cost(2, leaves[0, 1], leaves[1, 0]) == pytest.approx(apart)
    # J loses twice, Q wins and loses, K wins twice.
    assert costs.cost(1, 0, 1) == pytest.approx(apart / 2)
    assert costs.cost(1, 0, 2) == pytest.approx(apart)
    assert costs.cost(1, 2, 2) == 0.0


def test_union_find() -> None:
    forest = UnionFind(6)
    for one, two in ((0, 3), (4, 5), (3, 5), (0, 4)):
        forest.union(one, two)
    assert forest.numbers().tolist() == [0, 1, 2, 0, 0, 0]
    assert forest.find(5) == forest.find(0) != forest.find(1)


# Algorithm 2 --------------------------------------------------------------------------------


@pytest.mark.parametrize("reading", READINGS)
def test_figure_5_2(reading: str) -> None:
    """Thesis 003, Figure 5.2: two jacks, two kings, 113 nodes become 39."""
    game = poker("JK", 2)
    found = game_shrink(game, reading)
    assert [{s[1][0][0] for s in group} for group in found.classes(1)] == [
        {"Jc", "Jd"},
        {"Kc", "Kd"},
    ]
    assert FilteredGame.of(game).tree().n_nodes == 113
    assert FilteredGame(found).tree().n_nodes == 39
    assert lifted_exploitability(found) < 1e-12


def test_the_levels_of_algorithm_2_as_printed_have_no_siblings_in_figure_5_2() -> None:
    """They come before the signals of a round: there is only the root."""
    assert printed_levels(poker("JK", 2), 1) == (0, 0)
    assert signal_tree(poker("JK", 2)).sizes[0] == 1
    assert printed_levels(small_rhode_island("234", 2), 2) == (2, 3)


@pytest.mark.parametrize(
    ("ranks", "suits", "joint", "own_first", "counts"),
    [
        ("34", 2, (2, 4, 6), (2, 4, 6), (2, 4, 6)),
        ("23", 3, (2, 4, 8), (2, 4, 8), (2, 4, 8)),
        ("234", 2, (3, 15, 60), (3, 11, 32), (3, 10, 31)),
        ("234", 3, (3, 15, 69), (3, 11, 39), (3, 11, 39)),
        ("2345", 2, (4, 28, 168), (4, 24, 101), (4, 23, 98)),
        pytest.param("2345", 3, (4, 28, 184), (4, 24, 122), (4, 23, 119), marks=pytest.mark.slow),
    ],
)
def test_small_decks_lose_nothing(
    ranks: str, suits: int, joint: Any, own_first: Any, counts: Any
) -> None:
    """Only the joint reading: its equilibria are equilibria, those of the others lose chips."""
    game = small_rhode_island(ranks, suits)
    exact = game_shrink(game)
    assert exact.sizes == joint
    assert preserves(exact, profiles=2)
    assert lifted_exploitability(exact) < 1e-9
    for reading, sizes in (
        ("own-first", own_first),
        ("others-first", own_first),
        ("counts", counts),
    ):
        found = game_shrink(game, reading)
        assert found.sizes == sizes
        if sizes == joint:
            assert found == exact
        else:
            # Some chips of an ante of 500.
            assert largest_gain(found, profiles=2).amount > 1.0
            assert lifted_exploitability(found) > 10.0


def test_nodes_are_no_better() -> None:
    """With the others' signals held fixed, neighbours differ from nobody: ranks chain up."""
    assert game_shrink(poker("9TJQKA", 1), "nodes").sizes == (1,)
    assert game_shrink(poker("9TJQKA", 1), "own-first").sizes == (6,)
    assert game_shrink(small_rhode_island("234", 2), "some-nodes").sizes == (1, 1, 1)
    assert game_shrink(small_rhode_island("234", 2), "nodes").sizes == (3, 9, 17)
    # Of two cards nothing of the other's is legal with both.
    assert game_shrink(poker("JK", 1), "nodes").sizes == (2,)
    for reading in ("nodes", "some-nodes"):
        assert lifted_exploitability(game_shrink(small_rhode_island("234", 2), reading)) > 10.0


def test_leduc_forgets_suits_only() -> None:
    """The classes are those of Leduc Hold'em as it is usually solved."""
    game = ordered_poker(leduc())
    exact = game_shrink(game)
    ranks = InformationFilter.of_labels(
        game, lambda j, public, private: (private[0][0][0], [s[0] for row in public for s in row])
    )
    assert exact == ranks
    small = FilteredGame(exact).sequence_form()
    real = leduc().sequence_form()
    assert small.X.n_sequences == real.X.n_sequences == 337
    assert solve(small, "lp").value == pytest.approx(solve(real, "lp").value, abs=1e-12)
    # A king wins, loses and draws as often with a queen on the board as with a jack: so all
    # readings but one join these, though the opponent's hands are worth other things then.
    for reading in ("own-first", "others-first", "counts"):
        found = game_shrink(game, reading)
        assert found.sizes == (3, 7)
        assert found(((), ("Qc",)), (("Kc",), ())) == found(((), ("Jc",)), (("Kc",), ()))
        assert lifted_exploitability(found) > 0.1


def test_three_players() -> None:
    game = bids()
    game.check_order()
    exact = game_shrink(game)
    assert [sorted(s[1][0][0] for s in group) for group in exact.classes(1)] == [
        [0, 1],
        [2, 3],
        [4, 5],
    ]
    assert exact == game_shrink(game, "own-first")
    assert preserves(exact, profiles=20)
    worse = InformationFilter.of_labels(game, lambda j, public, private: private[0][0] // 4)
    assert not preserves(worse)
    gain = largest_gain(worse)
    assert gain.amount > 0.05
    assert gain.player in (1, 2, 3)
    with pytest.raises(GameError, match="bids has 3 players; wins, losses"):
        game_shrink(game, "counts")


# Lossless -----------------------------------------------------------------------------------


def stable(information: InformationFilter) -> bool:
    """Whether classes have equal joint chances, straight from the definition."""
    game = information.game
    deals, end = game.deals, game.rounds
    total = sum(map(int, deals.weight))
    for j in range(1, end + 1):
        for player in range(1, game.players + 1):
            others = [i for i in range(1, game.players + 1) if i != player]
            chances: dict[int, dict[Any, Fraction]] = {}
            for d in range(len(deals)):
                told = int(deals.information(player, j)[d])
                key = (
                    tuple(int(information.told(player, k)[d]) for k in range(1, end + 1)),
                    *(int(information.told(i, k)[d]) for i in others for k in range(1, end + 1)),
                    tuple(game.payoffs[:, d, player - 1].tolist()),
                )
                row = chances.setdefault(told, {})
                row[key] = row.get(key, Fraction(0)) + Fraction(int(deals.weight[d]), total)
            seen: dict[int, Any] = {}
            for told, row in chances.items():
                scaled = {key: p / sum(row.values()) for key, p in row.items()}
                number = int(information.numbers[j - 1][told])
                if seen.setdefault(number, scaled) != scaled:
                    return False
    return True


def partitions(n: int) -> Iterator[list[int]]:
    """All partitions of n things, as class numbers."""
    rows = [[0]]
    for _ in range(n - 1):
        rows = [[*row, k] for row in rows for k in range(max(row) + 2)]
    return iter(rows)


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_joint_is_the_coarsest_stable_filter(seed: int) -> None:
    """Of all filters of a one-round game: it is stable, and all stable ones are finer."""
    game = random_game(seed)
    exact = game_shrink(game)
    assert stable(exact)
    assert stable(InformationFilter.identity(game))
    if game.rounds == 1:
        for row in partitions(len(game.signals)):
            other = InformationFilter(game, (np.array(row),))
            if stable(other):
                assert other.refines(exact)


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_joint_loses_nothing_in_random_games(seed: int) -> None:
    """Two or three players, any weights, general sums, utilities without any order."""
    assert preserves(game_shrink(random_game(seed)), profiles=3, seed=seed)


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_joint_keeps_equilibria_of_random_games(seed: int) -> None:
    game = random_game(seed, zero_sum=True)
    exact = game_shrink(game)
    assert lifted_exploitability(exact) < 1e-9
    small, real = (solve(FilteredGame(f), "lp") for f in (exact, InformationFilter.identity(game)))
    assert small.value == pytest.approx(real.value, abs=1e-9)


def test_how_likely_others_signals_are_counts() -> None:
    """One's own signal pays nothing, but makes another of its kind less likely.

    Whoever takes the risk gets 1 or loses 1 by the kind of the other player's signal.
    """

    def utility(path: Any, public: Any, private: Any) -> list[float]:
        taken = path[0][0] == "risk"
        return [taken * (1.0 if private[1][0][0] < 2 else -1.0), 0.0]

    game = OrderedGame(
        players=2,
        stages=[Stage.of({"player": 1, "actions": {"risk": "over", "stop": "over"}})],
        signals=range(4),
        public=[0],
        private=[1],
        utility=utility,
    )
    exact = game_shrink(game)
    assert exact.numbers[0].tolist() == [0, 0, 1, 1]
    assert preserves(exact)
    assert not preserves(InformationFilter.coarsest(game))
    assert stable(exact)


def test_random_games_do_shrink() -> None:
    """Else the tests above would say nothing."""
    shrunk = [
        game_shrink(game).sizes != InformationFilter.identity(game).sizes
        for game in map(random_game, range(30))
    ]
    assert sum(shrunk) >= 10


# Outside the model: section 5.4.1 -------------------------------------------------------------


def figure_5_5(merged: bool) -> TreeGame:
    """A game of the shape of Figure 5.5: chance, nodes a and b of player 2, c and d of player 1.

    The payoffs below a and b are the same, with player 2's moves the other way round, and so
    are those below c and d with player 1's: nobody observes them. In the merged game b has
    become a.
    """
    b = TreeBuilder("merged" if merged else "original")
    root = b.chance({"a": 0.5, "e": 0.5} if merged else {"a": 0.25, "b": 0.25, "e": 0.5})
    for name in root.moves:
        if name == "e":
            root[name] = node = b.decision(1, "1", ["left", "right"])
            node["left"], node["right"] = 0, 2
            continue
        root[name] = move = b.decision(2, "2", ["l", "r"])
        inner, outer = ("l", "r") if name == "a" else ("r", "l")
        move[outer] = 4
        move[inner] = below = b.decision(1, "1", ["left", "right"])
        high, low = ("left", "right") if name == "a" else ("right", "left")
        below[high], below[low] = 3, 0
    return b.build()


def shape(game: TreeGame, node: int) -> Any:
    """The subtree of a node without names: payoffs at leaves, children in any order."""
    below = np.flatnonzero(game.tree.parent == node)
    if not len(below):
        return float(game.tree.payoff[node])
    return (
        int(game.tree.mover[node]),
        tuple(sorted((shape(game, int(k)) for k in below), key=repr)),
    )


def test_without_the_structure_of_ordered_games_merging_fails() -> None:
    """Figure 5.5: isomorphic siblings in one information set; merged, player 1 goes left."""
    real, small = figure_5_5(False), figure_5_5(True)
    first, second = (int(k) for k in np.flatnonzero(real.tree.parent == 0)[:2])
    assert shape(real, first) == shape(real, second)
    assert real.tree.infoset[first] == real.tree.infoset[second]
    # Both equilibria are strict, so they are the only ones.
    assert solve(small, "lp").profile.first["1"] == pytest.approx({"left": 1.0, "right": 0.0})
    solution = solve(real, "lp")
    assert solution.profile.first["1"] == pytest.approx({"left": 0.0, "right": 1.0})
    # Player 2 sees to it that the node where right is good is never reached.
    assert solution.profile.second["2"] == pytest.approx({"l": 1.0, "r": 0.0})
    X, Y, A = real.sequence_form()
    guaranteed = [
        min(X.plan([1.0, *s]) @ (A @ Y.plan([1.0, *t])) for t in np.eye(2)) for s in np.eye(2)
    ]
    assert guaranteed == pytest.approx([1.0, solution.value])
    assert solution.value == pytest.approx(2.0)


def test_without_a_common_order_merging_fails() -> None:
    """Two jacks and a king: player 1 has K > J1 ~ J2, player 2 has J2 > K > J1."""
    wins = {
        "J1": {"J2": -2.0, "K": -1.0},
        "J2": {"J1": 0.0, "K": -1.0},
        "K": {"J1": 1.0, "J2": 0.0},
    }

    def utility(path: Any, public: Any, private: Any) -> tuple[float, float]:
        won = wins[private[0][0][0]][private[1][0][0]] * (2.0 if "b" in path[0] else 1.0)
        won = 1.0 if path == (("b", "f"),) else won
        return won, -won

    game = OrderedGame(
        players=2,
        stages=[Stage.of(BET)],
        signals=["J1", "J2", "K"],
        public=[0],
        private=[1],
        utility=utility,
        rank=lambda public, private: private[0][0] == "K",
    )
    with pytest.raises(RulesError, match="utility of player 2 after 'kk' does not increase"):
        game.check_order()
    merged = InformationFilter.of_labels(game, lambda j, public, private: private[0][0][0])
    assert merged.sizes == (2,)
    assert not preserves(merged)
    assert lifted_exploitability(merged) > 0.05
    # What does not trust an order is safe.
    assert game_shrink(game).sizes == (3,)


# Section 5.6 --------------------------------------------------------------------------------


@pytest.mark.parametrize("reading", READINGS)
def test_thresholds_go_from_exact_to_nothing(reading: str) -> None:
    for game in (poker("JQK", 2), small_rhode_island("34", 2), ordered_poker(leduc())):
        exact = game_shrink(game, reading)
        assert game_shrink(game, reading, threshold=0) == exact
        everything = game_shrink(game, reading, threshold=math.inf)
        assert everything == InformationFilter.coarsest(game)
        last = everything
        for threshold in (1e9, 50.0, 10.0, 3.0, 0.3, 0.1, 1e-3):
            found = game_shrink(game, reading, threshold=threshold)
            assert found.refines(last)
            assert exact.refines(found)
            last = found


def test_thresholds_are_costs_of_matchings() -> None:
    """Jack and queen are half as far apart as jack and king, and are joined at their cost."""
    game, apart = poker("JQK", 1), (2**2 + 4**2 + 4**2) / 5
    assert game_shrink(game, "own-first", threshold=apart / 2 - 1e-9).sizes == (3,)
    assert game_shrink(game, "own-first", threshold=apart / 2).sizes == (1,)
    kings = game_shrink(poker("JQK", 2), "counts", threshold=0.1)
    assert game_shrink(poker("JQK", 2), "counts").refines(kings)


@pytest.mark.parametrize("reading", READINGS)
def test_anytime_yields_finer_and_finer_filters(reading: str) -> None:
    game = ordered_poker(leduc())
    found = list(anytime(game, reading))
    assert found[0][1] == InformationFilter.coarsest(game)
    assert found[-1][1] == game_shrink(game, reading)
    for (high, coarse), (low, fine) in pairwise(found):
        assert high > low
        assert fine.refines(coarse)
        assert fine != coarse
    for threshold, information in found:
        assert game_shrink(game, reading, threshold=threshold) == information


def test_finer_is_not_always_better() -> None:
    """What equilibria of finer and finer filters lose in Leduc Hold'em, in chips."""
    game = ordered_poker(leduc())
    losses = [lifted_exploitability(found) for _, found in anytime(game, "own-first")]
    assert losses[0] == pytest.approx(2.383333, abs=1e-6)
    assert all(0.1 < loss < losses[0] for loss in losses[1:])
    assert lifted_exploitability(list(anytime(game))[-1][1]) < 1e-12


def test_thresholds_can_be_given() -> None:
    game = ordered_poker(leduc())
    given = list(anytime(game, thresholds=[math.inf, 1.0, 0.5, 0.0]))
    assert [(t, found.sizes) for t, found in given] == [(math.inf, (1, 1)), (1.0, (3, 9))]


def test_signals_of_unequal_weights_cannot_be_matched() -> None:
    """Their edges differ: the cost is infinite and not large."""
    game = OrderedGame(
        players=2,
        stages=[Stage.of(BET)],
        signals=[0, 1, 2, 3],
        public=[0],
        private=[1],
        weights=[1, 1, 2, 4],
        utility=lambda path, public, private: (
            (d := float(np.sign(private[0][0][0] // 2 - private[1][0][0] // 2))),
            -d,
        ),
        rank=lambda public, private: private[0][0] // 2,
    )
    costs = MatchingCosts(signal_tree(game))
    assert costs.cost(1, 0, 1) == 0.0
    assert costs.cost(1, 2, 3) == math.inf
    assert ordered_game_isomorphic(costs.tree, 1, 0, 1)
    assert not ordered_game_isomorphic(costs.tree, 1, 2, 3)
    for reading in ("own-first", "joint"):
        found = game_shrink(game, reading, threshold=1e12)
        assert found.sizes[0] > 1
        assert game_shrink(game, reading, threshold=math.inf).sizes == (1,)


# Bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [-1.0, float("nan"), "1", True, None])
def test_thresholds_are_checked(threshold: Any) -> None:
    with pytest.raises(SettingsError, match=r"threshold is .* expected a number of at least 0"):
        game_shrink(poker("JK", 2), threshold=threshold)


def test_readings_and_settings_are_checked() -> None:
    game = poker("JK", 2)
    with pytest.raises(SettingsError, match=r"unknown reading 'jont' .did you mean 'joint'"):
        game_shrink(game, "jont")
    with pytest.raises(SettingsError, match=r"thresholds are .*, expected falling numbers"):
        list(anytime(game, thresholds=[0.0, 1.0]))
    with pytest.raises(SettingsError, match="profiles is 0"):
        largest_gain(game_shrink(game), profiles=0)
    with pytest.raises(GameError, match="3 players; a sequence form needs two"):
        lifted_exploitability(InformationFilter.identity(bids()))
    unordered = random_game(0, zero_sum=True)
    with pytest.raises(RulesError, match="has no order: expected a rank"):
        game_shrink(unordered, "counts")
    assert game_shrink(ordered_poker(kuhn())).sizes == (3,)
