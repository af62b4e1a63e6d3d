from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.cards import matchups
from saddlepoint.cards.boards import renamings, symmetric_boards
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.equity import Equity, board_of, equity
from saddlepoint.cards.evaluation import strengths
from saddlepoint.cards.ranges import pairs, parse
from saddlepoint.core.errors import FormatError, RulesError, SettingsError

DECK = Deck()


def slow(w1: np.ndarray, w2: np.ndarray, board: list[int]) -> tuple[float, float, float]:
    """The definition: every pair of hands, every board."""
    win = tie = total = 0.0
    cards = pairs().tolist()
    for h1 in np.flatnonzero(w1):
        for h2 in np.flatnonzero(w2):
            known = [*cards[h1], *cards[h2], *board]
            if len(set(known)) < len(known):
                continue
            rest = [card for card in range(52) if card not in known]
            more = np.array(list(combinations(rest, 5 - len(board))), np.uint8)
            boards = np.hstack([np.tile(np.array(board, np.uint8), (len(more), 1)), more])
            s1, s2 = (
                strengths(np.hstack([np.tile(np.uint8(cards[h]), (len(more), 1)), boards]))
                for h in (h1, h2)
            )
            weight = w1[h1] * w2[h2]
            win += weight * (s1 > s2).sum()
            tie += weight * (s1 == s2).sum()
            total += weight * len(more)
    return win, tie, total


def some_range(rng: np.random.Generator, size: int) -> np.ndarray:
    weights = np.zeros(1326)
    held = rng.choice(1326, size, replace=False)
    weights[held] = rng.integers(1, 9, size)
    return weights


def sums(found: Equity) -> tuple[float, float, float]:
    return found.win * found.total, found.tie * found.total, found.total


@pytest.mark.parametrize(
    "board", ["2c 7d Th", "As Ks Qs", "2c 2d 2h Js", "9c 9d 9h 9s Ac", "5d6d7d8d9d"]
)
@pytest.mark.parametrize("seed", range(3))
def test_exact_is_the_definition(board: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dealt = board_of(board).tolist()
    size = {3: 12, 4: 30, 5: 80}[len(dealt)]
    w1, w2 = some_range(rng, size), some_range(rng, size)
    w2[np.flatnonzero(w1)[: size // 2]] = 3.0  # hands that both hold
    found = equity(w1, w2, dealt)
    assert sums(found) == pytest.approx(slow(w1, w2, dealt), rel=1e-12, abs=1e-6)
    assert found.win + found.tie + found.lose == pytest.approx(1.0, abs=1e-12)
    assert (found.samples, found.standard_error) == (0, 0.0)


def test_aces_against_kings() -> None:
    """50,371,344 wins and 285,228 ties of 36 pairs of hands on 1,712,304 boards each."""
    found = equity("AA", "KK")
    assert found.total == 36 * comb(48, 5)
    assert found.win * found.total == pytest.approx(50_371_344, abs=0.01)
    assert found.tie * found.total == pytest.approx(285_228, abs=0.01)
    assert found.equity == pytest.approx(0.81946, abs=5e-6)


def test_one_preflop_pair_is_the_definition() -> None:
    hands = parse("AsKd"), parse("7s7c")
    assert sums(equity(*hands)) == pytest.approx(slow(*hands, []), rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [("AA", "KK"), ("AKs,QQ:0.5", "JJ,AKo:0.25"), ("AsKs,2c2d:0.5", "7h7d,AhKh"), ("T9s", "T9s")],
)
def test_pairs_and_boards_agree(first: str, second: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways of counting have nothing in common but the strengths."""
    found = []
    for price in (0.0, 1e9):
        monkeypatch.setattr(matchups, "_PER_PAIR", price)
        found.append(sums(equity(first, second)))
    assert found[0] == pytest.approx(found[1], rel=1e-11)


@pytest.mark.slow
def test_all_hands_against_all_hands() -> None:
    found = equity("random", "random")
    assert found.total == comb(52, 2) * comb(50, 2) * comb(48, 5)
    assert found.equity == pytest.approx(0.5, abs=1e-12)
    assert found.tie == pytest.approx(0.040674, abs=1e-6)


def test_all_hands_against_all_hands_on_a_flop() -> None:
    found = equity("random", "random", "Ts9s2d")
    assert found.total == comb(49, 2) * comb(47, 2) * comb(45, 2)
    assert found.win == pytest.approx(found.lose, abs=1e-12)


@pytest.mark.parametrize(
    ("board", "classes"), [("", 134_459), ("2c2d2h", None), ("As Kd Qh", None)]
)
def test_symmetric_boards_are_the_orbits(board: str, classes: int | None) -> None:
    dealt = board_of(board)
    suits = np.array(
        [
            g
            for g in renamings()
            if {c // 4 * 4 + g[c % 4] for c in dealt.tolist()} == set(dealt.tolist())
        ]
    )
    boards, times = symmetric_boards(dealt, suits)
    assert times.sum() == comb(52 - len(dealt), 5 - len(dealt))
    assert classes in (None, len(boards))
    if classes is None:
        seen = set()
        for row in boards.tolist():
            seen.add(min(tuple(sorted(c // 4 * 4 + g[c % 4] for c in row)) for g in suits.tolist()))
        assert len(seen) == len(boards)


@given(st.integers(0, 2**32), st.permutations(range(4)), st.sampled_from([3, 4, 5]))
def test_symmetry(seed: int, suits: list[int], size: int) -> None:
    """Seats change the sign, names of suits change nothing, scale changes the total only."""
    rng = np.random.default_rng(seed)
    w1, w2 = some_range(rng, 20), some_range(rng, 20)
    board = rng.choice(52, size, replace=False)
    found = equity(w1, w2, board.tolist())
    turned = equity(w2, w1, board.tolist())
    assert (turned.win, turned.tie, turned.lose) == pytest.approx(
        (found.lose, found.tie, found.win), abs=1e-12
    )
    low, high = np.sort(pairs() // 4 * 4 + np.array(suits)[pairs() % 4], axis=1).T
    image = high * (high - 1) // 2 + low
    moved = np.zeros((2, 1326))
    moved[0, image], moved[1, image] = w1, w2
    renamed = board // 4 * 4 + np.array(suits)[board % 4]
    assert sums(equity(*moved, renamed.tolist())) == pytest.approx(sums(found), rel=1e-12, abs=1e-6)
    scaled = equity(w1 * 3e-300, w2 * 1e250, board.tolist())
    assert (scaled.win, scaled.tie) == pytest.approx((found.win, found.tie), abs=1e-12)


def test_cards_are_removed() -> None:
    """With both red aces gone, a pair of aces is dealt in one way of six."""
    assert equity("AA", "AhAd", "2c7sTd").total == comb(45, 2)
    assert equity("AA,KK", "AhAd", "2c7sTd").total == 7 * comb(45, 2)
    with pytest.raises(RulesError, match="can be dealt together on the board 2c7sAc"):
        equity("AhAs", "AhAd", "2c7sAc")


def test_weights_that_cannot_meet_do_not_drown_the_others() -> None:
    w2 = 1e17 * parse("AsAh") + parse("QQ")
    found, wanted = equity("AsKd", w2, "2c7sTd"), equity("AsKd", "QQ", "2c7sTd")
    assert found.win == pytest.approx(wanted.win, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "board"),
    [("AA", "KK", ""), ("QQ+,AKs:0.3", "22+,A2s+", "Ts 9s 2d"), ("random", "random", "2c2d2h2s")],
)
def test_samples_are_within_their_error(first: str, second: str, board: str) -> None:
    exact = equity(first, second, board)
    found = equity(first, second, board, samples=200_000, seed=3)
    assert 0 < found.standard_error < 0.5 / np.sqrt(199_999) + 1e-12
    assert abs(found.equity - exact.equity) < 4 * found.standard_error
    for ours, true in ((found.win, exact.win), (found.tie, exact.tie)):
        assert abs(ours - true) < 4 * np.sqrt(true * (1 - true) / 200_000) + 1e-9
    assert found == equity(first, second, board, samples=200_000, seed=3)
    assert found != equity(first, second, board, samples=200_000, seed=4)


def test_pairs_of_hands_are_drawn_by_weight() -> None:
    """On a whole board the figures tell which pairs were drawn, and there are only three."""
    w1 = 5 * parse("AsAh") + 2 * parse("3c3d")
    w2 = parse("KsKh") + 2 * parse("AsAd") + 1e-9 * parse("AhKd")
    exact = equity(w1, w2, "2c7dThJcQs")
    assert exact.total == pytest.approx(5 * 1 + 2 * 1 + 2 * 2)
    found = equity(w1, w2, "2c7dThJcQs", samples=400_000, seed=1)
    assert abs(found.win - exact.win) < 4 * np.sqrt(exact.win * (1 - exact.win) / 400_000)


def test_a_single_draw_of_the_board_is_uniform() -> None:
    """Of 44 rivers the four jacks win, and the other eight spades but 2s and Qs, which pair."""
    exact = equity("AsKs", "QhQd", "Ts9s2dQc")
    assert exact.win * exact.total == pytest.approx(4 + 8 - 2)
    found = equity("AsKs", "QhQd", "Ts9s2dQc", samples=1_000_000, seed=9)
    assert abs(found.win - exact.win) < 4 * found.standard_error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("AA", "KK", "2c2d"), "the board has 2 cards, expected 0, 3, 4 or 5"),
        (("AA", "KK", "2c2d2h2s3c3d"), "the board has 6 cards"),
        (("AA", "KK", "2c2d2c"), "the board has the card 2c twice"),
        (("AA", "KK", "2c2d1h"), "unknown card '1h'"),
        (("AA", "KK", "2c2d2"), "unknown card '2'"),
        (("AA", "KK", [0, 1, 52]), r"board\[2\] is 52"),
        (("AsAh", "KK", "As2d2h"), "the first range has no hand that can be dealt on the board"),
        (("AsAh", "AsKd"), "no two hands that can be dealt together"),
        ((np.ones(1325), "KK"), r"the first range is an array of float64 and shape \(1325,\)"),
        (("AA", np.full(1326, -1.0)), r"the second range has the weight -1.0 for 2d2c"),
        (("AA", np.full(1326, np.nan)), "1326 are wrong"),
    ],
)
def test_errors(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        equity(*arguments)  # type: ignore[arg-type]


def test_other_errors() -> None:
    with pytest.raises(FormatError):
        equity("AX", "KK")
    with pytest.raises(SettingsError, match="samples is 1"):
        equity("AA", "KK", samples=1)
