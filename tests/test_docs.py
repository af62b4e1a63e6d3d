"""Every example in the README and in the documentation is run.

A page is one test, because its examples build on each other:

* a ```` ```python ```` block with `>>>` is a doctest, one without is executed; all
  blocks of a page share their names;
* a fence with a title, ```` ```toml title="small.toml" ````, is a file, which is there
  before the first example runs;
* in a ```` ```console ```` block every `$ saddle ...` and `$ python FILE` is run in the
  folder of those files, and has to end with status 0, or with N if the line ends with
  `# exit N`. Output that the page shows has to be what is printed: `...` stands for
  anything, and white space, the lengths of rules in tables, and numbers below 1e-11,
  which are rounding errors, do not matter.

A comment `<!-- needs: pandas -->` before a block, or in the first line of a page, skips it
where the module is missing.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from saddlepoint.cli.main import status

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r'^( *)```(\w+)(?: title="([^"]+)")?\s*$')
NEEDS = re.compile(r"^ *<!-- needs: (\w+) -->\s*$")
EXIT = re.compile(r"\s+# exit (\d+)$")
ROUNDING = re.compile(r"-?\d(?:\.\d+)?e-(?:1[1-9]|[2-9]\d|\d{3})")


@dataclass(frozen=True)
class Block:
    """A fenced block: its text without indentation, and the line where that begins."""

    language: str
    title: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page whose needs are met."""
    lines = page.read_text(encoding="utf-8").splitlines()
    if lines and absent(lines[0]):
        return
    k = 0
    while k < len(lines):
        fence = FENCE.match(lines[k])
        k += 1
        if not fence:
            continue
        indent, language, title = fence.groups()
        end = k
        while lines[end].strip() != "```":
            end += 1
        text = "\n".join(line.removeprefix(indent) for line in lines[k:end]) + "\n"
        if not absent(lines[k - 2]):
            yield Block(language, title or "", text, k)
        k = end + 1


def absent(line: str) -> bool:
    """Whether a line asks for a module that is not installed."""
    needs = NEEDS.match(line)
    return needs is not None and find_spec(needs[1]) is None


def plain(text: str) -> str:
    """Output without what may differ from machine to machine."""
    return re.sub("━+", "━", ROUNDING.sub("0", text))


class Checker(doctest.OutputChecker):
    """Compares output with what a page shows."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(plain(want), plain(got), optionflags)


def run_prompts(block: Block, names: dict[str, Any], where: str) -> str:
    """Run a doctest; return what is wrong."""
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    test.globs = names  # the parser has made a copy
    out = io.StringIO()
    runner = doctest.DocTestRunner(Checker(), verbose=False, optionflags=FLAGS)
    runner.run(test, out=out.write, clear_globs=False)
    return out.getvalue()


def commands(text: str) -> Iterator[tuple[int, str, str]]:
    """Lines with a prompt (a backslash joins the next one), and the output they show."""
    line, command, output = 0, "", ""
    for k, row in enumerate(text.splitlines()):
        if command.endswith("\\"):
            command = command[:-1] + row.strip()
        elif row.startswith("$ "):
            if command:
                yield line, command, output
            line, command, output = k, row[2:], ""
        else:
            output += row + "\n"
    yield line, command, output


def run_command(command: str) -> tuple[int, str] | None:
    """Run `saddle` or `python FILE` in this process; None if it is another command."""
    words = shlex.split(command, comments=True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        if words[:1] == ["saddle"]:
            code = status(words[1:])
        elif words[:1] == ["python"] and len(words) == 2:
            runpy.run_path(words[1], run_name="__main__")
            code = 0
        else:
            return None
    return code, out.getvalue()


def run_console(block: Block, where: str) -> str:
    """Run the commands of a block; return what is wrong."""
    problems = ""
    for line, command, want in commands(block.text):
        if (done := run_command(command)) is None:
            continue
        code, got = done
        expected = EXIT.search(command)
        place = f"{where}:{block.line + line + 1}: $ {command}\n"
        if code != (int(expected[1]) if expected else 0):
            problems += f"{place}ends with status {code}:\n{got}"
        elif want.strip() and not Checker().check_output(want, got, FLAGS):
            example = doctest.Example("", want)
            problems += place + Checker().output_difference(example, got, FLAGS)
    return problems


def problems_of(page: Path, folder: Path) -> str:
    """Run the examples of a page in a folder, which is the current one."""
    found, names = list(blocks(page)), {"__name__": "__main__"}
    where, problems = page.name, ""
    for block in found:
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
    for block in found:
        if block.title:
            continue
        if block.language == "console":
            problems += run_console(block, where)
        elif block.language == "python" and ">>> " in block.text:
            problems += run_prompts(block, names, where)
        elif block.language == "python":
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
    return problems


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for block in blocks(page):  # modules that another page has shown
        sys.modules.pop(Path(block.title).stem, None)
    if problems := problems_of(page, tmp_path):
        pytest.fail(problems, pytrace=False)
