"""Abstractions in files: which bucket every hand belongs to, and what it was made of.

A file of an abstraction is a `.saddle` file like any other. It holds the groups of all hands,
so that reading it takes no clustering.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from saddlepoint.abstraction.abstract_game import AbstractGame, Grouping
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.cards import coarse
from saddlepoint.abstraction.forgetting import ForgetfulGame, forgetful
from saddlepoint.abstraction.shrink import betting_of_spec
from saddlepoint.core import store
from saddlepoint.core.errors import StoreError
from saddlepoint.core.version import VERSION
from saddlepoint.games import catalogue
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.sequence.form import Game

KIND = "abstraction"
Abstraction = AbstractGame | ForgetfulGame


def save_abstraction(found: Abstraction, path: str | os.PathLike[str], **facts: Any) -> Path:
    """Write an abstraction to a file, atomically, with further facts about it."""
    forgets = isinstance(found, ForgetfulGame)
    pair = found.refinement if isinstance(found, ForgetfulGame) else found
    if isinstance(found, ForgetfulGame):
        groups: tuple[Grouping, Grouping] = (found.buckets[0].groups, found.buckets[1].groups)
    else:
        groups = pair.groups
    deal = pair.game.deal
    manifest = {
        "kind": KIND,
        "version": VERSION,
        "name": pair.game.name,
        "game": dict(pair.game.spec),
        "real": dict(pair.real.spec),
        "forgets": forgets,
        "buckets": [[int(group.max()) + 1 for group in side] for side in groups],
        "names": None if forgets else [[list(r.names[k]) for r in deal.rounds] for k in (0, 1)],
        "facts": {"hands": pair.game.facts.get("hands", "")},
        **facts,
    }
    arrays = {
        f"player{p}-round{r + 1}": group.astype(np.int32)
        for p, side in enumerate(groups, 1)
        for r, group in enumerate(side)
    }
    return store.write(path, manifest, arrays)


def is_abstraction(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds an abstraction."""
    if not store.is_archive(path):
        return False
    return store.read(path, mapped=True, verify=False).manifest.get("kind") == KIND


def load_abstraction(path: str | os.PathLike[str]) -> Abstraction:
    """The abstract game in a file, with the real one.

    Raises
    ------
    StoreError
        If the file holds something else, or was made for another game than it says.
    """
    artefact = store.read(path)
    found = artefact.manifest
    if found.get("kind") != KIND:
        raise StoreError(f"{path} holds a {found.get('kind', 'file')}, expected an {KIND}")
    real = betting_of_spec(found["real"])
    spec = found["game"]
    if "cards" not in spec:
        return AbstractGame.of(real, betting_of_spec(spec))
    one, two = (_groups(artefact.arrays, player) for player in (1, 2))
    for player, groups in ((1, one), (2, two)):
        hands = [real.deal.classes(player, r) for r in range(len(real.deal.rounds))]
        if [len(group) for group in groups] != hands:
            raise StoreError(
                f"{path} has buckets for {[len(g) for g in groups]} hands of player {player}, "
                f"expected {hands}"
            )
    small = betting_of_spec(spec["of"])
    if found["forgets"]:
        text = spec["cards"]
        game = forgetful(small, Buckets(one, text), Buckets(two, text), text)
        whole = AbstractGame(real, game.refinement.game, game.refinement.groups)
        return replace(game, real=real, refinement=whole)
    names = found["names"]
    deal = coarse(real.deal, (one, two), (names[0], names[1]))
    abstract = replace(
        small,
        name=found["name"],
        spec=spec,
        dealer=lambda: deal,
        facts={**small.facts, **found["facts"]},
    )
    return AbstractGame(real, abstract, (one, two))


def _groups(arrays: Mapping[str, Any], player: int) -> Grouping:
    rounds = sum(name.startswith(f"player{player}-") for name in arrays)
    return tuple(
        np.asarray(arrays[f"player{player}-round{r + 1}"], np.int64) for r in range(rounds)
    )


def game_named(text: str) -> Game:
    """The game that a text names; the abstract one if it names a file of an abstraction.

    Where players forget that is a `ForgetfulGame`, which has no sequence form.
    """
    path = Path(text)
    if path.suffix == store.SUFFIX and path.exists() and is_abstraction(path):
        found = load_abstraction(path)
        return found if isinstance(found, ForgetfulGame) else found.game
    return catalogue.game(text)


def pair_named(text: str) -> AbstractGame:
    """A file of an abstraction, or a game that stands for itself."""
    path = Path(text)
    if path.suffix == store.SUFFIX and path.exists() and is_abstraction(path):
        found = load_abstraction(path)
        return found.refinement if isinstance(found, ForgetfulGame) else found
    game = catalogue.game(text)
    if not isinstance(game, FactoredGame):
        raise StoreError(f"{text} is no betting tree times a deal: it has no abstractions")
    return AbstractGame.of(game, game)
