"""Limit Leduc Hold'em: thresholds (paper 000, Figure 3), and abstraction pathologies.

An *abstraction pathology* (thesis 004, section 2.3.1; Waugh and others 2009) is a refinement
that makes things worse: the equilibrium of the finer game loses more to a best response than
that of the coarser one. Here are all pairs of card abstractions of paper 000. Agents are the
unselected equilibria, and others of the face beside them, since exploitability depends on
which one it is: a pathology is *certain*, as far as the equilibria looked at tell, if even the
least exploitable of the finer game is worse than the most exploitable of the coarser one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.measure.exact import guarantee
from saddlepoint.reverse.lift import Lifting
from saddlepoint.studies.equilibria import equilibria, highs_version
from saddlepoint.studies.plots import Plot
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table
from saddlepoint.studies.tables.leduc_cards import ABSTRACTIONS, MILLIBETS, pairs, seen, thresholds

Vector = NDArray[np.float64]

# What each abstraction is refined to directly: a group is split, or the board is told.
FINER: dict[str, tuple[str, ...]] = {
    "JQK": ("JQ.K", "J.QK"),
    "JQ.K": ("J.Q.K",),
    "J.QK": ("J.Q.K",),
    "J.Q.K": ("full",),
    "full": (),
}
GRID = np.linspace(0.0, 1.0, 41)


def thresholding(kitchen: Kitchen) -> Report:
    """Figure 3, for all 24 pairs."""
    curves = {}
    for own, theirs in pairs():
        curves[own, theirs] = np.array(
            kitchen.step(
                "figure 3",
                {"pair": f"{own}-{theirs}", "seed": kitchen.seed, "highs": highs_version()},
                lambda own=own, theirs=theirs: {  # type: ignore[misc]
                    "values": thresholds(kitchen, own, theirs, GRID)
                },
            )["values"]
        )
    rows = []
    for (own, theirs), values in curves.items():
        best = int(np.argmax(values))
        figures = (values[0], values[6], values[-1], GRID[best], values[best])
        rows.append((f"{own}-{theirs}", *map(float, figures)))
    return Report(
        title="Thresholding in limit Leduc Hold'em",
        facts=[("against", "an equilibrium of the full game"), ("unit", "mb/h, both seats")],
        tables=[
            Table(
                title="Values by threshold",
                heads=("pair", "0", f"{GRID[6]:g}", "1 (purified)", "best threshold", "best value"),
                rows=rows,
                note="1 mb is a thousandth of a chip. Of equal thresholds the least is named.",
            )
        ],
        plots=[
            Plot(
                title=f"Agents that see {own}, by what their abstract opponent sees",
                x="threshold",
                y="mb/h",
                series={theirs: (GRID, curves[own, theirs]) for theirs in theirs_of(own)},
            )
            for own in ABSTRACTIONS
        ],
        made={"seed": kitchen.seed, "highs": highs_version()},
    )


def theirs_of(own: str) -> list[str]:
    """What the abstract opponents of an agent of Table 2 see."""
    return [theirs for o, theirs in pairs() if o == own]


def exploitabilities(kitchen: Kitchen, own: str, theirs: str) -> Vector:
    """How exploitable a pair's equilibria are in the full game, seats averaged.

    The unselected one comes first; the k-th of both seats make the k-th agent.
    """

    def computed() -> dict[str, Any]:
        lost = []
        for seat in (1, 2):
            pair: AbstractGame = seen(own, theirs) if seat == 1 else seen(theirs, own)
            lifting, form = Lifting(pair), pair.real.sequence_form()
            sign = -1.0 if seat == 1 else 1.0
            agents = equilibria(kitchen, pair.game, seat)
            lost.append([sign * guarantee(form, lifting.lift(s).strategy) for s in agents])
        size = max(map(len, lost))
        one, two = (np.resize(np.array(seat), size) for seat in lost)
        return {"lost": MILLIBETS * (one + two) / 2.0}

    key = {
        "pair": f"{own}-{theirs}",
        "vertices": kitchen.vertices,
        "seed": kitchen.seed,
        "highs": highs_version(),
    }
    found: Vector = kitchen.step("pathologies", key, computed)["lost"]
    return found


def pathologies(kitchen: Kitchen) -> Report:
    """The exploitability of all 25 pairs, and every refinement that is worse."""
    lost = {
        (own, theirs): exploitabilities(kitchen, own, theirs)
        for own in ABSTRACTIONS
        for theirs in ABSTRACTIONS
    }
    heads = ("agent sees", *(f"opponent {theirs}" for theirs in ABSTRACTIONS))
    spread = [
        (own, *(f"{v[0]:.1f} ({v.min():.1f} to {v.max():.1f})" for v in rows))
        for own in ABSTRACTIONS
        for rows in [[lost[own, theirs] for theirs in ABSTRACTIONS]]
    ]
    worse = list(refined_for_the_worse(lost))
    return Report(
        title="Abstraction pathologies in limit Leduc Hold'em",
        facts=[
            ("refinements that are worse", str(len(worse))),
            ("of these certain", str(sum(row[-1] == "yes" for row in worse))),
        ],
        tables=[
            Table(
                title="Exploitability in the full game, mb/h",
                heads=heads,
                rows=spread,
                note="Of the unselected equilibrium, and over the equilibria looked at; the mean "
                "of both seats.",
            ),
            Table(
                title="Refinements that are worse than what they refine",
                heads=("refined", "coarser", "finer", "mb/h before", "mb/h after", "certain"),
                rows=worse,
                note="Certain: the least exploitable equilibrium of the finer game that was looked "
                "at is worse than the most exploitable one of the coarser game.",
            ),
        ],
        made={"seed": kitchen.seed, "vertices": kitchen.vertices, "highs": highs_version()},
    )


def refined_for_the_worse(lost: dict[tuple[str, str], Vector]) -> list[tuple[Any, ...]]:
    """Who was refined, both pairs, exploitability before and after, and whether it is certain."""
    found = []
    for own, theirs in lost:
        steps = [("the agent", (finer, theirs)) for finer in FINER[own]]
        steps += [("the opponent", (own, finer)) for finer in FINER[theirs]]
        steps += [("both", (finer, finer)) for finer in FINER[own] if own == theirs]
        for who, after in steps:
            before, now = lost[own, theirs], lost[after]
            if now[0] > before[0] + 1e-6:
                names = (f"{own}-{theirs}", "-".join(after))
                certain = "yes" if now.min() > before.max() else "no"
                found.append((who, *names, float(before[0]), float(now[0]), certain))
    return found
