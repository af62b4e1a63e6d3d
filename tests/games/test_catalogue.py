from __future__ import annotations

from pathlib import Path

import pytest

from saddlepoint.core.errors import FormatError, GameError, RulesError, SaddlepointError
from saddlepoint.games.catalogue import CATALOGUE, NEEDED, game, game_of_spec
from saddlepoint.games.gambit import write_efg
from saddlepoint.games.tree import TreeGame
from saddlepoint.games.unfold import unfold

RULES = """
name = "small hold'em"
[deck]
ranks = "TJQK"
suits = 2
board = [0, 1]
ranking = "pair"
isomorphism = "ranks"
[betting]
ante = 1
stack = 10
[betting.menu]
bets = [0.5, 1.0]
raises = [1.0]
"""


@pytest.mark.parametrize(
    "text",
    [
        *(name for name, entry in CATALOGUE.items() if NEEDED not in entry.parameters.values()),
        "leduc:raises=2,bets=1/3",
        "no-limit-leduc:stack=9,menu=fcha",
        "kuhn:ranks=9TJQ",
        "uniform-random:rows=3,columns=4,seed=5,low=0",
        "proposition-one:k=2",
        "hide-and-seek:weights=1/2.5/3",
        "blotto:units=4,fields=3",
        "morra:fingers=3",
    ],
)
def test_games_are_built_again_from_their_spec(text: str) -> None:
    found = game(text)
    again = game_of_spec(found.spec)
    assert again.spec == found.spec
    assert again.counts() == found.counts()


def test_rules_files(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(RULES)
    found = game(str(path))
    assert found.name == "small hold'em"
    assert game_of_spec(found.spec).sequence_form().fingerprint == found.sequence_form().fingerprint


def test_gambit_files(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.efg"
    path.write_text(write_efg(TreeGame(unfold(game("kuhn")), name="kuhn")))
    found = game(str(path))
    assert found.counts().sequences == (13, 13)
    assert game_of_spec(found.spec).sequence_form().fingerprint == found.sequence_form().fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("khun", "unknown game 'khun' .did you mean 'kuhn'"),
        ("leduc:raise=1", "unknown parameter of leduc 'raise' .did you mean 'raises'"),
        ("leduc:raises", "expected parameter=value"),
        ("leduc:raises=x", "raises is 'x', expected a whole number"),
        ("leduc:bets=1,2", "expected parameter=value"),
        ("leduc:bets=1/x", "whole numbers divided by /"),
        ("leduc:ante=1,ante=2", "given twice"),
        ("leduc:ante=-1", "leduc: ante is -1"),
        ("morra", "morra needs fingers"),
        ("no-limit-leduc:stack=0", "stack is 0"),
        ("no-limit-leduc:menu=fcz", "unknown menu letter 'z'"),
        ("clairvoyance:stack=nan", "stack is nan"),
        ("absent.efg", "no such file"),
        ("absent.toml", "no such file"),
    ],
)
def test_wrong_names_are_refused(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        game(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ante = 1", "ante = -1", "ante is -1"),
        ("ante = 1", 'ante = "one"', "wrong type"),
        ("ranks =", "rank =", "unknown key of .deck. 'rank' .did you mean 'ranks'"),
        ("[deck]", "[decks]", "unknown key of the file 'decks'"),
        ('"pair"', '"flush"', "unknown ranking 'flush'"),
        ("raises = [1.0]", "raise = [1.0]", "unknown key of .betting.menu"),
        ("bets = [0.5, 1.0]", "bets = [0.0]", "fractions above 0"),
        ("suits = 2", "suits = 9", "suits is 9"),
    ],
)
def test_wrong_rules_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(RULES.replace(old, new))
    with pytest.raises(RulesError, match=message):
        game(str(path)).sequence_form()


def test_malformed_files_name_the_place(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[deck\n")
    with pytest.raises(FormatError, match="line 1"):
        game(str(tmp_path / "bad.toml"))
    (tmp_path / "bad.efg").write_bytes(b"\xff\xfe")
    with pytest.raises(SaddlepointError, match=r"bad\.efg"):
        game(str(tmp_path / "bad.efg"))
    with pytest.raises(GameError, match="does not say"):
        game_of_spec({})
