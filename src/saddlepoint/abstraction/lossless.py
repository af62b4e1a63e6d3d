r"""Which hands are really the same: the coarsest buckets that lose nothing, and others.

Buckets of both players lose nothing if all hands of a bucket have equal joint chances of
everything that anybody will know and win. With $b_r$ a player's bucket in round r, this asks
of every hand h

* in the last round, that the chances $P(\text{opponent's bucket}, \text{outcome} \mid h)$
  depend on the bucket of h only;
* in an earlier round, that the chances $P(b_{r+1} \mid h)$ do.

Then what the opponent does, if it depends on his buckets, earns the same against all hands of
a bucket at every betting history, so that no hand gains by being told apart, whatever the
betting: equilibria of the abstract game are equilibria of the real one. The coarsest buckets
of this kind are found by refinement, from one bucket in each round on: hands of a bucket that
differ are parted until none do (`joint`). That ends after a few passes, each O(pairs of hands).

GameShrink (thesis 003, chapter 5) asks for less. Its text admits several readings
(`saddlepoint.abstraction.gameshrink` has them all, for any game with ordered signals); of one
player's hands they ask

* `counts`: equal numbers of wins, losses and draws (the necessary condition of section 5.5.1);
* `own-first`: the cards to come can be matched so that these numbers agree after each;
* `others-first`: the opponent's hands can be matched so that the outcomes agree over the cards
  to come.

None of them looks at what the opponent's hands tell *him*. In Rhode Island Hold'em all three
give the 13, 205 and 1,774 buckets that the thesis publishes, whose equilibria lose chips in
the real game; `joint` gives 13, 325 and 7,969 (docs: how-to/lossless-abstraction).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.hands import Classes, Vector, hands_of, levels, numbered
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.games.deal import Deal

READINGS = ("joint", "own-first", "others-first", "counts")


def lossless(deal: Deal, reading: str = "joint") -> tuple[Buckets, Buckets]:
    """The buckets of both players by a reading of what makes hands the same.

    Parameters
    ----------
    deal
        The deal. `others-first` compares single cards: it needs a deal whose hands are all
        distinct (`isomorphism="cards"`).
    reading
        `joint`, which loses nothing, or one of GameShrink's: see the module.

    Examples
    --------
    >>> from saddlepoint.games.poker import rhode_island
    >>> [b.sizes for b in lossless(rhode_island(ranks="234").deal)]
    [(3, 15, 69), (3, 15, 69)]
    """
    if reading not in READINGS:
        raise SettingsError(unknown("reading", reading, READINGS))
    found: Callable[[Deal], list[list[Classes]]] = {
        "joint": _joint,
        "own-first": lambda d: [_own_first(d, player) for player in (1, 2)],
        "others-first": lambda d: [_others_first(d, player) for player in (1, 2)],
        "counts": lambda d: [_counts(d, player) for player in (1, 2)],
    }[reading]
    one, two = (Buckets(tuple(groups), f"lossless:{reading}") for groups in found(deal))
    return one, two


@dataclass(frozen=True)
class _Pairs:
    """Pairs of hands of a round as one player sees them: chances given his hand, and marks."""

    own: Classes
    other: Classes
    chance: Vector
    """Of the pair, in all."""
    mark: Classes
    """What follows from the pair, as a number."""

    @classmethod
    def last(cls, deal: Deal, player: int) -> _Pairs:
        """The pairs of the last round, marked by their outcomes."""
        fold, shown = deal.rounds[-1].fold.entries(), deal.rounds[-1].showdown.entries()
        if player == 2:
            fold, shown = fold.T, shown.T
        gain = np.zeros(len(fold))
        width = fold.shape[1]
        place = np.searchsorted(
            fold.rows * width + fold.columns, shown.rows * width + shown.columns
        )
        gain[place] = shown.values if player == 1 else -shown.values
        return cls(fold.rows, fold.columns, fold.values, levels(gain / fold.values))

    def before(self, up: tuple[Classes, Classes]) -> _Pairs:
        """The pairs of the round before, marked by what follows from each, with which chances."""
        width = int(up[1].max()) + 1
        key, place = np.unique(up[0][self.own] * width + up[1][self.other], return_inverse=True)
        place = place.ravel()
        total: Vector = np.bincount(place, self.chance).astype(np.float64)
        mark = marks(place, self.mark, self.chance / total[place], len(key))
        return _Pairs(key // width, key % width, total, mark)

    def given(self, size: int) -> Vector:
        """The chance of each pair, given the player's hand."""
        return self.chance / np.bincount(self.own, self.chance, size)[self.own]


def marks(of: Classes, kind: Classes, chance: Vector, size: int) -> Classes:
    """Number things by the chances with which kinds of things follow from them.

    Parameters
    ----------
    of, kind, chance
        From thing `of[k]` follows something of kind `kind[k]` with this chance; chances of one
        kind are added up.
    size
        How many things there are.

    Notes
    -----
    Things with equal chances get equal numbers. Others get different ones unless two sums of
    64-bit hashes agree, which has probability 2^-64 for each two of them.

    Examples
    --------
    >>> marks(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 0]), np.array([0.5, 0.5, 1.0, 1.0]), 3)
    array([0, 1, 1])
    """
    kinds = int(kind.max()) + 1
    where, index = np.unique(of * kinds + kind, return_inverse=True)
    value = levels(np.bincount(index.ravel(), chance, len(where)))
    hashed = _mixed(
        (where % kinds).astype(np.uint64) * np.uint64(int(value.max()) + 1)
        + value.astype(np.uint64)
    )
    total = np.zeros(size, np.uint64)
    np.add.at(total, where // kinds, hashed)
    _, found = np.unique(total, return_inverse=True)
    return found.ravel().astype(np.int64)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Well-mixed 64-bit numbers of numbers (the finaliser of SplitMix64)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _joint(deal: Deal) -> list[list[Classes]]:
    pairs = [_Pairs.last(deal, player) for player in (1, 2)]
    chance = [hands_of(deal, player) for player in (1, 2)]
    groups = [[np.zeros(size, np.int64) for size in own.sizes] for own in chance]
    while True:
        refined = []
        for k in (0, 1):
            P, own, last = pairs[k], chance[k], chance[k].last
            found = [
                marks(own.up[r + 1], groups[k][r + 1], own.given(r + 1), own.size(r))
                for r in range(last)
            ]
            seen = numbered(groups[1 - k][last][P.other], P.mark)
            found.append(marks(P.own, seen, P.given(own.size(last)), own.size(last)))
            refined.append(_nested(own.up, groups[k], found))
        if all(
            a.max() == b.max()
            for before, now in zip(groups, refined, strict=True)
            for a, b in zip(before, now, strict=True)
        ):
            return refined
        groups = refined


def _nested(up: Sequence[Classes], *rows: Sequence[Classes]) -> list[Classes]:
    """Buckets of hands that agree in all rows, and in the bucket of the round before."""
    found = [numbered(*(row[0] for row in rows))]
    for r in range(1, len(up)):
        found.append(numbered(found[-1][up[r]], *(row[r] for row in rows)))
    return found


def _counts(deal: Deal, player: int) -> list[Classes]:
    own = hands_of(deal, player)
    return _nested(own.up, [levels(v) for v in own.win], [levels(v) for v in own.lose])


def _own_first(deal: Deal, player: int) -> list[Classes]:
    own = hands_of(deal, player)
    rows = [numbered(levels(own.win[own.last]), levels(own.lose[own.last]))]
    for r in range(own.last, 0, -1):
        rows.insert(0, marks(own.up[r], rows[0], own.given(r), own.size(r - 1)))
    return _nested(own.up, rows)


def _others_first(deal: Deal, player: int) -> list[Classes]:
    if deal.cards is not None and deal.cards.isomorphism != "cards":
        raise SettingsError(
            "the reading others-first compares single cards, found a deal with hands the same up "
            f'to {deal.cards.isomorphism}, expected isomorphism="cards"'
        )
    own, pairs = hands_of(deal, player), _Pairs.last(deal, player)
    rows: list[Classes] = []
    for r in range(own.last, -1, -1):
        rows.insert(0, marks(pairs.own, pairs.mark, pairs.given(own.size(r)), own.size(r)))
        if r:
            up = deal.rounds[r].up
            pairs = pairs.before(up if player == 1 else (up[1], up[0]))
    return _nested(own.up, rows)
