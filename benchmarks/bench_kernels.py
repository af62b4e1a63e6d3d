"""Kernels against a peer that does the same: SciPy's sparse product, NumPy's dense one.

Seconds are per call; the cost model is stated with each.
"""

from __future__ import annotations

import time

import numpy as np

from measuring import once, report, seconds
from saddlepoint.games.betting import BettingRules, BettingTree
from saddlepoint.games.betting_tally import tally
from saddlepoint.games.catalogue import game
from saddlepoint.sequence.payoff import PayoffOperator

GAMES = ("leduc", "leduc:isomorphism=cards", "no-limit-leduc", "rhode-island:ranks=23456,suits=3")


def products() -> None:
    for text in GAMES:
        form = game(text).sequence_form()
        matrix = form.A.to_sparse()
        y = form.Y.plan(form.Y.random(1))
        report(
            "product A @ y",
            "saddlepoint",
            game=text,
            entries=matrix.nnz,
            microseconds=seconds(lambda A=form.A, y=y: A @ y) * 1e6,
            kilobytes=form.A.n_bytes / 1e3,
            model="O(leaves * hands)",
        )
        report(
            "product A @ y",
            "SciPy CSR",
            game=text,
            entries=matrix.nnz,
            microseconds=seconds(lambda A=matrix, y=y: A @ y) * 1e6,
            kilobytes=(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes) / 1e3,
        )
    M = np.random.default_rng(0).normal(size=(1000, 1000))
    A, y = PayoffOperator.of(M), np.ones(1000)
    report(
        "dense product, 1000 by 1000",
        "saddlepoint",
        microseconds=seconds(lambda: A @ y) * 1e6,
        model="O(entries)",
    )
    report("dense product, 1000 by 1000", "NumPy", microseconds=seconds(lambda: M @ y) * 1e6)


def trees() -> None:
    for stack in (12, 20):
        rules = BettingRules(ante=1, rounds=2, stack=stack)
        BettingTree.of(rules)
        took, tree = once(lambda r=rules: BettingTree.of(r))
        report(
            "betting tree of no-limit Leduc",
            "saddlepoint",
            stack=stack,
            nodes=len(tree),
            nanoseconds_per_node=took / len(tree) * 1e9,
            model="O(nodes)",
        )
    began = time.perf_counter()
    count = tally(BettingRules(ante=1, rounds=2, stack=30))
    report(
        "counting no-limit Leduc, 30 chips",
        "saddlepoint",
        seconds=time.perf_counter() - began,
        decisions=int(count.decisions.sum()),
        model="O(distinct states)",
    )
    began = time.perf_counter()
    form = game("no-limit-leduc:stack=15").sequence_form()
    report(
        "sequence form of no-limit Leduc, 15 chips",
        "saddlepoint",
        seconds=time.perf_counter() - began,
        sequences=form.X.n_sequences,
    )


if __name__ == "__main__":
    products()
    trees()
