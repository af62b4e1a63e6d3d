from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddlepoint.core.errors import FormatError, SaddlepointError, StrategyError
from saddlepoint.games.catalogue import game
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.strategy_text import profile_of_tables, tables_of_text, text_of_profile
from saddlepoint.sequence.treeplex import Treeplex

KUHN = game("kuhn").sequence_form()


def tables() -> dict[str, Any]:
    return tables_of_text(text_of_profile(Profile.uniform(KUHN)))


@pytest.mark.parametrize("text", ["kuhn", "leduc", "uniform-random:rows=3,columns=2,seed=1"])
def test_text_reads_back_equal(text: str) -> None:
    profile = Profile.random(game(text), 5)
    again = profile_of_tables(tables_of_text(text_of_profile(profile)), profile.form)
    for one, two in zip(profile, again, strict=True):
        np.testing.assert_array_equal(one.probabilities, two.probabilities)


def test_one_table_for_both_players() -> None:
    both = tables()["players"]
    profile = profile_of_tables({**both["1"], **both["2"]}, KUHN)
    assert profile.second["K:r"] == {"f": 0.5, "c": 0.5}
    alike = Treeplex.simplex(2)
    with pytest.raises(FormatError, match="both players have an information set"):
        profile_of_tables({alike.names.infoset(0): [1, 0]}, (alike, alike, np.zeros((3, 3))))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("J:", None, "player 1 has None at 'J:', expected probabilities for ..c., .r.."),
        ("J:", {"c": "a", "r": 0}, "player 1 at 'J:': 'c' is 'a', expected a finite number"),
        ("J:", {"c": 1}, "player 1 lacks the action 'r' at 'J:'"),
        ("J:", {"c": 1, "r": 0, "f": 0}, "at 'J:' unknown action 'f'; expected one of c, r"),
        ("J:", [1], r"has \[1\] at 'J:'"),
        ("J:", [1, True], "'r' is True"),
        ("J:", [float("nan"), 1], "'c' is nan"),
        ("J:", [0.5, 0.6], "^here: probabilities at 'J:'"),
        ("X:", [1, 0], "here: unknown information set of player 1 'X:'"),
    ],
)
def test_what_is_wrong_is_named(name: str, value: Any, message: str) -> None:
    given_tables = tables()
    given_tables["players"]["1"][name] = value
    with pytest.raises(StrategyError, match=message):
        profile_of_tables(given_tables, KUHN, "here")


def test_what_is_missing_is_named() -> None:
    given_tables = tables()
    del given_tables["players"]["2"]["K:r"]
    with pytest.raises(StrategyError, match="player 2 has no probabilities at 'K:r'"):
        profile_of_tables(given_tables, KUHN)
    for players in (None, [], {"1": {}}, {"1": {}, "2": {}, "3": {}}):
        with pytest.raises(FormatError, match="expected '1' and '2'"):
            profile_of_tables({"players": players}, KUHN)
    with pytest.raises(FormatError, match="player 2 has None, expected an object"):
        profile_of_tables({"players": {"1": tables()["players"]["1"], "2": None}}, KUHN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", r"here: not a text in UTF-8 \(byte 0\)"),
        ("{x}", "here:1:2: "),
        ("[]", "expected an object"),
        (100_000 * "[", "here: "),
        ("9" * 5_000, "here: "),
        ('{"J:": 1, "J:": 2}', "'J:' stands twice in one object"),
    ],
)
def test_malformed_text_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        tables_of_text(text, "here")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(place=st.sampled_from(["players", "1", "J:"]), value=JSON)
def test_any_other_value_is_an_error_about_the_input(place: str, value: Any) -> None:
    changed = tables()
    holder = {"players": changed, "1": changed["players"], "J:": changed["players"]["1"]}[place]
    holder[place] = value
    try:
        profile_of_tables(tables_of_text(json.dumps(changed)), KUHN)
    except SaddlepointError:
        return
    assert place == "J:"
    assert sum(value if isinstance(value, list) else value.values()) == pytest.approx(1)
