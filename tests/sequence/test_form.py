from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import saddlepoint as sp
from conftest import SMALL_GAMES, form_of
from saddlepoint.core.errors import GameError, RecallError
from saddlepoint.games.catalogue import game
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence.form import LEAF, Tree, as_form, form_of_tree, matrix_form
from saddlepoint.sequence.response import gap


@pytest.mark.parametrize("text", SMALL_GAMES)
def test_the_factored_form_is_the_form_of_its_tree(text: str) -> None:
    """Two ways to `(X, Y, A)` give the same values, gaps and action values by name."""
    form, tree = form_of(text), form_of_tree(unfold(game(text)))
    scale = max(1.0, float(np.abs(form.A.to_sparse().data).max()))
    for seed in range(3):
        s1, s2 = form.X.random(seed), form.Y.random(seed + 100)
        tables = [
            {T.names.infoset(i): s[T.sequences(i)] for i in range(T.n_infosets)}
            for T, s in ((form.X, s1), (form.Y, s2))
        ]
        x, y = form.X.plan(s1), form.Y.plan(s2)
        u, w = (
            T.plan(T.from_function(lambda name, actions, t=table: t[name]))
            for T, table in zip((tree.X, tree.Y), tables, strict=True)
        )
        assert x @ (form.A @ y) == pytest.approx(u @ (tree.A @ w), abs=1e-12 * scale)
        one, two = gap(*form, x, y), gap(*tree, u, w)
        assert one.lower == pytest.approx(two.lower, abs=1e-11 * scale)
        assert one.upper == pytest.approx(two.upper, abs=1e-11 * scale)


def forgetful_tree() -> Tree:
    """Player 1 moves twice and forgets his first move."""
    return Tree(
        parent=np.array([-1, 0, 0, 1, 1, 2, 2]),
        move=np.array([0, 0, 1, 0, 1, 0, 1]),
        mover=np.array([1, 1, 1, LEAF, LEAF, LEAF, LEAF]),
        infoset=np.array([0, 1, 1, -1, -1, -1, -1]),
        probability=np.ones(7),
        payoff=np.array([0, 0, 0, 1.0, 0, 0, 1.0]),
        infosets=(["first", "second"], []),
        actions=([["l", "r"], ["l", "r"]], []),
    )


def test_forgetting_is_refused_by_name() -> None:
    with pytest.raises(
        RecallError, match="player 1 has imperfect recall: information set 'second'"
    ):
        form_of_tree(forgetful_tree())


def test_forms_are_made_of_games_triples_and_themselves() -> None:
    form = matrix_form([[1, 2], [3, 4]])
    assert as_form(form) is form
    assert as_form(tuple(form)).A.shape == (3, 3)
    with pytest.raises(GameError, match="found a int"):
        as_form(3)  # type: ignore[arg-type]
    with pytest.raises(GameError, match="payoffs are 2 by 2"):
        as_form((form.X, form.Y, np.zeros((2, 2))))
    with pytest.raises(GameError, match="needs a matrix"):
        matrix_form([1, 2])


@pytest.mark.parametrize(
    "matrix",
    [[[3, -1], [-1, 1]], ((3, -1), (-1, 1)), np.array([[3.0, -1.0], [-1.0, 1.0]])],
    ids=["lists", "tuples", "array"],
)
def test_a_matrix_is_a_game(matrix: Any) -> None:
    assert as_form(matrix).A.shape == (3, 3)
    assert sp.solve(matrix).value == pytest.approx(1 / 3)
    assert sp.exploitability(sp.Profile.uniform(matrix)) == pytest.approx(0.5)
    assert as_form(((1, 2), (3, 4), (5, 6))).A.shape == (4, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[1, 2], [3]], "needs a matrix of numbers"),
        ([["a"]], "needs a matrix of numbers"),
        ([1, 2], "found an array of shape"),
        ([], "found an array of shape"),
        ([[1, float("nan")]], "payoff in row 1, column 2 is nan"),
        (7, "found a int, expected a game"),
        ("kuhn", r"sp.game\('kuhn'\)"),
    ],
)
def test_what_is_no_game_is_refused(wrong: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        as_form(wrong)
