r"""How large a payoff matrix is, in the norms in which prox functions are strongly convex.

The gradient of a smoothed best response changes by at most $\|A\|^2 / (\mu \sigma)$ times the
change of the opponent's plan, where

$$\|A\| = \max\{h^\top A k : \|h\| \le 1, \|k\| \le 1\}$$

over directions h and k of the treeplexes, all of which are 0 at the empty sequence. So its row
and its column are left out:

* `absolute`, sums of absolute values: the largest absolute entry;
* `euclidean`: the largest singular value;
* `treeplex`, with the unit balls $(X - X)/2$ and $(Y - Y)/2$: at most the greatest
  $x^\top |A| y$, where $|A|$ has the absolute values of the entries. That is a problem of two
  who play together and is hard; what is computed is what they could get if they saw each other's
  moves, which in a poker game is about the largest pot, however many deals there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.seeds import generator
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.treeplex import Treeplex

Array = NDArray[Any]
# What the iterations for a singular value may leave out.
MARGIN = 1e-9


def operator_norms(form: SequenceForm) -> dict[str, float]:
    """Upper bounds on the norm of a game's payoffs, by norm. O(depth * entries log entries).

    >>> from saddlepoint.sequence.form import matrix_form
    >>> found = operator_norms(matrix_form([[3, 0], [0, 1]]))
    >>> {norm: round(size, 6) for norm, size in found.items()}
    {'absolute': 3.0, 'euclidean': 3.0, 'treeplex': 3.0}
    """
    E = inner(form.A.entries())
    return {
        "absolute": float(np.abs(E.values).max(initial=0.0)),
        "euclidean": spectral(form.A),
        "treeplex": min(jointly(form.X, form.Y, E), jointly(form.Y, form.X, E.T)),
    }


def best_apart(form: SequenceForm) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both players' best plans in a game in which no payoff depends on what both do."""
    X, Y, A = form
    x, y = np.eye(1, X.n_sequences).ravel(), np.eye(1, Y.n_sequences).ravel()
    first, second = X.best_response(A @ y)[1], Y.best_response(-(A.T @ x))[1]
    return X.plan(first), Y.plan(second)


def inner(E: Entries) -> Entries:
    """The entries beside the row and the column of the empty sequences."""
    keep = (E.rows > 0) & (E.columns > 0)
    return Entries.of(E.shape, E.rows[keep], E.columns[keep], E.values[keep])


def spectral(A: PayoffOperator) -> float:
    """The largest singular value, without the row and the column of the empty sequences.

    Found by products with A alone.
    """
    from scipy.sparse.linalg import LinearOperator, svds

    m, n = A.shape[0] - 1, A.shape[1] - 1
    if min(m, n) < 8:
        return float(np.linalg.norm(A.to_sparse().toarray()[1:, 1:], 2)) if min(m, n) else 0.0

    def forth(y: Array) -> Array:
        return (A @ np.concatenate([[0.0], y.ravel()]))[1:]

    def back(x: Array) -> Array:
        return (A.T @ np.concatenate([[0.0], x.ravel()]))[1:]

    start = generator(0).uniform(0.5, 1.5, min(m, n))
    if not forth(np.ones(n)).any() and not back(np.ones(m)).any():
        return float(np.linalg.norm(A.to_sparse().toarray()[1:, 1:], 2))
    found = svds(
        LinearOperator((m, n), matvec=forth, rmatvec=back, dtype=np.float64),
        k=1,
        v0=start,
        return_singular_vectors=False,
    )
    return float(found[0]) * (1.0 + MARGIN)


def jointly(X: Treeplex, Y: Treeplex, E: Entries) -> float:
    """At least the greatest x'|A|y, as if both saw all of each other's moves.

    Information sets are decided last ones first: for every sequence of the other player apart,
    the greatest of their actions goes to their parent. Any order is right that has children
    before parents; the bound is least where it is the order of play.
    """
    places = [E.rows.copy(), E.columns.copy()]
    values = np.abs(E.values)
    moves = _moves(X), _moves(Y)
    levels = (
        _levels(X, moves[0], places[0], moves[1][places[1]]),
        _levels(Y, moves[1], places[1], moves[0][places[0]]),
    )
    for level in range(max(int(v.max(initial=-1)) for v in levels), -1, -1):
        for seat, plex in enumerate((X, Y)):
            infoset = plex.flat.infoset[places[seat]]
            due = (infoset >= 0) & (levels[seat][infoset] == level)
            shape = plex.n_infosets, (Y, X)[seat].n_sequences
            # Sum what was handed to the same pair of sequences, then take the best action.
            pairs = places[seat][due] * shape[1] + places[1 - seat][due]
            pairs, which = np.unique(pairs, return_inverse=True)
            sums = np.bincount(which, values[due], len(pairs))
            own, other = plex.flat.infoset[pairs // shape[1]], pairs % shape[1]
            groups, which = np.unique(own * shape[1] + other, return_inverse=True)
            most = np.zeros(len(groups))
            np.maximum.at(most, which, sums)
            moved = [plex.flat.parent[groups // shape[1]], groups % shape[1]]
            for k, new in zip((seat, 1 - seat), moved, strict=True):
                places[k] = np.concatenate([places[k][~due], new])
            values = np.concatenate([values[~due], most])
    return float(values.sum())


def _moves(plex: Treeplex) -> NDArray[np.int64]:
    """How many moves every sequence has."""
    f = plex.flat
    moves = np.zeros(plex.n_sequences, np.int64)
    while True:
        further = np.where(f.infoset >= 0, moves[f.parent[f.infoset]] + 1, 0)
        if (further == moves).all():
            return moves
        moves = further


def _levels(
    plex: Treeplex, moves: NDArray[np.int64], own: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.int64]:
    """About how many moves both have made before every information set.

    Own ones, and the fewest that the opponent has made at the end of a play through it. Payoffs
    belong to the sequences `own`, when the opponent has made `others` moves.
    """
    f = plex.flat
    fewest = np.full(plex.n_sequences, np.iinfo(np.int64).max // 2)
    np.minimum.at(fewest, own, others)
    for level in range(int(moves.max(initial=0)), 0, -1):
        at = np.flatnonzero(moves == level)
        np.minimum.at(fewest, f.parent[f.infoset[at]], fewest[at])
    least = np.full(plex.n_infosets, np.iinfo(np.int64).max // 2)
    np.minimum.at(least, f.infoset[1:], fewest[1:])
    reached = least < np.iinfo(np.int64).max // 2  # by some payoff
    found: NDArray[np.int64] = moves[f.parent] + np.where(reached, least, 0)
    return found
