"""Saddlepoint: shrink, solve and play games of hidden information, measured exactly.

>>> import saddlepoint as sp
>>> solution = sp.solve("leduc")
>>> print(f"{solution.value:.7f}")
-0.0856064
>>> bool(sp.exploitability(solution.profile) < 1e-9)
True
"""

from __future__ import annotations

from importlib import import_module

# Not from `typing`, which takes as long to import as all the rest of what is needed here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from saddlepoint.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Fetch a name from the front desk at its first use, so that importing stays quick."""
    if name == "__version__":
        return import_module("saddlepoint.core.version").VERSION
    if name.startswith("_"):
        raise AttributeError(f"module 'saddlepoint' has no attribute '{name}'")
    api = import_module("saddlepoint.api")
    if name not in api.__all__:
        raise AttributeError(f"module 'saddlepoint' has no attribute '{name}'")
    return getattr(api, name)


def __dir__() -> list[str]:
    return [*globals(), "__version__", *import_module("saddlepoint.api").__all__]
