"""The one way compiled code is compiled.

Every hot loop of the package is a function under `@kernel`. The policy is stated
here once: results are cached on disk, a division by zero follows IEEE 754 instead
of raising (a branch would stop vectorisation), and the only liberty with floating
point is the contraction of `a * b + c` into one rounding. Nothing is reordered, so
NaN stays visible and equal input gives equal output.

Kernels are compiled at their first call for the dtypes they are given. The shells
that call them pass C-contiguous arrays of fixed dtypes (int64 or int32 for indices,
float64 or float32 for numbers), which keeps the specialisations to at most two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function to machine code, cached on disk."""
    compiled = numba.njit(cache=True, error_model="numpy", fastmath={"contract"})(function)
    return cast(Function, compiled)
