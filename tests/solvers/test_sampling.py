"""Samples of chance: unbiased, consistent, overfitted in time, and grown until they are not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saddlepoint.core.errors import SettingsError
from saddlepoint.games.draws import pairs_of
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import kuhn, leduc, rhode_island
from saddlepoint.games.sampling import Sampler, sampled, weights
from saddlepoint.sequence.response import gap
from saddlepoint.solvers import cfr
from saddlepoint.solvers.run import run
from saddlepoint.solvers.sampling import DynamicSampling, solve_by_samples

SMALL = (kuhn(), leduc(), rhode_island(ranks="234", suits=2, raises=0))


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
@pytest.mark.parametrize("proportion", [0.1, 0.37, 0.5, 0.9])
def test_every_sample_has_its_size_and_adds_up_to_one(
    game: FactoredGame, proportion: float
) -> None:
    draw = Sampler(game)
    P = draw.probability
    assert P.sum() == pytest.approx(1.0, abs=1e-12)
    rng = np.random.default_rng(1)
    for _ in range(20):
        w = weights(P, proportion, rng.permutation(len(P)), rng.random())
        assert (w > 0).sum() == np.ceil(proportion * len(P))
        assert w.sum() == pytest.approx(1.0, abs=1e-12)
        assert (w[w > 0] >= P[w > 0] * (1 - 1e-12)).all()


def expected(P: np.ndarray, proportion: float, order: np.ndarray) -> np.ndarray:
    """The expectation of the weights over the place of the first point, piece by piece.

    Found from the definition: pair k is drawn if a point u, u + 1, ... lies on its piece.
    """
    some = weights(P, proportion, order, 0.0)
    drawn = [weights(P, proportion, order, u) for u in np.linspace(0, 0.999, 97)]
    rate = np.max([w / P for w in [some, *drawn]], axis=0)  # 1 / probability to be drawn
    long = np.where(rate > 1 + 1e-9, 1 / rate, 0.0)[order]
    ends = np.cumsum(long)
    cuts = np.unique(np.concatenate([[0.0, 1.0], ends % 1.0]))
    total = np.zeros(len(P))
    for low, high in pairwise(cuts):
        total += (high - low) * weights(P, proportion, order, (low + high) / 2)
    return total


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
def test_the_expectation_over_samples_is_the_game(game: FactoredGame) -> None:
    draw = Sampler(game)
    rng = np.random.default_rng(7)
    for proportion in (0.2, 0.6):
        order = rng.permutation(len(draw.probability))
        weight = expected(draw.probability, proportion, order)
        np.testing.assert_allclose(weight, draw.probability, rtol=1e-9)
        form = draw.form_of(weight)
        found = form.A.entries().dense()
        np.testing.assert_allclose(found, draw.form.A.entries().dense(), atol=1e-12)


def test_a_proportion_of_one_is_the_game_itself() -> None:
    game = leduc()
    assert sampled(game, 1.0, 3) is game.sequence_form()
    draw = Sampler(game)
    w = weights(draw.probability, 1.0, np.arange(len(draw.probability)), 0.5)
    np.testing.assert_array_equal(w, draw.probability)


def test_rounds_of_a_sample_go_together() -> None:
    """Pairs of a round weigh what those that follow from them do; nothing else is dealt."""
    game = rhode_island(ranks="234", suits=2, raises=0)
    draw = Sampler(game)
    P = draw.probability
    deal = draw.deal_of(weights(P, 0.15, np.random.default_rng(2).permutation(len(P)), 0.3))
    pairs_of(deal)  # which refuses rounds that contradict each other
    for r, (small, whole) in enumerate(zip(deal.rounds, game.deal.rounds, strict=True)):
        joint, before = small.fold.entries(), whole.fold.entries()
        assert joint.values.sum() == pytest.approx(1.0, abs=1e-12)
        assert len(joint) < len(before) or r == 0
        assert ((before.dense() > 0) >= (joint.dense() > 0)).all()
        assert (np.abs(small.showdown.entries().dense()) <= joint.dense() + 1e-15).all()


def test_samples_differ_by_their_seed_alone() -> None:
    game = leduc()
    one, same, other = (sampled(game, 0.5, seed).A.entries().dense() for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    for bad in (0.0, -0.1, 1.1, float("nan")):
        with pytest.raises(SettingsError, match="proportion is"):
            sampled(game, bad, 1)


def test_samples_are_overfitted() -> None:
    """A static sample: its gap falls to nothing, and the real one stays where it was."""
    draw = Sampler(rhode_island(ranks="2345", suits=2, raises=0))
    small = draw(0.1, 1)
    assert len(small.A.entries()) < 0.5 * len(draw.form.A.entries())
    found = run(small, cfr.DiscountedCFR(), iterations=200)
    x, y = (strategy.plan for strategy in found.profile)
    form = draw.form
    real = gap(form.X, form.Y, form.A, x, y).gap
    assert found.gap < 0.02 * real
    larger = run(draw(0.8, 1), cfr.DiscountedCFR(), iterations=200)
    x, y = (strategy.plan for strategy in larger.profile)
    assert gap(form.X, form.Y, form.A, x, y).gap < 0.5 * real


def overfitted(trigger: str, before: dict[str, float], look: dict[str, float]) -> bool:
    """What calls for a larger sample, from its definition."""
    new = before["proportion"] != look["proportion"]
    return {
        "stall": not new and look["gap"] > 0.95 * before["gap"],
        "rise": not new and look["gap"] > before["gap"],
        "apart": look["gap"] > 4.0 * look["gap in the sample"],
    }[trigger]


@pytest.mark.parametrize("trigger", ["stall", "apart"])
def test_dynamic_sampling_reaches_a_gap_of_the_game(trigger: str) -> None:
    draw = Sampler(rhode_island(ranks="2345", suits=2, raises=0))
    settings = DynamicSampling(proportion=0.05, trigger=trigger, seed=1)
    found = solve_by_samples(draw.form, draw, settings, gap=1.0, iterations=3000)
    assert found.gap <= 1.0 < found.trace.gap[0]
    assert check_looks(found.notes["looks"], trigger) > 2
    never = DynamicSampling(proportion=0.05, trigger="never", seed=1)
    static = solve_by_samples(draw.form, draw, never, iterations=found.iterations)
    assert static.notes["proportion"] == 0.05
    assert static.gap > 100 * found.gap


def test_a_real_gap_that_rises_calls_for_a_larger_sample() -> None:
    draw = Sampler(leduc())
    rises = DynamicSampling(proportion=0.2, trigger="rise", seed=1, every=5)
    found = solve_by_samples(draw.form, draw, rises, iterations=500)
    assert check_looks(found.notes["looks"], "rise") > 1


def check_looks(looks: list[dict[str, float]], trigger: str) -> int:
    """How many proportions there were; each grown when it should, and only then."""
    parts = [look["proportion"] for look in looks]
    for k in range(1, len(looks) - 1):
        grown = looks[k + 1]["proportion"] == min(1.0, 2 * looks[k]["proportion"]) > parts[k]
        called = overfitted(trigger, looks[k - 1], looks[k]) and parts[k] < 1.0
        assert grown == called
        assert grown or parts[k + 1] == parts[k]
    return len(set(parts))


def test_resumed_dynamic_sampling_is_the_uninterrupted_one(tmp_path: Path) -> None:
    draw = Sampler(rhode_island(ranks="234", suits=2, raises=0))
    settings = DynamicSampling(proportion=0.1, seed=3)
    whole = solve_by_samples(draw.form, draw, settings, iterations=420)
    assert whole.notes["proportion"] > 0.1
    for goal in (30, 50, 170, 333, 420):
        part = solve_by_samples(
            draw.form, draw, settings, iterations=goal, checkpoint=tmp_path / "c.saddle"
        )
    assert part.gap == whole.gap
    assert part.notes == whole.notes
    for a, b in zip(part.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


@pytest.mark.parametrize(
    ("name", "wrong"),
    {
        "method": "lp",
        "proportion": 0.0,
        "growth": 1.0,
        "ratio": 0.5,
        "trigger": "x",
        "least": 0.0,
        "every": 0,
        "seed": -1,
    }.items(),
)
def test_settings_are_checked(name: str, wrong: Any) -> None:
    with pytest.raises(SettingsError, match=name):
        DynamicSampling(**{name: wrong})


def test_a_form_alone_cannot_be_sampled() -> None:
    with pytest.raises(SettingsError, match="solve_by_samples"):
        run(leduc(), DynamicSampling(), iterations=1)
