"""What the shell completes: games and their parameters, methods, files.

The names are written down once more here, because the catalogue loads NumPy and a shell does
not wait for that; a test compares them with the catalogue and with the methods. Bash, which parts
words at colons, completes the names of games only; Zsh and Fish their parameters too.
"""

from __future__ import annotations

from pathlib import Path

GAMES = {
    "kuhn": "ante bet raises ranks",
    "leduc": "ante bets raises ranks suits isomorphism realisation",
    "no-limit-kuhn": "stack menu step ranks",
    "no-limit-leduc": "stack menu ante ranks suits isomorphism realisation",
    "clairvoyance": "stack menu step",
    "rhode-island": "ante bets raises ranks suits isomorphism realisation",
    "rock-paper-scissors": "",
    "matching-pennies": "",
    "uniform-random": "rows columns seed low high",
    "proposition-one": "k",
    "hide-and-seek": "weights",
    "blotto": "units fields",
    "morra": "fingers",
}
METHODS = (
    *("auto", "lp", "cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "hs-dcfr"),
    *("egt", "egt-2", "smoothing", "iterated", "tied", "mccfr"),
)
GAME_FILES = (".toml", ".efg", ".nfg")
STRATEGY_FILES = (".saddle", ".json")


def games(incomplete: str) -> list[str]:
    """Games by name, with their parameters after a colon, and files of games."""
    return [*_named(incomplete), *_files(incomplete, GAME_FILES)]


def strategies(incomplete: str) -> list[str]:
    """Files of strategies, and `uniform:` with a game."""
    kind, sign, rest = incomplete.partition(":")
    if sign and kind == "uniform":
        return [f"uniform:{game}" for game in _named(rest)]
    uniform = ["uniform:"] if "uniform:".startswith(incomplete) else []
    return [*uniform, *_files(incomplete, STRATEGY_FILES)]


def games_and_strategies(incomplete: str) -> list[str]:
    """Whatever is either."""
    return [*_named(incomplete), *_files(incomplete, (*GAME_FILES, *STRATEGY_FILES))]


def methods(incomplete: str) -> list[str]:
    """Methods by name."""
    return [name for name in METHODS if name.startswith(incomplete)]


def _named(text: str) -> list[str]:
    """Names of games that begin so, or what can follow a game and its colon.

    >>> _named("no-limit-k"), _named("morra:"), _named("leduc:bets=1/2,ra")
    (['no-limit-kuhn'], ['morra:fingers='], ['leduc:bets=1/2,raises=', 'leduc:bets=1/2,ranks='])
    """
    name, colon, rest = text.partition(":")
    if not colon:
        return [game for game in GAMES if game.startswith(text)]
    before, comma, last = rest.rpartition(",")
    if "=" in last or name not in GAMES:
        return []
    given = {part.partition("=")[0] for part in before.split(",")}
    return [
        f"{name}:{before}{comma}{key}="
        for key in GAMES[name].split()
        if key.startswith(last) and key not in given
    ]


def _files(text: str, endings: tuple[str, ...]) -> list[str]:
    """Files that begin so and end right, and folders that may hold some."""
    place = Path(text) if text.endswith("/") else Path(text).parent
    head = text[: text.rfind("/") + 1]
    try:
        found = sorted(place.iterdir())
    except OSError:
        return []
    return [
        f"{head}{path.name}{'/' if path.is_dir() else ''}"
        for path in found
        if f"{head}{path.name}".startswith(text)
        and (path.name[0] != "." or text[len(head) :].startswith("."))
        and (path.suffix in endings or path.is_dir())
    ]
