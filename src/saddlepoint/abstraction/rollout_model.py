"""How the rest of a game is played, for players who only plan its first rounds.

A game of the first rounds alone has to end where betting goes on. Two models say how:

* `RollOut`: nobody bets any more, and the cards to come decide over what is in the pot;
* `Modelled`: both play fixed strategies that know their hand's value at the beginning of a
  round, a number between -1 and 1, and the betting of that round, and nothing else.

The latter are those of a profile at work, seen through hand values: probabilities are pooled
over all histories, all hands of a *bucket* of values, and all that the opponent may hold, each
weighted by how often the profile gets there. The source counted them in games that were
played (thesis 003, section 7.2); here they are expectations. What the rest is then worth,
`saddlepoint.abstraction.truncated` computes.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import number
from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.deal import Classes, Deal
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.payoff import Bundle, DealMatrix, PayoffOperator, Term
from saddlepoint.sequence.strategy import Profile

Vector = NDArray[np.float64]
Nodes = NDArray[np.int64]
# A round (from 0) and the shape of its betting: what a table of probabilities is for.
Place = tuple[int, str]

# Hand values of the source are multiples of 25 between -990 and 990.
STEP = 25 / 990


@dataclass(frozen=True)
class RollOut:
    """No betting in the rest of the game: the pot is what is in it."""

    name: ClassVar[str] = "roll-out"


@dataclass(frozen=True, kw_only=True)
class Modelled:
    r"""Fixed strategies for the rest of the game, by the value of the hand.

    The value of a hand that wins against w, loses against l and draws with d of the hands
    that the opponent may hold is $(w - l + \delta d) / (w + l + d)$. The source has
    $\delta = 1/2$, which makes a draw worth half a win to both sides, so that a hand that
    always draws counts as a good one; with $\delta = 0$, the default, the values of two hands
    against each other add up to zero. Before the last round the value is the expectation of
    w - l over the cards to come, and draws count for nothing.

    Parameters
    ----------
    tables
        For each round and shape of betting, and each of its decisions in order: probabilities,
        one row for each bucket of values. Every action is equally likely where there is none.
    step
        Values are rounded to multiples of this. The default is that of the source.
    draws
        The weight of draws.
    """

    name: ClassVar[str] = "modelled"
    tables: Mapping[Place, tuple[Vector, ...]] = field(default_factory=dict, repr=False)
    step: float = STEP
    draws: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < number("step", self.step) <= 1.0:
            raise SettingsError(f"step is {self.step}, expected above 0 and at most 1")
        if not 0.0 <= number("draws", self.draws) <= 1.0:
            raise SettingsError(f"draws is {self.draws}, expected 0 to 1")

    @property
    def buckets(self) -> int:
        """How many buckets of hand values there are."""
        return 2 * round(1.0 / self.step) + 1

    def bucket(self, deal: Deal, round_: int, player: int) -> Classes:
        """The bucket of each class of hands in a round."""
        values = hand_values(deal, round_, player, self.draws)
        half = self.buckets // 2
        found: Classes = np.clip(np.rint(values / self.step).astype(np.int64), -half, half) + half
        return found

    def probabilities(self, place: Place, decision: int, bucket: Classes, actions: int) -> Vector:
        """The probabilities of the actions at a decision, one row for each class."""
        if place not in self.tables:
            return np.full((len(bucket), actions), 1.0 / actions)
        return self.tables[place][decision][bucket]


Model = RollOut | Modelled


def hand_values(deal: Deal, round_: int, player: int, draws: float = 0.0) -> Vector:
    """The value of each class of hands in a round against all hands of the opponent.

    >>> from saddlepoint.games.poker import leduc
    >>> hand_values(leduc().deal, 1, 1)[:3], hand_values(leduc().deal, 1, 1, 0.5)[:3]
    (array([-0.75,  0.25,  1.  ]), array([-0.625,  0.375,  1.   ]))
    """
    here = deal.rounds[round_]
    pairs = _sums(here.fold, player)
    value = _sums(here.showdown, player) * (1.0 if player == 1 else -1.0)
    if draws and round_ == len(deal.rounds) - 1:
        E = here.showdown.entries()
        decided = np.bincount((E.rows, E.columns)[player - 1], np.abs(E.values), len(pairs))
        value = value + draws * (pairs - decided)
    return np.divide(value, pairs, out=np.zeros_like(value), where=pairs > 0)


def _operator(deal: DealMatrix, width: int) -> PayoffOperator:
    """A deal matrix at work on so many histories at once."""
    bundle = Bundle(0, width, 0, width, np.ones(width))
    rows, columns = deal.shape
    return PayoffOperator((rows * width, columns * width), [Term([bundle], deal)])


def _sums(deal: DealMatrix, player: int) -> Vector:
    """The sum over the opponent's hands, for each hand of a player."""
    A = _operator(deal, 1)
    return A @ np.ones(deal.shape[1]) if player == 1 else A.T @ np.ones(deal.shape[0])


# Betting of a round, by its shape -----------------------------------------------------


@dataclass(frozen=True)
class RoundBetting:
    """Betting of one round that has equal shape after several histories.

    Parameters
    ----------
    round, shape
        The round, and a digest of the shape to the end of the round.
    nodes
        Decisions of the round in order (rows), the first one first, after each history.
    """

    round: int
    shape: str
    nodes: Nodes


def betting_of_round(tree: BettingTree, round_: int) -> list[RoundBetting]:
    """The betting of a round, history by history, those of equal shape together."""
    here = np.flatnonzero((tree.mover > 0) & (tree.round == round_))
    shapes: dict[int, str] = {}
    for n in here[::-1].tolist():
        children = range(int(tree.child[n]), int(tree.child[n] + tree.children[n]))
        ends = [shapes.get(c) or ("next" if tree.mover[c] > 0 else tree.mover[c]) for c in children]
        text = f"{tree.mover[n]}{ends}".encode()
        shapes[n] = hashlib.blake2b(text, digest_size=8).hexdigest()
    sets: dict[str, list[int]] = defaultdict(list)
    for n in here.tolist():
        if tree.parent[n] < 0 or tree.round[tree.parent[n]] < round_:
            sets[shapes[n]].append(n)
    return [
        RoundBetting(round_, shape, np.array(list(_in_order(tree, np.array(ids)))))
        for shape, ids in sets.items()
    ]


def _in_order(tree: BettingTree, ids: Nodes) -> Iterator[Nodes]:
    """The decisions of a round from equal decisions on, parents first."""
    yield ids
    for a in range(int(tree.children[ids[0]])):
        below = tree.child[ids].astype(np.int64) + a
        if tree.mover[below[0]] > 0 and tree.round[below[0]] == tree.round[ids[0]]:
            yield from _in_order(tree, below)


# Where the probabilities come from -----------------------------------------------------


def modelled(
    game: FactoredGame,
    profile: Profile,
    *,
    step: float = STEP,
    draws: float = 0.0,
    smooth: bool = True,
) -> Modelled:
    """The model of the rest of the game that a profile amounts to in its later rounds.

    At each decision of a round, the probability of an action given a bucket of hand values, in
    play of the profile against itself; then every bucket gets the mean of itself and both
    neighbours. Buckets where the profile never arrives are left out of means, and take the
    nearest known one where there is none; decisions where it never arrives are uniform.

    Parameters
    ----------
    game
        The game of the profile; its cards may be abstract.
    profile
        Strategies for the whole game.
    step, draws
        See `Modelled`.
    smooth
        Whether neighbouring buckets are averaged.

    Notes
    -----
    Costs a product with the deal matrix for each decision of the later rounds.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> from saddlepoint.solvers.methods import solve
    >>> game = leduc()
    >>> model = modelled(game, solve(game, "lp").profile, step=0.5)
    >>> [(place[0], len(tables)) for place, tables in model.tables.items()]
    [(1, 6)]
    """
    form = game.sequence_form()
    if profile.form.fingerprint != form.fingerprint:
        raise StrategyError(f"the profile belongs to {profile.form.name}, not to {game.name}")
    model = Modelled(step=step, draws=draws)
    tables: dict[Place, tuple[Vector, ...]] = {}
    for r in range(1, game.betting.rounds):
        buckets = [model.bucket(game.deal, r, player) for player in (1, 2)]
        for betting in betting_of_round(game.tree, r):
            counts = (_counted(game, profile, ids, buckets, model.buckets) for ids in betting.nodes)
            tables[r, betting.shape] = tuple(_frequencies(count, smooth) for count in counts)
    return Modelled(tables=tables, step=step, draws=draws)


def _counted(
    game: FactoredGame, profile: Profile, ids: Nodes, buckets: list[Classes], n: int
) -> Vector:
    """How often each action is taken at a decision with hands of each bucket."""
    tree, places, r = game.tree, game.factored.places, int(game.tree.round[ids[0]])
    own = int(tree.mover[ids[0]]) - 1
    reach = []
    for player, (place, strategy) in enumerate(zip(places, profile, strict=True), 1):
        up = [game.deal.up(player, r, int(place.seen[h])) for h in ids]
        at = np.array([place.row[h] + place.stride[h] * u for h, u in zip(ids, up, strict=True)])
        reach.append(strategy.plan[at.T])
    A = _operator(game.deal.rounds[r].fold, len(ids))
    theirs = (A @ reach[1].ravel()) if own == 0 else (A.T @ reach[0].ravel())
    # Differences of sums may leave less than nothing where a hand cannot be met.
    weight = reach[own] * np.maximum(theirs.reshape(reach[own].shape), 0.0)
    s, classes = profile.player(own + 1).probabilities, np.arange(len(weight))[:, None]
    count = np.empty((n, int(tree.children[ids[0]])))
    for a in range(count.shape[1]):
        below = tree.child[ids] + a
        taken = s[places[own].row[below] + places[own].stride[below] * classes]
        count[:, a] = np.bincount(buckets[own], (weight * taken).sum(axis=1), n)
    return count


def _frequencies(count: Vector, smooth: bool) -> Vector:
    """Probabilities in every bucket, from how often each action is taken in it.

    >>> _frequencies(np.array([[1.0, 1.0], [0.0, 0.0], [3.0, 1.0]]), True)[:, 0]
    array([0.5  , 0.625, 0.75 ])
    """
    n, actions = count.shape
    mass = count.sum(axis=1, keepdims=True)
    known = (mass > 0).astype(np.float64)
    share = np.divide(count, mass, out=np.zeros_like(count), where=mass > 0)
    if smooth:
        share, known = _with_neighbours(share), _with_neighbours(known)
    at = np.flatnonzero(known)
    if not len(at):
        return np.full((n, actions), 1.0 / actions)
    nearest = at[np.abs(np.arange(n)[:, None] - at).argmin(axis=1)]
    found: Vector = share[nearest] / known[nearest]
    found /= found.sum(axis=1, keepdims=True)
    return found


def _with_neighbours(rows: Vector) -> Vector:
    """The sum of each row and the ones before and after it."""
    padded: Vector = np.pad(rows, ((1, 1), (0, 0)))
    return padded[:-2] + padded[1:-1] + padded[2:]
