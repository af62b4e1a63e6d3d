"""Dense matrices times many histories, block by block; and products on several threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saddlepoint.core.errors import GameError, SettingsError
from saddlepoint.games.synthetic import texas
from saddlepoint.sequence.blocked import DEPTH, LEAST_HANDS, LEAST_HISTORIES, PANEL, TILE
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.partition import Partition
from saddlepoint.sequence.payoff import Bundle, DenseDeal, PayoffOperator, SparseDeal, Term
from saddlepoint.sequence.products import BLOCKED, DENSE, gradient

HUNDRED = 100


def operator(rng: np.random.Generator, hands: tuple[int, int], widths: list[int]) -> PayoffOperator:
    """One dense matrix with bundles of some widths; strides leave gaps, and rows are shared."""
    bundles, ends = [], [1, 1]
    for width in widths:
        strides = [width + int(rng.integers(0, 3)) for _ in range(2)]
        bundles.append(Bundle(ends[0], strides[0], ends[1], strides[1], rng.normal(size=width)))
        for side in (0, 1):
            if rng.random() < 0.7:  # else the next bundle has sequences in common with this one
                ends[side] += hands[side] * strides[side]
    shape = tuple(end + n * (max(widths) + 3) for end, n in zip(ends, hands, strict=True))
    return PayoffOperator((shape[0], shape[1]), [Term(bundles, DenseDeal(rng.normal(size=hands)))])


def check(A: PayoffOperator, rng: np.random.Generator) -> None:
    """Products are those of the entries written down, in both precisions."""
    written = A.to_sparse()
    y, x = rng.normal(size=A.shape[1]), rng.normal(size=A.shape[0])
    scale = abs(written).max() * HUNDRED
    np.testing.assert_allclose(A @ y, written @ y, atol=1e-13 * scale)
    np.testing.assert_allclose(A.T @ x, written.T @ x, atol=1e-13 * scale)
    for second, vector, wanted in ((False, y, written @ y), (True, x, -(written.T @ x))):
        found = np.full(len(wanted), np.nan, np.float32)
        gradient(A.single(), second, vector.astype(np.float32), found)
        np.testing.assert_allclose(found, wanted, atol=1e-5 * scale)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10_000),
    st.tuples(st.integers(LEAST_HANDS, 24), st.integers(LEAST_HANDS, 24)),
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
)
def test_products_are_those_of_the_entries(
    seed: int, hands: tuple[int, int], widths: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    A = operator(rng, hands, widths)
    assert A.arrays.terms[0, 0] == (BLOCKED if sum(widths) >= LEAST_HISTORIES else DENSE)
    check(A, rng)


@pytest.mark.parametrize(
    ("hands", "widths"),
    [
        pytest.param((16, DEPTH + 1), [TILE - 1, 2], id="a tile and its neighbour"),
        pytest.param((17, 16), [PANEL * TILE, 1], id="one more than a panel"),
        pytest.param((18, 19), [PANEL * TILE + TILE // 2, 7, TILE], id="a bundle in two panels"),
        pytest.param((DEPTH * 2, 16), [16], id="a few histories"),
    ],
)
def test_edges_of_blocks(hands: tuple[int, int], widths: list[int]) -> None:
    rng = np.random.default_rng(0)
    check(operator(rng, hands, widths), rng)


def test_a_blocked_matrix_is_kept_once() -> None:
    matrix = np.ones((50, 40))
    few, many = (
        PayoffOperator(
            (50 * n, 40 * n), [Term([Bundle(0, n, 0, n, np.ones(n))], DenseDeal(matrix))]
        )
        for n in (LEAST_HISTORIES - 1, LEAST_HISTORIES)
    )
    assert (few.arrays.data.size, many.arrays.data.size) == (2 * 50 * 40, 50 * 40)


def test_one_matrix_may_be_blocked_in_one_term_only() -> None:
    """Leaves of two kinds with one matrix: which goes in blocks depends on their number."""
    rng = np.random.default_rng(1)
    deal = DenseDeal(rng.normal(size=(20, 30)))
    many = Term([Bundle(0, 16, 0, 16, rng.normal(size=16))], deal)
    few = Term([Bundle(5, 2, 7, 3, (1.0, -2.0))], deal)
    A = PayoffOperator((20 * 16, 30 * 16), [many, few])
    assert A.arrays.terms[:, 0].tolist() == [BLOCKED, DENSE]
    check(A, rng)


# Several threads ----------------------------------------------------------------------


def same_for_any_number(A: PayoffOperator, single: bool = False) -> None:
    rng = np.random.default_rng(2)
    y, x = rng.normal(size=A.shape[1]), rng.normal(size=A.shape[0])
    alone = Partition(A, 1, single)
    wanted = alone @ y, alone.T @ x
    tolerance = 1e-4 if single else 0.0
    np.testing.assert_allclose(wanted[0], A @ y, atol=tolerance)
    np.testing.assert_allclose(wanted[1], A.T @ x, atol=tolerance)
    for threads in (2, 5):
        P = Partition(A, threads, single)
        assert P.threads == threads
        for _ in range(2):
            np.testing.assert_array_equal(P @ y, wanted[0])
            np.testing.assert_array_equal(P.T @ x, wanted[1])


def test_threads_make_no_difference(small_form: SequenceForm) -> None:
    same_for_any_number(small_form.A)


@pytest.mark.parametrize("single", [False, True])
def test_threads_make_no_difference_to_blocks(single: bool) -> None:
    """Betting of Texas Hold'em: 7, 49 and 343 histories."""
    same_for_any_number(texas((2, 4, 16, 17)).sequence_form().A, single)


def test_of_two_threads_each_has_its_rows() -> None:
    """More threads than hands, too: then some have nothing to do."""
    A = PayoffOperator.of(np.arange(12.0).reshape(3, 4))
    for threads in (1, 2, 3, 5):
        P = Partition(A, threads)
        np.testing.assert_array_equal(P @ np.ones(4), [6, 22, 38])
        np.testing.assert_array_equal(P.T @ np.ones(3), [12, 15, 18, 21])
    assert repr(P) == "<Partition 3 by 4: 5 threads>"


@pytest.mark.parametrize("two", [Bundle(1, 1, 0, 1, (2.0,)), Bundle(0, 2, 0, 1, (2.0,))])
def test_rows_that_hands_do_not_part_have_one_thread(two: Bundle) -> None:
    """Hand 0 of one bundle is hand 1 of the other, or strides differ."""
    table = SparseDeal(Entries.of_dense(np.arange(1.0, 17.0).reshape(4, 4)))
    A = PayoffOperator((8, 4), [Term([Bundle(0, 1, 0, 1, (1.0,)), two], table)])
    P = Partition(A, 2)
    assert P.threads == 1
    np.testing.assert_array_equal(P @ np.ones(4), A @ np.ones(4))


def test_an_operator_without_terms() -> None:
    P = Partition(PayoffOperator((2, 3), []), 2)
    np.testing.assert_array_equal(P @ np.ones(3), np.zeros(2))


def test_what_does_not_fit_is_refused() -> None:
    A = PayoffOperator.of(np.ones((3, 4)))
    with pytest.raises(SettingsError, match="threads is 0, expected a whole number of at least 1"):
        Partition(A, 0)
    with pytest.raises(GameError, match=r"product with a vector of shape \(3,\), expected \(4,\)"):
        Partition(A, 2) @ np.ones(3)
    with pytest.raises(GameError, match=r"shape \(4,\), expected \(3,\)"):
        Partition(A, 2).T @ np.ones(4)
