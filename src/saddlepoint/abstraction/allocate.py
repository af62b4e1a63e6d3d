r"""How buckets are divided among parents: a 0-1 integer program.

Parent i with k children has the error $c_{i,k}$, already weighted by the probability of the
parent. With K children in all,

$$\min \sum_{i,k} c_{i,k}\, x_{i,k} \quad\text{subject to}\quad
  \sum_{i,k} k\, x_{i,k} \le K, \qquad \sum_k x_{i,k} = 1 \ \text{for all } i,
  \qquad x_{i,k} \in \{0, 1\}$$

(thesis 003, section 6.4), which HiGHS solves. A generalised knapsack problem; the relaxed
program is nearly integral.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import whole
from saddlepoint.core.errors import SaddlepointError, SettingsError

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]


def allocate(errors: Sequence[Vector], total: int) -> Counts:
    """How many children each parent has.

    Parameters
    ----------
    errors
        For each parent the errors with 1, 2, ... children, as many as make sense.
    total
        At most so many children in all.

    Raises
    ------
    SettingsError
        If there are fewer children than parents.

    Examples
    --------
    >>> allocate([np.array([9.0, 1.0, 0.0]), np.array([2.0, 1.5, 0.0])], 4).tolist()
    [3, 1]
    """
    whole("total", total, 1)
    if len(errors) > total:
        raise SettingsError(
            f"{total} buckets for {len(errors)} parents, expected at least one for each"
        )
    sizes = np.array([len(row) for row in errors])
    if sizes.sum() <= total:  # enough for everybody
        return sizes.astype(np.int64)
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    most = total - len(errors) + 1
    rows = [row[:most] for row in errors]
    parent = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    children = np.concatenate([np.arange(1, len(row) + 1) for row in rows])
    cost = np.concatenate(rows)
    scale = float(cost.max()) or 1.0
    one = csr_array((np.ones(len(cost)), (parent, np.arange(len(cost)))))
    found = milp(
        cost / scale,
        integrality=np.ones(len(cost), np.int64),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(one, 1, 1),
            LinearConstraint(children[None, :].astype(float), -np.inf, total),
        ],
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise SaddlepointError(f"HiGHS does not divide {total} buckets: {found.message}")
    chosen = np.flatnonzero(found.x > 0.5)
    return children[chosen][np.argsort(parent[chosen])].astype(np.int64)
