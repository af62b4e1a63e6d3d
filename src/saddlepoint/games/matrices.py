"""Matrix games that are well known, each with its source and what is known of its solution.

Plain functions that return a `MatrixGame`. Expected payoffs are to player 1, who picks
the row.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from saddlepoint.core.errors import SettingsError, SizeError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.games.matrix import MatrixGame

# Games of more entries than this (800 MB) are refused.
MAX_ENTRIES = 100_000_000


def uniform_random(
    rows: int, columns: int, seed: Seed, low: float = -1.0, high: float = 1.0
) -> MatrixGame:
    """Independent payoffs, uniform between `low` and `high`.

    The random games of paper 000, section 6, are 4 by 4 with `low=-1, high=1`.

    >>> uniform_random(4, 4, seed=1).matrix.shape
    (4, 4)
    """
    _sizes(rows=rows, columns=columns)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise SettingsError(f"low is {low} and high is {high}, expected low <= high, both finite")
    matrix = generator(seed).uniform(low, high, (rows, columns))
    spec = _spec("uniform-random", rows=int(rows), columns=int(columns), seed=seed)
    spec["parameters"] |= {"low": low, "high": high}
    # What a generator will draw cannot be told again.
    told = spec if isinstance(seed, int) else {}
    return MatrixGame(matrix, name=f"random {rows} by {columns}", spec=told)


def rock_paper_scissors() -> MatrixGame:
    """Rock, paper, scissors: value 0, all three equally likely.

    >>> rock_paper_scissors().matrix[1]
    array([ 1.,  0., -1.])
    """
    names = ("rock", "paper", "scissors")
    return MatrixGame(
        np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
        names,
        names,
        "rock paper scissors",
        spec=_spec("rock-paper-scissors"),
    )


def matching_pennies() -> MatrixGame:
    """Matching pennies: player 1 wins if the pennies match; value 0, both sides equally likely.

    >>> matching_pennies().matrix.tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    names = ("heads", "tails")
    return MatrixGame(
        np.array([[1, -1], [-1, 1]]),
        names,
        names,
        "matching pennies",
        spec=_spec("matching-pennies"),
    )


def proposition_one(k: float) -> MatrixGame:
    r"""The game in which purification gains k (paper 000, section 5, Figure 2).

    For $k > 0$ its only equilibrium is (D, R), of value -1. Player 2's abstraction to the
    columns L and M has one equilibrium: U and L with probability 1/3, value 2/3. Against
    R, player 1's strategy of the abstraction earns $-k - 1$, and its purification D earns
    -1, which is k more.

    >>> proposition_one(2).matrix[0]
    array([ 2.,  0., -7.])
    """
    if not (math.isfinite(k) and k > 0):
        raise SettingsError(f"k is {k}, expected a finite number above 0")
    return MatrixGame(
        np.array([[2, 0, -3 * k - 1], [0, 1, -1]]),
        ("U", "D"),
        ("L", "M", "R"),
        f"Proposition 1 with k = {k:g}",
        spec=_spec("proposition-one", k=k),
    )


def hide_and_seek(weights: Sequence[float]) -> MatrixGame:
    r"""Player 2 hides in one of several places; player 1 earns its weight if he looks there.

    A diagonal game (T. Ferguson, Game Theory, part II, section 3.3): with positive weights
    both choose place i with probability proportional to $1 / w_i$, and the value is
    $1 / \sum_i 1 / w_i$.

    >>> hide_and_seek([1, 2]).matrix.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    w = [float(weight) for weight in weights]
    _sizes(places=len(w))
    bad = [weight for weight in w if not (math.isfinite(weight) and weight > 0)]
    if bad:
        raise SettingsError(f"a weight is {bad[0]}, expected finite numbers above 0")
    _entries(len(w), len(w))
    spec = _spec("hide-and-seek", weights=w)
    return MatrixGame(np.diag(w), name=f"hide and seek in {len(w)} places", spec=spec)


def blotto(units: int, fields: int) -> MatrixGame:
    """Colonel Blotto: units are divided among battlefields, the larger force wins each.

    The payoff is the battlefields won less those lost (E. Borel, La theorie du jeu et les
    equations integrales a noyau symetrique, 1921). Actions are all divisions into whole
    units, $C(units + fields - 1, fields - 1)$ of them. The game is symmetric: value 0.

    >>> blotto(units=2, fields=2).rows
    ('0-2', '1-1', '2-0')
    """
    _sizes(units=units, fields=fields)
    n = math.comb(units + fields - 1, fields - 1)
    _entries(n, n)
    # A division is a choice of fields - 1 bars among units + fields - 1 places.
    bars = np.array(
        [
            (-1, *chosen, units + fields - 1)
            for chosen in itertools.combinations(range(units + fields - 1), fields - 1)
        ]
    )
    forces = np.diff(bars, axis=1) - 1
    matrix = np.zeros((n, n))
    for field_ in range(fields):
        matrix += np.sign(np.subtract.outer(forces[:, field_], forces[:, field_]))
    names = tuple("-".join(map(str, force)) for force in forces)
    spec = _spec("blotto", units=int(units), fields=int(fields))
    return MatrixGame(matrix, names, names, f"Blotto {units} on {fields}", spec=spec)


def morra(fingers: int) -> MatrixGame:
    """Morra: both show fingers and guess the other's; who alone is right wins the sum shown.

    V. Chvatal, Linear Programming (1983), chapter 15. The game is symmetric: value 0. With
    two fingers it is optimal to mix "1 guess 2" and "2 guess 1", the first with any
    probability from 4/7 to 3/5.

    >>> morra(2).rows
    ('1 guess 1', '1 guess 2', '2 guess 1', '2 guess 2')
    """
    _sizes(fingers=fingers)
    _entries(fingers**2, fingers**2)
    shown, guess = (a.ravel() for a in np.indices((fingers, fingers)) + 1)
    right = np.equal.outer(guess, shown).astype(float)  # row i guesses what column j shows
    matrix = (right - right.T) * np.add.outer(shown, shown)
    names = tuple(f"{s} guess {g}" for s, g in zip(shown, guess, strict=True))
    spec = _spec("morra", fingers=int(fingers))
    return MatrixGame(matrix, names, names, f"Morra with {fingers} fingers", spec=spec)


def _spec(game: str, **parameters: Any) -> dict[str, Any]:
    """A spec as the catalogue reads it, where games of several words have hyphens."""
    return {"game": game, "parameters": parameters}


def _sizes(**sizes: int) -> None:
    for key, size in sizes.items():
        if not isinstance(size, int | np.integer) or size < 1:
            raise SettingsError(f"{key} is {size}, expected a whole number of at least 1")
    if {"rows", "columns"} <= sizes.keys():
        _entries(sizes["rows"], sizes["columns"])


def _entries(rows: int, columns: int) -> None:
    if rows * columns > MAX_ENTRIES:
        raise SizeError(
            f"a matrix of {rows:,} by {columns:,} payoffs takes {rows * columns * 8 / 1e9:,.1f} "
            f"GB; at most {MAX_ENTRIES:,} payoffs are made"
        )
