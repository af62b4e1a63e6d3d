"""Whatever text names a game or stands in a rules file, only our own errors come out."""

from __future__ import annotations

import contextlib
import tomllib

import numpy as np
import pytest
from test_catalogue import RULES

from saddlepoint.core.errors import SaddlepointError
from saddlepoint.games.catalogue import CATALOGUE, game
from saddlepoint.games.rules_file import rules_game

TEXTS = [
    "leduc:raises=2,bets=1/3,ranks=TJQK",
    "no-limit-leduc:stack=9,menu=fcha",
    "clairvoyance:stack=2.5,step=0.5",
    "uniform-random:rows=3,columns=4,seed=5,low=0",
    "hide-and-seek:weights=1/2/3",
    "rhode-island:ranks=23A,suits=2,isomorphism=cards",
    *CATALOGUE,
]
LETTERS = list('abcfhpqJQK0123456789.:,=/- eE"[]{}#\n\u00e9\x00')


def mutated(text: str, rng: np.random.Generator) -> str:
    letters = list(text)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(letters) + 1))
        match int(rng.integers(3)):
            case 0 if letters:
                del letters[min(place, len(letters) - 1)]
            case 1 if letters:
                letters[min(place, len(letters) - 1)] = str(rng.choice(LETTERS))
            case _:
                letters.insert(place, str(rng.choice(LETTERS)))
    return "".join(letters)


def names(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        text = mutated(TEXTS[int(rng.integers(len(TEXTS)))], rng)
        with contextlib.suppress(SaddlepointError):
            game(text)


def rules(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        with contextlib.suppress(SaddlepointError, tomllib.TOMLDecodeError):
            rules_game(tomllib.loads(mutated(RULES, rng)), "fuzz.toml")


def test_names_raise_only_our_errors() -> None:
    names(1000, seed=1)


def test_rules_raise_only_our_errors() -> None:
    rules(300, seed=2)


@pytest.mark.slow
def test_many_names_and_rules() -> None:
    names(100_000, seed=3)
    rules(100_000, seed=4)
