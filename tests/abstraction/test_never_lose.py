from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from rhode_buckets import bucketed
from saddlepoint.abstraction.never_lose import Needless, Nodes, needless_moves, never_lose
from saddlepoint.cards.deck import Deck
from saddlepoint.games.betting import BettingRules, BettingTree
from saddlepoint.games.catalogue import game
from saddlepoint.games.deal import Deal, deal_of_tables
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import clairvoyance, kuhn, leduc, poker, rhode_island
from saddlepoint.games.program_size import program_size
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.response import gap
from saddlepoint.solvers.actions import Side
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.restrict import restrict
from saddlepoint.solvers.run import run


def high_cards(**betting: object) -> FactoredGame:
    """Two rounds in which the ace never loses, as nothing pairs; 1 chip is the ante."""
    rules = BettingRules(**{"rounds": 2, "first": (1, 2), **betting})  # type: ignore[arg-type]
    return poker("high cards", {}, rules, Deck("QKA", 1), (0, 1), "high-card", "cards")


GAMES = {
    "kuhn": kuhn(),
    "kuhn with raises": kuhn(raises=2, ranks="TJQK"),
    "leduc": leduc(),
    "leduc with raises": leduc(raises=2),
    "clairvoyance": clairvoyance(stack=2, menu="p"),
    "no-limit leduc": game("no-limit-leduc:stack=4"),
    "rhode island": rhode_island(ranks="23A", suits=2, raises=0),
    "rhode island, all cards": rhode_island(ranks="2A", suits=2, raises=1, isomorphism="cards"),
    "high cards": high_cards(ante=1, bets=(1, 2), max_bets=2),
    "blinds": high_cards(blinds=(1, 2), bets=(2, 2), max_bets=2),
    "no bet fits in round 2": high_cards(ante=1, bets=(1, 9), stack=4),
}


@cache
def needless_of(name: str) -> Needless:
    found = GAMES[name]
    assert isinstance(found, FactoredGame)
    return Needless(found)


def without(
    form: SequenceForm, gone: tuple[Nodes, Nodes]
) -> tuple[SequenceForm, tuple[Nodes, Nodes]]:
    """The form without some sequences, and where the rest was."""
    parts = []
    for plex, sequences in zip((form.X, form.Y), gone, strict=True):
        mask = np.ones(plex.n_sequences, bool)
        mask[sequences] = False
        parts.append(restrict(plex, mask))
    (X, x), (Y, y) = parts
    A = PayoffOperator.of(form.A.to_sparse()[x][:, y])
    return SequenceForm(X, Y, A), (x, y)


@pytest.mark.parametrize("name", GAMES)
def test_what_goes_is_dominated(name: str) -> None:
    """By another action of its information set, as linear programs say that know no cards."""
    needless = needless_of(name)
    form = needless.game.sequence_form()
    for player, plex in ((1, form.X), (2, form.Y)):
        side, gone = Side(form, player), needless.sequences(player)
        for q in gone.tolist():
            siblings = plex.sequences(int(plex.flat.infoset[q]))
            stays = [a for a in range(*siblings.indices(plex.n_sequences)) if a not in gone]
            assert any(side.dominates(a, q) for a in stays)


@pytest.mark.parametrize("name", GAMES)
def test_the_value_stays_and_equilibria_are_those_of_the_whole(name: str) -> None:
    needless = needless_of(name)
    form = needless.game.sequence_form()
    gone = needless.sequences(1), needless.sequences(2)
    small, origins = without(form, gone)
    found = run(small, LinearProgram())
    assert found.value == pytest.approx(run(form, LinearProgram()).value, abs=1e-10)
    plans = []
    for strategy, plex, origin in zip(found.profile, (form.X, form.Y), origins, strict=True):
        plan = np.zeros(plex.n_sequences)
        plan[origin] = strategy.plan
        plans.append(plan)
    assert gap(form.X, form.Y, form.A, *plans).gap <= 1e-9
    for player in (1, 2):
        size = needless.shape(player)
        own, other = (small.X, small.Y) if player == 1 else (small.Y, small.X)
        assert size.columns == own.n_sequences + other.n_infosets + 1
        assert size.rows == other.n_sequences + own.n_infosets + 1
        assert needless.count(player) == len(gone[player - 1]) == len(set(gone[player - 1]))


def test_hands_that_never_lose() -> None:
    kings = never_lose(kuhn().deal, 2)
    assert [safe.tolist() for safe in kings] == [[False, False, True]]
    aces = high_cards(ante=1, bets=(1, 2), max_bets=2).deal
    for player in (1, 2):
        names = [
            np.array(r.names[player - 1])[safe].tolist()
            for r, safe in zip(aces.rounds, never_lose(aces, player), strict=True)
        ]
        assert names[0] == ["A"]
        # A king is safe once the ace is on the board, a queen never.
        assert sorted(names[1]) == ["A|K", "A|Q", "K|A"]


def test_players_are_told_apart() -> None:
    """Player 1's first class loses to the second of player 2, who loses to the others."""
    showdown = np.array([[0.0, -0.25], [0.25, 0.0], [0.0, 0.25]])
    deal = deal_of_tables(np.abs(showdown) + 1e-3, showdown, (("a", "b", "c"), ("d", "e")))
    assert never_lose(deal, 1)[0].tolist() == [False, True, True]
    assert never_lose(deal, 2)[0].tolist() == [False, False]
    deal = deal_of_tables(np.abs(showdown) + 1e-3, showdown[:1], (("a",), ("d", "e")))
    assert never_lose(deal, 2)[0].tolist() == [True, True]


def test_losses_that_are_rounding_errors_are_none() -> None:
    showdown = np.array([[0.5, -1e-17], [0.25, 0.0]])
    deal = deal_of_tables(np.full((2, 2), 0.25), showdown, (("a", "b"), ("d", "e")))
    assert never_lose(deal, 1)[0].tolist() == [True, True]


@pytest.mark.parametrize("isomorphism", ["suits", "cards"])
def test_hands_sorted_by_strength_say_what_pairs_of_hands_say(isomorphism: str) -> None:
    found = []
    for realisation in ("tables", "cards"):
        small = rhode_island(
            ranks="2345", suits=2, isomorphism=isomorphism, realisation=realisation
        )
        found.append([safe.tolist() for safe in never_lose(small.deal, 1)])
    assert found[0] == found[1]
    assert 0 < sum(found[0][2]) < len(found[0][2])


def slowly(deal: Deal, player: int) -> list[list[bool]]:
    """The definition, class by class and board by board."""
    final = len(deal.rounds) - 1
    W = deal.rounds[final].showdown.entries().dense()
    W = W if player == 1 else -W.T
    safe = [[all(w > -1e-15 for w in row) for row in W.tolist()]]
    for r in range(final, 0, -1):
        up = deal.rounds[r].up[player - 1].tolist()
        safe.insert(
            0,
            [
                all(ok for ok, before in zip(safe[0], up, strict=True) if before == k)
                for k in range(deal.classes(player, r - 1))
            ],
        )
    return safe


@pytest.mark.parametrize("name", GAMES)
def test_classes_are_those_of_the_definition(name: str) -> None:
    deal = needless_of(name).game.deal
    for player in (1, 2):
        assert [safe.tolist() for safe in never_lose(deal, player)] == slowly(deal, player)


def test_moves_of_one_round_with_three_bets() -> None:
    """Player 1 needs no fold or call to a bet that he may raise, and does not fold to the last;
    player 2 does not check behind either. Player 1's check is no showdown and stays."""
    tree = BettingTree.of(BettingRules(ante=1, bets=(1,), max_bets=3))
    texts = [{tree.history(n) for n in needless_moves(tree, player).tolist()} for player in (1, 2)]
    assert texts[0] == {"crf", "crc", "rrf", "rrc", "crrrf"}
    assert texts[1] == {"cc", "rf", "rc", "crrf", "crrc", "rrrf"}


def test_moves_count_in_the_round_in_which_they_are_made() -> None:
    """A call in round 1 ends in round 2, where no bet fits any more."""
    needless = needless_of("no bet fits in round 2")
    for player in (1, 2):
        assert needless.hands(player) == (1, 3)
        moves = needless.moves(player)
        assert moves[0] > 0
        assert moves[1] == 0


def test_rhode_island_with_the_buckets_of_the_thesis() -> None:
    """Section 5.2.1 of thesis 003: 1,190,443 rows and 1,181,084 columns are left."""
    needless = Needless(bucketed())
    assert needless.hands(1) == needless.hands(2) == (0, 0, 191)
    assert needless.moves(1)[2] == 49 * 5
    assert needless.moves(2)[2] == 49 * 6
    whole, left = program_size(needless.game, 2), needless.shape(2)
    assert (whole.rows, whole.columns) == (1_237_238, 1_237_238)
    assert (left.rows, left.columns) == (1_190_443, 1_181_084)


def test_rhode_island_with_all_cards_distinct() -> None:
    """Section 5.2.1: 89,471,986 rows by 89,121,538 columns are left."""
    needless = Needless(rhode_island(isomorphism="cards"))
    assert needless.hands(1) == needless.hands(2) == (0, 0, 7152)
    left = needless.shape(2)
    assert (left.rows, left.columns) == (89_471_986, 89_121_538)


def test_as_many_hands_never_lose_up_to_suits() -> None:
    """The 531 classes of hands that never lose stand for those 7,152 of 132,600 hands."""
    deal = rhode_island().deal
    safe = never_lose(deal, 1)[2]
    pairs = deal.joint(2)
    held = np.bincount(pairs.rows, pairs.values, deal.classes(1, 2))
    assert int(safe.sum()) == 531
    assert held[safe].sum() * 132_600 == pytest.approx(7_152)


def test_hands_that_never_win_are_left_alone() -> None:
    """The jack of Kuhn poker could do without its calls; the published figures count none."""
    needless = Needless(kuhn())
    X, Y, _ = needless.game.sequence_form()
    assert [X.sequence_name(q) for q in needless.sequences(1)] == ["K:cr f"]
    assert [Y.sequence_name(q) for q in needless.sequences(2)] == ["K:c c", "K:r f"]
