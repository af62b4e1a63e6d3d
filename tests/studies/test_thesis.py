"""Thesis 004: what is reproduced, and what its rules come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from saddlepoint.abstraction.bets import with_menu
from saddlepoint.games.poker import no_limit_leduc
from saddlepoint.measure.exact import guarantee
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.methods import solve
from saddlepoint.studies.equilibria import central, unselected
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.recipes import Kitchen, reproduce
from saddlepoint.studies.tables import polaris, switching


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Kitchen:
    return Kitchen(Keeper(tmp_path_factory.mktemp("steps")), vertices=2)


@pytest.mark.parametrize(
    ("table", "cells"),
    [
        ("A.1", 172),
        ("A.1 (bets)", 172),
        ("A.2", 30),
        ("section 3.2.1", 9),
        ("section 3.4", 7),
        ("section 4.2.1", 5),
        ("section 5.3", 3),
    ],
)
def test_what_comes_out_whole(kitchen: Kitchen, table: str, cells: int) -> None:
    found = reproduce("004", table, kitchen)
    assert found.reproduced == len(found.cells) == cells


@pytest.mark.parametrize(
    ("menu", "kind", "frame", "published"),
    [
        ("fcpa", "Hard", "abstract", 0.62),
        ("fcpa", "Soft", "abstract", 0.59),
        ("fcpa", "SoftND", "abstract", 0.62),
        ("fchpda", "Hard", "abstract", 0.44),
        ("fchpda", "Soft", "abstract", 0.36),
        ("fchpda", "SoftND", "abstract", 0.36),
        ("fchpda", "Hard", "real", 0.50),
        ("fchpda", "Soft", "real", 0.41),
        ("fchpda", "SoftND", "real", 0.41),
        ("fcpda", "Hard", "real", 1.23),
        ("fcpda", "Soft", "real", 1.12),
        ("fcpda", "SoftND", "real", 1.12),
        ("fcda", "SoftND", "abstract", 0.64),
        ("fcda", "SoftND", "real", 1.20),
    ],
)
def test_agents_who_act_first(
    kitchen: Kitchen, menu: str, kind: str, frame: str, published: float
) -> None:
    """Tables 4.4 and 4.7 for the central equilibrium."""
    won = polaris.winnings(kitchen, menu, 1, polaris.kind_in_frame(kind, frame))
    assert won[0] == pytest.approx(published, abs=0.02)


def test_dropped_actions_weigh_histories_too(kitchen: Kitchen) -> None:
    """The soft player without dominated actions who bets half the pot: 2.84.

    Were his histories weighed by what is left of the strategy, it would be 2.47.
    """
    won = polaris.winnings(kitchen, "fcha", 1, polaris.kind_in_frame("SoftND", "abstract"))
    assert won[0] == pytest.approx(2.84, abs=0.01)


def test_fixes_lead_from_the_unfixed_to_the_fixed_player(kitchen: Kitchen) -> None:
    """Table 3.4: all fixes together are the hard player of Table 4.4 in the abstract frame."""
    cells = polaris.table_3_4(kitchen)
    hard = polaris.table_3_5(kitchen)
    assert cells["Leduc BR, All"] == hard["Leduc BR, Abstract"]
    assert cells["Leduc BR, All"].value < cells["Leduc BR, Unfixed"].value


@pytest.mark.slow
def test_table_5_1(kitchen: Kitchen) -> None:
    cells = switching.table_5_1(kitchen)
    mean = (cells["Full Cover, P1"].value + cells["Full Cover, P2"].value) / 2
    assert cells["Full Cover, Average"].value == pytest.approx(mean)
    # As published: the hand-picked cover is better than the full one, soft better than hard
    # translation in either frame, and nobody is near equilibrium.
    average = {
        name.removesuffix(", Average"): cell.value
        for name, cell in cells.items()
        if name.endswith("Average")
    }
    assert abs(average.pop("Equilibrium")) < 1e-9
    assert average["Sub Cover"] < average["Full Cover"]
    for frame in ("real", "abstract"):
        assert average[f"fcpa ({frame},soft)"] < average[f"fcpa ({frame},hard)"]
    assert min(average.values()) > 0.3


@pytest.mark.parametrize("player", [1, 2])
def test_the_central_equilibrium_is_one_and_no_vertex(player: int) -> None:
    form = with_menu(no_limit_leduc(stack=12), "fchpda").sequence_form()
    value = solve(form, "lp").value
    sign = 1.0 if player == 1 else -1.0
    plans = central(form, player), unselected(form, player)
    plex = form.X if player == 1 else form.Y
    inside, vertex = (Strategy.of_plan(plex, plan, player) for plan in plans)
    for strategy in (inside, vertex):
        assert sign * (value - guarantee(form, strategy)) < 1e-5
    assert (inside.plan > 0).sum() > 1.2 * (vertex.plan > 0).sum()


@pytest.mark.slow
def test_the_claims_of_tables_4_4_and_4_7(tmp_path: Path) -> None:
    found = {t: reproduce("004", t, Kitchen(Keeper(tmp_path), vertices=20)) for t in ("4.4", "4.7")}
    for table in found.values():
        assert table.reproduced + table.in_range >= 36
    first = [c for t in found.values() for c in t.cells if c.cell.endswith("P2")]
    assert sum(abs(c.ours - c.published) <= 0.02 + 1e-9 for c in first) >= 31
    # The spread over equilibria is reported for every cell.
    assert all(c.low is not None and c.low <= c.ours for t in found.values() for c in t.cells)
