r"""Public buckets: boards of similar texture, by what they do to hands.

Take a base abstraction with buckets a of round r - 1 and b of round r. A board B of round r has
a *transition table*, the probabilities

$$T_B[a, b] = P(b \mid a, B)$$

that a hand of bucket a turns into one of bucket b on that board. K-means on the tables,
weighted by the probabilities of the boards, gives the public buckets, and the public bucket of
a hand is that of its board (thesis 004, section 2.3.2). So boards that favour different hands
come apart, although a strength does not show it.

What the text leaves open:

* *What is divided by what* (`tables`). `conditional` is the table above; buckets a that the
  board rules out have rows of zeros. `joint` is $P(a, b \mid B)$, in which rare rows count less.
* *The base abstraction* is the caller's. `saddlepoint.abstraction.notation` takes percentile
  buckets by hs2 of all hands of a round by default. Before the first round there is one bucket.
* *Remembered public buckets.* A player who still knows the public bucket of a round before is
  given new ones within it: the boards below each are clustered by themselves, which tells him
  the most that so many new buckets can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.abstraction.buckets import Buckets, checked
from saddlepoint.abstraction.cluster import lloyd
from saddlepoint.abstraction.hands import Classes, Hands, levels, numbered
from saddlepoint.core.checks import whole
from saddlepoint.core.errors import GameError, SettingsError, SizeError, unknown
from saddlepoint.core.seeds import derived

Tables = NDArray[np.float64]

TABLES = ("conditional", "joint")
STARTS = 25
MOST_ENTRIES = 250_000_000


def boards_of(hands: Hands, round_: int) -> Classes:
    """The board of each hand of a round, counted from 0 in the order of their numbers.

    Raises
    ------
    GameError
        If the hands do not say which public cards they have in front of them.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.games.poker import leduc
    >>> boards_of(hands_of(leduc().deal), 1).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    if hands.public is None:
        raise GameError(
            "the deal does not say which cards are public, expected one of cards: there are no "
            "public buckets without"
        )
    return numbered(hands.public[round_])


def transitions(hands: Hands, round_: int, base: Buckets, tables: str = "conditional") -> Tables:
    """The transition table of each board.

    Parameters
    ----------
    hands
        The hands of a player.
    round_
        The round of the boards.
    base
        The base abstraction; only its buckets in this round and the one before matter.
    tables
        `conditional` or `joint`.

    Returns
    -------
    array
        For each board, a row for each bucket of the round before (one before the first round)
        and a column for each bucket of the round.

    Raises
    ------
    SizeError
        If there are too many boards and buckets.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.abstraction.percentile import percentile_buckets
    >>> from saddlepoint.games.poker import leduc
    >>> hands = hands_of(leduc().deal)
    >>> base = percentile_buckets(hands, (3, 2), forget=True)
    >>> transitions(hands, 1, base)[0].round(3).tolist()  # a jack: good for jacks and kings
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    if tables not in TABLES:
        raise SettingsError(unknown("tables", tables, TABLES))
    checked(base, hands)
    board = boards_of(hands, round_)
    before = base.groups[round_ - 1][hands.up[round_]] if round_ else np.zeros_like(board)
    after = base.groups[round_]
    shape = (int(board.max()) + 1, base.sizes[round_ - 1] if round_ else 1, base.sizes[round_])
    entries = shape[0] * shape[1] * shape[2]
    if entries > MOST_ENTRIES:
        raise SizeError(
            f"transition tables of {shape[0]:,} boards from {shape[1]:,} to {shape[2]:,} buckets "
            f"in round {round_ + 1} have {entries:,} entries, expected {MOST_ENTRIES:,} at most: "
            "take a base abstraction with fewer buckets"
        )
    place = np.ravel_multi_index((board, before, after), shape)
    joint = np.bincount(place, hands.weight[round_], entries).reshape(shape)
    held = joint.sum(axis=2 if tables == "conditional" else (1, 2), keepdims=True)
    found: Tables = joint / np.where(held > 0, held, 1.0)
    return found


def public_buckets(
    hands: Hands,
    round_: int,
    n: int,
    base: Buckets,
    *,
    above: ArrayLike | None = None,
    tables: str = "conditional",
    restarts: int = STARTS,
    seed: int = 0,
) -> Classes:
    """The public bucket of each hand of a round: boards with similar transition tables.

    Parameters
    ----------
    hands
        The hands of a player.
    round_
        The round.
    n
        At most so many public buckets, within each remembered one. Boards with equal tables
        always share one, so there are fewer where fewer tables differ.
    base
        The base abstraction.
    above
        The remembered public bucket of each hand of the round, equal for hands of one board;
        all the same if absent.
    tables
        `conditional` or `joint`.
    restarts, seed
        How often k-means starts, and the seed of the starts.

    Returns
    -------
    array
        Buckets are numbered by the remembered one and then by their first boards; all numbers
        are used. Without public cards there is one.

    Raises
    ------
    GameError
        If the hands do not say which public cards they have, or hands of one board have
        different remembered public buckets.

    Examples
    --------
    >>> from saddlepoint.abstraction.hands import hands_of
    >>> from saddlepoint.abstraction.percentile import percentile_buckets
    >>> from saddlepoint.games.poker import rhode_island
    >>> hands = hands_of(rhode_island().deal)
    >>> base = percentile_buckets(hands, (13, 20, 20), forget=True)
    >>> found = public_buckets(hands, 1, 2, base)
    >>> boards = [name.split("|")[1][0] for name in hands.names[1]]
    >>> ["".join(sorted({b for b, k in zip(boards, found) if k == j})) for j in (0, 1)]
    ['2345678', '9AJKQT']
    """
    whole("n", n, 1)
    board = boards_of(hands, round_)
    known = np.zeros_like(board) if above is None else np.asarray(above, np.int64)
    if known.shape != board.shape:
        raise SettingsError(
            f"remembered public buckets of shape {known.shape}, expected one for each of "
            f"{len(board):,} hands"
        )
    earlier = np.zeros(int(board.max()) + 1, np.int64)
    earlier[board] = known
    if (earlier[board] != known).any():
        at = int(np.argmax(earlier[board] != known))
        raise GameError(
            f"hands on the board of '{hands.names[round_][at]}' have different remembered public "
            "buckets, expected one"
        )
    points = _alike(transitions(hands, round_, base, tables).reshape(len(earlier), -1))
    points = points[:, points.any(axis=0)]
    chance = np.bincount(board, hands.weight[round_])
    part = np.zeros(len(earlier), np.int64)
    for k in np.unique(earlier).tolist():
        here = np.flatnonzero(earlier == k)
        rng = derived(seed, "public", round_, k)
        part[here] = lloyd(points[here], chance[here], n, restarts=restarts, seed=rng).groups
    return numbered(earlier, part)[board]


def _alike(table: Tables) -> Tables:
    """The table with numbers that differ by rounding made equal, so that equal rows are."""
    flat = table.ravel()
    level = levels(flat)
    value = np.empty(int(level.max()) + 1)
    value[level] = flat
    found: Tables = value[level].reshape(table.shape)
    return found
