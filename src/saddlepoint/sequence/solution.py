"""Solutions: a profile, what it is worth, and how it was found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core import store
from saddlepoint.core.errors import StoreError
from saddlepoint.sequence.form import Problem
from saddlepoint.sequence.response import gap as gap_of_plans
from saddlepoint.sequence.strategy import Profile


class Status(Enum):
    """Why a solver stopped, and what to do if that is not enough."""

    CONVERGED = "converged"
    ITERATIONS = "out of iterations"
    SECONDS = "out of time"
    INTERRUPTED = "interrupted"
    PRECISION = "at the limit of its precision"

    @property
    def cure(self) -> str:
        """What to do to get further; empty where the goal was reached."""
        return {
            Status.CONVERGED: "",
            Status.ITERATIONS: "resume with more iterations",
            Status.SECONDS: "resume with more seconds, or ask for a larger gap",
            Status.INTERRUPTED: "resume from the checkpoint",
            Status.PRECISION: "ask for a larger gap, or for an exact solution of a small game",
        }[self]


@dataclass(frozen=True)
class Trace:
    """What a solver measured on its way: one entry of each array per measurement."""

    iterations: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    seconds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    gap: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.iterations)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file holds."""
        return {
            "trace_iterations": self.iterations,
            "trace_seconds": self.seconds,
            "trace_gap": self.gap,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Trace:
        """The trace in a file that was read."""
        return cls(*(np.array(arrays[f"trace_{key}"]) for key in ("iterations", "seconds", "gap")))


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a solver returns.

    Parameters
    ----------
    profile
        Both players' strategies.
    value
        Expected payoff to player 1 when both play them.
    lower, upper
        Certified bounds on the value of the game: what player 1's strategy guarantees,
        and what player 2's strategy concedes at most. `gap` is their difference.
    method, settings
        The algorithm and everything it was told.
    iterations, seconds, status, trace
        How it went.
    notes
        Further facts a method has to tell, as plain data.
    sources
        What to cite: keys of `saddlepoint.core.bibliography`.
    """

    profile: Profile
    value: float
    lower: float
    upper: float
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    iterations: int = 0
    seconds: float = 0.0
    status: Status = Status.CONVERGED
    trace: Trace = field(default_factory=Trace)
    notes: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """The sum of both players' best-response gains; never negative but for rounding."""
        return max(0.0, self.upper - self.lower)

    @property
    def exploitability(self) -> float:
        """Half the gap."""
        return self.gap / 2

    def summary(self) -> dict[str, Any]:
        """The solution without its strategies, as plain data."""
        return {
            "game": self.profile.form.name,
            "method": self.method,
            "value": self.value,
            "gap": self.gap,
            "exploitability": self.exploitability,
            "lower": self.lower,
            "upper": self.upper,
            "unit": self.profile.form.unit.name,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "status": self.status.value,
            "settings": dict(self.settings),
            "sources": list(self.sources),
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def save(self, path: str | os.PathLike[str], compact: bool = False) -> Path:
        """Write the solution to a file, atomically.

        Parameters
        ----------
        path
            The file.
        compact
            Keep probabilities in 16 bits, a quarter of the room. Value and bounds in the file
            are those of the strategies so rounded.
        """
        if not compact:
            return store.write(path, self.manifest(), self.arrays())
        small = self.rounded()
        arrays = {**self.profile.compact_arrays(), **self.trace.arrays()}
        return store.write(path, small.manifest(), arrays)

    def rounded(self) -> Solution:
        """The solution that a compact file holds, measured anew."""
        profile = self.profile.rounded()
        form, x, y = profile.form, profile.first.plan, profile.second.plan
        found = gap_of_plans(form.X, form.Y, form.A, x, y)
        value = float(x @ (form.A @ y))
        return replace(self, profile=profile, value=value, lower=found.lower, upper=found.upper)

    def manifest(self) -> dict[str, Any]:
        """What a file says of the solution."""
        return self.profile.manifest() | {"kind": "solution", "solution": self.summary()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file holds."""
        return {**self.profile.arrays(), **self.trace.arrays()}

    @classmethod
    def of_artefact(
        cls, artefact: store.Artefact, problem: Problem, path: str = "file"
    ) -> Solution:
        """The solution in a file that was read, for the game that it was made for."""
        found = artefact.manifest.get("solution")
        if artefact.manifest.get("kind") != "solution" or not isinstance(found, dict):
            raise StoreError(
                f"{path} holds a {artefact.manifest.get('kind', 'file')}, expected a solution"
            )
        keys = ("value", "lower", "upper", "method", "settings", "iterations", "seconds")
        return cls(
            profile=Profile.of_artefact(artefact, problem, path),
            status=Status(found["status"]),
            trace=Trace.of_arrays(artefact.arrays),
            notes=found.get("notes", {}),
            sources=tuple(found.get("sources", ())),
            **{key: found[key] for key in keys},
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{key}</th><td>{value}</td></tr>"
            for key, value in self.summary().items()
            if key not in ("settings", "notes")
        )
        return f"<table>{rows}</table>{self.profile._repr_html_()}"

    def __repr__(self) -> str:
        return (
            f"<Solution of {self.profile.form.name} by {self.method}: value {self.value:.6g}, "
            f"gap {self.gap:.3g}, {self.status.value}>"
        )
