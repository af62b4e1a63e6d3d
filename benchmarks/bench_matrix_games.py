"""Many small matrix games: our compiled simplex method, and HiGHS a game at a time.

HiGHS is called through our linear programs and through SciPy's `linprog`, on the first of
the same games; values are compared. The last line is a published table, 1.5 million games
and their abstractions.
"""

from __future__ import annotations

import tempfile

import numpy as np

from measuring import once, report, seconds
from saddlepoint.sequence.form import matrix_form
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.many import solve_many
from saddlepoint.solvers.run import run
from saddlepoint.solvers.support import enumerate_supports
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.trials import random_games

COUNTS = {3: 100_000, 4: 100_000, 5: 100_000, 8: 20_000, 16: 5_000}
# Peers take milliseconds a game.
PEER_GAMES = 100
TABLE = 1_500_000


def linprog_value(A: np.ndarray) -> float:
    """The value by SciPy: maximise v subject to x' A >= v."""
    from scipy.optimize import linprog

    m, n = A.shape
    found = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.hstack([-A.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[1.0] * m + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    return -float(found.fun)


def games() -> None:
    peers = {
        "HiGHS, our linear program": lambda A: run(matrix_form(A), LinearProgram()).value,
        "SciPy linprog (HiGHS)": linprog_value,
        "our support enumeration": lambda A: enumerate_supports(A)[0].value,
    }
    for size, count in COUNTS.items():
        M = np.random.default_rng(size).uniform(-1, 1, (count, size, size))
        took = seconds(lambda M=M: solve_many(M), repeat=5)
        value = solve_many(M).value
        report(
            "random matrix games",
            "saddlepoint",
            size=size,
            games=count,
            microseconds_per_game=took / count * 1e6,
            model="O(pivots * m * n) a game and O(m * n) for its gap",
        )
        for who, solve in peers.items():
            if "support" in who and size > 5:
                continue
            few = M[:PEER_GAMES]
            solve(few[0])
            took, found = once(lambda few=few, solve=solve: [solve(A) for A in few])
            report(
                "random matrix games",
                who,
                size=size,
                games=len(few),
                microseconds_per_game=took / len(few) * 1e6,
                largest_difference_in_value=float(np.abs(found - value[: len(few)]).max()),
            )


def published() -> None:
    with tempfile.TemporaryDirectory() as folder:
        kitchen = Kitchen(Keeper(folder))
        took, _ = once(lambda: random_games(kitchen, TABLE))
        again, _ = once(lambda: random_games(kitchen, TABLE))
    report(
        "paper 000, table 1",
        "saddlepoint",
        games=TABLE,
        seconds=took,
        seconds_when_kept=again,
        microseconds_per_game=took / TABLE * 1e6,
        model="drawing, two games each, and tallies: O(games)",
    )


if __name__ == "__main__":
    games()
    published()
