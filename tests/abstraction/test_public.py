from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from saddlepoint.abstraction import public
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.cluster import lloyd
from saddlepoint.abstraction.hands import Hands, hands_of, numbered
from saddlepoint.abstraction.percentile import percentile_buckets
from saddlepoint.abstraction.public import TABLES, boards_of, public_buckets, transitions
from saddlepoint.core.errors import GameError, SettingsError, SizeError
from saddlepoint.games.deal import deal_of_tables
from saddlepoint.games.poker import leduc, rhode_island


def slow_table(hands: Hands, r: int, base: Buckets, board: int, tables: str) -> NDArray[np.float64]:
    """The transition table of a board, bucket by bucket, from the definition."""
    assert hands.public is not None
    rows = base.sizes[r - 1] if r else 1
    found = np.zeros((rows, base.sizes[r]))
    on_board = [h for h in range(hands.size(r)) if hands.public[r][h] == board]
    for a in range(rows):
        from_a = [h for h in on_board if not r or base.groups[r - 1][hands.up[r][h]] == a]
        given = from_a if tables == "conditional" else on_board
        total = sum(hands.weight[r][h] for h in given)
        for h in from_a:
            found[a, base.groups[r][h]] += hands.weight[r][h] / total
    return found


@pytest.mark.parametrize("tables", TABLES)
def test_tables_are_those_of_the_definition(tables: str) -> None:
    for game in (leduc(), rhode_island(ranks="2345", suits=2)):
        hands = hands_of(game.deal)
        assert hands.public is not None
        base = percentile_buckets(hands, (3, 4, 5)[: hands.rounds], forget=True)
        for r in range(hands.rounds):
            found = transitions(hands, r, base, tables)
            for board, table in enumerate(found):
                slow = slow_table(hands, r, base, board, tables)
                np.testing.assert_allclose(table, slow, atol=1e-12)
            total = found.sum(axis=(1, 2) if tables == "joint" else 2)
            assert (np.isclose(total, 1) | (total == 0)).all()
            assert not np.isclose(found, found[0]).all() or r == 0


def texture(name: str) -> str:
    """What the two cards on a board have in common."""
    _, board = name.split("|")
    if board[0] == board[2]:
        return "pair"
    return "suited" if board[1] == board[3] else "neither"


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("seed", [0, 1])
def test_paired_and_suited_boards_come_apart(tables: str, seed: int) -> None:
    """Three public buckets by the distribution of strengths are the three textures."""
    hands = hands_of(rhode_island(ranks="23456789").deal)
    base = percentile_buckets(hands, (1, 1, 8), forget=True)
    found = public_buckets(hands, 2, 3, base, tables=tables, seed=seed)
    seen = {(texture(name), int(k)) for name, k in zip(hands.names[2], found, strict=True)}
    assert sorted(seen) == [("neither", 2), ("pair", 0), ("suited", 1)]


def made(tables: list[list[list[float]]], chance: list[float]) -> tuple[Hands, Buckets]:
    """Hands with these joint transition tables, and their base abstraction."""
    rows, columns = np.array(tables[0]).shape
    cells = list(product(range(len(tables)), range(rows), range(columns)))
    cells = [c for c in cells if tables[c[0]][c[1]][c[2]] > 0]
    weight = np.array([chance[b] * tables[b][i][j] for b, i, j in cells])
    up = np.array([i for _, i, _ in cells])
    nothing = np.zeros(len(cells))
    hands = Hands(
        names=([str(i) for i in range(rows)], [str(c) for c in cells]),
        up=(np.zeros(rows, np.int64), up),
        weight=(np.bincount(up, weight), weight),
        win=(np.zeros(rows), nothing),
        lose=(np.zeros(rows), nothing),
        public=(np.zeros(rows, np.int64), 7 * np.array([b for b, _, _ in cells])),
    )
    return hands, Buckets((np.arange(rows), np.array([j for _, _, j in cells])), "made")


def by_board(hands: Hands, found: NDArray[np.int64]) -> list[int]:
    board = boards_of(hands, 1)
    pairs = np.unique(np.column_stack([board, found]), axis=0)
    assert len(pairs) == board.max() + 1  # hands of one board share their bucket
    return [int(k) for k in pairs[:, 1]]


STAY, CROSS = [[0.5, 0.0], [0.0, 0.5]], [[0.0, 0.5], [0.5, 0.0]]


def test_equal_tables_share_a_bucket() -> None:
    hands, base = made([STAY, CROSS, STAY, CROSS, STAY], [0.1, 0.2, 0.3, 0.3, 0.1])
    for n in (2, 3, 5):
        assert by_board(hands, public_buckets(hands, 1, n, base)) == [0, 1, 0, 1, 0]
    assert by_board(hands, public_buckets(hands, 1, 1, base)) == [0] * 5


def test_what_differs_by_rounding_is_equal() -> None:
    third = [[0.1 + 0.2, 0.1], [0.2, 0.4]]
    hands, base = made([third, [[0.3, 0.1], [0.2, 0.4]], STAY], [0.3, 1 / 3, 0.3])
    assert by_board(hands, public_buckets(hands, 1, 3, base)) == [0, 0, 1]


def test_rows_count_alike_or_by_their_probability() -> None:
    """Boards 0 and 1 differ in a rare row only, boards 0 and 2 in a common one, by less."""
    tables = [
        [[0.0, 0.1], [0.45, 0.45]],
        [[0.1, 0.0], [0.45, 0.45]],
        [[0.0, 0.1], [0.7, 0.2]],
    ]
    hands, base = made(tables, [1 / 3] * 3)
    found = {t: by_board(hands, public_buckets(hands, 1, 2, base, tables=t)) for t in TABLES}
    assert found == {"conditional": [0, 1, 0], "joint": [0, 0, 1]}


def test_boards_weigh_by_their_probability() -> None:
    """One likely board in the middle is worth a centre of its own, an unlikely one is not."""
    line = [[[x, 1.0 - x]] for x in (0.1, 0.4, 0.9, 0.95)]
    for chance, expected in (([0.48, 0.48, 0.02, 0.02], [0, 1, 1, 1]), ([0.25] * 4, [0, 0, 1, 1])):
        hands, base = made(line, chance)
        assert by_board(hands, public_buckets(hands, 1, 2, base)) == expected


def error(points: NDArray[np.float64], chance: NDArray[np.float64], part: list[int]) -> float:
    total = 0.0
    for k in set(part):
        here = [i for i, j in enumerate(part) if j == k]
        centre = np.average(points[here], axis=0, weights=chance[here])
        total += float(chance[here] @ ((points[here] - centre) ** 2).sum(axis=1))
    return total


def test_two_buckets_are_the_best_ones() -> None:
    """All divisions of the boards of a small deck are tried."""
    hands = hands_of(rhode_island(ranks="23456789TJQ").deal)
    base = percentile_buckets(hands, (5, 7, 1), forget=True)
    points = transitions(hands, 1, base).reshape(11, -1)
    chance = np.bincount(boards_of(hands, 1), hands.weight[1])
    found = error(points, chance, by_board(hands, public_buckets(hands, 1, 2, base)))
    best = min(error(points, chance, [0, *rest]) for rest in product((0, 1), repeat=10))
    assert found == pytest.approx(best)


def test_new_buckets_lie_within_remembered_ones() -> None:
    hands = hands_of(rhode_island(ranks="23456", suits=3).deal)
    base = percentile_buckets(hands, (3, 6, 6), forget=True)
    above = public_buckets(hands, 1, 2, base)[hands.up[2]]
    found = public_buckets(hands, 2, 3, base, above=above, restarts=2000)
    assert len(np.unique(numbered(found, above))) == found.max() + 1 == 6
    assert (above[np.argsort(found, kind="stable")] == np.sort(above)).all()
    # The boards below each remembered bucket are clustered as if there were no others.
    points = transitions(hands, 2, base)
    points = points.reshape(len(points), -1)
    board = boards_of(hands, 2)
    chance = np.bincount(board, hands.weight[2])
    for k in (0, 1):
        here = np.unique(board[above == k])
        part = [int(found[board == b][0]) for b in here]
        best = lloyd(points[here], chance[here], 3, restarts=2000, seed=1)
        assert error(points[here], chance[here], part) == pytest.approx(best.error)


def test_without_public_cards_there_is_one_bucket() -> None:
    hands = hands_of(leduc().deal)
    base = percentile_buckets(hands, (3, 3))
    assert public_buckets(hands, 0, 5, base).tolist() == [0, 0, 0]


def test_a_seed_gives_the_same_buckets() -> None:
    hands = hands_of(rhode_island(ranks="234567", suits=3).deal)
    base = percentile_buckets(hands, (3, 6, 6), forget=True)
    one, two = (public_buckets(hands, 2, 6, base, restarts=1, seed=3) for _ in range(2))
    assert (one == two).all()


def test_what_cannot_be_done_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = hands_of(leduc().deal)
    base = percentile_buckets(hands, (3, 3))
    with pytest.raises(GameError, match="does not say which cards are public"):
        public_buckets(replace(hands, public=None), 1, 2, base)
    table = np.ones((2, 2)) / 4
    bare = hands_of(deal_of_tables(table, table, (["a", "b"], ["a", "b"])))
    with pytest.raises(GameError, match="does not say which cards are public"):
        boards_of(bare, 0)
    with pytest.raises(GameError, match=r"hands on the board of 'Q\|J' have different remembered"):
        public_buckets(hands, 1, 2, base, above=np.array([1, 0, 0, 0, 0, 0, 0, 0, 0]))
    with pytest.raises(SettingsError, match=r"shape \(2,\), expected one for each of 9 hands"):
        public_buckets(hands, 1, 2, base, above=[0, 0])
    with pytest.raises(SettingsError, match="unknown tables 'rows'"):
        transitions(hands, 1, base, "rows")
    with pytest.raises(SettingsError, match="n is 0"):
        public_buckets(hands, 1, 0, base)
    monkeypatch.setattr(public, "MOST_ENTRIES", 50)
    with pytest.raises(SizeError, match="3 boards from 3 to 7 buckets in round 2 have 63 entries"):
        transitions(hands, 1, base)
