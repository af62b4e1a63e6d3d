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
from typing import TYPE_CHECKING, Any

from saddlepoint.core.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from saddlepoint.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Fetch a name from the front desk at its first use, so that importing stays quick."""
    if name.startswith("_"):
        raise AttributeError(f"module 'saddlepoint' has no attribute '{name}'")
    api = import_module("saddlepoint.api")
    if name not in api.__all__:
        raise AttributeError(f"module 'saddlepoint' has no attribute '{name}'")
    return getattr(api, name)


def __dir__() -> list[str]:
    return [*globals(), *import_module("saddlepoint.api").__all__]
