"""How long a user waits: help, import to a solved game, the first compilation, memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import fresh, peak_megabytes, report

HELP = "import sys; from saddlepoint.cli.main import status; sys.exit(status(['--help']))"
SOLVED = "import saddlepoint as sp; sp.solve('leduc', {method!r}, gap=2e-4)"
DEMO = "from saddlepoint.cli.demo import main; main({files})"
PIPELINE = Path(__file__).parent.parent / "examples" / "no-limit-leduc.toml"


def demo(folder: str, files: list[str]) -> float:
    """Seconds of the demo, with machine code kept in a folder and nothing else."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", DEMO.format(files=files)],
        check=True,
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def main() -> None:
    report("saddle --help", "saddlepoint", seconds=fresh(HELP))
    for method in ("lp", "cfr+"):
        report(
            "import to a solved Leduc",
            "saddlepoint",
            method=method,
            seconds=fresh(SOLVED.format(method=method)),
        )
    for part, files in (("Leduc", []), ("Leduc and the pipeline", [str(PIPELINE)])):
        with tempfile.TemporaryDirectory() as folder:
            took = [demo(folder, files) for _ in range(2)]
        report("the demo with nothing compiled", "saddlepoint", part=part, seconds=took[0])
        report("the demo again", "saddlepoint", part=part, seconds=took[1])
    idle = peak_megabytes("import numba, saddlepoint.api")
    for method in ("lp", "cfr+"):
        peak = peak_megabytes(SOLVED.format(method=method))
        report(
            "peak memory of a solved Leduc",
            "saddlepoint",
            method=method,
            megabytes=peak,
            megabytes_above_idle=peak - idle,
        )


if __name__ == "__main__":
    main()
