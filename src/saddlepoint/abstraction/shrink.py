"""Shrinking a poker-like game in one call: fewer bets, coarser cards, or both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu
from saddlepoint.abstraction.cards import grouped
from saddlepoint.core.errors import GameError
from saddlepoint.games import catalogue
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu
from saddlepoint.games.rules_file import with_tuples
from saddlepoint.sequence.form import Game


def shrink(
    real: FactoredGame, menu: Menu | str | None = None, cards: str | None = None
) -> AbstractGame:
    """The abstract game with a betting menu and groups of cards, and the way back.

    Parameters
    ----------
    real
        The game.
    menu
        Bet sizes (see `with_menu`); None keeps the betting.
    cards
        Groups of cards (see `saddlepoint.abstraction.cards`); None keeps the cards.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> shrink(no_limit_leduc(stack=12), "fcpa", "JQ.K").game.counts().sequences
    (209, 209)
    """
    small = real if menu is None else with_menu(real, menu)
    if cards is None:
        return AbstractGame.of(real, small)
    coarse = grouped(small, cards)
    return AbstractGame(real, coarse.game, coarse.groups)


def game_of_spec(spec: Mapping[str, Any]) -> Game:
    """The game that a file was made for, abstract or not."""
    if "of" not in spec:
        return catalogue.game_of_spec(spec)
    base = game_of_spec(spec["of"])
    if not isinstance(base, FactoredGame):
        raise GameError("only games of betting and cards have abstractions by menus and groups")
    if "menu" in spec:
        given = dict(spec["menu"])
        return with_menu(base, Menu() if given.pop("integral") else Menu(**with_tuples(given)))
    return grouped(base, spec["cards"]).game
