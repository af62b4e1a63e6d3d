"""Rhode Island Hold'em, all suits kept: iterations a second and bytes, one thread.

The bound is the memory traffic: an iteration reads and writes some twenty-four vectors of
4.9 million numbers, which take what copying as many bytes takes.
"""

from __future__ import annotations

import numpy as np

from measuring import once, peak_megabytes, report, seconds
from saddlepoint.games.catalogue import game
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.products import gradient
from saddlepoint.solvers.cfr import DiscountedCFR, RegretRun

VECTORS = 24
ITERATIONS = 30
SOLVE = """
import saddlepoint as sp
sp.solve("rhode-island", "dcfr", precision="single", iterations=2)
"""


def parts(work: RegretRun) -> None:
    """The kernels that an iteration is made of, one by one."""
    player, other = work.players
    X, one = work.form.X.blocks, player.x.dtype.type
    kernels = {
        "gradient": lambda: gradient(work.arrays, work.iterations < 0, other.x, player.v),
        "match_regrets": lambda: sweeps.match_regrets(
            X, player.s, player.v, player.R, one(1), one(1), one(0)
        ),
        "plan": lambda: sweeps.plan(X, player.s, player.x),
        "average": lambda: sweeps.average(player.x, player.mean, one(0.1)),
    }
    for name, kernel in kernels.items():
        report(
            f"rhode island {name}",
            "saddlepoint",
            precision=work.settings.precision,
            milliseconds=seconds(kernel, repeat=3) * 1e3,
        )


def iterations(form: SequenceForm, precision: str) -> RegretRun:
    """Iterations a second, beside the copying of as many bytes."""
    work = DiscountedCFR(precision=precision).start(form)
    work.advance(1, 60.0)
    took, _ = once(lambda: work.advance(ITERATIONS, 600.0))
    x = work.players[0].x
    source, target = np.ones_like(x), np.zeros_like(x)
    copy = seconds(lambda: np.copyto(target, source), repeat=3)
    report(
        "rhode island iteration",
        "saddlepoint",
        precision=precision,
        iterations_per_second=ITERATIONS / took,
        bound_per_second=1 / (VECTORS / 2 * copy),
        megabytes_of_vectors=sum(v.nbytes for p in work.players for v in p) / 1e6,
        megabytes_of_operator=form.A.n_bytes / 1e6,
        megabytes_of_treeplexes=(form.X.n_bytes + form.Y.n_bytes) / 1e6,
        model="O(sequences); bound: 24 vectors read or written once",
    )
    return work


def main() -> None:
    built, form = once(lambda: game("rhode-island").sequence_form())
    report("rhode island form", "saddlepoint", seconds=built, model="O(hands + betting nodes)")
    for precision in ("single", "double"):
        parts(iterations(form, precision))
    idle = peak_megabytes("import numba, saddlepoint.api")
    peak = peak_megabytes(SOLVE)
    report(
        "rhode island peak memory", "saddlepoint", megabytes=peak, megabytes_above_idle=peak - idle
    )


if __name__ == "__main__":
    main()
