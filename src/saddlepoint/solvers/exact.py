r"""Exact equilibria of small games: fractions, with a proof.

Probabilities of cards and chips are small fractions, so the game behind the floating-point
payoffs is a game of fractions; its value is one too (Kuhn poker's is -1/18, Kuhn 1950). An
optimal basis of the linear program says which constraints hold with equality, and those
are a system of linear equations, which is solved in exact arithmetic.

What is returned is proved by the definition, not by how it was found: both plans are
realization plans, exactly, and the best response to each, computed exactly, earns the
same. Where rounding has led HiGHS to a basis that is not quite optimal, that comparison
fails and an error says so.

Systems are solved by python-flint if it is installed (the extra `exact`), else by sparse
elimination in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, ulp

import numpy as np

from saddlepoint.core.errors import GameError, SaddlepointError, SettingsError
from saddlepoint.sequence.form import Problem, SequenceForm, as_form
from saddlepoint.sequence.response import gap
from saddlepoint.sequence.solution import Solution
from saddlepoint.sequence.strategy import Profile
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.elimination import Entries, solve_exactly
from saddlepoint.solvers.highs import Statuses, solved
from saddlepoint.solvers.lp import LinearProgram
from saddlepoint.solvers.program import Program, constraints

# A payoff is a sum of products, each rounded; and a sum that should be 0 leaves a trace of
# the largest of its terms.
ULPS = 8
CANCELLED = 2.0**-52
# A fraction with a denominator below this hits a number drawn at random, to so many ulps,
# once in several hundred times: what is recovered is what was meant.
LARGEST_DENOMINATOR = 1_000_000
PAYOFFS = ("simplest", "binary")
# The least that HiGHS takes.
TIGHT = 1e-10
_BASIC = 1

Fractions = tuple[Fraction, ...]


@dataclass(frozen=True)
class ExactSolution:
    """An equilibrium in fractions.

    Parameters
    ----------
    form
        The game.
    value
        Its value, a payoff to player 1.
    x, y
        Realization plans of player 1 and player 2.
    """

    form: SequenceForm
    value: Fraction
    x: Fractions
    y: Fractions

    def probabilities(self, player: int, infoset: str) -> dict[str, Fraction]:
        """The probabilities of the actions at an information set, by name.

        Equal ones where the player's own plan never arrives.
        """
        plex, plan = (self.form.X, self.x) if player == 1 else (self.form.Y, self.y)
        i = plex.find(infoset)
        row = plan[plex.sequences(i)]
        total = sum(row)
        return {
            plex.names.action(i, a): p / total if total else Fraction(1, len(row))
            for a, p in enumerate(row)
        }

    @property
    def solution(self) -> Solution:
        """The same in floating point."""
        x, y = (np.array([float(p) for p in plan]) for plan in (self.x, self.y))
        profile = Profile.of_plans(self.form, x, y)
        x, y = profile.first.plan, profile.second.plan
        found = gap(self.form.X, self.form.Y, self.form.A, x, y)
        return Solution(
            profile=profile,
            value=float(self.value),
            lower=found.lower,
            upper=found.upper,
            method="exact",
            notes={"value": str(self.value)},
            sources=(*self.form.sources, *LinearProgram.sources),
        )


def solve_in_fractions(
    problem: Problem,
    *,
    payoffs: str = "simplest",
    largest_denominator: int = LARGEST_DENOMINATOR,
) -> ExactSolution:
    """Find an equilibrium in fractions, and prove it.

    Parameters
    ----------
    problem
        A game, a sequence form or a triple `(X, Y, A)`.
    payoffs
        Which fraction a payoff, weighted by chance, stands for: the `simplest` of those
        that round to about the same number, or `binary`, the very number that it is.
    largest_denominator
        What counts as simple.

    Returns
    -------
    ExactSolution
        Value and plans.

    Raises
    ------
    GameError
        If a payoff is no simple fraction.
    SizeError
        If the system is too large.
    SaddlepointError
        If the basis that HiGHS ends with is not exactly optimal.

    Examples
    --------
    >>> from saddlepoint.sequence.form import matrix_form
    >>> found = solve_in_fractions(matrix_form([[2, -1], [-1, 1 / 3]]))
    >>> found.value, found.probabilities(1, "row")
    (Fraction(-1, 13), {'1': Fraction(4, 13), '2': Fraction(9, 13)})
    """
    if payoffs not in PAYOFFS:
        raise SettingsError(f"payoffs is '{payoffs}', expected one of {PAYOFFS}")
    form = as_form(problem)
    program = Program(form, 1)
    entries = _fractions(program, 0 if payoffs == "binary" else largest_denominator)
    tight = {"primal_feasibility_tolerance": TIGHT, "dual_feasibility_tolerance": TIGHT}
    statuses = solved(program, **tight).basis
    assert statuses is not None
    x, y = _plans_of_basis(program, entries, statuses)
    return ExactSolution(form, _proved(form, entries, x, y), x, y)


# Payoffs as fractions -----------------------------------------------------------------


def _fractions(program: Program, largest: int) -> Entries:
    """Player 1's payoffs by pair of sequences; those that are zero but for rounding left out."""
    A = program.payoffs
    floor = CANCELLED * float(np.abs(A.values).max(initial=0.0)) if largest else 0.0
    known = {p: recovered(p, floor) if largest else Fraction(p) for p in set(A.values.tolist())}
    triples = list(zip(A.rows.tolist(), A.columns.tolist(), A.values.tolist(), strict=True))
    for q1, q2, p in triples:
        if largest and known[p].denominator > largest:
            X, Y = program.form.X, program.form.Y
            raise GameError(
                f"the payoff of '{X.sequence_name(q1)}' against '{Y.sequence_name(q2)}', "
                f"weighted by chance, is {p!r}: no fraction with a denominator up to "
                f"{largest}; payoffs='binary' takes it as it is"
            )
    return {(i, j): known[p] for i, j, p in triples if known[p]}


def recovered(value: float, floor: float = 0.0) -> Fraction:
    """The simplest fraction that rounds to about a number.

    >>> [str(recovered(v)) for v in (0.1 + 0.2, -1 / 18, 2.5, 0.0)]
    ['3/10', '-1/18', '5/2', '0']
    """
    if not isfinite(value):
        raise GameError(f"a payoff is {value}, expected a finite number")
    slack = Fraction(max(ULPS * ulp(value), floor))
    middle = Fraction(abs(value))
    simplest = _simplest_between(max(Fraction(0), middle - slack), middle + slack)
    return -simplest if value < 0 else simplest


def _simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in an interval of numbers that are not negative."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / _simplest_between(1 / (high - floor), 1 / (low - floor))


# From a basis to plans ----------------------------------------------------------------


def _plans_of_basis(
    program: Program, payoffs: Entries, statuses: Statuses
) -> tuple[Fractions, Fractions]:
    """Solve the equations of a basis for player 1's plan, and their transpose for player 2's.

    Rows whose slack is basic say nothing about the other variables; the columns of basic
    variables and the remaining rows are a square system.
    """
    n_own, n_other = program.own.n_sequences, program.other.n_sequences
    columns = np.flatnonzero(statuses[0] == _BASIC).tolist()
    rows = np.flatnonzero(statuses[1] != _BASIC).tolist()
    place, column = ({k: i for i, k in enumerate(kept)} for kept in (rows, columns))
    system: Entries = {}
    for (i, j), entry in _constraints(program, payoffs).items():
        if i in place and j in column:
            system[place[i], column[j]] = entry
    one, size = Fraction(1), len(rows)
    root = {place[n_other]: one} if n_other in place else {}
    primal, dual = solve_exactly(system, size, root, {column[n_own]: one})
    values = dict(zip(columns, primal, strict=True))
    duals = dict(zip(rows, dual, strict=True))
    zero = Fraction(0)
    return (
        tuple(values.get(q, zero) for q in range(n_own)),
        tuple(duals.get(q, zero) for q in range(n_other)),
    )


def _constraints(program: Program, payoffs: Entries) -> Entries:
    """The program's matrix in fractions, player 1's, with payoffs unscaled."""
    n_own, n_other = program.own.n_sequences, program.other.n_sequences
    matrix = {(q2, q1): -p for (q1, q2), p in payoffs.items()}
    for plex, turned in ((program.own, False), (program.other, True)):
        for i, j, sign in zip(*(a.tolist() for a in constraints(plex)), strict=True):
            where = (j, n_own + i) if turned else (n_other + i, j)
            matrix[where] = Fraction(int(sign))
    return matrix


# Proof --------------------------------------------------------------------------------


def _proved(form: SequenceForm, payoffs: Entries, x: Fractions, y: Fractions) -> Fraction:
    """The value, if x and y are plans and best responses to both earn the same."""
    g1, g2 = [Fraction(0)] * len(x), [Fraction(0)] * len(y)
    for (q1, q2), p in payoffs.items():
        g1[q1] += p * y[q2]
        g2[q2] -= p * x[q1]
    upper, lower = _best(form.X, g1), -_best(form.Y, g2)
    if not (_is_plan(form.X, x) and _is_plan(form.Y, y) and lower == upper):
        raise SaddlepointError(
            f"the last basis of HiGHS is not exactly optimal for {form.name}: its plans "
            f"guarantee {float(lower)} and {float(upper)}; the payoffs differ by less than "
            "floating point can tell"
        )
    return lower


def _is_plan(plex: Treeplex, x: Sequence[Fraction]) -> bool:
    parent = plex.flat.parent.tolist()
    return (
        x[0] == 1
        and all(p >= 0 for p in x)
        and all(sum(x[plex.sequences(i)]) == x[parent[i]] for i in range(plex.n_infosets))
    )


def _best(plex: Treeplex, gradient: list[Fraction]) -> Fraction:
    """The value of a best response."""
    v, parent = list(gradient), plex.flat.parent.tolist()
    for i in range(plex.n_infosets - 1, -1, -1):
        v[parent[i]] += max(v[plex.sequences(i)])
    return v[0]
