"""Information filters: what of the signals the players of an ordered game are told apart.

Definition 6 of thesis 003 (section 5.3.2): a filter F has a function for every round, from the
signals that one player has been told so far to the set of those that he cannot tell from them.
It says something true, its sets are a partition, and what was told apart once is told apart
later. As in the thesis one filter serves all players.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.checks import shown
from saddlepoint.core.errors import GameError, RulesError
from saddlepoint.games.signal_deals import text_of
from saddlepoint.games.signals import Information, OrderedGame, Revealed

Integers = NDArray[np.int64]
Label = Callable[[int, Revealed, Revealed], Hashable]


@dataclass(frozen=True, eq=False, repr=False)
class InformationFilter:
    """An information filter of an ordered game (thesis 003, Definition 6).

    Parameters
    ----------
    game
        The game.
    numbers
        For every round: the class of each of `game.informations(round)`, as a number. They
        are numbered anew, in the order in which they come first.

    Raises
    ------
    RulesError
        If a later round tells less than an earlier one, naming the signals.

    Examples
    --------
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import leduc
    >>> game = ordered_poker(leduc())
    >>> ranks = InformationFilter.of_labels(
    ...     game, lambda j, public, private: (private[0][0][0], [c[0] for r in public for c in r])
    ... )
    >>> ranks.sizes, InformationFilter.identity(game).sizes, InformationFilter.coarsest(game).sizes
    ((3, 9), (6, 30), (1, 1))
    >>> ranks.classes(1)[0]
    ((((),), (('Jc',),)), (((),), (('Jd',),)))
    """

    game: OrderedGame
    numbers: tuple[Integers, ...]

    def __post_init__(self) -> None:
        rounds = self.game.rounds
        if len(self.numbers) != rounds:
            raise RulesError(
                f"a filter has {len(self.numbers)} rounds, the game has {rounds}: expected a "
                "class for the signals of each round"
            )
        found = []
        for j, given in enumerate(self.numbers, 1):
            expected = len(self._told[j - 1])
            row = np.asarray(given)
            if row.shape != (expected,):
                raise RulesError(
                    f"the classes of round {j} have shape {row.shape}, expected ({expected},): one "
                    "for everything that a player may have been told"
                )
            found.append(_renumbered(row))
        object.__setattr__(self, "numbers", tuple(found))
        for j in range(2, rounds + 1):
            self._check_preservation(j)

    def _check_preservation(self, j: int) -> None:
        """Condition 3: equal classes of a round had equal classes in the round before."""
        here, before = self.numbers[j - 1], self.numbers[j - 2][self.before(j)]
        first = np.unique(here, return_index=True)[1][here]
        bad = np.flatnonzero(before != before[first])
        if len(bad):
            one, two = self._told[j - 1][first[bad[0]]], self._told[j - 1][bad[0]]
            raise RulesError(
                f"the filter forgets: {text_of(*one)} and {text_of(*two)} are not told apart in "
                f"round {j}, but what came before them is in round {j - 1}"
            )

    # Making filters -----------------------------------------------------------------------

    @classmethod
    def identity(cls, game: OrderedGame) -> InformationFilter:
        """The filter that tells everything."""
        sizes = [len(game.informations(j)) for j in range(1, game.rounds + 1)]
        return cls(game, tuple(np.arange(size) for size in sizes))

    @classmethod
    def coarsest(cls, game: OrderedGame) -> InformationFilter:
        """The filter that tells nothing, not even what is public."""
        sizes = [len(game.informations(j)) for j in range(1, game.rounds + 1)]
        return cls(game, tuple(np.zeros(size, np.int64) for size in sizes))

    @classmethod
    def of_labels(cls, game: OrderedGame, label: Label) -> InformationFilter:
        """The filter that tells what a function of (round, public, private) returns.

        A list is a label too; other labels have to be hashable.
        """
        rounds = []
        for j in range(1, game.rounds + 1):
            known: dict[Hashable, int] = {}
            labels = [_hashable(label(j, *told)) for told in game.informations(j)]
            rounds.append(np.array([known.setdefault(key, len(known)) for key in labels]))
        return cls(game, tuple(rounds))

    @classmethod
    def of_sets(
        cls, game: OrderedGame, rounds: Sequence[Mapping[Information, Collection[Information]]]
    ) -> InformationFilter:
        """The filter that is given as the functions F^j: a set for everything that may be told.

        Raises
        ------
        RulesError
            Where one of the three conditions of Definition 6 is broken, naming the signals.
        """
        numbers = []
        for j, table in enumerate(rounds, 1):
            told = game.informations(min(j, game.rounds))
            place = {information: k for k, information in enumerate(told)}
            check_sets(f"round {j}", table, told, place)
            row = np.full(len(told), -1, np.int64)
            for k, information in enumerate(told):
                if row[k] < 0:
                    row[[place[other] for other in table[information]]] = k
            numbers.append(row)
        return cls(game, tuple(numbers))

    @classmethod
    def of_partition(
        cls, game: OrderedGame, rounds: Sequence[Iterable[Collection[Information]]]
    ) -> InformationFilter:
        """The filter whose classes are listed, for every round; what is not listed is alone."""
        functions = []
        for j, classes in enumerate(rounds, 1):
            told = game.informations(min(j, game.rounds))
            table: dict[Information, Collection[Information]] = {one: [one] for one in told}
            for members in classes:
                members = list(members)
                for one in members:
                    if len(table.get(one, [])) > 1:
                        raise RulesError(
                            f"{_text(one)} stands in two classes of round {j}, expected a partition"
                        )
                    table[one] = members
            functions.append(table)
        return cls.of_sets(game, functions)

    # Asking -------------------------------------------------------------------------------

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many classes a player tells apart, by round."""
        return tuple(int(row.max()) + 1 for row in self.numbers)

    def classes(self, round_: int) -> tuple[tuple[Information, ...], ...]:
        """The classes of a round, each with all (public, private) signals in it."""
        row = self.numbers[self.game.checked_round(round_) - 1]
        found: list[list[Information]] = [[] for _ in range(int(row.max()) + 1)]
        for number, told in zip(row.tolist(), self._told[round_ - 1], strict=True):
            found[number].append(told)
        return tuple(map(tuple, found))

    def __call__(self, public: Revealed, private: Revealed) -> frozenset[Information]:
        """What a player who was told this cannot tell from it: F^j(public, private)."""
        j = self.game.checked_round(len(private))
        try:
            k = self._place[j - 1][public, private]
        except (KeyError, TypeError):
            raise RulesError(
                f"{shown((public, private))} is nothing that a player can be told in round {j}"
            ) from None
        row = self.numbers[j - 1]
        return frozenset(self._told[j - 1][i] for i in np.flatnonzero(row == row[k]))

    def before(self, round_: int) -> Integers:
        """For everything told through a round, what was told through the round before."""
        here = len(self._told[round_ - 1])
        earlier = len(self._told[round_ - 2]) if round_ > 1 else 1
        return np.arange(here) // (here // earlier)

    def up(self, round_: int, to: int) -> Integers:
        """The class in an earlier round of each class of a round."""
        found = np.empty(self.sizes[round_ - 1], np.int64)
        place = np.arange(len(self._told[round_ - 1]))
        for j in range(round_, to, -1):
            place = self.before(j)[place]
        found[self.numbers[round_ - 1]] = self.numbers[to - 1][place]
        return found

    def told(self, player: int, round_: int) -> Integers:
        """For every deal of the game, the class of what a player is told through a round."""
        return self.numbers[round_ - 1][self.game.deals.information(player, round_)]

    def label(self, round_: int, number: int) -> str:
        """A name for a class: its first signals, and how many others there are."""
        return self._labels[round_ - 1][number]

    def refines(self, other: InformationFilter) -> bool:
        """Whether this filter tells apart everything that the other one does."""
        if other.game is not self.game:
            raise GameError("filters of different games cannot be compared")
        return all(
            len(np.unique(one)) == len(np.unique(np.column_stack([one, two]), axis=0))
            for one, two in zip(self.numbers, other.numbers, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InformationFilter):
            return NotImplemented
        return self.game is other.game and all(
            np.array_equal(one, two) for one, two in zip(self.numbers, other.numbers, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = "/".join(f"{size:,}" for size in self.sizes)
        return f"<InformationFilter of {self.game.name}: {sizes} classes by round>"

    @cached_property
    def _told(self) -> list[list[Information]]:
        return [self.game.informations(j) for j in range(1, self.game.rounds + 1)]

    @cached_property
    def _place(self) -> list[dict[Information, int]]:
        return [{one: k for k, one in enumerate(told)} for told in self._told]

    @cached_property
    def _labels(self) -> list[list[str]]:
        found = []
        for told, row in zip(self._told, self.numbers, strict=True):
            first, count = np.unique(row, return_index=True, return_counts=True)[1:]
            found.append(
                [
                    text_of(*told[k]) + (f"(+{c - 1})" if c > 1 else "")
                    for k, c in zip(first.tolist(), count.tolist(), strict=True)
                ]
            )
        return found


def _renumbered(row: ArrayLike) -> Integers:
    """Class numbers in the order in which the classes come first."""
    _, first, which = np.unique(np.asarray(row), return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[which]


def check_sets(
    where: str,
    table: Mapping[Information, Collection[Information]],
    told: list[Information],
    place: Mapping[Information, int],
) -> None:
    """Check conditions 1 and 2 of Definition 6, for the function of one round or the like."""
    for one in told:
        if one not in table:
            raise RulesError(f"the filter of {where} has no set for {_text(one)}")
        for other in table[one]:
            if other not in place:
                raise RulesError(
                    f"the filter of {where} maps {_text(one)} to a set with {_text(other)}, "
                    "which no player can be told there"
                )
        if one not in table[one]:
            raise RulesError(
                f"the filter of {where} is not truthful: {_text(one)} is not in its own set"
            )
    sets = {one: frozenset(table[one]) for one in told}
    for one in told:
        for other in sets[one]:
            if sets[other] != sets[one]:
                raise RulesError(
                    f"the sets of the filter of {where} are no partition: {_text(other)} is in "
                    f"the set of {_text(one)}, but its own set is another one"
                )


def _hashable(label: Any) -> Hashable:
    """A label with lists as tuples."""
    if isinstance(label, list | tuple):
        return tuple(_hashable(part) for part in label)
    if not isinstance(label, Hashable):
        raise RulesError(f"label is {shown(label)}, expected something hashable")
    return label


def _text(information: Any) -> str:
    """What a player was told, as text, if it is that."""
    try:
        return text_of(*information)
    except (TypeError, ValueError):
        return shown(information)
