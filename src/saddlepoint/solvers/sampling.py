r"""Sampling chance for methods that work on all of a game: more of it as strategies get better.

A sample of the chance moves has a sparser payoff matrix, and its iterations are cheaper. At
first what helps in the sample helps in the game. Later strategies *overfit*: the gap in the
sample goes on falling, that in the game does not (thesis 003, section 9.3). *Dynamic sampling*
(section 9.4) begins with a small sample. Every 50 iterations it measures the real gap; when that
shows overfitting, it doubles the sample and goes on from where it stands, until the sample is
the game. What shows overfitting is one of

* `rise`: the real gap is larger than it was 50 iterations ago, the rule of the thesis;
* `stall`: the real gap has fallen by less than the part `least` since then;
* `apart`: the real gap is more than `ratio` times the gap in the sample, which the thesis
  proposes and leaves to others;
* `never`, which is static sampling.

The source runs the excessive gap technique, and changes the strategies between samples to keep
its condition. Members of the CFR family have none: their strategies and regrets go on as they
are. Their averages begin anew, and so does the count of iterations that weights and discounts
depend on: what was overfitted would stay in the averages for thousands of iterations. Averages
change ever more slowly, so that the real gap of overfitted ones comes to rest rather than rise;
therefore it is `stall` that stands where nothing is said, and not `rise`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.core.seeds import Seed, derived
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.response import gap as measure_gap
from saddlepoint.sequence.solution import Solution
from saddlepoint.solvers.cfr import FAMILY
from saddlepoint.solvers.run import CHECKPOINT_SECONDS, Loop, Progress, Run

Vector = NDArray[np.float64]
# A sample of a proportion, by a seed, with the treeplexes of the game.
Sample = Callable[[float, Seed], SequenceForm]
METHODS = {method.name: method for method in FAMILY}
TRIGGERS = ("stall", "rise", "apart", "never")


@dataclass(frozen=True, kw_only=True)
class DynamicSampling:
    """Settings of dynamic sampling.

    Parameters
    ----------
    method
        What runs on the samples: the name of a member of the CFR family.
    proportion
        The first sample's part of the game.
    growth
        What the proportion is multiplied by.
    every
        Iterations between looks at the real gap.
    trigger
        `stall`, `rise`, `apart` or `never`.
    least
        For `stall`: the part of the real gap.
    ratio
        For `apart`: the real gap over that in the sample.
    seed
        Of the samples.
    """

    name: ClassVar[str] = "dynamic sampling"
    sources: ClassVar[tuple[str, ...]] = ("gilpin2009",)
    method: str = "dcfr"
    proportion: float = 0.01
    growth: float = 2.0
    every: int = 50
    trigger: str = "stall"
    least: float = 0.05
    ratio: float = 4.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(unknown("method", self.method, tuple(METHODS)))
        if not 0.0 < self.proportion <= 1.0:
            raise SettingsError(f"proportion is {self.proportion}, expected above 0 and up to 1")
        for name in ("growth", "ratio"):
            if not getattr(self, name) > 1.0:
                raise SettingsError(f"{name} is {getattr(self, name)}, expected above 1")
        if not 0.0 < self.least < 1.0:
            raise SettingsError(f"least is {self.least}, expected above 0 and below 1")
        if self.trigger not in TRIGGERS:
            raise SettingsError(unknown("trigger", self.trigger, TRIGGERS))
        whole("every", self.every, 1)
        whole("seed", self.seed, 0)

    def start(self, form: SequenceForm) -> Run:
        """Refused: a form alone cannot be sampled; see `solve_by_samples`."""
        raise SettingsError(
            f"{form.name} cannot be sampled by its payoffs alone; call "
            "saddlepoint.solvers.sampling.solve_by_samples with what draws samples of it"
        )


class DynamicRun:
    """Dynamic sampling at work: a run of the method, handed on from sample to sample."""

    finished = False

    def __init__(self, form: SequenceForm, sample: Sample, settings: DynamicSampling) -> None:
        self.form, self.sample, self.settings = form, sample, settings
        self.spacing = settings.every
        self.proportion, self.phase, self.before = settings.proportion, 0, math.inf
        self.looks: list[tuple[float, ...]] = []
        self.iterations, self.earlier = 0, 0
        self._begin()

    def _begin(self) -> None:
        """Start the method on the sample of this phase."""
        small = self.form
        if self.proportion < 1.0:
            own = derived(self.settings.seed, "sample", self.phase)
            small = self.sample(self.proportion, own)
        self.small, self.inner = small, METHODS[self.settings.method]().start(small)

    def advance(self, iterations: int, seconds: float) -> None:
        """Do at most so many iterations, and look at the real gap where it is due."""
        every = self.settings.every
        due = every - self.iterations % every
        self.inner.advance(min(iterations, due), seconds)
        self.iterations = self.earlier + self.inner.iterations
        if self.proportion < 1.0 and self.iterations % every == 0:
            self._look()

    def _look(self) -> None:
        """Measure both gaps, and go on to a larger sample if that is called for."""
        plans = self.inner.plans()
        real, inside = (measure_gap(f.X, f.Y, f.A, *plans).gap for f in (self.form, self.small))
        self.looks.append((self.iterations, self.proportion, inside, real))
        called = self._overfitted(inside, real)
        self.before = real
        if called:
            state = {key: np.array(array) for key, array in self.inner.state().items()}
            state["mass"][:] = 0.0  # the next plan is all of the average
            self.proportion = min(1.0, self.proportion * self.settings.growth)
            self.phase, self.before, self.earlier = self.phase + 1, math.inf, self.iterations
            self._begin()
            self.inner.restore(0, state)

    def _overfitted(self, inside: float, real: float) -> bool:
        """Whether the gaps in the sample and in the game say so, after those of the last look."""
        settings = self.settings
        if settings.trigger == "stall":
            return real > self.before * (1.0 - settings.least)
        if settings.trigger == "rise":
            return real > self.before
        return settings.trigger == "apart" and real > settings.ratio * inside

    def plans(self) -> tuple[Vector, Vector]:
        """The averages."""
        return self.inner.plans()

    @property
    def notes(self) -> Mapping[str, Any]:
        """The proportion at the end, and what every look saw."""
        keys = ("iterations", "proportion", "gap in the sample", "gap")
        return {
            "proportion": self.proportion,
            "looks": [dict(zip(keys, look, strict=True)) for look in self.looks],
        }

    def state(self) -> Mapping[str, Any]:
        """The state of the method, the sample, and what every look saw."""
        standing = np.array([self.proportion, self.phase, self.before, self.earlier])
        looks = np.array(self.looks, np.float64).reshape(-1, 4)
        return {**self.inner.state(), "standing": standing, "looks": looks}

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state, drawing its sample again."""
        proportion, phase, before, earlier = state["standing"].tolist()
        self.proportion, self.phase, self.before = proportion, int(phase), before
        self.looks = [(int(row[0]), *row[1:]) for row in state["looks"].tolist()]
        self._begin()
        self.iterations, self.earlier = iterations, int(earlier)
        self.inner.restore(iterations - self.earlier, state)


def solve_by_samples(
    form: SequenceForm,
    sample: Sample,
    settings: DynamicSampling | None = None,
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Solution:
    """Solve a game on samples of its chance moves that grow.

    Parameters
    ----------
    form
        The game.
    sample
        Draws a sample, of a proportion and by a seed: `saddlepoint.games.sampling.Sampler`.
    settings
        How; the defaults if absent.
    gap, iterations, seconds, progress, stop, checkpoint, checkpoint_seconds
        See `saddlepoint.solvers.run.run`. The gap is that in the whole game.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> from saddlepoint.games.sampling import Sampler
    >>> draw = Sampler(leduc())
    >>> settings = DynamicSampling(proportion=0.4, seed=1)
    >>> found = solve_by_samples(draw.form, draw, settings, gap=0.01)
    >>> found.gap <= 0.01, found.notes["proportion"]
    (True, 1.0)
    """
    settings = settings or DynamicSampling()
    loop = Loop(form, settings, DynamicRun(form, sample, settings), checkpoint)
    return loop.solution(loop.go(gap, iterations, seconds, progress, stop, checkpoint_seconds))
