"""Thesis 003, sections 6.7 and 7.3: card abstractions of Rhode Island Hold'em compared.

Three algorithms at seven granularities: expectation-based (EB), expectation squared (EB2) and
potential-aware (PA). Every abstract game is solved to a gap far below the differences that a
table shows, and its strategies are measured exactly in two games: in the one of 13-205-1774
buckets, which the thesis took for lossless (`fine`), and in Rhode Island Hold'em itself with
all its suits (`real`). Strategies of all three algorithms are strategies of the fine game.

What the text leaves open (the error measure, clusters in the passes of PA) makes several
*readings*; the first one of an algorithm is the one that a table shows, and the range of a
cell is over all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_most_bets
from saddlepoint.abstraction.buckets import Buckets, bucketed
from saddlepoint.abstraction.expectation import expectation_based
from saddlepoint.abstraction.hands import Hands, hands_of
from saddlepoint.abstraction.lossless import lossless
from saddlepoint.abstraction.potential import potential_aware
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import rhode_island
from saddlepoint.reverse.limits import lift_limited
from saddlepoint.sequence.response import gap as gap_of_plans
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.solvers.methods import solve
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen

Reading = Mapping[str, Any]

GRANULARITIES = (
    (13, 25, 125),
    (13, 50, 250),
    (13, 75, 500),
    (13, 100, 750),
    (13, 125, 1000),
    (13, 150, 1250),
    (13, 205, 1774),
)
ALGORITHMS = ("EB", "EB2", "PA")
# The first one is what tables show.
READINGS: dict[str, tuple[Reading, ...]] = {
    "EB": ({"error": "squared"}, {"error": "absolute"}),
    "EB2": ({"error": "squared"}, {"error": "absolute"}),
    "PA": (
        {"error": "distance"},
        {"error": "squared"},
        {"error": "distance", "dimension": 10},
        {"error": "distance", "dimension": 3},
    ),
}
# What the thesis does in 7.3 once the opponent makes a bet too many is open, too.
LIMIT_RULES = ("call", "forget")
# The gap to which abstract games are solved, and the real one; in chips.
GAP, REAL_GAP = 0.01, 0.02
FINE = (13, 205, 1774)


@cache
def real_game() -> FactoredGame:
    """Rhode Island Hold'em with all its suits."""
    return rhode_island()


@cache
def hands() -> Hands:
    """What a player may hold in it."""
    return hands_of(real_game().deal)


@cache
def fine_buckets() -> Buckets:
    """The 13-205-1774 buckets: wins, losses and draws over the roll-out, by bucket before.

    >>> fine_buckets().sizes
    (13, 205, 1774)
    """
    return lossless(real_game().deal, "counts")[0]


@cache
def fine_pair() -> AbstractGame:
    """Rhode Island Hold'em and the game of the 13-205-1774 buckets."""
    return bucketed(real_game(), fine_buckets())


def made(algorithm: str, sizes: tuple[int, ...], reading: Reading) -> Buckets:
    """The buckets of an algorithm; a second or two."""
    if algorithm == "PA":
        return potential_aware(hands(), sizes, **reading)
    value = "squared" if algorithm == "EB2" else "strength"
    return expectation_based(hands(), sizes, value=value, **reading)


class Agent:
    """An abstract equilibrium of Rhode Island Hold'em, and what it is worth.

    Parameters
    ----------
    kitchen
        Keeps what was computed.
    algorithm, sizes, reading
        Which buckets.
    bets
        How many bets a round the abstract game has.
    """

    def __init__(
        self,
        kitchen: Kitchen,
        algorithm: str,
        sizes: tuple[int, ...],
        reading: Reading,
        bets: int = 3,
    ) -> None:
        self.kitchen, self.sizes, self.bets = kitchen, sizes, bets
        # At the finest granularity all readings of an algorithm are the same buckets.
        self.algorithm = "EB" if algorithm == "EB2" and sizes == FINE else algorithm
        self.reading = dict(READINGS[algorithm][0] if sizes == FINE else reading)
        self.key = {
            "algorithm": self.algorithm,
            "sizes": list(sizes),
            "reading": self.reading,
            "bets": bets,
            "gap": GAP,
        }

    @property
    def buckets(self) -> Buckets:
        """Its buckets."""

        def compute() -> dict[str, Any]:
            found = made(self.algorithm, self.sizes, self.reading)
            return {f"round{r}": group for r, group in enumerate(found.groups)}

        kept = self.kitchen.step("003-buckets", {**self.key, "bets": 0}, compute)
        return Buckets(tuple(np.asarray(kept[f"round{r}"]) for r in range(3)), self.algorithm)

    def pair(self, fine: bool) -> AbstractGame:
        """The abstract game, and the way back to the fine or to the real one."""
        buckets = self.buckets
        small = bucketed(with_most_bets(real_game(), self.bets), buckets).game
        if not fine:
            return AbstractGame(real_game(), small, (buckets.groups, buckets.groups))
        within = buckets.within(fine_buckets()).groups
        return AbstractGame(fine_pair().game, small, (within, within))

    def solved(self) -> Profile:
        """The equilibrium of the abstract game."""
        form = self.pair(True).game.sequence_form()

        def compute() -> dict[str, Any]:
            found = solve(form, "hs-dcfr", gap=GAP, precision="single")
            return {
                "first": found.profile.first.probabilities.astype(np.float32),
                "second": found.profile.second.probabilities.astype(np.float32),
                "lower": found.lower,
                "upper": found.upper,
                "seconds": found.seconds,
                "iterations": found.iterations,
            }

        kept = self.kitchen.step("003-solved", self.key, compute)
        return profile_of(form, kept["first"], kept["second"])

    def lifted(self, fine: bool, rule: str = "call") -> Profile:
        """The equilibrium as a profile of the fine or of the real game."""
        pair, solved = self.pair(fine), self.solved()
        first, second = (lift_limited(pair, s, rule) for s in solved)
        return Profile(pair.real.sequence_form(), first, second)

    def measured(self, rule: str = "call") -> dict[str, Any]:
        """What it is worth in both games: guarantees, against equilibrium, against itself."""

        def compute() -> dict[str, Any]:
            found: dict[str, Any] = {}
            for fine in (True, False):
                name = "fine" if fine else "real"
                profile = self.lifted(fine, rule)
                X, Y, A = profile.form
                x, y = profile.first.plan, profile.second.plan
                bounds = gap_of_plans(X, Y, A, x, y)
                best = optimal(self.kitchen, fine)
                found |= {
                    f"{name} lower": bounds.lower,
                    f"{name} upper": bounds.upper,
                    f"{name} value": float(x @ (A @ y)),
                    f"{name} first": float(x @ (A @ best.second.plan)),
                    f"{name} second": float(best.first.plan @ (A @ y)),
                }
            return found

        return self.kitchen.step("003-measured", {**self.key, "rule": rule}, compute)

    def against_nemesis(self, game: str, rule: str = "call") -> float:
        """The mean of what it is sure of in either seat: minus the exploitability."""
        found = self.measured(rule)
        return float(found[f"{game} lower"] - found[f"{game} upper"]) / 2.0

    def against_equilibrium(self, game: str, rule: str = "call") -> float:
        """The mean of what it wins from an equilibrium in either seat."""
        found = self.measured(rule)
        return float(found[f"{game} first"] - found[f"{game} second"]) / 2.0


def profile_of(form: Any, first: NDArray[Any], second: NDArray[Any]) -> Profile:
    """The profile of probabilities that were kept in single precision."""
    one, two = (
        plex.behaviour(plex.plan(plex.vector(np.asarray(p, np.float64))))
        for plex, p in ((form.X, first), (form.Y, second))
    )
    return Profile(form, Strategy(form.X, one, 1), Strategy(form.Y, two, 2))


def optimal(kitchen: Kitchen, fine: bool) -> Profile:
    """An equilibrium of the fine or of the real game."""
    if fine:
        return Agent(kitchen, "PA", FINE, READINGS["PA"][0]).lifted(True)
    form = real_game().sequence_form()

    def compute() -> dict[str, Any]:
        found = solve(form, "hs-dcfr", gap=REAL_GAP, precision="single")
        return {
            "first": found.profile.first.probabilities.astype(np.float32),
            "second": found.profile.second.probabilities.astype(np.float32),
            "lower": found.lower,
            "upper": found.upper,
        }

    kept = kitchen.step("003-real", {"gap": REAL_GAP}, compute)
    return profile_of(form, kept["first"], kept["second"])


def title(sizes: tuple[int, ...]) -> str:
    """A granularity as it is printed."""
    return "-".join(map(str, sizes))


def agents(kitchen: Kitchen, algorithm: str, sizes: tuple[int, ...], bets: int = 3) -> list[Agent]:
    """The agents of all readings of an algorithm; one where they are all the same."""
    found = READINGS[algorithm][:1] if sizes == FINE else READINGS[algorithm]
    return [Agent(kitchen, algorithm, sizes, reading, bets) for reading in found]


def _cell(figures: list[float]) -> Ours:
    return Ours(figures[0], min(figures), max(figures))


def head_to_head(kitchen: Kitchen, one: Agent, two: Agent) -> float:
    """What the first wins from the second, both seats averaged."""

    def compute() -> dict[str, Any]:
        (x1, y1), (x2, y2) = (
            (p.first.plan, p.second.plan) for p in (one.lifted(True), two.lifted(True))
        )
        A = fine_pair().game.sequence_form().A
        return {"value": float(x1 @ (A @ y2) - x2 @ (A @ y1)) / 2.0}

    key = {"one": one.key, "two": two.key}
    return float(kitchen.step("003-head-to-head", key, compute)["value"])


def table_6_6(kitchen: Kitchen) -> dict[str, Ours]:
    """Head to head."""
    cells = {}
    for sizes in GRANULARITIES:
        found = {a: agents(kitchen, a, sizes) for a in ALGORITHMS}
        for one, two in (("EB", "EB2"), ("EB", "PA"), ("EB2", "PA")):
            cells[f"{title(sizes)}, {one} vs. {two}"] = _cell(
                [head_to_head(kitchen, a, b) for a in found[one] for b in found[two]]
            )
    return cells


def table_6_7(kitchen: Kitchen) -> dict[str, Ours]:
    """Against an equilibrium of the fine game."""
    return _by_algorithm(kitchen, lambda agent: agent.against_equilibrium("fine"))


def table_6_7_real(kitchen: Kitchen) -> dict[str, Ours]:
    """Against an equilibrium of the game itself."""
    return _by_algorithm(kitchen, lambda agent: agent.against_equilibrium("real"))


def table_6_8(kitchen: Kitchen) -> dict[str, Ours]:
    """Against the nemesis in the fine game."""
    return _by_algorithm(kitchen, lambda agent: agent.against_nemesis("fine"))


def table_6_8_real(kitchen: Kitchen) -> dict[str, Ours]:
    """Against the nemesis in the game itself."""
    return _by_algorithm(kitchen, lambda agent: agent.against_nemesis("real"))


def table_6_9(kitchen: Kitchen) -> dict[str, Ours]:
    """The value of the abstract game, and how far it is from that of the fine one."""
    best = Agent(kitchen, "PA", FINE, READINGS["PA"][0]).measured()["fine value"]
    cells = {}
    for sizes in GRANULARITIES:
        for algorithm in ALGORITHMS:
            values = [a.measured()["fine value"] for a in agents(kitchen, algorithm, sizes)]
            name = f"{title(sizes)}, {algorithm}"
            cells[f"{name} value"] = _cell(values)
            cells[f"{name} error"] = _cell([abs(v - best) for v in values])
    return cells


def _by_algorithm(kitchen: Kitchen, figure: Any) -> dict[str, Ours]:
    return {
        f"{title(sizes)}, {algorithm}": _cell(
            [figure(a) for a in agents(kitchen, algorithm, sizes)]
        )
        for sizes in GRANULARITIES
        for algorithm in ALGORITHMS
    }


def table_7_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Potential-aware agents that know 1, 2 or 3 bets, against equilibrium and nemesis."""
    cells = {}
    for sizes in GRANULARITIES:
        for bets in (1, 2, 3):
            agent = Agent(kitchen, "PA", sizes, READINGS["PA"][0], bets)
            rules = LIMIT_RULES if bets < 3 else LIMIT_RULES[:1]
            name = f"{title(sizes)}, {bets} bet{'s' * (bets > 1)}"
            cells[f"{name} equilibrium"] = _cell(
                [agent.against_equilibrium("fine", rule) for rule in rules]
            )
            cells[f"{name} nemesis"] = _cell(
                [agent.against_nemesis("fine", rule) for rule in rules]
            )
    return cells


def section_6_7_5(kitchen: Kitchen) -> dict[str, Ours]:
    """What the summary says of the four criteria, as numbers of granularities."""
    beats = {name: cell.value for name, cell in table_6_6(kitchen).items()}
    best = {name: cell.value for name, cell in table_6_7(kitchen).items()}
    worst = {name: cell.value for name, cell in table_6_8(kitchen).items()}
    value = {name: cell.value for name, cell in table_6_9(kitchen).items()}
    names = [title(sizes) for sizes in GRANULARITIES]

    def leads(figures: Mapping[str, float]) -> int:
        others = [f"{name}, PA" for name in names]
        return sum(figures[pa] >= max(figures[pa[:-2] + a] for a in ("EB", "EB2")) for pa in others)

    def improves(figures: Mapping[str, float], algorithm: str) -> int:
        row = [figures[f"{name}, {algorithm}"] for name in names]
        return sum(later > earlier for earlier, later in pairwise(row))

    closest = sum(
        value[f"{n}, PA error"] < min(value[f"{n}, EB error"], value[f"{n}, EB2 error"])
        for n in names
    )
    counts = {
        "EB beats PA head to head": sum(beats[f"{n}, EB vs. PA"] > 0 for n in names),
        "EB2 beats PA head to head": sum(beats[f"{n}, EB2 vs. PA"] > 0 for n in names),
        "PA is best against an equilibrium": leads(best),
        "PA is best against its nemesis": leads(worst),
        "PA's value is closest": closest,
        "EB is better than EB2 against its nemesis": sum(
            worst[f"{n}, EB"] > worst[f"{n}, EB2"] for n in names
        ),
        **{f"{a} improves against an equilibrium": improves(best, a) for a in ALGORITHMS},
        **{f"{a} improves against its nemesis": improves(worst, a) for a in ALGORITHMS},
    }
    return {f"{claim}, times": Ours(float(count)) for claim, count in counts.items()}
