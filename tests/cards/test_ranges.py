from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from saddlepoint.cards.deck import RANKS, Deck
from saddlepoint.cards.equity import equity
from saddlepoint.cards.evaluation import strengths, tables
from saddlepoint.cards.preflop import DEALS, _play, equities
from saddlepoint.cards.ranges import HANDS, classes, pairs, parse, strongest, to_text
from saddlepoint.core.errors import FormatError, SaddlepointError, SettingsError

DECK = Deck()


def named(weights: np.ndarray) -> dict[str, float]:
    """The weights of a range by names of hands, the higher card first."""
    return {
        DECK.text(high) + DECK.text(low): float(weights[high * (high - 1) // 2 + low])
        for low, high in combinations(range(52), 2)
        if weights[high * (high - 1) // 2 + low]
    }


def hands_of(kind: str) -> set[str]:
    """The hands of AA, AKs, AKo or AK, from the definition."""
    high, low, suits = kind[0], kind[1], kind[2:]
    found = set()
    for a, b in combinations(range(51, -1, -1), 2):
        first, second = DECK.text(a), DECK.text(b)
        alike = first[1] == second[1]
        if (first[0], second[0]) == (high, low) and suits in ("", "s" if alike else "o"):
            found.add(first + second)
    return found


def test_the_order_of_hands() -> None:
    assert len(pairs()) == HANDS == 1326
    for hand, (low, high) in enumerate(pairs().tolist()):
        assert 0 <= low < high < 52
        assert high * (high - 1) // 2 + low == hand
    sizes = np.bincount(classes())
    assert sorted(sizes.tolist()) == [4] * 78 + [6] * 13 + [12] * 78


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("AA", "AA"),
        ("AKs", "AKs"),
        ("AKo", "AKo"),
        ("AK", "AKs AKo"),
        ("QQ+", "QQ KK AA"),
        ("AA+", "AA"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("AK+", "AK"),
        ("KTo+", "KTo KJo KQo"),
        ("J9+", "J9 JT"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("99-66", "99 88 77 66"),
        ("99-99", "99"),
        ("KQo-K9o", "KQo KJo KTo K9o"),
        ("JTs-87s", "JTs T9s 98s 87s"),
        ("AQ-J9", "AQ KJ QT J9"),
        (" AKs ,\n\tQQ - JJ ", "AKs QQ JJ"),
        ("72o,72o", "72o"),
    ],
)
def test_entries_name_hands(text: str, kinds: str) -> None:
    expected = set().union(*(hands_of(kind) for kind in kinds.split()))
    assert named(parse(text)) == dict.fromkeys(expected, 1.0)


def test_hands_are_those_of_pokerkit() -> None:
    """Its spans fall together; it has no weights and no spans with one high rank."""
    from pokerkit import parse_range

    for text in ("QQ+", "ATs+", "A2o+", "A2+", "99-66", "JTs-65s", "KTo-96o", "AKs", "AK", "AsKd"):
        theirs = {frozenset(repr(card) for card in hand) for hand in parse_range(text)}
        ours = {frozenset((hand[:2], hand[2:])) for hand in named(parse(text))}
        assert ours == theirs


def test_weights() -> None:
    assert named(parse("AsKd:.25,KdAs : 5e-1")) == {"AsKd": 0.5}
    assert set(named(parse("T9s:0.5")).values()) == {0.5}
    assert parse("random").sum() == HANDS
    assert parse("random:0").sum() == 0


def test_later_entries_override() -> None:
    assert parse("random:0.5, AA").sum() == (HANDS - 6) / 2 + 6
    assert named(parse("AKs, AcKc:0, AdKd:0.5")) == {"AsKs": 1.0, "AhKh": 1.0, "AdKd": 0.5}
    assert parse("AcKc:0, AKs").sum() == 4


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("", 1, 1, "an empty entry, expected hands such as AA"),
        ("AA,", 1, 4, "an empty entry"),
        ("AA, ,KK", 1, 4, "an empty entry"),
        ("AA, XX", 1, 5, "unknown hands 'XX', expected hands such as AA, AKs"),
        ("AA,\n KK, aks", 2, 6, "unknown hands 'aks'"),
        ("AAs", 1, 1, "'AAs': a pair is neither suited nor offsuit, expected AA"),
        ("QQo+", 1, 1, "'QQo+': a pair is neither suited nor offsuit, expected QQ"),
        ("KAs", 1, 1, "'KAs': the lower rank comes first, expected AKs"),
        ("A2s-A5s", 1, 1, "the lower end comes first, expected A5s-A2s"),
        ("66-99", 1, 1, "the lower end comes first, expected 99-66"),
        ("87s-JTs", 1, 1, "the lower end comes first, expected JTs-87s"),
        ("A5s-A2o", 1, 1, "A5s and A2o do not span anything"),
        ("A5s-A2", 1, 1, "do not span anything, expected two pairs, or hands of the same suits"),
        ("A5s-K2s", 1, 1, "A5s and K2s do not span anything"),
        ("AA-A2", 1, 1, "AA and A2 do not span anything"),
        ("KK, A5s-", 1, 5, "unknown hands '' in 'A5s-'"),
        ("A5s-A4s-A2s", 1, 1, "unknown hands 'A4s-A2s' in 'A5s-A4s-A2s'"),
        ("AsAs", 1, 1, "'AsAs' has one card twice, expected two cards such as AsKd"),
        ("AsKd+", 1, 1, "unknown hands 'AsKd' in 'AsKd+'"),
        ("AA: 1.5", 1, 5, "weight '1.5' of 'AA: 1.5', expected a number from 0 to 1"),
        ("KK,AA:-0.5", 1, 7, "weight '-0.5'"),
        ("AA:", 1, 4, "weight '' of 'AA:'"),
        ("AA:half", 1, 4, "weight 'half'"),
        ("AA:nan", 1, 4, "weight 'nan'"),
        ("AA:1_0", 1, 4, "weight '1_0'"),
        ("AA:0.5:0.5", 1, 4, "weight '0.5:0.5'"),
        (":0.5", 1, 1, "unknown hands ''"),
        ("101%", 1, 1, "'101%', expected a number from 0 to 100 before the percent sign"),
        ("AA,x%", 1, 4, "'x%', expected a number"),
        ("AA;KK", 1, 1, "unknown hands 'AA;KK'"),
        ("A" * 100, 1, 1, "AAA...', expected"),
    ],
)
def test_errors_say_where(text: str, line: int, column: int, problem: str) -> None:
    with pytest.raises(FormatError, match=re.escape(problem)) as caught:
        parse(text)
    assert (caught.value.source, caught.value.line, caught.value.column) == ("range", line, column)


def test_other_things_than_texts_are_refused() -> None:
    with pytest.raises(SettingsError, match="range is 1, expected a text"):
        parse(1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "random:0",
        "AA",
        "22+",
        "TT+,99:0.25",
        "99-66,33",
        "A5s-A2s",
        "AQ+",
        "ATs+,AQo+",
        "AK,AJs,AJo:0.5",
        "JTs-87s",
        "JTs,T9s",
        "AsKd",
        "AKs,AsKs:0.5",
        "random:0.5,AA",
        "random,72o:0,3s2h:0.125",
        "AKo:1e-05",
    ],
)
def test_texts_that_stay_as_they_are(text: str) -> None:
    assert to_text(parse(text)) == text


ENTRIES = st.one_of(
    st.sampled_from(["random", "AA", "AKs", "AKo", "AK", "QQ+", "ATs+", "A5s-A2s", "99-66"]),
    st.builds(
        lambda high, low, suits, plus: (
            f"{RANKS[max(high, low)]}{RANKS[min(high, low)]}{suits if high != low else ''}{plus}"
        ),
        st.integers(0, 12),
        st.integers(0, 12),
        st.sampled_from(["", "s", "o"]),
        st.sampled_from(["", "+"]),
    ),
    st.builds(
        lambda cards: DECK.text(cards[0]) + DECK.text(cards[1]),
        st.lists(st.integers(0, 51), min_size=2, max_size=2, unique=True),
    ),
)
WEIGHTS = st.one_of(st.just(""), st.floats(0, 1).map(lambda weight: f":{weight!r}"))
TEXTS = st.lists(st.builds(str.__add__, ENTRIES, WEIGHTS), min_size=1, max_size=12).map(",".join)


@given(TEXTS)
@example("random:5e-324,AA:1e-300")
def test_what_is_parsed_and_printed_is_the_same(text: str) -> None:
    weights = parse(text)
    again = to_text(weights)
    np.testing.assert_array_equal(parse(again), weights)
    assert to_text(parse(again)) == again


@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from([0.0, 0.01, 0.3, 1.0]))
def test_any_weights_are_printed_and_parsed(seed: int, levels: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    weights = (rng.integers(0, levels, 169) / levels)[classes()]
    weights = np.where(rng.random(HANDS) < noise, rng.random(HANDS), weights)
    np.testing.assert_array_equal(parse(to_text(weights)), weights)


def test_whole_classes_are_never_longer_than_one_by_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        weights = (rng.random(169) < rng.random()).astype(float)[classes()]
        assert len(to_text(weights).split(",")) <= 1 + np.count_nonzero(np.bincount(classes()))
        assert not re.search("[cdhs][2-9TJQKA][cdhs]", to_text(weights))


def test_wrong_weights_are_not_printed() -> None:
    weights = np.zeros(HANDS)
    weights[-1] = np.nan
    with pytest.raises(SettingsError, match=r"the weight of AsAh is nan, expected 0 to 1 \(1 of"):
        to_text(weights)
    weights[-1] = 1.01
    with pytest.raises(SettingsError, match=r"the weight of AsAh is 1\.01"):
        to_text(weights)
    with pytest.raises(SettingsError, match=r"shape \(3,\), expected \(1326,\)"):
        to_text([1, 2, 3])
    with pytest.raises(SettingsError, match="weights are 'AA', expected numbers"):
        to_text("AA")


def test_equities_before_the_flop() -> None:
    """The known equities against a random hand, to all digits that are published."""
    known = {"AA": 0.8520, "KK": 0.8240, "QQ": 0.7993, "88": 0.6916, "AKs": 0.6704, "77": 0.6624}
    known |= {"AKo": 0.6532, "JTs": 0.5753, "72o": 0.3458, "32o": 0.3230}
    for kind, expected in known.items():
        (found,) = set(equities()[parse(kind) > 0].tolist())
        assert round(found, 4) == expected
    assert np.mean(equities()) == pytest.approx(0.5, abs=1e-15)
    halves = equities() * 2 * DEALS * np.bincount(classes())[classes()]
    np.testing.assert_allclose(halves, np.round(halves), rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["AKs", "72o"])
def test_equities_are_those_of_ranges(kind: str) -> None:
    (found,) = set(equities()[parse(kind) > 0].tolist())
    assert found == pytest.approx(equity(kind, "random").equity, abs=1e-12)


def test_boards_are_played_as_the_definition_says() -> None:
    boards = np.array([[0, 5, 10, 15, 20], [48, 49, 50, 51, 3], [12, 16, 20, 24, 28]], np.uint8)
    times = np.array([1, 24, 4])
    found = np.zeros(HANDS, np.int64)
    _play(boards, times, pairs().astype(np.uint8), tables(7), found)
    expected = np.zeros(HANDS, np.int64)
    for board, count in zip(boards, times.tolist(), strict=True):
        live = np.flatnonzero(~np.isin(pairs(), board).any(axis=1))
        hands = pairs()[live]
        worth = strengths(np.hstack([hands, np.tile(board, (len(hands), 1))])).astype(np.int64)
        apart = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3))
        result = 1 + np.sign(worth[:, None] - worth[None, :])
        expected[live] += count * (result * apart).sum(axis=1)
    np.testing.assert_array_equal(found, expected)


def test_the_strongest_hands() -> None:
    assert to_text(strongest(0)) == "random:0"
    assert to_text(strongest(1)) == to_text(parse("100%")) == "random"
    assert to_text(parse("2%")) == "JJ+,TT:0.42"
    assert to_text(parse("2 %:0.5,AA:0.25")) == "KK-JJ:0.5,AA:0.25,TT:0.21"
    best = [(parse(f"{percent}%"), percent) for percent in (0.1, 1, 5, 33.3, 50, 99.99)]
    for weights, percent in best:
        assert weights.sum() / HANDS == pytest.approx(percent / 100, abs=1e-15)
        assert ((weights > 0) & (weights < 1)).sum() <= 12
        taken, rest = equities()[weights > 0], equities()[weights == 0]
        assert taken.min() > rest.max(initial=0)
    for wrong in (-0.1, 1.1, float("nan"), "x"):
        with pytest.raises(SettingsError, match="fraction is"):
            strongest(wrong)  # type: ignore[arg-type]


LETTERS = st.text(alphabet="AKQJT98762so+-:,.%0123456789cdhe \n_randomx٣½", max_size=40)


@given(st.one_of(LETTERS, st.text(max_size=20)))
def test_nothing_but_our_errors_escapes(text: str) -> None:
    survives(text)


@pytest.mark.slow
@settings(max_examples=20_000)
@given(st.one_of(LETTERS, st.text(), TEXTS), st.integers(0, 40), LETTERS)
def test_much_text_is_read_or_refused(text: str, at: int, more: str) -> None:
    survives(text[:at] + more + text[at:])


def survives(text: str) -> None:
    """A text is a range, and printed and read again the same; or refused with its place."""
    problem = None
    try:
        weights = parse(text)
    except SaddlepointError as found:
        problem = found
    if problem is None:
        assert ((weights >= 0) & (weights <= 1)).all()
        np.testing.assert_array_equal(parse(to_text(weights)), weights)
        return
    assert isinstance(problem, FormatError)
    assert "\n" not in str(problem)
    assert 1 <= problem.line <= text.count("\n") + 1
    assert 1 <= problem.column <= len(text) + 1
