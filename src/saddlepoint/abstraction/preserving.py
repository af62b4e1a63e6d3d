"""Whether an information filter loses anything: checks that need no proof.

For any number of players: let the others play strategies of the filtered game. If nothing is lost,
a player who is told all signals can earn no more against them than one who is told classes. For
two players whose payoffs sum to a constant: an equilibrium of the filtered game, played in the real
one, must not be exploitable there.
"""

from __future__ import annotations

from dataclasses import dataclass

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import SettingsError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.games.filtered import FilteredGame, check_constant_sum
from saddlepoint.games.filtered_play import Behaviour, best_response_value
from saddlepoint.games.information import InformationFilter
from saddlepoint.solvers.methods import solve

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Gain:
    """What being told all signals was worth at most in some checks.

    Parameters
    ----------
    amount
        By how much the best response with all signals beats the one with classes.
    player
        Whose gain it is.
    """

    amount: float
    player: int


def largest_gain(information: InformationFilter, *, profiles: int = 5, seed: Seed = 0) -> Gain:
    """The largest gain of a player from all signals, against random filtered strategies.

    Each profile costs two best responses for each player, see
    `saddlepoint.games.filtered_play.best_response_value`.

    Examples
    --------
    Leduc Hold'em loses nothing if suits are forgotten, but much if ranks are:

    >>> from saddlepoint.abstraction.gameshrink import game_shrink
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import leduc
    >>> game = ordered_poker(leduc())
    >>> preserves(game_shrink(game)), preserves(InformationFilter.coarsest(game))
    (True, False)
    """
    rng = generator(seed)
    found = Gain(0.0, 1)
    for _ in range(whole("profiles", profiles, 1, error=SettingsError)):
        played = Behaviour.random(information, rng)
        for player in range(1, information.game.players + 1):
            full = best_response_value(played, player)
            gain = full - best_response_value(played, player, information)
            if gain > found.amount:
                found = Gain(gain, player)
    return found


def preserves(
    information: InformationFilter,
    *,
    profiles: int = 5,
    seed: Seed = 0,
    tolerance: float = TOLERANCE,
) -> bool:
    """Whether no player gains from all signals, see `largest_gain`.

    A gain proves that something is lost. That there is none against some random strategies
    is no proof, but what is lost shows against almost all strategies.

    Parameters
    ----------
    information
        The filter.
    profiles
        Against how many random profiles.
    seed
        Of the profiles.
    tolerance
        How large a gain is taken for a rounding error, as a part of the largest payoff.
    """
    largest = abs(information.game.payoffs).max()
    gain = largest_gain(information, profiles=profiles, seed=seed).amount
    return bool(gain <= tolerance * max(1.0, float(largest)))


def lifted_exploitability(information: InformationFilter) -> float:
    """Exploitability, in the real game, of an equilibrium of a filtered game.

    The equilibrium is that of a linear program, the measure exact: half the sum of what both
    players gain by best responses with all signals. A filter that loses nothing gives 0 to
    rounding; the reverse need not hold, for one equilibrium may be safe by luck.

    >>> from saddlepoint.abstraction.gameshrink import game_shrink
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import leduc
    >>> game = ordered_poker(leduc())
    >>> lifted_exploitability(game_shrink(game)) < 1e-12
    True
    >>> round(lifted_exploitability(InformationFilter.coarsest(game)), 6)
    2.383333
    """
    constant = check_constant_sum(information.game)
    small = FilteredGame(information)
    played = Behaviour.of_profile(small, solve(small, "lp").profile)
    gap = sum(best_response_value(played, player) for player in (1, 2)) - constant
    return max(0.0, gap) / 2
