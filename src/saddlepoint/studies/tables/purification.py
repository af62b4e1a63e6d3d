r"""Purification in random matrix games: paper 000, section 6, and paper 002, section 3.

What a trial is, `saddlepoint.studies.trials` says. Here are the published figures made of
them, the game of Proposition 1, and larger games, for which the paper leaves the question
open. Observation 1 has a module of its own, `saddlepoint.studies.tables.observation`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.games.matrices import proposition_one
from saddlepoint.reverse.purify import purify
from saddlepoint.sequence.form import matrix_form
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.many import solve_many
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table
from saddlepoint.studies.tables.observation import BETTER, GAMES, WORSE, observation_1
from saddlepoint.studies.trials import Mean, random_games

# Paper 002 does not say how many; its figures have three digits, and two of three games are
# skipped.
GAMES_3X3 = 6_000_000
# Rows and columns of games, and of their abstractions, beyond those of the papers.
LARGER = ((5, 4), (5, 3), (4, 2), (6, 5), (8, 7))
LARGER_GAMES = 1_000_000

PAYOFFS = ("purified", "unpurified")
MARGINS = (1, 10, 100)


# Table 1 ------------------------------------------------------------------------------


def table_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Mean payoffs against the full equilibrium, and half of their 95 % intervals."""
    found = random_games(kitchen, GAMES)
    cells = {}
    for name in PAYOFFS:
        mean: Mean = getattr(found, name)
        cells[f"{name}, payoff"] = Ours(mean.value)
        cells[f"{name}, half-width"] = Ours(mean.half)
    return cells


def table_1_games(kitchen: Kitchen) -> dict[str, Ours]:
    """In how many games of a hundred purification makes what difference."""
    found = random_games(kitchen, GAMES)
    return {
        f"{name}, percent": Ours(found.percent(getattr(found, name)).value)
        for name in ("improved", "worse", "unchanged")
    }


# Three by three -----------------------------------------------------------------------


def table_3x3(kitchen: Kitchen) -> dict[str, Ours]:
    """Mean payoffs on [0, 1] in games whose abstraction has no pure equilibrium."""
    found = random_games(kitchen, GAMES_3X3, 3, 2, 0.0, 1.0, skip_pure=True)
    return {f"{name}, payoff": Ours(getattr(found, name).value) for name in PAYOFFS}


def small_games(kitchen: Kitchen, games: int = GAMES) -> list[dict[str, Any]]:
    """The 3 by 3 games of paper 002 on [0, 1] and on [-1, 1], with and without the skipping.

    Payoffs on [-1, 1] are twice those on [0, 1], less 1, in the same games.
    """
    return [
        {"low": low, "high": 1.0, "skip_pure": skip}
        | random_games(kitchen, games, 3, 2, low, 1.0, skip_pure=skip).to_dict()
        for low in (0.0, -1.0)
        for skip in (True, False)
    ]


# Beyond the papers --------------------------------------------------------------------


def larger_games(
    kitchen: Kitchen,
    sizes: tuple[tuple[int, int], ...] = LARGER,
    games: int = LARGER_GAMES,
) -> list[dict[str, Any]]:
    """Games of other sizes with abstractions of other degrees: section 6.2's open question.

    Each row also says on how many pairs of supports purification is significantly better
    and worse, and on how many it makes no difference for certain.
    """
    rows = []
    for size, abstract in sizes:
        found = observation_1(kitchen, size, abstract, games)
        rows.append(
            found.trials.to_dict()
            | {
                "pairs": len(found.pairs),
                "pairs_better": found.count(BETTER),
                "pairs_worse": found.count(WORSE),
                "pairs_certain": sum(pair.certain for pair in found.pairs),
            }
        )
    return rows


def other_games(kitchen: Kitchen) -> Report:
    """Both of these as a report."""
    small, large = small_games(kitchen), larger_games(kitchen)
    keys = ("purified", "unpurified", "gain", "gain_half", "improved", "worse", "unchanged")
    pairs = ("pairs", "pairs_better", "pairs_worse", "pairs_certain")
    return Report(
        title="Purification in random matrix games, beyond the published ones",
        facts=[("games", f"{GAMES:,} and {LARGER_GAMES:,} a row, seed {kitchen.seed}")],
        tables=[
            Table(
                title="3 by 3 games with 2 by 2 abstractions",
                heads=("payoffs from", "games with a pure abstract equilibrium", *keys),
                rows=[
                    (row["low"], "skipped" if row["skip_pure"] else "kept", *map(row.get, keys))
                    for row in small
                ],
                note="gain_half is half of the 95 % interval of the gain.",
            ),
            Table(
                title="Other sizes",
                heads=("size", "abstraction", *keys, *pairs),
                rows=[tuple(map(row.get, ("size", "abstract", *keys, *pairs))) for row in large],
                note="Pairs are pairs of supports; certain are those where nothing can change.",
            ),
        ],
        made={"seed": kitchen.seed},
    )


# Proposition 1 ------------------------------------------------------------------------


def proposition_1(kitchen: Kitchen) -> dict[str, Ours]:
    """What both ways earn in the game of Proposition 1, for several margins k."""
    cells = {}
    for k in MARGINS:
        M = proposition_one(k).matrix
        own = solve_many(M[None, :, :2]).x[0]
        against = M @ solve_many(M[None]).y[0]
        for name, x in (("unpurified", own), ("purified", _purified(own))):
            cells[f"{name}, {k}"] = Ours(float(x @ against))
    return cells


def _purified(x: NDArray[np.float64]) -> NDArray[np.float64]:
    X = matrix_form(np.zeros((len(x), 1))).X
    return purify(Strategy(X, np.append(1.0, x))).probabilities[1:]
