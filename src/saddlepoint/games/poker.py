"""Poker games as data: a deck, how it is dealt and compared, and how it is bet.

The functions are the games of the papers; each is a page of rules and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from saddlepoint.cards.deck import RANKS, Deck
from saddlepoint.core.checks import number, text, whole
from saddlepoint.core.errors import RulesError
from saddlepoint.core.units import Unit
from saddlepoint.games.betting import MOST_UNITS, BettingRules
from saddlepoint.games.deal import Deal, checked_board, deal_of_cards, deal_of_tables
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu


def poker(
    name: str,
    spec: Mapping[str, Any],
    betting: BettingRules,
    deck: Deck,
    board: tuple[int, ...],
    ranking: str,
    isomorphism: str,
    realisation: str = "auto",
    **more: Any,
) -> FactoredGame:
    """A poker game with one private card for each player."""
    board = checked_board(deck, board, ranking, isomorphism, realisation)
    if len(board) != betting.rounds:
        raise RulesError(f"board is {board}, expected a number for each of {betting.rounds} rounds")
    facts = {
        "cards": f"{len(deck)} ({deck.ranks} in {deck.suits} suit{'s' * (deck.suits > 1)}), "
        f"board by round {'/'.join(map(str, board))}, ranking {ranking}",
        "hands": f"the same up to {isomorphism}" if isomorphism != "cards" else "all distinct",
        **_betting_facts(betting),
        **more.pop("facts", {}),
    }

    def dealer() -> Deal:
        return deal_of_cards(deck, board, ranking, isomorphism, realisation)

    return FactoredGame(name=name, spec=spec, betting=betting, dealer=dealer, facts=facts, **more)


def _spec(game: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: list(v) if isinstance(v, tuple) else v for key, v in parameters.items()}
    return {"game": game, "parameters": plain}


def kuhn(*, ante: int = 1, bet: int = 1, raises: int = 0, ranks: str = "JQK") -> FactoredGame:
    """Kuhn poker: three cards, one each, one bet (Kuhn 1950). Value -1/18 to player 1."""
    betting = BettingRules(ante=ante, bets=(bet,), max_bets=_max_bets(raises))
    spec = _spec("kuhn", {"ante": ante, "bet": bet, "raises": raises, "ranks": ranks})
    deck = Deck(ranks, 1)
    return poker(*("kuhn", spec, betting, deck, (0,), "high-card", "cards"), sources=("kuhn1950",))


def leduc(
    *,
    ante: int = 1,
    bets: tuple[int, ...] = (2, 4),
    raises: int = 1,
    ranks: str = "JQK",
    suits: int = 2,
    isomorphism: str = "ranks",
    realisation: str = "auto",
) -> FactoredGame:
    """Limit Leduc Hold'em: two rounds, one public card, a pair wins (Southey et al. 2005).

    Value -0.0856064 to player 1. With `isomorphism="cards"` every card is distinct, which
    triples the sequences and changes nothing else.
    """
    parameters = locals().copy()
    betting = BettingRules(ante=ante, rounds=2, bets=bets, max_bets=_max_bets(raises))
    return poker(
        *("leduc", _spec("leduc", parameters), betting, Deck(ranks, suits), (0, 1)),
        *("pair", isomorphism, realisation),
        sources=("southey2005",),
    )


def no_limit_leduc(
    *,
    stack: int = 12,
    menu: str = "all",
    ante: int = 1,
    ranks: str = "JQK",
    suits: int = 2,
    isomorphism: str = "ranks",
    realisation: str = "auto",
) -> FactoredGame:
    """No-limit Leduc Hold'em: whole bets from 1 up, raises at least the last raise.

    `stack` is all chips of a player, the ante included (thesis 004, section 2.1). Value
    with 12 chips in [-0.06926, -0.06898] to player 1.
    """
    parameters = locals().copy()
    betting = BettingRules(ante=ante, rounds=2, stack=stack, menu=_menu(menu))
    return poker(
        *("no-limit-leduc", _spec("no-limit-leduc", parameters), betting, Deck(ranks, suits)),
        *((0, 1), "pair", isomorphism, realisation),
        sources=("southey2005", "schnizlein2009"),
    )


def rhode_island(
    *,
    ante: int = 500,
    bets: tuple[int, ...] = (1000, 2000, 2000),
    raises: int = 2,
    ranks: str = RANKS,
    suits: int = 4,
    isomorphism: str = "suits",
    realisation: str = "auto",
) -> FactoredGame:
    """Rhode Island Hold'em: three rounds, two public cards, three-card hands.

    A straight beats a flush; at most three bets a round (thesis 003, section 3.1.2; Shi
    and Littman 2001).
    """
    parameters = locals().copy()
    betting = BettingRules(ante=ante, rounds=3, bets=bets, max_bets=_max_bets(raises))
    return poker(
        *("rhode-island", _spec("rhode-island", parameters), betting, Deck(ranks, suits)),
        *((0, 1, 1), "three-card", isomorphism, realisation),
        sources=("shi2001", "gilpin2009"),
    )


def no_limit_kuhn(
    *, stack: float = 1.0, menu: str = "all", step: float = 0.1, ranks: str = "JQK"
) -> FactoredGame:
    """No-limit Kuhn poker: player 1 bets any multiple of `step`, player 2 calls or folds.

    Amounts are in pots: both ante half a pot and have `stack` pots behind (paper 001,
    section 3.2). Value 0.2/7 to player 1 for every stack of at least 1 (0.4 suffices).
    """
    parameters = locals().copy()
    betting, more = _one_bet(stack, menu, step)
    return poker(
        *("no-limit-kuhn", _spec("no-limit-kuhn", parameters), betting, Deck(ranks, 1)),
        *((0,), "high-card", "cards"),
        **more,
        sources=("kuhn1950", "ganzfried2013"),
    )


def clairvoyance(*, stack: float = 1.0, menu: str = "all", step: float = 0.1) -> FactoredGame:
    """The clairvoyance game: player 1 knows whether he holds the winning hand.

    Half of his hands win. He bets any multiple of `step` pots, player 2, who sees nothing,
    calls or folds (paper 001, section 3.1; Ankenman and Chen 2006). Value
    n / (2 (1 + n)) to player 1, where n is the stack.
    """
    parameters = locals().copy()
    betting, more = _one_bet(stack, menu, step)

    def dealer() -> Deal:
        half = np.array([[0.5], [0.5]])
        return deal_of_tables(half, half * [[1.0], [-1.0]], (("win", "lose"), ("-",)))

    return FactoredGame(
        name="clairvoyance",
        spec=_spec("clairvoyance", parameters),
        betting=betting,
        dealer=dealer,
        **more,
        sources=("ankenman2006", "ganzfried2013"),
    )


def _one_bet(stack: float, menu: str, step: float) -> tuple[BettingRules, dict[str, Any]]:
    """The betting of clairvoyance and no-limit Kuhn, in units of `step` pots."""
    for key, amount in (("step", step), ("stack", stack)):
        if not number(key, amount, error=RulesError) > 0:
            raise RulesError(f"{key} is {amount}, expected a number above 0")
    half_pot, behind = _units(0.5, step, "half a pot"), _units(stack, step, "stack")
    betting = BettingRules(
        ante=half_pot,
        stack=half_pot + behind,
        menu=_menu(menu),
        max_bets=1,
        may_bet=(True, False),
    )
    facts = {"stack": f"{stack:g} pots behind, after the antes", "bets": _no_limit_bets(betting)}
    more = {"scale": step, "unit": Unit(name="pots"), "less": half_pot, "facts": facts}
    return betting, more


def _units(pots: float, step: float, name: str) -> int:
    units = pots / step
    if units > MOST_UNITS // 2:
        raise RulesError(
            f"{name} is {pots:g} pots, expected at most {MOST_UNITS // 2 * step:g} pots "
            f"in steps of {step:g}"
        )
    if abs(round(units) * step - pots) > 1e-9 * max(1.0, pots) or round(units) < 1:
        raise RulesError(f"{name} is {pots:g} pots, expected a multiple of the step {step:g}")
    return round(units)


def _max_bets(raises: int) -> int:
    return 1 + whole("raises", raises, 0, MOST_UNITS, error=RulesError)


def _menu(letters: str) -> Menu:
    return Menu() if text("menu", letters, error=RulesError) == "all" else Menu.of_letters(letters)


def _betting_facts(betting: BettingRules) -> dict[str, str]:
    """What there is to bet, in chips, for people."""
    facts = {}
    if betting.stack is not None:
        facts["stack"] = f"{betting.stack} chips in all, ante included"
    if betting.bets is None:
        facts["bets"] = _no_limit_bets(betting)
    else:
        most = "" if betting.max_bets is None else f", at most {betting.max_bets:,} in a round"
        facts["bets"] = f"{'/'.join(map(str, betting.bets))} by round{most}"
    return facts


def _no_limit_bets(betting: BettingRules) -> str:
    if betting.menu.integral:
        return "every multiple of the unit, and all-in"
    return f"menu {betting.menu.text} (fractions of the pot after calling, rounded down)"
