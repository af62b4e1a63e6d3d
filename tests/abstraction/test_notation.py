from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.abstraction.buckets import Buckets, checked
from saddlepoint.abstraction.hands import Hands, hands_of, numbered
from saddlepoint.abstraction.notated import notated
from saddlepoint.abstraction.notation import (
    Factor,
    Part,
    parts_of_text,
    sizes_of_parts,
    text_of_parts,
)
from saddlepoint.abstraction.percentile import percentile_buckets, percentiles, worths
from saddlepoint.abstraction.public import boards_of, public_buckets
from saddlepoint.abstraction.work import Result, Work
from saddlepoint.core.errors import FormatError, GameError, SettingsError
from saddlepoint.games.poker import leduc, rhode_island


def part(*factors: str, keeps: int | None = None) -> Part:
    """A part, its factors written as `count kind`."""
    found = tuple(Factor(int(f.split()[0]), f.split()[1]) for f in factors)
    return Part(found, len(found) if keeps is None else keeps)


# From section 2.3.2 and Tables 3.2, 3.3 and 5.2 of thesis 004: text, data, most buckets, and how
# it is written here if that differs.
EXAMPLES: dict[str, tuple[list[Part], tuple[int, ...], str | None]] = {
    "8.8.8.8": (
        [part("8 hs2"), part("8 hs2"), part("8 hs2"), part("8 hs")],
        (8, 64, 512, 4096),
        None,
    ),
    "ir169.64.8.8": (
        [part("169 hs2", keeps=0), part("64 hs2"), part("8 hs2"), part("8 hs")],
        (169, 64, 512, 4096),
        None,
    ),
    "ir169.72hs2x2hs.12.12": (
        [part("169 hs2", keeps=0), part("72 hs2", "2 hs"), part("12 hs2"), part("12 hs")],
        (169, 144, 1728, 12**4),
        "ir169.72x2hs.12.12",
    ),
    "ir169.ir64.ir512.4096": (
        [part(f"{n} hs2", keeps=0) for n in (169, 64, 512)] + [part("4096 hs")],
        (169, 64, 512, 4096),
        None,
    ),
    "ir169.dir-pub20x36hs2x5hs-pub20x1.dir-pub3x20hs2x3hs-pub3x1.60": (
        [
            part("169 hs2", keeps=0),
            part("20 pub", "36 hs2", "5 hs", keeps=1),
            part("3 pub", "20 hs2", "3 hs", keeps=1),
            part("60 hs"),
        ],
        (169, 3600, 3600, 3600),
        "ir169.dir-pub20x36x5hs-pub20x1.dir-pub3x20x3hs-pub3x1.60",
    ),
    "ir169.dir-pub20x75hs2x36hs-20x1.dir-pub3x50hs2x18hs-3x1.900": (
        [
            part("169 hs2", keeps=0),
            part("20 pub", "75 hs2", "36 hs", keeps=1),
            part("3 pub", "50 hs2", "18 hs", keeps=1),
            part("900 hs"),
        ],
        (169, 54_000, 54_000, 54_000),
        "ir169.dir-pub20x75x36hs-pub20x1.dir-pub3x50x18hs-pub3x1.900",
    ),
    "ir169.ir72hs2x3hs.ir72hs2x3hs.216": (
        [part("169 hs2", keeps=0), *[part("72 hs2", "3 hs", keeps=0)] * 2, part("216 hs")],
        (169, 216, 216, 216),
        "ir169.ir72x3hs.ir72x3hs.216",
    ),
    "ir169.pub20x75hs2x36hs.pub3x50hs2x18hs.900": (
        [
            part("169 hs2", keeps=0),
            part("20 pub", "75 hs2", "36 hs"),
            part("3 pub", "50 hs2", "18 hs"),
            part("900 hs"),
        ],
        (169, 54_000, 54_000 * 2700, 54_000 * 2700 * 900),
        "ir169.pub20x75x36hs.pub3x50x18hs.900",
    ),
    "ir169.dir-pub20x205-20x1.dir-pub3x68-3x1.68": (
        [
            part("169 hs2", keeps=0),
            part("20 pub", "205 hs2", keeps=1),
            part("3 pub", "68 hs2", keeps=1),
            part("68 hs"),
        ],
        (169, 4100, 4080, 4080),
        "ir169.dir-pub20x205-pub20x1.dir-pub3x68-pub3x1.68",
    ),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_texts_of_the_thesis(text: str) -> None:
    parts, sizes, written = EXAMPLES[text]
    assert list(parts_of_text(text, 4)) == parts
    assert sizes_of_parts(parts) == sizes
    assert text_of_parts(parts) == (written or text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("dir-pub20x36-20x1.8", "dir-pub20x36-pub20x1.8"),
        ("dir-pub20x36-pub20.8", "dir-pub20x36-pub20x1.8"),
        ("dir-5hsx3x2-5x3x1.8", "dir-5hsx3x2-5hsx3x1.8"),
        ("dir-8x2-8x2.8", "8x2.8"),
        ("dir-8x2-1.8", "ir8x2.8"),
        ("8x1x1hsxpub1.8", "8.8"),
        ("pub20x1.8", "pub20.8"),
        ("1.ir1", "1.1"),
        ("8.ir8", "8.8"),
        ("8.dir-8x2-8x1", "8.8x2"),
        ("8hs2.8hs", "8.8"),
        ("8hs.8hs2", "8hs.8hs2"),
    ],
)
def test_different_texts_for_the_same(text: str, same: str) -> None:
    assert text_of_parts(parts_of_text(text)) == same
    assert parts_of_text(text) == parts_of_text(same)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "found the end, expected a number of buckets"),
        ("8.8.", 5, "found the end, expected a number of buckets"),
        ("8..8", 3, "found '.', expected a number of buckets"),
        ("8.0.8", 3, "found '0', expected a number of at least 1"),
        ("08", 1, "found '08', expected a number of at least 1 without zeros"),
        ("8.pub0x5", 6, "found '0', expected a number of at least 1"),
        ("8.pubx5", 6, "found 'x5', expected a number after 'pub'"),
        ("72hs3x3hs.8", 3, "unknown kind of bucket 'hs3' (did you mean"),
        ("8.20pub", 5, "expected one of hs2, hs (public buckets are pub20)"),
        ("pub3hs.8", 5, "found 'hs', expected no kind"),
        ("8x.8", 3, "found '.', expected a number of buckets"),
        ("irir8", 3, "found 'ir8', expected a number"),
        ("8x ir8", 3, "found ' ', expected a number"),
        ("8 .8", 2, "found ' ', expected 'x' and more buckets, '.' and the next round, or the end"),
        ("8\n", 2, r"found '\n', expected"),
        ("1234567890.8", 1, "found '1234567890', expected 9 digits at most"),
        ("dir8", 4, "found '8', expected '-' and the buckets of this round"),
        ("dir-8x2.8", 8, "found '.', expected 'x' and more buckets, or '-' and what is remembered"),
        ("dir-8x2-.8", 9, "found '.', expected a number"),
        ("dir-pub20x5-pub3x1.8", 13, "found 'pub3' to be remembered, expected 'pub20'"),
        ("dir-pub20x5-20hsx1.8", 13, "found '20hs' to be remembered, expected 'pub20'"),
        ("dir-pub20x5-20x6.8", 16, "found '6' to be remembered, expected '5hs2'"),
        ("dir-8x5-5x1.8", 9, "found '5' to be remembered, expected '8hs2'"),
        ("dir-8-8x5.8", 9, "found '5' to be remembered, expected no more than what is known"),
        ("pub3x68-3x1.68", 8, "what is remembered follows on 'dir-'"),
        ("٣", 1, "found '٣', expected a number"),
    ],
)
def test_columns_of_errors(text: str, column: int, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        parts_of_text(text)
    assert problem in caught.value.problem
    assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("8.8.8", 4, "found 3 rounds, expected the end after 2"),
        ("8", 2, "found the end after round 1, expected 2 rounds"),
        ("8.8-3", 4, "found '-', expected 'x' and more buckets, or the end"),
    ],
)
def test_numbers_of_rounds(text: str, column: int, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        parts_of_text(text, 2)
    assert problem in caught.value.problem
    assert caught.value.column == column


FACTORS = st.builds(Factor, st.integers(2, 10**9 - 1), st.sampled_from(["hs", "hs2", "pub"]))


@st.composite
def all_parts(draw: st.DrawFn) -> tuple[Part, ...]:
    found = []
    for factors in draw(st.lists(st.lists(FACTORS, max_size=4), min_size=1, max_size=5)):
        found.append(Part(tuple(factors), draw(st.integers(0, len(factors)))))
    return (*found[:-1], Part(found[-1].factors, len(found[-1].factors)))


@given(all_parts())
def test_what_is_written_reads_back(parts: tuple[Part, ...]) -> None:
    text = text_of_parts(parts)
    assert parts_of_text(text, len(parts)) == parts
    assert text_of_parts(parts_of_text(text)) == text


PIECES = st.sampled_from([*"018x.-_ ", "ir", "dir-", "pub", "hs", "hs2", "20", "pub3", "é", "\n"])


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)), st.sampled_from([None, 1, 3]))
def test_anything_is_read_or_refused(text: str, rounds: int | None) -> None:
    try:
        parts = parts_of_text(text, rounds)
    except FormatError as problem:
        column = problem.column
    else:
        assert parts_of_text(text_of_parts(parts), rounds) == parts
        column = 1
    assert 1 <= column <= len(text) + 1


def test_data_that_mean_nothing_are_refused() -> None:
    with pytest.raises(SettingsError, match="count is 1, expected a whole number of at least 2"):
        Factor(1)
    with pytest.raises(SettingsError, match="unknown kind of bucket 'hs3'"):
        Factor(2, "hs3")
    with pytest.raises(SettingsError, match="remembered is 2"):
        Part((Factor(2),), 2)
    with pytest.raises(SettingsError, match="found no parts"):
        text_of_parts([])
    with pytest.raises(SettingsError, match="remembers 0 of 1 factors, expected all of them"):
        text_of_parts([Part((Factor(2),), 0)])
    with pytest.raises(FormatError, match="buckets is 8, expected a text"):
        parts_of_text(8)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def rhode() -> Hands:
    return hands_of(rhode_island().deal)


@pytest.fixture(scope="module")
def small() -> Hands:
    return hands_of(rhode_island(ranks="23456", suits=3).deal)


def same(found: Any, expected: Any) -> bool:
    """Whether two divisions are one, numbers included."""
    return bool((np.asarray(found) == np.asarray(expected)).all())


def test_percentiles_that_are_remembered(rhode: Hands) -> None:
    found = checked(notated(rhode, "8.8hs.8"), rhode)
    assert found.forgets(rhode.up) == []
    hs, hs2 = worths(rhode, "hs"), worths(rhode)
    first = percentiles(hs2[0], rhode.weight[0], 8)
    second = percentiles(hs[1], rhode.weight[1], 8, first[rhode.up[1]])
    third = percentiles(hs[2], rhode.weight[2], 8, second[rhode.up[2]])
    assert all(same(a, b) for a, b in zip(found.groups, (first, second, third), strict=True))
    assert found.text == "8.8hs.8"


def test_nested_percentiles_that_are_forgotten(rhode: Hands) -> None:
    found = checked(notated(rhode, "ir13.ir36hs2x5hs.216"), rhode)
    assert found.forgets(rhode.up) == [1, 2]
    hs, hs2 = worths(rhode, "hs")[1], worths(rhode)[1]
    outer = percentiles(hs2, rhode.weight[1], 36)
    assert same(found.groups[1], percentiles(hs, rhode.weight[1], 5, outer))
    assert found.groups[0].tolist() == list(range(13))
    assert same(found.groups[2], percentiles(rhode.strength(2), rhode.weight[2], 216))


def test_part_of_a_round_is_remembered(rhode: Hands) -> None:
    """Rounds 2 and 3 know 4 hs2 buckets of round 1, and round 3 another 3 of round 2."""
    found = checked(notated(rhode, "dir-4x3hs-4x1.dir-3x4-3x1.5"), rhode)
    assert found.forgets(rhode.up) == [1, 2]
    hs2 = worths(rhode)
    four = percentiles(hs2[0], rhode.weight[0], 4)[rhode.up[1]]
    three = percentiles(hs2[1], rhode.weight[1], 3, four)
    assert same(found.groups[1], percentiles(hs2[1], rhode.weight[1], 4, three))
    above = three[rhode.up[2]]
    assert same(found.groups[2], percentiles(rhode.strength(2), rhode.weight[2], 5, above))


def test_public_buckets_that_are_remembered(small: Hands) -> None:
    base = percentile_buckets(small, (4, 9, 7), forget=True)
    text = "ir5.dir-pub2x4-2x1.dir-pub3x2hs-pub3x1"
    found = checked(notated(small, text, base=base, seed=4), small)
    two = public_buckets(small, 1, 2, base, seed=4)
    assert same(found.groups[1], percentiles(worths(small)[1], small.weight[1], 4, two))
    new = public_buckets(small, 2, 3, base, above=two[small.up[2]], seed=4)
    assert new.max() == 5
    assert same(found.groups[2], percentiles(small.strength(2), small.weight[2], 2, new))
    assert found.text == "ir5.dir-pub2x4-pub2x1.pub3x2"


def test_what_is_forgotten_does_not_part_boards(small: Hands) -> None:
    """New public buckets lie within the remembered ones, not within all that were known."""
    base = percentile_buckets(small, (4, 9, 7), forget=True)
    found = notated(small, "1.dir-3xpub2-3x1.pub4", base=base)
    fresh = public_buckets(small, 2, 4, base)
    three = percentiles(worths(small)[1], small.weight[1], 3)[small.up[2]]
    assert same(found.groups[2], numbered(three, fresh))
    twice = notated(small, "1.pub2xpub2.1", base=base).groups[1]
    two = public_buckets(small, 1, 2, base)
    assert same(twice, public_buckets(small, 1, 2, base, above=two))


def test_public_buckets_of_other_kinds_of_buckets(small: Hands) -> None:
    """The base abstraction has as many buckets as the text has strengths, at least 8."""
    base = percentile_buckets(small, (5, 12, 8), forget=True)
    found = notated(small, "ir5.pub3x6x2hs.pub2")
    public = public_buckets(small, 1, 3, base)
    outer = percentiles(worths(small)[1], small.weight[1], 6, public)
    own = percentiles(worths(small, "hs")[1], small.weight[1], 2, outer)
    assert same(found.groups[1], own)
    later = public_buckets(small, 2, 2, base, above=public[small.up[2]])
    assert same(found.groups[2], numbered(own[small.up[2]], later))
    board = boards_of(small, 2)
    assert len(np.unique(np.column_stack([board, later]), axis=0)) == board.max() + 1


def test_as_many_buckets_as_hands_are_the_hands() -> None:
    """Of the nine hands three at a time are worth the same: only so do they come apart."""
    hands = hands_of(leduc().deal)
    for text in ("ir3.9", "3.3", "ir3.pub3x3"):
        assert sorted(notated(hands, text).groups[1].tolist()) == list(range(9))
    assert notated(hands, "ir3.8").sizes == (3, 3)


def test_one_bucket(small: Hands) -> None:
    assert notated(small, "1.1.1").sizes == (1, 1, 1)
    assert notated(small, "4.1.1").sizes == (4, 4, 4)
    assert notated(small, "ir4.1.1").sizes == (4, 1, 1)


@pytest.mark.parametrize(
    ("text", "error", "problem"),
    [
        ("14.1.1", SettingsError, "14 buckets in round 1, expected at most its 13 hands"),
        ("ir13.326.1", SettingsError, "326 buckets in round 2, expected at most its 325 hands"),
        ("13.26.1", SettingsError, "338 buckets in round 2, expected at most its 325 hands"),
        ("pub2.1.1", SettingsError, "2 public buckets in round 1, expected at most its 1 boards"),
        ("1.pub5xpub3.1", SettingsError, "15 public buckets in round 2, expected at most its 13"),
        ("1.pub13.pub26", SettingsError, "338 public buckets in round 3, .* its 325 boards"),
        ("13.25", FormatError, "1:6: found the end after round 2, expected 3 rounds"),
    ],
)
def test_what_does_not_fit_is_refused(
    rhode: Hands, text: str, error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=problem):
        notated(rhode, text)


def test_public_buckets_need_public_cards(small: Hands) -> None:
    bare = replace(small, public=None)
    with pytest.raises(GameError, match="does not say which cards are public"):
        notated(bare, "1.pub2.1")
    assert notated(bare, "5.2.2").sizes == (5, 10, 20)
    with pytest.raises(GameError, match="buckets of 2 rounds"):
        notated(small, "1.pub2.1", base=Buckets((np.zeros(5, np.int64), np.zeros(9, np.int64))))


def test_rounds_are_kept(small: Hands) -> None:
    """A second run takes all rounds from what the first one kept; other settings do not."""
    store: dict[str, Result] = {}
    computed: list[str] = []

    def keep(name: str, key: Mapping[str, Any], compute: Callable[[], Result]) -> Result:
        place = f"{name} {sorted(key.items())}"
        if place not in store:
            computed.append(place)
            store[place] = compute()
        return store[place]

    work, text = Work(keep=keep), "ir5.dir-pub2x4-2x1.pub3x2"
    one = notated(small, text, work=work)
    assert len(computed) == 3
    two = notated(small, "ir5hs2.dir-pub2x4-pub2x1.pub3x2", work=work)
    assert len(computed) == 3
    plain = notated(small, text)
    for a, b, c in zip(one.groups, two.groups, plain.groups, strict=True):
        assert same(a, b)
        assert same(a, c)
    base = percentile_buckets(small, (4, 4, 4), forget=True)
    changes: list[dict[str, Any]] = [{"seed": 1}, {"restarts": 2}, {"base": base}]
    for k, more in enumerate(changes, 2):
        notated(small, text, work=work, **more)
        assert len(computed) == 3 * k
    for k, field in enumerate(("win", "lose", "weight"), 5):
        other = replace(small, **{field: tuple(0.9 * v for v in getattr(small, field))})
        notated(other, text, work=work)
        assert len(computed) == 3 * k


def test_seeds_are_those_of_the_starts(small: Hands) -> None:
    """One start from other points ends elsewhere; twice from the same points in the same place."""
    found = [notated(small, "1.1.pub8", seed=k, restarts=1).groups[2] for k in (1, 2, 1)]
    assert not same(found[0], found[1])
    assert same(found[0], found[2])
