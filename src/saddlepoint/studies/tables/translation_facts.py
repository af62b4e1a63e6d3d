"""Paper 001: what its text and figures say, beside the tables.

The worked examples of section 5, the medians of Figures 1 and 2, the whole interval of
player 2's equilibria of the clairvoyance game (appendix A), player 1's bets in the
equilibria of no-limit Kuhn poker (section 9.2), and the variant of footnote 6.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu
from saddlepoint.games.poker import clairvoyance, no_limit_kuhn
from saddlepoint.measure.exact import guarantee
from saddlepoint.reverse.lift import lift
from saddlepoint.reverse.mappings import MAPPINGS
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.face import EquilibriumFace
from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.tables.translation import (
    KUHN_VALUE,
    RARE_CALLS_FROM,
    STACKS,
    kuhn_caller,
)

FACE_STACKS, FACE_BETS = (1, 3, 5), (0.2, 0.5, 1.0)


def worked(kitchen: Kitchen) -> dict[str, Ours]:
    """Section 5: what a strong hand earns from a caller of half of all pot-sized bets."""

    def earned(bet: float, called: float) -> float:
        return 1.0 * (1.0 - called) + (1.0 + bet) * called

    pot, all_in = 0.5, 1.0 / 101.0
    down = float(MAPPINGS["det-arith"](1.0, 100.0, 50.0))
    share = float(MAPPINGS["rand-arith"](1.0, 100.0, 50.5))
    return {
        "a pot-sized bet, pots": Ours(earned(1.0, pot)),
        "50 pots at det-arith, pots": Ours(
            down * earned(50.0, pot) + (1.0 - down) * earned(50.0, all_in)
        ),
        "50.5 pots at rand-arith, pots": Ours(
            share * earned(50.5, pot) + (1.0 - share) * earned(50.5, all_in)
        ),
    }


def medians(kitchen: Kitchen) -> dict[str, Ours]:
    """Section 7: the medians of the randomised mappings of Figure 1, where f is one half."""
    x = np.linspace(0.01, 1.0, 99_001)
    names = {"rand-geo-1", "rand-geo-2", "rand-arith", "rand-pshar"}
    return {
        f"{name}, median": Ours(float(x[np.argmin(np.abs(MAPPINGS[name](0.01, 1.0, x) - 0.5))]))
        for name in sorted(names)
    }


def calling_interval(kitchen: Kitchen) -> dict[str, Ours]:
    """Appendix A: between what player 2 may call a bet in equilibrium, by linear programs."""
    cells = {}
    for n in FACE_STACKS:
        form = clairvoyance(stack=n).sequence_form()
        face = EquilibriumFace(form, 2)
        for x in FACE_BETS:
            if x < n:
                found = face.range(_call(form, f"-:r{x:g}"))
                cells[f"stack {n} bet {x:g}, least"] = Ours(found.minimum)
                cells[f"stack {n} bet {x:g}, greatest"] = Ours(found.maximum)
    return cells


def _call(form: SequenceForm, infoset: str) -> np.ndarray:
    """The functional that is the probability of a call of player 2."""
    plex, c = form.Y, np.zeros(form.Y.n_sequences)
    i = plex.find(infoset)
    c[plex.flat.start[i] + plex.flat.stride[i]] = 1.0
    return c


def only_bet(kitchen: Kitchen) -> dict[str, Ours]:
    """Section 9.2: the least and greatest size that player 1 bets in any equilibrium.

    A size is bet in some equilibrium if the greatest probability of it over the face of his
    equilibria is positive.
    """

    def sizes(n: int) -> dict[str, float]:
        form = no_limit_kuhn(stack=n).sequence_form()
        plex, face = form.X, EquilibriumFace(form, 1)
        bets = [float(plex.names.action(0, a)[1:]) for a in range(1, plex.flat.actions[0])]
        used = []
        for a, bet in enumerate(bets, start=1):
            c = np.zeros(plex.n_sequences)
            for i in range(plex.n_infosets):
                c[plex.flat.start[i] + a * plex.flat.stride[i]] = 1.0
            if float(c @ face.maximise(c)) > 1e-9:
                used.append(bet)
        return {"least": min(used), "greatest": max(used), "unique": float(face.unique)}

    cells: dict[str, Ours] = {}
    for n in (1, 3, 5, 10):
        found = kitchen.step("001-9.2", {"stack": n}, partial(sizes, n))
        cells |= {f"stack {n}, {key}": Ours(figure) for key, figure in found.items()}
    return cells


def folding_variant(kitchen: Kitchen) -> dict[str, Ours]:
    """Footnote 6: with the jack player 2 folds to a check, and so to small bets.

    Nothing else changes, since he loses a showdown with it in any case.
    """

    def lost(n: int) -> dict[str, float]:
        real = no_limit_kuhn(stack=n)
        abstract = with_menu(real, "fcpa")
        caller = kuhn_caller(abstract, rare=n >= RARE_CALLS_FROM)
        lifted = lift(AbstractGame.of(real, abstract), caller, Translation(mapping="rand-pshar"))
        form, strategy = real.sequence_form(), lifted.strategy

        def folds(infoset: str, actions: list[str]) -> dict[str, float]:
            return {"f": 1.0} if infoset.startswith("J") else strategy[infoset]

        return {"lost": guarantee(form, Strategy.of_function(form.Y, folds, 2)) - KUHN_VALUE}

    cells: dict[str, Ours] = {}
    for n in STACKS:
        found = kitchen.step("001-footnote-6", {"stack": n}, partial(lost, n))
        cells[f"rand-pshar, {n}"] = Ours(found["lost"])
    return cells
