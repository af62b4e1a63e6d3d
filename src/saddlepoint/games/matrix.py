"""Matrix games: one simultaneous choice by each player.

Player 1 picks a row and player 2 a column of a matrix of payoffs to player 1. Some that
are well known stand in `saddlepoint.games.matrices`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import GameError
from saddlepoint.core.units import UTILS, Unit
from saddlepoint.games.counts import Counts
from saddlepoint.sequence.form import SequenceForm, finite_matrix, matrix_form

# Rows and columns that a notebook shows.
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class MatrixGame:
    """A two-player zero-sum or constant-sum game in normal form.

    Two games are equal if everything but `spec` is.

    Parameters
    ----------
    matrix
        Payoffs to player 1: one row for each of his actions, one column for each of
        player 2's. Kept as a read-only copy.
    rows, columns
        The names of the actions; 1, 2, ... if left empty.
    name
        What people call the game.
    players
        The names of player 1 and player 2.
    constant_sum
        The sum of both players' payoffs: 0 in a zero-sum game.
    spec
        How to build the game again, as data.
    unit
        What a payoff counts.

    Raises
    ------
    GameError
        If there is no entry, an entry is not finite, or names do not fit.

    Examples
    --------
    >>> MatrixGame([[3, 0], [1, 2]], rows=("up", "down")).sequence_form().X.sequence_name(2)
    'row down'
    """

    matrix: NDArray[np.float64]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    name: str = "matrix"
    players: tuple[str, str] = ("Player 1", "Player 2")
    constant_sum: float = 0.0
    spec: Mapping[str, Any] = field(default_factory=dict)
    unit: Unit = UTILS

    def __post_init__(self) -> None:
        matrix = finite_matrix(self.matrix)
        for key, size in zip(("rows", "columns"), matrix.shape, strict=True):
            object.__setattr__(self, key, _labels(getattr(self, key), size, key))
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "constant_sum", float(self.constant_sum) + 0.0)

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`, computed once."""
        return self._form

    @cached_property
    def _form(self) -> SequenceForm:
        description = {"name": self.name, "spec": dict(self.spec), "unit": self.unit}
        return matrix_form(self.matrix, self.rows, self.columns, **description)

    def counts(self) -> Counts:
        """Sizes of the tree in which player 1 chooses first, unseen."""
        rows, columns = self.matrix.shape
        return Counts(
            nodes=1 + rows + rows * columns,
            chance_nodes=0,
            decision_nodes=1 + rows,
            leaves=rows * columns,
            infosets=(1, 1),
            sequences=(1 + rows, 1 + columns),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatrixGame):
            return NotImplemented
        facts = ("rows", "columns", "name", "players", "constant_sum", "unit")
        return all(getattr(self, key) == getattr(other, key) for key in facts) and np.array_equal(
            self.matrix, other.matrix
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<MatrixGame {self.name}: {len(self.rows)} by {len(self.columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(label)}</th>" for label in self.columns[:_SHOWN])
        body = "".join(
            f"<tr><th>{escape(label)}</th>"
            + "".join(f"<td>{entry:g}</td>" for entry in row[:_SHOWN])
            + "</tr>"
            for label, row in zip(self.rows[:_SHOWN], self.matrix, strict=False)
        )
        cut = max(self.matrix.shape) > _SHOWN
        note = f"<p>{len(self.rows)} by {len(self.columns)}, cut to {_SHOWN}</p>" if cut else ""
        caption = f"<caption>{escape(self.name)}</caption>"
        return f"<table>{caption}<tr><th></th>{head}</tr>{body}</table>{note}"


def _labels(given: Sequence[str], size: int, kind: str) -> tuple[str, ...]:
    labels = tuple(map(str, given)) or tuple(str(i + 1) for i in range(size))
    if len(labels) != size:
        raise GameError(f"{len(labels)} names for {size} {kind}")
    if len(set(labels)) != size:
        twice = next(label for k, label in enumerate(labels) if label in labels[:k])
        raise GameError(f"two {kind} are called '{twice}'")
    return labels
