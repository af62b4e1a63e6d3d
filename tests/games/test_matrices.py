"""The well-known matrix games have the solutions that their sources give."""

import json
import math

import numpy as np
import pytest

from saddlepoint.core.errors import SettingsError, SizeError
from saddlepoint.games.catalogue import game_of_spec
from saddlepoint.games.matrices import (
    blotto,
    hide_and_seek,
    matching_pennies,
    morra,
    proposition_one,
    rock_paper_scissors,
    uniform_random,
)

GAMES = [
    rock_paper_scissors(),
    matching_pennies(),
    proposition_one(2),
    hide_and_seek([1, 2, 3]),
    blotto(3, 3),
    morra(3),
    uniform_random(3, 5, seed=1),
]


def bounds(M, p, q):
    """What p guarantees and what q concedes at most."""
    return (p @ M).min(), (M @ q).max()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_tells_how_to_build_it_again(game):
    assert game_of_spec(json.loads(json.dumps(game.spec))) == game
    assert game.sequence_form().name == game.name


def test_games_that_cannot_be_told_again_have_no_spec():
    assert uniform_random(2, 2, seed=np.random.default_rng(1)).spec == {}


@pytest.mark.parametrize("game", [rock_paper_scissors(), matching_pennies()])
def test_uniform_play_solves_the_children_s_games(game):
    n, m = game.matrix.shape
    assert bounds(game.matrix, np.full(n, 1 / n), np.full(m, 1 / m)) == pytest.approx((0, 0))


@pytest.mark.parametrize("k", [0.1, 1, 7.5, 1000])
def test_proposition_one_of_paper_000(k):
    M = proposition_one(k).matrix
    down, right = np.array([0, 1]), np.array([0, 0, 1])
    assert bounds(M, down, right) == (-1, -1)
    # It is the only equilibrium: D and R are strictly better than all else against each other.
    assert M[1, 2] > M[0, 2]
    assert M[1, 2] < min(M[1, 0], M[1, 1])
    # The abstraction without R, its solution, and what that is worth against R.
    abstract, purified = np.array([1 / 3, 2 / 3]), down
    assert bounds(M[:, :2], abstract, np.array([1 / 3, 2 / 3])) == pytest.approx((2 / 3, 2 / 3))
    assert abstract @ M @ right == pytest.approx(-k - 1)
    assert purified @ M @ right == pytest.approx(abstract @ M @ right + k)


def test_hide_and_seek_is_solved_by_inverse_weights():
    w = np.array([1.0, 2.0, 5.0])
    p = (1 / w) / (1 / w).sum()
    assert bounds(hide_and_seek(w).matrix, p, p) == pytest.approx((1 / (1 / w).sum(),) * 2)


def test_blotto_counts_battlefields():
    game = blotto(units=5, fields=3)
    assert len(game.rows) == math.comb(7, 2)
    i, j = game.rows.index("3-2-0"), game.rows.index("2-2-1")
    assert game.matrix[i, j] == 0  # one won, one tied, one lost
    assert game.matrix[game.rows.index("2-2-1"), game.rows.index("5-0-0")] == 1
    assert np.array_equal(game.matrix, -game.matrix.T)
    forces = [tuple(map(int, row.split("-"))) for row in game.rows]
    assert all(sum(force) == 5 for force in forces)
    assert len(set(forces)) == len(forces)


def test_blotto_naively():
    game = blotto(units=3, fields=2)
    for i, a in enumerate(game.rows):
        for j, b in enumerate(game.columns):
            pairs = list(zip(map(int, a.split("-")), map(int, b.split("-")), strict=True))
            won = sum(s > t for s, t in pairs) - sum(s < t for s, t in pairs)
            assert game.matrix[i, j] == won


def test_morra_naively():
    game = morra(3)
    for i, a in enumerate(game.rows):
        for j, b in enumerate(game.columns):
            (s, g), (t, h) = (tuple(map(int, name.split(" guess "))) for name in (a, b))
            mine, theirs = g == t, h == s
            assert game.matrix[i, j] == (s + t) * (mine - theirs)


@pytest.mark.parametrize("p", [4 / 7, 7 / 12, 3 / 5])
def test_two_finger_morra_is_solved_by_mixing_the_middle(p):
    mix = np.array([0, p, 1 - p, 0])
    assert bounds(morra(2).matrix, mix, mix) == pytest.approx((0, 0))


@pytest.mark.parametrize("p", [0.57, 0.61])
def test_other_mixtures_do_not_solve_two_finger_morra(p):
    mix = np.array([0, p, 1 - p, 0])
    assert bounds(morra(2).matrix, mix, mix)[0] < -1e-4


def test_random_games_follow_their_seed():
    assert uniform_random(4, 4, seed=3) == uniform_random(4, 4, seed=3)
    assert uniform_random(4, 4, seed=3) != uniform_random(4, 4, seed=4)
    stream = np.random.default_rng(3)
    assert uniform_random(4, 4, seed=stream) == uniform_random(4, 4, seed=3)
    assert uniform_random(4, 4, seed=stream) != uniform_random(4, 4, seed=3)
    M = uniform_random(50, 50, seed=1, low=2, high=3).matrix
    assert M.min() >= 2
    assert M.max() <= 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: uniform_random(0, 4, seed=1),
        lambda: uniform_random(2.5, 4, seed=1),
        lambda: uniform_random(2, 2, seed=1, low=1, high=0),
        lambda: uniform_random(2, 2, seed=1, high=math.inf),
        lambda: proposition_one(0),
        lambda: proposition_one(math.nan),
        lambda: hide_and_seek([]),
        lambda: hide_and_seek([1, -1]),
        lambda: blotto(0, 2),
        lambda: morra(-1),
    ],
)
def test_settings_outside_their_range_are_refused(make):
    with pytest.raises(SettingsError, match="expected"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: uniform_random(10**6, 10**6, seed=1),
        lambda: blotto(200, 6),
        lambda: morra(200),
        lambda: hide_and_seek([1.0] * 20_000),
    ],
)
def test_games_that_do_not_fit_are_refused_with_their_size(make):
    with pytest.raises(SizeError, match=r"payoffs takes .* GB"):
        make()
