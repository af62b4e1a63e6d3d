"""How often a hand or a range wins against another one, on any board: exactly or by samples.

$$equity = win + tie / 2$$

A *range* is a weight for each of the 1,326 hands of two cards, in the order of
[`ranges`][saddlepoint.cards.ranges]; a hand is a range with one weight. Both players' hands
are dealt together, with a probability proportional to the product of their weights if they
share no card with each other or the board, and 0 otherwise. What is missing of the board is
dealt from the remaining cards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.cards.deals import sampled_counts
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.hand_tables import CARDS
from saddlepoint.cards.matchups import exact_sums
from saddlepoint.cards.ranges import HANDS, pairs, parse
from saddlepoint.core.checks import whole
from saddlepoint.core.errors import RulesError
from saddlepoint.core.seeds import Seed

Weights = NDArray[np.float64]
Range = str | NDArray[np.floating] | NDArray[np.integer]
BOARDS = (0, 3, 4, 5)


@dataclass(frozen=True, kw_only=True)
class Equity:
    """Probabilities of player 1 at the showdown.

    Parameters
    ----------
    win, tie, lose
        They sum to 1.
    total
        The weights of all deals (pairs of hands, boards) summed. Where all weights are 1,
        their number, and `win * total` is how many of them are won.
    samples
        How many deals were drawn, 0 if the figures are exact.
    """

    win: float
    tie: float
    lose: float
    total: float
    samples: int = 0

    @property
    def equity(self) -> float:
        """The share of the pot: wins and half of the ties."""
        return self.win + self.tie / 2

    @property
    def standard_error(self) -> float:
        """The standard error of `equity`; 0 if it is exact."""
        if not self.samples:
            return 0.0
        variance = max(0.0, self.win + self.tie / 4 - self.equity**2)
        return float(np.sqrt(variance / (self.samples - 1)))


def equity(
    first: Range,
    second: Range,
    board: str | Iterable[int] = "",
    *,
    samples: int | None = None,
    seed: Seed = 0,
) -> Equity:
    """The equity of the first player's range against the second's.

    Parameters
    ----------
    first, second
        Text such as `AsAh` or `QQ+,AKs:0.5`, or weights, `(1326,)`.
    board
        0, 3, 4 or 5 cards, as text or numbers.
    samples
        How many deals to draw, at least 2; without it the figures are exact. Exact costs up to
        a few seconds before the flop where suits are alike in both ranges, as in all texts
        without suits, and up to a minute where they are not; milliseconds from the flop on.
    seed
        For the samples.

    Raises
    ------
    RulesError
        If a card is unknown or there twice, or if no pair of hands can be dealt.
    FormatError
        If a text is not a range.

    Examples
    --------
    >>> found = equity("AA", "KK")
    >>> print(f"{found.win:.4f} {found.tie:.4f} {found.lose:.4f} {found.equity:.5f}")
    0.8171 0.0046 0.1782 0.81946
    >>> equity("AsKs", "QhQd", "Ts 9s 2d").equity > 0.5
    True
    """
    dealt = board_of(board)
    free = ~np.isin(pairs(), dealt).any(axis=1)
    w1 = np.where(free, weights_of("the first range", first), 0.0)
    w2 = np.where(free, weights_of("the second range", second), 0.0)
    w1, w2 = _playable(w1, w2, dealt)
    if samples is not None:
        n = whole("samples", samples, 2)
        wins, ties = sampled_counts(w1, w2, dealt, n, seed)
        return Equity(
            win=wins / n, tie=ties / n, lose=(n - wins - ties) / n, total=float(n), samples=n
        )
    # Scaled by powers of two, which changes nothing but what would overflow or vanish.
    power1, power2 = (int(np.frexp(w.max())[1]) for w in (w1, w2))
    found = exact_sums(np.ldexp(w1, -power1), np.ldexp(w2, -power2), dealt)
    win, tie = (max(0.0, part / found[2]) for part in found[:2])
    total = float(np.ldexp(found[2], power1 + power2))
    return Equity(win=win, tie=tie, lose=max(0.0, 1.0 - win - tie), total=total)


def weights_of(name: str, given: Range) -> Weights:
    """A range as weights, checked."""
    if isinstance(given, str):
        return parse(given)
    array = np.asarray(given)
    if array.shape != (HANDS,) or array.dtype.kind not in "biuf":
        raise RulesError(
            f"{name} is an array of {array.dtype} and shape {array.shape}, expected a text "
            f"or {HANDS} weights"
        )
    weights: Weights = array.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        hand = "".join(Deck().text(card) for card in pairs()[wrong[0]][::-1])
        raise RulesError(
            f"{name} has the weight {weights[wrong[0]]} for {hand}, expected finite numbers of "
            f"at least 0 ({len(wrong)} are wrong)"
        )
    return weights


def board_of(given: str | Iterable[int]) -> NDArray[np.uint8]:
    """The cards of a board, checked.

    >>> board_of("2c 2d As").tolist()
    [0, 1, 51]
    """
    deck = Deck()
    if isinstance(given, str):
        letters = "".join(given.replace(",", " ").split())
        found = [deck.card(letters[k : k + 2]) for k in range(0, len(letters), 2)]
    else:
        found = [
            whole(f"board[{k}]", card, 0, CARDS - 1, error=RulesError)
            for k, card in enumerate(given)
        ]
    for k, card in enumerate(found):
        if card in found[:k]:
            raise RulesError(f"the board has the card {deck.text(card)} twice")
    if len(found) not in BOARDS:
        raise RulesError(f"the board has {len(found)} cards, expected 0, 3, 4 or 5")
    return np.array(found, np.uint8)


def _playable(w1: Weights, w2: Weights, board: NDArray[np.uint8]) -> tuple[Weights, Weights]:
    """The ranges without hands that the other one leaves no hand for; refused if that is all.

    Partners are counted in whole numbers: sums of weights would leave rounding errors.
    """
    shown = "".join(Deck().text(card) for card in board.tolist())
    where = f" on the board {shown}" if shown else ""
    for name, weights in (("first", w1), ("second", w2)):
        if not weights.any():
            raise RulesError(f"the {name} range has no hand that can be dealt{where}")
    found = []
    for own, other in ((w1, w2 > 0), (w2, w1 > 0)):
        by_card = np.bincount(pairs()[other].ravel(), minlength=CARDS)
        partners = other.sum() + other - by_card[pairs()].sum(axis=1)
        found.append(np.where(partners > 0, own, 0.0))
    if not found[0].any():
        raise RulesError(f"the ranges have no two hands that can be dealt together{where}")
    return found[0], found[1]
