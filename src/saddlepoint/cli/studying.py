"""Studies: `reproduce` published tables, do a `study`, `run` a pipeline file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saddlepoint.cli.inspecting import Json
from saddlepoint.cli.output import print_facts, print_json, print_table, say
from saddlepoint.core.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from saddlepoint.studies.recipes import Kitchen, Reproduction
    from saddlepoint.studies.report import Report

CacheFolder = Annotated[
    Path | None,
    typer.Option("--cache", help="Where steps are kept; SADDLEPOINT_CACHE or the user's cache."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Compute every step anew.")]
Seed = Annotated[int, typer.Option(help="For whatever is drawn at random.")]
Vertices = Annotated[
    int, typer.Option(min=1, help="Equilibria drawn to see what depends on the choice.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(reproduce)
    app.command()(study)
    app.command()(run)


def _papers(incomplete: str) -> list[str]:
    return [paper for paper in ("000", "001", "002", "003", "004") if paper.startswith(incomplete)]


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="000, 001, 002, 003 or 004.", autocompletion=_papers)
    ] = None,
    table: Annotated[
        list[str] | None, typer.Option("--table", "-t", help="Which table; may be repeated.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All tables of the paper, or of all papers.")
    ] = False,
    seed: Seed = 0,
    vertices: Vertices = 100,
    cache: CacheFolder = None,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute published tables anew, the published figures and ours side by side.

    Without a table the tables that there are. Interrupted, it goes on where it stopped.
    """
    from saddlepoint.studies.keep import Keeper
    from saddlepoint.studies.recipes import Kitchen, check_table, numbers
    from saddlepoint.studies.recipes import reproduce as cook

    known = numbers(paper)
    if table and paper is None:
        raise SettingsError(f"table {table[0]} of which paper? expected saddle reproduce PAPER")
    if not table and not everything:
        _list(known, json)
        return
    wanted = known if everything else [(str(paper), number) for number in table or ()]
    for one in wanted:
        check_table(*one)
    kitchen = Kitchen(Keeper(cache, fresh), seed, vertices, (lambda text: None) if quiet else say)
    done = []
    for one in wanted:
        done.append(cook(*one, kitchen))
        if not json:
            _print_reproduction(done[-1])
    if json:
        print_json(_as_one(done, kitchen))
    elif len(done) > 1:
        total = sum(len(d.cells) for d in done)
        print(
            f"{len(done)} tables: {sum(d.reproduced for d in done)} of {total} cells reproduced, "
            f"{sum(d.in_range for d in done)} more in range"
        )


def _list(known: list[tuple[str, str]], json: bool) -> None:
    from saddlepoint.studies.published import table as published

    entries = [published(*key) for key in known]
    if json:
        print_json(
            {
                "tables": [
                    {"paper": e.paper, "table": e.number, "title": e.title, "cells": len(e.cells)}
                    for e in entries
                ]
            }
        )
        return
    rows = [(f"{e.paper} ", e.number, str(len(e.cells)), e.title) for e in entries]
    note = "saddle reproduce 001 --table 3, saddle reproduce 001 --all, saddle reproduce --all"
    print_table("", ("paper", "table", "cells", "title"), rows, note)


def _print_reproduction(found: Reproduction) -> None:
    rows = [
        (
            cell.cell,
            f"{cell.published:.10g}",
            f"{cell.ours:.{10 if cell.ours == round(cell.ours) else 5}g}",
            "" if cell.low is None else f"{cell.low:.5g} to {cell.high:.5g}",
            cell.status,
            cell.why,
        )
        for cell in found.cells
    ]
    unit = f", in {found.unit}" if found.unit else ""
    heads = ("cell", "published", "ours", "over equilibria", "status", "why")
    kept = [k for k in range(len(heads)) if k < 3 or any(row[k] for row in rows)]
    print(f"paper {found.paper}, table {found.table}: {found.title}{unit}")
    print_table(
        "",
        [heads[k] for k in kept],
        [[row[k] for k in kept] for row in rows],
        found.rules,
    )
    print(
        f"{found.reproduced} of {len(found.cells)} cells reproduced"
        + (f", {found.in_range} more in range" if found.in_range else "")
        + f", {found.seconds:.3g} s\n"
    )


def _as_one(done: list[Reproduction], kitchen: Kitchen) -> dict[str, Any]:
    """What was computed as one object: of a single table, or of several together."""
    together = {
        "seed": kitchen.seed,
        "vertices": kitchen.vertices,
        "reproduced": sum(d.reproduced for d in done),
        "in_range": sum(d.in_range for d in done),
        "total": sum(len(d.cells) for d in done),
        "seconds": sum(d.seconds for d in done),
        "cells": [cell.to_dict() for d in done for cell in d.cells],
    }
    if len(done) == 1:
        return done[0].to_dict() | together
    tables = [{k: v for k, v in d.to_dict().items() if k != "cells"} for d in done]
    return together | {"tables": tables}


def study(
    name: Annotated[
        str | None, typer.Argument(help="Which study; without it, the studies there are.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the report, one HTML page.")
    ] = None,
    seed: Seed = 0,
    vertices: Vertices = 100,
    cache: CacheFolder = None,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Do a study beyond the published tables: figures, claims, open questions of the papers.

    Interrupted, it goes on where it stopped.
    """
    from saddlepoint.studies.keep import Keeper
    from saddlepoint.studies.questions import QUESTIONS, ask
    from saddlepoint.studies.recipes import Kitchen

    if name is None:
        if json:
            print_json({"studies": {key: question.text for key, question in QUESTIONS.items()}})
        else:
            rows = [(key, question.source, question.text) for key, question in QUESTIONS.items()]
            print_table("", ("study", "source", "question"), rows, "saddle study pathologies")
        return
    if out is not None:
        _check_folder(out)
    kitchen = Kitchen(Keeper(cache, fresh), seed, vertices, (lambda text: None) if quiet else say)
    _show(ask(name, kitchen), out, json)


def _check_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise StoreError(f"cannot write {target}: the folder {target.parent} does not exist")


def _show(found: Report, target: Path | None, json: bool) -> None:
    """Print a report, and write its page if a file is named."""
    from saddlepoint.studies.report import write_report

    pages = [] if target is None else [str(page) for page in write_report(found, target)]
    if json:
        print_json(found.to_dict() | {"report": pages})
        return
    print_facts(found.title, list(found.facts))
    for part in found.tables:
        print(f"\n{part.title}")
        print_table("", part.heads, part.texts(), part.note)
    if pages:
        print("\nreport: " + ", ".join(pages))


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A pipeline file (TOML).")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The report; beside the file by default.")
    ] = None,
    cache: CacheFolder = None,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Shrink, solve, map back and measure, as a file says; write a report.

    The report is one HTML page, and one JSON file beside it. Steps are kept: a second run, or
    one after a change of the file, computes only what is new.
    """
    from saddlepoint.studies.keep import Keeper
    from saddlepoint.studies.pipeline import Pipeline

    target = out or file.with_suffix(".html")
    _check_folder(target)
    pipeline = Pipeline.read(file)
    found = pipeline.run(Keeper(cache, fresh), (lambda text: None) if quiet else say)
    _show(found, target, json)
