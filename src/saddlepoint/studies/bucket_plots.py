"""Plots of buckets: how strong the hands are that share one."""

from __future__ import annotations

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.hands import hands_of
from saddlepoint.studies.plots import Plot


def bucket_plot(pair: AbstractGame, round_: int, player: int = 1) -> Plot:
    """Mean, least and greatest strength of a round's buckets, ordered by the mean.

    Buckets stand on the x axis with their probability, so that a wide step is a likely one.

    Examples
    --------
    >>> from saddlepoint.abstraction.shrink import shrink
    >>> from saddlepoint.games.poker import leduc
    >>> sorted(bucket_plot(shrink(leduc(), cards="JQ.K"), 1).series)
    ['greatest', 'least', 'mean']
    """
    hands, group = hands_of(pair.real.deal, player), pair.groups[player - 1][round_]
    weight, strength = hands.weight[round_], hands.strength(round_)
    mass = np.bincount(group, weight)
    mean = np.bincount(group, weight * strength) / mass
    low, high = np.full(len(mass), np.inf), np.full(len(mass), -np.inf)
    np.minimum.at(low, group, strength)
    np.maximum.at(high, group, strength)
    order = np.argsort(mean, kind="stable")
    ends = np.cumsum(mass[order])
    x = np.column_stack([ends - mass[order], ends]).ravel()
    return Plot(
        title=f"{pair.game.name}: round {round_ + 1}, {len(mass)} buckets of {len(group)} hands",
        x="share of hands, by strength of their bucket",
        y="wins + draws / 2",
        series={
            name: (x, np.repeat(values[order], 2))
            for name, values in (("greatest", high), ("mean", mean), ("least", low))
        },
    )
