"""Rhode Island Hold'em, all suits kept: iterations a second, bytes, and the certificate.

The bound is the memory traffic that board by board is left: an iteration reads and writes
the strategy, regrets and average of either player once and reads the opponent's strategy,
fourteen vectors of 4.9 million numbers, which take what copying as many bytes takes. The
peer is our own whole sweep, which passes through memory for every kernel.
"""

from __future__ import annotations

import numpy as np

from measuring import once, peak_megabytes, report, seconds
from saddlepoint.games.catalogue import game
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.measure.public_response import certify
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers import cfr
from saddlepoint.solvers.cfr import DiscountedCFR
from saddlepoint.solvers.methods import solve

VECTORS = 14
ITERATIONS = 30
GOAL = 0.05
SOLVE = """
import saddlepoint as sp
sp.solve("rhode-island", iterations=40)
"""


def iterations(form: SequenceForm, precision: str, threads: int) -> None:
    """Iterations a second, beside the copying of as many bytes; threads 0: whole sweeps."""
    before = cfr.BY_PARTS_FROM
    cfr.BY_PARTS_FROM = before if threads else form.X.n_sequences + 1
    work = DiscountedCFR(precision=precision, threads=threads or None).start(form)
    cfr.BY_PARTS_FROM = before
    work.advance(1, 60.0)
    took, _ = once(lambda: work.advance(ITERATIONS, 600.0))
    x = work.players[0].s
    source, target = np.ones_like(x), np.zeros_like(x)
    copy = seconds(lambda: np.copyto(target, source), repeat=3)
    report(
        "rhode island iteration",
        "saddlepoint" if threads else "saddlepoint, whole sweeps",
        precision=precision,
        threads=threads or 1,
        iterations_per_second=ITERATIONS / took,
        bound_per_second=1 / (VECTORS / 2 * copy),
        megabytes_of_vectors=sum(v.nbytes for p in work.players for v in p) / 1e6,
        megabytes_of_operator=form.A.n_bytes / 1e6,
        megabytes_of_treeplexes=(form.X.n_bytes + form.Y.n_bytes) / 1e6,
        model="O(sequences); bound: 14 vectors read or written once, one thread",
    )


def to_the_goal(form: SequenceForm, threads: int) -> Profile:
    """Seconds to a gap of 0.05 chips, ante 500; 2005: 7 days 17 hours (thesis 003)."""
    took, found = once(
        lambda: solve(form, "hs-dcfr", precision="single", threads=threads, gap=GOAL)
    )
    report(
        "rhode island to a gap of 0.05",
        "saddlepoint",
        threads=threads,
        seconds=took,
        iterations=found.iterations,
        lower=found.lower,
        upper=found.upper,
    )
    return found.profile


def certificate(real: FactoredGame, profile: Profile) -> None:
    """The public tree over all cards: 2,652 boards, three walks."""
    took, found = once(lambda: certify(real, profile))
    report(
        "rhode island certificate",
        "saddlepoint",
        seconds=took,
        gap=found.gap,
        model="O(boards * (decisions * hands + showdowns * hands^2))",
    )


def main() -> None:
    real = game("rhode-island")
    assert isinstance(real, FactoredGame)
    built, form = once(real.sequence_form)
    report("rhode island form", "saddlepoint", seconds=built, model="O(hands + betting nodes)")
    for precision in ("single", "double"):
        for threads in (0, 1, 2):
            iterations(form, precision, threads)
    for threads in (1, 2):
        profile = to_the_goal(form, threads)
    certificate(real, profile)
    idle = peak_megabytes("import numba, saddlepoint.api")
    peak = peak_megabytes(SOLVE)
    report(
        "rhode island peak memory", "saddlepoint", megabytes=peak, megabytes_above_idle=peak - idle
    )


if __name__ == "__main__":
    main()
