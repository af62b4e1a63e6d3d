r"""Exact measures of strategies: expected values, best responses, exploitability.

All values are payoffs to player 1 unless a function says otherwise, in the game's unit.
With $\text{lower} = \min_y x^\top A y$ (what player 1's strategy guarantees) and
$\text{upper} = \max_x x^\top A y$ (what player 2's concedes at most):

* the **gap** is upper - lower, the sum of both players' best-response gains;
* **exploitability** is half of it;
* the exploitability **of a seat** is how far that player's strategy falls short of the
  game's value: value - lower for player 1, upper - value for player 2. It needs the
  value, which a solution of the game certifies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import SettingsError, StrategyError
from saddlepoint.sequence.form import Problem, as_form
from saddlepoint.sequence.response import Gap
from saddlepoint.sequence.response import gap as gap_of_plans
from saddlepoint.sequence.solution import Solution
from saddlepoint.sequence.strategy import Profile, Strategy

Matrix = NDArray[np.float64]


Measured = Profile | Solution


def _profile(found: Measured) -> Profile:
    """The profile of a solution, or itself."""
    if isinstance(found, Solution):
        return found.profile
    if not isinstance(found, Profile):
        raise StrategyError(f"found a {type(found).__name__}, expected a Profile or a Solution")
    return found


def expected_value(profile: Measured) -> float:
    """Expected payoff to player 1 when both play the profile (or the solution's).

    >>> from saddlepoint.games.catalogue import game
    >>> round(expected_value(Profile.uniform(game("kuhn"))), 12)
    0.125
    """
    profile = _profile(profile)
    return float(profile.first.plan @ (profile.form.A @ profile.second.plan))


def value_matrix(first: Sequence[Strategy], second: Sequence[Strategy], problem: Problem) -> Matrix:
    """Expected payoffs to player 1 of many strategies against each other.

    Parameters
    ----------
    first, second
        Strategies of player 1 (rows) and of player 2 (columns).
    problem
        Their game.

    Notes
    -----
    One product with the payoff operator per column.
    """
    form = as_form(problem)
    rows = np.array([s.plan for s in first]).reshape(len(first), form.X.n_sequences)
    columns = [form.A @ s.plan for s in second]
    return rows @ np.array(columns).T if columns else np.zeros((len(first), 0))


def head_to_head(profiles: Sequence[Measured]) -> Matrix:
    """What each profile wins from each other one, both seats averaged.

    Entry (i, j) is the mean of i's payoff as player 1 and as player 2 against j. The
    matrix is antisymmetric.
    """
    if not profiles:
        return np.zeros((0, 0))
    played = [_profile(profile) for profile in profiles]
    form = played[0].form
    if any(p.form.fingerprint != form.fingerprint for p in played):
        raise StrategyError("only profiles of the same game can be played against each other")
    V = value_matrix([p.first for p in played], [p.second for p in played], form)
    return (V - V.T) / 2


def best_response(profile: Measured, player: int) -> tuple[float, Strategy]:
    """A player's best response to the other's strategy, and its value to that player."""
    profile = _profile(profile)
    form = profile.form
    if player == 1:
        value, s = form.X.best_response(form.A @ profile.second.plan)
        return value, Strategy(form.X, s, 1)
    if player == 2:
        value, s = form.Y.best_response(-(form.A.T @ profile.first.plan))
        return value, Strategy(form.Y, s, 2)
    raise SettingsError(f"player is {player}, expected 1 or 2")


def bounds(profile: Measured) -> Gap:
    """What both strategies guarantee: the values of both best responses."""
    profile = _profile(profile)
    X, Y, A = profile.form
    return gap_of_plans(X, Y, A, profile.first.plan, profile.second.plan)


def guarantee(problem: Problem, strategy: Strategy) -> float:
    """The payoff to player 1 when the opponent plays his best response to a strategy.

    >>> from saddlepoint.games.catalogue import game
    >>> form = game("kuhn").sequence_form()
    >>> round(guarantee(form, Strategy.uniform(form.Y, 2)), 12)
    0.5
    """
    form = as_form(problem)
    if strategy.player == 2:
        return form.X.best_response(form.A @ strategy.plan)[0]
    return -form.Y.best_response(-(form.A.T @ strategy.plan))[0]


def gap(profile: Measured) -> float:
    """The sum of both players' best-response gains."""
    return bounds(profile).gap


def exploitability(profile: Measured) -> float:
    """Half the gap.

    >>> from saddlepoint.games.catalogue import game
    >>> round(exploitability(Profile.uniform(game("kuhn"))), 6)
    0.458333
    """
    return gap(profile) / 2


@dataclass(frozen=True)
class Seats:
    """How far each player's strategy falls short of the value of the game."""

    first: float
    second: float


def exploitability_by_seat(profile: Measured, value: float) -> Seats:
    """Each player's exploitability against the value of the game."""
    found = bounds(profile)
    return Seats(value - found.lower, found.upper - value)
