r"""A player who follows one abstract history, as a machine with finitely many states.

A *state* is a real betting node together with the abstract history that its betting was
read as. At the player's own nodes a state has one *edge* for each action that the abstract
strategy may choose, with the real move that carries it out; at the opponent's, one for
each real move. An edge leads to one state, or to one of two if the move may be read in two
ways. So a hand is followed by looking up a few numbers, whatever translation is like.

States are numbered by nodes; all of a node stand side by side. There are as many as `lift`
has histories in all its sets: O(real nodes * histories of a set) states, times children
edges, built in the same time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.kernel import kernel
from saddlepoint.reverse.steps import OVER, Rules, Tree, do, intend, observe

Array = NDArray[Any]

# Columns of `Machine.edge`; ROW is `CERTAIN` where the player has no choice.
ROW, STRIDE, TARGET, LOW, HIGH = range(5)
CERTAIN, NOWHERE = OVER, -1


class Machine(NamedTuple):
    """States and edges of a player.

    State s has the edges `first[s]` up to `first[s + 1]`. Edge e is taken, at own nodes,
    with the probability `sigma[edge[e, ROW] + edge[e, STRIDE] * k]` by abstract class k, and
    then makes the real move to node `edge[e, TARGET]`. It leads to state `edge[e, LOW]` with
    probability `share[e]`, else to `edge[e, HIGH]`.
    """

    first: NDArray[np.int64]
    edge: NDArray[np.int64]
    share: NDArray[np.float64]


@kernel
def _grown(table: Array, rows: int) -> Array:
    """The table, or a copy with room for more, so that it has so many rows."""
    if rows <= table.shape[0]:
        return table
    longer = np.empty((2 * rows, table.shape[1]), table.dtype)
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            longer[i, k] = table[i, k]
    return longer


@kernel
def _state(state: Array, begin: int, end: int, history: int) -> int:
    """The state of a history among those of a node; `end` if it is not there yet."""
    for s in range(begin, end):
        if state[s, 1] == history:
            return s
    return end


@kernel
def build(real: Tree, abstract: Tree, rules: Rules, player: int) -> Machine:
    """Build the machine of a player: O(states * children), growing as it is needed.

    While the edges of a node are made, column ROW holds the abstract action, `CERTAIN` where
    there is none, and STRIDE the state.
    """
    widest = 0
    for n in range(abstract.mover.shape[0]):
        widest = max(widest, abstract.children[n])
    action, target = np.empty((widest + 1, 2), np.int64), np.empty(widest + 1, np.int64)
    # What histories would do is asked for without cards: a table of no hands.
    nobody, nothing = np.empty((widest + 1, 0)), np.empty(0)
    no_hand = np.empty(0, np.int64)
    # Per state its first edge and its history. Nodes ascend, and so do their children.
    state = np.empty((1024, 2), np.int64)
    edge, share = np.empty((1024, 5), np.int64), np.empty((1024, 1))
    begin, end = np.zeros((2, real.mover.shape[0]), np.int64)
    here, one = np.empty(1, np.int64), np.ones((1, 1))
    later, weight = np.empty(2, np.int64), np.empty((2, 1))
    state[0, 1] = 0 if abstract.mover[0] > 0 else OVER
    end[0], states, edges = 1, 1, 0
    for node in range(real.mover.shape[0]):
        if real.mover[node] <= 0:
            continue
        own, start = real.mover[node] == player, edges
        for s in range(begin[node], end[node]):
            state[s, 0] = edges
            here[0], count = state[s, 1], real.children[node]
            if own:
                count = intend(
                    *(real, abstract, rules, nothing, no_hand, node, here, nobody[:1]),
                    *(action, target, nobody),
                )
            edge, share = _grown(edge, edges + count), _grown(share, edges + count)
            for i in range(count):
                edge[edges, STRIDE] = s
                edge[edges, ROW] = action[i, 1] if own else CERTAIN
                edge[edges, TARGET] = target[i] if own else real.child[node] + i
                edges += 1
        for child in range(real.child[node], real.child[node] + real.children[node]):
            begin[child] = states
            for e in range(start, edges):
                if edge[e, TARGET] != child:
                    continue
                edge[e, LOW], edge[e, HIGH], share[e, 0] = NOWHERE, NOWHERE, 1.0
                if real.mover[child] <= 0:
                    continue
                here[0] = state[edge[e, STRIDE], 1]
                if own:
                    action[0, 0], action[0, 1], target[0] = 0, edge[e, ROW], child
                    count = do(
                        *(real, abstract, rules, node, child, here, one),
                        *(action[:1], target[:1], one, later, weight),
                    )
                else:
                    count = observe(real, abstract, rules, node, child, here, one, later, weight)
                share[e, 0] = weight[0, 0]
                state = _grown(state, states + 2)
                for i in range(count):
                    s = _state(state, begin[child], states, later[i])
                    state[s, 1] = later[i]
                    states = max(states, s + 1)
                    edge[e, LOW if i == 0 else HIGH] = s
            end[child] = states
        for e in range(start, edges):
            c = edge[e, ROW]
            if c != CERTAIN:
                edge[e, ROW], edge[e, STRIDE] = abstract.row[c], abstract.stride[c]
    first = np.empty(states + 1, np.int64)
    for s in range(states):
        first[s] = state[s, 0]
    first[states] = edges
    return Machine(first, edge[:edges].copy(), share[:edges, 0].copy())
