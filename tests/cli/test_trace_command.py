from __future__ import annotations

import json
from pathlib import Path

import pytest

import saddlepoint as sp
from saddlepoint.cli.main import status
from saddlepoint.reverse.limits import lift_limited_profile


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = status(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SADDLEPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_traces_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for method in ("cfr", "cfr+"):
        sp.solve("leduc", method, gap=0.02).save(tmp_path / f"{method}.saddle")
    code, out, _ = run(capsys, "trace", "cfr.saddle", "cfr+.saddle", "--plot", "a.png", "--json")
    found = json.loads(out)
    assert code == 0
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    k = found["goals"].index(0.1)
    slow, fast = (found["solutions"][m]["reached"][k]["iterations"] for m in ("cfr", "cfr+"))
    trace = found["solutions"]["cfr"]["trace"]
    first = next(i for i, g in enumerate(trace["trace_gap"]) if g <= 0.1)
    assert trace["trace_iterations"][first] == slow
    assert fast < slow
    code, out, _ = run(
        capsys, "trace", "cfr.saddle", "cfr+.saddle", "--plot", "a.svg", "--over", "iterations"
    )
    assert code == 0
    assert "plot: a.svg" in out
    assert (tmp_path / "a.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.saddle",), "no such file: none.saddle"),
        (("p.saddle",), "p.saddle holds a profile, expected a solution"),
        (("s.saddle", "--plot", "a.pdf"), "expected a file ending in .svg or .png"),
        (("s.saddle", "--plot", "a.svg", "--over", "time"), "over is 'time', expected one of"),
        (("s.saddle", "sub/s.saddle"), "two files have the same name"),
    ],
)
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    for place in ("s.saddle", "sub/s.saddle"):
        sp.solve("kuhn", "cfr+", iterations=20).save(tmp_path / place)
    sp.Profile.uniform(sp.game("kuhn")).save(tmp_path / "p.saddle")
    code, out, err = run(capsys, "trace", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_abstract_strategies_are_measured_in_the_real_game(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pair = sp.shrink(sp.game("leduc:raises=2"), 2, "JQ.K")
    solution = sp.solve(pair.game, "lp")
    solution.save(tmp_path / "s.saddle")
    _, out, _ = run(capsys, "exploit", "s.saddle", "--json")
    assert json.loads(out)["exploitability"] < 1e-9
    code, out, _ = run(capsys, "exploit", "s.saddle", "--real", "--json")
    found = json.loads(out)
    lost = sp.exploitability(lift_limited_profile(pair, solution.profile))
    assert (code, found["game"]) == (0, "leduc")
    assert found["exploitability"] == pytest.approx(lost)
    assert lost > 0.1
    code, out, _ = run(capsys, "exploit", "s.saddle", "--real", "--certify", "--json")
    assert json.loads(out)["exploitability"] == pytest.approx(lost)
    sp.solve("leduc:raises=2", "lp").save(tmp_path / "real.saddle")
    code, out, _ = run(capsys, "ev", "s.saddle", "real.saddle", "--real", "--json")
    assert code == 0
    assert json.loads(out)["both_seats"][0][1] <= 1e-9


def test_no_limit_strategies_are_translated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pair = sp.shrink(sp.game("no-limit-leduc:stack=6"), "fcpa")
    solution = sp.solve(pair.game, "lp")
    solution.save(tmp_path / "s.saddle")
    _, out, _ = run(capsys, "exploit", "s.saddle", "--real", "--json")
    lost = sp.exploitability(sp.lift_profile(pair, solution.profile))
    assert json.loads(out)["exploitability"] == pytest.approx(lost)
