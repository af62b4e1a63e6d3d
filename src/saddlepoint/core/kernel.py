"""The one way compiled code is compiled.

Every hot loop of the package is a function under `@kernel`. The policy is stated here
once: a division by zero follows IEEE 754 instead of raising (a branch would stop
vectorisation), and the only liberty with floating point is the contraction of `a * b + c`
into one rounding. Nothing is reordered, so NaN stays visible and equal input gives equal
output. Kernels hold no lock, so that threads can run them side by side.

Kernels are compiled at their first call for the dtypes they are given. The shells that
call them pass C-contiguous arrays of fixed dtypes (int64 or int32 for indices, float64 or
float32 for numbers), which keeps the specialisations to at most two.

Machine code is kept on disk. Numba renews it when the file of a kernel changes, but not
when the file of another kernel does that was compiled into it; so it is kept in a folder
that is named after the sources of the whole package, in `__pycache__` beside them or, if
that cannot be written, where Numba would put it. `NUMBA_CACHE_DIR` overrides this. Folders
of other sources that nobody has written to for a week are removed when a new one is begun.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.config

from saddlepoint.core.version import sources_digest

# The settings that Numba reads from the environment, untyped there.
_settings: Any = numba.core.config

# A week: other versions of the package may be in use beside this one.
KEPT_SECONDS = 7 * 24 * 3600.0

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def _folder() -> str:
    """Where machine code is kept; empty if that is left to Numba."""
    package = Path(__file__).parent.parent
    home = package / "__pycache__"
    if _settings.CACHE_DIR or not os.access(home if home.exists() else package, os.W_OK):
        return str(_settings.CACHE_DIR)
    mine = home / f"kernels-{sources_digest()}"
    if not mine.exists():
        remove_old(home)
    return str(mine)


def remove_old(home: Path, keep: float = KEPT_SECONDS) -> None:
    """Remove folders of machine code that were last written to longer ago than that."""
    for folder in home.glob("kernels-*"):
        try:
            written = max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
        except OSError:  # another process removes it at this moment
            continue
        if time.time() - written > keep:
            shutil.rmtree(folder, ignore_errors=True)


def kernel(function: Function) -> Function:
    """Compile a function to machine code, cached on disk."""
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = _folder()
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(
            function
        )
    finally:
        _settings.CACHE_DIR = before
    return cast(Function, compiled)


def nothing_compiled() -> bool:
    """Whether no kernel has been compiled yet, so that the first calls take some seconds."""
    folder = Path(_folder()) if _folder() else None
    return folder is None or not any(folder.rglob("*.nbc"))
