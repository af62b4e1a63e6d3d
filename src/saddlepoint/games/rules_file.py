"""Poker games from rules files: a deck and its betting as TOML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saddlepoint.cards.deck import RANKS, Deck
from saddlepoint.core.checks import listed, shown, text
from saddlepoint.core.errors import RulesError, unknown
from saddlepoint.games.betting import BettingRules
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu
from saddlepoint.games.poker import poker

_DECK_KEYS = ("ranks", "suits", "board", "ranking", "isomorphism", "realisation")
_BETTING_KEYS = (
    "ante",
    "blinds",
    "rounds",
    "first",
    "bets",
    "max_bets",
    "stack",
    "menu",
    "min_bet",
    "may_bet",
)
_MENU_KEYS = ("bets", "raises", "all_in", "once", "later", "half_stack")


def rules_game(rules: Mapping[str, Any], source: str = "rules") -> FactoredGame:
    """A poker game from rules as data (a TOML file read, say).

    Parameters
    ----------
    rules
        `name`; a table `deck` with ranks, suits, board (public cards before each round),
        ranking, isomorphism; a table `betting` with the fields of `BettingRules`, where
        `menu` is a text of letters or a table with the fields of `Menu`.
    source
        What to call it in errors.

    Examples
    --------
    >>> tiny = rules_game(
    ...     {
    ...         "name": "tiny",
    ...         "deck": {"ranks": "QKA", "suits": 2, "board": [0, 1], "ranking": "pair"},
    ...         "betting": {"ante": 1, "bets": [1, 2], "max_bets": 1},
    ...     }
    ... )
    >>> tiny.counts().sequences
    (385, 385)
    """
    try:
        _known(rules, ("name", "deck", "betting"), "the file")
        deck = _table(rules, "deck", _DECK_KEYS)
        betting = dict(_table(rules, "betting", _BETTING_KEYS))
        menu = betting.pop("menu", "all")
        board = listed("board", deck.get("board", (0,)), "whole numbers", error=RulesError)
        plain = {"rounds": len(board)} | with_tuples(betting)
        return poker(
            text("name", rules.get("name", Path(source).stem), error=RulesError),
            {"rules": dict(rules)},
            BettingRules(**plain, menu=_menu(menu)),
            Deck(deck.get("ranks", RANKS), deck.get("suits", 4)),
            board,
            deck.get("ranking", "high-card"),
            deck.get("isomorphism", "cards"),
            deck.get("realisation", "auto"),
        )
    except RulesError as problem:
        raise RulesError(f"{source}: {problem}") from None


def _menu(menu: Any) -> Menu:
    if isinstance(menu, Mapping):
        _known(menu, _MENU_KEYS, "[betting.menu]")
        return Menu(**with_tuples(menu))
    if not isinstance(menu, str):
        raise RulesError(
            f'menu is {shown(menu)}, expected "all", letters such as "fcpa", or a table'
        )
    return Menu() if menu == "all" else Menu.of_letters(menu)


def with_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    """What TOML and JSON give as lists, as the tuples that rules are made of."""
    return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}


def _table(rules: Mapping[str, Any], key: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    table = rules.get(key)
    if not isinstance(table, Mapping):
        raise RulesError(f"expected a table [{key}]")
    _known(table, known, f"[{key}]")
    return table


def _known(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise RulesError(unknown(f"key of {where}", key, known))
