r"""Random matrix games with an abstraction that leaves actions out: what purification does.

A trial draws an m by m game of independent uniform payoffs, takes away all but the first
few rows and columns, and solves both. Player 1 takes his equilibrium strategy
$\sigma_1^A$ of the abstraction to the full game, as it is and purified, against player 2's
equilibrium strategy $\sigma_2^F$ of the full game (paper 000, section 6.1).

Such games have one equilibrium with probability 1, so no solver's choice matters.

Trials come in batches of `BATCH` games, each with a stream of the seed that is named after
its number and each a kept step. So results depend on the seed and the number of games only,
a shorter run sees the first games of a longer one, and a run that was interrupted goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from saddlepoint.core.errors import SettingsError
from saddlepoint.core.seeds import derived
from saddlepoint.solvers.many import LARGEST
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.tally import COUNTS, SUMS, tally

Actions = tuple[int, ...]

BATCH = 100_000
# The 97.5 % quantile of the normal distribution.
NORMAL = 1.959963984540054


class Mean(NamedTuple):
    """A mean over independent trials, and half of its 95 % interval."""

    value: float
    half: float

    @classmethod
    def of_sums(cls, count: int, total: float, squares: float) -> Mean:
        """The mean of so many numbers with this sum and this sum of squares.

        >>> Mean.of_sums(4, 2.0, 4.0)
        Mean(value=0.5, half=0.9799...)
        """
        if count == 0:
            return cls(math.nan, math.inf)
        if count == 1:
            return cls(total, math.inf)
        variance = max(squares - total * total / count, 0.0) / (count - 1)
        return cls(total / count, NORMAL * math.sqrt(variance / count))

    @property
    def sign(self) -> int:
        """1 or -1 if the interval lies above or below zero, else 0."""
        return int(self.value - self.half > 0) - int(self.value + self.half < 0)


@dataclass(frozen=True)
class Supported:
    """The trials in which the full equilibrium has one pair of supports.

    Parameters
    ----------
    rows, columns
        The actions that the players use, counted from 1.
    games
        How many games have this pair.
    total, squares
        What purification gains in them, summed, and the sum of its squares.
    """

    rows: Actions
    columns: Actions
    games: int
    total: float
    squares: float

    @property
    def gain(self) -> Mean:
        """What purification gains in such a game."""
        return Mean.of_sums(self.games, self.total, self.squares)


@dataclass(frozen=True)
class Trials:
    """What came out.

    Parameters
    ----------
    size, abstract
        Rows and columns of the games, and of their abstractions.
    drawn, games
        Games that were drawn, and those of them that count.
    purified, unpurified, gain
        Player 1's mean payoffs, and the mean of their difference, game by game.
    improved, worse, unchanged
        In how many games purification made what difference.
    supports
        The same by the pair of supports of the full equilibrium.
    """

    size: int
    abstract: int
    drawn: int
    games: int
    purified: Mean
    unpurified: Mean
    gain: Mean
    improved: int
    worse: int
    unchanged: int
    supports: tuple[Supported, ...]

    def percent(self, count: int) -> Mean:
        """A count as a percentage of the games, with half of its 95 % interval."""
        mean = Mean.of_sums(self.games, count, count)
        return Mean(100 * mean.value, 100 * mean.half)

    def to_dict(self) -> dict[str, Any]:
        """The totals as plain data."""
        keys = ("size", "abstract", "drawn", *COUNTS)
        plain: dict[str, Any] = {key: getattr(self, key) for key in keys}
        for name in SUMS:
            mean: Mean = getattr(self, name)
            plain |= {name: mean.value, f"{name}_half": mean.half}
        return plain


def random_games(
    kitchen: Kitchen,
    games: int,
    size: int = 4,
    abstract: int = 3,
    low: float = -1.0,
    high: float = 1.0,
    seed: int | None = None,
    skip_pure: bool = False,
) -> Trials:
    """Compare purified with unpurified abstract strategies in random games.

    Parameters
    ----------
    kitchen
        Keeps the batches.
    games
        Games to draw.
    size, abstract
        Rows and columns of the games, and how many the abstraction leaves.
    low, high
        Payoffs are uniform between them.
    seed
        That of the kitchen if there is none.
    skip_pure
        Leave out games whose abstraction has a pure equilibrium.

    Notes
    -----
    About 2.5 microseconds for each 4 by 4 game.

    Examples
    --------
    >>> import tempfile
    >>> from saddlepoint.studies.keep import Keeper
    >>> found = random_games(Kitchen(Keeper(tempfile.mkdtemp())), 2000)
    >>> found.improved + found.worse + found.unchanged
    2000
    """
    seed = kitchen.seed if seed is None else seed
    _check(games, size, abstract, low, high)
    batches, batches_of = [], -(-games // BATCH)
    for batch in range(batches_of):
        count = min(BATCH, games - batch * BATCH)
        settings = {"size": size, "abstract": abstract, "low": low, "high": high, "seed": seed}
        key = settings | {"skip_pure": skip_pure, "batch": batch, "games": count}

        def compute(batch: int = batch, count: int = count) -> dict[str, Any]:
            rng = derived(seed, "games", batch)
            return tally(rng.uniform(low, high, (count, size, size)), abstract, skip_pure)

        text = f"random games of {size} by {size}: batch {batch + 1} of {batches_of}"
        batches.append(kitchen.step("random-games", key, compute, text))
    return _together(batches, size, abstract, games)


def _check(games: int, size: int, abstract: int, low: float, high: float) -> None:
    if games < 1:
        raise SettingsError(f"games is {games}, expected at least 1")
    if not 1 <= abstract <= size <= LARGEST:
        raise SettingsError(
            f"size is {size} and abstract {abstract}, expected 1 <= abstract <= size <= {LARGEST}"
        )
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise SettingsError(f"low is {low} and high is {high}, expected low <= high, both finite")


def _together(batches: list[dict[str, Any]], size: int, abstract: int, drawn: int) -> Trials:
    """Add batches up, in their order."""
    counts: dict[str, Any] = {name: sum(batch[name] for batch in batches) for name in COUNTS}
    means: dict[str, Any] = {
        name: Mean.of_sums(counts["games"], *(sum(b[name][k] for b in batches) for k in (0, 1)))
        for name in SUMS
    }
    return Trials(
        size=size,
        abstract=abstract,
        drawn=drawn,
        **counts,
        **means,
        supports=_supports(batches, size),
    )


def _supports(batches: list[dict[str, Any]], size: int) -> tuple[Supported, ...]:
    joined = [
        np.concatenate([batch[f"code{part}"] for batch in batches])
        for part in ("s", "_games", "_sums", "_squares")
    ]
    codes, place = np.unique(joined[0], return_inverse=True)
    games, sums, squares = (np.bincount(place, part, len(codes)) for part in joined[1:])
    found = [
        Supported(
            rows=_actions(int(code) >> size),
            columns=_actions(int(code) & ((1 << size) - 1)),
            games=int(n),
            total=float(total),
            squares=float(square),
        )
        for code, n, total, square in zip(codes, games, sums, squares, strict=True)
    ]
    return tuple(sorted(found, key=lambda s: (len(s.rows), s.rows, s.columns)))


def _actions(bits: int) -> Actions:
    return tuple(k + 1 for k in range(LARGEST) if bits >> k & 1)
