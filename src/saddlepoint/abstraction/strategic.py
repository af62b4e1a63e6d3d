r"""Strategy-based abstraction: hands that are played alike share a bucket.

In a solution of some game, a hand is played in a round by the probabilities of all actions at
all betting decisions of that round, of either seat: its strategy vector. Hands are clustered by
the sum of absolute differences of these vectors (thesis 003, section 6.6, for the first round
of GS4; its later rounds are potential-aware).

The solution may be one of an abstract game, as long as it is finer than what is wanted: hands
of one of its buckets have equal vectors. Where a hand never arrives by its own play, its
probabilities mean nothing; `reach` weighs a decision by the probability that the hand's owner
gets there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.division import divide_points
from saddlepoint.abstraction.expectation import checked_sizes
from saddlepoint.abstraction.hands import Classes, Hands
from saddlepoint.abstraction.potential import potential_aware
from saddlepoint.abstraction.work import SILENT, Work
from saddlepoint.core.checks import whole
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.sequence.strategy import Profile

Matrix = NDArray[np.float64]


def strategy_vectors(
    pair: AbstractGame, profile: Profile, round_: int, *, reach: bool = False
) -> Matrix:
    """How each real hand of a round is played: a row for each.

    Parameters
    ----------
    pair
        The real game and the one that was solved (see `AbstractGame.of` if it is the same).
    profile
        Strategies of the latter.
    round_
        The round, from 0 up.
    reach
        Weigh probabilities by the owner's reach.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> from saddlepoint.solvers.methods import solve
    >>> game = leduc()
    >>> vectors = strategy_vectors(AbstractGame.of(game, game), solve(game).profile, 0)
    >>> vectors.shape  # three cards; six decisions with two or three actions
    (3, 14)
    """
    game, form = pair.game, pair.game.sequence_form()
    if form.fingerprint != profile.form.fingerprint:
        raise StrategyError(f"the strategies are of {profile.form.name}, expected {game.name}")
    sizes = [pair.real.deal.classes(player, round_) for player in (1, 2)]
    if sizes[0] != sizes[1]:
        raise GameError(
            f"player 1 has {sizes[0]} hands in round {round_ + 1} and player 2 {sizes[1]}: "
            "their strategies cannot be compared hand by hand"
        )
    tree, columns = game.tree, []
    for strategy in profile:
        player = strategy.player
        places = game.factored.places[player - 1]
        group = pair.groups[player - 1][round_]
        values = strategy.plan if reach else strategy.probabilities
        for n in np.flatnonzero((tree.mover == player) & (tree.round == round_)).tolist():
            first = int(tree.child[n])
            for c in range(first, first + int(tree.children[n])):
                columns.append(values[places.row[c] + places.stride[c] * group])
    return np.column_stack(columns)


def strategy_based(
    hands: Hands,
    sizes: Sequence[int],
    pair: AbstractGame,
    profile: Profile,
    *,
    rounds: int = 1,
    reach: bool = False,
    seed: int = 0,
    work: Work = SILENT,
    key: dict[str, Any] | None = None,
    **rest: Any,
) -> Buckets:
    """Buckets of similar play in the first rounds, potential-aware ones after.

    Parameters
    ----------
    hands
        The hands of a player.
    sizes
        At most so many buckets by round.
    pair, profile
        What was solved, and the strategies.
    rounds
        In how many rounds strategies are compared.
    reach
        See `strategy_vectors`.
    seed, work, key
        For the starts of k-means; how chunks are kept, and under which key.
    **rest
        Settings of `saddlepoint.abstraction.potential.potential_aware`.
    """
    found = checked_sizes(hands, sizes)
    whole("rounds", rounds, 1, hands.rounds)
    groups: list[Classes] = []
    errors: list[float] = []
    for r in range(rounds):
        above = groups[-1][hands.up[r]] if r else np.zeros(hands.size(0), np.int64)
        vectors = strategy_vectors(pair, profile, r, reach=reach)

        def points(members: Classes, vectors: Matrix = vectors) -> tuple[Matrix, str]:
            return vectors[members], "l1"

        group, spent = divide_points(
            *(hands, r, above, found[r], points),
            seed=seed,
            width=vectors.shape[1],
            work=work,
            key=key,
        )
        groups.append(group)
        errors.append(spent)
    if rounds == hands.rounds:
        return Buckets(tuple(groups), "", tuple(errors))
    more = potential_aware(hands, found, seed=seed, given=groups, work=work, key=key, **rest)
    return Buckets(more.groups, "", (*errors, *more.errors[rounds:]))
