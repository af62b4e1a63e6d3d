"""The errors that Saddlepoint raises, and the one way their messages are worded.

Every message names what was found, where, and what was expected. On the command
line each of them is a single line and exit status 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# So many known names are all told where one is unknown, and of more only so many.
_LISTED, _NEAR = 20, 5


class SaddlepointError(Exception):
    """Base of all errors that are about the input and not about the program."""


class GameError(SaddlepointError):
    """A game that is not what the operation needs (general-sum, malformed, unknown)."""


class RulesError(GameError):
    """Rules of a game that contradict themselves or cannot be played."""


class RecallError(GameError):
    """A game in which a player forgets, where perfect recall is needed."""


class SizeError(SaddlepointError):
    """Something that will not fit, refused with the estimate that says so."""


class StrategyError(SaddlepointError):
    """A strategy that is not one, or that belongs to another game."""


class SettingsError(SaddlepointError):
    """A setting outside its legal range, or an unknown name."""


class StoreError(SaddlepointError):
    """A file that is damaged, truncated or was not written by Saddlepoint."""


class FormatError(SaddlepointError):
    """Text in a foreign format that cannot be read, with the line and column.

    Parameters
    ----------
    problem
        What was found and what was expected.
    source
        Name of the file or text.
    line, column
        Position, both counted from 1.
    """

    def __init__(self, problem: str, source: str = "", line: int = 0, column: int = 0) -> None:
        place = ":".join(
            part for part in (source, str(line or ""), str(column or "") if line else "") if part
        )
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem, self.source, self.line, self.column = problem, source, line, column


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Word the message for a name that is not among the known ones, of which it tells a few.

    >>> unknown("game", "khun", ["kuhn", "leduc"])
    "unknown game 'khun' (did you mean 'kuhn'?); expected one of kuhn, leduc"
    """
    names = list(known)
    near = difflib.get_close_matches(name.lower(), names, n=_NEAR)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    if len(names) <= _LISTED:
        return f"unknown {kind} '{name}'{hint}; expected one of {', '.join(names)}"
    some = list(dict.fromkeys([*near, *names]))[:_NEAR]
    return f"unknown {kind} '{name}'{hint}; expected one of {len(names):,}, such as " + ", ".join(
        some
    )
