"""All ways to reveal the signals of an ordered game, as arrays, with exact weights.

Signals are revealed one by one: in every round first the public ones, then those of player 1,
of player 2 and so on. A *level* is one of these draws, a *deal* a row with the signal of every
level. Weights are whole numbers in proportion to the probabilities, so that two probabilities
are equal if and only if they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import is_truth, shown
from saddlepoint.core.errors import RulesError

if TYPE_CHECKING:
    from saddlepoint.games.signals import OrderedGame, Revealed

Integers = NDArray[np.int64]
# Whole numbers: 64 bits where all sums fit, else Python's own.
Weights = NDArray[Any]
PUBLIC = 0
_FITS = 2**62


@dataclass(frozen=True)
class Level:
    """One draw: its round, counted from 1, and to whom it is told (`PUBLIC` is everybody)."""

    round: int
    player: int

    def told_to(self, player: int) -> bool:
        """Whether a player is told."""
        return self.player in (PUBLIC, player)

    def __str__(self) -> str:
        who = "public" if self.player == PUBLIC else f"player {self.player}"
        return f"{who}, round {self.round}"


@dataclass(frozen=True, eq=False)
class Deals:
    """All deals, sorted by the places of their signals.

    Parameters
    ----------
    levels
        What is drawn.
    places
        One row for each deal: the place of the signal of each level among all signals.
    weight
        Whole numbers in proportion to the probabilities.
    """

    levels: tuple[Level, ...]
    places: Integers
    weight: Weights
    _known: dict[tuple[int, int], Integers] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, game: OrderedGame) -> Deals:
        """All deals of a game: O(deals) of exact arithmetic."""
        levels = levels_of(game, game.rounds)
        n, m = len(game.signals), len(levels)
        rows = np.array(list(permutations(range(n), m)), np.int64).reshape(math.perm(n, m), m)
        return cls(levels, rows, _weights(game, rows))

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """The probability of every deal."""
        total = int(self.weight.sum())
        return np.array([int(w) / total for w in self.weight])

    def columns(self, player: int, round_: int) -> list[int]:
        """The levels that a player is told through a round."""
        return [
            k
            for k, level in enumerate(self.levels)
            if level.round <= round_ and level.told_to(player)
        ]

    def groups(self, columns: Sequence[int]) -> Integers:
        """Number the deals by the signals of some levels: equal numbers where these agree.

        Numbers go up with the places of the signals, in the order of the columns.
        """
        key = np.zeros(len(self), np.int64)
        for column in columns:
            key = key * (int(self.places.max(initial=0)) + 1) + self.places[:, column]
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        return key

    def information(self, player: int, round_: int) -> Integers:
        """For every deal, the number of what a player is told among `informations(round_)`."""
        if (player, round_) not in self._known:
            self._known[player, round_] = self.groups(self.columns(player, round_))
        return self._known[player, round_]


def levels_of(game: OrderedGame, round_: int) -> tuple[Level, ...]:
    """The draws through a round, in order (thesis 003, Definition 8)."""
    return tuple(
        Level(j, player)
        for j in range(1, round_ + 1)
        for player, count in enumerate((game.public[j - 1], *(game.private[j - 1],) * game.players))
        for _ in range(count)
    )


def cut_up(
    signals: Sequence[Any], public: Sequence[int], private: Sequence[int], players: int
) -> Iterator[tuple[Revealed, ...]]:
    """All ways to reveal signals: the public ones by round, then each player's private ones.

    >>> list(cut_up("JK", [0, 1], [1, 0], 1))
    [(((), ('K',)), (('J',), ())), (((), ('J',)), (('K',), ()))]
    """
    cuts = [
        count
        for in_public, in_private in zip(public, private, strict=True)
        for count in (in_public, *(in_private,) * players)
    ]
    step = players + 1
    for row in permutations(signals, sum(cuts)):
        at, parts = 0, []
        for count in cuts:
            parts.append(row[at : at + count])
            at += count
        yield tuple(tuple(parts[i::step]) for i in range(step))


def text_of(public: Revealed, private: Revealed) -> str:
    """What a player has been told, as text: private signals, a bar, public ones.

    >>> text_of(((), ("Qs",)), (("K",), ()))
    'K|Qs'
    """
    own, all_ = (",".join(str(s) for row in part for s in row) for part in (private, public))
    return own + ("|" + all_ if all_ else "")


def exact_weights(weights: Sequence[Any]) -> tuple[Fraction, ...]:
    """Weights as the fractions that they are.

    >>> exact_weights([1, 0.5])
    (Fraction(1, 1), Fraction(1, 2))
    """
    found = []
    for k, weight in enumerate(weights):
        try:
            if is_truth(weight) or isinstance(weight, str | bytes):
                raise TypeError
            exact = Fraction(weight)
        except (TypeError, ValueError, OverflowError):
            exact = Fraction(0)
        if exact <= 0:
            raise RulesError(f"weights[{k}] is {shown(weight)}, expected a number above 0")
        found.append(exact)
    return tuple(found)


def _weights(game: OrderedGame, rows: Integers) -> Weights:
    """The product of p(x | X) over the draws of every deal, times a common denominator."""
    p: list[Fraction] = list(game.weights or ())
    if len(set(p)) <= 1:
        return np.ones(len(rows), np.int64)
    total = sum(p, Fraction(0))
    found = []
    for row in rows.tolist():
        left, chance = total, Fraction(1)
        for place in row:
            chance *= p[place] / left
            left -= p[place]
        found.append(chance)
    common = math.lcm(*(chance.denominator for chance in found))
    whole = [int(chance * common) for chance in found]
    factor = math.gcd(*whole)
    whole = [w // factor for w in whole]
    return np.array(whole, np.int64 if sum(whole) < _FITS else object)
