from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from conftest import form_of
from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.solution import Status
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.run import run
from saddlepoint.solvers.smoothing import INNER, IteratedSmoothing, Smoothing
from saddlepoint.solvers.subproblem import Projection

# Two decisions, the second after the first action of the first: the example of section 8.5.2.
EXAMPLE = Treeplex.of_infosets(parent=[0, 1], actions=[2, 2])


def random_plex(rng: np.random.Generator) -> Treeplex:
    parent, actions, sequences = [], [], 1
    for _ in range(int(rng.integers(1, 6))):
        parent.append(int(rng.integers(0, sequences)))
        actions.append(int(rng.integers(1, 4)))
        sequences += actions[-1]
    return Treeplex.of_infosets(parent, actions)


def nearest(plex: Treeplex, g: np.ndarray) -> np.ndarray:
    """The slow twin: least squares with nonnegative plans, constraints as very heavy rows."""
    E = np.zeros((1 + plex.n_infosets, plex.n_sequences))
    E[0, 0] = 1
    for i in range(plex.n_infosets):
        E[1 + i, plex.sequences(i)] = 1
        E[1 + i, plex.flat.parent[i]] -= 1
    heavy = 1e5
    rows = np.vstack([np.eye(plex.n_sequences), heavy * E])
    return nnls(rows, np.concatenate([g, heavy * np.eye(1 + plex.n_infosets)[0]]))[0]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]))
def test_projections_are_those_of_least_squares(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    plex = random_plex(rng)
    g = rng.normal(size=plex.n_sequences) * size
    if seed % 3 == 0:
        g = np.round(g)  # ties
    g[0] = 1.0
    u = Projection(plex)(g)
    plex.check(plex.behaviour(u))
    np.testing.assert_allclose(u, nearest(plex, g), atol=1e-6)


@pytest.mark.parametrize(
    "text", ["kuhn", "leduc", "leduc:raises=2,realisation=cards", "no-limit-leduc:stack=4"]
)
def test_no_plan_is_nearer(text: str) -> None:
    """The nearest plan u to g is the one with (g - u)'v at most (g - u)'u for all plans v."""
    plex = form_of(text).Y
    rng = np.random.default_rng(0)
    projection = Projection(plex)
    for size in (1e-3, 1.0, 1e3):
        g = rng.normal(size=plex.n_sequences) * size
        u = projection(g)
        np.testing.assert_allclose(plex.plan(plex.behaviour(u)), u, atol=1e-15)
        assert plex.best_response(g - u)[0] == pytest.approx((g - u) @ u, abs=1e-12 * max(1, size))
    x = plex.plan(plex.random(1))
    np.testing.assert_allclose(projection(x), x, atol=1e-14)


def test_the_example_of_the_thesis() -> None:
    """Section 8.5.2: functions added sideways, with g0 = (0.2, 0.5) and g1 = (1, 0)."""
    g = np.array([0.0, 0.2, 0.5, 1.0, 0.0])
    projection = Projection(EXAMPLE)

    def inner(t: float) -> float:  # t - 1 and t, added sideways
        return t - 1 if t <= 1 else (t - 1) / 2

    for t in (0.0, 0.3, 1.0, 1.7, 4.0):
        assert projection.price(g, 1, t) == pytest.approx(inner(t))
    # The first action costs t - 0.2 + inner(t) = 2 t - 1.2 up to t = 1, the second t - 0.5. Alone
    # up to the price -0.5, at t = 0.35; from there on the rates 1/2 and 1 add up.
    assert projection.price(g, 0, 0.35) == pytest.approx(-0.5)
    assert projection.price(g, 0, 0.0) == pytest.approx(-1.2)
    price = projection.price(g, 0, 1.0)
    assert price == pytest.approx(-0.5 + 0.65 / 1.5)
    u = projection(g)
    np.testing.assert_allclose(u[1:3], [(price + 1.2) / 2, price + 0.5])
    np.testing.assert_allclose(u[3:], [u[1], 0.0])
    assert projection.breakpoints == (1 + 1 + 2) + (2 + 1 + 3)


def test_a_simplex_has_a_threshold() -> None:
    u = Projection(Treeplex.simplex(4))([0.0, 1.0, 0.8, -3.0, 0.1])
    np.testing.assert_allclose(u, [1.0, 0.6, 0.4, 0.0, 0.0])


def random_matrix(seed: int, n: int = 6) -> SequenceForm:
    """Payoffs from -1 to 1: the equilibrium is the only one."""
    return matrix_form(np.random.default_rng(seed).uniform(-1, 1, (n, n)))


def proposition7(form: SequenceForm, accuracy: float) -> float:
    """Its number of iterations, from the definitions, where the equilibrium is the only one."""
    exact = run(form, LinearProgram())
    dist2 = D = 0.0
    for plex, strategy in zip((form.X, form.Y), exact.profile, strict=True):
        uniform = plex.plan(plex.uniform())
        dist2 += float(((strategy.plan - uniform) ** 2).sum())
        D += 0.5 * (1 - 1 / (plex.n_sequences - 1))
    norm = np.linalg.norm(form.A.to_sparse().toarray(), 2)
    return float(2 * math.sqrt(2) * norm * math.sqrt(D * dist2) / accuracy)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("inner", INNER)
def test_smoothing_ends_when_it_should(seed: int, inner: str) -> None:
    form = random_matrix(seed)
    for accuracy in (0.1, 0.01):
        found = run(form, Smoothing(accuracy=accuracy, inner=inner))
        assert found.status is Status.CONVERGED
        assert found.gap < accuracy
        assert 2 <= found.iterations <= proposition7(form, accuracy)
        assert found.notes["calls"] == [found.iterations]
        one = run(form, Smoothing(accuracy=accuracy, inner=inner), iterations=1)
        assert one.gap > accuracy


def naive_smoothing(form: SequenceForm, accuracy: float, lan: bool, iterations: int) -> list:
    """The algorithm as the thesis writes it, for both plans as one vector; no kernels."""
    X, Y, A = form.X, form.Y, form.A.to_sparse().toarray()
    m = X.n_sequences
    both = Projection(X), Projection(Y)
    centre = np.concatenate([X.plan(X.uniform()), Y.plan(Y.uniform())])
    norm = np.linalg.norm(A[1:, 1:], 2)
    D = 0.5 * sum(1 - 1 / (plex.n_sequences - 1) for plex in (X, Y))
    mu = accuracy / (2 * D)
    L = norm**2 / mu

    def project(z: np.ndarray) -> np.ndarray:
        return np.concatenate([both[0](z[:m]), both[1](z[m:])])

    def slope(z: np.ndarray) -> np.ndarray:  # of the smoothed gap
        best = project(centre + np.concatenate([A @ z[m:], -A.T @ z[:m]]) / mu)
        return np.concatenate([-A @ best[m:], A.T @ best[:m]])

    point, other, total, seen = centre, centre, np.zeros_like(centre), []
    for k in range(iterations):
        at = 2 / (k + 2) * other + k / (k + 2) * point
        g = slope(at)
        point = project(at - g / L)
        total = total + (k + 1) / 2 * g
        other = project(other - (k + 2) / 2 * g / L) if lan else project(centre - total / L)
        seen.append(point)
    return seen


@pytest.mark.parametrize("inner", INNER)
def test_iterations_are_those_of_the_definition(inner: str) -> None:
    form = random_matrix(9)
    work = Smoothing(accuracy=1e-3, inner=inner).start(form)
    for point in naive_smoothing(form, 1e-3, inner == "lan", 25):
        work.advance(1, 0.0)
        np.testing.assert_allclose(np.concatenate(work.plans()), point, atol=1e-12)
        assert work.gap == pytest.approx(gap(*form, *work.plans()).gap, abs=1e-14)


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("game", ["kuhn", "uneven", "random"])
def test_iterated_smoothing_takes_equally_long_for_every_digit(game: str, inner: str) -> None:
    form = {
        "kuhn": form_of("kuhn"),
        "uneven": matrix_form([[3, 0], [1, 2]]),
        "random": random_matrix(1),
    }[game]
    found = run(form, IteratedSmoothing(inner=inner), gap=1e-9, iterations=100_000)
    assert found.status is Status.CONVERGED
    assert found.lower <= run(form, LinearProgram()).value + 1e-12
    assert found.upper >= run(form, LinearProgram()).value - 1e-12
    calls = found.notes["calls"]
    assert sum(calls) <= found.iterations
    assert found.iterations > 40
    assert max(calls[-8:]) <= 1.2 * max(calls[-16:-8])


def test_the_bound_of_the_whole() -> None:
    """Theorem 8 in terms of its own steepness: dist is at most F / delta along the way."""
    form = random_matrix(2)
    work = IteratedSmoothing().start(form)
    exact = np.concatenate([s.plan for s in run(form, LinearProgram()).profile])
    steepness = math.inf
    for _ in range(3000):
        apart = float(np.linalg.norm(np.concatenate(work.plans()) - exact))
        if apart > 1e-7:
            steepness = min(steepness, work.gap / apart)
        work.advance(1, 0.0)
    most = 2 * math.sqrt(2) * math.e * work.norm * math.sqrt(work.distance) / steepness
    assert len(work.calls) > 8
    assert max(work.calls) <= most


@pytest.mark.parametrize(
    "method", [Smoothing(accuracy=0.1), IteratedSmoothing(), IteratedSmoothing(inner="lan")]
)
def test_games_in_sequence_form(method: Smoothing | IteratedSmoothing) -> None:
    form = form_of("leduc:raises=1")
    value = run(form, LinearProgram()).value
    before = run(form, method, iterations=1)
    found = run(form, method, gap=0.1, iterations=2000)
    assert found.gap <= 0.1 < before.gap / 4
    assert found.lower - 1e-12 <= value <= found.upper + 1e-12


@pytest.mark.parametrize("method", [Smoothing(inner="lan"), IteratedSmoothing(gamma=2.0)])
def test_a_resumed_run_is_the_uninterrupted_one(
    tmp_path: Path, method: Smoothing | IteratedSmoothing
) -> None:
    whole = run(form_of("kuhn"), method, iterations=150)
    for goal in (1, 13, 64, 150):
        part = run(form_of("kuhn"), method, iterations=goal, checkpoint=tmp_path / "c.saddle")
    assert (part.gap, part.value, part.notes) == (whole.gap, whole.value, whole.notes)
    for a, b in zip(part.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_what_has_finished_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "c.saddle"
    first = run(form_of("kuhn"), Smoothing(accuracy=0.1), checkpoint=path)
    again = run(form_of("kuhn"), Smoothing(accuracy=0.1), gap=1e-9, checkpoint=path)
    assert again.status is Status.PRECISION
    assert (again.iterations, again.gap) == (first.iterations, first.gap)


@pytest.mark.parametrize("method", [Smoothing(), IteratedSmoothing()])
def test_games_with_little_to_decide(method: Smoothing | IteratedSmoothing) -> None:
    for matrix in ([[2.0]], np.zeros((3, 3)), [[1.0, 2.0, 0.5]], [[0, 1], [2, 3]]):
        assert run(matrix_form(matrix), method, iterations=50_000).gap <= 1e-3


@pytest.mark.parametrize(
    "wrong", [{"gamma": 1.0}, {"gamma": "e"}, {"gamma": math.inf}, {"inner": "newton"}]
)
def test_wrong_settings_are_refused(wrong: dict) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        IteratedSmoothing(**wrong)
    for other in ({"accuracy": 0.0}, {"accuracy": math.nan}, {"inner": "newton"}):
        with pytest.raises(SettingsError, match=next(iter(other))):
            Smoothing(**other)
