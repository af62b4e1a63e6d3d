"""Hands played by translation, against the plain-Python twin and a bound; boundary estimation.

The twin follows every hand again from its beginning at each decision (`tests/reverse`); its
games are the same and its hands come out the same. The bound is drawing the same hands from
the lifted strategies' leaves, once the probability of every leaf is known: one search in a
table per hand, no game.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from measuring import once, report, seconds
from saddlepoint.abstraction.abstract_game import AbstractGame
from saddlepoint.core.counter import key_of
from saddlepoint.games.poker import no_limit_leduc
from saddlepoint.reverse.boundary import choose_bet, estimate_boundary
from saddlepoint.reverse.hands import WAYS, Translator, play_hands, record_hands
from saddlepoint.reverse.lift import lift
from saddlepoint.reverse.responders import Frequencies
from saddlepoint.reverse.translate import Translation
from saddlepoint.sequence.strategy import Profile

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "reverse"))

HANDS, TWIN_HANDS = 1_000_000, 200


def hands() -> None:
    from seated import Seated, played
    from twin import Twin

    real = no_limit_leduc()
    pairs = [AbstractGame.of(real, no_limit_leduc(menu=menu)) for menu in ("fcpa", "fchpa")]
    players = [Profile.random(pair.game, 1).player(i + 1) for i, pair in enumerate(pairs)]
    settings = Translation.in_frame("real", mapping="rand-pshar")
    for way in WAYS:
        seats = [
            Translator(pair=pair, strategy=strategy, settings=settings, way=way)
            for pair, strategy in zip(pairs, players, strict=True)
        ]
        play_hands(*seats, 10, seed=1)
        ready, _ = once(lambda s=seats: play_hands(*s, 1, seed=1))
        took, _ = once(lambda s=seats: play_hands(*s, HANDS, seed=1))
        report(
            "hands of no-limit Leduc, 12 chips, fcpa against fchpa",
            "saddlepoint",
            way=way,
            hands_per_second=HANDS / (took - ready),
            preparation_milliseconds=ready * 1e3,
            model="O(decisions * histories of the set * abstract actions) a hand",
        )
        twins = [
            Seated(Twin(pair, strategy, settings), way == "sampled", int(key_of(1)))
            for pair, strategy in zip(pairs, players, strict=True)
        ]
        took, found = once(lambda t=twins: [played(*t, i) for i in range(TWIN_HANDS)])
        ours = record_hands(*seats, TWIN_HANDS, seed=1)
        report(
            "hands of no-limit Leduc, 12 chips, fcpa against fchpa",
            "plain Python",
            way=way,
            hands_per_second=TWIN_HANDS / took,
            same_hands=bool((ours.leaf == [row[0] for row in found]).all()),
        )
    lift(pairs[0], players[0], settings)
    took, _ = once(lambda: [lift(p, s, settings) for p, s in zip(pairs, players, strict=True)])
    report("lifting both strategies instead", "saddlepoint", milliseconds=took * 1e3)
    leaves = int((real.tree.mover <= 0).sum()) * 9
    upto = np.cumsum(np.random.default_rng(0).dirichlet(np.ones(leaves)))
    rng = np.random.default_rng(1)
    took = seconds(lambda: np.searchsorted(upto, rng.random(HANDS)), repeat=3)
    report("bound: a search in a table of leaves", "NumPy", hands_per_second=HANDS / took)


def boundaries() -> None:
    agent = Frequencies.of_two([0.2, 0.5, 0.3], [0.7, 0.3, 0.0], 10, 20)
    S = estimate_boundary(agent, 20, 1).observations
    report(
        "ChooseAction, 20 bets and 3 responses",
        "saddlepoint",
        microseconds=seconds(lambda: choose_bet(S)) * 1e6,
        model="O(responses^2 * bets^2)",
    )
    took, found = once(lambda: [estimate_boundary(agent, 20, seed) for seed in range(100)])
    report(
        "EstimateBoundary, 100 trials",
        "saddlepoint",
        seconds=took,
        hands=sum(f.hands for f in found),
    )


if __name__ == "__main__":
    hands()
    boundaries()
