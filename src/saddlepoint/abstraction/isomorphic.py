"""Which subtrees of a signal tree are the same: the ordered game isomorphic relation.

Definition 9 and Algorithm 1 of thesis 003 (sections 5.4 and 5.5). Two leaves are the same if all
players get the same there after every path to the end; two inner nodes if their children can be
matched so that matched ones are the same and their edges as likely. Deciding that by perfect
matchings is `ordered_game_isomorphic`. As the relation is an equivalence, a perfect matching
exists if and only if both nodes have equally many children of every class, which is what
`isomorphism_classes` counts.

Two things are read into the text. Algorithm 1 does not look at the weights of edges; Definition 9
does, and so do we. It compares utilities of the last round only; games that end earlier may pay by
signals too, so we compare those of all rounds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from saddlepoint.games.signal_tree import SignalTree

Integers = NDArray[np.int64]
Known = dict[tuple[int, int, int], bool]


def ordered_game_isomorphic(
    tree: SignalTree, level: int, first: int, second: int, known: Known | None = None
) -> bool:
    """Whether two nodes of a level are ordered game isomorphic: Algorithm 1, with memory.

    At most one perfect matching for each pair of nodes of equal level. Like Algorithm 1 it
    lets nodes with different parents be the same.

    Parameters
    ----------
    tree
        The signal tree.
    level, first, second
        The two nodes.
    known
        What earlier calls on this tree have found; is added to.

    Examples
    --------
    The jacks of a deck of two jacks and two kings (thesis 003, Figure 5.2):

    >>> from saddlepoint.games.ordered_poker import ordered_poker
    >>> from saddlepoint.games.rules_file import rules_game
    >>> from saddlepoint.games.signal_tree import signal_tree
    >>> betting = {"ante": 1, "bets": [1], "max_bets": 1}
    >>> deck = {"ranks": "JK", "suits": 2}
    >>> game = ordered_poker(rules_game({"name": "JJKK", "deck": deck, "betting": betting}))
    >>> tree = signal_tree(game)
    >>> ordered_game_isomorphic(tree, 1, 0, 1), ordered_game_isomorphic(tree, 1, 1, 2)
    (True, False)
    """
    known = {} if known is None else known
    key = (level, min(first, second), max(first, second))
    if first == second:
        return True
    if key not in known:
        if level == tree.depth:
            known[key] = bool(tree.leaf_numbers[first] == tree.leaf_numbers[second])
        else:
            known[key] = _matched(tree, level, first, second, known)
    return known[key]


def _matched(tree: SignalTree, level: int, first: int, second: int, known: Known) -> bool:
    """Whether the children of two nodes have a perfect matching of isomorphic ones."""
    one, two = tree.children[level][first], tree.children[level][second]
    if len(one) != len(two):
        return False
    p = tree.probability(level + 1)
    edges = np.array(
        [
            [p[v] == p[w] and ordered_game_isomorphic(tree, level + 1, v, w, known) for w in two]
            for v in one
        ]
    )
    return bool((maximum_bipartite_matching(csr_array(edges.astype(np.int8))) >= 0).all())


def isomorphism_classes(tree: SignalTree) -> tuple[Integers, ...]:
    """For every level, numbers of its nodes that are equal where these are isomorphic.

    From the leaves to the root, a node's class is the list of its children's classes with
    the weights of their edges: O(nodes log nodes).
    """
    found = [tree.leaf_numbers]
    for level in range(tree.depth - 1, -1, -1):
        p, below = tree.probability(level + 1).tolist(), found[-1].tolist()
        numbers: dict[tuple[tuple[float, int], ...], int] = {}
        row = [
            numbers.setdefault(tuple(sorted((p[v], below[v]) for v in children)), len(numbers))
            for children in tree.children[level]
        ]
        found.append(np.array(row, np.int64))
    return tuple(reversed(found))


class MatchingCosts:
    r"""How different two nodes are: the cheapest perfect matching (thesis 003, section 5.6.1).

    At leaves the cost is the squared difference of utilities, averaged over the paths to the
    end and the players, $\overline{(u(z, \vartheta) - u(z, \vartheta'))^2}$. Of two inner
    nodes it is the average over their children in the matching for which this is least;
    edges of different weights cannot be matched, which makes the cost infinite.

    Costs are 0 if and only if nodes are isomorphic. They are computed once for any two
    isomorphism classes of a level.
    """

    def __init__(self, tree: SignalTree) -> None:
        self.tree, self.classes = tree, isomorphism_classes(tree)
        self._utilities = tree.utilities.reshape(tree.sizes[-1], -1)
        self._odds = [tree.probability(level + 1) for level in range(tree.depth)]
        self._known: dict[tuple[int, int, int], float] = {}

    def cost(self, level: int, first: int, second: int) -> float:
        """The cost of two nodes of a level: one assignment for any two classes below."""
        one, two = int(self.classes[level][first]), int(self.classes[level][second])
        if one == two:
            return 0.0
        key = (level, min(one, two), max(one, two))
        if key not in self._known:
            leaves = level == self.tree.depth
            self._known[key] = (self._of_leaves if leaves else self._of_nodes)(level, first, second)
        return self._known[key]

    def _of_leaves(self, level: int, first: int, second: int) -> float:
        difference = self._utilities[first] - self._utilities[second]
        return float((difference**2).mean())

    def _of_nodes(self, level: int, first: int, second: int) -> float:
        one, two = self.tree.children[level][first], self.tree.children[level][second]
        p = self._odds[level]
        if sorted(p[v] for v in one) != sorted(p[v] for v in two):
            return math.inf
        costs = np.array(
            [
                [p[v] * self.cost(level + 1, v, w) if p[v] == p[w] else math.inf for w in two]
                for v in one
            ]
        )
        return cheapest(costs)


def cheapest(costs: NDArray[np.float64]) -> float:
    """The least cost of a perfect matching, which may be infinite."""
    try:
        rows, columns = linear_sum_assignment(costs)
    except ValueError:  # no matching of finite cost
        return math.inf
    return float(costs[rows, columns].sum())
