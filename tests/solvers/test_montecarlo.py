"""Sampled walks: expectations over all samples are exact; runs converge, resume and forget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.forgetting import ForgetfulGame, forgetful
from saddlepoint.core.errors import GameError, SettingsError, StoreError
from saddlepoint.games import stepping
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import kuhn, leduc, rhode_island
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence.form import CHANCE, LEAF, SequenceForm, Tree, matrix_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.stepping import SteppedForm, stepped_form, steps_of_tree
from saddlepoint.solvers import montecarlo, public, walking
from saddlepoint.solvers.montecarlo import SAMPLINGS, MonteCarlo
from saddlepoint.solvers.public_parts import table_of
from saddlepoint.solvers.run import run
from saddlepoint.solvers.tied import TiedRegretMatching, scatter
from saddlepoint.solvers.ties import TiedForm
from saddlepoint.solvers.walking import Memory

GIVEN_KEY = np.uint64(0)


def stepped(game: FactoredGame) -> SteppedForm:
    return stepping.stepped(game.factored, game.scale)


def hidden_move() -> Tree:
    """A move that player 2 does not see, a toss that only he sees, and a second move of his."""
    rows: list[tuple[int, int, int, int, float, float]] = [(-1, 0, 1, 0, 1.0, 0.0)]
    for move in range(3):
        toss = len(rows)
        rows.append((0, move, CHANCE, -1, 1.0, 0.0))
        for side, p in enumerate((0.3, 0.7)):
            rows.append((toss, side, 2, side, p, 0.0))
            first = len(rows) - 1
            for a in range(2):
                rows.append((first, a, 2, 2 + 2 * side + a, 1.0, 0.0))
                second = len(rows) - 1
                for b in range(2):
                    worth = float((move + 2 * side + 3 * a + 5 * b) % 7 - 3)
                    rows.append((second, b, LEAF, -1, 1.0, worth))
    parent, move_, mover, infoset, p_, payoff = (np.array(x) for x in zip(*rows, strict=True))
    names = ["start"], [f"I{i}" for i in range(6)]
    actions = [["l", "m", "r"]], [["a", "b"]] * 6
    return Tree(parent, move_, mover, infoset, p_, payoff, names, actions)


@cache
def example(name: str) -> Any:
    if name == "kuhn":
        return stepped(kuhn())
    if name == "leduc":
        return stepped(leduc(raises=0))
    if name == "tree":
        return stepped_form(hidden_move())
    if name == "unfolded":
        return stepped_form(unfold(kuhn()))
    buckets = Buckets((np.arange(3), np.array([0, 0, 1] * 3)), "pairs")
    return tied_example(forgetful(leduc(raises=0), buckets))


def tied_example(game: ForgetfulGame) -> TiedForm:
    return replace(game.tied_form(), form=stepped(game.refinement.game))


def at_first(form: SequenceForm) -> float:
    """The gap of uniform strategies, where all runs begin."""
    x, y = (plex.plan(plex.uniform()) for plex in (form.X, form.Y))
    return gap(form.X, form.Y, form.A, x, y).gap


def begin(name: str, sampling: str, **settings: Any) -> Any:
    form, method = example(name), MonteCarlo(sampling=sampling, **settings)
    return method.start_tied(form) if isinstance(form, TiedForm) else method.start(form)


def randomise(work: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for R in work.memory[:2]:
        R[:] = rng.normal(0.3, 1.0, R.shape)


def fresh(memory: Memory) -> Memory:
    return Memory(memory.R1.copy(), memory.R2.copy(), *(np.zeros_like(t) for t in memory[2:]))


def current(work: Any, player: int) -> Any:
    """What regrets say, by (tied) sequence; `behaviour` is uniform where all are zero."""
    return work.plexes[player - 1].behaviour(np.maximum(work.memory[player - 1], 0.0))


def untied(work: Any, player: int, s: Any) -> Any:
    return work.tied.expand(player, s) if hasattr(work, "tied") else s


def exact(work: Any, player: int) -> Any:
    """Counterfactual regrets of all (tied) sequences, by the payoff operator."""
    X, Y, A = work.form
    s = [untied(work, p, current(work, p)) for p in (1, 2)]
    g = A @ Y.plan(s[1]) if player == 1 else -(A.T @ X.plan(s[0]))
    plex = (X, Y)[player - 1]
    v = plex.action_values(s[player - 1], g)
    u = np.bincount(plex.flat.infoset[1:], (s[player - 1] * v)[1:], plex.n_infosets)
    r = np.concatenate([[0.0], v[1:] - u[plex.flat.infoset[1:]]])
    if not hasattr(work, "tied"):
        return r
    w = np.zeros(work.plexes[player - 1].n_sequences)
    scatter(work.tied.actions[player - 1], r, w)
    return w


def draws(first: Any, upto: Any, depth: int) -> Iterator[tuple[float, list[float]]]:
    """All chains of draws in a tree of pairs or parts: probability, and a number for each."""
    chains: list[tuple[float, int, list[float]]] = [(1.0, 0, [])]
    for _ in range(depth):
        chains = [
            (p * (upto[k] - low), k, [*numbers, (upto[k] + low) / 2])
            for p, at, numbers in chains
            for k in range(first[at], first[at + 1])
            for low in [0.0 if k == first[at] else upto[k - 1]]
        ]
    yield from ((p, numbers) for p, _, numbers in chains)


def samples(work: Any, seat: int) -> Iterator[tuple[float, Memory]]:
    """All walks from a state: their probabilities and what they make of regrets and totals."""
    steps, depth = work.steps, int(work.steps.depth.max())
    given = np.full(2 * max(len(steps.mover), depth) + 2, -1.0)
    if work.scheme is None:
        table = work.table
        for p, numbers in draws(table.first, table.upto, depth):
            given[: 2 * depth : 2] = numbers
            memory = fresh(work.memory)
            public.walk(steps, memory, work.room, table, seat, False, 1.0, GIVEN_KEY, 0, given)
            yield p, memory
        return
    for dealt, numbers in draws(steps.first, steps.upto, depth):
        given[: 2 * depth : 2] = numbers
        choice: dict[int, int] = {}
        while True:
            # What is not chosen yet takes the first action that has a probability.
            given[1::2] = 0.0
            for n, a in choice.items():
                given[2 * n + 1] = middle(work, seat, n)[1][a]
            memory = fresh(work.memory)
            game = steps, memory, work.space, seat, work.scheme
            count = walking.walk(*game, 1.0, GIVEN_KEY, 0, given)
            visited = [int(n) for n in work.space.order[:count] if steps.mover[n] != LEAF]
            sampled = [n for n in visited if work.space.taken[n] >= 0]
            choice = {n: int(work.space.taken[n] - steps.child[n]) for n in sampled}
            p = dealt
            for n in sampled:
                p *= middle(work, seat, n)[0][choice[n]]
            yield p, memory
            while sampled:
                n = sampled.pop()
                later = [a for a, q in enumerate(middle(work, seat, n)[0]) if q > 0]
                later = [a for a in later if a > choice[n]]
                if later:
                    choice[n] = later[0]
                    break
                del choice[n]
            if not sampled and not choice:
                break


def middle(work: Any, seat: int, n: int) -> tuple[Any, Any]:
    """Probabilities of what may be sampled at a node in the last walk, and a number for each."""
    steps, scheme = work.steps, work.scheme
    at = slice(int(steps.child[n]), int(steps.child[n] + steps.children[n]))
    if steps.mover[n] == CHANCE:
        p = np.diff(steps.likely[at], prepend=0.0)
    else:
        R, seen = work.memory[steps.mover[n] - 1], (steps.seen1, steps.seen2)[steps.mover[n] - 1]
        first = steps.row[n] + steps.stride[n] * seen[work.space.pair[n]]
        plus = np.maximum(R[first + np.arange(steps.children[n]) * steps.step[n]], 0.0)
        p = plus / plus.sum() if plus.sum() > 0 else np.full(len(plus), 1 / len(plus))
        if steps.mover[n] == seat:
            p = scheme.explore / len(p) + (1 - scheme.explore) * p
    return p, np.cumsum(p) - p / 2


def tied_totals(work: Any, seat: int) -> Any:
    """What a tie's average gains: own reach of its members, by the chance of their cards."""
    apart = MonteCarlo(sampling=work.settings.sampling, plus=False).start(work.tied.form)
    total = sum(p * memory[4 - seat] for p, memory in samples(apart, seat))
    plex, action = work.tied.plexes[2 - seat], work.tied.actions[2 - seat]
    shares = total / plex.plan(plex.uniform())
    reach = plex.plan(untied(work, 3 - seat, current(work, 3 - seat)))
    w = np.zeros(work.plexes[2 - seat].n_sequences)
    scatter(action, shares * reach, w)
    return w


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "tree", "unfolded", "forgetful"])
def test_expectations_over_all_samples_are_exact(name: str, sampling: str) -> None:
    if sampling == "public" and name in ("tree", "unfolded"):
        return
    shares = []
    for seed in (1, 2):
        work = begin(name, sampling, plus=False)
        randomise(work, seed)
        for seat in (1, 2):
            mass = 0.0
            mine, theirs = (np.zeros(plex.n_sequences) for plex in work.plexes[:: 3 - 2 * seat])
            for p, memory in samples(work, seat):
                mass += p
                mine = mine + p * (memory[seat - 1] - work.memory[seat - 1])
                theirs = theirs + p * memory[4 - seat]
                assert not memory[1 + seat].any()
                assert (memory[2 - seat] == work.memory[2 - seat]).all()
            assert mass == pytest.approx(1.0, abs=1e-12)
            wanted = exact(work, seat)
            assert np.abs(wanted).max() > 0.01
            np.testing.assert_allclose(mine, wanted, atol=1e-12)
            # Averages: the same share of reach whatever is played.
            if name == "forgetful":
                np.testing.assert_allclose(theirs, tied_totals(work, seat), atol=1e-12)
            else:
                x = work.plexes[2 - seat].plan(current(work, 3 - seat))
                assert not theirs[1:][x[1:] == 0].any()
                with np.errstate(invalid="ignore"):
                    shares.append((theirs / x)[1:])
    if shares:
        assert np.nanmax(np.abs(shares[0] - shares[2])) < 1e-12
        assert np.nanmax(np.abs(shares[1] - shares[3])) < 1e-12
        assert np.nanmin(shares[0]) > 0


ITERATIONS = {"external": 60_000, "outcome": 300_000, "chance": 60_000, "public": 4_000}
GAPS = {"kuhn": (0.03, 0.06), "leduc": (0.35, 0.9)}


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.085606424078)])
def test_runs_converge_to_the_value(name: str, value: float, sampling: str) -> None:
    form = stepped(kuhn() if name == "kuhn" else leduc())
    found = run(form, MonteCarlo(sampling=sampling, seed=3), iterations=ITERATIONS[sampling])
    most = GAPS[name][sampling == "outcome"]
    assert found.gap < most < at_first(form)
    assert found.lower <= value <= found.upper
    assert found.notes["nodes visited"] > 0
    again = run(form, MonteCarlo(sampling=sampling, seed=3), iterations=1000)
    other = run(form, MonteCarlo(sampling=sampling, seed=4), iterations=1000)
    same = run(form, MonteCarlo(sampling=sampling, seed=3), iterations=1000)
    assert again.gap == same.gap
    # With all hands in one public part nothing is left to chance.
    assert (again.gap == other.gap) == (name == "kuhn" and sampling == "public")


@pytest.mark.parametrize("settings", [{"averaging": "uniform"}, {"plus": False}])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_averaging_and_matching(sampling: str, settings: dict[str, Any]) -> None:
    work = begin("leduc", sampling, **settings)
    usual = begin("leduc", sampling)
    for one in (work, usual):
        one.advance(3000, 100.0)
    assert (work.memory.R1.min() < 0) == (not settings.get("plus", True))
    assert (work.plans()[0] != usual.plans()[0]).any()
    form = example("leduc")
    found = run(form, MonteCarlo(sampling=sampling, **settings), iterations=ITERATIONS[sampling])
    assert found.gap < (1.0 if sampling == "outcome" else 0.3) < at_first(form)


@pytest.mark.parametrize("name", ["kuhn", "tree", "forgetful"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path: Path, name: str, sampling: str) -> None:
    if sampling == "public" and name == "tree":
        return
    form, method = example(name), MonteCarlo(sampling=sampling, seed=5)
    whole = run(form, method, iterations=900)
    for goal in (1, 130, 131, 900):
        part = run(form, method, iterations=goal, checkpoint=tmp_path / "c.saddle")
    assert part.gap == whole.gap
    assert part.notes == whole.notes
    for a, b in zip(part.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_portions_make_no_difference() -> None:
    work, other = begin("leduc", "external"), begin("leduc", "external")
    work._iterate(500)
    for count in (1, 99, 400):
        other._iterate(count)
    np.testing.assert_array_equal(work.memory.R1, other.memory.R1)
    np.testing.assert_array_equal(work.memory.total2, other.memory.total2)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_players_who_forget(tmp_path: Path, sampling: str) -> None:
    tied = example("forgetful")
    assert isinstance(tied, TiedForm)
    found = run(tied, MonteCarlo(sampling=sampling, seed=2), iterations=ITERATIONS[sampling] // 4)
    # Nothing makes the gap go to 0, nor stay where it is.
    assert found.gap < 0.8 * at_first(tied.form)
    for player, strategy in enumerate(found.profile, 1):  # members play alike
        action, s = tied.actions[player - 1], strategy.probabilities
        first = np.full(action.max() + 1, -1.0)
        first[action[::-1]] = s[::-1]
        np.testing.assert_array_equal(s, first[action])
    path = tmp_path / "c.saddle"
    run(tied, MonteCarlo(), iterations=3, checkpoint=path)
    apart = TiedForm.of(tied.form)
    with pytest.raises(StoreError, match="other ties"):
        run(apart, MonteCarlo(), iterations=5, checkpoint=path)


def test_one_public_part_is_regret_matching_on_all_of_the_game() -> None:
    """No card is public here: what is sampled is nothing, and what is left is the method tied."""
    tied = example("forgetful")
    usual = TiedRegretMatching(alpha=np.inf, beta=np.inf, gamma=1.0)
    one = run(tied, MonteCarlo(sampling="public", plus=False), iterations=70)
    two = run(tied, usual, iterations=70)
    assert one.gap == pytest.approx(two.gap, rel=1e-9)
    for a, b in zip(one.profile, two.profile, strict=True):
        np.testing.assert_allclose(a.probabilities, b.probabilities, atol=1e-9)


def test_ties_that_nothing_forgets_change_nothing() -> None:
    form = example("leduc")
    apart = TiedForm.of(form)
    one, two = (run(g, MonteCarlo(seed=1), iterations=500) for g in (form, apart))
    assert one.gap == pytest.approx(two.gap, abs=1e-12)


def test_trees_and_factors_are_the_same_game() -> None:
    """An unfolded game is another list of nodes with the same chances and payoffs."""
    tree = unfold(leduc(raises=0))
    form = stepped_form(tree)
    steps = form.steps
    assert sorted(steps.payoff[steps.mover == LEAF]) == sorted(tree.payoff[tree.mover == LEAF])
    assert steps_of_tree(tree, form).row.tolist() == steps.row.tolist()
    found = run(form, MonteCarlo(seed=1), iterations=20_000)
    other = run(example("leduc"), MonteCarlo(seed=1), iterations=20_000)
    assert found.lower <= other.upper
    assert other.lower <= found.upper


def test_public_parts_are_boards() -> None:
    game = rhode_island(ranks="234", suits=2, raises=0)
    steps = stepped(game).steps
    table = table_of(steps)
    boards = [len(np.unique(r.public[0])) for r in game.deal.rounds[1:] if r.public]
    first = table.first
    assert [first[1] - first[0], first[2] - first[1]] == [1, boards[0]]
    assert len(table.first) - 1 == 2 + sum(boards)
    for c in range(len(table.pairs) - 1):
        share = table.share[table.pairs[c] : table.pairs[c + 1]]
        assert share.sum() == pytest.approx(1.0, abs=1e-12)


def test_what_cannot_be_sampled_says_so() -> None:
    with pytest.raises(GameError, match="sampling needs its rules"):
        run(matrix_form([[1, -1], [-1, 1]]), MonteCarlo(), iterations=1)
    with pytest.raises(GameError, match="public chance sampling needs a betting tree"):
        run(example("tree"), MonteCarlo(sampling="public"), iterations=1)
    for bad in ({"sampling": "all"}, {"averaging": "no"}, {"explore": 0.0}, {"seed": -1}):
        with pytest.raises(SettingsError, match=next(iter(bad))):
            MonteCarlo(**bad)
    with pytest.raises(SettingsError, match="plus"):
        MonteCarlo(plus=1)  # type: ignore[arg-type]


def test_ties_that_depend_on_the_place_are_refused() -> None:
    form = example("leduc")
    ties = np.arange(form.X.n_infosets)
    lanes = int(form.X.blocks.lanes[-1])
    ties[-1] = ties[-2]  # two hands at one place alone
    assert lanes > 2
    with pytest.raises(GameError, match="at different places"):
        run(TiedForm.of(form, np.unique(ties, return_inverse=True)[1]), MonteCarlo(), iterations=1)


def test_measurements_are_spaced_by_the_size_of_the_game() -> None:
    small = MonteCarlo().start(stepped(kuhn()))
    large = MonteCarlo().start(stepped(rhode_island(ranks="23456", suits=3)))
    assert small.spacing == montecarlo.SPACING < large.spacing
