"""`saddle`: the command, and its exit status.

Standard output holds the answer, standard error everything else. Errors about the input
are one line and exit status 2, internal ones are 1; an interrupt is 130. This module
imports next to nothing, so that an interrupt is told from the first moment on.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
# The name of threads whose work an interrupt has left behind.
LEFT_BEHIND = "left behind"


def main() -> None:
    """Run the command line and exit."""
    signal.signal(signal.SIGINT, _interrupt)
    code = status(sys.argv[1:])
    threading = sys.modules.get("threading")
    if threading and any(thread.name == LEFT_BEHIND for thread in threading.enumerate()):
        # What was told to stop may take seconds to notice, and nobody wants its results.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def status(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    try:
        from saddlepoint.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
        return INTERRUPTED


def _interrupt(number: int, frame: object) -> None:
    """Raise an interrupt, but leave at once in the middle of an import, which may swallow it."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):  # type: ignore[attr-defined]
            os.write(2, b"interrupted\n")
            os._exit(INTERRUPTED)
        frame = frame.f_back  # type: ignore[attr-defined]
    raise KeyboardInterrupt
