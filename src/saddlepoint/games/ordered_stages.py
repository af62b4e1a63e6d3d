"""Ordered games as stage-based sequential games: a round is a stage, a plan an action."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from saddlepoint.games.interaction import Interaction, StageInteraction
from saddlepoint.games.signals import OrderedGame, Revealed, Signal
from saddlepoint.games.stage_based import Played, StageBasedGame
from saddlepoint.games.stages import OVER, Decision, Path, Stage

NOTHING = "-"


def stage_based_of(game: OrderedGame) -> StageBasedGame:
    """An ordered game as a stage-based one: a round is a stage.

    The actions of an interaction are plans, one action for each of a player's nodes of the
    stage, joined by commas; its outcomes are the leaves.

    Examples
    --------
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import leduc
    >>> game = stage_based_of(ordered_poker(leduc()))
    >>> game.graph()
    {'round 1': ('round 2',), 'round 2': ()}
    >>> game.stages["round 1"].interaction.actions[0][:3]
    ('c,f,f', 'c,f,c', 'c,c,f')
    """
    stages: dict[str, StageInteraction] = {}
    following: dict[tuple[str, str], str | None] = {}
    for j, stage in enumerate(game.stages, 1):
        name = f"round {j}"
        interaction = _interaction(stage, game.players)
        private = (game.private[j - 1],) * game.players
        stages[name] = StageInteraction(game.public[j - 1], private, interaction)
        for leaf in stage.leaves:
            over = stage.nodes[leaf] == OVER
            following[name, _outcome(stage, leaf)] = None if over else f"round {j + 1}"
    paths = [{_outcome(s, leaf): s.path(leaf) for leaf in s.leaves} for s in game.stages]
    weights = dict(zip(game.signals, game.weights or (), strict=True))

    def draw(revealed: tuple[Signal, ...]) -> dict[Signal, float]:
        left = {s: w for s, w in weights.items() if s not in revealed}
        total = sum(left.values())
        return {s: float(w / total) for s, w in left.items()}

    def utility(played: Played, public: Revealed, private: tuple[Revealed, ...]) -> Sequence[float]:
        path: Path = tuple(paths[j][outcome] for j, (_, outcome) in enumerate(played))
        return game.utility(path, public, private)

    return StageBasedGame(
        signals=game.signals,
        draw=draw,
        stages=stages,
        start="round 1",
        following=following,
        utility=utility,
        name=game.name,
    )


def _outcome(stage: Stage, leaf: int) -> str:
    return ".".join(stage.path(leaf)) or NOTHING


def _interaction(stage: Stage, players: int) -> Interaction:
    """A stage as an interaction of plans."""
    own: list[list[int]] = [[] for _ in range(players)]
    for number, node in enumerate(stage.nodes):
        if isinstance(node, Decision):
            own[node.player - 1].append(number)
    moves = {k: node.moves for k, node in enumerate(stage.nodes) if isinstance(node, Decision)}
    plans = [
        tuple(",".join(plan) or NOTHING for plan in product(*(moves[k] for k in nodes)))
        for nodes in own
    ]

    def chances(actions: tuple[str, ...]) -> dict[str, float]:
        chosen = {
            node: action
            for nodes, plan in zip(own, actions, strict=True)
            for node, action in zip(nodes, plan.split(","), strict=False)
        }
        at = 0
        while at in moves:
            at = moves[at][chosen[at]]
        return {_outcome(stage, at): 1.0}

    return Interaction(plans, tuple(_outcome(stage, leaf) for leaf in stage.leaves), chances)
