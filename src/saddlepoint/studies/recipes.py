"""Published tables computed anew: which recipe makes which table, and the report.

A recipe is a function of a `Kitchen` that returns a figure for every cell of its table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.core.version import VERSION
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.published import IN_RANGE, PAPERS, REPRODUCED, Cell, Ours, table

# Where the recipes are: "module:function" below saddlepoint.studies.tables.
RECIPES: dict[tuple[str, str], str] = {
    ("000", "1"): "purification:table_1",
    ("000", "1 (games)"): "purification:table_1_games",
    ("000", "Observation 1"): "observation:table_observation_1",
    ("000", "Observation 1 (3 by 3)"): "observation:table_observation_1_small",
    ("000", "Observation 1 (worse)"): "observation:table_observation_1_worse",
    ("000", "Proposition 1"): "purification:proposition_1",
    ("000", "2"): "leduc_cards:table_2",
    ("000", "2 (claims)"): "leduc_cards:table_2_claims",
    ("000", "2 (best)"): "leduc_cards:table_2_best",
    ("001", "1"): "translation:table_1",
    ("001", "2"): "translation:table_2",
    ("001", "3"): "translation:table_3",
    ("001", "4"): "translation:table_4",
    ("001", "5"): "translation:table_5",
    ("001", "6"): "translation:table_6",
    ("001", "section 5"): "translation_facts:worked",
    ("001", "figure 1"): "translation_facts:medians",
    ("001", "appendix A"): "translation_facts:calling_interval",
    ("001", "section 9.2"): "translation_facts:only_bet",
    ("001", "footnote 6"): "translation_facts:folding_variant",
    ("002", "3x3"): "purification:table_3x3",
    ("003", "3.1"): "program_sizes:table_3_1",
    ("003", "section 5.2.1"): "program_sizes:section_5_2_1",
    ("003", "section 5.5"): "program_sizes:section_5_5",
    ("003", "section 6.3.1"): "program_sizes:section_6_3_1",
    ("003", "8.1"): "program_sizes:table_8_1",
    ("003", "section 10.2.1"): "program_sizes:section_10_2_1",
    ("003", "10.1"): "memory:table_10_1",
    ("003", "6.6"): "rhode_island:table_6_6",
    ("003", "6.7"): "rhode_island:table_6_7",
    ("003", "6.7 (real)"): "rhode_island:table_6_7_real",
    ("003", "6.8"): "rhode_island:table_6_8",
    ("003", "6.8 (real)"): "rhode_island:table_6_8_real",
    ("003", "6.9"): "rhode_island:table_6_9",
    ("003", "section 6.7.5"): "rhode_island:section_6_7_5",
    ("003", "7.1"): "rhode_island:table_7_1",
    ("004", "3.4"): "polaris:table_3_4",
    ("004", "3.5"): "polaris:table_3_5",
    ("004", "4.1"): "boundary:table_4_1",
    ("004", "4.4"): "polaris:table_4_4",
    ("004", "4.7"): "polaris:table_4_7",
    ("004", "5.1"): "switching:table_5_1",
    ("004", "5.1 (samples)"): "switching:table_5_1_samples",
    ("004", "A.1"): "switching:table_a_1",
    ("004", "A.1 (bets)"): "switching:table_a_1_bets",
    ("004", "A.2"): "switching:table_a_2",
    ("004", "section 3.2.1"): "polaris_facts:growth",
    ("004", "section 3.4"): "polaris_facts:up_bets",
    ("004", "section 4.2.1"): "polaris_facts:in_and_out",
    ("004", "section 5.3"): "switching:kuhn_switched",
}


@dataclass
class Kitchen:
    """What recipes work with.

    Parameters
    ----------
    keeper
        Keeps the steps.
    seed
        For whatever is drawn at random.
    vertices
        Equilibria that are drawn from a face to see how far a figure depends on the choice.
    say
        Takes a line on what goes on.
    """

    keeper: Keeper = field(default_factory=Keeper)
    seed: int = 0
    vertices: int = 100
    say: Callable[[str], None] = lambda text: None

    def step(
        self,
        name: str,
        key: Mapping[str, Any],
        compute: Callable[[], dict[str, Any]],
        text: str | None = None,
    ) -> dict[str, Any]:
        """The result of a step, kept (see `saddlepoint.studies.keep`); text is what it says."""

        def told() -> dict[str, Any]:
            self.say(text or f"{name}: {_words(key)}")
            return compute()

        return self.keeper.step(name, key, told)


def _words(key: Mapping[str, Any]) -> str:
    """What a key says to people: its plain entries, but those that are the same for all steps."""
    same = ("seed", "vertices", "highs", "opponents")
    plain = {k: v for k, v in key.items() if k not in same and isinstance(v, (str, int, float))}
    return ", ".join(f"{k} {v}" for k, v in plain.items())


@dataclass(frozen=True)
class Reproduction:
    """A table that was computed anew."""

    paper: str
    table: str
    title: str
    unit: str
    rules: str
    cells: list[Cell]
    seconds: float

    @property
    def reproduced(self) -> int:
        """Cells that come out within rounding."""
        return sum(cell.status == REPRODUCED for cell in self.cells)

    @property
    def in_range(self) -> int:
        """Cells inside the range over equilibria, and not reproduced."""
        return sum(cell.status == IN_RANGE for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """The reproduction as plain data."""
        keys = ("paper", "table", "title", "unit", "rules", "reproduced", "in_range", "seconds")
        return {key: getattr(self, key) for key in keys} | {
            "total": len(self.cells),
            "cells": [cell.to_dict() for cell in self.cells],
            "version": VERSION,
        }


def numbers(paper: str | None = None) -> list[tuple[str, str]]:
    """The tables that can be computed, of one paper or of all.

    >>> numbers("001")[:2]
    [('001', '1'), ('001', '2')]
    """
    if paper is not None and paper not in PAPERS:
        raise SettingsError(unknown("paper", paper, PAPERS))
    return [key for key in RECIPES if paper in (None, key[0])]


def check_table(paper: str, number: str) -> None:
    """Raise unless a table can be computed."""
    known = [n for _, n in numbers(paper)]
    if number not in known:
        raise SettingsError(unknown(f"table of paper {paper}", number, known))


def reproduce(paper: str, number: str, kitchen: Kitchen | None = None) -> Reproduction:
    """Compute a published table anew and compare it.

    >>> found = reproduce("001", "1")
    >>> found.reproduced, len(found.cells)
    (20, 20)
    """
    check_table(paper, number)
    module, _, function = RECIPES[paper, number].partition(":")
    recipe: Callable[[Kitchen], Mapping[str, Ours]] = getattr(
        import_module(f"saddlepoint.studies.tables.{module}"), function
    )
    entry, began = table(paper, number), time.perf_counter()
    cells = entry.compare(recipe(kitchen or Kitchen()))
    return Reproduction(
        *(paper, number, entry.title, entry.unit, entry.rules.strip(), cells),
        time.perf_counter() - began,
    )


def reproduce_all(
    wanted: Iterable[tuple[str, str]], kitchen: Kitchen | None = None
) -> list[Reproduction]:
    """Compute several tables, in order; what they share is computed once."""
    kitchen = kitchen or Kitchen()
    return [reproduce(paper, number, kitchen) for paper, number in wanted]
