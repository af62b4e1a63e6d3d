"""Ranking of poker hands and equities, against eval7, phevaluator and PokerKit.

The cost model. A hand of seven cards costs seven loads of keys and two loads of tables, which
stay in the second-level cache: O(hands), a few nanoseconds each. All hands are counted in nested
loops with partial sums, which leaves one load of a key. A pair of hands before the flop costs
two rankings on each of 1,712,304 boards; ranges cost O(boards * hands), with the boards up to
the suits that both ranges treat alike. A sample costs a search for the pair of hands, some random
numbers and two rankings. (eval7's exact equities do not deal the rest of the board, so only its
samples compare.)

The peers rank one hand a call. They get their own kind of cards, made beforehand, so what is
measured is the call: for them that is most of it. `checked` is our public function, which looks
for wrong and double cards first; `kernel` is what a solver calls.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from measuring import in_turn, once, report, seconds
from saddlepoint.cards.deck import Deck
from saddlepoint.cards.equity import equity
from saddlepoint.cards.evaluation import frequencies, rank_hands, strengths
from saddlepoint.cards.hand_tables import tables

MANY, FEW, FEWEST = 4_000_000, 100_000, 300
SAMPLES = 1_000_000
RANGES = (
    ("AA", "KK", ""),
    ("AsAh", "random", ""),
    ("QQ+,AKs", "TT+,AQ+", ""),
    ("random", "random", ""),
    ("random", "random", "Ts9s2d"),
)


def hands_at_random(n: int, size: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    parts = [
        np.argsort(rng.random((100_000, 52)), axis=1)[:, :size] for _ in range(-(-n // 100_000))
    ]
    return np.concatenate(parts)[:n].astype(np.uint8)


def peer(name: str, benchmark: str) -> Any:
    """A module, or None and a line that says that it is missing."""
    try:
        return import_module(name)
    except ImportError:
        report(benchmark, name, missing=True)
        return None


def ranking() -> None:
    for size in (5, 6, 7):
        known, hands = tables(size), hands_at_random(MANY, size)
        out = np.empty(MANY, np.int16)
        for who, work in (
            ("saddlepoint, kernel", lambda h=hands, t=known, o=out: rank_hands(h, t, o)),
            ("saddlepoint, checked", lambda h=hands: strengths(h)),
        ):
            took = seconds(work)
            report(
                f"ranking hands of {size} cards",
                who,
                millions_per_second=MANY / took / 1e6,
                kilobytes=sum(array.nbytes for array in known) / 1e3,
                model="O(hands)",
            )
    hands = hands_at_random(FEW, 7)
    for name, prepare in (
        ("eval7", _eval7),
        ("phevaluator", _phevaluator),
        ("pokerkit", _pokerkit),
    ):
        module = peer(name, "ranking hands of 7 cards")
        if module is not None:
            rows = hands[: FEWEST if name == "pokerkit" else FEW].tolist()
            took = seconds(prepare(module, rows), repeat=3)
            report("ranking hands of 7 cards", name, millions_per_second=len(rows) / took / 1e6)


def _eval7(module: Any, rows: list[list[int]]) -> Callable[[], Any]:
    cards = [module.Card(Deck().text(card)) for card in range(52)]
    hands = [[cards[card] for card in row] for row in rows]
    return lambda: [module.evaluate(hand) for hand in hands]


def _phevaluator(module: Any, rows: list[list[int]]) -> Callable[[], Any]:
    return lambda: [module.evaluate_cards(*row) for row in rows]


def _pokerkit(module: Any, rows: list[list[int]]) -> Callable[[], Any]:
    hands = [tuple(module.Card.parse("".join(map(Deck().text, row)))) for row in rows]
    return lambda: [module.StandardHighHand.from_game(hand) for hand in hands]


def counting() -> None:
    for size in (5, 6, 7):
        report(
            f"all hands of {size} cards",
            "saddlepoint",
            hands=int(frequencies(size).sum()),
            seconds=seconds(lambda n=size: frequencies(n), repeat=5),
            model="O(hands)",
        )
    took, _ = once(lambda: tables.__wrapped__(7))
    report("tables for 7 cards, made again", "saddlepoint", seconds=took)


def equities() -> None:
    for first, second, board in RANGES:
        took = seconds(lambda a=first, b=second, c=board: equity(a, b, c), repeat=3)
        found = equity(first, second, board)
        report(
            "exact equity",
            "saddlepoint",
            first=first,
            second=second,
            board=board,
            deals=found.total,
            equity=found.equity,
            seconds=took,
            model="O(boards * hands)",
        )


def sampled() -> None:
    """Sampled equities: deals a second."""
    works = {"saddlepoint": lambda: equity("AsAh", "KK", samples=SAMPLES)}
    module = peer("eval7", "sampled equity")
    if module is not None:
        kings, aces = module.HandRange("KK"), [module.Card("As"), module.Card("Ah")]
        draw = module.equity.py_hand_vs_range_monte_carlo
        works["eval7"] = lambda: draw(aces, kings, [], SAMPLES)
    for who, took in zip(works, in_turn(*works.values()), strict=True):
        report("sampled equity", who, millions_per_second=SAMPLES / took / 1e6)
    module = peer("pokerkit", "sampled equity")
    if module is not None:
        ranges = [module.parse_range("AsAh"), module.parse_range("KK")]
        took, _ = once(
            lambda: module.calculate_equities(
                ranges,
                [],
                2,
                5,
                module.Deck.STANDARD,
                (module.StandardHighHand,),
                sample_count=FEWEST,
            )
        )
        report("sampled equity", "pokerkit", millions_per_second=FEWEST / took / 1e6)


if __name__ == "__main__":
    ranking()
    counting()
    equities()
    sampled()
