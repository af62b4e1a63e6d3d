from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2
from seated import Seated, mixed, played
from test_lift import sparse
from twin import Twin

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.cards import grouped
from saddlepoint.core.counter import key_of
from saddlepoint.core.errors import GameError, SettingsError, StrategyError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import clairvoyance, leduc, no_limit_kuhn, no_limit_leduc
from saddlepoint.measure.exact import expected_value
from saddlepoint.reverse.hands import Hands, Translator, play_hands, record_hands
from saddlepoint.reverse.lift import lift
from saddlepoint.reverse.translate import FRAMES, Translation
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.solvers.methods import solve


@cache
def real(stack: int = 12) -> FactoredGame:
    return no_limit_leduc(stack=stack)


@cache
def pair_of(menu: str, stack: int = 12) -> AbstractGame:
    return AbstractGame.of(real(stack), no_limit_leduc(stack=stack, menu=menu))


@cache
def solved(menu: str) -> Profile:
    return solve(pair_of(menu).game, "lp").profile


MAPPINGS = [
    {"mapping": "det-geo"},
    {"mapping": "rand-geo-1"},
    {"mapping": "rand-pshar"},
    {"mapping": "rand-geo-1", "avoid": 1e-6},
    {"mapping": "rand-pshar", "avoid": 1e-6},
]
UNFIXED = {"call_is_call": False, "check": None, "calls": False}
NAMES = ["-".join(map(str, m.values())) for m in MAPPINGS]


def ways(settings: Translation) -> list[str]:
    return ["weighted"] if settings.avoid is not None else ["sampled", "weighted"]


# Against plain Python, hand by hand -----------------------------------------------------

GAMES = {
    "leduc, 7 chips": lambda: (pair_of("fcpa", 7), pair_of("fchpa", 7)),
    "leduc, 5 chips": lambda: (pair_of("fcha", 5), pair_of("fcp", 5)),
    "kuhn": lambda: (
        (AbstractGame.of(no_limit_kuhn(stack=3), no_limit_kuhn(stack=3, menu="fcpa")),) * 2
    ),
    "clairvoyance": lambda: (
        (AbstractGame.of(clairvoyance(stack=3), clairvoyance(stack=3, menu="fcpa")),) * 2
    ),
    "groups of cards": lambda: (grouped(leduc(), "JQ.K"), grouped(leduc(), "J.QK")),
}
SETTINGS = [
    *MAPPINGS,
    {"mapping": "rand-pshar", "remember": False},
    {"mapping": "rand-geo-2", "remember": False, **UNFIXED},
    {"mapping": "rand-arith", "check": 1},
    {"mapping": "rand-arith", "avoid": 0.2, "check": 1},
    {"mapping": "rand-pshar", "check": 1, "closing": "again"},
    {"mapping": "rand-geo-1", "check": 1, "closing": "again", "avoid": 1e-6},
    {"mapping": "rand-arith", "check": 2, "closing": "again", "remember": False},
]


def twin_of(pair: AbstractGame, strategy: Strategy, settings: Translation) -> Twin:
    twin = Twin(pair, strategy, settings)
    twin.stack = pair.real.tree.rules.arrays.stack  # a limit game has a boundless one
    return twin


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("settings", range(len(SETTINGS)))
def test_hands_are_those_of_players_who_remember_nothing(
    name: str, frame: str, settings: int
) -> None:
    """So the same history is read in the same way within a hand (004, section 4.3.1)."""
    chosen = Translation.in_frame(frame, **SETTINGS[settings])
    pairs, hands, start = GAMES[name](), 40, 1000 * settings
    strategies = sparse(pairs[0], settings).first, sparse(pairs[1], settings + 1).second
    for way in ways(chosen):
        seats = [
            Translator(pair=pair, strategy=strategy, settings=chosen, way=way)
            for pair, strategy in zip(pairs, strategies, strict=True)
        ]
        found = record_hands(*seats, hands, seed=5, start=start)
        twins = [
            Seated(twin_of(pair, strategy, chosen), way == "sampled", int(key_of(5)))
            for pair, strategy in zip(pairs, strategies, strict=True)
        ]
        for i in range(hands):
            leaf, one, two, payoff = played(*twins, start + i)
            assert (found.leaf[i], found.one[i], found.two[i]) == (leaf, one, two)
            assert found.payoff[i] == pytest.approx(payoff, abs=1e-12)


def test_numbers_are_those_of_splitmix() -> None:
    """The first outputs for the seed 1234567, as published with the generator."""
    golden, outputs = 0x9E3779B97F4A7C15, (6457827717110365317, 3203168211198807973)
    for k, output in enumerate(outputs, 1):
        assert mixed((1234567 + golden * k) % 2**64) == output


# Against the lifted strategy --------------------------------------------------------------


def opponents(strategy: Strategy, settings: Translation, way: str, seed: int) -> list[Translator]:
    """The player in his seat, and in the other seat one who plays anything in the real game."""
    there = AbstractGame.of(real(), real())
    form = there.game.sequence_form()
    other = 3 - strategy.player
    plex = form.X if other == 1 else form.Y
    seats = [
        Translator(pair=pair_of("fcpa"), strategy=strategy, settings=settings, way=way),
        Translator(pair=there, strategy=Strategy.random(plex, seed, other)),
    ]
    return seats if strategy.player == 1 else seats[::-1]


def lifted(seats: list[Translator]) -> Profile:
    return Profile(
        real().sequence_form(),
        *(lift(seat.pair, seat.strategy, seat.settings).strategy for seat in seats),
    )


def surprise(hands: Hands, profile: Profile) -> tuple[float, float]:
    """Every decision and action of every hand of cards against the lifted probabilities.

    The p-value of the sum of chi-squares over all decisions that were reached often enough,
    and the most standard deviations that a frequency is off.
    """
    tree, deal = real().tree, real().deal
    places = real().factored.places
    parents: list[tuple[int, int, np.ndarray]] = []
    node, rows = hands.leaf.copy(), np.arange(len(hands))
    while len(rows):
        above = tree.parent[node[rows]]
        rows, above = rows[above >= 0], above[above >= 0]
        parents.append((node[rows].copy(), above, rows))
        node[rows] = above
    child = np.concatenate([part[0] for part in parents])
    at = np.concatenate([part[1] for part in parents])
    row = np.concatenate([part[2] for part in parents])
    statistic, freedom, worst = 0.0, 0, 0.0
    for player, places_ in ((1, places[0]), (2, places[1])):
        ended = tree.round[hands.leaf]
        class_ = (hands.one if player == 1 else hands.two)[row]
        own = tree.mover[at] == player
        c, n, k, r = child[own], at[own], class_[own].copy(), ended[row][own]
        early = r > tree.round[n]  # the class in the round of the decision
        k[early] = deal.rounds[1].up[player - 1][k[early]]
        key = c.astype(np.int64) * 16 + k
        found, count = np.unique(key, return_counts=True)
        counted = dict(zip(found.tolist(), count.tolist(), strict=True))
        reached, total = np.unique(n.astype(np.int64) * 16 + k, return_counts=True)
        sigma = profile.player(player).probabilities
        for place, hands_there in zip(reached.tolist(), total.tolist(), strict=True):
            node_, k_ = divmod(place, 16)
            moves = range(tree.child[node_], tree.child[node_] + tree.children[node_])
            p = np.array([sigma[places_.row[m] + places_.stride[m] * k_] for m in moves])
            seen = np.array([counted.get(m * 16 + k_, 0) for m in moves], float)
            if seen[p == 0.0].any():  # never what the lifted strategy never does
                return 0.0, math.inf
            p, seen = p[p > 0.0], seen[p > 0.0]
            well = p * hands_there >= 10
            if well.sum() < len(p):  # the rest as one
                p = np.append(p[well], p[~well].sum())
                seen = np.append(seen[well], seen[~well].sum())
            if len(p) < 2 or p.min() * hands_there < 10:
                continue
            statistic += float(((seen - p * hands_there) ** 2 / (p * hands_there)).sum())
            freedom += len(p) - 1
            z = (seen - p * hands_there) / np.sqrt(hands_there * p * (1 - p))
            worst = max(worst, float(np.abs(z).max()))
    assert freedom > 100
    return float(chi2.sf(statistic, freedom)), worst


def compare(strategy: Strategy, settings: Translation, hands: int, seed: int) -> None:
    """A quarter of the hands for a set where one history does as well: it takes its time."""
    for number, way in enumerate(ways(settings)):
        hands //= 1 + 3 * number
        seats = opponents(strategy, settings, way, seed)
        profile = lifted(seats)
        exact = expected_value(profile)
        found = record_hands(*seats, hands, seed)
        error = found.payoff.std() / math.sqrt(hands)
        assert abs(found.payoff.mean() - exact) < 4 * error
        p_value, worst = surprise(found, profile)
        assert p_value > 1e-4
        assert worst < 5.0


@pytest.mark.parametrize("frame", ["abstract", "real"])
@pytest.mark.parametrize("mapping", MAPPINGS, ids=NAMES)
@pytest.mark.parametrize("kind", ["solved", "sparse"])
def test_play_is_the_lifted_strategy(frame: str, mapping: dict, kind: str) -> None:
    """Means and frequencies, both ways, against one who bets any amount."""
    strategy = solved("fcpa").second if kind == "solved" else sparse(pair_of("fcpa"), 7).first
    compare(strategy, Translation.in_frame(frame, **mapping), 200_000, 11)


@pytest.mark.parametrize(
    "fixes",
    [{"check": 1, "closing": "again"}, {"check": 1}, UNFIXED],
    ids=["again", "call", "unfixed"],
)
@pytest.mark.parametrize("mapping", MAPPINGS[1::3], ids=NAMES[1::3])
def test_play_is_the_lifted_strategy_with_and_without_the_fixes(mapping: dict, fixes: dict) -> None:
    settings = Translation(observe="chips", act="totals", **mapping, **fixes)
    compare(sparse(pair_of("fcpa"), 8).second, settings, 200_000, 12)


@pytest.mark.slow
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("mapping", MAPPINGS, ids=NAMES)
def test_a_million_hands(frame: str, mapping: dict) -> None:
    for profile in (solved("fcpa"), sparse(pair_of("fcpa"), 9)):
        for strategy in profile:
            compare(strategy, Translation.in_frame(frame, **mapping), 1_000_000, 13)


def test_two_translators_with_different_games() -> None:
    settings = Translation.in_frame("real", mapping="rand-pshar")
    seats = [
        Translator(pair=pair_of("fcpa"), strategy=solved("fcpa").first, settings=settings),
        Translator(pair=pair_of("fchpa"), strategy=solved("fchpa").second, settings=settings),
    ]
    found = play_hands(*seats, 200_000, seed=3)
    assert abs(found.mean - expected_value(lifted(seats))) < 4 * found.standard_error
    assert found.of_player(2) == -found.mean
    assert sum(found.folds) + found.showdowns == found.hands == 200_000


def test_what_forgets_its_own_actions_depends_on_the_way() -> None:
    """A single history, once drawn, remembers who suggested the action; a set does not.

    Without `remember` a set keeps the weights that it had before the action, so that only
    the weighted way is what `lift` computes. With a deterministic mapping both are.
    """
    settings = Translation.in_frame("real", mapping="rand-pshar", remember=False)
    found = {}
    for way in ("sampled", "weighted"):
        seats = opponents(sparse(pair_of("fcpa"), 5).first, settings, way, 4)
        found[way] = surprise(record_hands(*seats, 100_000, seed=2), lifted(seats))
    assert found["weighted"][0] > 1e-4
    assert found["weighted"][1] < 5.0
    assert found["sampled"][0] < 1e-12
    hard = Translation.in_frame("real", mapping="det-geo", remember=False)
    compare(sparse(pair_of("fcpa"), 5).first, hard, 100_000, 4)


# The rest ----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["sampled", "weighted"])
def test_hands_do_not_depend_on_how_they_are_split(way: str) -> None:
    settings = Translation.in_frame("abstract", mapping="rand-geo-1")
    seats = opponents(sparse(pair_of("fcpa"), 6).second, settings, way, 4)
    whole = record_hands(*seats, 3000, seed=9)
    parts = [record_hands(*seats, n, seed=9, start=s) for s, n in ((0, 1), (1, 1700), (1701, 1299))]
    for key in ("leaf", "one", "two", "payoff"):
        joined = np.concatenate([getattr(part, key) for part in parts])
        np.testing.assert_array_equal(getattr(whole, key), joined)
    assert (record_hands(*seats, 3000, seed=10).leaf != whole.leaf).any()
    one = play_hands(*seats, 70_000, seed=9)
    two = play_hands(*seats, 20_000, seed=9) + play_hands(*seats, 50_000, seed=9, start=20_000)
    assert one.mean == pytest.approx(two.mean, abs=1e-12)
    assert one.standard_error == pytest.approx(two.standard_error, rel=1e-12)
    assert one.folds == two.folds
    assert play_hands(*seats, 1000, seed=9) == play_hands(*seats, 1000, seed=9)


def test_one_seed_deals_the_same_cards_to_anyone() -> None:
    settings = Translation()
    a = record_hands(*opponents(sparse(pair_of("fcpa"), 1).first, settings, "sampled", 1), 500, 3)
    b = record_hands(*opponents(sparse(pair_of("fcpa"), 2).second, settings, "weighted", 2), 500, 3)
    up = real().deal.rounds[1].up
    for hands in (a, b):
        early = real().tree.round[hands.leaf] > 0
        hands.one[early], hands.two[early] = up[0][hands.one[early]], up[1][hands.two[early]]
    np.testing.assert_array_equal(a.one, b.one)
    np.testing.assert_array_equal(a.two, b.two)


def test_what_cannot_be_played_is_refused() -> None:
    first, second = sparse(pair_of("fcpa"), 1)
    with pytest.raises(SettingsError, match="unknown way 'sample'"):
        Translator(pair=pair_of("fcpa"), strategy=first, way="sample")
    with pytest.raises(SettingsError, match="avoid goes with way 'weighted'"):
        Translator(pair=pair_of("fcpa"), strategy=first, settings=Translation(avoid=1e-6))
    with pytest.raises(StrategyError, match="does not belong to no-limit-leduc, player 1"):
        Translator(pair=pair_of("fchpa"), strategy=first)
    one = Translator(pair=pair_of("fcpa"), strategy=first)
    two = Translator(pair=pair_of("fcpa"), strategy=second)
    with pytest.raises(StrategyError, match="player 1 was given a strategy of the other"):
        play_hands(two, one, 10, 1)
    with pytest.raises(SettingsError, match="hands is 0"):
        play_hands(one, two, 0, 1)
    small = Translator(pair=pair_of("fcpa", 7), strategy=sparse(pair_of("fcpa", 7), 1).second)
    with pytest.raises(GameError, match="another game"):
        play_hands(one, small, 10, 1)
    outcome = play_hands(one, two, 1, 1)
    assert math.isnan(outcome.standard_error)
    with pytest.raises(SettingsError, match="player is 3"):
        outcome.of_player(3)
