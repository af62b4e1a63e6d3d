"""Reports: facts, tables and plots, as one self-contained HTML page and as JSON."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from saddlepoint.core.errors import StoreError
from saddlepoint.core.version import VERSION
from saddlepoint.studies.plots import Axis, Plot

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .2rem .8rem; border-bottom: 1px solid #ddd; text-align: left; }
td.number { text-align: right; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
figcaption, .note { color: #555; font-size: .9rem; white-space: pre-line; }
"""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a report."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""

    def texts(self) -> list[list[str]]:
        """The rows as people read them."""
        return [[shown(entry) for entry in row] for row in self.rows]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a study found.

    Parameters
    ----------
    title
        What was studied.
    facts
        Pairs of a name and what it is.
    tables, plots
        The figures.
    made
        What made it: settings, seeds, versions.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    made: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "title": self.title,
            "facts": dict(self.facts),
            "tables": [
                {"title": t.title, "heads": list(t.heads), "rows": [list(row) for row in t.rows]}
                for t in self.tables
            ],
            "plots": [
                {"title": p.title, "x": p.x, "y": p.y, "series": _plain(p.series)}
                for p in self.plots
            ],
            "made": dict(self.made),
            "version": VERSION,
        }

    def html(self) -> str:
        """The report as one page that needs nothing else."""
        facts = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in self.facts)
        made = json.dumps(dict(self.made), indent=1, default=str)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{STYLE}</style></head><body>"
            f"<h1>{escape(self.title)}</h1><table>{facts}</table>"
            + "".join(_table(table) for table in self.tables)
            + "".join(
                f"<figure>{plot.svg()}<figcaption>{escape(plot.title)}</figcaption></figure>"
                for plot in self.plots
            )
            + f"<h2>What made it</h2><pre>{escape(made)}</pre>"
            f'<p class="note">Saddlepoint {VERSION}</p></body></html>\n'
        )


def shown(entry: Any) -> str:
    """A figure for people: six digits, a dash for none."""
    if entry is None or (isinstance(entry, float) and math.isnan(entry)):
        return "-"
    if isinstance(entry, float):
        return f"{entry:.6g}"
    return f"{entry:,}" if isinstance(entry, int) and not isinstance(entry, bool) else str(entry)


def _table(table: Table) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{_number(entry)}>{escape(text)}</td>"
            for entry, text in zip(row, texts, strict=True)
        )
        + "</tr>"
        for row, texts in zip(table.rows, table.texts(), strict=True)
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2>{escape(table.title)}</h2><div class="wide"><table><tr>{heads}</tr>{rows}</table>'
        f"</div>{note}"
    )


def _number(entry: Any) -> str:
    return ' class="number"' if isinstance(entry, (int, float)) or entry is None else ""


def _plain(series: Mapping[str, tuple[Axis, Axis]]) -> dict[str, Any]:
    return {
        name: {"x": [_item(v) for v in x], "y": [_item(v) for v in y]}
        for name, (x, y) in series.items()
    }


def _item(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def write_report(report: Report, path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write the page, and its data beside it as JSON; each atomically."""
    page = Path(path)
    data = page.with_suffix(".json")
    write_text(page, report.html())
    write_text(data, json.dumps(report.to_dict(), indent=1, default=str) + "\n")
    return page, data


def write_text(path: Path, text: str) -> None:
    """Write a text file, so that readers see the old one or the new one."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write any file in the same way."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as problem:
        raise StoreError(f"cannot write {path}: {problem.strerror}") from None
