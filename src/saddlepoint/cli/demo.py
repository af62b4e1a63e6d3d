"""What `make demo` runs: Leduc Hold'em solved, then a pipeline from shrinking to a report."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from saddlepoint.cli.output import print_facts, print_table, say

SHOWN = ("J:", "Q:", "K:", "Q:cr", "J|K:rc/")
FOLDER = Path("demo")


def main(arguments: list[str]) -> None:
    """Solve limit Leduc Hold'em by two methods, run a pipeline file, say what to try next."""
    FOLDER.mkdir(exist_ok=True)
    solve_leduc()
    for file in arguments:
        run_pipeline(Path(file))
    print("\nTry next, after 'source .venv/bin/activate':\n")
    for line in (
        "saddle show demo/leduc.saddle --limit 10",
        "saddle exploit demo/leduc.saddle uniform:leduc",
        "saddle reproduce 001 --table 3",
        "saddle run examples/no-limit-leduc.toml",
        "saddle study mappings --out mappings.html",
        "saddle games",
        "saddle info rhode-island",
        "saddle solve no-limit-leduc:stack=12,menu=fcpa --out fcpa.saddle",
        "saddle value kuhn",
    ):
        print(f"    {line}")


def solve_leduc() -> None:
    """Solve and save limit Leduc Hold'em."""
    print("Leduc Hold'em: six cards, two rounds of betting, one public card.")
    began = time.perf_counter()
    import saddlepoint as sp
    from saddlepoint.core.kernel import nothing_compiled

    if nothing_compiled():
        print("Kernels are compiled for the first time on this machine: some seconds more.")
    form = sp.game("leduc").sequence_form()
    program = sp.solve(form, "lp")
    ready = time.perf_counter()
    regret = sp.solve(form, "cfr+", gap=2e-4)
    unit = form.unit
    facts = [
        ("value to player 1", f"{unit.show(program.value)} by linear programming"),
        ("", f"{unit.show(regret.value)} by CFR+ in {regret.iterations:,} iterations"),
        ("exploitability", f"{program.exploitability:.1e} and {regret.exploitability:.1e} chips"),
        ("loaded and solved", f"{ready - began:.2f} s, of which solving {program.seconds:.3f} s"),
        ("CFR+", f"{regret.seconds:.3f} s"),
    ]
    print_facts("\nsolved", facts)
    rows = [
        (name, "  ".join(f"{a} {p:.3f}" for a, p in program.profile.first[name].items()))
        for name in SHOWN
    ]
    print_table("\nplayer 1 with (card | board : betting)", ("information set", "strategy"), rows)
    print(f"\nsaved to {program.save(FOLDER / 'leduc.saddle')}")


def run_pipeline(file: Path) -> None:
    """Shrink, solve, map back and measure, as a file says."""
    from saddlepoint.studies.keep import Keeper
    from saddlepoint.studies.pipeline import Pipeline
    from saddlepoint.studies.report import write_report

    print(f"\nThe whole way, as {file} says: shrink, solve, map back, measure.\n")
    found = Pipeline.read(file).run(Keeper(FOLDER / "steps"), say)
    print_facts(found.title, found.facts)
    part = found.tables[0]
    print(f"\n{part.title}")
    print_table("", part.heads, part.texts(), part.note)
    page, data = write_report(found, FOLDER / f"{file.stem}.html")
    print(f"\nreport: {page} (data: {data})")


if __name__ == "__main__":
    main(sys.argv[1:])
