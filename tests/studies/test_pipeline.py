"""Pipelines: from a file to a report, kept step by step."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.abstraction.bets import with_menu
from saddlepoint.core.errors import FormatError, GameError, SaddlepointError, SettingsError
from saddlepoint.games.poker import no_limit_leduc
from saddlepoint.measure.exact import exploitability
from saddlepoint.reverse.lift import lift_profile
from saddlepoint.reverse.purify import purify
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.strategy import Profile
from saddlepoint.solvers.methods import solve
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.pipeline import Pipeline
from saddlepoint.studies.report import write_report

ROOT = Path(__file__).parent.parent.parent
SMALL = {
    "game": "no-limit-leduc:stack=6",
    "abstraction": {"menu": "fcpa"},
    "solver": {"method": "lp"},
    "translation": {"mappings": ["det-geo", "rand-pshar"], "frame": "mixed"},
    "measure": {"value": "solve", "gap": 1e-2},
}


def test_figures_are_those_of_the_parts(tmp_path: Path) -> None:
    report = Pipeline.of(SMALL).run(Keeper(tmp_path))
    real = no_limit_leduc(stack=6)
    pair = AbstractGame.of(real, with_menu(real, "fcpa"))
    profile = solve(pair.game, "lp").profile
    for row in report.tables[0].rows:
        lifted = lift_profile(pair, profile, Translation.in_frame("mixed", mapping=row[0]))
        assert row[1] == pytest.approx(exploitability(lifted), abs=1e-9)
        assert row[2] + row[3] == pytest.approx(2 * row[1])
        assert row[4] <= 1e-2


def test_purified_strategies_are_mapped_back(tmp_path: Path) -> None:
    report = Pipeline.of(SMALL | {"strategy": {"purify": True}}).run(Keeper(tmp_path))
    real = no_limit_leduc(stack=6)
    pair = AbstractGame.of(real, with_menu(real, "fcpa"))
    first, second = (purify(s) for s in solve(pair.game, "lp").profile)
    profile = Profile(pair.game.sequence_form(), first, second)
    lifted = lift_profile(pair, profile, Translation.in_frame("mixed", mapping="det-geo"))
    assert report.tables[0].rows[0][1] == pytest.approx(exploitability(lifted), abs=1e-9)


def test_steps_are_kept_and_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    whole = Pipeline.of(SMALL).run(Keeper(tmp_path / "whole"))
    keeper = Keeper(tmp_path / "parts")

    def say(text: str) -> None:
        if "rand-pshar" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Pipeline.of(SMALL).run(keeper, say)
    assert keeper.computed == ["solve", "value", "lift-det-geo"]
    again = Keeper(tmp_path / "parts")
    resumed = Pipeline.of(SMALL).run(again)
    assert again.computed == ["lift-rand-pshar"]
    assert resumed.tables[0].rows == whole.tables[0].rows
    more = Keeper(tmp_path / "parts")
    settings = SMALL | {"translation": {"mappings": ["det-geo", "det-arith"], "frame": "mixed"}}
    Pipeline.of(settings).run(more)
    assert more.computed == ["lift-det-arith"]


def test_cards_and_bets_together(tmp_path: Path) -> None:
    both = SMALL | {"abstraction": {"menu": "fcpa", "cards": "JQ.K"}, "measure": {}}
    rows = Pipeline.of(both).run(Keeper(tmp_path)).tables[0].rows
    finer = Pipeline.of(SMALL | {"measure": {}}).run(Keeper(tmp_path)).tables[0].rows
    assert rows[0][1] > finer[0][1]  # here coarser cards cost more
    assert rows[0][2] is None


def test_the_report_is_one_page_that_needs_nothing_else(tmp_path: Path) -> None:
    report = Pipeline.of(SMALL | {"name": "a <small> one"}).run(Keeper(tmp_path))
    page, data = write_report(report, tmp_path / "report.html")
    text = page.read_text()
    assert "a &lt;small&gt; one" in text
    assert text.count("<svg") == len(report.plots) == 2
    outside = set(re.findall(r"(?:src|href)=\"(?!#)([^\"]+)\"", text))
    assert not {link for link in outside if not link.startswith("#")}
    assert "<script" not in text
    plain = json.loads(data.read_text())
    assert plain["tables"][0]["rows"][0][0] == "det-geo"
    assert plain["made"]["pipeline"]["game"] == SMALL["game"]


def test_the_same_run_draws_the_same_plots(tmp_path: Path) -> None:
    one, two = (Pipeline.of(SMALL).run(Keeper(tmp_path)).plots[0].svg() for _ in range(2))
    assert one == two


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda f: f.name)
def test_examples_are_read(file: Path) -> None:
    assert Pipeline.read(file).translations
    assert tomllib.loads(file.read_text())["game"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gaem": "kuhn"}, r"unknown key 'gaem' \(did you mean 'game'\?\)"),
        ({"abstraction": {"menus": "fcpa"}}, r"key of \[abstraction\] 'menus' .*'menu'"),
        ({"abstraction": {"menu": "fcxa"}}, "unknown menu letter 'x'"),
        ({"abstraction": {"menu": {"bet": [1]}}}, r"key of \[abstraction.menu\] 'bet'"),
        ({"abstraction": {"cards": "JQ"}}, "do not name each of the ranks"),
        ({"abstraction": "fcpa"}, "abstraction is 'fcpa', expected a table"),
        ({"solver": {"method": "cfr++"}}, "unknown method 'cfr\\+\\+'"),
        ({"strategy": {"threshold": 1.5}}, "threshold is 1.5, expected a number between 0 and 1"),
        ({"strategy": {"threshold": 0.1, "purify": True}}, "expected one of them"),
        ({"strategy": {"grid": "fine"}}, "grid is 'fine', expected a number"),
        ({"strategy": {"purify": "yes"}}, "purify is 'yes', expected true or false"),
        ({"solver": {"gap": "small"}}, r"pipeline: \[solver\] gap is 'small'"),
        ({"solver": {"iterations": 1.5}}, r"\[solver\] iterations is 1.5, expected a whole"),
        ({"solver": {"method": "dcfr", "settings": {"gama": 1}}}, "unknown .*'gama'"),
        ({"translation": {"mappings": ["rand-psharp"]}}, "did you mean 'rand-pshar'"),
        ({"translation": {"mappings": []}}, 'expected "all" or a list'),
        ({"translation": {"frame": "unreal"}}, "unknown frame 'unreal'"),
        ({"translation": {"check": -1}}, "check is -1"),
        ({"measure": {"value": "guess"}}, 'expected a number or "solve"'),
        ({"abstraction": {"menu": "fcp"}}, "menu 'fcp' has no all-in"),
    ],
)
def test_bad_files_are_refused(change: dict, message: str, tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    with pytest.raises((SettingsError, GameError), match=message):
        Pipeline.of(SMALL | change).run(keeper)
    # Nothing long has begun, but for the value of the real game, which is looked at late.
    assert not keeper.computed or "measure" in change


def test_limit_games_have_no_bets_outside(tmp_path: Path) -> None:
    cards = {"game": "leduc", "abstraction": {"cards": "JQ.K"}}
    rows = Pipeline.of(cards).run(Keeper(tmp_path)).tables[0].rows
    assert len({round(row[1], 9) for row in rows}) == 1  # every mapping does the same
    assert rows[0][1] > 0.1


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file"):
        Pipeline.read(tmp_path / "absent.toml")
    (tmp_path / "broken.toml").write_text("game = \n")
    with pytest.raises(FormatError, match=r"broken\.toml: .*line 1"):
        Pipeline.read(tmp_path / "broken.toml")
    (tmp_path / "no-game.toml").write_text("name = 'x'\n")
    with pytest.raises(SettingsError, match="expected game ="):
        Pipeline.read(tmp_path / "no-game.toml")
    with pytest.raises(GameError, match="no betting tree times a deal"):
        Pipeline.of(SMALL | {"game": "matching-pennies"}).run(Keeper(tmp_path))


CARDS = {"game": "rhode-island:ranks=2345,suits=2,raises=1"}


@pytest.mark.parametrize("cards", ["eb:4-6-12", "lossless", "ir4.ir6.8", "pa:4-6-12"])
@pytest.mark.parametrize("bets", [None, 1])
def test_cards_and_bets_of_limit_games(cards: str, bets: int | None, tmp_path: Path) -> None:
    """Shrunk by a text, solved, mapped back by the rules of limit games, measured exactly."""
    abstraction = {"cards": cards} | ({} if bets is None else {"bets": bets})
    solver = {"method": "auto", "iterations": 2000} if cards[:2] == "ir" else {"gap": 0.5}
    data = CARDS | {"abstraction": abstraction, "solver": solver}
    keeper = Keeper(tmp_path)
    report = Pipeline.of(data, "cards").run(keeper)
    rows = {row[0]: row for row in report.tables[0].rows}
    assert set(rows) == ({"call"} if bets is None else {"call", "forget"})
    lost = float(rows["call"][1])
    if cards == "lossless" and bets is None:
        assert lost < 0.5
    else:
        assert lost > 1.0
    assert len(report.plots) == 1 + 3  # exploitability, and the buckets of three rounds
    assert len(report.tables) == 1
    again = Keeper(tmp_path)
    Pipeline.of(data, "cards").run(again)
    assert again.computed == []


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"abstraction": {"cards": "eb:4-6"}}, "expected a number for each of 3 rounds"),
        ({"abstraction": {"bets": 5}}, "bets is 5, expected a whole number of at most 2"),
        ({"abstraction": {"bets": "two"}}, r"\[abstraction\] bets is 'two'"),
        ({"abstraction": {"bets": 1, "menu": "fcpa"}}, "has menu and bets, expected one"),
        (
            {"translation": {"mappings": ["det-geo"]}},
            r"\[translation\] has mappings, but",
        ),
        ({"translation": {"rules": ["cal"]}}, "unknown rule 'cal'"),
        ({"translation": {"rules": []}}, "expected a list of names"),
    ],
)
def test_mistakes_in_pipelines_of_limit_games(more: dict[str, object], problem: str) -> None:
    with pytest.raises(SaddlepointError, match=problem):
        Pipeline.of(CARDS | more, "cards").run()


def test_rules_are_for_limit_games_only() -> None:
    data = {"game": "no-limit-kuhn:stack=2", "translation": {"rules": ["call"]}}
    with pytest.raises(SaddlepointError, match="rules are for limit games"):
        Pipeline.of(data, "small").run()
