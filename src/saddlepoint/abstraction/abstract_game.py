"""An abstract game: a smaller one that stands for the real one, and how to get back.

Both are betting trees times deals. What ties them together is which class of the abstract
deal every class of real hands belongs to; which abstract action a real one stands for is
left to translation (`saddlepoint.reverse`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError, RecallError
from saddlepoint.games.deal import Deal
from saddlepoint.games.factored_game import FactoredGame

Classes = NDArray[np.int64]
# For each round, the abstract class of every real class of hands.
Grouping = tuple[Classes, ...]


@dataclass(frozen=True)
class AbstractGame:
    """A real game and a smaller one.

    Parameters
    ----------
    real, game
        The real game and the abstract one.
    groups
        For player 1 and player 2, and for each round: the class of the abstract deal that
        each class of the real deal belongs to.
    """

    real: FactoredGame
    game: FactoredGame
    groups: tuple[Grouping, Grouping]

    def __post_init__(self) -> None:
        if self.real.betting.rounds != self.game.betting.rounds:
            raise GameError(
                f"{self.game.name} has {self.game.betting.rounds} rounds of betting and "
                f"{self.real.name} {self.real.betting.rounds}: hands cannot be carried over"
            )
        for player in (1, 2):
            for r, group in enumerate(self.groups[player - 1]):
                here, there = self.real.deal.classes(player, r), self.game.deal.classes(player, r)
                if group.shape != (here,) or group.min() < 0 or group.max() >= there:
                    raise GameError(
                        f"the grouping of player {player}'s hands in round {r + 1} does not lead "
                        f"from {here} classes of hands to {there}"
                    )

    @classmethod
    def of(cls, real: FactoredGame, game: FactoredGame) -> AbstractGame:
        """Two games with the same deal: only the betting is abstract.

        >>> from saddlepoint.games.poker import no_limit_leduc
        >>> pair = AbstractGame.of(no_limit_leduc(), no_limit_leduc(menu="fcpa"))
        >>> [len(group) for group in pair.groups[0]]
        [3, 9]
        """
        for r, (here, there) in enumerate(zip(real.deal.rounds, game.deal.rounds, strict=False)):
            if list(here.names[0]) != list(there.names[0]) or (
                list(here.names[1]) != list(there.names[1])
            ):
                raise GameError(
                    f"{game.name} and {real.name} deal different hands in round {r + 1}: "
                    "say which hands are grouped"
                )
        one, two = (
            tuple(np.arange(real.deal.classes(p, r)) for r in range(real.betting.rounds))
            for p in (1, 2)
        )
        return cls(real, game, (one, two))


def check_recall(deal: Deal, player: int, grouping: Grouping, names: list[list[str]]) -> None:
    """Raise if hands of one abstract class come from different abstract classes."""
    for r in range(1, len(grouping)):
        before = grouping[r - 1][deal.rounds[r].up[player - 1]]
        for g in np.unique(grouping[r]):
            if len(np.unique(before[grouping[r] == g])) > 1:
                raise RecallError(
                    f"player {player} would forget his cards: the hands of class "
                    f"'{names[r][g]}' were told apart in the round before"
                )
