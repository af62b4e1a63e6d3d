r"""Stage-based sequential games: interactions, one after another, with signals in between.

Definitions 11 to 13 of thesis 003 (section 6.2). In every stage some signals are revealed and the
players take part in an interaction, whose outcome leads to another stage or to the end. Games with
ordered signals are the special case in which interactions are small trees (see
`saddlepoint.games.ordered_stages`). As in ordered games, everything is listed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import shown, text, whole
from saddlepoint.core.errors import RulesError, unknown
from saddlepoint.games.information import check_sets
from saddlepoint.games.interaction import StageInteraction, check_odds
from saddlepoint.games.signals import Information, Revealed, Signal

# Stages played, each with its outcome.
Played = tuple[tuple[str, str], ...]
Draw = Callable[[tuple[Signal, ...]], Mapping[Signal, float]]
StageUtility = Callable[[Played, Revealed, tuple[Revealed, ...]], Sequence[float]]
# Probabilities of actions, of the stages played, the stage, public and own private signals.
StageStrategy = Callable[[Played, str, Revealed, Revealed], Mapping[str, float]]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StageBasedGame:
    r"""A stage-based sequential game (thesis 003, Definition 12).

    $$\Gamma = (\Theta, p, T, \{(\kappa^t, \gamma^t, \Upsilon^t)\}_{t \in T}, \Lambda, u)$$

    Parameters
    ----------
    signals
        $\Theta$: the signals.
    draw
        $p$: the probabilities of the next signal, of those that have been revealed before, in
        their order: a joint distribution, one factor at a time. No signal comes twice.
    stages
        $T$: the stages by name.
    start
        The first stage.
    following
        $\Lambda$: the stage that follows for each stage and outcome; None at the end.
    utility
        $u$: what every player gets, of the stages played with their outcomes, the public
        signals by stage, and every player's private ones.
    name
        What people call the game.

    Raises
    ------
    RulesError
        If stages are unknown, go round in a circle, or need more signals than there are.

    Examples
    --------
    Matching pennies; after the same side was shown, once more for twice the money:

    >>> from saddlepoint.games.interaction import Interaction
    >>> pennies = Interaction(
    ...     (("heads", "tails"),) * 2,
    ...     ("same", "different"),
    ...     lambda actions: {"same" if actions[0] == actions[1] else "different": 1.0},
    ... )
    >>> game = StageBasedGame(
    ...     signals=(),
    ...     draw=lambda revealed: {},
    ...     stages={t: StageInteraction(0, (0, 0), pennies) for t in ("one", "two")},
    ...     start="one",
    ...     following={
    ...         ("one", "same"): "two",
    ...         ("one", "different"): None,
    ...         ("two", "same"): None,
    ...         ("two", "different"): None,
    ...     },
    ...     utility=lambda played, public, private: (
    ...         (len(played), -len(played)) if played[-1][1] == "same" else (-1, 1)
    ...     ),
    ... )
    >>> game.sequences()
    [('one',), ('one', 'two')]
    >>> heads = lambda played, stage, public, private: {"heads": 1.0}
    >>> coin = lambda played, stage, public, private: {"heads": 0.5, "tails": 0.5}
    >>> game.expected_utilities([heads, coin])
    array([-0.25,  0.25])
    """

    signals: Sequence[Signal]
    draw: Draw
    stages: Mapping[str, StageInteraction]
    start: str
    following: Mapping[tuple[str, str], str | None]
    utility: StageUtility
    name: str = "stage-based game"

    def __post_init__(self) -> None:
        if text("start", self.start, error=RulesError) not in self.stages:
            raise RulesError(unknown("stage", self.start, self.stages))
        if len({len(stage.interaction.actions) for stage in self.stages.values()}) != 1:
            raise RulesError("the stages have different numbers of players")
        for name, stage in self.stages.items():
            for outcome in stage.interaction.outcomes:
                if (name, outcome) not in self.following:
                    raise RulesError(
                        f"following says nothing of outcome '{outcome}' of stage '{name}', "
                        "expected a stage or None"
                    )
                after = self.following[name, outcome]
                if after is not None and after not in self.stages:
                    raise RulesError(
                        unknown(f"stage after '{name}', '{outcome}'", after, self.stages)
                    )
        for path in self._paths():
            if path[-1] in path[:-1]:
                circle = " -> ".join(path[path.index(path[-1]) :])
                raise RulesError(f"stages go round in a circle: {circle}, expected none")
            needed = sum(self.stages[t].public + sum(self.stages[t].private) for t in path)
            if needed > len(self.signals):
                raise RulesError(
                    f"{len(self.signals)} signals are not enough for the stages {', '.join(path)}, "
                    f"which reveal {needed}"
                )

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.stages[self.start].interaction.actions)

    def graph(self) -> dict[str, tuple[str, ...]]:
        """The stage graph: the stages that can follow each stage."""
        return {
            name: tuple(
                dict.fromkeys(
                    after
                    for outcome in stage.interaction.outcomes
                    if (after := self.following[name, outcome]) is not None
                )
            )
            for name, stage in self.stages.items()
        }

    def _paths(self) -> Iterator[tuple[str, ...]]:
        """All walks from the start, which end where a stage comes again."""
        graph = self.graph()
        todo: list[tuple[str, ...]] = [(self.start,)]
        while todo:
            path = todo.pop()
            yield path
            if path[-1] not in path[:-1]:
                todo += [(*path, after) for after in reversed(graph[path[-1]])]

    def sequences(self) -> list[tuple[str, ...]]:
        """All sequences of stages that can have been played up to some point."""
        return list(self._paths())

    def informations(self, sequence: Sequence[str], player: int) -> list[Information]:
        """All legal signals of a player through a sequence of stages: the set S of Definition 13.

        Raises
        ------
        RulesError
            If the stages cannot come in this sequence.
        """
        if tuple(sequence) not in self.sequences():
            raise RulesError(f"the stages {list(sequence)} cannot be played in this sequence")
        whole("player", player, 1, self.players, error=RulesError)
        cuts = [
            count
            for t in sequence
            for count in (self.stages[t].public, self.stages[t].private[player - 1])
        ]
        found = []
        for row in permutations(self.signals, sum(cuts)):
            at, parts = 0, []
            for count in cuts:
                parts.append(row[at : at + count])
                at += count
            found.append((tuple(parts[0::2]), tuple(parts[1::2])))
        return found

    # Playing ------------------------------------------------------------------------------

    def expected_utilities(self, strategies: Sequence[StageStrategy]) -> NDArray[np.float64]:
        """What every player gets on average: one walk through the whole game tree.

        Parameters
        ----------
        strategies
            For every player, the probabilities of his actions as a function of the stages
            played with their outcomes, the stage, and the public and his private signals
            by stage.
        """
        if len(strategies) != self.players:
            raise RulesError(f"{len(strategies)} strategies are given for {self.players} players")
        total = np.zeros(self.players)
        nothing: tuple[Revealed, ...] = ((),) * (self.players + 1)
        todo: list[tuple[str, Played, tuple[Signal, ...], tuple[Revealed, ...], float]] = [
            (self.start, (), (), nothing, 1.0)
        ]
        while todo:
            stage, played, revealed, told, chance = todo.pop()
            for drawn, p in self._drawn(stage, revealed):
                known = self._told(stage, told, drawn)
                for outcome, q in self._outcomes(stage, played, known, strategies):
                    done, after = (*played, (stage, outcome)), self.following[stage, outcome]
                    weight = chance * p * q
                    if after is not None:
                        todo.append((after, done, (*revealed, *drawn), known, weight))
                        continue
                    u = np.asarray(self.utility(done, known[0], known[1:]), np.float64)
                    if u.shape != total.shape or not np.isfinite(u).all():
                        raise RulesError(
                            f"utility is {shown(u.tolist())} after {done}, expected "
                            f"{self.players} finite numbers"
                        )
                    total += weight * u
        return total

    def _drawn(
        self, stage: str, revealed: tuple[Signal, ...]
    ) -> list[tuple[tuple[Signal, ...], float]]:
        """All signals that a stage may reveal, and their probabilities."""
        count = self.stages[stage].public + sum(self.stages[stage].private)
        rows: list[tuple[tuple[Signal, ...], float]] = [((), 1.0)]
        for _ in range(count):
            longer = []
            for row, p in rows:
                odds = self.draw((*revealed, *row))
                check_odds(odds, f"the signals after {(*revealed, *row)}")
                for signal, q in odds.items():
                    if q and (signal in revealed or signal in row or signal not in self.signals):
                        raise RulesError(
                            f"signal {shown(signal)} has probability {q:g} after "
                            f"{(*revealed, *row)}, expected one that is not revealed yet"
                        )
                    if q:
                        longer.append(((*row, signal), p * q))
            rows = longer
        return rows

    def _told(
        self, stage: str, told: tuple[Revealed, ...], drawn: tuple[Signal, ...]
    ) -> tuple[Revealed, ...]:
        """What everybody and each player has been told, after the signals of a stage."""
        found, at = [], 0
        counts = (self.stages[stage].public, *self.stages[stage].private)
        for known, count in zip(told, counts, strict=True):
            found.append((*known, drawn[at : at + count]))
            at += count
        return tuple(found)

    def _outcomes(
        self,
        stage: str,
        played: Played,
        told: tuple[Revealed, ...],
        strategies: Sequence[StageStrategy],
    ) -> list[tuple[str, float]]:
        """The outcomes of a stage that are possible, and their probabilities."""
        interaction = self.stages[stage].interaction
        mixed = []
        for i, strategy in enumerate(strategies, 1):
            odds = strategy(played, stage, told[0], told[i])
            for action in odds:
                if action not in interaction.actions[i - 1]:
                    raise RulesError(
                        unknown(f"action of player {i}", str(action), interaction.actions[i - 1])
                    )
            check_odds(odds, f"the actions of player {i} in stage '{stage}'")
            mixed.append([(action, p) for action, p in odds.items() if p])
        found: dict[str, float] = {}
        for profile in product(*mixed):
            weight = math.prod(p for _, p in profile)
            for outcome, p in interaction.chances(tuple(a for a, _ in profile)).items():
                found[outcome] = found.get(outcome, 0.0) + weight * p
        return [(outcome, p) for outcome, p in found.items() if p]

    def __repr__(self) -> str:
        return f"<StageBasedGame {self.name}: {self.players} players, {len(self.stages)} stages>"


@dataclass(frozen=True)
class StageFilter:
    """An information filter of one player in a stage-based game (thesis 003, Definition 13).

    Parameters
    ----------
    game
        The game.
    player
        Whose information it is.
    sets
        For every sequence of stages, the set of what the player cannot tell from each of
        `game.informations(sequence, player)`. These have to be a partition.

    Raises
    ------
    RulesError
        If a sequence is missing, or if its sets are no partition, naming the signals.
    """

    game: StageBasedGame
    player: int
    sets: Mapping[tuple[str, ...], Mapping[Information, Collection[Information]]]

    def __post_init__(self) -> None:
        for sequence in self.game.sequences():
            if sequence not in self.sets:
                raise RulesError(f"the filter says nothing of the stages {', '.join(sequence)}")
            told = self.game.informations(sequence, self.player)
            place = {one: k for k, one in enumerate(told)}
            check_sets(f"the stages {', '.join(sequence)}", self.sets[sequence], told, place)

    @classmethod
    def identity(cls, game: StageBasedGame, player: int) -> StageFilter:
        """The filter that tells everything."""
        return cls(
            game,
            player,
            {
                sequence: {one: (one,) for one in game.informations(sequence, player)}
                for sequence in game.sequences()
            },
        )

    def classes(self, sequence: Sequence[str]) -> list[frozenset[Information]]:
        """The classes of a sequence of stages."""
        return list(dict.fromkeys(frozenset(one) for one in self.sets[tuple(sequence)].values()))
