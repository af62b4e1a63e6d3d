"""Thesis 004: what its text says beside the tables.

The worked examples of sections 3.4, 4.2.1 and 4.3.1, and by how much betting trees grow with
their menus (sections 3.2.1 and 3.3.3).
"""

from __future__ import annotations

import numpy as np

from saddlepoint.games.betting import BettingRules
from saddlepoint.games.betting_tally import tally
from saddlepoint.games.menu import LETTERS, Menu
from saddlepoint.reverse.mappings import MAPPINGS, SIMILARITY
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen

BIG_BLIND = 2


def greatest(pot: int, all_in: int) -> int:
    """The greatest whole bet that det-geo takes for a bet of the pot, not for all-in."""
    bets = np.arange(pot, all_in + 1)
    taken = MAPPINGS["det-geo"](pot, all_in, bets) == 1.0
    return int(bets[taken][-1])


def up_bets(kitchen: Kitchen) -> dict[str, Ours]:
    """Section 3.4: bets as large as a hard translation still takes for the pot, twice in a hand."""
    stack, pot = 1000, 4
    behind = stack - pot // 2
    first = greatest(pot, behind)
    called = pot + 2 * first
    again = greatest(called, behind - first)
    # The abstract game has seen a bet of the pot: 4 chips each.
    seen = 3 * pot
    second = greatest(seen, stack - seen // 2)
    apart = called // 2 - seen // 2
    return {
        "real frame: first bet, chips": Ours(first),
        "real frame: pot after it, chips": Ours(called),
        "real frame: second bet, chips": Ours(again),
        "real frame: pot after it is called, chips": Ours(called + 2 * again),
        "abstract frame: second bet in the abstract pot, chips": Ours(second),
        "abstract frame: second bet, chips": Ours(second - apart),
        "abstract frame: pot after it is called, chips": Ours(called + 2 * (second - apart)),
    }


def in_and_out(kitchen: Kitchen) -> dict[str, Ours]:
    """Sections 4.2.1 and 4.3.1: a raise of 6 between 4 and 8, and a pot bet carried out."""
    small, real, large = 4.0, 6.0, 8.0
    hard = float(MAPPINGS["det-geo"](small, large, real))
    soft = float(SIMILARITY(small, large, real))
    pot, abstract = 40, 36
    totals = abstract // 2 + abstract  # what the abstract pot bet makes of a contribution
    return {
        "raise of 6 read as, chips": Ours(small if hard == 1.0 else large),
        "weight of 4, share": Ours(soft),
        "weight of 8, share": Ours(1.0 - soft),
        "pot bet in the abstract frame, chips": Ours(totals - pot // 2),
        "pot bet in the real frame, chips": Ours(pot),
    }


def growth(kitchen: Kitchen) -> dict[str, Ours]:
    """Sections 3.2.1 and 3.3.3: how many times as many decisions a greater menu has."""

    def times(more: str, less: str, blinds: int, restricted: str = "") -> Ours:
        return Ours(decisions(more, blinds, restricted) / decisions(less, blinds, restricted))

    return {
        "fchpa over fcpa (500), times": times("fchpa", "fcpa", 500),
        "fchpa restricted over fcpa (500), times": times("fchpa", "fcpa", 500, "h"),
        "fcpta over fcpa (500), times": times("fcpta", "fcpa", 500),
        "fchpta over fcpta (500), times": times("fchpta", "fcpta", 500, "h"),
        "fchpta over fcpta (200), times": times("fchpta", "fcpta", 200, "h"),
        "fchpta over fcpta (100), times": times("fchpta", "fcpta", 100, "h"),
        "fchpea over fcpea (200), times": times("fchpea", "fcpea", 200, "h"),
        "fchqpwea over fcpea (200), times": times("fchqpwea", "fcpea", 200, "hq"),
        "fchqpwea over fchpea (200), times": times("fchqpwea", "fchpea", 200, "hq"),
    }


def decisions(letters: str, blinds: int, restricted: str = "") -> int:
    """Decisions in the betting tree of Texas Hold'em with so many big blinds.

    Restricted letters may be used once a round by each player, each of them by itself, and
    not in the first round.

    >>> decisions("fcpa", 500)
    2576
    """
    sizes = Menu.of_letters(letters).bets
    rare = tuple(LETTERS[letter] for letter in restricted if letter in letters)
    rules = BettingRules(
        rounds=4,
        first=(1, 2, 2, 2),
        blinds=(BIG_BLIND // 2, BIG_BLIND),
        stack=blinds * BIG_BLIND,
        min_bet=BIG_BLIND,
        menu=Menu(bets=sizes, once=rare, later=rare),
    )
    return int(tally(rules).decisions.sum())
