"""Steps that are computed once and kept under what made them.

A step has a name and a *key*, plain data that says what it depends on: the game, settings,
the seed. Its result is a mapping of numbers, texts, lists and arrays. It is kept in one file
whose name is a digest of name, key and the sources of the package, so that a run that was
interrupted goes on where it stopped, and nothing is ever taken from other code or other
settings than it would be computed with now.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from saddlepoint.core import store
from saddlepoint.core.errors import StoreError
from saddlepoint.core.version import VERSION, sources_digest

Result = dict[str, Any]


def default_folder() -> Path:
    """Where steps are kept: `SADDLEPOINT_CACHE`, or the user's folder for such files."""
    chosen = os.environ.get("SADDLEPOINT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "saddlepoint"


class Keeper:
    """A folder of steps.

    Parameters
    ----------
    folder
        Where the files are; made when it is first needed.
    fresh
        Compute every step anew, and keep the new results.

    Examples
    --------
    >>> import tempfile
    >>> keeper = Keeper(tempfile.mkdtemp())
    >>> keeper.step("sum", {"of": [1, 2]}, lambda: {"total": 3})
    {'total': 3}
    >>> keeper.step("sum", {"of": [1, 2]}, lambda: 1 / 0)  # kept: nothing is computed
    {'total': 3}
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, fresh: bool = False) -> None:
        self.folder = default_folder() if folder is None else Path(folder)
        self.fresh = fresh
        self.computed: list[str] = []
        """The steps that were computed, not read."""
        self.found: list[str] = []
        """The steps that were read."""

    def path(self, name: str, key: Mapping[str, Any]) -> Path:
        """The file of a step."""
        text = json.dumps([name, key, sources_digest()], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return self.folder / f"{name}-{digest}{store.SUFFIX}"

    def step(self, name: str, key: Mapping[str, Any], compute: Callable[[], Result]) -> Result:
        """The result of a step: read if it is kept, else computed and kept."""
        path = self.path(name, key)
        if path.exists() and not self.fresh:
            try:
                kept = store.read(path)
                self.found.append(name)
                found: Result = kept.manifest["result"] | kept.arrays
                return found
            except StoreError:  # damaged: computed anew below
                pass
        result = compute()
        self._keep(path, key, result)
        self.computed.append(name)
        return result

    def _keep(self, path: Path, key: Mapping[str, Any], result: Result) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise StoreError(f"cannot make the folder {path.parent}: {problem.strerror}") from None
        arrays = {k: v for k, v in result.items() if isinstance(v, np.ndarray)}
        plain = {k: v for k, v in result.items() if k not in arrays}
        manifest = {"kind": "step", "version": VERSION, "key": dict(key), "result": plain}
        store.write(path, manifest, arrays)
