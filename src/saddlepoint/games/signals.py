r"""Games with ordered signals: what players do is public, what chance tells them is ordered.

Definition 5 of thesis 003 (section 5.3): in each round public and private signals are drawn
without replacement, then the players act on a tree that does not depend on them. What a player
gets depends on what was done and on all signals, and is increasing in his own private ones in
an order that all players have in common. Poker is the example, auctions and negotiations are
others. Signals are whatever can be hashed: texts, numbers, cards.

Nothing here is fast. All deals are listed, so that everything can be checked: the games are
small ones, on which methods for large ones are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import listed, shown, whole, wholes
from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.core.units import UTILS, Unit
from saddlepoint.games.signal_deals import Deals, cut_up, exact_weights, text_of
from saddlepoint.games.signal_order import check_order, ranks
from saddlepoint.games.stages import CONTINUE, ActionTree, Decision, Path, Stage

Signal = Hashable
# Signals by round.
Revealed = tuple[tuple[Signal, ...], ...]
# What one player has been told: the public signals and his private ones, by round.
Information = tuple[Revealed, Revealed]
Utility = Callable[[Path, Revealed, tuple[Revealed, ...]], Sequence[float]]
Rank = Callable[[Revealed, Revealed], Any]
Integers = NDArray[np.int64]

MOST_DEALS = 1_000_000
MOST_PAYOFFS = 40_000_000
# Utilities are compared after rounding to so many decimals.
DECIMALS = 10


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OrderedGame:
    r"""A game with ordered signals (thesis 003, Definition 5).

    $$\Gamma = (I, G, L, \Theta, \kappa, \gamma, p, \succeq, \omega, u)$$

    Parameters
    ----------
    players
        How many players.
    stages
        $G$, $L$ and $\omega$: the game of each round.
    signals
        $\Theta$: the signals, different from each other and in their texts.
    public, private
        $\kappa$ and $\gamma$: how many signals are revealed to all, and to each player alone,
        at the start of each round. The public ones come first.
    utility
        $u$: what every player gets, of the actions by round (the last round is the one where
        the game ended), the public signals by round, and for every player his private ones
        by round. It has to return as many numbers as there are players.
    rank
        $\succeq$: something comparable, of the public and one player's private signals by
        round; more is better, equal is equally good. None in a game without an order. Only
        what shares the public signals is compared.
    weights
        Signals are drawn without replacement in proportion to these; all equal if left out.
        Give whole numbers or fractions, they are taken for exact.
    name
        What people call the game.
    unit
        What a payoff counts.

    Raises
    ------
    RulesError
        If the parts do not fit together, naming the one that is wrong.

    Examples
    --------
    Two players get one of three cards. Player 1 may end the game or let the higher card win:

    >>> game = OrderedGame(
    ...     players=2,
    ...     stages=[Stage.of({"player": 1, "actions": {"stop": "over", "show": "over"}})],
    ...     signals=[1, 2, 3],
    ...     public=[0],
    ...     private=[1],
    ...     utility=lambda path, public, private: (
    ...         (0, 0)
    ...         if path == (("stop",),)
    ...         else (1, -1)
    ...         if private[0] > private[1]
    ...         else (-1, 1)
    ...     ),
    ...     rank=lambda public, private: private[0][0],
    ... )
    >>> game.check_order()
    >>> game.signal_tree_size(), game.game_tree_size()
    (10, 22)
    """

    players: int
    stages: Sequence[Stage]
    signals: Sequence[Signal]
    public: Sequence[int]
    private: Sequence[int]
    utility: Utility
    rank: Rank | None = None
    weights: Sequence[Any] | None = None
    name: str = "ordered game"
    unit: Unit = UTILS

    def __post_init__(self) -> None:
        stages = listed("stages", self.stages, "stages", error=RulesError)
        signals = listed("signals", self.signals, "signals", error=RulesError)
        given = self.weights if self.weights is not None else (1,) * len(signals)
        for key, value in (
            ("players", whole("players", self.players, 1, error=RulesError)),
            ("stages", stages),
            ("signals", signals),
            ("public", wholes("public", self.public, 0, error=RulesError)),
            ("private", wholes("private", self.private, 0, error=RulesError)),
            ("weights", exact_weights(listed("weights", given, "numbers", error=RulesError))),
        ):
            object.__setattr__(self, key, value)
        for problem in self._problems():
            raise RulesError(problem)

    def _problems(self) -> Iterator[str]:
        """What is wrong with the parts together."""
        if not self.stages:
            yield "stages is empty, expected a stage for each round"
        for j, stage in enumerate(self.stages, 1):
            yield from self._stage_problems(j, stage)
        for key in ("public", "private"):
            found = getattr(self, key)
            if len(found) != self.rounds:
                yield f"{key} is {shown(found)}, expected a number for each of {self.rounds} rounds"
        yield from self._signal_problems()
        for key, given in (("utility", self.utility), ("rank", self.rank or str)):
            if not isinstance(given, Callable):  # type: ignore[arg-type]
                yield f"{key} is {shown(given)}, expected a function"

    def _stage_problems(self, j: int, stage: Any) -> Iterator[str]:
        if not isinstance(stage, Stage):
            yield f"stage {j} is {shown(stage)}, expected a Stage"
        for number, node in enumerate(stage.nodes):
            if isinstance(node, Decision) and node.player > self.players:
                yield (
                    f"node {number} of stage {j} belongs to player {node.player}, "
                    f"expected one of {self.players} players"
                )
            if node == CONTINUE and j == self.rounds:
                path = ".".join(stage.path(number)) or "its root"
                yield f"stage {j} is the last one but continues after {path}, expected 'over'"

    def _signal_problems(self) -> Iterator[str]:
        names: dict[str, Signal] = {}
        for signal in self.signals:
            try:
                hash(signal)
            except TypeError:
                yield f"signal {shown(signal)} cannot be hashed, expected a text or a number, say"
            if str(signal) in names:
                yield f"two signals are called '{signal}', expected different ones"
            names[str(signal)] = signal
        needed = sum(self.public) + self.players * sum(self.private)
        if needed > len(self.signals):
            yield (
                f"{len(self.signals)} signals are not enough: {sum(self.public)} public ones and "
                f"{sum(self.private)} for each of {self.players} players are revealed, expected "
                f"at least {needed}"
            )
        if len(self.weights or ()) != len(self.signals):
            yield (
                f"{len(self.weights or ())} weights are given for {len(self.signals)} signals, "
                "expected one for each"
            )

    def __repr__(self) -> str:
        return (
            f"<OrderedGame {self.name}: {self.players} players, {self.rounds} "
            f"round{'s' * (self.rounds > 1)}, {len(self.signals)} signals>"
        )

    # Sizes ----------------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """How many rounds there are, r."""
        return len(self.stages)

    def own_signals(self, round_: int) -> int:
        """How many signals one player has been told through a round; 0 before the first."""
        return sum(self.public[:round_]) + sum(self.private[:round_])

    def revealed(self, round_: int) -> int:
        """How many signals have been revealed through a round, to whomever."""
        return sum(self.public[:round_]) + self.players * sum(self.private[:round_])

    def signal_tree_size(self) -> int:
        r"""Number of nodes of the signal tree, by formula (thesis 003, section 5.5).

        One for the root and $\prod_{k<i} (|\Theta| - k)$ for every number i of signals that
        have been revealed.
        """
        last = self.revealed(self.rounds)
        return sum(math.perm(len(self.signals), i) for i in range(last + 1))

    def game_tree_size(self) -> int:
        """Number of nodes of the game tree, by formula: chance reveals one signal at a node.

        A leaf of a stage that continues is the first node of the next round and counts once.
        """
        n, histories, nodes = len(self.signals), 1, 0
        for j, stage in enumerate(self.stages, 1):
            chance = range(self.revealed(j - 1), self.revealed(j))
            nodes += histories * sum(math.perm(n, i) for i in chance)
            inner = len(stage.nodes) - len(stage.continuing)
            nodes += histories * math.perm(n, self.revealed(j)) * inner
            histories *= len(stage.continuing)
        return nodes

    # What can be told -------------------------------------------------------------------

    def informations(self, round_: int) -> list[Information]:
        """All that one player may have been told through a round: the set S^j.

        They are sorted by the places of their signals, so that those that agree in the round
        before stand side by side. Costs one entry for each.
        """
        n, own = len(self.signals), self.own_signals(self.checked_round(round_))
        if math.perm(n, own) > MOST_DEALS:
            raise SizeError(f"{self.name} has {math.perm(n, own):,} signals of one player to list")
        found = []
        for row in cut_up(self.signals, self.public[:round_], self.private[:round_], 1):
            found.append((row[0], row[1]))
        return found

    def checked_round(self, round_: int) -> int:
        """A round, if the game has it."""
        return whole("round", round_, 1, self.rounds, error=RulesError)

    @cached_property
    def deals(self) -> Deals:
        """All ways to reveal all signals of all rounds, with their probabilities.

        Raises
        ------
        SizeError
            If there are more than a million.
        """
        count = math.perm(len(self.signals), self.revealed(self.rounds))
        if count > MOST_DEALS:
            raise SizeError(
                f"{self.name} has {count:,} ways to reveal its signals, expected at most "
                f"{MOST_DEALS:,}: only small games are listed"
            )
        return Deals.of(self)

    @cached_property
    def actions(self) -> ActionTree:
        """What can be done in all rounds."""
        return ActionTree(self.stages)

    # What it is worth -------------------------------------------------------------------

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """Every player's utility after every path to the end and every deal.

        The shape is (paths to the end, deals, players); costs as many calls of `utility` as
        there are paths and signals that have been revealed by their ends.
        """
        deals, ends = self.deals, self.actions.ends
        size = len(ends) * len(deals) * self.players
        if size > MOST_PAYOFFS:
            raise SizeError(f"{self.name} has {size:,} payoffs, expected at most {MOST_PAYOFFS:,}")
        table = np.empty((len(ends), len(deals), self.players))
        told: dict[int, list[tuple[Revealed, tuple[Revealed, ...]]]] = {}
        for k, end in enumerate(ends):
            node = self.actions.nodes[end]
            if node.round not in told:
                j = node.round
                rows_ = cut_up(self.signals, self.public[:j], self.private[:j], self.players)
                told[j] = [(row[0], row[1:]) for row in rows_]
            rows = [self._utility(node.path, *signals) for signals in told[node.round]]
            table[k] = np.repeat(np.array(rows), len(deals) // len(rows), axis=0)
        return table

    def _utility(
        self, path: Path, public: Revealed, private: tuple[Revealed, ...]
    ) -> tuple[float, ...]:
        try:
            found = self.utility(path, public, private)
            row = tuple(float(u) for u in found)
        except (TypeError, ValueError):
            raise RulesError(self._at(path, public, private, "is no list of numbers")) from None
        if len(row) != self.players or not all(map(math.isfinite, row)):
            raise RulesError(self._at(path, public, private, f"is {shown(row)}"))
        return row

    def _at(self, path: Path, public: Revealed, private: tuple[Revealed, ...], problem: str) -> str:
        told = "; ".join(f"player {i}: {text_of(public, own)}" for i, own in enumerate(private, 1))
        return (
            f"utility {problem} after '{self.actions.name(path)}' with {told}, expected "
            f"{self.players} finite numbers"
        )

    def ranks(self, round_: int) -> Integers:
        """The rank of all that one player may be told through a round, as numbers from 0.

        Only those with equal public signals are comparable.

        Raises
        ------
        RulesError
            If there is no order, or if two ranks cannot be compared.
        """
        return ranks(self, self.checked_round(round_))

    def check_order(self) -> None:
        """Check condition 9 of Definition 5: utilities increase in one's own private signals.

        After every path to the end, for every player: his utility does not depend on the
        signals, or there is an order and he gets no less with a better private signal than
        with a worse one, everything else equal. Costs O(paths * deals * log deals).

        Raises
        ------
        RulesError
            Naming the path, the player and the signals.
        """
        check_order(self)
