r"""Samples of the chance moves of a game: the same strategies, fewer entries in the payoffs.

The payoff matrix of a game is a sum over all ways $\theta$ that chance can move, and a sample
$\tilde\Theta$ of them gives (thesis 003, section 9.2)

$$A y = \sum_\theta A_\theta y \approx \sum_{\theta \in \tilde\Theta} z_\theta A_\theta y.$$

Here $\theta$ is a pair of classes in the last round, and with it the pairs of the rounds before
from which it follows: matrices of earlier rounds are those of the sampled pairs, added up, so
that what is dealt in one round goes with what is dealt in the next. Of N pairs $\lceil p N
\rceil$ are drawn without replacement, pair $\theta$ with probability
$\pi_\theta = \min(1, c P_\theta)$ in proportion to its own, where c makes them as many as are
wanted, and $z_\theta = 1 / \pi_\theta$. Then both hold that one could want: the sampled
probabilities add up to 1, as the thesis asks, in every sample; and the expectation over samples
is the game. The thesis does not say how it draws; drawn evenly, pairs could have one or the
other, but not both.

They are drawn systematically (Madow 1949): pairs stand in a random order on a line, each as
long as its probability to be drawn, and those are taken that points at distances of 1 from
each other hit.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.games.deal import Deal
from saddlepoint.games.draws import Pairs, pairs_of
from saddlepoint.games.factored import factored_form
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import SparseDeal

Vector = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Sampler:
    """Draws samples of one game, whose pairs are listed once.

    Parameters
    ----------
    game
        The game; all pairs of all rounds are written out.
    """

    def __init__(self, game: FactoredGame) -> None:
        self.game, self.form, self.deal = game, game.sequence_form(), game.deal
        self.pairs = pairs_of(self.deal)
        sizes = [len(self.deal.joint(r)) for r in range(len(self.deal.rounds))]
        self.begin = np.concatenate([[1], 1 + np.cumsum(sizes)]).astype(np.int64)
        self.above = _above(self.pairs)
        self.probability = self._probabilities()

    def _probabilities(self) -> Vector:
        """The probability of every pair of the last round."""
        pairs, joint = self.pairs, self.deal.joint(len(self.deal.rounds) - 1)
        here = slice(self.begin[-2], self.begin[-1])
        keys = joint.rows * joint.shape[1] + joint.columns
        wanted = pairs.one[here] * joint.shape[1] + pairs.two[here]
        found: Vector = joint.values[np.searchsorted(keys, wanted)]
        return found

    def __call__(self, proportion: float, seed: Seed) -> SequenceForm:
        """A sample: see `sampled`."""
        if not 0.0 < proportion <= 1.0:
            raise SettingsError(f"proportion is {proportion}, expected above 0 and up to 1")
        if proportion == 1.0:
            return self.form
        rng = generator(seed)
        order = rng.permutation(len(self.probability))
        weight = weights(self.probability, proportion, order, float(rng.random()))
        form = self.form_of(weight)
        name = f"{self.game.name}, {proportion:.4g} of its deals"
        return replace(form, name=name)

    def form_of(self, weight: Vector) -> SequenceForm:
        """The game in which the pairs of the last round have these probabilities."""
        game = self.game
        small = factored_form(
            game.tree,
            self.deal_of(weight),
            name=game.name,
            spec=game.spec,
            unit=game.unit,
            scale=game.scale,
            less=game.less,
            sources=game.sources,
        )
        f = self.form
        return SequenceForm(f.X, f.Y, small.form.A, f.spec, f.name, f.unit, f.sources)

    def deal_of(self, weight: Vector) -> Deal:
        """The deal in which the pairs of the last round have these probabilities."""
        rounds = []
        for r in range(len(self.deal.rounds) - 1, -1, -1):
            here = slice(self.begin[r], self.begin[r + 1])
            shape = (self.deal.classes(1, r), self.deal.classes(2, r))
            at = self.pairs.one[here], self.pairs.two[here]
            fold = SparseDeal(Entries.of(shape, *at, weight))
            showdown = SparseDeal(Entries.of(shape, *at, weight * self.pairs.outcome[here]))
            rounds.append(replace(self.deal.rounds[r], fold=fold, showdown=showdown))
            if r:
                before = self.begin[r] - self.begin[r - 1]
                above = self.above[here] - self.begin[r - 1]
                weight = np.bincount(above, weight, before).astype(np.float64)
        return replace(self.deal, rounds=tuple(rounds[::-1]), cards=None)


def sampled(game: FactoredGame, proportion: float, seed: Seed) -> SequenceForm:
    """A game of which chance deals a sample.

    Parameters
    ----------
    game
        The game.
    proportion
        The part p of the pairs of the last round that are kept, above 0; 1 is the game itself.
    seed
        Of the sample.

    Returns
    -------
    SequenceForm
        With the treeplexes of the game, so that strategies of the one are strategies of the
        other. Its matrices are tables: a game of cards, whose products cost O(hands), has a
        cheaper product only where p is small.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> game = leduc()
    >>> half = sampled(game, 0.5, seed=1)
    >>> half, half.fingerprint == game.sequence_form().fingerprint
    (<SequenceForm leduc, 0.5 of its deals: 337 and 337 sequences>, True)
    """
    return Sampler(game)(proportion, seed)


def _above(pairs: Pairs) -> Numbers:
    """The pair before each pair."""
    above = np.zeros(len(pairs.one), np.int64)
    above[1:] = np.repeat(np.arange(len(pairs.one)), np.diff(pairs.first))
    return above


def weights(probability: Vector, proportion: float, order: Numbers, u: float) -> Vector:
    """What sampled pairs count, 0 for the others: O(pairs), and once more for each certain one.

    Parameters
    ----------
    probability
        Of every pair.
    proportion
        The part of the pairs that are drawn.
    order
        The order in which pairs stand on the line.
    u
        Where the first point is, in [0, 1).

    Examples
    --------
    >>> P = np.array([0.5, 0.2, 0.2, 0.1])
    >>> weights(P, 0.5, np.arange(4), 0.3)
    array([0.5, 0.5, 0. , 0. ])
    """
    many = math.ceil(proportion * len(probability))
    weight = probability.copy()
    certain = np.zeros(len(probability), bool)
    while True:  # those that would be drawn more than once are drawn for certain
        left, total = many - int(certain.sum()), float(probability[~certain].sum())
        if left == 0 or total == 0.0:
            break
        more = ~certain & (left * probability >= total * (1.0 - 1e-12))
        if not more.any():
            break
        certain |= more
    rest = order[~certain[order]]
    weight[rest] = 0.0
    if left > 0 and len(rest):
        line = np.cumsum(probability[rest]) * (left / total)
        hit = np.searchsorted(line, u + np.arange(left), side="right")
        weight[rest[np.minimum(hit, len(rest) - 1)]] = total / left
    return weight
