"""Betting abstractions: the same game with fewer bet sizes."""

from __future__ import annotations

from dataclasses import replace

from saddlepoint.core.errors import RulesError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu


def with_menu(game: FactoredGame, menu: Menu | str) -> FactoredGame:
    """The no-limit game in which only the sizes of a menu may be bet.

    Parameters
    ----------
    game
        A no-limit game.
    menu
        A `Menu`, its letters such as `fcpa`, or `all` for every size.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> small = with_menu(no_limit_leduc(stack=12), "fcpa")
    >>> small.name, small.counts().sequences
    ('no-limit-leduc with fcpa', (445, 445))
    """
    if game.betting.bets is not None:
        raise RulesError(f"{game.name} is a limit game: its bets have one size, no menu")
    if isinstance(menu, str):
        menu = Menu() if menu == "all" else Menu.of_letters(menu)
    text = menu.text
    return replace(
        game,
        name=f"{game.name} with {text}",
        spec={"menu": menu.to_dict() | {"integral": menu.integral}, "of": dict(game.spec)},
        betting=replace(game.betting, menu=menu),
        dealer=lambda: game.deal,
        facts={**game.facts, "bets": f"menu {text}"},
    )
