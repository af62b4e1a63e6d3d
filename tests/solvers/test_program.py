from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import form_of
from random_games import random_form, trees
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.program import NOISE, Program, constraints, count_entries, tidy


def dense_constraints(plex: Treeplex) -> np.ndarray:
    """E from its definition, information set by information set."""
    E = np.zeros((1 + plex.n_infosets, plex.n_sequences))
    E[0, 0] = 1.0
    for i in range(plex.n_infosets):
        E[1 + i, plex.flat.parent[i]] = -1.0
        E[1 + i, plex.sequences(i)] = 1.0
    return E


def dense(plex: Treeplex) -> np.ndarray:
    E = np.zeros((1 + plex.n_infosets, plex.n_sequences))
    rows, columns, entries = constraints(plex)
    np.add.at(E, (rows, columns), entries)
    return E


@given(trees)
def test_constraints_are_those_of_the_definition(form: SequenceForm) -> None:
    for plex in (form.X, form.Y):
        np.testing.assert_array_equal(dense(plex), dense_constraints(plex))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "no-limit-leduc:stack=4"])
def test_constraints_of_treeplexes_with_lanes(name: str) -> None:
    X = form_of(name).X
    np.testing.assert_array_equal(dense(X), dense_constraints(X))
    e = np.zeros(1 + X.n_infosets)
    e[0] = 1.0
    np.testing.assert_allclose(dense(X) @ X.plan(X.random(0)), e, atol=1e-15)


@pytest.mark.parametrize("player", [1, 2])
def test_the_matrix_is_the_program_of_its_player(player: int) -> None:
    form = form_of("kuhn")
    program = Program(form, player)
    A = form.A.to_sparse().toarray()
    A = A if player == 1 else -A.T
    E, F = dense_constraints(program.own), dense_constraints(program.other)
    expected = np.block([[-A.T / program.scale, F.T], [E, np.zeros((len(E), len(F)))]])
    np.testing.assert_allclose(program.matrix.dense(), expected, atol=1e-16)
    assert program.matrix.shape == (program.n_rows, program.n_columns)
    assert program.right.sum() == program.right[program.other.n_sequences] == 1.0
    assert program.scale / 2 < np.abs(A).max() <= program.scale


@given(st.integers(0, 10**6), st.sampled_from([1, 2]))
def test_the_first_basis_is_regular_and_dual_feasible(seed: int, player: int) -> None:
    program = Program(random_form(seed, 4), player)
    own, other = program.pure_start()
    columns, rows = program.statuses(own, other)
    basic, tight = columns == 1, rows != 1
    assert basic.sum() == tight.sum()
    K = program.matrix.dense()[np.ix_(tight, basic)]
    assert abs(abs(np.linalg.det(K)) - 1.0) < 1e-6
    # Its duals are the opponent's pure plan, its values the answer to it.
    cost = np.zeros(program.n_columns)
    cost[program.own.n_sequences] = 1.0
    duals = np.zeros(program.n_rows)
    duals[tight] = np.linalg.solve(K.T, cost[basic])
    y = program.other.plan(other)
    np.testing.assert_allclose(duals[: program.other.n_sequences], y, atol=1e-9)
    assert np.all(duals @ program.matrix.dense() - cost >= -1e-9)


def test_a_start_from_a_given_strategy_takes_its_likeliest_actions() -> None:
    program = Program(matrix_form([[3, 0, 0], [0, 3, 0], [0, 0, 3]]), 1)
    own, other = program.pure_start(np.array([1.0, 0.2, 0.3, 0.5]))
    np.testing.assert_array_equal(other, [1, 0, 0, 1])
    np.testing.assert_array_equal(own, [1, 0, 0, 1])


def test_entries_are_counted_without_writing_them_down(small_form: SequenceForm) -> None:
    count = count_entries(small_form.A)
    assert small_form.A.to_sparse().nnz <= count <= small_form.A.shape[0] * small_form.A.shape[1]


@given(trees, st.integers(0, 1000))
def test_tidy_makes_plans_of_anything(form: SequenceForm, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = form.X.plan(form.X.random(rng))
    np.testing.assert_allclose(tidy(form.X, x), x, atol=1e-15)
    wild = x + rng.normal(size=x.shape) * rng.choice([NOISE / 10, 1.0])
    plan = tidy(form.X, wild)
    assert np.all(plan >= 0)
    e = np.eye(1 + form.X.n_infosets)[0]
    np.testing.assert_allclose(dense_constraints(form.X) @ plan, e, atol=1e-15)


def test_gradients_are_each_players_own() -> None:
    form = form_of("leduc")
    program = Program(form, 2)
    x, y = form.X.plan(form.X.random(1)), form.Y.plan(form.Y.random(2))
    assert x @ program.gradient(1, y) == pytest.approx(-(y @ program.gradient(2, x)))
    upper = form.X.best_response(program.gradient(1, y))[0]
    lower = -form.Y.best_response(program.gradient(2, x))[0]
    found = gap(form.X, form.Y, form.A, x, y)
    assert (lower, upper) == pytest.approx((found.lower, found.upper))
