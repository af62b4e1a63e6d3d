r"""GameShrink: which signals of an ordered game need not be told apart.

Algorithm 2 of thesis 003 (section 5.5) goes through the rounds and joins signals whose nodes in
the signal tree are ordered game isomorphic and have the same parent. What the node of one player's
signals is, when the others have signals too, its text leaves open. The readings:

`joint`
    The coarsest filter for which all signals of a class have equal joint chances of one's own
    later classes, of the others' classes and of one's utilities (`saddlepoint.abstraction.joint`).
    It loses nothing: this is the default.
`own-first`
    A node is what one player was told, as in Definition 10, where $\vartheta$ is compared with
    $(\tilde\alpha^j, \tilde\beta^j_i)$. Below it come his own later signals, the others' last.
`others-first`
    The same, but below it come the others' signals first, as they were revealed, and then the
    later ones: the order of Definition 8 with one player's signals moved to the front.
`counts`
    Equal chances of wins, losses and draws over all that may still be revealed: the condition of
    section 5.5.1, which is there said to be necessary. For two players.
`nodes`
    A node is what all players were told, as in Definition 8 and in the leaves of Definition 9.
    One player's signals are joined if their nodes are isomorphic for *every* choice of the
    others' signals that is legal with both.
`some-nodes`
    The same for *some* choice, which is what the loop of Algorithm 2 does if it is followed to
    the letter: any two isomorphic siblings join the signals in them.

Only `joint` is lossless. All others look at what a player may win and not at what the others are
told meanwhile. In Leduc Hold'em a king wins, loses and draws as often with a queen on the board as
with a jack, so they join the two. But the opponent's hands are worth other things then, he bets
others of them, and against these bets the king has to know which board it is. Definition 10's
filter forgets it, and an equilibrium of the smaller game is none of the real one (the proof of
Theorem 2 takes the others' beliefs and utilities to be the same after either signal). `nodes` does
no better: where the others' signals are held fixed, two neighbouring ranks of one suit differ from
nothing that is legal with both.

Two more places where the text is not followed. It compares siblings at the levels *before* the
signals of a round (`printed_levels`), where there are none in Figure 5.2; we compare those after
them. And classes of a round are only joined below one class of the round before, which the
algorithm asks of siblings in the *filtered* tree: nobody forgets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.comparing import (
    Comparison,
    Counts,
    Nodes,
    OthersFirst,
    OwnFirst,
)
from saddlepoint.abstraction.joint import Refinement
from saddlepoint.abstraction.union_find import UnionFind
from saddlepoint.core.checks import is_truth, shown, text
from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.games.information import InformationFilter
from saddlepoint.games.signals import OrderedGame

Integers = NDArray[np.int64]
COMPARISONS: dict[str, Callable[[OrderedGame], Comparison]] = {
    "own-first": OwnFirst,
    "others-first": OthersFirst,
    "counts": Counts,
    "nodes": lambda game: Nodes(game, every=True),
    "some-nodes": lambda game: Nodes(game, every=False),
}
READINGS = ("joint", *COMPARISONS)
# Thresholds of `anytime` are halved at most so often.
_HALVINGS = 40


def game_shrink(
    game: OrderedGame, reading: str = "joint", *, threshold: float = 0.0
) -> InformationFilter:
    """The filter that joins all signals which a reading takes for the same: Algorithm 2.

    With a threshold, signals are joined that cost no more than it (thesis 003, section 5.6.1),
    and through them those that are joined with them: 0 joins what is the same, infinity
    everything. Costs are squared differences of utilities, averaged over the paths to the
    end, in the cheapest perfect matching; for `counts` squared differences of chances; for
    `joint`, deals in which the players are told different classes cost the square of the
    range of utilities. They are computed on the signals as they are, not anew after joining.

    Parameters
    ----------
    game
        The game: a small one, since all deals are listed.
    reading
        `joint`, which loses nothing, or one of the others: see the module.
    threshold
        Up to which cost signals are joined.

    Examples
    --------
    Figure 5.2 of the thesis: two jacks and two kings, 113 nodes become 39.

    >>> from saddlepoint.games.filtered import FilteredGame
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.rules_file import rules_game
    >>> betting = {"ante": 1, "bets": [1], "max_bets": 1}
    >>> deck = {"ranks": "JK", "suits": 2}
    >>> game = ordered_poker(rules_game({"name": "JJKK", "deck": deck, "betting": betting}))
    >>> shrunk = game_shrink(game)
    >>> shrunk.classes(1)
    (((((),), (('Jc',),)), (((),), (('Jd',),))), ((((),), (('Kc',),)), (((),), (('Kd',),))))
    >>> FilteredGame.of(game).tree().n_nodes, FilteredGame(shrunk).tree().n_nodes
    (113, 39)
    """
    return _shrinker(game, reading)(_threshold(threshold))


def anytime(
    game: OrderedGame, reading: str = "joint", *, thresholds: Sequence[float] | None = None
) -> Iterator[tuple[float, InformationFilter]]:
    """Finer and finer filters for falling thresholds (thesis 003, section 5.6.1).

    Each comes with the largest threshold that it was found for; what does not differ from
    the one before is left out. Solve them one after another while there is time.

    Parameters
    ----------
    game, reading
        See `game_shrink`.
    thresholds
        From the largest to the smallest. By default infinity, then twice the square of the
        range of utilities, half of that and so on, and 0 as the last one.

    Examples
    --------
    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.poker import leduc
    >>> [found.sizes for _, found in anytime(ordered_poker(leduc()), "counts")]
    [(1, 1), (1, 3), (3, 7)]
    """
    shrink = _shrinker(game, reading)
    if thresholds is None:
        thresholds = _falling(game, reading)
    falling = [_threshold(t) for t in thresholds]
    if falling != sorted(falling, reverse=True):
        raise SettingsError(f"thresholds are {shown(falling)}, expected falling numbers")
    last: InformationFilter | None = None
    exact = shrink(0.0)
    for threshold in falling:
        if last is not None and last == exact:
            return
        found = exact if threshold == 0.0 else shrink(threshold)
        if last is None or found != last:
            yield threshold, found
        last = found


def _falling(game: OrderedGame, reading: str) -> list[float]:
    span = 1.0 if reading == "counts" else float(np.ptp(game.payoffs))
    return [math.inf, *(2.0 * span**2 / 2**k for k in range(_HALVINGS)), 0.0]


def printed_levels(game: OrderedGame, round_: int) -> tuple[int, int]:
    """The levels of the signal tree that Algorithm 2 compares siblings at, as it is printed.

    They come before the public and before the private signals of a round, so in the first
    round without public ones both are the root, which has no siblings.
    """
    before = game.revealed(game.checked_round(round_) - 1)
    return before, before + game.public[round_ - 1]


def _threshold(threshold: float) -> float:
    wrong = is_truth(threshold) or not isinstance(threshold, float | int | np.number)
    if wrong or not threshold >= 0:
        raise SettingsError(f"threshold is {shown(threshold)}, expected a number of at least 0")
    return float(threshold)


def _shrinker(game: OrderedGame, reading: str) -> Callable[[float], InformationFilter]:
    """The filter of a reading as a function of the threshold."""
    if text("reading", reading) not in READINGS:
        raise SettingsError(unknown("reading", reading, READINGS))
    if reading == "joint":
        return Refinement(game).filter
    comparison = COMPARISONS[reading](game)
    return lambda threshold: _joined(comparison, threshold)


def _joined(comparison: Comparison, threshold: float) -> InformationFilter:
    """Algorithm 2: round by round, join siblings that cost no more than a threshold."""
    game = comparison.game
    identity = InformationFilter.identity(game)
    numbers: list[Integers] = []
    for j in range(1, game.rounds + 1):
        size = identity.sizes[j - 1]
        forest, exact = UnionFind(size), comparison.exact(j)
        parents = numbers[-1][identity.before(j)] if numbers else np.zeros(size, np.int64)
        for parent in np.unique(parents):
            siblings = np.flatnonzero(parents == parent)
            if exact is not None:
                siblings = _represented(forest, siblings, exact)
                if threshold == 0.0:
                    continue
            _join_siblings(forest, siblings, comparison, j, threshold)
        numbers.append(forest.numbers())
    return InformationFilter(game, tuple(numbers))


def _represented(forest: UnionFind, siblings: Integers, exact: Integers) -> Integers:
    """Join siblings that are the same; return one of each kind."""
    first: dict[int, int] = {}
    for one in siblings.tolist():
        forest.union(first.setdefault(int(exact[one]), one), one)
    return np.array(list(first.values()), np.int64)


def _join_siblings(
    forest: UnionFind, siblings: Integers, comparison: Comparison, round_: int, threshold: float
) -> None:
    """Join any two siblings that cost no more than a threshold."""
    listed = siblings.tolist()
    for k, one in enumerate(listed):
        for two in listed[:k]:
            if forest.find(one) != forest.find(two) and (
                threshold == math.inf or comparison.cost(round_, one, two) <= threshold
            ):
                forest.union(one, two)
