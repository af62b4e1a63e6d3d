"""Beyond paper 001: each mapping over a grid of stacks and menus, and two open questions.

A cell is a game with a stack and a betting abstraction of it. Its abstract game is solved,
both players' strategies are made undominated, lifted by each mapping, and measured by best
responses: the exploitability is the mean of both seats, exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu
from saddlepoint.games.poker import clairvoyance, no_limit_kuhn, no_limit_leduc
from saddlepoint.measure.exact import guarantee
from saddlepoint.reverse.desiderata import LOW, ZERO
from saddlepoint.reverse.desiderata import report as findings
from saddlepoint.reverse.lift import Lifting
from saddlepoint.reverse.mappings import MAPPINGS
from saddlepoint.reverse.translate import Translation
from saddlepoint.solvers.methods import solve
from saddlepoint.solvers.refine import refine
from saddlepoint.studies.plots import Plot
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table
from saddlepoint.studies.tables.translation import KUHN_VALUE, kuhn_losses

# Games, stacks, menus, and the frame in which each game is translated.
GAMES: dict[str, tuple[Callable[..., FactoredGame], tuple[int, ...], tuple[str, ...], str]] = {
    "clairvoyance": (
        *(clairvoyance, (1, 3, 5, 10, 20, 50, 100)),
        *(("fca", "fcha", "fcpa", "fchpa", "fcpda"), "real"),
    ),
    "no-limit-kuhn": (
        *(no_limit_kuhn, (1, 3, 5, 10, 20, 50, 100)),
        *(("fca", "fcha", "fcpa", "fchpa", "fcpda"), "real"),
    ),
    "no-limit-leduc": (
        *(no_limit_leduc, (6, 8, 10, 12, 15)),
        *(("fca", "fcha", "fcpa", "fchpa", "fcpda"), "mixed"),
    ),
}


def by_stack_and_menu(kitchen: Kitchen) -> Report:
    """The exploitability of each mapping, over stacks and menus of three games."""
    tables, plots = [], []
    for name, (make, stacks, menus, frame) in GAMES.items():
        lost = {}
        for menu in menus:
            for stack in stacks:
                key = {"game": name, "stack": stack, "menu": menu, "frame": frame}
                compute = partial(exploitabilities, make, stack, menu, frame)
                lost[menu, stack] = kitchen.step("mapping grid", key, compute)
        unit = make(stack=stacks[0]).unit.name
        tables.append(_grid_table(name, unit, lost))
        plots += [
            Plot(
                title=f"{name} with {menu}: exploitability by stack, both seats",
                x="stack",
                y=unit,
                logarithmic=(stacks[-1] >= 10 * stacks[0], False),
                series={
                    mapping: (stacks, [lost[menu, stack][mapping] for stack in stacks])
                    for mapping in MAPPINGS
                },
            )
            for menu in menus
        ]
    return Report(
        title="How exploitable each translation mapping is, by stack and menu",
        facts=[
            *((f"least exploitable most often, {t.title}", _champion(t)) for t in tables),
            ("strategies", "undominated equilibria of each abstract game"),
        ],
        tables=tables,
        plots=plots,
        made={"games": {name: (list(s), list(m), f) for name, (_, s, m, f) in GAMES.items()}},
    )


def exploitabilities(
    make: Callable[..., FactoredGame], stack: int, menu: str, frame: str
) -> dict[str, float]:
    """By mapping, the exploitability of a lifted equilibrium, the mean of both seats."""
    real = make(stack=stack)
    pair, form = AbstractGame.of(real, with_menu(real, menu)), real.sequence_form()
    profile = refine(solve(pair.game, "lp")).profile
    found = {}
    for name in MAPPINGS:
        lifting = Lifting(pair, Translation.in_frame(frame, mapping=name))
        low, high = (guarantee(form, lifting.lift(strategy).strategy) for strategy in profile)
        found[name] = (high - low) / 2.0
    return found


def _grid_table(name: str, unit: str, lost: dict[tuple[str, int], dict[str, Any]]) -> Table:
    rows = []
    for (menu, stack), found in lost.items():
        least = min(found.values())
        best = [mapping for mapping in MAPPINGS if found[mapping] <= least + 1e-9]
        least_of = "all" if len(best) == len(MAPPINGS) else ", ".join(best)
        rows.append((menu, stack, *(found[mapping] for mapping in MAPPINGS), least_of))
    return Table(title=f"{name}, in {unit}", heads=("menu", "stack", *MAPPINGS, "least"), rows=rows)


def _champion(table: Table) -> str:
    """The mapping that is least exploitable in most cells of a table, and in how many."""
    named = [row[-1].split(", ") for row in table.rows if row[-1] != "all"]
    counts = {m: sum(m in names for names in named) for m in MAPPINGS}
    best = max(counts, key=lambda m: counts[m])
    return f"{best} ({counts[best]} of {len(table.rows)})"


# Offensive and defensive sizes ------------------------------------------------------------

OFFENSIVE = 0.4
STACKS = (1, 3, 5, 10, 20)


def offence_and_defence(kitchen: Kitchen) -> Report:
    """No-limit Kuhn poker: the bet of all equilibria, the best single size, and both together.

    Player 1 loses what the menu costs him: its value is less than that of the game. Player 2
    loses what translation costs him. Sizes are in tenths of the pot.
    """
    rows = []
    for n in STACKS:
        found = kitchen.step("offence and defence", {"stack": n}, partial(_sizes, n))
        for mapping in MAPPINGS:
            only, single, mixed = (found[f"{mapping}, {kind}"] for kind in ("0.4", "one", "two"))
            size, second = found[f"{mapping}, size"], found[f"{mapping}, second"]
            helps = "yes" if mixed < min(only, single) - 1e-9 else "no"
            rows.append((n, mapping, only, size, single, second, mixed, helps))
    helped = sum(row[-1] == "yes" for row in rows)
    return Report(
        title="Offensive and defensive sizes in no-limit Kuhn poker",
        facts=[
            ("mixed sizes help", f"in {helped} of {len(rows)} cases"),
            ("measure", "exploitability in pots, the mean of both seats"),
        ],
        tables=[
            Table(
                title="The equilibrium bet, the best single size, the equilibrium bet and a second",
                heads=(
                    *("stack", "mapping", "0.4 only", "best single", "with it"),
                    *("best second", "0.4 and it", "helps"),
                ),
                rows=rows,
                note="All-in is always in the menu. Helps: less than 0.4 alone, and less than the "
                "best single size.",
            )
        ],
        made={"stacks": list(STACKS), "offensive": OFFENSIVE},
    )


def _sizes(n: int) -> dict[str, float]:
    """By mapping: 0.4 only, the best single size, and the best size beside 0.4."""
    tenths = [k / 10 for k in range(1, min(10 * n, 51))]
    single = {size: _both_seats(n, (size,)) for size in tenths}
    double = {size: _both_seats(n, (OFFENSIVE, size)) for size in tenths if size != OFFENSIVE}
    found: dict[str, float] = {}
    for mapping in MAPPINGS:
        size = min(single, key=lambda s: round(single[s][mapping], 9))
        second = min(double, key=lambda s: round(double[s][mapping], 9))
        found |= {
            f"{mapping}, 0.4": single[OFFENSIVE][mapping],
            f"{mapping}, size": size,
            f"{mapping}, one": single[size][mapping],
            f"{mapping}, second": second,
            f"{mapping}, two": double[second][mapping],
        }
    return found


def _both_seats(n: int, sizes: tuple[float, ...]) -> dict[str, float]:
    real = no_limit_kuhn(stack=n)
    menu = Menu(bets=tuple(sorted(sizes)))
    missed = KUHN_VALUE - solve(with_menu(real, menu), "lp").value
    return {name: (missed + lost) / 2.0 for name, lost in kuhn_losses(n, *sizes).items()}


# What mappings satisfy ----------------------------------------------------------------------


# Sizes of Figures 1 and 2 of paper 001.
FIGURES = ((0.01, 1.0), (1.0, 4.0))


def desiderata(kitchen: Kitchen) -> Report:
    """Which mapping satisfies what, for A > 0 and for A = 0, with Figures 1 and 2."""
    found = {(f.mapping, f.desideratum, f.domain): f for f in findings()}
    names = list(dict.fromkeys(f.desideratum for f in found.values()))

    def text(mapping: str, name: str) -> str:
        low, zero = (found[mapping, name, domain].holds for domain in (LOW, ZERO))
        return "yes" if low and zero else "no" if not (low or zero) else "A > 0" if low else "A = 0"

    failed = [f for f in found.values() if not f.holds]
    return Report(
        title="What translation mappings satisfy",
        tables=[
            Table(
                title="Desiderata",
                heads=("mapping", *names),
                rows=[(m, *(text(m, name) for name in names)) for m in MAPPINGS],
                note="Printed invariance is f(kA, kB, kx) = f(A, B, x) as the paper prints it; "
                "scale invariance scales the pot too. A > 0: not for A = 0.",
            ),
            Table(
                title="Where they fail",
                heads=("mapping", "desideratum", "domain", "off by", "where"),
                rows=[(f.mapping, f.desideratum, f.domain, f.worst, f.where) for f in failed],
            ),
        ],
        plots=[
            Plot(
                title=f"The mappings for A = {A:g} and B = {B:g}",
                x="x, in pots",
                y="f(x)",
                series={
                    name: (x, mapping(A, B, x))
                    for name, mapping in MAPPINGS.items()
                    for x in [np.linspace(A, B, 200)]
                },
            )
            for A, B in FIGURES
        ],
    )
