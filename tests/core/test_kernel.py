from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from saddlepoint.core.kernel import kernel, nothing_compiled, remove_old


def test_old_machine_code_is_removed(tmp_path: Path) -> None:
    old, new, other = (tmp_path / name for name in ("kernels-old", "kernels-new", "else"))
    for folder in (old, new, other):
        (folder / "module").mkdir(parents=True)
        (folder / "module" / "code.nbc").write_bytes(b"x")
    past = time.time() - 1000.0
    for path in (old, old / "module", other, other / "module"):
        os.utime(path, (past, past))
    remove_old(tmp_path, keep=500.0)
    assert not old.exists()
    assert new.exists()
    assert other.exists()


def test_kernels_keep_nan_and_divide_as_ieee() -> None:
    @kernel
    def ratio(a: float, b: float) -> float:
        return a / b

    assert np.isinf(ratio(1.0, 0.0))
    assert np.isnan(ratio(0.0, 0.0))
    assert not nothing_compiled()
