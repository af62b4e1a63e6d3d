from __future__ import annotations

import json
from pathlib import Path

import pytest

from saddlepoint.cli.main import status

SMALL = "rhode-island:ranks=2345,suits=2,raises=1"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = status(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SADDLEPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_from_a_text_to_a_solution(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(
        *(capsys, "abstract", SMALL, "--cards", "pa:4-6-12", "--bets", "1", "--out", "a.saddle"),
        *("--plot", "buckets.svg"),
    )
    assert code == 0
    assert "rhode-island with 1 bet a round seen as pa:4-6-12" in out
    assert "sequences       " in out
    for name in ("a.saddle", "buckets-1.svg", "buckets-2.svg", "buckets-3.svg"):
        assert f"saved to  {name}" in out
        assert (tmp_path / name).exists()
    assert (tmp_path / "buckets-2.svg").read_text().startswith("<svg")
    code, info, _ = run(capsys, "info", "a.saddle")
    assert code == 0
    assert info.splitlines()[:4] == out.splitlines()[:4]
    code, out, _ = run(capsys, "solve", "a.saddle", "--out", "s.saddle", "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["status"], found["method"]) == (0, "converged", "lp")
    code, out, _ = run(capsys, "show", "s.saddle", "--limit", "2")  # built from the text again
    assert code == 0
    assert "1:" in out


def test_facts_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("abstract", SMALL, "--cards", "eb:4-6-12", "--json", "--quiet")
    code, out, err = run(capsys, *arguments)
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["buckets_by_round"] == [[4, 4], [6, 6], [12, 12]]
    assert found["hands_by_round"] == [[4, 4], [28, 28], [168, 168]]
    assert (
        found["program"]["rows"]
        == found["counts"]["sequences"][0] + 1 + (found["counts"]["infosets"][1])
    )
    assert found["program"]["nonzeros"] > found["program"]["rows"]
    assert found["forgets"] is False
    assert found["estimate"]["bytes"] > 0


def test_chunks_are_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ("abstract", SMALL, "--cards", "pa:4-6-12")
    _, first, told = run(capsys, *arguments)
    assert "round 2: clusters below all 4 buckets" in told
    assert len(list((tmp_path / "cache").glob("*.saddle"))) == 3
    _, second, told = run(capsys, *arguments)
    assert (second, told) == (first, "")
    _, third, told = run(capsys, *arguments, "--fresh", "--quiet")
    assert (third, told) == (first, "")


def test_players_who_forget(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "abstract", SMALL, "--cards", "ir4.ir6.8", "--out", "f.saddle", "--quiet"
    )
    assert code == 0
    assert "the method is tied" in out
    code, out, _ = run(capsys, "info", "f.saddle", "--json")
    found = json.loads(out)
    assert found["forgets"] is True
    assert found["program"] is None
    assert found["buckets_by_round"][0] == [4, 4]
    solve = ("solve", "f.saddle", "--iterations", "30", "--out", "s.saddle", "--quiet")
    code, out, _ = run(capsys, *solve, "--json")
    assert (code, json.loads(out)["method"]) == (0, "tied")
    code, out, _ = run(capsys, "exploit", "s.saddle", "--json")
    assert code == 0
    code, _, err = run(capsys, "solve", "f.saddle", "--method", "lp", "--quiet")
    assert code == 2
    assert "player 1 forgets in round 2 which bucket of round 1 he had" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SMALL,), "nothing to shrink: expected --cards, --bets or both"),
        (("rock-paper-scissors", "--cards", "eb:1"), "is no betting tree times a deal"),
        ((SMALL, "--cards", "eb:4-6"), "expected a number for each of 3 rounds"),
        ((SMALL, "--cards", "eb:4-6-999"), "999 buckets in round 3, expected at most its 168"),
        ((SMALL, "--cards", "eb:4-x-9"), "'eb:4-x-9':1:6: found 'x'"),
        ((SMALL, "--cards", "4.2.9zz"), "buckets:1:6"),
        ((SMALL, "--bets", "7"), "bets is 7, expected a whole number of at most 2"),
        ((SMALL, "--bets", "fcpa"), "is a limit game"),
        ((SMALL, "--cards", "lossles"), "did you mean 'lossless'"),
        ((SMALL, "--cards", "classes", "--out", "no/where.saddle"), "the folder no does not exist"),
        ((SMALL, "--cards", "strategy:1-2-3,file=none.saddle"), "no such file: none.saddle"),
    ],
)
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, "abstract", *arguments, "--quiet")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err
