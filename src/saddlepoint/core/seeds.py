"""Seeds: every random choice takes a generator, and every generator has a seed.

There is no global random state. A function that needs randomness accepts either a
seed or a `numpy.random.Generator`; what is derived from one seed for several uses
is derived by name, so that adding a use does not shift the others.
"""

from __future__ import annotations

import zlib

import numpy as np

from saddlepoint.core.checks import whole

Seed = int | np.random.Generator


def generator(seed: Seed) -> np.random.Generator:
    """The generator for a seed; a generator is passed through.

    >>> generator(7).integers(10) == generator(7).integers(10)
    np.True_
    """
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(whole("seed", seed, 0))


def derived(seed: int, *names: str | int) -> np.random.Generator:
    """An independent stream of the seed for the use that the names tell.

    >>> a, b = derived(1, "chance"), derived(1, "player", 2)
    >>> a.random() == b.random()
    False
    """
    keys = [name if isinstance(name, int) else zlib.crc32(name.encode()) for name in names]
    return np.random.default_rng([seed, *keys])
