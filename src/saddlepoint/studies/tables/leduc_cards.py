"""Paper 000, section 7: card abstractions of limit Leduc Hold'em, purified or not.

An abstract equilibrium `own-theirs` is played against an equilibrium opponent of the full
game; its value is the mean of both seats, in thousandths of a chip a hand. In the game in
which only the agent sees groups of cards, the gradient against the opponent's plan is
linear in the agent's plan, so least and greatest values over all abstract equilibria are
linear programs (`solvers.face`), one for every opponent looked at.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.cards import grouped
from saddlepoint.games.poker import leduc
from saddlepoint.reverse.purify import purify, threshold
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.studies.equilibria import equilibria, highs_version
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen

ABSTRACTIONS = ("JQK", "JQ.K", "J.QK", "J.Q.K", "full")
# The opponents: the unselected equilibrium of the full game, and so many vertices more.
OPPONENTS = 8
MILLIBETS = 1000.0

Vector = NDArray[np.float64]


def pairs() -> list[tuple[str, str]]:
    """The 24 pairs of Table 2: all but the full game itself."""
    found = [(own, theirs) for own in ABSTRACTIONS for theirs in ABSTRACTIONS]
    return [pair for pair in found if pair != ("full", "full")]


@cache
def _real() -> Any:
    return leduc()


@cache
def seen(first: str, second: str) -> AbstractGame:
    """Leduc Hold'em in which player 1 sees the groups `first`, player 2 `second`."""
    return grouped(_real(), first, second)


def opponents(kitchen: Kitchen, player: int) -> list[Strategy]:
    """Equilibrium strategies of a player of the full game: the unselected one first."""
    few = Kitchen(kitchen.keeper, kitchen.seed, OPPONENTS, kitchen.say)
    return equilibria(few, _real(), player)


def gradients(kitchen: Kitchen, own: str, seat: int) -> list[Vector]:
    """What each sequence of an agent who sees groups earns him against each opponent."""
    game = seen(own, "full").game if seat == 1 else seen("full", own).game
    A = game.sequence_form().A
    return [A @ y.plan if seat == 1 else -(A.T @ y.plan) for y in opponents(kitchen, 3 - seat)]


def values(kitchen: Kitchen, own: str, theirs: str) -> dict[str, Any]:
    """The agent's values by seat: of unselected and drawn equilibria, purified, and the range.

    `plain` and `purified` have a row for each equilibrium and a column for each opponent;
    `least` and `greatest` are those over all equilibria, by opponent.
    """

    def computed() -> dict[str, Any]:
        found: dict[str, Any] = {}
        for seat in (1, 2):
            game = (seen(own, theirs) if seat == 1 else seen(theirs, own)).game
            g = np.array(gradients(kitchen, own, seat)) * MILLIBETS
            agents = equilibria(kitchen, game, seat)
            face = EquilibriumFace(game, seat)
            ranges = [face.range(row) for row in g]
            found |= {
                f"plain{seat}": np.array([s.plan for s in agents]) @ g.T,
                f"purified{seat}": np.array([purify(s).plan for s in agents]) @ g.T,
                f"least{seat}": np.array([r.minimum for r in ranges]),
                f"greatest{seat}": np.array([r.maximum for r in ranges]),
            }
        return found

    return kitchen.step("000-2", _key(kitchen, own, theirs), computed)


def _key(kitchen: Kitchen, own: str, theirs: str) -> dict[str, Any]:
    return {
        "pair": f"{own}-{theirs}",
        "vertices": kitchen.vertices,
        "opponents": OPPONENTS,
        "seed": kitchen.seed,
        "highs": highs_version(),
    }


def table_2(kitchen: Kitchen) -> dict[str, Ours]:
    """Base and purified values of all 24 pairs, and what purification gains."""
    cells: dict[str, Ours] = {}
    for own, theirs in pairs():
        found = values(kitchen, own, theirs)
        plain, purified = ((found[f"{kind}1"], found[f"{kind}2"]) for kind in ("plain", "purified"))
        name = f"{own}-{theirs}"
        cells[f"{name}, base"] = Ours(
            _mean(plain[0][0, 0], plain[1][0, 0]),
            _mean(found["least1"].min(), found["least2"].min()),
            _mean(found["greatest1"].max(), found["greatest2"].max()),
        )
        cells[f"{name}, purified"] = _spread(*purified)
        cells[f"{name}, improvement"] = _spread(purified[0] - plain[0], purified[1] - plain[1])
    return cells


def _mean(one: float, two: float) -> float:
    return float(one + two) / 2.0


def _spread(one: Vector, two: Vector) -> Ours:
    """The mean of two seats for the unselected pair, and over all pairs looked at."""
    return Ours(
        _mean(one[0, 0], two[0, 0]), _mean(one.min(), two.min()), _mean(one.max(), two.max())
    )


def table_2_claims(kitchen: Kitchen) -> dict[str, Ours]:
    """What section 7.2 says of Table 2, for our unselected equilibria."""
    base, purified = _columns(kitchen)
    best = max(base.values())
    worse = [name for name in base if purified[name] <= base[name]]
    counts = {
        "not improved": len(worse),
        "of these without JQK": sum("JQK" not in name.split("-") for name in worse),
        "purified better than the best unpurified": sum(v > best for v in purified.values()),
    }
    return {f"{name}, pairs": Ours(float(count)) for name, count in counts.items()}


def table_2_best(kitchen: Kitchen) -> dict[str, Ours]:
    """The best values of either kind."""
    base, purified = _columns(kitchen)
    return {
        "best unpurified, mb/h": Ours(max(base.values())),
        "best purified, mb/h": Ours(max(purified.values())),
    }


def _columns(kitchen: Kitchen) -> tuple[dict[str, float], dict[str, float]]:
    found, names = table_2(kitchen), ["-".join(pair) for pair in pairs()]
    base, purified = (
        {name: found[f"{name}, {kind}"].value for name in names} for kind in ("base", "purified")
    )
    return base, purified


# Figure 3 and the exploitability of all pairs: studies beyond the table --------------------


def thresholds(kitchen: Kitchen, own: str, theirs: str, grid: Vector) -> Vector:
    """The value of a pair's unselected equilibrium for every threshold (Figure 3)."""
    total = np.zeros(len(grid))
    for seat in (1, 2):
        game = (seen(own, theirs) if seat == 1 else seen(theirs, own)).game
        g = gradients(kitchen, own, seat)[0] * MILLIBETS
        agent = equilibria(kitchen, game, seat)[0]
        total += [threshold(agent, float(epsilon)).plan @ g for epsilon in grid]
    return total / 2.0
