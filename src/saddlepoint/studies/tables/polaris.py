"""Thesis 004: translation in no-limit Leduc Hold'em, Tables 3.4, 3.5, 4.4, 4.7 and part of 5.1.

What a best-responding opponent wins from an agent that translates, in chips: raw values of
best responses, not less the value of the game. A column `P1` has the opponent in seat 1 and
the agent in seat 2.

**How far the rules are known.** Where the agent acts first (columns P2), 31 of the 48 figures
of Tables 4.4 and 4.7 come out within 0.02 for the central equilibrium (see `equilibria`; the
vertex of the simplex method gives 16), all of `fchpda`, `fcpda` and nearly all of `fchda`
among them; the six of `fcpa` come out within 0.012 for a vertex. What is left there is which
equilibrium was lifted. Where the agent acts second, the spread over equilibria is greater
than what there is to explain.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu
from saddlepoint.games.poker import no_limit_leduc
from saddlepoint.measure.exact import guarantee
from saddlepoint.reverse.lift import Lifting
from saddlepoint.reverse.translate import FRAMES, Translation
from saddlepoint.studies.equilibria import equilibria, highs_version
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen

MENUS = ("fchpda", "fcpda", "fchda", "fchpa", "fcha", "fcpa", "fcda", "fca")
# Dropped are actions that a history of positive weight plays less often than this.
DOMINATED = 1e-6
KINDS: dict[str, dict[str, Any]] = {
    "Hard": {"mapping": "det-geo"},
    "Soft": {"mapping": "rand-geo-1"},
    "SoftND": {"mapping": "rand-geo-1", "avoid": DOMINATED},
}
# The seat of the agent, by the column's seat of the opponent.
AGENT = {"P1": 2, "P2": 1}


def table_4_4(kitchen: Kitchen) -> dict[str, Ours]:
    """All menus by all kinds of translation, in the abstract frame."""
    return all_kinds(kitchen, "abstract")


def table_4_7(kitchen: Kitchen) -> dict[str, Ours]:
    """The same in the real frame."""
    return all_kinds(kitchen, "real")


def all_kinds(kitchen: Kitchen, frame: str) -> dict[str, Ours]:
    """A cell for each menu, kind of translation and seat."""
    cells = {}
    for menu in MENUS:
        for kind in KINDS:
            for column, seat in AGENT.items():
                won = winnings(kitchen, menu, seat, kind_in_frame(kind, frame))
                cells[f"{menu}, {kind}-{column}"] = Ours.of(won)
    return cells


def kind_in_frame(kind: str, frame: str) -> dict[str, Any]:
    """The settings of a kind of translation, with all fixes of section 3.3.2."""
    observe, act = FRAMES[frame]
    return {"observe": observe, "act": act, "check": 1, "closing": "again", **KINDS[kind]}


def winnings(
    kitchen: Kitchen, menu: str, seat: int, settings: dict[str, Any]
) -> NDArray[np.float64]:
    """What a best response wins from each of an agent's lifted equilibria, in chips."""
    real = _real()
    pair = AbstractGame.of(real, with_menu(real, menu))
    key = {"menu": menu, "seat": seat, **settings}
    more = {"vertices": kitchen.vertices, "seed": kitchen.seed, "highs": highs_version()}
    form, sign = real.sequence_form(), -1.0 if seat == 1 else 1.0

    def measured() -> dict[str, Any]:
        lifting = Lifting(pair, Translation(**settings))
        strategies = equilibria(kitchen, pair.game, seat, inside=True)
        return {
            "won": np.array([sign * guarantee(form, lifting.lift(s).strategy) for s in strategies])
        }

    won: NDArray[np.float64] = kitchen.step("polaris", key | more, measured)["won"]
    return won


@cache
def _real() -> Any:
    """No-limit Leduc Hold'em with 12 chips, built once."""
    return no_limit_leduc(stack=12)


# The fixes of section 3.3.2, by the heads of Table 3.4.
FIXES: dict[str, dict[str, Any]] = {
    "Unfixed": {},  # what UNFIXED says
    "CisC": {"call_is_call": True},
    "EC": {"check": 1},
    "AA": {"observe": "totals", "remember": True},
}
UNFIXED: dict[str, Any] = {
    "mapping": "det-geo",
    "observe": "chips",
    "act": "totals",
    "check": None,
    "closing": "again",
    "call_is_call": False,
    "remember": False,
}
COMBINATIONS = ("Unfixed", "CisC", "EC", "AA", "EC,CisC", "AA,CisC", "AA,EC", "All")


def table_3_4(kitchen: Kitchen) -> dict[str, Ours]:
    """The row of Leduc Hold'em: the mean of both seats, by the fixes that are on."""
    cells = {}
    for head in COMBINATIONS:
        settings = dict(UNFIXED)
        for name in ("CisC", "EC", "AA") if head == "All" else head.split(","):
            settings |= FIXES[name]
        cells[f"Leduc BR, {head}"] = _both_seats(kitchen, settings)
    return cells


def table_3_5(kitchen: Kitchen) -> dict[str, Ours]:
    """The row of Leduc Hold'em: all fixes, in the real and in the abstract frame."""
    return {
        f"Leduc BR, {frame}": _both_seats(kitchen, kind_in_frame("Hard", frame.lower()))
        for frame in ("Real", "Abstract")
    }


def _both_seats(kitchen: Kitchen, settings: dict[str, Any]) -> Ours:
    """The mean over seats, in thousandths of a chip."""
    one, two = (Ours.of(1000.0 * winnings(kitchen, "fcpa", seat, settings)) for seat in (1, 2))
    return Ours.mean(one, two)
