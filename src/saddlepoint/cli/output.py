"""What the commands print: tables, one JSON object, progress on standard error."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saddlepoint.solvers.run import Progress

PLAIN_SECONDS = 10.0
WIDE = 160


class Interrupted(Exception):
    """An interrupt that was told, with what had been found."""


def print_json(data: Any) -> None:
    """One object on standard output; what is not a number becomes null."""
    json.dump(_clean(data), sys.stdout, indent=2)
    sys.stdout.write("\n")


def _clean(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _clean(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_clean(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> None:
    """A table for people; columns of numbers are aligned right."""
    from rich.table import Table

    rows = [list(row) for row in rows]
    table = Table(title=title or None, title_justify="left", show_edge=False)
    for k, column in enumerate(columns):
        numeric = bool(rows) and all(_is_number(row[k]) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    _print(table)
    if note:
        print(note)


def print_facts(title: str, facts: Iterable[tuple[str, str]]) -> None:
    """Pairs of a name and what it is, below a title."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for name, fact in facts:
        table.add_row(f"  {name}", fact)
    print(title)
    _print(table)


def _print(table: Any) -> None:
    """On a terminal as wide as it is; elsewhere wide enough that nothing is folded."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console().print(table, markup=False)
        return
    text = io.StringIO()
    Console(file=text, width=WIDE).print(table, markup=False)
    print("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "").split(" ")[0])
    except ValueError:
        return False
    return True


def say(text: str) -> None:
    """A line for people on standard error, where it does not disturb the output."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def progress_bar(title: str, shown: bool) -> Iterator[Any]:
    """Give a callback that shows the gap, the pace and the time left.

    On a terminal a live line, elsewhere a line every ten seconds.
    """
    if not shown:
        yield None
        return
    if not sys.stderr.isatty():
        yield _plain_lines(title)
        return
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.TextColumn("{task.fields[news]}"),
        rich_progress.TimeElapsedColumn(),
    )
    with rich_progress.Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(title, total=1.0, news="")
        first: list[float] = []

        def update(p: Progress) -> None:
            first[:] = first or [p.gap]
            bars.update(task, completed=_part_done(p, first[0]), news=news(p))

        yield update


def _plain_lines(title: str) -> Any:
    last = [0.0]

    def update(p: Progress) -> None:
        if p.seconds - last[0] >= PLAIN_SECONDS:
            last[0] = p.seconds
            say(f"{title}: {news(p)}, {p.seconds:.0f} s")

    return update


def news(p: Progress) -> str:
    """What a progress report says, in words."""
    left = "" if p.left is None else f", about {duration(p.left)} left"
    return f"iteration {p.iterations:,}, gap {p.gap:.3g}{left}"


def _part_done(p: Progress, first: float) -> float:
    """How far the gap has come to its goal, on a logarithmic scale."""
    if not p.goal or p.gap <= 0 or first <= p.goal:
        return 0.0
    return min(1.0, max(0.0, math.log(first / p.gap) / math.log(first / p.goal)))


def duration(seconds: float) -> str:
    """A time for people.

    >>> [duration(s) for s in (0.4, 75, 7200)]
    ['1 s', '1 min 15 s', '2 h 00 min']
    """
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
