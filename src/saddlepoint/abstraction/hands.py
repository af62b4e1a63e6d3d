r"""A player's hands as a tree: what abstraction algorithms know of a game.

Round r's hands are the classes of the deal; each belongs to one hand of the round before. A
hand h comes with probability $p_h$ and, all cards to come and all hands of the opponent
rolled out, wins, loses and draws with

$$w_h + l_h + d_h = 1, \qquad \text{strength}\quad v_h = w_h + d_h / 2$$

(thesis 003, sections 5.5.1 and 6.4). Nothing here depends on where the numbers come from: a
game with more cards than can be listed brings arrays from its own tables, mapped into memory
if need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.games.deal import Deal

Vector = NDArray[np.float64]
Classes = NDArray[np.int64]
# Probabilities that differ by less are the same number, computed in different orders.
SAME = 1e-11


@dataclass(frozen=True)
class Hands:
    """The hands of one player, round by round.

    Parameters
    ----------
    names
        Names of the hands.
    up
        The hand of the round before that each belongs to (0 in the first round).
    weight
        Probability of each hand.
    win, lose
        Probability that it wins, that it loses, given that it is held.
    public
        The public cards that each hand has in front of it, as a number; None if the deal
        does not say.
    """

    names: tuple[Sequence[str], ...]
    up: tuple[Classes, ...]
    weight: tuple[Vector, ...]
    win: tuple[Vector, ...]
    lose: tuple[Vector, ...]
    public: tuple[Classes, ...] | None = None

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.up)

    def size(self, round_: int) -> int:
        """How many hands a round has."""
        return len(self.up[round_])

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many hands each round has."""
        return tuple(len(up) for up in self.up)

    def strength(self, round_: int) -> Vector:
        """The probability of winning, draws counted by half."""
        return (1.0 + self.win[round_] - self.lose[round_]) / 2.0

    def given(self, round_: int) -> Vector:
        """The probability of each hand, given the one of the round before that it belongs to."""
        here = self.weight[round_]
        return here / self.weight[round_ - 1][self.up[round_]] if round_ else here

    @cached_property
    def last(self) -> int:
        """The last round."""
        return self.rounds - 1

    def ancestors(self, round_: int, to: int) -> Classes:
        """The hand of round `to` that each hand of a later round belongs to."""
        found = np.arange(self.size(round_))
        for r in range(round_, to, -1):
            found = self.up[r][found]
        return found


def hands_of(deal: Deal, player: int = 1) -> Hands:
    """The hands of a player of a deal.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> hands = hands_of(leduc().deal)
    >>> hands.sizes, hands.strength(0).round(3)
    ((3, 9), array([0.3, 0.5, 0.7]))
    """
    last, side = len(deal.rounds) - 1, player - 1
    up = tuple(r.up[side] for r in deal.rounds)
    fold, shown = deal.rounds[last].fold.entries(), deal.rounds[last].showdown.entries()
    if side == 1:
        fold, shown = fold.T, shown.T
    gain = shown.values if side == 0 else -shown.values
    size = len(up[last])
    held = np.bincount(fold.rows, fold.values, size)
    if (held <= 0).any():
        hand = deal.rounds[last].names[side][int(np.argmin(held))]
        raise GameError(f"player {player} is never dealt '{hand}', expected hands that can be held")
    shares = [np.bincount(shown.rows, np.maximum(s * gain, 0.0), size) for s in (1, -1)]
    joint = [part.astype(np.float64) for part in (held, *shares)]
    rows = [joint]
    for r in range(last, 0, -1):
        before = (np.bincount(up[r], part, len(up[r - 1])) for part in rows[0])
        rows.insert(0, [part.astype(np.float64) for part in before])
    public = None
    if all(r.public is not None for r in deal.rounds):
        public = tuple(r.public[side] for r in deal.rounds if r.public is not None)
    return Hands(
        names=tuple(r.names[side] for r in deal.rounds),
        up=up,
        weight=tuple(row[0] for row in rows),
        win=tuple(row[1] / row[0] for row in rows),
        lose=tuple(row[2] / row[0] for row in rows),
        public=public,
    )


def levels(values: ArrayLike, same: float = SAME) -> Classes:
    """Number the distinct values, from the lowest up; neighbours closer than `same` are one.

    >>> levels([0.3, 0.1 + 0.2, 0.1]).tolist()
    [1, 1, 0]
    """
    v = np.asarray(values, np.float64)
    order = np.argsort(v, kind="stable")
    steps = np.diff(v[order]) > same
    found = np.empty(len(v), np.int64)
    found[order] = np.concatenate([[0], np.cumsum(steps)])[: len(v)]
    return found


def numbered(*columns: ArrayLike) -> Classes:
    """Number the distinct rows of columns of whole numbers, in ascending order.

    >>> numbered([1, 0, 1], [5, 5, 4]).tolist()
    [2, 0, 1]
    """
    rows: Classes | None = None
    for column in np.column_stack(columns).T:
        mine = _places(column.astype(np.int64))
        # Both factors are at most the number of rows: their product fits.
        rows = mine if rows is None else _places(rows) * (int(mine.max()) + 1) + mine
    assert rows is not None
    return _places(rows)


def _places(values: Classes) -> Classes:
    """The place of each number among the distinct ones, in ascending order."""
    _, found = np.unique(values, return_inverse=True)
    return found.ravel().astype(np.int64)
