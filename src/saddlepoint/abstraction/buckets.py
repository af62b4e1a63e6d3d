"""Buckets: which hands a player cannot tell apart in an abstract game.

In each round every hand belongs to one bucket. A player with *perfect recall* remembers the
buckets of the rounds before: hands of one bucket come from one bucket. Otherwise he forgets
(thesis 004, section 2.3.2), which has no treeplex; `saddlepoint.abstraction.forgetting` has
games of players who forget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame, Grouping
from saddlepoint.abstraction.cards import Names, coarse
from saddlepoint.abstraction.hands import Classes, Hands, numbered
from saddlepoint.core.errors import GameError
from saddlepoint.games.deal import Deal
from saddlepoint.games.factored_game import FactoredGame


@dataclass(frozen=True)
class Buckets:
    """The buckets of one player.

    Parameters
    ----------
    groups
        For each round, the bucket of every hand; all numbers from 0 up are used.
    text
        How they were made, in the notation of `saddlepoint.abstraction.compose`.
    errors
        For each round the expected error, as the algorithm measures it, if it does.
    """

    groups: Grouping
    text: str = ""
    errors: tuple[float, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many buckets each round has."""
        return tuple(int(group.max()) + 1 for group in self.groups)

    def forgets(self, up: Sequence[Classes]) -> list[int]:
        """The rounds in which a bucket has hands of several buckets of the round before."""
        found = []
        for r in range(1, len(self.groups)):
            pairs = np.unique(np.column_stack([self.groups[r], self.groups[r - 1][up[r]]]), axis=0)
            if len(pairs) > self.sizes[r]:
                found.append(r)
        return found

    def remembered(self, up: Sequence[Classes]) -> Buckets:
        """The coarsest buckets with perfect recall that know as much in every round.

        Their buckets are sequences of buckets, as far as they occur.
        """
        groups = [self.groups[0]]
        for r in range(1, len(self.groups)):
            groups.append(numbered(groups[-1][up[r]], self.groups[r]))
        return Buckets(tuple(groups), self.text)

    def names(self, up: Sequence[Classes]) -> Names:
        """Names such as `3.1.4`: the fourth child of the first child of bucket 3.

        Buckets are counted from 1 below their parent; where the player forgets, by round.
        """
        names: Names = [[str(b + 1) for b in range(self.sizes[0])]]
        forgotten = self.forgets(up)
        for r in range(1, len(self.groups)):
            if r in forgotten:
                names.append([f"{r + 1}:{b + 1}" for b in range(self.sizes[r])])
                continue
            parent = np.zeros(self.sizes[r], np.int64)
            parent[self.groups[r]] = self.groups[r - 1][up[r]]
            seen: dict[int, int] = {}
            row = []
            for above in parent.tolist():
                seen[above] = seen.get(above, 0) + 1
                row.append(f"{names[r - 1][above]}.{seen[above]}")
            names.append(row)
        return names

    def after(self, finer: Buckets) -> Buckets:
        """These buckets of finer buckets, as buckets of the hands that those have."""
        return replace(
            self, groups=tuple(a[b] for a, b in zip(self.groups, finer.groups, strict=True))
        )

    def within(self, finer: Buckets) -> Buckets:
        """These buckets as buckets of finer buckets, whose hands they must not part.

        Raises
        ------
        GameError
            If hands of one finer bucket belong to different buckets.
        """
        groups = []
        for r, (mine, other) in enumerate(zip(self.groups, finer.groups, strict=True)):
            group = np.zeros(int(other.max()) + 1, np.int64)
            group[other] = mine
            if (group[other] != mine).any():
                raise GameError(
                    f"in round {r + 1} the buckets {self.text} part hands that {finer.text} joins"
                )
            groups.append(group)
        return replace(self, groups=tuple(groups))


def buckets_of(deal: Deal, text: str = "classes", player: int = 1) -> Buckets:
    """All hands of a deal apart."""
    sizes = (deal.classes(player, r) for r in range(len(deal.rounds)))
    return Buckets(tuple(np.arange(size) for size in sizes), text)


def checked(buckets: Buckets, hands: Hands) -> Buckets:
    """The buckets, if they are buckets of these hands.

    Raises
    ------
    GameError
        If a round is missing, a hand has no bucket, or a bucket has no hand.
    """
    if len(buckets.groups) != hands.rounds:
        raise GameError(
            f"buckets of {len(buckets.groups)} rounds, expected one group for each of "
            f"{hands.rounds} rounds"
        )
    for r, group in enumerate(buckets.groups):
        if group.shape != (hands.size(r),):
            raise GameError(
                f"in round {r + 1} {group.size} hands have buckets, expected {hands.size(r)}"
            )
        if group.min() < 0 or len(np.unique(group)) != int(group.max()) + 1:
            raise GameError(
                f"in round {r + 1} buckets are numbered {int(group.min())} to {int(group.max())} "
                f"with {len(np.unique(group))} in use, expected 0, 1, 2, ... all in use"
            )
    return buckets


def bucketed(
    game: FactoredGame, first: Buckets, second: Buckets | None = None, text: str = ""
) -> AbstractGame:
    """The game in which players see buckets instead of hands.

    Parameters
    ----------
    game
        The real game.
    first, second
        The buckets of players 1 and 2; those of player 1 for both by default.
    text
        What the file of a solution says of them; `first-second` by default.

    Raises
    ------
    RecallError
        If a player would forget.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> import numpy as np
    >>> kings = [np.array([hand[0] == "K" for hand in r.names[0]]) for r in leduc().deal.rounds]
    >>> small = bucketed(leduc(), Buckets(tuple(k.astype(np.int64) for k in kings), "kings"))
    >>> [list(r.names[0]) for r in small.game.deal.rounds]
    [['1', '2'], ['1.1', '2.1']]
    """
    both = (first, second or first)
    real = game.deal
    ups = [tuple(r.up[k] for r in real.rounds) for k in (0, 1)]
    names = (both[0].names(ups[0]), both[1].names(ups[1]))
    groups: tuple[Grouping, Grouping] = (both[0].groups, both[1].groups)
    deal = coarse(real, groups, names)
    told = text or (first.text if second is None else f"{first.text}-{second.text}")
    sizes = " and ".join(dict.fromkeys("-".join(map(str, b.sizes)) for b in both))
    small = replace(
        game,
        name=f"{game.name} seen as {told}",
        spec={"cards": told, "of": dict(game.spec)},
        dealer=lambda: deal,
        facts={**game.facts, "hands": f"buckets {sizes}, by {told}"},
    )
    return AbstractGame(game, small, groups)


def spread(values: NDArray[np.float64], group: Classes) -> list[NDArray[np.float64]]:
    """The values of each bucket, for plots."""
    return [values[group == b] for b in range(int(group.max()) + 1)]
