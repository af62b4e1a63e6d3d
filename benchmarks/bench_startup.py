"""How long a user waits: help, import to a solved game, the first compilation, memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from measuring import fresh, peak_megabytes, report

HELP = "import sys; from saddlepoint.cli.main import status; sys.exit(status(['--help']))"
SOLVED = "import saddlepoint as sp; sp.solve('leduc', {method!r}, gap=2e-4)"
DEMO = "from saddlepoint.cli.demo import main; main()"


def main() -> None:
    report("saddle --help", "saddlepoint", seconds=fresh(HELP))
    for method in ("lp", "cfr+"):
        report(
            "import to a solved Leduc",
            "saddlepoint",
            method=method,
            seconds=fresh(SOLVED.format(method=method)),
        )
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", DEMO],
            check=True,
            env=environment,
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )
        report("the demo with nothing compiled", "saddlepoint", seconds=time.perf_counter() - began)
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
