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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.actions import dominated
from saddlepoint.solvers.restrict import below, closed, restrict

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

CRITERIA = ("leaves", "continuations")


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
        found = dominated(form, player, criterion)
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
