"""Parts of card games; that they solve the same game, `tests/solvers/test_by_parts.py` has it."""

from __future__ import annotations

import numpy as np
import pytest

from saddlepoint.games.poker import leduc, rhode_island
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.parts import CHUNKS, parts_of
from saddlepoint.solvers import cfr


@pytest.fixture(scope="module")
def form() -> SequenceForm:
    game = rhode_island(ranks="23A", suits=2, raises=0, realisation="cards")
    return game.sequence_form()


def test_parts_are_the_boards(form: SequenceForm) -> None:
    found = parts_of(form.X, form.Y, form.A)
    assert found is not None
    parts, trunk = found
    last = [term.deal for term in form.A.terms][-1]
    np.testing.assert_array_equal(parts.begin, last.board)  # type: ignore[attr-defined]
    for plex, run, start in zip((form.X, form.Y), parts.runs, parts.trunk, strict=True):
        assert plex.blocks.lanes[run.first] == parts.begin[-1] * run.width
        assert plex.blocks.start[run.first] == start
        assert run.local[-1] + plex.blocks.actions[run.last - 1] == sum(
            plex.blocks.actions[run.first : run.last]
        )
    assert len(trunk.terms) == len(form.A.terms) - 2
    assert len(parts.chunks) == CHUNKS + 1


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # positions wrap
def test_two_iterations_are_those_of_whole_sweeps(
    form: SequenceForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small enough to be run without compilation, where every access is checked."""
    runs = []
    for least in (0, 1 << 62):
        monkeypatch.setattr(cfr, "BY_PARTS_FROM", least)
        runs.append(cfr.DiscountedCFR(threads=1).start(form))
        runs[-1].advance(2, 60.0)
    assert (runs[0].by_parts is None, runs[1].by_parts is None) == (False, True)
    for mine, other in zip(runs[0].players, runs[1].players, strict=True):
        np.testing.assert_allclose(mine.R, other.R, atol=1e-7)
        np.testing.assert_allclose(mine.mean, other.mean, atol=1e-12)


def test_tables_have_no_parts() -> None:
    form = leduc().sequence_form()
    assert parts_of(form.X, form.Y, form.A) is None
