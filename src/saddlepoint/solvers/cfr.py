r"""Counterfactual regret minimisation as one family: regret matching on treeplexes.

At every information set a regret minimiser accumulates how much better each action would
have done, and plays actions in proportion to their positive regrets. The averages of both
players' realization plans approach an equilibrium (Zinkevich et al. 2007). The members of
the family differ in four numbers and the order of updates:

* positive regrets are multiplied by $t^\alpha/(t^\alpha+1)$ after iteration t, negative
  ones by $t^\beta/(t^\beta+1)$ ($\infty$ keeps, $-\infty$ drops);
* iteration t has weight $t^\gamma$ in the average;
* `foresight` adds the last regrets once more before matching;
* players update in turn or at once.

| method | alpha    | beta      | gamma | foresight | source                            |
|--------|----------|-----------|-------|-----------|-----------------------------------|
| cfr    | infinity | infinity  | 0     | 0         | Zinkevich et al. 2007             |
| cfr+   | infinity | -infinity | 1     | 0         | Tammelin 2014                     |
| lcfr   | 1        | 1         | 1     | 0         | Brown and Sandholm 2019           |
| dcfr   | 1.5      | 0         | 2     | 0         | Brown and Sandholm 2019           |
| pcfr+  | infinity | -infinity | 2     | 1         | Farina, Kroer and Sandholm 2021   |
| hs-dcfr | 1 to 3  | -1/2      | 3.5   | 0         | Zhang, McAleer and Sandholm 2024  |

In the last one alpha climbs, from 1 to 3 in equal steps over `horizon` iterations. That alpha
should climb and early iterations count for little is its authors' finding; these numbers are
ours, and were found on Rhode Island Hold'em, where it is far ahead of the others.

Where this differs from the sources: with updates in turn, the average takes of each
player the plan that the opponent's update has just faced (player 1's new one, player 2's
old one), for which Burch, Moravcik and Schmid (2019) prove the bound. Predictive
regret matching takes the last regrets of every information set as the prediction, rather
than sweeping the predicted gradient with the new strategy.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.partition import Partition
from saddlepoint.sequence.parts import CHUNKS
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.by_parts import ByParts, unlocked, update_trunk
from saddlepoint.solvers.matching import Exponents, Player, discounts, iterate
from saddlepoint.solvers.pace import Paced

Vector = NDArray[np.float64]
UPDATES = ("alternating", "simultaneous")
PRECISIONS = ("double", "single")
# Beyond this exponent, averages in single precision lose the early iterations at once.
LARGEST_AVERAGING = 15.0
# From so many sequences of a player on, vectors do not fit into a cache, and games that have
# parts (`saddlepoint.sequence.parts`) are iterated part by part.
BY_PARTS_FROM = 200_000
# There a measurement costs several iterations.
SPACING = 32


class Locked(NamedTuple):
    """A *trunk*: strategies that are given in the first blocks of both players, and kept.

    What follows is solved as if both players had to play so before. Regrets and strategies of
    the locked blocks are never written.
    """

    blocks: tuple[int, int]
    """How many blocks of player 1 and of player 2 are locked."""
    strategies: tuple[Vector, Vector]
    """Behaviour strategies, of which only the locked blocks are read."""


@dataclass(frozen=True, kw_only=True)
class RegretMatching:
    """Settings of a member of the family.

    Parameters
    ----------
    alpha, beta
        Exponents of the discount of positive and of negative regrets.
    alpha_last, horizon
        If given, alpha climbs to this over so many iterations.
    gamma
        Exponent of the weights in the average.
    foresight
        How much of the last regrets is added before matching.
    updates
        `alternating` or `simultaneous`.
    precision
        `double`, or `single` for half the memory and about twice the speed on games that
        do not fit into the caches.
    threads
        How many work on a large game, 1 to 8; as many as there are processors if absent. They
        share its parts, or the products of a game that has none. It makes no difference to the
        result.
    """

    name: ClassVar[str] = "regret matching"
    sources: ClassVar[tuple[str, ...]] = ("zinkevich2007", "burch2019")
    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    foresight: float = 0.0
    updates: str = "alternating"
    precision: str = "double"
    threads: int | None = None
    alpha_last: float | None = None
    horizon: int = 1

    def __post_init__(self) -> None:
        if self.updates not in UPDATES:
            raise SettingsError(f"updates is '{self.updates}', expected one of {UPDATES}")
        if self.precision not in PRECISIONS:
            raise SettingsError(f"precision is '{self.precision}', expected one of {PRECISIONS}")
        if not 0.0 <= self.gamma <= LARGEST_AVERAGING:
            raise SettingsError(f"gamma is {self.gamma}, expected 0 to {LARGEST_AVERAGING:g}")
        if not 0.0 <= self.foresight <= 1.0:
            raise SettingsError(f"foresight is {self.foresight}, expected 0 to 1")
        if self.threads is not None:
            whole("threads", self.threads, 1, CHUNKS)
        whole("horizon", self.horizon, 1)
        if self.alpha_last is not None and not math.isfinite(self.alpha + self.alpha_last):
            raise SettingsError(
                f"alpha climbs from {self.alpha} to {self.alpha_last}, expected finite numbers"
            )
        for key, exponent in (("alpha", self.alpha), ("beta", self.beta)):
            if math.isnan(exponent):
                raise SettingsError(f"{key} is not a number")

    def start(self, form: SequenceForm, locked: Locked | None = None) -> RegretRun:
        """Begin on a game, with the uniform strategies; in locked blocks, with those given."""
        return RegretRun(form, self, locked)


@dataclass(frozen=True, kw_only=True)
class CFR(RegretMatching):
    """Counterfactual regret minimisation as first published."""

    name: ClassVar[str] = "cfr"
    sources: ClassVar[tuple[str, ...]] = ("zinkevich2007",)


@dataclass(frozen=True, kw_only=True)
class CFRPlus(RegretMatching):
    """CFR+: regrets never fall below zero, linear averaging."""

    name: ClassVar[str] = "cfr+"
    sources: ClassVar[tuple[str, ...]] = ("tammelin2014", "burch2019")
    beta: float = -math.inf
    gamma: float = 1.0


@dataclass(frozen=True, kw_only=True)
class LinearCFR(RegretMatching):
    """Linear CFR: iteration t weighs t in regrets and in the average."""

    name: ClassVar[str] = "lcfr"
    sources: ClassVar[tuple[str, ...]] = ("brown2019",)
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0


@dataclass(frozen=True, kw_only=True)
class DiscountedCFR(RegretMatching):
    """Discounted CFR with the exponents its authors recommend."""

    name: ClassVar[str] = "dcfr"
    sources: ClassVar[tuple[str, ...]] = ("brown2019",)
    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0


@dataclass(frozen=True, kw_only=True)
class PredictiveCFRPlus(RegretMatching):
    """CFR+ that expects the last regrets again, with quadratic averaging."""

    name: ClassVar[str] = "pcfr+"
    sources: ClassVar[tuple[str, ...]] = ("farina2021",)
    beta: float = -math.inf
    gamma: float = 2.0
    foresight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class ScheduledDCFR(RegretMatching):
    """Discounted CFR whose discounts grow weaker by a schedule."""

    name: ClassVar[str] = "hs-dcfr"
    sources: ClassVar[tuple[str, ...]] = ("brown2019", "zhang2024")
    alpha: float = 1.0
    alpha_last: float | None = 3.0
    horizon: int = 1600
    beta: float = -0.5
    gamma: float = 3.5


FAMILY: tuple[type[RegretMatching], ...] = (
    CFR,
    CFRPlus,
    LinearCFR,
    DiscountedCFR,
    PredictiveCFRPlus,
    ScheduledDCFR,
)


class RegretRun(Paced):
    """A member of the family at work."""

    def __init__(
        self, form: SequenceForm, settings: RegretMatching, locked: Locked | None = None
    ) -> None:
        self.form, self.settings = form, settings
        self.single = settings.precision == "single"
        self.locked = locked or Locked((0, 0), (form.X.uniform(), form.Y.uniform()))
        self._check_locked()
        first, second = self.locked.blocks
        self.blocks = unlocked(form.X.blocks, first), unlocked(form.Y.blocks, second)
        small = self._is_small()
        self.by_parts = None if small else ByParts.of(form, settings.threads, self.locked.blocks)
        self.partition: Partition | None = None
        if small or self.by_parts is not None:
            self.arrays = form.A.single() if self.single else form.A.arrays
        else:
            threads = settings.threads or min(CHUNKS, len(os.sched_getaffinity(0)))
            self.partition = Partition(form.A, threads, self.single)
            self.arrays = self.partition.arrays
        self.players = (self._player(form.X, 0), self._player(form.Y, 1))
        self.iterations, self.finished, self.mass = 0, False, 0.0
        s = settings
        climb = 0.0 if s.alpha_last is None else (s.alpha_last - s.alpha) / s.horizon
        self.exponents = Exponents(
            float(s.alpha),
            float(climb),
            int(s.horizon),
            float(s.beta),
            float(s.gamma),
            float(s.foresight),
            s.updates == "alternating",
        )
        self.spacing = 1 if self.by_parts is None else SPACING

    def _is_small(self) -> bool:
        most = max(self.form.X.n_sequences, self.form.Y.n_sequences)
        return most < BY_PARTS_FROM or self.settings.updates != "alternating"

    def _check_locked(self) -> None:
        for number, (plex, blocks, s) in enumerate(
            zip((self.form.X, self.form.Y), *self.locked, strict=True), 1
        ):
            if not 0 <= blocks <= plex.n_blocks or np.shape(s) != (plex.n_sequences,):
                raise StrategyError(
                    f"{blocks} locked blocks with a strategy of {np.size(s)} numbers for player "
                    f"{number}, who has {plex.n_blocks} blocks and {plex.n_sequences} sequences"
                )

    def _player(self, plex: Treeplex, seat: int) -> Player:
        dtype = np.float32 if self.single else np.float64
        s, kept = plex.uniform(), self.locked.blocks[seat]
        end = plex.blocks.start[kept] if kept < plex.n_blocks else plex.n_sequences
        s[:end] = self.locked.strategies[seat][:end]
        x = plex.plan(s)
        # By parts, plans and values are kept of the trunk only.
        n = len(s) if self.by_parts is None else self.by_parts.parts.trunk[seat]
        vectors = (s, x[:n], np.zeros_like(s), x, np.zeros(n))
        return Player(*(np.array(v, dtype) for v in vectors))

    def _iterate(self, count: int) -> None:
        first, second = self.players
        if self.by_parts is not None:
            self.mass = self.by_parts.iterate(
                *(self.arrays, self.players, self.iterations, count),
                *(self.mass, self.exponents),
            )
            self.iterations += count
            return
        if self.partition is not None:
            for _ in range(count):
                self._step(self.partition)
            return
        self.mass = iterate(
            self.arrays,
            *self.blocks,
            first,
            second,
            self.iterations,
            count,
            self.mass,
            self.exponents,
        )
        self.iterations += count

    def _step(self, A: Partition) -> None:
        """One iteration as `iterate` does it, with updates in turn, and products on threads."""
        t, e = self.iterations + 1, self.exponents
        self.mass = 1.0 + self.mass * (1.0 - 1.0 / t) ** e.gamma
        numbers = 1.0 / self.mass, *discounts(t, e), e.foresight
        nothing = np.empty((0, 0), self.players[0].v.dtype)
        for seat, own in enumerate(self.players):
            opponent = self.players[1 - seat]
            A.gradient(seat == 1, opponent.x, own.v)
            update_trunk(self.blocks[seat], own, opponent, *numbers, own.v, nothing)
        self.iterations = t

    def plans(self) -> tuple[Vector, Vector]:
        """The averages; of single-precision ones, the plans of their behaviour."""
        first, second = (player.mean for player in self.players)
        if not self.single:
            return first, second
        X, Y = self.form.X, self.form.Y
        return X.plan(X.behaviour(first)), Y.plan(Y.behaviour(second))

    def state(self) -> Mapping[str, Any]:
        """Strategies, regrets and averages of both players."""
        state: dict[str, Any] = {"mass": np.array([self.mass])}
        for number, player in enumerate(self.players, 1):
            state |= {f"{key}{number}": getattr(player, key) for key in ("s", "R", "mean")}
        return state

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""
        self.iterations, self.mass = iterations, float(state["mass"][0])
        trunks = self.blocks if self.by_parts is None else self.by_parts.trunks
        for number, (player, blocks) in enumerate(zip(self.players, trunks, strict=True), 1):
            for key in ("s", "R", "mean"):
                getattr(player, key)[:] = state[f"{key}{number}"]
            sweeps.plan(blocks, player.s, player.x)
