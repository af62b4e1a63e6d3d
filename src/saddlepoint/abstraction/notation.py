r"""Card abstractions as texts, in the notation of thesis 004 (section 2.3.2).

A text has a part for each round, with dots between them:

| part | buckets of the round | later rounds remember of it |
|---|---|---|
| `8` | 8 | all |
| `72hs2x2hs` | 72 by hs2, each divided into 2 by hs | all |
| `pub20x36hs2` | 20 public buckets, and in each of them 36 by hs2 | all |
| `ir169` | 169 | nothing |
| `dir-pub20x36hs2x5hs-pub20x1` | 20 public, 36 by hs2, 5 by hs | the public bucket |

The buckets of a round lie within those that are remembered of rounds before. What a part does
not remember is forgotten of this round only: a turn of `dir-pub3x...-pub3x1` after a flop of
`dir-pub20x...-pub20x1` leaves 60 public buckets to the river. (So the three abstractions of
Table 3.2 of the thesis come out as equally large as it says.)

Numbers without a kind are hs2, in the last round hs, which divides final hands in the same
way. In the remembered part a number without a kind has that of its place in what is known:
`-20x1` is `-pub20x1`. A factor of 1 divides nothing, and data have none.

The thesis leaves out `dir` at times (Tables 3.3 and 5.2). Here `pub20x75hs2x36hs` remembers all
54,000 buckets, and a remembered part without `dir-` is refused.

Numbers are the most that a round can have: equal hands and boards share a bucket. But a round
with as many buckets as hands has every hand apart, which is what `ir169` is for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from saddlepoint.core.checks import shown, whole
from saddlepoint.core.checks import text as checked_text
from saddlepoint.core.errors import FormatError, SettingsError, unknown

PUBLIC = "pub"
KINDS = ("hs2", "hs", PUBLIC)
MOST_DIGITS = 9
_SOURCE = "buckets"
_EXPECTED = "expected a number of buckets, such as 8, 36hs2, 5hs or pub20"


@dataclass(frozen=True)
class Factor:
    """So many buckets of one kind.

    Parameters
    ----------
    count
        How many, at least 2.
    kind
        `hs2`, `hs` or `pub`.
    """

    count: int
    kind: str = "hs2"

    def __post_init__(self) -> None:
        whole("count", self.count, 2, 10**MOST_DIGITS - 1)
        if self.kind not in KINDS:
            raise SettingsError(unknown("kind of bucket", str(self.kind), KINDS))


@dataclass(frozen=True)
class Part:
    """The buckets of a round.

    Parameters
    ----------
    factors
        Kinds of buckets, each nested in those before; none for one bucket.
    remembered
        How many of them, from the first on, are remembered in later rounds.
    """

    factors: tuple[Factor, ...]
    remembered: int

    def __post_init__(self) -> None:
        whole("remembered", self.remembered, 0, len(self.factors))

    @property
    def size(self) -> int:
        """How many buckets these are at most, within one that is remembered."""
        return math.prod(f.count for f in self.factors)

    @property
    def kept(self) -> int:
        """How many of them can be told apart later."""
        return math.prod(f.count for f in self.factors[: self.remembered])


def sizes_of_parts(parts: Sequence[Part]) -> tuple[int, ...]:
    """How many buckets each round has at most, those that are remembered included.

    >>> sizes_of_parts(parts_of_text("8.8.8.8")), sizes_of_parts(parts_of_text("ir169.64.8.8"))
    ((8, 64, 512, 4096), (169, 64, 512, 4096))
    """
    found, above = [], 1
    for part in parts:
        found.append(above * part.size)
        above *= part.kept
    return tuple(found)


def text_of_parts(parts: Sequence[Part]) -> str:
    """The shortest text that reads back as these parts, remembered buckets in full.

    Raises
    ------
    SettingsError
        If there is no part, or the last one forgets something, for no round to come.

    Examples
    --------
    >>> text_of_parts(parts_of_text("ir169.dir-pub20x36hs2x5hs-20x1.60hs"))
    'ir169.dir-pub20x36x5hs-pub20x1.60'
    """
    if not parts:
        raise SettingsError("found no parts, expected one for each round")
    if parts[-1].remembered != len(parts[-1].factors):
        raise SettingsError(
            f"the last part remembers {parts[-1].remembered} of {len(parts[-1].factors)} factors, "
            "expected all of them: no round comes after it"
        )
    return ".".join(_part_text(part, r == len(parts) - 1) for r, part in enumerate(parts))


def _part_text(part: Part, last: bool) -> str:
    usual = _usual(last)
    words = [
        f"{PUBLIC}{f.count}" if f.kind == PUBLIC else f"{f.count}{f.kind * (f.kind != usual)}"
        for f in part.factors
    ]
    known = "x".join(words) or "1"
    if part.remembered == len(part.factors):
        return known
    if part.remembered == 0:
        return f"ir{known}"
    return f"dir-{known}-{'x'.join(words[: part.remembered])}x1"


def _usual(last: bool) -> str:
    """The kind of numbers that say none."""
    return "hs" if last else "hs2"


def parts_of_text(text: str, rounds: int | None = None) -> tuple[Part, ...]:
    """The parts that a text describes.

    Parameters
    ----------
    text
        A text in the notation of the module.
    rounds
        How many rounds it has to describe, if that matters.

    Raises
    ------
    FormatError
        With the column, and what was expected there.

    Examples
    --------
    >>> parts_of_text("ir13.dir-pub2x5hs-2x1.20")  # doctest: +NORMALIZE_WHITESPACE
    (Part(factors=(Factor(count=13, kind='hs2'),), remembered=0),
     Part(factors=(Factor(count=2, kind='pub'), Factor(count=5, kind='hs')), remembered=1),
     Part(factors=(Factor(count=20, kind='hs'),), remembered=1))
    """
    checked_text("buckets", text, error=FormatError)
    reader = _Reader(text)
    count = text.count(".") + 1
    parts: list[Part] = []
    while True:
        parts.append(reader.part(last=len(parts) == count - 1))
        if reader.done or len(parts) == rounds:
            break
        reader.take(".", "'x' and more buckets, '.' and the next round, or the end")
    if rounds is not None and not reader.done:
        if reader.here != ".":
            raise reader.error(f"found {reader.found}, expected 'x' and more buckets, or the end")
        raise reader.error(f"found {count} rounds, expected the end after {rounds}")
    if rounds is not None and count < rounds:
        raise reader.error(f"found the end after round {count}, expected {rounds} rounds")
    final = parts[-1]
    return (*parts[:-1], Part(final.factors, len(final.factors)))


class _Reader:
    """Reads a text from the left, and words errors by where it is."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    @property
    def done(self) -> bool:
        return self.at == len(self.text)

    @property
    def here(self) -> str:
        return self.text[self.at : self.at + 1]

    @property
    def found(self) -> str:
        """The word that stands here, for messages."""
        word = re.match(r"[0-9A-Za-z]+|.", self.text[self.at :], re.DOTALL)
        return shown(word.group()) if word else "the end"

    def error(self, problem: str, at: int | None = None) -> FormatError:
        return FormatError(problem, _SOURCE, 1, (self.at if at is None else at) + 1)

    def skip(self, word: str) -> bool:
        """Go past a word if it stands here."""
        there = self.text.startswith(word, self.at)
        self.at += len(word) * there
        return there

    def take(self, word: str, expected: str) -> None:
        """Go past a word that has to stand here."""
        if self.skip(word):
            return
        hint = ": what is remembered follows on 'dir-'" if self.here == "-" else ""
        raise self.error(f"found {self.found}, expected {expected}{hint}")

    def part(self, last: bool) -> Part:
        """A part, up to the dot or whatever else cannot belong to it."""
        usual = _usual(last)
        if self.skip("dir"):
            self.take("-", "'-' and the buckets of this round")
            factors = self.factors(usual)
            self.take("-", "'x' and more buckets, or '-' and what is remembered of them")
            return Part(factors, len(self.factors(usual, factors)))
        forgets = self.skip("ir")
        factors = self.factors(usual)
        return Part(factors, 0 if forgets else len(factors))

    def factors(self, usual: str, known: tuple[Factor, ...] | None = None) -> tuple[Factor, ...]:
        """Factors with 'x' between them; if others are known, these have to begin them."""
        found: list[Factor] = []
        while True:
            at = self.at
            wanted = None if known is None or len(found) == len(known) else known[len(found)]
            count, kind = self.factor(wanted.kind if wanted else usual)
            if count > 1:
                if known is not None and (wanted is None or wanted != Factor(count, kind)):
                    raise self.error(
                        f"found {shown(self.text[at : self.at])} to be remembered, expected "
                        + (words(wanted) if wanted else "no more than what is known")
                        + ": what is remembered begins what is known",
                        at,
                    )
                found.append(Factor(count, kind))
            if not self.skip("x"):
                return tuple(found)

    def factor(self, usual: str) -> tuple[int, str]:
        """A number of buckets and their kind."""
        public = self.skip(PUBLIC)
        at, number = self.at, re.match("[0-9]*", self.text[self.at :])
        digits = number.group() if number else ""
        if not digits:
            wanted = f"expected a number after '{PUBLIC}'" if public else _EXPECTED
            raise self.error(f"found {self.found}, {wanted}")
        if digits[0] == "0":
            raise self.error(
                f"found {shown(digits)}, expected a number of at least 1 without zeros before it"
            )
        if len(digits) > MOST_DIGITS:
            raise self.error(f"found {shown(digits)}, expected {MOST_DIGITS} digits at most")
        self.at += len(digits)
        word = re.match(r"[^\W\dx_][^\Wx_]*", self.text[self.at :])
        kind = word.group() if word else ""
        if public and kind:
            raise self.error(f"found {shown(kind)}, expected no kind: '{PUBLIC}' is one")
        if kind and kind not in KINDS[:2]:
            hint = f" (public buckets are {PUBLIC}{digits})" if kind == PUBLIC else ""
            short = kind if len(kind) <= 20 else kind[:17] + "..."
            raise self.error(unknown("kind of bucket", short, KINDS[:2]) + hint)
        self.at += len(kind)
        return int(self.text[at : at + len(digits)]), PUBLIC if public else kind or usual


def words(factor: Factor) -> str:
    """A factor as it stands in messages."""
    return (
        f"'{PUBLIC}{factor.count}'" if factor.kind == PUBLIC else f"'{factor.count}{factor.kind}'"
    )
