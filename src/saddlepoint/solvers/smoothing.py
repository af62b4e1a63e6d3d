r"""Smoothing of the gap, once or again and again: O(1/eps) and O(log 1/eps) iterations.

The gap of two plans is a convex function of both, with minimum 0:

$$F(x, y) = \max_{u, v} \{u^\top A y - x^\top A v\}.$$

`smoothing` takes $\tfrac{\mu}{2} \|(u, v) - (\bar u, \bar v)\|^2$ off what is maximised, with the
uniform strategies as the centre $(\bar u, \bar v)$. That makes the gradient Lipschitz with constant
$L = \|A\|^2/\mu$, in Euclidean norms, and changes F by at most $\mu D$, where D is the greatest
half squared distance from the centre. With $\mu = \epsilon/(2D)$ Nesterov's optimal gradient method
reaches a gap below $\epsilon$ within

$$2 \sqrt 2\, \|A\| \sqrt D \, \operatorname{dist}(x_0, y_0) / \epsilon$$

iterations, where dist is the distance of the start from the set of all equilibria (thesis 003,
Proposition 7; Nesterov 2005b). `iterated` calls it with the goals $\epsilon_0/\gamma,
\epsilon_0/\gamma^2, \dots$, each from where the last one ended. F grows at least in proportion to
the distance from the equilibria, $F \ge \delta(A) \operatorname{dist}$, so that each call needs at
most $2 \sqrt 2\, \gamma \|A\| \sqrt D / \delta(A)$ iterations and the goal only decides how many
calls there are (Theorem 8). How small $\delta(A)$ is, nobody knows beforehand.

An iteration costs six products with A and six projections (`saddlepoint.solvers.subproblem`).

Player 1 maximises here, not minimises. Of the two inner methods, `lan` takes the gradient's step
from the last auxiliary point instead of the sum of all from the start (Lan, Lu and Monteiro 2011).
Its steps are weighted with (k + 2)/2, with which Tseng's argument bounds it by
$2 L \operatorname{dist}^2/(k+2)^2$ where Nesterov's has $(k+1)(k+2)$: so Proposition 7 and
Theorem 8 hold for it, too, which the thesis denies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import number
from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.response import gap as measure_gap
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.operator_norm import best_apart, spectral
from saddlepoint.solvers.pace import Paced
from saddlepoint.solvers.smoothing_steps import Mover, smooth
from saddlepoint.solvers.subproblem import Projection

Vector = NDArray[np.float64]
INNER = ("nesterov", "lan")
# Without an accuracy, the goal is this part of the gap at the start.
PART = 1e-4
# Where repeating ends: this part of the gap at the start is less than rounding errors.
FLOOR = 1e-15


def _positive(name: str, value: Any, above: float) -> None:
    if not number(name, value) > above:
        raise SettingsError(f"{name} is {value}, expected a number above {above:g}")


@dataclass(frozen=True, kw_only=True)
class Smoothing:
    """Settings of Nesterov's smoothing for one accuracy.

    Parameters
    ----------
    accuracy
        The gap to smooth for, at which the method has finished; a ten-thousandth of that of
        uniform strategies if absent.
    inner
        `nesterov` or `lan`: which optimal gradient method.
    """

    name: ClassVar[str] = "smoothing"
    sources: ClassVar[tuple[str, ...]] = ("gilpin2009", "nesterov2005b", "lan2011")
    accuracy: float | None = None
    inner: str = "nesterov"

    def __post_init__(self) -> None:
        if self.inner not in INNER:
            raise SettingsError(f"inner is '{self.inner}', expected one of {INNER}")
        if self.accuracy is not None:
            _positive("accuracy", self.accuracy, 0.0)

    def start(self, form: SequenceForm) -> SmoothingRun:
        """Begin on a game, with the uniform strategies."""
        run = SmoothingRun(form, self.inner == "lan")
        run.goal = PART * run.gap if self.accuracy is None else self.accuracy
        return run


@dataclass(frozen=True, kw_only=True)
class IteratedSmoothing:
    """Settings of smoothing again and again, with less of it every time.

    Parameters
    ----------
    gamma
        What the goal is divided by from call to call, more than 1; e has the least bound.
    inner
        `nesterov` or `lan`: which optimal gradient method.
    """

    name: ClassVar[str] = "iterated"
    sources: ClassVar[tuple[str, ...]] = ("gilpin2009", "nesterov2005b", "lan2011")
    gamma: float = math.e
    inner: str = "nesterov"

    def __post_init__(self) -> None:
        _positive("gamma", self.gamma, 1.0)
        if self.inner not in INNER:
            raise SettingsError(f"inner is '{self.inner}', expected one of {INNER}")

    def start(self, form: SequenceForm) -> SmoothingRun:
        """Begin on a game, with the uniform strategies."""
        run = SmoothingRun(form, self.inner == "lan", self.gamma)
        run.goal = run.gap / self.gamma
        return run


class _Reached(Exception):
    """There is nothing left to do."""


class SmoothingRun(Paced):
    """Smoothing at work, once or (with a gamma) again and again.

    Attributes
    ----------
    norm, distance
        The norm of A, and D.
    goal
        The gap that is smoothed for.
    calls
        How many iterations every call of smoothing has taken that has ended.
    """

    def __init__(self, form: SequenceForm, lan: bool, gamma: float | None = None) -> None:
        self.form, self.lan, self.gamma = form, lan, gamma
        self.projections = Projection(form.X), Projection(form.Y)
        self.players = _mover(form.X), _mover(form.Y)
        self.norm = spectral(form.A)
        self.distance = _farthest(form.X) + _farthest(form.Y)
        self.iterations, self.finished = 0, False
        self.k, self.calls = 0, list[int]()
        if not self.norm:
            for player, best in zip(self.players, best_apart(form), strict=True):
                player.x[:] = best
            self.finished = True
        self.gap = self.first_gap = measure_gap(form.X, form.Y, form.A, *self.plans()).gap
        self.finished = self.finished or self.gap <= 0.0
        self.goal = 0.0

    def advance(self, iterations: int, seconds: float) -> None:
        """Do at most so many iterations, fewer if the goal is reached, in about so long."""
        with suppress(_Reached):
            super().advance(iterations, seconds)

    def _iterate(self, count: int) -> None:
        if self.finished:
            self.iterations += not self.iterations
            raise _Reached
        mu = self.goal / (2.0 * self.distance)
        blocks = self.form.X.blocks, self.form.Y.blocks
        pieces = self.projections[0].pieces, self.projections[1].pieces
        done, self.gap = smooth(
            self.form.A.arrays,
            blocks,
            pieces,
            self.players,
            self.k,
            count,
            mu,
            self.norm**2 / mu,
            self.goal,
            self.lan,
        )
        self.iterations += done
        self.k += done
        if self.gap < self.goal:
            self._reached()
        if done < count:
            self._iterate(count - done)

    def _reached(self) -> None:
        """Go on with the next goal, if there is one."""
        self.calls.append(self.k)
        self.finished = self.gamma is None or self.goal <= FLOOR * self.first_gap
        if self.gamma is not None and not self.finished:
            self.goal /= self.gamma
            self.k = 0
            for player in self.players:
                player.w[:] = player.start[:] = player.x
                player.total[:] = 0.0

    def plans(self) -> tuple[Vector, Vector]:
        """The plans so far."""
        return self.players[0].x, self.players[1].x

    @property
    def notes(self) -> Mapping[str, Any]:
        """The goal that is smoothed for, and the length of all calls that ended."""
        return {"smoothed for": self.goal, "calls": list(self.calls)}

    def state(self) -> Mapping[str, Any]:
        """The vectors of both players and the place in the iterations."""
        state: dict[str, Any] = {
            "place": np.array([self.k, *self.calls], np.int64),
            "goal": np.array([self.goal, self.gap, float(self.finished)]),
        }
        for seat, player in enumerate(self.players, 1):
            for key in ("x", "w", "start", "total"):
                state[f"{key}{seat}"] = getattr(player, key)
        return state

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""
        self.iterations = iterations
        self.k, *self.calls = (int(seat) for seat in state["place"])
        self.goal, self.gap = float(state["goal"][0]), float(state["goal"][1])
        self.finished = bool(state["goal"][2])
        for seat, player in enumerate(self.players, 1):
            for key in ("x", "w", "start", "total"):
                getattr(player, key)[:] = state[f"{key}{seat}"]


def _mover(plex: Treeplex) -> Mover:
    uniform = plex.plan(plex.uniform())
    x, w, start, centre = (uniform.copy() for _ in range(4))
    total, *work = (np.zeros_like(uniform) for _ in range(4))
    return Mover(x, w, start, total, centre, *work)


def _farthest(plex: Treeplex) -> float:
    """Half the greatest squared distance of a plan from the uniform one: that of a pure plan.

    Of a pure plan u, half of |u - c|^2 is half of u'(1 - 2c) + c'c.
    """
    c = plex.plan(plex.uniform())
    return 0.5 * (plex.best_response(1.0 - 2.0 * c)[0] + float(c @ c))
