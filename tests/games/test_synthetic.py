from __future__ import annotations

import numpy as np
import pytest

from saddlepoint.core.errors import RulesError
from saddlepoint.games.betting import BettingRules
from saddlepoint.games.program_size import program_shape, program_size
from saddlepoint.games.synthetic import TEXAS_BETTING, TEXAS_BUCKETS, random_deal, synthetic, texas
from saddlepoint.sequence.payoff import DenseDeal, PayoffOperator
from saddlepoint.sequence.response import gap
from saddlepoint.solvers import cfr
from saddlepoint.solvers.cfr import CFRPlus, DiscountedCFR
from saddlepoint.solvers.program import Program

SMALL = (3, 6, 18, 40)


def test_texas_has_the_published_size() -> None:
    """Thesis 003, Table 8.1; sequences from its numbers of buckets."""
    game = texas()
    counts = game.counts()
    assert counts.sequences == (13_240_611, 13_240_601)
    assert counts.infosets == (5_296_240, 5_296_240)
    shape = program_shape(game.betting, TEXAS_BUCKETS)
    assert (shape.rows, shape.columns) == (18_536_842, 18_536_852)
    decisions = game.tally.decisions
    assert decisions.tolist() == [[4 * 7**r, 4 * 7**r] for r in range(4)]
    # Every leaf has a dense table of its round: about the published 61,498,656,400 non-zeros.
    leaves = (game.tally.folds + game.tally.showdowns).astype(np.int64)
    payoffs = int((leaves * np.array(TEXAS_BUCKETS) ** 2).sum())
    assert payoffs == pytest.approx(61_498_656_400, rel=0.03)


def test_rounds_are_consistent_and_nobody_forgets() -> None:
    deal = random_deal(SMALL, 5)
    for r in range(1, 4):
        for kind in ("fold", "showdown"):
            here, above = (getattr(deal.rounds[k], kind).matrix for k in (r, r - 1))
            up = deal.rounds[r].up[0]
            assert np.unique(up).tolist() == list(range(SMALL[r - 1]))
            summed = np.zeros_like(above)
            np.add.at(summed, np.ix_(up, up), here)
            np.testing.assert_allclose(summed, above, atol=1e-15)
    for round_ in deal.rounds:
        assert isinstance(round_.fold, DenseDeal)
        assert isinstance(round_.showdown, DenseDeal)
        assert round_.fold.matrix.min() > 0.0
        assert round_.fold.matrix.sum() == pytest.approx(1.0)
        assert (abs(round_.showdown.matrix) <= round_.fold.matrix).all()


def test_seeds() -> None:
    one, same, other = (random_deal(SMALL, seed).rounds[3].fold for seed in (1, 1, 2))
    assert isinstance(one, DenseDeal)
    np.testing.assert_array_equal(one.matrix, same.matrix)  # type: ignore[attr-defined]
    assert (one.matrix != other.matrix).any()  # type: ignore[attr-defined]


def test_the_form_is_the_one_that_sizes_say() -> None:
    game = texas((2, 3, 6, 9))
    size, program = program_size(game), Program(game.sequence_form())
    assert (size.rows, size.columns) == (program.n_rows, program.n_columns)
    assert size.payoff_nonzeros == len(program.payoffs)
    X, Y, A = game.sequence_form()
    assert (X.n_sequences, Y.n_sequences) == size.sequences
    x, y = X.plan(X.random(1)), Y.plan(Y.random(2))
    assert A.entries().values.size == size.payoff_nonzeros
    assert x @ (A @ y) == pytest.approx(y @ (A.T @ x))
    # If nobody ever folds and all check, a hand is worth a blind times the expected sign.
    deal = game.deal.rounds[3].showdown
    assert isinstance(deal, DenseDeal)
    calls = [p.plan(p.from_function(lambda _, acts: [a == "c" for a in acts])) for p in (X, Y)]
    called = calls[0] @ (A @ calls[1])
    assert called == pytest.approx(2.0 * deal.matrix.sum(), abs=1e-12)
    assert len(game.tree) == 8002


def test_iterations_on_threads_are_the_compiled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large game without parts: products on threads, and no number of them matters."""
    form = texas((3, 5, 16, 17)).sequence_form()
    plain = CFRPlus().start(form)
    assert plain.partition is None
    plain.advance(6, 60.0)
    monkeypatch.setattr(cfr, "BY_PARTS_FROM", 0)
    runs = [CFRPlus(threads=threads).start(form) for threads in (1, 2, 3)]
    for run in runs:
        assert run.by_parts is None
        assert run.partition is not None
        while run.iterations < 6:
            run.advance(6 - run.iterations, 60.0)
        for one, other in zip(run.players, runs[0].players, strict=True):
            np.testing.assert_array_equal(one.mean, other.mean)
        for one, other in zip(run.players, plain.players, strict=True):
            np.testing.assert_allclose(one.mean, other.mean, atol=1e-9)
        assert run.mass == plain.mass
    single = DiscountedCFR(precision="single", threads=2).start(form)
    single.advance(30, 60.0)
    X, Y, A = form
    uniform = gap(X, Y, A, X.plan(X.uniform()), Y.plan(Y.uniform())).gap
    assert gap(X, Y, A, *single.plans()).gap < uniform / 3
    assert isinstance(A, PayoffOperator)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(RulesError, match=r"buckets are \(3, 5\), expected a number for each of 4"):
        texas((3, 5))
    with pytest.raises(RulesError, match=r"expected no fewer than in the round before"):
        texas((3, 5, 4, 8))
    with pytest.raises(RulesError, match=r"buckets\[0\] is 0"):
        synthetic(BettingRules(ante=1, bets=(1,), max_bets=1), (0,))
    assert TEXAS_BETTING.max_bets_by_round == (4, 3, 3, 3)
