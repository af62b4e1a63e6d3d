r"""The cover set: abstract games that know every bet and every pot of a no-limit game.

A player who faces a bet has to know two ratios above all: that of the bet to the pot and
that of the stack to the pot. For every situation of the real game in which a bet of a part
b of the pot has just been made, or may be made, there is an abstract game in which all bets
but all-in are b times the pot, and in which the same number of bets leads to the same ratio
of stack to pot (thesis 004, section 5.4). Such a game is known by two numbers: stack over
ante, and b. All of them together are the *full cover*: 172 games for 12-chip Leduc
Hold'em (table A.1).

**The rule.** The real betting tree is walked depth first, calls before raises and small
raises before great ones. Where the last action is a bet, b is that bet over the pot before
it; where it is not, b is in turn every bet that may be made now, all-in excepted. After k
earlier bets (all-in excepted) and before the last one, if there is one, the real pot is P.
In a game with ante n

$$p_0 = 2n, \quad p_{i+1} = p_i + 2 \lfloor b p_i \rfloor, \quad
  \frac{\text{stack}}{n} = \frac{\text{real stack}}{n} \cdot \frac{p_k}{P},$$

and n is the least one from 100 on for which $b p_k$ and the stack are whole, so that both
ratios are met exactly. The thesis does not say how the antes were chosen; this rule gives
its 172 pairs in the order in which it prints them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from saddlepoint.core.errors import GameError, SettingsError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.menu import Menu

LEAST_ANTE = 100
# Decimals with which the thesis prints pairs, and by which it tells them apart.
DIGITS = 6


@dataclass(frozen=True)
class Stakes:
    """What an abstract game of a cover is known by.

    Parameters
    ----------
    stack_ratio
        A player's stack, ante included, over the ante.
    bet
        The one bet besides all-in, as a part of the pot.
    ante
        Units of the ante: the finer, the less is lost by rounding bets down.
    """

    stack_ratio: Fraction
    bet: Fraction
    ante: int = LEAST_ANTE

    def __post_init__(self) -> None:
        if self.stack_ratio < 1 or self.bet <= 0 or self.ante < 1:
            raise SettingsError(
                f"stakes are {self.text} with an ante of {self.ante}, expected a stack of at least "
                "the ante, a bet above 0, and an ante of at least 1"
            )

    @property
    def stack(self) -> int:
        """Units of the stack, to the nearest one."""
        return round(self.stack_ratio * self.ante)

    @property
    def printed(self) -> tuple[float, float]:
        """The pair as the thesis prints it."""
        return round(float(self.stack_ratio), DIGITS), round(float(self.bet), DIGITS)

    @property
    def text(self) -> str:
        """The pair in words."""
        return f"stack {float(self.stack_ratio):.6g} antes, bet {float(self.bet):.6g} pots"


def full_cover(real: FactoredGame) -> list[Stakes]:
    """All abstract games of the cover, in the order of the thesis.

    One visit of every node of the real betting tree, in Python: some 40,000 a second.

    Raises
    ------
    GameError
        If the game is not a no-limit game in which both players pay the same ante.

    Examples
    --------
    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> cover = full_cover(no_limit_leduc())
    >>> len(cover), cover[0].printed, cover[-1].printed
    (172, (12.0, 0.5), (1.32, 0.05))
    """
    _check(real)
    tree, found = real.tree, dict[tuple[float, float], Stakes]()
    seen: set[tuple[Fraction, int, int]] = set()
    for situation in _situations(tree):
        if situation not in seen:
            seen.add(situation)
            stakes = _stakes(int(tree.rules.arrays.stack), *situation)
            found.setdefault(stakes.printed, stakes)
    return list(found.values())


def _check(real: FactoredGame) -> None:
    betting = real.betting
    if betting.bets is not None or betting.stack is None or any(betting.blinds):
        raise GameError(
            f"a cover needs a no-limit game with antes and without blinds, found {real.name}"
        )


def _situations(tree: BettingTree) -> Iterator[tuple[Fraction, int, int]]:
    """Part of the pot, number of earlier bets and pot before the bet, for every situation."""
    stack = int(tree.rules.arrays.stack)
    # Node, bets so far (all-in excepted), and the last bet with the pot before it, if any.
    waiting: list[tuple[int, int, tuple[Fraction, int] | None]] = [(0, 0, None)]
    while waiting:
        node, bets, last = waiting.pop()
        if tree.mover[node] <= 0:
            continue
        level = int(tree.contribution[node].max())
        below = range(int(tree.child[node]), int(tree.child[node] + tree.children[node]))
        sizes = {c: int(tree.move[c]) - level for c in below if 0 < tree.move[c] < stack}
        if last is not None:
            yield last[0], bets - 1, last[1]
        elif level < stack and tree.move[node] <= 0:
            for size in sizes.values():
                yield Fraction(size, 2 * level), bets, 2 * level
        for c in reversed(below):
            if c in sizes:
                waiting.append((c, bets + 1, (Fraction(sizes[c], 2 * level), 2 * level)))
            else:
                waiting.append((c, bets, None))


def _stakes(stack: int, bet: Fraction, bets: int, pot: int) -> Stakes:
    """The abstract game for a situation."""
    ante = LEAST_ANTE
    while True:
        scaled = 2 * ante
        for _ in range(bets):
            scaled += 2 * (bet * scaled).__floor__()
        units = Fraction(stack * scaled, pot)
        if units.denominator == 1 and (bet * scaled).denominator == 1:
            return Stakes(units / ante, bet, ante)
        ante += 1


def sub_cover(cover: Sequence[Stakes], pairs: Sequence[tuple[float, float]]) -> list[int]:
    """Where pairs as the thesis prints them stand in a cover.

    Table A.2, the cover of 15 that was picked by hand, is data: see `studies/published`.
    """
    at = {stakes.printed: k for k, stakes in enumerate(cover)}
    for pair in pairs:
        if pair not in at:
            raise SettingsError(f"the cover has no pair {pair}; it has {len(cover)} others")
    return [at[pair] for pair in pairs]


def sample(cover: Sequence[Stakes], count: int, seed: Seed) -> list[int]:
    """The fcpa agent (the real stack, pot bets) and `count` others, drawn without replacement.

    Returns their places in the cover, fcpa first.

    >>> from saddlepoint.games.poker import no_limit_leduc
    >>> cover = full_cover(no_limit_leduc(stack=6))
    >>> places = sample(cover, 3, seed=1)
    >>> cover[places[0]].text, len(set(places))
    ('stack 6 antes, bet 1 pots', 4)
    """
    # The first game of the cover is that of the root: the real stack.
    fcpa = [k for k, s in enumerate(cover) if s.stack_ratio == cover[0].stack_ratio and s.bet == 1]
    if not fcpa:
        raise SettingsError("the cover has no game with pot bets and the real stack (fcpa)")
    others = [k for k in range(len(cover)) if k != fcpa[0]]
    if not 0 <= count <= len(others):
        raise SettingsError(f"count is {count}, expected 0 to {len(others)}")
    drawn = generator(seed).choice(len(others), size=count, replace=False)
    return [fcpa[0], *(others[int(k)] for k in drawn)]


def abstract_game(real: FactoredGame, stakes: Stakes) -> FactoredGame:
    """The game of a cover: one bet and all-in, other stakes, and the cards of the real game.

    An ante is worth what the real one is, so that values can be compared.
    """
    _check(real)
    betting = replace(
        real.betting,
        ante=stakes.ante,
        stack=stakes.stack,
        menu=Menu(bets=(float(stakes.bet),)),
        min_bet=1,
    )
    ratio, bet = stakes.stack_ratio, stakes.bet
    return replace(
        real,
        name=f"{real.name} with {stakes.text}",
        spec={"of": dict(real.spec), "stack": str(ratio), "bet": str(bet), "ante": stakes.ante},
        betting=betting,
        scale=real.scale * real.betting.ante / stakes.ante,
        less=0,
        facts={**real.facts, "stack": f"{stakes.stack} units", "bets": stakes.text},
    )
