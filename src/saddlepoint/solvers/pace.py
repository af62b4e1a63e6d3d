"""Iterations in portions of about the wanted time, for runs whose iterations are compiled."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod


class Paced(ABC):
    """A run that iterates in compiled code."""

    iterations: int = 0
    # Iterations a second; the first portion is one iteration.
    _pace = 1.0

    @abstractmethod
    def _iterate(self, count: int) -> None:
        """Do so many iterations, and count them in `iterations`."""

    def advance(self, iterations: int, seconds: float) -> None:
        """Do at most so many iterations, at least one, and return after about so long."""
        end, deadline = self.iterations + iterations, time.perf_counter() + seconds
        while self.iterations < end:
            affordable = max(1.0, (deadline - time.perf_counter()) * self._pace)
            count = int(min(end - self.iterations, affordable))
            began = time.perf_counter()
            self._iterate(count)
            self._pace = count / max(1e-9, time.perf_counter() - began)
            if time.perf_counter() >= deadline:
                return
