r"""Strategy switching: a player who asks another agent at every decision (thesis 004, chapter 5).

He has a suite of agents, each a strategy of an abstract game that has one bet, b times the
pot, and all-in (see `saddlepoint.reverse.cover`). At a decision of the real game he

1. reads the real history in the game of every agent: calls are calls, all-in is all-in,
   and every other bet is b;
2. weighs the agents by how well they know the situation, by two ratios: that of the stack
   to the pot before the last bet, and if he faces a bet that of the bet to that pot;
3. draws an agent by the weights, asks its strategy, and does what it says.

**Weights.** *Exact*: the agents for which both ratios are those of the real game, all
equally; if there are none (never so with the full cover), the nearest. *Near*: the product
of a / b over the ratios a < b of agent and real game. The bet ratio of an agent is that of
the bet as it has read it: b cut to whole units of its game, or that of all-in there. Agents
whose game is over know nothing and have no weight.

**Carrying out.** A bet b becomes the same part of the real pot in whole units, at least the
least raise; from the stack on it is all-in. If no raise is possible it is a call.

The next draw is independent of this one, and a player who remembers nothing of his agents
plays a behaviour strategy: at every information set the weighted mixture of what the
agents do there. It is computed here for all of them at once, so its worth is exact. It is
*not* what a player does who draws one agent before the hand (`Strategy.mix`).

Where agents never arrive by their own play, their strategies say whatever the solver left
there: `unreached` tells what becomes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError, StrategyError, unknown
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.reverse.cover import Stakes, abstract_game
from saddlepoint.reverse.follow import ROUNDING, TREATED, follow, ratios, settle, take_part
from saddlepoint.reverse.lift import tree_for
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.sequence.treeplex import Treeplex

Vector = NDArray[np.float64]
Table = NDArray[np.float64]

WEIGHTS = ("exact", "near")
POTS = ("before", "now")
# Equal ratios come out so much apart in floating point, at most.
HAIR = 1e-12


@dataclass(frozen=True, kw_only=True)
class Switching:
    """How a switching player weighs and uses his agents.

    Parameters
    ----------
    weights
        `exact` for the full cover, `near` for parts of it; see the module.
    tolerance
        How far either ratio may differ, as a part of the greater one, and still match exactly.
    pot
        Facing a bet, the stack is compared with the pot `before` it or the pot `now`.
    unreached
        What becomes of agents at information sets where their own play never leads: `given`
        plays what the strategy has there, `call` calls, `uniform` plays all moves equally,
        `skip` gives the agent no weight if another one fits (and calls if none does).
    rounding
        Whether carried out bets are rounded `down` to whole units or to the `nearest` one.
    """

    weights: str = "exact"
    tolerance: float = 1e-9
    pot: str = "before"
    unreached: str = "given"
    rounding: str = "down"

    def __post_init__(self) -> None:
        for name, known in (
            ("weights", WEIGHTS),
            ("pot", POTS),
            ("unreached", TREATED),
            ("rounding", tuple(ROUNDING)),
        ):
            if getattr(self, name) not in known:
                raise SettingsError(unknown(name, str(getattr(self, name)), known))
        if not 0.0 <= self.tolerance < 1.0:
            raise SettingsError(f"tolerance is {self.tolerance}, expected 0 to 1")


class Suite:
    """Abstract games beside a real one, with every real history read in each of them.

    Parameters
    ----------
    real
        The real game, a no-limit game with antes.
    stakes
        Those of the abstract games.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> from saddlepoint.reverse.cover import full_cover
    >>> real = no_limit_leduc(stack=5)
    >>> suite = Suite(real, full_cover(real))
    >>> agents = [Strategy.uniform(game.sequence_form().X, 1) for game in suite.games]
    >>> player = suite.player(agents)
    >>> # At first the agents of stack 5 are asked: half a pot is 1 chip, a pot 2, and so on.
    >>> {action: round(p, 3) for action, p in player["K:"].items()}
    {'c': 0.333, 'r2': 0.111, 'r3': 0.111, 'r4': 0.111, 'r5': 0.333}
    """

    def __init__(self, real: FactoredGame, stakes: Sequence[Stakes]) -> None:
        if not stakes:
            raise SettingsError("a suite needs at least one agent")
        self.real, self.stakes = real, tuple(stakes)
        self.games = [abstract_game(real, one) for one in stakes]
        tree = tree_for(real, 1)
        self.nodes = np.flatnonzero(real.tree.mover > 0)
        """The decisions of the real betting tree."""
        self.at = np.empty((len(stakes), len(real.tree)), np.int32)
        """For each agent and real node, the node of the agent's game; -1 if that is over."""
        for game, row in zip(self.games, self.at, strict=True):
            follow(tree, tree_for(game, 1), row)

    def weights(self, settings: Switching | None = None, chosen: Sequence[int] = ()) -> Table:
        """The weights of agents (rows) at the real decisions (columns), summing to 1 or 0.

        chosen lists the places of the agents that are asked; all of them if it is empty.
        """
        s, places = settings or Switching(), self._places(chosen)
        parent = self.real.tree.parent
        real = tree_for(self.real, 1)
        n, now = len(self.nodes), s.pot == "now"
        own, theirs = np.empty((2, n)), np.empty((len(places), 2, n))
        ratios(real, parent, np.arange(len(parent), dtype=np.int32), self.nodes, now, own)
        for k, place in enumerate(places):
            game = self.games[place]
            ratios(tree_for(game, 1), game.tree.parent, self.at[place], self.nodes, now, theirs[k])
        # Ratios of 0 stand for what is not there: a bet, on both sides, or an agent's game.
        alike = np.ones((2, len(places), n))
        for share, a, b in zip(alike, theirs.swapaxes(0, 1), own, strict=True):
            low, high = np.minimum(a, b), np.maximum(a, b)
            np.divide(low, high, out=share, where=high > 0.0)
        near: Table = alike[0] * alike[1]
        if s.weights == "exact":
            matches = alike.min(axis=0) >= (1.0 - s.tolerance) * (1.0 - HAIR)
            near = _matching(near, matches)
        total: Vector = near.sum(axis=0)
        return near / np.where(total > 0.0, total, 1.0)

    def player(
        self,
        strategies: Sequence[Strategy],
        settings: Switching | None = None,
        chosen: Sequence[int] = (),
    ) -> Strategy:
        """The switching player as a strategy of the real game.

        Parameters
        ----------
        strategies
            One for each agent of the suite, all of the same player.
        settings
            How agents are weighed and used.
        chosen
            The places of the agents that he has; all of them if it is empty.

        Raises
        ------
        StrategyError
            If a strategy is not one of its agent's game.
        """
        s, places = settings or Switching(), self._places(chosen)
        if len(strategies) != len(self.games):
            raise StrategyError(
                f"{len(strategies)} strategies, expected one for each of {len(self.games)} agents"
            )
        player = strategies[0].player
        weights = self.weights(s, places)
        plex = _treeplex(self.real, player)
        out = np.zeros(plex.n_sequences)
        real = tree_for(self.real, player)
        deal = self.real.deal
        hands = np.array([deal.classes(player, r) for r in range(len(deal.rounds))], np.int64)
        for weight, place in zip(weights, places, strict=True):
            strategy, game = strategies[place], self.games[place]
            own = _treeplex(game, player)
            if strategy.player != player or strategy.treeplex.fingerprint != own.fingerprint:
                raise StrategyError(
                    f"strategy {place} does not belong to {game.name}, player {player}"
                )
            used = self.nodes[weight > 0.0]
            take_part(
                *(real, tree_for(game, player), player, used, weight[weight > 0.0]),
                *(self.at[place], hands, float(self.stakes[place].bet), ROUNDING[s.rounding]),
                *(strategy.probabilities, strategy.plan, TREATED.index(s.unreached), out),
            )
        settle(real, player, self.nodes, hands, out)
        out[0] = 1.0
        return Strategy(plex, out, player)

    def _places(self, chosen: Sequence[int]) -> list[int]:
        places = list(chosen) or list(range(len(self.games)))
        if min(places) < 0 or max(places) >= len(self.games) or len({*places}) != len(places):
            raise SettingsError(
                f"agents {places[:5]} are chosen, expected different ones of the "
                f"{len(self.games)}, counted from 0"
            )
        return places


def _matching(near: Table, matches: NDArray[np.bool_]) -> Table:
    """1 for agents that match, or for the nearest ones where none does."""
    nearest = (near > 0.0) & (near >= near.max(axis=0) * (1.0 - HAIR))
    return np.where(np.where(matches.any(axis=0), matches, nearest), 1.0, 0.0)


def _treeplex(game: FactoredGame, player: int) -> Treeplex:
    form = game.sequence_form()
    return form.X if player == 1 else form.Y
