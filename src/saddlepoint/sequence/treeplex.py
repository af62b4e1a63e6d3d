r"""The treeplex: the set of realization plans of a player with perfect recall.

A *sequence* is an information set with an action, 0 the empty one. A *realization plan*
gives every sequence the product of the player's own probabilities along it:

$$x_0 = 1, \qquad \sum_a x_{Ia} = x_{p(I)} \quad \text{for every information set } I.$$

Expected payoffs are bilinear in the plans of two players, $x^\top A y$, which is what
lets linear programs and first-order methods work on games (thesis 003, section 2.3;
Koller, Megiddo and von Stengel 1996).

Storage is described in `saddlepoint.sequence.sweeps`.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.checks import shown
from saddlepoint.core.errors import GameError, StrategyError
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.sequence import sweeps
from saddlepoint.sequence.names import Names, NumberedNames

Vector = NDArray[np.float64]
# Probabilities by information set and its actions, or by information set alone.
Behaviour = Callable[[str, list[str]], object] | Callable[[str], object]
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Flat:
    """One row per information set, for code that is not on a hot path.

    The sequences of information set i are `start[i] + a * stride[i]`, a = 0, 1, ...,
    `actions[i] - 1`; `parent[i]` is its parent sequence; `infoset[q]` the information
    set of sequence q (-1 for the empty one).
    """

    parent: NDArray[np.int64]
    start: NDArray[np.int64]
    stride: NDArray[np.int64]
    actions: NDArray[np.int64]
    infoset: NDArray[np.int64]


class Treeplex:
    """The realization plans of one player.

    Parameters
    ----------
    actions, lanes
        Per block: number of actions and of lanes.
    parent
        Per block: the parent sequence of lane 0, where lane l has parent `parent + l`.
    link
        Per block: -1, or where the lanes' parent sequences begin in `links`.
    links
        Parent sequences of the lanes of linked blocks.
    names
        Names of information sets (numbered block by block, lane by lane) and actions.

    Raises
    ------
    GameError
        If a parent sequence does not come before its information set.

    Examples
    --------
    A decision between two actions, the second of which leads to another decision:

    >>> X = Treeplex.of_infosets(parent=[0, 2], actions=[2, 2])
    >>> X.plan([1.0, 0.5, 0.5, 0.2, 0.8])
    array([1. , 0.5, 0.5, 0.1, 0.4])
    """

    def __init__(
        self,
        actions: ArrayLike,
        lanes: ArrayLike,
        parent: ArrayLike,
        link: ArrayLike | None = None,
        links: ArrayLike | None = None,
        names: Names | None = None,
    ) -> None:
        count = np.ascontiguousarray(actions, np.int64)
        width = np.ascontiguousarray(lanes, np.int64)
        up = np.ascontiguousarray(parent, np.int64)
        link_ = np.full(len(count), -1, np.int64) if link is None else np.asarray(link, np.int64)
        links_ = np.zeros(0, np.int32) if links is None else np.asarray(links, np.int32)
        start = np.ones(len(count), np.int64)
        np.cumsum((count * width)[:-1], out=start[1:])
        start[1:] += 1
        self.n_sequences = 1 + int((count * width).sum())
        self.n_infosets = int(width.sum())
        self.n_blocks = len(count)
        self.names: Names = names if names is not None else NumberedNames()
        link_, links_ = np.ascontiguousarray(link_), np.ascontiguousarray(links_)
        runs = _runs(start, count, width, up, link_, links_)
        self.blocks = sweeps.Blocks(start, count, width, up, link_, links_, runs)
        self._check()

    @classmethod
    def of_infosets(
        cls, parent: ArrayLike, actions: ArrayLike, names: Names | None = None
    ) -> Treeplex:
        """The treeplex of information sets listed one by one, parents first."""
        actions = np.asarray(actions, np.int64)
        return cls(actions, np.ones(len(actions), np.int64), parent, names=names)

    @classmethod
    def simplex(cls, n: int, names: Names | None = None) -> Treeplex:
        """The treeplex of a single decision between n actions."""
        return cls.of_infosets([0], [n], names)

    def _check(self) -> None:
        B = self.blocks
        if (B.actions < 1).any() or (B.lanes < 1).any():
            raise GameError("every information set needs at least one action")
        linked = B.link >= 0
        last = np.where(linked, 0, B.parent + B.lanes - 1)
        for b in np.flatnonzero(linked):
            last[b] = B.links[B.link[b] : B.link[b] + B.lanes[b]].max()
        if (last >= B.start).any() or (B.parent < 0).any():
            raise GameError("a treeplex lists parents first: a parent sequence comes too late")

    # Shape ----------------------------------------------------------------------------

    @cached_property
    def flat(self) -> Flat:
        """One row per information set."""
        B = self.blocks
        block = np.repeat(np.arange(self.n_blocks), B.lanes)
        lane = np.arange(self.n_infosets) - np.repeat(np.cumsum(B.lanes) - B.lanes, B.lanes)
        parent = B.parent[block] + lane
        linked = B.link[block] >= 0
        parent[linked] = B.links[(B.link[block] + lane)[linked]]
        start, stride, actions = B.start[block] + lane, B.lanes[block], B.actions[block]
        infoset = np.full(self.n_sequences, -1, np.int64)
        for a in range(int(actions.max(initial=0))):
            has = np.flatnonzero(actions > a)
            infoset[start[has] + a * stride[has]] = has
        return Flat(parent, start, stride, actions, infoset)

    def sequences(self, i: int) -> slice:
        """Where the sequences of information set i stand."""
        f = self.flat
        return slice(
            int(f.start[i]), int(f.start[i] + f.actions[i] * f.stride[i]), int(f.stride[i])
        )

    def has(self, name: str) -> bool:
        """Whether an information set has this name."""
        return name in self._index

    def find(self, name: str) -> int:
        """The number of the information set with this name."""
        if name not in self._index:
            raise StrategyError(
                f"no information set is called '{name}'; there are {self.n_infosets}, "
                f"such as '{self.names.infoset(0)}'"
            )
        return self._index[name]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {self.names.infoset(i): i for i in range(self.n_infosets)}

    def sequence_name(self, q: int) -> str:
        """The name of sequence q: `infoset action`, or `(empty)`."""
        if q == 0:
            return "(empty)"
        i = int(self.flat.infoset[q])
        a = (q - int(self.flat.start[i])) // int(self.flat.stride[i])
        return f"{self.names.infoset(i)} {self.names.action(i, a)}"

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the shape: equal for treeplexes whose strategies mean the same."""
        total = hashlib.sha256()
        for array in self.blocks[:-1]:  # the runs only say how to walk it
            total.update(np.ascontiguousarray(array).data)
        return total.hexdigest()[:16]

    @cached_property
    def n_bytes(self) -> int:
        """Bytes of the arrays that describe the treeplex."""
        return sum(array.nbytes for array in self.blocks)

    # Strategies -----------------------------------------------------------------------

    def uniform(self) -> Vector:
        """The behaviour strategy that plays every action equally."""
        B = self.blocks
        return np.concatenate([[1.0], np.repeat(1.0 / B.actions, B.actions * B.lanes)])

    def random(self, seed: Seed) -> Vector:
        """A behaviour strategy drawn uniformly from the simplex of every information set."""
        weights = generator(seed).exponential(size=self.n_sequences)
        s = np.empty_like(weights)
        sweeps.behaviour(self.blocks, weights, s)
        return s

    def plan(self, s: ArrayLike) -> Vector:
        """The realization plan of a behaviour strategy."""
        s = self.vector(s)
        x = np.empty_like(s)
        sweeps.plan(self.blocks, s, x)
        return x

    def behaviour(self, x: ArrayLike) -> Vector:
        """The behaviour strategy of a realization plan, uniform where it never arrives."""
        x = self.vector(x)
        s = np.empty_like(x)
        sweeps.behaviour(self.blocks, x, s)
        return s

    def value(self, s: ArrayLike, g: ArrayLike) -> float:
        """The value of a behaviour strategy against a gradient."""
        v = self.vector(g).copy()
        sweeps.values(self.blocks, self.vector(s), v)
        return float(v[0])

    def action_values(self, s: ArrayLike, g: ArrayLike) -> Vector:
        """The values v of all sequences, given a behaviour strategy and a gradient."""
        v = self.vector(g).copy()
        sweeps.values(self.blocks, self.vector(s), v)
        return v

    def best_response(self, g: ArrayLike) -> tuple[float, Vector]:
        """The greatest value against a gradient, and a pure strategy that attains it.

        Ties go to the first action.
        """
        v = self.vector(g).copy()
        sweeps.best_values(self.blocks, v)
        s = np.empty_like(v)
        sweeps.greedy(self.blocks, v, s)
        return float(v[0]), s

    def vector(self, values: ArrayLike) -> Vector:
        """One number per sequence as a contiguous float64 array, its length checked."""
        array = np.ascontiguousarray(values, np.float64)
        if not array.flags.writeable:
            array = array.copy()  # kernels are compiled for writable arrays only
        if array.shape != (self.n_sequences,):
            raise StrategyError(
                f"a vector over sequences has shape {array.shape}, "
                f"expected ({self.n_sequences},): one number for each sequence"
            )
        return array

    def sums(self, s: Vector) -> Vector:
        """Per information set, the sum over its actions."""
        return np.bincount(self.flat.infoset[1:], s[1:], self.n_infosets).astype(np.float64)

    def check(self, s: ArrayLike, tolerance: float = TOLERANCE) -> Vector:
        """Return a behaviour strategy if it is one.

        Raises
        ------
        StrategyError
            If a probability is negative or not a number, or a sum is not 1.
        """
        s = self.vector(s)
        count, i = sweeps.faults(self.blocks, s, tolerance)
        if count:
            row = s[self.sequences(i)]
            found = ", ".join(f"{p:.10g}" for p in row)
            raise StrategyError(
                f"probabilities at '{self.names.infoset(i)}' (information set {i}) are [{found}]: "
                f"sum {row.sum():.10g}, expected nonnegative numbers with sum 1 within "
                f"{tolerance:g} ({count} of {self.n_infosets} information sets are wrong)"
            )
        return s

    def from_function(self, probabilities: Behaviour) -> Vector:
        """The behaviour strategy that a function gives, of (information set, actions) or of one.

        The function may return a sequence of probabilities in the order of the actions,
        or a mapping from action names, where an absent one has probability 0.
        """
        ask: Any = probabilities
        if not callable(ask):
            raise StrategyError(f"found {shown(ask)}, expected a function of an information set")
        alone = _takes_one(ask)
        s = np.ones(self.n_sequences)
        f = self.flat
        for i in range(self.n_infosets):
            actions = [self.names.action(i, a) for a in range(f.actions[i])]
            name = self.names.infoset(i)
            given = ask(name) if alone else ask(name, actions)
            s[self.sequences(i)] = _distribution(given, actions, name)
        return self.check(s)

    def __repr__(self) -> str:
        return f"<Treeplex: {self.n_infosets:,} information sets, {self.n_sequences:,} sequences>"


def _takes_one(function: Any) -> bool:
    """Whether a function takes an information set alone, without its actions."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions tell nothing
        return False
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return False
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters) == 1


def _distribution(given: Any, actions: list[str], name: str) -> list[float]:
    """What a function gave at an information set, as numbers in the order of the actions."""
    wanted = f"expected probabilities of {actions}"
    if hasattr(given, "keys"):
        extra = [key for key in given if key not in actions]
        if extra:
            raise StrategyError(f"'{name}' has no action '{extra[0]}'; its actions are {actions}")
        given = [given.get(a, 0.0) for a in actions]
    if isinstance(given, str | bytes):
        raise StrategyError(f"found {shown(given)} at '{name}', {wanted}")
    try:
        row = [float(p) for p in given]
    except (TypeError, ValueError):
        raise StrategyError(f"found {shown(given)} at '{name}', {wanted}") from None
    if len(row) != len(actions):
        raise StrategyError(
            f"{len(row)} probabilities at '{name}', expected {len(actions)}: for {actions}"
        )
    return row


def _runs(
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    lanes: NDArray[np.int64],
    parent: NDArray[np.int64],
    link: NDArray[np.int64],
    links: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Split the blocks into runs whose tiles of lanes can be swept one after another.

    Blocks share a run if their lanes are equal and every parent in the run is in the
    same lane. Single lanes always are.
    """
    breaks = np.zeros(len(lanes), bool)
    breaks[1:] = lanes[1:] != lanes[:-1]
    breaks[:1] = True
    first = 0
    for b in np.flatnonzero(lanes > 1):
        if not breaks[b]:
            origin = start[first]
            if link[b] >= 0:
                breaks[b] = links[link[b] : link[b] + lanes[b]].max() >= origin
            else:
                breaks[b] = parent[b] >= origin and (parent[b] - origin) % lanes[b] != 0
        if breaks[b]:
            first = int(b)
    return np.append(np.flatnonzero(breaks), len(lanes)).astype(np.int64)
