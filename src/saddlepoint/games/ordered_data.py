"""Ordered games from plain data: tables as they are read from TOML or JSON.

```toml
name = "one bet"
players = 2
signals = ["J", "Q", "K"]
public = [0]
private = [1]
order = "sum"

[[stages]]
player = 1
actions.check = "over"
actions.bet = { player = 2, actions = { fold = "over", call = "over" } }

[payoffs]
"check" = { kind = "pot", paid = [1, 1] }
"bet.fold" = { kind = "constant", payoffs = [1, -1] }
"bet.call" = { kind = "pot", paid = [2, 2] }
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from saddlepoint.core.checks import listed, number, shown, text, whole
from saddlepoint.core.errors import RulesError, unknown
from saddlepoint.games.signals import OrderedGame, Rank, Revealed
from saddlepoint.games.stages import ActionTree, Path, Stage

_KEYS = (
    *("name", "players", "signals", "weights", "values", "public", "private", "order"),
    *("stages", "payoffs"),
)
ORDERS = ("none", "sum", "pair")
KINDS: dict[str, tuple[str, ...]] = {
    "constant": ("payoffs",),
    "pot": ("paid", "in"),
    "value": ("winner", "price", "loser"),
}
# What players get, of the signals alone.
Pay = Callable[[Revealed, tuple[Revealed, ...]], list[float]]
_number = partial(number, error=RulesError)


def ordered_game_of(data: Mapping[str, Any], source: str = "data") -> OrderedGame:
    """The ordered game that plain data describes.

    Parameters
    ----------
    data
        `players`; `signals`, a list of texts; `weights` (all equal) and `values` (1, 2, 3 and
        so on) for each signal; `public` and `private`, how many are revealed in each round;
        `stages`, nested tables with `player` and `actions`, whose ends are `over` or
        `continue`; `payoffs`, a table for every path to the end. Actions of a path are joined
        by dots (without them where all are single letters), rounds by strokes.

        `order` is `none`; `sum`, the sum of the values of one's private signals; or `pair`,
        where a private signal with the value of a public one comes before the sum.

        Payoffs are of one of three kinds. `constant`: `payoffs`, a number for each player.
        `pot`: what each has `paid` goes to the best-ranked of the players `in` (all of them),
        who share it if they are equally good. `value`: the `winner` gets the values of his
        private signals less the `price`, the others nothing; a `loser` loses as much as he
        gets, in a game that sums to zero.
    source
        What to call the data in errors.

    Raises
    ------
    RulesError
        Naming the place in the data that is wrong.

    Examples
    --------
    >>> data = {
    ...     "players": 2,
    ...     "signals": ["J", "Q", "K"],
    ...     "public": [0],
    ...     "private": [1],
    ...     "order": "sum",
    ...     "stages": [
    ...         {
    ...             "player": 1,
    ...             "actions": {
    ...                 "check": "over",
    ...                 "bet": {"player": 2, "actions": {"fold": "over", "call": "over"}},
    ...             },
    ...         }
    ...     ],
    ...     "payoffs": {
    ...         "check": {"kind": "pot", "paid": [1, 1]},
    ...         "bet.fold": {"kind": "constant", "payoffs": [1, -1]},
    ...         "bet.call": {"kind": "pot", "paid": [2, 2]},
    ...     },
    ... }
    >>> game = ordered_game_of(data)
    >>> game.check_order()
    >>> game
    <OrderedGame data: 2 players, 1 round, 3 signals>
    """
    try:
        return _Reader(data, source).game()
    except RulesError as problem:
        raise RulesError(f"{source}: {problem}") from None


class _Reader:
    """Reads the tables one by one, and knows where it is."""

    def __init__(self, data: Any, source: str) -> None:
        if not isinstance(data, Mapping):
            raise RulesError(f"found {shown(data)}, expected a table")
        for key in data:
            if key not in _KEYS:
                raise RulesError(unknown("key", str(key), _KEYS))
        for key in ("players", "signals", "public", "private", "stages", "payoffs"):
            if key not in data:
                raise RulesError(f"'{key}' is missing")
        self.data, self.source = data, source
        self.players = whole("players", data["players"], 1, error=RulesError)
        self.signals = self._list("signals")
        for k, signal in enumerate(self.signals):
            text(f"signals[{k}]", signal, error=RulesError)
        self.values = self._values()
        self.order = text("order", data.get("order", "none"), error=RulesError)
        if self.order not in ORDERS:
            raise RulesError(unknown("order", self.order, ORDERS))

    def _list(self, key: str) -> tuple[Any, ...]:
        return listed(key, self.data[key], "entries", error=RulesError)

    def _values(self) -> dict[Any, float]:
        if "values" not in self.data:
            return {signal: k + 1.0 for k, signal in enumerate(self.signals)}
        given = self._list("values")
        if len(given) != len(self.signals):
            raise RulesError(
                f"values has {len(given)} numbers for {len(self.signals)} signals, expected one "
                "for each"
            )
        pairs = enumerate(zip(self.signals, given, strict=True))
        return {signal: _number(f"values[{k}]", value) for k, (signal, value) in pairs}

    def game(self) -> OrderedGame:
        stages = [Stage.of(table, f"stages[{k}]") for k, table in enumerate(self._list("stages"))]
        weights = self._list("weights") if "weights" in self.data else None
        pays: dict[Path, Pay] = {}
        game = OrderedGame(
            players=self.players,
            stages=stages,
            signals=self.signals,
            public=self._list("public"),
            private=self._list("private"),
            utility=lambda path, public, private: pays[path](public, private),
            rank=self._rank,
            weights=weights,
            name=text("name", self.data.get("name", self.source), error=RulesError),
        )
        pays.update(self._payoffs(game.actions))
        return game

    # The order ------------------------------------------------------------------------

    def _worth(self, private: Revealed) -> float:
        return sum(self.values[signal] for row in private for signal in row)

    @property
    def _rank(self) -> Rank | None:
        if self.order == "none":
            return None
        return self._sum if self.order == "sum" else self._pair

    def _sum(self, public: Revealed, private: Revealed) -> float:
        return self._worth(private)

    def _pair(self, public: Revealed, private: Revealed) -> tuple[bool, float]:
        shared = {self.values[signal] for row in public for signal in row}
        paired = any(self.values[signal] in shared for row in private for signal in row)
        return paired, self._worth(private)

    # Payoffs --------------------------------------------------------------------------

    def _payoffs(self, tree: ActionTree) -> dict[Path, Pay]:
        table = self.data["payoffs"]
        if not isinstance(table, Mapping):
            raise RulesError(f"payoffs is {shown(table)}, expected a table of paths to the end")
        paths = {tree.name(path): path for path in tree.end_of}
        for name in table:
            if name not in paths:
                raise RulesError(unknown("path in payoffs", str(name), paths))
        missing = [name for name in paths if name not in table]
        if missing:
            more = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
            raise RulesError(f"payoffs of the path '{missing[0]}'{more} are missing")
        return {path: self._pay(table[name], f"payoffs['{name}']") for name, path in paths.items()}

    def _pay(self, table: Any, where: str) -> Pay:
        if not isinstance(table, Mapping):
            raise RulesError(f"{where} is {shown(table)}, expected a table with a 'kind'")
        kind = text(f"{where}.kind", table.get("kind"), error=RulesError)
        if kind not in KINDS:
            raise RulesError(unknown(f"kind of {where}", kind, KINDS))
        for key in table:
            if key not in ("kind", *KINDS[kind]):
                raise RulesError(unknown(f"key of {where}", str(key), ("kind", *KINDS[kind])))
        if kind == "constant":
            constant = self._each(table, "payoffs", where)
            return lambda public, private: constant
        if kind == "pot":
            return self._pot(table, where)
        return self._value(table, where)

    def _each(self, table: Mapping[str, Any], key: str, where: str) -> list[float]:
        """A number for each player."""
        place = f"{where}.{key}"
        found = listed(place, table.get(key), "numbers", error=RulesError)
        if len(found) != self.players:
            raise RulesError(
                f"{place} has {len(found)} numbers, expected one for each of {self.players} players"
            )
        return [_number(f"{place}[{k}]", value) for k, value in enumerate(found)]

    def _player(self, table: Mapping[str, Any], key: str, where: str) -> int:
        return whole(f"{where}.{key}", table.get(key), 1, self.players, error=RulesError)

    def _pot(self, table: Mapping[str, Any], where: str) -> Pay:
        paid, rank = self._each(table, "paid", where), self._rank
        everybody = range(1, self.players + 1)
        given = listed(f"{where}.in", table.get("in", everybody), "players", error=RulesError)
        still = [
            whole(f"{where}.in[{k}]", one, 1, self.players, error=RulesError)
            for k, one in enumerate(given)
        ]
        if not still or len(set(still)) != len(still):
            raise RulesError(f"{where}.in is {shown(given)}, expected players, each once")
        if rank is None:
            raise RulesError(
                f"{where} is a pot for the best-ranked player but there is no order, expected "
                'order = "sum" or "pair"'
            )

        def pay(public: Revealed, private: tuple[Revealed, ...]) -> list[float]:
            ranks = {one: rank(public, private[one - 1]) for one in still}
            best = [one for one in still if ranks[one] == max(ranks.values())]
            won = [-amount for amount in paid]
            for one in best:
                won[one - 1] += sum(paid) / len(best)
            return won

        return pay

    def _value(self, table: Mapping[str, Any], where: str) -> Pay:
        winner = self._player(table, "winner", where)
        price = _number(f"{where}.price", table.get("price"))
        loser = self._player(table, "loser", where) if "loser" in table else None
        if loser == winner:
            raise RulesError(f"{where}.loser is {loser}, the winner; expected another player")

        def pay(public: Revealed, private: tuple[Revealed, ...]) -> list[float]:
            gain = self._worth(private[winner - 1]) - price
            won = [0.0] * self.players
            won[winner - 1] = gain
            if loser is not None:
                won[loser - 1] = -gain
            return won

        return pay
