from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from saddlepoint.cli.main import status
from saddlepoint.core import store

MATRIX_EFG = """EFG 2 R "general" { "one" "two" }
p "" 1 1 "" { "a" "b" } 0
t "" 1 "" { 1, 1 }
t "" 2 "" { 0, 3 }
"""


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = status(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_solve_show_exploit_ev_cite(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "solve", "leduc", "--out", "l.saddle", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["value"] == pytest.approx(-0.0856064, abs=1e-7)
    for key in ("game", "method", "value", "gap", "exploitability", "iterations", "seconds"):
        assert key in found
    assert found["status"] == "converged"
    code, out, _ = run(capsys, "exploit", "l.saddle", "uniform:leduc", "--json")
    rows = json.loads(out)["strategies"]
    assert rows[0]["exploitability"] < 1e-9
    assert rows[1]["exploitability"] == pytest.approx(2.373611, abs=1e-6)
    assert rows[1]["player1"] + rows[1]["player2"] == pytest.approx(rows[1]["gap"])
    code, out, _ = run(capsys, "ev", "l.saddle", "uniform:leduc", "--json")
    assert json.loads(out)["both_seats"][0][1] > 0
    code, out, _ = run(capsys, "show", "l.saddle", "--infoset", "K:cr", "--json")
    assert sum(json.loads(out)["players"]["1"][0]["actions"].values()) == pytest.approx(1)
    code, out, _ = run(capsys, "cite", "l.saddle", "--bibtex")
    assert "@inproceedings{southey2005" in out
    for arguments in (
        ("games",),
        ("games", "--json"),
        ("info", "rhode-island"),
        ("info", "leduc", "--json"),
        ("show", "l.saddle"),
        ("exploit", "l.saddle"),
        ("ev", "l.saddle", "uniform:leduc"),
        ("cite", "kuhn"),
        ("value", "kuhn"),
        ("value", "kuhn", "--json", "--method", "cfr+"),
        ("--version",),
        ("--help",),
    ):
        code, out, _ = run(capsys, *arguments)
        assert code == 0, arguments
        assert out.strip(), arguments


def test_info_tells_what_stack_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert "ante included" in run(capsys, "info", "no-limit-leduc")[1]
    assert "behind, after the antes" in run(capsys, "info", "clairvoyance:stack=3")[1]


def test_convert_there_and_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(capsys, "convert", "leduc", "l.efg")[0] == 0
    _, out, _ = run(capsys, "solve", "l.efg", "--json", "--out", "e.saddle")
    assert json.loads(out)["value"] == pytest.approx(-0.0856064, abs=1e-7)
    assert run(capsys, "exploit", "e.saddle", "--json")[0] == 0
    assert run(capsys, "convert", "rock-paper-scissors", "r.nfg")[0] == 0
    assert json.loads(run(capsys, "value", "r.nfg", "--json")[1])["value"] == pytest.approx(0)
    run(capsys, "solve", "kuhn", "--out", "k.saddle")
    assert run(capsys, "convert", "k.saddle", "k.json")[0] == 0
    assert run(capsys, "convert", "k.saddle", "k.csv")[0] == 0
    assert len((tmp_path / "k.csv").read_text().splitlines()) == 25
    assert run(capsys, "convert", "k.json", "again.saddle", "--game", "kuhn")[0] == 0
    one, two = (
        json.loads(run(capsys, "exploit", f, "--json")[1]) for f in ("k.saddle", "again.saddle")
    )
    assert one["exploitability"] == pytest.approx(two["exploitability"], abs=1e-12)


BAD = [
    (("solve", "khun"), "unknown game 'khun' (did you mean 'kuhn'?)"),
    (("solve", "leduc:ante=-1"), "ante is -1"),
    (("solve", "no-limit-leduc:menu=fcz"), "unknown menu letter 'z'"),
    (("solve", "no-limit-leduc:stack=60"), "would take"),
    (("info", "no-limit-leduc:stack=5000"), "5000 chips in all, ante included"),
    (("value", "no-limit-leduc:stack=1000"), "at least 1.9e+12 betting decisions"),
    (("value", "no-limit-kuhn:stack=1e8"), "(1e+08 pots behind"),
    (("value", "no-limit-kuhn:stack=1e9"), "expected at most 1.07374e+08 pots"),
    (("value", "leduc:raises=5000"), "leduc would take"),
    (("value", "uniform-random:rows=3,columns=3,seed=-1"), "seed is -1"),
    (("solve", "leduc", "--method", "cfx"), "unknown method 'cfx'"),
    (("solve", "leduc", "--gap", "-1"), "gap is -1"),
    (("solve", "leduc", "--seconds", "0"), "seconds is 0"),
    (("solve", "leduc", "-m", "dcfr", "--set", "gama=2"), "unknown setting of dcfr 'gama'"),
    (("solve", "leduc", "-m", "dcfr", "--set", "gamma"), "expected setting=value"),
    (("solve", "leduc", "--out", "no/where.saddle"), "folder no does not exist"),
    (("solve", "leduc", "--resume"), "nothing to resume"),
    (("solve", "leduc", "--nonsense"), "No such option"),
    (("solve", "general.efg"), "gambit"),
    (("solve", "broken.efg"), "broken.efg:2:"),
    (("solve", "absent.efg"), "no such file"),
    (("exploit", "absent.saddle"), "no such file"),
    (("exploit", "text.saddle"), "not a Saddlepoint file"),
    (("exploit", "flipped.saddle"), "damaged"),
    (("exploit", "good.saddle", "--game", "leduc"), "was made for kuhn"),
    (("exploit", "short.json", "--game", "kuhn"), "not a Saddlepoint file"),
    (("convert", "short.json", "x.saddle", "--game", "kuhn"), "no probabilities at"),
    (("convert", "sum.json", "x.saddle", "--game", "kuhn"), "sum 1.2, expected"),
    (("convert", "syntax.json", "x.saddle", "--game", "kuhn"), "syntax.json:1:2"),
    (("convert", "good.saddle", "x.xyz"), "expected a file ending in"),
    (("convert", "kuhn", "x.nfg"), "cannot be written as .nfg"),
    (("show", "good.saddle", "--infoset", "X:"), "no information set is called 'X:'"),
    (("ev", "good.saddle", "uniform:leduc"), "different games"),
    (("uniform-random",), "No such command"),
    (("value", "uniform-random:rows=2"), "needs columns"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_input_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    status(["solve", "kuhn", "--out", "good.saddle", "--quiet"])
    (tmp_path / "general.efg").write_text(MATRIX_EFG)
    (tmp_path / "broken.efg").write_text(MATRIX_EFG.replace('"a" "b"', '"a" b'))
    (tmp_path / "text.saddle").write_text("hello")
    bad = bytearray((tmp_path / "good.saddle").read_bytes())
    bad[len(bad) // 2] ^= 4
    (tmp_path / "flipped.saddle").write_bytes(bad)
    (tmp_path / "short.json").write_text('{"J:": [1, 0]}')
    status(["convert", "good.saddle", "sum.json"])
    tables = json.loads((tmp_path / "sum.json").read_text())
    tables["players"]["1"]["J:"] = [0.7, 0.5]
    (tmp_path / "sum.json").write_text(json.dumps(tables))
    (tmp_path / "syntax.json").write_text("{x}")
    capsys.readouterr()
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message.lower() in err.lower()


def saddle(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "saddlepoint.cli", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    work = ("solve", "leduc", "-m", "cfr", "--gap", "1e-7", "--out", "l.saddle")
    child = saddle(*work, cwd=tmp_path)
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "interrupted" in out
    assert "--resume" in err
    first = store.read(tmp_path / "l.saddle").manifest["solution"]["iterations"]
    refused = saddle(*work, cwd=tmp_path)
    assert "add --resume" in refused.communicate(timeout=60)[1]
    more = ("solve", "leduc", "-m", "cfr", "--iterations", str(first + 5), "--out", "l.saddle")
    again = saddle(*more, "--resume", "--json", cwd=tmp_path)
    found = json.loads(again.communicate(timeout=60)[0])
    assert again.returncode == 0
    assert found["iterations"] == first + 5


def test_help_does_not_load_the_heavy_parts() -> None:
    code = (
        "import sys; from saddlepoint.cli.main import status; status(['--help']);"
        "print([m for m in ('numba', 'scipy', 'numpy') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_exact_values_and_refined_solutions(capsys: pytest.CaptureFixture[str]) -> None:
    assert "kuhn: -1/18 chips" in run(capsys, "value", "kuhn", "--exact")[1]
    assert json.loads(run(capsys, "value", "kuhn", "--exact", "--json")[1])["fraction"] == "-1/18"
    found = json.loads(run(capsys, "solve", "kuhn", "--refine", "--json")[1])
    assert found["notes"]["refined"] == "undominated"
    assert found["gap"] < 1e-9
