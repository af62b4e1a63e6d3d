r"""How a strategy that knows fewer bets a round plays a limit game.

In an abstract game at most k bets are made in a round (thesis 003, section 7.3), and the
opponent of the real one may raise once more. The thesis does not say what the player then
does. Two rules, both of which lead from every real betting history to one abstract history:

* `call`: a raise that the abstract game does not have is read as a call, which ends the
  round there, and is called.
* `forget`: the first bets of the round are forgotten, so that its last k remain. Who is raised
  once more after his own bet sits where he would sit if he had checked and the other had bet.

Either way the player never makes a bet that his game does not have. With all bets of the real
game nothing is read as anything else, and only hands are looked up: that is how strategies of
abstract cards are mapped back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.core.errors import GameError, SettingsError, StrategyError, unknown
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import CALL, FOLD
from saddlepoint.sequence.strategy import Profile, Strategy

Nodes = NDArray[np.int64]

RULES = ("call", "forget")
RAISE = 1
# Instead of an abstract decision: the player has only to call.
CALLED = -1


def standings(real: BettingTree, abstract: BettingTree, rule: str = "call") -> Nodes:
    """The abstract node that each real one stands for; `CALLED` where the player calls.

    Parameters
    ----------
    real, abstract
        Limit betting of equal rounds and order, the abstract one with at most as many bets.
    rule
        `call` or `forget`.
    """
    if rule not in RULES:
        raise SettingsError(unknown("rule", rule, RULES))
    if real.rules.bets is None or real.rules.rounds != abstract.rules.rounds:
        raise GameError("only limit betting of equally many rounds can be cut to fewer bets")
    found = (_by_calling if rule == "call" else _by_forgetting)(real, abstract)
    over = (found != CALLED) & (real.mover > 0) & (abstract.mover[found] <= 0)
    found[over] = CALLED  # nothing is left to be decided in the abstract game
    return found


def _kind(move: int) -> int:
    return move if move in (FOLD, CALL) else RAISE


def _child(tree: BettingTree, node: int, kind: int) -> int | None:
    """The child that a fold, call or raise leads to, if there is one."""
    if node < 0 or tree.mover[node] <= 0:
        return None
    first = int(tree.child[node])
    for c in range(first, first + int(tree.children[node])):
        if _kind(int(tree.move[c])) == kind:
            return c
    return None


def _by_calling(real: BettingTree, abstract: BettingTree) -> Nodes:
    found = np.full(len(real), CALLED, np.int64)
    # Where the abstract game goes on once a raise that it does not have is called.
    after = np.full(len(real), CALLED, np.int64)
    found[0] = 0
    for n in range(1, len(real)):
        parent, kind = int(real.parent[n]), _kind(int(real.move[n]))
        if found[parent] != CALLED:
            child = _child(abstract, int(found[parent]), kind)
            if child is not None:
                found[n] = child
            elif kind == RAISE:
                called = _child(abstract, int(found[parent]), CALL)
                after[n] = CALLED if called is None else called
        elif after[parent] != CALLED and kind == CALL:
            found[n] = after[parent]
    return found


def _by_forgetting(real: BettingTree, abstract: BettingTree) -> Nodes:
    most = abstract.rules.max_bets or 0
    found = np.full(len(real), CALLED, np.int64)
    begin = np.zeros(len(real), np.int64)  # the abstract node at which the round began
    found[0] = 0
    for n in range(1, len(real)):
        parent, kind = int(real.parent[n]), _kind(int(real.move[n]))
        begin[n] = begin[parent]
        child = _child(abstract, int(found[parent]), kind)
        if child is None and kind == RAISE and most > 0:
            child = _shifted(abstract, int(begin[n]), int(real.mover[parent]), most)
        found[n] = CALLED if child is None else child
        if real.round[n] != real.round[parent]:
            begin[n] = found[n]
    return found


def _shifted(abstract: BettingTree, begin: int, last: int, most: int) -> int | None:
    """The node after `most` bets in a round, the last one made by a player, or None."""
    opener = last if most % 2 else 3 - last
    node: int | None = begin
    if begin < 0:
        return None
    if abstract.mover[begin] != opener:
        node = _child(abstract, begin, CALL)
    for _ in range(most):
        node = None if node is None else _child(abstract, node, RAISE)
    return node


def lift_limited(pair: AbstractGame, strategy: Strategy, rule: str = "call") -> Strategy:
    """The strategy of the real limit game that one with fewer bets or coarser cards is.

    Parameters
    ----------
    pair
        The real and the abstract game.
    strategy
        A strategy of the abstract game.
    rule
        See the module.

    Notes
    -----
    O(sequences of the real game), a gather for each betting decision.

    Examples
    --------
    >>> from saddlepoint.abstraction.bets import with_most_bets
    >>> from saddlepoint.games.poker import leduc
    >>> real = leduc()
    >>> pair = AbstractGame.of(real, with_most_bets(real, 1))
    >>> s = Strategy.uniform(pair.game.sequence_form().X)
    >>> lifted = lift_limited(pair, s)
    >>> lifted["K:rr"], lift_limited(pair, s, "forget")["K:rr"]  # raised after his own bet
    ({'f': 0.0, 'c': 1.0}, {'f': 0.5, 'c': 0.5})
    """
    player, form = strategy.player, pair.game.sequence_form()
    plex = form.X if player == 1 else form.Y
    if strategy.treeplex.fingerprint != plex.fingerprint:
        raise StrategyError(f"the strategy does not belong to {pair.game.name}, player {player}")
    real, abstract = pair.real.tree, pair.game.tree
    at = standings(real, abstract, rule)
    here, there = (g.factored.places[player - 1] for g in (pair.real, pair.game))
    target = pair.real.sequence_form().X if player == 1 else pair.real.sequence_form().Y
    out, sigma = np.zeros(target.n_sequences), strategy.probabilities
    out[0] = 1.0
    for n in np.flatnonzero(real.mover == player).tolist():
        group = pair.groups[player - 1][int(real.round[n])]
        hands = np.arange(len(group))
        first = int(real.child[n])
        for c in range(first, first + int(real.children[n])):
            kind, to = _kind(int(real.move[c])), here.row[c] + here.stride[c] * hands
            if at[n] == CALLED:
                out[to] = float(kind == CALL)
                continue
            child = _child(abstract, int(at[n]), kind)
            if child is not None:
                out[to] = sigma[there.row[child] + there.stride[child] * group]
    return Strategy(target, out, player)


def lift_limited_profile(pair: AbstractGame, profile: Profile, rule: str = "call") -> Profile:
    """Both players' strategies, lifted."""
    first, second = (lift_limited(pair, strategy, rule) for strategy in profile)
    return Profile(pair.real.sequence_form(), first, second)
