"""Measuring strategies: `exploit` and `ev`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saddlepoint.cli import completing
from saddlepoint.cli.inspecting import GameOption, Json
from saddlepoint.cli.output import print_json, print_table
from saddlepoint.core.errors import GameError, StrategyError

if TYPE_CHECKING:
    from saddlepoint.measure.public_response import Certificate
    from saddlepoint.sequence.strategy import Profile

StrategyFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="STRATEGY...",
        help="Files (.saddle or JSON), or uniform:GAME for uniform strategies.",
        autocompletion=completing.strategies,
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(exploit)
    app.command()(ev)


Real = Annotated[
    bool,
    typer.Option(
        "--real", help="Map strategies of abstract games back, and measure them in the real ones."
    ),
]


def _profile(text: str, game: str | None, real: bool) -> Profile:
    from saddlepoint.abstraction.files import game_named
    from saddlepoint.api import load, profile_of
    from saddlepoint.sequence.strategy import Profile

    kind, sign, rest = text.partition(":")
    if sign and kind == "uniform":
        return Profile.uniform(game_named(rest))
    profile = profile_of(load(text, game))
    return _mapped_back(profile) if real else profile


def _mapped_back(profile: Profile) -> Profile:
    from saddlepoint.abstraction.shrink import pair_of_spec
    from saddlepoint.reverse.back import mapped_back

    if "of" not in profile.form.spec:
        return profile
    return mapped_back(pair_of_spec(profile.form.spec), profile)


def _value(profile: Profile, given: float | None) -> float | None:
    """The value of the game if it is given or quick to find."""
    from saddlepoint.solvers import methods

    if given is not None:
        return given
    if methods.chosen(profile.form) != "lp":
        return None
    return methods.solve(profile.form, "lp").value


def exploit(
    strategy: StrategyFiles,
    game: GameOption = None,
    value: Annotated[
        float | None, typer.Option(help="The game's value, for exploitability by seat.")
    ] = None,
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            help="Measure by walking the public tree over all cards, which shares nothing "
            "with solvers (card games only; some seconds for Rhode Island Hold'em).",
        ),
    ] = False,
    real: Real = False,
    json: Json = False,
) -> None:
    """Measure exactly how far strategies are from an equilibrium."""
    found: list[dict[str, Any]] = []
    known: dict[str, float | None] = {}
    for text in strategy:
        profile = _profile(text, game, real)
        form = profile.form
        if form.fingerprint not in known:
            known[form.fingerprint] = _value(profile, value)
        v, b = known[form.fingerprint], _measured(profile, certify)
        found.append(
            {
                "strategy": text,
                "game": form.name,
                "unit": form.unit.name,
                "measured": "public tree" if certify else "sequence form",
                "value": b.value,
                "lower": b.lower,
                "upper": b.upper,
                "gap": b.gap,
                "exploitability": b.exploitability,
                "game_value": v,
                "player1": None if v is None else v - b.lower,
                "player2": None if v is None else b.upper - v,
            }
        )
    if json:
        print_json(found[0] if len(found) == 1 else {"strategies": found})
        return
    keys = ("value", "gap", "exploitability", "player1", "player2")
    rows = [
        (
            Path(row["strategy"]).name,
            row["game"],
            *("-" if row[key] is None else f"{row[key]:.6g}" for key in keys),
        )
        for row in found
    ]
    heads = ("strategy", "game", "value", "gap", "exploitability", "by seat: 1", "2")
    units = sorted({row["unit"] for row in found})
    print_table("", heads, rows, f"in {' and '.join(units)}; value is player 1's, as played")


def _measured(profile: Profile, certify: bool) -> Certificate:
    """The value of a profile and what both players are sure of, one way or the other."""
    from saddlepoint.abstraction.shrink import game_of_spec
    from saddlepoint.games.factored_game import FactoredGame
    from saddlepoint.measure import public_response
    from saddlepoint.measure.exact import bounds, expected_value

    if not certify:
        found = bounds(profile)
        return public_response.Certificate(found.lower, found.upper, expected_value(profile))
    game = game_of_spec(profile.form.spec)
    if not isinstance(game, FactoredGame):
        raise GameError(f"{profile.form.name} is not dealt from a deck: --certify needs cards")
    return public_response.certify(game, profile)


def ev(
    strategy: StrategyFiles, game: GameOption = None, real: Real = False, json: Json = False
) -> None:
    """Expected values of strategies against each other, exactly.

    With two files: the first against the second in both seats. With more: what each row
    wins from each column, both seats averaged.
    """
    from saddlepoint.measure.exact import head_to_head, value_matrix

    profiles = [_profile(text, game, real) for text in strategy]
    if len({p.form.fingerprint for p in profiles}) > 1:
        names = sorted({p.form.name for p in profiles})
        raise StrategyError(f"the strategies are of different games ({', '.join(names)})")
    form = profiles[0].form
    V = value_matrix([p.first for p in profiles], [p.second for p in profiles], form)
    mean = head_to_head(profiles)
    names = [Path(text).name for text in strategy]
    if json:
        print_json(
            {
                "game": form.name,
                "unit": form.unit.name,
                "strategies": list(strategy),
                "as_player_1": V.tolist(),
                "both_seats": mean.tolist(),
            }
        )
        return
    for title, matrix in (("row as player 1", V), ("both seats averaged", mean)):
        rows = [(name, *(f"{v:.6g}" for v in row)) for name, row in zip(names, matrix, strict=True)]
        print_table(f"{form.name}, {form.unit.name} won by the row: {title}", ("", *names), rows)
        print()
