r"""The coarsest information filter that loses nothing.

A filter F loses nothing if, for every player i, all signals of one class have equal joint chances

$$P\left(F(\text{own later signals}), F(\text{the others' signals}), u_i \mid
(\tilde\alpha^j, \tilde\beta^j_i)\right)$$

of the classes that he will be told, the classes that the others are told in all rounds, and his
utilities after all paths to the end. For let the others play strategies of the filtered game.
What i earns after any history is then a function of these three alone, so, going back from the
end, all signals of a class are worth the same to him and one answer is best for all of them.
Every equilibrium of the filtered game is therefore one of the real game.

The coarsest such filter is found by refinement: from the filter that tells nothing on, signals of
one class whose chances differ are parted until none do. Every other filter of this kind is finer
than all that come up on the way. Classes of a round refine those of the round before, so players
never forget.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.isomorphic import cheapest
from saddlepoint.abstraction.union_find import UnionFind
from saddlepoint.games.information import InformationFilter
from saddlepoint.games.signals import DECIMALS, OrderedGame

Integers = NDArray[np.int64]
# Places of the chances that a player sees, and their weights in lowest terms.
Chances = tuple[tuple[int, ...], tuple[int, ...]]


class Refinement:
    """Parts the signals of a game until those of one class have equal chances.

    Parameters
    ----------
    game
        The game. A pass costs O(rounds * players * deals log deals), and there are at most
        as many as classes in the end.
    """

    def __init__(self, game: OrderedGame) -> None:
        self.game = game
        deals, rounds = game.deals, range(1, game.rounds + 1)
        self.players = range(1, game.players + 1)
        self.place = {(i, j): deals.information(i, j) for i in self.players for j in rounds}
        self.identity = InformationFilter.identity(game)

    @cached_property
    def utilities(self) -> list[NDArray[np.float64]]:
        """For every player, his utilities after all paths (columns) in every deal (rows)."""
        table = np.round(self.game.payoffs, DECIMALS) + 0.0
        return [np.ascontiguousarray(table[:, :, i - 1].T) for i in self.players]

    @cached_property
    def worth(self) -> list[Integers]:
        """For every player, a number for each deal: equal where all of his utilities are."""
        return [
            np.unique(u, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
            for u in self.utilities
        ]

    def filter(self, threshold: float = 0.0) -> InformationFilter:
        """The filter in the end, in which costs up to a threshold are taken for nothing."""
        numbers = [np.zeros(size, np.int64) for size in self.identity.sizes]
        sizes = [1] * len(numbers)
        while True:
            numbers = self._parted(numbers, threshold)
            found = [int(row.max()) + 1 for row in numbers]
            if found == sizes:
                return InformationFilter(self.game, tuple(numbers))
            sizes = found

    def _parted(self, numbers: list[Integers], threshold: float) -> list[Integers]:
        """One pass: part the classes of all rounds by what the last pass has found."""
        last = [self._last(numbers, i) for i in self.players]
        found: list[Integers] = []
        for j, row in enumerate(numbers, 1):
            up = found[-1][self.identity.before(j)] if found else np.zeros(len(row), np.int64)
            chances = [self._chances(i, j, last[i - 1]) for i in self.players]
            known: dict[tuple[object, ...], int] = {}
            keys = zip(up.tolist(), row.tolist(), *chances, strict=True)
            exact = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
            if threshold > 0:
                families = np.unique(np.column_stack([up, row]), axis=0, return_inverse=True)[1]
                exact = self._linked(j, exact, families.reshape(-1), last, chances, threshold)
            found.append(exact)
        return found

    def _last(self, numbers: list[Integers], player: int) -> tuple[Integers, Integers]:
        """For every deal: what all will have been told in the end, and that with the utility."""
        end = self.game.rounds
        others = [i for i in self.players if i != player]
        told = [numbers[-1][self.place[i, end]] for i in (player, *others)]
        paths = np.unique(np.column_stack(told), axis=0, return_inverse=True)[1].reshape(-1)
        pair = np.column_stack([paths, self.worth[player - 1]])
        both = np.unique(pair, axis=0, return_inverse=True)[1].reshape(-1)
        return paths.astype(np.int64), both.astype(np.int64)

    def _chances(self, player: int, round_: int, last: tuple[Integers, Integers]) -> list[Chances]:
        """For everything a player is told through a round, the chances of what comes of it."""
        place, token = self.place[player, round_], last[1]
        order = np.lexsort((token, place))
        new = np.diff(place[order]) | np.diff(token[order])
        starts = np.flatnonzero(np.append(True, new != 0))
        weight = np.add.reduceat(self.game.deals.weight[order], starts)
        place, token = place[order][starts], token[order][starts]
        cuts = np.searchsorted(place, np.arange(len(self.identity.numbers[round_ - 1]) + 1))
        found = []
        for a, b in zip(cuts.tolist(), cuts.tolist()[1:], strict=False):
            weights = [int(w) for w in weight[a:b]]
            least = math.gcd(*weights)
            found.append((tuple(token[a:b].tolist()), tuple(w // least for w in weights)))
        return found

    # Near enough --------------------------------------------------------------------------

    def _linked(
        self,
        round_: int,
        exact: Integers,
        families: Integers,
        last: list[tuple[Integers, Integers]],
        chances: list[list[Chances]],
        threshold: float,
    ) -> Integers:
        """Join what differs by no more than a threshold within a class of the last pass."""
        first = np.unique(exact, return_index=True)[1].tolist()
        forest = UnionFind(len(first))
        for k, one in enumerate(first):
            for m in range(k):
                two = first[m]
                if families[one] != families[two] or forest.find(k) == forest.find(m):
                    continue
                if threshold == math.inf or all(
                    self._cost(i, round_, one, two, last[i - 1][0]) <= threshold
                    for i in self.players
                    if chances[i - 1][one] != chances[i - 1][two]
                ):
                    forest.union(k, m)
        return forest.numbers()[exact]

    def _cost(self, player: int, round_: int, one: int, two: int, paths: Integers) -> float:
        """The cheapest matching of the deals with which a player is told one thing or another."""
        place, weight = self.place[player, round_], self.game.deals.weight
        a, b = np.flatnonzero(place == one), np.flatnonzero(place == two)
        p, q = (np.array([int(w) for w in weight[k]]) / int(weight[k].sum()) for k in (a, b))
        if len(p) != len(q) or (np.sort(p) != np.sort(q)).any():
            return math.inf
        u = self.utilities[player - 1]
        far = (u.max() - u.min()) ** 2
        difference = (
            (u[a] ** 2).mean(axis=1)[:, None]
            + (u[b] ** 2).mean(axis=1)
            - 2.0 * (u[a] @ u[b].T) / u.shape[1]
        )
        costs = np.maximum(difference, 0.0) + far * (paths[a][:, None] != paths[b])
        return cheapest(np.where(p[:, None] == q, p[:, None] * costs, math.inf))
