"""Changing formats: `convert`."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saddlepoint.cli import completing
from saddlepoint.cli.inspecting import GameOption
from saddlepoint.cli.output import say
from saddlepoint.core.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from saddlepoint.sequence.strategy import Profile

GAME_FORMATS = (".efg", ".nfg")
STRATEGY_FORMATS = (".csv", ".json", ".saddle")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(convert)


def convert(
    source: Annotated[
        str,
        typer.Argument(
            help="A game, a .saddle file or strategies as JSON.",
            autocompletion=completing.games_and_strategies,
        ),
    ],
    target: Annotated[Path, typer.Argument(help="A file: .efg, .nfg, .csv, .json or .saddle.")],
    game: GameOption = None,
) -> None:
    """Write a game as a Gambit file, or a strategy as CSV, JSON or a .saddle file."""
    if target.suffix in GAME_FORMATS:
        write_text(target, _game_text(source, target.suffix))
    elif target.suffix in STRATEGY_FORMATS:
        from saddlepoint.api import load, profile_of
        from saddlepoint.sequence.strategy_text import text_of_profile

        profile = profile_of(load(source, game))
        if target.suffix == ".saddle":
            profile.save(target)
        else:
            text = _csv(profile) if target.suffix == ".csv" else text_of_profile(profile)
            write_text(target, text)
    else:
        known = ", ".join((*GAME_FORMATS, *STRATEGY_FORMATS))
        raise SettingsError(f"cannot write '{target}': expected a file ending in {known}")
    say(f"wrote {target}")


def holds_strategies(path: str) -> bool:
    """Whether this is a file of strategies, by its content, and not a game."""
    from saddlepoint.core import store

    if store.is_archive(path):
        return True
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(64).lstrip().startswith(b"{")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    if not path.parent.is_dir():
        raise StoreError(f"cannot write {path}: the folder {path.parent} does not exist")
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            file.write(text)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    except OSError as problem:
        raise StoreError(f"cannot write {path}: {problem.strerror}") from None


def _game_text(source: str, suffix: str) -> str:
    from saddlepoint.games.catalogue import game as game_named
    from saddlepoint.games.factored_game import FactoredGame
    from saddlepoint.games.gambit import write_efg, write_nfg
    from saddlepoint.games.matrix import MatrixGame
    from saddlepoint.games.tree import TreeGame
    from saddlepoint.games.unfold import unfold

    if holds_strategies(source):
        raise SettingsError(
            f"{source} holds strategies, and a {suffix} file holds a game: name the game instead, "
            f"or write the strategies as {', '.join(STRATEGY_FORMATS)}"
        )
    found: Any = game_named(source)
    if isinstance(found, FactoredGame):
        found = TreeGame(unfold(found), name=found.name, unit=found.unit)
    if suffix == ".nfg" and isinstance(found, MatrixGame):
        return write_nfg(found)
    if suffix == ".efg" and isinstance(found, TreeGame):
        return write_efg(found)
    kind = "matrix game" if isinstance(found, MatrixGame) else "game tree"
    raise SettingsError(f"{source} is a {kind}; it cannot be written as {suffix}")


def _csv(profile: Profile) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["player", "infoset", "action", "probability", "reach"])
    for s in profile:
        for row in s.rows():
            writer.writerows(
                (s.player, row.infoset, action, repr(p), repr(row.reach))
                for action, p in row.actions.items()
            )
    return out.getvalue()
