"""Shrinking games: `abstract`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saddlepoint.cli.inspecting import GameText, Json
from saddlepoint.cli.output import print_facts, print_json, print_table, say
from saddlepoint.cli.studying import CacheFolder, Fresh, Quiet
from saddlepoint.core.errors import GameError, RecallError, SettingsError, StoreError

if TYPE_CHECKING:
    from saddlepoint.abstraction.abstract_game import AbstractGame
    from saddlepoint.abstraction.files import Abstraction


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(abstract)


def abstract(
    game: GameText,
    cards: Annotated[
        str | None,
        typer.Option(
            "--cards",
            "-c",
            help="Buckets: pa:13-50-250, eb:13-50-250, lossless, 8.8.8, JQ.K, ...",
        ),
    ] = None,
    bets: Annotated[
        str | None,
        typer.Option("--bets", "-b", help="A menu such as fcpa, or so many bets a round."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Save the abstraction here.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the buckets into files of this name (.svg), one for each round."),
    ] = None,
    cache: CacheFolder = None,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Shrink a game: which hands share a bucket, which bets there are.

    Clustering is kept chunk by chunk: interrupted or killed, it goes on where it stopped.
    What was saved is a game like any other: saddle info FILE, saddle solve FILE.
    """
    from saddlepoint.abstraction.files import save_abstraction
    from saddlepoint.abstraction.shrink import shrink, shrink_forgetful
    from saddlepoint.abstraction.work import Work
    from saddlepoint.games.catalogue import game as game_named
    from saddlepoint.games.factored_game import FactoredGame
    from saddlepoint.studies.keep import Keeper

    if cards is None and bets is None:
        raise SettingsError("nothing to shrink: expected --cards, --bets or both")
    for file in (out, plot):
        if file is not None and not file.parent.is_dir():
            raise StoreError(f"cannot write {file}: the folder {file.parent} does not exist")
    real = game_named(game)
    if not isinstance(real, FactoredGame):
        raise GameError(f"{game} is no betting tree times a deal: it has no bets and cards apart")
    began = time.perf_counter()
    work = Work(keep=Keeper(cache, fresh).step, say=(lambda text: None) if quiet else say)
    found: Abstraction
    try:
        found = shrink(real, bets, cards, work=work)
    except RecallError:
        found = shrink_forgetful(real, bets, str(cards), work=work)
    seconds = time.perf_counter() - began
    if out is not None:
        save_abstraction(found, out, seconds=seconds)
    drawn = [] if plot is None else _draw(pair_of(found), plot)
    if json:
        files = {"out": None if out is None else str(out), "plots": [str(f) for f in drawn]}
        print_json(summary(found) | {"seconds": seconds} | files)
        return
    print_abstraction(found)
    for file in ([out] if out is not None else []) + drawn:
        print(f"  saved to  {file}")


def pair_of(found: Abstraction) -> AbstractGame:
    """The abstract game with the way back; where players forget, the one where they do not."""
    from saddlepoint.abstraction.forgetting import ForgetfulGame

    return found.refinement if isinstance(found, ForgetfulGame) else found


def summary(found: Abstraction) -> dict[str, Any]:
    """An abstraction as plain data: its buckets, its game, what solving it takes."""
    from saddlepoint.abstraction.forgetting import ForgetfulGame
    from saddlepoint.games.program_size import program_size

    pair = pair_of(found)
    small, real = pair.game, pair.real
    forgets = isinstance(found, ForgetfulGame)
    estimate = found.estimate() if isinstance(found, ForgetfulGame) else small.estimate()
    if isinstance(found, ForgetfulGame):
        buckets = [list(sizes) for sizes in zip(*(b.sizes for b in found.buckets), strict=True)]
        counts: Any = found.counts()
        told = {"infosets": counts.infosets, "sequences": counts.sequences}
        program = None
    else:
        buckets, told = [list(sizes) for sizes in small.hands()], small.counts().to_dict()
        shape = program_size(small)
        program = {"rows": shape.rows, "columns": shape.columns, "nonzeros": shape.nonzeros}
    return {
        "game": small.name,
        "spec": dict(small.spec),
        "real": real.name,
        "unit": small.unit.name,
        "hands_by_round": [list(pair) for pair in real.hands()],
        "buckets_by_round": buckets,
        "forgets": forgets,
        "counts": told,
        "real_counts": real.counts().to_dict(),
        "program": program,
        "estimate": {
            "bytes": estimate.bytes,
            "iteration_seconds": estimate.iteration_seconds,
        },
    }


def print_abstraction(found: Abstraction) -> None:
    """Tell people about an abstraction."""
    pair, data = pair_of(found), summary(found)
    small, real = data["counts"], data["real_counts"]
    rows = [
        ("real game", pair.real.name),
        *((key, fact) for key, fact in pair.game.facts.items() if key not in ("cards", "hands")),
        ("hands", pair.game.spec.get("cards", "all apart")),
        *_sizes(small, real),
    ]
    if data["program"] is None:
        whole = _alike(pair.game.counts().infosets)
        rows.append(("forgets", f"{whole} information sets if nothing was; the method is tied"))
    else:
        size = "{rows:,} by {columns:,}, {nonzeros:,} non-zeros".format(**data["program"])
        rows.append(("linear program", size))
    rows.append(("needs about", _needs(data["estimate"])))
    print_facts(pair.game.name, rows)
    groups = _groups(found)
    table = []
    for r, (hands, buckets) in enumerate(
        zip(data["hands_by_round"], data["buckets_by_round"], strict=True)
    ):
        table.append((str(r + 1), _alike(hands), _alike(buckets), *_spread(pair, groups[r], r)))
    heads = ("round", "hands", "buckets", "most hands in one", "likeliest", "error of strength")
    print_table("", heads, table, "the error is the root of the mean square within buckets")


def _sizes(small: dict[str, Any], real: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (key.replace("_", " "), f"{_alike(small[key])}, of {_alike(real[key])}")
        for key in ("infosets", "sequences")
    ]


def _alike(numbers: Any) -> str:
    one, two = numbers
    return f"{one:,}" if one == two else f"{one:,} and {two:,}"


def _groups(found: Abstraction) -> Any:
    """The buckets of player 1, by round."""
    from saddlepoint.abstraction.forgetting import ForgetfulGame

    return found.buckets[0].groups if isinstance(found, ForgetfulGame) else found.groups[0]


def _needs(estimate: dict[str, Any]) -> str:
    from saddlepoint.games.factored_game import Estimate

    return str(Estimate(**estimate))


def _spread(pair: AbstractGame, group: Any, round_: int) -> tuple[str, str, str]:
    """Of player 1's buckets: the largest, the likeliest, and how far strengths are apart."""
    import numpy as np

    from saddlepoint.abstraction.hands import hands_of

    hands = hands_of(pair.real.deal)
    weight, strength = hands.weight[round_], hands.strength(round_)
    mass = np.bincount(group, weight)
    mean = np.bincount(group, weight * strength) / mass
    error = float(np.sqrt(weight @ (strength - mean[group]) ** 2))
    return f"{np.bincount(group).max():,}", f"{mass.max():.2%}", f"{error:.4f}"


def _draw(pair: AbstractGame, file: Path) -> list[Path]:
    from saddlepoint.studies.bucket_plots import bucket_plot
    from saddlepoint.studies.report import write_text

    found = []
    for r in range(len(pair.real.deal.rounds)):
        target = file.with_name(f"{file.stem}-{r + 1}{file.suffix or '.svg'}")
        write_text(target, bucket_plot(pair, r).svg())
        found.append(target)
    return found
