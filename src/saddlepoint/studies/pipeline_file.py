"""Pipeline files: what TOML says, checked, with the nearest key for a mistyped one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.core.checks import whole
from saddlepoint.core.errors import FormatError, GameError, SettingsError, unknown
from saddlepoint.games.catalogue import game
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu
from saddlepoint.games.rules_file import with_tuples
from saddlepoint.reverse.limits import RULES
from saddlepoint.reverse.mappings import MAPPINGS, mapping_named
from saddlepoint.reverse.translate import FRAMES, Translation
from saddlepoint.solvers.methods import METHODS, method_named
from saddlepoint.solvers.run import check_budget

SECTIONS: dict[str, tuple[str, ...]] = {
    "": ("name", "game", "abstraction", "solver", "strategy", "translation", "measure"),
    "abstraction": ("menu", "bets", "cards"),
    "solver": ("method", "gap", "iterations", "seconds", "settings", "refine"),
    "strategy": ("purify", "threshold", "likeliest", "grid"),
    "translation": (
        "mappings",
        "rules",
        "frame",
        *(f.name for f in fields(Translation) if f.name != "mapping"),
    ),
    "measure": ("value", "gap"),
}


def read(path: str | Path) -> dict[str, Any]:
    """The tables of a pipeline file, their keys checked.

    Raises
    ------
    FormatError
        If it is not TOML.
    SettingsError
        If there is no such file, or a key is unknown.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SettingsError(f"no such file: {path}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"cannot read {path}: {problem}") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise FormatError(str(problem), str(path)) from None
    return checked(data, str(path))


def checked(data: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The tables with all sections, if all keys are known."""
    _keys(data, "", source)
    found = dict(data)
    for section in SECTIONS:
        if not section:
            continue
        table = found.setdefault(section, {})
        if not isinstance(table, Mapping):
            raise SettingsError(f"{source}: {section} is {table!r}, expected a table [{section}]")
        _keys(table, section, source)
    if not isinstance(found.get("game"), str):
        raise SettingsError(f'{source}: expected game = "...", the name of a game')
    return found


def _keys(table: Mapping[str, Any], section: str, source: str) -> None:
    for key in table:
        if key not in SECTIONS[section]:
            where = f"key of [{section}]" if section else "key"
            raise SettingsError(f"{source}: {unknown(where, key, SECTIONS[section])}")


def real_game(data: Mapping[str, Any], source: str) -> FactoredGame:
    """The real game: a poker-like one, since bets are what is translated."""
    found = game(data["game"])
    if not isinstance(found, FactoredGame):
        raise GameError(
            f"{source}: {data['game']} is no betting tree times a deal; pipelines shrink and "
            "translate bets and cards of poker-like games"
        )
    return found


def menu(data: Mapping[str, Any], source: str) -> Menu | None:
    """The betting menu of the abstraction, or None where the betting stays."""
    given = data["abstraction"].get("menu")
    if given is None:
        return None
    try:
        if isinstance(given, Mapping):
            known = [f.name for f in fields(Menu)]
            for key in given:
                if key not in known:
                    raise SettingsError(
                        f"{source}: {unknown('key of [abstraction.menu]', key, known)}"
                    )
            return Menu(**with_tuples(given))
        return Menu() if given == "all" else Menu.of_letters(str(given))
    except GameError as problem:
        raise SettingsError(f"{source}: {problem}") from None


def bets(data: Mapping[str, Any], source: str) -> Menu | int | None:
    """The menu of the abstraction, or how many bets a round of a limit game has."""
    given = data["abstraction"].get("bets")
    if given is None:
        return menu(data, source)
    if "menu" in data["abstraction"]:
        raise SettingsError(f"{source}: [abstraction] has menu and bets, expected one of them")
    return whole(f"{source}: [abstraction] bets", given, 0)


def solver(data: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Method, budgets and settings of the solver."""
    given = dict(data["solver"])
    method = given.pop("method", "auto")
    if method not in (*METHODS, "auto"):
        raise SettingsError(f"{source}: {unknown('method', str(method), ['auto', *METHODS])}")
    settings = given.pop("settings", {})
    if not isinstance(settings, Mapping):
        raise SettingsError(f"{source}: [solver] settings is {settings!r}, expected a table")
    try:
        check_budget("gap", given.get("gap"), zero=True)
        check_budget("seconds", given.get("seconds"))
        if "iterations" in given:
            whole("iterations", given["iterations"], 1)
        if method != "auto":
            method_named(method, **settings)
    except SettingsError as problem:
        raise SettingsError(f"{source}: [solver] {problem}") from None
    return {"method": method, "settings": dict(settings), **given}


CHANGES: dict[str, Callable[[Any], bool]] = {
    "purify": lambda v: isinstance(v, bool),
    "threshold": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "likeliest": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "grid": lambda v: isinstance(v, int) and not isinstance(v, bool),
}


def change(data: Mapping[str, Any], source: str) -> dict[str, Any]:
    """How the abstract strategy is changed before it is mapped back: one way or none."""
    given = {key: v for key, v in data["strategy"].items() if v is not False}
    if len(given) > 1:
        raise SettingsError(f"{source}: [strategy] has {' and '.join(given)}, expected one of them")
    for key, value in given.items():
        if not CHANGES[key](value):
            expected = "true or false" if key == "purify" else "a number"
            raise SettingsError(f"{source}: [strategy] {key} is {value!r}, expected {expected}")
    return given


def limit_rules(data: Mapping[str, Any], source: str) -> list[str]:
    """The rules of `saddlepoint.reverse.limits` that are compared, for a limit game."""
    given = dict(data["translation"])
    rules = given.pop("rules", list(RULES) if "bets" in data["abstraction"] else [RULES[0]])
    if given:
        raise SettingsError(
            f"{source}: [translation] has {', '.join(given)}, but bets of a limit game have one "
            'size: expected at most rules = ["call", "forget"]'
        )
    if not isinstance(rules, list) or not rules:
        raise SettingsError(f"{source}: rules is {rules!r}, expected a list of names")
    for rule in rules:
        if rule not in RULES:
            raise SettingsError(f"{source}: {unknown('rule', str(rule), RULES)}")
    return rules


def translations(data: Mapping[str, Any], source: str) -> dict[str, Translation]:
    """A translation for each mapping that is asked for, all with the same rules."""
    given = dict(data["translation"])
    if "rules" in given:
        raise SettingsError(f"{source}: [translation] rules are for limit games")
    wanted = given.pop("mappings", "all")
    names = list(MAPPINGS) if wanted == "all" else wanted
    if not isinstance(names, list) or not names:
        raise SettingsError(f'{source}: mappings is {wanted!r}, expected "all" or a list of names')
    frame = given.pop("frame", "real")
    if frame not in FRAMES:
        raise SettingsError(f"{source}: {unknown('frame', str(frame), FRAMES)}")
    observe, act = FRAMES[frame]
    settings = {"observe": observe, "act": act, "outside": "refuse", **given}
    if settings.get("check") == "none":  # TOML has no word for it
        settings["check"] = None
    try:
        return {name: Translation(mapping=mapping_named(name), **settings) for name in names}
    except SettingsError as problem:
        raise SettingsError(f"{source}: {problem}") from None


def check_all_in(
    pair: AbstractGame, translations: Mapping[str, Translation | str], source: str
) -> None:
    """Raise if real bets can be greater than all abstract ones, and are to be refused."""
    menu = pair.game.betting.menu
    if pair.real.betting.bets is not None or menu.integral or menu.all_in:
        return
    found = [t for t in translations.values() if isinstance(t, Translation)]
    if any(settings.outside == "refuse" for settings in found):
        raise SettingsError(
            f"{source}: the menu '{menu.text}' has no all-in (a), so that greater bets would mean "
            'nothing; add it, or read them as the greatest size (outside = "nearest")'
        )
