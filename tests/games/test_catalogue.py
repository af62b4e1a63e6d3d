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
        ("leduc:raises=-1", "leduc: raises is -1, expected a whole number of at least 0"),
        ("kuhn:raises=-1", "kuhn: raises is -1"),
        ("rhode-island:raises=-2", "rhode-island: raises is -2"),
        ("no-limit-kuhn:stack=inf", "stack is inf"),
        ("no-limit-kuhn:stack=1e12", r"no-limit-kuhn: stack is 1e\+12 pots, expected at most"),
        ("no-limit-kuhn:step=0", "step is 0.0, expected a number above 0"),
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


def test_a_menu_is_letters_or_a_table(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    head = RULES[: RULES.index("[betting.menu]")]
    for menu in ("5", "[0.5]", "true"):
        path.write_text(f"{head}menu = {menu}\n")
        with pytest.raises(RulesError, match=r"bad.toml: menu is .*letters such as"):
            game(str(path))


@pytest.mark.parametrize("value", [100_000 * "[", 5_000 * "9"], ids=["deep", "long"])
def test_values_too_deep_and_too_long_are_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(f"x = {value}")
    with pytest.raises(FormatError, match=r"bad.toml: "):
        game(str(path))


@pytest.mark.parametrize(
    "spec",
    [
        {"game": "leduc", "parameters": {"raises": "x"}},
        {"game": "leduc", "parameters": {"bets": [2.5, 4]}},
        {"game": "leduc", "parameters": {"nonsense": 1}},
        {"game": "leduc", "parameters": [1]},
        {"game": "hide-and-seek", "parameters": {"weights": ["x"]}},
        {"game": ["leduc"]},
        {"rules": {"deck": 3}},
        {"rules": [1]},
        {"efg": 3},
        {"openspiel": None},
    ],
)
def test_foreign_specs_are_refused(spec: dict) -> None:
    with pytest.raises(SaddlepointError):
        game_of_spec(spec)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ante = 1", "ante = -1", "ante is -1"),
        ("ante = 1", 'ante = "1"', "bad.toml: ante is '1', expected a whole number"),
        ("ante = 1", "ante = 1.5", "bad.toml: ante is 1.5, .*: units are whole"),
        ("ante = 1", "ante = true", "ante is True, expected a whole number"),
        ("ante = 1", "ante = 1\nrounds = 1000000000", "rounds is 1000000000, .* at most 8"),
        ("stack = 10", "stack = 99999999999999999999", "stack is 9999.* at most 2,147"),
        ("stack = 10", "stack = inf", "stack is inf"),
        ("stack = 10", "stack = 10.7", "stack is 10.7"),
        ("stack = 10", "stack = 10\nbets = [2.5, 4]", r"bets.0. is 2.5, .*: units are whole"),
        ("stack = 10", "stack = 10\nmin_bet = 11", "min_bet is 11, .* at most the stack of 10"),
        ("[0, 1]", "[0, -1]", r"bad.toml: board.1. is -1"),
        ("[0, 1]", "[0, 9]", "bad.toml: 8 cards are not enough for 11|board.1. is 9"),
        ("[0, 1]", "1", "bad.toml: board is 1, expected a list"),
        ("ante = 1", "ante = 1\nrounds = 3", "bad.toml: board is .0, 1., expected .* 3 rounds"),
        ('"ranks"', '"suites"', "bad.toml: unknown isomorphism 'suites'"),
        ("raises = [1.0]", "raises = [1.0, 1]", "menu raises has the size 1 twice"),
        ("raises = [1.0]", 'raises = ["h"]', "menu raises is 'h', expected a finite number"),
        ("raises = [1.0]", 'all_in = "yes"', "all_in is 'yes', expected true or false"),
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
