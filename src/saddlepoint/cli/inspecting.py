"""Looking at games and strategies: `games`, `info`, `show`, `cite`."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

import typer

from saddlepoint.cli import completing
from saddlepoint.cli.output import print_facts, print_json, print_table

Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
GameText = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A name with parameters, a .toml, .efg or .nfg file.",
        autocompletion=completing.games,
    ),
]
StrategyFile = Annotated[
    str,
    typer.Argument(
        metavar="STRATEGY",
        help="A .saddle file, or strategies as JSON.",
        autocompletion=completing.strategies,
    ),
]
GameOption = Annotated[
    str | None,
    typer.Option(
        "--game", help="The game, if the file cannot tell.", autocompletion=completing.games
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (games, info, show, cite):
        app.command()(command)


def games(json: Json = False) -> None:
    """List the games of the catalogue and their parameters."""
    from saddlepoint.games.catalogue import CATALOGUE, NEEDED

    if json:
        print_json(
            {
                "games": [
                    {
                        "name": name,
                        "summary": entry.summary,
                        "parameters": {
                            key: {
                                "default": None if default is NEEDED else default,
                                "needed": default is NEEDED,
                                "meaning": entry.meanings[key],
                            }
                            for key, default in entry.parameters.items()
                        },
                    }
                    for name, entry in CATALOGUE.items()
                ]
            }
        )
        return
    for name, entry in CATALOGUE.items():
        facts = [
            (f"{key}={'...' if default is NEEDED else _default(default)}", entry.meanings[key])
            for key, default in entry.parameters.items()
        ]
        print_facts(f"{name}: {entry.summary}", facts)
    print("Use them as no-limit-leduc:stack=12,menu=fcpa, or bring a .toml, .efg or .nfg file.")


def _default(value: Any) -> str:
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def info(game: GameText, json: Json = False) -> None:
    """Tell the rules and the size of a game or an abstraction, and what solving it will take."""
    from saddlepoint.abstraction.files import game_named, is_abstraction, load_abstraction
    from saddlepoint.games.factored_game import FactoredGame

    if is_abstraction(game):
        _abstraction(load_abstraction(game), json)
        return
    found: Any = game_named(game)
    facts = dict(getattr(found, "facts", {}))
    sizes: dict[str, Any] = {"counts": found.counts().to_dict()}
    if isinstance(found, FactoredGame):
        sizes["betting_decisions"], sizes["hands_by_round"] = (
            found.betting_decisions(),
            found.hands(),
        )
        estimate = found.estimate()
        needs = {"bytes": estimate.bytes, "iteration_seconds": estimate.iteration_seconds}
        told = str(estimate)
    else:
        needs, told = _needs(found)
    if json:
        print_json(
            {
                "game": found.name,
                "spec": dict(found.spec),
                "unit": found.unit.name,
                "rules": facts,
                **sizes,
                "estimate": needs,
                "sources": list(getattr(found, "sources", ())),
            }
        )
        return
    rows = [("payoffs in", found.unit.name), *facts.items()]
    if isinstance(found, FactoredGame):
        rows.append(("betting decisions", f"{sizes['betting_decisions']:,}"))
        rows.append(("hands by round", " / ".join(map(_alike, sizes["hands_by_round"]))))
    rows += [(key.replace("_", " "), _both(count)) for key, count in sizes["counts"].items()]
    rows.append(("needs about", told))
    print_facts(found.name, rows)


def _abstraction(found: Any, json: bool) -> None:
    from saddlepoint.cli.abstracting import print_abstraction, summary

    if json:
        print_json(summary(found))
    else:
        print_abstraction(found)


def _needs(found: Any) -> tuple[dict[str, Any], str]:
    """What a game needs that is there as a whole, or why it has no sequence form."""
    from saddlepoint.core.errors import RecallError

    try:
        form = found.sequence_form()
    except RecallError as problem:
        return {"refused": str(problem)}, f"nothing can solve it exactly: {problem}"
    size = form.A.n_bytes + form.X.n_bytes + form.Y.n_bytes
    return {"bytes": size}, f"{size / 1e6:,.1f} MB"


def _both(count: Any) -> str:
    return " and ".join(f"{n:,}" for n in count) if isinstance(count, tuple) else f"{count:,}"


def _alike(pair: tuple[int, int]) -> str:
    """The number of both players, once if it is the same."""
    return f"{pair[0]:,}" if pair[0] == pair[1] else _both(pair)


def show(
    strategy: StrategyFile,
    game: GameOption = None,
    player: Annotated[int, typer.Option(min=0, max=2, help="1 or 2; 0 for both.")] = 0,
    infoset: Annotated[
        list[str] | None, typer.Option("--infoset", "-i", help="Only this information set.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most information sets of a player.")] = 40,
    json: Json = False,
) -> None:
    """Print a strategy: the probabilities at its information sets."""
    from saddlepoint.api import load, profile_of

    profile = profile_of(load(strategy, game, mapped=True))
    wanted = [s for s in profile if player in (0, s.player)]
    tables = {s.player: _rows(s, infoset, limit) for s in wanted}
    for name in infoset or ():
        if not any(name in s for s in wanted):
            wanted[0].treeplex.find(name)  # raises, and tells what there is
    if json:
        rows = {p: [row._asdict() for row in table] for p, table in tables.items()}
        print_json({"game": profile.form.name, "players": rows})
        return
    for s in wanted:
        table = [
            (
                row.infoset,
                f"{row.reach:.4f}",
                "  ".join(f"{action} {p:.4f}" for action, p in row.actions.items()),
            )
            for row in tables[s.player]
        ]
        more = 0 if infoset else len(s) - len(table)
        if table:
            title = f"{profile.form.name}, player {s.player}"
            note = f"and {more:,} more (--limit, --infoset)" if more else ""
            print_table(title, ("information set", "reach", "strategy"), table, note)


def _rows(strategy: Any, names: list[str] | None, limit: int) -> list[Any]:
    if not names:
        return list(islice(strategy.rows(), limit))
    return [strategy.row(name) for name in names if name in strategy]


def cite(
    what: Annotated[
        str,
        typer.Argument(
            metavar="STRATEGY|GAME",
            help="A file of strategies, or a game.",
            autocompletion=completing.games_and_strategies,
        ),
    ],
    bibtex: Annotated[bool, typer.Option("--bibtex", help="As BibTeX entries.")] = False,
    json: Json = False,
) -> None:
    """Print the works to cite for a solution or a game."""
    from saddlepoint.cli.files import holds_strategies
    from saddlepoint.core import store
    from saddlepoint.core.bibliography import works
    from saddlepoint.sequence.strategy_text import tables_of_text

    if store.is_archive(what):
        manifest = store.read(what, mapped=True, verify=False).manifest
        solved = manifest.get("solution", {})
        keys = solved["sources"] if "sources" in solved else _sources(manifest.get("game", {}))
    elif holds_strategies(what):
        keys = _sources(tables_of_text(store.content(what), what).get("spec", {}))
    else:
        from saddlepoint.games.catalogue import game as game_named

        keys = getattr(game_named(what), "sources", ())
    found = works(keys)
    if json:
        print_json({"works": {key: work.__dict__ for key, work in found.items()}})
        return
    for key, work in found.items():
        print(work.bibtex(key) if bibtex else work.text())
    if not found:
        print("nothing to cite is recorded")


def _sources(spec: Any) -> Any:
    """What to cite for a game that a file was made for, if it can tell."""
    from saddlepoint.abstraction.shrink import game_of_spec
    from saddlepoint.core.errors import SaddlepointError

    try:
        return getattr(game_of_spec(spec), "sources", ())
    except SaddlepointError:
        return ()
