"""How large a game is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Sizes of a game tree and of its sequence form.

    Parameters
    ----------
    nodes
        All nodes of the tree: chance nodes, decision nodes and leaves.
    chance_nodes, decision_nodes, leaves
        The same by kind.
    infosets, sequences
        Of player 1 and of player 2; the empty sequence counts.
    """

    nodes: int
    chance_nodes: int
    decision_nodes: int
    leaves: int
    infosets: tuple[int, int]
    sequences: tuple[int, int]

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data."""
        return asdict(self)
