r"""Selective superiority (paper 000, section 5): each way to play can beat each other one.

Proposition 1 shows that purification can be better than the unpurified strategy by any
margin k. "We can similarly show", the paper goes on, that it can be worse by any margin,
and that both can be better or worse than thresholding; it gives no games. Here is one
family for all six directions.

Player 1 has three actions, player 2 four, and his abstraction leaves out the last, R. Let
$\varepsilon$ be the threshold, $0 < \varepsilon < 1/2$, and choose
$\sigma = (\delta, a, b)$ with $\delta < \varepsilon \le a < b$ and sum 1. The game is

$$\begin{pmatrix} 1/\delta & 0 & 0 & r_1 \\ 0 & 1/a & 0 & r_2 \\ 0 & 0 & 1/b & r_3
  \end{pmatrix}, \qquad r_i \le -1.$$

**The abstraction.** A strategy x guarantees $\min_i x_i / \sigma_i$. That is 1 for
$\sigma$, and at least 1 only if $x_i \ge \sigma_i$ for all i, hence $x = \sigma$: whatever
solver is used, player 1's strategy is $\sigma$, unpurified. Thresholding makes it
$(0, a, b) / (a + b)$, purification $(0, 0, 1)$.

**The full game.** R gives player 2 more than any other column, in every row: he plays it
in every equilibrium, and player 1 earns $x \cdot r$ with x.

**The margin.** Let w and l be two of the three strategies. As they differ and both sum to
1, $l_i > w_i$ for some row i. Punish that row: $r_i = -1 - c$ with
$c = k / (l_i - w_i)$, and $r_j = -1$ elsewhere. Then

$$w \cdot r - l \cdot r = c\,(l_i - w_i) = k.$$

With a threshold of a half and more there is nothing to show: no two actions reach it but
two halves, so thresholding is purification (see `saddlepoint.reverse.purify` for a
threshold above every probability). "Any threshold cutoff" is therefore any below a half.

All figures here are fractions, and what the argument needs is checked of each game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np

from saddlepoint.core.errors import SaddlepointError, SettingsError, unknown
from saddlepoint.games.matrix import MatrixGame
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table

Number = int | float | Fraction
Mixed = tuple[Fraction, ...]

WAYS = ("unpurified", "thresholded", "purified")
_PURE = (Fraction(0), Fraction(0), Fraction(1))
ROWS, COLUMNS = ("1", "2", "3"), ("1", "2", "3", "R")
MARGINS = (1, 10, 100)


@dataclass(frozen=True)
class Example:
    """A game in which one way to play the abstract strategy beats another by k.

    Parameters
    ----------
    winner, loser
        The two ways, of `WAYS`.
    k, epsilon
        The margin and the threshold.
    payoffs
        The game, row by row; the abstraction leaves out the last column.
    strategies
        What each way makes of player 1's strategy of the abstraction.
    """

    winner: str
    loser: str
    k: Fraction
    epsilon: Fraction
    payoffs: tuple[Mixed, ...]
    strategies: dict[str, Mixed]

    @property
    def earned(self) -> dict[str, Fraction]:
        """What each way earns against player 2's equilibrium of the full game, R."""
        last = [row[-1] for row in self.payoffs]
        return {
            way: sum((p * r for p, r in zip(x, last, strict=True)), Fraction(0))
            for way, x in self.strategies.items()
        }

    @property
    def margin(self) -> Fraction:
        """By how much the winner wins: k."""
        return self.earned[self.winner] - self.earned[self.loser]

    def game(self) -> MatrixGame:
        """The game in floating point."""
        name = f"{self.winner} beats {self.loser} by {float(self.k):g}"
        matrix = np.array([[float(p) for p in row] for row in self.payoffs])
        return MatrixGame(matrix, ROWS, COLUMNS, name)


def example(winner: str, loser: str, k: Number, epsilon: Number = Fraction(1, 4)) -> Example:
    """The game in which one way beats another by k.

    Parameters
    ----------
    winner, loser
        Two of `unpurified`, `thresholded` and `purified`.
    k
        The margin, above 0.
    epsilon
        The threshold, above 0 and below 1/2.

    Examples
    --------
    >>> found = example("unpurified", "purified", 10)
    >>> [str(p) for p in found.strategies["unpurified"]]
    ['1/8', '11/32', '17/32']
    >>> {way: str(u) for way, u in found.earned.items()}
    {'unpurified': '-37/3', 'thresholded': '-293/21', 'purified': '-67/3'}
    >>> found.margin
    Fraction(10, 1)
    """
    for way in (winner, loser):
        if way not in WAYS:
            raise SettingsError(unknown("way to play", way, WAYS))
    if winner == loser:
        raise SettingsError(f"winner and loser are both {winner}, expected two different ways")
    margin, cutoff = _fraction("k", k), _fraction("epsilon", epsilon)
    if margin <= 0:
        raise SettingsError(f"k is {k}, expected a finite number above 0")
    if not 0 < cutoff < Fraction(1, 2):
        raise SettingsError(
            f"epsilon is {epsilon}, expected above 0 and below 1/2; from there on thresholding "
            "is purification"
        )
    strategies = _strategies(cutoff)
    less = [b - a for a, b in zip(strategies[winner], strategies[loser], strict=True)]
    punished = less.index(max(less))
    last = [Fraction(-1)] * 3
    last[punished] -= margin / less[punished]
    sigma = strategies["unpurified"]
    payoffs = tuple(
        (*(1 / sigma[i] if j == i else Fraction(0) for j in range(3)), last[i]) for i in range(3)
    )
    found = Example(winner, loser, margin, cutoff, payoffs, strategies)
    prove(found)
    return found


def examples(k: Number, epsilon: Number = Fraction(1, 4)) -> list[Example]:
    """All six directions.

    >>> [e.margin == 1000 for e in examples(1000)]
    [True, True, True, True, True, True]
    """
    return [example(winner, loser, k, epsilon) for winner, loser in permutations(WAYS, 2)]


def prove(found: Example) -> None:
    """Check, in fractions, what the argument needs of a game.

    Raises
    ------
    SaddlepointError
        If something does not hold.
    """
    sigma, thresholded = found.strategies["unpurified"], found.strategies["thresholded"]
    kept = sum(p for p in sigma if p >= found.epsilon)
    facts = {
        "a strategy does not sum to 1": all(sum(x) == 1 for x in found.strategies.values()),
        "the abstraction is not diagonal": all(
            row[j] * sigma[i] == (i == j) for i, row in enumerate(found.payoffs) for j in range(3)
        ),
        "R does not dominate": all(row[3] < min(row[:3]) for row in found.payoffs),
        "the threshold is not applied": thresholded
        == tuple(p / kept if p >= found.epsilon else 0 for p in sigma),
        "the likeliest action is not the last": sigma[2] > max(sigma[:2])
        and found.strategies["purified"] == _PURE,
        "the margin is not k": found.margin == found.k,
    }
    for problem, holds in facts.items():
        if not holds:
            raise SaddlepointError(f"{found.winner} against {found.loser}: {problem}")


def _strategies(epsilon: Fraction) -> dict[str, Mixed]:
    """Of player 1's strategy of the abstraction: itself, thresholded, purified."""
    delta = min(epsilon, 1 - 2 * epsilon) / 2
    spare = 1 - delta - 2 * epsilon
    a, b = epsilon + spare / 4, epsilon + 3 * spare / 4
    zero = Fraction(0)
    return {
        "unpurified": (delta, a, b),
        "thresholded": (zero, a / (a + b), b / (a + b)),
        "purified": _PURE,
    }


def _fraction(name: str, number: Number) -> Fraction:
    if isinstance(number, float) and not math.isfinite(number):
        raise SettingsError(f"{name} is {number}, expected a finite number")
    return Fraction(number)


def all_directions(kitchen: Kitchen) -> Report:
    """The games of all six directions, for several margins, in fractions."""
    found = [e for k in MARGINS for e in examples(k)]
    return Report(
        title="Purified, thresholded, unpurified: each can beat each other one",
        facts=[("threshold", str(found[0].epsilon)), ("margins", ", ".join(map(str, MARGINS)))],
        tables=[
            Table(
                title="What each way earns against player 2's equilibrium",
                heads=("winner", "loser", "margin", *WAYS),
                rows=[
                    (e.winner, e.loser, str(e.margin), *(str(e.earned[way]) for way in WAYS))
                    for e in found
                ],
                note="Exact, and every step of the argument is checked of each game.",
            )
        ],
    )
