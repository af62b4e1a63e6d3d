r"""Coaches: two agents, the second of whom takes over for the rest of a hand.

The second agent knows a size of bet that the first does not (thesis 004, section 5.5). The
*defensive coach* plays the first one until the opponent has made such a bet. The *full coach*
also hands over where the second would make that bet himself, with a probability above a
small bound. Both remember who plays, so that they are behaviour strategies, computed here
for all information sets at once: a history hands over if a shorter one did, if the
opponent's last action was the bet, or, for the full coach, if the second agent is tempted.

A bet is of the size b if it is what a menu with b would offer: from call level L to
$L + \lfloor 2Lb \rfloor$, and not all-in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.core.kernel import kernel
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.reverse.lift import tree_for
from saddlepoint.reverse.steps import Tree
from saddlepoint.sequence.strategy import Strategy

Array = NDArray[Any]
NEVER = 2.0  # no probability is above it


@dataclass(frozen=True, kw_only=True)
class Coach:
    """When a coach hands over.

    Parameters
    ----------
    size
        The bet that the second agent knows, in pots after calling.
    tempted
        The full coach hands over where the second agent makes this bet with a greater
        probability than this (0.001 in the thesis); None is the defensive coach.
    """

    size: float
    tempted: float | None = None

    def __post_init__(self) -> None:
        if not self.size > 0.0:
            raise SettingsError(f"size is {self.size}, expected a bet above 0 pots")
        if self.tempted is not None and not 0.0 <= self.tempted < 1.0:
            raise SettingsError(f"tempted is {self.tempted}, expected 0 to 1 or None")


def coached(game: FactoredGame, first: Strategy, second: Strategy, settings: Coach) -> Strategy:
    """The strategy of a coach with two agents.

    Parameters
    ----------
    game
        The game that is played.
    first, second
        Strategies of it, of the same player: lifted ones, if they are of abstract games.
    settings
        When the second takes over.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> game = no_limit_leduc(stack=5, menu="fchpa")
    >>> Y = game.sequence_form().Y
    >>> caller = Strategy.of_function(Y, lambda I, acts: {"c": 1.0}, 2)
    >>> mixed = coached(game, caller, Strategy.uniform(Y, 2), Coach(size=0.5))
    >>> mixed["J:r3"]["c"], round(mixed["J:r2"]["c"], 3)  # a pot bet, and half of one
    (1.0, 0.25)
    """
    form, player = game.sequence_form(), first.player
    plex = form.X if player == 1 else form.Y
    for name, strategy in (("first", first), ("second", second)):
        wrong = strategy.treeplex.fingerprint != plex.fingerprint
        if strategy.player != player or wrong:
            raise StrategyError(
                f"the {name} agent's strategy is not one of {game.name}, player {player}"
            )
    rounds = game.deal.rounds
    hands = np.array([game.deal.classes(player, r) for r in range(len(rounds))], np.int64)
    out = np.ones(plex.n_sequences)
    _hand_over(
        *(tree_for(game, player), player, of_size(game.tree, settings.size)),
        np.concatenate([r.up[player - 1] for r in rounds]).astype(np.int64),
        *(np.concatenate([[0], np.cumsum(hands)]), first.probabilities, second.probabilities),
        *(NEVER if settings.tempted is None else settings.tempted, out),
    )
    return Strategy(plex, out, player)


def of_size(tree: BettingTree, size: float) -> NDArray[np.bool_]:
    """Which nodes a bet of a size leads to, all-in excepted."""
    level = tree.contribution.max(axis=1).astype(np.int64)
    before = level[np.maximum(tree.parent, 0)]
    total = before + np.floor(2.0 * before * size + 1e-9).astype(np.int64)
    found: NDArray[np.bool_] = (tree.move > 0) & (tree.move == total)
    return found & (tree.move < tree.rules.arrays.stack)


@kernel
def _hand_over(
    tree: Tree,
    player: int,
    sized: Array,
    up: Array,
    begin: Array,
    first: Array,
    second: Array,
    tempted: float,
    out: Array,
) -> None:
    """Write the coach's strategy into out: O(nodes * hands), with a bit for each of them.

    The hands of round r are at begin[r] of `up`, which leads to the round before.
    """
    most = 0
    for r in range(begin.shape[0] - 1):
        most = max(most, begin[r + 1] - begin[r])
    over = np.zeros((tree.mover.shape[0], most), np.bool_)
    for n in range(tree.mover.shape[0]):
        if tree.mover[n] <= 0:
            continue
        p, r = tree.parent[n], tree.round[n]
        bet = p >= 0 and tree.mover[p] != player and sized[n]
        for k in range(begin[r + 1] - begin[r]):
            seen = bet
            if p >= 0 and not seen:
                before = k
                for later in range(r, tree.round[p], -1):
                    before = up[begin[later] + before]
                seen = over[p, before]
            if tree.mover[n] == player:
                for c in range(tree.child[n], tree.child[n] + tree.children[n]):
                    if sized[c] and second[tree.row[c] + tree.stride[c] * k] > tempted:
                        seen = True
                for c in range(tree.child[n], tree.child[n] + tree.children[n]):
                    q = tree.row[c] + tree.stride[c] * k
                    out[q] = second[q] if seen else first[q]
            over[n, k] = seen
