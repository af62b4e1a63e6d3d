"""Matrix games: what is accepted, what is refused, and what they look like as (X, Y, A)."""

import numpy as np
import pytest

from saddlepoint.core.errors import GameError
from saddlepoint.core.units import CHIPS
from saddlepoint.games.matrix import MatrixGame
from saddlepoint.sequence.response import gap


def test_expected_payoffs_are_those_of_the_matrix():
    M = np.array([[3.0, 0.0, -2.0], [1.0, 2.0, 5.0]])
    X, Y, A = MatrixGame(M).sequence_form()
    p, q = np.array([0.25, 0.75]), np.array([0.5, 0.3, 0.2])
    x, y = np.concatenate([[1], p]), np.concatenate([[1], q])
    assert x @ (A @ y) == pytest.approx(p @ M @ q)
    found = gap(X, Y, A, x, y)
    assert (found.lower, found.upper) == pytest.approx(((p @ M).min(), (M @ q).max()))


def test_names_reach_the_strategies():
    game = MatrixGame([[1, 2]], rows=["up"], columns=["left", "right"], name="tiny", unit=CHIPS)
    form = game.sequence_form()
    assert form.X.sequence_name(1) == "row up"
    assert form.Y.sequence_name(2) == "column right"
    assert (form.name, form.unit) == ("tiny", CHIPS)
    assert game.sequence_form() is form


def test_counts_are_those_of_the_tree():
    counts = MatrixGame(np.zeros((2, 3))).counts()
    assert (counts.nodes, counts.decision_nodes, counts.leaves) == (9, 3, 6)
    assert (counts.infosets, counts.sequences) == ((1, 1), (3, 4))


def test_the_matrix_is_a_read_only_copy():
    M = np.eye(2)
    game = MatrixGame(M)
    M[0, 0] = 7
    assert game.matrix[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        game.matrix[0, 0] = 7


def test_minus_zero_is_zero():
    assert not np.signbit(MatrixGame([[-0.0]]).matrix[0, 0])


def test_equality_looks_at_everything_but_the_spec():
    game = MatrixGame(np.eye(2), spec={"game": "a"})
    assert game == MatrixGame(np.eye(2), spec={"game": "b"})
    assert game != MatrixGame(np.eye(2), name="other")
    assert game != MatrixGame(np.eye(2), rows=("a", "b"))
    assert game != MatrixGame(np.zeros((2, 2)))
    assert game != MatrixGame(np.eye(2), constant_sum=1)
    assert game != "matrix"


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_entry_that_is_not_finite_is_named(bad):
    M = np.zeros((2, 3))
    M[1, 2] = bad
    with pytest.raises(GameError, match=r"row 2, column 3 is -?(nan|inf), expected a finite"):
        MatrixGame(M)


@pytest.mark.parametrize("M", [np.zeros(3), np.zeros((0, 2)), np.zeros((2, 0)), 1.0, []])
def test_what_is_no_matrix_is_refused(M):
    with pytest.raises(GameError, match="needs a matrix, found an array of shape"):
        MatrixGame(M)


@pytest.mark.parametrize("M", [[["a", "b"]], [[1, 2], [3]], None])
def test_what_is_no_numbers_is_refused(M):
    with pytest.raises(GameError):
        MatrixGame(M)


def test_names_have_to_fit():
    with pytest.raises(GameError, match="3 names for 2 rows"):
        MatrixGame(np.eye(2), rows=("a", "b", "c"))
    with pytest.raises(GameError, match="two columns are called 'a'"):
        MatrixGame(np.eye(2), columns=("a", "a"))


def test_a_notebook_shows_it_escaped_and_cut():
    html = MatrixGame(np.eye(2), rows=("<b>", "c"), name="a & b")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "a &amp; b" in html
    assert "30 by 30" in MatrixGame(np.eye(30))._repr_html_()
    assert repr(MatrixGame(np.eye(2))) == "<MatrixGame matrix: 2 by 2>"
