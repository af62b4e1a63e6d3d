r"""The sequence form: what every exact solver takes, `(X, Y, A)`, and how a tree becomes one.

Player 1 chooses a realization plan x in X to maximise $x^\top A y$, player 2 a plan y in Y
to minimise it. Everything that solves or measures a game needs no more than this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import GameError, RecallError
from saddlepoint.core.kernel import kernel
from saddlepoint.core.units import UTILS, Unit
from saddlepoint.sequence.coalesce import coalesced
from saddlepoint.sequence.entries import Entries
from saddlepoint.sequence.names import ListedNames
from saddlepoint.sequence.payoff import PayoffOperator
from saddlepoint.sequence.treeplex import Treeplex

CHANCE, LEAF = 0, -1
# Below so many information sets of a player, the order of the tree is worth more than speed.
_SIDE_BY_SIDE_FROM = 400
Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class SequenceForm:
    """Two treeplexes and a payoff operator, and what to call the result.

    Parameters
    ----------
    X, Y
        Realization plans of player 1 (who maximises) and of player 2.
    A
        Payoffs to player 1.
    spec
        How to build the game again, as data: written into every artefact.
    name
        What people call it.
    unit
        What a payoff counts.
    sources
        Where the game comes from: keys of `saddlepoint.core.bibliography`.
    """

    X: Treeplex
    Y: Treeplex
    A: PayoffOperator
    spec: Mapping[str, Any] = field(default_factory=dict)
    name: str = "game"
    unit: Unit = UTILS
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.A.shape != (self.X.n_sequences, self.Y.n_sequences):
            raise GameError(
                f"payoffs are {self.A.shape[0]} by {self.A.shape[1]}, but the players have "
                f"{self.X.n_sequences} and {self.Y.n_sequences} sequences"
            )

    def __iter__(self) -> Iterator[Any]:
        """Unpack as `X, Y, A`."""
        return iter((self.X, self.Y, self.A))

    def __repr__(self) -> str:
        return (
            f"<SequenceForm {self.name}: {self.X.n_sequences:,} and {self.Y.n_sequences:,} "
            "sequences>"
        )

    @property
    def fingerprint(self) -> str:
        """Digest of both treeplexes: equal where strategies mean the same."""
        return f"{self.X.fingerprint}-{self.Y.fingerprint}"


@runtime_checkable
class Game(Protocol):
    """Anything that has a sequence form."""

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`."""


# The last two are matrices of payoffs to player 1.
Problem = (
    SequenceForm
    | Game
    | tuple[Treeplex, Treeplex, Any]
    | Sequence[Sequence[float]]
    | NDArray[np.number[Any]]
)


def as_form(problem: Problem) -> SequenceForm:
    """The sequence form of a game, of a triple `(X, Y, A)`, of a matrix, or itself.

    >>> as_form([[1, -1], [-1, 1]]).X.n_sequences
    3
    >>> X = Treeplex.simplex(2)
    >>> as_form((X, X, PayoffOperator.of(np.zeros((3, 3))))).name
    'game'
    """
    if isinstance(problem, SequenceForm):
        return problem
    if isinstance(problem, Game):
        return problem.sequence_form()
    if isinstance(problem, tuple) and len(problem) == 3 and isinstance(problem[0], Treeplex):
        X, Y, A = problem
        return SequenceForm(X, Y, PayoffOperator.of(A))
    if isinstance(problem, list | tuple | np.ndarray):
        return matrix_form(problem, name="matrix")
    given: object = problem
    hint = f"; a text names a game in sp.game({given!r})" if isinstance(given, str) else ""
    raise GameError(
        f"found a {type(given).__name__}, expected a game, a SequenceForm, a tuple (X, Y, A) "
        f"or a matrix of payoffs to player 1{hint}"
    )


@dataclass(frozen=True)
class Tree:
    """An extensive-form game as arrays over its nodes, parents first, node 0 the root.

    Parameters
    ----------
    parent
        Parent node; -1 for the root.
    move
        Which action of the parent leads here (its index); 0 for the root.
    mover
        Who moves at the node: 1, 2, `CHANCE` or `LEAF`.
    infoset
        The mover's information set at nodes of players; ignored elsewhere.
    probability
        At children of chance nodes, the probability of the move; 1 elsewhere.
    payoff
        Player 1's payoff at leaves.
    infosets
        Per player: the names of the information sets.
    actions
        Per player: the names of the actions of each information set.
    """

    parent: NDArray[np.int64]
    move: NDArray[np.int64]
    mover: NDArray[np.int64]
    infoset: NDArray[np.int64]
    probability: NDArray[np.float64]
    payoff: NDArray[np.float64]
    infosets: tuple[Sequence[str], Sequence[str]]
    actions: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves and chance nodes included."""
        return len(self.parent)


@kernel
def _trace(
    parent: Array,
    move: Array,
    mover: Array,
    infoset: Array,
    probability: Array,
    rank1: Array,
    rank2: Array,
    first1: Array,
    first2: Array,
    up1: Array,
    up2: Array,
    reach: Array,
    seq1: Array,
    seq2: Array,
) -> int:
    """Follow every node's own sequences and chance probability down from the root.

    Returns the first node at which a player has forgotten how he got there, or -1.
    """
    for n in range(parent.shape[0]):
        p = parent[n]
        if p < 0:
            reach[n], seq1[n], seq2[n] = 1.0, 0, 0
        else:
            reach[n], seq1[n], seq2[n] = reach[p] * probability[n], seq1[p], seq2[p]
            if mover[p] == 1:
                seq1[n] = first1[rank1[infoset[p]]] + move[n]
            elif mover[p] == 2:
                seq2[n] = first2[rank2[infoset[p]]] + move[n]
        if mover[n] == 1:
            i = rank1[infoset[n]]
            if up1[i] < 0:
                up1[i] = seq1[n]
            elif up1[i] != seq1[n]:
                return n
        elif mover[n] == 2:
            i = rank2[infoset[n]]
            if up2[i] < 0:
                up2[i] = seq2[n]
            elif up2[i] != seq2[n]:
                return n
    return -1


def form_of_tree(tree: Tree, **description: Any) -> SequenceForm:
    """The sequence form of a game tree.

    Information sets are numbered by their first node, which puts parents first; those of large
    games are put side by side instead (`saddlepoint.sequence.coalesce`).

    Raises
    ------
    RecallError
        If some player forgets what he knew or did: information sets with different own
        sequences leading to them have no realization plan.
    """
    orders, ranks, firsts = [], [], []
    for player in (1, 2):
        own = tree.infoset[tree.mover == player]
        found, position = np.unique(own, return_index=True)
        order = found[np.argsort(position)]
        rank = np.full(len(tree.infosets[player - 1]), -1, np.int64)
        rank[order] = np.arange(len(order))
        counts = np.array([len(tree.actions[player - 1][i]) for i in order], np.int64)
        orders.append(order)
        ranks.append(rank)
        firsts.append(np.concatenate([[1], 1 + np.cumsum(counts)]).astype(np.int64))
    n = tree.n_nodes
    ups = [np.full(len(order), -1, np.int64) for order in orders]
    reach = np.empty(n)
    seq1, seq2 = np.empty(n, np.int64), np.empty(n, np.int64)
    forgot = _trace(
        *(tree.parent, tree.move, tree.mover, tree.infoset, tree.probability),
        *(*ranks, *firsts, *ups, reach, seq1, seq2),
    )
    if forgot >= 0:
        player = int(tree.mover[forgot])
        name = tree.infosets[player - 1][int(tree.infoset[forgot])]
        raise RecallError(
            f"player {player} has imperfect recall: information set '{name}' can be reached by "
            "different own sequences of moves; this needs perfect recall"
        )
    plexes = [
        Treeplex.of_infosets(
            ups[k],
            np.diff(firsts[k]),
            ListedNames(
                [tree.infosets[k][i] for i in orders[k]], [tree.actions[k][i] for i in orders[k]]
            ),
        )
        for k in range(2)
    ]
    leaf = np.flatnonzero(tree.mover == LEAF)
    rows, columns = seq1[leaf], seq2[leaf]
    if max(plex.n_infosets for plex in plexes) >= _SIDE_BY_SIDE_FROM:
        (X, one), (Y, two) = (coalesced(plex) for plex in plexes)
        plexes, rows, columns = [X, Y], one[rows], two[columns]
    matrix = Entries.of(
        (plexes[0].n_sequences, plexes[1].n_sequences),
        rows,
        columns,
        reach[leaf] * tree.payoff[leaf],
    )
    return SequenceForm(plexes[0], plexes[1], PayoffOperator.of(matrix), **description)


def matrix_form(
    matrix: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    **description: Any,
) -> SequenceForm:
    """The sequence form of a matrix game: one decision for each player.

    The matrix gains a row and a column for the empty sequences.
    """
    M = finite_matrix(matrix)
    bordered = np.zeros((M.shape[0] + 1, M.shape[1] + 1))
    bordered[1:, 1:] = M
    labels = [
        list(given) if given is not None else [str(i + 1) for i in range(size)]
        for given, size in zip((rows, columns), M.shape, strict=True)
    ]
    X, Y = (
        Treeplex.simplex(size, ListedNames([name], [label]))
        for size, name, label in zip(M.shape, ("row", "column"), labels, strict=True)
    )
    return SequenceForm(X, Y, PayoffOperator.of(bordered), **description)


def finite_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """A float64 copy of a matrix, all of whose entries are finite; minus zero is zero."""
    try:
        M = np.array(matrix, np.float64) + 0.0
    except (TypeError, ValueError) as problem:
        raise GameError(f"a matrix game needs a matrix of numbers ({problem})") from None
    if M.ndim != 2 or 0 in M.shape:
        raise GameError(f"a matrix game needs a matrix, found an array of shape {M.shape}")
    bad = np.argwhere(~np.isfinite(M))
    if len(bad):
        i, j = bad[0]
        more = f" ({len(bad)} entries are wrong)" if len(bad) > 1 else ""
        raise GameError(
            f"payoff in row {i + 1}, column {j + 1} is {M[i, j]}, expected a finite number{more}"
        )
    return M
