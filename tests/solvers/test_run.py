from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import form_of
from saddlepoint.core.errors import SettingsError, StoreError, StrategyError
from saddlepoint.sequence.solution import Solution, Status
from saddlepoint.solvers import cfr
from saddlepoint.solvers.methods import method_named, solve
from saddlepoint.solvers.run import Progress, next_measurement, run, time_left


def same(one: Solution, two: Solution) -> None:
    assert (one.iterations, one.gap, one.value) == (two.iterations, two.gap, two.value)
    np.testing.assert_array_equal(one.trace.iterations, two.trace.iterations)
    np.testing.assert_array_equal(one.trace.gap, two.trace.gap)
    for a, b in zip(one.profile, two.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_goals_and_budgets() -> None:
    form = form_of("leduc")
    found = run(form, cfr.CFRPlus(), gap=0.05)
    assert found.status is Status.CONVERGED
    assert found.gap <= 0.05
    assert found.trace.gap[-2] > 0.05
    found = run(form, cfr.CFRPlus(), iterations=77)
    assert (found.status, found.iterations) == (Status.ITERATIONS, 77)
    began = time.perf_counter()
    found = run(form, cfr.CFRPlus(), gap=0.0, seconds=0.3)
    assert found.status is Status.SECONDS
    assert 0.3 <= time.perf_counter() - began < 60
    assert found.status.cure
    for bad in ({"gap": -1.0}, {"iterations": 0}, {"seconds": -2.0}, {"gap": float("nan")}):
        with pytest.raises(SettingsError, match=next(iter(bad))):
            run(form, cfr.CFRPlus(), **bad)


def test_the_solution_measures_what_it_returns() -> None:
    from saddlepoint.measure.exact import bounds, expected_value

    found = run(form_of("leduc"), cfr.DiscountedCFR(), iterations=50)
    b = bounds(found.profile)
    assert (b.lower, b.upper) == (found.lower, found.upper)
    assert expected_value(found.profile) == found.value


def test_progress_and_stop() -> None:
    seen: list[Progress] = []
    found = run(
        form_of("leduc"),
        cfr.CFR(),
        gap=1e-9,
        progress=seen.append,
        stop=lambda: len(seen) >= 2,
    )
    assert found.status is Status.INTERRUPTED
    assert seen[-1].iterations == found.iterations
    assert seen[-1].gap > 0


def test_a_resumed_run_is_the_uninterrupted_one(tmp_path: Path) -> None:
    form = form_of("leduc")
    whole = run(form, cfr.DiscountedCFR(), iterations=1000)
    path = tmp_path / "c.saddle"
    for goal in (1, 13, 200, 201, 640, 1000):
        part = run(form, cfr.DiscountedCFR(), iterations=goal, checkpoint=path)
    # Stopping at 13 measures there; all else is the same.
    assert part.gap == whole.gap
    for a, b in zip(part.profile, whole.profile, strict=True):
        np.testing.assert_array_equal(a.probabilities, b.probabilities)


@pytest.mark.parametrize("method", ["lp", "cfr+", "dcfr", "pcfr+"])
def test_checkpoints_of_other_work_are_refused(tmp_path: Path, method: str) -> None:
    path = tmp_path / "c.saddle"
    solve(form_of("kuhn"), method, iterations=5, checkpoint=path)
    with pytest.raises(StrategyError, match="was made for kuhn"):
        solve(form_of("leduc"), method, iterations=5, checkpoint=path)
    with pytest.raises(StoreError, match="not of cfr"):
        solve(form_of("kuhn"), "cfr", iterations=5, checkpoint=path)
    solution = solve(form_of("kuhn"), method, iterations=5)
    with pytest.raises(StoreError, match="expected a checkpoint"):
        solve(form_of("kuhn"), method, iterations=5, checkpoint=solution.save(path))


CHILD = """
import sys
from saddlepoint.games.catalogue import game
from saddlepoint.solvers.methods import solve
solve(game("leduc"), "dcfr", gap={gap}, checkpoint=sys.argv[1], checkpoint_seconds=0.01)
"""


@pytest.mark.parametrize("block", range(4))
def test_killed_runs_end_the_same(tmp_path: Path, block: int) -> None:
    """Five kills in each of four runs: twenty random moments, and a start among them."""
    gap = 1e-5
    whole = solve(form_of("leduc"), "dcfr", gap=gap)
    path = tmp_path / "c.saddle"
    rng = np.random.default_rng(block)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    reached = [0]
    for _ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD.format(gap=gap), str(path)], env=environment
        )
        # Long enough after the first checkpoint that the kill falls into the work.
        before = path.stat().st_mtime_ns if path.exists() else 0
        deadline = time.perf_counter() + 60
        while time.perf_counter() < deadline and child.poll() is None:
            if path.exists() and path.stat().st_mtime_ns != before:
                break
            time.sleep(0.001)
        time.sleep(float(rng.uniform(0, 0.06)))
        child.send_signal(signal.SIGKILL)
        child.wait()
        from saddlepoint.core import store

        reached.append(store.read(path).manifest["iterations"])
    assert reached == sorted(reached)
    assert reached[-1] > 0
    same(solve(form_of("leduc"), "dcfr", gap=gap, checkpoint=path), whole)
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.startswith(".")) == ["c.saddle"]


def test_measurements_depend_on_the_count_alone() -> None:
    points, t = [], 0
    while t < 1000:
        t = next_measurement(t)
        points.append(t)
    assert points[:9] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert max(b / a for a, b in pairwise(points[8:])) <= 1.125


def test_time_left_follows_the_power_law() -> None:
    points = [(t, float(t), 10.0 / t) for t in range(1, 101)]
    assert time_left(points, 0.01) == pytest.approx(900, rel=1e-6)
    assert time_left(points, 0.2) == 0.0
    assert time_left(points, None) is None
    assert time_left(points[:3], 0.01) is None
    assert time_left([(t, float(t), 1.0) for t in range(1, 50)], 0.01) is None


def test_names_and_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match=r"unknown method 'cfp\+' \(did you mean"):
        method_named("cfp+")
    with pytest.raises(SettingsError, match="unknown setting of dcfr 'gama'"):
        method_named("dcfr", gama=3)
    with pytest.raises(SettingsError, match="go with the name"):
        solve(form_of("kuhn"), cfr.CFR(), gamma=1)


@pytest.mark.parametrize("wrong", [1.5, 0, -1, "5", True, float("inf"), float("nan")])
def test_iterations_are_a_whole_number(wrong: Any) -> None:
    with pytest.raises(SettingsError, match=r"iterations is .*, expected a whole number"):
        solve(form_of("kuhn"), "cfr", iterations=wrong)


@pytest.mark.parametrize("wrong", ["1", True, [1], float("nan")])
def test_budgets_are_numbers(wrong: Any) -> None:
    for name in ("gap", "seconds"):
        with pytest.raises(SettingsError, match=f"{name} is .*, expected a number"):
            solve(form_of("kuhn"), "cfr", **{name: wrong})
