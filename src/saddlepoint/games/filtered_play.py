r"""What strategies of an ordered game are worth, exactly, for any number of players.

A behaviour profile (thesis 003, Definition 7) has a distribution over the actions of every
decision for every class of an information filter. Expected utilities and best responses are
sums over all deals:

$$u_i(\sigma) = \sum_{z, \vartheta} p(\vartheta) \prod_k \sigma_k(z \mid \vartheta)\,
u_i(z, \vartheta).$$

Both cost O(nodes of the action tree * deals) in array operations: small games only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.games.filtered import FilteredGame
from saddlepoint.games.information import InformationFilter
from saddlepoint.games.signals import OrderedGame
from saddlepoint.sequence.strategy import Profile

Vector = NDArray[np.float64]
# By node of the action tree: one row for each class, one column for each action.
Tables = dict[int, NDArray[np.float64]]
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Behaviour:
    """A behaviour strategy for each player of a filtered ordered game.

    Parameters
    ----------
    information
        The filter: what the players are told.
    tables
        For every decision, by its number in `game.actions.nodes`: the probabilities of its
        actions (columns) in each class of its round (rows).

    Raises
    ------
    StrategyError
        If a table is missing, has another shape, or holds no probabilities.

    Examples
    --------
    Whoever plays Kuhn poker at random, gives away an eighth as player 2:

    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import kuhn
    >>> random = Behaviour.uniform(InformationFilter.identity(ordered_poker(kuhn())))
    >>> expected_utilities(random)
    array([ 0.125, -0.125])
    >>> round(best_response_value(random, 1), 9), round(best_response_value(random, 2), 9)
    (0.5, 0.416666667)
    """

    information: InformationFilter
    tables: Tables

    def __post_init__(self) -> None:
        game = self.information.game
        for node, act in enumerate(game.actions.nodes):
            if act.over:
                continue
            where = f"at decision {node} of player {act.player}, '{game.actions.name(act.path)}'"
            if node not in self.tables:
                raise StrategyError(f"there are no probabilities {where}")
            table = np.asarray(self.tables[node], np.float64)
            shape = (self.information.sizes[act.round - 1], len(act.actions))
            if table.shape != shape:
                raise StrategyError(
                    f"probabilities {where} have shape {table.shape}, expected {shape}: a row "
                    "for each class, a column for each action"
                )
            off = (np.abs(table.sum(axis=1) - 1.0) > TOLERANCE) | ~(table >= 0.0).all(axis=1)
            if off.any():
                number = int(np.flatnonzero(off)[0])
                raise StrategyError(
                    f"probabilities {where} of class {self.information.label(act.round, number)} "
                    f"are {table[number].tolist()}, expected nonnegative numbers with sum 1"
                )

    @classmethod
    def of_function(
        cls, information: InformationFilter, rows: Callable[[int, int], Vector]
    ) -> Behaviour:
        """The profile of a function of the number of classes and of actions."""
        tables = {
            node: rows(information.sizes[act.round - 1], len(act.actions))
            for node, act in enumerate(information.game.actions.nodes)
            if not act.over
        }
        return cls(information, tables)

    @classmethod
    def uniform(cls, information: InformationFilter) -> Behaviour:
        """Every action equally likely."""
        return cls.of_function(information, lambda rows, width: np.full((rows, width), 1 / width))

    @classmethod
    def random(cls, information: InformationFilter, seed: Seed) -> Behaviour:
        """Every distribution drawn uniformly from its simplex."""
        rng = generator(seed)

        def rows(count: int, width: int) -> Vector:
            return rng.dirichlet(np.ones(width), count)

        return cls.of_function(information, rows)

    @classmethod
    def of_profile(cls, filtered: FilteredGame, profile: Profile) -> Behaviour:
        """The profile of a solution of a two-player filtered game."""
        if profile.form.fingerprint != filtered.sequence_form().fingerprint:
            raise GameError(f"the profile belongs to another game than {filtered!r}")
        tables: Tables = {}
        for player in (1, 2):
            s = profile.player(player).probabilities
            for node, start in filtered.starts(player).items():
                act = filtered.game.actions.nodes[node]
                rows, width = filtered.information.sizes[act.round - 1], len(act.actions)
                tables[node] = s[start : start + rows * width].reshape(rows, width)
        return cls(filtered.information, tables)

    def lifted(self, information: InformationFilter) -> Behaviour:
        """The same strategies for players who are told more.

        Raises
        ------
        StrategyError
            If the other filter does not tell all that these strategies depend on.
        """
        if not information.refines(self.information):
            raise StrategyError(f"{information!r} tells less than {self.information!r}")
        tables: Tables = {}
        for node, table in self.tables.items():
            j = self.game.actions.nodes[node].round
            coarse = np.empty(information.sizes[j - 1], np.int64)
            coarse[information.numbers[j - 1]] = self.information.numbers[j - 1]
            tables[node] = table[coarse]
        return Behaviour(information, tables)

    @property
    def game(self) -> OrderedGame:
        """The game that is played."""
        return self.information.game

    def odds(self, node: int) -> NDArray[np.float64]:
        """For every deal, the probabilities of the actions at a decision."""
        act = self.game.actions.nodes[node]
        told = self.information.told(act.player, act.round)
        return np.asarray(self.tables[node], np.float64)[told]

    def __repr__(self) -> str:
        return f"<Behaviour in {self.game.name}: {self.information.sizes} classes by round>"


def expected_utilities(behaviour: Behaviour) -> Vector:
    """What every player gets on average: O(nodes of the action tree * deals)."""
    game, tree = behaviour.game, behaviour.game.actions
    reach: dict[int, Vector] = {0: game.deals.probability}
    end, total = 0, np.zeros(game.players)
    for node, act in enumerate(tree.nodes):
        here = reach.pop(node)
        if act.over:
            total += here @ game.payoffs[end]
            end += 1
            continue
        odds = behaviour.odds(node)
        for k, child in enumerate(tree.children[node]):
            reach[child] = here * odds[:, k]
    return total


def best_response_value(
    behaviour: Behaviour, player: int, information: InformationFilter | None = None
) -> float:
    """What a player gets who knows the others' strategies and answers with his best one.

    O(nodes of the action tree * deals).

    Parameters
    ----------
    behaviour
        The strategies; those of the player himself do not matter.
    player
        Who answers.
    information
        What he is told: all signals if left out; `behaviour.information` for a best response
        within the filtered game.
    """
    game, tree = behaviour.game, behaviour.game.actions
    whole("player", player, 1, game.players, error=GameError)
    told = InformationFilter.identity(game) if information is None else information
    if told.game is not game:
        raise GameError("the filter of the best response belongs to another game")
    reach: dict[int, Vector] = {0: game.deals.probability}
    for node, act in enumerate(tree.nodes):
        odds = None if act.over or act.player == player else behaviour.odds(node)
        for k, child in enumerate(tree.children[node]):
            reach[child] = reach[node] * odds[:, k] if odds is not None else reach[node]
    end = len(tree.ends)
    value: dict[int, Vector] = {}
    # Children come after their parents: from the last node to the root.
    for node in range(len(tree.nodes) - 1, -1, -1):
        act, below = tree.nodes[node], tree.children[node]
        weight = reach.pop(node)
        if act.over:
            end -= 1
            value[node] = weight * game.payoffs[end, :, player - 1]
        elif act.player != player:
            value[node] = np.sum([value.pop(child) for child in below], axis=0)
        else:
            options = np.array([value.pop(child) for child in below])
            number = told.told(player, act.round)
            sums = np.array([np.bincount(number, option) for option in options])
            value[node] = options[sums.argmax(axis=0)[number], np.arange(len(number))]
    return float(value[0].sum())
