"""What every method has to do, on games of all shapes.

Within its own gap each method agrees with a linear program: the value lies between what its
strategies guarantee. A method that does nothing fails: the gap has to be a small part of that of
the uniform strategies. Runs go on from a checkpoint to the same numbers.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saddlepoint.abstraction.shrink import shrink
from saddlepoint.games.catalogue import game
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.response import gap as gap_of_plans
from saddlepoint.sequence.solution import Status
from saddlepoint.sequence.stepping import stepped_form
from saddlepoint.solvers.methods import METHODS, solve

GAMES = (
    "kuhn",
    "leduc",
    "clairvoyance:stack=2",
    "no-limit-kuhn:stack=3",
    "no-limit-leduc:stack=4",
    "rhode-island:ranks=234,suits=2,raises=0,realisation=cards",
    "buckets of rhode-island",
    "leduc by nodes",
    "uniform-random:rows=8,columns=6,seed=3",
    "morra:fingers=3",
)
# Iterations, and the part of the uniform strategies' gap that has to be left after them. What
# samples is given many; what converges slowly is asked for little.
BUDGETS: dict[str, tuple[int, float]] = {
    "lp": (100_000, 1e-9),
    "cfr": (600, 0.1),
    "lcfr": (600, 0.05),
    "tied": (600, 0.02),
    "mccfr": (60_000, 0.15),
    "egt": (4000, 0.1),
    "egt-2": (1500, 0.05),
    "smoothing": (1000, 0.1),  # told to aim at just that
    "iterated": (500, 0.25),
}
USUAL = (600, 0.02)
# Sampling walks a game; matrices have no nodes to walk.
NEEDS_STEPS = ("mccfr",)


@cache
def form_of(text: str) -> SequenceForm:
    if text == "buckets of rhode-island":
        real = game("rhode-island:ranks=2345,suits=2,raises=0")
        assert isinstance(real, FactoredGame)
        return shrink(real, cards="pa:4-8-16").game.sequence_form()
    if text == "leduc by nodes":
        real = game("leduc:raises=0")
        assert isinstance(real, FactoredGame)
        return stepped_form(unfold(real))
    return game(text).sequence_form()


@cache
def value_of(text: str) -> float:
    return solve(form_of(text), "lp").value


def uniform_gap(form: SequenceForm) -> float:
    X, Y, A = form
    return gap_of_plans(X, Y, A, X.plan(X.uniform()), Y.plan(Y.uniform())).gap


def cases() -> list[Any]:
    found = []
    for name in METHODS:
        for text in GAMES:
            if name in NEEDS_STEPS and text.split(":")[0] in ("uniform-random", "morra"):
                continue
            found.append(pytest.param(name, text, id=f"{name}, {text}"))
    return found


@pytest.mark.parametrize(("name", "text"), cases())
def test_methods_agree_with_the_linear_program(name: str, text: str) -> None:
    form, (iterations, part) = form_of(text), BUDGETS.get(name, USUAL)
    settings = {"accuracy": part * uniform_gap(form)} if name == "smoothing" else {}
    found = solve(form, name, iterations=iterations, **settings)
    assert found.gap <= part * uniform_gap(form)
    slack = 1e-9 * max(1.0, uniform_gap(form))
    assert found.lower - slack <= value_of(text) <= found.upper + slack
    assert found.lower - slack <= found.value <= found.upper + slack
    for strategy in found.profile:  # checked when they are made; plans are plans
        sums = strategy.treeplex.sums(strategy.plan)
        np.testing.assert_allclose(sums, strategy.plan[strategy.treeplex.flat.parent], atol=1e-9)
    assert found.method == name
    assert len(found.trace) >= 1
    assert found.trace.gap[-1] == pytest.approx(found.gap, rel=1e-6, abs=slack)


@pytest.mark.parametrize("text", ["leduc", "uniform-random:rows=8,columns=6,seed=3"])
def test_the_suite_fails_with_uniform_strategies(text: str) -> None:
    """What the conformance test asks for is not where methods begin."""
    form = form_of(text)
    X, Y, A = form
    x, y = X.plan(X.uniform()), Y.plan(Y.uniform())
    found = gap_of_plans(X, Y, A, x, y)
    assert all(found.gap > part * uniform_gap(form) for _, part in (*BUDGETS.values(), USUAL))
    assert found.lower < value_of(text) < found.upper


@pytest.mark.parametrize("name", [name for name in METHODS if name != "lp"])
def test_interrupted_runs_end_with_the_same_numbers(name: str, tmp_path: Path) -> None:
    form, file = form_of("leduc"), tmp_path / "run.saddle"
    count = 20_000 if name == "mccfr" else 200
    whole = solve(form, name, iterations=count)
    asked = [0]

    def stop() -> bool:
        asked[0] += 1
        return asked[0] > 5

    part = solve(form, name, iterations=count, stop=stop, checkpoint=file)
    assert part.status is Status.INTERRUPTED
    assert part.iterations < count
    rest = solve(form, name, iterations=count, checkpoint=file)
    assert rest.iterations == whole.iterations
    for one, two in zip(rest.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(one.probabilities, two.probabilities)
    np.testing.assert_array_equal(rest.trace.gap, whole.trace.gap)
