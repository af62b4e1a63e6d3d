"""An abstract profile as one of the real game, by the way back that fits its betting."""

from __future__ import annotations

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.reverse.lift import lift_profile
from saddlepoint.reverse.limits import lift_limited_profile
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.strategy import Profile


def mapped_back(pair: AbstractGame, profile: Profile) -> Profile:
    """The profile of the real game: hands looked up, bets read by the defaults.

    In a limit game by the rule `call` of `saddlepoint.reverse.limits`, in a no-limit game by
    the pseudo-harmonic mapping in the real frame (`Translation()`).

    Examples
    --------
    >>> from saddlepoint.abstraction.shrink import shrink
    >>> from saddlepoint.games.poker import leduc
    >>> pair = shrink(leduc(), 1, "JQ.K")
    >>> mapped_back(pair, Profile.uniform(pair.game)).form.name
    'leduc'
    """
    if pair.real.betting.bets is not None:
        return lift_limited_profile(pair, profile)
    return lift_profile(pair, profile, Translation())
