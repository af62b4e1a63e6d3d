"""Ties: which information sets of a game are played alike, because a player forgets.

A player with imperfect recall has no treeplex. But what he cannot tell apart and what he could,
had he kept everything in mind, are two things: his game is one with perfect recall, its
*refinement*, in which information sets are *tied*, which means that they are played with the
same probabilities (thesis 004, section 2.3.2; Waugh et al. 2009). What solves such games is
`saddlepoint.solvers.tied`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import GameError, RecallError
from saddlepoint.core.kernel import kernel
from saddlepoint.sequence.form import Game, SequenceForm
from saddlepoint.sequence.names import Names
from saddlepoint.sequence.sweeps import Blocks
from saddlepoint.sequence.treeplex import Treeplex

Array = NDArray[Any]
Vector = NDArray[np.float64]
Numbers = NDArray[np.int64]
# The name of the method that takes ties.
TIED = "tied"


@dataclass(frozen=True, repr=False)
class TiedForm:
    """A game with perfect recall, and which information sets of it are played alike.

    Parameters
    ----------
    form
        The game in which nothing is forgotten.
    ties
        For player 1 and player 2, the tie of every information set, in the order of
        `Treeplex.flat`; all numbers from 0 up are used. Iterations are fastest where members
        that follow each other belong to ties that do.
    names
        Names of the ties and of their actions, for either player.
    why
        Who forgets what, for the message to those who cannot take it.

    Raises
    ------
    GameError
        If ties are not as said, or join information sets with different numbers of actions or
        on one way through the game.

    Examples
    --------
    A coin is tossed. Player 1 bets on it and has forgotten how it fell: he wins nothing, and
    would win 1/2 if he remembered, so that no strategy of his has a smaller gap.

    >>> from saddlepoint.sequence.payoff import PayoffOperator
    >>> from saddlepoint.solvers.run import run
    >>> from saddlepoint.solvers.tied import TiedRegretMatching
    >>> X, Y = Treeplex.of_infosets(parent=[0, 0], actions=[2, 2]), Treeplex.simplex(1)
    >>> wins = np.outer([0.0, 0.25, -0.25, -0.25, 0.25], [0, 1])
    >>> game = TiedForm.of(SequenceForm(X, Y, PayoffOperator.of(wins)), [0, 0])
    >>> found = run(game, TiedRegretMatching(), iterations=100)
    >>> found.value, found.gap
    (0.0, 0.5)
    """

    form: SequenceForm
    ties: tuple[Numbers, Numbers]
    names: tuple[Names | None, Names | None] = (None, None)
    why: str = ""

    def __post_init__(self) -> None:
        one, two = (
            _checked(plex, np.asarray(tie), f"player {player} of {self.form.name}")
            for player, plex, tie in zip((1, 2), self.plexes, self.ties, strict=True)
        )
        object.__setattr__(self, "ties", (one, two))

    @classmethod
    def of(
        cls, form: SequenceForm, first: ArrayLike | None = None, second: ArrayLike | None = None
    ) -> TiedForm:
        """A game with ties of player 1 and of player 2; None leaves information sets apart."""
        one, two = (
            np.arange(plex.n_infosets) if tie is None else np.asarray(tie)
            for plex, tie in ((form.X, first), (form.Y, second))
        )
        return cls(form, (one, two))

    @property
    def plexes(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of both players in the game in which nothing is forgotten."""
        return self.form.X, self.form.Y

    @cached_property
    def decisions(self) -> tuple[Treeplex, Treeplex]:
        """The ties of either player as information sets, all of which come first.

        Their behaviour strategies are those of players who forget.
        """
        one, two = (
            _decisions(plex, tie, names)
            for plex, tie, names in zip(self.plexes, self.ties, self.names, strict=True)
        )
        return one, two

    @cached_property
    def actions(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For every sequence of either player, the sequence of `decisions` that it is tied to."""
        found = []
        for plex, tie, ties in zip(self.plexes, self.ties, self.decisions, strict=True):
            action = np.zeros(plex.n_sequences, np.int32)
            first = np.cumsum(ties.blocks.lanes) - ties.blocks.lanes
            _actions(plex.blocks, tie, ties.blocks, first, action)
            found.append(action)
        return found[0], found[1]

    def expand(self, player: int, s: ArrayLike) -> Vector:
        """The behaviour strategy of player 1 or 2 in which all members play as their tie does."""
        found: Vector = self.decisions[player - 1].vector(s)[self.actions[player - 1]]
        return found

    def tied_form(self) -> TiedForm:
        """The form itself."""
        return self

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`, if nobody forgets.

        Raises
        ------
        RecallError
            If some player does.
        """
        for player, (plex, tie) in enumerate(zip(self.plexes, self.ties, strict=True), 1):
            count = int(tie.max(initial=-1)) + 1
            if count < plex.n_infosets:
                sets = f"player {player} plays {plex.n_infosets:,} information sets as {count:,}"
                raise RecallError(refusal(self.form.name, self.why or sets))
        return self.form

    @property
    def fingerprint(self) -> str:
        """Digest of the game and its ties."""
        total = hashlib.sha256(self.form.fingerprint.encode())
        for tie in self.ties:
            total.update(tie.data)
        return total.hexdigest()[:16]

    def __repr__(self) -> str:
        one, two = (f"{int(t.max(initial=-1)) + 1:,} of {len(t):,}" for t in self.ties)
        return f"<TiedForm {self.form.name}: {one} and {two} information sets>"


@runtime_checkable
class Tied(Game, Protocol):
    """Anything that has a tied form, and refuses a sequence form if somebody forgets."""

    def tied_form(self) -> TiedForm:
        """The game as a tied form."""


def refusal(game: str, why: str) -> str:
    """What those hear who need perfect recall."""
    return (
        f"{game}: {why}, so that there is no treeplex of his; the method "
        f"'{TIED}' accepts it, and 'mccfr', which samples; all other ones need perfect recall"
    )


def _checked(plex: Treeplex, given: NDArray[Any], who: str) -> Numbers:
    """The ties, if they are numbered as they should be and have equally many actions."""
    if given.shape != (plex.n_infosets,) or (given.size and given.dtype.kind not in "iu"):
        raise GameError(
            f"ties of {who} are an array of {given.dtype} of shape {given.shape}, expected one "
            f"whole number for each of {plex.n_infosets} information sets"
        )
    tie = np.array(given, np.int64)
    if not len(tie):
        return tie
    inside = tie.min() >= 0 and tie.max() < len(tie)
    sizes = np.bincount(tie) if inside else np.zeros(1)
    if not sizes.all():
        raise GameError(
            f"ties of {who} are numbered {tie.min()} to {tie.max()} with {len(np.unique(tie))} in "
            "use, expected 0, 1, 2, ... all in use"
        )
    actions = np.repeat(plex.blocks.actions, plex.blocks.lanes)
    some = np.zeros(len(sizes), np.int64)
    some[tie[::-1]] = actions[::-1]  # those of the first member
    wrong = np.flatnonzero(some[tie] != actions)
    if len(wrong):
        i = int(wrong[0])
        j = int(np.flatnonzero((tie == tie[i]) & (actions == some[tie[i]]))[0])
        raise GameError(
            f"'{plex.names.infoset(i)}' of {who} has {actions[i]} actions and is tied to "
            f"'{plex.names.infoset(j)}' with {actions[j]}, expected equally many in all "
            f"information sets of a tie ({len(np.unique(tie[wrong]))} ties are wrong)"
        )
    i = _repeated(plex.blocks, tie, np.empty(plex.n_sequences, np.int64), np.empty_like(tie))
    if i >= 0:
        raise GameError(
            f"'{plex.names.infoset(i)}' of {who} is tied to an information set that leads to it, "
            "expected ties between ways that part: nobody forgets whether he has moved"
        )
    return tie


def _decisions(plex: Treeplex, tie: Numbers, names: Names | None) -> Treeplex:
    """The treeplex of the ties: one block for each row of ties with equally many actions."""
    count = np.zeros(int(tie.max(initial=-1)) + 1, np.int64)
    count[tie] = np.repeat(plex.blocks.actions, plex.blocks.lanes)
    begin = np.flatnonzero(np.diff(count, prepend=-1))
    lanes = np.diff(np.append(begin, len(count)))
    # All of them follow from the empty sequence.
    nothing, root = np.zeros(len(begin), np.int64), np.zeros(int(lanes.max(initial=0)), np.int32)
    return Treeplex(count[begin], lanes, nothing, nothing, root, names)


@kernel
def _actions(T: Blocks, tie: Array, U: Blocks, first: Array, action: Array) -> None:
    """Find the tied action of every sequence; tie first[c] is lane 0 of block c of U.

    Overwrites action, but for the empty sequence. O(sequences log(blocks of U)).
    """
    before = 0
    for b in range(T.start.shape[0]):
        for i in range(T.lanes[b]):
            k = tie[before + i]
            c = np.searchsorted(first, k, side="right") - 1
            for a in range(T.actions[b]):
                q = T.start[b] + a * T.lanes[b] + i
                action[q] = U.start[c] + a * U.lanes[c] + k - first[c]
        before += T.lanes[b]


@kernel
def _repeated(T: Blocks, tie: Array, owner: Array, above: Array) -> int:
    """Return an information set that is tied to one before it, or -1.

    Overwrites owner, the information set of every sequence, and above, the one before each
    information set (-1 if there is none). O(information sets * depth).
    """
    owner[0] = -1
    here = -1
    for b in range(T.start.shape[0]):
        for i in range(T.lanes[b]):
            here += 1
            up = T.parent[b] + i if T.link[b] < 0 else T.links[T.link[b] + i]
            above[here] = owner[up]
            for a in range(T.actions[b]):
                owner[T.start[b] + a * T.lanes[b] + i] = here
            k = above[here]
            while k >= 0:
                if tie[k] == tie[here]:
                    return here
                k = above[k]
    return -1
