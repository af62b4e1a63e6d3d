"""What all tests share: games of several shapes, built once."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import settings

from saddlepoint.games.catalogue import game
from saddlepoint.sequence.form import SequenceForm

settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile("default")

SMALL_GAMES = (
    "kuhn",
    "kuhn:raises=1,ranks=TJQK",
    "leduc",
    "leduc:isomorphism=cards",
    "leduc:raises=2,realisation=cards",
    "no-limit-kuhn:stack=3",
    "clairvoyance:stack=2",
    "no-limit-leduc:stack=4",
    "no-limit-leduc:stack=12,menu=fcpa",
    "rhode-island:ranks=23A,suits=2,raises=0",
    "rhode-island:ranks=234,suits=2,raises=1,realisation=cards",
)


@cache
def form_of(text: str) -> SequenceForm:
    """The sequence form of a named game, built once."""
    return game(text).sequence_form()


@pytest.fixture(params=SMALL_GAMES)
def small_form(request: pytest.FixtureRequest) -> SequenceForm:
    return form_of(request.param)
