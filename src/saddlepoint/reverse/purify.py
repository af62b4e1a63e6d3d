r"""Purification, thresholding and their kin: strategies with fewer or rounder probabilities.

An equilibrium of an abstraction is finely tuned to it. Rounding its probabilities keeps
what is likely to carry over to the real game (paper 000, section 3). For the
probabilities $\sigma(a)$ of one information set, every action by itself:

* **purification** plays the likeliest actions, and all of those that tie for it equally;
* **thresholding** drops actions with $\sigma(a) < \varepsilon$ and renormalises the rest;
* the **k likeliest** actions equally, and rounding to a **grid** of multiples of $1/m$, are
  ideas of section 10.

Mixed strategies of matrix games are the case of one information set. Information sets
that the player's own play never reaches are treated as all others are.

Where this differs from the paper: its Algorithm 1 leaves nothing to normalise where the
threshold is above every probability. There the likeliest actions stay, so that every
threshold above a half is purification. Ties are a matter of rounding errors in what a
solver returns: probabilities that differ by at most `TIE` are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.sequence.treeplex import Treeplex

Vector = NDArray[np.float64]

# Probabilities that differ by no more are tied.
TIE = 1e-9


def purify(strategy: Strategy, tie: float = TIE) -> Strategy:
    """Play only the likeliest actions, those that tie equally.

    >>> from saddlepoint.sequence.form import matrix_form
    >>> X = matrix_form(np.zeros((3, 2))).X
    >>> purify(Strategy(X, [1.0, 0.4, 0.2, 0.4]))["row"]
    {'1': 0.5, '2': 0.0, '3': 0.5}
    """
    return most_likely(strategy, 1, tie)


def threshold(strategy: Strategy, epsilon: float, tie: float = TIE) -> Strategy:
    """Drop actions less likely than epsilon and renormalise; the likeliest ones always stay.

    >>> from saddlepoint.sequence.form import matrix_form
    >>> X = matrix_form(np.zeros((3, 2))).X
    >>> threshold(Strategy(X, [1.0, 0.2, 0.2, 0.6]), 0.25)["row"]
    {'1': 0.0, '2': 0.0, '3': 1.0}
    """
    if not 0.0 <= epsilon <= 1.0:
        raise SettingsError(f"threshold is {epsilon}, expected a number between 0 and 1")
    s, greatest = strategy.probabilities, _greatest(strategy)
    kept = (s >= epsilon) | ((greatest < epsilon) & (s >= greatest - tie))
    return _renormalised(strategy, np.where(kept, s, 0.0))


def most_likely(strategy: Strategy, k: int, tie: float = TIE) -> Strategy:
    """Play the k likeliest actions equally, and all that tie with the last of them.

    Actions of probability zero are not played, even if there are fewer than k others.
    """
    if k < 1:
        raise SettingsError(f"k is {k}, expected at least 1")
    s, infoset = strategy.probabilities, strategy.treeplex.flat.infoset
    order = np.lexsort((-s, infoset))
    # Within an information set, the place of a sequence from the likeliest on.
    first = np.searchsorted(infoset[order], infoset[order])
    last = np.minimum(first + k - 1, np.searchsorted(infoset[order], infoset[order], "right") - 1)
    least = np.empty_like(s)
    least[order] = s[order][last]
    kept = (s >= least - tie) & (s > tie)
    return _renormalised(strategy, kept.astype(np.float64))


def round_to_grid(strategy: Strategy, parts: int) -> Strategy:
    """Round probabilities to multiples of 1 / parts, so that they still sum to 1.

    Every probability is rounded down, and what is missing goes to those that lost most
    (the method of largest remainders; of equal losses the first action's counts).

    >>> from saddlepoint.sequence.form import matrix_form
    >>> X = matrix_form(np.zeros((3, 2))).X
    >>> round_to_grid(Strategy(X, [1.0, 0.55, 0.31, 0.14]), 4)["row"]
    {'1': 0.5, '2': 0.25, '3': 0.25}
    """
    if parts < 1:
        raise SettingsError(f"parts is {parts}, expected at least 1")
    plex, s = strategy.treeplex, strategy.probabilities * parts
    down = np.floor(s + TIE)
    infoset = plex.flat.infoset
    missing = np.rint(parts - _sums(plex, down))
    order = np.lexsort((np.arange(len(s)), -np.round(s - down, 12), infoset))
    place = np.empty(len(s), np.int64)
    place[order] = np.arange(len(s)) - np.searchsorted(infoset[order], infoset[order])
    return _renormalised(strategy, down + (place < missing))


def _greatest(strategy: Strategy) -> Vector:
    """For each sequence, the greatest probability in its information set."""
    plex, s = strategy.treeplex, strategy.probabilities
    found = np.zeros(plex.n_infosets)
    np.maximum.at(found, plex.flat.infoset[1:], s[1:])
    return np.concatenate([[1.0], found[plex.flat.infoset[1:]]])


def _sums(plex: Treeplex, weights: Vector) -> Vector:
    """For each sequence, the sum over its information set."""
    return np.concatenate([[1.0], plex.sums(weights)[plex.flat.infoset[1:]]])


def _renormalised(strategy: Strategy, weights: Vector) -> Strategy:
    plex = strategy.treeplex
    s = weights / _sums(plex, weights)
    s[0] = 1.0
    return Strategy(plex, s, strategy.player)
