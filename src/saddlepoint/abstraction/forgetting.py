"""Imperfect recall: games in which players forget which buckets their hands were in.

A player who forgets the buckets of earlier rounds can afford more of them in the next one
(thesis 004, section 2.3.2; Waugh et al. 2009, who found that it pays). There is no treeplex of
such a player. His game is held as two things: its *refinement*, in which he remembers the
buckets of all rounds, and *ties*. Information sets of the refinement with the same betting and
the same bucket of the round are tied, which means that they are played alike
(`saddlepoint.solvers.tied`). What a solver finds is a profile of the refinement, which is mapped
back to the real game as that of any abstract game.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.buckets import Buckets, bucketed, checked
from saddlepoint.abstraction.hands import hands_of
from saddlepoint.core.errors import RecallError
from saddlepoint.games.factored_game import Estimate, FactoredGame
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.ties import TiedForm, refusal

Numbers = NDArray[np.int64]

# Bytes of a betting node; of a sequence of the refinement (three vectors, the tied action, and
# its share of an information set); of a tied sequence (four vectors).
_NODE_BYTES, _SEQUENCE_BYTES, _TIED_BYTES = 110, 34, 32


@dataclass(frozen=True, kw_only=True)
class ForgetfulCounts:
    """Sizes of a game in which players forget, for player 1 and player 2.

    Parameters
    ----------
    infosets, sequences
        What the players tell apart, and have to decide on; the empty sequence counts.
    refined_infosets, refined_sequences
        The same in the refinement, all of which an iteration passes through.
    """

    infosets: tuple[int, int]
    sequences: tuple[int, int]
    refined_infosets: tuple[int, int]
    refined_sequences: tuple[int, int]


class _Layout(NamedTuple):
    """Where the ties of a player stand: as his information sets, with buckets for classes.

    Tie `first[b] + bucket * width[b] + h` belongs to block b of his treeplex and to the h-th of
    its betting nodes, number `nodes[begin[b] + h]`, all of which are in round `round[b]`.
    """

    first: Numbers
    width: Numbers
    round: Numbers
    begin: Numbers
    nodes: Numbers


class TieNames:
    """Names of ties: the bucket of the round, a colon, and the betting so far."""

    def __init__(self, game: FactoredGame, buckets: list[list[str]], layout: _Layout) -> None:
        self.game, self.buckets, self.layout = game, buckets, layout

    def place(self, i: int) -> tuple[int, int]:
        """The betting node and the bucket of tie i."""
        at = self.layout
        b = int(np.searchsorted(at.first, i, side="right")) - 1
        bucket, h = divmod(i - int(at.first[b]), int(at.width[b]))
        return int(at.nodes[at.begin[b] + h]), bucket

    def infoset(self, i: int) -> str:
        """The name of tie i."""
        node, bucket = self.place(i)
        tree = self.game.tree
        name = self.buckets[int(tree.round[node])][bucket]
        return f"{name}:{tree.history(node, self.game.scale, self.game.less)}"

    def action(self, i: int, a: int) -> str:
        """The name of action a of tie i."""
        node, _ = self.place(i)
        tree = self.game.tree
        return tree.move_text(int(tree.child[node]) + a, self.game.scale, self.game.less)


@dataclass(frozen=True, repr=False)
class ForgetfulGame:
    """A game whose players see buckets, and of those of earlier rounds nothing.

    Parameters
    ----------
    real
        The real game.
    refinement
        The game in which both players remember the buckets of all rounds.
    buckets, remembered
        The buckets of player 1 and of player 2, by themselves and with those before them.
    """

    real: FactoredGame
    refinement: AbstractGame
    buckets: tuple[Buckets, Buckets]
    remembered: tuple[Buckets, Buckets]

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.refinement.game.name}, forgetting"

    @cached_property
    def forgets(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The rounds in which either player forgets buckets of the one before, counted from 1."""
        one, two = (
            tuple(r + 1 for r in self.buckets[k].forgets(_up(self.real, k + 1))) for k in (0, 1)
        )
        return one, two

    # What can be solved -------------------------------------------------------------------

    def tied_form(self) -> TiedForm:
        """The refinement with its ties, which is what `saddlepoint.solvers.tied` takes."""
        return self._tied

    @cached_property
    def _tied(self) -> TiedForm:
        form = self.refinement.game.sequence_form()
        layouts = self._layout(1), self._layout(2)
        one, two = (self._ties(player, at) for player, at in enumerate(layouts, 1))
        first, second = (
            TieNames(
                self.refinement.game,
                self.buckets[player - 1].names(_up(self.real, player)),
                at,
            )
            for player, at in enumerate(layouts, 1)
        )
        return TiedForm(form, (one, two), (first, second), self._why(1, 2))

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`, if nobody forgets.

        Raises
        ------
        RecallError
            If a player does, with his first such round and with what accepts the game.
        """
        self._refuse(1, 2)
        return self.refinement.game.sequence_form()

    def to_treeplex(self, player: int) -> Treeplex:
        """The treeplex of player 1 or 2, if he remembers.

        Raises
        ------
        RecallError
            If he forgets.
        """
        self._refuse(player)
        return self.tied_form().plexes[player - 1]

    def _why(self, *players: int) -> str:
        """Who forgets, and since when."""
        rounds = [(player, min(self.forgets[player - 1], default=0)) for player in players]
        return " and ".join(
            f"player {player} forgets in round {r} which bucket of round {r - 1} he had"
            for player, r in rounds
            if r
        )

    def _refuse(self, *players: int) -> None:
        if why := self._why(*players):
            raise RecallError(refusal(self.name, why))

    # How it is tied -----------------------------------------------------------------------

    def _layout(self, player: int) -> _Layout:
        """Where the ties of a player stand; O(betting nodes)."""
        game, sizes = self.refinement.game, np.array(self.buckets[player - 1].sizes, np.int64)
        factored, tree = game.factored, game.tree
        plex = (factored.form.X, factored.form.Y)[player - 1]
        nodes = np.flatnonzero(tree.mover == player)
        row = factored.places[player - 1].row[tree.child[nodes]]
        # The rows of the nodes of a block follow each other, in its first action.
        order = np.argsort(row)
        nodes = nodes[order]
        block = np.searchsorted(plex.blocks.start, row[order], side="right") - 1
        width = np.bincount(block, minlength=plex.n_blocks)
        begin = np.cumsum(width) - width
        round_ = tree.round[nodes[begin]].astype(np.int64)
        room = width * sizes[round_]
        return _Layout(np.cumsum(room) - room, width, round_, begin, nodes)

    def _ties(self, player: int, at: _Layout) -> Numbers:
        """The tie of every information set; O(information sets), vectorised in every block."""
        k = player - 1
        bucket = self.buckets[k].within(self.remembered[k]).groups
        blocks = [
            (first + bucket[r][:, None] * width + np.arange(width)).ravel()
            for first, width, r in zip(at.first, at.width, at.round, strict=True)
        ]
        return np.concatenate([np.zeros(0, np.int64), *blocks])

    # How large it is ----------------------------------------------------------------------

    def counts(self) -> ForgetfulCounts:
        """How many information sets and sequences there are, without building anything.

        >>> from saddlepoint.games.poker import leduc
        >>> pairs = Buckets((np.arange(3), np.array([0, 0, 1] * 3)), "pairs")
        >>> forgetful(leduc(), pairs).counts().infosets
        (39, 39)
        """
        bets, whole = self.refinement.game.tally, self.refinement.game.counts()
        infosets, sequences = [], []
        for k in (0, 1):
            sizes = self.buckets[k].sizes
            infosets.append(int(np.dot(bets.decisions[:, k], sizes)))
            sequences.append(1 + int(np.dot(bets.sequences[:, k], sizes)))
        return ForgetfulCounts(
            infosets=(infosets[0], infosets[1]),
            sequences=(sequences[0], sequences[1]),
            refined_infosets=whole.infosets,
            refined_sequences=whole.sequences,
        )

    def estimate(self) -> Estimate:
        """Memory and time that solving will take.

        Regrets, strategies and averages are those of ties; plans, gradients and the treeplexes
        are those of the refinement. The time is that of an iteration on the refinement.
        """
        counts, whole = self.counts(), self.refinement.game.estimate()
        room = self.refinement.game.tally.nodes * _NODE_BYTES
        room += sum(counts.refined_sequences) * _SEQUENCE_BYTES
        room += sum(counts.sequences) * _TIED_BYTES
        return Estimate(bytes=room, iteration_seconds=whole.iteration_seconds)

    def __repr__(self) -> str:
        return f"<ForgetfulGame {self.name}: {self._why(1, 2) or 'nobody forgets'}>"


def _up(game: FactoredGame, player: int) -> list[Numbers]:
    """For each round, the hand of the round before that each hand of a player belongs to."""
    return [r.up[player - 1] for r in game.deal.rounds]


def forgetful(
    game: FactoredGame, first: Buckets, second: Buckets | None = None, text: str = ""
) -> ForgetfulGame:
    """The game in which players see buckets instead of hands, and only those of the round.

    Parameters
    ----------
    game
        The real game.
    first, second
        The buckets of players 1 and 2; those of player 1 for both by default. They may have
        perfect recall, and then the game is that of `saddlepoint.abstraction.buckets.bucketed`.
    text
        What the file of a solution says of them; `first-second` by default.

    Examples
    --------
    Players of Leduc Hold'em who look at their card, and then at whether it makes a pair:

    >>> from saddlepoint.games.poker import leduc
    >>> from saddlepoint.solvers.methods import solve
    >>> pairs = Buckets((np.arange(3), np.array([0, 0, 1] * 3)), "pairs")
    >>> game = forgetful(leduc(), pairs)
    >>> game.tied_form()
    <TiedForm leduc seen as pairs: 39 of 99 and 39 of 99 information sets>
    >>> found = solve(game, iterations=500)
    >>> game.sequence_form()
    Traceback (most recent call last):
        ...
    saddlepoint.core.errors.RecallError: leduc seen as pairs, forgetting: player 1 forgets in...
    """
    both = (first, second or first)
    for player, buckets in enumerate(both, 1):
        checked(buckets, hands_of(game.deal, player))
    one, two = (buckets.remembered(_up(game, player)) for player, buckets in enumerate(both, 1))
    told = text or (first.text if second is None else f"{first.text}-{second.text}")
    whole = bucketed(game, one, two, told)
    known = replace(whole.game, spec={**whole.game.spec, "forgets": True})
    return ForgetfulGame(game, replace(whole, game=known), both, (one, two))
