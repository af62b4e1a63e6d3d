"""Thesis 003, section 7.2 and Table 6.1: payoffs of a truncated game, naive and modelled.

Rounds before the last are solved with guessed payoffs, the last one from the beliefs that
follow, everywhere at once; what that loses is an exact figure. The thesis reports that modelled
payoffs win 0.0072 small bets a hand from naive ones in Texas Hold'em.
"""

from __future__ import annotations

from typing import Any

from saddlepoint.abstraction.rollout_model import Modelled, RollOut, modelled
from saddlepoint.abstraction.shrink import shrink
from saddlepoint.abstraction.stages import stage_abstracted
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import leduc, rhode_island
from saddlepoint.measure.exact import exploitability_by_seat, head_to_head
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers.cfr import ScheduledDCFR
from saddlepoint.solvers.methods import solve
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table

# Game, rounds kept, buckets of the coarse game, gap in chips of both phases, a bet in chips.
Instance = tuple[FactoredGame, int, str, float, float]


def instances() -> dict[str, Instance]:
    """Games from small to large."""
    return {
        "Leduc Hold'em": (leduc(), 1, "JQ.K", 1e-4, 2.0),
        "Rhode Island, ranks 2345, 2 suits": (
            *(rhode_island(ranks="2345", suits=2), 2, "eb:2-4-8", 0.05, 1000.0),
        ),
        "Rhode Island, ranks 23456, 3 suits": (
            *(rhode_island(ranks="23456", suits=3), 2, "eb:3-6-12", 0.05, 1000.0),
        ),
        "Rhode Island Hold'em": (rhode_island(), 2, "eb:4-12-36", 0.25, 1000.0),
    }


def stages(kitchen: Kitchen) -> Report:
    """What naive and modelled payoffs lose, and how they do against each other."""
    tables = []
    for name, instance in instances().items():
        key = {"game": dict(instance[0].spec), "keep": instance[1], "coarse": instance[2]}
        found = kitchen.step(
            "stages",
            key | {"gap": instance[3]},
            lambda instance=instance: _measured(kitchen, *instance),  # type: ignore[misc]
            f"{name}: both phases, four ways",
        )
        tables.append(
            Table(
                title=f"{name}, {instance[1]} round{'s' * (instance[1] > 1)} kept",
                heads=(
                    "payoffs of the rest",
                    "loss 1",
                    "loss 2",
                    "exploitability",
                    "against naive",
                ),
                rows=[tuple(row) for row in found["rows"]],
                note="In first-round bets a hand. Losses are what the glued strategy guarantees "
                "less than the value of the game.",
            )
        )
    return Report(
        title="Stage abstraction: naive and modelled payoffs",
        facts=[("published", "modelled payoffs win 0.0072 bets a hand from naive ones (Texas)")],
        tables=tables,
        plots=[],
        made={"method": "hs-dcfr"},
    )


def _measured(
    kitchen: Kitchen, game: FactoredGame, keep: int, coarse: str, gap: float, bet: float
) -> dict[str, Any]:
    large = game.counts().sequences[0] > 1_000_000
    method = ScheduledDCFR(precision="single" if large else "double")
    whole = solve(game, method, gap=gap / 5)
    small = shrink(game, cards=coarse).game
    models: dict[str, RollOut | Modelled] = {
        "naive: no more betting": RollOut(),
        "modelled by an equilibrium": modelled(game, whole.profile),
        "modelled by a coarse equilibrium": modelled(
            small, solve(small, "hs-dcfr", gap=gap / 5).profile
        ),
    }
    found: dict[str, Profile] = {}
    rows: list[list[Any]] = []
    for name, model in models.items():
        kitchen.say(f"{game.name}: {name}")
        staged = stage_abstracted(
            *(game, keep), model=model, gap=gap, method="hs-dcfr", rest_method=method
        )
        found[name] = staged.profile
        seats = exploitability_by_seat(staged.profile, whole.value)
        losses = [seats.first / bet, seats.second / bet]
        rows.append([name, *losses, sum(losses) / 2.0])
    won = head_to_head(list(found.values()))[:, 0] / bet
    return {"rows": [[*row, float(w)] for row, w in zip(rows, won, strict=True)]}
