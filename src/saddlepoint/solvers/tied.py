r"""Regret matching for players who forget: information sets that are played alike are tied.

Where a player forgets (`saddlepoint.solvers.ties`), a behaviour strategy $\sigma$ has one
distribution for each tie $T$, and regret matching has one minimiser for it,
with regrets and averages summed over its members $I$,

$$r(T, a) = \sum_{I \in T} v(I, a) - \sum_b \sigma(T, b) \sum_{I \in T} v(I, b), \qquad
  \bar\sigma(T, a) \propto \sum_t t^\gamma \sum_{I \in T} x^t_{p(I)} \sigma^t(T, a),$$

where v are counterfactual values in the refinement and $x_{p(I)}$ is the player's own reach.
Discounts, foresight and the order of updates are those of `saddlepoint.solvers.cfr`.

**What is promised.** The gap of a solution is that of best responses with perfect recall in the
refinement, so it bounds what any opponent can gain, and what the player would gain if he
remembered. Nothing makes it go to 0: the regrets of a tie bound those of its members only in
games that are *well-formed*, where members differ in nothing that matters, such as suits
(Lanctot et al. 2012). Elsewhere iterations can also end in strategies that are not the best ones
of players who forget.

How the average weighs the members of a tie is a choice of ours, which matters where the
player's own earlier moves depend on what he forgets: each counts by his own reach, whatever the
probability of its cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import StoreError
from saddlepoint.core.kernel import kernel
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.products import Arrays, gradient
from saddlepoint.sequence.sweeps import Blocks
from saddlepoint.solvers.cfr import RegretMatching
from saddlepoint.solvers.matching import Exponents, discounts
from saddlepoint.solvers.pace import Paced
from saddlepoint.solvers.ties import TIED, TiedForm

Array = NDArray[Any]
Vector = NDArray[np.float64]


class TiedPlayer(NamedTuple):
    """The vectors that a player carries from iteration to iteration."""

    action: Array
    """The tied action of every sequence."""
    s: Array
    """The current behaviour strategy, by tied action."""
    R: Array
    """Regrets, by tied action."""
    mean: Array
    """The weighted average of own reach, by tied action."""
    w: Array
    """Work space, by tied action: sums over members."""
    member: Array
    """The current behaviour strategy, by sequence."""
    x: Array
    """Its realization plan."""
    v: Array
    """Work space, by sequence: gradients and action values."""


@kernel
def gather(action: Array, s: Array, member: Array) -> None:
    """Let all members play as their tie does. Overwrites member."""
    member[0] = 1.0
    for q in range(1, member.shape[0]):
        member[q] = s[action[q]]


@kernel
def scatter(action: Array, v: Array, w: Array) -> None:
    """Sum over the members of every tie. Overwrites w, and gives nothing to the empty sequence."""
    for k in range(w.shape[0]):
        w[k] = 0.0
    for q in range(1, v.shape[0]):
        w[action[q]] += v[q]


@kernel
def play(T: Blocks, P: TiedPlayer) -> None:
    """Turn the tied strategy into the plan of the refinement."""
    gather(P.action, P.s, P.member)
    sweeps.plan(T, P.member, P.x)


@kernel
def record(P: TiedPlayer, weight: float) -> None:
    """Move the averages of the ties towards the reach of their members' actions."""
    scatter(P.action, P.x, P.w)
    sweeps.average(P.w, P.mean, weight)


@kernel
def update(
    T: Blocks, U: Blocks, P: TiedPlayer, positive: float, negative: float, foresight: float
) -> None:
    """Match the regrets of the ties to the gradient in P.v, and play on.

    All members play alike, so that the value of a tie is that of its summed action values, and
    the ties are matched as the information sets of a treeplex without depth.
    """
    sweeps.values(T, P.member, P.v)
    scatter(P.action, P.v, P.w)
    sweeps.match_regrets(U, P.s, P.w, P.R, positive, negative, foresight)
    play(T, P)


@kernel
def iterate(
    A: Arrays,
    T: tuple[Blocks, Blocks],
    U: tuple[Blocks, Blocks],
    P: tuple[TiedPlayer, TiedPlayer],
    start: int,
    count: int,
    mass: float,
    e: Exponents,
) -> float:
    """Do iterations start + 1, ..., start + count; return the new mass of the average.

    What `saddlepoint.solvers.matching.iterate` does, with the treeplexes U of the ties of T.
    O(two products + sequences of T) per iteration, no allocation beyond a tile.
    """
    # Numba compiles once for a constant True and once for False; these are not constants.
    first, second = count < 0, count >= 0
    for t in range(start + 1, start + count + 1):
        positive, negative = discounts(t, e)
        mass = 1.0 + mass * (1.0 - 1.0 / t) ** e.gamma
        weight = 1.0 / mass
        record(P[1], weight)
        gradient(A, first, P[1].x, P[0].v)
        if e.alternating:
            update(T[0], U[0], P[0], positive, negative, e.foresight)
            record(P[0], weight)
            gradient(A, second, P[0].x, P[1].v)
        else:
            record(P[0], weight)
            gradient(A, second, P[0].x, P[1].v)
            update(T[0], U[0], P[0], positive, negative, e.foresight)
        update(T[1], U[1], P[1], positive, negative, e.foresight)
    return mass


@dataclass(frozen=True, kw_only=True)
class TiedRegretMatching:
    """Regret matching over ties.

    Parameters
    ----------
    alpha, beta, gamma, foresight, updates
        As in `saddlepoint.solvers.cfr.RegretMatching`, all of whose members can be had.
    """

    name: ClassVar[str] = TIED
    sources: ClassVar[tuple[str, ...]] = ("zinkevich2007", "brown2019", "waugh2009", "lanctot2012")
    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0
    foresight: float = 0.0
    updates: str = "alternating"

    def __post_init__(self) -> None:
        RegretMatching(**asdict(self))  # checks them

    def start(self, form: SequenceForm) -> TiedRun:
        """Begin on a game in which nobody forgets."""
        return TiedRun(TiedForm.of(form), self)

    def start_tied(self, tied: TiedForm) -> TiedRun:
        """Begin on a game with ties, with the uniform strategies."""
        return TiedRun(tied, self)


class TiedRun(Paced):
    """Regret matching over ties at work."""

    def __init__(self, tied: TiedForm, settings: TiedRegretMatching) -> None:
        self.tied, self.settings = tied, settings
        self.blocks = tied.form.X.blocks, tied.form.Y.blocks
        self.ties = tied.decisions[0].blocks, tied.decisions[1].blocks
        self.players = self._player(0), self._player(1)
        self.iterations, self.finished, self.mass = 0, False, 0.0
        s = settings
        e = (float(s.alpha), 0.0, 1, float(s.beta), float(s.gamma), float(s.foresight))
        self.exponents = Exponents(*e, s.updates == "alternating")

    def _player(self, seat: int) -> TiedPlayer:
        plex, ties = self.tied.plexes[seat], self.tied.decisions[seat]
        apart = (np.empty(plex.n_sequences) for _ in range(3))
        nothing = (np.zeros(ties.n_sequences) for _ in range(3))
        player = TiedPlayer(self.tied.actions[seat], ties.uniform(), *nothing, *apart)
        play(plex.blocks, player)
        return player

    def _iterate(self, count: int) -> None:
        self.mass = iterate(
            *(self.tied.form.A.arrays, self.blocks, self.ties, self.players),
            *(self.iterations, count, self.mass, self.exponents),
        )
        self.iterations += count

    def tied_strategies(self) -> tuple[Vector, Vector]:
        """The average strategies of both players, by tied action."""
        one, two = (
            ties.behaviour(player.mean)
            for ties, player in zip(self.tied.decisions, self.players, strict=True)
        )
        return one, two

    def behaviours(self) -> tuple[Vector, Vector]:
        """The same by sequence of the refinement, also where members are never reached."""
        first, second = self.tied_strategies()
        return self.tied.expand(1, first), self.tied.expand(2, second)

    def plans(self) -> tuple[Vector, Vector]:
        """Their realization plans."""
        first, second = self.behaviours()
        return self.tied.form.X.plan(first), self.tied.form.Y.plan(second)

    @property
    def notes(self) -> Mapping[str, Any]:
        """How many ties there are, of how many information sets."""
        one, two = (ties.n_infosets for ties in self.tied.decisions)
        sizes = [plex.n_infosets for plex in self.tied.plexes]
        return {"ties": [one, two], "information sets": sizes}

    def state(self) -> Mapping[str, Any]:
        """Strategies, regrets and averages of both players, and whose ties they are of."""
        state: dict[str, Any] = {"mass": np.array([self.mass]), "ties": self._digest}
        for number, player in enumerate(self.players, 1):
            state |= {f"{key}{number}": getattr(player, key) for key in ("s", "R", "mean")}
        return state

    @cached_property
    def _digest(self) -> NDArray[np.uint8]:
        return np.frombuffer(bytes.fromhex(self.tied.fingerprint), np.uint8)

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state.

        Raises
        ------
        StoreError
            If it is one of other ties.
        """
        if not np.array_equal(state["ties"], self._digest):
            raise StoreError(
                f"the checkpoint was made with other ties of {self.tied.form.name}; name another "
                "checkpoint or delete it"
            )
        self.iterations, self.mass = iterations, float(state["mass"][0])
        for number, (player, blocks) in enumerate(zip(self.players, self.blocks, strict=True), 1):
            for key in ("s", "R", "mean"):
                getattr(player, key)[:] = state[f"{key}{number}"]
            play(blocks, player)
