from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import form_of
from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.solution import Status
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.excess import AT
from saddlepoint.solvers.excessive_gap import ExcessiveGap, ExcessiveGap2, ExcessiveGapRun
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.prox import KINDS, WEIGHTS, Prox
from saddlepoint.solvers.run import run

GAMES = {
    "kuhn": form_of("kuhn"),
    "leduc": form_of("leduc"),
    "oblong": matrix_form(np.random.default_rng(0).uniform(-1, 1, (7, 12))),
    "uneven": matrix_form([[3, 0], [1, 2]]),
}
HEURISTICS = [
    {},
    {"balance": 7},
    {"aggressive": True},
    {"aggressive": True, "balance": 7, "growth": 1.5},
]


def constant(work: ExcessiveGapRun) -> float:
    """The norm of A times the root of D1 D2 / (sigma1 sigma2)."""
    return work.ratio * float(np.sqrt(work.prox[0].diameter * work.prox[1].diameter))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("prox", KINDS)
@pytest.mark.parametrize("heuristics", HEURISTICS)
def test_the_condition_holds_at_every_step(name: str, prox: str, heuristics: dict) -> None:
    """f_mu2(x) >= phi_mu1(y), from both definitions, and what follows from it."""
    form = GAMES[name]
    work = ExcessiveGap(prox=prox, **heuristics).start(form)
    before = gap(*form, *work.plans()).gap
    for step in range(60):
        if step:
            work.advance(1, 0.0)
        x, y = work.plans()
        phi = work.prox[0].smax(form.A @ y, work.mu[0])
        f = -work.prox[1].smax(-(form.A.T @ x), work.mu[1])
        assert f >= phi - 1e-10
        assert work.excess == pytest.approx(phi - f, abs=1e-10)
        found = gap(*form, x, y)
        assert 0 <= found.gap <= work.bound + 1e-10
        assert found.lower <= f + 1e-10  # smoothing looks away from the worst
        assert phi <= found.upper + 1e-10
        if not heuristics:
            assert work.bound <= 4 * constant(work) / (step + 1) * (1 + 1e-9)
        for plex, plan in zip((form.X, form.Y), (x, y), strict=True):
            np.testing.assert_allclose(plex.plan(plex.behaviour(plan)), plan, atol=1e-12)
    assert found.gap < before


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("prox", KINDS)
def test_bounds_on_whole_runs(name: str, weights: str, prox: str) -> None:
    """(8.6) of egt, and (8.14) of egt-2 as long as (8.12) holds."""
    work = ExcessiveGap(weights=weights, prox=prox).start(GAMES[name])
    for steps in (1, 10, 100, 500):
        work.advance(steps - work.iterations, 60.0)
        assert gap(*GAMES[name], *work.plans()).gap <= 4 * constant(work) / steps
    work = ExcessiveGap2(weights=weights, prox=prox).start(GAMES[name])
    D = work.prox[0].diameter + work.prox[1].diameter
    held = 0
    for steps in (1, 10, 100, 500):
        work.advance(steps - work.iterations, 60.0)
        ratio = work.mu[0] / work.mu[1]
        if not work.counts[AT.lopsided] and 0.5 <= ratio <= 2:
            calls = work.counts[AT.decreases]
            assert calls >= steps
            assert work.bound <= 12 * np.sqrt(2) * work.ratio * D / calls
            held += 1
    assert held


class Printed:
    """Algorithms 5 to 7 with gradients of the prox functions, signs put right; no kernels."""

    def __init__(self, form: SequenceForm, prox: tuple[Prox, Prox], mu: np.ndarray) -> None:
        self.A, self.d, self.mu = form.A.to_sparse().toarray(), prox, mu.copy()
        centre = prox[1].sargmax(np.zeros(form.Y.n_sequences))[1]
        x = prox[0].sargmax(self.A @ centre / mu[0])[1]
        y = prox[1].sargmax(prox[1].gradient(centre) - self.A.T @ x / mu[1])[1]
        self.z = [x, y]
        self.k = 0

    def step(self) -> None:
        tau, b = 2 / (self.k + 3), 1 - self.k % 2
        one, two = 1 - b, b
        # What player `two` loses to player `one`, and the smoothing of both.
        M = self.A if b == 1 else -self.A.T
        d1, d2, mu1, mu2 = self.d[one], self.d[two], self.mu[one], self.mu[two]
        x, y = self.z[one], self.z[two]
        breve = d2.sargmax(-M.T @ x / mu2)[1]
        hat = d1.sargmax(M @ ((1 - tau) * y + tau * breve) / mu1)[1]
        tilde = d2.sargmax(d2.gradient(breve) - tau / ((1 - tau) * mu2) * (M.T @ hat))[1]
        self.z[one] = (1 - tau) * x + tau * hat
        self.z[two] = (1 - tau) * y + tau * tilde
        self.mu[two] *= 1 - tau
        self.k += 1


@pytest.mark.parametrize("name", GAMES)
def test_steps_are_those_of_the_thesis_put_right(name: str) -> None:
    form = GAMES[name]
    work = ExcessiveGap().start(form)
    twin = Printed(form, work.prox, work.mu)
    for _ in range(25):
        for ours, theirs in zip(work.plans(), twin.z, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-9)
        work.advance(1, 0.0)
        twin.step()
    np.testing.assert_allclose(work.mu, twin.mu, rtol=1e-12)


def test_the_printed_start_is_too_small_for_the_printed_tau() -> None:
    """mu1 mu2 sigma1 sigma2 / |A|^2 has to be at least tau^2 / (1 - tau) at every step."""

    def enough(product: float) -> bool:
        for k in range(1000):
            tau = 2 / (k + 3)
            if tau**2 / (1 - tau) > product:
                return False
            product *= 1 - tau
        return True

    assert not enough(1.0)
    assert not enough(1.99)
    assert enough(2.0)
    work = ExcessiveGap().start(GAMES["leduc"])
    assert work.mu.prod() == pytest.approx(2 * work.ratio**2)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("prox", KINDS)
def test_it_agrees_with_linear_programming(name: str, prox: str) -> None:
    form = GAMES[name]
    value = run(form, LinearProgram()).value
    found = run(form, ExcessiveGap2(prox=prox), gap=5e-3, iterations=20_000)
    assert found.status is Status.CONVERGED
    assert found.iterations > 10
    assert found.lower - 1e-12 <= value <= found.upper + 1e-12
    assert found.notes["shrinks"] >= found.notes["decreases"] >= found.iterations


def test_tau_may_rise_again() -> None:
    """After balancing there is little slack for a while; the thesis's tau stays small for good."""
    falling, rising = (
        run(GAMES["leduc"], ExcessiveGap2(balance=10, growth=g), iterations=3000).gap
        for g in (1.0, 1.25)
    )
    assert rising < falling / 1.5


def test_heuristics_help() -> None:
    plain, aggressive, both = (
        run(GAMES["leduc"], ExcessiveGap(**kw), iterations=300)
        for kw in ({}, {"aggressive": True}, {"aggressive": True, "balance": 10})
    )
    assert max(aggressive.gap, both.gap) < plain.gap / 10
    assert both.notes["bound"] < aggressive.notes["bound"]


@pytest.mark.parametrize("method", [ExcessiveGap(), ExcessiveGap2(balance=10, prox="euclidean")])
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path: Path, method: ExcessiveGap) -> None:
    whole = run(GAMES["leduc"], method, iterations=120)
    for goal in (1, 13, 64, 120):
        part = run(GAMES["leduc"], method, iterations=goal, checkpoint=tmp_path / "c.saddle")
    assert (part.gap, part.value, part.notes) == (whole.gap, whole.value, whole.notes)
    for a, b in zip(part.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


@pytest.mark.parametrize("method", [ExcessiveGap(), ExcessiveGap2()])
def test_games_with_little_to_decide(method: ExcessiveGap) -> None:
    for matrix in ([[2.0]], np.zeros((3, 3)), [[1.0, 2.0, 0.5]], [[0, 1], [2, 3]]):
        found = run(matrix_form(matrix), method, iterations=2000)
        assert found.gap <= 0.02
    X = Treeplex.simplex(2)
    apart = SequenceForm(X, X, PayoffOperator.of([[0, -1, 0], [1, 0, 0], [2, 0, 0]]))
    found = run(apart, method, iterations=5)
    assert (found.value, found.gap, found.iterations) == (1.0, 0.0, 1)


@pytest.mark.parametrize(
    "settings",
    [
        {"prox": "log"},
        {"weights": "heavy"},
        {"aggressive": 1},
        {"balance": -1},
        {"balance": 1.5},
        {"growth": 3},
    ],
)
def test_wrong_settings_are_refused(settings: dict) -> None:
    with pytest.raises(SettingsError, match=next(iter(settings))):
        ExcessiveGap(**settings)
