r"""Which actions of a player are dominated: the criterion of `saddlepoint.solvers.prune`.

Pairs of actions are compared against some plans of the opponent first: a cannot dominate b
if b then earns more. What is left is proved or given up, pair by pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from saddlepoint.core.seeds import derived
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.response import gap
from saddlepoint.solvers.highs import solved
from saddlepoint.solvers.program import Program
from saddlepoint.solvers.restrict import ELSEWHERE, below, closed, restrict

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

# A loss below this, relative to the greatest payoff weighted by chance, is rounding.
TOLERANCE = 1e-12
# Plans of the opponent that every pair is compared against before a program is.
SAMPLES = 32


def dominated(form: SequenceForm, player: int, criterion: str) -> dict[int, int]:
    """Sequences of a player to remove, each with the one that dominates it.

    Parameters
    ----------
    form
        The game.
    player
        1 or 2.
    criterion
        `leaves` or `continuations`, see `saddlepoint.solvers.prune.prune`.
    """
    side = Side(form, player)
    better, worse = side.pairs()
    if criterion == "leaves":
        leaf = side.leaf
        both = leaf[better] & leaf[worse]
        better, worse = side.compare_rows(better[both], worse[both])
    else:
        better, worse = side.sampled(better, worse)
    found: dict[int, int] = {}
    for a, b in zip(better.tolist(), worse.tolist(), strict=True):
        if a not in found and b not in found and (criterion == "leaves" or side.dominates(a, b)):
            found[b] = a
    return found


class Side:
    """One player's view of a game: his treeplex, the other's, and his own payoffs."""

    def __init__(self, form: SequenceForm, player: int) -> None:
        self.form, self.player = form, player
        matrix = sp.csr_array(form.A.to_sparse())
        self.own, self.other = (form.X, form.Y) if player == 1 else (form.Y, form.X)
        self.A: Any = matrix if player == 1 else sp.csr_array(-matrix.T)
        self.operator = PayoffOperator.of(self.A)
        greatest = float(np.abs(self.A.data).max(initial=0.0))
        self.slack = TOLERANCE * greatest
        self.leaf = np.ones(self.own.n_sequences, bool)
        self.leaf[self.own.flat.parent] = False
        self.children: list[list[int]] = [[] for _ in range(self.own.n_sequences)]
        for i, q in enumerate(self.own.flat.parent.tolist()):
            self.children[q].append(i)

    def pairs(self) -> tuple[Indices, Indices]:
        """All pairs of actions of the same information set, earlier ones the better first."""
        f, parts = self.own.flat, [np.zeros((2, 0), np.int64)]
        for k in np.unique(f.actions).tolist():
            here = np.flatnonzero(f.actions == k)
            a, b = (index.ravel() for index in np.indices((k, k)))
            a, b = a[a != b], b[a != b]
            start, stride = f.start[here, None], f.stride[here, None]
            parts.append(np.stack([start + a * stride, start + b * stride]).reshape(2, -1))
        better, worse = np.concatenate(parts, axis=1)
        order = np.argsort(better > worse, kind="stable")
        return better[order], worse[order]

    def compare_rows(self, better: Indices, worse: Indices) -> tuple[Indices, Indices]:
        """The pairs whose first row of payoffs is nowhere below the second."""
        difference = sp.csr_array(self.A[better] - self.A[worse])
        lowest = np.zeros(len(better))
        rows = np.repeat(np.arange(len(better)), np.diff(difference.indptr))
        np.minimum.at(lowest, rows, difference.data)
        good = lowest >= -self.slack
        return better[good], worse[good]

    def sampled(self, better: Indices, worse: Indices) -> tuple[Indices, Indices]:
        """The pairs whose first earns no less against any of some plans of the opponent.

        Half of the plans are pure: those tell apart what happens on different paths.
        """
        rng = derived(0, "prune", self.player)
        for k in range(SAMPLES):
            s = self.other.random(rng)
            if k % 2:
                pure = np.empty_like(s)
                sweeps.greedy(self.other.blocks, s, pure)
                s = pure
            v = self.operator @ self.other.plan(s)
            sweeps.best_values(self.own.blocks, v)
            good = v[better] >= v[worse] - self.slack
            better, worse = better[good], worse[good]
        return better, worse

    def most(self, q: int) -> Vector:
        """U_q: what a sequence earns at most, for each sequence of the opponent."""
        u: Vector = self.A[[q]].toarray()[0]
        for i in self.children[q]:
            s = self.own.sequences(i)
            actions = range(s.start, s.stop, s.step)
            u = u + np.max([self.most(r) for r in actions], axis=0)
        return u

    def dominates(self, a: int, b: int) -> bool:
        """Whether some way to go on after a earns no less than b does at most."""
        most = self.most(b)
        if self.leaf[a]:
            difference = self.A[[a]].toarray()[0] - most
            return -self.other.best_response(-difference)[0] >= -self.slack
        game = self.continuation(a, most)
        x, _ = _plans(game)
        y = game.Y.plan(game.Y.uniform())
        return gap(game.X, game.Y, game.A, x, y).lower >= -self.slack

    def continuation(self, a: int, most: Vector) -> SequenceForm:
        """The game after a, its payoffs less by what the other action earns at most."""
        after = below(self.own, a)
        part = self.A[after]
        touched = (most != 0.0) | (np.diff(sp.csc_array(part).indptr) > 0)
        X = restrict(self.own, after, a)
        Y = restrict(self.other, closed(self.other, touched), elsewhere=True)
        known = np.flatnonzero(Y.origin != ELSEWHERE)
        here: Any = sp.coo_array(self.A[X.origin][:, Y.origin[known]])
        i, j = here.coords
        rows, columns = np.append(i, np.zeros_like(known)), np.append(known[j], known)
        entries: Any = np.append(here.data, -most[Y.origin[known]])
        shape = len(X.origin), len(Y.origin)
        payoffs = sp.csr_array(sp.coo_array((entries, (rows, columns)), shape=shape))
        return SequenceForm(X.treeplex, Y.treeplex, PayoffOperator.of(payoffs))


def _plans(game: SequenceForm) -> tuple[Vector, Vector]:
    """The plans of an optimal basis of the program of player 1."""
    program = Program(game, 1)
    return program.plans(*solved(program).values())
