from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from saddlepoint.core.errors import RulesError, SizeError
from saddlepoint.games import betting_tally
from saddlepoint.games.betting import BettingRules, BettingTree
from saddlepoint.games.betting_moves import CALL, FOLD, SHOWDOWN
from saddlepoint.games.betting_tally import TooMuchBetting, tally
from saddlepoint.games.menu import Menu

LIMIT = BettingRules(ante=1, rounds=2, bets=(2, 4), max_bets=2)
RULES = [
    BettingRules(ante=1, bets=(1,), max_bets=1),
    LIMIT,
    BettingRules(ante=500, rounds=3, bets=(1000, 2000, 2000), max_bets=3),
    BettingRules(ante=1, rounds=2, stack=7),
    BettingRules(ante=1, rounds=2, stack=12, menu=Menu.of_letters("fchpda")),
    BettingRules(ante=5, stack=25, may_bet=(True, False), max_bets=1),
    BettingRules(rounds=2, blinds=(1, 2), first=(1, 2), stack=9),
    BettingRules(rounds=4, blinds=(1, 2), first=(1, 2, 2, 2), bets=(2, 2, 4, 4), max_bets=4),
    BettingRules(ante=1, rounds=2, stack=12, min_bet=2, max_bets=2),
    BettingRules(ante=1, rounds=2, stack=27, menu=Menu(bets=(1.0,), all_in=False)),
    BettingRules(ante=1, rounds=2, stack=27, menu=Menu(bets=(0.5, 1.0, 4.0), all_in=False)),
    BettingRules(ante=1, rounds=2, stack=10, bets=(2, 3)),
    BettingRules(ante=1, rounds=3, bets=(2, 2, 4), max_bets=3, max_bets_by_round=(3, 0, 2)),
    BettingRules(blinds=(1, 2), rounds=3, first=(1, 2, 2), stack=9, max_bets_by_round=(2, 9, 1)),
]


def plain_count(rules: BettingRules) -> tuple[int, int, int]:
    """Decisions, folds and showdowns by a recursion written from the rules alone."""

    def raises(round_: int, me: int, c: tuple[int, int], last: int, bets: int) -> list[int]:
        level, theirs = max(c), c[1 - me]
        if rules.max_bets is not None and bets >= rules.max_bets:
            return []
        if rules.max_bets_by_round is not None and bets >= rules.max_bets_by_round[round_]:
            return []
        if not rules.may_bet[me] or (rules.stack is not None and theirs >= rules.stack):
            return []
        if rules.bets is not None:
            fixed = level + rules.bets[round_]
            return [fixed] if rules.stack is None or fixed <= rules.stack else []
        assert rules.stack is not None
        least = level + max(rules.min_bet, last)
        if rules.menu.integral:
            return sorted({*range(least, rules.stack), rules.stack})
        sizes = rules.menu.bets if bets == 0 else rules.menu.raises
        totals = {level + int(2 * level * f) for f in sizes or ()}
        found = {t for t in totals if least <= t <= rules.stack}
        return sorted(found | ({rules.stack} if rules.menu.all_in else set()))

    @cache
    def below(
        round_: int, me: int, c: tuple[int, int], last: int, bets: int, acted: int
    ) -> tuple[int, int, int]:
        options = raises(round_, me, c, last, bets)
        if not options and c[0] == c[1]:
            return called(round_, me, c, last, bets, acted)  # a forced check
        found = np.array([1, 0, 0])
        if c[0] != c[1]:
            found += [0, 1, 0]
        found += called(round_, me, c, last, bets, acted)
        for total in options:
            after = (total, c[1]) if me == 0 else (c[0], total)
            found += below(round_, 1 - me, after, max(last, total - max(c)), bets + 1, acted + 1)
        return tuple(found.tolist())  # type: ignore[return-value]

    def called(
        round_: int, me: int, c: tuple[int, int], last: int, bets: int, acted: int
    ) -> tuple[int, int, int]:
        level = max(c)
        if acted == 0:
            return below(round_, 1 - me, (level, level), last, bets, 1)
        if round_ + 1 == rules.rounds or level == rules.stack:
            return (0, 0, 1)
        return below(round_ + 1, rules.first[round_ + 1] - 1, (level, level), 0, 0, 0)

    start = (rules.ante + rules.blinds[0], rules.ante + rules.blinds[1])
    blind = max(rules.blinds)
    return below(0, rules.first[0] - 1, start, blind, int(blind > 0), 0)


@pytest.mark.parametrize("rules", RULES)
def test_trees_and_tallies_agree_with_the_rules(rules: BettingRules) -> None:
    tree, count = BettingTree.of(rules), tally(rules)
    decisions, folds, showdowns = plain_count(rules)
    assert int((tree.mover > 0).sum()) == count.decisions.sum() == decisions
    assert int((tree.mover < 0).sum()) == count.folds.sum() == folds
    assert int((tree.mover == SHOWDOWN).sum()) == count.showdowns.sum() == showdowns
    assert len(tree) == count.nodes
    for player in (1, 2):
        for round_ in range(rules.rounds):
            at = (tree.mover == player) & (tree.round == round_)
            assert at.sum() == count.decisions[round_, player - 1]
            assert tree.children[at].sum() == count.sequences[round_, player - 1]


@pytest.mark.parametrize("rules", RULES)
def test_trees_are_well_formed(rules: BettingRules) -> None:
    tree = BettingTree.of(rules)
    inner = np.flatnonzero(tree.mover > 0)
    for n in inner:
        children = np.arange(tree.child[n], tree.child[n] + tree.children[n])
        assert (tree.parent[children] == n).all()
        assert len(children) >= 2 or tree.contribution[n, 0] != tree.contribution[n, 1]
        moves = tree.move[children]
        assert (np.diff(moves) > 0).all()
        assert (moves[0] == FOLD) == (tree.contribution[n, 0] != tree.contribution[n, 1])
        assert CALL in moves
        assert (tree.contribution[children] >= tree.contribution[n]).all()
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    showdown = tree.contribution[tree.mover == SHOWDOWN]
    assert (showdown[:, 0] == showdown[:, 1]).all()
    if rules.stack is not None:
        assert tree.contribution.max() <= rules.stack


@pytest.mark.parametrize(("stack", "decisions"), [(12, 9_720), (20, 304_360), (30, 9_601_824)])
def test_no_limit_leduc_has_the_published_size(stack: int, decisions: int) -> None:
    """9,720 with 12 chips; the other two from independent counts."""
    rules = BettingRules(ante=1, rounds=2, stack=stack)
    assert tally(rules).decisions.sum() == decisions


def test_rhode_island_betting() -> None:
    count = tally(RULES[2])
    assert count.sequences.tolist() == [[10, 10], [70, 70], [490, 490]]
    assert count.folds.tolist() == [6, 42, 294]
    assert count.showdowns.tolist() == [0, 0, 343]


def test_heads_up_limit_hold_em_betting() -> None:
    """Ten, and with two blinds eight, ways through a round of up to four bets."""
    count = tally(RULES[7])
    assert count.starts.tolist() == [1, 7, 63, 567]


def test_histories_are_written() -> None:
    tree = BettingTree.of(LIMIT)
    histories = {tree.history(n) for n in range(len(tree))}
    assert {"", "c", "cr", "crrc/", "rc/crrf", "cc/cc"} <= histories
    tree = BettingTree.of(BettingRules(ante=5, stack=10, may_bet=(True, False), max_bets=1))
    assert "r0.3c" in {tree.history(n, unit=0.1, less=5) for n in range(len(tree))}


def test_menus() -> None:
    menu = Menu.of_letters("fchpa")
    assert menu.bets == (0.5, 1.0) == menu.raises
    assert menu.text == "fchpa"
    restricted = Menu(bets=(0.5, 1.0), raises=(1.0,), once=(0.5,), later=(0.5,), half_stack=True)
    rules = BettingRules(ante=1, rounds=2, stack=40, menu=restricted, max_bets=3)
    tree = BettingTree.of(rules)
    texts = {tree.history(n) for n in range(len(tree))}
    assert "r2" not in texts  # half the pot is not for the first round
    assert "cc/r2" in texts
    assert "r3r9r27" not in texts  # more than half the stack
    assert "r3r9r40" in texts
    for letters, wrong in (("fcxa", "unknown menu letter 'x'"), ("ffc", "twice"), ("", "at least")):
        with pytest.raises(RulesError, match=wrong):
            Menu.of_letters(letters)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bets": (0.0,)}, "menu bets has size 0.0, expected fractions above 0"),
        ({"bets": (1.0,), "once": (2.0,)}, "but does not offer it"),
        ({"raises": (1.0,)}, "every size for first bets"),
        ({"bets": (1.0, 0.5, 1)}, "menu bets has the size 1 twice"),
        ({"bets": ("h",)}, "a size in menu bets is 'h', expected a finite number"),
        ({"bets": (True,)}, "a size in menu bets is True"),
        ({"bets": "hp"}, "menu bets is 'hp', expected a list"),
        ({"all_in": "yes"}, "menu all_in is 'yes', expected true or false"),
        ({"half_stack": 1}, "menu half_stack is 1"),
    ],
)
def test_impossible_menus_are_refused(given: dict, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Menu(**given)


def test_numbers_of_numpy_are_numbers() -> None:
    rules = BettingRules(
        ante=np.int64(1), bets=np.array([2, 4]), rounds=np.int8(2), max_bets=np.uint8(2)
    )
    assert rules == LIMIT
    assert type(rules.ante) is int


def test_a_bet_of_exactly_the_stack_is_all_in() -> None:
    """With 9 units a pot bet and a pot raise come to 1, 3, 9; with 8, to no more than 3."""
    for stack, expected in ((9, {"r3", "r3r9"}), (8, {"r3"})):
        rules = BettingRules(ante=1, stack=stack, menu=Menu(bets=(1.0,), all_in=False))
        tree = BettingTree.of(rules)
        bets = {tree.history(int(n)) for n in np.flatnonzero(tree.move > 0)}
        assert {bet for bet in bets if not bet.startswith("c")} == expected
    dropped = Menu(bets=(1.0,), all_in=False, half_stack=True)
    assert BettingTree.of(BettingRules(ante=1, stack=9, menu=dropped)).move.max() == 3


def test_fixed_bets_end_where_the_stack_does() -> None:
    tree = BettingTree.of(BettingRules(ante=1, bets=(2,), stack=6))
    assert tree.contribution.max() == 5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ante": -1}, "ante is -1"),
        ({"ante": 0}, "nothing to win"),
        ({"bets": (2,)}, "bets are"),
        ({"bets": (2, 0)}, r"bets\[1\] is 0, expected a whole number of at least 1"),
        ({"bets": None, "max_bets": None}, "needs a stack"),
        ({"max_bets": None}, "needs max_bets"),
        ({"max_bets": -1}, "max_bets is -1"),
        ({"stack": 5}, "need a stack of 13, found 5"),
        ({"bets": None, "stack": 0}, "stack is 0"),
        ({"first": (1, 3)}, "first is"),
        ({"rounds": 0, "bets": (), "first": (1,)}, "rounds is 0"),
        ({"blinds": (-1, 2)}, r"blinds\[0\] is -1"),
        ({"blinds": (1,)}, "blinds is .1,., expected one for each"),
        ({"blinds": 1}, "blinds is 1, expected a list of whole numbers"),
        ({"min_bet": 0}, "min_bet is 0"),
        ({"ante": 1.5}, "ante is 1.5, expected a whole number of at least 0: units are whole"),
        ({"ante": True}, "ante is True, expected a whole number"),
        ({"ante": "1"}, "ante is '1', expected a whole number"),
        ({"bets": (2.5, 4)}, r"bets\[0\] is 2.5, .*: units are whole"),
        ({"bets": None, "stack": 10.7}, "stack is 10.7, .*: units are whole"),
        ({"bets": None, "stack": float("inf")}, "stack is inf"),
        ({"bets": None, "stack": 10**20}, "stack is 100000000000000000000, .* at most 2,147"),
        ({"bets": None, "stack": 10**5000}, "very many digits, .* at most 2,147"),
        ({"bets": None, "stack": 9, "min_bet": 1.9}, "min_bet is 1.9"),
        ({"bets": None, "stack": 9, "min_bet": 10}, "min_bet is 10, .* at most the stack of 9"),
        ({"rounds": 10**9}, "rounds is 1000000000, .* at most 8"),
        ({"max_bets": 10**9}, "may have to pay 6,000,000,001 units"),
        ({"first": (1.0, 1)}, r"first\[0\] is 1.0"),
        ({"may_bet": (1, True)}, r"may_bet\[0\] is 1, expected true or false"),
        ({"may_bet": (True,)}, "may_bet is .True,., expected one for each"),
        ({"menu": "fcpa"}, "menu is 'fcpa', expected a Menu"),
    ],
)
def test_impossible_rules_are_refused(changed: dict, message: str) -> None:
    given = {"ante": 1, "rounds": 2, "bets": (2, 4), "max_bets": 2} | changed
    with pytest.raises(RulesError, match=message):
        BettingRules(**given)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("work", [1, 500, 20_000])
def test_what_is_too_much_to_count_has_a_lower_bound(
    monkeypatch: pytest.MonkeyPatch, rules: BettingRules, work: int
) -> None:
    counted = tally(rules)
    tally.cache_clear()
    monkeypatch.setattr(betting_tally, "MOST_WORK", work)
    try:
        least = tally(rules).decisions.sum()
        assert least == counted.decisions.sum()
    except TooMuchBetting as problem:
        least = problem.least
    tally.cache_clear()
    assert 1 <= least <= counted.decisions.sum()


@pytest.mark.parametrize("stack", [13, 19, 20, 33])
def test_a_smaller_stack_has_no_more_decisions(stack: int) -> None:
    """What the lower bound rests on, here for a large least bet and a blind."""
    rules = [
        BettingRules(rounds=2, ante=1, blinds=(1, 2), min_bet=4, stack=s)
        for s in range(7, stack + 1)
    ]
    counts = [int(tally(r).decisions.sum()) for r in rules]
    assert counts == sorted(counts)


@pytest.mark.parametrize("stack", [1_000, 100_000, 1_000_000, 2_000_000_000])
def test_very_large_stacks_are_refused(stack: int) -> None:
    """Without counting for longer than the bound on work allows: else this would not end."""
    with pytest.raises(TooMuchBetting, match=r"at least 1.9e\+12 betting decisions") as problem:
        tally(BettingRules(ante=1, rounds=2, stack=stack))
    assert problem.value.least > 10**12


def test_large_trees_are_refused() -> None:
    with pytest.raises(SizeError, match="more than 1,000 nodes"):
        BettingTree.of(BettingRules(ante=1, stack=10**9), most=1000)
    with pytest.raises(SizeError, match="more than 1,000 nodes"):
        BettingTree.of(BettingRules(ante=1, rounds=2, stack=12), most=1000)


def test_rounds_may_have_their_own_limits_of_bets() -> None:
    rules = {"ante": 1, "rounds": 2, "bets": (1, 1)}
    plain = BettingRules(**rules, max_bets=2)  # type: ignore[arg-type]
    alike = BettingRules(**rules, max_bets=2, max_bets_by_round=[7, 2])  # type: ignore[arg-type]
    assert alike.max_bets_by_round == (7, 2)  # the smaller one of both limits holds
    np.testing.assert_array_equal(BettingTree.of(plain).move, BettingTree.of(alike).move)
    fewer = BettingRules(**rules, max_bets=2, max_bets_by_round=(2, 1))  # type: ignore[arg-type]
    # Two bets: 4 decisions, and 5 called histories with 2 decisions a player if there is one bet.
    assert tally(fewer).decisions.tolist() == [[3, 3], [10, 10]]
    with pytest.raises(
        RulesError, match=r"max_bets_by_round is \(1,\), expected one for each of 2"
    ):
        BettingRules(**rules, max_bets=2, max_bets_by_round=(1,))  # type: ignore[arg-type]
    with pytest.raises(RulesError, match=r"max_bets_by_round\[1\] is -1"):
        BettingRules(**rules, max_bets=2, max_bets_by_round=(1, -1))  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="2/1 bets of 1/1 by round need a stack of 4, found 3"):
        BettingRules(**rules, max_bets=2, max_bets_by_round=(2, 1), stack=3)  # type: ignore[arg-type]
