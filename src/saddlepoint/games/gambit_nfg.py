"""Gambit's strategic form, `.nfg`, read into a `MatrixGame`.

Strategies are given as numbers or as lists of names. Payoffs follow cell by cell, the
first player's strategy counting fastest, either as such (the payoff version) or as
numbers into a list of outcomes (the outcome version); outcome 0 pays nothing.

Format: Gambit documentation, "The strategic game (.nfg) file format".
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from saddlepoint.games.gambit_text import (
    CLOSE,
    END,
    NUMBER,
    OPEN,
    TEXT,
    ConstantSum,
    Tokens,
    distinct,
    prologue,
)
from saddlepoint.games.matrix import MatrixGame

Labels = tuple[str, ...]


def read_nfg(text: str, source: str = "") -> MatrixGame:
    """Read a two-player zero-sum or constant-sum game in Gambit's strategic form.

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
    >>> game = read_nfg('NFG 1 R "share" { "Ann" "Bob" } { 2 2 }  2 0  0 2  0 2  1 1')
    >>> game.matrix, game.constant_sum
    (array([[2., 0.],
           [0., 1.]]), 2.0)
    """
    tokens = Tokens(text, source)
    title, players = prologue(tokens, "NFG", "1")
    rows, columns = _strategies(tokens)
    if tokens.kind == TEXT:  # a comment
        tokens.advance()
    name = title or source or "game"
    seen = ConstantSum(tokens, name)
    cells = len(rows) * len(columns)
    entries = (
        _outcomes(tokens, cells, seen) if tokens.kind == OPEN else _payoffs(tokens, cells, seen)
    )
    if tokens.kind != END:
        tokens.expected(f"the end of the text: all {cells} cells have their payoffs")
    return MatrixGame(
        np.array(entries).reshape((len(rows), len(columns)), order="F"),
        rows,
        columns,
        name,
        players,
        seen.value(),
        spec={"nfg": text},
    )


def _strategies(tokens: Tokens) -> tuple[Labels, Labels]:
    """Read the strategies of both players: two numbers, or two lists of names."""
    tokens.take(OPEN, "'{' and the players' strategies")
    if tokens.kind == NUMBER:
        at = tokens.at
        counts = [tokens.integer(f"player {k}'s number of strategies", 1) for k in (1, 2)]
        # Every cell takes at least one character, so a larger table cannot be in the text.
        if counts[0] * counts[1] > len(tokens.text):
            tokens.fail(f"{counts[0]} by {counts[1]} strategies need more payoffs than follow", at)
        labels = [tuple(str(k + 1) for k in range(count)) for count in counts]
    else:
        labels = [_names(tokens, player) for player in (1, 2)]
    tokens.take(CLOSE, "'}' after the strategies of two players")
    return labels[0], labels[1]


def _names(tokens: Tokens, player: int) -> Labels:
    tokens.take(OPEN, f"'{{' and the names of player {player}'s strategies, or their number")
    names: list[str] = []
    while tokens.kind != CLOSE or not names:
        names.append(tokens.take(TEXT, "the name of a strategy in quotes, or '}'"))
    tokens.advance()
    return distinct(names)


def _payoffs(tokens: Tokens, cells: int, seen: ConstantSum) -> list[float]:
    """Read player 1's payoffs of the payoff version."""
    entries = []
    for k in range(cells):
        at = tokens.at
        first = tokens.fraction(f"player 1's payoff in cell {k + 1} of {cells}")
        seen.see(first, tokens.fraction(f"player 2's payoff in cell {k + 1} of {cells}"), at)
        entries.append(tokens.rounded(first, at))
    return entries


def _outcomes(tokens: Tokens, cells: int, seen: ConstantSum) -> list[float]:
    """Read player 1's payoffs of the outcome version; outcomes in no cell do not count."""
    tokens.advance()
    outcomes = [(Fraction(0), Fraction(0))]
    while tokens.kind == OPEN:
        tokens.advance()
        tokens.take(TEXT, "the outcome's name in quotes")
        outcomes.append(tokens.payoffs())
    tokens.take(CLOSE, "'{' and another outcome, or '}'")
    entries = []
    for k in range(cells):
        at = tokens.at
        number = tokens.integer(f"the number of the outcome in cell {k + 1} of {cells}", 0)
        if number >= len(outcomes):
            tokens.fail(f"found outcome {number}, expected at most {len(outcomes) - 1}", at)
        seen.see(*outcomes[number], at)
        entries.append(tokens.rounded(outcomes[number][0], at))
    return entries
