"""Which abstractions lose nothing: small decks by linear programs, and Rhode Island Hold'em.

On every small deck an equilibrium of the abstract game is lifted to the game in which all cards
are told apart, and measured by best responses there.
"""

from __future__ import annotations

from typing import Any

from saddlepoint.abstraction.buckets import bucketed
from saddlepoint.abstraction.lossless import READINGS, lossless
from saddlepoint.games.factored_game import FactoredGame
from saddlepoint.games.poker import leduc, rhode_island
from saddlepoint.measure.exact import exploitability
from saddlepoint.reverse.limits import lift_limited_profile
from saddlepoint.solvers.methods import solve
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report, Table
from saddlepoint.studies.tables.rhode_island import FINE, Agent
from saddlepoint.studies.tables.rhode_island import READINGS as ALGORITHM_READINGS

DECKS = (("34", 2), ("234", 2), ("23", 3), ("234", 3), ("2345", 2), ("2345", 3))
# The gap to which the lossless game of Rhode Island Hold'em is solved, in chips.
GAP = 0.2


def games() -> dict[str, FactoredGame]:
    """The small games, with all cards distinct."""
    decks = {
        f"ranks {' '.join(ranks)}, {suits} suits": rhode_island(
            ranks=ranks, suits=suits, raises=0, isomorphism="cards"
        )
        for ranks, suits in DECKS
    }
    return {"Leduc Hold'em": leduc(isomorphism="cards"), **decks}


def lossless_decks(kitchen: Kitchen) -> Report:
    """Classes and exploitability of every reading on every deck."""
    rows = []
    for name, game in games().items():
        row: list[Any] = [name, "/".join(str(n) for n, _ in game.hands())]
        for reading in READINGS:
            found = kitchen.step(
                "lossless",
                {"game": dict(game.spec), "reading": reading},
                lambda game=game, reading=reading: _measured(game, reading),  # type: ignore[misc]
                f"{name}: {reading}",
            )
            row += ["/".join(map(str, found["sizes"])), found["exploitability"]]
        rows.append(row)
    heads = [part for reading in READINGS for part in (reading, f"{reading} loses")]
    return Report(
        title="What is lossless: small decks, and Rhode Island Hold'em",
        facts=[
            ("unit", "chips a hand, the mean of both seats; bets of 1,000 and 2,000, one a round")
        ],
        tables=[
            Table(
                title="Classes by round, and what an equilibrium of theirs loses in the real game",
                heads=("game", "cards", *heads),
                rows=rows,
                note="Linear programs; which equilibrium they return decides the figure, but not "
                "whether it is 0.",
            ),
            whole_deck(kitchen),
        ],
        plots=[],
        made={"gap": GAP},
    )


def _measured(game: FactoredGame, reading: str) -> dict[str, Any]:
    one, two = lossless(game.deal, reading)
    pair = bucketed(game, one, two)
    solved = solve(pair.game, "lp").profile
    lost = exploitability(lift_limited_profile(pair, solved))
    return {"sizes": list(one.sizes), "exploitability": lost}


def whole_deck(kitchen: Kitchen) -> Table:
    """The published classes and the lossless ones of Rhode Island Hold'em."""
    published = Agent(kitchen, "PA", FINE, ALGORITHM_READINGS["PA"][0])
    rows = [("13/205/1774", 0.005, -published.against_nemesis("real"))]
    real = rhode_island()

    def compute() -> dict[str, Any]:
        one, two = lossless(real.deal)
        pair = bucketed(real, one, two)
        solved = solve(pair.game, "hs-dcfr", gap=GAP, precision="single")
        return {
            "sizes": list(one.sizes),
            "gap": solved.gap,
            "exploitability": exploitability(lift_limited_profile(pair, solved.profile)),
        }

    found = kitchen.step("lossless-rhode-island", {"gap": GAP}, compute, "the lossless game")
    sizes = "/".join(map(str, found["sizes"]))
    rows.append((sizes, found["gap"] / 2, found["exploitability"]))
    return Table(
        title="Rhode Island Hold'em: exploitability in the abstract game and in the real one",
        heads=("classes", "abstract", "real"),
        rows=rows,
        note="What the second column says is how well the abstract game was solved.",
    )
