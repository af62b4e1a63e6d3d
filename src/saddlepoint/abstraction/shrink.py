"""Shrinking a poker-like game in one call: fewer bets, coarser cards, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu, with_most_bets
from saddlepoint.abstraction.compose import both_buckets, seen
from saddlepoint.abstraction.forgetting import ForgetfulGame, forgetful
from saddlepoint.abstraction.work import SILENT, Work
from saddlepoint.core.errors import GameError
from saddlepoint.games import catalogue
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu
from saddlepoint.games.rules_file import with_tuples
from saddlepoint.sequence.form import Game


def shrink(
    real: FactoredGame,
    menu: Menu | str | int | None = None,
    cards: str | None = None,
    *,
    work: Work = SILENT,
) -> AbstractGame:
    """The abstract game with fewer bets and coarser cards, and the way back.

    Parameters
    ----------
    real
        The game.
    menu
        Bet sizes (see `with_menu`), or in a limit game how many bets a round has (see
        `with_most_bets`); None keeps the betting.
    cards
        A card abstraction (see `saddlepoint.abstraction.compose`); None keeps the cards.
    work
        How chunks of long work are kept, and what is said meanwhile.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc, rhode_island
    >>> shrink(no_limit_leduc(stack=12), "fcpa", "JQ.K").game.counts().sequences
    (209, 209)
    >>> shrink(rhode_island(), 2, "pa:13-25-125").game.counts().sequences
    (22842, 22842)
    """
    small = real if menu is None else with_bets(real, menu)
    if cards is None:
        return AbstractGame.of(real, small)
    coarse = seen(small, cards, work=work)
    return AbstractGame(real, coarse.game, coarse.groups)


def shrink_forgetful(
    real: FactoredGame,
    menu: Menu | str | int | None,
    cards: str,
    *,
    work: Work = SILENT,
) -> ForgetfulGame:
    """The same where players forget the buckets of earlier rounds, as the text says.

    Examples
    --------
    >>> from saddlepoint.games.poker import rhode_island
    >>> small = shrink_forgetful(rhode_island(), 2, "ir13.ir20.30")
    >>> small.counts().infosets, small.counts().refined_infosets[0]
    ((2439, 2439), 72909)
    """
    small = real if menu is None else with_bets(real, menu)
    game = forgetful(small, *both_buckets(small, cards, work=work), text=cards)
    whole = AbstractGame(real, game.refinement.game, game.refinement.groups)
    return replace(game, real=real, refinement=whole)


def with_bets(game: FactoredGame, bets: Menu | str | int) -> FactoredGame:
    """The game with a menu of sizes, or with so many bets a round."""
    if isinstance(bets, int) or (isinstance(bets, str) and bets.isdigit()):
        return with_most_bets(game, int(bets))
    return with_menu(game, bets)


def pair_of_spec(spec: Mapping[str, Any]) -> AbstractGame:
    """The abstract game that a file was made for, with the real one.

    A game that is not abstract stands for itself.
    """
    bets, cards = spec, None
    if "cards" in spec:
        bets, cards = spec["of"], spec["cards"]
    small = betting_of_spec(bets)
    real = small
    while "of" in bets:
        bets = bets["of"]
        real = betting_of_spec(bets)
    if cards is None:
        return AbstractGame.of(real, small)
    if spec.get("forgets"):
        coarse = forgetful(small, *both_buckets(small, cards), text=cards).refinement
    else:
        coarse = seen(small, cards)
    return AbstractGame(real, coarse.game, coarse.groups)


def betting_of_spec(spec: Mapping[str, Any]) -> FactoredGame:
    """The game of a spec whose cards are not abstract."""
    if "of" not in spec:
        game = catalogue.game_of_spec(spec)
        if not isinstance(game, FactoredGame):
            raise GameError("only games of betting and cards have abstractions of bets and cards")
        return game
    base = betting_of_spec(spec["of"])
    if "most_bets" in spec:
        return with_most_bets(base, spec["most_bets"])
    if "menu" not in spec:
        by = ", ".join(key for key in spec if key != "of")
        raise GameError(f"an abstraction of {base.name} by {by} is not known")
    given = dict(spec["menu"])
    return with_menu(base, Menu() if given.pop("integral") else Menu(**with_tuples(given)))


def game_of_spec(spec: Mapping[str, Any]) -> Game:
    """The game that a file was made for, abstract or not."""
    return pair_of_spec(spec).game if "of" in spec else catalogue.game_of_spec(spec)
