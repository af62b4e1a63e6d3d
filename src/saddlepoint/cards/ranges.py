"""Ranges of hold'em hands as text, and as a weight for each of the 1,326 pairs of cards.

A text is a list of entries with commas between them. An entry names hands and, after a colon,
their weight from 0 to 1, which is 1 if it is left out. White space does not matter.
**A later entry overrides an earlier one** where both have a hand: `random:0.1, AA` has aces with
weight 1, and `AK, AsKs:0` all but one of the sixteen.

| entry | hands |
|---|---|
| `AA`, `AKs`, `AKo`, `AK` | a pair; suited, offsuit, both |
| `AsKd` | two cards, in any order |
| `QQ+` | this pair and those above |
| `ATs+` | the lower card rises up to below the higher one: `ATs AJs AQs AKs` |
| `99-66`, `A5s-A2s` | from the higher one to the lower one |
| `JTs-87s` | both cards fall together: `JTs T9s 98s 87s` |
| `30%` | the best 30 in 100 hands, see [`strongest`][saddlepoint.cards.ranges.strongest] |
| `random` | all hands |

Weights stand in colexicographic order: the hand of cards i < j, numbers as in `Deck()`, is at
`j * (j - 1) // 2 + i`, which is its `subset_index`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.cards.deck import RANKS, SUITS, Deck
from saddlepoint.cards.subsets import subset_of
from saddlepoint.core.checks import number, shown, text
from saddlepoint.core.errors import FormatError, SettingsError

HANDS = 1326
_SOURCE = "range"
_KIND = re.compile(f"([{RANKS}])([{RANKS}])([so]?)")
_CARDS = re.compile(f"([{RANKS}][{SUITS}])([{RANKS}][{SUITS}])")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_EXPECTED = "expected hands such as AA, AKs, AKo, AK, QQ+, A5s-A2s, AsKd, 30% or random"
_SHOWN = 40
# So many single classes that fall together are written as one span.
_JOINED = 3

Weights = NDArray[np.float64]
Mask = NDArray[np.bool_]


class _Kind(NamedTuple):
    """Hands of two ranks: high and low as places in `RANKS`, and `s`, `o` or both (empty)."""

    high: int
    low: int
    suits: str

    @property
    def text(self) -> str:
        return RANKS[self.high] + RANKS[self.low] + self.suits


@cache
def pairs() -> NDArray[np.int64]:
    """The two cards of each hand, in the order of the weights. Not to be written to.

    >>> pairs()[[0, 1, -1]].tolist()
    [[0, 1], [0, 2], [50, 51]]
    """
    found = subset_of(np.arange(HANDS), len(RANKS) * len(SUITS), 2)
    found.flags.writeable = False
    return found


@cache
def classes() -> NDArray[np.int64]:
    """The place of each hand in the 13 by 13 table of classes.

    Pairs are on the diagonal, suited hands in the row of their high rank and the column of
    their low one, offsuit ones the other way around.
    """
    ranks, suits = pairs() // len(SUITS), pairs() % len(SUITS)
    low, high = ranks.T
    suited = suits[:, 0] == suits[:, 1]
    places: NDArray[np.int64] = np.where(suited, high * 13 + low, low * 13 + high)
    places.flags.writeable = False
    return places


def parse(text_of_range: str) -> Weights:
    """The weights of a range.

    Raises
    ------
    FormatError
        If the text is not a range, with the entry, line and column.

    Examples
    --------
    >>> weights = parse("QQ+, AKs, AKo:0.25")
    >>> weights.shape, float(weights.sum())
    ((1326,), 25.0)
    """
    weights = np.zeros(HANDS)
    for entry, at in _entries(text("range", text_of_range)):
        place = _Place(text_of_range, at)
        hands, colon, weight = entry.partition(":")
        share = 1.0
        if colon:
            gap = len(weight) - len(weight.lstrip())
            share = _weight(weight.strip(), entry, place.later(len(hands) + 1 + gap))
        found = _hands(re.sub(r"\s*-\s*", "-", hands.strip()), place)
        np.copyto(weights, found * share, where=found > 0)
    return weights


class _Place(NamedTuple):
    """Where in a text something stands."""

    text: str
    at: int

    def later(self, by: int) -> _Place:
        return _Place(self.text, self.at + by)

    def error(self, problem: str) -> FormatError:
        line = self.text.count("\n", 0, self.at) + 1
        return FormatError(problem, _SOURCE, line, self.at - self.text.rfind("\n", 0, self.at))


def _cut(piece: str) -> str:
    """A piece of the text as it stands in messages."""
    short = piece if len(piece) <= _SHOWN else piece[: _SHOWN - 3] + "..."
    return repr(short)


def _entries(text: str) -> Iterator[tuple[str, int]]:
    """The entries between commas without white space around them, and where they begin."""
    at = 0
    for raw in text.split(","):
        entry = raw.strip()
        begin = at + len(raw) - len(raw.lstrip()) if entry else at
        if not entry:
            raise _Place(text, begin).error(f"an empty entry, {_EXPECTED}")
        yield entry, begin
        at += len(raw) + 1


def _weight(text: str, entry: str, place: _Place) -> float:
    """A weight from 0 to 1."""
    if not _NUMBER.fullmatch(text) or not 0 <= (weight := float(text)) <= 1:
        raise place.error(
            f"weight {_cut(text)} of {_cut(entry)}, expected a number from 0 to 1 after the colon"
        )
    return weight + 0.0  # no negative zero


def _hands(name: str, place: _Place) -> Weights:
    """The hands of an entry without its weight: 1 for each, or less at the end of a fraction."""
    if name == "random":
        return np.ones(HANDS)
    if name.endswith("%"):
        return strongest(_percent(name, place))
    if cards := _CARDS.fullmatch(name):
        return _two_cards(cards, name, place)
    if name.endswith("+"):
        kind = _kind(name[:-1].rstrip(), name, place)
        if kind.high == kind.low:
            return _members(_Kind(r, r, "") for r in range(kind.high, 13))
        return _members(kind._replace(low=r) for r in range(kind.low, kind.high))
    if "-" in name:
        first, _, last = name.partition("-")
        return _members(_span(_kind(first, name, place), _kind(last, name, place), name, place))
    return _members([_kind(name, name, place)])


def _percent(name: str, place: _Place) -> float:
    """The fraction that a percentage is."""
    share = name[:-1].rstrip()
    if not _NUMBER.fullmatch(share) or not 0 <= float(share) <= 100:
        raise place.error(f"{_cut(name)}, expected a number from 0 to 100 before the percent sign")
    return float(Fraction(share) / 100)


def _two_cards(found: re.Match[str], name: str, place: _Place) -> Weights:
    """The hand of two cards."""
    deck = Deck()
    low, high = sorted((deck.card(found[1]), deck.card(found[2])))
    if low == high:
        raise place.error(f"{_cut(name)} has one card twice, expected two cards such as AsKd")
    hand = np.zeros(HANDS)
    hand[high * (high - 1) // 2 + low] = 1
    return hand


def _kind(name: str, entry: str, place: _Place) -> _Kind:
    """The ranks and suits of `AA`, `AKs`, `AKo` or `AK`."""
    found = _KIND.fullmatch(name)
    if not found:
        of = "" if name == entry else f" in {_cut(entry)}"
        raise place.error(f"unknown hands {_cut(name)}{of}, {_EXPECTED}")
    high, low, suits = RANKS.index(found[1]), RANKS.index(found[2]), found[3]
    if high == low and suits:
        raise place.error(
            f"{_cut(entry)}: a pair is neither suited nor offsuit, expected {found[1]}{found[2]}"
        )
    if high < low:
        raise place.error(
            f"{_cut(entry)}: the lower rank comes first, expected {found[2]}{found[1]}{suits}"
        )
    return _Kind(high, low, suits)


def _span(first: _Kind, last: _Kind, entry: str, place: _Place) -> Iterator[_Kind]:
    """The kinds from the first to the last one, which is lower."""
    steps = first.low - last.low
    together = first.high - last.high == steps
    alike = (first.high == first.low) == (last.high == last.low) and first.suits == last.suits
    if not alike or not (together or first.high == last.high):
        raise place.error(
            f"{_cut(entry)}: {first.text} and {last.text} do not span anything, expected two "
            f"pairs, or hands of the same suits with the same high rank or the same distance, "
            f"such as 99-66, A5s-A2s or JTs-87s"
        )
    if steps < 0:
        raise place.error(
            f"{_cut(entry)}: the lower end comes first, expected {last.text}-{first.text}"
        )
    return (_Kind(first.high - k * together, first.low - k, first.suits) for k in range(steps + 1))


def _members(kinds: Iterator[_Kind] | list[_Kind]) -> Weights:
    """The hands of some kinds."""
    table = np.zeros((13, 13))
    for kind in kinds:
        if kind.suits != "o":
            table[kind.high, kind.low] = 1
        if kind.suits != "s":
            table[kind.low, kind.high] = 1
    hands: Weights = table.ravel()[classes()]
    return hands


def strongest(fraction: float) -> Weights:
    """The hands with the best chances against a random one, up to a fraction of all.

    Classes such as `AKs` are taken whole, the one with the highest
    [equity][saddlepoint.cards.preflop.equities] first; the last one has the weight that makes
    the fraction exact. The first call plays all boards, which takes some seconds.

    Raises
    ------
    SettingsError
        If the fraction is not from 0 to 1.

    Examples
    --------
    >>> to_text(strongest(0.02))
    'JJ+,TT:0.42'
    """
    # Loaded late: it plays hands, which the text of a range does not need.
    from saddlepoint.cards.preflop import equities

    found = number("fraction", fraction)
    if not 0 <= found <= 1:
        raise SettingsError(f"fraction is {found}, expected 0 to 1")
    places, first, sizes = np.unique(classes(), return_index=True, return_counts=True)
    table = np.zeros(13 * 13)
    left = Fraction(repr(found)) * HANDS  # in decimals, as it was written
    for k in np.argsort(-equities()[first], kind="stable").tolist():
        table[places[k]] = min(left / int(sizes[k]), Fraction(1))
        left = max(left - int(sizes[k]), Fraction(0))
    hands: Weights = table[classes()]
    return hands


def to_text(weights: ArrayLike) -> str:
    """A short text that `parse` reads back as exactly these weights.

    Classes with one weight are written as such, runs of them as spans; what differs within a
    class follows as single hands. If most hands have a weight, the text begins with all hands
    and then tells which ones differ.

    Raises
    ------
    SettingsError
        If there are not 1,326 weights from 0 to 1.

    Examples
    --------
    >>> to_text(parse("AA, KK, QQ, AKs:0.5, JTs, T9s, 98s, KQo, KJo, AsKs:0"))
    'QQ+,KJo+,JTs-98s,AKs:0.5,AsKs:0'
    >>> to_text(np.zeros(1326))
    'random:0'
    """
    try:
        given = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise SettingsError(f"weights are {shown(weights)}, expected numbers") from None
    if given.shape != (HANDS,):
        raise SettingsError(f"weights have shape {given.shape}, expected ({HANDS},)")
    wrong = ~((given >= 0) & (given <= 1))
    if wrong.any():
        hand = int(np.argmax(wrong))
        raise SettingsError(
            f"the weight of {_name_of_hand(hand)} is {given[hand]}, expected 0 to 1 "
            f"({int(wrong.sum()):,} of {HANDS:,} are wrong)"
        )
    values, counts = np.unique(given, return_counts=True)
    bases = [0.0, float(values[np.argmax(counts)])]
    return min((_text_over(given, base) for base in bases), key=len)


def _text_over(weights: Weights, base: float) -> str:
    """The text where what is not told has a weight: all hands come first unless that is 0."""
    table = np.full(13 * 13, base)
    for place, hands in enumerate(_hands_ofclasses()):
        values, counts = np.unique(weights[hands], return_counts=True)
        # One entry for the class unless it is the base, and one for each hand that differs.
        costs = (values != base) + len(hands) - counts
        best = np.argmin(costs)
        if costs[best] < len(hands) - np.sum(counts[values == base]):
            table[place] = values[best]
    entries = ["random" + _suffix(base)] if base else []
    for weight in np.unique(table)[::-1].tolist():
        if weight != base:
            mask = (table == weight).reshape(13, 13)
            entries += [name + _suffix(weight) for name in _cover(mask)]
    for hand in np.flatnonzero(weights != table[classes()])[::-1].tolist():
        entries.append(_name_of_hand(hand) + _suffix(weights[hand]))
    return ",".join(entries) or "random:0"


@cache
def _hands_ofclasses() -> list[NDArray[np.int64]]:
    """The hands of each place of the table of classes."""
    return [np.flatnonzero(classes() == place) for place in range(13 * 13)]


def _name_of_hand(hand: int) -> str:
    """The two cards of a hand, the higher one first."""
    deck = Deck()
    low, high = pairs()[hand].tolist()
    return deck.text(high) + deck.text(low)


def _suffix(weight: float) -> str:
    """A weight after its colon, in as few digits as lead back to it; nothing for 1."""
    if weight == 1:
        return ""
    return f":{float(weight)!r}" if weight else ":0"


def _cover(mask: Mask) -> list[str]:
    """Entries for the classes of a mask over the table, each class in one of them."""
    spans = [((top, top), (low, low), "") for top, low in _runs(mask.diagonal())]
    for high in range(12, 0, -1):
        suited, offsuit = _runs(mask[high, :high]), _runs(mask[:high, high])
        both = [run for run in suited if run in offsuit]
        for suits, runs in (("", both), ("s", suited), ("o", offsuit)):
            spans += [
                ((high, top), (high, low), suits)
                for top, low in runs
                if not suits or (top, low) not in both
            ]
    return [_name_of_span(_Kind(*a, suits), _Kind(*b, suits)) for a, b, suits in _joined(spans)]


_Span = tuple[tuple[int, int], tuple[int, int], str]


def _runs(marks: Mask) -> list[tuple[int, int]]:
    """Runs of marks, from the highest place to the lowest one, as their ends."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(np.int8)))
    return [(int(high) - 1, int(low)) for low, high in edges.reshape(-1, 2)[::-1]]


def _joined(spans: list[_Span]) -> list[_Span]:
    """Single classes that fall together, such as JTs T9s 98s, become one span if they are many."""
    single = {(a, suits) for a, b, suits in spans if a == b and a[0] != a[1]}
    found: list[_Span] = []
    for a, b, suits in spans:
        if a != b or a[0] == a[1]:
            found.append((a, b, suits))
        elif (a, suits) in single:
            diagonal = [a]
            while ((a[0] - len(diagonal), a[1] - len(diagonal)), suits) in single:
                diagonal.append((a[0] - len(diagonal), a[1] - len(diagonal)))
            taken = diagonal if len(diagonal) >= _JOINED else [a]
            single -= {(place, suits) for place in taken}
            found.append((a, taken[-1], suits))
    return found


def _name_of_span(first: _Kind, last: _Kind) -> str:
    """The entry for the kinds from the first to the last one."""
    if first == last:
        return first.text
    is_pair = first.high == first.low
    to_the_top = first.high == 12 if is_pair else first.high - 1 == first.low
    if to_the_top and (is_pair or first.high == last.high):
        return last.text + "+"
    return f"{first.text}-{last.text}"
