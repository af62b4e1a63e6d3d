from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from saddlepoint.abstraction.buckets import Buckets, bucketed, buckets_of
from saddlepoint.abstraction.forgetting import ForgetfulGame, forgetful
from saddlepoint.abstraction.hands import hands_of, numbered
from saddlepoint.core.errors import GameError, RecallError
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import leduc, no_limit_leduc, rhode_island
from saddlepoint.measure.exact import expected_value
from saddlepoint.reverse.lift import lift_profile
from saddlepoint.sequence.strategy import Profile, Strategy
from saddlepoint.solvers.methods import solve
from saddlepoint.solvers.tied import TiedRegretMatching
from saddlepoint.solvers.ties import TiedForm

PAIRS = Buckets((np.arange(3), np.array([0, 0, 1] * 3)), "pairs")
# Of ranks J, Q, K: own cards and boards of Leduc's second round, in its order.
OWN, BOARD = np.array([1, 2, 0, 0, 2, 1, 0, 1, 2]), np.repeat([0, 1, 2], 3)


def by_strength(game: FactoredGame, sizes: Sequence[int]) -> Buckets:
    """In every round so many buckets, by strength alone."""
    hands, groups = hands_of(game.deal), []
    for r, size in enumerate(sizes):
        rank = np.argsort(np.argsort(hands.strength(r), kind="stable"), kind="stable")
        groups.append(numbered(rank * size // hands.size(r)))
    return Buckets(tuple(groups), "strength")


@cache
def example(name: str) -> ForgetfulGame:
    if name == "rhode island":
        game = rhode_island(ranks="234", suits=2)
        return forgetful(game, by_strength(game, (3, 4, 5)), by_strength(game, (2, 3, 7)))
    if name == "no-limit":
        return forgetful(no_limit_leduc(stack=6), PAIRS)
    if name == "one":
        return forgetful(leduc(), buckets_of(leduc().deal), PAIRS)
    return forgetful(leduc(), PAIRS)


GAMES = ("leduc", "one", "no-limit", "rhode island")


@pytest.mark.parametrize("name", GAMES)
def test_ties_are_equal_betting_with_equal_buckets(name: str) -> None:
    """Every information set by its name, the hands that its class stands for, and their bucket."""
    game = example(name)
    tied, tree = game.tied_form(), game.refinement.game.tree
    for k, plex in enumerate(tied.plexes):
        members: dict[int, set[tuple[str, int]]] = defaultdict(set)
        names: Any = plex.names
        for i, tie in enumerate(tied.ties[k]):
            node, class_ = names.place(i)
            r = int(tree.round[node])
            hands = np.flatnonzero(game.refinement.groups[k][r] == class_)
            (bucket,) = set(game.buckets[k].groups[r][hands].tolist())
            betting = names.infoset(i).partition(":")[2]
            members[int(tie)].add((betting, bucket))
            assert tied.decisions[k].names.infoset(tie).endswith(f":{betting}")
        told = [only for found in members.values() for only in found]
        # One betting and one bucket a tie, and never the same two in two ties.
        assert len(told) == len(members) == len(set(told)) == tied.decisions[k].n_infosets


def test_names_of_ties() -> None:
    tied = example("one").tied_form()
    names = [tied.decisions[1].names.infoset(i) for i in range(tied.decisions[1].n_infosets)]
    assert len(set(names)) == len(names)
    assert {"1:c", "3:r", "2:1:cc/c", "2:2:rc/r"} <= set(names)
    s = Strategy.uniform(tied.decisions[1])
    assert s["2:2:rc/r"] == {"f": 1 / 3, "c": 1 / 3, "r": 1 / 3}
    # Player 1, who forgets nothing, has names as in any game of buckets.
    assert tied.decisions[0].has("1.2:rc/")


@pytest.mark.parametrize("name", GAMES)
def test_counts_are_those_of_what_is_built(name: str) -> None:
    game = example(name)
    counts, tied = game.counts(), game.tied_form()
    assert counts.infosets == tuple(ties.n_infosets for ties in tied.decisions)
    assert counts.sequences == tuple(ties.n_sequences for ties in tied.decisions)
    assert counts.refined_infosets == tuple(plex.n_infosets for plex in tied.plexes)
    assert counts.refined_sequences == tuple(plex.n_sequences for plex in tied.plexes)


def test_the_estimate_is_of_the_arrays_there_are() -> None:
    game = example("rhode island")
    tied = game.tied_form()
    work = TiedRegretMatching().start_tied(tied)
    room = sum(array.nbytes for player in work.players for array in player)
    room += sum(plex.n_bytes for plex in (*tied.plexes, *tied.decisions))
    room += sum(tie.nbytes for tie in tied.ties)
    betting = game.refinement.game.tally.nodes * 110
    assert 0.8 < (game.estimate().bytes - betting) / room < 1.25


def test_a_player_who_forgets_plays_alike_what_he_cannot_tell_apart() -> None:
    game = example("leduc")
    found = solve(game, iterations=300)
    bucket = ["1.1", "1.2"], ["2.1", "2.2"], ["3.1", "3.2"]
    for strategy in found.profile:
        seen: dict[str, list[Any]] = defaultdict(list)
        for infoset, actions in strategy:
            cards, _, betting = infoset.partition(":")
            if "." in cards:
                kind = next(k for pair in bucket for k, b in enumerate(pair) if b == cards)
                seen[f"{kind}:{betting}"].append(actions)
        assert all(len(row) == 3 for row in seen.values())
        assert all(row[0] == row[1] == row[2] for row in seen.values())
        mixed = [row[0] for row in seen.values() if min(row[0].values()) > 0.01]
        assert len(mixed) > 5
    # One who remembers does not.
    other = solve(game.refinement.game, "dcfr", iterations=300).profile.second
    assert other["1.1:cc/c"] != other["3.1:cc/c"]


@pytest.mark.parametrize("name", GAMES)
def test_solutions_are_lifted_as_any_other(name: str) -> None:
    game = example(name)
    found = solve(game, iterations=30)
    real = lift_profile(game.refinement, found.profile)
    assert expected_value(real) == pytest.approx(found.value, abs=1e-9)
    assert isinstance(real, Profile)
    if name == "leduc":
        assert real.first["J|Q:cc/"] == real.first["Q|K:cc/"] != real.first["Q|Q:cc/"]


def test_who_remembers_is_an_ordinary_player() -> None:
    """Buckets with perfect recall: no ties but of one, and the game that `bucketed` makes."""
    full = buckets_of(leduc(raises=0).deal)
    game = forgetful(leduc(raises=0), full)
    assert game.forgets == ((), ())
    for tie in game.tied_form().ties:
        assert len(np.unique(tie)) == len(tie)
    value = solve(bucketed(leduc(raises=0), full).game, "lp").value
    assert solve(game, "lp").value == pytest.approx(value, abs=1e-9)
    assert solve(game, gap=1e-3).value == pytest.approx(value, abs=1e-3)


def test_refusals_name_player_and_round() -> None:
    one, both, island = example("one"), example("leduc"), example("rhode island")
    assert one.forgets == ((), (2,))
    assert island.forgets[0] == (2, 3)
    told = (
        "leduc seen as classes-pairs, forgetting: player 2 forgets in round 2 which bucket of "
        "round 1 he had, so that there is no treeplex of his; the method 'tied' accepts it"
    )
    for refused in (one.sequence_form, lambda: one.to_treeplex(2), lambda: solve(one, "lp")):
        with pytest.raises(RecallError, match=told):
            refused()
    assert one.to_treeplex(1).n_infosets == 144
    with pytest.raises(RecallError, match=r"player 1 forgets .* and player 2 forgets in"):
        solve(both, "cfr+", iterations=1)
    assert "player 2 forgets in round 2" in repr(one)
    wrong = Buckets((np.arange(3), np.zeros(8, np.int64)), "wrong")
    with pytest.raises(GameError, match="in round 2 8 hands have buckets, expected 9"):
        forgetful(leduc(), wrong)


def test_forgetting_suits_costs_nothing() -> None:
    """A well-formed game: all cards distinct in round 1, ranks alone in round 2.

    What is tied differs in nothing that matters, so that the gap goes to 0 (Lanctot et al.
    2012), even though it is measured against players who remember the suits.
    """
    real = leduc(isomorphism="cards")
    names = [list(r.names[0]) for r in real.deal.rounds]
    ranks = [[("JQK".index(n[0]), "JQK".index(n[3])) for n in names[1]]]
    suits = Buckets((np.arange(6), numbered(np.array(ranks[0]))), "cards, then ranks")
    game = forgetful(real, suits)
    assert game.counts().infosets == (153, 153)
    found = solve(game, iterations=2000)
    assert found.gap < 2e-4
    assert found.value == pytest.approx(-0.0856064, abs=2e-4)


# The best that a player who forgets can do ------------------------------------------------


class Forgetter:
    """Player 2's problem by brute force, where he acts at most once a round, of two rounds.

    With his play of the first round fixed, his plan is linear in that of the second one: then
    the opponent's best response is a linear program, and the best answer to it another.
    """

    def __init__(self, tied: TiedForm) -> None:
        X, Y, A = tied.form
        E = A.entries()
        self.A = np.zeros(A.shape)
        np.add.at(self.A, (E.rows, E.columns), E.values)
        self.action, ties, n = tied.actions[1], tied.decisions[1].flat, X.n_infosets
        self.up = np.append(0, Y.flat.parent[Y.flat.infoset[1:]])
        self.late = np.flatnonzero(self.up > 0)
        self.early = np.setdiff1d(np.arange(1, Y.n_sequences), self.late)
        self.sets = np.unique(ties.infoset[self.action[self.early]])
        self.actions = np.column_stack(
            [ties.start[self.sets], (ties.start + ties.stride)[self.sets]]
        )
        assert (ties.actions == 2).all()
        assert not np.isin(self.up[self.late], self.late).any()
        self.tail, self.column = np.unique(self.action[self.late], return_inverse=True)
        which, row = np.unique(ties.infoset[self.tail], return_inverse=True)
        # Values u of player 1's information sets are at least those of all actions.
        self.over = np.zeros((X.n_sequences, 1 + n))
        self.over[X.flat.parent, 1 + np.arange(n)] = 1.0
        self.over[np.arange(X.n_sequences), 1 + X.flat.infoset] -= 1.0
        self.sums = np.zeros((len(which), 1 + n + len(self.tail)))
        self.sums[row, 1 + n + np.arange(len(self.tail))] = 1.0

    def concedes(self, p: NDArray[np.float64]) -> float:
        """What he concedes with first-round probabilities p, if he goes on at his best."""
        inside = np.clip(p, 0.0, 1.0)
        s = np.zeros(int(self.action.max()) + 1)
        s[self.actions[:, 0]], s[self.actions[:, 1]] = 1.0 - inside, inside
        y = np.zeros(len(self.action))
        y[0], y[self.early] = 1.0, s[self.action[self.early]]
        L = np.zeros((len(y), len(self.tail)))
        L[self.late, self.column] = s[self.action[self.up[self.late]]]
        n = self.over.shape[1]
        found = linprog(
            np.eye(n + len(self.tail))[0],
            np.hstack([self.over, self.A @ L]),
            -(self.A @ y),
            self.sums,
            np.ones(len(self.sums)),
            bounds=[(None, None)] * n + [(0.0, 1.0)] * len(self.tail),
        )
        return float(found.fun + np.abs(p - inside).sum())


def test_it_finds_the_best_that_a_forgetter_can_do() -> None:
    """Player 2 knows kings in round 1, and in round 2 only who has the higher card."""
    real = leduc(raises=0)
    order = Buckets((np.array([0, 0, 1]), numbered(np.sign(OWN - BOARD))), "order")
    game = forgetful(real, buckets_of(real.deal), order)
    problem = Forgetter(game.tied_form())
    best = min(
        minimize(
            problem.concedes, start, method="Nelder-Mead", options={"maxfev": 200, "xatol": 1e-5}
        ).fun
        for start in ([0.3, 0.3, 0.5, 0.9], [0.8, 0.9, 0.4, 0.9])
    )
    found = solve(game, "tied", iterations=5000, beta=-np.inf, alpha=np.inf, foresight=1.0)
    assert found.upper == pytest.approx(best, abs=1e-3)
    # Forgetting costs him, and even this much he would not get by playing at random.
    remembered = solve(game.refinement.game, "lp")
    assert remembered.value < best - 0.08
    assert solve(game, "tied", iterations=1).upper > best + 0.1
