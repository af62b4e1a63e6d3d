"""Games by name: `leduc`, `no-limit-leduc:stack=12,menu=fcpa`, a rules file, a Gambit file.

A text names a game in one of four ways:

* a name of the catalogue, with parameters after a colon: `leduc:raises=2,bets=1/2`;
* the path of a TOML rules file, `my-game.toml` (see `saddlepoint.games.rules_file`);
* the path of a Gambit file, `.efg` or `.nfg`;
* `openspiel:` and OpenSpiel's own text, `openspiel:liars_dice(numdice=1)`.

Every game carries a `spec`, plain data from which `game_of_spec` builds it again; files
that hold solutions keep it, so they need no other file to be read.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saddlepoint.core.checks import shown
from saddlepoint.core.errors import FormatError, GameError, RulesError, SettingsError, unknown
from saddlepoint.games import matrices
from saddlepoint.games import poker as poker_games
from saddlepoint.games.rules_file import rules_game, with_tuples
from saddlepoint.sequence.form import Game


@dataclass(frozen=True)
class Entry:
    """A game of the catalogue: its maker, and a word on each parameter."""

    make: Callable[..., Game]
    meanings: Mapping[str, str]

    @property
    def summary(self) -> str:
        """One line on the game."""
        return (inspect.getdoc(self.make) or "").split("\n")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters and their default values; `NEEDED` where there is none."""
        return {k: p.default for k, p in inspect.signature(self.make).parameters.items()}

    def kind(self, parameter: str) -> tuple[str, Callable[[str], Any], Callable[[Any], bool]]:
        """What a parameter is expected to be, how its text is read, and whether a value is it."""
        return _KINDS[str(inspect.signature(self.make).parameters[parameter].annotation)]


NEEDED = inspect.Parameter.empty
# How parameters are written and what they are, by their annotations in the makers.
_KINDS: dict[str, tuple[str, Callable[[str], Any], Callable[[Any], bool]]] = {
    "int": ("a whole number", int, lambda value: _is_number(value, int)),
    "Seed": ("a whole number", int, lambda value: _is_number(value, int)),
    "float": ("a number", float, lambda value: _is_number(value, int, float)),
    "str": ("a text", str, lambda value: isinstance(value, str)),
    "tuple[int, ...]": (
        "whole numbers divided by /",
        lambda text: tuple(int(part) for part in text.split("/")),
        lambda value: isinstance(value, tuple) and all(_is_number(v, int) for v in value),
    ),
    "Sequence[float]": (
        "numbers divided by /",
        lambda text: tuple(float(part) for part in text.split("/")),
        lambda value: isinstance(value, tuple) and all(_is_number(v, int, float) for v in value),
    ),
}


def _is_number(value: Any, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


_LEDUC = {
    "ante": "chips that each player pays first",
    "ranks": "rank letters, lowest first",
    "suits": "number of suits",
    "isomorphism": "hands that are the same: ranks, suits or cards (none)",
    "realisation": "pair matrices as tables or cards; auto chooses",
}
_LIMIT = {
    "bets": "size of a bet by round, divided by /",
    "raises": "raises after a bet in each round",
}
_MENU = {"menu": "bet sizes: all, or letters such as fcpa"}
_POTS = {"stack": "pots behind, after the antes", **_MENU, "step": "unit of bets in pots"}

CATALOGUE: dict[str, Entry] = {
    "kuhn": Entry(
        poker_games.kuhn,
        {
            "ante": _LEDUC["ante"],
            "bet": "size of a bet",
            "raises": _LIMIT["raises"],
            "ranks": _LEDUC["ranks"],
        },
    ),
    "leduc": Entry(poker_games.leduc, _LEDUC | _LIMIT),
    "no-limit-kuhn": Entry(poker_games.no_limit_kuhn, _POTS | {"ranks": _LEDUC["ranks"]}),
    "no-limit-leduc": Entry(
        poker_games.no_limit_leduc,
        {"stack": "all chips of a player, ante included", **_MENU, **_LEDUC},
    ),
    "clairvoyance": Entry(poker_games.clairvoyance, _POTS),
    "rhode-island": Entry(poker_games.rhode_island, _LEDUC | _LIMIT),
    "rock-paper-scissors": Entry(matrices.rock_paper_scissors, {}),
    "matching-pennies": Entry(matrices.matching_pennies, {}),
    "uniform-random": Entry(
        matrices.uniform_random,
        {
            "rows": "actions of player 1",
            "columns": "actions of player 2",
            "seed": "which random game",
            "low": "least payoff",
            "high": "greatest payoff",
        },
    ),
    "proposition-one": Entry(matrices.proposition_one, {"k": "what purification gains"}),
    "hide-and-seek": Entry(matrices.hide_and_seek, {"weights": "payoffs, divided by /"}),
    "blotto": Entry(
        matrices.blotto, {"units": "what each player divides", "fields": "battlefields"}
    ),
    "morra": Entry(matrices.morra, {"fingers": "most fingers shown"}),
}


def game(text: str) -> Game:
    """The game that a text names.

    >>> game("leduc:raises=2").counts().sequences
    (661, 661)
    """
    path = Path(text)
    if path.suffix in (".toml", ".efg", ".nfg"):
        return _file(path)
    name, _, rest = text.partition(":")
    if name == "openspiel":
        from saddlepoint.games.openspiel import from_openspiel

        return from_openspiel(rest)
    if name not in CATALOGUE:
        raise GameError(unknown("game", name, CATALOGUE))
    return make(name, _parameters(name, rest))


def make(name: str, parameters: Mapping[str, Any]) -> Game:
    """A game of the catalogue with parameters as values."""
    entry = CATALOGUE[name]
    for key in parameters:
        if key not in entry.parameters:
            raise GameError(unknown(f"parameter of {name}", key, entry.parameters))
    for key, default in entry.parameters.items():
        if default is NEEDED and key not in parameters:
            raise GameError(f"{name} needs {key} ({entry.meanings[key]}): {name}:{key}=...")
    for key, value in parameters.items():
        expected, _, check = entry.kind(key)
        if not check(value):
            raise GameError(f"{name}: {key} is {shown(value)}, expected {expected}")
    try:
        return entry.make(**parameters)
    except RulesError as problem:
        raise RulesError(f"{name}: {problem}") from None
    except SettingsError as problem:
        raise SettingsError(f"{name}: {problem}") from None


def _parameters(name: str, text: str) -> dict[str, Any]:
    """Read `stack=12,menu=fcpa` by the annotations of the maker."""
    entry, found = CATALOGUE[name], dict[str, Any]()
    for part in text.split(",") if text else []:
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign:
            raise GameError(f"{name}: found '{part}', expected parameter=value")
        if key not in entry.parameters:
            raise GameError(unknown(f"parameter of {name}", key, entry.parameters))
        if key in found:
            raise GameError(f"{name}: parameter '{key}' is given twice")
        expected, read, _ = entry.kind(key)
        try:
            found[key] = read(value)
        except ValueError:
            raise GameError(f"{name}: {key} is '{value}', expected {expected}") from None
    return found


def _file(path: Path) -> Game:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise GameError(f"no such file: {path}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise GameError(f"cannot read {path}: {problem}") from None
    return _of_text(path.suffix, text, str(path))


def _of_text(suffix: str, text: str, source: str) -> Game:
    from saddlepoint.games.gambit import read_efg, read_nfg

    if suffix == ".efg":
        return read_efg(text, source)
    if suffix == ".nfg":
        return read_nfg(text, source)
    try:
        rules = tomllib.loads(text)
    except ValueError as problem:  # a number of thousands of digits is not a TOMLDecodeError
        raise FormatError(str(problem), source) from None
    except RecursionError:
        raise FormatError("lists or tables stand too deep in one another", source) from None
    return rules_game(rules, source)


def game_of_spec(spec: Mapping[str, Any]) -> Game:
    """The game that a file was made for.

    Raises
    ------
    GameError
        If the file does not say, as for games that were built in Python.
    """
    if isinstance(name := spec.get("game"), str):
        if name not in CATALOGUE:
            raise GameError(unknown("game", name, CATALOGUE))
        parameters = spec.get("parameters", {})
        if not isinstance(parameters, Mapping):
            raise GameError(f"{name}: parameters are {shown(parameters)}, expected a table of them")
        return make(name, with_tuples(parameters))
    if isinstance(rules := spec.get("rules"), Mapping):
        return rules_game(rules, "rules")
    for key in ("efg", "nfg"):
        if isinstance(text := spec.get(key), str):
            return _of_text(f".{key}", text, key)
    if isinstance(source := spec.get("openspiel"), str):
        return game(f"openspiel:{source}")
    raise GameError("the file does not say how its game is built; name the game")
