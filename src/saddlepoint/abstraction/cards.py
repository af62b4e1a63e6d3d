"""Card groups such as `JQ.K`: what a player sees of his cards in an abstraction by hand.

A text lists groups of ranks, divided by dots (paper 000, section 7.1). Before the board a
player sees the group of his card and no more; then he also sees whether the board pairs
it. `full` is every card with the whole board. Two texts, one for each player, make an
asymmetric abstraction: `J.Q.K-JQ.K`.

Note that `J.Q.K` is not `full`: it does not see which card an unpaired board shows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame, Classes, Grouping, check_recall
from saddlepoint.core.errors import RulesError
from saddlepoint.games.deal import Deal, Round
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.payoff import DealMatrix, SparseDeal

FULL = "full"
Names = list[list[str]]


def grouped(game: FactoredGame, first: str, second: str | None = None) -> AbstractGame:
    """A game in which the players see groups of cards.

    Parameters
    ----------
    game
        A game whose hands have ranks: one private card and a board.
    first, second
        What players 1 and 2 see, such as `JQ.K` or `full`; `first-second` in one text, or
        one text for both.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> small = grouped(leduc(), "JQ.K-J.Q.K")
    >>> [list(r.names[0]) for r in small.game.deal.rounds]
    [['JQ', 'K'], ['JQ|no pair', 'JQ|pair', 'K|no pair', 'K|pair']]
    """
    if second is None:
        first, dash, second = first.partition("-")
        second = second if dash else first
    seen = (_Groups(game.deal, 1, first), _Groups(game.deal, 2, second))
    deal = coarse(game.deal, (seen[0].grouping, seen[1].grouping), (seen[0].names, seen[1].names))
    text = f"{first}-{second}"
    small = replace(
        game,
        name=f"{game.name} seen as {text}",
        spec={"cards": text, "of": dict(game.spec)},
        dealer=lambda: deal,
        facts={**game.facts, "hands": f"groups {first} for player 1, {second} for player 2"},
    )
    return AbstractGame(game, small, (seen[0].grouping, seen[1].grouping))


def coarse(deal: Deal, groups: tuple[Grouping, Grouping], names: tuple[Names, Names]) -> Deal:
    """The deal in which hands of a group are one class: its pairs have their sums.

    Raises
    ------
    RecallError
        If a player would forget his cards.
    """
    for player in (1, 2):
        check_recall(deal, player, groups[player - 1], names[player - 1])
    rounds = []
    for r, here in enumerate(deal.rounds):
        both = groups[0][r], groups[1][r]
        up = tuple(_up(deal, player, r, groups[player - 1]) for player in (1, 2))
        rounds.append(
            Round(
                (names[0][r], names[1][r]),
                (up[0], up[1]),
                _summed(here.fold, both),
                _summed(here.showdown, both),
                here.deals,
            )
        )
    return Deal(tuple(rounds), deal.chance, "groups of hands")


def _summed(matrix: DealMatrix, groups: tuple[Classes, Classes]) -> SparseDeal:
    """The matrix over pairs of groups."""
    E, (one, two) = matrix.entries(), groups
    shape = (int(one.max()) + 1, int(two.max()) + 1)
    return SparseDeal(Entries.of(shape, one[E.rows], two[E.columns], E.values))


def _up(deal: Deal, player: int, r: int, grouping: Grouping) -> Classes:
    up = np.zeros(int(grouping[r].max()) + 1, np.int64)
    if r > 0:
        up[grouping[r]] = grouping[r - 1][deal.rounds[r].up[player - 1]]
    return up


class _Groups:
    """What one player sees: a class for each hand of each round, and the classes' names."""

    def __init__(self, deal: Deal, player: int, text: str) -> None:
        hands = [list(r.names[player - 1]) for r in deal.rounds]
        if text == FULL:
            self.names: Names = hands
        else:
            parts = text.split(".")
            ranks = sorted({name[0] for name in hands[0]})
            if sorted("".join(parts)) != ranks or "" in parts:
                raise RulesError(
                    f"card groups '{text}' do not name each of the ranks {', '.join(ranks)} once, "
                    "divided by dots, such as JQ.K"
                )
            part = {rank: group for group in parts for rank in group}
            hands = [[_seen(name, part) for name in names] for names in hands]
            self.names = [list(dict.fromkeys(names)) for names in hands]
            for names in self.names:
                names.sort(key=lambda name: (parts.index(name.split("|")[0]), name))
        self.grouping: Grouping = tuple(
            np.array([names.index(hand) for hand in row], np.int64)
            for names, row in zip(self.names, hands, strict=True)
        )


def _seen(name: str, part: dict[str, str]) -> str:
    private, bar, board = name.partition("|")
    if not bar:
        return part[private[0]]
    return f"{part[private[0]]}|{'pair' if private[0] in board else 'no pair'}"
