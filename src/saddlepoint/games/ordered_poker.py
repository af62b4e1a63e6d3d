"""Poker games as games with ordered signals (thesis 003, section 5.3.1)."""

from __future__ import annotations

import numpy as np

from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.errors import RulesError
from saddlepoint.games.betting_moves import SHOWDOWN
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.signals import OrderedGame, Revealed
from saddlepoint.games.stages import CONTINUE, OVER, Decision, Node, Path, Stage


def ordered_poker(game: FactoredGame) -> OrderedGame:
    """A poker game with one private card for each player, as an ordered game.

    The signals are the cards, all distinct whatever the game takes for the same; the order
    is the ranking of hands. Betting has to be the same in a round whatever was bet before,
    as it is in limit games. Information sets have the names that they have in the game.

    Raises
    ------
    RulesError
        If the game is no poker game with cards, or if its stages depend on earlier ones.

    Examples
    --------
    Rhode Island Hold'em, with the sizes that the thesis gives (sections 5.2.1 and 5.5):

    >>> from saddlepoint.games.poker import rhode_island
    >>> small = ordered_poker(rhode_island(ranks="234", suits=2, raises=0))
    >>> small.public, small.private, [signal for signal in small.signals]
    ((0, 1, 1), (1, 0, 0), ['2c', '2d', '3c', '3d', '4c', '4d'])
    """
    cards = game.deal.cards
    if cards is None:
        raise RulesError(f"{game.name} is not dealt from a deck: expected a poker game with cards")
    deck, tree = cards.deck, game.tree
    rule = RANKINGS[cards.ranking]
    signals = [deck.text(card) for card in range(len(deck))]
    number = {text: card for card, text in enumerate(signals)}
    payoff = tree.payoff() * game.scale
    # The strength of a hand by its cards, and the betting node of a path, as they are met.
    known: dict[tuple[Revealed, Revealed], int] = {}
    ends: dict[Path, tuple[float, bool]] = {}

    def rank(public: Revealed, private: Revealed) -> int:
        if (public, private) not in known:
            hand = [number[str(s)] for part in (private, public) for row in part for s in row]
            known[public, private] = int(rule(deck, np.array([hand]))[0])
        return known[public, private]

    def utility(path: Path, public: Revealed, private: tuple[Revealed, ...]) -> tuple[float, float]:
        if path not in ends:
            node = _follow(game, path)
            ends[path] = (float(payoff[node]), int(tree.mover[node]) == SHOWDOWN)
        won, showdown = ends[path]
        if showdown:
            one, two = rank(public, private[0]), rank(public, private[1])
            won *= (one > two) - (one < two)
        return won, -won

    return OrderedGame(
        players=2,
        stages=_stages(game),
        signals=signals,
        public=cards.board,
        private=(1,) + (0,) * (len(cards.board) - 1),
        utility=utility,
        rank=rank,
        name=game.name,
        unit=game.unit,
    )


def _label(game: FactoredGame, node: int) -> str:
    return game.tree.move_text(node, game.scale, game.less).replace(".", "p")


def _follow(game: FactoredGame, path: Path) -> int:
    """The betting node that a path leads to."""
    tree, node = game.tree, 0
    for action in (action for actions in path for action in actions):
        first = int(tree.child[node])
        below = range(first, first + int(tree.children[node]))
        node = next(child for child in below if _label(game, child) == action)
    return node


def _stages(game: FactoredGame) -> list[Stage]:
    """The stage of every round, if the round is always bet in the same way."""
    tree, found = game.tree, []
    for j in range(game.betting.rounds):
        roots = [
            k
            for k in range(len(tree))
            if tree.round[k] == j
            and tree.mover[k] > 0
            and (k == 0 or tree.round[tree.parent[k]] < j)
        ]
        stages = [_stage(game, root) for root in roots]
        if not stages:
            raise RulesError(f"nothing can be bet in round {j + 1} of {game.name}")
        if any(stage != stages[0] for stage in stages):
            raise RulesError(
                f"the betting in round {j + 1} of {game.name} depends on what was bet before; "
                "an ordered game has one stage for a round, as limit games do"
            )
        found.append(stages[0])
    for k in range(len(tree)):
        if tree.mover[k] == SHOWDOWN and tree.round[k] < game.betting.rounds - 1:
            raise RulesError(
                f"{game.name} can come to a showdown in round {int(tree.round[k]) + 1}, before "
                "all cards are out; an ordered game pays by the signals of the round it ends in"
            )
    return found


def _stage(game: FactoredGame, root: int) -> Stage:
    tree = game.tree
    nodes: list[Node] = []

    def add(k: int) -> int:
        number = len(nodes)
        if tree.round[k] > tree.round[root]:
            nodes.append(CONTINUE)
        elif tree.mover[k] <= 0:
            nodes.append(OVER)
        else:
            nodes.append(OVER)
            below = range(int(tree.child[k]), int(tree.child[k]) + int(tree.children[k]))
            moves = {_label(game, child): add(child) for child in below}
            nodes[number] = Decision(int(tree.mover[k]), moves)
        return number

    add(root)
    return Stage(nodes)
