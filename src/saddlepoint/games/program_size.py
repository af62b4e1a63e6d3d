r"""How large the linear program of a game is, counted without building it.

The program of `saddlepoint.solvers.program` has one column for each sequence of the player
whose plan it looks for, and one for each information set of the other and the root; rows the
other way round. Both are betting times cards,

$$\text{sequences} = 1 + \sum_r s_r\, k_r, \qquad \text{information sets} = \sum_r d_r\, k_r,$$

with $s_r$ actions at $d_r$ decisions in the betting of round r and $k_r$ classes of hands, so
that numbers of *buckets* are all one needs to know of an abstraction of the cards. The
non-zeros are those of the payoffs, leaves of the betting times pairs of classes, and of the
constraints of both players: a 1 for each sequence but the root's in its information set, a -1
for each information set in its parent sequence, and the 1 of either root.

Thesis 003 gives such sizes in sections 5.2.1 and 6.3.1 and in Table 8.1; its columns are those
of the program of the player who acts last in the last round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.checks import wholes
from saddlepoint.core.errors import RulesError
from saddlepoint.games.betting import BettingRules, BettingTree
from saddlepoint.games.betting_moves import SHOWDOWN
from saddlepoint.games.betting_tally import tally
from saddlepoint.games.deal import EMPTY
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.entries import Entries

Nodes = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Outcomes below this part of the greatest probability would be zero but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class ProgramShape:
    """Rows and columns of the linear program of a game.

    Parameters
    ----------
    sequences, infosets
        Of player 1 and of player 2; the empty sequence counts.
    player
        Whose plan the program looks for: his sequences are columns.
    """

    sequences: tuple[int, int]
    infosets: tuple[int, int]
    player: int = 1

    @property
    def columns(self) -> int:
        """The player's sequences; the other's information sets and his root."""
        return self.sequences[self.player - 1] + self.infosets[2 - self.player] + 1

    @property
    def rows(self) -> int:
        """The other's sequences; the player's information sets and his root."""
        return self.sequences[2 - self.player] + self.infosets[self.player - 1] + 1

    def __str__(self) -> str:
        return f"{self.rows:,} rows by {self.columns:,} columns"


@dataclass(frozen=True, kw_only=True)
class ProgramSize(ProgramShape):
    """Rows, columns and non-zeros of the linear program of a game.

    Parameters
    ----------
    payoff_nonzeros
        Pairs of sequences that a payoff other than 0 depends on.
    """

    payoff_nonzeros: int

    @property
    def nonzeros(self) -> int:
        """Entries of the constraint matrix: payoffs, and the constraints of both players."""
        return self.payoff_nonzeros + sum(self.sequences) + sum(self.infosets)

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.nonzeros:,} non-zeros"


def program_size(game: FactoredGame, player: int = 1) -> ProgramSize:
    """The size of the linear program of a game, from its betting tree and its deal.

    Parameters
    ----------
    game
        A betting tree times a deal.
    player
        Whose plan the program looks for.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> print(program_size(leduc()))
    482 rows by 482 columns, 1,928 non-zeros
    """
    counts, entries = game.counts(), 0
    for (showdown, *place), leaves in _leaves(game.tree).items():
        pairs = game.deal.matrix(False, *place).entries()
        outcomes = game.deal.matrix(True, *place).entries() if showdown else pairs
        entries += leaves * int(beyond_rounding(outcomes, pairs).sum())
    return ProgramSize(
        sequences=counts.sequences,
        infosets=counts.infosets,
        player=player,
        payoff_nonzeros=entries,
    )


def program_shape(
    betting: BettingRules | Sequence[BettingRules], buckets: Sequence[int], player: int = 1
) -> ProgramShape:
    """Rows and columns of the linear program of betting times buckets, with perfect recall.

    Parameters
    ----------
    betting
        The rules of the whole game; or of its rounds one by one, each a game of one round,
        where the limit of bets is not the same in all. Then no stack may tie them together.
    buckets
        How many classes of hands both players tell apart in each round.
    player
        Whose plan the program looks for.

    Raises
    ------
    RulesError
        If there is not one number of buckets for each round, or if rounds given one by one
        are not of one round each or have stacks.

    Examples
    --------
    Limit Texas Hold'em as thesis 003 (Table 8.1, GS4) abstracts it: at most four bets a round,
    of which the big blind is the first.

    >>> limit = BettingRules(
    ...     rounds=4, blinds=(1, 2), first=(1, 2, 2, 2), bets=(2, 2, 4, 4), max_bets=4
    ... )
    >>> print(program_shape(limit, (20, 800, 4800, 28800)))
    299,477,082 rows by 299,477,102 columns
    """
    if isinstance(betting, BettingRules):
        counted = tally(betting)
        decisions, actions = counted.decisions, counted.sequences
    else:
        decisions, actions = _chained(betting)
    buckets = wholes("buckets", buckets, 1, error=RulesError)
    if len(buckets) != len(decisions):
        raise RulesError(
            f"buckets are {buckets}, expected a number for each of {len(decisions)} rounds"
        )
    # Whole numbers of any size: products of betting and buckets may not fit into 64 bits.
    k = np.array(buckets, object)
    infosets, sequences = (k @ decisions).tolist(), (1 + k @ actions).tolist()
    return ProgramShape(
        sequences=(sequences[0], sequences[1]), infosets=(infosets[0], infosets[1]), player=player
    )


def beyond_rounding(outcomes: Entries, pairs: Entries) -> Mask:
    """Which outcomes of pairs of classes are more than wins and losses that cancel."""
    mask: Mask = np.abs(outcomes.values) > ROUNDING * pairs.values.max(initial=0.0)
    return mask


def _chained(rounds: Sequence[BettingRules]) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Decisions and actions by round and player of rounds that follow every called hand."""
    histories, decisions, actions = 1, [], []
    for r, rules in enumerate(rounds):
        if rules.rounds != 1 or rules.stack is not None:
            raise RulesError(
                f"betting[{r}] has {rules.rounds} rounds and a stack of {rules.stack}, expected "
                "one round and no stack: rounds given one by one must not depend on each other"
            )
        counted = tally(rules)
        decisions.append(histories * counted.decisions[0])
        actions.append(histories * counted.sequences[0])
        histories *= int(counted.showdowns[0])
    return np.array(decisions, object), np.array(actions, object)


def _leaves(tree: BettingTree) -> dict[tuple[int, int, int, int], int]:
    """Leaves with payoffs: showdown or not, their round, the rounds of the last own actions."""
    leaf = np.flatnonzero((tree.mover <= 0) & (tree.payoff() != 0.0))
    columns = [(tree.mover[leaf] == SHOWDOWN).astype(np.int64), tree.round[leaf].astype(np.int64)]
    columns += [_last_acted(tree, leaf, player) for player in (1, 2)]
    kinds, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    return {
        (kind[0], kind[1], kind[2], kind[3]): count
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True)
    }


def _last_acted(tree: BettingTree, leaf: Nodes, player: int) -> Nodes:
    """The round in which a player last acted before each leaf, EMPTY if he never did."""
    at = tree.parent[leaf].astype(np.int64)
    while (others := (at != EMPTY) & (tree.mover[at] != player)).any():
        at[others] = tree.parent[at[others]]
    return np.where(at == EMPTY, EMPTY, tree.round[at]).astype(np.int64)
