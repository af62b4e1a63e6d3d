r"""Lifting: the strategy of the real game that a translated abstract strategy is, exactly.

Translation says what a player does after any real history: he follows it through the
abstract game, as one history or a weighted set of them, asks the abstract strategy there,
and carries its answer out. The real behaviour strategy that this amounts to is

$$\sigma(I, a) = \frac{\sum_h w_h(I) \sum_{a' : t_{out}(h, a') = a} \sigma'(h, a')}
                      {\sum_h w_h(I)},$$

with the weights $w_h$ of the abstract histories h that the real one is read as. It is
computed here for every real history at once, by a walk over the real betting tree that
carries the weighted set of all hands with it. So what a translated strategy is worth is an
expectation (`saddlepoint.measure`), not a simulation.

Cost: O(real decisions * histories of a set * abstract actions * hands); memory for the
strategy and one path of sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.core.errors import StrategyError
from saddlepoint.core.kernel import kernel
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.reverse.steps import Rules, Tree, carry_out, do, intend, observe, played
from saddlepoint.reverse.translate import Translation, labels, readings
from saddlepoint.sequence.strategy import Profile, Strategy

Array = NDArray[Any]

KINDS = ("as meant", "up to the least raise", "down to the stack", "to another total", "called")
# A sum of probabilities that differs from 1 by less does so by rounding.
ROUNDING = 1e-13
# Examples of inconsistent actions that are kept.
MOST_EXAMPLES = 100


@dataclass(frozen=True)
class Lifted:
    """A strategy of the real game, and how its bets were carried out.

    Parameters
    ----------
    strategy
        The strategy.
    carried_out
        How often, over all real decisions, histories and abstract bets, a bet had which
        fate (see `KINDS`).
    inconsistent
        How many of them would be read as something else than they were meant to be
        (equation 4.4 of thesis 004).
    examples
        Some of those: real betting history, abstract one, and the real move.
    """

    strategy: Strategy
    carried_out: Mapping[str, int] = field(default_factory=dict)
    inconsistent: int = 0
    examples: tuple[tuple[str, str, str], ...] = ()


@kernel
def _walk(
    real: Tree,
    abstract: Tree,
    rules: Rules,
    player: int,
    sigma: Array,
    classes: Array,
    up: Array,
    group: Array,
    widest: int,
    out: Array,
    fates: Array,
    examples: Array,
) -> int:
    """Visit every decision of the real betting tree, parents first, with its weighted set.

    classes[r] is where the hands of round r begin in `up` (their class in the round before)
    and in `group` (their abstract class). Overwrites out with the strategy; adds to fates;
    fills examples with (real node, history, real child). Returns the number of examples.
    """
    hands = 0
    for r in range(classes.shape[0] - 1):
        hands = max(hands, classes[r + 1] - classes[r])
    room, pending = 256, 64
    history, weight = np.empty(room, np.int64), np.empty((room, hands))
    nodes, begins = np.empty(pending, np.int64), np.empty(pending, np.int64)
    ends = np.empty(pending, np.int64)
    history[0] = 0 if abstract.mover[0] > 0 else -1
    for k in range(hands):
        weight[0, k] = 1.0
    nodes[0], begins[0], ends[0] = 0, 0, 1
    waiting, found = 1, 0
    while waiting > 0:
        waiting -= 1
        node, begin, end = nodes[waiting], begins[waiting], ends[waiting]
        size, own = end - begin, real.mover[node] == player
        r = real.round[node]
        n = classes[r + 1] - classes[r]
        # At most so many histories in all the sets that follow.
        need = end + real.children[node] * size * (widest + 2) + 1
        if need > room:
            room = 2 * need
            history, weight = _longer(history, room), _longer_rows(weight, room)
        if waiting + real.children[node] > pending:
            pending = 2 * (waiting + real.children[node])
            nodes, begins = _longer(nodes, pending), _longer(begins, pending)
            ends = _longer(ends, pending)
        here, w = history[begin:end].copy(), weight[begin:end, :n].copy()
        if own:
            most = size * (widest + 2)
            action, target = np.empty((most, 2), np.int64), np.empty(most, np.int64)
            chosen = np.empty((most, n))
            of = group[classes[r] : classes[r + 1]]
            j = intend(real, abstract, rules, sigma, of, node, here, w, action, target, chosen)
            action, target, chosen = action[:j], target[:j], chosen[:j]
            _write(real, rules, node, target, played(abstract, rules, w, action, chosen), out)
            found = _judge(real, abstract, rules, node, here, action, fates, examples, found)
        top = end
        for c in range(real.child[node], real.child[node] + real.children[node]):
            if real.mover[c] <= 0:
                continue
            if own:
                count = do(
                    *(real, abstract, rules, node, c, here, w, action, target, chosen),
                    *(history[top:], weight[top:, :n]),
                )
            else:
                count = observe(
                    *(real, abstract, rules, node, c, here, w),
                    *(history[top:], weight[top:, :n]),
                )
            if real.round[c] != r:
                _deal(up, classes, r, real.round[c], weight[top : top + count])
            nodes[waiting], begins[waiting], ends[waiting] = c, top, top + count
            waiting += 1
            top += count
    return found


@kernel
def _write(real: Tree, rules: Rules, node: int, target: Array, chosen: Array, out: Array) -> None:
    """Write the distributions of all hands at a decision."""
    first, count = real.child[node], real.children[node]
    for k in range(chosen.shape[1]):
        total = 0.0
        for c in range(first, first + count):
            out[real.row[c] + real.stride[c] * k] = 0.0
        for j in range(chosen.shape[0]):
            total += chosen[j, k]
        if total > 0.0:
            if abs(total - 1.0) <= ROUNDING:
                total = 1.0
            for j in range(chosen.shape[0]):
                c = target[j]
                out[real.row[c] + real.stride[c] * k] += chosen[j, k] / total
            continue
        for c in range(first, first + count):
            p = 1.0 / count if rules.uniform else 1.0 if real.move[c] == 0 else 0.0
            out[real.row[c] + real.stride[c] * k] = p


@kernel
def _judge(
    real: Tree,
    abstract: Tree,
    rules: Rules,
    node: int,
    history: Array,
    action: Array,
    fates: Array,
    examples: Array,
    found: int,
) -> int:
    """Count how the bets at a decision are carried out, and which are read as others."""
    for j in range(action.shape[0]):
        c = action[j, 1]
        if c < 0 or abstract.move[c] <= 0:
            continue
        h = history[action[j, 0]]
        target, fate = carry_out(real, abstract, rules, node, h, c)
        fates[fate] += 1
        consistent = False
        if real.move[target] > 0:
            row, pair = rules.row[h], rules.pair[target]
            share = rules.share[row, pair]
            consistent = (share == 1.0 and rules.low[row, pair] == c) or (
                share == 0.0 and rules.high[row, pair] == c
            )
        if not consistent:
            if found < examples.shape[0]:
                examples[found, 0], examples[found, 1], examples[found, 2] = node, h, target
            found += 1
    return found


@kernel
def _deal(up: Array, classes: Array, before: int, now: int, weight: Array) -> None:
    """Turn weights by hands of an earlier round into weights by hands of a later one."""
    spare = np.empty(weight.shape[1])
    for r in range(before + 1, now + 1):
        n = classes[r + 1] - classes[r]
        for i in range(weight.shape[0]):
            for k in range(n):
                spare[k] = weight[i, up[classes[r] + k]]
            for k in range(n):
                weight[i, k] = spare[k]


@kernel
def _longer(array: Array, room: int) -> Array:
    """A copy of the array with room for more."""
    out = np.empty(room, array.dtype)
    for k in range(array.shape[0]):
        out[k] = array[k]
    return out


@kernel
def _longer_rows(table: Array, room: int) -> Array:
    """A copy of the table with room for more rows."""
    out = np.empty((room, table.shape[1]), table.dtype)
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            out[i, k] = table[i, k]
    return out


def tree_for(game: FactoredGame, player: int) -> Tree:
    """The betting tree of a game with the places of a player's sequences."""
    tree, places = game.tree, game.factored.places[player - 1]
    return Tree(
        *(tree.mover, tree.round, tree.contribution, tree.move),
        *(tree.parent, tree.child, tree.children),
        row=places.row,
        stride=places.stride,
        label=labels(tree),
        stack=int(tree.rules.arrays.stack),
    )


def rules_for(pair: AbstractGame, settings: Translation) -> Rules:
    """A translation between two games, as kernels take it."""
    return Rules(
        *readings(pair.real.tree, pair.game.tree, settings),
        settings.act == "totals",
        settings.call_is_call,
        settings.remember,
        0.0 if settings.avoid is None else settings.avoid,
        settings.unreached == "uniform",
    )


class Lifting:
    """What lifting strategies of one abstract game needs, prepared once for many of them.

    Parameters
    ----------
    pair
        The real and the abstract game.
    settings
        How strategies are translated.
    """

    def __init__(self, pair: AbstractGame, settings: Translation | None = None) -> None:
        self.pair, self.settings = pair, settings or Translation()
        self._trees: dict[int, tuple[Tree, Tree]] = {}

    @cached_property
    def rules(self) -> Rules:
        """The translation, as kernels take it."""
        return rules_for(self.pair, self.settings)

    def trees(self, player: int) -> tuple[Tree, Tree]:
        """The real and the abstract betting tree with the places of a player's sequences."""
        if player not in self._trees:
            games = self.pair.real, self.pair.game
            self._trees[player] = tree_for(games[0], player), tree_for(games[1], player)
        return self._trees[player]

    def lift(self, strategy: Strategy) -> Lifted:
        """The strategy of the real game that a strategy of the abstract game becomes."""
        pair, player = self.pair, strategy.player
        form, real_form = pair.game.sequence_form(), pair.real.sequence_form()
        plex = form.X if player == 1 else form.Y
        if strategy.treeplex.fingerprint != plex.fingerprint:
            raise StrategyError(
                f"the strategy does not belong to {pair.game.name}, player {player}"
            )
        target = real_form.X if player == 1 else real_form.Y
        groups, rounds = pair.groups[player - 1], pair.real.deal.rounds
        out, fates = np.ones(target.n_sequences), np.zeros(len(KINDS), np.int64)
        examples = np.zeros((MOST_EXAMPLES, 3), np.int64)
        found = _walk(
            *(*self.trees(player), self.rules, player, strategy.probabilities.copy()),
            np.concatenate([[0], np.cumsum([len(group) for group in groups])]),
            np.concatenate([r.up[player - 1] for r in rounds]),
            np.concatenate(groups),
            *(int(pair.game.tree.children.max()), out, fates, examples),
        )
        return Lifted(
            Strategy(target, out, player),
            dict(zip(KINDS, fates.tolist(), strict=True)),
            found,
            tuple(_example(pair, *row) for row in examples[: min(found, MOST_EXAMPLES)].tolist()),
        )


def lift(pair: AbstractGame, strategy: Strategy, settings: Translation | None = None) -> Lifted:
    """The strategy of the real game that a strategy of the abstract game becomes.

    Parameters
    ----------
    pair
        The real and the abstract game.
    strategy
        A strategy of the abstract game, of either player.
    settings
        How it is translated.

    Raises
    ------
    StrategyError
        If the strategy is not one of the abstract game.
    SizeError
        If the real game does not fit into memory.

    Examples
    --------
    >>> from saddlepoint.games.poker import clairvoyance
    >>> pair = AbstractGame.of(clairvoyance(stack=3), clairvoyance(stack=3, menu="fcpa"))
    >>> calls = {"-:r1": [0.5, 0.5], "-:r3": [0.75, 0.25]}  # bets of 1 and 3 pots
    >>> abstract = Strategy.of_function(pair.game.sequence_form().Y, lambda I, _: calls[I], 2)
    >>> real = lift(pair, abstract, Translation(mapping="rand-pshar")).strategy
    >>> {bet: round(real[f"-:r{bet}"]["c"], 9) for bet in (0.5, 1, 2)}
    {0.5: 0.666666667, 1: 0.5, 2: 0.333333333}
    """
    return Lifting(pair, settings).lift(strategy)


def _example(pair: AbstractGame, node: int, history: int, child: int) -> tuple[str, str, str]:
    real, abstract = pair.real.tree, pair.game.tree
    return real.history(node) or "-", abstract.history(history) or "-", real.move_text(child)


def lift_profile(
    pair: AbstractGame, profile: Profile, settings: Translation | None = None
) -> Profile:
    """Both players' strategies, lifted."""
    lifting = Lifting(pair, settings)
    first, second = (lifting.lift(strategy).strategy for strategy in profile)
    return Profile(pair.real.sequence_form(), first, second)
