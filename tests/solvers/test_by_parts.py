"""Parts: the same iterations as whole sweeps, board by board and thread by thread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saddlepoint.core.errors import SettingsError, StoreError
from saddlepoint.games.catalogue import game
from saddlepoint.games.poker import rhode_island
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.parts import CHUNKS, parts_of
from saddlepoint.sequence.response import gap
from saddlepoint.solvers import cfr
from saddlepoint.solvers.run import run


@pytest.fixture(scope="module")
def form() -> SequenceForm:
    return rhode_island(ranks="2345A", suits=2, realisation="cards").sequence_form()


def begun(
    form: SequenceForm, settings: cfr.RegretMatching, iterations: int, by_parts: bool
) -> cfr.RegretRun:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cfr, "BY_PARTS_FROM", 0 if by_parts else 1 << 62)
        work = settings.start(form)
    assert (work.by_parts is not None) == by_parts
    work.advance(iterations, 60.0)
    return work


@pytest.mark.parametrize(
    "settings",
    [
        *(cfr.CFR(), cfr.CFRPlus(), cfr.LinearCFR(), cfr.DiscountedCFR()),
        *(cfr.PredictiveCFRPlus(), cfr.DiscountedCFR(alpha=2.0, beta=-0.5, gamma=6.0)),
    ],
    ids=lambda s: f"{s.name}-{s.gamma:g}",
)
def test_the_first_iterations_are_those_of_whole_sweeps(
    form: SequenceForm, settings: cfr.RegretMatching
) -> None:
    """To rounding: where regrets that should be zero are not, strategies part later on."""
    one, two = (begun(form, settings, 2, by_parts) for by_parts in (True, False))
    for mine, other in zip(one.players, two.players, strict=True):
        np.testing.assert_allclose(mine.R, other.R, atol=1e-7)
        np.testing.assert_allclose(mine.mean, other.mean, atol=1e-12)
    assert one.mass == two.mass


@pytest.mark.parametrize("precision", cfr.PRECISIONS)
def test_they_lead_to_the_same_gap(form: SequenceForm, precision: str) -> None:
    settings = cfr.DiscountedCFR(precision=precision)
    found = []
    for by_parts in (True, False):
        x, y = begun(form, settings, 150, by_parts).plans()
        found.append(gap(form.X, form.Y, form.A, x, y))
    one, two = (f.upper - f.lower for f in found)
    assert one == pytest.approx(two, rel=0.1)
    begin = begun(form, settings, 1, True).plans()
    first = gap(form.X, form.Y, form.A, *begin)
    assert one < (first.upper - first.lower) / 50


@pytest.mark.parametrize("threads", [2, 3, CHUNKS])
def test_threads_make_no_difference_at_all(form: SequenceForm, threads: int) -> None:
    alone, together = (
        begun(form, cfr.DiscountedCFR(threads=n, precision="single"), 9, True) for n in (1, threads)
    )
    for mine, other in zip(alone.players, together.players, strict=True):
        for key in ("s", "R", "mean", "x"):
            np.testing.assert_array_equal(getattr(mine, key), getattr(other, key))


def test_a_resumed_run_is_the_same(form: SequenceForm) -> None:
    whole = begun(form, cfr.DiscountedCFR(), 12, True)
    half = begun(form, cfr.DiscountedCFR(), 5, True)
    later = begun(form, cfr.DiscountedCFR(), 0, True)
    later.restore(5, {key: np.array(value) for key, value in half.state().items()})
    later.advance(7, 60.0)
    for one, two in zip(whole.plans(), later.plans(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_chunks_are_all_parts(form: SequenceForm) -> None:
    found = parts_of(form.X, form.Y, form.A)
    assert found is not None
    parts = found[0]
    assert parts.chunks[0] == 0
    assert parts.chunks[-1] == len(parts.begin) - 1
    assert (np.diff(parts.chunks) >= 0).all()
    assert (np.diff(parts.begin) * parts.runs[0].width).max() == parts.lanes


@pytest.mark.parametrize(
    "text", ["kuhn", "leduc", "no-limit-leduc:stack=5", "clairvoyance:stack=1", "no-limit-kuhn"]
)
def test_games_without_parts(text: str) -> None:
    form = game(text).sequence_form()
    assert parts_of(form.X, form.Y, form.A) is None


def test_matrices_have_no_parts() -> None:
    form = matrix_form([[1, 2], [3, 4]])
    assert parts_of(form.X, form.Y, form.A) is None
    with pytest.raises(SettingsError, match="threads is 9, expected a whole number"):
        cfr.DiscountedCFR(threads=9)


def test_a_checkpoint_goes_on_with_any_number_of_threads(
    form: SequenceForm, tmp_path: Path
) -> None:
    file = tmp_path / "state.saddle"
    run(form, cfr.DiscountedCFR(threads=1), iterations=5, checkpoint=file)
    later = run(form, cfr.DiscountedCFR(threads=2), iterations=9, checkpoint=file)
    assert later.iterations == 9
    with pytest.raises(StoreError, match="is a checkpoint of dcfr"):
        run(form, cfr.DiscountedCFR(gamma=3.0), iterations=9, checkpoint=file)
