"""Numbers for hands and hands for numbers, against the slow twin and a bound.

The twin takes the smallest key over all 24 renamings of suits (`cards.isomorphism`); it makes
keys and not numbers without gaps. The bound reads the cards and adds up one entry of a table
for each, which every numbering has to do at least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from measuring import in_turn, once, report, seconds
from saddlepoint.cards.index import HandIndex
from saddlepoint.cards.isomorphism import canonical_keys
from saddlepoint.core.kernel import kernel

HANDS, TWIN_HANDS = 1_000_000, 50_000
STREETS = ([2], [2, 3], [2, 3, 1], [2, 3, 1, 1], [2, 4], [2, 5])


@kernel
def _sums(hands: NDArray[np.int64], table: NDArray[np.int64], sums: NDArray[np.int64]) -> None:
    """Add up a table's entries for the cards of each hand."""
    for row in range(hands.shape[0]):
        total = 0
        for column in range(hands.shape[1]):
            total += table[hands[row, column]]
        sums[row] = total


def main() -> None:
    rng = np.random.default_rng(1)
    decks = rng.permuted(np.tile(np.arange(52), (HANDS, 1)), axis=1)
    table, sums = rng.integers(0, 1000, 52), np.zeros(HANDS, np.int64)
    for streets in STREETS:
        hands = np.ascontiguousarray(decks[:, : sum(streets)])
        narrow = hands.astype(np.uint8)
        built, index = once(lambda s=streets: HandIndex(s))
        numbers = index.index(hands)
        work = [
            lambda i=index, h=hands: i.index(h),
            lambda i=index, h=narrow: i.index(h),
            lambda i=index, n=numbers: i.unindex(n),
            lambda h=hands: _sums(h, table, sums),
        ]
        wide, thin, back, bound = in_turn(*work)
        report(
            "numbers for hands",
            "saddlepoint",
            streets=streets,
            classes=index.size,
            million_hands_per_second=HANDS / wide / 1e6,
            million_uint8_hands_per_second=HANDS / thin / 1e6,
            million_hands_back_per_second=HANDS / back / 1e6,
            times_the_bound=wide / bound,
            preparation_milliseconds=built * 1e3,
            model="O(cards) a hand, O(cards * ranks) back",
        )
        few = hands[:TWIN_HANDS]
        took = seconds(
            lambda h=few, i=index, s=streets: canonical_keys(i.deck, h, s, "suits"), repeat=3
        )
        report(
            "numbers for hands",
            "smallest of 24 renamings",
            streets=streets,
            million_hands_per_second=TWIN_HANDS / took / 1e6,
        )


if __name__ == "__main__":
    main()
