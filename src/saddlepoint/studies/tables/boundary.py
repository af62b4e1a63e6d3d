"""Table 4.1 of thesis 004: how well a boundary is found by an agent's responses to bets.

The agent there was a version of Polaris whose response frequencies are not known. Ours is
a player of no-limit Leduc Hold'em: player 2, who answers the first bet by a strategy of the
fcpa game with 23 chips, found by discounted CFR (Polaris was trained by CFR). With 23 chips a
pot bet is one of 2 and all-in one of 22 chips, so that there are 20 whole bets above the pot
bet, up to all-in, in steps of 0.05 of the way; a boundary at 0.1 lies behind the second. (The
published average errors are multiples of 0.05 over 100 trials, and so fit that grid.)

A hard translation reads the first bet as one of two, and a fold is carried out as a fold, a
call as a call, a raise as a raise: the agent's responses are those of the abstract strategy to
these two. So nothing has to be lifted here; `tests/reverse/test_boundary.py` has it that the
lifted strategy answers just so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from saddlepoint.core.seeds import derived
from saddlepoint.games.poker import no_limit_leduc
from saddlepoint.reverse.boundary import estimate_boundary
from saddlepoint.reverse.responders import Frequencies
from saddlepoint.solvers.methods import solve
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen

BETS, TRIALS = 20, 100
BOUNDARIES = ("0.1", "0.3", "0.5", "0.7", "0.9")
STACK, POT = 23, 3
# The gap, in chips, at which the agent's training stops.
TRAINED = 1e-4


def agent() -> Frequencies:
    """How often the agent folds, calls and raises after a pot bet, and after all-in."""
    game = no_limit_leduc(stack=STACK, menu="fcpa")
    strategy = solve(game, "dcfr", gap=TRAINED).profile.second
    return Frequencies.of_strategy(game, strategy, [POT, STACK])


def trials(responses: Frequencies, seed: int, predict: str = "bet") -> dict[str, Any]:
    """Average iterations, error rate in percent and average error for each boundary.

    An error is a wrong boundary or none within 500 hands; the average error is the distance
    from the true boundary, 0 where it was found without enough confidence.
    """
    below, above = responses.table
    rows: dict[str, Any] = {"iterations": [], "error rate": [], "error": []}
    for name in BOUNDARIES:
        theta = round(float(name) * BETS)
        responder = Frequencies.of_two(below, above, theta, BETS)
        found = [
            estimate_boundary(
                responder, BETS, derived(seed, "boundary", name, trial), predict=predict
            )
            for trial in range(TRIALS)
        ]
        wrong = [f.theta != theta or not f.converged for f in found]
        rows["iterations"].append(float(np.mean([f.hands for f in found])))
        rows["error rate"].append(100.0 * float(np.mean(wrong)))
        rows["error"].append(float(np.mean([abs(f.theta - theta) for f in found])) / BETS)
    return rows


def table_4_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Iterations, error rate and error of boundary estimation, as printed."""
    table = kitchen.step(
        "boundary agent", {"stack": STACK, "gap": TRAINED}, lambda: {"table": agent().table}
    )
    rows = kitchen.step(
        "boundary trials",
        {"trials": TRIALS, "seed": kitchen.seed},
        lambda: trials(Frequencies(np.asarray(table["table"])), kitchen.seed),
    )
    return {
        f"{row}, {column}": Ours(value)
        for row, values in rows.items()
        for column, value in zip(BOUNDARIES, values, strict=True)
    }
