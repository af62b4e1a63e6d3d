from __future__ import annotations

import json

import pytest

from saddlepoint.cli.main import status


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = status(["equity", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_exact(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "AA", "KK")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "AA against KK"
    assert "81.946%" in out
    code, out, _ = run(capsys, "AsKs", "QhQd", "--board", "Ts 9s 2d", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["exact"] is True
    assert found["total"] == 990
    assert found["equity"] == pytest.approx(530 / 990)
    assert found["win"] + found["tie"] + found["lose"] == pytest.approx(1)


def test_sampled(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("AA", "KK", "--samples", "20000", "--seed", "5", "--json")
    _, first, _ = run(capsys, *arguments)
    _, second, _ = run(capsys, *arguments)
    assert first == second
    found = json.loads(first)
    assert found["exact"] is False
    assert abs(found["equity"] - 0.81946) < 4 * found["standard_error"]
    assert "(standard error" in run(capsys, "AA", "KK", "--samples", "100")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("AX", "KK"), "unknown"),
        (("AsAs", "KK"), "As"),
        (("AsAh", "KK", "--board", "AsKd"), "the board has 2 cards"),
        (("AsAh", "KK", "--board", "AsKd2x"), "unknown card '2x'"),
        (("AsAh", "AsKd"), "no two hands"),
        (("AA", "KK", "--samples", "1"), "samples is 1"),
        (("AA", "KK", "--samples", "9", "--seed", "-1"), "seed is -1"),
    ],
)
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err
