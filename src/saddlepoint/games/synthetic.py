r"""Synthetic games of any size: betting times buckets that are dealt by dense random tables.

The deal of an abstracted game is a table of pairs of buckets. For timing and for memory it
matters how large and how dense the tables are, and not which cards they come from. Here
the probabilities of the last round are drawn, and earlier rounds are their sums,

$$B_r[i, j] = \sum_{k \in C(i)} \sum_{l \in C(j)} B_{r+1}[k, l],$$

with the buckets $C(i)$ into which bucket i parts, so that nobody forgets and chance is
consistent. The instance 'Texas' of thesis 003 (Table 8.1, chapter 10) has the betting of
limit hold'em and buckets 10-150-750-3750; its buckets are not published, their numbers and
the size of its program are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import wholes
from saddlepoint.core.errors import RulesError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.games.betting import BettingRules
from saddlepoint.games.deal import Deal, Round
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.payoff import DenseDeal

Table = NDArray[np.float64]

TEXAS_BETTING = BettingRules(
    rounds=4,
    blinds=(1, 2),
    first=(1, 2, 2, 2),
    bets=(2, 2, 4, 4),
    max_bets=4,
    max_bets_by_round=(4, 3, 3, 3),
)
TEXAS_BUCKETS = (10, 150, 750, 3750)
# Probabilities before they are divided by their sum: none is near zero.
LEAST_WEIGHT, MOST_WEIGHT = 0.5, 1.5


def synthetic(betting: BettingRules, buckets: Sequence[int], seed: int = 0) -> FactoredGame:
    """The game of some betting over random buckets, which both players have equally many of.

    Bucket k of a round belongs to bucket floor(k n / m) of the round before, of n for m. Pairs
    of last buckets have random probabilities, and an expected outcome of a showdown that is
    uniform between a sure loss and a sure win. O(product of the last buckets) time and memory.

    Parameters
    ----------
    betting
        The betting rules.
    buckets
        How many buckets both players tell apart in each round; no fewer than the round before.
    seed
        Of the random tables.

    Raises
    ------
    RulesError
        If there is not one number of buckets for each round, or if numbers decrease.

    Examples
    --------
    >>> game = synthetic(BettingRules(ante=1, rounds=2, bets=(1, 2), max_bets=2), (2, 6))
    >>> game.sequence_form().A
    <PayoffOperator 225 by 225: DenseDeal, DenseDeal, DenseDeal>
    """
    buckets = wholes("buckets", buckets, 1, error=RulesError)
    if len(buckets) != betting.rounds:
        raise RulesError(
            f"buckets are {buckets}, expected a number for each of {betting.rounds} rounds"
        )
    if list(buckets) != sorted(buckets):
        raise RulesError(
            f"buckets are {buckets}, expected no fewer than in the round before: nobody forgets"
        )
    name = "-".join(map(str, buckets))
    spec: Mapping[str, Any] = {
        "synthetic": {"betting": asdict(betting), "buckets": list(buckets), "seed": seed}
    }
    facts = {"bets": f"{betting.rounds} rounds over {name} random buckets"}
    return FactoredGame(
        name=f"synthetic {name}",
        spec=spec,
        betting=betting,
        dealer=lambda: random_deal(buckets, seed),
        facts=facts,
        sources=("gilpin2009",),
    )


def texas(buckets: Sequence[int] = TEXAS_BUCKETS, seed: int = 0) -> FactoredGame:
    """The instance 'Texas' of thesis 003 in size, or with fewer buckets.

    >>> from saddlepoint.games.program_size import program_shape
    >>> game = texas()
    >>> print(program_shape(game.betting, TEXAS_BUCKETS))
    18,536,842 rows by 18,536,852 columns
    """
    return synthetic(TEXAS_BETTING, buckets, seed)


def random_deal(buckets: Sequence[int], seed: Seed = 0) -> Deal:
    """Random dense tables of pairs of buckets, consistent from round to round.

    >>> deal = random_deal((2, 5))
    >>> deal.rounds[1].up[0]
    array([0, 0, 0, 1, 1])
    """
    rng, last = generator(seed), buckets[-1]
    pairs = rng.uniform(LEAST_WEIGHT, MOST_WEIGHT, (last, last))
    pairs /= pairs.sum()
    outcomes = rng.uniform(-1.0, 1.0, (last, last))
    outcomes *= pairs
    rounds: list[Round] = []
    for r in range(len(buckets) - 1, -1, -1):
        count = buckets[r]
        above = buckets[r - 1] if r > 0 else 1
        up = np.arange(count) * above // count
        names = [str(k) for k in range(count)]
        fold, showdown = DenseDeal(pairs), DenseDeal(outcomes)
        rounds.append(Round((names, names), (up, up), fold, showdown, count * count))
        pairs, outcomes = _summed(pairs, up), _summed(outcomes, up)
    rounds.reverse()
    return Deal(tuple(rounds), (buckets[0], buckets[0] ** 2), "random buckets")


def _summed(table: Table, up: NDArray[np.int64]) -> Table:
    """Sums over the buckets that belong to the same one of the round before, of both players."""
    first = np.flatnonzero(np.diff(up, prepend=-1))
    rows: Table = np.add.reduceat(table, first, axis=0)
    summed: Table = np.add.reduceat(rows, first, axis=1)
    return summed
