"""The order of the signals of an ordered game, and the check that utilities increase in it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import shown
from saddlepoint.core.errors import RulesError
from saddlepoint.games.signal_deals import text_of

if TYPE_CHECKING:
    from saddlepoint.games.signals import OrderedGame, Revealed

Integers = NDArray[np.int64]
# Utilities may fall by so much in a better signal, as a part of the largest one.
TOLERANCE = 1e-9


def ranks(game: OrderedGame, round_: int) -> Integers:
    """The rank of each of `game.informations(round_)`, from 0 among those with equal public ones.

    Raises
    ------
    RulesError
        If there is no order, or if two ranks cannot be compared.
    """
    if game.rank is None:
        raise RulesError(f"{game.name} has no order: expected a rank")
    told = game.informations(round_)
    places: dict[Revealed, list[int]] = {}
    keys = []
    for k, (public, private) in enumerate(told):
        keys.append(game.rank(public, private))
        places.setdefault(public, []).append(k)
    found = np.zeros(len(told), np.int64)
    for group in places.values():
        try:
            order = sorted(group, key=keys.__getitem__)
            for number, (_, equal) in enumerate(groupby(order, key=keys.__getitem__)):
                found[list(equal)] = number
        except TypeError:
            raise RulesError(
                f"the ranks of {text_of(*told[group[0]])} and others cannot be compared: "
                f"{shown([keys[k] for k in group])}"
            ) from None
    return found


def check_order(game: OrderedGame) -> None:
    """Check condition 9 of Definition 5; see `OrderedGame.check_order`."""
    for k, end in enumerate(game.actions.ends):
        node = game.actions.nodes[end]
        for player in range(1, game.players + 1):
            u = game.payoffs[k, :, player - 1]
            if u.min() == u.max():
                continue
            after = f"after '{game.actions.name(node.path)}'"
            if game.rank is None:
                raise RulesError(
                    f"the utility of player {player} {after} depends on signals (from "
                    f"{u.min():g} to {u.max():g}) but there is no order: expected a rank"
                )
            _check_end(game, player, node.round, u, after)


def _check_end(
    game: OrderedGame, player: int, round_: int, u: NDArray[np.float64], after: str
) -> None:
    """Compare the deals that differ only in the private signals of one player."""
    deals = game.deals
    own = deals.information(player, round_)
    rank = game.ranks(round_)[own]
    rest = deals.groups(
        [
            k
            for k, level in enumerate(deals.levels)
            if level.round <= round_ and level.player != player
        ]
    )
    order = np.lexsort((u, rank, rest))
    rest, rank, own, u = rest[order], rank[order], own[order], u[order]
    slack = TOLERANCE * max(1.0, float(np.abs(u).max()))
    same = rest[1:] == rest[:-1]
    step = np.diff(u)
    # Sorted by utility among equals: a rise there is as wrong as a fall elsewhere.
    bad = same & np.where(rank[1:] == rank[:-1], step > slack, step < -slack)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        told = game.informations(round_)
        worse, better = text_of(*told[own[at]]), text_of(*told[own[at + 1]])
        others = _others(game, player, round_, int(order[at]))
        relation = "is as good as" if rank[at] == rank[at + 1] else "is worse than"
        raise RulesError(
            f"the utility of player {player} {after} does not increase in his signals: "
            f"{worse} {relation} {better}, but pays {u[at]:g} and not {u[at + 1]:g} where "
            f"{others}"
        )


def _others(game: OrderedGame, player: int, round_: int, deal: int) -> str:
    """What the others are told in a deal."""
    told = game.informations(round_)
    return (
        ", ".join(
            f"player {i} is told {text_of(*told[int(game.deals.information(i, round_)[deal])])}"
            for i in range(1, game.players + 1)
            if i != player
        )
        or "nobody else plays"
    )
