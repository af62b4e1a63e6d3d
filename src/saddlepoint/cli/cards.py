"""Cards without a game: `equity`."""

from __future__ import annotations

from typing import Annotated

import typer

from saddlepoint.cli.inspecting import Json
from saddlepoint.cli.output import print_facts, print_json

_RANGE = "Two cards such as AsKd, or a range such as QQ+,AKs,A5s-A2s:0.5."


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(equity)


def equity(
    first: Annotated[str, typer.Argument(metavar="HAND_OR_RANGE", help=_RANGE)],
    second: Annotated[str, typer.Argument(metavar="HAND_OR_RANGE", help="What it plays against.")],
    board: Annotated[
        str, typer.Option("--board", "-b", help="3, 4 or 5 cards, such as Ts9s2d.")
    ] = "",
    samples: Annotated[
        int | None, typer.Option(help="Deals to draw; without it the figures are exact.")
    ] = None,
    seed: Annotated[int, typer.Option(help="For the samples.")] = 0,
    json: Json = False,
) -> None:
    """Tell how often a hand or a range wins against another one at the showdown."""
    from saddlepoint.cards.equity import equity as equity_of

    found = equity_of(first, second, board, samples=samples, seed=seed)
    if json:
        print_json(
            {
                "first": first,
                "second": second,
                "board": board,
                "equity": found.equity,
                "win": found.win,
                "tie": found.tie,
                "lose": found.lose,
                "standard_error": found.standard_error,
                "exact": not found.samples,
                "samples": found.samples,
                "total": found.total,
            }
        )
        return
    error = f" (standard error {found.standard_error:.3%})" if found.samples else ""
    facts = [
        ("equity", f"{found.equity:.3%}{error}"),
        ("win", f"{found.win:.3%}"),
        ("tie", f"{found.tie:.3%}"),
        ("lose", f"{found.lose:.3%}"),
        ("deals", f"{found.samples:,} samples" if found.samples else "all"),
    ]
    print_facts(f"{first} against {second}" + (f" on {board}" if board else ""), facts)
