r"""Iterated elimination of dominated actions of a game in sequence form.

Thesis 003 (section 5.2.1) shrinks the program of Rhode Island Hold'em so before solving it.
At an information set I, action a *dominates* action b here if there is a plan z of how to
go on after a which, whatever the opponent's plan y is, earns no less than b does however
the player goes on after it:

$$\min_{y \in Y} \Bigl( \sum_{q \ge Ia} z_q\, (A y)_q - \sum_{r} U_{b, r}\, y_r \Bigr) \ge 0,
\qquad U_{b, r} = \max_{z'} \sum_{q \ge Ib} z'_q A_{q r}.$$

$U_b$ lets the player go on after b as if he saw the opponent's sequence: what b earns at
most. Where no decision of the player follows b, it is what b earns, and the criterion is
exact. Whether such a z exists is the question whether a small game, in which the player
moves after a only and payoffs are less by $U_b$, has a value of 0 or more, which a linear
program answers. z is then checked by a best response, so nothing rests on tolerances of
the solver.

A player who may not play b gets no less by putting its probability on a and going on with
z. That is weak dominance, and equality counts: of actions that always earn the same, the
first stays. So the value of the game is kept (up to rounding), and every equilibrium of
what is left, lifted with probability 0 for what was removed, is one of the whole game;
others may be lost. All actions found in a pass go at once, which is sound because a chain
of actions that dominate each other ends in one that stays, and z can avoid what goes at
deeper information sets by the same argument, from the leaves up. Passes alternate between
the players until neither finds any.

To find pairs that are worth a program, actions are compared against some plans of the
opponent first: a cannot dominate b if b then earns more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError
from saddlepoint.core.seeds import derived
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.highs import solved
from saddlepoint.solvers.program import Program
from saddlepoint.solvers.restrict import ELSEWHERE, below, closed, restrict

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

CRITERIA = ("leaves", "continuations")
# A loss below this, relative to the greatest payoff weighted by chance, is rounding.
TOLERANCE = 1e-12
# Plans of the opponent that every pair is compared against before a program is.
SAMPLES = 32


@dataclass(frozen=True)
class RemovedAction:
    """A sequence that went, in which pass, and the one that dominates it (whole game's)."""

    player: int
    sequence: int
    better: int
    round: int


@dataclass(frozen=True)
class Pruned:
    """A game without dominated actions, and the way back.

    Parameters
    ----------
    form
        What is left.
    whole
        The game itself.
    x_origin, y_origin
        Which sequence of the whole game each sequence of what is left is.
    removed
        Dominated actions in the order in which they were found. What followed them, and
        what nobody's moves lead to any more, went with them.
    """

    form: SequenceForm
    whole: SequenceForm
    x_origin: Indices
    y_origin: Indices
    removed: tuple[RemovedAction, ...]

    def lift(self, x: ArrayLike, y: ArrayLike) -> tuple[Vector, Vector]:
        """Plans of the whole game from plans of what is left.

        Removed actions have probability 0. At information sets that went because nobody's
        moves lead there any more, the others are played equally: what was removed later is
        dominated only if the opponent avoids there what was removed before.
        """
        first = self._behaviour(1, self.form.X.vector(x))
        second = self._behaviour(2, self.form.Y.vector(y))
        return self.whole.X.plan(first), self.whole.Y.plan(second)

    def lift_profile(self, profile: Profile) -> Profile:
        """A profile of the whole game from one of what is left."""
        first = self._behaviour(1, profile.first.probabilities)
        second = self._behaviour(2, profile.second.probabilities)
        return Profile.of(self.whole, first, second)

    def _behaviour(self, player: int, weights: Vector) -> Vector:
        """The behaviour strategy of plans or probabilities over what is left."""
        plex, origin = (
            (self.whole.X, self.x_origin) if player == 1 else (self.whole.Y, self.y_origin)
        )
        full, stays = np.zeros(plex.n_sequences), np.ones(plex.n_sequences)
        full[origin] = weights
        stays[[r.sequence for r in self.removed if r.player == player]] = 0.0
        nothing = np.append(False, (plex.sums(full) == 0.0)[plex.flat.infoset[1:]])
        return plex.behaviour(np.where(nothing, stays, full))


def prune(problem: Problem, criterion: str = "continuations") -> Pruned:
    """Remove dominated actions until none is found.

    Parameters
    ----------
    problem
        A game, a sequence form or a triple `(X, Y, A)`.
    criterion
        `leaves`: only compare actions after which the player decides nothing more, and
        only by their payoffs against each sequence of the opponent, which costs no more
        than reading them. `continuations`: the criterion above.

    Examples
    --------
    In Kuhn poker nobody calls with the jack or folds with the king; player 1 never bets
    the queen, because player 2 then calls with the king only:

    >>> from saddlepoint.games.catalogue import game
    >>> pruned = prune(game("kuhn"))
    >>> [pruned.whole.X.sequence_name(r.sequence) for r in pruned.removed if r.player == 1]
    ['J:cr c', 'K:cr f', 'Q: r']
    """
    if criterion not in CRITERIA:
        raise SettingsError(f"criterion is '{criterion}', expected one of {CRITERIA}")
    whole = as_form(problem)
    form, origins = _without(whole, 1, [])
    removed: list[RemovedAction] = []
    round_, idle = 0, 0
    while idle < 2:
        player = 1 + round_ % 2
        round_ += 1
        found = _dominated(form, player, criterion)
        idle = 0 if found else idle + 1
        origin = origins[player - 1]
        removed += [
            RemovedAction(player, int(origin[b]), int(origin[a]), (round_ + 1) // 2)
            for b, a in found.items()
        ]
        if found:
            form, (x, y) = _without(form, player, list(found))
            origins = origins[0][x], origins[1][y]
    return Pruned(_named(form, whole, origins), whole, *origins, tuple(removed))


def _named(
    form: SequenceForm, whole: SequenceForm, origins: tuple[Indices, Indices]
) -> SequenceForm:
    """The form with the names of the whole game."""
    plexes = []
    for plex, origin in zip((whole.X, whole.Y), origins, strict=True):
        mask = np.zeros(plex.n_sequences, bool)
        mask[origin] = True
        plexes.append(restrict(plex, mask, named=True).treeplex)
    spec = {"pruned": dict(whole.spec)}
    name = f"{whole.name} without dominated actions"
    return SequenceForm(plexes[0], plexes[1], form.A, spec, name, whole.unit, whole.sources)


def _without(
    form: SequenceForm, player: int, sequences: list[int]
) -> tuple[SequenceForm, tuple[Indices, Indices]]:
    """The form without some actions, what follows them, and what no payoff depends on."""
    matrix = form.A.to_sparse()
    masks = [np.ones(plex.n_sequences, bool) for plex in (form.X, form.Y)]
    own = (form.X, form.Y)[player - 1]
    for b in sequences:
        masks[player - 1] &= ~below(own, b)
    for side, plex in enumerate((form.X, form.Y)):
        rest = matrix[masks[0]][:, masks[1]]
        counts = np.zeros(plex.n_sequences, np.int64)
        counts[masks[side]] = np.diff((rest if side == 0 else rest.T).tocsr().indptr)
        masks[side] = _with_siblings(plex, masks[side], closed(plex, counts > 0))
    X, Y = (restrict(p, m) for p, m in zip((form.X, form.Y), masks, strict=True))
    smaller = PayoffOperator.of(sp.csr_array(matrix[X.origin][:, Y.origin]))
    return SequenceForm(X.treeplex, Y.treeplex, smaller), (X.origin, Y.origin)


def _with_siblings(plex: Treeplex, allowed: Mask, needed: Mask) -> Mask:
    """The sequences of all information sets of which some sequence is needed."""
    live = np.zeros(plex.n_infosets, bool)
    live[plex.flat.infoset[1:][needed[1:]]] = True
    mask: Mask = np.append(True, live[plex.flat.infoset[1:]] & allowed[1:])
    return mask


# Which actions are dominated ----------------------------------------------------------


def _dominated(form: SequenceForm, player: int, criterion: str) -> dict[int, int]:
    """Sequences of a player to remove, each with the one that dominates it."""
    side = _Side(form, player)
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


class _Side:
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
        here = sp.coo_array(self.A[X.origin][:, Y.origin[known]])
        less = most[Y.origin[known]]
        rows = np.append(here.coords[0], np.zeros(len(known), np.int64))
        columns = np.append(known[here.coords[1]], known)
        shape = len(X.origin), len(Y.origin)
        payoffs = sp.coo_array((np.append(here.data, -less), (rows, columns)), shape=shape)
        return SequenceForm(X.treeplex, Y.treeplex, PayoffOperator.of(sp.csr_array(payoffs)))


def _plans(game: SequenceForm) -> tuple[Vector, Vector]:
    """The plans of an optimal basis of the program of player 1."""
    program = Program(game, 1)
    return program.plans(*solved(program).values())
