"""Card abstractions as text: `pa:13-50-250,metric=emd`, `eb:13-50-250`, `ir169.64.8.8`.

A text is a method, a colon, what it takes, and settings after commas:

| text | buckets |
|---|---|
| `classes` | all hands apart |
| `lossless` | the coarsest that lose nothing (`saddlepoint.abstraction.lossless`) |
| `lossless:counts`, `:own-first` | GameShrink's readings, which lose something |
| `gameshrink:13-50-250` | lossy GameShrink, at most so many buckets by round |
| `gameshrink:0/0.1/0.2` | the same with thresholds |
| `eb:13-50-250` | expectation-based; `error=`, `solver=`, `restarts=`, `seed=` |
| `eb2:13-50-250` | expectation squared |
| `pa:13-50-250` | potential-aware; `dimension=`, `metric=`, `error=`, `seed=` |
| `strategy:13-50-250,file=FILE` | by the strategies in a file; `rounds=`, `reach=`, `seed=` |
| `percentile:ir169.64.8.8` | percentiles and public buckets (`saddlepoint.abstraction.notation`) |
| `groups:JQ.K` | groups of ranks by hand (`saddlepoint.abstraction.cards`) |

A bare text such as `JQ.K` names groups of ranks, and one such as `8.8.8` percentiles. Two
texts with ` vs ` between them are for players 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.buckets import Buckets, bucketed, buckets_of
from saddlepoint.abstraction.cards import FULL, grouped
from saddlepoint.abstraction.expectation import expectation_based
from saddlepoint.abstraction.hands import Hands, hands_of
from saddlepoint.abstraction.lossless import lossless
from saddlepoint.abstraction.notated import notated
from saddlepoint.abstraction.potential import potential_aware
from saddlepoint.abstraction.similarity import lossy_game_shrink
from saddlepoint.abstraction.strategic import strategy_based
from saddlepoint.abstraction.work import SILENT, Work
from saddlepoint.cards.deck import RANKS
from saddlepoint.core.errors import FormatError, SettingsError, unknown
from saddlepoint.games.factored_game import FactoredGame

METHODS = (
    "classes",
    "lossless",
    "gameshrink",
    "eb",
    "eb2",
    "pa",
    "strategy",
    "percentile",
    "groups",
)
SETTINGS: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    "eb": {"error": str, "solver": str, "restarts": int, "seed": int},
    "eb2": {"error": str, "solver": str, "restarts": int, "seed": int},
    "pa": {"dimension": int, "metric": str, "error": str, "leaf_error": str, "seed": int},
    "strategy": {
        "file": str,
        "rounds": int,
        "reach": lambda text: {"true": True, "false": False}[text],
        "seed": int,
    },
    "percentile": {"seed": int},
}
BOTH = " vs "
# What to cite besides the game: keys of `saddlepoint.core.bibliography`.
SOURCES = {"percentile": ("schnizlein2009",), "classes": (), "groups": ("ganzfried2012",)}
THESIS, EARTH_MOVER = "gilpin2009", "johanson2013"


@dataclass(frozen=True)
class CardText:
    """A text that was read: the method, what it takes, and its settings.

    >>> CardText.of("pa:13-50-250,metric=emd")
    CardText(method='pa', what='13-50-250', settings={'metric': 'emd'})
    """

    method: str
    what: str
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, text: str) -> CardText:
        """Read a text with a method.

        Raises
        ------
        FormatError
            If it is malformed, with the column.
        """
        head, *rest = text.split(",")
        method, _, what = head.partition(":")
        if method not in METHODS:
            raise FormatError(unknown("card abstraction", method, METHODS), f"'{text}'", 1, 1)
        known, column, found = SETTINGS.get(method, {}), len(head) + 2, {}
        for part in rest:
            key, sign, value = part.partition("=")
            place = (f"'{text}'", 1, column)
            if not sign:
                raise FormatError(f"found '{part}', expected setting=value", *place)
            if key not in known:
                told = (
                    unknown(f"setting of {method}", key, known)
                    if known
                    else (f"{method} takes no settings, found '{part}'")
                )
                raise FormatError(told, *place)
            try:
                found[key] = known[key](value)
            except (ValueError, KeyError):
                raise FormatError(
                    f"{key} is '{value}', expected {_expected(known[key])}", *place
                ) from None
            column += len(part) + 1
        return cls(method, what, found)

    def numbers(self, kind: Callable[[str], Any] = int, sign: str = "-") -> list[Any]:
        """The numbers of buckets, or the thresholds, by round."""
        column, found = len(self.method) + 2, []
        for part in self.what.split(sign):
            try:
                found.append(kind(part))
            except ValueError:
                text = f"{self.method}:{self.what}"
                example = "13-50-250" if sign == "-" else "0/0.1/0.2"
                raise FormatError(
                    f"found '{part}', expected numbers by round such as {example}",
                    *(f"'{text}'", 1, column),
                ) from None
            column += len(part) + 1
        return found


def _expected(kind: Any) -> str:
    return "a whole number" if kind is int else "true or false"


def is_groups(game: FactoredGame, text: str) -> bool:
    """Whether a bare text names groups of ranks, and not percentiles.

    It does if it is written with the letters of ranks, a face card among them, or names each
    rank of the deck.
    """
    parts = [part.replace(".", "") for part in text.split("-") if part != FULL]
    ranks = {name[0] for name in game.deal.rounds[0].names[0]}
    faces = any(letter in RANKS and not letter.isdigit() for part in parts for letter in part)
    lettered = all(letter in RANKS for part in parts for letter in part)
    return (lettered and faces) or all(set(part) == ranks for part in parts)


def buckets_for(
    game: FactoredGame, hands: Hands, player: int, text: str, *, work: Work = SILENT
) -> Buckets:
    """The buckets of one player that a text asks for.

    Parameters
    ----------
    game
        The game.
    hands
        The player's hands in it.
    player
        1 or 2.
    text
        See the module; a text without a method is in the notation of percentiles.
    work
        How chunks are kept, and what is said.
    """
    method = text.partition(":")[0].partition(",")[0]
    if method not in METHODS and ":" not in text and not get_close_matches(method, METHODS):
        text = f"percentile:{text}"
    read = CardText.of(text)
    key = {"game": dict(game.spec), "player": player, "cards": text}
    options: dict[str, Any] = {**read.settings, "work": work}
    if read.method == "classes":
        found = buckets_of(game.deal, text, player)
    elif read.method == "lossless":
        work.say("comparing what follows from all hands")
        found = lossless(game.deal, read.what or "joint")[player - 1]
    elif read.method == "gameshrink":
        if "/" in read.what or "." in read.what:
            found = lossy_game_shrink(
                hands, thresholds=read.numbers(float, "/"), work=work, key=key
            )
        else:
            found = lossy_game_shrink(hands, read.numbers(), work=work, key=key)
    elif read.method in ("eb", "eb2"):
        value = "squared" if read.method == "eb2" else "strength"
        found = expectation_based(hands, read.numbers(), value=value, key=key, **options)
    elif read.method == "pa":
        found = potential_aware(hands, read.numbers(), key=key, **options)
    elif read.method == "strategy":
        found = _by_strategies(game, hands, read, work, key)
    elif read.method == "percentile":
        found = notated(hands, read.what, **options)
    else:
        raise SettingsError(
            f"'{text}' stands for both players, expected groups such as groups:JQ.K-J.Q.K alone"
        )
    return Buckets(found.groups, text, found.errors)


def _by_strategies(
    game: FactoredGame, hands: Hands, read: CardText, work: Work, key: dict[str, Any]
) -> Buckets:
    from saddlepoint.abstraction.shrink import pair_of_spec
    from saddlepoint.core import store
    from saddlepoint.sequence.strategy import Profile

    settings = dict(read.settings)
    if "file" not in settings:
        raise SettingsError("strategy needs file=..., a solution of the game or of an abstract one")
    path = settings.pop("file")
    artefact = store.read(path)
    pair = pair_of_spec(artefact.manifest.get("game", {}))
    if dict(pair.real.spec) != dict(game.spec):
        raise SettingsError(f"{path} holds strategies of {pair.real.name}, expected {game.name}")
    profile = Profile.of_artefact(artefact, pair.game, path)
    return strategy_based(hands, read.numbers(), pair, profile, work=work, key=key, **settings)


def seen(game: FactoredGame, text: str, *, work: Work = SILENT) -> AbstractGame:
    """The game in which players see what a text says, and the way back.

    Raises
    ------
    RecallError
        If a player would forget: see `saddlepoint.abstraction.forgetting`.

    Examples
    --------
    >>> from saddlepoint.games.poker import rhode_island
    >>> seen(rhode_island(), "eb:13-50-250").game.hands()
    ((13, 13), (50, 50), (250, 250))
    """
    if text.startswith("groups:") or (":" not in text and is_groups(game, text)):
        pair = grouped(game, text.removeprefix("groups:"))
    else:
        pair = bucketed(game, *both_buckets(game, text, work=work), text=text)
    return replace(pair, game=replace(pair.game, sources=(*game.sources, *sources(text))))


def sources(text: str) -> tuple[str, ...]:
    """What to cite for the buckets of a text.

    >>> sources("pa:13-50-250,metric=emd"), sources("JQ.K"), sources("8.8.8")
    (('gilpin2009', 'johanson2013'), ('ganzfried2012',), ('schnizlein2009',))
    """
    found: list[str] = []
    for one in text.split(BOTH):
        method = one.partition(":")[0].partition(",")[0]
        if method not in METHODS:
            method = "percentile" if any(letter.isdigit() for letter in one) else "groups"
        found += SOURCES.get(method, (THESIS,))
        found += (EARTH_MOVER,) if "metric=emd" in one else ()
    return tuple(dict.fromkeys(found))


def both_buckets(
    game: FactoredGame, text: str, *, work: Work = SILENT
) -> tuple[Buckets, Buckets | None]:
    """The buckets of both players; None for the second one if they are those of the first."""
    one, versus, two = text.partition(BOTH)
    first = buckets_for(game, hands_of(game.deal, 1), 1, one, work=work)
    if not versus and game.deal.symmetric:
        return first, None
    return first, buckets_for(game, hands_of(game.deal, 2), 2, two or one, work=work)
