from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.core.errors import SettingsError
from saddlepoint.games.poker import clairvoyance, no_limit_kuhn, no_limit_leduc
from saddlepoint.reverse.boundary import PREDICT, choose_bet, confidence, estimate_boundary
from saddlepoint.reverse.lift import lift
from saddlepoint.reverse.mappings import Mapping, mapping_named
from saddlepoint.reverse.responders import RESPONSES, Frequencies
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.strategy import Strategy
from saddlepoint.solvers.methods import solve

# Written from the definition, in whole numbers ---------------------------------------------


def likelihood(counts: list[int]) -> Fraction:
    """f^F c^C r^R at its maximum (4.11 to 4.14), 0^0 = 1."""
    total = sum(counts)
    return math.prod((Fraction(k, total) ** k for k in counts if k), start=Fraction(1))


def confidence_twin(S: np.ndarray) -> list[Fraction]:
    P = []
    for theta in range(1, S.shape[1] + 1):
        a = [int(row[:theta].sum()) for row in S]
        b = [int(row[theta:].sum()) for row in S]
        P.append(likelihood(a) * likelihood(b))
    return [p / sum(P) for p in P]


def choose_twin(S: np.ndarray, predict: str) -> dict[int, Fraction]:
    """The expected greatest confidence of every bet, in whole numbers."""
    V, n = confidence_twin(S), S.shape[1]
    theta = V.index(max(V)) + 1
    values = {}
    for i in range(n):
        if S[:, i].sum() == 0:
            return {i: Fraction(1)}
        counts = S[:, i]
        if predict == "side":
            counts = (S[:, :theta] if i < theta else S[:, theta:]).sum(axis=1)
        value = Fraction(0)
        for j in range(S.shape[0]):
            later = S.copy()
            later[j, i] += 1
            if counts[j]:
                value += int(counts[j]) * max(confidence_twin(later))
        values[i] = value / int(counts.sum())
    return values


@st.composite
def observations(draw: st.DrawFn) -> np.ndarray:
    m, n = draw(st.sampled_from([(3, 1), (3, 2), (3, 5), (2, 4), (4, 3)]))
    cells = st.lists(st.integers(0, 4), min_size=m * n, max_size=m * n)
    return np.array(draw(cells)).reshape(m, n)


@given(observations())
def test_confidence_is_the_definition(S: np.ndarray) -> None:
    V = confidence(S)
    np.testing.assert_allclose(V, [float(p) for p in confidence_twin(S)], rtol=1e-10)
    assert V.sum() == pytest.approx(1.0)
    assert V[-1] <= V.min() + 1e-12  # no boundary at all is never more likely than one


@given(observations(), st.sampled_from(PREDICT))
def test_the_bet_is_one_of_the_best(S: np.ndarray, predict: str) -> None:
    """The first of the best, where the best differ by more than rounding."""
    before, values = S.copy(), choose_twin(S, predict)
    chosen, best = choose_bet(S, predict), max(values.values())
    assert values[chosen] >= best * (1 - Fraction(1, 10**10))
    first = next(i for i, v in values.items() if v == best)
    assert chosen <= first
    np.testing.assert_array_equal(S, before)


@given(observations(), st.randoms())
def test_names_of_responses_and_the_direction_do_not_matter(S: np.ndarray, rng: object) -> None:
    order = list(range(S.shape[0]))
    rng.shuffle(order)  # type: ignore[attr-defined]
    np.testing.assert_allclose(confidence(S[order]), confidence(S), rtol=1e-10)
    V, W = confidence(S)[:-1], confidence(S[:, ::-1])[:-1]
    if len(V):
        np.testing.assert_allclose(W[::-1] / W.sum(), V / V.sum(), rtol=1e-10)


def test_what_was_not_observed() -> None:
    nothing = np.zeros((3, 5), int)
    np.testing.assert_allclose(confidence(nothing), 0.2)
    assert choose_bet(nothing) == 0  # not 'none', as Algorithm 1 is printed
    assert choose_bet([[1, 0, 3, 0], [0, 0, 1, 0], [2, 0, 0, 0]]) == 1


def test_many_observations_stay_in_range() -> None:
    """Products of powers would be 0 in floating point long before."""
    S = np.zeros((3, 20), int)
    S[0, :7], S[1, 7:], S[2, 3] = 10_000, 10_000, 500
    V = confidence(S)
    assert V[6] == pytest.approx(1.0)
    assert np.isfinite(V).all()


@pytest.mark.parametrize("wrong", [[1, 2], [[]], [[-1, 1]], [[0.5, 1.0]]])
def test_observations_are_checked(wrong: list) -> None:
    with pytest.raises(SettingsError, match="whole numbers from 0 on"):
        confidence(wrong)


# Algorithm 2 -------------------------------------------------------------------------------


@pytest.mark.parametrize("predict", PREDICT)
@pytest.mark.parametrize("theta", [1, 2, 6, 10, 14, 18, 19])
def test_boundaries_of_very_different_responses_are_found(theta: int, predict: str) -> None:
    agent = Frequencies.of_two([0.0, 0.4, 0.6], [0.9, 0.1, 0.0], theta, 20)
    found = [estimate_boundary(agent, 20, seed, predict=predict) for seed in range(20)]
    assert sum(f.theta == theta and f.converged for f in found) >= 18
    assert np.mean([f.hands for f in found]) < 120
    for f in found:
        assert (f.observations.sum(axis=0) >= 1).all()
        assert (f.confidence >= 0.99) == f.converged
        assert f.converged or f.hands == 500


def test_agents_who_do_not_differ_are_mostly_given_up() -> None:
    """There is nothing to be found; what is found at times is an error of the confidence."""
    agent = Frequencies.of_two([0.3, 0.5, 0.2], [0.3, 0.5, 0.2], 10, 20)
    found = [estimate_boundary(agent, 20, seed, cap=300) for seed in range(30)]
    given_up = [f for f in found if not f.converged]
    assert len(given_up) >= 20
    assert {f.hands for f in given_up} == {300}


def test_predicting_by_sides_saves_hands() -> None:
    """Algorithm 1 as printed goes on asking about bets that tell nothing."""
    agent = Frequencies.of_two([0.1, 0.5, 0.4], [0.8, 0.2, 0.0], 10, 20)
    found = {p: [estimate_boundary(agent, 20, s, predict=p) for s in range(40)] for p in PREDICT}
    hands = {p: np.mean([f.hands for f in found[p]]) for p in PREDICT}
    assert hands["side"] < 0.5 * hands["bet"]
    stuck = [f for f in found["bet"] if not f.converged]
    assert stuck
    assert all(f.theta in (9, 10, 11) for f in stuck)


def test_seeds_and_settings() -> None:
    agent = Frequencies.of_two([0.1, 0.9, 0.0], [0.9, 0.1, 0.0], 2, 5)
    one, two = estimate_boundary(agent, 5, 3), estimate_boundary(agent, 5, 3)
    np.testing.assert_array_equal(one.observations, two.observations)
    capped = estimate_boundary(agent, 5, 3, gamma=1.0, cap=2)
    assert capped.hands == 5  # each bet is made once
    assert not capped.converged
    only = estimate_boundary(Frequencies(np.array([[1.0, 0.0, 0.0]])), 1, 0)
    assert (only.theta, only.hands, only.converged) == (1, 1, True)
    with pytest.raises(SettingsError, match="gamma is 0"):
        estimate_boundary(agent, 5, 3, gamma=0.0)
    with pytest.raises(SettingsError, match="unknown predict 'sides'"):
        estimate_boundary(agent, 5, 3, predict="sides")


def test_any_function_is_a_responder() -> None:
    def folds_to_large_bets(bet: int, rng: np.random.Generator) -> int:
        return RESPONSES.index("fold" if bet >= 4 else "call")

    assert estimate_boundary(folds_to_large_bets, 10, 0).theta == 4


# Our own agents ----------------------------------------------------------------------------

HARD = ["det-arith", "det-geo", "det-pshar"]


def share(t: float) -> Mapping:
    """Read up to a part of the way as A."""
    return Mapping(f"boundary {t:g}", lambda A, B, x: np.where(x - A <= t * (B - A) + 1e-9, 1, 0))


@pytest.mark.parametrize("mapping", [*HARD, "0.1", "0.5", "0.9"])
@pytest.mark.parametrize("frame", ["real", "abstract"])
def test_the_boundary_of_leduc_agents_is_the_median(mapping: str, frame: str) -> None:
    """Player 2 answers a first bet between the pot (a total of 3) and all-in (12)."""
    pair = AbstractGame.of(no_limit_leduc(), no_limit_leduc(menu="fcpa"))
    strategy = solve(pair.game, "lp").profile.second
    totals = list(range(3, 13))
    if mapping in HARD:
        used, median = mapping_named(mapping), float(mapping_named(mapping).median(1.0, 5.5))
    else:
        used, median = share(float(mapping)), 1.0 + float(mapping) * 4.5
    theta = sum(median + 1e-9 >= (T - 1) / 2 for T in totals)
    settings = Translation.in_frame(frame, mapping=used)
    lifted = Frequencies.of_strategy(pair.real, lift(pair, strategy, settings).strategy, totals)
    # The responses to the two abstract bets, each on its side of the boundary.
    below, above = Frequencies.of_strategy(pair.game, strategy, [3, 12]).table
    np.testing.assert_allclose(
        lifted.table, Frequencies.of_two(below, above, theta, len(totals)).table, atol=1e-12
    )
    found = [estimate_boundary(lifted, len(totals), s, cap=3000, predict="side") for s in range(20)]
    assert sum(f.theta == theta for f in found) >= 17


@pytest.mark.parametrize("mapping", HARD)
def test_the_boundary_of_clairvoyance_agents_is_the_median(mapping: str) -> None:
    """Bets of 1 to 20 pots, in whole pots: an agent who calls with 1 / 2 or 1 / 21."""
    pair = AbstractGame.of(*(clairvoyance(stack=20, menu=menu) for menu in ("all", "fcpa")))
    folds = {"-:r1": 1 / 2, "-:r20": 20 / 21}
    strategy = Strategy.of_function(
        pair.game.sequence_form().Y, lambda name, _: [folds[name], 1 - folds[name]], 2
    )
    lifted = lift(pair, strategy, Translation.in_frame("real", mapping=mapping)).strategy
    agent = Frequencies.of_strategy(pair.real, lifted, [5 + 10 * pots for pots in range(1, 21)])
    median = float(mapping_named(mapping).median(1.0, 20.0))
    theta = sum(pots <= median for pots in range(1, 21))
    np.testing.assert_allclose(
        agent.table, Frequencies.of_two([1 / 2, 1 / 2, 0], [20 / 21, 1 / 21, 0], theta, 20).table
    )
    found = [estimate_boundary(agent, 20, s, cap=3000, predict="side") for s in range(10)]
    assert sum(f.theta == theta for f in found) >= 8


def test_who_answers_both_bets_alike_hides_the_boundary() -> None:
    """In no-limit Kuhn poker only the king calls a pot, and all-in (paper 001, section 5.2)."""
    pair = AbstractGame.of(*(no_limit_kuhn(stack=20, menu=menu) for menu in ("all", "fcpa")))
    strategy = solve(pair.game, "lp").profile.second
    lifted = lift(pair, strategy, Translation.in_frame("real", mapping="det-geo")).strategy
    agent = Frequencies.of_strategy(pair.real, lifted, [5 + 10 * pots for pots in range(1, 21)])
    assert (agent.table == agent.table[0]).all()


def test_frequencies_are_averages_over_hands() -> None:
    """Kuhn's player 2 by hand: Jd folds, Q calls with 1/3, K calls, each a third of the time."""
    game = no_limit_kuhn(stack=1.0, step=0.5)
    calls = {"J": 0.0, "Q": 1 / 3, "K": 1.0}
    form = game.sequence_form()
    strategy = Strategy.of_function(
        form.Y,
        lambda name, actions: [1 - calls[name[0]], calls[name[0]]] if "f" in actions else [1.0],
        2,
    )
    table = Frequencies.of_strategy(game, strategy, [2, 3]).table
    np.testing.assert_allclose(table, [[5 / 9, 4 / 9, 0.0]] * 2)


def test_responders_are_checked() -> None:
    game = no_limit_leduc(stack=4)
    strategy = Strategy.uniform(game.sequence_form().Y, 2)
    with pytest.raises(SettingsError, match=r"cannot be made to answer \[9\] at the start"):
        Frequencies.of_strategy(game, strategy, [3, 9])
    with pytest.raises(SettingsError, match="boundary is 0, expected 1 to 5"):
        Frequencies.of_two([1, 0, 0], [0, 1, 0], 0, 5)
    with pytest.raises(SettingsError, match="shape"):
        Frequencies(np.ones((2, 2)))
    with pytest.raises(SettingsError, match="sum 1"):
        Frequencies(np.ones((2, 3)))
    never = Strategy.of_function(
        game.sequence_form().X, lambda _, actions: [float(a == "c") for a in actions], 1
    )
    tree = game.tree
    raised = int(np.flatnonzero((tree.move == 2) & (tree.parent == 0))[0])
    with pytest.raises(SettingsError, match="own play never leads to"):
        Frequencies.of_strategy(game, never, [3], node=raised)
