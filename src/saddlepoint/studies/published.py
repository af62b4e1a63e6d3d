"""Published tables as data, and how our figures compare with them.

The data stand in `published/*.toml`, one file a paper. A table has rows and columns; a cell
is called `row, column`. A cell that we compute is

* `reproduced`, if ours is the published figure within rounding (or the tolerance that the
  file states, with its reason);
* `in range`, if the figure depends on which equilibrium a solver returned, and the published
  one lies between our least and our greatest over the equilibria;
* `differs` otherwise, and the file says why, as far as we know.

No figure of ours is ever chosen because it fits.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError, unknown

PAPERS = ("000", "001", "002", "003", "004")
REPRODUCED, IN_RANGE, DIFFERS = "reproduced", "in range", "differs"
# Decimal fractions are not exact in binary: half a unit of the last digit and a hair.
HAIR = 1e-9
UNEXPLAINED = "not explained"


@dataclass(frozen=True)
class Ours:
    """What we compute for a cell.

    Parameters
    ----------
    value
        The figure of the rule that the recipe states.
    low, high
        The least and the greatest over all equilibria looked at, where it depends on that.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, figures: NDArray[np.float64]) -> Ours:
        """The figure of the unselected equilibrium, which comes first, and the range of all."""
        return cls(float(figures[0]), float(figures.min()), float(figures.max()))

    @classmethod
    def mean(cls, one: Ours, two: Ours) -> Ours:
        """The mean of two figures whose equilibria do not depend on each other."""
        ends = (
            (o.value if o.low is None else o.low, o.value if o.high is None else o.high)
            for o in (one, two)
        )
        (low, high), (least, greatest) = ends
        return cls((one.value + two.value) / 2, (low + least) / 2, (high + greatest) / 2)


@dataclass(frozen=True)
class Cell:
    """A published figure and ours."""

    paper: str
    table: str
    cell: str
    published: float
    ours: float
    low: float | None
    high: float | None
    status: str
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The cell as plain data."""
        return dict(self.__dict__)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A published table.

    Parameters
    ----------
    paper, number, title
        Which one it is.
    cells
        The published figures, by cell.
    digits
        Decimals that are printed.
    tolerance
        How far a figure of ours may be off and count as reproduced; half a unit of the last
        digit if the file does not say.
    tolerances
        The same for single cells, where figures differ in precision.
    rules
        With which rules it is computed, where the paper leaves them open.
    why
        Why cells differ.
    """

    paper: str
    number: str
    title: str
    cells: Mapping[str, float]
    digits: int = 3
    tolerance: float | None = None
    tolerances: Mapping[str, float] = field(default_factory=dict)
    unit: str = ""
    rules: str = ""
    why: Mapping[str, str] = field(default_factory=dict)

    def allowed(self, cell: str) -> float:
        """How far our figure for a cell may be off and count as reproduced."""
        exact = 0.5 * 10.0**-self.digits
        general = exact if self.tolerance is None else self.tolerance
        return self.tolerances.get(cell, general) + HAIR

    def compare(self, ours: Mapping[str, Ours]) -> list[Cell]:
        """Every published cell beside ours.

        Raises
        ------
        SettingsError
            If a cell is missing, or there is one too many.
        """
        missing, extra = set(self.cells) - set(ours), set(ours) - set(self.cells)
        if missing or extra:
            raise SettingsError(
                f"table {self.number} of paper {self.paper}: no figure for {sorted(missing)[:3]}, "
                f"no published one for {sorted(extra)[:3]}"
            )
        return [self._cell(name, ours[name]) for name in self.cells]

    def _cell(self, name: str, ours: Ours) -> Cell:
        published, allowed = self.cells[name], self.allowed(name)
        if abs(ours.value - published) <= allowed:
            status = REPRODUCED
        elif (
            ours.low is not None
            and ours.high is not None
            and ours.low - allowed <= published <= ours.high + allowed
        ):
            status = IN_RANGE
        else:
            status = DIFFERS
        why = self.why.get(name, self.why.get("*", UNEXPLAINED)) if status == DIFFERS else ""
        return Cell(
            paper=self.paper,
            table=self.number,
            cell=name,
            published=published,
            ours=ours.value,
            low=ours.low,
            high=ours.high,
            status=status,
            why=why,
        )


@cache
def tables(paper: str) -> dict[str, Table]:
    """The published tables of a paper, by number.

    >>> tables("001")["1"].cells["rand-pshar, 0.01"]
    0.612
    """
    if paper not in PAPERS:
        raise SettingsError(unknown("paper", paper, PAPERS))
    text = resources.files("saddlepoint.studies").joinpath(f"published/{paper}.toml").read_text()
    return {str(entry["number"]): _table(paper, entry) for entry in tomllib.loads(text)["table"]}


def table(paper: str, number: str) -> Table:
    """One published table."""
    found = tables(paper)
    if number not in found:
        raise SettingsError(unknown(f"table of paper {paper}", number, found))
    return found[number]


def _table(paper: str, entry: Mapping[str, Any]) -> Table:
    columns = entry["columns"]
    cells = {
        f"{row}, {column}": float(figure)
        for row, figures in entry["rows"].items()
        for column, figure in zip(columns, figures, strict=True)
        if not math.isnan(figure)
    }
    keys = ("title", "digits", "tolerance", "tolerances", "unit", "rules", "why")
    more = {key: entry[key] for key in keys if key in entry}
    return Table(paper=paper, number=str(entry["number"]), cells=cells, **more)
