"""Stage abstraction: truncated games, models of the rest, re-solving behind a locked trunk."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.cards import grouped
from saddlepoint.abstraction.resolving import glued, resolved, trunk_blocks
from saddlepoint.abstraction.rollout_model import (
    Modelled,
    RollOut,
    betting_of_round,
    hand_values,
    modelled,
)
from saddlepoint.abstraction.stages import lifted, stage_abstracted
from saddlepoint.abstraction.truncated import truncated
from saddlepoint.core.errors import GameError, SettingsError, StoreError, StrategyError
from saddlepoint.games.catalogue import game as named
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import leduc, no_limit_leduc, rhode_island
from saddlepoint.measure.exact import (
    expected_value,
    exploitability,
    gap,
    guarantee,
    head_to_head,
)
from saddlepoint.sequence.solution import Status
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers import cfr
from saddlepoint.solvers.cfr import DiscountedCFR, Locked
from saddlepoint.solvers.methods import solve

Vector = NDArray[np.float64]
LEDUC_VALUE = -0.0856064
RANKS = "JQK"


def tiny() -> FactoredGame:
    return rhode_island(ranks="2345", suits=2)


# By hand: limit Leduc Hold'em, card by card and move by move --------------------------


def deals() -> Iterator[tuple[str, str, str, float]]:
    """Both private cards, the board, and the probability, for every order of six cards."""
    for cards in itertools.permutations(RANKS * 2, 3):
        yield (*cards, 1 / 120)


def winner(one: str, two: str, board: str) -> int:
    strength = [(c == board, RANKS.index(c)) for c in (one, two)]
    return (strength[0] > strength[1]) - (strength[0] < strength[1])


def moves_of(history: str) -> list[str]:
    """The legal moves of a round in which at most two bets are made."""
    facing = history.endswith("r")
    return [*("f" * facing), "c", *("r" * (history.count("r") < 2))]


def over(history: str) -> bool:
    return history.endswith("c") and len(history) > 1


def paid(history: str, bet: int) -> list[int]:
    """What both put in during a round."""
    pot = [0, 0]
    for k, move in enumerate(history):
        if move == "c":
            pot[k % 2] = pot[1 - k % 2]
        elif move == "r":
            pot[k % 2] = pot[1 - k % 2] + bet
    return pot


def first_rounds(profile: Profile, one: str, two: str) -> Iterator[tuple[str, float]]:
    """Every way that the first round can end, and its probability with two cards."""
    waiting = [("", 1.0)]
    while waiting:
        history, p = waiting.pop()
        if over(history) or history.endswith("f"):
            yield history, p
            continue
        mover = len(history) % 2
        card = (one, two)[mover]
        chosen = profile.player(mover + 1)[f"{card}:{history}"]
        waiting += [(history + move, p * chosen[move]) for move in moves_of(history)]


def test_naive_payoffs_are_those_of_an_enumeration() -> None:
    small = truncated(leduc(), 1)
    form = small.sequence_form()
    profile = Profile.random(form, 7)
    total = 0.0
    for one, two, board, chance in deals():
        for history, p in first_rounds(profile, one, two):
            pot = [1 + c for c in paid(history, 2)]
            if history.endswith("f"):
                won = -pot[0] if len(history) % 2 else pot[1]
            else:
                won = winner(one, two, board) * pot[0]
            total += chance * p * won
    assert form.X.n_infosets == form.Y.n_infosets == 9
    assert expected_value(profile) == pytest.approx(total, abs=1e-14)
    assert abs(total) > 0.01


DECISIONS = ["", "c", "cr", "crr", "r", "rr"]
# Values in Leduc Hold'em are multiples of this: there are four cards to be held.
STEP = 0.25


def hand_value(card: str, board: str) -> float:
    rest = [c for c in RANKS for _ in range(2 - (c == card) - (c == board))]
    return sum(winner(card, other, board) for other in rest) / len(rest)


def random_model(game: FactoredGame, seed: int, step: float = STEP) -> Modelled:
    """Random strategies for all rounds after the first."""
    rng, buckets = np.random.default_rng(seed), Modelled(step=step).buckets
    tables = {
        (r, betting.shape): tuple(
            rng.dirichlet(np.ones(int(game.tree.children[ids[0]])), buckets)
            for ids in betting.nodes
        )
        for r in range(1, game.betting.rounds)
        for betting in betting_of_round(game.tree, r)
    }
    return Modelled(tables=tables, step=step)


def played_out(game: FactoredGame, trunk: Profile, model: Modelled, keep: int) -> Profile:
    """The trunk, and then the modelled strategies, written into the whole game."""
    plans = [strategy.probabilities.copy() for strategy in trunk]
    for r in range(keep, game.betting.rounds):
        for betting in betting_of_round(game.tree, r):
            for decision, ids in enumerate(betting.nodes):
                player = int(game.tree.mover[ids[0]])
                bucket = model.bucket(game.deal, r, player)
                actions = int(game.tree.children[ids[0]])
                row = model.probabilities((r, betting.shape), decision, bucket, actions)
                place = game.factored.places[player - 1]
                for n, a in itertools.product(ids, range(actions)):
                    below = game.tree.child[n] + a
                    at = place.row[below] + place.stride[below] * np.arange(len(bucket))
                    plans[player - 1][at] = row[:, a]
    return Profile.of(game, *plans)


def test_modelled_payoffs_are_those_of_strategies_looked_up_by_name() -> None:
    """Nothing here but the table itself comes from the package: values of hands are counted."""
    game = leduc()
    model = random_model(game, 3)
    (tables,) = model.tables.values()
    assert len(tables) == len(DECISIONS)
    small = truncated(game, 1, model)
    profile = Profile.random(small, 5)

    def behaviour(infoset: str, actions: list[str]) -> Any:
        cards, history = infoset.split(":")
        if "/" not in history:
            return profile.player(len(history) % 2 + 1)[infoset]
        later = history.split("/")[1]
        bucket = round(hand_value(*cards.split("|")) / STEP) + 4
        return dict(zip(actions, tables[DECISIONS.index(later)][bucket], strict=True))

    whole = Profile.of_function(game, behaviour)
    assert expected_value(profile) == pytest.approx(expected_value(whole), abs=1e-12)
    naive = Profile.of(truncated(game, 1), *(s.probabilities for s in profile))
    assert abs(expected_value(naive) - expected_value(whole)) > 0.01


GAMES = {
    "leduc": (leduc(), 1),
    "leduc by groups": (grouped(leduc(), "JQ.K", "J.QK").game, 1),
    "two rounds of three": (tiny(), 2),
    "one round of three": (tiny(), 1),
    "cards": (rhode_island(ranks="234", suits=3, realisation="cards"), 2),
    "stacks": (no_limit_leduc(stack=6), 1),
    "menu": (no_limit_leduc(stack=20, menu="fcpa"), 1),
}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("uniform", [False, True])
def test_a_trunk_is_worth_what_it_is_with_the_modelled_strategies(name: str, uniform: bool) -> None:
    game, keep = GAMES[name]
    model = Modelled() if uniform else random_model(game, 1, 0.3)
    small = truncated(game, keep, model)
    for seed in (1, 2):
        profile = Profile.random(small, seed)
        whole = played_out(game, lifted(small, profile), model, keep)
        found, expected = expected_value(profile), expected_value(whole)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_betting_ahead_is_grouped() -> None:
    """One pair of terms in a limit game; as many as there are stacks behind in no-limit."""
    one = truncated(leduc(), 1, Modelled()).sequence_form()
    assert len(one.A.terms) == 3
    many = truncated(no_limit_leduc(stack=6), 1, Modelled()).sequence_form()
    pots = no_limit_leduc(stack=6).tree
    heads = (pots.mover > 0) & (pots.round == 1) & (pots.round[pots.parent] == 0)
    different = len(np.unique(pots.contribution[heads]))
    # Folds and early showdowns, and two terms for each pot with something behind.
    assert len(many.A.terms) == 2 + 2 * different


# Where probabilities come from --------------------------------------------------------


def test_frequencies_are_counted_as_in_play() -> None:
    game = leduc()
    profile = Profile.random(game, 11)
    counts = [np.zeros((9, len(moves_of(d)))) for d in DECISIONS]
    for one, two, board, chance in deals():
        for history, p in first_rounds(profile, one, two):
            waiting = [] if history.endswith("f") else [("", chance * p)]
            while waiting:
                later, q = waiting.pop()
                mover = len(later) % 2
                card = (one, two)[mover]
                chosen = profile.player(mover + 1)[f"{card}|{board}:{history}/{later}"]
                bucket = round(hand_value(card, board) / STEP) + 4
                for a, move in enumerate(moves_of(later)):
                    counts[DECISIONS.index(later)][bucket, a] += q * chosen[move]
                    after = later + move
                    if move != "f" and not over(after):
                        waiting.append((after, q * chosen[move]))
    (found,) = modelled(game, profile, step=STEP, smooth=False).tables.values()
    for table, count in zip(found, counts, strict=True):
        known = count.sum(axis=1) > 0
        share = count[known] / count[known].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(table[known], share, atol=1e-12)


def test_smoothing_averages_neighbours() -> None:
    game = tiny()
    profile, averaged = Profile.random(game, 6), 0
    raw = modelled(game, profile, step=0.1, smooth=False)
    soft = modelled(game, profile, step=0.1)
    for betting in betting_of_round(game.tree, 2):
        place = (2, betting.shape)
        known = np.unique(raw.bucket(game.deal, 2, 1))  # a random profile gets everywhere
        for table, smooth in zip(raw.tables[place], soft.tables[place], strict=True):
            for k in range(raw.buckets):
                near = known[np.abs(known - k) <= 1]
                averaged += len(near) > 1
                if len(near):
                    np.testing.assert_allclose(smooth[k], table[near].mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(smooth.sum(axis=1), 1.0, atol=1e-12)
    assert averaged > 20


def test_strategies_by_hand_value_are_found_again() -> None:
    game = tiny()
    model = random_model(game, 4, 0.25)
    whole = played_out(game, Profile.random(game, 2), model, 1)
    found = modelled(game, whole, step=0.25, smooth=False)
    for place, tables in model.tables.items():
        r = place[0]
        for ids, one, two in zip(
            next(b for b in betting_of_round(game.tree, r) if b.shape == place[1]).nodes,
            tables,
            found.tables[place],
            strict=True,
        ):
            there = np.unique(model.bucket(game.deal, r, int(game.tree.mover[ids[0]])))
            np.testing.assert_allclose(two[there], one[there], atol=1e-9)


def test_decisions_without_play_are_uniform_and_buckets_take_their_nearest() -> None:
    game = leduc()
    timid = Profile.of_function(game, lambda i, moves: {"f" if "f" in moves else "c": 1})
    (tables,) = modelled(game, timid, step=STEP).tables.values()
    np.testing.assert_array_equal(tables[0], np.tile([1.0, 0.0], (9, 1)))
    np.testing.assert_array_equal(tables[2], np.full((9, 3), 1 / 3))


def test_draws_count_as_the_source_prints_them() -> None:
    deal = leduc().deal
    names = list(deal.rounds[1].names[0])
    for player in (1, 2):
        plain = dict(zip(names, hand_values(deal, 1, player), strict=True))
        half = dict(zip(names, hand_values(deal, 1, player, 0.5), strict=True))
        for name in names:
            card, board = name.split("|")
            rest = [c for c in RANKS for _ in range(2 - (c == card) - (c == board))]
            drawn = sum(winner(card, other, board) == 0 for other in rest)
            assert plain[name] == pytest.approx(hand_value(card, board))
            assert half[name] == pytest.approx(plain[name] + drawn / len(rest) / 2)
    before = hand_values(deal, 0, 1)
    np.testing.assert_allclose(hand_values(deal, 0, 1, 0.5), before)


# Re-solving ---------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "keep"), [(leduc(), 1), (tiny(), 2), (tiny(), 1)])
def test_an_equilibrium_trunk_gives_back_the_value(game: FactoredGame, keep: int) -> None:
    goal = 1e-3 * game.betting.ante
    solution = solve(game, "hs-dcfr", gap=goal)
    found = resolved(game, solution.profile, keep, gap=goal)
    assert found.status is Status.CONVERGED
    assert found.iterations > 10
    assert found.gap <= goal
    assert found.lower <= found.value <= found.upper
    # What one could gain in the locked game is no more than in the whole, and uniform = 1e-6.
    assert found.value == pytest.approx(solution.value, abs=3 * goal)
    assert found.settings["gamma"] == 3.5


def test_re_solving_mends_the_rest() -> None:
    game = leduc()
    best = solve(game, "lp")
    spoilt = glued(game, best.profile, Profile.uniform(game), 1)
    found = resolved(game, spoilt, 1, gap=1e-5)
    assert found.value == pytest.approx(LEDUC_VALUE, abs=1e-4)
    assert exploitability(found.profile) < exploitability(spoilt) / 10


def end_of(plex: Treeplex, blocks: int) -> int:
    return int(plex.blocks.start[blocks])


@pytest.fixture(scope="module")
def with_parts() -> FactoredGame:
    return rhode_island(ranks="2345A", suits=2, realisation="cards")


def begun(
    game: FactoredGame, locked: Locked | None, by_parts: bool, settings: DiscountedCFR
) -> cfr.RegretRun:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cfr, "BY_PARTS_FROM", 0 if by_parts else 1 << 62)
        work = settings.start(game.sequence_form(), locked)
    assert (work.by_parts is not None) == by_parts
    return work


def lock(game: FactoredGame, rounds: int) -> Locked:
    form = game.sequence_form()
    return Locked(trunk_blocks(game, rounds), (form.X.random(1), form.Y.random(2)))


@pytest.mark.parametrize("by_parts", [True, False])
@pytest.mark.parametrize("precision", cfr.PRECISIONS)
@pytest.mark.parametrize("rounds", [1, 2])
def test_locked_blocks_stay_to_the_last_bit(
    with_parts: FactoredGame, by_parts: bool, precision: str, rounds: int
) -> None:
    locked, form = lock(with_parts, rounds), with_parts.sequence_form()
    work = begun(with_parts, locked, by_parts, DiscountedCFR(precision=precision))
    before = [player.x.copy() for player in work.players]
    work.advance(5, 60.0)
    kind = np.float32 if precision == "single" else np.float64
    for plex, blocks, s, x, player in zip(
        (form.X, form.Y), locked.blocks, locked.strategies, before, work.players, strict=True
    ):
        end = end_of(plex, blocks)
        np.testing.assert_array_equal(player.s[:end], s[:end].astype(kind))
        np.testing.assert_array_equal(player.x[:end], x[:end])
        np.testing.assert_array_equal(player.mean[:end], x[:end])
        assert not player.R[:end].any()
        assert player.R[end:].any()
        assert (player.s[end:] != plex.uniform()[end:].astype(kind)).any()


@pytest.mark.parametrize("rounds", [1, 2])
def test_parts_do_what_whole_sweeps_do(with_parts: FactoredGame, rounds: int) -> None:
    locked = lock(with_parts, rounds)
    one, two = (begun(with_parts, locked, parts, DiscountedCFR()) for parts in (True, False))
    for work in (one, two):
        work.advance(2, 60.0)
    for mine, other in zip(one.players, two.players, strict=True):
        np.testing.assert_allclose(mine.R, other.R, atol=1e-7)
        np.testing.assert_allclose(mine.mean, other.mean, atol=1e-12)


def test_parts_lead_to_the_same_value(
    with_parts: FactoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    trunk, found = Profile.random(with_parts, 3), []
    for most in (0, 1 << 62):
        monkeypatch.setattr(cfr, "BY_PARTS_FROM", most)
        found.append(resolved(with_parts, trunk, 2, gap=2.0, threads=2))
    one, two = found
    assert max(one.gap, two.gap) <= 2.0
    assert one.value == pytest.approx(two.value, abs=4.0)
    for a, b, trunk_of in zip(one.profile, two.profile, trunk, strict=True):
        end = end_of(a.treeplex, trunk_blocks(with_parts, 2)[a.player - 1])
        np.testing.assert_array_equal(a.probabilities[:end], trunk_of.probabilities[:end])
        np.testing.assert_array_equal(b.probabilities[:end], trunk_of.probabilities[:end])


def test_a_resumed_locked_run_is_the_same(with_parts: FactoredGame) -> None:
    locked = lock(with_parts, 2)
    for parts in (True, False):
        whole, half, later = (begun(with_parts, locked, parts, DiscountedCFR()) for _ in range(3))
        whole.advance(8, 60.0)
        half.advance(3, 60.0)
        later.restore(3, {key: np.array(value) for key, value in half.state().items()})
        later.advance(5, 60.0)
        for one, two in zip(whole.plans(), later.plans(), strict=True):
            np.testing.assert_array_equal(one, two)


def test_nothing_locked_is_no_lock(with_parts: FactoredGame) -> None:
    form = with_parts.sequence_form()
    none = Locked((0, 0), (form.X.random(1), form.Y.random(2)))
    one, two = (begun(with_parts, locked, False, DiscountedCFR()) for locked in (none, None))
    for work in (one, two):
        work.advance(3, 60.0)
    np.testing.assert_array_equal(one.players[0].mean, two.players[0].mean)


def locked_value(plex: Treeplex, s: Vector, g: Vector, end: int) -> float:
    """The best that can be done against a gradient where the first sequences are as s says."""
    flat, v = plex.flat, g.copy()
    for i in reversed(range(plex.n_infosets)):
        at = plex.sequences(i)
        best = v[at].max() if flat.start[i] >= end else s[at] @ v[at]
        v[flat.parent[i]] += best
    return float(v[0])


def test_the_gap_is_that_of_the_locked_game() -> None:
    game = leduc()
    form, trunk = game.sequence_form(), Profile.random(game, 1)
    found = resolved(game, trunk, 1, iterations=3, uniform=0.0)
    assert found.status is Status.ITERATIONS
    assert found.iterations == 3
    x, y = found.profile.first, found.profile.second
    ends = [end_of(p, n) for p, n in zip((form.X, form.Y), trunk_blocks(game, 1), strict=True)]
    upper = locked_value(form.X, x.probabilities, form.A @ y.plan, ends[0])
    lower = -locked_value(form.Y, y.probabilities, -(form.A.T @ x.plan), ends[1])
    assert found.upper == pytest.approx(upper, abs=1e-12)
    assert found.lower == pytest.approx(lower, abs=1e-12)
    assert found.upper - found.lower > 0.01
    assert found.value == pytest.approx(expected_value(found.profile), abs=1e-12)
    assert gap(found.profile) > found.gap


@pytest.mark.parametrize("player", [1, 2])
def test_one_player_alone_can_be_locked(player: int) -> None:
    """What is found is the best continuation: it guarantees the bound against everybody."""
    game = leduc()
    trunk = Profile.random(game, 4)
    found = resolved(game, trunk, 1, gap=1e-4, uniform=0.0, players=(player,))
    form, strategy = game.sequence_form(), found.profile.player(player)
    bound = found.lower if player == 1 else found.upper
    assert guarantee(form, strategy) == pytest.approx(bound, abs=1e-12)
    end = end_of(strategy.treeplex, trunk_blocks(game, 1)[player - 1])
    given = trunk.player(player).probabilities
    np.testing.assert_array_equal(strategy.probabilities[:end], given[:end])
    both = resolved(game, trunk, 1, gap=1e-4)
    assert (bound - guarantee(form, both.profile.player(player))) * (3 - 2 * player) >= -1e-4
    assert (LEDUC_VALUE - bound) * (3 - 2 * player) > 0.01


def test_histories_without_beliefs() -> None:
    """Uniform where there are none; with a little weight on a uniform trunk, better than that."""
    game = leduc()
    calls = Profile.of_function(game, lambda infoset, moves: {"c": 1.0})
    blind = resolved(game, calls, 1, gap=1e-4, uniform=0.0)
    assert blind.profile.first["K|K:rc/"] == {"c": 0.5, "r": 0.5}
    aware = resolved(game, calls, 1, gap=1e-4)
    assert aware.profile.second["K|K:rc/r"]["f"] < 0.01
    assert aware.value == pytest.approx(blind.value, abs=1e-3)
    assert exploitability(aware.profile) < exploitability(blind.profile)


# All of it ----------------------------------------------------------------------------


def test_modelled_payoffs_lose_less_than_naive_ones() -> None:
    """Leduc Hold'em, in chips: first-phase strategies from regret matching, all values exact."""
    game = leduc()
    model = modelled(game, solve(game, "hs-dcfr", gap=1e-5).profile)
    naive, better = (
        stage_abstracted(game, 1, model=m, gap=1e-4, method="hs-dcfr") for m in (RollOut(), model)
    )
    assert naive.first.value == pytest.approx(-0.0702, abs=2e-4)
    assert better.first.value == pytest.approx(-0.1354, abs=2e-4)
    assert exploitability(naive.profile) == pytest.approx(1.142, abs=0.02)
    assert exploitability(better.profile) == pytest.approx(1.004, abs=0.02)
    won = head_to_head([better.profile, naive.profile])[0, 1]
    assert won == pytest.approx(0.041, abs=0.01)
    losses = []
    for found in (naive, better):
        trunk = lifted(found.small, found.first.profile)
        bounds = [
            resolved(game, trunk, 1, gap=1e-4, uniform=0.0, players=(player,)) for player in (1, 2)
        ]
        losses.append((bounds[1].upper - bounds[0].lower) / 2)
    assert losses == pytest.approx([0.268, 0.195], abs=0.005)


def test_stages_say_what_they_do() -> None:
    said: list[str] = []
    told: list[Any] = []
    found = stage_abstracted(
        tiny(), 2, play=1, model=Modelled(), gap=20.0, rest_gap=5.0,
        method="dcfr", say=said.append, progress=told.append,
    )  # fmt: skip
    assert said == ["the first 2 of 3 rounds", "the rest, after 1 rounds"]
    assert told[-1].gap <= 5.0
    summary = found.summary()
    assert (summary["rounds"], summary["played"], summary["model"]) == (2, 1, "modelled")
    assert found.first.gap <= 20.0
    assert summary["second"]["gap"] == found.second.gap <= 5.0
    trunk = lifted(found.small, found.first.profile)
    for strategy, given in zip(found.profile, trunk, strict=True):
        ends = [
            end_of(strategy.treeplex, trunk_blocks(tiny(), r)[strategy.player - 1]) for r in (1, 2)
        ]
        mine, theirs = strategy.probabilities, given.probabilities
        np.testing.assert_array_equal(mine[: ends[0]], theirs[: ends[0]])
        assert (mine[ends[0] : ends[1]] != theirs[ends[0] : ends[1]]).any()


def test_an_abstract_first_phase_is_lifted_to_real_hands() -> None:
    game = leduc()
    pair = grouped(game, "JQ.K")
    found = stage_abstracted(game, 1, pair=pair, gap=1e-3)
    assert found.small.game.name == pair.game.name
    s = found.profile.first
    assert s["J:"] == s["Q:"] == found.first.profile.first["JQ:"]
    assert s["J|Q:cc/"] != s["Q|Q:cc/"]
    assert found.second.gap <= 1e-3
    same = stage_abstracted(game, 1, pair=AbstractGame.of(game, leduc()), gap=1e-3)
    plain = stage_abstracted(game, 1, gap=1e-3)
    for one, two in zip(same.profile, plain.profile, strict=True):
        np.testing.assert_array_equal(one.probabilities, two.probabilities)


def test_budgets() -> None:
    game, trunk = tiny(), Profile.uniform(tiny())
    brief = resolved(game, trunk, 2, seconds=1e-9)
    assert brief.status is Status.SECONDS
    assert brief.iterations >= 1
    assert len(brief.trace) == 1
    default = resolved(leduc(), Profile.uniform(leduc()), 1)
    assert default.gap <= 1e-4 * default.trace.gap[0]


def test_re_solving_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    game, file = leduc(), tmp_path / "rest.saddle"
    trunk = Profile.random(game, 1)
    whole = resolved(game, trunk, 1, iterations=40)
    asked = [0]

    def stop() -> bool:
        asked[0] += 1
        return asked[0] > 3

    part = resolved(game, trunk, 1, iterations=40, stop=stop, checkpoint=file)
    assert part.status is Status.INTERRUPTED
    assert 0 < part.iterations < 40
    rest = resolved(game, trunk, 1, iterations=40, checkpoint=file)
    for one, two in zip(rest.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(one.probabilities, two.probabilities)
    assert rest.trace.gap.tolist() == whole.trace.gap.tolist()
    with pytest.raises(StoreError, match="behind another trunk of leduc"):
        resolved(game, Profile.random(game, 2), 1, iterations=50, checkpoint=file)
    both = stage_abstracted(game, 1, gap=1e-2, folder=tmp_path)
    assert {f.name for f in tmp_path.glob("*.checkpoint.saddle")} == {
        "first.checkpoint.saddle",
        "rest.checkpoint.saddle",
    }
    again = stage_abstracted(game, 1, gap=1e-2, folder=tmp_path)
    assert again.second.iterations == both.second.iterations


@pytest.mark.parametrize("rounds", [0, 2, -1, 1.5, True])
def test_rounds_out_of_range(rounds: Any) -> None:
    with pytest.raises(SettingsError, match=r"rounds is .*, expected a whole number"):
        truncated(leduc(), rounds)
    with pytest.raises(SettingsError, match=r"rounds is .*, expected a whole number"):
        resolved(leduc(), Profile.uniform(leduc()), rounds)
    with pytest.raises(SettingsError, match=r"rounds is .*, expected a whole number"):
        stage_abstracted(leduc(), rounds)


def test_what_does_not_fit_is_refused() -> None:
    game, uniform = leduc(), Profile.uniform(leduc())
    kuhn = named("kuhn")
    with pytest.raises(GameError, match="kuhn has one round of betting"):
        truncated(kuhn, 1)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="model is 'naive', expected RollOut"):
        truncated(game, 1, "naive")  # type: ignore[arg-type]
    for step in (0.0, 1.5, "x"):
        with pytest.raises(SettingsError, match="step is"):
            Modelled(step=step)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"draws is 2, expected 0 to 1"):
        Modelled(draws=2)
    with pytest.raises(StrategyError, match="belongs to rhode-island"):
        modelled(game, Profile.uniform(tiny()))
    with pytest.raises(StrategyError, match="belongs to rhode-island"):
        resolved(game, Profile.uniform(tiny()), 1)
    with pytest.raises(StrategyError, match="belongs to leduc, not to"):
        lifted(truncated(game, 1), uniform)
    with pytest.raises(StrategyError, match="belongs to rhode-island"):
        glued(game, uniform, Profile.uniform(tiny()), 1)
    for value in (-0.1, 1.0):
        with pytest.raises(SettingsError, match="uniform is"):
            resolved(game, uniform, 1, uniform=value)
    with pytest.raises(SettingsError, match="method is lp, expected one of regret matching"):
        resolved(game, uniform, 1, method="lp")
    with pytest.raises(SettingsError, match="players is"):
        resolved(game, uniform, 1, players=(3,))
    with pytest.raises(SettingsError, match="play is 2, expected a whole number"):
        stage_abstracted(game, 1, play=2)
    with pytest.raises(GameError, match="the pair stands for leduc, not for rhode-island"):
        stage_abstracted(tiny(), 1, pair=grouped(game, "JQ.K"))
    menu = AbstractGame.of(no_limit_leduc(stack=7), no_limit_leduc(stack=7, menu="fcpa"))
    with pytest.raises(GameError, match="is bet otherwise than no-limit-leduc"):
        stage_abstracted(menu.real, 1, pair=menu)
    other = truncated(grouped(game, "J.QK").game, 1)
    with pytest.raises(GameError, match="the first rounds are those of"):
        lifted(other, Profile.uniform(other), grouped(game, "full"))


def test_a_lock_of_another_size_is_refused() -> None:
    form = leduc().sequence_form()
    with pytest.raises(StrategyError, match=r"400 locked blocks .* player 2, who has"):
        DiscountedCFR().start(form, Locked((0, 400), (form.X.uniform(), form.Y.uniform())))
    with pytest.raises(StrategyError, match="strategy of 3 numbers for player 1"):
        DiscountedCFR().start(form, Locked((1, 1), (np.ones(3), form.Y.uniform())))


def test_strategies_keep_their_players() -> None:
    found = lifted(truncated(leduc(), 1), Profile.uniform(truncated(leduc(), 1)))
    assert [s.player for s in found] == [1, 2]
    assert isinstance(found.first, Strategy)
