"""Readable names of information sets and of their actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Names(Protocol):
    """Readable names of information sets and of their actions."""

    def infoset(self, i: int) -> str:
        """The name of information set i."""

    def action(self, i: int, a: int) -> str:
        """The name of action a of information set i."""


@dataclass(frozen=True)
class ListedNames:
    """Names given as lists: one per information set, and its actions."""

    infosets: Sequence[str]
    actions: Sequence[Sequence[str]]

    def infoset(self, i: int) -> str:
        """The name of information set i."""
        return self.infosets[i]

    def action(self, i: int, a: int) -> str:
        """The name of action a of information set i."""
        return self.actions[i][a]


class NumberedNames:
    """Names for information sets that have none: `I3`, `a1`."""

    def infoset(self, i: int) -> str:
        """The name of information set i."""
        return f"I{i}"

    def action(self, i: int, a: int) -> str:
        """The name of action a of information set i."""
        return f"a{a}"
