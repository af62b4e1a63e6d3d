from __future__ import annotations

import numpy as np
import pytest

from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import no_limit_leduc
from saddlepoint.reverse.coach import Coach, coached
from saddlepoint.sequence.strategy import Strategy


def twin(
    game: FactoredGame, first: Strategy, second: Strategy, settings: Coach
) -> dict[str, dict[str, float]]:
    """The coach's play by names: every history of every hand is looked at from its beginning."""
    tree, player = game.tree, first.player
    names = [r.names[player - 1] for r in game.deal.rounds]
    ups = [r.up[player - 1] for r in game.deal.rounds]
    found = {}
    for node in np.flatnonzero(tree.mover == player):
        path = [int(node)]
        while path[0] != 0:
            path.insert(0, int(tree.parent[path[0]]))
        r = int(tree.round[node])
        for k in range(len(names[r])):
            over = False
            for step, here in enumerate(path):
                level = int(tree.contribution[tree.parent[here]].max()) if here else 0
                bet = int(tree.move[here]) == level + int(2 * level * settings.size)
                bet = bet and here > 0 and 0 < tree.move[here] < game.betting.stack
                if step and tree.mover[path[step - 1]] != player and bet:
                    over = True
                if tree.mover[here] == player and settings.tempted is not None:
                    hand = k
                    for later in range(r, int(tree.round[here]), -1):
                        hand = int(ups[later][hand])
                    level = int(tree.contribution[here].max())
                    total = level + int(2 * level * settings.size)
                    name = f"{names[tree.round[here]][hand]}:{tree.history(here)}"
                    said = second[name].get(f"r{total}", 0.0) if total < game.betting.stack else 0
                    over = over or said > settings.tempted
            name = f"{names[r][k]}:{tree.history(int(node))}"
            found[name] = (second if over else first)[name]
    return found


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize("tempted", [None, 0.0, 0.3])
@pytest.mark.parametrize(("menu", "size"), [("fchpa", 0.5), ("fchpa", 1.0), ("all", 0.5)])
def test_coaches_hand_over_for_good(
    menu: str, size: float, tempted: float | None, player: int
) -> None:
    game = no_limit_leduc(stack=7, menu=menu)
    form = game.sequence_form()
    plex = form.X if player == 1 else form.Y
    first, second = (Strategy.random(plex, seed, player) for seed in (1, 2))
    # Some of the second agent's temptations are none, so that both sides of the bound occur.
    second = second.mix(_pure(plex, player), 0.6)
    settings = Coach(size=size, tempted=tempted)
    found, expected = coached(game, first, second, settings), twin(game, first, second, settings)
    assert len(expected) == len(found)
    for name, row in expected.items():
        assert found[name] == row
    played = {name: row == second[name] for name, row in expected.items()}
    assert sum(played.values()) > 0
    assert tempted == 0.0 or sum(played.values()) < len(played)


def _pure(plex: object, player: int) -> Strategy:
    return Strategy.of_function(plex, lambda name, actions: {actions[-1]: 1.0}, player)  # type: ignore[arg-type]


def test_a_coach_of_two_equal_agents_is_that_agent() -> None:
    game = no_limit_leduc(stack=6, menu="fchpa")
    agent = Strategy.random(game.sequence_form().X, 3, 1)
    found = coached(game, agent, agent, Coach(size=0.5, tempted=0.001))
    np.testing.assert_array_equal(found.probabilities, agent.probabilities)


def test_coaches_are_checked() -> None:
    game = no_limit_leduc(stack=6, menu="fchpa")
    form = game.sequence_form()
    one, two = Strategy.uniform(form.X, 1), Strategy.uniform(form.Y, 2)
    with pytest.raises(StrategyError, match="the second agent's strategy is not one of"):
        coached(game, one, two, Coach(size=0.5))
    other = Strategy.uniform(no_limit_leduc(stack=9, menu="fchpa").sequence_form().X, 1)
    with pytest.raises(StrategyError, match="the first agent's strategy is not one of"):
        coached(game, other, one, Coach(size=0.5))
    with pytest.raises(SettingsError, match="size is 0"):
        Coach(size=0.0)
    with pytest.raises(SettingsError, match=r"tempted is 1\.5"):
        Coach(size=0.5, tempted=1.5)
