"""Studies by name."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import numpy as np
import pytest

import saddlepoint as sp
from saddlepoint.core.errors import SettingsError
from saddlepoint.games.poker import clairvoyance, no_limit_kuhn
from saddlepoint.reverse.lift import lift_profile
from saddlepoint.reverse.mappings import MAPPINGS
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.studies.equilibria import unselected
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.questions import QUESTIONS, ask
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import write_report
from saddlepoint.studies.tables import leduc_cards, leduc_pathologies, mapping_grid


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    return Kitchen(Keeper(tmp_path / "steps"), vertices=3)


@pytest.mark.parametrize("name", ["desiderata", "superiority", "coaches"])
def test_reports_are_written(name: str, kitchen: Kitchen, tmp_path: Path) -> None:
    page, data = write_report(ask(name, kitchen), tmp_path / "report.html")
    assert page.read_text().count("<table>") >= 2
    found = json.loads(data.read_text())
    assert found["tables"][0]["rows"]
    assert escape(found["title"]) in page.read_text()


def test_unknown_studies() -> None:
    with pytest.raises(SettingsError, match=r"unknown study 'pathology' .*pathologies"):
        ask("pathology")
    assert all(q.text and q.source for q in QUESTIONS.values())


def test_desiderata_as_in_paper_001(kitchen: Kitchen) -> None:
    """Section 7: only the pseudo-harmonic mapping and rand-arith satisfy all, as they are meant."""
    rows = {row[0]: row[1:] for row in ask("desiderata", kitchen).tables[0].rows}
    heads = ask("desiderata", kitchen).tables[0].heads[1:]
    meant = [k for k, name in enumerate(heads) if name != "printed invariance"]
    whole = [name for name, row in rows.items() if all(row[k] == "yes" for k in meant)]
    assert whole == ["rand-arith", "rand-pshar"]


@pytest.mark.parametrize("make", [clairvoyance, no_limit_kuhn])
def test_without_abstraction_no_mapping_costs_anything(make: object) -> None:
    found = mapping_grid.exploitabilities(make, 2, "all", "real")  # type: ignore[arg-type]
    np.testing.assert_allclose(list(found.values()), 0.0, atol=1e-9)


def test_a_second_size_is_never_worse_than_the_best_one_beside_it() -> None:
    """Sizes of no-limit Kuhn poker with one pot behind, against Table 5."""
    found = mapping_grid._sizes(1)
    for name in MAPPINGS:
        assert found[f"{name}, one"] <= found[f"{name}, 0.4"] + 1e-12
    assert found["rand-pshar, two"] == pytest.approx(0.0, abs=1e-9)
    assert found["det-pshar, size"] == 0.4


def test_pathologies_are_measured_by_best_responses(kitchen: Kitchen) -> None:
    """One pair by the front desk: both lifted strategies as one profile of the full game."""
    own, theirs = "J.QK", "JQ.K"
    found = leduc_pathologies.exploitabilities(kitchen, own, theirs)
    one, two = leduc_cards.seen(own, theirs), leduc_cards.seen(theirs, own)
    profiles = []
    for pair in (one, two):
        form = pair.game.sequence_form()
        x, y = unselected(form, 1), unselected(form, 2)
        first, second = Strategy.of_plan(form.X, x, 1), Strategy.of_plan(form.Y, y, 2)
        profiles.append(lift_profile(pair, Profile(form, first, second)))
    agent = Profile(one.real.sequence_form(), profiles[0].first, profiles[1].second)
    assert found[0] == pytest.approx(1000 * sp.exploitability(agent))
    full = leduc_pathologies.exploitabilities(kitchen, "full", "full")
    np.testing.assert_allclose(full, 0.0, atol=1e-6)


def test_refinements_that_are_worse_are_listed() -> None:
    lost = {
        (own, theirs): np.array([10.0, 12.0])
        for own in leduc_cards.ABSTRACTIONS
        for theirs in leduc_cards.ABSTRACTIONS
    }
    assert leduc_pathologies.refined_for_the_worse(lost) == []
    lost["J.Q.K", "full"] = np.array([11.0, 13.0])
    lost["full", "full"] = np.array([20.0, 14.0])
    found = leduc_pathologies.refined_for_the_worse(lost)
    assert ("the agent", "JQ.K-full", "J.Q.K-full", 10.0, 11.0, "no") in found
    assert ("the agent", "J.Q.K-full", "full-full", 11.0, 20.0, "yes") in found
    assert ("both", "J.Q.K-J.Q.K", "full-full", 10.0, 20.0, "yes") in found
    assert len(found) == 6


def test_thresholds_run_from_the_strategy_to_its_purification(kitchen: Kitchen) -> None:
    own, theirs = "JQ.K", "J.QK"
    ends = leduc_cards.thresholds(kitchen, own, theirs, np.array([0.0, 1.0]))
    found = leduc_cards.values(kitchen, own, theirs)
    for k, kind in enumerate(("plain", "purified")):
        mean = (found[f"{kind}1"][0, 0] + found[f"{kind}2"][0, 0]) / 2
        assert ends[k] == pytest.approx(mean)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_study_is_done(name: str, kitchen: Kitchen) -> None:
    found = ask(name, kitchen)
    assert found.tables
    assert all(table.rows for table in found.tables)
