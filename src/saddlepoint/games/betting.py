"""Betting: rules as data, and the tree of everything that can be bet.

The betting tree does not depend on the cards. Its nodes are numbered level by level, so
that parents come before children and siblings lie side by side. Contributions are whole
*units*; a game says how many chips a unit is.

A round ends when both players have acted and have contributed equally. A player who can
only check does not act: the check is taken as made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import listed, shown, truth, whole, wholes
from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.games.betting_moves import (
    FOLD,
    FOLDED1,
    FOLDED2,
    SHOWDOWN,
    RuleArrays,
    expand,
    settle,
)
from saddlepoint.games.menu import Menu

NO_STACK = 1 << 40
MOST_NODES = 100_000_000
# Contributions are kept in 32 bits.
MOST_UNITS = 2**31 - 1
MOST_ROUNDS = 8
WHOLE_UNITS = "units are whole; take a smaller unit and multiply all amounts"
_MOST_SIZES = 16
# States that are found at once while the tree grows.
_PORTION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class BettingRules:
    """How a poker-like game is bet, in units.

    Parameters
    ----------
    ante
        What each player pays first.
    rounds
        Number of betting rounds.
    first
        Who acts first, by round: 1 or 2.
    blinds
        What players 1 and 2 have to bet besides the ante before the first action.
    bets
        Fixed sizes of bets and raises by round (limit), or None (no-limit).
    max_bets
        Most bets and raises in a round (a blind counts as one), or None for no limit but
        the stack.
    max_bets_by_round
        Fewer than `max_bets` in some rounds: one for each; the smaller one of both holds.
    stack
        All of a player's units, ante included; None in a limit game where all bets fit.
    menu
        Sizes of no-limit bets.
    min_bet
        Least first bet of a round in no-limit; a raise is at least the last raise.
    may_bet
        Whether players 1 and 2 may bet or raise at all.
    """

    ante: int = 0
    rounds: int = 1
    first: tuple[int, ...] = ()
    blinds: tuple[int, int] = (0, 0)
    bets: tuple[int, ...] | None = None
    max_bets: int | None = None
    max_bets_by_round: tuple[int, ...] | None = None
    stack: int | None = None
    menu: Menu = field(default_factory=Menu)
    min_bet: int = 1
    may_bet: tuple[bool, bool] = (True, True)

    def __post_init__(self) -> None:
        for key, value in self._fields().items():
            object.__setattr__(self, key, value)
        for problem in self._problems():
            raise RulesError(problem)

    def _fields(self) -> dict[str, Any]:
        """The fields, each of the type that it has to have."""
        rounds = whole("rounds", self.rounds, 1, MOST_ROUNDS, error=RulesError)
        listed_whole = partial(wholes, error=RulesError, hint=WHOLE_UNITS)
        units = partial(whole, most=MOST_UNITS, error=RulesError, hint=WHOLE_UNITS)
        found: dict[str, Any] = {
            "rounds": rounds,
            "ante": units("ante", self.ante, 0),
            "first": listed_whole("first", self.first) or (1,) * rounds,
            "blinds": listed_whole("blinds", self.blinds, 0, MOST_UNITS),
            "min_bet": units("min_bet", self.min_bet, 1),
            "may_bet": tuple(
                truth(f"may_bet[{k}]", may, error=RulesError)
                for k, may in enumerate(
                    listed("may_bet", self.may_bet, "true or false", error=RulesError)
                )
            ),
        }
        if self.bets is not None:
            found["bets"] = listed_whole("bets", self.bets, 1, MOST_UNITS)
        if self.max_bets is not None:
            found["max_bets"] = units("max_bets", self.max_bets, 0)
        if self.max_bets_by_round is not None:
            found["max_bets_by_round"] = listed_whole(
                "max_bets_by_round", self.max_bets_by_round, 0, MOST_UNITS
            )
        if self.stack is not None:
            found["stack"] = units("stack", self.stack, 1)
        if not isinstance(self.menu, Menu):
            raise RulesError(f"menu is {shown(self.menu)}, expected a Menu")
        return found

    def _problems(self) -> Iterator[str]:
        """What is wrong with the rules as a whole."""
        for key in ("blinds", "may_bet"):
            if len(getattr(self, key)) != 2:
                yield f"{key} is {getattr(self, key)}, expected one for each of 2 players"
        if len(self.first) != self.rounds or not set(self.first) <= {1, 2}:
            yield f"first is {self.first}, expected 1 or 2 for each of {self.rounds} rounds"
        by_round = self.max_bets_by_round
        if by_round is not None and len(by_round) != self.rounds:
            yield f"max_bets_by_round is {by_round}, expected one for each of {self.rounds} rounds"
        paid = self.ante + max(self.blinds)
        if paid == 0:
            yield "ante and blinds are 0: there is nothing to win"
        if self.stack is not None and self.stack < paid:
            yield f"stack is {self.stack}, expected at least the {paid} of ante and blind"
        if self.bets is None:
            yield from self._no_limit_problems()
        else:
            yield from self._limit_problems(paid)

    def _no_limit_problems(self) -> Iterator[str]:
        if self.stack is None:
            yield "a no-limit game needs a stack"
        elif self.min_bet > self.stack:
            yield f"min_bet is {self.min_bet}, expected at most the stack of {self.stack}"

    def _limit_problems(self, paid: int) -> Iterator[str]:
        bets = self.bets or ()
        if len(bets) != self.rounds:
            yield f"bets are {bets}, expected a size above 0 for each of {self.rounds} rounds"
        if self.max_bets is None:
            if self.stack is None:
                yield "a limit game needs max_bets, or betting would never end"
            return
        limits = self._most_bets()
        most = paid + sum(bet * limit for bet, limit in zip(bets, limits, strict=False))
        if self.stack is not None and self.stack < most:
            told = "/".join(map(str, limits if self.max_bets_by_round else limits[:1]))
            yield (
                f"{told} bets of {'/'.join(map(str, bets))} by round need a stack of "
                f"{most}, found {self.stack}"
            )
        if most > MOST_UNITS:
            yield f"a player may have to pay {most:,} units, expected at most {MOST_UNITS:,}"

    def _most_bets(self) -> tuple[int, ...]:
        """Most bets and raises by round; `NO_STACK` where there is no limit."""
        most = NO_STACK if self.max_bets is None else self.max_bets
        return tuple(min(most, m) for m in self.max_bets_by_round or (most,) * self.rounds)

    @cached_property
    def arrays(self) -> RuleArrays:
        """The rules as the kernels take them."""
        menu = self.menu
        bets, raises = menu.bets or (), menu.raises or ()
        sizes = tuple(sorted({*bets, *raises}))
        if len(sizes) > _MOST_SIZES:
            raise RulesError(f"a menu has at most {_MOST_SIZES} sizes, found {len(sizes)}")
        flags = [
            [size in bets, size in raises, size in menu.once, size in menu.later] for size in sizes
        ]
        return RuleArrays(
            np.array(self.first, np.int64),
            np.array(self.bets if self.bets is not None else [], np.int64),
            np.array(sizes, np.float64),
            np.array(flags, np.int64).reshape(len(sizes), 4),
            np.array(self.may_bet, np.int64),
            self.stack if self.stack is not None else NO_STACK,
            np.array(self._most_bets(), np.int64),
            self.min_bet,
            int(menu.integral),
            int(menu.all_in),
            int(menu.half_stack),
        )

    def root(self) -> NDArray[np.int64]:
        """The state before the first choice (see `betting_moves`), in one row."""
        c1, c2 = (self.ante + blind for blind in self.blinds)
        start = (0, self.first[0], c1, c2, max(self.blinds), int(max(self.blinds) > 0), 0, 0)
        state = np.array([start], np.int64)
        spare, spent = np.empty((2, widest_node(self) + 2), np.int64)
        settle(self.arrays, self.rounds, state[0], spare, spent)
        return state


def _expanded(
    rules: BettingRules, states: NDArray[np.int64], numbers: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]:
    """What follows some decisions, portion by portion: states, moves, numbers of parents."""
    widest = widest_node(rules)
    portion = max(1, _PORTION // (widest + 2))
    for k in range(0, len(states), portion):
        here = states[k : k + portion]
        after, move, source = expand(rules.arrays, rules.rounds, here, widest, widest)
        parent = numbers[k : k + portion][source]
        yield after.astype(np.int32), move.astype(np.int32), parent.astype(np.int32)


def _too_large(most: int) -> SizeError:
    return SizeError(f"the betting tree has more than {most:,} nodes")


def widest_node(rules: BettingRules) -> int:
    """An upper bound on the bets and raises of one node."""
    if rules.max_bets == 0 or not any(rules.may_bet):
        return 0
    if rules.bets is not None:
        return 1
    return (rules.stack or 0) + 1 if rules.menu.integral else _MOST_SIZES + 1


@dataclass(frozen=True)
class BettingTree:
    """The tree of everything that can be bet, in arrays over nodes.

    Parameters
    ----------
    mover
        1 or 2 at decisions; `SHOWDOWN`, `FOLDED1` or `FOLDED2` at leaves.
    round
        The betting round of the node.
    contribution
        Units that players 1 and 2 have paid, one column each.
    move
        What led here: `FOLD`, `CALL` or the total that a bet or raise went to.
    parent, child, children
        Parent node, first child and number of children.
    """

    rules: BettingRules
    mover: NDArray[np.int32]
    round: NDArray[np.int32]
    contribution: NDArray[np.int32]
    move: NDArray[np.int32]
    parent: NDArray[np.int32]
    child: NDArray[np.int32]
    children: NDArray[np.int32]

    @classmethod
    def of(cls, rules: BettingRules, most: int = MOST_NODES) -> BettingTree:
        """Build the tree, or refuse if it has more nodes than `most`: O(nodes), level by level."""
        if widest_node(rules) > most:
            raise _too_large(most)
        root, none = rules.root(), np.full(1, -1, np.int32)
        parts = [(root.astype(np.int32), np.zeros(1, np.int32), none)]
        level, numbers, count = root, np.zeros(1, np.int64), 1
        while len(level):
            inner = level[:, 1] > 0
            found, before = [], count
            for part in _expanded(rules, level[inner], numbers[inner]):
                found.append(part)
                count += len(part[0])
                if count > most:
                    raise _too_large(most)
            parts += found
            numbers = np.arange(before, count)
            level = np.concatenate([np.zeros((0, 8), np.int64), *(part[0] for part in found)])
        states, move, parent = (np.concatenate(column) for column in zip(*parts, strict=True))
        mover, round_, contribution = (
            np.ascontiguousarray(states[:, columns]) for columns in (1, 0, slice(2, 4))
        )
        branches = np.bincount(parent[1:], minlength=count).astype(np.int32)
        # Children stand in the order of their parents.
        child = np.where(branches > 0, 1 + np.cumsum(branches) - branches, 0).astype(np.int32)
        return cls(rules, mover, round_, contribution, move, parent, child, branches)

    def __len__(self) -> int:
        return len(self.mover)

    @property
    def limit(self) -> bool:
        """Whether bets have fixed sizes, so that a raise needs no number."""
        return self.rules.bets is not None

    def payoff(self) -> NDArray[np.float64]:
        """Per leaf, what player 1 wins by a fold, or the winner at a showdown, in units."""
        c = self.contribution
        payoff: NDArray[np.float64] = np.select(
            [self.mover == FOLDED1, self.mover == FOLDED2, self.mover == SHOWDOWN],
            [-c[:, 0], c[:, 1], c.min(axis=1)],
            0.0,
        )
        return payoff

    def history(self, node: int, unit: float = 1.0, less: int = 0) -> str:
        """The moves that lead to a node, rounds divided by `/`."""
        parts: list[str] = []
        while self.parent[node] >= 0:
            parent = int(self.parent[node])
            parts.extend("/" * int(self.round[node] - self.round[parent]))
            parts.append(self.move_text(node, unit, less))
            node = parent
        return "".join(reversed(parts))

    def move_text(self, node: int, unit: float = 1.0, less: int = 0) -> str:
        """The move that led to a node: `f`, `c`, `r`, or in no-limit `r` and its total.

        A total is everything paid in the hand, times `unit` chips, after `less` units (an
        ante, say) are taken off.
        """
        move = int(self.move[node])
        if move <= 0:
            return "f" if move == FOLD else "c"
        return "r" if self.limit else f"r{(move - less) * unit:.10g}"
