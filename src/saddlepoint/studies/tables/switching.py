"""Thesis 004, chapter 5: covers of no-limit Leduc Hold'em, and players who switch.

Values are what a best-responding opponent wins, in chips, not less the value of the game; a
column `P1` has the opponent in seat 1 and the agent in seat 2.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu
from saddlepoint.abstraction.shrink import shrink
from saddlepoint.core.seeds import derived
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import kuhn, no_limit_leduc
from saddlepoint.measure.exact import exploitability, guarantee, head_to_head
from saddlepoint.reverse.coach import Coach, coached
from saddlepoint.reverse.cover import full_cover, sample, sub_cover
from saddlepoint.reverse.lift import Lifting
from saddlepoint.reverse.switching import Suite, Switching
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.solvers.methods import solve
from saddlepoint.solvers.refine import continued
from saddlepoint.studies.equilibria import equilibria, highs_version, unselected
from saddlepoint.studies.published import Ours, table
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table
from saddlepoint.studies.tables.polaris import AGENT, kind_in_frame, winnings
from saddlepoint.studies.tables.translation import leduc_value

# Vertices of every abstract game's equilibria besides the central and the unselected one: the
# k-th equilibria of all games make the k-th player, a unique one again and again.
VERTICES = 2
SAMPLES, SAMPLE, SETS = 10, 14, 20
UNREACHED = "call"

Vector = NDArray[np.float64]


# The covers: Tables A.1 and A.2 -----------------------------------------------------------


def table_a_1(kitchen: Kitchen) -> dict[str, Ours]:
    """The stack of every game of the full cover, in antes."""
    return {f"{k}, stack": Ours(s.printed[0]) for k, s in enumerate(_suite().stakes, start=1)}


def table_a_1_bets(kitchen: Kitchen) -> dict[str, Ours]:
    """The bet of every game of the full cover, in pots."""
    return {f"{k}, bet": Ours(s.printed[1]) for k, s in enumerate(_suite().stakes, start=1)}


def table_a_2(kitchen: Kitchen) -> dict[str, Ours]:
    """The games of our cover that the hand-picked pairs name."""
    cells: dict[str, Ours] = {}
    for k, place in enumerate(_picked(), start=1):
        stack, bet = _suite().stakes[place].printed
        cells |= {f"{k}, stack": Ours(stack), f"{k}, bet": Ours(bet)}
    return cells


def _picked() -> list[int]:
    cells = table("004", "A.2").cells
    pairs = [(cells[f"{k}, stack"], cells[f"{k}, bet"]) for k in range(1, len(cells) // 2 + 1)]
    return sub_cover(_suite().stakes, pairs)


@cache
def _suite() -> Suite:
    real = no_limit_leduc(stack=12)
    return Suite(real, full_cover(real))


# The switching players: Table 5.1 -------------------------------------------------------------


def table_5_1(kitchen: Kitchen) -> dict[str, Ours]:
    """An equilibrium, translating agents, and players with the full and the sub cover."""
    value = leduc_value(kitchen)
    rows = {"Equilibrium": {"P1": np.array([value]), "P2": np.array([-value])}}
    for frame in ("real", "abstract"):
        for kind in ("hard", "soft"):
            settings = kind_in_frame(kind.title(), frame)
            rows[f"fcpa ({frame},{kind})"] = {
                column: winnings(kitchen, "fcpa", seat, settings) for column, seat in AGENT.items()
            }
    for name, weights, chosen in (("Full Cover", "exact", []), ("Sub Cover", "near", _picked())):
        rows[name] = {
            column: switched(kitchen, name, seat, weights, [chosen])[:, 0]
            for column, seat in AGENT.items()
        }
    cells: dict[str, Ours] = {}
    for name, won in rows.items():
        cells |= {f"{name}, {column}": Ours.of(figures) for column, figures in won.items()}
        cells[f"{name}, Average"] = Ours.mean(*(cells[f"{name}, {column}"] for column in AGENT))
    return cells


def table_5_1_samples(kitchen: Kitchen) -> dict[str, Ours]:
    """The least, mean and greatest of ten samples: of our first ten, and over twenty tens."""
    drawn = [
        sample(_suite().stakes, SAMPLE, derived(kitchen.seed, "cover", k))
        for k in range(SAMPLES * SETS)
    ]
    won = {
        column: switched(kitchen, "samples", seat, "near", drawn)[0]
        for column, seat in AGENT.items()
    }
    won["Average"] = (won["P1"] + won["P2"]) / 2.0
    cells = {}
    for column, figures in won.items():
        tens = figures.reshape(SETS, SAMPLES)
        for name, statistic in (("least", np.min), ("mean", np.mean), ("greatest", np.max)):
            cells[f"{name} of ten samples, {column}"] = Ours.of(statistic(tens, axis=1))
    return cells


def switched(
    kitchen: Kitchen, name: str, seat: int, weights: str, suites: list[list[int]]
) -> Vector:
    """What is won from a switching player, by equilibria (rows) and suites (columns)."""
    vertices = VERTICES if name != "samples" else 0
    key = {
        "suite": name,
        "seat": seat,
        "weights": weights,
        "unreached": UNREACHED,
        "vertices": vertices,
        "seed": kitchen.seed,
        "highs": highs_version(),
    }
    sign, settings = -1.0 if seat == 1 else 1.0, Switching(weights=weights, unreached=UNREACHED)

    def played() -> dict[str, Any]:
        suite, agents = _suite(), _agents(kitchen, seat)
        form = suite.real.sequence_form()
        won = np.empty((vertices + 2 if vertices else 1, len(suites)))
        for k in range(len(won)):
            strategies = [several[k % len(several)] for several in agents]
            for i, chosen in enumerate(suites):
                won[k, i] = sign * guarantee(form, suite.player(strategies, settings, chosen))
        return {"won": won}

    won: Vector = kitchen.step("004-5.1", key, played)["won"]
    return won


def _agents(kitchen: Kitchen, seat: int) -> list[list[Strategy]]:
    """For each game of the cover the central equilibrium, the unselected one, and vertices."""
    few = Kitchen(kitchen.keeper, kitchen.seed, VERTICES, kitchen.say)
    return [equilibria(few, game, seat, inside=True) for game in _suite().games]


# Switching between equilibria: section 5.3 ----------------------------------------------------


def kuhn_switched(kitchen: Kitchen) -> dict[str, Ours]:
    """Player 1 of Kuhn poker who opens by one equilibrium and answers by another.

    Of all his equilibria the one that bets a king least often opens, the one that bets it
    most often answers. Where these do not lead themselves, they play what is not dominated.
    """
    form = kuhn().sequence_form()
    face, bets = EquilibriumFace(form, 1), np.zeros(form.X.n_sequences)
    bets[form.X.sequences(form.X.find("K:"))] = (0.0, 1.0)
    theirs = unselected(form, 2)
    opens, answers = (
        Strategy(form.X, continued(form, 1, face.maximise(sign * bets), theirs), 1)
        for sign in (-1.0, 1.0)
    )
    switched = Strategy.of_function(
        form.X, lambda name: (opens if name.endswith(":") else answers)[name], 1
    )
    return {
        "an equilibrium, antes": Ours(guarantee(form, opens)),
        "the other one, antes": Ours(guarantee(form, answers)),
        "switched, antes": Ours(guarantee(form, switched)),
    }


# Coaches: section 5.5, in Leduc Hold'em -------------------------------------------------------

# The first agent sees all cards and bets the pot; the second bets half of it too, and cannot
# tell a jack from a queen. Both are played in the game that has all these bets.
FIRST, SECOND = ("fcpa", None), ("fchpa", "JQ.K")
HALF, TEMPTED = 0.5, 0.001


def coaches(kitchen: Kitchen) -> Report:
    """Table 5.2's four players in no-limit Leduc Hold'em: exact values, and exploitability."""
    real = with_menu(no_limit_leduc(stack=12), "fchpa")
    first, second = (_brought(real, *agent) for agent in (FIRST, SECOND))
    players = {
        "Full Coach": _coach(real, first, second, TEMPTED),
        "Defensive Coach": _coach(real, first, second, None),
        f"(1) {FIRST[0]}, all cards": first,
        f"(2) {SECOND[0]}, {SECOND[1]}": second,
    }
    won = 1000.0 * head_to_head(list(players.values()))
    lost = [1000.0 * exploitability(p) for p in players.values()]
    unit = f"thousandths of a {real.unit.name.rstrip('s')}"
    return Report(
        title="Coaches in no-limit Leduc Hold'em (thesis 004, Table 5.2, in another game)",
        facts=[
            ("game", f"{real.name}: the bets of both agents"),
            ("hands over", f"after a bet of {HALF:g} pots; the full coach from {TEMPTED:g} on"),
        ],
        tables=[
            Table(
                title=f"Row against column, {unit} a hand, the mean of both seats",
                heads=("player", "(1)", "(2)", "exploitability"),
                rows=[
                    (name, float(won[k, 2]), float(won[k, 3]), float(lost[k]))
                    for k, name in enumerate(players)
                ],
                note="Exact. The thesis played Texas Hold'em with 200 big blinds: Full Coach -348 "
                "and -32, Defensive Coach 0 and -125, (1) against (2) -36 mb/h.",
            )
        ],
        plots=[],
        made={"seed": kitchen.seed},
    )


def _brought(real: FactoredGame, menu: str, cards: str | None) -> Profile:
    """Both seats of an abstract equilibrium, lifted by hard translation."""
    small = shrink(no_limit_leduc(stack=12), menu, cards)
    pair = AbstractGame(real, small.game, small.groups)
    lifting = Lifting(pair, Translation(mapping="det-geo"))
    one, two = (lifting.lift(s).strategy for s in solve(pair.game, "lp").profile)
    return Profile(real.sequence_form(), one, two)


def _coach(real: FactoredGame, first: Profile, second: Profile, tempted: float | None) -> Profile:
    settings = Coach(size=HALF, tempted=tempted)
    one, two = (coached(real, a, b, settings) for a, b in zip(first, second, strict=True))
    return Profile(real.sequence_form(), one, two)
