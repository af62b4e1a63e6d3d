r"""The excessive gap technique: both best responses are smoothed, and less and less so.

With prox functions $d_1, d_2$ (`saddlepoint.solvers.prox`) and $\mu_1, \mu_2 > 0$ let

$$\phi_{\mu_1}(y) = \max_x \{x^\top A y - \mu_1 d_1(x)\}, \qquad
  f_{\mu_2}(x) = \min_y \{x^\top A y + \mu_2 d_2(y)\}.$$

What player 1 guarantees with x is $f_0(x) \le \phi_0(y)$, what player 2 concedes with y. If x and
y satisfy the *excessive gap condition* $f_{\mu_2}(x) \ge \phi_{\mu_1}(y)$, then

$$\phi_0(y) - f_0(x) \le \mu_1 D_1 + \mu_2 D_2,$$

with $D_i$ the greatest $d_i$. Each step takes a part $\tau$ off one $\mu$ and keeps the condition
(Nesterov 2005; thesis 003, section 8.3; Hoda, Gilpin and Pena 2010).

| method | start                      | tau                               | balancing          |
|--------|----------------------------|-----------------------------------|--------------------|
| egt    | $\mu_2 D_2 = 2 \mu_1 D_1$  | $2/(k+3)$                         | never              |
| egt-2  | $\mu_1 = \mu_2$            | 1/2, halved as the condition asks | every 100 steps    |

`egt` is Algorithm 7, whose gap after N steps is at most
$4 \|A\| \sqrt{D_1 D_2 / (\sigma_1 \sigma_2)} / N$. `egt-2` is Algorithm 10, with both heuristics.
Which norm belongs to $\|A\|$ and the moduli $\sigma$ is free; the one of
`saddlepoint.solvers.operator_norm` with the least $\|A\| / \sqrt{\sigma_1 \sigma_2}$ is taken.

Where this differs from the thesis as printed. Player 1 maximises here.

* The smoothed functions have max and min exchanged, and (8.4) bounds the smoothed difference,
  which under the condition is not positive: the bound above is the one that holds.
* *initial* and *shrink* have a plus where the gradient of player 2, the minimiser, needs a minus,
  and *initial* names an undefined point for the centre of Y.
* The start $\mu_1 = \mu_2 = \|A\|/\sqrt{\sigma_1 \sigma_2}$ is too small for $\tau = 2/(k+3)$: the
  condition $\tau^2/(1-\tau) \le \mu_1 \mu_2 \sigma_1 \sigma_2 / \|A\|^2$ asks for 4/3 at k = 0, and
  for a product of 2 in all. Bound (8.6) belongs to $\mu_1 D_1 = \Gamma$, $\mu_2 D_2 = 2 \Gamma$,
  $\Gamma = \|A\| \sqrt{D_1 D_2/(\sigma_1 \sigma_2)}$, which is what `egt` starts with.
* Player 2's turn is called with $A^\top$ and negative $\mu$ in Algorithms 7 and 9, with $-A^\top$
  and positive $\mu$ in Algorithm 10. Only the latter keeps the test of *decrease* the right way
  round. That test also has $\mu_2$ for its reduced value in one place.
* (8.12), that neither $\mu$ exceeds twice the other, holds right after balancing, and
  Theorem 6 needs it at every step. So (8.14) is certain only while it holds.
* Both points that *shrink* and *initial* find from gradients of $d_2$ are the smoothed response to
  the new plan of the opponent, with the reduced $\mu$: put the condition for the maximum
  $\breve y$ into the definition. For the Euclidean prox function, whose gradient is not that of
  the maximum where an action is not played, the proof holds of this point as well, and we take it.
  It makes $f_{\mu_2}$ known without a further pass.

Of our own is `growth`: tau may rise again. Balancing uses up what slack the condition has, so that
the steps after it need a small tau, which the thesis's never gets rid of; on Leduc Hold'em 1.1
takes a third of the steps to a gap of 1e-4. Proposition 5 asks only that tau be at least half of
the greatest that is known to be small enough, which rising does not endanger.

A step costs three products with A; the test of *decrease* costs another pass over a treeplex.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import number, truth, whole
from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.solvers.excess import AT, FLOOR, Plan, Steps, excess, iterate
from saddlepoint.solvers.operator_norm import best_apart, operator_norms
from saddlepoint.solvers.pace import Paced
from saddlepoint.solvers.prox import KINDS, WEIGHTS, Prox

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ExcessiveGap:
    """Settings of the excessive gap technique.

    Parameters
    ----------
    prox
        `entropy` or `euclidean`: what is dilated over the treeplexes.
    weights
        `equal`, `nested` or `doubled`, the weights of information sets in it.
    aggressive
        Heuristic 1: try a tau of one half, and halve it as long as the condition fails, instead
        of the tau that is known to be small enough.
    balance
        Heuristic 2: after so many steps, shrink the larger mu until it is at most 1.5 times the
        other one, and both together by tenths while the condition holds; 0 for never.
    growth
        What tau is multiplied by before every try of the first heuristic, 1 to 2. The thesis's
        tau only falls.
    """

    name: ClassVar[str] = "egt"
    sources: ClassVar[tuple[str, ...]] = ("gilpin2009", "nesterov2005", "hoda2010", "farina2021b")
    prox: str = "entropy"
    weights: str = "nested"
    aggressive: bool = False
    balance: int = 0
    growth: float = 1.0

    def __post_init__(self) -> None:
        for key, choices in (("prox", KINDS), ("weights", WEIGHTS)):
            if getattr(self, key) not in choices:
                found = getattr(self, key)
                raise SettingsError(f"{key} is '{found}', expected one of {choices}")
        truth("aggressive", self.aggressive)
        whole("balance", self.balance, 0)
        if not 1.0 <= number("growth", self.growth) <= 2.0:
            raise SettingsError(f"growth is {self.growth}, expected 1 to 2")

    def start(self, form: SequenceForm) -> ExcessiveGapRun:
        """Begin on a game: O(depth * nonzero payoffs) for the norm, and one step."""
        return ExcessiveGapRun(form, self)


@dataclass(frozen=True, kw_only=True)
class ExcessiveGap2(ExcessiveGap):
    """The excessive gap technique with both heuristics."""

    name: ClassVar[str] = "egt-2"
    aggressive: bool = True
    balance: int = 100


class ExcessiveGapRun(Paced):
    """The excessive gap technique at work.

    Attributes
    ----------
    prox
        The prox functions of both players.
    ratio
        The norm of A over the root of both moduli, in the norm where it is least.
    """

    def __init__(self, form: SequenceForm, settings: ExcessiveGap) -> None:
        self.form, self.settings = form, settings
        kind, weights = settings.prox, settings.weights
        self.prox = Prox(form.X, kind, weights), Prox(form.Y, kind, weights)
        self.norm, self.ratio = self._least_ratio()
        self.smoothers = self.prox[0].arrays, self.prox[1].arrays
        self.players = self._player(0), self._player(1)
        self.iterations, self.finished = 0, False
        self.mu = self._start()
        # tau, decreases, shrinks, and whether a mu ever exceeded twice the other at a decrease
        self.counts = np.array([0.5, 0.0, 0.0, 0.0])
        self.steps = Steps(
            settings.aggressive, settings.balance, float(settings.growth), self.ratio
        )
        if self.ratio > 0:
            self._begin()
        else:  # no payoff depends on what both do
            for player, best in zip(self.players, best_apart(form), strict=True):
                player.z[:] = best
            self.finished = True

    def _least_ratio(self) -> tuple[str, float]:
        """The norm that promises most, and the norm of A over the root of the moduli in it."""
        first, second = self.prox
        norms = operator_norms(self.form)
        ratios = {
            norm: norms[norm] / math.sqrt(first.moduli[norm] * second.moduli[norm])
            for norm in first.moduli
        }
        norm = min(ratios, key=lambda key: ratios[key])
        return norm, ratios[norm]

    def _start(self) -> Vector:
        """How much is smoothed at first."""
        D1, D2 = self.prox[0].diameter, self.prox[1].diameter
        if self.settings.aggressive or self.settings.balance or not D1 * D2:
            return np.array([self.ratio, self.ratio])
        level = self.ratio * math.sqrt(D1 * D2)
        return np.array([level / D1, 2.0 * level / D2])

    def _player(self, seat: int) -> Plan:
        plex = (self.form.X, self.form.Y)[seat]
        return Plan(plex.plan(plex.uniform()), *(np.zeros(plex.n_sequences) for _ in range(7)))

    def _begin(self) -> None:
        """Go from the centres to a pair that satisfies the condition (Algorithm 5)."""
        first, second = self.players
        first.z[:] = self.prox[0].sargmax(self.form.A @ second.z, self.mu[0])[1]
        second.g[:] = -(self.form.A.T @ first.z)
        second.z[:] = self.prox[1].sargmax(second.g, self.mu[1])[1]
        first.g[:] = self.form.A @ second.z

    def _iterate(self, count: int) -> None:
        if not self.finished:
            iterate(
                self.form.A.arrays,
                self.smoothers,
                self.players,
                self.mu,
                self.counts,
                self.steps,
                self.iterations,
                count,
            )
            self.finished = bool(self.mu.max() <= FLOOR * self.ratio)
        self.iterations += count

    def plans(self) -> tuple[Vector, Vector]:
        """The plans that satisfy the excessive gap condition."""
        return self.players[0].z, self.players[1].z

    @property
    def excess(self) -> float:
        """How far the condition is from failing: at most 0 but for rounding."""
        return float(excess(self.smoothers, self.players, *self.mu))

    @property
    def bound(self) -> float:
        """What the gap cannot exceed, by the condition."""
        return float(self.mu @ [d.diameter for d in self.prox])

    @property
    def notes(self) -> Mapping[str, Any]:
        """What is smoothed still, and how often a mu was shrunk, trials included."""
        return {
            "norm": self.norm,
            "bound": self.bound,
            "mu": [float(mu) for mu in self.mu],
            "decreases": int(self.counts[AT.decreases]),
            "shrinks": int(self.counts[AT.shrinks]),
        }

    def state(self) -> Mapping[str, Any]:
        """Plans and gradients of both players, both mu, tau and the counts."""
        state: dict[str, Any] = {"mu": self.mu, "counts": self.counts}
        for seat, player in enumerate(self.players, 1):
            state |= {f"z{seat}": player.z, f"g{seat}": player.g}
        return state

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""
        self.iterations = iterations
        self.mu[:], self.counts[:] = state["mu"], state["counts"]
        for seat, player in enumerate(self.players, 1):
            player.z[:], player.g[:] = state[f"z{seat}"], state[f"g{seat}"]
        self.finished = self.finished or bool(self.mu.max() <= FLOOR * self.ratio)
