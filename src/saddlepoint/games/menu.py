"""Betting menus: which bet sizes a no-limit game allows.

A size is a fraction of the pot after calling: with both players' contributions raised to
the call level c, the pot is 2c, and a bet of fraction b raises to c + 2bc, rounded down to
whole units. Letters are the shorthand of the papers, `fcpa` for fold, call, pot, all-in.

A bet that comes to exactly the stack is legal, whether or not the menu has all-in, and puts
the player all-in; a larger one is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from saddlepoint.core.checks import listed, number, truth
from saddlepoint.core.errors import RulesError, unknown

# Thesis 004, section 3.2.1.
LETTERS = {"h": 0.5, "q": 0.75, "p": 1.0, "w": 1.5, "d": 2.0, "t": 10.0, "e": 11.0}
ALWAYS = {"f": "fold", "c": "call"}
ALL_IN = "a"


@dataclass(frozen=True, kw_only=True)
class Menu:
    """The bets of a no-limit game, as fractions of the pot after calling.

    Parameters
    ----------
    bets
        Sizes of the first bet of a round; None stands for every whole number of units.
    raises
        Sizes of raises, as `bets`; by default the same.
    all_in
        Whether going all-in is always possible, for less than the least raise too.
    once
        Sizes that a player may use only once in a round.
    later
        Sizes that may not be used in the first round.
    half_stack
        Whether bets that would commit more than half of a player's stack are dropped,
        but not what `all_in` gives (thesis 003, section 7.4.1).
    """

    bets: tuple[float, ...] | None = None
    raises: tuple[float, ...] | None = None
    all_in: bool = True
    once: tuple[float, ...] = field(default=())
    later: tuple[float, ...] = field(default=())
    half_stack: bool = False

    def __post_init__(self) -> None:
        for key in ("bets", "raises", "once", "later"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, _sizes(key, getattr(self, key)))
        for key in ("all_in", "half_stack"):
            value = truth(f"menu {key}", getattr(self, key), error=RulesError)
            object.__setattr__(self, key, value)
        if self.bets is not None and self.raises is None:
            object.__setattr__(self, "raises", self.bets)
        known = (*(self.bets or ()), *(self.raises or ()))
        for key in ("once", "later"):
            for size in getattr(self, key):
                if size not in known:
                    raise RulesError(f"menu restricts size {size} ({key}) but does not offer it")
        if self.bets is None and self.raises is not None:
            raise RulesError("menu has sizes for raises but every size for first bets")

    @property
    def integral(self) -> bool:
        """Whether every whole number of units may be bet."""
        return self.bets is None

    @classmethod
    def of_letters(cls, letters: str) -> Menu:
        """The menu of a text such as `fcpa`; fold and call may be left out.

        >>> Menu.of_letters("fchpa").bets
        (0.5, 1.0)
        """
        if not isinstance(letters, str) or not letters:
            raise RulesError("a menu needs at least one letter, such as fcpa")
        for letter in letters:
            if letter not in (*ALWAYS, *LETTERS, ALL_IN):
                raise RulesError(unknown("menu letter", letter, [*ALWAYS, *LETTERS, ALL_IN]))
            if letters.count(letter) > 1:
                raise RulesError(f"menu '{letters}' has the letter '{letter}' twice")
        sizes = tuple(sorted(LETTERS[letter] for letter in letters if letter in LETTERS))
        return cls(bets=sizes, all_in=ALL_IN in letters)

    @property
    def text(self) -> str:
        """The menu as letters where it has them, else as numbers."""
        if self.integral:
            return "all"
        by_size = {size: letter for letter, size in LETTERS.items()}
        plain = self.raises == self.bets and not (self.once or self.later or self.half_stack)
        if plain and all(size in by_size for size in self.bets or ()):
            letters = "".join(by_size[size] for size in self.bets or ())
            return f"fc{letters}{ALL_IN if self.all_in else ''}"
        return str(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The menu as plain data."""
        data = {key: getattr(self, key) for key in ("bets", "raises", "once", "later")}
        plain = {key: list(sizes) for key, sizes in data.items() if sizes}
        return {**plain, "all_in": self.all_in, "half_stack": self.half_stack}


def _sizes(key: str, given: Any) -> tuple[float, ...]:
    """Sizes as numbers above 0, each once."""
    found: list[float] = []
    for size in listed(f"menu {key}", given, "sizes as fractions of the pot", error=RulesError):
        fraction = number(f"a size in menu {key}", size, error=RulesError)
        if fraction <= 0:
            raise RulesError(f"menu {key} has size {size}, expected fractions above 0")
        if fraction in found:
            raise RulesError(f"menu {key} has the size {fraction:g} twice")
        found.append(fraction)
    return tuple(found)
