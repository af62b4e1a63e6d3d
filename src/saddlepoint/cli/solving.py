"""Solving games: `solve` and `value`."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saddlepoint.cli import completing
from saddlepoint.cli.inspecting import GameText, Json
from saddlepoint.cli.output import Interrupted, print_facts, print_json, progress_bar, say
from saddlepoint.core.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from saddlepoint.sequence.solution import Solution

# A run that was shorter leaves no checkpoint behind unless it was asked for.
WORTH_KEEPING_SECONDS = 10.0

MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="auto, lp, cfr, cfr+, lcfr, dcfr, hs-dcfr, pcfr+ or tied.",
        autocompletion=completing.methods,
    ),
]
GapGoal = Annotated[
    float | None, typer.Option("--gap", "-g", help="Stop at this sum of best-response gains.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(solve)
    app.command()(value)


def solve(
    game: GameText,
    method: MethodName = "auto",
    gap: GapGoal = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", "-s", help="Stop after so long.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the method, such as gamma=3 or precision=single."),
    ] = None,
    refined: Annotated[
        bool,
        typer.Option("--refine", help="Choose undominated strategies, also where none arrives."),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Save the solution here.")] = None,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Save probabilities in 16 bits: a quarter of the room."),
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the gap over the seconds into this file (.svg).")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Where to keep the state of a long run.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Drop an old checkpoint.")] = False,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Find an equilibrium; Ctrl-C keeps what was found and says how to go on."""
    from saddlepoint.abstraction.files import game_named
    from saddlepoint.solvers import methods
    from saddlepoint.solvers.ties import TIED, Tied

    for file in (out, plot):
        if file is not None and not file.parent.is_dir():
            raise StoreError(f"cannot write {file}: the folder {file.parent} does not exist")
    _warn_of_compilation(quiet)
    problem = game_named(game)
    settings = _settings(setting or [])
    if isinstance(problem, Tied):
        form, name = problem.tied_form().form, TIED if method == "auto" else method
    else:
        form = problem.sequence_form()
        name = methods.chosen(form) if method == "auto" else method
    if method == "auto" and name != TIED:
        chosen = methods.automatic(form, **settings)
    else:
        chosen = methods.method_named(name, **settings)
    place = checkpoint or _default_checkpoint(game, name, out)
    if out is not None and out.absolute() == place.absolute():
        raise SettingsError(f"--out and --checkpoint are both {out}, expected two files")
    _check_checkpoint(place, resume, fresh)
    with _interrupts() as stop, progress_bar(f"{form.name} by {name}", not quiet) as progress:
        solution = methods.solve(
            problem,
            chosen,
            gap=gap,
            iterations=iterations,
            seconds=seconds,
            progress=progress,
            stop=stop,
            checkpoint=place,
        )
    if refined and solution.status.value != "interrupted":
        from saddlepoint.solvers.refine import refine

        solution = refine(solution)
    kept = _keep(place, solution, checkpoint is not None)
    if out is not None:
        solution.save(out, compact)
    if plot is not None:
        _draw(solution, plot)
    if json:
        extra = {"out": None if out is None else str(out), "checkpoint": kept and str(kept)}
        print_json(solution.summary() | extra)
    else:
        _print_solution(solution, out)
    if kept is not None and solution.status.cure:
        say(f"{solution.status.value}: {solution.status.cure}; repeat the command with --resume")
    elif refined and solution.status.value == "interrupted":
        say("interrupted: not refined")
    if solution.status.value == "interrupted":
        raise Interrupted


def _warn_of_compilation(quiet: bool) -> None:
    from saddlepoint.core.kernel import nothing_compiled

    if nothing_compiled() and not quiet:
        say("kernels are compiled for the first time on this machine: some seconds more")


def _draw(solution: Solution, file: Path) -> None:
    """Write the convergence of a solution as a plot."""
    from saddlepoint.studies.plots import Plot
    from saddlepoint.studies.report import write_text

    trace, form = solution.trace, solution.profile.form
    plot = Plot(
        title=form.name,
        x="seconds",
        y=f"gap, {form.unit.name}",
        series={f"{form.name} by {solution.method}": (trace.seconds, trace.gap)},
        logarithmic=(True, True),
    )
    write_text(file, plot.svg())


def value(
    game: GameText,
    method: MethodName = "auto",
    gap: GapGoal = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="As a fraction, proved by exact arithmetic.")
    ] = False,
    json: Json = False,
) -> None:
    """Print the value of a game to player 1, with certified bounds."""
    from saddlepoint.api import solve as solve_game

    if exact:
        _print_fraction(game, json)
        return
    with _interrupts() as stop, progress_bar(game, True) as progress:
        solution = solve_game(game, method, gap=gap, progress=progress, stop=stop)
    form = solution.profile.form
    if json:
        keys = ("game", "method", "value", "lower", "upper", "gap", "unit", "status")
        print_json({key: solution.summary()[key] for key in keys})
    else:
        print(
            f"{form.name}: {form.unit.show(solution.value)} to player 1, "
            f"certainly between {solution.lower:.7g} and {solution.upper:.7g}"
        )
    if solution.status.value == "interrupted":
        say("interrupted: these are the bounds of the strategies so far")
        raise Interrupted


def _print_fraction(game: str, json: bool) -> None:
    from saddlepoint.api import exact_value
    from saddlepoint.games.catalogue import game as game_named

    form = game_named(game).sequence_form()
    found = exact_value(form)
    if json:
        print_json(
            {
                "game": form.name,
                "method": "exact",
                "value": float(found),
                "fraction": str(found),
                "unit": form.unit.name,
            }
        )
    else:
        print(f"{form.name}: {found} {form.unit.name} to player 1, {float(found):.10g}")


def _settings(pairs: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign:
            raise SettingsError(f"found --set '{pair}', expected setting=value")
        found[key] = _number(text)
    return found


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)


def _default_checkpoint(game: str, method: str, out: Path | None) -> Path:
    from saddlepoint.core import store

    if out is not None:
        return out.with_name(f"{out.stem}.checkpoint{store.SUFFIX}")
    plain = re.sub(r"[^A-Za-z0-9]+", "-", f"{Path(game).name} {method}").strip("-")
    return Path(f"{plain}.checkpoint{store.SUFFIX}")


def _check_checkpoint(place: Path, resume: bool, fresh: bool) -> None:
    if not place.parent.is_dir():
        raise StoreError(f"cannot write {place}: the folder {place.parent} does not exist")
    if not place.exists():
        if resume:
            raise StoreError(f"nothing to resume: there is no checkpoint {place}")
        return
    _must_be_checkpoint(place)
    if not resume:
        if not fresh:
            raise StoreError(
                f"an earlier run left {place}; add --resume to go on from it or --fresh to drop it"
            )
        place.unlink()


def _must_be_checkpoint(place: Path) -> None:
    """Raise if a file is anything but a checkpoint: nothing else is overwritten or dropped."""
    from saddlepoint.core import store

    try:
        manifest = store.read(place, mapped=True, verify=False).manifest
    except StoreError as problem:
        raise StoreError(
            f"{problem}; only a checkpoint is resumed or dropped: name another file"
        ) from None
    if (kind := manifest.get("kind", "file of unknown kind")) != "checkpoint":
        raise StoreError(
            f"{place} holds a {kind} of {manifest.get('name', 'a game')}, expected a checkpoint: "
            "it is left as it is; name another file"
        )


def _keep(place: Path, solution: Solution, asked: bool) -> Path | None:
    """Leave the checkpoint if going on from it makes sense."""
    unfinished = solution.status.cure != ""
    long = solution.seconds >= WORTH_KEEPING_SECONDS
    if asked or (unfinished and (long or solution.status.value == "interrupted")):
        return place
    place.unlink(missing_ok=True)
    return None


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a wish to stop; a second one is an interrupt as usual."""
    asked = threading.Event()

    def handler(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, handler)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _print_solution(solution: Solution, out: Path | None) -> None:
    unit = solution.profile.form.unit
    rows = [
        ("value to player 1", unit.show(solution.value)),
        ("certainly between", f"{solution.lower:.9g} and {solution.upper:.9g}"),
        ("gap", f"{solution.gap:.3g} {unit.name}"),
        ("exploitability", f"{solution.exploitability:.3g} {unit.name}"),
        ("method", solution.method),
        ("iterations", f"{solution.iterations:,}"),
        ("seconds", f"{solution.seconds:.3g}"),
        ("status", solution.status.value),
    ]
    if out is not None:
        rows.append(("saved to", f"{out}"))
    print_facts(solution.profile.form.name, rows)
