"""The version, written into every artefact, and a digest of the sources."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

VERSION = "0.1.0"


@cache
def sources_digest() -> str:
    """A digest of all sources of the package: what code computed can be kept under it."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
