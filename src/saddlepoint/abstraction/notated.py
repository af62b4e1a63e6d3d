"""Buckets of a text in the notation of `saddlepoint.abstraction.notation`, for any hands.

Round by round, the factors of a part are nested in what is remembered of the rounds before:
percentiles of a strength (`saddlepoint.abstraction.percentile`) or public buckets
(`saddlepoint.abstraction.public`).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from saddlepoint.abstraction.buckets import Buckets, checked
from saddlepoint.abstraction.hands import Classes, Hands, numbered
from saddlepoint.abstraction.notation import (
    PUBLIC,
    Part,
    parts_of_text,
    sizes_of_parts,
    text_of_parts,
)
from saddlepoint.abstraction.percentile import Vector, percentile_buckets, percentiles, worths
from saddlepoint.abstraction.public import STARTS, boards_of, public_buckets
from saddlepoint.abstraction.work import SILENT, Result, Work
from saddlepoint.core.errors import SettingsError

# Fewest strength buckets of the base abstraction of public buckets: tables have to differ.
FEWEST = 8


def notated(
    hands: Hands,
    text: str,
    *,
    seed: int = 0,
    work: Work = SILENT,
    base: Buckets | None = None,
    restarts: int = STARTS,
) -> Buckets:
    """The buckets that a text describes.

    Parameters
    ----------
    hands
        The hands of a player.
    text
        See the module; a part for each round.
    seed, restarts
        Of k-means, for public buckets.
    work
        How rounds are kept; their keys have digests of the hands and of a given base.
    base
        The base abstraction of public buckets. By default it has percentile buckets by hs2 of
        all hands of a round: as many as the part of the round has of strengths, at least 8.

    Raises
    ------
    FormatError
        If the text is malformed, or has another number of rounds.
    SettingsError
        If a round has more buckets than hands, or more public ones than boards.
    GameError
        If there are public buckets, and the hands do not say which cards are public.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import rhode_island
    >>> hands = hands_of(rhode_island().deal)
    >>> found = notated(hands, "ir13.dir-pub4x5hs-pub4x1.10")
    >>> found.sizes, found.forgets(hands.up)
    ((13, 20, 40), [1, 2])
    """
    parts = parts_of_text(text, hands.rounds)
    asked = _fits(hands, parts)
    if base is not None:
        checked(base, hands)

    @cache
    def worth(kind: str) -> tuple[Vector, ...]:
        return worths(hands, kind)

    @cache
    def strengths() -> Buckets:
        if base is not None:
            return base
        own = [math.prod(f.count for f in p.factors if f.kind != PUBLIC) for p in parts]
        sizes = [min(max(n, FEWEST), most) for n, most in zip(own, hands.sizes, strict=True)]
        return percentile_buckets(hands, sizes, forget=True)

    def divided(r: int, group: Classes, public: Classes) -> Result:
        """Divide what is remembered; `kept` and `public` are what is remembered of that."""
        kept, seen = group, public
        for k, f in enumerate(parts[r].factors, 1):
            if f.kind == PUBLIC:
                given: dict[str, Any] = {"above": public, "restarts": restarts, "seed": seed}
                public = public_buckets(hands, r, f.count, strengths(), **given)
                group = numbered(group, public)
            else:
                group = percentiles(worth(f.kind)[r], hands.weight[r], f.count, group)
            if k == len(parts[r].factors) and asked[r] == hands.size(r):
                group = numbered(group, np.arange(len(group)))
            if k == parts[r].remembered:
                kept, seen = group, public
        return {"group": group, "kept": kept, "public": seen}

    name = text_of_parts(parts)
    mine = {"text": name, "seed": seed, "restarts": restarts, "hands": _digest(hands, base)}
    groups: list[Classes] = []
    kept = public = np.zeros(1, np.int64)
    for r, up in enumerate(hands.up):

        def compute(r: int = r, kept: Classes = kept[up], public: Classes = public[up]) -> Result:
            work.say(f"round {r + 1}: {asked[r]:,} buckets of {hands.size(r):,} hands")
            return divided(r, kept, public)

        found = work.keep("notation", mine | {"round": r}, compute)
        group, kept, public = (np.asarray(found[k], np.int64) for k in ("group", "kept", "public"))
        groups.append(group)
    return Buckets(tuple(groups), name)


def _digest(hands: Hands, base: Buckets | None) -> list[int]:
    """What tells apart hands and a base, for keys."""
    arrays = [*hands.up, *hands.weight, *hands.win, *hands.lose, *(hands.public or ())]
    return [zlib.crc32(a.tobytes()) for a in (*arrays, *(base.groups if base else ()))]


def _fits(hands: Hands, parts: Sequence[Part]) -> tuple[int, ...]:
    """How many buckets each round is to have, if there are as many hands and boards."""
    asked, above = sizes_of_parts(parts), 1
    for r, part in enumerate(parts):
        public = [f.count if f.kind == PUBLIC else 1 for f in part.factors]
        if max(public, default=1) > 1:
            boards = int(boards_of(hands, r).max()) + 1
            if above * math.prod(public) > boards:
                raise SettingsError(
                    f"{above * math.prod(public):,} public buckets in round {r + 1}, expected at "
                    f"most its {boards:,} boards"
                )
        above *= math.prod(public[: part.remembered])
        if asked[r] > hands.size(r):
            raise SettingsError(
                f"{asked[r]:,} buckets in round {r + 1}, expected at most its "
                f"{hands.size(r):,} hands"
            )
    return asked
