"""OpenSpiel games in, policies in, strategies out.

Any two-player zero-sum or constant-sum game of OpenSpiel that can be written down as a
tree becomes an `OpenSpielGame`: a `TreeGame` whose information sets are called by
OpenSpiel's information states, and which remembers OpenSpiel's action numbers, so that
strategies can be carried over in both directions. Games with simultaneous moves are
converted to take turns, unseen, by OpenSpiel itself.

OpenSpiel is optional: `pip install saddlepoint[openspiel]`.

>>> game = from_openspiel("kuhn_poker")
>>> game.n_nodes, game.infosets[1][:2]
(58, ('1p', '1b'))
>>> from saddlepoint.sequence.strategy import Profile
>>> policy = policy_of_profile(Profile.uniform(game), game)
>>> profile_of_policy(game, policy).first["0"]
{'Pass': 0.5, 'Bet': 0.5}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from saddlepoint.core.errors import GameError, StrategyError, unknown
from saddlepoint.games.openspiel_poker import infoset, twin_of
from saddlepoint.games.rules import MAX_NODES, too_large
from saddlepoint.games.tree import Recorder, TreeGame
from saddlepoint.sequence.form import CHANCE, LEAF, as_form
from saddlepoint.sequence.strategy import Profile, Strategy

# Per player, per information set: OpenSpiel's numbers of the actions.
ActionIds = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]

_PROGRESS_EVERY = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class OpenSpielGame(TreeGame):
    """A tree taken from OpenSpiel.

    Parameters
    ----------
    source
        The `pyspiel.Game` of the tree, turn-based.
    action_ids
        Per player and information set: OpenSpiel's numbers of the actions.
    """

    source: Any = None
    action_ids: ActionIds = field(default=((), ()))


def from_openspiel(
    game: Any,
    *,
    max_nodes: int = MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> OpenSpielGame:
    """Unfold an OpenSpiel game into an explicit tree.

    Costs a clone of the state for each node.

    Parameters
    ----------
    game
        A `pyspiel.Game`, or what `pyspiel.load_game` takes: `"leduc_poker"`,
        `"liars_dice(numdice=1)"`.
    max_nodes
        Refuse larger trees.
    progress
        Called now and then with the number of nodes so far.

    Raises
    ------
    GameError
        If the game is not two-player constant-sum, or cannot be written down as a tree.
    SizeError
        If there are more than `max_nodes` nodes.
    """
    source = _suitable(_loaded(game))
    record, ids = Recorder(), _Ids([], [])
    for state, parent, move, probability in _walk(source):
        if len(record) >= max_nodes:
            raise too_large(str(source), max_nodes)
        mover, number, payoff = _look(state, record, ids)
        record.add(parent, move, probability, mover, number, payoff)
        if progress is not None and len(record) % _PROGRESS_EVERY == 0:
            progress(len(record))
    return OpenSpielGame(
        record.tree(),
        game if isinstance(game, str) else str(game),
        constant_sum=source.utility_sum(),
        events=tuple(record.events),
        spec={"openspiel": str(source)},
        source=source,
        action_ids=(tuple(ids.first), tuple(ids.second)),
    )


class _Ids(NamedTuple):
    """OpenSpiel's numbers of the actions, per player and information set."""

    first: list[tuple[int, ...]]
    second: list[tuple[int, ...]]


def _look(state: Any, record: Recorder, ids: _Ids) -> tuple[int, int, float]:
    """Mover, number of the information set or event, and payoff of a state."""
    if state.is_terminal():
        return LEAF, -1, float(state.returns()[0])
    if state.is_chance_node():
        outcomes = state.chance_outcomes()
        moves = _action_names(state, [action for action, _ in outcomes])
        return CHANCE, record.event((moves, tuple(p for _, p in outcomes)), moves), 0.0
    player, seen = state.current_player(), state.information_state_string()
    actions = tuple(state.legal_actions())
    number = record.infoset(player + 1, seen, seen, _action_names(state, actions))
    if number == len(ids[player]):
        ids[player].append(actions)
    return player + 1, number, 0.0


def profile_of_policy(game: OpenSpielGame, policy: Any) -> Profile:
    """The profile that an OpenSpiel policy plays.

    Parameters
    ----------
    game
        The game as taken from OpenSpiel.
    policy
        Anything with `action_probabilities(state)`: a policy of `open_spiel.python.policy`,
        tabular or not, or of `pyspiel`. It is asked once for each information set.

    Raises
    ------
    StrategyError
        If the policy gives no probabilities somewhere, or wrong ones.
    """
    rows: tuple[dict[str, list[float]], dict[str, list[float]]] = ({}, {})
    for state, _, _, _ in _walk(game.source):
        if state.is_terminal() or state.is_chance_node():
            continue
        player, key = state.current_player(), state.information_state_string()
        if key not in rows[player]:
            given = policy.action_probabilities(state)
            if not given:
                raise StrategyError(f"the policy of player {player + 1} is silent at '{key}'")
            rows[player][key] = [float(given.get(a, 0.0)) for a in state.legal_actions()]
    form = game.sequence_form()
    first, second = (
        Strategy.of_function(plex, lambda name, _, k=k: rows[k][name], k + 1)
        for k, plex in enumerate((form.X, form.Y))
    )
    return Profile(form, first, second)


def policy_of_profile(profile: Profile, game: OpenSpielGame | None = None) -> Any:
    """The profile as an `open_spiel.python.policy.TabularPolicy`.

    Parameters
    ----------
    profile
        A profile of the game, as a solver returns it.
    game
        The game as taken from OpenSpiel, whose `source` the policy is for. Left out for
        profiles of the catalogue's Kuhn poker and Leduc Hold'em, whose policies are for
        OpenSpiel's `kuhn_poker` and `leduc_poker`.

    Raises
    ------
    GameError
        If there is no game and OpenSpiel has no twin of the profile's.

    Examples
    --------
    >>> from saddlepoint.games.catalogue import game
    >>> policy = policy_of_profile(Profile.uniform(game("leduc")))
    >>> policy.game.get_type().short_name, policy.action_probability_array.shape
    ('leduc_poker', (936, 3))
    """
    if game is None and "openspiel" not in profile.form.spec:
        return _policy_of_poker(profile)
    if game is None:
        game = from_openspiel(profile.form.spec["openspiel"])
    if profile.form.fingerprint != as_form(game).fingerprint:
        raise StrategyError(f"the profile of {profile.form.name} does not belong to {game.name}")
    if shared := set(game.infosets[0]) & set(game.infosets[1]):
        raise StrategyError(
            f"both players have an information state '{min(shared)}', which OpenSpiel's tabular "
            "policies do not tell apart"
        )
    policy = _tabular(game.source)
    for k, strategy in enumerate(profile):
        ids = dict(zip(game.infosets[k], game.action_ids[k], strict=True))
        names = strategy.treeplex.names
        for i in range(len(strategy)):
            row = np.zeros(game.source.num_distinct_actions())
            row[list(ids[names.infoset(i)])] = strategy.probabilities[
                strategy.treeplex.sequences(i)
            ]
            policy.policy_for_key(names.infoset(i))[:] = row
    return policy


def _policy_of_poker(profile: Profile) -> Any:
    """The policy for OpenSpiel's twin of a game of the catalogue."""
    twin, deck = twin_of(profile.form.spec, profile.form.name)
    policy = _tabular(_loaded(twin.name))
    for state in policy.states:
        strategy, seen = profile.player(state.current_player() + 1), twin.seen(state)
        played = strategy[infoset(strategy, seen, deck)]
        row = policy.policy_for_key(state.information_state_string())
        row[:] = 0.0
        row[state.legal_actions()] = [played[move] for move in seen.moves]
    return policy


def _tabular(source: Any) -> Any:
    _pyspiel()
    from open_spiel.python.policy import TabularPolicy

    return TabularPolicy(source)


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise GameError(
            "OpenSpiel is not installed; it comes with `pip install saddlepoint[openspiel]`"
        ) from None
    return pyspiel


def _loaded(game: Any) -> Any:
    """The pyspiel game of a string; unknown names are refused before OpenSpiel prints them all."""
    pyspiel = _pyspiel()
    if isinstance(game, pyspiel.Game):
        return game
    if not isinstance(game, str):
        raise GameError(f"cannot take a {type(game).__name__} from OpenSpiel, expected its name")
    name = game.split("(")[0]
    if name not in (known := pyspiel.registered_names()):
        raise GameError(unknown("OpenSpiel game", name, known))
    try:
        return pyspiel.load_game(game)
    except pyspiel.SpielError as problem:
        raise GameError(f"OpenSpiel cannot load '{game}': {problem}") from None


def _suitable(game: Any) -> Any:
    """The game, turn-based, if it is a tree with two players and a constant sum."""
    pyspiel, kind = _pyspiel(), game.get_type()

    def refuse(found: str, expected: str) -> GameError:
        return GameError(f"OpenSpiel's {game} is {found}, expected {expected}")

    if game.num_players() != 2:
        raise refuse(f"a game of {game.num_players()} players", "two")
    if kind.utility not in (
        pyspiel.GameType.Utility.ZERO_SUM,
        pyspiel.GameType.Utility.CONSTANT_SUM,
    ):
        raise refuse("general-sum", "a zero-sum or constant-sum game")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise refuse("sampled at chance nodes", "a game that lists their outcomes")
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    elif kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise refuse("a mean-field game", "a game of two players who move")
    if not game.get_type().provides_information_state_string:
        raise refuse("without information states", "a game that tells what its players know")
    return game


def _walk(game: Any) -> Iterator[tuple[Any, int, int, float]]:
    """All states in prefix order, with parent node, move and probability."""
    stack: list[tuple[Any, int, int, int, float]] = [(game.new_initial_state(), 0, -1, 0, 1.0)]
    node = -1
    while stack:
        state, action, parent, move, probability = stack.pop()
        if parent >= 0:
            state = state.child(action)
        node += 1
        yield state, parent, move, probability
        if state.is_terminal():
            continue
        branches = (
            state.chance_outcomes()
            if state.is_chance_node()
            else [(action, 1.0) for action in state.legal_actions()]
        )
        for k in range(len(branches) - 1, -1, -1):
            stack.append((state, branches[k][0], node, k, branches[k][1]))


def _action_names(state: Any, actions: Any) -> tuple[str, ...]:
    """The names of actions, with their numbers where names alone would not tell them apart."""
    names = [state.action_to_string(state.current_player(), action) for action in actions]
    if len(set(names)) < len(names) or "" in names:
        names = [f"{name} [{action}]" for name, action in zip(names, actions, strict=True)]
    return tuple(names)
