"""Golden counts and known values of the games of the papers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from conftest import form_of
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.ranking import RANKINGS
from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.games import poker
from saddlepoint.games.catalogue import game
from saddlepoint.games.deal import Deal, deal_of_cards
from saddlepoint.games.poker import rhode_island
from saddlepoint.games.unfold import unfold
from saddlepoint.solvers.methods import solve


@pytest.mark.parametrize(
    ("text", "nodes", "infosets", "sequences"),
    [
        ("kuhn", 58, 12, (13, 13)),
        ("leduc", 9_457, 288, (337, 337)),
        ("leduc:isomorphism=cards", 9_457, 936, (1093, 1093)),
        ("rhode-island", 6_705_372_545, 3_937_128, (4_921_411, 4_921_411)),
    ],
)
def test_golden_counts(text: str, nodes: int, infosets: int, sequences: tuple[int, int]) -> None:
    """Kuhn and Leduc as OpenSpiel counts them; Rhode Island with all deals distinct."""
    counts = game(text).counts()
    assert counts.nodes == nodes
    assert sum(counts.infosets) == infosets
    assert counts.sequences == sequences
    assert counts.chance_nodes + counts.decision_nodes + counts.leaves == nodes


def test_rhode_island_by_suits() -> None:
    """13, 325 and 9,997 classes; 1 + 10 * 13 + 70 * 325 + 490 * 9997 sequences."""
    found = poker.rhode_island()
    assert [found.deal.classes(1, r) for r in range(3)] == [13, 325, 9997]
    assert found.counts().sequences[0] == 1 + 10 * 13 + 70 * 325 + 490 * 9997


@pytest.mark.parametrize(
    "text",
    [
        "kuhn",
        "leduc:isomorphism=cards",
        "no-limit-leduc:stack=4,isomorphism=cards",
        "no-limit-leduc:stack=12,menu=fca,isomorphism=cards",
        "rhode-island:ranks=23A,suits=2,raises=0,isomorphism=cards",
        "no-limit-kuhn",
        "clairvoyance",
    ],
)
def test_counts_are_those_of_what_is_built(text: str) -> None:
    found = game(text)
    counts, form, tree = found.counts(), found.sequence_form(), unfold(found)
    assert counts.sequences == (form.X.n_sequences, form.Y.n_sequences)
    assert counts.infosets == (form.X.n_infosets, form.Y.n_infosets)
    # The unfolded tree deals pairs of hands at once: it lacks the chance nodes between.
    private = sum(found.deal.chance[:-1])
    run_outs = counts.nodes - private - tree.n_nodes
    assert run_outs >= 0
    if "no-limit-leduc" not in text:
        assert run_outs == 0
        assert counts.leaves == (tree.mover == -1).sum()
        assert counts.decision_nodes == (tree.mover > 0).sum()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("kuhn", -1 / 18),
        ("leduc", -0.0856064),
        ("leduc:isomorphism=cards", -0.0856064),
        *((f"no-limit-kuhn:stack={n}", 0.2 / 7) for n in (1, 2, 3, 5, 10)),
        *((f"clairvoyance:stack={n}", n / (2 * (1 + n))) for n in (1, 2, 3, 5, 10)),
        ("no-limit-leduc:menu=fcpa", -0.065564),
    ],
)
def test_known_values(text: str, value: float) -> None:
    """Kuhn 1950; Leduc by linear programming elsewhere; paper 001, section 9; appendix A."""
    solution = solve(form_of(text), "lp")
    assert solution.value == pytest.approx(value, abs=5e-7)
    assert solution.gap < 1e-8
    assert solution.lower - 1e-7 <= value <= solution.upper + 5e-7


@pytest.mark.parametrize("text", ["kuhn", "leduc", "no-limit-kuhn:stack=3", "clairvoyance:stack=3"])
def test_methods_agree_within_their_gaps(text: str) -> None:
    exact = solve(form_of(text), "lp").value
    for method in ("cfr+", "dcfr", "pcfr+", "lcfr", "cfr"):
        found = solve(form_of(text), method, gap=5e-3)
        assert found.gap <= 5e-3
        assert found.lower - 1e-9 <= exact <= found.upper + 1e-9


def test_no_limit_leduc_value_by_two_methods() -> None:
    """Value with 12 chips in [-0.06926, -0.06898]."""
    for method in ("dcfr", "cfr+"):
        found = solve(form_of("no-limit-leduc"), method, gap=0.02)
        assert found.gap <= 0.02
        assert found.lower <= -0.06898
        assert found.upper >= -0.06926


@pytest.mark.slow
def test_no_limit_leduc_value_by_linear_program() -> None:
    """Value with 12 chips in [-0.06926, -0.06898], to the last digits."""
    found = solve(form_of("no-limit-leduc"), "lp")
    assert found.gap < 1e-9
    assert -0.06926 <= found.lower <= found.upper <= -0.06898


def brute_force(deck: Deck, board: int, ranking: str, deal: Deal, round_: int) -> tuple:
    """Joint probabilities and outcomes of a round's classes, from all deals of cards."""
    names = deal.rounds[round_].names[0]
    place = {name: k for k, name in enumerate(names)}
    fold, show = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2)
    deals = list(permutations(range(len(deck)), 2 + board))
    shown = sum((1 for _ in range(round_)), 0)
    for cards in deals:
        hands = np.array([[cards[0], *cards[2:]], [cards[1], *cards[2:]]])
        sign = np.sign(np.subtract(*RANKINGS[ranking](deck, hands)))
        i, j = (place[name_of(deck, [cards[p], *cards[2 : 2 + shown]])] for p in (0, 1))
        fold[i, j] += 1 / len(deals)
        show[i, j] += sign / len(deals)
    return fold, show


def name_of(deck: Deck, hand: list[int]) -> str:
    cards = [deck.text(c) for c in hand]
    return cards[0] + ("|" + "".join(cards[1:]) if len(cards) > 1 else "")


@pytest.mark.parametrize(
    ("deck", "board", "ranking"),
    [
        (Deck("JQK", 2), (0, 1), "pair"),
        (Deck("TJQK", 1), (0,), "high-card"),
        (Deck("23A", 2), (0, 1, 1), "three-card"),
        (Deck("JQ", 3), (0, 1), "pair"),
    ],
)
@pytest.mark.parametrize("realisation", ["tables", "cards"])
def test_deals_are_counted_right(
    deck: Deck, board: tuple[int, ...], ranking: str, realisation: str
) -> None:
    deal = deal_of_cards(deck, board, ranking, "cards", realisation)
    for r in range(len(board)):
        fold, show = brute_force(deck, sum(board), ranking, deal, r)
        np.testing.assert_allclose(deal.joint(r).dense(), fold, atol=1e-15)
        np.testing.assert_allclose(deal.rounds[r].showdown.entries().dense(), show, atol=1e-15)


@pytest.mark.parametrize("group", ["suits", "ranks"])
def test_isomorphic_games_have_equal_values(group: str) -> None:
    """Forgetting suits changes no value, where it is allowed."""
    texts = {
        "suits": "rhode-island:ranks=23A,suits=2,raises=0,isomorphism=",
        "ranks": "leduc:ranks=QK,suits=3,isomorphism=",
    }
    values = [solve(form_of(texts[group] + g), "lp").value for g in (group, "cards")]
    assert values[0] == pytest.approx(values[1], abs=1e-6)


def test_impossible_games_are_refused() -> None:
    with pytest.raises(RulesError, match="not enough"):
        game("kuhn:ranks=K").sequence_form()
    with pytest.raises(RulesError, match="flushes"):
        game("rhode-island:isomorphism=ranks").sequence_form()
    with pytest.raises(RulesError, match="multiple of the step"):
        game("clairvoyance:stack=0.55")
    with pytest.raises(SizeError, match="would take"):
        game("no-limit-leduc:stack=40").sequence_form()


@pytest.mark.slow
def test_rhode_island_by_two_methods() -> None:
    """The suit-isomorphic game, value in [-65.908, -65.447] by an independent program."""
    form = form_of("rhode-island")
    found = [
        solve(form, method, gap=goal, seconds=1200, precision="single")
        for method, goal in (("dcfr", 1.0), ("cfr+", 5.0))
    ]
    for solution in found:
        assert solution.status.value == "converged"
        assert solution.lower <= -65.447
        assert solution.upper >= -65.908
    assert max(s.lower for s in found) <= min(s.upper for s in found)


def test_rhode_island_as_the_thesis_counts_it() -> None:
    """Section 3.1.2 and 10.2 of thesis 003: the signal tree, and the linear program."""
    classes = rhode_island()
    assert [len(r.names[0]) for r in classes.deal.rounds] == [13, 325, 9997]
    assert classes.counts().sequences[0] == 4_921_411 == 1 + 10 * 13 + 70 * 325 + 490 * 9997
    full = rhode_island(isomorphism="cards")
    deals = [r.deals for r in full.deal.rounds]
    assert 1 + 52 + sum(deals) == 6_632_705
    counts = full.counts()
    # Rows: a player's sequences, and the other's information sets with the root.
    assert counts.sequences[0] + counts.infosets[1] + 1 == 91_224_226
