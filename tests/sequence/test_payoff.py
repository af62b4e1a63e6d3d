from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.core.errors import GameError
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import (
    Bundle,
    CardDeal,
    DenseDeal,
    PayoffOperator,
    SparseDeal,
    Term,
)


def card_deal(rng: np.random.Generator, showdown: bool) -> CardDeal:
    sizes = rng.integers(1, 7, size=rng.integers(1, 5))
    board = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    strength = np.concatenate([np.sort(rng.integers(0, 3, n)) for n in sizes]).astype(np.int64)
    return CardDeal(
        board,
        rng.random(len(sizes)),
        rng.integers(1, 4, int(board[-1])).astype(float),
        strength if showdown else None,
    )


def pair_by_pair(deal: CardDeal) -> np.ndarray:
    """The entries of a card deal, from the definition."""
    out = np.zeros(deal.shape)
    for k in range(len(deal.weight)):
        for i in range(deal.board[k], deal.board[k + 1]):
            for j in range(deal.board[k], deal.board[k + 1]):
                sign = 1 if deal.strength is None else np.sign(deal.strength[i] - deal.strength[j])
                others = deal.count[j] - (1 if i == j else 0)
                out[i, j] = deal.weight[k] * deal.count[i] * others * sign
    return out


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1, 2, 9]))
def test_the_three_realisations_agree(seed: int, showdown: bool, width: int) -> None:
    rng = np.random.default_rng(seed)
    deal = card_deal(rng, showdown)
    table, n = pair_by_pair(deal), len(deal.count)
    np.testing.assert_allclose(deal.entries().dense(), table, atol=1e-14)
    bundle = Bundle(1, width, 2, width, tuple(rng.normal(size=width)))
    lone = Bundle(n * width + 1, 1, 0, 2, (0.5,))
    shape = (n * width + n + 1, max(n * width, 2 * n) + 2)
    expected = np.zeros(shape)
    for b in (bundle, lone):
        for h, weight in enumerate(b.weights):
            rows, columns = (
                b.row1 + h + b.stride1 * np.arange(n),
                b.row2 + h + b.stride2 * np.arange(n),
            )
            expected[np.ix_(rows, columns)] += weight * table
    y, x = rng.normal(size=shape[1]), rng.normal(size=shape[0])
    for d in (deal, SparseDeal(Entries.of_dense(table)), DenseDeal(table)):
        A = PayoffOperator(shape, [Term([bundle, lone], d)])
        np.testing.assert_allclose(A @ y, expected @ y, atol=1e-12)
        np.testing.assert_allclose(A.T @ x, expected.T @ x, atol=1e-12)
        np.testing.assert_allclose(A.to_sparse().toarray(), expected, atol=1e-14)


def test_products_equal_the_written_matrix(small_form: SequenceForm) -> None:
    X, Y, A = small_form
    written = A.to_sparse()
    rng = np.random.default_rng(0)
    for _ in range(3):
        x, y = X.plan(X.random(rng)), Y.plan(Y.random(rng))
        scale = max(1.0, float(np.abs(written.data).max()))
        np.testing.assert_allclose(A @ y, written @ y, atol=1e-12 * scale)
        np.testing.assert_allclose(A.T @ x, written.T @ x, atol=1e-12 * scale)


def test_matrices_are_taken_as_they_are() -> None:
    M = np.random.default_rng(0).normal(size=(4, 7))
    for given_ in (M, sp.csr_array(M), M.tolist()):
        A = PayoffOperator.of(given_)
        np.testing.assert_allclose(A @ np.ones(7), M.sum(axis=1))
        np.testing.assert_allclose(A.T @ np.ones(4), M.sum(axis=0))
    assert PayoffOperator.of(A) is A


def test_wrong_payoffs_and_vectors_are_refused() -> None:
    with pytest.raises(GameError, match="finite"):
        PayoffOperator.of([[1.0, np.nan]])
    with pytest.raises(GameError, match="cannot take a dict"):
        PayoffOperator.of({"a": 1})
    with pytest.raises(GameError, match="2 dimensions"):
        PayoffOperator.of([1.0, 2.0])
    with pytest.raises(GameError, match=r"shape \(3,\), expected \(2,\)"):
        PayoffOperator.of([[1.0, 2.0]]) @ [1, 2, 3]
