from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import saddlepoint as sp
from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.cards import coarse, grouped
from saddlepoint.core.errors import GameError, RecallError, RulesError
from saddlepoint.games.catalogue import game
from saddlepoint.games.poker import leduc, no_limit_leduc
from saddlepoint.solvers.methods import solve

TEXTS = ("JQK", "JQ.K", "J.QK", "J.Q.K", "full")


@pytest.mark.parametrize("first", TEXTS)
@pytest.mark.parametrize("second", TEXTS)
def test_pairs_of_classes_have_the_sums_of_their_hands(first: str, second: str) -> None:
    real = leduc()
    small = grouped(real, first, second)
    for r in range(2):
        one, two = (small.groups[k][r] for k in (0, 1))
        for kind in ("fold", "showdown"):
            whole = getattr(real.deal.rounds[r], kind).entries().dense()
            found = getattr(small.game.deal.rounds[r], kind).entries().dense()
            expected = np.zeros_like(found)
            for i in range(len(one)):
                for j in range(len(two)):
                    expected[one[i], two[j]] += whole[i, j]
            np.testing.assert_allclose(found, expected, atol=1e-15)


def test_sizes_and_names() -> None:
    small = grouped(leduc(), "JQ.K", "JQK")
    assert [len(r.names[0]) for r in small.game.deal.rounds] == [2, 4]
    assert list(small.game.deal.rounds[1].names[1]) == ["JQK|no pair", "JQK|pair"]
    assert small.game.sequence_form().name == "leduc seen as JQ.K-JQK"
    suited = grouped(leduc(isomorphism="cards"), "J.Q.K")
    assert [len(r.names[0]) for r in suited.game.deal.rounds] == [3, 6]


def test_who_sees_more_gets_more() -> None:
    """Coarser cards for a player never raise his value, in exact values of the games."""
    value = {
        (a, b): solve(grouped(leduc(), a, b).game, "lp").value
        for a in ("JQK", "JQ.K", "J.Q.K", "full")
        for b in ("JQK", "full")
    }
    for b in ("JQK", "full"):
        row = [value[a, b] for a in ("JQK", "JQ.K", "J.Q.K", "full")]
        assert row == sorted(row)
    assert value["full", "full"] == pytest.approx(-0.0856064, abs=1e-7)
    for a in ("JQK", "full"):
        assert value[a, "full"] <= value[a, "JQK"] + 1e-12


def test_bad_groups_are_refused() -> None:
    for text in ("JQ", "JQ.KA", "JQ..K", "J.Q.K.K", ""):
        with pytest.raises(RulesError, match="do not name each of the ranks J, K, Q once"):
            grouped(leduc(), text)
    with pytest.raises(GameError, match="different hands"):
        AbstractGame.of(leduc(), leduc(isomorphism="cards"))
    with pytest.raises(GameError, match="rounds of betting"):
        AbstractGame.of(leduc(), game("kuhn"))


def test_forgotten_cards_are_refused() -> None:
    deal = no_limit_leduc().deal
    full, forgets = (np.arange(3), np.arange(9)), (np.arange(3), np.zeros(9, np.int64))
    names = [list(r.names[0]) for r in deal.rounds]
    with pytest.raises(RecallError, match="player 2 would forget his cards"):
        coarse(deal, (full, forgets), (names, names))


@pytest.mark.parametrize(("menu", "cards"), [("fcpa", None), (None, "JQ.K-J.QK"), ("fcha", "J.QK")])
def test_files_of_abstract_games_know_their_game(
    menu: str | None, cards: str | None, tmp_path: Path
) -> None:
    pair = sp.shrink(sp.game("no-limit-leduc:stack=7"), menu, cards)
    solution = sp.solve(pair.game, "cfr+", iterations=5)
    path = solution.save(tmp_path / "small.saddle")
    loaded = sp.load(path)
    assert loaded.profile.first.treeplex.fingerprint == pair.game.sequence_form().X.fingerprint
    assert sp.exploitability(loaded) == sp.exploitability(solution)
