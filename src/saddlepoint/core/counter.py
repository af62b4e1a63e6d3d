r"""Random numbers by counting: each is a function of what it is for, not of what came before.

$$u(\text{key}, n, k) = 2^{-53} \lfloor m(m(\text{key} + \gamma (n + 1)) + \gamma (k + 1))
                        / 2^{11} \rfloor$$

with the increment $\gamma$ and the mixing function m of SplitMix64 (Steele, Lea and Flood
2014): trial n has a stream of its own, and k counts the uses of a number in it. So trials
may be run in any order, in any portions and again, one by one, and come out the same.
"""

from __future__ import annotations

import numpy as np

from saddlepoint.core.kernel import kernel
from saddlepoint.core.seeds import Seed, generator

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53


def key_of(seed: Seed) -> np.uint64:
    """The key of a seed; a generator gives another key each time.

    >>> int(key_of(1)) == int(key_of(1)), int(key_of(1)) == int(key_of(2))
    (True, False)
    """
    return np.uint64(generator(seed).integers(2**64, dtype=np.uint64))


@kernel
def mixed(x: np.uint64) -> np.uint64:
    """The mixing function of SplitMix64, a bijection of 64 bits."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


@kernel
def chance(key: np.uint64, trial: int, use: int) -> float:
    """A number in [0, 1) for a use, at least 0, of a trial, at least 0."""
    x = mixed(key + GAMMA * (np.uint64(trial) + np.uint64(1)))
    x = mixed(x + GAMMA * (np.uint64(use) + np.uint64(1)))
    return float(x >> np.uint64(11)) * _UNIT
