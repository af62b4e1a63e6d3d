"""Pipelines: shrink a game, solve it, map the solution back by each mapping, measure it.

A file says what to do:

    game = "no-limit-leduc:stack=12"

    [abstraction]
    menu = "fcpa"

    [translation]
    mappings = ["det-geo", "rand-pshar"]

Everything else has a default. Each step is kept under what it depends on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.shrink import shrink, shrink_forgetful
from saddlepoint.abstraction.work import SILENT, Work
from saddlepoint.core.errors import RecallError, SettingsError
from saddlepoint.core.version import VERSION
from saddlepoint.measure.exact import guarantee
from saddlepoint.reverse.lift import KINDS, Lifted, Lifting
from saddlepoint.reverse.limits import lift_limited
from saddlepoint.reverse.mappings import MAPPINGS
from saddlepoint.reverse.purify import most_likely, purify, round_to_grid, threshold
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.form import Problem
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.methods import solve
from saddlepoint.solvers.refine import refine
from saddlepoint.studies import pipeline_file
from saddlepoint.studies.bucket_plots import bucket_plot
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.plots import Plot
from saddlepoint.studies.report import Report, Table

Say = Callable[[str], None]

CHANGES: Mapping[str, Callable[[Strategy, Any], Strategy]] = {
    "purify": lambda strategy, _: purify(strategy),
    "threshold": threshold,
    "likeliest": most_likely,
    "grid": round_to_grid,
}
# How close the value of the real game is found, if it is to be found.
VALUE_GAP = 1e-3


@dataclass(frozen=True)
class Pipeline:
    """A pipeline file, read and checked.

    Parameters
    ----------
    data
        Its tables.
    source
        What to call it.

    Examples
    --------
    >>> import tempfile
    >>> small = Pipeline.of(
    ...     {"game": "no-limit-kuhn:stack=2", "abstraction": {"menu": "fcpa"}}, "small"
    ... )
    >>> report = small.run(Keeper(tempfile.mkdtemp()))
    >>> [row[0] for row in report.tables[0].rows][:3]
    ['det-arith', 'rand-arith', 'det-geo']
    """

    data: Mapping[str, Any]
    source: str

    @classmethod
    def of(cls, data: Mapping[str, Any], source: str = "pipeline") -> Pipeline:
        """The pipeline of tables that were read or made."""
        return cls(pipeline_file.checked(data, source), source)

    @classmethod
    def read(cls, path: str | Path) -> Pipeline:
        """The pipeline of a file."""
        return cls(pipeline_file.read(path), str(path))

    @cached_property
    def pair(self) -> AbstractGame:
        """The real game and the abstract one."""
        return self.shrunk(SILENT)[0]

    def shrunk(self, work: Work) -> tuple[AbstractGame, Problem]:
        """The abstract game with the way back, and what solvers take.

        These differ where players forget. The making of both is kept and told of.
        """
        real = pipeline_file.real_game(self.data, self.source)
        bets = pipeline_file.bets(self.data, self.source)
        cards = self.data["abstraction"].get("cards")
        try:
            pair = shrink(real, bets, cards, work=work)
        except RecallError:
            game = shrink_forgetful(real, bets, cards, work=work)
            return game.refinement, game
        return pair, pair.game

    @cached_property
    def translations(self) -> dict[str, Translation | str]:
        """The ways back that are compared: translations, or rules of a limit game."""
        if pipeline_file.real_game(self.data, self.source).betting.bets is None:
            return dict(pipeline_file.translations(self.data, self.source))
        return {rule: rule for rule in pipeline_file.limit_rules(self.data, self.source)}

    def run(self, keeper: Keeper | None = None, say: Say = lambda text: None) -> Report:
        """Do all of it; what is kept already is read."""
        return _Run(self, keeper or Keeper(), say).report()


@dataclass(frozen=True)
class Value:
    """Bounds on the value of the real game, and the equilibrium that they come from."""

    lower: float
    upper: float
    profile: Profile | None = None

    @property
    def middle(self) -> float:
        """The middle of the bounds."""
        return (self.lower + self.upper) / 2.0


def lifted_by(
    pair: AbstractGame, strategies: Iterable[Strategy], settings: Translation | str
) -> list[Lifted]:
    """Strategies mapped back by a translation, or by a rule of a limit game."""
    if isinstance(settings, str):
        return [
            Lifted(lift_limited(pair, s, settings), dict.fromkeys(KINDS, 0)) for s in strategies
        ]
    lifting = Lifting(pair, settings)
    return [lifting.lift(s) for s in strategies]


class _Run:
    """A pipeline at work."""

    def __init__(self, pipeline: Pipeline, keeper: Keeper, say: Say) -> None:
        self.pipeline, self.keeper, self.say = pipeline, keeper, say
        self.data = pipeline.data
        # Everything is checked before anything long begins.
        self.translations = pipeline.translations
        self.solver = pipeline_file.solver(self.data, pipeline.source)
        self.change = pipeline_file.change(self.data, pipeline.source)
        for name, value in self.change.items():  # which values are right, they know themselves
            CHANGES[name](Strategy.uniform(Treeplex.simplex(2)), value)
        self.measure = self.data["measure"]
        self.pair, self.problem = pipeline.shrunk(Work(keep=keeper.step, say=say))
        pipeline_file.check_all_in(self.pair, self.translations, pipeline.source)

    # Steps ------------------------------------------------------------------------------

    def solved(self) -> dict[str, Any]:
        """The abstract equilibrium: its plans, value and gap."""
        form = self.pair.game.sequence_form()

        def compute() -> dict[str, Any]:
            options = {k: v for k, v in self.solver.items() if k not in ("settings", "refine")}
            found = solve(self.problem, **options, **self.solver["settings"])
            if self.solver.get("refine"):
                found = refine(found)
            return {
                "first": found.profile.first.probabilities,
                "second": found.profile.second.probabilities,
                "value": found.value,
                "gap": found.gap,
                "method": found.method,
                "seconds": found.seconds,
                "status": found.status.value,
            }

        return self._step("solve", {"game": dict(form.spec), **self.solver}, compute)

    def strategies(self) -> tuple[Strategy, Strategy]:
        """The abstract strategies that are mapped back, changed if that is asked for."""
        found, form = self.solved(), self.pair.game.sequence_form()
        first, second = Profile.of(form, found["first"], found["second"])
        for name, value in self.change.items():
            first, second = CHANGES[name](first, value), CHANGES[name](second, value)
        return first, second

    def measured(self, name: str) -> dict[str, Any]:
        """What the strategies guarantee in the real game, mapped back by one translation."""
        settings, form = self.translations[name], self.pair.real.sequence_form()

        def compute() -> dict[str, Any]:
            began = time.perf_counter()
            lifted = lifted_by(self.pair, self.strategies(), settings)
            first, second = (found.strategy for found in lifted)
            fates = [found.carried_out for found in lifted]
            return {
                "lower": guarantee(form, first),
                "upper": guarantee(form, second),
                "self": float(first.plan @ (form.A @ second.plan)),
                "carried_out": {key: fates[0][key] + fates[1][key] for key in fates[0]},
                "inconsistent": sum(found.inconsistent for found in lifted),
                "seconds": time.perf_counter() - began,
                "first": first.probabilities,
                "second": second.probabilities,
            }

        key = {
            "real": dict(form.spec),
            "game": dict(self.pair.game.sequence_form().spec),
            "solver": self.solver,
            "change": self.change,
            "translation": settings if isinstance(settings, str) else settings.to_dict(),
        }
        return self._step(f"lift {name}", key, compute)

    def value(self) -> Value | None:
        """The value of the real game, if it is asked for, and an equilibrium that shows it."""
        asked = self.measure.get("value")
        if asked is None:
            return None
        if isinstance(asked, (int, float)) and not isinstance(asked, bool):
            return Value(float(asked), float(asked))
        if asked != "solve":
            raise SettingsError(
                f'{self.pipeline.source}: value is {asked!r}, expected a number or "solve"'
            )
        form, gap = self.pair.real.sequence_form(), float(self.measure.get("gap", VALUE_GAP))

        def compute() -> dict[str, Any]:
            found = solve(form, gap=gap)
            first, second = found.profile
            return {
                "lower": found.lower,
                "upper": found.upper,
                "first": first.probabilities,
                "second": second.probabilities,
            }

        found = self._step("value", {"game": dict(form.spec), "gap": gap}, compute)
        profile = Profile.of(form, found["first"], found["second"])
        return Value(found["lower"], found["upper"], profile)

    def _step(
        self, name: str, key: Mapping[str, Any], compute: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        def told() -> dict[str, Any]:
            self.say(f"{name}: {self.pair.real.name}")
            return compute()

        return self.keeper.step(name.replace(" ", "-"), key, told)

    # The report -------------------------------------------------------------------------

    def report(self) -> Report:
        began = time.perf_counter()
        solved, value = self.solved(), self.value()
        found = {name: self.measured(name) for name in self.translations}
        return Report(
            title=str(self.data.get("name", f"{self.pair.real.name}, shrunk and mapped back")),
            facts=self._facts(solved, value, time.perf_counter() - began),
            tables=[
                self._exploitability(found, value),
                *([] if self.limit else [self._carried_out(found)]),
            ],
            plots=[self._bars(found, value), *self._drawn()],
            made={
                "pipeline": {k: v for k, v in self.data.items() if v != {}},
                "version": VERSION,
                "abstract game": dict(self.pair.game.spec),
                "translations": {
                    n: t if isinstance(t, str) else t.to_dict()
                    for n, t in self.translations.items()
                },
            },
        )

    def _facts(
        self, solved: Mapping[str, Any], value: Value | None, seconds: float
    ) -> list[tuple[str, str]]:
        real, small = self.pair.real, self.pair.game
        unit = real.unit
        sizes = [
            f"{game.counts().nodes:,} nodes, {sum(game.counts().sequences):,} sequences"
            for game in (real, small)
        ]
        facts = [
            ("real game", f"{real.name}: {sizes[0]}"),
            ("abstract game", f"{small.name}: {sizes[1]}"),
            ("solved by", f"{solved['method']} in {solved['seconds']:.3g} s, {solved['status']}"),
            ("value of the abstract game", unit.show(solved["value"])),
            ("its gap", f"{solved['gap']:.2g} {unit.name}"),
        ]
        if self.change:
            facts.append(("strategies", ", ".join(f"{k} {v}" for k, v in self.change.items())))
        if value is not None:
            facts.append(
                (
                    "value of the real game",
                    f"between {value.lower:.7g} and {value.upper:.7g} {unit.name}",
                )
            )
        return [*facts, ("took", f"{seconds:.3g} s")]

    def _exploitability(self, found: Mapping[str, Mapping[str, Any]], value: Value | None) -> Table:
        form, rows = self.pair.real.sequence_form(), []
        for name, f in found.items():
            seats: tuple[float | None, ...] = (None, None, None)
            if value is not None:
                earned = None
                if value.profile is not None:
                    first, second = Profile.of(form, f["first"], f["second"])
                    one = float(first.plan @ (form.A @ value.profile.second.plan))
                    two = float(value.profile.first.plan @ (form.A @ second.plan))
                    earned = (one - two) / 2.0
                seats = (value.middle - f["lower"], f["upper"] - value.middle, earned)
            half = (f["upper"] - f["lower"]) / 2
            rows.append((name, half, *seats, f["lower"], f["upper"]))
        return Table(
            title=f"What each mapping costs in the real game, in {self.pair.real.unit.name}",
            heads=(
                *("mapping", "exploitability", "of player 1", "of player 2"),
                *("against equilibrium", "player 1 gets at least", "player 1 gets at most"),
            ),
            rows=rows,
            note="Exact: best responses in the real game. Exploitability is the mean of both "
            "seats; that of a player is measured from the value of the real game. Against "
            "equilibrium: what is won from the equilibrium found of the real game, both seats "
            "averaged, 0 at best.",
        )

    def _carried_out(self, found: Mapping[str, Mapping[str, Any]]) -> Table:
        kinds = list(next(iter(found.values()))["carried_out"])
        return Table(
            title="How abstract bets were carried out, over all real decisions",
            heads=("mapping", *kinds, "read as something else", "seconds"),
            rows=[
                (name, *f["carried_out"].values(), f["inconsistent"], float(f["seconds"]))
                for name, f in found.items()
            ],
            note="Read as something else: equation 4.4 of thesis 004 does not hold there, mostly "
            "because of caps and least raises.",
        )

    def _bars(self, found: Mapping[str, Mapping[str, Any]], value: Value | None) -> Plot:
        names = list(found)
        if value is None:
            series = {"both": (names, [(f["upper"] - f["lower"]) / 2 for f in found.values()])}
        else:
            series = {
                "player 1": (names, [value.middle - f["lower"] for f in found.values()]),
                "player 2": (names, [f["upper"] - value.middle for f in found.values()]),
            }
        return Plot(
            title="Exploitability in the real game by mapping",
            x="",
            y=self.pair.real.unit.name,
            series=series,
        )

    @property
    def limit(self) -> bool:
        """Whether it is a limit game, where no sizes are translated."""
        return self.pair.real.betting.bets is not None

    def _drawn(self) -> list[Plot]:
        """The mappings of sizes, or the buckets where cards are abstract."""
        plots = [] if self.limit else [self._curves()]
        if "cards" in self.data["abstraction"]:
            rounds = range(self.pair.real.betting.rounds)
            plots += [bucket_plot(self.pair, r) for r in rounds]
        return plots

    def _curves(self) -> Plot:
        x = np.linspace(0.05, 1.0, 96) ** 2 * 4.0
        inside = x[(x >= 0.5) & (x <= 4.0)]
        return Plot(
            title="The mappings themselves: the probability that a bet of x pots is taken for half "
            "a pot, where the next size is 4 pots",
            x="x, in pots",
            y="f(x)",
            series={
                name: (inside, MAPPINGS[name](0.5, 4.0, inside))
                for name in self.translations
                if name in MAPPINGS
            },
        )
