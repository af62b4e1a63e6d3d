from __future__ import annotations

import math

import numpy as np
import pytest

import twins
from conftest import form_of
from saddlepoint.core.errors import SettingsError
from saddlepoint.games.catalogue import game
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence.form import SequenceForm, matrix_form
from saddlepoint.solvers import cfr, matching
from saddlepoint.solvers.run import run


@pytest.mark.parametrize("text", ["kuhn", "leduc:raises=0", "no-limit-leduc:stack=3"])
def test_cfr_is_the_textbook_algorithm(text: str) -> None:
    """The kernels against dictionaries on the nodes of the tree, 25 iterations."""
    tree, form = unfold(game(text)), form_of(text)
    twin = twins.TreeCFR(tree)
    for _ in range(25):
        twin.iterate()
    work = cfr.CFR(updates="simultaneous").start(form)
    work.advance(25, 60.0)
    for plex, player, mean in zip((form.X, form.Y), (1, 2), work.plans(), strict=True):
        s = plex.behaviour(mean)
        for i, name in enumerate(tree.infosets[player - 1]):
            expected = twin.average((player, i))
            np.testing.assert_allclose(s[plex.sequences(plex.find(name))], expected, atol=1e-10)


@pytest.mark.parametrize("method", cfr.FAMILY)
def test_the_family_converges(method: type[cfr.RegretMatching], small_form: SequenceForm) -> None:
    before = run(small_form, method(), iterations=1)
    after = run(small_form, method(), iterations=800)
    assert 0.0 <= after.gap < before.gap / 8
    assert after.lower <= after.value <= after.upper


@pytest.mark.parametrize("method", cfr.FAMILY)
@pytest.mark.parametrize("updates", cfr.UPDATES)
def test_a_game_whose_answer_is_not_uniform(method: type[cfr.RegretMatching], updates: str) -> None:
    """[[3, 0], [1, 2]]: rows 1/4, 3/4; columns 1/2, 1/2; value 3/2."""
    form = matrix_form([[3, 0], [1, 2]])
    found = run(form, method(updates=updates), gap=5e-3, iterations=200_000)
    assert found.gap <= 5e-3
    assert found.value == pytest.approx(1.5, abs=5e-3)
    assert found.profile.first.probabilities[1] == pytest.approx(0.25, abs=1e-2)


def test_single_precision_follows_double() -> None:
    form = form_of("leduc")
    double, single = (
        run(form, cfr.DiscountedCFR(precision=p), iterations=300) for p in cfr.PRECISIONS
    )
    assert single.gap == pytest.approx(double.gap, rel=0.2)
    assert single.value == pytest.approx(double.value, abs=1e-4)


def test_realisations_of_the_deal_do_not_matter() -> None:
    found = [
        run(form_of(f"leduc:realisation={r}"), cfr.CFRPlus(), iterations=100)
        for r in ("tables", "cards")
    ]
    assert found[0].value == pytest.approx(found[1].value, abs=1e-10)
    assert found[0].gap == pytest.approx(found[1].gap, abs=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"updates": "both"},
        {"precision": "half"},
        {"gamma": -1.0},
        {"gamma": 99.0},
        {"foresight": 2.0},
        {"alpha": math.nan},
    ],
)
def test_wrong_settings_are_refused(settings: dict) -> None:
    with pytest.raises(SettingsError, match=next(iter(settings))):
        cfr.RegretMatching(**settings)


def test_powers_have_their_limits() -> None:
    assert matching.power(5, math.inf) == 1.0
    assert matching.power(5, -math.inf) == 0.0
    assert matching.power(3, 0.0) == 0.5
    assert matching.power(4, 1.5) == pytest.approx(8 / 9)
