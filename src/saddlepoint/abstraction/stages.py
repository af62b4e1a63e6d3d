r"""Stage abstraction: solve the first rounds alone, then the rest from what they led to.

A game too large to be solved at once is solved in two phases (thesis 003, sections 6.3, 6.4
and 7.2). The first is a game of the first rounds, whose leaves are paid by a model of the rest
(`saddlepoint.abstraction.truncated`). The second is the rest, with beliefs that follow from the
first phase's strategies (`saddlepoint.abstraction.resolving`). What comes out is one strategy of
the whole game, so that its loss is measured exactly, as any other's.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame, Grouping
from saddlepoint.abstraction.resolving import UNIFORM, Resolved, Told, resolved
from saddlepoint.abstraction.rollout_model import Model
from saddlepoint.abstraction.truncated import Truncated, truncated
from saddlepoint.core.checks import whole
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.solution import Solution
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.solvers.cfr import RegretMatching
from saddlepoint.solvers.methods import solve
from saddlepoint.solvers.run import Method

Vector = NDArray[np.float64]


def lifted(small: Truncated, profile: Profile, pair: AbstractGame | None = None) -> Profile:
    """The first phase's strategies in the whole game, uniform in the rest of it.

    Parameters
    ----------
    small
        The game of the first rounds.
    profile
        Strategies for it.
    pair
        If the first phase was solved with abstract cards: the abstract game and the real one,
        whose hands then play as their classes do.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> small = truncated(leduc(), 1)
    >>> trunk = lifted(small, solve(small, "lp").profile)
    >>> trunk.first["Q|K:cc/"]
    {'c': 0.5, 'r': 0.5}
    """
    if profile.form.fingerprint != small.factored.form.fingerprint:
        raise StrategyError(f"the profile belongs to {profile.form.name}, not to {small}")
    real, groups = (small.game, None) if pair is None else (pair.real, _groups(small.game, pair))
    plans = [
        _carried(real, small, player, profile.player(player), None if groups is None else g)
        for player, g in zip((1, 2), groups or ((), ()), strict=True)
    ]
    return Profile.of(real, *plans)


def _groups(game: FactoredGame, pair: AbstractGame) -> tuple[Grouping, Grouping]:
    """The groups of a pair whose betting is the same in both games."""
    if pair.game.betting != pair.real.betting:
        raise GameError(
            f"{pair.game.name} is bet otherwise than {pair.real.name}: stages take cards that "
            "are grouped, and no bets that have to be translated"
        )
    if pair.game.sequence_form().fingerprint != game.sequence_form().fingerprint:
        raise GameError(f"the first rounds are those of {game.name}, not of {pair.game.name}")
    return pair.groups


def _carried(
    real: FactoredGame, small: Truncated, player: int, strategy: Strategy, groups: Grouping | None
) -> Vector:
    """One player's strategy in the whole game."""
    tree, source = small.factored.tree, small.factored.places[player - 1]
    target, form = real.factored.places[player - 1], real.sequence_form()
    out = (form.X if player == 1 else form.Y).uniform()
    mover = np.where(tree.parent < 0, 0, tree.mover[tree.parent])
    for n in np.flatnonzero(mover == player):
        r, node = int(tree.round[tree.parent[n]]), small.nodes[n]
        classes = np.arange(real.deal.classes(player, r))
        there = classes if groups is None else groups[r]
        taken = strategy.probabilities[source.row[n] + source.stride[n] * there]
        out[target.row[node] + target.stride[node] * classes] = taken
    return out


@dataclass(frozen=True, kw_only=True)
class StageAbstracted:
    """A game solved in two phases.

    Parameters
    ----------
    small
        The game of the first rounds.
    first
        Its solution.
    second
        The rest, solved after it.
    seconds
        How long everything took.
    """

    small: Truncated
    first: Solution
    second: Resolved
    seconds: float

    @property
    def profile(self) -> Profile:
        """The strategy of the whole game: the first phase's, and then the second's."""
        return self.second.profile

    def summary(self) -> dict[str, Any]:
        """What was done and what it came to, as plain data."""
        return {
            "game": self.profile.form.name,
            "rounds": self.small.keep,
            "played": self.second.rounds,
            "model": self.small.model.name,
            "first": {"value": self.first.value, "gap": self.first.gap},
            "second": {"value": self.second.value, "gap": self.second.gap},
            "uniform": self.second.uniform,
            "seconds": self.seconds,
        }


def stage_abstracted(
    game: FactoredGame,
    keep: int,
    *,
    model: Model | None = None,
    pair: AbstractGame | None = None,
    play: int | None = None,
    gap: float | None = None,
    rest_gap: float | None = None,
    method: str | Method = "auto",
    rest_method: str | RegretMatching = "hs-dcfr",
    uniform: float = UNIFORM,
    progress: Told | None = None,
    say: Callable[[str], None] | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> StageAbstracted:
    """Solve a game in two phases: its first rounds alone, then the rest after them.

    The steps are `truncated`, `solve`, `lifted` and `resolved`; a caller who wants to keep what
    each of them took calls them one by one.

    Parameters
    ----------
    game
        The real game.
    keep
        How many rounds the first phase solves.
    model
        How it takes the rest to be played; `RollOut()` if absent.
    pair
        Solve the first phase with the abstract cards of this pair, whose real game is `game`.
    play
        How many of these rounds are played by the first phase's strategies, if fewer: the
        source solves three rounds of Texas Hold'em and plays two, since the last one suffers
        most from the model. All that are kept, if absent.
    gap, rest_gap
        Goals of the first and of the second phase; the second's is the first's if absent.
    method, rest_method
        Methods of the phases; the second's is one of regret matching.
    uniform
        See `resolved`.
    progress, say
        Called with how a phase goes, and with what begins.
    folder
        Where the checkpoints of both phases are kept; a run that was killed goes on from them.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> found = stage_abstracted(leduc(), 1, gap=1e-3)
    >>> print(f"{found.first.value:.3f} {found.second.value:.3f}")
    -0.070 -0.111
    """
    began, tell = time.perf_counter(), say or (lambda text: None)
    if pair is not None and pair.real.sequence_form().fingerprint != (
        game.sequence_form().fingerprint
    ):
        raise GameError(f"the pair stands for {pair.real.name}, not for {game.name}")
    rounds = keep if play is None else whole("play", play, 1, keep)
    tell(f"the first {keep} of {game.betting.rounds} rounds")
    small = truncated(game if pair is None else pair.game, keep, model)
    files = [
        None if folder is None else Path(folder) / f"{phase}.checkpoint.saddle"
        for phase in ("first", "rest")
    ]
    first = solve(small, method, gap=gap, progress=progress, checkpoint=files[0])
    trunk = lifted(small, first.profile, pair)
    tell(f"the rest, after {rounds} rounds")
    second = resolved(
        *(game, trunk, rounds),
        method=rest_method,
        gap=gap if rest_gap is None else rest_gap,
        uniform=uniform,
        progress=progress,
        checkpoint=files[1],
    )
    return StageAbstracted(
        small=small, first=first, second=second, seconds=time.perf_counter() - began
    )
