"""What `make demo` runs: Leduc Hold'em solved, measured, and shown in part."""

from __future__ import annotations

import time
from pathlib import Path

from saddlepoint.cli.output import print_facts, print_table

SHOWN = ("J:", "Q:", "K:", "Q:cr", "J|K:rc/")


def main() -> None:
    """Solve limit Leduc Hold'em by two methods and say what to try next."""
    print("Leduc Hold'em: six cards, two rounds of betting, one public card.")
    print("The first run on a machine compiles the kernels, which takes some seconds.")
    began = time.perf_counter()
    import saddlepoint as sp

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
    path = program.save(Path("leduc.saddle"))
    print(f"\nsaved to {path}. Try next, after 'source .venv/bin/activate':\n")
    for line in (
        "saddle show leduc.saddle --limit 10",
        "saddle exploit leduc.saddle uniform:leduc",
        "saddle games",
        "saddle info rhode-island",
        "saddle solve no-limit-leduc:stack=12,menu=fcpa --out fcpa.saddle",
        "saddle value kuhn",
    ):
        print(f"    {line}")


if __name__ == "__main__":
    main()
