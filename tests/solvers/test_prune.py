from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import form_of
from random_games import matrices, trees
from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers import actions, cfr
from saddlepoint.solvers.dominance import eliminate_dominated
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.prune import CRITERIA, Pruned, prune
from saddlepoint.solvers.run import run


def names(pruned: Pruned, player: int) -> set[str]:
    plex = pruned.whole.X if player == 1 else pruned.whole.Y
    return {plex.sequence_name(r.sequence) for r in pruned.removed if r.player == player}


def check(form: SequenceForm, pruned: Pruned) -> None:
    """The value stays, and what solves the rest solves the whole when it is lifted."""
    value = run(form, LinearProgram()).value
    found = run(pruned.form, LinearProgram())
    assert found.value == pytest.approx(value, abs=1e-10)
    plans = pruned.lift(found.profile.first.plan, found.profile.second.plan)
    assert gap(form.X, form.Y, form.A, *plans).gap <= 1e-10
    profile = pruned.lift_profile(found.profile)
    for strategy, plan in zip(profile, plans, strict=True):
        np.testing.assert_allclose(strategy.plan, plan, atol=1e-14)


def test_kuhn_poker_loses_what_its_analysis_calls_dominated() -> None:
    """A queen is not bet, a king calls, a jack folds; player 2 bets his kings (Kuhn 1950)."""
    pruned = prune(form_of("kuhn"))
    assert names(pruned, 1) == {"Q: r", "J:cr c", "K:cr f"}
    assert names(pruned, 2) == {"Q:c r", "K:c c", "J:r c", "K:r f"}
    assert {r.round for r in pruned.removed if r.player == 1} == {1, 2}
    assert (pruned.form.X.n_sequences, pruned.form.Y.n_sequences) == (10, 9)
    assert pruned.form.X.sequence_name(4) == "K: c"
    check(pruned.whole, pruned)
    leaves = prune(form_of("kuhn"), "leaves")
    assert names(leaves, 1) == {"J:cr c", "K:cr f"}
    assert names(leaves, 2) == {"J:r c", "K:r f"}
    check(leaves.whole, leaves)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("name", "least"),
    [("leduc", 30), ("no-limit-kuhn:stack=3", 30), ("no-limit-leduc:stack=12,menu=fcpa", 40)],
)
def test_poker_games_shrink_and_keep_their_value(name: str, least: int, criterion: str) -> None:
    form = form_of(name)
    pruned = prune(form, criterion)
    before, after = (f.X.n_sequences + f.Y.n_sequences for f in (form, pruned.form))
    assert before - after >= least
    check(form, pruned)


def test_any_equilibrium_of_the_rest_will_do_not_only_a_vertex() -> None:
    form = form_of("leduc")
    pruned = prune(form)
    found = run(pruned.form, cfr.CFRPlus(), iterations=300)
    whole = pruned.lift_profile(found.profile)
    lifted = gap(form.X, form.Y, form.A, whole.first.plan, whole.second.plan)
    assert 1e-6 < found.gap < 0.02
    assert lifted.gap == pytest.approx(found.gap, abs=1e-12)


@given(trees, st.sampled_from(CRITERIA))
@settings(max_examples=100)
def test_random_games_keep_their_value(form: SequenceForm, criterion: str) -> None:
    check(form, prune(form, criterion))


@given(trees, st.integers(0, 1000))
@settings(max_examples=50)
def test_no_plan_does_better_with_what_was_removed(form: SequenceForm, seed: int) -> None:
    """Against any strategy that avoids what was removed, a best response can avoid it, too."""
    pruned = prune(form)
    small = Profile.random(pruned.form, seed)
    whole = pruned.lift_profile(small)
    inner = gap(pruned.form.X, pruned.form.Y, pruned.form.A, small.first.plan, small.second.plan)
    outer = gap(form.X, form.Y, form.A, whole.first.plan, whole.second.plan)
    assert (inner.lower, inner.upper) == pytest.approx((outer.lower, outer.upper), abs=1e-10)


@given(matrices)
def test_in_matrix_games_it_is_weak_dominance_by_pure_strategies(M: np.ndarray) -> None:
    """Up to equal rows and columns, of which it keeps the first."""
    pruned = prune(matrix_form(M))
    check(matrix_form(M), pruned)
    rest = pruned.form.A.to_sparse().toarray()[1:, 1:]
    if rest.size:
        assert eliminate_dominated(rest, "weak", "pure").order == ()
        assert len({tuple(row) for row in rest}) == len(rest)
        assert len({tuple(column) for column in rest.T}) == rest.shape[1]


def test_sampling_only_saves_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    form = form_of("kuhn:raises=1,ranks=TJQK")
    found = prune(form).removed
    monkeypatch.setattr(actions, "SAMPLES", 0)
    assert prune(form).removed == found


def test_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="criterion is 'all'"):
        prune(form_of("kuhn"), "all")
