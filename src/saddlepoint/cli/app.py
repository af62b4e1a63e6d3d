"""The commands of `saddle` together, and what each kind of error becomes."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from saddlepoint.cli import (
    abstracting,
    cards,
    files,
    inspecting,
    measuring,
    solving,
    studying,
    tracing,
)
from saddlepoint.cli.main import INTERRUPTED
from saddlepoint.cli.output import Interrupted, say
from saddlepoint.core.errors import SaddlepointError

# With this in the environment, internal errors are raised instead of told in a line.
DEBUG = "SADDLEPOINT_DEBUG"

# Typer brings its own copy of Click or uses the installed one, by version; this is the
# base of the exceptions of the one it uses.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="saddle",
    help="Solve games of hidden information and measure strategies exactly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Games: a name such as leduc or no-limit-leduc:stack=12,menu=fcpa, a TOML rules "
    "file, or a Gambit file. Start with: saddle solve leduc --out leduc.saddle",
)
for module in (inspecting, abstracting, solving, tracing, measuring, files, studying, cards):
    module.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        from saddlepoint import __version__

        print(f"saddlepoint {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Solve games of hidden information and measure strategies exactly."""


def run(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    try:
        code = app(arguments, standalone_mode=False, prog_name="saddle")
    except SaddlepointError as problem:
        say(f"error: {problem}")
        return 2
    except _ClickException as problem:
        return _wrong_usage(problem)
    except Interrupted:
        return INTERRUPTED
    except typer.Abort:
        code = INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except MemoryError:
        say("error: out of memory; saddle info GAME estimates what a game needs")
        return 2
    except Exception as problem:
        if os.environ.get(DEBUG):
            raise
        told = " ".join(f"{type(problem).__name__}: {problem}".split())
        say(f"error: internal error: {told}; please report it ({DEBUG}=1 shows the traceback)")
        return 1
    if code == INTERRUPTED:  # what Typer makes of an interrupt
        say("interrupted")
    return code if isinstance(code, int) else 0


def _wrong_usage(problem: Any) -> int:
    if type(problem).__name__ == "NoArgsIsHelpError":
        return 2  # the help is already on the screen
    context = getattr(problem, "ctx", None)
    where = context.command_path if context is not None else "saddle"
    say(f"error: {problem.format_message()} (see {where} --help)")
    return 2
