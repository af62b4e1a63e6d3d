"""Changing formats: `convert`."""

from __future__ import annotations

import csv
import io
import json as jsons
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saddlepoint.cli.inspecting import GameOption
from saddlepoint.cli.output import say
from saddlepoint.core.errors import FormatError, SettingsError, StoreError, StrategyError

if TYPE_CHECKING:
    from saddlepoint.sequence.strategy import Profile

GAME_FORMATS = (".efg", ".nfg")
STRATEGY_FORMATS = (".csv", ".json", ".saddle")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(convert)


def convert(
    source: Annotated[str, typer.Argument(help="A game, a .saddle file or a .json strategy.")],
    target: Annotated[Path, typer.Argument(help="A file: .efg, .nfg, .csv, .json or .saddle.")],
    game: GameOption = None,
) -> None:
    """Write a game as a Gambit file, or a strategy as CSV, JSON or a .saddle file."""
    if target.suffix in GAME_FORMATS:
        write_text(target, _game_text(source, target.suffix))
    elif target.suffix in STRATEGY_FORMATS:
        profile = _read(source, game)
        if target.suffix == ".saddle":
            profile.save(target)
        else:
            write_text(target, _csv(profile) if target.suffix == ".csv" else _json(profile))
    else:
        known = ", ".join((*GAME_FORMATS, *STRATEGY_FORMATS))
        raise SettingsError(f"cannot write '{target}': expected a file ending in {known}")
    say(f"wrote {target}")


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

    found: Any = game_named(source)
    if isinstance(found, FactoredGame):
        found = TreeGame(unfold(found), name=found.name, unit=found.unit)
    if suffix == ".nfg" and isinstance(found, MatrixGame):
        return write_nfg(found)
    if suffix == ".efg" and isinstance(found, TreeGame):
        return write_efg(found)
    kind = "matrix game" if isinstance(found, MatrixGame) else "game tree"
    raise SettingsError(f"{source} is a {kind}; it cannot be written as {suffix}")


def _read(source: str, game: str | None) -> Profile:
    from saddlepoint.api import game as game_named
    from saddlepoint.api import load, profile_of
    from saddlepoint.sequence.strategy import Profile, Strategy

    if not source.endswith(".json"):
        return profile_of(load(source, game))
    if game is None:
        raise SettingsError(f"{source} does not say its game: add --game")
    try:
        tables = jsons.loads(Path(source).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"no such file: {source}") from None
    except jsons.JSONDecodeError as problem:
        raise FormatError(problem.msg, source, problem.lineno, problem.colno) from None
    if not isinstance(tables, dict):
        raise FormatError("expected an object of information sets", source)
    form = game_named(game).sequence_form()
    # Both players' tables, or one table for both where their names differ.
    both = tables.get("players", {"1": tables, "2": tables})
    first, second = (
        Strategy.of_function(plex, _lookup(source, both, player), player)
        for player, plex in ((1, form.X), (2, form.Y))
    )
    return Profile(form, first, second)


def _lookup(source: str, tables: Any, player: int) -> Callable[[str, list[str]], Any]:
    table = tables.get(str(player)) if isinstance(tables, dict) else None
    if not isinstance(table, dict):
        raise FormatError(f"expected an object of information sets for player {player}", source)

    def at(infoset: str, actions: list[str]) -> Any:
        if infoset not in table:
            raise StrategyError(f"{source} has no probabilities at '{infoset}'")
        return table[infoset]

    return at


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


def _json(profile: Profile) -> str:
    tables = {str(s.player): dict(s) for s in profile}
    return jsons.dumps({"game": profile.form.name, "players": tables}, indent=1) + "\n"
