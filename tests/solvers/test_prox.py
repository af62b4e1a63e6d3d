from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from conftest import form_of
from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.operator_norm import best_apart, operator_norms
from saddlepoint.solvers.prox import KINDS, WEIGHTS, Prox

# Decisions one after another, side by side, and with one action only.
SHAPES = {
    "simplex": Treeplex.simplex(4),
    "chain": Treeplex.of_infosets(parent=[0, 2, 4], actions=[2, 2, 3]),
    "side by side": Treeplex.of_infosets(parent=[0, 0, 1, 1], actions=[2, 2, 2, 1]),
}
SETTINGS = list(itertools.product(KINDS, WEIGHTS))


def constraints(plex: Treeplex) -> tuple[np.ndarray, np.ndarray]:
    """E and e of the plans {x >= 0, E x = e}."""
    E = np.zeros((1 + plex.n_infosets, plex.n_sequences))
    E[0, 0] = 1
    for i in range(plex.n_infosets):
        E[1 + i, plex.sequences(i)] = 1
        E[1 + i, plex.flat.parent[i]] -= 1
    return E, np.eye(1 + plex.n_infosets)[0]


def weights(plex: Treeplex, choice: str) -> list[float]:
    """The weights from their definition, children first."""
    w = [0.0] * plex.n_infosets
    for i in reversed(range(plex.n_infosets)):
        after = [
            sum(w[j] for j in range(plex.n_infosets) if plex.flat.parent[j] == q)
            for q in range(plex.n_sequences)[plex.sequences(i)]
        ]
        twice = 2 if plex.flat.parent[i] and choice == "doubled" else 1
        w[i] = 1.0 if choice == "equal" else twice * (1 + max(after))
    return w


def prox(plex: Treeplex, kind: str, choice: str, x: np.ndarray) -> float:
    """The prox function from its definition."""
    total = 0.0
    for i, w in enumerate(weights(plex, choice)):
        own, reach = x[plex.sequences(i)], x[plex.flat.parent[i]]
        if reach <= 1e-300:
            continue
        p = np.maximum(own, 0) / reach
        if kind == "entropy":
            psi = np.log(len(p)) + sum(q * np.log(q) for q in p if q > 0)
        else:
            psi = 0.5 * sum((q - 1 / len(p)) ** 2 for q in p)
        total += w * reach * psi
    return total


def pure_plans(plex: Treeplex) -> list[np.ndarray]:
    plans = []
    for choice in itertools.product(*(range(n) for n in plex.flat.actions)):
        s = np.zeros(plex.n_sequences)
        s[0] = 1
        for i, a in enumerate(choice):
            s[plex.sequences(i)][a] = 1
        plans.append(plex.plan(s))
    return plans


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "choice"), SETTINGS)
def test_sargmax_is_what_a_minimiser_finds(shape: str, kind: str, choice: str) -> None:
    """A minimiser over behaviours, as squares that are normalised: there are no constraints."""
    plex = SHAPES[shape]
    d, rng = Prox(plex, kind, choice), np.random.default_rng(3)
    for mu in (2.0, 0.4):
        g = rng.normal(size=plex.n_sequences)
        value, x = d.sargmax(g, mu)
        assert value == pytest.approx(g @ x - mu * prox(plex, kind, choice, x), abs=1e-12)

        def plan(z: np.ndarray) -> np.ndarray:
            return plex.plan(plex.behaviour(np.concatenate([[1], z**2])))

        def loss(z: np.ndarray, g: np.ndarray = g, mu: float = mu) -> float:
            return mu * prox(plex, kind, choice, plan(z)) - float(g @ plan(z))

        found = minimize(loss, np.ones(plex.n_sequences - 1), method="BFGS", options={"gtol": 1e-9})
        assert value == pytest.approx(-found.fun, abs=1e-7)
        np.testing.assert_allclose(x, plan(found.x), atol=1e-3)
        assert d.smax(g, mu) == value


@pytest.mark.parametrize(
    "text", ["leduc", "leduc:raises=2,realisation=cards", "clairvoyance:stack=2"]
)
@pytest.mark.parametrize(("kind", "choice"), SETTINGS)
def test_no_plan_is_better_to_first_order(text: str, kind: str, choice: str) -> None:
    """The gradient of what is maximised leads nowhere from the maximiser."""
    plex = form_of(text).X
    d, rng = Prox(plex, kind, choice), np.random.default_rng(1)
    g = rng.normal(size=plex.n_sequences)
    # The Euclidean gradient holds only where all actions are played: smooth a lot.
    mu = 0.3 if kind == "entropy" else 100.0
    value, x = d.sargmax(g, mu)
    ahead = g - mu * d.gradient(x)
    assert value == pytest.approx(g @ x - mu * d.value(x), abs=1e-10)
    assert plex.best_response(ahead)[0] == pytest.approx(ahead @ x, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "choice"), SETTINGS)
def test_value_gradient_and_diameter(shape: str, kind: str, choice: str) -> None:
    plex = SHAPES[shape]
    d, rng = Prox(plex, kind, choice), np.random.default_rng(0)
    np.testing.assert_allclose(d.weights, weights(plex, choice))
    assert d.value(plex.plan(plex.uniform())) == pytest.approx(0, abs=1e-15)
    assert d.diameter == pytest.approx(max(prox(plex, kind, choice, v) for v in pure_plans(plex)))
    for _ in range(5):
        x, z = (plex.plan(plex.random(rng)) for _ in range(2))
        assert d.value(x) == pytest.approx(prox(plex, kind, choice, x), abs=1e-12)
        step = 1e-6 * (z - x)
        slope = (d.value(x + step) - d.value(x - step)) / 2e-6
        assert d.gradient(x) @ (z - x) == pytest.approx(slope, abs=1e-6)


def treeplex_norm(plex: Treeplex, h: np.ndarray) -> float:
    """The least r with h in r (Q - Q) / 2, as a linear program over two scaled plans."""
    (E, e), n = constraints(plex), plex.n_sequences
    Z = np.zeros_like(E)
    both = np.block([[E, Z, -e[:, None]], [Z, E, -e[:, None]]])
    found = linprog(
        np.eye(2 * n + 1)[-1],
        A_eq=np.vstack([both, np.hstack([np.eye(n), -np.eye(n), np.zeros((n, 1))])]),
        b_eq=np.concatenate([np.zeros(2 * len(e)), h]),
    )
    return float(2 * found.fun)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "choice"), SETTINGS)
def test_prox_functions_are_as_convex_as_they_say(shape: str, kind: str, choice: str) -> None:
    plex = SHAPES[shape]
    d, rng = Prox(plex, kind, choice), np.random.default_rng(5)
    least = dict.fromkeys(d.moduli, np.inf)
    for _ in range(60):
        x, z = (plex.plan(plex.behaviour(plex.plan(plex.random(rng)) ** 4)) for _ in range(2))
        z = x + rng.choice([1.0, 0.1]) * (z - x)
        h = z - x
        rise = d.value(z) - d.value(x) - d.gradient(x) @ h
        sizes = {
            "absolute": np.abs(h).sum(),
            "euclidean": np.linalg.norm(h),
            "treeplex": treeplex_norm(plex, h),
        }
        for norm in d.moduli:
            least[norm] = min(least[norm], 2 * rise / sizes[norm] ** 2)
    for norm, modulus in d.moduli.items():
        assert modulus <= least[norm] * (1 + 1e-6)


def test_moduli_of_a_simplex_are_the_known_ones() -> None:
    assert Prox(Treeplex.simplex(5)).moduli == {"absolute": 1, "euclidean": 1, "treeplex": 1}
    found = Prox(Treeplex.simplex(5), "euclidean").moduli
    assert found == pytest.approx({"euclidean": 1, "treeplex": 1 / 5})


def test_nothing_overflows() -> None:
    plex = form_of("leduc").X
    g = np.random.default_rng(2).normal(size=plex.n_sequences) * 1e6
    for kind in KINDS:
        value, x = Prox(plex, kind).sargmax(g, 1e-9)
        plex.check(plex.behaviour(x))
        assert value == pytest.approx(plex.best_response(g)[0], rel=1e-9)


@pytest.mark.parametrize("text", ["kuhn", "leduc:raises=0", "clairvoyance:stack=2"])
def test_norms_bound_what_they_should(text: str) -> None:
    X, Y, A = form_of(text)
    found = operator_norms(form_of(text))
    M = A.to_sparse().toarray()[1:, 1:]
    assert found["absolute"] == np.abs(M).max()
    assert found["euclidean"] == pytest.approx(np.linalg.norm(M, 2))
    assert found["euclidean"] >= np.linalg.norm(M, 2)
    rng = np.random.default_rng(0)
    for _ in range(30):  # alternating best responses climb to a local maximum
        y = Y.plan(Y.random(rng))
        for _ in range(5):
            value, s = X.best_response(np.concatenate([[0], np.abs(M) @ y[1:]]))
            y = Y.plan(Y.best_response(np.concatenate([[0], np.abs(M).T @ X.plan(s)[1:]]))[1])
        assert found["treeplex"] >= value - 1e-12
    payoffs = form_of(text).A.entries().values
    assert found["treeplex"] <= np.abs(payoffs).sum()


def test_the_norm_of_a_matrix_is_its_largest_entry() -> None:
    M = np.random.default_rng(0).normal(size=(12, 9))
    found = operator_norms(matrix_form(M))
    assert found["treeplex"] == found["absolute"] == np.abs(M).max()
    assert found["euclidean"] == pytest.approx(np.linalg.norm(M, 2))
    assert operator_norms(matrix_form(np.zeros((20, 20))))["euclidean"] == 0


def test_plans_that_do_not_depend_on_each_other() -> None:
    """Payoffs in the column of the empty sequence: player 1 alone decides."""
    X, Y = Treeplex.simplex(2), Treeplex.simplex(2)
    form = SequenceForm(X, Y, PayoffOperator.of([[0, 0, 0], [1, 0, 0], [2, 0, 0]]))
    x, y = best_apart(form)
    assert x.tolist() == [1, 0, 1]
    assert y.sum() == 2


@pytest.mark.parametrize("settings", [{"kind": "log"}, {"weights": "heavy"}])
def test_wrong_settings_are_refused(settings: dict) -> None:
    with pytest.raises(SettingsError, match="expected one of"):
        Prox(Treeplex.simplex(2), **settings)
