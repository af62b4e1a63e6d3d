r"""Best responses in card games by walking the public tree: a certificate for solvers.

What a strategy loses is found here without anything that solvers use: no treeplex, no
payoff operator, no classes of hands but those that the strategy itself is defined by. The
public tree (betting histories and boards) is walked with one number for each private hand
and player. At a betting node with the opponent's reach $\pi_j$ and the responder's hand i

$$V_n(i) = \begin{cases}
   \pm \text{paid} \sum_{j \sim i} \pi_j & \text{if somebody folds,} \\
   \text{paid} \sum_{j \sim i} \pi_j \operatorname{sign}(s_i - s_j) & \text{at a showdown,} \\
   \sum_c V_{n,c}(i) & \text{before public cards c,} \\
   \sum_a V_{na}(i) & \text{where the opponent acts, } \pi^{na}_j = \sigma(j, a) \pi^n_j, \\
   \max_a V_{na}(i) & \text{where the responder acts,}
  \end{cases}$$

where $j \sim i$ are hands that share no card with i and none with the board. Every deal of
private and public cards counts once, so that all is divided by their number at the end.
With the responder's own strategy in place of the maximum the same walk is the expected
value (Johanson, Waugh, Bowling and Zinkevich 2011 walk the public tree so). All boards are
walked, none taken for the same as another one; sums are plain, in double precision.

Cost: O(boards * (decisions * hands + showdowns * hands^2)); memory O(betting nodes * hands).
Rhode Island Hold'em has 2,652 boards and 52 hands. A game with more cards needs more boards,
and hands of several cards another `private`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.isomorphism import canonical_keys
from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.core.kernel import kernel
from saddlepoint.games.betting_moves import FOLDED1, SHOWDOWN
from saddlepoint.games.deal import Cards
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.response import Gap
from saddlepoint.sequence.strategy import Profile, Strategy

Array = NDArray[Any]


@dataclass(frozen=True)
class Certificate(Gap):
    """What two strategies are worth in the full card game.

    Parameters
    ----------
    lower, upper
        What player 1's strategy is sure of, and what player 2's lets through.
    value
        What player 1 earns if both play their strategies.
    """

    value: float


def certify(game: FactoredGame, profile: Profile) -> Certificate:
    """Best responses and the expected value of a profile, by the public tree.

    Parameters
    ----------
    game
        A game of cards.
    profile
        Strategies of it: of the game itself, or lifted from an abstract one.

    Raises
    ------
    GameError
        If the game is not one of cards.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> found = certify(leduc(), Profile.uniform(leduc()))
    >>> f"{found.value:.6f} {found.exploitability:.6f}"
    '-0.078125 2.373611'
    """
    table = _Table(game)
    return Certificate(
        value=_Walk(table, profile.first, profile.second).worth(),
        lower=-_Walk(table, None, profile.first).worth(),
        upper=_Walk(table, None, profile.second).worth(),
    )


def public_response(game: FactoredGame, strategy: Strategy) -> float:
    """What a best response to a strategy earns the other player, by the public tree.

    >>> from saddlepoint.games.poker import kuhn
    >>> game = kuhn()
    >>> round(public_response(game, Strategy.uniform(game.sequence_form().Y, 2)), 9)
    0.5
    """
    return _Walk(_Table(game), None, strategy).worth()


class _Walk:
    """One walk: the responder, with his own strategy or none, against the opponent's."""

    def __init__(self, table: _Table, own: Strategy | None, opponent: Strategy) -> None:
        game, cards = table.game, table.cards
        self.cards, self.tree, self.game, self.table = cards, game.tree, game, table
        self.responder = 3 - opponent.player
        self.strategies = [_checked(game, s) for s in (opponent, own) if s is not None]
        hands = len(cards.deck)
        self.apart = ~np.eye(hands, dtype=np.bool_)
        shape = (len(self.tree), hands)
        self.base, self.values = np.zeros(shape), np.zeros(shape)
        self.nodes = [
            np.flatnonzero((self.tree.round == r) & (self.tree.mover > 0))
            for r in range(len(cards.board))
        ]
        paid = game.tree.payoff() * game.scale  # to player 1: what a fold or a won showdown pays
        self.paid = paid if self.responder == 1 else np.where(_is_fold(game), -paid, paid)

    def worth(self) -> float:
        """What the responder earns, on average over all deals."""
        self.base[0] = 1.0
        boards = math.prod(
            math.comb(len(self.cards.deck) - 2 - sum(self.cards.board[:r]), size)
            for r, size in enumerate(self.cards.board)
        )
        self._visit(0, ())
        return float(self.values[0].sum()) / (int(self.apart.sum()) * boards)

    def _visit(self, r: int, before: tuple[int, ...]) -> None:
        """Walk round r after some board, street by street, and add to the values of its roots."""
        taken = np.isin(np.arange(len(self.cards.deck)), before)
        for street in combinations(np.flatnonzero(~taken).tolist(), self.cards.board[r]):
            self._round(r, (*before, *street))

    def _round(self, r: int, board: tuple[int, ...]) -> None:
        alive, classes, strength = self.table.on(r, board)
        tree, last = self.tree, r == len(self.cards.board) - 1
        arrays = (tree.mover, tree.round, tree.move, tree.parent, tree.child, tree.children)
        sides = [(s.player, *self._places(s.player), s.probabilities) for s in self.strategies]
        opponent, own = sides[0], sides[-1]
        _down(arrays, self.nodes[r], r, alive, classes, opponent, self.base, self.values)
        left = len(self.cards.deck) - 2 - len(board)
        more = math.prod(
            math.comb(left - sum(self.cards.board[r + 1 : k]), self.cards.board[k])
            for k in range(r + 1, len(self.cards.board))
        )
        if not last:
            self._visit(r + 1, board)
        else:
            self._run_out(r, alive, strength)
        best = len(sides) == 1
        rest = strength, self.paid, last, self.base, self.values
        here = r, alive, classes, self.responder, best, own, float(more), self.apart
        _up(arrays, self.nodes[r], *here, *rest)

    def _run_out(self, final: int, alive: Array, strength: Array) -> None:
        """Showdowns of earlier rounds, on a whole board: nothing more is decided there."""
        early = np.flatnonzero((self.tree.mover == SHOWDOWN) & (self.tree.round < final))
        for n in early:
            reach = np.where(alive, self.base[n], 0.0)
            self.values[n] += self.paid[n] * _showdown(self.apart, alive, strength, reach)

    def _places(self, player: int) -> tuple[Array, Array]:
        places = self.game.factored.places[player - 1]
        return places.row, places.stride


class _Table:
    """The private cards of a game on every board: who can be held, in which class, how strong.

    Classes are those by which strategies of the game are defined. Boards are looked up once,
    however many walks pass them.
    """

    def __init__(self, game: FactoredGame) -> None:
        if game.deal.cards is None:
            raise GameError(f"{game.name} is not dealt from a deck: it has no public tree of cards")
        self.game, self.cards = game, game.deal.cards
        self.private = np.arange(len(self.cards.deck))
        self.known: dict[tuple[int, ...], tuple[Array, Array, Array]] = {}
        self.keys: list[tuple[Array, Array]] = []
        for r, here in enumerate(game.deal.rounds):
            hands = np.array([_cards_of(self.cards, name) for name in here.names[0]], np.int64)
            keys = self._canonical(r, hands)
            order = np.argsort(keys)
            self.keys.append((keys[order], order))

    def on(self, r: int, board: tuple[int, ...]) -> tuple[Array, Array, Array]:
        """Which cards the board does not show, their classes, and their strengths at the end."""
        if (r, *board) not in self.known:
            self.known[(r, *board)] = self._looked_up(r, board)
        return self.known[(r, *board)]

    def _looked_up(self, r: int, board: tuple[int, ...]) -> tuple[Array, Array, Array]:
        alive = np.asarray(~np.isin(self.private, board))
        rest = np.tile(np.array(board, np.int64), (int(alive.sum()), 1))
        hands = np.column_stack([self.private[alive], rest])
        classes, strength = np.zeros((2, len(alive)), np.int64)
        keys, order = self.keys[r]
        classes[alive] = order[np.searchsorted(keys, self._canonical(r, hands))]
        if r == len(self.cards.board) - 1:
            strength[alive] = RANKINGS[self.cards.ranking](self.cards.deck, hands)
        return alive, classes, strength

    def _canonical(self, r: int, hands: Array) -> Array:
        cards = self.cards
        return canonical_keys(cards.deck, hands, cards.streets(r), cards.isomorphism)


def _cards_of(cards: Cards, name: str) -> list[int]:
    """The cards of a class's name; where suits are forgotten, one card of each rank."""
    deck, text = cards.deck, name.replace("|", "")
    if cards.isomorphism == "ranks" or deck.suits == 1:
        return [deck.ranks.index(letter) * deck.suits for letter in text]
    return [deck.card(text[k : k + 2]) for k in range(0, len(text), 2)]


def _is_fold(game: FactoredGame) -> Array:
    found: Array = game.tree.mover <= FOLDED1
    return found


def _checked(game: FactoredGame, strategy: Strategy) -> Strategy:
    form = game.sequence_form()
    plex = form.X if strategy.player == 1 else form.Y
    if strategy.treeplex.fingerprint != plex.fingerprint:
        raise StrategyError(f"the strategy is not one of {game.name}, player {strategy.player}")
    return strategy


@kernel
def _down(
    tree: Any,
    nodes: Array,
    r: int,
    alive: Array,
    classes: Array,
    opponent: Any,
    base: Array,
    values: Array,
) -> None:
    """Write the opponent's reach at all children of a round's decisions; clear their values."""
    mover, _, _, _, child, children = tree
    player, row, stride, sigma = opponent
    for k in range(nodes.shape[0]):
        n = nodes[k]
        for c in range(child[n], child[n] + children[n]):
            for i in range(alive.shape[0]):
                p = base[n, i] if alive[i] else 0.0
                if mover[n] == player and alive[i]:
                    p *= sigma[row[c] + stride[c] * classes[i]]
                base[c, i] = p
                values[c, i] = 0.0


@kernel
def _showdown(apart: Array, alive: Array, strength: Array, reach: Array) -> Array:
    """What each hand wins of one unit at a showdown. O(hands^2), pair by pair."""
    out = np.zeros(alive.shape[0])
    for i in range(alive.shape[0]):
        if not alive[i]:
            continue
        for j in range(alive.shape[0]):
            if alive[j] and apart[i, j] and strength[i] != strength[j]:
                out[i] += reach[j] if strength[i] > strength[j] else -reach[j]
    return out


@kernel
def _up(
    tree: Any,
    nodes: Array,
    r: int,
    alive: Array,
    classes: Array,
    responder: int,
    best: bool,
    own: Any,
    more: float,
    apart: Array,
    strength: Array,
    paid: Array,
    last: bool,
    base: Array,
    values: Array,
) -> None:
    """Values of a round's decisions from the last to the first; roots add up over boards.

    more is the number of boards that a fold here leaves undealt.
    """
    mover, round_, _, parent, child, children = tree
    _, row, stride, sigma = own
    hands = alive.shape[0]
    found = np.empty(hands)
    for k in range(nodes.shape[0] - 1, -1, -1):
        n = nodes[k]
        for i in range(hands):
            found[i] = -np.inf if best and mover[n] == responder else 0.0
        for c in range(child[n], child[n] + children[n]):
            if mover[c] <= FOLDED1:
                for i in range(hands):
                    total = 0.0
                    for j in range(hands):
                        if alive[i] and alive[j] and apart[i, j]:
                            total += base[c, j]
                    values[c, i] = paid[c] * more * total
            elif mover[c] == SHOWDOWN and last:
                won = _showdown(apart, alive, strength, base[c])
                for i in range(hands):
                    values[c, i] = paid[c] * won[i]
            for i in range(hands):
                if mover[n] != responder:
                    found[i] += values[c, i]
                elif best:
                    found[i] = max(found[i], values[c, i])
                elif alive[i]:
                    found[i] += sigma[row[c] + stride[c] * classes[i]] * values[c, i]
        for i in range(hands):
            if alive[i]:
                if parent[n] >= 0 and round_[parent[n]] == r:
                    values[n, i] = found[i]
                else:
                    values[n, i] += found[i]
