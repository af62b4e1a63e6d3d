r"""Monte Carlo counterfactual regret minimisation: regret matching on samples of a game.

An iteration of `saddlepoint.solvers.cfr` passes through all of a game. Here it walks, once for
either player, through a sample of it, and adds to the regrets of what it visits unbiased
estimates of what the whole would give (Lanctot, Waugh, Zinkevich and Bowling 2009):

* `external`: the cards and the opponent's actions are sampled, own actions are all tried;
* `outcome`: a single history is; own actions are drawn from the strategy, mixed with `explore`
  of the uniform one;
* `chance`: the cards alone are;
* `public`: the public cards alone are, and a walk takes all hands of both players that go with
  them at once (Johanson, Bard, Lanctot, Gibson and Bowling 2012).

Iterations are cheap, and far more of them are needed: sampling pays where an iteration on the
whole takes long or does not fit. The gap is that of the averages in the whole game, which is
measured at iterations whose distance grows with the size of the game.

Players may forget (`saddlepoint.solvers.ties`); regrets and averages are then those of ties. The
average weighs the members of a tie by own reach times the probability of their cards, where
`saddlepoint.solvers.tied` weighs them by own reach alone.

Where this differs from the sources: averages are updated in the walk of the other player, in
which own actions are sampled or weighted already, so that no information set has to remember
when it was last visited. Linear averages, and regrets that stay above zero, are no part of what
the sources prove, but stand where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.counter import key_of
from saddlepoint.core.errors import SettingsError, StoreError, unknown
from saddlepoint.sequence import stepping
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.stepping import SteppedForm, Steps
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers import public, walking
from saddlepoint.solvers.pace import Paced
from saddlepoint.solvers.public_parts import Table, table_of
from saddlepoint.solvers.ties import TiedForm
from saddlepoint.solvers.walking import Memory, Scheme

Vector = NDArray[np.float64]

KINDS = {"chance": walking.BY_CHANCE, "external": walking.EXTERNAL, "outcome": walking.OUTCOME}
SAMPLINGS = ("external", "outcome", "chance", "public")
AVERAGINGS = {"uniform": 0.0, "linear": 1.0}
# Iterations between measurements: at least so many, and one for so many sequences.
SPACING, SEQUENCES_OF_ONE = 64, 16


@dataclass(frozen=True, kw_only=True)
class MonteCarlo:
    """Settings of Monte Carlo counterfactual regret minimisation.

    Parameters
    ----------
    sampling
        `external`, `outcome`, `chance` or `public`.
    seed
        Of all random numbers.
    averaging
        `linear`: iteration t weighs t in the averages; or `uniform`.
    explore
        How much of the uniform strategy is mixed into own actions, for `outcome`.
    plus
        Whether regrets never fall below zero, as in CFR+. So gaps were up to five times smaller
        where we measured them, in Leduc and Rhode Island Hold'em.

    Examples
    --------
    >>> from saddlepoint.games.poker import kuhn
    >>> from saddlepoint.games.stepping import stepped
    >>> from saddlepoint.solvers.run import run
    >>> found = run(stepped(kuhn().factored), MonteCarlo(seed=1), iterations=20_000)
    >>> found.gap < 0.02, abs(found.value + 1 / 18) <= found.gap
    (True, True)
    """

    name: ClassVar[str] = "mccfr"
    sources: ClassVar[tuple[str, ...]] = ("lanctot2009", "johanson2012")
    sampling: str = "external"
    seed: int = 0
    averaging: str = "linear"
    explore: float = 0.6
    plus: bool = True

    def __post_init__(self) -> None:
        if self.sampling not in SAMPLINGS:
            raise SettingsError(unknown("sampling", self.sampling, SAMPLINGS))
        if self.averaging not in AVERAGINGS:
            raise SettingsError(unknown("averaging", self.averaging, tuple(AVERAGINGS)))
        if not 0.0 < self.explore <= 1.0:
            raise SettingsError(f"explore is {self.explore}, expected above 0 and up to 1")
        if not isinstance(self.plus, bool):
            raise SettingsError(f"plus is {self.plus!r}, expected True or False")
        whole("seed", self.seed, 0)

    def start(self, form: SequenceForm) -> SampledRun:
        """Begin on a game that can be stepped along, with the uniform strategies."""
        stepped = stepping.steppable(form)
        return SampledRun(stepped, stepped.steps, (form.X, form.Y), self)

    def start_tied(self, tied: TiedForm) -> TiedSampledRun:
        """Begin on a game in which players forget."""
        return TiedSampledRun(tied, self)


class SampledRun(Paced):
    """Monte Carlo regret matching at work."""

    def __init__(
        self,
        form: SteppedForm,
        steps: Steps,
        plexes: tuple[Treeplex, Treeplex],
        settings: MonteCarlo,
    ) -> None:
        assert stepping.matches(steps, plexes)
        self.form, self.steps, self.plexes, self.settings = form, steps, plexes, settings
        one, two = (plex.n_sequences for plex in plexes)
        self.memory = Memory(np.zeros(one), np.zeros(two), np.zeros(one), np.zeros(two))
        self.key = key_of(settings.seed)
        self.gamma = AVERAGINGS[settings.averaging]
        self.iterations, self.finished, self.visited = 0, False, 0
        self.spacing = max(SPACING, (one + two) // SEQUENCES_OF_ONE)
        self.scheme: Scheme | None = None
        self.table: Table | None = None
        if settings.sampling == "public":
            self.table = table_of(steps)
            self.room = public.room_for(steps, self.table)
        else:
            explore = settings.explore if settings.sampling == "outcome" else 0.0
            self.scheme = Scheme(KINDS[settings.sampling], explore, settings.plus)
            self.space = walking.space_for(steps)

    def _iterate(self, count: int) -> None:
        s, M, none = self.steps, self.memory, np.zeros(0)
        gamma, key, start = self.gamma, self.key, self.iterations
        if self.scheme is not None:
            self.visited += walking.iterate(
                s, M, self.space, self.scheme, gamma, key, start, count, none
            )
        else:
            assert self.table is not None
            plus = self.settings.plus
            self.visited += public.iterate(
                s, M, self.room, self.table, plus, gamma, key, start, count, none
            )
        self.iterations += count

    def strategies(self) -> tuple[Vector, Vector]:
        """The average strategies of both players, uniform where no walk has been."""
        (X, Y), M = self.plexes, self.memory
        return X.behaviour(M.total1), Y.behaviour(M.total2)

    def plans(self) -> tuple[Vector, Vector]:
        """Their realization plans."""
        (X, Y), (s, t) = self.plexes, self.strategies()
        return X.plan(s), Y.plan(t)

    @property
    def notes(self) -> Mapping[str, Any]:
        """How many nodes all walks visited."""
        return {"nodes visited": self.visited}

    def state(self) -> Mapping[str, Any]:
        """Regrets and totals of both players, and how many nodes were visited."""
        return {**self.memory._asdict(), "visited": np.array([self.visited])}

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state: the iterations say which random numbers come next."""
        self.iterations, self.visited = iterations, int(state["visited"][0])
        for key, vector in self.memory._asdict().items():
            vector[:] = state[key]


class TiedSampledRun(SampledRun):
    """The same for players who forget."""

    def __init__(self, tied: TiedForm, settings: MonteCarlo) -> None:
        self.tied = tied
        form = stepping.steppable(tied.form)
        steps = stepping.tied(form.steps, tied.actions)
        super().__init__(form, steps, tied.decisions, settings)

    def behaviours(self) -> tuple[Vector, Vector]:
        """The average strategies by sequence of the game in which nothing is forgotten."""
        first, second = self.strategies()
        return self.tied.expand(1, first), self.tied.expand(2, second)

    def plans(self) -> tuple[Vector, Vector]:
        """Their realization plans in that game."""
        first, second = self.behaviours()
        return self.form.X.plan(first), self.form.Y.plan(second)

    def state(self) -> Mapping[str, Any]:
        """Regrets and totals of both players, and whose ties they are of."""
        digest = np.frombuffer(bytes.fromhex(self.tied.fingerprint), np.uint8)
        return {**super().state(), "ties": digest}

    def restore(self, iterations: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state.

        Raises
        ------
        StoreError
            If it is one of other ties.
        """
        if not np.array_equal(state["ties"], self.state()["ties"]):
            raise StoreError(
                f"the checkpoint was made with other ties of {self.form.name}; name another "
                "checkpoint or delete it"
            )
        super().restore(iterations, state)
