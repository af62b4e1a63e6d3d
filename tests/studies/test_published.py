"""Published tables as data, and how ours are compared with them."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from saddlepoint.core.errors import SettingsError
from saddlepoint.studies.published import PAPERS, UNEXPLAINED, Ours, Table, table, tables
from saddlepoint.studies.recipes import RECIPES


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_has_a_recipe_and_every_recipe_a_table(paper: str) -> None:
    assert set(tables(paper)) == {number for p, number in RECIPES if p == paper}


@pytest.mark.parametrize("paper", PAPERS)
def test_reasons_are_of_cells_that_exist(paper: str) -> None:
    for entry in tables(paper).values():
        assert set(entry.why) - {"*"} <= set(entry.cells)
        assert set(entry.tolerances) <= set(entry.cells)
        assert entry.title
        assert entry.title[-1] != "."


@pytest.mark.parametrize("paper", PAPERS)
def test_data_files_hold_data_only(paper: str) -> None:
    file = resources.files("saddlepoint.studies").joinpath(f"published/{paper}.toml")
    known = {"number", "title", "unit", "digits", "tolerance", "tolerances", "rules"}
    for entry in tomllib.loads(file.read_text())["table"]:
        assert set(entry) <= known | {"columns", "rows", "why"}


SMALL = Table(
    paper="001",
    number="0",
    title="A small one",
    cells={"a, 1": 0.25, "a, 2": 0.5, "b, 1": 1.0, "b, 2": 2.0},
    digits=2,
    why={"b, 2": "a misprint"},
)


def test_statuses() -> None:
    found = SMALL.compare(
        {
            "a, 1": Ours(0.2549),  # rounds to 0.25
            "a, 2": Ours(0.4, 0.3, 0.6),
            "b, 1": Ours(1.2, 1.1, 1.3),
            "b, 2": Ours(2.1),
        }
    )
    assert [cell.status for cell in found] == ["reproduced", "in range", "differs", "differs"]
    assert [cell.why for cell in found] == ["", "", UNEXPLAINED, "a misprint"]


def test_rounding_is_half_a_unit_of_the_last_digit() -> None:
    others = {name: Ours(figure) for name, figure in SMALL.cells.items()}
    for ours, status in ((0.2550, "reproduced"), (0.2551, "differs"), (0.245, "reproduced")):
        assert SMALL.compare(others | {"a, 1": Ours(ours)})[0].status == status


def test_missing_and_superfluous_cells_are_refused() -> None:
    ours = {name: Ours(figure) for name, figure in SMALL.cells.items()}
    with pytest.raises(SettingsError, match=r"no figure for \['a, 1'\]"):
        SMALL.compare({k: v for k, v in ours.items() if k != "a, 1"})
    with pytest.raises(SettingsError, match=r"no published one for \['c, 1'\]"):
        SMALL.compare(ours | {"c, 1": Ours(0.0)})


def test_unknown_papers_and_tables() -> None:
    with pytest.raises(SettingsError, match="unknown paper '01'"):
        table("01", "1")
    with pytest.raises(SettingsError, match="unknown table of paper 001 '99'"):
        table("001", "99")
