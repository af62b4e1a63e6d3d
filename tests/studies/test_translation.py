"""Tables of paper 001: that they come out, by independent arithmetic where there is some."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saddlepoint.abstraction.bets import with_menu
from saddlepoint.games.menu import Menu
from saddlepoint.games.poker import no_limit_kuhn
from saddlepoint.reverse.mappings import MAPPINGS
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.recipes import Kitchen, reproduce
from saddlepoint.studies.tables import translation


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Kitchen:
    return Kitchen(Keeper(tmp_path_factory.mktemp("steps")), vertices=3)


@pytest.mark.parametrize(
    ("table", "least"),
    [
        *(("1", 20), ("2", 47), ("3", 49), ("4", 49), ("section 5", 3), ("figure 1", 4)),
        *(("appendix A", 16), ("section 9.2", 12), ("footnote 6", 7)),
    ],
)
def test_tables_come_out(kitchen: Kitchen, table: str, least: int) -> None:
    found = reproduce("001", table, kitchen)
    assert found.reproduced >= least
    assert all(cell.why for cell in found.cells if cell.status == "differs")


@pytest.mark.slow
def test_best_sizes_come_out(kitchen: Kitchen) -> None:
    assert reproduce("001", "5", kitchen).reproduced >= 43


@pytest.mark.slow
def test_leduc_comes_close(tmp_path: Path) -> None:
    """Player 1's column within 0.01 on average with the unselected vertex."""
    cells = reproduce("001", "6", Kitchen(Keeper(tmp_path), vertices=20)).cells
    off = [abs(c.ours - c.published) for c in cells if c.cell.endswith("P1")]
    assert np.mean(off) < 0.01
    assert sum(c.status == "differs" for c in cells) <= 3


def losses_by_hand(n: int, mapping: str, size: float, rare: bool) -> float:
    """Player 2's exploitability in no-limit Kuhn poker, from the cards and the bets."""
    queen = max(0.0, (1.0 - size) / (1.0 + size))
    king = 2.0 / (1.0 + n) if rare else 1.0
    calls = {"J": (1.0, 0.0, 0.0), "Q": (1.0, queen, 0.0), "K": (1.0, 1.0, king)}
    f = (MAPPINGS | translation.AS_PUBLISHED)[mapping]
    value = 0.0
    for card in "JQK":
        others = [c for c in "JQK" if c != card]
        sign = {c: 1.0 if "JQK".index(card) > "JQK".index(c) else -1.0 for c in others}
        best = sum(0.5 * sign[c] for c in others)  # a check, and a showdown for half a pot
        for k in range(1, 10 * n + 1):
            x, total = k * 0.1, 0.0
            low, high = (0, 1) if x <= size + 1e-12 else (1, 2)
            A, B = (0.0, size, float(n))[low], (0.0, size, float(n))[high]
            share = float(f(A, B, min(max(x, A), B)))
            for c in others:
                call = share * calls[c][low] + (1.0 - share) * calls[c][high]
                total += (1.0 - call) * 0.5 + call * sign[c] * (0.5 + x)
            best = max(best, total)
        value += best / 6.0
    return value - translation.KUHN_VALUE


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize(("n", "size"), [(3, 1.0), (5, 0.4), (10, 0.7)])
def test_kuhn_by_hand(n: int, size: float, mapping: str) -> None:
    found = translation.kuhn_losses(n, size)[mapping]
    expected = losses_by_hand(n, mapping, size, rare=n >= translation.RARE_CALLS_FROM)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("size", [0.4, 0.7, 1.0, 2.5])
@pytest.mark.parametrize("rare", [True, False])
def test_the_callers_of_no_limit_kuhn_poker(size: float, rare: bool) -> None:
    """The equilibria that the tables ask for, in closed form."""
    n = 5
    caller = translation.kuhn_caller(with_menu(no_limit_kuhn(stack=n), Menu(bets=(size,))), rare)
    queen = max(0.0, (1.0 - size) / (1.0 + size))
    king = 2.0 / (1.0 + n) if rare else 1.0
    expected = {"J": (0.0, 0.0), "Q": (queen, 0.0), "K": (1.0, king)}
    for card, (small, all_in) in expected.items():
        assert caller[f"{card}:r{size:g}"]["c"] == pytest.approx(small, abs=1e-9)
        assert caller[f"{card}:r{n}"]["c"] == pytest.approx(all_in, abs=1e-9)


def test_player_1_of_table_6(tmp_path: Path) -> None:
    """The unselected equilibrium of fcpa, by all mappings: near, on average, to what is printed."""
    cells = reproduce("001", "6", Kitchen(Keeper(tmp_path), vertices=1)).cells
    first = [cell for cell in cells if cell.cell.endswith("P1")]
    assert len(first) == 7
    assert np.mean([abs(cell.ours - cell.published) for cell in first]) < 0.01
