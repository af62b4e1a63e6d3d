"""Iterations of regret matching part by part, on several threads.

What parts are, `saddlepoint.sequence.parts` says. An iteration is four calls of compiled code
and a barrier for each player, some hundred microseconds beside milliseconds of work.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.parts import CHUNKS, Parts, parts_of, sweep_parts
from saddlepoint.sequence.products import Arrays, gradient
from saddlepoint.sequence.sweeps import Blocks
from saddlepoint.solvers.matching import Exponents, Player, discounts, update

Array = NDArray[Any]


def unlocked(T: Blocks, blocks: int) -> Blocks:
    """A treeplex whose sweeps leave out the first so many blocks, which stay as they are.

    Values are still handed up to them. All sweeps go by runs, so that those say it all.

    >>> from saddlepoint.sequence.treeplex import Treeplex
    >>> T = Treeplex.of_infosets(parent=[0, 1, 2], actions=[2, 2, 2]).blocks
    >>> unlocked(T, 0).runs, unlocked(T, 1).runs, unlocked(T, 3).runs
    (array([0, 3]), array([1, 3]), array([3]))
    """
    return T._replace(runs=np.append(blocks, T.runs[T.runs > blocks]))


@kernel
def update_chunks(
    A: Arrays,
    parts: Parts,
    second: bool,
    blocks: tuple[Blocks, Blocks],
    own: Player,
    opponent: Player,
    weight: float,
    positive: float,
    negative: float,
    foresight: float,
    first: int,
    last: int,
    handed: Array,
) -> None:
    """Update a player in chunks first to last - 1 of the parts; row c of handed is chunk c's."""
    one = own.s.dtype.type
    T, opposite = (blocks[1], blocks[0]) if second else blocks
    for c in range(first, last):
        for q in range(handed.shape[1]):
            handed[c, q] = one(0.0)
        sweep_parts(
            *(A, parts, second, T, (own.s, own.R), opposite),
            *((opponent.s, opponent.x, opponent.mean), one(weight)),
            *(one(positive), one(negative), one(foresight)),
            *(parts.chunks[c], parts.chunks[c + 1], handed[c]),
        )


@kernel
def update_trunk(
    T: Blocks,
    own: Player,
    opponent: Player,
    weight: float,
    positive: float,
    negative: float,
    foresight: float,
    g: Array,
    handed: Array,
) -> None:
    """Update a player before the parts: g is his gradient there, in double precision."""
    sweeps.average(opponent.x, opponent.mean, own.v.dtype.type(weight))
    for q in range(g.shape[0]):
        own.v[q] = own.v.dtype.type(g[q])
    for c in range(handed.shape[0]):
        for q in range(own.v.shape[0]):
            own.v[q] += handed[c, q]
    update(T, own, positive, negative, foresight)


class ByParts:
    """Iterations part by part, on several threads.

    Parameters
    ----------
    form
        The game.
    parts, trunk
        Its parts and the operator of its trunk.
    threads
        How many threads.
    locked
        How many blocks of either player, all of them before the parts, are never updated.
    """

    def __init__(
        self,
        form: SequenceForm,
        parts: Parts,
        trunk: Arrays,
        threads: int,
        locked: tuple[int, int] = (0, 0),
    ) -> None:
        self.parts, self.trunk, self.threads = parts, trunk, threads
        self.blocks = form.X.blocks, form.Y.blocks
        self.trunks = tuple(
            unlocked(T._replace(runs=T.runs[:-1].copy()), n)
            for T, n in zip(self.blocks, locked, strict=True)
        )
        self._pool = None
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(threads)

    @classmethod
    def of(
        cls, form: SequenceForm, threads: int | None, locked: tuple[int, int] = (0, 0)
    ) -> ByParts | None:
        """The parts of a game, if it has any, and if no block of theirs is locked."""
        found = parts_of(form.X, form.Y, form.A)
        if found is None:
            return None
        parts, trunk = found
        if any(n > run.first for n, run in zip(locked, parts.runs, strict=True)):
            return None
        threads = threads or min(CHUNKS, len(os.sched_getaffinity(0)))
        return cls(form, parts, trunk, threads, locked)

    def iterate(
        self,
        A: Arrays,
        players: tuple[Player, Player],
        start: int,
        count: int,
        mass: float,
        e: Exponents,
    ) -> float:
        """Do what `iterate` does, for updates in turn."""
        for t in range(start + 1, start + count + 1):
            factors = *discounts(t, e), e.foresight
            mass = 1.0 + mass * (1.0 - 1.0 / t) ** e.gamma
            for seat in (0, 1):
                self._half(A, players, seat, (1.0 / mass, *factors))
        return mass

    def _half(
        self,
        A: Arrays,
        players: tuple[Player, Player],
        seat: int,
        numbers: tuple[float, float, float, float],
    ) -> None:
        """Update one player: all chunks of parts, then the trunk."""
        own, opponent, second = players[seat], players[1 - seat], seat == 1
        handed = np.empty((CHUNKS, self.parts.trunk[seat]), own.s.dtype)

        def work(thread: int) -> None:
            first, last = (CHUNKS * k // self.threads for k in (thread, thread + 1))
            where = self.parts, second, self.blocks, own, opponent
            update_chunks(A, *where, *numbers, first, last, handed)

        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self.threads)))
        # The same code as for the gap: one compilation less, and the trunk is small.
        g = np.empty(self.parts.trunk[seat])
        gradient(self.trunk, second, opponent.x.astype(np.float64), g)
        update_trunk(self.trunks[seat], own, opponent, *numbers, g, handed)
