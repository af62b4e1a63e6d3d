from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from saddlepoint.core.errors import GameError, SettingsError, StrategyError
from saddlepoint.games.menu import Menu
from saddlepoint.games.poker import leduc, no_limit_leduc
from saddlepoint.reverse.cover import Stakes, full_cover
from saddlepoint.reverse.switching import Suite, Switching
from saddlepoint.sequence.strategy import Strategy

# Written from the definition, on betting texts, in fractions and dictionaries --------------

Move = int | str


class Place(NamedTuple):
    """Where a hand of two rounds stands, in units."""

    round: int
    paid: tuple[int, int]
    mover: int
    last: int
    """The last raise of the round."""
    acted: bool
    bet: tuple[int, int] | None
    """If the last action was a bet, its size and the pot before it."""
    text: str
    """The betting so far."""
    done: tuple[tuple[int, int, str, str], ...]
    """Everybody's decisions so far: mover, round, betting before, action."""


@dataclass(frozen=True, eq=False)
class Table:
    """No-limit betting with antes, of every whole bet or of one size besides all-in."""

    ante: int
    stack: int
    chips: float = 1.0
    size: Fraction | None = None

    def start(self) -> Place | None:
        if self.stack == self.ante:
            return None
        return Place(0, (self.ante, self.ante), 0, 0, False, None, "", ())

    def raises(self, at: Place) -> list[int]:
        """Totals that may be bet, all-in last."""
        level = max(at.paid)
        if at.paid[1 - at.mover] == self.stack:
            return []
        least = level + max(1, at.last)
        totals = range(least, self.stack)
        if self.size is not None:
            total = level + math.floor(2 * level * self.size)
            totals = [total] if least <= total < self.stack else []
        return [*totals, self.stack]

    def moves(self, at: Place) -> dict[str, Move]:
        """All actions, by name."""
        fold = {"f": "f"} if at.paid[0] != at.paid[1] else {}
        return fold | {"c": "c"} | {self.name(total): total for total in self.raises(at)}

    def name(self, total: int) -> str:
        return f"r{total * self.chips:.10g}"

    def after(self, at: Place, move: Move) -> Place | None:
        """What follows; None if the hand is over."""
        level, other = max(at.paid), 1 - at.mover
        action = move if isinstance(move, str) else self.name(move)
        done = (*at.done, (at.mover, at.round, at.text, action))
        if move == "f":
            return None
        if move == "c":
            if not at.acted:
                return at._replace(mover=other, acted=True, bet=None, text=at.text + "c", done=done)
            if at.round == 1 or level == self.stack:
                return None
            return Place(1, (level, level), 0, 0, False, None, at.text + "c/", done)
        paid = (move, at.paid[1]) if at.mover == 0 else (at.paid[0], move)
        last, bet = max(at.last, move - level), (move - level, 2 * level)
        return Place(at.round, paid, other, last, True, bet, at.text + action, done)


@cache
def whole(stack: int) -> Table:
    """The betting of a real game, with antes of 1."""
    return Table(1, stack)


@cache
def agents_of(stakes: tuple[Stakes, ...]) -> list[Table]:
    """The betting of agents' games."""
    return [Table(one.ante, one.stack, 1 / one.ante, one.bet) for one in stakes]


@cache
def read(agent: Table, moves: str) -> Place | None:
    """Where calls (c), all-in (a) and other bets (b) lead in an agent's game."""
    at = read(agent, moves[:-1]) if moves[1:] else agent.start()
    if at is None or not moves:
        return at
    raises = agent.raises(at)
    if moves[-1] == "c" or not raises:
        return agent.after(at, "c")
    return agent.after(at, raises[-1] if moves[-1] == "a" else raises[0])


def ratios(table: Table, at: Place, pot: str) -> list[Fraction]:
    """Of stack to pot and, if there is a bet, of that to the pot before it."""
    if at.bet is None:
        return [Fraction(table.stack, sum(at.paid))]
    size, before = at.bet
    return [
        Fraction(table.stack, before if pot == "before" else sum(at.paid)),
        Fraction(size, before),
    ]


def carry_out(real: Table, at: Place, action: Move, agent: Table, rounding: str) -> str:
    """The real action for one that an agent takes."""
    raises = real.raises(at)
    if action == "f" or action == "c" or not raises:
        return "f" if action == "f" else "c"
    size = 2 * max(at.paid) * agent.size
    # Halves are cut.
    whole = math.floor(size) if rounding == "down" else math.ceil(size - Fraction(1, 2))
    total = real.stack if action == agent.stack else max(at.paid) + whole
    return real.name(min(max(total, raises[0]), real.stack))


Plays = Mapping[str, Mapping[str, float]]
HANDS = {0: list("JQK"), 1: [f"{one}|{board}" for one, board in product("JQK", repeat=2)]}


@dataclass(frozen=True)
class Twin:
    """The switching player of a real game with antes of 1, one decision at a time."""

    real: Table
    agents: Sequence[Table]
    settings: Switching
    chosen: Sequence[int]

    def weights(self, at: Place, moves: str) -> dict[int, Fraction]:
        """Those of the agents whose game is not over, with sum 1."""
        alike: dict[int, list[Fraction]] = {}
        for k in self.chosen:
            there = read(self.agents[k], moves)
            if there is not None:
                assert (there.round, there.mover) == (at.round, at.mover)
                mine = ratios(self.agents[k], there, self.settings.pot)
                theirs = ratios(self.real, at, self.settings.pot)
                alike[k] = [min(p) / max(p) for p in zip(mine, theirs, strict=True)]
        near = {k: math.prod(shares) for k, shares in alike.items()}
        if self.settings.weights == "exact":
            least = 1 - Fraction(str(self.settings.tolerance))
            fits = [k for k, shares in alike.items() if min(shares) >= least]
            nearest = [k for k, weight in near.items() if weight == max(near.values())]
            near = dict.fromkeys(fits or nearest, Fraction(1))
        return {k: weight / sum(near.values()) for k, weight in near.items()}

    def plays(self, k: int, strategy: Plays, moves: str, hand: str) -> dict[Move, float]:
        """What an agent does; nothing if he is not asked."""
        agent = self.agents[k]
        there = read(agent, moves)
        actions, reached = agent.moves(there), 1.0
        for mover, round_, text, action in there.done:
            if mover == there.mover:
                reached *= strategy[f"{hand if round_ else hand[0]}:{text}"][action]
        if reached == 0.0 and self.settings.unreached != "given":
            return {
                "call": {"c": 1.0},
                "uniform": dict.fromkeys(actions.values(), 1 / len(actions)),
                "skip": {},
            }[self.settings.unreached]
        row = strategy[f"{hand}:{there.text}"]
        assert list(row) == list(actions)
        return {move: row[action] for action, move in actions.items()}

    def decision(
        self, strategies: Sequence[Plays], at: Place, moves: str
    ) -> dict[str, dict[str, float]]:
        """What the player does at a decision, by hand."""
        weights, found = self.weights(at, moves), {}
        for hand in HANDS[at.round]:
            mixed: Counter[str] = Counter()
            for k, weight in weights.items():
                for action, p in self.plays(k, strategies[k], moves, hand).items():
                    done = carry_out(self.real, at, action, self.agents[k], self.settings.rounding)
                    mixed[done] += float(weight) * p
            if not sum(mixed.values()):
                mixed["c"] = 1.0
            total = sum(mixed.values())
            found[hand] = {action: mixed[action] / total for action in self.real.moves(at)}
        return found


@cache
def decisions(real: Table) -> list[tuple[Place, str]]:
    """Every decision of a real game, with the moves that led there as agents read them."""
    found, waiting = [], [(real.start(), "")]
    while waiting:
        at, moves = waiting.pop()
        if at is not None:
            found.append((at, moves))
            for move in real.moves(at).values():
                read_as = "c" if move == "c" else "a" if move == real.stack else "b"
                waiting += [] if move == "f" else [(real.after(at, move), moves + read_as)]
    return found


def twin_of(twin: Twin, strategies: Sequence[Plays], player: int) -> dict[str, dict[str, float]]:
    """What the switching player does at every information set."""
    return {
        f"{hand}:{at.text}": actions
        for at, moves in decisions(twin.real)
        if at.mover == player - 1
        for hand, actions in twin.decision(strategies, at, moves).items()
    }


# Against it --------------------------------------------------------------------------------

# Over from the start, in few units, with a bet that is all-in at once, with none that is whole.
ODD = [
    Stakes(Fraction(1), Fraction(1)),
    Stakes(Fraction(7, 2), Fraction(1, 3), 2),
    Stakes(Fraction(5), Fraction(2, 7), 10),
    Stakes(Fraction(3, 2), Fraction(2), 7),
    Stakes(Fraction(20), Fraction(5, 2)),
    Stakes(Fraction(4), Fraction(1, 3), 1),
]


@cache
def suite_of(stack: int) -> Suite:
    """The full cover and the odd ones."""
    real = no_limit_leduc(stack=stack)
    return Suite(real, [*full_cover(real), *ODD])


@cache
def sparse(stack: int, player: int, seed: int) -> tuple[list[Strategy], list[Plays]]:
    """Random agents, a third of whose actions are never played, and the same as dictionaries."""
    rng, agents = np.random.default_rng([seed, player]), []
    for game in suite_of(stack).games:
        form = game.sequence_form()
        plex = form.X if player == 1 else form.Y
        x = rng.exponential(size=plex.n_sequences) * (rng.random(plex.n_sequences) > 1 / 3)
        agents.append(Strategy(plex, plex.behaviour(x), player))
    return agents, [dict(agent) for agent in agents]


def chosen_of(suite: Suite, which: str) -> list[int]:
    """Places of the full cover, or of parts of the suite in an order of their own."""
    cover = len(suite.stakes) - len(ODD)
    places = {
        "all": range(len(suite.stakes)),
        "cover": range(cover),
        "odd": range(len(suite.stakes) - 1, cover - 1, -1),
        "few": [cover + 2, 0, cover],
        "one": [cover + 3],
        "over": [cover],
    }
    return list(places[which])


TREATED = ("given", "call", "uniform", "skip")
CASES = [
    *(({"weights": w, "unreached": u}, "all") for w in ("exact", "near") for u in TREATED),
    ({}, "cover"),
    *(({"weights": w, "unreached": "skip"}, "odd") for w in ("exact", "near")),
    *(({"weights": w, "pot": "now"}, "odd") for w in ("exact", "near")),
    ({"weights": "near", "pot": "now", "unreached": "call"}, "few"),
    *(({"tolerance": t, "rounding": "nearest"}, "all") for t in (0.0, 0.1, 0.4)),
    ({"tolerance": 0.3, "pot": "now"}, "odd"),
    ({"weights": "near", "rounding": "nearest", "unreached": "uniform"}, "few"),
    ({"unreached": "uniform"}, "one"),
    ({"unreached": "skip"}, "one"),
    ({}, "over"),
]


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize("stack", [5, 6])
def test_switching_players_are_those_of_the_definition(stack: int, player: int, case: int) -> None:
    """Every information set, with agents who do not play everything."""
    suite, settings, which = suite_of(stack), Switching(**CASES[case][0]), CASES[case][1]
    (agents, plays), chosen = sparse(stack, player, case % 3), chosen_of(suite, which)
    twin = Twin(whole(stack), agents_of(suite.stakes), settings, chosen)
    expected = twin_of(twin, plays, player)
    found = suite.player(agents, settings, [] if which == "all" else chosen)
    assert found.player == player
    assert found.probabilities[0] == 1.0
    rows = dict(found)
    assert set(rows) == set(expected)
    for name, actions in rows.items():
        assert list(actions) == list(expected[name]), name
        assert max(abs(p - expected[name][action]) for action, p in actions.items()) < 1e-12, name


@pytest.mark.parametrize("weights", ["exact", "near"])
def test_weights_are_those_of_the_definition(weights: str) -> None:
    """Rows in the order of the places, columns in that of the decisions, sums of 1 or 0."""
    suite, settings = suite_of(6), Switching(weights=weights)
    at = {suite.real.tree.history(int(node)): k for k, node in enumerate(suite.nodes)}
    for which in ("all", "odd", "over"):
        chosen = chosen_of(suite, which)
        found = suite.weights(settings, chosen)
        twin = Twin(whole(6), agents_of(suite.stakes), settings, chosen)
        for place, moves in decisions(twin.real):
            expected = twin.weights(place, moves)
            column = [float(expected.get(k, 0)) for k in chosen]
            np.testing.assert_allclose(found[:, at[place.text]], column, atol=1e-12)
    assert (found == 0.0).all()  # Over from the start.
    assert len(decisions(twin.real)) == len(suite.nodes) == 304


def those_who_know(agents: Sequence[Table], moves: str) -> dict[tuple[Fraction, ...], set[int]]:
    """The agents by their ratios after some moves."""
    found: dict[tuple[Fraction, ...], set[int]] = {}
    for k, agent in enumerate(agents):
        there = read(agent, moves)
        if there is not None:
            found.setdefault(tuple(ratios(agent, there, "before")), set()).add(k)
    return found


# With 7 and 9 chips a bet may be whole in units of which the stack is no whole number.
@pytest.mark.parametrize(("stack", "size"), [(7, 592), (9, 1992), (12, 9720)])
def test_the_full_cover_knows_every_decision(stack: int, size: int) -> None:
    """Agents have both ratios exactly, in fractions, and they alone are asked."""
    game, real = no_limit_leduc(stack=stack), whole(stack)
    suite = Suite(game, full_cover(game))
    agents, weights = agents_of(suite.stakes), suite.weights()
    known = {moves: those_who_know(agents, moves) for moves in {m for _, m in decisions(real)}}
    column = {
        game.tree.history(int(node)): w for node, w in zip(suite.nodes, weights.T, strict=True)
    }
    assert len(column) == len(decisions(real)) == size
    for at, moves in decisions(real):
        fitting = sorted(known[moves].get(tuple(ratios(real, at, "before")), []))
        assert fitting, at.text
        assert np.flatnonzero(column[at.text]).tolist() == fitting, at.text
        assert abs(column[at.text][fitting] * len(fitting) - 1.0).max() < 1e-12


# By hand -----------------------------------------------------------------------------------


def always(suite: Suite, player: int, wanted: str) -> list[Strategy]:
    """Agents who do one thing wherever they can, of f, c, b for the least bet and a for all-in."""

    def plays(_: str, actions: list[str]) -> dict[str, float]:
        raises = [action for action in actions if action[0] == "r"]
        by_letter = {"b": raises[:1], "a": raises[-1:], "f": ["f"] if "f" in actions else []}
        return {next(iter(by_letter.get(wanted, [])), "c"): 1.0}

    forms = [game.sequence_form() for game in suite.games]
    return [Strategy.of_function((f.X, f.Y)[player - 1], plays, player) for f in forms]


def test_weights_by_hand() -> None:
    """A bet of 2 chips into 2 and then all-in, by agents with half pots, pots and more chips."""
    stakes = [(6, "1/2"), (6, "1"), (12, "1"), (6, "3")]
    suite = Suite(
        no_limit_leduc(stack=6), [Stakes(Fraction(a), Fraction(bet)) for a, bet in stakes]
    )
    at = {suite.real.tree.history(int(node)): k for k, node in enumerate(suite.nodes)}
    near, exact = suite.weights(Switching(weights="near")), suite.weights()
    # Stacks alone at first; then a half, the whole, a half as the stack is twice as great; the
    # last one reads all-in, which is 5 chips into 2.
    np.testing.assert_allclose(near[:, at[""]], np.array([1, 1, 1 / 2, 1]) / 3.5)
    np.testing.assert_allclose(exact[:, at[""]], np.array([1, 1, 0, 1]) / 3)
    np.testing.assert_allclose(near[:, at["r3"]], np.array([1 / 2, 1, 1 / 2, 2 / 5]) / 2.4)
    np.testing.assert_allclose(exact[:, at["r3"]], [0, 1, 0, 0])
    # All-in over it is a raise of 3 into 6, by 6 to 6. Read: 4 into 4 by 6 to 4, the very same,
    # 9 into 6 by 12 to 6, and a call.
    shares = np.array([1 / 2 * 2 / 3, 1, 1 / 3 * 1 / 2, 0])
    np.testing.assert_allclose(near[:, at["r3r6"]], shares / shares.sum())
    # What matches within a half: the stack too, by either ratio and not by their product.
    wide = suite.weights(Switching(tolerance=0.5))
    np.testing.assert_allclose(wide[:, at["r3r6"]], [1 / 2, 1 / 2, 0, 0])
    np.testing.assert_allclose(wide[:, at["r3"]], [1 / 3, 1 / 3, 1 / 3, 0])


def test_ratios_match_each_by_itself() -> None:
    """Stacks of 5 to 6 and bets of 4 to 5 are alike to a fifth; their product is 2/3."""
    suite = Suite(no_limit_leduc(stack=6), [Stakes(Fraction(k), Fraction(4, 5)) for k in (5, 6)])
    faced = [suite.real.tree.history(int(node)) for node in suite.nodes].index("r3")
    for tolerance, expected in ((0.19, [0, 1]), (0.2, [1 / 2, 1 / 2])):
        found = suite.weights(Switching(tolerance=tolerance))[:, faced]
        np.testing.assert_allclose(found, expected)


def test_bets_are_carried_out_in_whole_units() -> None:
    """At most the part of the real pot, at least the least raise, all-in from the stack on."""
    real = no_limit_leduc(stack=8)
    for bet, rounding, betting, expected in (
        ("4/5", "down", "", "r2"),
        ("4/5", "nearest", "", "r3"),
        ("3/4", "nearest", "", "r2"),
        ("1/5", "down", "", "r2"),
        ("1/5", "down", "cr4", "r7"),
        ("5/2", "down", "", "r6"),
        ("7/2", "down", "", "r8"),
        ("9/2", "down", "", "r8"),
        ("1/5", "down", "cr5", "r8"),
        ("1/5", "down", "cr8", "c"),
    ):
        suite = Suite(real, [Stakes(Fraction(99), Fraction(bet))])
        player = suite.player(always(suite, 1, "b"), Switching(rounding=rounding))
        assert player[f"K:{betting}"][expected] == 1.0, (bet, rounding, betting)


def test_bets_are_carried_out_within_a_menu() -> None:
    """15/11 of 22 chips are 30 of them, in floating point a hair less, and not a pot."""
    real = no_limit_leduc(stack=60)
    menu = Menu(bets=(1.0, 15 / 11, 2.0, 5.0))
    real = replace(real, betting=replace(real.betting, menu=menu))
    for bet, expected in (("15/11", "r41"), ("3/2", "r41"), ("4/3", "r33"), ("1/2", "r33")):
        suite = Suite(real, [Stakes(Fraction(999), Fraction(bet))])
        player = suite.player(always(suite, 1, "b"))
        assert list(player["K:cr11"]) == ["f", "c", "r33", "r41", "r55", "r60"]
        assert player["K:cr11"][expected] == 1.0, bet


def test_other_actions_are_carried_out_as_they_are() -> None:
    suite = suite_of(5)
    for wanted, at_first, facing, facing_all_in in (
        *(("f", "c", "f", "f"), ("c", "c", "c", "c"), ("a", "r5", "r5", "c")),
    ):
        player = suite.player(always(suite, 1, wanted))
        for betting, action in (("", at_first), ("cr2", facing), ("cr5", facing_all_in)):
            assert player[f"K:{betting}"][action] == 1.0


@pytest.mark.parametrize("seat", [1, 2])
def test_an_agent_alone_plays_his_own_game(seat: int) -> None:
    """fcpa, of the real stack: all of the game with that menu, and what he knows of the whole."""
    for menu in ("fcpa", "all"):
        real = no_limit_leduc(stack=10, menu=menu)
        suite = Suite(real, [Stakes(Fraction(10), Fraction(1))])
        form = suite.games[0].sequence_form()
        agent = Strategy.random(form.X if seat == 1 else form.Y, 5, seat)
        for weights in ("exact", "near"):
            player = suite.player([agent], Switching(weights=weights))
            assert menu == "all" or len(player) == len(agent)
            for name, actions in agent:
                found = {action: p for action, p in player[name].items() if p > 0.0}
                assert found == pytest.approx(actions, abs=1e-15), name


def test_who_knows_nothing_more_calls() -> None:
    """After bets of 1, 2 and 2 chips who knows pots has read 2, 6, all-in: no more."""
    suite = Suite(no_limit_leduc(stack=10), [Stakes(Fraction(10), Fraction(1))])
    for unreached in TREATED:
        settings = Switching(unreached=unreached)
        first, second = (suite.player(always(suite, k, "f"), settings) for k in (1, 2))
        assert first["K:r2r4r6r8"]["c"] == second["K|Q:r2r4r6c/c"]["c"] == 1.0
        # He has folded before, so that his own play does not lead here.
        folds = {"given": 1.0, "uniform": 0.5}.get(unreached, 0.0)
        assert second["K:r2r4r6"]["f"] == pytest.approx(folds)


# Refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weights": "exactly"}, "unknown weights 'exactly'"),
        ({"pot": "after"}, "unknown pot 'after'"),
        ({"unreached": "fold"}, "unknown unreached 'fold'"),
        ({"rounding": "up"}, "unknown rounding 'up'"),
        ({"tolerance": -0.1}, "tolerance is -0.1, expected 0 to 1"),
        ({"tolerance": 1.0}, "tolerance is 1.0"),
        ({"tolerance": math.nan}, "tolerance is nan"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Switching(**settings)


@pytest.mark.parametrize("places", [[-1], [12], [0, 3, 0]])
def test_places_are_checked(places: list[int]) -> None:
    suite = suite_of(5)
    assert len(suite.stakes) == 12
    with pytest.raises(SettingsError, match="expected different ones of the 12, counted from 0"):
        suite.player(sparse(5, 1, 0)[0], chosen=places)
    with pytest.raises(SettingsError, match="are chosen"):
        suite.weights(chosen=places)


def test_strategies_are_checked() -> None:
    suite, agents, others = suite_of(5), sparse(5, 1, 0)[0], sparse(5, 2, 0)[0]
    with pytest.raises(StrategyError, match="11 strategies, expected one for each of 12 agents"):
        suite.player(agents[1:])
    with pytest.raises(StrategyError, match="strategy 0 does not belong to no-limit-leduc with"):
        suite.player([agents[1], *agents[1:]])
    with pytest.raises(StrategyError, match=r"strategy 2 does not belong to .*, player 1"):
        suite.player([*agents[:2], *others[2:]])
    seated = Strategy(agents[1].treeplex, agents[1].probabilities, 2)
    with pytest.raises(StrategyError, match=r"strategy 1 does not belong to .*, player 2"):
        suite.player([others[0], seated, *others[2:]])
    with pytest.raises(StrategyError, match=r"strategy 1 does not belong to .*, player 1"):
        suite.player([agents[0], seated, *agents[2:]])
    # Those who are not asked are not looked at.
    assert suite.player([agents[0], *others[1:]], chosen=[0]).player == 1


def test_suites_are_checked() -> None:
    with pytest.raises(SettingsError, match="a suite needs at least one agent"):
        Suite(no_limit_leduc(stack=5), [])
    blinds = no_limit_leduc(stack=5)
    blinds = replace(blinds, betting=replace(blinds.betting, blinds=(1, 2)))
    for real in (leduc(), blinds):
        with pytest.raises(GameError, match="a no-limit game with antes and without blinds"):
            Suite(real, ODD)
