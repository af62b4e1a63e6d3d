r"""State translation: which abstract histories a real history of betting stands for.

A player who knows a strategy of an abstract game follows the real betting step by step.
A real bet of the opponent is *read* as an abstract one (the in-step function of thesis
004, section 4.2.1), by an action translation mapping. The abstract action that the
strategy then chooses is *carried out* as a real one (the out-step function). A mapping
that answers with probabilities leaves a weighted set of abstract histories (soft
translation, section 4.3); what the player himself does multiplies the weight of each by
the probability with which its strategy does that. One that answers 0 or 1 leaves a single
history (hard translation).

**Sizes.** With the call level L (what the leader has paid) and the total T that a bet
goes to, in the real game, and L', T' in the abstract one, a bet is compared in pots, by
one of three measures, and carried out by one of two:

| observe | a real bet x     | an abstract bet                                 |
|---------|------------------|-------------------------------------------------|
| totals  | (T - L') / 2L'   | (T' - L') / 2L'                                 |
| chips   | (T - L) / 2L'    | (T' - L') / 2L'                                 |
| pots    | (T - L) / 2L     | (T' - L') / 2L', and all-in what is all-in here |

| act     | the real total of an abstract bet to T'                                 |
|---------|-------------------------------------------------------------------------|
| totals  | T', so that the pots become equal again                                  |
| pots    | the same part of the real pot, rounded down: L + (T' - L') L / L'         |

The *abstract frame* of thesis 004, section 3.4 is totals and totals, its *real frame* pots
and pots; paper 001 divides the real raise by the abstract pot, and bets parts of the real
one (chips, pots). A real all-in is read as the abstract all-in if there is one, and
carried out as itself. The fix AbstractActions of section 3.3.2 is what makes totals of
chips: without it, bets are observed as chips but carried out as totals.

**Checks.** A small bet may be read as a check: `check` says how large a bet a check is, in
units (chips, mostly). Paper 001 counts it 0, the fix ExtendCall of section 3.3.2 counts it
1, and `None` reads every bet as a bet. After his own check this would end the abstract round
while the player has still to answer: `closing` says what he does.

| closing | a bet after a check is read as a check           | a raise is read as a call |
|---------|--------------------------------------------------|---------------------------|
| call    | he calls, whatever he holds                      | the same                  |
| again   | nothing has happened: he answers as at first     | only when he has called it |

The thesis describes the second: `/cb` becomes `/`; while he answers a raise it is one, and
then `/...bc` becomes `/...c`. Whether raises may be read as calls at all, says `calls`.

**Edges.** Sizes beyond the smallest and the greatest abstract one are read as these. A
total that is not legal goes to the nearest legal one: up to the least raise, down to the
stack, or to a call if no raise is allowed. If the abstract game is over before the real
one, or has gone on to a later round, the player checks and calls. CallisCall is the rule
that a call is carried out as a call; without it a player who acts by totals makes up what
the real pot lacks by a bet.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError, SizeError, unknown
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.betting_moves import CALL, FOLD
from saddlepoint.reverse.mappings import Mapping, mapping_named

OBSERVE = ("totals", "chips", "pots")
ACT = ("totals", "pots")
CHOICES = {
    "observe": OBSERVE,
    "act": ACT,
    "closing": ("call", "again"),
    "outside": ("nearest", "refuse"),
    "unreached": ("call", "uniform"),
}
# Frames by name: how bets are observed, and how they are carried out.
FRAMES = {"abstract": ("totals", "totals"), "real": ("pots", "pots"), "mixed": ("chips", "pots")}
# Readings of every abstract node and every real bet are kept in tables of this size at most.
MOST_READINGS = 100_000_000

# Labels of moves, which tell equal moves of different abstract histories.
FOLDS, CALLS, ALL_IN, FIRST_SIZE = 0, 1, 2, 3


@dataclass(frozen=True, kw_only=True)
class Translation:
    """How a strategy of an abstract game plays the real one.

    Parameters
    ----------
    mapping
        An action translation mapping or its name; a randomised one makes it soft.
    observe, act
        How sizes are compared and carried out; see the module.
    check
        Units that a check counts when bets are read, or None if no bet is read as a check.
    calls
        Whether a raise may be read as a call where a bet may be read as a check.
    closing
        What becomes of a bet that is read as a check or call which closes the abstract round:
        `call` or `again`; see the module.
    outside
        What becomes of a bet beyond the greatest size of the abstraction: `nearest`, or
        `refuse`.
    call_is_call
        The fix CallisCall.
    remember
        Whether own actions are remembered as what they were meant to be; else they are read
        as the opponent's are (without it, equation 4.4 decides what becomes of the player).
    avoid
        Soft translation without pseudo-dominated actions (section 4.3.3): an action that
        any history of positive weight plays with less than this probability is dropped.
        None for plain translation. What the player did weighs his histories by what the strategy
        plays in them, dropped actions included: that fits table 4.4 for `fcha`, and weighing by
        what is left of them does not.
    unreached
        What to play where own play never arrives: `call`, or all moves equally.
    """

    mapping: Mapping | str = "rand-pshar"
    observe: str = "pots"
    act: str = "pots"
    check: int | None = 0
    calls: bool = True
    closing: str = "call"
    outside: str = "nearest"
    call_is_call: bool = True
    remember: bool = True
    avoid: float | None = None
    unreached: str = "call"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mapping", mapping_named(self.mapping))
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise SettingsError(unknown(name, str(getattr(self, name)), known))
        if self.check is not None and self.check < 0:
            raise SettingsError(f"check is {self.check}, expected at least 0 units or None")
        if self.avoid is not None and not 0.0 < self.avoid < 1.0:
            raise SettingsError(f"avoid is {self.avoid}, expected a probability above 0 or None")

    @classmethod
    def in_frame(cls, frame: str, **settings: Any) -> Translation:
        """The translation of a frame: `abstract`, `real` or `mixed`.

        >>> Translation.in_frame("abstract").observe
        'totals'
        """
        if frame not in FRAMES:
            raise SettingsError(unknown("frame", frame, FRAMES))
        observe, act = FRAMES[frame]
        return cls(observe=observe, act=act, **settings)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""
        assert isinstance(self.mapping, Mapping)
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return plain | {"mapping": self.mapping.name}


class Readings(NamedTuple):
    """How every real bet is read at every abstract decision.

    `pair` numbers the real bets by (L, T): one number for each real node that a bet or
    raise leads to, -1 elsewhere. `row` numbers the abstract decisions. At abstract node a,
    bet number k is read as node `low[row[a], k]` with probability `share[row[a], k]`, else
    as `high[row[a], k]`. If the player calls it, with probability `undone[row[a], k]` it was
    a call itself.
    """

    pair: NDArray[np.int32]
    row: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    share: NDArray[np.float64]
    undone: NDArray[np.float64]


def labels(tree: BettingTree) -> NDArray[np.int32]:
    """What kind of move led to each node: fold, call, all-in, or a size in parts of the pot."""
    sizes = part_of_pot(tree)
    raises = tree.move > 0
    all_in = raises & (tree.move == tree.rules.arrays.stack)
    plain = raises & ~all_in
    _, number = np.unique(np.round(sizes[plain], 9), return_inverse=True)
    found = np.zeros(len(tree), np.int32)
    found[tree.move == FOLD] = FOLDS
    found[tree.move == CALL] = CALLS
    found[all_in] = ALL_IN
    found[plain] = FIRST_SIZE + np.minimum(number, 60 - FIRST_SIZE)
    return found


def part_of_pot(tree: BettingTree) -> NDArray[np.float64]:
    """For each node that a bet leads to, its size in pots after calling; 0 elsewhere."""
    level = tree.contribution.max(axis=1).astype(np.float64)
    before = np.where(tree.parent >= 0, level[np.maximum(tree.parent, 0)], 1.0)
    return np.where(tree.move > 0, (tree.move - before) / (2.0 * before), 0.0)


def readings(real: BettingTree, abstract: BettingTree, settings: Translation) -> Readings:
    """Read every real bet at every abstract decision. O(decisions * bets * sizes).

    Raises
    ------
    SizeError
        If the tables would be too large.
    """
    level = real.contribution.max(axis=1).astype(np.int64)
    bets = np.flatnonzero(real.move > 0)
    keys = np.column_stack([level[real.parent[bets]], real.move[bets]])
    pairs, number = np.unique(keys, axis=0, return_inverse=True)
    pair = np.full(len(real), -1, np.int32)
    pair[bets] = number.ravel()
    nodes = np.flatnonzero(abstract.mover > 0)
    if len(nodes) * len(pairs) > MOST_READINGS:
        raise SizeError(
            f"{len(nodes):,} abstract decisions and {len(pairs):,} different real bets make "
            f"{len(nodes) * len(pairs):,} readings, more than {MOST_READINGS:,}; use a smaller "
            "menu of bets in the abstraction"
        )
    row = np.full(len(abstract), -1, np.int32)
    row[nodes] = np.arange(len(nodes))
    shape = (len(nodes), len(pairs))
    low, high = np.empty(shape, np.int32), np.empty(shape, np.int32)
    share, undone = np.empty(shape), np.zeros(shape)
    for n, node in enumerate(nodes):
        low[n], high[n], share[n], undone[n] = _read_at(int(node), pairs, real, abstract, settings)
    return Readings(pair, row, low, high, share, undone)


def _read_at(
    node: int, pairs: NDArray[np.int64], real: BettingTree, abstract: BettingTree, s: Translation
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Read all real bets at one abstract decision."""
    L, T = pairs.T.astype(np.float64)
    first, count = int(abstract.child[node]), int(abstract.children[node])
    children = np.arange(first, first + count)
    moves = abstract.move[children].astype(np.float64)
    level = float(abstract.contribution[node].max())
    pot = 2.0 * (L if s.observe == "pots" else np.full_like(L, level))
    x = (T - (level if s.observe == "totals" else L)) / pot
    # One row for each bet, one column for each abstract move that it may be read as.
    sizes = np.broadcast_to((moves - level) / (2.0 * level), (len(L), count)).copy()
    all_in = moves == abstract.rules.arrays.stack
    if s.observe == "pots":
        stack = min(real.rules.arrays.stack, abstract.rules.arrays.stack)
        sizes = np.minimum(sizes, ((stack - L) / pot)[:, None])
        sizes[:, all_in] = ((stack - L) / pot)[:, None]
    call, raises = moves == CALL, moves > 0
    facing = abstract.contribution[node, 0] != abstract.contribution[node, 1]
    sizes[:, call] = ((s.check or 0) / pot)[:, None]
    if all_in.any():
        x = np.where(real.rules.arrays.stack <= T, sizes[:, -1], x)
    elif s.outside == "refuse" and raises.any() and real.rules.bets is None:
        _refuse_outside(x, sizes[:, -1], pairs, abstract)
    undone = np.zeros(len(L))
    if s.check is None or (facing and not s.calls):
        usable = raises if raises.any() else call
    elif facing and s.closing == "again" and raises.any():
        usable = raises
        both = sizes[:, np.flatnonzero(call | raises)[:2]]
        column, _, part = _between(x, both, s.mapping)  # type: ignore[arg-type]
        undone = np.where(column == 0, part, 0.0)
    else:
        usable = call | raises
    if not facing and s.closing == "again":
        children = np.where(call, _unclosed(abstract, node, children), children)
    children, sizes = children[usable], sizes[:, usable]
    low, high, share = _between(x, sizes, s.mapping)  # type: ignore[arg-type]
    return children[low], children[high], share, undone


def _unclosed(abstract: BettingTree, node: int, children: NDArray[np.int64]) -> NDArray[np.int64]:
    """Instead of a check that closes the round, the decision before the other player's check."""
    parent = int(abstract.parent[node])
    opened = parent >= 0 and abstract.round[parent] == abstract.round[node]
    return np.full_like(children, parent) if opened else children


def _refuse_outside(
    x: NDArray[np.float64],
    greatest: NDArray[np.float64],
    pairs: NDArray[np.int64],
    abstract: BettingTree,
) -> None:
    beyond = np.flatnonzero(x > greatest + 1e-12)
    if len(beyond):
        k = beyond[0]
        raise SettingsError(
            f"a bet from {pairs[k, 0]} to {pairs[k, 1]} units, {x[k]:.3g} pots, is beyond the "
            f"greatest size of the abstraction, {greatest[k]:.3g} pots: its menu "
            f"'{abstract.rules.menu.text}' has no all-in (a); add it, or read such bets as the "
            "nearest size (outside = nearest)"
        )


def _between(
    x: NDArray[np.float64], sizes: NDArray[np.float64], mapping: Mapping
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The columns of the neighbours of each x in its row of sizes, and the first one's share.

    The first column may be a check that is no smaller than the first bet; the bet wins then.
    """
    last = sizes.shape[1] - 1
    if last > 0:
        sizes = sizes.copy()
        sizes[:, 0] = np.minimum(sizes[:, 0], sizes[:, 1])
    x = np.clip(x, sizes[:, 0], sizes[:, -1])
    low = np.maximum((sizes <= x[:, None] + 1e-12).sum(axis=1) - 1, 0)
    high = np.minimum(low + 1, last)
    rows = np.arange(len(x))
    A, B = sizes[rows, low], sizes[rows, high]
    exact = (np.abs(x - A) <= 1e-12) | (low == high)
    B = np.where(exact, A, B)
    share = mapping(A, B, np.where(exact, A, np.minimum(x, B)))
    return low, np.where(exact, low, high), share
