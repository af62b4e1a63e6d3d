r"""The first rounds of a game as a game of their own.

Betting that goes on past the last kept round ends there, and a model of the rest
(`saddlepoint.abstraction.rollout_model`) says what it pays. The payoff operator is that of the
leaves within the kept rounds and two Kronecker terms more for each set of histories with equal
betting ahead: see `saddlepoint.abstraction.rest` (thesis 003, sections 6.3 and 7.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from saddlepoint.abstraction.rest import rests
from saddlepoint.abstraction.rollout_model import Model, Modelled, Nodes, RollOut
from saddlepoint.core.checks import shown, whole
from saddlepoint.core.errors import GameError, SettingsError
from saddlepoint.games.betting import BettingTree
from saddlepoint.games.factored import Factored, factored_form
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.form import SequenceForm
from saddlepoint.sequence.payoff import Bundle, PayoffOperator, Term

# What ends a history that goes on in the whole game: no other leaf has this number.
CUT = -3


@dataclass(frozen=True, repr=False)
class Truncated:
    """The first rounds of a game, with a modelled payoff where it goes on.

    Parameters
    ----------
    game, keep, model
        What it was made of.
    factored
        The sequence form, with the places of betting and cards in it.
    nodes
        The betting node of the whole game that each of its betting nodes is.
    """

    game: FactoredGame
    keep: int
    model: Model
    factored: Factored
    nodes: Nodes

    def sequence_form(self) -> SequenceForm:
        """The game as `(X, Y, A)`."""
        return self.factored.form

    def __repr__(self) -> str:
        return f"<Truncated {self.factored.form.name}>"


def truncated(game: FactoredGame, rounds: int, model: Model | None = None) -> Truncated:
    """The first rounds of a game as a game of their own.

    Parameters
    ----------
    game
        A game of several rounds; its cards may be abstract.
    rounds
        How many rounds are kept, at least one and not all.
    model
        How the rest is played; `RollOut()` if absent.

    Notes
    -----
    Costs, beside the form itself, O(leaves ahead * pairs of hands) for each set of histories
    with equal betting ahead.

    Examples
    --------
    >>> from saddlepoint.games.poker import leduc
    >>> small = truncated(leduc(), 1)
    >>> small.sequence_form()
    <SequenceForm leduc, 1 round of 2, roll-out: 22 and 22 sequences>
    """
    model = RollOut() if model is None else model
    if not isinstance(model, RollOut | Modelled):
        raise SettingsError(f"model is {shown(model)}, expected RollOut() or a Modelled")
    keep = checked_rounds(game, rounds)
    tree, nodes = _first_rounds(game.tree, keep)
    name = f"{game.name}, {keep} round{'s' * (keep > 1)} of {game.betting.rounds}, {model.name}"
    built = factored_form(
        tree,
        game.deal,
        name=name,
        spec={"rounds": keep, "rest": model.name, "of": dict(game.spec)},
        unit=game.unit,
        scale=game.scale,
        less=game.less,
        sources=(*game.sources, "gilpin2009"),
    )
    form = built.form
    A = PayoffOperator(form.A.shape, list(_terms(game, keep, model, built, nodes)))
    whole_form = SequenceForm(form.X, form.Y, A, form.spec, name, form.unit, form.sources)
    return Truncated(game, keep, model, replace(built, form=whole_form), nodes)


def checked_rounds(game: FactoredGame, rounds: int, name: str = "rounds") -> int:
    """The number of rounds to keep, if it leaves something on either side.

    Raises
    ------
    GameError
        If the game has one round, or no betting in the kept ones.
    SettingsError
        If it is not at least one and fewer than all.
    """
    if game.betting.rounds < 2:
        raise GameError(f"{game.name} has one round of betting: there is no rest to cut off")
    keep = whole(name, rounds, 1, game.betting.rounds - 1)
    if game.tree.mover[0] <= 0 or game.tree.round[0] >= keep:
        raise GameError(f"{game.name} has no betting in the first {keep} rounds")
    return keep


def _first_rounds(tree: BettingTree, keep: int) -> tuple[BettingTree, Nodes]:
    """The betting tree cut off after some rounds, and the nodes that are left."""
    nodes = np.flatnonzero((tree.parent < 0) | (tree.round[tree.parent] < keep))
    number = np.zeros(len(tree), np.int32)
    number[nodes] = np.arange(len(nodes))
    cut = (tree.mover[nodes] > 0) & (tree.round[nodes] >= keep)
    inner = (tree.mover[nodes] > 0) & ~cut
    parent = tree.parent[nodes]
    left = replace(
        tree,
        mover=np.where(cut, CUT, tree.mover[nodes]).astype(np.int32),
        round=tree.round[nodes],
        contribution=tree.contribution[nodes],
        move=tree.move[nodes],
        parent=np.where(parent < 0, -1, number[parent]).astype(np.int32),
        child=np.where(inner, number[tree.child[nodes]], 0).astype(np.int32),
        children=np.where(inner, tree.children[nodes], 0).astype(np.int32),
    )
    return left, nodes


def _terms(
    game: FactoredGame, keep: int, model: Model, built: Factored, nodes: Nodes
) -> Iterator[Term]:
    """The terms of the payoff operator: those of leaves of the game, then the rest's.

    Cut histories are leaves that pay nothing in the form as it was built. Their bundles are
    taken out, and say which of them lie side by side.
    """
    cuts: list[Bundle] = []
    for term in built.form.A.terms:
        paid = [bool(np.any(b.weights)) for b in term.bundles]
        cuts += [b for b, pays in zip(term.bundles, paid, strict=True) if not pays]
        if any(paid):
            bundles = [b for b, pays in zip(term.bundles, paid, strict=True) if pays]
            yield Term(bundles, term.deal)
    one, two = built.places
    here = np.flatnonzero(built.tree.mover == CUT)
    at = {(int(one.row[n]), int(two.row[n])): int(nodes[n]) for n in here}
    base = game.tree.contribution.min(axis=1) * game.scale
    for rest in rests(game, keep, model):
        chips = {int(n): float(base[n]) for n in rest.nodes}
        yield Term([b for cut in cuts for b in _within(cut, at, chips)], rest.sign)
        if rest.extra is not None:
            alike = dict.fromkeys(chips, game.scale)
            yield Term([b for cut in cuts for b in _within(cut, at, alike)], rest.extra)


def _within(bundle: Bundle, at: dict[tuple[int, int], int], paid: dict[int, float]) -> list[Bundle]:
    """The parts of a bundle of leaves that end in some nodes, with what is paid there."""
    width = np.size(bundle.weights)
    ends = [at.get((bundle.row1 + h, bundle.row2 + h), -1) for h in range(width)]
    inside = np.array([n in paid for n in ends])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    return [
        replace(
            bundle,
            row1=bundle.row1 + int(low),
            row2=bundle.row2 + int(low),
            weights=[paid[n] for n in ends[low:high]],
        )
        for low, high in edges.reshape(-1, 2)
    ]
