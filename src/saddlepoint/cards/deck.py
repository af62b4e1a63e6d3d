"""Decks of any ranks and suits, and the text of their cards.

A card is a number: `rank * suits + suit`, lowest rank first. Its text is a rank letter
and a suit letter, `As`; where a deck has one suit, or suits do not matter, the rank alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from saddlepoint.core.checks import text, whole
from saddlepoint.core.errors import RulesError

RANKS = "23456789TJQKA"
SUITS = "cdhs"


@dataclass(frozen=True)
class Deck:
    """A deck with one card of every rank in every suit.

    Parameters
    ----------
    ranks
        Rank letters from the lowest to the highest, a part of `23456789TJQKA` in order.
    suits
        How many suits, 1 to 4.

    Examples
    --------
    >>> deck = Deck("JQK", 2)
    >>> len(deck), deck.text(5), deck.card("Kd")
    (6, 'Kd', 5)
    """

    ranks: str = RANKS
    suits: int = 4

    def __post_init__(self) -> None:
        places = [RANKS.find(letter) for letter in text("ranks", self.ranks, error=RulesError)]
        if not places or -1 in places or sorted(set(places)) != places:
            raise RulesError(
                f"ranks are '{self.ranks}', expected letters of {RANKS} in this order, each once"
            )
        suits = whole("suits", self.suits, 1, len(SUITS), error=RulesError)
        object.__setattr__(self, "suits", suits)

    def __len__(self) -> int:
        return len(self.ranks) * self.suits

    def rank_text(self, card: int) -> str:
        """The rank letter of a card."""
        return self.ranks[card // self.suits]

    def text(self, card: int) -> str:
        """The text of a card."""
        suit = SUITS[card % self.suits] if self.suits > 1 else ""
        return self.rank_text(card) + suit

    def card(self, text: str) -> int:
        """The card of a text."""
        for card in range(len(self)):
            if self.text(card) == text:
                return card
        raise RulesError(
            f"unknown card '{text}', expected a rank of {self.ranks}"
            + (f" and a suit of {SUITS[: self.suits]}" if self.suits > 1 else "")
        )
