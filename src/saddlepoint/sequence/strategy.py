"""Strategies and profiles: probabilities aligned with a treeplex, checked, readable, saved.

A `Strategy` holds one probability for each sequence of its player (behaviour form); its
realization plan is computed once when asked for. A `Profile` is one strategy for each
player of a game.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core import store
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.core.version import VERSION
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.treeplex import Behaviour, Treeplex, Vector

PREVIEW_ROWS = 12
# Compact files have probabilities as whole numbers up to this.
COMPACT = 65535


class Row(NamedTuple):
    """An information set of a strategy."""

    infoset: str
    reach: float
    """The probability that the player's own moves lead here."""
    actions: dict[str, float]


class Strategy:
    """A behaviour strategy of one player.

    Parameters
    ----------
    treeplex
        The player's treeplex.
    probabilities
        One number for each sequence, the empty one first; checked.
    player
        1 or 2, for display.

    Examples
    --------
    >>> from saddlepoint.games.catalogue import game
    >>> form = game("kuhn").sequence_form()
    >>> Strategy.uniform(form.X)["Q:"]
    {'c': 0.5, 'r': 0.5}
    """

    def __init__(self, treeplex: Treeplex, probabilities: ArrayLike, player: int = 1) -> None:
        self.treeplex = treeplex
        self.probabilities = treeplex.check(probabilities)
        self.probabilities.flags.writeable = False
        self.player = player

    @classmethod
    def uniform(cls, treeplex: Treeplex, player: int = 1) -> Strategy:
        """Every action equally likely."""
        return cls(treeplex, treeplex.uniform(), player)

    @classmethod
    def random(cls, treeplex: Treeplex, seed: Seed, player: int = 1) -> Strategy:
        """Every information set's distribution drawn uniformly from its simplex."""
        return cls(treeplex, treeplex.random(seed), player)

    @classmethod
    def of_plan(cls, treeplex: Treeplex, plan: ArrayLike, player: int = 1) -> Strategy:
        """The strategy of a realization plan; uniform where the plan never arrives."""
        return cls(treeplex, treeplex.behaviour(plan), player)

    @classmethod
    def of_function(
        cls,
        treeplex: Treeplex,
        probabilities: Behaviour,
        player: int = 1,
    ) -> Strategy:
        """The strategy that a function gives, of (information set, its actions) or of the first."""
        return cls(treeplex, treeplex.from_function(probabilities), player)

    @cached_property
    def plan(self) -> Vector:
        """The realization plan."""
        x = self.treeplex.plan(self.probabilities)
        x.flags.writeable = False
        return x

    def __getitem__(self, infoset: str) -> dict[str, float]:
        """The probabilities of the actions at an information set, by name."""
        return self._actions(self.treeplex.find(infoset))

    def __contains__(self, infoset: object) -> bool:
        """Whether the player has an information set of this name."""
        return isinstance(infoset, str) and self.treeplex.has(infoset)

    def __iter__(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Pairs of an information set's name and its probabilities."""
        for row in self.rows():
            yield row.infoset, row.actions

    def __len__(self) -> int:
        return self.treeplex.n_infosets

    def _actions(self, i: int) -> dict[str, float]:
        row = self.probabilities[self.treeplex.sequences(i)]
        return {self.treeplex.names.action(i, a): float(p) for a, p in enumerate(row)}

    def row(self, infoset: str) -> Row:
        """An information set by name, with the own reach and the probabilities."""
        return self._row(self.treeplex.find(infoset))

    def rows(self) -> Iterator[Row]:
        """All information sets in order, parents first."""
        return (self._row(i) for i in range(len(self)))

    def _row(self, i: int) -> Row:
        reach = float(self.plan[self.treeplex.flat.parent[i]])
        return Row(self.treeplex.names.infoset(i), reach, self._actions(i))

    def mix(self, other: Strategy, weight: float) -> Strategy:
        """Play `other` with probability `weight`, else this one; decided before the game.

        The mixture of realization plans, which is what a player does who tosses the coin
        once; it is not the mixture of probabilities at each information set.
        """
        if not 0.0 <= weight <= 1.0:
            raise SettingsError(f"weight is {weight}, expected a number between 0 and 1")
        if other.treeplex.fingerprint != self.treeplex.fingerprint:
            raise StrategyError("cannot mix strategies of different games or players")
        plan = (1.0 - weight) * self.plan + weight * other.plan
        return Strategy.of_plan(self.treeplex, plan, self.player)

    def reach(self) -> Vector:
        """Per information set, the probability that the player's own moves lead there."""
        reached: Vector = self.plan[self.treeplex.flat.parent]
        return reached

    def to_frame(self) -> Any:
        """A pandas data frame with one row for each action: player, infoset, action, ..."""
        import pandas as pd

        return pd.DataFrame(
            [
                (self.player, row.infoset, action, p, row.reach)
                for row in self.rows()
                for action, p in row.actions.items()
            ],
            columns=["player", "infoset", "action", "probability", "reach"],
        )

    def __repr__(self) -> str:
        return (
            f"<Strategy of player {self.player}: {self.treeplex.n_infosets} information sets, "
            f"{self.treeplex.n_sequences} sequences>"
        )

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{escape(row.infoset)}</td><td>{row.reach:.4f}</td><td>"
            + ", ".join(f"{escape(a)} {p:.4f}" for a, p in row.actions.items())
            + "</td></tr>"
            for row in islice(self.rows(), PREVIEW_ROWS)
        )
        more = len(self) - PREVIEW_ROWS
        note = f"<p>and {more} more information sets</p>" if more > 0 else ""
        return (
            f"<table><caption>player {self.player}</caption>"
            f"<tr><th>information set</th><th>reach</th><th>strategy</th></tr>{cells}</table>{note}"
        )


@dataclass(frozen=True, repr=False)
class Profile:
    """A strategy for each player of a game."""

    form: SequenceForm
    first: Strategy
    second: Strategy

    def __post_init__(self) -> None:
        for strategy, plex, player in ((self.first, self.form.X, 1), (self.second, self.form.Y, 2)):
            if strategy.treeplex.fingerprint != plex.fingerprint:
                raise StrategyError(
                    f"the strategy of player {player} has {len(strategy)} information sets, "
                    f"it belongs to another game than {self.form.name} ({plex.n_infosets})"
                )

    @classmethod
    def of(cls, problem: Problem, s1: ArrayLike, s2: ArrayLike) -> Profile:
        """The profile of two behaviour vectors."""
        form = as_form(problem)
        return cls(form, Strategy(form.X, s1, 1), Strategy(form.Y, s2, 2))

    @classmethod
    def of_plans(cls, problem: Problem, x: ArrayLike, y: ArrayLike) -> Profile:
        """The profile of two realization plans."""
        form = as_form(problem)
        return cls(form, Strategy.of_plan(form.X, x, 1), Strategy.of_plan(form.Y, y, 2))

    @classmethod
    def uniform(cls, problem: Problem) -> Profile:
        """Both players play every action equally."""
        form = as_form(problem)
        return cls(form, Strategy.uniform(form.X, 1), Strategy.uniform(form.Y, 2))

    @classmethod
    def random(cls, problem: Problem, seed: Seed) -> Profile:
        """Both players' distributions drawn uniformly."""
        form, rng = as_form(problem), generator(seed)
        return cls(form, Strategy.random(form.X, rng, 1), Strategy.random(form.Y, rng, 2))

    @classmethod
    def of_function(cls, problem: Problem, probabilities: Behaviour) -> Profile:
        """The profile of a function `(information set, actions) -> probabilities`.

        It may take the information set alone.
        """
        form = as_form(problem)
        return cls(
            form,
            Strategy.of_function(form.X, probabilities, 1),
            Strategy.of_function(form.Y, probabilities, 2),
        )

    def player(self, number: int) -> Strategy:
        """The strategy of player 1 or 2."""
        if number not in (1, 2):
            raise SettingsError(f"player is {number}, expected 1 or 2")
        return self.first if number == 1 else self.second

    def __iter__(self) -> Iterator[Strategy]:
        return iter((self.first, self.second))

    def to_frame(self) -> Any:
        """A pandas data frame of both strategies."""
        import pandas as pd

        return pd.concat([s.to_frame() for s in self], ignore_index=True)

    def __repr__(self) -> str:
        sizes = " and ".join(f"{len(strategy):,}" for strategy in self)
        return f"<Profile of {self.form.name}: {sizes} information sets>"

    def _repr_html_(self) -> str:
        return self.first._repr_html_() + self.second._repr_html_()

    # Files ----------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], **manifest: Any) -> Path:
        """Write the profile to a file, atomically, with what made it."""
        return store.write(path, self.manifest() | manifest, self.arrays())

    def manifest(self) -> dict[str, Any]:
        """What a file says of the profile."""
        return {
            "kind": "profile",
            "version": VERSION,
            "name": self.form.name,
            "game": dict(self.form.spec),
            "fingerprint": self.form.fingerprint,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file holds."""
        return {"player1": self.first.probabilities, "player2": self.second.probabilities}

    def compact_arrays(self) -> dict[str, NDArray[np.uint16]]:
        """The same in a quarter of the room: probabilities as multiples of 1/65535.

        Read again they are divided by their sums, `rounded` says what they are then.
        """
        return {
            key: np.rint(np.asarray(p) * COMPACT).astype(np.uint16)
            for key, p in self.arrays().items()
        }

    def rounded(self) -> Profile:
        """The profile that a compact file holds.

        >>> from saddlepoint.sequence.form import matrix_form
        >>> third = Profile.uniform(matrix_form([[1.0, 2.0, 3.0]]))
        >>> third.rounded().second.probabilities[1:].round(3)
        array([0.333, 0.333, 0.333])
        """
        return _of_compact(self.form, self.compact_arrays())

    @classmethod
    def of_artefact(cls, artefact: store.Artefact, problem: Problem, path: str = "file") -> Profile:
        """The profile in a file that was read, for the game that it was made for."""
        form = as_form(problem)
        belongs_to(artefact.manifest, form, path)
        missing = [key for key in ("player1", "player2") if key not in artefact.arrays]
        if missing:
            raise StrategyError(f"{path} holds no strategy: array '{missing[0]}' is missing")
        if artefact.arrays["player1"].dtype == np.uint16:
            return _of_compact(form, artefact.arrays)
        return cls.of(form, artefact.arrays["player1"], artefact.arrays["player2"])


def _of_compact(form: SequenceForm, arrays: Mapping[str, NDArray[Any]]) -> Profile:
    one, two = (
        plex.behaviour(plex.vector(arrays[key].astype(np.float64)))
        for plex, key in ((form.X, "player1"), (form.Y, "player2"))
    )
    return Profile.of(form, one, two)


def belongs_to(manifest: Mapping[str, Any], form: SequenceForm, path: str) -> None:
    """Raise if a file was made for another game than this one."""
    if manifest.get("fingerprint") != form.fingerprint:
        raise StrategyError(
            f"{path} was made for {manifest.get('name', 'another game')}, whose information sets "
            f"are not those of {form.name}"
        )
