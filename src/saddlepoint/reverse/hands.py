r"""Hands of the real game, played by translation as agents at a table play it.

Where `lift` computes what a translated strategy is, these players do what it describes,
hand by hand. There are two ways to carry several abstract histories through a hand
(thesis 004, section 4.3.1):

* `sampled`: one abstract history a hand. An observed bet is read as one abstract bet,
  drawn with the probability that the mapping gives it; the abstract strategy's action is
  drawn in that one history.
* `weighted`: the weighted set of all of them, in which what the player himself does
  multiplies the weight of each history by its probability; the action is drawn from the
  mixture. Dropping pseudo-dominated actions (`Translation.avoid`) is possible only so:
  which actions those are is not a function of one history.

Both make the same strategy, the lifted one, as long as own actions are remembered
(`Translation.remember`) or the mapping is deterministic. They part if own actions are read
like the opponent's and readings are random: one history, once drawn, goes on to be the one
that suggested the action, whereas a set that forgets who suggested it keeps its weights.
`lift` computes the latter.

**The same history is read in the same way within a hand.** No generator is advanced here.
Every number is a function (`saddlepoint.core.counter`) of the seed, the number of the hand
and its use: the cards of a round, the action at a betting node, the reading that a player
has of the move to a betting node. A player who forgot everything and followed the hand
again from its beginning would arrive at the same abstract history. So hands do not depend
on each other or on how they are split up, and one seed deals the same cards to any players.

A showdown pays its expectation given both players' classes of hands: what is still to be
dealt after an all-in, or was never told apart, is not drawn. This changes no mean and makes
the standard error smaller.

A hand costs O(decisions * abstract actions) with one history, whose states and moves are
listed beforehand (`saddlepoint.reverse.machine`), and as many times more as there are
histories with a set, for which nothing is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.core.counter import key_of
from saddlepoint.core.errors import GameError, SettingsError, StrategyError, unknown
from saddlepoint.core.seeds import Seed
from saddlepoint.games.betting_moves import FOLDED1, FOLDED2, SHOWDOWN
from saddlepoint.games.draws import pairs_of
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.reverse.lift import rules_for, tree_for
from saddlepoint.reverse.machine import Machine, build
from saddlepoint.reverse.playing import Mind, Side, play
from saddlepoint.reverse.steps import Tree
from saddlepoint.reverse.translate import Translation, labels
from saddlepoint.sequence.strategy import Strategy

WAYS = ("sampled", "weighted")
# Hands that are kept in memory at once when only their outcome is asked for.
PORTION = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Translator:
    """A player of the real game who translates a strategy of an abstract one.

    Parameters
    ----------
    pair
        The real game and his abstract one.
    strategy
        His strategy of the abstract game; its player is the seat.
    settings
        How he translates.
    way
        `sampled` or `weighted`.
    """

    pair: AbstractGame
    strategy: Strategy
    settings: Translation = field(default_factory=Translation)
    way: str = "sampled"

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise SettingsError(unknown("way", self.way, WAYS))
        if self.settings.avoid is not None and self.way == "sampled":
            raise SettingsError(
                "which actions are dominated depends on all histories of the set: "
                "avoid goes with way 'weighted'"
            )
        form, player = self.pair.game.sequence_form(), self.strategy.player
        plex = form.X if player == 1 else form.Y
        if self.strategy.treeplex.fingerprint != plex.fingerprint:
            raise StrategyError(
                f"the strategy does not belong to {self.pair.game.name}, player {player}"
            )


@dataclass(frozen=True)
class Hands:
    """Hands that were played, one entry of each array a hand.

    Parameters
    ----------
    leaf
        The node of the real betting tree that it ended at.
    one, two
        The classes of hands that players 1 and 2 held then.
    payoff
        What player 1 won.
    """

    leaf: NDArray[np.int64]
    one: NDArray[np.int64]
    two: NDArray[np.int64]
    payoff: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.leaf)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of some hands; outcomes of further hands are added by `+`.

    Parameters
    ----------
    hands
        How many.
    mean
        What player 1 won a hand.
    squares
        Sum of the squared deviations from the mean.
    folds
        How many hands player 1 and player 2 gave up.
    """

    hands: int
    mean: float
    squares: float
    folds: tuple[int, int]

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; not a number for a single hand."""
        n = self.hands
        return math.sqrt(self.squares / (n - 1) / n) if n > 1 else math.nan

    @property
    def showdowns(self) -> int:
        """How many hands were shown."""
        return self.hands - sum(self.folds)

    def of_player(self, player: int) -> float:
        """What player 1 or 2 won a hand."""
        if player not in (1, 2):
            raise SettingsError(f"player is {player}, expected 1 or 2")
        return self.mean if player == 1 else -self.mean

    def __add__(self, other: Outcome) -> Outcome:
        n, apart = self.hands + other.hands, other.mean - self.mean
        return Outcome(
            hands=n,
            mean=self.mean + apart * other.hands / n,
            squares=self.squares + other.squares + apart**2 * self.hands * other.hands / n,
            folds=(self.folds[0] + other.folds[0], self.folds[1] + other.folds[1]),
        )


def record_hands(
    first: Translator, second: Translator, hands: int, seed: Seed, start: int = 0
) -> Hands:
    """Play hands of the real game and keep each of them.

    Parameters
    ----------
    first, second
        Player 1 and player 2, with abstract games of the same real one.
    hands
        How many hands.
    seed
        With the number of a hand, all that chance decides in it; a generator gives another
        seed each time.
    start
        Number of the first hand.
    """
    _check(first, second, hands, start)
    return next(_portions(first, second, hands, seed, start, max(1, hands)))


def play_hands(
    first: Translator, second: Translator, hands: int, seed: Seed, start: int = 0
) -> Outcome:
    """Play hands of the real game.

    Parameters
    ----------
    first, second, hands, seed, start
        As for `record_hands`.

    Returns
    -------
    Outcome
        The mean, its standard error, and how the hands ended.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> from saddlepoint.sequence.strategy import Profile
    >>> pair = AbstractGame.of(no_limit_leduc(), no_limit_leduc(menu="fcpa"))
    >>> first, second = (
    ...     Translator(pair=pair, strategy=strategy) for strategy in Profile.uniform(pair.game)
    ... )
    >>> whole = play_hands(first, second, 1000, seed=1)
    >>> parts = play_hands(first, second, 300, 1) + play_hands(first, second, 700, 1, start=300)
    >>> abs(whole.mean - parts.mean) < 1e-12, whole.folds == parts.folds
    (True, True)
    """
    _check(first, second, hands, start)
    mover = first.pair.real.tree.mover
    total = None
    for part in _portions(first, second, hands, seed, start, PORTION):
        mean = float(part.payoff.mean())
        ended = mover[part.leaf]
        found = Outcome(
            hands=len(part),
            mean=mean,
            squares=float(((part.payoff - mean) ** 2).sum()),
            folds=(int((ended == FOLDED1).sum()), int((ended == FOLDED2).sum())),
        )
        total = found if total is None else total + found
    assert total is not None
    return total


def _check(first: Translator, second: Translator, hands: int, start: int) -> None:
    for seat, number in ((first, 1), (second, 2)):
        if seat.strategy.player != number:
            raise StrategyError(f"player {number} was given a strategy of the other player")
    one, two = first.pair.real, second.pair.real
    if one is not two and (one.spec != two.spec or one.betting != two.betting):
        raise GameError(f"player 1 plays {one.name} and player 2 another game, {two.name}")
    if hands < 1 or start < 0:
        raise SettingsError(f"hands is {hands} from {start} on, expected at least 1 from 0 on")


def _portions(
    first: Translator, second: Translator, hands: int, seed: Seed, start: int, portion: int
) -> Iterator[Hands]:
    """Play portions of the hands, one after the other."""
    key, game = key_of(seed), first.pair.real
    pairs, payoff, real = pairs_of(game.deal), game.tree.payoff() * game.scale, _betting(game)
    one, two = _side(first), _side(second)
    players = (one, two), (_machine(real, one), _machine(real, two)), (_mind(one), _mind(two))
    for begin in range(0, hands, portion):
        leaf, held = np.empty((2, min(portion, hands - begin)), np.int64)
        play(key, start + begin, pairs, real, *players, leaf, held)
        shown = game.tree.mover[leaf] == SHOWDOWN
        won = payoff[leaf] * np.where(shown, pairs.outcome[held], 1.0)
        yield Hands(leaf, pairs.one[held], pairs.two[held], won)


def _side(seat: Translator) -> Side:
    pair, player = seat.pair, seat.strategy.player
    groups = pair.groups[player - 1]
    return Side(
        *(player, seat.way == "sampled", tree_for(pair.game, player)),
        *(rules_for(pair, seat.settings), seat.strategy.probabilities.copy()),
        np.concatenate(groups).astype(np.int64),
        np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64),
    )


def _machine(real: Tree, side: Side) -> Machine:
    """The machine of a player who follows one history; none for the other way."""
    if side.single:
        return build(real, side.abstract, side.rules, side.player)
    return Machine(np.zeros(1, np.int64), np.zeros((0, 5), np.int64), np.zeros(0))


def _betting(game: FactoredGame) -> Tree:
    """The betting tree alone: the sequences of the real game are not needed, nor built."""
    tree, none = game.tree, np.zeros(0, np.int64)
    names = ("mover", "round", "contribution", "move", "parent", "child", "children")
    return Tree(
        **{name: getattr(tree, name) for name in names},
        row=none,
        stride=none,
        label=labels(tree),
        stack=int(tree.rules.arrays.stack),
    )


def _mind(side: Side) -> Mind:
    """Room for the greatest set: every abstract decision, and the end of the abstract game."""
    most = 1 if side.single else int((side.abstract.mover > 0).sum()) + 1
    actions = most * max(1, int(side.abstract.children.max()))
    return Mind(
        size=np.zeros(1, np.int64),
        history=np.empty(most, np.int64),
        weight=np.empty((most, 1)),
        later=np.empty(most, np.int64),
        later_weight=np.empty((most, 1)),
        action=np.empty((actions, 2), np.int64),
        target=np.empty(actions, np.int64),
        chosen=np.empty((actions, 1)),
    )
