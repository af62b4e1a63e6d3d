"""Games written in Gambit's text formats.

A double is written as the shortest text that reads back as the same double, a small
fraction as itself: 1/3 rather than 0.3333333333333333. What has to add up (both players'
payoffs, the probabilities of a chance node) adds up exactly in the text, because Gambit
takes numbers for what is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from saddlepoint.core.errors import GameError
from saddlepoint.games.chance import rational
from saddlepoint.games.matrix import MatrixGame
from saddlepoint.games.tree import TreeGame
from saddlepoint.sequence.form import CHANCE, LEAF

# Integers below this are written without an exponent.
_LARGE = 10**15
_MAX_DENOMINATOR = 1000
# A number less than half a unit in the last place away is read as the same double.
_LESS_THAN_HALF = Fraction(15, 32)
# A decimal of so few characters is as readable as any fraction.
_SHORT = 8


def write_efg(game: TreeGame) -> str:
    """Write a game in Gambit's extensive form; `read_efg` gives an equal game back.

    Player 2's payoffs are `constant_sum` less player 1's. Every number reads back as the
    same double, but for chances that sum to 1 only up to rounding. A game
    whose nodes are not in prefix order comes back in prefix order.

    >>> from saddlepoint.games.builder import TreeBuilder
    >>> b = TreeBuilder("choose", players=("Ann", "Bob"))
    >>> root = b.decision(1, "start", ["third", "half"])
    >>> root["third"], root["half"] = 1 / 3, 0.5
    >>> print(write_efg(b.build()))
    EFG 2 R "choose" { "Ann" "Bob" }
    ""
    <BLANKLINE>
    p "" 1 1 "start" { "third" "half" } 0
    t "" 1 "" { 1/3, -1/3 }
    t "" 2 "" { 0.5, -0.5 }
    <BLANKLINE>
    """
    tree = game.tree
    movers, numbers, payoffs = tree.mover.tolist(), tree.infoset.tolist(), tree.payoff.tolist()
    children: list[list[int]] = [[] for _ in movers]
    for node in np.argsort(tree.move[1:], kind="stable").tolist():
        children[tree.parent[node + 1]].append(node + 1)
    lines = [f"EFG 2 R {quoted(game.name)} {braced(map(quoted, game.players))}", '""', ""]
    leaves: dict[float, str] = {}
    inner: dict[tuple[int, int], str] = {}
    stack = [0]
    while stack:
        node = stack.pop()
        if movers[node] == LEAF:
            payoff = payoffs[node]
            if payoff not in leaves:
                both = ", ".join(pair(payoff, game.constant_sum))
                leaves[payoff] = f't "" {len(leaves) + 1} "" {{ {both} }}'
            lines.append(leaves[payoff])
            continue
        key = movers[node], numbers[node]
        if key not in inner:
            inner[key] = _described(game, node, tree.probability[children[node]].tolist())
        lines.append(inner[key])
        stack.extend(reversed(children[node]))
    return "\n".join(lines) + "\n"


def _described(game: TreeGame, node: int, chances: list[float]) -> str:
    """The line of an inner node, equal for all nodes of its information set or event."""
    mover, number = int(game.tree.mover[node]), int(game.tree.infoset[node])
    names = [quoted(move) for move in game.moves(node)]
    if mover == CHANCE:
        pairs = zip(names, distribution(chances), strict=True)
        return f'c "" {number + 1} "" {braced(f"{name} {p}" for name, p in pairs)} 0'
    label = quoted(game.tree.infosets[mover - 1][number])
    return f'p "" {mover} {number + 1} {label} {braced(names)} 0'


def write_nfg(game: MatrixGame) -> str:
    """Write a game in Gambit's strategic form; `read_nfg` gives an equal game back.

    Player 2's payoffs are `constant_sum` less player 1's. One line of cells for each of
    player 2's strategies.

    >>> from saddlepoint.games.matrices import matching_pennies
    >>> print(write_nfg(matching_pennies()))
    NFG 1 R "matching pennies" { "Player 1" "Player 2" }
    { { "heads" "tails" } { "heads" "tails" } }
    ""
    <BLANKLINE>
    1 -1 -1 1
    -1 1 1 -1
    <BLANKLINE>
    """
    names = [braced(map(quoted, labels)) for labels in (game.rows, game.columns)]
    lines = [
        f"NFG 1 R {quoted(game.name)} {braced(map(quoted, game.players))}",
        braced(names),
        '""',
        "",
    ]
    pairs: dict[float, str] = {}
    for column in game.matrix.T.tolist():
        for payoff in column:
            if payoff not in pairs:
                pairs[payoff] = " ".join(pair(payoff, game.constant_sum))
        lines.append(" ".join(pairs[payoff] for payoff in column))
    return "\n".join(lines) + "\n"


# Names and numbers -------------------------------------------------------------------


def quoted(label: str) -> str:
    r"""A name in quotes.

    >>> print(quoted('the "nuts"'))
    "the \"nuts\""
    """
    if label.endswith("\\"):
        raise GameError(f"Gambit's formats cannot hold a name that ends in a backslash: '{label}'")
    return '"' + label.replace('"', '\\"') + '"'


def braced(parts: Iterable[str]) -> str:
    """Parts in braces."""
    return "{ " + " ".join(parts) + " }"


def number(value: float) -> str:
    """The shortest text that reads back as this double.

    >>> number(1 / 3), number(-2.0), number(0.1 + 0.2)
    ('1/3', '-2', '0.30000000000000004')
    """
    text = repr(value)
    if value == int(value) and abs(value) < _LARGE:
        return str(int(value))
    if len(text) > _SHORT:
        small = Fraction(value).limit_denominator(_MAX_DENOMINATOR)
        if small.denominator > 1 and float(small) == value:
            return f"{small.numerator}/{small.denominator}"
    return text


def exact(value: Fraction) -> str:
    """A fraction as a decimal where one is finite, else as a rational.

    >>> exact(Fraction(-1, 5)), exact(Fraction(2, 3))
    ('-0.2', '2/3')
    """
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    if places == 0:
        return str(value.numerator)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def pair(first: float, constant_sum: float) -> tuple[str, str]:
    """Both players' payoffs, whose sum is the constant sum exactly as that is written.

    >>> pair(0.3, 0.1)
    ('0.3', '-0.2')
    """
    text = number(first)
    if constant_sum == 0 and first != 0:
        return text, text[1:] if first < 0 else f"-{text}"
    return text, exact(Fraction(number(constant_sum)) - Fraction(text))


def distribution(probabilities: Sequence[float]) -> list[str]:
    """Probabilities as texts that sum to exactly 1, which Gambit insists on.

    They read back as the same doubles where that can be: the rounding error goes where it
    does not show. Fractions within rounding errors of the doubles are preferred to that.

    >>> distribution([1 / 3, 2 / 3]), distribution([0.1, 0.2, 0.7])
    (['1/3', '2/3'], ['0.1', '0.2', '0.7'])
    >>> distribution([0.16666666666666669, 0.16666666666666669, 0.6666666666666666])
    ['1/6', '1/6', '2/3']
    """
    texts = [number(p) for p in probabilities]
    error = 1 - sum(map(Fraction, texts))
    if error == 0:
        return texts
    if (fractions := rational(tuple(probabilities))) is not None:
        return [exact(p) for p in fractions]
    largest_first = sorted(range(len(texts)), key=lambda k: -probabilities[k])
    for k in largest_first:
        if float(changed := Fraction(texts[k]) + error) == probabilities[k]:
            texts[k] = exact(changed)
            return texts
    return [exact(p) for p in _spread(probabilities, largest_first)]


def _spread(probabilities: Sequence[float], order: list[int]) -> list[Fraction]:
    """Fractions with sum 1 whose doubles are the probabilities, if there are any."""
    fractions = [Fraction(p) for p in probabilities]
    error = 1 - sum(fractions)
    for k in order:
        room = Fraction(math.ulp(probabilities[k])) * _LESS_THAN_HALF
        part = max(-room, min(room, error))
        if float(fractions[k] + part) == probabilities[k]:
            fractions[k], error = fractions[k] + part, error - part
    fractions[order[0]] += error
    return fractions
