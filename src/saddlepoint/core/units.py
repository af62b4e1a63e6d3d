"""Units of payoffs: a number that is shown to people says what it counts.

A game's payoffs are in its own unit (chips, pots, utils). Poker results are often
stated per thousand hands of a big blind or a small bet; `Unit.scale` says how many
chips one such unit is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A named unit and its size in the game's own payoffs.

    Parameters
    ----------
    name
        As printed after a number: `chips`, `mbb/h`.
    size
        How many units of payoff one such unit is: a milli-big-blind of a game with a
        big blind of 100 chips has size 0.1.
    """

    name: str
    size: float = 1.0

    def of(self, payoff: float) -> float:
        """The payoff expressed in this unit.

        >>> Unit(name="mbb/h", size=0.1).of(-5.0)
        -50.0
        """
        return payoff / self.size

    def show(self, payoff: float) -> str:
        """The payoff as text with its unit.

        >>> Unit(name="chips").show(-1 / 18)
        '-0.0555556 chips'
        """
        return f"{self.of(payoff) + 0.0:.6g} {self.name}"


UTILS = Unit(name="utils")
CHIPS = Unit(name="chips")
