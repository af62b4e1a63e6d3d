"""Strategies as JSON text: readable, editable, and enough to know which game they are of.

```json
{
 "game": "kuhn",
 "spec": {"game": "kuhn", "parameters": {...}},
 "players": {"1": {"J:": {"c": 0.8, "r": 0.2}, ...}, "2": {...}}
}
```

Every information set has to be there, with probabilities by the names of all its actions or
as a list in their order; `spec` may be missing where somebody else says the game. A text
without `players` is one table for both players, if their names differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from saddlepoint.core.checks import number, shown
from saddlepoint.core.errors import FormatError, StrategyError, unknown
from saddlepoint.sequence.form import Problem, as_form
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.sequence.treeplex import Treeplex

Table = Mapping[str, Any]


def text_of_profile(profile: Profile) -> str:
    """A profile as JSON text, which `profile_of_text` reads back."""
    players = {str(strategy.player): dict(strategy) for strategy in profile}
    whole = {"game": profile.form.name, "spec": dict(profile.form.spec), "players": players}
    return json.dumps(whole, indent=1) + "\n"


def tables_of_text(text: str | bytes, source: str = "text") -> dict[str, Any]:
    """The object that JSON text holds.

    Raises
    ------
    FormatError
        If it is not JSON, not an object, or has a key twice in one object.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        found = json.loads(decoded, object_pairs_hook=lambda pairs: _once(pairs, source))
    except UnicodeDecodeError as problem:
        raise FormatError(f"not a text in UTF-8 (byte {problem.start})", source) from None
    except json.JSONDecodeError as problem:
        raise FormatError(problem.msg, source, problem.lineno, problem.colno) from None
    except RecursionError:
        raise FormatError("lists or objects stand too deep in one another", source) from None
    except ValueError as problem:  # a number of thousands of digits
        raise FormatError(str(problem), source) from None
    if not isinstance(found, dict):
        raise FormatError(f"found {shown(found)}, expected an object of information sets", source)
    return found


def profile_of_tables(tables: Table, problem: Problem, source: str = "text") -> Profile:
    """The profile that a read object describes, for its game.

    Raises
    ------
    StrategyError
        If an information set or an action is unknown or missing, by its name, or if what is
        there are not probabilities.
    """
    form = as_form(problem)
    if "players" in tables:
        players = tables["players"]
        if not isinstance(players, dict) or set(players) != {"1", "2"}:
            found = sorted(players) if isinstance(players, dict) else players
            raise FormatError(f"players are {shown(found)}, expected '1' and '2'", source)
        both = (players["1"], players["2"])
    else:
        both = _parted(tables, form.X, form.Y, source)
    first, second = (
        _strategy(table, plex, player, source)
        for player, plex, table in zip((1, 2), (form.X, form.Y), both, strict=True)
    )
    return Profile(form, first, second)


def _parted(tables: Table, X: Treeplex, Y: Treeplex, source: str) -> tuple[Table, Table]:
    """One table for both players, divided by whose information sets its names are."""
    table = {key: value for key, value in tables.items() if key not in ("game", "spec")}
    first = {name: value for name, value in table.items() if X.has(name)}
    second = {name: value for name, value in table.items() if Y.has(name)}
    if shared := sorted(set(first) & set(second)):
        raise FormatError(
            f"both players have an information set '{shared[0]}': expected 'players'", source
        )
    # What nobody has is told by the check of player 1's table.
    return {name: v for name, v in table.items() if name not in second}, second


def _strategy(table: Any, plex: Treeplex, player: int, source: str) -> Strategy:
    if not isinstance(table, dict):
        raise FormatError(
            f"player {player} has {shown(table)}, expected an object of information sets", source
        )
    for name in table:
        if not plex.has(name):
            names = map(plex.names.infoset, range(plex.n_infosets))
            told = unknown(f"information set of player {player}", name, names)
            raise StrategyError(f"{source}: {told}")

    def at(infoset: str, actions: list[str]) -> list[float]:
        where = f"{source}: player {player}"
        if infoset not in table:
            raise StrategyError(f"{where} has no probabilities at '{infoset}'")
        given = table[infoset]
        if isinstance(given, dict):
            for action in given:
                if action not in actions:
                    raise StrategyError(
                        f"{where} has at '{infoset}' " + unknown("action", action, actions)
                    )
            for action in actions:
                if action not in given:
                    raise StrategyError(f"{where} lacks the action '{action}' at '{infoset}'")
            given = [given[action] for action in actions]
        if not isinstance(given, list) or len(given) != len(actions):
            raise StrategyError(
                f"{where} has {shown(given)} at '{infoset}', expected probabilities for {actions}"
            )
        return [
            number(f"{where} at '{infoset}': '{action}'", p, error=StrategyError)
            for action, p in zip(actions, given, strict=True)
        ]

    try:
        return Strategy.of_function(plex, at, player)
    except StrategyError as problem:
        told = str(problem)
        raise StrategyError(told if told.startswith(source) else f"{source}: {told}") from None


def _once(pairs: list[tuple[str, Any]], source: str) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise FormatError(f"'{twice}' stands twice in one object", source)
    return found
