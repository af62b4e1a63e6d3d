"""Whatever text Gambit's parsers are given, they read it or say what is wrong with it."""

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saddlepoint.core.errors import SaddlepointError
from saddlepoint.games.builder import TreeBuilder
from saddlepoint.games.gambit import read_efg, read_nfg, write_efg, write_nfg
from saddlepoint.games.matrices import morra, proposition_one

EFG = """EFG 2 R "a \\"b\\"" { "x" "y" } "comment"
c "" 1 "deal" { "ace" 1/3 "king" .5 "ten" 1/6 } 3 "ante" { 1/2, 5e-1 }
p "" 1 1 "i" { "bet" "pass" } 0
t "" 1 "" { 2.5 -2.5 }
p "" 2 1 { "l" } 2 "" { 1, -1 }
t "" 0
t "" 2
t "" 0
"""
NFG = 'NFG 1 D "g" { "x" "y" } { { "a" "b" } { "c" "d" } } "" { { "" 1, 2 } { "z" 0 3 } } 1 2 2 1'


def seeds():
    """Valid texts with every feature of the formats."""
    b = TreeBuilder("small", constant_sum=1)
    root = b.chance({"h": 0.25, "t": 0.75})
    for move in root.moves:
        root[move] = b.decision(1, move, ["l", "r"])
        root[move]["l"] = 1 / 3
        root[move]["r"] = b.decision(2, "J", ["u", "d"])
        root[move]["r"]["u"], root[move]["r"]["d"] = -2, 0.1
    return [EFG, NFG, write_efg(b.build()), write_nfg(morra(2)), write_nfg(proposition_one(0.1))]


SEEDS = seeds()
PIECES = [
    *'{},"\\ \n.-+/eE0129cpt\x00\u00b2\u0663\ufeff',
    *("EFG 2 R", "NFG 1 R", '""', '" "', "1/0", "1e999", "1e-999", "9" * 30, "0" * 5000, "-", "."),
    *('p "" 1 1 0 ', 't "" 1 ', 't "" 0 ', 'c "" 1 0 ', "{ 1 -1 }", '{ "a" "b" }', "nan", "inf"),
]


def survives(text):
    """Read the text as either format; raise anything that is not one of our own errors."""
    for read, write in ((read_efg, write_efg), (read_nfg, write_nfg)):
        with contextlib.suppress(SaddlepointError):
            game = read(text)
            again = read(write(game))
            assert again == game
            game.sequence_form()


def mutated(rng):
    """A valid text after a few random accidents, often at the borders of tokens."""
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 5)):
        tokens = text.split(" ")
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(8):
            case 0:
                text = text[:i] + text[j:]
            case 1:
                text = text[:i] + rng.choice(PIECES) + text[i:]
            case 2:
                text = text[:i] + rng.choice(PIECES) + text[i + 1 :]
            case 3:
                text = text[:j] + text[i:]
            case 4:
                text = " ".join([*tokens[:a], tokens[b], *tokens[a + 1 :]])
            case 5:
                text = " ".join([*tokens[:a], rng.choice(PIECES), *tokens[a + 1 :]])
            case 6:
                text = " ".join(tokens[:a] + tokens[a + 1 :])
            case _:
                other = rng.choice(SEEDS)
                text = text[:i] + other[rng.randrange(len(other)) :]
    return text[:20_000]


def test_the_seeds_are_valid():
    for text in SEEDS:
        read = read_efg if text.startswith("EFG") else read_nfg
        assert read(text).sequence_form()


def test_mutated_files():
    rng = random.Random(1)
    for _ in range(500):
        survives(mutated(rng))


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=60), st.sampled_from(["", 'EFG 2 R "" { "" "" } ', 'NFG 1 R "" { "" "" } '])
)
def test_any_text(text, head):
    survives(head + text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=20), st.sampled_from(SEEDS), st.integers(0, 200))
def test_any_tokens(pieces, seed, cut):
    survives(seed[:cut] + " ".join(pieces))


@pytest.mark.slow
def test_a_hundred_thousand_mutated_files():
    rng = random.Random(2)
    for _ in range(100_000):
        survives(mutated(rng))
