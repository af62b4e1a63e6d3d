"""Limit Leduc Hold'em: CFR+ to exploitability 1e-4, one evaluation, the linear program.

Our rows are on the form with all cards distinct (1,093 sequences a player, what OpenSpiel
and LiteEFG solve) and on the form by ranks (337). OpenSpiel's CFR+ is its C++ solver.
"""

from __future__ import annotations

import contextlib
import io

from measuring import in_turn, once, report, seconds
from saddlepoint.games.catalogue import game
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.response import gap
from saddlepoint.solvers.cfr import CFRPlus, DiscountedCFR
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.run import run

GOAL = 1e-4  # exploitability, half the gap
FORMS = {"cards": "leduc:isomorphism=cards", "ranks": "leduc"}


def ours() -> None:
    for kind, text in FORMS.items():
        form = game(text).sequence_form()
        size = form.X.n_sequences
        for method in (CFRPlus(), DiscountedCFR()):
            run(form, method, iterations=3)
            found = run(form, method, gap=2 * GOAL)
            took = seconds(lambda f=form, m=method: run(f, m, gap=2 * GOAL), repeat=5)
            report(
                f"{method.name} to exploitability 1e-4",
                "saddlepoint",
                form=kind,
                sequences=size,
                milliseconds=took * 1e3,
                iterations=found.iterations,
                exploitability=found.exploitability,
                model="two products and four sweeps an iteration: O(entries + sequences)",
            )
        X, Y, A = form
        x, y = X.plan(X.random(1)), Y.plan(Y.random(2))
        took = seconds(lambda a=(X, Y, A, x, y): gap(*a))
        report("one exploitability", "saddlepoint", form=kind, microseconds=took * 1e6)


def programs() -> None:
    """Linear programs: ours, and HiGHS with its own defaults on the program that we build."""
    import highspy

    from saddlepoint.solvers.program import Program

    for kind, text in FORMS.items():
        form = game(text).sequence_form()

        def build(form: SequenceForm = form) -> object:
            return Program(form).model()

        def solve(form: SequenceForm = form) -> None:
            solver = highspy.Highs()
            solver.setOptionValue("output_flag", False)
            solver.setOptionValue("threads", 1)
            solver.passModel(Program(form).model())
            solver.run()

        took = in_turn(lambda f=form: run(f, LinearProgram()), solve, build)
        for who, time in zip(
            ("saddlepoint", "HiGHS defaults, building included"), took[:2], strict=True
        ):
            report("linear program", who, form=kind, milliseconds=time * 1e3)
        report("building the linear program", "saddlepoint", form=kind, milliseconds=took[2] * 1e3)


def openspiel() -> None:
    try:
        import pyspiel
    except ImportError:
        report("cfr+ to exploitability 1e-4", "OpenSpiel", missing=True)
        return
    leduc = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(leduc)

    def exploitability() -> float:
        return float(pyspiel.exploitability(leduc, solver.average_policy()))

    iterations, total = 0, 0.0
    while True:
        target = max(8, iterations // 8)
        took, _ = once(lambda n=target: [solver.evaluate_and_update_policy() for _ in range(n)])
        iterations, total = iterations + target, total + took
        if exploitability() <= GOAL:
            break
    report(
        "cfr+ to exploitability 1e-4",
        "OpenSpiel",
        form="cards",
        milliseconds=total * 1e3,
        iterations=iterations,
        note="evaluations not counted",
    )
    took = seconds(exploitability, repeat=3)
    report("one exploitability", "OpenSpiel", form="cards", microseconds=took * 1e6)


def liteefg() -> None:
    try:
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import CFRplus
    except ImportError:
        report("cfr+ to exploitability 1e-4", "LiteEFG", missing=True)
        return
    with contextlib.redirect_stdout(io.StringIO()):
        env = LiteEFG.OpenSpielEnv(pyspiel.load_game("leduc_poker"))
        algorithm = CFRplus.graph()
        env.set_graph(algorithm)

    def exploitability() -> float:
        return float(
            sum(env.exploitability(algorithm.current_strategy(), "linear-avg-iterate")) / 2
        )

    def work(count: int) -> None:
        for _ in range(count):
            algorithm.update_graph(env)
            env.update_strategy(algorithm.current_strategy(), update_best=False)

    iterations, total, found = 0, 0.0, float("inf")
    while found > GOAL and total < 60:
        count = max(8, iterations // 8)
        took, _ = once(lambda n=count: work(n))
        iterations, total, found = iterations + count, total + took, exploitability()
    report(
        "cfr+ to exploitability 1e-4",
        "LiteEFG",
        form="cards",
        milliseconds=total * 1e3,
        iterations=iterations,
        exploitability=found,
        note="evaluations not counted",
    )
    took = seconds(exploitability, repeat=3)
    report("one exploitability", "LiteEFG", form="cards", microseconds=took * 1e6)


if __name__ == "__main__":
    ours()
    programs()
    openspiel()
    liteefg()
