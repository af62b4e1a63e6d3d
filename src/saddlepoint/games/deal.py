r"""The deal: what chance hands out, as classes of hands and weights of their pairs.

In round r a player's information about the cards is a *class*. A class of one round
belongs to one class of the round before, since nobody forgets his cards. The deal gives
the probability of every pair of classes, $B_r$, for leaves where somebody folds, and the
probability times the sign of the outcome, $W_r$, for showdowns (thesis 003, section
10.2). The betting does not matter here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.deck import Deck
from saddlepoint.cards.isomorphism import GROUPS, canonical_keys
from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.checks import text, wholes
from saddlepoint.core.errors import RulesError, SizeError, unknown
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.payoff import CardDeal, DealMatrix, DenseDeal, SparseDeal

Classes = NDArray[np.int64]

# A table of pairs costs its entries in a product, cards a few passes over the hands.
_PASSES_OF_CARDS = 12
MOST_HANDS = 20_000_000
REALISATIONS = ("auto", "tables", "cards")
EMPTY = -1


@dataclass(frozen=True)
class Round:
    """What is known of the cards in one round.

    Parameters
    ----------
    names
        Names of the classes of player 1 and of player 2.
    up
        For either player, the class of the round before that each class belongs to.
    fold
        Probability of every pair of classes.
    showdown
        The same times the sign of the outcome for player 1, if the hand ended here.
    deals
        How many ways there are to deal the cards so far, every card by itself.
    public
        For either player, the public cards (as a number) of each class, if there are any.
    """

    names: tuple[Sequence[str], Sequence[str]]
    up: tuple[Classes, Classes]
    fold: DealMatrix
    showdown: DealMatrix
    deals: int
    public: tuple[Classes, Classes] | None = None


@dataclass(frozen=True)
class Cards:
    """The cards behind a deal: one private card each, and a board.

    Parameters
    ----------
    deck
        The deck.
    board
        How many public cards are turned up before each round.
    ranking
        A name of `saddlepoint.cards.ranking.RANKINGS`.
    isomorphism
        Which hands the deal takes for the same.
    """

    deck: Deck
    board: tuple[int, ...]
    ranking: str
    isomorphism: str

    def streets(self, round_: int) -> list[int]:
        """Sizes of the streets that a hand has in a round, the private card first."""
        return [1, *(size for size in self.board[: round_ + 1] if size)]


@dataclass(frozen=True)
class Deal:
    """The deal of a game: one `Round` for each betting round.

    `chance` lists the numbers of ways to deal the private cards one by one, for counting
    the nodes of the game tree: (6, 30) if six, then five cards are left. `cards` are those
    of which it is the deal, if it is one of cards.
    """

    rounds: tuple[Round, ...]
    chance: tuple[int, ...] = ()
    description: str = field(default="", compare=False)
    cards: Cards | None = field(default=None, compare=False)

    def classes(self, player: int, round_: int) -> int:
        """How many classes a player distinguishes in a round; one before the first."""
        return 1 if round_ == EMPTY else len(self.rounds[round_].names[player - 1])

    def up(self, player: int, round_: int, to: int) -> Classes:
        """The class in round `to` (or EMPTY) of each class in a round."""
        classes = np.arange(self.classes(player, round_))
        for r in range(round_, max(to, EMPTY), -1):
            classes = self.rounds[r].up[player - 1][classes]
        return classes

    def matrix(self, showdown: bool, round_: int, seen1: int, seen2: int) -> DealMatrix:
        """The pair matrix of leaves in a round whose players last acted in `seen1`, `seen2`."""
        here = self.rounds[round_].showdown if showdown else self.rounds[round_].fold
        if seen1 == seen2 == round_:
            return here
        pairs = here.entries()
        i = self.up(1, round_, seen1)[pairs.rows]
        j = self.up(2, round_, seen2)[pairs.columns]
        shape = (self.classes(1, seen1), self.classes(2, seen2))
        return SparseDeal(Entries.of(shape, i, j, pairs.values))

    @property
    def symmetric(self) -> bool:
        """Whether both players are dealt alike, as far as the deal knows: cards are."""
        return self.cards is not None

    def joint(self, round_: int) -> Entries:
        """Probability of every pair of classes in a round."""
        return self.rounds[round_].fold.entries()


def deal_of_tables(
    fold: NDArray[np.float64],
    showdown: NDArray[np.float64],
    names: tuple[Sequence[str], Sequence[str]],
    description: str = "",
) -> Deal:
    """The deal of a one-round game given by its pair matrices."""
    up = (np.zeros(len(names[0]), np.int64), np.zeros(len(names[1]), np.int64))
    outcomes = int((fold > 0).sum())
    only = Round(names, up, DenseDeal(fold), DenseDeal(showdown), outcomes)
    return Deal((only,), (), description)


def deal_of_cards(
    deck: Deck, board: Sequence[int], ranking: str, isomorphism: str, realisation: str = "auto"
) -> Deal:
    """The deal of a poker game with one private card for each player.

    Parameters
    ----------
    deck
        The deck.
    board
        How many public cards are turned up before each round.
    ranking
        A name of `saddlepoint.cards.ranking.RANKINGS`.
    isomorphism
        Which hands are taken for the same: `cards`, `suits` or `ranks`.
    realisation
        `tables` of pairs, `cards` (running sums over sorted hands), or `auto`, whichever
        is cheaper in a product.
    """
    board = checked_board(deck, board, ranking, isomorphism, realisation)
    if len(deck) ** (sum(board) + 1) > MOST_HANDS:
        raise SizeError(f"{len(deck)} cards with {sum(board)} on the board are too many to list")
    return _CardDealer(deck, board, ranking, isomorphism, realisation).deal()


def checked_board(
    deck: Deck, board: Sequence[int], ranking: str, isomorphism: str, realisation: str
) -> tuple[int, ...]:
    """The board, if it can be dealt and compared as `deal_of_cards` is told to.

    Raises
    ------
    RulesError
        If something is unknown, or does not go with the rest.
    """
    for kind, name, known in (
        ("ranking", ranking, tuple(RANKINGS)),
        ("isomorphism", isomorphism, GROUPS),
        ("realisation", realisation, REALISATIONS),
    ):
        if text(kind, name, error=RulesError) not in known:
            raise RulesError(unknown(kind, name, known))
    board = wholes("board", board, 0, len(deck), error=RulesError)
    cards = sum(board)
    if ranking == "three-card" and isomorphism == "ranks":
        raise RulesError("three-card hands have flushes: their suits cannot be forgotten")
    if ranking == "three-card" and cards != 2:
        raise RulesError(f"three-card hands need 2 public cards, found {cards}")
    if cards + 2 > len(deck):
        raise RulesError(f"{len(deck)} cards are not enough for {cards + 2} to be dealt")
    return board


class _CardDealer:
    """Lists all hands of every round and groups them into classes."""

    def __init__(
        self, deck: Deck, board: tuple[int, ...], ranking: str, isomorphism: str, realisation: str
    ) -> None:
        self.deck, self.board = deck, board
        self.ranking, self.isomorphism, self.realisation = ranking, isomorphism, realisation
        self.keys: list[NDArray[np.int64]] = []

    def deal(self) -> Deal:
        rounds, final = [], len(self.board) - 1
        for r in range(len(self.board)):
            rounds.append(self._round(r, final))
        if final > 0:
            rounds = [self._run_out(rounds, r, final) for r in range(final)] + [rounds[final]]
        n = len(self.deck)
        return Deal(tuple(rounds), (n, n * (n - 1)), self.isomorphism, self._cards)

    @property
    def _cards(self) -> Cards:
        return Cards(self.deck, self.board, self.ranking, self.isomorphism)

    def _streets(self, r: int) -> list[int]:
        return self._cards.streets(r)

    def _canonical(self, hands: NDArray[np.int64], streets: Sequence[int]) -> NDArray[np.int64]:
        return canonical_keys(self.deck, hands, streets, self.isomorphism)

    def _round(self, r: int, final: int) -> Round:
        """Classes of round r, board by board, and by strength where the board is complete."""
        streets, n, cards = self._streets(r), len(self.deck), sum(self.board[: r + 1])
        boards = _boards(n, streets[1:])
        _, first, orbit = np.unique(
            self._canonical(boards, streets[1:]), return_index=True, return_counts=True
        )
        boards = boards[first]
        # Every private card on every board that does not show it.
        which, private = np.nonzero((np.arange(n)[None, :, None] != boards[:, None, :]).all(axis=2))
        hands = np.column_stack([private, boards[which]])
        keys = self._canonical(hands, streets)
        strength = (
            RANKINGS[self.ranking](self.deck, hands) if r == final else np.zeros(len(hands), int)
        )
        # Keys of equal hands agree, so sorting by them groups the hands of a class.
        order = np.lexsort((keys, strength, which))
        which, hands, keys, strength = which[order], hands[order], keys[order], strength[order]
        starts = np.flatnonzero(np.append(True, (np.diff(which) != 0) | (np.diff(keys) != 0)))
        count = np.diff(np.append(starts, len(keys))).astype(np.float64)
        begin = np.searchsorted(which[starts], np.arange(len(boards) + 1)).astype(np.int64)
        deals = n * (n - 1) * _ways(n - 2, cards)
        # The orbit counts boards with distinct orders of a street once; so do the ways.
        ways = n * (n - 1) * _ways_unordered(n - 2, self.board[: r + 1])
        weight = orbit / ways
        self.keys.append(keys[starts])
        up = self._up(r, hands[starts], streets)
        names = [self._name(hand, streets) for hand in hands[starts]]
        fold = CardDeal(begin, weight, count)
        showdown = CardDeal(begin, weight, count, strength[starts])
        here = which[starts]
        matrices = self._realise(fold), self._realise(showdown)
        return Round((names, names), (up, up), *matrices, deals, (here, here))

    def _up(self, r: int, hands: NDArray[np.int64], streets: Sequence[int]) -> NDArray[np.int64]:
        if r == 0:
            return np.zeros(len(hands), np.int64)
        before = self._streets(r - 1)
        keys = self._canonical(hands[:, : sum(before)], before)
        order = np.argsort(self.keys[r - 1], kind="stable")
        return order[np.searchsorted(self.keys[r - 1], keys, sorter=order)]

    def _realise(self, deal: CardDeal) -> DealMatrix:
        entries = int((np.diff(deal.board) ** 2).sum())
        tables = entries <= _PASSES_OF_CARDS * len(deal.count)
        if self.realisation == "tables" or (self.realisation == "auto" and tables):
            return SparseDeal(deal.entries())
        return deal

    def _run_out(self, rounds: Sequence[Round], r: int, final: int) -> Round:
        """Replace the showdown of an early round by its expectation over the cards to come."""
        return replace(rounds[r], showdown=_Lazy(Deal(tuple(rounds)), r, final))

    def _name(self, hand: NDArray[np.int64], streets: Sequence[int]) -> str:
        text = self.deck.rank_text if self.isomorphism == "ranks" else self.deck.text
        cards = [text(int(card)) for card in hand]
        return cards[0] + ("|" + "".join(cards[1:]) if len(cards) > 1 else "")


@dataclass(frozen=True)
class _Lazy:
    """A showdown before all cards are out, computed only if some betting leads to one."""

    deal: Deal
    round: int
    final: int
    kind = SparseDeal.kind

    @cached_property
    def _table(self) -> DealMatrix:
        return self.deal.matrix(True, self.final, self.round, self.round)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of player 1 and of player 2."""
        return self.deal.classes(1, self.round), self.deal.classes(2, self.round)

    def pack(self, pools: Any) -> tuple[int, ...]:
        """Append the arrays of the table."""
        return self._table.pack(pools)

    def entries(self) -> Entries:
        """The table by its nonzero entries."""
        return self._table.entries()


def _boards(n: int, streets: Sequence[int]) -> NDArray[np.int64]:
    """All boards: streets in order, cards ascending within a street."""
    rows: list[tuple[int, ...]] = [()]
    for size in streets:
        rows = [
            (*row, *more)
            for row in rows
            for more in permutations([c for c in range(n) if c not in row], size)
            if list(more) == sorted(more)
        ]
    return np.array(rows, np.int64).reshape(len(rows), sum(streets))


def _ways(n: int, cards: int) -> int:
    """Ways to turn up so many of n cards, one by one."""
    return int(np.prod([n - k for k in range(cards)], dtype=object)) if cards else 1


def _ways_unordered(n: int, board: Sequence[int]) -> float:
    """Ways to turn up the streets of a board from n cards, without order in a street."""
    ways = 1.0
    for size in board:
        for k in range(size):
            ways *= (n - k) / (k + 1)
        n -= size
    return ways
