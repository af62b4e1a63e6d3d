"""Gambit's formats: what every feature of them means, what is wrong with bad text, and back."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from saddlepoint.core.errors import FormatError, GameError, SizeError
from saddlepoint.games import gambit_text
from saddlepoint.games.builder import TreeBuilder
from saddlepoint.games.catalogue import game
from saddlepoint.games.chance import rational, rounded
from saddlepoint.games.gambit import read_efg, read_nfg, write_efg, write_nfg
from saddlepoint.games.gambit_out import distribution, exact, number
from saddlepoint.games.gambit_text import distinct
from saddlepoint.games.matrices import blotto, proposition_one
from saddlepoint.games.matrix import MatrixGame
from saddlepoint.games.tree import TreeGame
from saddlepoint.games.unfold import unfold
from saddlepoint.sequence.form import LEAF, Tree

# Matching pennies twice; what the first round pays is an outcome at an inner node.
TWICE = """EFG 2 R "pennies \\"twice\\"" { "Ann" "Bob" }
"a comment, in which
lines may break"

p "root" 1 1 "first" { "H" "T" } 0
  p "" 2 1 "guess" { "H" "T" } 0
    p "" 1 7 "" { "H" "T" } 1 "match" { 1, -1 }
      p "" 2 2 "" { "H" "T" } 0
        t "" 1
        t "" 2 "miss" { -1 1 }
      p "" 2 2 0
        t "" 2
        t "end" 1 "match" { 1, -1 }
    t "" 2
  p "" 2 1 "guess" { "H" "T" } 0
    t "" 2
    t "" 1
"""

CARDS = """EFG 2 D "high card" { "1" "2" }
c "" 1 "deal" { "ace" 1/3 "king" .25 "ten" 41.6666666666666667e-2 } 3 "ante" { 1/2, 5e-1 }
p "" 1 1 "ace" { "bet" "pass" } 0
t "" 1 "" { 2.5 -2.5 }
t "" 2 "" { 1. -1 }
p "" 1 2 { "bet" "pass" } 0
t "" 4 "" { +0.5, -1/2 }
t "" 2
t "" 0
"""


def efg(body, head='EFG 2 R "g" { "1" "2" } '):
    return head + body


def leaves(game):
    return {
        game.path(n): game.tree.payoff[n] for n in np.flatnonzero(game.tree.mover == LEAF).tolist()
    }


# Extensive form -----------------------------------------------------------------------


def test_payoffs_at_inner_nodes_add_up_along_the_path():
    game = read_efg(TWICE)
    assert game.name == 'pennies "twice"'
    assert game.players == ("Ann", "Bob")
    assert leaves(game) == {
        ("H", "H", "H", "H"): 2,
        ("H", "H", "H", "T"): 0,
        ("H", "H", "T", "H"): 0,
        ("H", "H", "T", "T"): 2,
        ("H", "T"): -1,
        ("T", "H"): -1,
        ("T", "T"): 1,
    }
    assert game.constant_sum == 0


def test_information_sets_without_a_name_are_called_by_their_number():
    game = read_efg(TWICE)
    assert game.infosets == (("first", "1:7"), ("guess", "2:2"))
    assert game.counts().infosets == (2, 2)
    game.sequence_form()


def test_numbers_of_all_kinds_are_exact():
    game = read_efg(CARDS)
    assert game.constant_sum == 1
    assert leaves(game) == {
        ("ace", "bet"): 3.0,
        ("ace", "pass"): 1.5,
        ("king", "bet"): 1.0,
        ("king", "pass"): 1.5,
        ("ten",): 0.5,
    }
    assert game.tree.probability[[1, 4, 7]].tolist() == [1 / 3, 0.25, 0.416666666666666667]
    assert game.events == (("ace", "king", "ten"),)


def test_sums_are_of_what_is_written_not_of_doubles():
    game = read_efg(efg('p "" 1 1 "" { "a" } 1 "" { .1, -.1 } t "" 2 "" { .2, -.2 }'))
    assert game.tree.payoff[1] == 0.3 != 0.1 + 0.2


def test_names_are_made_different():
    body = 'p "" 1 1 "x" { "a" "a" } 0 t "" 0 p "" 1 2 "x" { "" "b" } 0 t "" 0 t "" 0'
    game = read_efg(efg(body))
    assert game.infosets[0] == ("x", "x (1:2)")
    assert game.actions[0] == (("a_1", "a_2"), ("_1", "b"))
    assert read_efg(write_efg(game)) == game


def test_the_same_number_means_another_information_set_for_the_other_player():
    game = read_efg(efg('p "" 1 1 "x" { "a" } 0 p "" 2 1 "x" { "b" } 0 t "" 0'))
    assert game.infosets == (("x",), ("x",))


def test_the_source_stands_in_for_a_missing_title():
    head = 'EFG 2 R "" { "1" "2" } '
    assert read_efg(efg('t "" 0', head)).name == "game"
    assert read_efg(efg('t "" 0', head), "my.efg").name == "my.efg"
    assert read_efg(TWICE).spec == {"efg": TWICE}


def test_probabilities_rounded_to_six_digits_are_scaled():
    game = read_efg(efg('c "" 1 "" { "a" 0.333333 "b" 0.333333 "c" 0.333333 } 0' + ' t "" 0' * 3))
    assert game.tree.probability[1:].tolist() == [1 / 3] * 3
    game = read_efg(
        efg('c "" 1 "" { "a" 0.1666666666666667 "b" 0.833333333333333 } 0' + ' t "" 0' * 2)
    )
    assert game.tree.probability[1:].tolist() == [1 / 6, 5 / 6]
    # Those that are nearly right are left as they are where they are no fractions.
    game = read_efg(
        efg('c "" 1 "" { "a" 0.3333333333333333 "b" 0.6666666666666667 } 0' + ' t "" 0' * 2)
    )
    assert game.tree.probability[1] == 0.3333333333333333


def test_payoffs_that_somebody_rounded_still_sum_to_a_constant():
    body = (
        'p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 0.3333333333, 0.6666666667 } t "" 2 "" { 1/3 2/3 }'
    )
    assert read_efg(efg(body)).constant_sum == 1
    body = 'p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 9e6 -9e6 } t "" 2 "" { -9e6 9000000.001 }'
    assert read_efg(efg(body)).constant_sum == 0
    body = 'p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 1 2 } t "" 2 "" { 1/3 2.66667 }'
    with pytest.raises(GameError, match="general-sum"):
        read_efg(efg(body))


def test_white_space_means_nothing():
    text = CARDS.replace("high card", "cards")
    assert read_efg("\ufeff" + " \t\n".join(text.split(" "))) == read_efg(text)
    squeezed = text.replace("{ ", "{").replace(" }", "}").replace(", ", ",")
    assert read_efg(squeezed) == read_efg(text)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize("players", ['"1"', '"1" "2" "3"', ""])
def test_other_numbers_of_players_are_left_to_gambit(players):
    count = players.count('"') // 2
    for read, head, rest in ((read_efg, "EFG 2", 't "" 0'), (read_nfg, "NFG 1", "{ 1 } 0")):
        with pytest.raises(GameError, match=f"has {count} players.*gambit-project.org"):
            read(f'{head} R "g" {{ {players} }} {rest}')


def test_general_sum_is_left_to_gambit_and_shown_where():
    text = efg('p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 2 }\nt "" 2 "" { 2 2 }')
    with pytest.raises(GameError, match=r"sum to 3 in line 2 and to 4 in line 3.*gambit-project"):
        read_efg(text)
    with pytest.raises(GameError, match=r"sum to 0 in line 1 and to 1 in line 2.*gambit-project"):
        read_nfg('NFG 1 R "g" { "1" "2" } { 2 1 } 0 0\n1 0')


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("", 1, 1, "the text ends here, expected 'EFG'"),
        ("NFG 1 R", 1, 1, "found 'NFG', expected 'EFG'"),
        ("EFG 3 R", 1, 5, "found '3', expected '2'"),
        ("EFG 2 X", 1, 7, "found 'X', expected 'R' or 'D'"),
        ("EFG 2 R {", 1, 9, "found '{', expected the game's title"),
        ('EFG 2 R "g" { 1', 1, 15, "found '1', expected the name of a player"),
        ('EFG 2 R "g', 1, 9, "the text in quotes that begins here does not end"),
        ("<?xml version", 1, 1, "this looks like XML"),
        (efg(""), 1, 25, "the text ends here, expected a node"),
        (efg('q ""'), 1, 25, "found 'q', expected a node"),
        (efg('"comment" 5'), 1, 35, "found '5', expected a node"),
        (efg("t 5"), 1, 27, "found '5', expected the node's name"),
        (efg('t ""'), 1, 29, "the text ends here, expected the number of the outcome"),
        (efg('t "" -1'), 1, 30, "found '-1', expected the number of the outcome"),
        (efg('t "" 1'), 1, 31, "expected the payoffs of outcome 1, which first appears here"),
        (efg('t "" 0 "none" { 0 0 }'), 1, 32, "outcome 0 means none"),
        (efg('t "" 1 "" { 1 }'), 1, 39, "found '}', expected player 2's payoff"),
        (efg('t "" 1 "" { 1 -1 0 }'), 1, 42, "found '0', expected '}' after the payoffs"),
        (efg('t "" 1 "" { 1.2.3 0 }'), 1, 37, "found '1.2.3', expected player 1's payoff, such as"),
        (efg('t "" 1 "" { 1/0 0 }'), 1, 37, "found '1/0', whose denominator is 0"),
        (efg('t "" 1 "" { 1e999 0 }'), 1, 37, "exponent of '1e999' is out of range"),
        (efg('t "" 1 "" { 1e400 0 }'), 1, 25, "too large for floating point"),
        (efg('t "" 1 "" { x 0 }'), 1, 37, "found 'x', expected player 1's payoff"),
        (efg('t "" 0\nt "" 0'), 2, 1, "found 't', expected the end of the text"),
        (efg('p "" 0 1'), 1, 30, "found '0', expected player 1 or 2"),
        (efg('p "" 3 1'), 1, 30, "found player 3, expected 1 or 2"),
        (efg('p "" 1 0'), 1, 32, "found '0', expected the number of the information set"),
        (efg('p "" 1 1 0'), 1, 34, "expected the moves of information set 1"),
        (efg('p "" 1 1 "" { } 0'), 1, 39, "found '}', expected the name of a move"),
        (efg('p "" 1 1 "" { "a" 0.5 } 0'), 1, 43, "found '0.5', expected the name of a move"),
        (efg('p "" 1 1 "" { "a" } 0'), 1, 46, "the text ends here, expected a node"),
        (efg('c "" 1 "" { "a" "b" } 0'), 1, 41, 'found "b", expected the probability'),
        (efg('c "" 1 "" { "a" 2 } 0'), 1, 41, "found probability 2, expected 0 to 1"),
        (efg('c "" 1 "" { "a" .5 "b" .4 } 0'), 1, 30, "probabilities of the event sum to 0.9"),
        (efg('p "" 1 1 "" { "a" } 0\np "" 1 1 "" { "b" } 0'), 2, 8, "described otherwise"),
        (efg('c "" 1 "" { "a" 1 } 0\nc "" 1 "" { "a" 0.9999999 } 0'), 2, 6, "described otherwise"),
        (efg('p "" 1 1 "x" { "a" } 0\np "" 1 1 "y" { "a" } 0'), 2, 8, "described otherwise"),
        (efg('p "" 1 1 "" { "a" } 1 "" { 1 0 }\nt "" 1 "" { 2 0 }'), 2, 6, "other payoffs"),
        (efg('t "" 12345678901234567890'), 1, 30, "20 digits, at most 15"),
        (efg(f't "" 1 "" {{ {"1" * 3000} 0 }}'), 1, 37, "3000 characters, at most 2000"),
        (efg(f't "{"x" * 90}" "{"y" * 90}"'), 1, 120, 'found "yyyy.*[.]{3}", expected'),
    ],
)
def test_malformed_trees_are_refused_where_they_go_wrong(text, line, column, problem):
    with pytest.raises(FormatError, match=problem) as caught:
        read_efg(text, "file.efg")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"file.efg:{line}:{column}: ")


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("EFG 2 R", 1, 1, "found 'EFG', expected 'NFG'"),
        ('NFG 1 R "g" { "1" "2" } 5', 1, 25, "expected '{' and the players' strategies"),
        ('NFG 1 R "g" { "1" "2" } { 2 }', 1, 29, "expected player 2's number of strategies"),
        ('NFG 1 R "g" { "1" "2" } { 0 2 }', 1, 27, "found '0', expected player 1's number"),
        ('NFG 1 R "g" { "1" "2" } { 2 2 2 }', 1, 31, "expected '}' after the strategies"),
        ('NFG 1 R "g" { "1" "2" } { 99999 99999 } 0', 1, 27, "need more payoffs than follow"),
        ('NFG 1 R "g" { "1" "2" } { "a" }', 1, 27, "found \"a\", expected '{' and the names"),
        ('NFG 1 R "g" { "1" "2" } { { } }', 1, 29, "expected the name of a strategy"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } 0', 1, 34, "player 2's payoff in cell 1 of 1"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } 0 0 0', 1, 37, "expected the end of the text"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } "" 1e400 0', 1, 36, "too large"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } { { 1 0 } } 1', 1, 37, "expected the outcome's name"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } { "" 1 0 } 1', 1, 35, "expected '{' and another outcome"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } { { "" 1 0 } } 2', 1, 48, "found outcome 2"),
        ('NFG 1 R "g" { "1" "2" } { 1 1 } { { "" 1 0 } } 1 1', 1, 50, "expected the end"),
    ],
)
def test_malformed_tables_are_refused_where_they_go_wrong(text, line, column, problem):
    with pytest.raises(FormatError, match=problem) as caught:
        read_nfg(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_long_texts_are_refused(monkeypatch):
    monkeypatch.setattr(gambit_text, "_MAX_TEXT", 100)
    with pytest.raises(SizeError, match="at most 100 are read"):
        read_efg(" " * 101)


def test_sums_whose_denominators_explode_are_refused():
    # Every node on the path adds 1/p for another p, and the denominators multiply.
    body = "".join(
        f'p "" 1 {k} "" {{ "a" }} {k} "" {{ 1/{10**300 + k}, 0 }} ' for k in range(1, 40)
    )
    with pytest.raises(FormatError, match="denominator"):
        read_efg(efg(body))


def test_depth_and_width_are_no_obstacle():
    n = 20_000
    deep = "".join(f'p "" 1 {k} "" {{ "a" }} 0\n' for k in range(1, n)) + 't "" 0'
    game = read_efg(efg(deep))
    assert game.counts().infosets == (n - 1, 0)
    assert read_efg(write_efg(game)) == game
    names = " ".join(['"a"'] * n)
    wide = read_efg(efg(f'p "" 1 1 "" {{ {names} }} 0' + ' t "" 0' * n))
    assert wide.actions[0][0][-1] == f"a_{n}"


# Strategic form -----------------------------------------------------------------------


def test_the_first_player_counts_fastest():
    game = read_nfg('NFG 1 D "g" { "a" "b" } { 3 2 } 1 -1 2 -2 3 -3 4 -4 5 -5 6 -6')
    assert game.matrix.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert (game.rows, game.columns) == (("1", "2", "3"), ("1", "2"))


def test_both_versions_say_the_same():
    names = '{ { "x" "y" } { "l" "" } }'
    table = read_nfg(f'NFG 1 R "g" {{ "a" "b" }} {names} "comment" 3 0 0 3 2 1 1/2 2.5')
    outcomes = read_nfg(
        f'NFG 1 R "g" {{ "a" "b" }} {names} "comment" '
        '{ { "" 3, 0 } { "two" 2 1 } { "" .5, 2.5 } { "unused" 9 9 } { "" 0, 3 } } 1 5 2 3'
    )
    assert table == outcomes
    assert table.matrix.tolist() == [[3, 2], [0, 0.5]]
    assert (table.constant_sum, table.columns) == (3, ("l", "_1"))


def test_outcome_zero_pays_nothing():
    game = read_nfg('NFG 1 R "g" { "a" "b" } { 2 1 } { { "" 1, -1 } } 0 1')
    assert game.matrix.tolist() == [[0], [1]]


# Writing ------------------------------------------------------------------------------


def test_numbers_are_short_and_exact():
    cases = {
        0.0: "0",
        -3.0: "-3",
        0.5: "0.5",
        -1 / 3: "-1/3",
        0.1 + 0.2: "0.30000000000000004",
        1e300: "1e+300",
        5e-324: "5e-324",
        123456789012345.0: "123456789012345",
        5 / 7: "5/7",
    }
    assert {value: number(value) for value in cases} == cases


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e22)
@example(2.0**-1074)
def test_every_double_is_read_back(value):
    assert float(Fraction(number(value))) == value
    assert Fraction(exact(Fraction(value))) == Fraction(value)


@settings(deadline=None)
@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=8))
def test_probabilities_sum_to_one_exactly(weights):
    p = (np.array(weights) / sum(weights)).tolist()
    fractions = [Fraction(text) for text in distribution(p)]
    assert sum(fractions) == 1
    assert [float(fraction) for fraction in fractions] == pytest.approx(p, rel=1e-14)


def test_probabilities_are_read_back_as_the_same_doubles_where_they_can():
    rng = np.random.default_rng(1)
    same = 0
    for _ in range(200):
        p = rng.dirichlet(np.ones(6)).tolist()
        same += [float(Fraction(text)) for text in distribution(p)] == p
    assert same > 100  # the sum of the others is too far from 1


@settings(deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(-3, 3))
def test_fractions_are_found_again(weights, ulps):
    p = [w / sum(weights) for w in weights]
    p[0] += ulps * np.spacing(p[0])
    fractions = [Fraction(w, sum(weights)) for w in weights]
    assert list(rational(tuple(p))) == fractions
    assert rounded(p) == [float(fraction) for fraction in fractions]


@pytest.mark.parametrize(
    "text",
    ["kuhn", "leduc", "leduc:isomorphism=cards", "no-limit-kuhn", "rhode-island:ranks=234,suits=2"],
)
def test_chances_of_poker_sum_to_one_exactly(text):
    """Gambit refuses a node whose chances, taken as the fractions they are, do not."""
    found = game(text)
    tree = TreeGame(unfold(found), name=found.name)
    written = write_efg(tree)
    nodes = {line for line in written.splitlines() if line.startswith("c ")}
    assert nodes
    for line in nodes:
        moves = line[line.index("{") + 1 : line.index("}")].split()
        assert sum(map(Fraction, moves[1::2])) == 1, line
    again = read_efg(written)
    for key in ("parent", "move", "mover", "probability", "payoff"):
        np.testing.assert_array_equal(getattr(again.tree, key), getattr(tree.tree, key))
    assert read_efg(write_efg(again)) == again


def test_a_name_that_ends_in_a_backslash_cannot_be_written():
    with pytest.raises(GameError, match="backslash"):
        write_nfg(MatrixGame([[1]], name="a\\"))
    assert read_nfg(write_nfg(MatrixGame([[1]], name='a\\"b\\c'))).name == 'a\\"b\\c'


@pytest.mark.parametrize("text", [TWICE, CARDS], ids=["twice", "cards"])
def test_trees_come_back_equal(text):
    game = read_efg(text)
    again = read_efg(write_efg(game))
    assert again == game
    assert write_efg(again) == write_efg(game)


@pytest.mark.parametrize("game", [blotto(3, 2), proposition_one(1 / 3)], ids=lambda g: g.name)
def test_tables_come_back_equal(game):
    assert read_nfg(write_nfg(game)) == game


def test_nodes_in_another_order_come_back_in_prefix_order():
    tree = Tree(
        parent=[-1, 0, 0, 2, 2, 1],
        move=[0, 1, 0, 1, 0, 0],
        mover=[1, 2, 2, LEAF, LEAF, LEAF],
        infoset=[0, 1, 0, -1, -1, -1],
        probability=np.ones(6),
        payoff=[0, 0, 0, 1, 2, 3],
        infosets=(["root"], ["J", "K"]),
        actions=([["l", "r"]], [["x", "y"], ["z"]]),
    )
    game = TreeGame(tree, "g")
    again = read_efg(write_efg(game))
    assert again.tree.payoff.tolist() == [0, 0, 2, 1, 0, 3]
    assert leaves(again) == leaves(game)


numbers = st.floats(-1e6, 1e6) | st.sampled_from([1 / 3, -2.0, 0.1, 1e300, 5e-324])
labels = st.text(max_size=6).filter(lambda s: not s.endswith("\\"))
titles = labels.filter(bool)


@settings(deadline=None)
@given(
    payoffs=st.lists(numbers, min_size=6, max_size=6),
    rows=st.lists(titles, min_size=2, max_size=2, unique=True),
    columns=st.lists(titles, min_size=3, max_size=3, unique=True),
    name=titles,
    players=st.tuples(labels, labels),
    total=numbers,
)
def test_any_table_comes_back_equal(payoffs, rows, columns, name, players, total):
    matrix = np.reshape(payoffs, (2, 3))
    game = MatrixGame(matrix, tuple(rows), tuple(columns), name, players, total)
    assert read_nfg(write_nfg(game)) == game


@st.composite
def trees(draw):
    """Any small tree, with chance, shared information sets and any names."""
    b = TreeBuilder(draw(titles), players=draw(st.tuples(labels, labels)))
    sets = draw(st.lists(titles, min_size=6, max_size=6, unique=True))
    moves = draw(st.lists(titles, min_size=3, max_size=3, unique=True))

    def node(depth):
        kind = draw(st.sampled_from(["leaf", "chance", 1, 2])) if depth else "leaf"
        if kind == "leaf":
            return b.leaf(draw(numbers))
        if kind == "chance":
            weights = draw(st.lists(st.integers(1, 9), min_size=2, max_size=3))
            here = b.chance({m: w / sum(weights) for m, w in zip(moves, weights, strict=False)})
        else:
            k = draw(st.integers(0, 2))
            here = b.decision(kind, sets[3 * kind - 3 + k], moves[: k + 1])
        for move in here.moves:
            here[move] = node(depth - 1)
        return here

    node(3)
    return replace(b.build(), constant_sum=draw(numbers))


@settings(deadline=None)
@given(trees())
def test_any_tree_comes_back_equal(game):
    assert read_efg(write_efg(game)) == game


def test_payoffs_to_both_players_are_written():
    b = TreeBuilder("g", constant_sum=0.1)
    root = b.decision(1, "I", ["l", "r"])
    root["l"], root["r"] = 0.3, 1 / 3
    text = write_efg(b.build())
    assert "{ 0.3, -0.2 }" in text
    assert "{ 1/3, -7/30 }" in text
    assert pytest.approx(0.1 - 1 / 3) == -7 / 30


def test_distinct_names_avoid_those_that_are_there():
    assert distinct(["x", "x", "x_1"]) == ("x_2", "x_3", "x_1")
    assert distinct(["a", "b"]) == ("a", "b")
    assert len(set(distinct(["", "", "_1", "a", "a"]))) == 5
