r"""The rest of a game, solved from the beliefs that strategies for its first rounds lead to.

What the opponent may hold after a history h follows from the strategies of the *trunk*, the
first rounds, by Bayes' rule (thesis 003, section 6.3),

$$\Pr[\theta \mid h] \propto \Pr[h \mid \theta, \sigma] \Pr[\theta],$$

and the rest is solved from there. The source does that for the history and board at hand, as
play gets there. Here all histories and boards are solved at once: as the game in which the
players are *locked* to their strategies in the trunk. Its equilibrium is one of every such
subgame that the trunk reaches, since plans of the trunk and the chance of a deal multiply to
the beliefs, up to a factor for each history.

The result need not be an equilibrium of the whole game even where the trunk is that of one: an
opponent who leaves the trunk is answered as if he had not.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.truncated import checked_rounds
from saddlepoint.core.checks import number, shown, whole
from saddlepoint.core.errors import SettingsError, StoreError, StrategyError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.response import Gap
from saddlepoint.sequence.solution import Status, Trace
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.by_parts import unlocked
from saddlepoint.solvers.cfr import Locked, RegretMatching
from saddlepoint.solvers.methods import DEFAULT_PART, method_named
from saddlepoint.solvers.run import (
    CHECKPOINT_SECONDS,
    Loop,
    Progress,
    check_budget,
    settings_of,
)

Vector = NDArray[np.float64]
Told = Callable[[Progress], None]
# The weight of the uniform trunk in beliefs.
UNIFORM = 1e-6


def trunk_blocks(game: FactoredGame, rounds: int) -> tuple[int, int]:
    """How many blocks of each player's treeplex are decisions of the first rounds.

    >>> from saddlepoint.games.poker import leduc
    >>> trunk_blocks(leduc(), 1)
    (3, 3)
    """
    tree, form = game.tree, game.sequence_form()
    later = (tree.parent >= 0) & (tree.round[tree.parent] >= rounds)
    counts = []
    for player, plex in ((1, form.X), (2, form.Y)):
        rows = game.factored.places[player - 1].row[later & (tree.mover[tree.parent] == player)]
        end = rows.min() if len(rows) else plex.n_sequences
        counts.append(int(np.searchsorted(plex.blocks.start, end)))
    return counts[0], counts[1]


def glued(game: FactoredGame, trunk: Profile, rest: Profile, rounds: int) -> Profile:
    """The profile that plays as one does in the first rounds and as another does after them.

    >>> from saddlepoint.games.poker import leduc
    >>> game = leduc()
    >>> both = glued(game, Profile.random(game, 1), Profile.uniform(game), 1)
    >>> both.first["Q|K:cc/"]
    {'c': 0.5, 'r': 0.5}
    """
    for profile in (trunk, rest):
        _check_profile(game, profile)
    return _joined(trunk, rest, trunk_blocks(game, checked_rounds(game, rounds)))


def _joined(trunk: Profile, rest: Profile, blocks: tuple[int, int]) -> Profile:
    """The first blocks of one profile, and all others of another."""
    behaviours = []
    for count, one, two in zip(blocks, trunk, rest, strict=True):
        s, end = two.probabilities.copy(), _end(one.treeplex, count)
        s[:end] = one.probabilities[:end]
        behaviours.append(s)
    return Profile.of(trunk.form, *behaviours)


def _check_profile(game: FactoredGame, profile: Profile) -> None:
    if profile.form.fingerprint != game.sequence_form().fingerprint:
        raise StrategyError(f"the profile belongs to {profile.form.name}, not to {game.name}")


def _end(plex: Treeplex, blocks: int) -> int:
    """The first sequence after so many blocks."""
    return int(plex.blocks.start[blocks]) if blocks < plex.n_blocks else plex.n_sequences


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """The rest of a game, solved after first rounds that are given.

    Parameters
    ----------
    profile
        The trunk as it was given, and what was found for the rest.
    value, lower, upper
        Of the *locked* game, in which both play the trunk with its beliefs: expected payoff to
        player 1, and the values of best responses that differ after the trunk only.
    rounds, players, uniform
        How many rounds are locked and for whom, and the weight of the uniform trunk in beliefs.
    method, settings, iterations, seconds, status, trace
        As those of a `Solution`.
    """

    profile: Profile
    value: float
    lower: float
    upper: float
    rounds: int
    players: tuple[int, ...]
    uniform: float
    method: str
    settings: dict[str, Any]
    iterations: int
    seconds: float
    status: Status
    trace: Trace = field(repr=False)

    @property
    def gap(self) -> float:
        """What both could gain after the trunk, in sum."""
        return max(0.0, self.upper - self.lower)


def resolved(
    game: FactoredGame,
    trunk: Profile,
    rounds: int,
    *,
    method: str | RegretMatching = "hs-dcfr",
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    uniform: float = UNIFORM,
    players: tuple[int, ...] = (1, 2),
    progress: Told | None = None,
    stop: Callable[[], bool] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    **settings: Any,
) -> Resolved:
    """Solve the rest of a game from the beliefs that follow from strategies for its first rounds.

    Parameters
    ----------
    game
        The whole game.
    trunk
        A profile of it, of which the first rounds count.
    rounds
        How many rounds are locked, at least one and not all.
    method, settings
        A member of the family of regret matching, by name or by settings.
    gap, iterations, seconds
        Stop when best responses that keep to the trunk gain no more than this in sum, or when
        so many are spent. If none is given, the goal is a ten-thousandth of the gap at the
        start.
    uniform
        A history that the trunk never leads to has no beliefs. They are those of a trunk which
        is the given one with probability 1 - uniform, and else plays all actions equally; which
        of them is decided once, before the deal. At 0 such histories are played uniformly.
    players
        Who keeps to the trunk. With one player, the other one is free everywhere, and what is
        found for the rest is the best that can follow the trunk: `lower` (of player 1, or
        `upper` of player 2) is what the trunk can guarantee. There is nothing to believe then,
        and uniform may be 0.
    progress, stop, checkpoint, checkpoint_seconds
        See `saddlepoint.solvers.run.run`.

    Notes
    -----
    An iteration costs as much as one on the whole game.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> from saddlepoint.solvers.methods import solve
    >>> game = leduc()
    >>> found = resolved(game, solve(game, "lp").profile, 1, gap=1e-4)
    >>> print(f"{found.value:.3f} {found.gap <= 1e-4}")
    -0.086 True
    """
    checked_rounds(game, rounds)
    for key, value in (("gap", gap), ("seconds", seconds)):
        check_budget(key, value, zero=key == "gap")
    if iterations is not None:
        whole("iterations", iterations, 1)
    if not 0.0 <= number("uniform", uniform) < 1.0:
        raise SettingsError(f"uniform is {shown(uniform)}, expected at least 0 and below 1")
    chosen = method_named(method, **settings) if isinstance(method, str) else method
    if not isinstance(chosen, RegretMatching):
        raise SettingsError(f"method is {chosen.name}, expected one of regret matching")
    _check_profile(game, trunk)
    if not players or not set(players) <= {1, 2}:
        raise SettingsError(f"players is {shown(players)}, expected (1, 2), (1,) or (2,)")
    blocks = [n * (k in players) for k, n in enumerate(trunk_blocks(game, rounds), 1)]
    form = game.sequence_form()
    work = _Behind(form, trunk, (blocks[0], blocks[1]), chosen, uniform)
    if gap is None and iterations is None and seconds is None:
        gap = DEFAULT_PART * work.measure().gap
    loop = Loop(form, chosen, work, checkpoint)
    status = loop.go(gap, iterations, seconds, progress, stop, checkpoint_seconds)
    x, y = work.plans()
    found = work.bounds(x, y)
    return Resolved(
        profile=_joined(trunk, Profile.of_plans(form, x, y), work.locked.blocks),
        value=float(x @ (form.A @ y)),
        lower=found.lower,
        upper=found.upper,
        rounds=rounds,
        players=tuple(players),
        uniform=uniform,
        method=chosen.name,
        settings=settings_of(chosen),
        iterations=work.iterations,
        seconds=loop.seconds,
        status=status,
        trace=loop.trace(),
    )


class _Behind:
    """Regret matching on a game with a locked trunk, and the gap that is left in the rest."""

    def __init__(
        self,
        form: SequenceForm,
        trunk: Profile,
        blocks: tuple[int, int],
        method: RegretMatching,
        uniform: float,
    ) -> None:
        self.form, self.plexes = form, (form.X, form.Y)
        self.trunk = tuple(
            plex.behaviour((1 - uniform) * s.plan + uniform * plex.plan(plex.uniform()))
            for plex, s in zip(self.plexes, trunk, strict=True)
        )
        self.locked = Locked(blocks, (self.trunk[0], self.trunk[1]))
        self.free = [unlocked(p.blocks, n) for p, n in zip(self.plexes, blocks, strict=True)]
        self.ends = [_end(plex, n) for plex, n in zip(self.plexes, blocks, strict=True)]
        self.work = method.start(form, self.locked)
        self.iterations, self.finished, self.spacing = 0, False, self.work.spacing

    def advance(self, iterations: int, seconds: float) -> None:
        """Iterate."""
        self.work.advance(iterations, seconds)
        self.iterations = self.work.iterations

    def plans(self) -> tuple[Vector, Vector]:
        """The plans of the trunk, to the last bit, and of what was found after it."""
        plans = []
        for plex, kept, end, mean in zip(
            self.plexes, self.trunk, self.ends, self.work.plans(), strict=True
        ):
            s = plex.behaviour(mean)
            s[:end] = kept[:end]
            plans.append(plex.plan(s))
        return plans[0], plans[1]

    def measure(self) -> Gap:
        """The values of best responses that keep to the trunk, as payoffs to player 1."""
        return self.bounds(*self.plans())

    def bounds(self, x: Vector, y: Vector) -> Gap:
        """The same against given plans."""
        values = []
        for own, g, free, end in zip(
            (x, y), (self.form.A @ y, -(self.form.A.T @ x)), self.free, self.ends, strict=True
        ):
            sweeps.best_values(free, g)
            values.append(float(own[:end] @ g[:end]))
        return Gap(lower=-values[1], upper=values[0])

    def state(self) -> dict[str, Any]:
        """The state of regret matching, and the trunk that it belongs to."""
        return {**self.work.state(), "trunk": self._digest}

    @cached_property
    def _digest(self) -> NDArray[np.uint8]:
        total = hashlib.sha256(np.array(self.ends, np.int64).data)
        for s, end in zip(self.trunk, self.ends, strict=True):
            total.update(np.ascontiguousarray(s[:end]).data)
        return np.frombuffer(total.digest(), np.uint8)

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state.

        Raises
        ------
        StoreError
            If it is one behind another trunk.
        """
        if not np.array_equal(state.get("trunk", ()), self._digest):
            raise StoreError(
                f"the checkpoint was made behind another trunk of {self.form.name}; name another "
                "checkpoint or delete it"
            )
        self.work.restore(iterations, state)
        self.iterations = iterations
