r"""Interactions: what players take part in at a stage of a stage-based sequential game.

Definition 11 of thesis 003 (section 6.2), for finitely many actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from saddlepoint.core.checks import listed, shown, whole, wholes
from saddlepoint.core.errors import RulesError, SizeError, unknown

TOLERANCE = 1e-9
MOST_PROFILES = 100_000


@dataclass(frozen=True)
class Interaction:
    r"""An interaction $\Upsilon = (A, O, \Phi)$ (thesis 003, Definition 11), with finite actions.

    Parameters
    ----------
    actions
        $A$: the names of the actions of each player.
    outcomes
        $O$: the names of the outcomes.
    chances
        $\Phi$: the probabilities of outcomes, of one action for each player; what is left
        out has probability 0.

    Raises
    ------
    RulesError
        If some probabilities are not a distribution over the outcomes, naming the actions.

    Examples
    --------
    >>> pennies = Interaction(
    ...     (("heads", "tails"),) * 2,
    ...     ("same", "different"),
    ...     lambda actions: {"same" if actions[0] == actions[1] else "different": 1.0},
    ... )
    >>> pennies.chances(("heads", "tails"))
    {'different': 1.0}
    """

    actions: Sequence[Sequence[str]]
    outcomes: Sequence[str]
    chances: Callable[[tuple[str, ...]], Mapping[str, float]]

    def __post_init__(self) -> None:
        for i, own in enumerate(self.actions, 1):
            names = listed(f"the actions of player {i}", own, "texts", error=RulesError)
            if not names or len(set(names)) != len(names):
                raise RulesError(
                    f"the actions of player {i} are {shown(own)}, expected different names"
                )
        if (count := math.prod(len(own) for own in self.actions)) > MOST_PROFILES:
            raise SizeError(f"an interaction has {count:,} ways to act, too many to be listed")
        for actions in product(*self.actions):
            odds = self.chances(actions)
            for outcome in odds:
                if outcome not in self.outcomes:
                    raise RulesError(unknown(f"outcome of {actions}", str(outcome), self.outcomes))
            check_odds(odds, f"the outcomes of {actions}")


@dataclass(frozen=True)
class StageInteraction:
    r"""A stage $(\kappa^t, \gamma^t, \Upsilon^t)$ of a stage-based game.

    Parameters
    ----------
    public
        How many signals are revealed to all.
    private
        How many are revealed to each player alone.
    interaction
        What the players take part in afterwards.
    """

    public: int
    private: Sequence[int]
    interaction: Interaction

    def __post_init__(self) -> None:
        whole("public", self.public, 0, error=RulesError)
        private = wholes("private", self.private, 0, error=RulesError)
        object.__setattr__(self, "private", private)
        if len(private) != len(self.interaction.actions):
            raise RulesError(
                f"private is {shown(private)}, expected a number for each of "
                f"{len(self.interaction.actions)} players"
            )


def check_odds(odds: Mapping[Any, float], what: str) -> None:
    """Check that probabilities are a distribution."""
    total = math.fsum(odds.values())
    if not all(p >= 0 for p in odds.values()) or not abs(total - 1.0) <= TOLERANCE:
        raise RulesError(
            f"the probabilities of {what} are {shown(dict(odds))}: sum {total:.10g}, expected "
            "nonnegative numbers with sum 1"
        )
