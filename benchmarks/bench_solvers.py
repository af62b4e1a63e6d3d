"""Methods against each other and against other packages, over games, to exploitability 1e-4.

Kuhn and Leduc as OpenSpiel has them (all cards distinct) and as ours (up to ranks), no-limit
Leduc with 20 chips and pot-sized bets, Liar's Dice from OpenSpiel with 294,883 nodes. A peer that
cannot take a game is left out of its lines. Evaluations of peers are not counted; ours are.
Seconds are medians where a run is short, single runs where it is long; one thread.
"""

from __future__ import annotations

import contextlib
import io
import resource
from collections.abc import Callable
from typing import Any

from measuring import once, report, seconds
from saddlepoint.games.catalogue import game
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.solvers.methods import chosen, method_named
from saddlepoint.solvers.run import run

GOAL = 1e-4  # exploitability, half the gap
LIMIT = 120.0
# Ours, and what OpenSpiel calls it.
GAMES = {
    "openspiel:kuhn_poker": "kuhn_poker",
    "kuhn": None,
    "leduc:isomorphism=cards": "leduc_poker",
    "leduc": None,
    "no-limit-leduc:stack=20,menu=fcpa": None,
    "openspiel:liars_dice": "liars_dice",
}
METHODS = ("lp", "cfr+", "dcfr", "pcfr+", "hs-dcfr")
SHORT = 0.5


def ours(text: str) -> SequenceForm:
    """All our methods on a game."""
    form = game(text).sequence_form()
    for name in METHODS:
        method = method_named(name)
        options: dict[str, Any] = {} if name == "lp" else {"gap": 2 * GOAL}
        run(form, method, iterations=2)
        took, found = once(lambda m=method, o=options: run(form, m, seconds=LIMIT, **o))
        if took < SHORT:
            took = seconds(lambda m=method, o=options: run(form, m, **o), repeat=5)
        report(
            "to exploitability 1e-4",
            "saddlepoint",
            game=text,
            method=name,
            chosen_by_auto=name == chosen(form),
            milliseconds=took * 1e3,
            iterations=found.iterations,
            exploitability=found.exploitability,
            sequences=[form.X.n_sequences, form.Y.n_sequences],
            megabytes_of_game=(form.A.n_bytes + form.X.n_bytes + form.Y.n_bytes) / 1e6,
            model="two products and four sweeps an iteration: O(entries + sequences)",
        )
    return form


def highs(text: str, form: SequenceForm) -> None:
    """HiGHS by itself on the program that we build: simplex and interior point."""
    import highspy

    from saddlepoint.solvers.program import Program

    for solver in ("simplex", "ipm"):

        def work(solver: str = solver) -> None:
            model = highspy.Highs()
            model.setOptionValue("output_flag", False)
            model.setOptionValue("threads", 1)
            model.setOptionValue("solver", solver)
            model.setOptionValue("time_limit", LIMIT)
            model.passModel(Program(form).model())
            model.run()

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        took, _ = once(work)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report(
            "to exploitability 1e-4",
            f"HiGHS, {solver}",
            game=text,
            milliseconds=took * 1e3,
            megabytes_more_than_before=(after - before) / 1e3,
            note="to an optimal basis",
        )


def to_goal(who: str, text: str, work: Callable[[int], None], measure: Callable[[], float]) -> None:
    """Let a peer iterate until its exploitability is at the goal."""
    iterations, total, found = 0, 0.0, float("inf")
    while found > GOAL and total < LIMIT:
        count = max(8, iterations // 8)
        took, _ = once(lambda n=count: work(n))
        iterations, total, found = iterations + count, total + took, measure()
    report(
        "to exploitability 1e-4",
        who,
        game=text,
        milliseconds=total * 1e3,
        iterations=iterations,
        exploitability=found,
        note="evaluations not counted",
    )


def openspiel(text: str, name: str) -> None:
    try:
        import pyspiel
    except ImportError:
        report("to exploitability 1e-4", "OpenSpiel", game=text, missing=True)
        return
    loaded = pyspiel.load_game(name)
    solver = pyspiel.CFRPlusSolver(loaded)
    to_goal(
        "OpenSpiel, CFR+",
        text,
        lambda n: [solver.evaluate_and_update_policy() for _ in range(n)] and None,
        lambda: float(pyspiel.exploitability(loaded, solver.average_policy())),
    )


def liteefg(text: str, name: str) -> None:
    try:
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import DCFR, PCFR, CFRplus
    except ImportError:
        report("to exploitability 1e-4", "LiteEFG", game=text, missing=True)
        return
    for method in (CFRplus, PCFR, DCFR):
        with contextlib.redirect_stdout(io.StringIO()):
            env = LiteEFG.OpenSpielEnv(pyspiel.load_game(name))
            algorithm = method.graph()
            env.set_graph(algorithm)

        def work(count: int, algorithm: Any = algorithm, env: Any = env) -> None:
            for _ in range(count):
                algorithm.update_graph(env)
                env.update_strategy(algorithm.current_strategy(), update_best=False)

        def measure(algorithm: Any = algorithm, env: Any = env) -> float:
            # Its discounted CFR keeps an average of its own; of the others the best is taken.
            if hasattr(algorithm, "avg_strategy"):
                env.update_strategy(algorithm.avg_strategy, update_best=False)
                asked = [(algorithm.avg_strategy, "last-iterate")]
            else:
                kinds = ("linear-avg-iterate", "last-iterate")
                asked = [(algorithm.current_strategy(), kind) for kind in kinds]
            return min(float(sum(env.exploitability(*which)) / 2) for which in asked)

        to_goal(f"LiteEFG, {method.__name__.rpartition('.')[2]}", text, work, measure)


def main() -> None:
    for text, name in GAMES.items():
        form = ours(text)
        highs(text, form)
        if name is not None:
            liteefg(text, name)
            openspiel(text, name)


if __name__ == "__main__":
    main()
