from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from saddlepoint.cli import completing
from saddlepoint.cli.main import status
from saddlepoint.core import store
from saddlepoint.games.catalogue import CATALOGUE
from saddlepoint.solvers.methods import METHODS

MATRIX_EFG = """EFG 2 R "general" { "one" "two" }
p "" 1 1 "" { "a" "b" } 0
t "" 1 "" { 1, 1 }
t "" 2 "" { 0, 3 }
"""


FORGETFUL_EFG = """EFG 2 R "forgets" { "one" "two" }
p "" 1 1 "first" { "a" "b" } 0
p "" 1 2 "second" { "c" "d" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { 0, 0 }
p "" 1 2 "second" { "c" "d" } 0
t "" 3 "" { 2, -2 }
t "" 4 "" { 3, -3 }
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
    assert run(capsys, "convert", "k.json", "again.saddle")[0] == 0
    (tmp_path / "renamed").write_bytes((tmp_path / "k.saddle").read_bytes())
    (tmp_path / "text").write_bytes((tmp_path / "k.json").read_bytes())
    one, *others = (
        json.loads(run(capsys, "exploit", f, "--json")[1])
        for f in ("k.saddle", "again.saddle", "k.json", "renamed", "text")
    )
    for other in others:
        assert one["exploitability"] == pytest.approx(other["exploitability"], abs=1e-12)
    shown = [run(capsys, "show", f, "--json")[1] for f in ("k.saddle", "k.json", "renamed")]
    assert shown[0] == shown[1] == shown[2]
    assert json.loads(run(capsys, "ev", "k.json", "k.saddle", "--json")[1])["both_seats"][0][1] == 0
    for f in ("k.saddle", "renamed", "k.json", "kuhn"):
        assert "kuhn1950" in run(capsys, "cite", f, "--bibtex")[1]


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
    (("exploit", "text.saddle"), "neither a Saddlepoint file nor strategies as JSON"),
    (("exploit", "flipped.saddle"), "damaged"),
    (("exploit", "good.saddle", "--game", "leduc"), "was made for kuhn"),
    (("exploit", "short.json"), "short.json: the file does not say how its game is built"),
    (("exploit", "short.json", "--game", "kuhn"), "player 1 has no probabilities at 'Q:'"),
    (("convert", "short.json", "x.saddle", "--game", "kuhn"), "no probabilities at"),
    (("convert", "sum.json", "x.saddle"), "sum 1.2, expected"),
    (("exploit", "sum.json"), "sum.json: probabilities at 'J:'"),
    (("show", "binary.json"), "binary.json: not a text in UTF-8 (byte 0)"),
    (("show", "deep.json"), "deep.json: "),
    (("exploit", "list.json"), "found [1], expected an object of information sets"),
    (("convert", "good.saddle", "x.efg"), "good.saddle holds strategies, and a .efg file holds"),
    (("convert", "sum.json", "x.efg"), "sum.json holds strategies"),
    (("cite", "flipped"), "unknown game 'flipped'"),
    (("solve", "kuhn", "--fresh", "--checkpoint", "good.saddle"), "holds a solution of kuhn"),
    (("solve", "kuhn", "--resume", "--checkpoint", "good.saddle"), "holds a solution of kuhn"),
    (("solve", "kuhn", "--checkpoint", "good.saddle"), "holds a solution of kuhn"),
    (("solve", "kuhn", "--fresh", "--checkpoint", "text.saddle"), "only a checkpoint is"),
    (("solve", "kuhn", "-o", "a.saddle", "--checkpoint", "a.saddle"), "expected two files"),
    (("solve", "leduc", "-m", "cfr", "--iterations", "1.5"), "invalid value"),
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
    (tmp_path / "binary.json").write_bytes(b"\xff{}")
    (tmp_path / "deep.json").write_text(100_000 * "[")
    (tmp_path / "list.json").write_text("[1]")
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


def test_no_file_but_a_checkpoint_is_dropped(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(capsys, "solve", "kuhn", "--out", "good.saddle")
    before = (tmp_path / "good.saddle").read_bytes()
    for option in ("--fresh", "--resume"):
        assert run(capsys, "solve", "kuhn", option, "--checkpoint", "good.saddle")[0] == 2
    assert (tmp_path / "good.saddle").read_bytes() == before
    work = ("solve", "kuhn", "-m", "cfr", "--iterations", "5", "--checkpoint", "run.saddle")
    assert run(capsys, *work)[0] == 0
    assert run(capsys, *work)[0] == 2
    assert run(capsys, *work, "--fresh")[0] == 0


def test_internal_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr("saddlepoint.games.catalogue.game", broken)
    code, out, err = run(capsys, "info", "kuhn")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("error: internal error: ValueError: two lines; please report it")
    monkeypatch.setenv("SADDLEPOINT_DEBUG", "1")
    with pytest.raises(ValueError, match="two"):
        status(["info", "kuhn"])


def test_lines_have_no_trailing_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("solve", "rock-paper-scissors"), ("games",), ("exploit", "uniform:kuhn")):
        out = run(capsys, *arguments)[1]
        assert [line for line in out.splitlines() if line != line.rstrip()] == []
        assert " -0 " not in out


def test_info_tells_the_betting_and_the_hands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "betting decisions  9,720\n" in run(capsys, "info", "no-limit-leduc")[1]
    assert "13 / 325 / 9,997\n" in run(capsys, "info", "rhode-island")[1]
    assert "2 and 1\n" in run(capsys, "info", "clairvoyance")[1]
    found = json.loads(run(capsys, "info", "rhode-island", "--json")[1])
    assert found["hands_by_round"] == [[13, 13], [325, 325], [9997, 9997]]
    assert found["betting_decisions"] == 8 * (1 + 7 + 49)
    (tmp_path / "forgets.efg").write_text(FORGETFUL_EFG)
    code, out, _ = run(capsys, "info", "forgets.efg")
    assert code == 0
    assert "nodes" in out
    assert "imperfect recall" in out
    assert (
        "imperfect recall"
        in json.loads(run(capsys, "info", "forgets.efg", "--json")[1])["estimate"]["refused"]
    )
    assert run(capsys, "value", "forgets.efg")[0] == 2


def test_names_are_completed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = {name: entry.parameters for name, entry in CATALOGUE.items()}
    assert {name: keys.split() for name, keys in completing.GAMES.items()} == {
        name: list(keys) for name, keys in names.items()
    }
    assert ("auto", *METHODS) == completing.METHODS
    (tmp_path / "stud.toml").touch()
    (tmp_path / "k.saddle").touch()
    (tmp_path / "sub").mkdir()
    assert completing.games("no-limit") == ["no-limit-kuhn", "no-limit-leduc"]
    assert completing.games("s") == ["stud.toml", "sub/"]
    assert completing.games("leduc:raises=2,s") == ["leduc:raises=2,suits="]
    assert completing.games("leduc:raises=2,raises") == []
    assert completing.games("leduc:raises=2") == []
    assert completing.strategies("") == ["uniform:", "k.saddle", "sub/"]
    assert completing.strategies("uniform:mo") == ["uniform:morra"]
    assert "kuhn" in completing.games_and_strategies("k")
    assert "k.saddle" in completing.games_and_strategies("k")
    assert completing.methods("c") == ["cfr", "cfr+"]
    words = {"_SADDLE_COMPLETE": "complete_bash", "COMP_WORDS": "saddle info leduc:ra"}
    code = (
        "import sys\nfrom saddlepoint.cli.main import status\ntry: status([])\n"
        "finally: print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | words | {"COMP_CWORD": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["leduc:raises=", "leduc:ranks=", "False"]


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


def test_an_interrupted_value_is_told(tmp_path: Path) -> None:
    child = saddle("value", "leduc", "-m", "cfr", "--gap", "1e-9", cwd=tmp_path)
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "certainly between" in out
    assert "interrupted: these are the bounds" in err


@pytest.mark.parametrize("seconds", [0.12, 0.2, 0.35])
def test_an_interrupt_while_loading_is_told(tmp_path: Path, seconds: float) -> None:
    child = saddle("value", "rhode-island", cwd=tmp_path)
    time.sleep(seconds)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    # Before Python has loaded itself, an interrupt cannot be told in our words.
    assert child.returncode in (130, -signal.SIGINT)
    if child.returncode == 130:
        assert err == "interrupted\n"


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


def test_certificates_from_the_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = []
    for option in ([], ["--certify"]):
        assert status(["exploit", "uniform:leduc", "--json", *option]) == 0
        found.append(json.loads(capsys.readouterr().out))
    one, two = found
    assert (one.pop("measured"), two.pop("measured")) == ("sequence form", "public tree")
    assert one.keys() == two.keys()
    for key in ("value", "lower", "upper", "gap", "exploitability", "player1", "player2"):
        assert one[key] == pytest.approx(two[key], abs=1e-9)
    assert status(["exploit", "uniform:matching-pennies", "--certify"]) == 2
    assert "needs cards" in capsys.readouterr().err


def test_compact_files_and_plots(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, plot = tmp_path / "kuhn.saddle", tmp_path / "kuhn.svg"
    command = ["solve", "kuhn", "-m", "cfr+", "--gap", "1e-3", "--quiet", "--out", str(out)]
    assert status([*command, "--compact", "--plot", str(plot)]) == 0
    assert plot.read_text().startswith("<svg")
    assert "seconds" in plot.read_text()
    capsys.readouterr()
    assert status(["exploit", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gap"] < 2e-3
    assert status([*command[:-2], "--plot", str(tmp_path / "none" / "x.svg")]) == 2
    assert "does not exist" in capsys.readouterr().err
