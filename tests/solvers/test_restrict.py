from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conftest import form_of
from random_games import trees
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.restrict import ELSEWHERE, below, closed, restrict


def path(plex: Treeplex, q: int) -> list[int]:
    """A sequence and all that it begins with, up to the empty one."""
    steps = [q]
    while q != 0:
        q = int(plex.flat.parent[plex.flat.infoset[q]])
        steps.append(q)
    return steps


@given(trees, st.integers(0, 10**6))
def test_below_and_closed_are_what_paths_say(form: SequenceForm, seed: int) -> None:
    X = form.X
    root = seed % X.n_sequences
    expected = [root in path(X, q) for q in range(X.n_sequences)]
    np.testing.assert_array_equal(below(X, root), expected)
    mask = np.random.default_rng(seed).random(X.n_sequences) < 0.2
    full = closed(X, mask)
    assert set(np.flatnonzero(full)) == {0}.union(*(path(X, int(q)) for q in np.flatnonzero(mask)))


@given(trees, st.integers(0, 10**6), st.booleans())
def test_a_restricted_treeplex_has_the_paths_of_the_whole(
    form: SequenceForm, seed: int, elsewhere: bool
) -> None:
    X = form.X
    mask = closed(X, np.random.default_rng(seed).random(X.n_sequences) < 0.3)
    small, origin = restrict(X, mask, elsewhere=elsewhere, named=not elsewhere)
    assert sorted(origin[origin != ELSEWHERE]) == np.flatnonzero(mask).tolist()
    for q in range(small.n_sequences):
        if origin[q] != ELSEWHERE:
            assert [origin[p] for p in path(small, q)] == path(X, int(origin[q]))
            assert elsewhere or small.sequence_name(q) == X.sequence_name(int(origin[q]))
    for i in range(small.n_infosets):
        whole = origin[small.sequences(i)]
        lost = not mask[X.sequences(int(X.flat.infoset[whole[0]]))].all()
        assert (ELSEWHERE in whole) == (lost and elsewhere)


@given(trees, st.integers(0, 10**6))
def test_what_follows_a_sequence_is_a_treeplex(form: SequenceForm, seed: int) -> None:
    X = form.X
    root = seed % X.n_sequences
    small, origin = restrict(X, below(X, root), root)
    assert origin[0] == root
    for q in range(small.n_sequences):
        steps = [int(origin[p]) for p in path(small, q)]
        assert path(X, int(origin[q]))[: len(steps)] == steps


def test_lanes_are_taken_apart() -> None:
    X = form_of("leduc").X
    everything = np.ones(X.n_sequences, bool)
    small, origin = restrict(X, everything, named=True)
    assert small.n_infosets == X.n_infosets
    assert sorted(origin) == list(range(X.n_sequences))
    s = X.random(0)
    np.testing.assert_allclose(small.plan(s[origin]), X.plan(s)[origin])
    assert [small.sequence_name(q) for q in range(9)] == [
        X.sequence_name(int(q)) for q in origin[:9]
    ]
