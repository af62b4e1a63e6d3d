"""What Gambit's two text formats share: tokens, names and exact numbers.

Both formats are a stream of words, numbers, quoted texts, braces and commas, in which
white space means nothing outside quotes. Numbers are integers, decimals or rationals and
stand for exactly what is written, so they are read as fractions and become floating
point once, at the end. The other way is `saddlepoint.games.gambit_out`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from saddlepoint.core.errors import FormatError, GameError, SizeError

GAMBIT = "Gambit (https://www.gambit-project.org) solves other games"

# How far, relative to the payoffs, sums of payoffs may lie apart and count as constant:
# files hold decimals that somebody has rounded.
CONSTANT_SUM_TOLERANCE = Fraction(1, 10**9)

_MAX_TEXT = 500_000_000
# No double needs more digits or a larger exponent; longer ones only cost time.
_MAX_NUMBER_CHARACTERS = 2000
_MAX_EXPONENT = 400
_MAX_INTEGER_DIGITS = 15
_MAX_FRACTION_BITS = 8192
_SHOWN = 40

_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)")
_WORD = re.compile(r'[^\s{},"]+')
_SPACE = re.compile(r"\s*")

TEXT, NUMBER, WORD, OPEN, CLOSE, COMMA, END = "text", "number", "word", "{", "}", ",", "end"


class Tokens:
    """The tokens of a text, of which the present one is known: `kind`, `value` and `at`.

    Parameters
    ----------
    text
        What to read.
    source
        Its name, for errors.
    """

    def __init__(self, text: str, source: str = "") -> None:
        if len(text) > _MAX_TEXT:
            raise SizeError(
                f"{source or 'the text'} has {len(text):,} characters, at most {_MAX_TEXT:,} "
                "are read"
            )
        self.text, self.source = text, source
        self._end = 1 if text.startswith("\ufeff") else 0
        self._fractions: dict[str, Fraction] = {}
        self.advance()

    def advance(self) -> None:
        """Go to the next token."""
        space = _SPACE.match(self.text, self._end)
        self.at = at = space.end() if space else self._end
        if at == len(self.text):
            self.kind, self.value, self._end = END, "", at
        elif (first := self.text[at]) == '"':
            self.kind, self._end = TEXT, self._closing_quote(at) + 1
            self.value = self.text[at + 1 : self._end - 1].replace('\\"', '"')
        elif first in "{},":
            self.kind, self.value, self._end = first, first, at + 1
        else:
            word = _WORD.match(self.text, at)
            self._end = word.end() if word else at + 1
            self.value = self.text[at : self._end]
            self.kind = NUMBER if first in "+-." or first.isdigit() else WORD

    def _closing_quote(self, at: int) -> int:
        """Where the text that begins at a quote ends: at a quote without a backslash."""
        end = self.text.find('"', at + 1)
        while end > 0 and self.text[end - 1] == "\\":
            end = self.text.find('"', end + 1)
        if end < 0:
            self.fail("the text in quotes that begins here does not end; expected '\"'", at)
        return end

    # Errors ---------------------------------------------------------------------------

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a position, counted from 1."""
        return self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        """Raise a FormatError about a position: the present token's, unless told."""
        raise FormatError(problem, self.source, *self.place(self.at if at is None else at))

    def expected(self, what: str) -> NoReturn:
        """Raise a FormatError that quotes the present token."""
        if self.kind == END:
            self.fail(f"the text ends here, expected {what}")
        text = self.value if len(self.value) <= _SHOWN else self.value[: _SHOWN - 3] + "..."
        quote = '"' if self.kind == TEXT else "'"
        self.fail(f"found {quote}{text}{quote}, expected {what}")

    # Tokens of one kind ---------------------------------------------------------------

    def take(self, kind: str, what: str) -> str:
        """The present token, which has to be of this kind; goes on to the next."""
        if self.kind != kind:
            self.expected(what)
        value = self.value
        self.advance()
        return value

    def integer(self, what: str, least: int) -> int:
        """A whole number of at least `least`."""
        value = self.value
        if self.kind != NUMBER or not (value.isascii() and value.isdigit()):
            self.expected(what)
        if len(value) > _MAX_INTEGER_DIGITS:
            self.fail(f"the number has {len(value)} digits, at most {_MAX_INTEGER_DIGITS} are read")
        if int(value) < least:
            self.expected(what)
        self.advance()
        return int(value)

    def fraction(self, what: str) -> Fraction:
        """A number, exactly as written."""
        value = self.value
        if self.kind != NUMBER:
            self.expected(what)
        known = self._fractions.get(value)
        if known is None:
            known = self._fractions[value] = self._parsed(value, what)
        self.advance()
        return known

    def _parsed(self, value: str, what: str) -> Fraction:
        if len(value) > _MAX_NUMBER_CHARACTERS:
            self.fail(
                f"the number has {len(value)} characters, at most {_MAX_NUMBER_CHARACTERS} are read"
            )
        match = _NUMBER.fullmatch(value)
        if match is None:
            self.expected(f"{what}, such as 2, -0.5 or 1/3")
        if match[1] is not None and abs(int(match[1])) > _MAX_EXPONENT:
            self.fail(
                f"the exponent of '{value}' is out of range, expected at most {_MAX_EXPONENT}"
            )
        try:
            return Fraction(value)
        except ZeroDivisionError:
            self.fail(f"found '{value}', whose denominator is 0")

    def payoffs(self) -> tuple[Fraction, Fraction]:
        """Both players' payoffs, up to the closing brace; a comma may stand between them."""
        first = self.fraction("player 1's payoff")
        if self.kind == COMMA:
            self.advance()
        second = self.fraction("player 2's payoff")
        self.take(CLOSE, "'}' after the payoffs of two players")
        return first, second

    def rounded(self, value: Fraction, at: int) -> float:
        """The nearest double to a number that stands at a position."""
        try:
            return float(value)
        except OverflowError:
            self.fail("the number is too large for floating point", at)

    def bounded(self, value: Fraction) -> Fraction:
        """The value itself, unless it has grown so long that arithmetic would crawl."""
        if value.denominator.bit_length() > _MAX_FRACTION_BITS:
            self.fail("the payoffs on the way here have a sum with too long a denominator")
        return value


def prologue(tokens: Tokens, kind: str, version: str) -> tuple[str, tuple[str, str]]:
    """Read the beginning of either format: its title and the names of two players."""
    if tokens.kind == WORD and tokens.value.startswith("<"):
        tokens.fail(
            f"this looks like XML, perhaps a Gambit workbook; expected plain text that "
            f"begins with {kind}"
        )
    for word, token in ((kind, WORD), (version, NUMBER)):
        if (tokens.kind, tokens.value) != (token, word):
            tokens.expected(f"'{word}': the text has to begin with '{kind} {version} R'")
        tokens.advance()
    if tokens.kind != WORD or tokens.value not in ("R", "D"):
        tokens.expected(f"'R' or 'D' after '{kind} {version}'")
    tokens.advance()
    title = tokens.take(TEXT, "the game's title in quotes")
    tokens.take(OPEN, "'{' and the names of the players")
    players = []
    while tokens.kind == TEXT:
        players.append(tokens.value)
        tokens.advance()
    tokens.take(CLOSE, "the name of a player in quotes, or '}'")
    if len(players) != 2:
        raise GameError(
            f"{tokens.source or title or 'the game'} has {len(players)} players, expected 2; "
            f"{GAMBIT}"
        )
    return title, (players[0], players[1])


class ConstantSum:
    """Watches whether both players' payoffs always have the same sum."""

    def __init__(self, tokens: Tokens, name: str) -> None:
        self.tokens, self.name = tokens, name
        self._sum: Fraction | None = None
        self._scale = Fraction(1)
        self._at = 0

    def see(self, first: Fraction, second: Fraction, at: int) -> None:
        """Take note of a pair of payoffs that stands at a position.

        Raises
        ------
        GameError
            If it shows that the game is general-sum.
        """
        total = first + second
        if self._sum is None:
            self._sum, self._at = total, at
        self._scale = max(self._scale, abs(first), abs(second))
        if total != self._sum and abs(total - self._sum) > CONSTANT_SUM_TOLERANCE * self._scale:
            here, there = self.tokens.place(at)[0], self.tokens.place(self._at)[0]
            raise GameError(
                f"{self.name} is general-sum: the payoffs sum to {about(self._sum)} in line "
                f"{there} and to {about(total)} in line {here}, expected a zero-sum or "
                f"constant-sum game; {GAMBIT}"
            )

    def value(self) -> float:
        """The constant sum."""
        return self.tokens.rounded(self._sum or Fraction(0), self._at)


def about(value: Fraction) -> str:
    """A number for an error message."""
    try:
        return f"{float(value):.10g}"
    except OverflowError:
        return "a huge number"


def distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """Names made different where they are equal or empty, by numbers at their end.

    >>> distinct(["call", "", "call"])
    ('call_1', '_1', 'call_2')
    """
    counts = Counter(labels)
    taken, last = set(counts), dict.fromkeys(counts, 0)
    names = []
    for label in labels:
        name = label
        if not label or counts[label] > 1:
            while name in taken:
                last[label] += 1
                name = f"{label}_{last[label]}"
            taken.add(name)
        names.append(name)
    return tuple(names)
