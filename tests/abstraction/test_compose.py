"""Card abstractions as text, in files, and through a killed process."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import saddlepoint as sp
from saddlepoint.abstraction.compose import CardText, both_buckets, seen
from saddlepoint.abstraction.files import (
    game_named,
    is_abstraction,
    load_abstraction,
    pair_named,
    save_abstraction,
)
from saddlepoint.abstraction.shrink import pair_of_spec, shrink
from saddlepoint.core import store
from saddlepoint.core.errors import (
    FormatError,
    GameError,
    RecallError,
    RulesError,
    SaddlepointError,
    SettingsError,
    StoreError,
)
from saddlepoint.games.poker import clairvoyance, kuhn, leduc, no_limit_leduc, rhode_island

SMALL = rhode_island(ranks="23456", suits=3, raises=1)
TEXTS = {
    "classes": (5, 45, 485),
    "lossless": None,
    "lossless:counts": None,
    "gameshrink:5-10-30": None,
    "gameshrink:0/0.05/0.1": None,
    "eb:5-10-30": (5, 10, 30),
    "eb:5-10-30,error=absolute": (5, 10, 30),
    "eb:5-10-30,solver=lloyd,restarts=3,seed=4": (5, 10, 30),
    "eb2:5-10-30": (5, 10, 30),
    "pa:5-10-30": (5, 10, 30),
    "pa:5-10-30,metric=emd,dimension=4,error=squared": (5, 10, 30),
    "percentile:4.2.2": None,
    "4.2.2": None,
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_make_games_that_files_know(text: str, tmp_path: Path) -> None:
    pair = seen(SMALL, text)
    if TEXTS[text] is not None:
        assert tuple(one for one, _ in pair.game.hands()) == TEXTS[text]
    form = pair.game.sequence_form()
    again = pair_of_spec(pair.game.spec)  # from plain data
    assert again.game.sequence_form().fingerprint == form.fingerprint
    for player in (0, 1):
        for a, b in zip(pair.groups[player], again.groups[player], strict=True):
            np.testing.assert_array_equal(a, b)
    path = save_abstraction(pair, tmp_path / "small.saddle")
    assert is_abstraction(path)
    loaded = load_abstraction(path)  # from the file, without clustering
    assert loaded.game.sequence_form().fingerprint == form.fingerprint
    assert (form.A.to_sparse() != loaded.game.sequence_form().A.to_sparse()).nnz == 0
    assert loaded.game.spec == pair.game.spec
    assert game_named(str(path)).sequence_form().name == form.name


def test_bare_texts_are_groups_or_percentiles() -> None:
    assert [len(r.names[0]) for r in seen(leduc(), "JQ.K").game.deal.rounds] == [2, 4]
    assert seen(leduc(), "groups:JQ.K-full").game.hands() == ((2, 3), (4, 9))
    assert seen(leduc(), "2.2").game.hands()[0] == (2, 2)
    with pytest.raises(RulesError, match="do not name each of the ranks"):
        seen(leduc(), "groups:JQ")
    with pytest.raises(RecallError, match="would forget"):
        seen(rhode_island(), "ir13.4.4")


def test_a_text_for_each_player() -> None:
    pair = seen(SMALL, "eb:5-10-30 vs pa:5-8-20")
    assert pair.game.hands() == ((5, 5), (10, 8), (30, 20))
    one, two = both_buckets(clairvoyance(), "classes")
    assert two is not None
    assert (one.sizes, two.sizes) == ((2,), (1,))
    assert both_buckets(kuhn(), "classes")[1] is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pa:13-5x-250", r"'pa:13-5x-250':1:7: found '5x', expected numbers by round"),
        ("pa:5-10-30,metrik=emd", r":1:12: unknown setting of pa 'metrik' \(did you mean 'metric'"),
        ("pa:5-10-30,dimension=many", "dimension is 'many', expected a whole number"),
        ("pa:5-10-30,dimension", "found 'dimension', expected setting=value"),
        ("lossless,seed=1", "lossless takes no settings"),
        ("lossles", r"unknown card abstraction 'lossles' \(did you mean 'lossless'"),
        ("px:5-10-30", r"unknown card abstraction 'px'; expected one of classes"),
        ("gameshrink:0/x/1", "'gameshrink:0/x/1':1:14: found 'x'"),
        ("4.2.x", "buckets:1:5"),
    ],
)
def test_malformed_texts_say_where(text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        seen(SMALL, text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("eb:5-10", "expected a number for each of 3 rounds"),
        ("eb:5-10-9999", "9,999 buckets in round 3, expected at most its 485 hands"),
        ("gameshrink:0/1", "thresholds are"),
        ("lossless:all", "unknown reading 'all'"),
        ("strategy:5-10-30", "strategy needs file="),
        ("pa:5-10-30,metric=l3", "unknown metric 'l3'"),
    ],
)
def test_impossible_texts_are_refused(text: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        seen(SMALL, text)


def test_settings_of_a_text() -> None:
    read = CardText.of("strategy:2-4,file=a.saddle,rounds=2,reach=true")
    assert read.settings == {"file": "a.saddle", "rounds": 2, "reach": True}
    assert read.numbers() == [2, 4]


def test_buckets_by_the_strategies_of_a_file(tmp_path: Path) -> None:
    game = leduc()
    path = sp.solve(game, "lp").save(tmp_path / "leduc.saddle")
    pair = seen(game, f"strategy:2-6,file={path}")
    assert pair.game.hands() == ((2, 2), (5, 5))
    coarse = shrink(game, cards="JQ.K").game
    path = sp.solve(coarse, "lp").save(tmp_path / "coarse.saddle")
    assert seen(game, f"strategy:2-4,file={path}").groups[0][0].tolist() == [0, 0, 1]
    with pytest.raises(SettingsError, match="holds strategies of leduc, expected rhode-island"):
        seen(SMALL, f"strategy:2-4-6,file={path}")


def test_bets_and_cards_together(tmp_path: Path) -> None:
    pair = shrink(SMALL, 1, "eb:5-10-30")
    assert pair.real is SMALL
    assert pair.game.betting.max_bets == 1
    loaded = load_abstraction(save_abstraction(pair, tmp_path / "a.saddle"))
    assert loaded.real.betting.max_bets == 2
    assert loaded.game.betting.max_bets == 1
    solution = sp.solve(pair.game, "cfr+", iterations=3)
    found = sp.load(solution.save(tmp_path / "s.saddle"))
    assert sp.exploitability(found) == sp.exploitability(solution)
    menus = shrink(no_limit_leduc(stack=7), "fcpa", "2.2")
    assert pair_of_spec(menus.game.spec).game.name == menus.game.name
    with pytest.raises(RulesError, match="say which sizes"):
        shrink(no_limit_leduc(), 2)
    with pytest.raises(RulesError, match="bets is 9, expected a whole number of at most 2"):
        shrink(SMALL, 9)
    with pytest.raises(RulesError, match="its bets have one size, no menu"):
        shrink(SMALL, "fcpa")


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = sp.solve(leduc(), "cfr+", iterations=2).save(tmp_path / "solution.saddle")
    with pytest.raises(StoreError, match="holds a solution, expected an abstraction"):
        load_abstraction(path)
    assert not is_abstraction(path)
    pair = seen(leduc(), "JQ.K")
    good = save_abstraction(pair, tmp_path / "a.saddle")
    artefact = store.read(good)
    arrays = dict(artefact.arrays) | {"player1-round2": np.zeros(4, np.int32)}
    store.write(good, {k: v for k, v in artefact.manifest.items() if k != "arrays"}, arrays)
    with pytest.raises(StoreError, match=r"buckets for \[3, 4\] hands of player 1"):
        load_abstraction(good)
    whole = pair_named("leduc")
    assert whole.game is whole.real
    with pytest.raises(SaddlepointError):
        pair_named("morra")
    with pytest.raises(GameError, match="an abstraction of leduc by colours is not known"):
        pair_of_spec({"colours": 1, "of": dict(leduc().spec)})


SCRIPT = """
import sys
from saddlepoint.abstraction.hands import hands_of
from saddlepoint.abstraction.potential import potential_aware
from saddlepoint.abstraction.work import Work
from saddlepoint.games.poker import rhode_island
from saddlepoint.studies.keep import Keeper
keeper = Keeper(sys.argv[1])
print("ready", flush=True)
hands = hands_of(rhode_island().deal)
found = potential_aware(hands, (13, 50, 250), work=Work(keep=keeper.step, portion=1e4), key={})
print(len(keeper.computed), len(keeper.found), hash(tuple(found.groups[2].tolist())), flush=True)
"""


def test_a_killed_clustering_loses_only_its_current_chunk(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [sys.executable, "-c", SCRIPT, str(cache)]
    rng, kept = random.Random(3), 0
    for _ in range(4):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        deadline = time.monotonic() + 60
        wanted = kept + rng.randint(1, 3)
        while len(list(cache.glob("*.saddle"))) < wanted and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        now = len(list(cache.glob("*.saddle")))
        assert now >= kept  # nothing that was done is lost
        kept = now
    assert kept > 0
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    fresh = [*command[:-1], str(tmp_path / "other")]
    whole = subprocess.run(fresh, capture_output=True, text=True, check=True).stdout.split()
    assert int(done[2]) == kept  # every chunk that was kept is used
    assert int(done[1]) + int(done[2]) == int(whole[1])
    assert done[3] == whole[3]
