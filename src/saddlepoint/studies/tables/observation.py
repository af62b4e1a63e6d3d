r"""Observation 1 of paper 000 (section 6.2), put to the test on every pair of supports.

**Observation 1** says, for each support of the full equilibrium $\sigma^F$ of 4 by 4 games
with 3 by 3 abstractions, that purification is significantly better (95 %) unless

1. both players play their fourth action surely, or
2. player 1's support has his fourth action, and player 2's has not;

that it makes no significant difference then; that it is significantly worse nowhere; and
that all this holds of 3 by 3 games with 2 by 2 abstractions too, for the third action.

By Proposition 2 purification changes nothing, in any game, on two kinds of pairs for which
this says that it is better:

* neither support has the last action: $\sigma^F$ is an equilibrium of the abstraction as
  well, with probability 1 the only one, so that $\sigma_1^A = \sigma_1^F$;
* player 1's support has all actions of the abstraction, so that
  $\text{support}(\sigma_1^A) \subseteq \text{support}(\sigma_1^F)$. The paper's own example
  of a pair where purification improves, {1, 2, 3} and {2, 3, 4}, is of this kind.

About the pair of last actions it is right: what the other rows earn in the last column is
then independent of the abstraction and the same for all in distribution, so in expectation
every strategy of the abstraction earns the same. On the other pairs purification was
better in 4 by 4 games (20 million of them), condition 2 included, though hardly so where
player 1 uses three actions; in 3 by 3 games it was worse where player 1 uses the last action
and another one, and player 2 the two others.
"""

from __future__ import annotations

from dataclasses import dataclass

from saddlepoint.studies.published import Ours
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.trials import Actions, Mean, Supported, Trials, random_games

# As many as in the paper.
GAMES = 1_500_000

BETTER, WORSE, NO_DIFFERENCE = "better", "worse", "no difference"
VERDICTS = {1: BETTER, -1: WORSE, 0: NO_DIFFERENCE}
# Whose support has the last action.
WHOSE = {
    (False, False): "neither",
    (False, True): "player 2 only",
    (True, False): "player 1 only",
    (True, True): "both",
}


@dataclass(frozen=True)
class Pair:
    """What purification does where the full equilibrium has one pair of supports.

    Parameters
    ----------
    rows, columns
        The actions that the players use, counted from 1.
    whose
        Whose support has the last action.
    games, gain
        How many games have this pair, and what purification gains in them.
    found, claimed
        `better`, `worse` or `no difference` at 95 %: ours, and Observation 1's.
    certain
        Whether purification changes nothing in any such game.
    """

    rows: Actions
    columns: Actions
    whose: str
    games: int
    gain: Mean
    found: str
    claimed: str
    certain: bool

    @property
    def agrees(self) -> bool:
        """Whether Observation 1 says what was found."""
        return self.found == self.claimed


@dataclass(frozen=True)
class Kind:
    """Pairs of supports that differ in the names of actions only.

    Parameters
    ----------
    whose, used
        Whose support has the last action, and how many actions each player uses.
    pairs, games, gain
        How many there are, and what purification gains over all their games.
    better, worse
        On how many pairs it is significantly better, and worse.
    claimed
        What Observation 1 says of each.
    """

    whose: str
    used: int
    pairs: int
    games: int
    gain: Mean
    better: int
    worse: int
    claimed: str


@dataclass(frozen=True)
class Observation:
    """Observation 1, put to the test on every pair of supports that occurs."""

    trials: Trials
    pairs: tuple[Pair, ...]
    kinds: tuple[Kind, ...]

    @property
    def agreeing(self) -> int:
        """Pairs on which Observation 1 says what was found."""
        return sum(pair.agrees for pair in self.pairs)

    def count(self, verdict: str) -> int:
        """Pairs on which purification was found to be `better`, `worse` or neither."""
        return sum(pair.found == verdict for pair in self.pairs)


def observation_1(
    kitchen: Kitchen, size: int = 4, abstract: int = 3, games: int = GAMES
) -> Observation:
    """Judge purification on every pair of supports of the full equilibrium.

    >>> import tempfile
    >>> from saddlepoint.studies.keep import Keeper
    >>> kitchen = Kitchen(Keeper(tempfile.mkdtemp()))
    >>> found = observation_1(kitchen, games=20_000)
    >>> pair = next(p for p in found.pairs if (p.rows, p.columns) == ((1, 2, 3), (2, 3, 4)))
    >>> pair.claimed, pair.found, pair.certain
    ('better', 'no difference', True)
    """
    trials = random_games(kitchen, games, size, abstract)
    pairs = tuple(_pair(found, size, abstract) for found in trials.supports)
    keys = dict.fromkeys((pair.whose, len(pair.rows)) for pair in pairs)
    order = list(WHOSE.values())
    kinds = tuple(
        _kind(*key, pairs, trials.supports)
        for key in sorted(keys, key=lambda k: (order.index(k[0]), k[1]))
    )
    return Observation(trials, pairs, kinds)


def _pair(found: Supported, size: int, abstract: int) -> Pair:
    rows, columns, kept = set(found.rows), set(found.columns), set(range(1, abstract + 1))
    return Pair(
        *(found.rows, found.columns, WHOSE[size in rows, size in columns]),
        *(found.games, found.gain, VERDICTS[found.gain.sign]),
        claimed=claimed(found.rows, found.columns, size),
        certain=kept <= rows or (rows <= kept and columns <= kept),
    )


def claimed(rows: Actions, columns: Actions, size: int) -> str:
    """What Observation 1 says of a pair of supports.

    >>> claimed((1, 4), (1, 2), 4), claimed((1, 4), (2, 4), 4)
    ('no difference', 'better')
    """
    both_last = rows == columns == (size,)
    first_only = size in rows and size not in columns
    return NO_DIFFERENCE if both_last or first_only else BETTER


def _kind(whose: str, used: int, pairs: tuple[Pair, ...], supports: tuple[Supported, ...]) -> Kind:
    among = [
        (pair, found)
        for pair, found in zip(pairs, supports, strict=True)
        if (pair.whose, len(pair.rows)) == (whose, used)
    ]
    games = sum(pair.games for pair, _ in among)
    return Kind(
        *(whose, used, len(among), games),
        gain=Mean.of_sums(games, sum(f.total for _, f in among), sum(f.squares for _, f in among)),
        better=sum(pair.found == BETTER for pair, _ in among),
        worse=sum(pair.found == WORSE for pair, _ in among),
        claimed=among[0][0].claimed,
    )


def table_observation_1(kitchen: Kitchen) -> dict[str, Ours]:
    """Percentages of support pairs on which purification is better, 4 by 4."""
    return _share_better(observation_1(kitchen))


def table_observation_1_small(kitchen: Kitchen) -> dict[str, Ours]:
    """Percentages of support pairs on which purification is better, 3 by 3."""
    return _share_better(observation_1(kitchen, 3, 2))


def _share_better(observation: Observation) -> dict[str, Ours]:
    return {
        f"{kind.whose}, {kind.used}": Ours(100 * kind.better / kind.pairs)
        for kind in observation.kinds
    }


def table_observation_1_worse(kitchen: Kitchen) -> dict[str, Ours]:
    """Support pairs on which purification is significantly worse."""
    return {
        f"{size} by {size}, pairs": Ours(observation_1(kitchen, size, size - 1).count(WORSE))
        for size in (4, 3)
    }
