"""Our Kuhn poker and Leduc Hold'em in OpenSpiel's words: which of our moves is which of theirs.

The games are the same, but are built independently: ours from betting and a deal, theirs
from rules of their own, in which every card is distinct. What joins them is the history of
cards and moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Any, NamedTuple

from saddlepoint.cards.deck import Deck
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.sequence.strategy import Strategy

# Our moves in the order of OpenSpiel's numbers.
_LEDUC_MOVES = "fcr"


class Seen(NamedTuple):
    """What a player knows at a state of OpenSpiel's: cards by number, betting as we write it."""

    cards: tuple[int, ...]
    betting: str
    moves: tuple[str, ...]
    """Our names of the legal actions, in their order."""


class Twin(NamedTuple):
    """OpenSpiel's twin of a game of the catalogue: its name, and how its states are read."""

    name: str
    rules: Mapping[str, Any]
    ranks: int
    suits: int
    seen: Callable[[Any], Seen]


def seen_in_kuhn(state: Any) -> Seen:
    """What the mover of a state of `kuhn_poker` knows. Its actions are pass and bet."""
    history, facing, letters = state.history(), False, ""
    for action in history[2:]:
        letters += ("c" if facing else "r") if action == 1 else ("f" if facing else "c")
        facing = facing or action == 1
    moves = ("f", "c") if facing else ("c", "r")
    return Seen((history[state.current_player()],), letters, moves)


def seen_in_leduc(state: Any) -> Seen:
    """What the mover of a state of `leduc_poker` knows. Its actions are fold, call, raise."""
    history = state.history()
    cards, letters, public = [history[state.current_player()]], "", False
    for action in history[2:]:
        if public:
            cards.append(action)
            letters, public = letters + "/", False
            continue
        # A call ends the round, but for a check that opens it.
        opens = not letters or letters.endswith("/")
        letters += _LEDUC_MOVES[action]
        public = action == 1 and not opens and len(cards) == 1
    return Seen(tuple(cards), letters, tuple(_LEDUC_MOVES[a] for a in state.legal_actions()))


TWINS = {
    "kuhn": Twin("kuhn_poker", {"ante": 1, "bet": 1, "raises": 0}, 3, 1, seen_in_kuhn),
    "leduc": Twin("leduc_poker", {"ante": 1, "bets": [2, 4], "raises": 1}, 3, 2, seen_in_leduc),
}


def twin_of(spec: Mapping[str, Any], name: str) -> tuple[Twin, Deck]:
    """OpenSpiel's twin of the game of a spec, and our deck.

    Raises
    ------
    GameError
        If OpenSpiel has no such game, saying what differs.
    """
    twin = TWINS.get(str(spec.get("game")))
    if twin is None:
        known = " and ".join(TWINS)
        raise GameError(f"OpenSpiel has no twin of {name}; of the catalogue it has {known}")
    parameters = spec["parameters"]
    deck = Deck(parameters["ranks"], parameters.get("suits", 1))
    expected = dict(twin.rules)
    found = {key: parameters[key] for key in expected}
    if len(deck.ranks) != twin.ranks or deck.suits != twin.suits:
        raise GameError(
            f"OpenSpiel's {twin.name} has {twin.ranks} ranks in {twin.suits} suits, "
            f"this {name} has {len(deck.ranks)} in {deck.suits}"
        )
    for key, value in found.items():
        if (list(value) if isinstance(value, tuple) else value) != expected[key]:
            raise GameError(
                f"OpenSpiel's {twin.name} has {key} {expected[key]}, this {name} has {value}"
            )
    return twin, deck


def infoset(strategy: Strategy, seen: Seen, deck: Deck) -> str:
    """Our name of the information set of what a player has seen, in whatever suits it has."""
    for name in _names(seen, deck):
        if name in strategy:
            return name
    raise StrategyError(f"the strategy has no information set '{next(_names(seen, deck))}'")


def _names(seen: Seen, deck: Deck) -> Iterator[str]:
    """The names that an information set may have: by cards, by ranks, by renamed suits."""
    plain = Deck(deck.ranks, 1)
    ranks = [plain.text(card // deck.suits) for card in seen.cards]
    for suits in permutations(range(deck.suits)):
        cards = [
            deck.text(card - card % deck.suits + suits[card % deck.suits]) for card in seen.cards
        ]
        yield _name(cards, seen.betting)
        yield _name(ranks, seen.betting)


def _name(cards: list[str], betting: str) -> str:
    return f"{cards[0]}{'|' if len(cards) > 1 else ''}{''.join(cards[1:])}:{betting}"
