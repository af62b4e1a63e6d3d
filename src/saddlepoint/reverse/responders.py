"""Agents as an observer of their responses to bets sees them.

A bet is answered by a fold, a call or a raise. Hands are not seen, so that all an observer
can learn is how often which answer comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError
from saddlepoint.games.betting_moves import CALL, FOLD
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.strategy import Strategy

RESPONSES = ("fold", "call", "raise")
_SUM = 1e-9


class Responder(Protocol):
    """An agent as an observer of its responses sees it."""

    def __call__(self, bet: int, rng: np.random.Generator) -> int:
        """The response to bet number 0, 1, ..., n - 1, as a place in `RESPONSES`."""


@dataclass(frozen=True)
class Frequencies:
    """A responder with known probabilities.

    Parameters
    ----------
    table
        One row for each bet, ascending: probabilities of fold, call and raise.
    """

    table: NDArray[np.float64]

    def __post_init__(self) -> None:
        table = np.array(self.table, np.float64)
        if table.ndim != 2 or table.shape[1] != len(RESPONSES) or not len(table):
            raise SettingsError(f"response frequencies have shape {table.shape}, expected (n, 3)")
        if (table < 0.0).any() or (np.abs(table.sum(axis=1) - 1.0) > _SUM).any():
            raise SettingsError("response frequencies are expected to be at least 0 with sum 1")
        table.flags.writeable = False
        object.__setattr__(self, "table", table)

    @classmethod
    def of_two(cls, below: ArrayLike, above: ArrayLike, boundary: int, bets: int) -> Frequencies:
        """One distribution for the first `boundary` bets, another one for the rest.

        >>> Frequencies.of_two([0.2, 0.8, 0], [0.6, 0.4, 0], 1, 3).table[:, 0]
        array([0.2, 0.6, 0.6])
        """
        if not 1 <= boundary <= bets:
            raise SettingsError(f"boundary is {boundary}, expected 1 to {bets}")
        first = np.arange(bets) < boundary
        return cls(np.where(first[:, None], np.asarray(below), np.asarray(above)))

    @classmethod
    def of_strategy(
        cls, game: FactoredGame, strategy: Strategy, totals: Sequence[int], node: int = 0
    ) -> Frequencies:
        """The responses of a player to bets at a betting node, averaged over his hands.

        Parameters
        ----------
        game, strategy
            A game and a strategy of it; a lifted one, say.
        totals
            The bets, as totals in units, ascending.
        node
            The betting node where the other player makes them. The player's hands count as
            often as they are dealt and as his own play arrives there with them; what the
            other player's bet says about his hand is not looked at.
        """
        tree, player = game.tree, strategy.player
        children = range(tree.child[node], tree.child[node] + tree.children[node])
        to = {int(tree.move[c]): c for c in children}
        missing = [t for t in totals if t not in to or t <= 0 or tree.mover[to[t]] != player]
        if missing or not len(totals):
            where = tree.history(node, game.scale, game.less) or "the start"
            raise SettingsError(f"player {player} cannot be made to answer {missing} at {where}")
        nodes = np.array([to[t] for t in totals])
        return cls(_answers(game, strategy, nodes))

    def __call__(self, bet: int, rng: np.random.Generator) -> int:
        """The response to a bet, drawn."""
        u, (fold, call, _) = rng.random(), self.table[bet]
        return 0 if u < fold else 1 if u < fold + call else 2

    def __len__(self) -> int:
        return len(self.table)


def _answers(
    game: FactoredGame, strategy: Strategy, nodes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How often a player folds, calls and raises at some of his decisions."""
    tree, deal, player = game.tree, game.deal, strategy.player
    places = game.factored.places[player - 1]
    table = np.zeros((len(nodes), len(RESPONSES)))
    for row, n in zip(table, nodes.tolist(), strict=True):
        r = int(tree.round[n])
        joint = deal.joint(r)
        dealt = np.bincount(
            joint.rows if player == 1 else joint.columns, joint.values, deal.classes(player, r)
        )
        k = np.arange(deal.classes(player, r))
        for c in range(tree.child[n], tree.child[n] + tree.children[n]):
            plan = strategy.plan[places.row[c] + places.stride[c] * k]
            row[{FOLD: 0, CALL: 1}.get(int(tree.move[c]), 2)] += dealt @ plan
        if row.sum() <= 0.0:
            raise SettingsError(f"player {player}'s own play never leads to {tree.history(n)}")
        row /= row.sum()
    return table
