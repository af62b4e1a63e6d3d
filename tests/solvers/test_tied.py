from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import form_of
from random_games import random_form
from saddlepoint import api
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.forgetting import ForgetfulGame, forgetful
from saddlepoint.abstraction.hands import hands_of, numbered
from saddlepoint.core import store
from saddlepoint.core.errors import GameError, RecallError, SettingsError, StoreError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import leduc, rhode_island
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence.form import CHANCE, LEAF, SequenceForm, Tree, matrix_form
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.solution import Status
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers import cfr
from saddlepoint.solvers.methods import DEFAULT_TIED_ITERATIONS, method_named, solve
from saddlepoint.solvers.run import run
from saddlepoint.solvers.tied import TiedRegretMatching, gather, scatter
from saddlepoint.solvers.ties import TiedForm

PLAIN = {"alpha": math.inf, "beta": math.inf, "gamma": 0.0}
DISCOUNTED = {"alpha": 1.5, "beta": -0.5, "gamma": 2.0}


def by_strength(game: FactoredGame, sizes: Sequence[int]) -> Buckets:
    """In every round so many buckets, by strength alone."""
    hands, groups = hands_of(game.deal), []
    for r, size in enumerate(sizes):
        rank = np.argsort(np.argsort(hands.strength(r), kind="stable"), kind="stable")
        groups.append(numbered(rank * size // hands.size(r)))
    return Buckets(tuple(groups), "strength")


@cache
def example(name: str) -> ForgetfulGame:
    """Small games in which players forget."""
    if name == "leduc":  # nothing but whether the card makes a pair
        return forgetful(leduc(), Buckets((np.arange(3), np.array([0, 0, 1] * 3)), "pairs"))
    if name == "one":  # player 2 remembers
        game = leduc(raises=0)
        all_hands = Buckets((np.arange(3), np.arange(9)), "all")
        return forgetful(game, by_strength(game, (3, 4)), all_hands)
    game = rhode_island(ranks="234", suits=2, raises=0)
    return forgetful(game, by_strength(game, (3, 4, 5)), by_strength(game, (2, 3, 7)))


class Twin:
    """Regret matching over ties from its definition, node by node with dictionaries."""

    def __init__(self, tree: Tree, tied: TiedForm, settings: TiedRegretMatching) -> None:
        self.tree, self.settings, self.t = tree, settings, 0
        self.members = [
            [int(tied.ties[k][plex.find(name)]) for name in tree.infosets[k]]
            for k, plex in enumerate(tied.plexes)
        ]
        self.regret: dict[tuple[int, int], Any] = {}
        self.total: dict[tuple[int, int], Any] = {}
        for k in (0, 1):
            for i, tie in enumerate(self.members[k]):
                self.regret[k, tie] = np.zeros(len(tree.actions[k][i]))
                self.total[k, tie] = np.zeros(len(tree.actions[k][i]))
        self.played = self.now()

    def now(self) -> dict[tuple[int, int], Any]:
        """What every tie plays after its regrets."""
        found = {}
        for key, R in self.regret.items():
            plus = np.maximum(R, 0)
            found[key] = plus / plus.sum() if plus.sum() > 0 else np.full(len(R), 1 / len(R))
        return found

    def chances(self) -> tuple[Any, Any, Any]:
        """At every node, the probability that chance, player 1 and player 2 play there."""
        rows = np.ones((3, self.tree.n_nodes))
        for n in range(1, self.tree.n_nodes):
            p = int(self.tree.parent[n])
            rows[:, n] = rows[:, p]
            mover = int(self.tree.mover[p])
            if mover == CHANCE:
                rows[0, n] *= self.tree.probability[n]
            else:
                key = mover - 1, self.members[mover - 1][int(self.tree.infoset[p])]
                rows[mover, n] *= self.played[key][int(self.tree.move[n])]
        return rows[0], rows[1], rows[2]

    def record(self, k: int) -> None:
        """Add t^gamma times own reach of every member, once, to its tie's total."""
        own, seen = self.chances()[1 + k], set()
        for n in range(self.tree.n_nodes):
            i = int(self.tree.infoset[n])
            if self.tree.mover[n] == k + 1 and i not in seen:
                seen.add(i)
                key = k, self.members[k][i]
                self.total[key] += self.t**self.settings.gamma * own[n] * self.played[key]

    def gains(self, k: int) -> dict[tuple[int, int], Any]:
        """Counterfactual gains of all actions, summed over all nodes of all members."""
        tree, rows = self.tree, self.chances()
        value = np.zeros(tree.n_nodes)
        gains = {key: np.zeros(len(R)) for key, R in self.regret.items() if key[0] == k}
        below: dict[int, list[int]] = {}
        for n in range(tree.n_nodes - 1, -1, -1):
            mover, children = int(tree.mover[n]), below.get(n, [])[::-1]
            if mover == LEAF:
                value[n] = tree.payoff[n] * (1 if k == 0 else -1)
            elif mover == CHANCE:
                value[n] = sum(tree.probability[c] * value[c] for c in children)
            else:
                key = mover - 1, self.members[mover - 1][int(tree.infoset[n])]
                values = np.array([value[c] for c in children])
                value[n] = self.played[key] @ values
                if mover == k + 1:
                    gains[key] += rows[0][n] * rows[2 - k][n] * (values - value[n])
            below.setdefault(int(tree.parent[n]), []).append(n)
        return gains

    def update(self, k: int, gains: dict[tuple[int, int], Any]) -> None:
        s = self.settings
        up, down = (
            1.0 if exponent == math.inf else self.t**exponent / (self.t**exponent + 1)
            for exponent in (s.alpha, s.beta)
        )
        for key, gain in gains.items():
            R = self.regret[key] + gain
            self.regret[key] = np.where(R > 0, up, down) * R
        self.played |= {key: s for key, s in self.now().items() if key[0] == k}

    def iterate(self) -> None:
        self.t += 1
        self.record(1)
        first = self.gains(0)
        if self.settings.updates == "alternating":
            self.update(0, first)
            self.record(0)
            second = self.gains(1)
        else:
            self.record(0)
            second = self.gains(1)
            self.update(0, first)
        self.update(1, second)


@pytest.mark.parametrize("name", ["leduc", "one", "rhode island"])
@pytest.mark.parametrize("settings", [PLAIN, DISCOUNTED | {"updates": "simultaneous"}, DISCOUNTED])
def test_iterations_are_those_of_the_definition(name: str, settings: dict[str, Any]) -> None:
    """From random regrets, since some would be exactly zero and rounding decide who plays what."""
    game, method, rng = example(name), TiedRegretMatching(**settings), np.random.default_rng(3)
    tied = game.tied_form()
    twin = Twin(unfold(game.refinement.game), tied, method)
    work = method.start_tied(tied)
    state = {key: value.copy() for key, value in work.state().items()}
    for k, ties in enumerate(tied.decisions):
        for i in range(ties.n_infosets):
            twin.regret[k, i] += rng.normal(size=len(twin.regret[k, i]))
            state[f"R{k + 1}"][ties.sequences(i)] = twin.regret[k, i]
    twin.played = twin.now()
    for (k, i), played in twin.played.items():
        state[f"s{k + 1}"][tied.decisions[k].sequences(i)] = played
    work.restore(0, state)
    for _ in range(3):
        twin.iterate()
    work.advance(3, 60.0)
    for k, (ties, average) in enumerate(zip(tied.decisions, work.tied_strategies(), strict=True)):
        for i in range(ties.n_infosets):
            at, total = ties.sequences(i), twin.total[k, i]
            np.testing.assert_allclose(work.players[k].R[at], twin.regret[k, i], atol=1e-9)
            np.testing.assert_allclose(work.players[k].s[at], twin.played[k, i], atol=1e-9)
            mean = total / total.sum() if total.sum() > 0 else 1 / len(total)
            np.testing.assert_allclose(average[at], mean, atol=1e-9)


@pytest.mark.parametrize("method", cfr.FAMILY[:-1])
@pytest.mark.parametrize("updates", cfr.UPDATES)
def test_without_ties_it_is_the_plain_family(
    method: type[cfr.RegretMatching], updates: str
) -> None:
    plain = method(updates=updates)
    settings = {key: getattr(plain, key) for key in ("alpha", "beta", "gamma", "foresight")}
    for form in (form_of("leduc"), random_form(3), form_of("rhode-island:ranks=23A,suits=2")):
        one = plain.start(form)
        two = TiedRegretMatching(**settings, updates=updates).start(form)
        one.advance(40, 60.0)
        two.advance(40, 60.0)
        assert one.iterations == two.iterations == 40
        for x, y in zip(one.plans(), two.plans(), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-11)
            assert np.ptp(x) > 0


def test_ties_may_have_any_order_and_numbers_of_actions() -> None:
    """Ties of two, three and one actions in turn, and members far from each other."""
    plex = Treeplex.of_infosets(parent=[0, 1, 1, 2, 2, 4], actions=[2, 3, 2, 1, 3, 2])
    form = SequenceForm(plex, Treeplex.simplex(1), PayoffOperator.of(np.zeros((14, 2))))
    tied = TiedForm.of(form, np.array([3, 1, 0, 2, 1, 0], np.uint8))
    assert [tied.decisions[0].flat.actions.tolist(), tied.decisions[0].n_blocks] == [
        [2, 3, 1, 2],
        4,
    ]
    s = tied.decisions[0].random(5)
    member = tied.expand(1, s)
    plex.check(member)
    for i, tie in enumerate(tied.ties[0]):
        here, there = plex.sequences(i), tied.decisions[0].sequences(int(tie))
        np.testing.assert_array_equal(member[here], s[there])
    action = tied.actions[0]
    out, w = np.empty(len(member)), np.empty(len(s))
    gather(action, s, out)
    np.testing.assert_array_equal(out[1:], member[1:])
    v = np.arange(1.0, len(member) + 1)
    scatter(action, v, w)
    np.testing.assert_array_equal(w[1:], np.bincount(action[1:], v[1:], len(s))[1:])
    assert w[0] == 0.0


@pytest.mark.parametrize(
    ("tie", "told"),
    [
        ([0, 0], "of shape \\(2,\\), expected one whole number for each of 3"),
        ([0.0, 1.0, 2.0], "array of float64"),
        ([0, 2, 2], "numbered 0 to 2 with 2 in use"),
        ([0, -1, 1], "numbered -1 to 1"),
        ([0, 9, 1], "numbered 0 to 9"),
        ([0, 1, 0], "'I2' of player 1 of game has 3 actions and is tied to 'I0' with 2"),
        ([0, 0, 1], "'I1' of player 1 of game is tied to an information set that leads to it"),
    ],
)
def test_wrong_ties_are_refused(tie: list[int], told: str) -> None:
    plex = Treeplex.of_infosets(parent=[0, 2, 0], actions=[2, 2, 3])
    form = SequenceForm(plex, Treeplex.simplex(1), PayoffOperator.of(np.zeros((8, 2))))
    with pytest.raises(GameError, match=told):
        TiedForm.of(form, tie)


def test_who_needs_perfect_recall_refuses_ties() -> None:
    plex = Treeplex.of_infosets(parent=[0, 0], actions=[2, 2])
    form = SequenceForm(plex, Treeplex.simplex(1), PayoffOperator.of(np.zeros((5, 2))), name="coin")
    tied = TiedForm.of(form, [0, 0])
    told = "coin: player 1 plays 2 information sets as 1, .* the method 'tied' accepts it"
    for method in ("lp", "cfr+", cfr.DiscountedCFR()):
        with pytest.raises(RecallError, match=told):
            solve(tied, method)
    with pytest.raises(RecallError, match=told):
        run(tied, cfr.CFR(), iterations=1)
    with pytest.raises(RecallError, match=told):
        Profile.uniform(tied)
    assert TiedForm.of(form).sequence_form() is form
    assert solve(TiedForm.of(form), "lp").gap == 0.0


def test_the_front_door_chooses_it() -> None:
    found = api.solve(example("leduc"))
    assert (found.method, found.status) == ("tied", Status.ITERATIONS)
    assert found.iterations == DEFAULT_TIED_ITERATIONS
    assert found.notes == {"ties": [39, 39], "information sets": [99, 99]}
    assert solve(example("leduc"), "tied", iterations=7, gamma=3).settings["gamma"] == 3
    assert solve(example("leduc"), iterations=7, gamma=3).settings["gamma"] == 3
    # A game without ties is solved as well as any, and auto stays what it was.
    assert solve([[3, 0], [1, 2]], "tied", gap=1e-3).value == pytest.approx(1.5, abs=1e-3)
    assert solve([[3, 0], [1, 2]]).method == "lp"


def test_settings_are_checked() -> None:
    for wrong in ({"gamma": -1.0}, {"updates": "both"}, {"alpha": math.nan}, {"foresight": 2.0}):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            TiedRegretMatching(**wrong)
    with pytest.raises(SettingsError, match="unknown setting of tied 'precision'"):
        method_named("tied", precision="single")


def test_members_play_alike_where_they_are_never_reached() -> None:
    """Player 1 never says `in` after a loss, and so never comes to his second choice there."""
    plex = Treeplex.of_infosets(parent=[0, 0, 1, 3], actions=[2, 2, 2, 2])
    pay = np.zeros((9, 2))
    pay[:, 1] = [0, 0, 0, -9, 0, 1, 0, 1, 0]
    form = SequenceForm(plex, Treeplex.simplex(1), PayoffOperator.of(pay))
    found = run(TiedForm.of(form, [0, 1, 2, 2]), TiedRegretMatching(), iterations=50)
    s = found.profile.first
    assert s["I1"]["a0"] == 0.0
    assert s["I2"] == s["I3"]
    assert s["I2"]["a0"] > 0.99
    assert found.gap == pytest.approx(0.0, abs=1e-2)


def test_a_tie_is_matched_by_the_sum_of_its_members() -> None:
    """Two matrix games of which player 1 cannot tell which is on: he plays their mean."""
    one, two = np.array([[3.0, 0.0], [1.0, 2.0]]), np.array([[0.0, 4.0], [5.0, 1.0]])
    X, Y = Treeplex.of_infosets([0, 0], [2, 2]), Treeplex.simplex(2)
    pay = np.zeros((5, 3))
    pay[1:3, 1:], pay[3:, 1:] = one / 3, two * 2 / 3
    tied = TiedForm.of(SequenceForm(X, Y, PayoffOperator.of(pay)), [0, 0])
    found = run(tied, TiedRegretMatching(), iterations=5000)
    mean = solve(matrix_form(one / 3 + two * 2 / 3), "lp")
    assert found.lower == pytest.approx(mean.value, abs=2e-3)
    np.testing.assert_allclose(
        found.profile.first.probabilities[1:3], mean.profile.first.probabilities[1:], atol=1e-2
    )
    # What remains is what he would gain by remembering.
    y = found.profile.second.plan
    assert found.upper == pytest.approx(sum((m @ y[1:]).max() for m in (one / 3, two * 2 / 3)))
    assert found.gap > 0.2


# Checkpoints --------------------------------------------------------------------------


def test_a_resumed_run_is_the_uninterrupted_one(tmp_path: Path) -> None:
    whole = run(example("leduc"), TiedRegretMatching(), iterations=640)
    path = tmp_path / "c.saddle"
    for goal in (1, 13, 200, 640):
        part = run(example("leduc"), TiedRegretMatching(), iterations=goal, checkpoint=path)
    assert (part.gap, part.value) == (whole.gap, whole.value)
    for a, b in zip(part.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_checkpoints_of_other_ties_are_refused(tmp_path: Path) -> None:
    path, tied = tmp_path / "c.saddle", example("leduc").tied_form()
    run(tied, TiedRegretMatching(), iterations=5, checkpoint=path)
    other = np.array(tied.ties[0])[np.argsort(tied.ties[0], kind="stable")]
    swapped = TiedForm.of(tied.form, np.unique(other[::-1], return_inverse=True)[1], tied.ties[1])
    assert swapped.form.fingerprint == tied.form.fingerprint
    with pytest.raises(StoreError, match="made with other ties of leduc seen as pairs"):
        run(swapped, TiedRegretMatching(), iterations=6, checkpoint=path)
    with pytest.raises(StoreError, match="not of tied"):
        run(tied, TiedRegretMatching(gamma=1.0), iterations=6, checkpoint=path)


CHILD = """
import sys
import numpy as np
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.forgetting import forgetful
from saddlepoint.games.poker import leduc
from saddlepoint.solvers.methods import solve
game = forgetful(leduc(), Buckets((np.arange(3), np.array([0, 0, 1] * 3)), "pairs"))
solve(game, iterations=40_000, checkpoint=sys.argv[1], checkpoint_seconds=0.01)
"""


def test_killed_runs_end_the_same(tmp_path: Path) -> None:
    whole = solve(example("leduc"), iterations=40_000)
    path, rng = tmp_path / "c.saddle", np.random.default_rng(1)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    reached = [0]
    for _ in range(2):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], env=environment)
        before = path.stat().st_mtime_ns if path.exists() else 0
        deadline = time.perf_counter() + 60
        while time.perf_counter() < deadline and child.poll() is None:
            if path.exists() and path.stat().st_mtime_ns != before:
                break
            time.sleep(0.001)
        time.sleep(float(rng.uniform(0, 0.05)))
        child.send_signal(signal.SIGKILL)
        child.wait()
        reached.append(store.read(path).manifest["iterations"])
    assert reached == sorted(reached)
    assert 0 < reached[1] < 40_000
    found = solve(example("leduc"), iterations=40_000, checkpoint=path)
    assert (found.iterations, found.gap, found.value) == (40_000, whole.gap, whole.value)
    np.testing.assert_array_equal(found.trace.gap, whole.trace.gap)
    for a, b in zip(found.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)
