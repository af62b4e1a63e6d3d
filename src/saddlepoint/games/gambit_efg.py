"""Gambit's extensive form, `.efg`, read into a `TreeGame`.

The file lists the nodes in prefix order. Information sets, chance events and outcomes
have numbers, and are described where they first appear. An outcome at an inner node is
paid to everybody who passes it, so the payoff at a leaf is the sum along its path.

What a `TreeGame` does not hold is lost: the names of nodes and outcomes, the comment, and
at which inner node a payoff was earned. Information sets without a name are called
`player:number`, and equal names within one player or one list are told apart by numbers.

Format: Gambit documentation, "The extensive game (.efg) file format".
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from saddlepoint.games.chance import rounded
from saddlepoint.games.gambit_text import (
    CLOSE,
    END,
    OPEN,
    TEXT,
    WORD,
    ConstantSum,
    Tokens,
    about,
    distinct,
    prologue,
)
from saddlepoint.games.tree import Recorder, TreeGame
from saddlepoint.games.tree_check import SUM_TOLERANCE
from saddlepoint.sequence.form import CHANCE, LEAF

# Probabilities that people rounded to six digits are scaled to sum to 1; worse is an error.
ROUNDING_TOLERANCE = Fraction(1, 10**5)

Pair = tuple[Fraction, Fraction]


def read_efg(text: str, source: str = "") -> TreeGame:
    """Read a two-player zero-sum or constant-sum game in Gambit's extensive form.

    Parameters
    ----------
    text
        What the file holds.
    source
        The file's name, for errors.

    Raises
    ------
    FormatError
        If the text is malformed, with line and column.
    GameError
        If the game has other than two players or is general-sum.

    Examples
    --------
    >>> game = read_efg('''EFG 2 R "guess" { "Ann" "Bob" }
    ... p "" 1 1 "hide" { "left" "right" } 0
    ... p "" 2 1 "seek" { "left" "right" } 0
    ... t "" 1 "found" { -1, 1 }
    ... t "" 2 "lost" { 1, -1 }
    ... p "" 2 1 0
    ... t "" 2
    ... t "" 1''')
    >>> game
    <TreeGame guess: 7 nodes, 1 and 1 information sets>
    """
    tokens = Tokens(text, source)
    title, players = prologue(tokens, "EFG", "2")
    if tokens.kind == TEXT:  # a comment
        tokens.advance()
    name = title or source or "game"
    body = _Body(tokens, ConstantSum(tokens, name))
    body.read()
    return body.record.game(
        name,
        players=players,
        constant_sum=body.sum.value(),
        spec={"efg": text},
    )


class _Set(NamedTuple):
    """An information set or event: as it is written, and what it has become.

    `number` is its number in the record; `chances` holds one probability for each move,
    1 at the nodes of players.
    """

    name: str
    moves: tuple[str, ...]
    probabilities: tuple[Fraction, ...]
    number: int
    chances: tuple[float, ...]


class _Branch(NamedTuple):
    """A node whose children are being read, and the payoffs earned on the way to them."""

    node: int
    chances: tuple[float, ...]
    payoffs: Pair


class _Body:
    """Reads the nodes one after another; the open branches stand on a stack."""

    def __init__(self, tokens: Tokens, constant_sum: ConstantSum) -> None:
        self.tokens, self.sum = tokens, constant_sum
        self.record = Recorder()
        self._sets: dict[tuple[int, int], _Set] = {}
        self._names: tuple[set[str], set[str], set[str]] = (set(), set(), set())
        self._outcomes: dict[int, Pair] = {0: (Fraction(0), Fraction(0))}

    def read(self) -> None:
        """Read all nodes, up to the end of the text."""
        open_branches = [_Branch(-1, (1.0,), self._outcomes[0])]
        moves = [0]  # the next move of each of them
        while open_branches:
            branch, move = open_branches[-1], moves[-1]
            if move == len(branch.chances):
                open_branches.pop()
                moves.pop()
                continue
            moves[-1] += 1
            if (inner := self._node(branch, move)) is not None:
                open_branches.append(inner)
                moves.append(0)
        if self.tokens.kind != END:
            self.tokens.expected("the end of the text: every branch of the tree has its node")

    def _node(self, above: _Branch, move: int) -> _Branch | None:
        """Read a node; return it as a branch unless it is a leaf."""
        tokens, at = self.tokens, self.tokens.at
        kind = tokens.value if tokens.kind == WORD else ""
        if kind not in ("c", "p", "t"):
            tokens.expected("a node: 'c', 'p' or 't'")
        tokens.advance()
        tokens.take(TEXT, "the node's name in quotes")
        mover = self._player() if kind == "p" else CHANCE if kind == "c" else LEAF
        found = None if mover == LEAF else self._set(mover)
        first, second = (
            tokens.bounded(earned + paid)
            for earned, paid in zip(above.payoffs, self._outcome(), strict=True)
        )
        if found is not None:
            node = self.record.add(above.node, move, above.chances[move], mover, found.number)
            return _Branch(node, found.chances, (first, second))
        self.sum.see(first, second, at)
        payoff = tokens.rounded(first, at)
        self.record.add(above.node, move, above.chances[move], LEAF, payoff=payoff)
        return None

    def _player(self) -> int:
        at, player = self.tokens.at, self.tokens.integer("player 1 or 2", 1)
        if player > 2:
            self.tokens.fail(f"found player {player}, expected 1 or 2", at)
        return player

    # Information sets and events ------------------------------------------------------

    def _set(self, mover: int) -> _Set:
        """Read an information set's number, and its description where there is one."""
        tokens, at = self.tokens, self.tokens.at
        what = "event" if mover == CHANCE else "information set"
        number = tokens.integer(f"the number of the {what}, at least 1", 1)
        known = self._sets.get((mover, number))
        name = ""
        if tokens.kind == TEXT:
            name = tokens.value
            tokens.advance()
        if tokens.kind != OPEN:
            if known is None:
                tokens.expected(
                    f"the moves of {what} {number}, which first appears here, in braces"
                )
            return known
        moves, probabilities = self._moves(mover)
        if known is None:
            known = self._new(mover, number, name, moves, probabilities, at)
        elif known[1:3] != (moves, probabilities) or (name and known.name and name != known.name):
            tokens.fail(f"{what} {number} is described otherwise than where it first appears", at)
        return known

    def _moves(self, mover: int) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        """Read moves in braces, at chance nodes with their probabilities."""
        tokens = self.tokens
        tokens.take(OPEN, "'{'")
        moves: list[str] = []
        probabilities: list[Fraction] = []
        while tokens.kind != CLOSE or not moves:
            moves.append(tokens.take(TEXT, "the name of a move in quotes, or '}'"))
            if mover == CHANCE:
                at, p = tokens.at, tokens.fraction("the probability of the move")
                if not 0 <= p <= 1:
                    tokens.fail(f"found probability {about(p)}, expected 0 to 1", at)
                probabilities.append(p)
        tokens.advance()
        return tuple(moves), tuple(probabilities)

    def _new(
        self,
        mover: int,
        number: int,
        name: str,
        moves: tuple[str, ...],
        probabilities: tuple[Fraction, ...],
        at: int,
    ) -> _Set:
        """Enter a new information set or event."""
        chances = (1.0,) * len(moves)
        if mover == CHANCE:
            chances = self._distribution(probabilities, at)
            place = self.record.event(number, distinct(moves))
        else:
            own = self._names[mover]
            label = name or f"{mover}:{number}"
            while label in own:  # numbers are unique, so this ends
                label += f" ({mover}:{number})"
            own.add(label)
            place = self.record.infoset(mover, number, label, distinct(moves))
        known = self._sets[mover, number] = _Set(name, moves, probabilities, place, chances)
        return known

    def _distribution(self, probabilities: tuple[Fraction, ...], at: int) -> tuple[float, ...]:
        total = sum(probabilities, Fraction(0))
        if abs(total - 1) > ROUNDING_TOLERANCE:
            self.tokens.fail(
                f"the probabilities of the event sum to {about(total)}, expected 1", at
            )
        exact = abs(total - 1) <= Fraction(SUM_TOLERANCE) / 2
        doubles = [float(p if exact else p / total) for p in probabilities]
        # What somebody printed with fifteen digits was a fraction before, if one is near.
        return tuple(doubles if total == 1 else rounded(doubles))

    # Outcomes -------------------------------------------------------------------------

    def _outcome(self) -> Pair:
        """Read an outcome's number, and its payoffs where there are some."""
        tokens, at = self.tokens, self.tokens.at
        number = tokens.integer("the number of the outcome", 0)
        if tokens.kind == TEXT:
            if number == 0:
                tokens.expected("a node: outcome 0 means none and has no name")
            tokens.advance()
        known = self._outcomes.get(number)
        if tokens.kind != OPEN:
            if known is None:
                tokens.expected(f"the payoffs of outcome {number}, which first appears here")
            return known
        tokens.advance()
        found = tokens.payoffs()
        if known is not None and found != known:
            tokens.fail(f"outcome {number} has other payoffs than where it first appears", at)
        self._outcomes[number] = found
        return found
