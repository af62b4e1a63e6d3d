"""A game that is a betting tree times a deal: its form, its size, and what solving takes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.core.units import CHIPS, Unit
from saddlepoint.games.betting import BettingRules, BettingTree
from saddlepoint.games.betting_tally import Tally, TooMuchBetting, about, tally
from saddlepoint.games.counts import Counts
from saddlepoint.games.deal import Deal
from saddlepoint.games.factored import Factored, factored_form
from saddlepoint.games.stepping import stepped
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import DealMatrix, SparseDeal

# Bytes of the arrays of a betting node, and of a solver's vectors per sequence.
_NODE_BYTES, _SEQUENCE_BYTES = 110, 48
# Measured on one core of a server of 2024: seconds per sequence and per product entry.
_SEQUENCE_SECONDS, _ENTRY_SECONDS = 6e-9, 1.2e-9
# Entries of tables are added up side by side for many histories.
_TABLE_STEP = 0.15


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What solving a game will take, before anything is built.

    Parameters
    ----------
    bytes
        Memory for the betting tree, the sequence form and a solver's vectors.
    iteration_seconds
        One iteration of regret matching on one core, to within a factor of about three.
    """

    bytes: int
    iteration_seconds: float

    def __str__(self) -> str:
        large = self.bytes >= 10**10
        room = _size(self.bytes) if large else f"{self.bytes / 1e6:,.1f} MB"
        return f"{room}, {self.iteration_seconds:.2g} s an iteration"


@dataclass(frozen=True, kw_only=True, repr=False)
class FactoredGame:
    """A game that is a betting tree times a deal.

    Parameters
    ----------
    name
        What people call it.
    spec
        How to build it again, as data.
    betting
        The betting rules, in units.
    dealer
        Makes the deal; called when it is first needed.
    scale
        Chips in a unit.
    unit
        What payoffs count.
    less
        Units taken off totals in the names of bets.
    facts
        What a user should know of the rules, by topic.
    sources
        Where it comes from: keys of `saddlepoint.core.bibliography`.
    """

    name: str
    spec: Mapping[str, Any]
    betting: BettingRules
    dealer: Callable[[], Deal]
    scale: float = 1.0
    unit: Unit = CHIPS
    less: int = 0
    facts: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    @cached_property
    def tree(self) -> BettingTree:
        """The betting tree."""
        return BettingTree.of(self.betting)

    @cached_property
    def tally(self) -> Tally:
        """How much there is to bet.

        Raises
        ------
        SizeError
            If it is too much even to be counted, with a lower bound of what it is.
        """
        try:
            return tally(self.betting)
        except TooMuchBetting as problem:
            told = "; ".join(self.facts[key] for key in ("stack", "bets") if key in self.facts)
            needed = problem.least * _NODE_BYTES
            room = f", and would take more than {_size(needed)}" if needed > memory() else ""
            raise SizeError(
                f"{self.name} ({told}) has at least {about(problem.least)} betting decisions, "
                f"too many to be counted{room}; choose a smaller stack, fewer raises or a menu "
                "of bets"
            ) from None

    @cached_property
    def deal(self) -> Deal:
        """The deal."""
        deal = self.dealer()
        if len(deal.rounds) != self.betting.rounds:
            raise RulesError(
                f"cards are dealt for {len(deal.rounds)} rounds, "
                f"but there are {self.betting.rounds} betting rounds"
            )
        return deal

    @cached_property
    def factored(self) -> Factored:
        """The sequence form, with the places of betting and cards in it."""
        self._refuse_if_too_large()
        return factored_form(
            self.tree,
            self.deal,
            name=self.name,
            spec=self.spec,
            unit=self.unit,
            scale=self.scale,
            less=self.less,
            sources=self.sources,
        )

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`, which can also be stepped along by solvers that sample."""
        return self._form

    @cached_property
    def _form(self) -> SequenceForm:
        return stepped(self.factored, self.scale)

    def counts(self) -> Counts:
        """Sizes of the game tree, counted without building it.

        Every card is dealt by a chance node of its own and all cards are distinct, as in
        OpenSpiel; information sets and sequences are those of the form that is solved. A
        street of several cards counts as one chance node.
        """
        bets, deal = self.tally, self.deal
        deals = [r.deals for r in deal.rounds]
        final = len(deals) - 1
        decisions = sum(int(bets.decisions[r].sum()) * deals[r] for r in range(final + 1))
        folds = sum(int(bets.folds[r]) * deals[r] for r in range(final + 1))
        showdowns = int(bets.showdowns.sum()) * deals[final]
        # Private cards, then the board at the start of each round or after an early all-in.
        chance = 1 + sum(deal.chance[:-1])
        for r in range(1, final + 1):
            run_outs = int(bets.showdowns[:r].sum())
            chance += (int(bets.starts[r]) + run_outs) * deals[r - 1]
        infosets, sequences = [], []
        for player in (1, 2):
            sizes = [deal.classes(player, r) for r in range(final + 1)]
            infosets.append(int(np.dot(bets.decisions[:, player - 1], sizes)))
            sequences.append(1 + int(np.dot(bets.sequences[:, player - 1], sizes)))
        return Counts(
            nodes=chance + decisions + folds + showdowns,
            chance_nodes=chance,
            decision_nodes=decisions,
            leaves=folds + showdowns,
            infosets=(infosets[0], infosets[1]),
            sequences=(sequences[0], sequences[1]),
        )

    def betting_decisions(self) -> int:
        """Decision nodes of the betting tree, whatever the cards."""
        return int(self.tally.decisions.sum())

    def hands(self) -> tuple[tuple[int, int], ...]:
        """Classes of hands that player 1 and player 2 tell apart, by round."""
        deal = self.deal
        return tuple((deal.classes(1, r), deal.classes(2, r)) for r in range(len(deal.rounds)))

    def __repr__(self) -> str:
        told = "; ".join(self.facts[key] for key in ("stack", "bets") if key in self.facts)
        return f"<FactoredGame {self.name}{': ' if told else ''}{told}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(key.replace('_', ' '))}</th><td>{escape(str(value))}</td></tr>"
            for key, value in (*self.facts.items(), *self.counts().to_dict().items())
        )
        return f"<table><caption>{escape(self.name)}</caption>{rows}</table>"

    def estimate(self) -> Estimate:
        """Memory and time that solving will take."""
        bets, deal = self.tally, self.deal
        counts = self.counts()
        sequences = sum(counts.sequences)
        entries = 0.0
        for r, round_ in enumerate(deal.rounds):
            for leaves, matrix in (
                (bets.folds[r], round_.fold),
                (bets.showdowns[r], round_.showdown),
            ):
                entries += int(leaves) * _steps(matrix)
        return Estimate(
            bytes=bets.nodes * _NODE_BYTES + sequences * _SEQUENCE_BYTES,
            iteration_seconds=sequences * _SEQUENCE_SECONDS + 2 * entries * _ENTRY_SECONDS,
        )

    def _refuse_if_too_large(self) -> None:
        estimate, room = self.estimate(), memory()
        if estimate.bytes > room:
            raise SizeError(
                f"{self.name} would take {_size(estimate.bytes)}, this machine has "
                f"{_size(room)}; choose a smaller game or a betting menu"
            )


def _steps(matrix: DealMatrix) -> float:
    """About how long a product with a deal matrix takes for one leaf, in entries."""
    if isinstance(matrix, SparseDeal):
        return _TABLE_STEP * len(matrix.table)
    return 4.0 * math.sqrt(matrix.shape[0] * matrix.shape[1])


def _size(count: int) -> str:
    """Bytes for people: the count may be larger than any float."""
    return f"{count / 1e9:,.1f} GB" if count < 10**15 else f"{about(count // 10**9)} GB"


def memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
