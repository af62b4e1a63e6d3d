"""The instance 'Texas' of thesis 003 in size: products, iterations, bytes.

Betting of limit Texas Hold'em over random buckets 10-150-750-3750: 13.2 million sequences a
player, 6.3e10 non-zeros that are never written down. Cost model: of the last round a product
takes 13 leaves times 343 histories times 3750 by 3750 pairs of buckets, 1.25e11 floating-point
operations, at the rate that NumPy's product of matrices has here (the bound); vectors are read
or written a few times. Thesis 003, Tables 10.1 and 10.2: 279 s a product on one processor of
its day and 140.6 s on two, 1,426 and 734 s an iteration of its method, 2.49 GB.

Two threads are compared by wall time, which says something on a machine that does nothing else;
so `busy_seconds` is what the threads' own clocks say of the one that worked longest.
"""

from __future__ import annotations

import time

import numpy as np

from measuring import once, peak_megabytes, report
from saddlepoint.core.kernel import nothing_compiled
from saddlepoint.games.synthetic import texas
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.partition import Partition
from saddlepoint.solvers.cfr import CFRPlus
from saddlepoint.solvers.program import count_entries

MODEL = "1.25e11 operations of a dense product, O(histories * buckets^2)"
THESIS = {1: 278.958, 2: 140.579}
THESIS_ITERATION = {1: 1425.786, 2: 734.366}
REPEAT = 5
ONE_PRODUCT = """
import numpy as np
from saddlepoint.games.synthetic import texas
X, Y, A = texas().sequence_form()
A @ np.ones(Y.n_sequences)
"""


class Clocked(Partition):
    """A partition that notes how long each thread worked, by its own clock."""

    busy = 0.0

    def _each(self, work):  # type: ignore[no-untyped-def]
        spent = [0.0] * self.threads

        def clocked(k: int) -> None:
            began = time.thread_time()
            work(k)
            spent[k] = time.thread_time() - began

        super()._each(clocked)
        self.busy += max(spent)


def operations(form: SequenceForm) -> float:
    return 2.0 * count_entries(form.A)


def products(form: SequenceForm) -> None:
    y = form.Y.plan(form.Y.uniform())
    for single in (False, True):
        first = 0.0
        for threads in (1, 2):
            A = Clocked(form.A, threads, single)
            plan, out = y.astype(A.dtype), np.empty(A.shape[0], A.dtype)
            A.gradient(False, plan, out)
            times, busy = [], []
            for _ in range(REPEAT):
                A.busy = 0.0
                times.append(once(lambda A=A, p=plan, o=out: A.gradient(False, p, o))[0])
                busy.append(A.busy)
            # The least of them: others may be at work on the machine.
            first = first or min(busy)
            report(
                "texas product A @ y",
                "saddlepoint",
                precision="single" if single else "double",
                threads=threads,
                seconds=min(times),
                median_seconds=float(np.median(times)),
                busy_seconds=min(busy),
                speedup_of_busy=first / min(busy),
                gigaflops=operations(form) / min(times) / 1e9,
                thesis_seconds=THESIS[threads],
                model=MODEL,
            )


def bound() -> None:
    """NumPy's product of matrices of the last round's shape, on one thread."""
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32):
        B = rng.random((3750, 3750)).astype(dtype)
        Z = rng.random((3750, 343)).astype(dtype)
        took = min(once(lambda B=B, Z=Z: B @ Z)[0] for _ in range(REPEAT))
        report(
            "texas bound: the bare product of matrices",
            "NumPy (BLAS)",
            precision=np.dtype(dtype).name,
            gigaflops=2.0 * B.size * 343 / took / 1e9,
            seconds_a_product=13 * took,
        )


def iterations(form: SequenceForm) -> None:
    for precision in ("double", "single"):
        for threads in (1, 2):
            run = CFRPlus(precision=precision, threads=threads).start(form)
            run.advance(1, 1.0)
            times = [once(lambda r=run: r.advance(1, 1.0))[0] for _ in range(3)]
            report(
                "texas iteration of cfr+",
                "saddlepoint",
                precision=precision,
                threads=threads,
                seconds=min(times),
                thesis_seconds_of_its_method=THESIS_ITERATION[threads],
                megabytes_of_vectors=sum(v.nbytes for p in run.players for v in p) / 1e6,
                model="two products on threads, sweeps O(sequences) on one",
            )


def main() -> None:
    cold = nothing_compiled()
    built, form = once(texas().sequence_form)
    X, Y, A = form
    report(
        "texas form",
        "saddlepoint",
        seconds=built,
        compiled_first=cold,
        sequences=[X.n_sequences, Y.n_sequences],
        nonzeros=count_entries(A) + sum(p.n_sequences + p.n_infosets for p in (X, Y)),
        published_nonzeros=61_498_656_400,
        megabytes_of_operator=A.n_bytes / 1e6,
        megabytes_of_treeplexes=(X.n_bytes + Y.n_bytes) / 1e6,
        model="O(buckets^2 + betting nodes)",
    )
    bound()
    products(form)
    iterations(form)
    idle = peak_megabytes("import numba, saddlepoint.api")
    report(
        "texas peak memory of building the game and one product",
        "saddlepoint",
        megabytes=peak_megabytes(ONE_PRODUCT),
        megabytes_of_an_idle_interpreter=idle,
        thesis_megabytes=2490,
        written_down_megabytes=458_000,
    )


if __name__ == "__main__":
    main()
