"""Betting trees times deals as something to step along, for solvers that sample."""

from __future__ import annotations

from functools import partial

import numpy as np

from saddlepoint.games.betting_moves import SHOWDOWN
from saddlepoint.games.draws import pairs_of
from saddlepoint.games.factored import Factored
from saddlepoint.sequence.form import LEAF
from saddlepoint.sequence.stepping import SteppedForm, Steps


def stepped(factored: Factored, scale: float = 1.0) -> SteppedForm:
    """The sequence form of a betting tree times a deal, with steps.

    Parameters
    ----------
    factored
        The sequence form, with the places of betting and cards in it.
    scale
        Chips in a unit of the betting tree.

    Examples
    --------
    >>> from saddlepoint.games.poker import kuhn
    >>> steps = stepped(kuhn().factored).steps
    >>> steps.mover.tolist(), len(steps.one)
    ([1, 2, 2, -1, 1, -1, -1, -1, -1], 7)
    """
    return SteppedForm.of(factored.form, partial(steps_of, factored, scale))


def steps_of(factored: Factored, scale: float) -> Steps:
    """The steps of a betting tree times a deal.

    One pair is drawn for each round. Time and memory O(betting nodes + pairs of all rounds).
    """
    tree, pairs = factored.tree, pairs_of(factored.deal)
    mover = np.where(tree.mover > 0, tree.mover, LEAF).astype(np.int64)
    child, children = tree.child.astype(np.int64), tree.children.astype(np.int64)
    row, step, stride = np.zeros((3, len(tree)), np.int64)
    for player, at in enumerate(factored.places, 1):
        nodes = np.flatnonzero(mover == player)
        below = child[nodes]
        row[nodes], stride[nodes] = at.row[below], at.stride[below]
        step[nodes] = at.row[below + np.minimum(1, children[nodes] - 1)] - at.row[below]
    return Steps(
        mover=mover,
        child=child,
        children=children,
        depth=tree.round.astype(np.int64) + 1,
        likely=np.ones(len(tree)),
        row=row,
        step=step,
        stride=stride,
        payoff=tree.payoff() * scale,
        shown=tree.mover == SHOWDOWN,
        first=pairs.first,
        upto=pairs.upto,
        one=pairs.one,
        two=pairs.two,
        seen1=pairs.one,
        seen2=pairs.two,
        outcome=pairs.outcome,
    )
