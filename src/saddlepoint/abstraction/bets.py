"""Betting abstractions: the same game with fewer bet sizes, or with fewer bets."""

from __future__ import annotations

from dataclasses import replace

from saddlepoint.core.checks import whole
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


def with_most_bets(game: FactoredGame, most: int) -> FactoredGame:
    """The limit game in which at most so many bets and raises are made in a round.

    Thesis 003, section 7.3. What a player of it makes of the bets that it does not have,
    `saddlepoint.reverse.limits` says.

    Examples
    --------
    >>> from saddlepoint.games.poker import rhode_island
    >>> [with_most_bets(rhode_island(), k).betting_decisions() for k in (1, 2, 3)]
    [52, 186, 456]
    """
    if game.betting.bets is None:
        raise RulesError(
            f"{game.name} is a no-limit game: say which sizes may be bet, not how many"
        )
    now = game.betting.max_bets
    whole("bets", most, 0, now, error=RulesError)
    if most == now:
        return game
    sizes = "/".join(map(str, game.betting.bets))
    return replace(
        game,
        name=f"{game.name} with {most} bet{'s' * (most != 1)} a round",
        spec={"most_bets": most, "of": dict(game.spec)},
        betting=replace(game.betting, max_bets=most),
        dealer=lambda: game.deal,
        facts={**game.facts, "bets": f"{sizes} by round, at most {most} in a round"},
    )
