"""How solvers got there: `trace`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from saddlepoint.cli import completing
from saddlepoint.cli.inspecting import Json
from saddlepoint.cli.output import print_json, print_table
from saddlepoint.core.errors import SettingsError, StoreError


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(trace)


def trace(
    solution: Annotated[
        list[str],
        typer.Argument(
            metavar="SOLUTION...",
            help="Files that saddle solve has written.",
            autocompletion=completing.strategies,
        ),
    ],
    plot: Annotated[
        Path | None, typer.Option(help="Draw the gaps into this file (.svg or .png).")
    ] = None,
    over: Annotated[str, typer.Option(help="seconds or iterations, on the x axis.")] = "seconds",
    json: Json = False,
) -> None:
    """Compare how fast solutions were found: when the gap fell below which goal."""
    from saddlepoint.api import load
    from saddlepoint.sequence.solution import Solution
    from saddlepoint.studies.traces import goals_of, named, reached, trace_plot

    found: dict[str, Any] = {}
    for path in solution:
        loaded = load(path)
        if not isinstance(loaded, Solution):
            raise StoreError(f"{path} holds a profile, expected a solution with its trace")
        found[Path(path).name] = loaded
    if len(found) < len(solution):
        raise SettingsError("two files have the same name, expected each once")
    told = named(found)
    goals = goals_of([s.trace for s in told.values()])
    if plot is not None:
        _draw(trace_plot(told, over), plot)
    rows = {name: [reached(s.trace, goal) for goal in goals] for name, s in told.items()}
    if json:
        print_json(
            {
                "goals": goals,
                "solutions": {
                    name: {
                        "game": s.profile.form.name,
                        "method": s.method,
                        "gap": s.gap,
                        "reached": [
                            None if at is None else {"iterations": at[0], "seconds": at[1]}
                            for at in rows[name]
                        ],
                        "trace": {k: v.tolist() for k, v in s.trace.arrays().items()},
                    }
                    for name, s in told.items()
                },
                "plot": None if plot is None else str(plot),
            }
        )
        return
    table = [
        (name, *("-" if at is None else f"{at[0]:,} ({at[1]:.2g} s)" for at in rows[name]))
        for name in told
    ]
    heads = ("", *(f"{goal:g}" for goal in goals))
    print_table("", heads, table, "iterations and seconds until the gap was at most this")
    if plot is not None:
        print(f"plot: {plot}")


def _draw(drawn: Any, file: Path) -> None:
    from saddlepoint.studies.report import write_bytes, write_text

    if file.suffix == ".png":
        write_bytes(file, drawn.png())
    elif file.suffix == ".svg":
        write_text(file, drawn.svg())
    else:
        raise SettingsError(f"cannot draw '{file}': expected a file ending in .svg or .png")
