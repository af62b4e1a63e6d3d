"""How benchmarks measure and report: JSON lines, one a measurement.

Every line has `benchmark`, `who` (ours or a peer), what was measured with its unit in the
name, and the cost model where a kernel is measured. Peers run in the same process and
run, on one thread; a peer that is not installed is said to be missing.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def report(benchmark: str, who: str, **figures: Any) -> None:
    """Print one line."""
    print(json.dumps({"benchmark": benchmark, "who": who, **figures}), flush=True)


def seconds(work: Callable[[], Any], repeat: int = 7, least: float = 0.02) -> float:
    """Median seconds of a call, each repetition at least so long, after one warm call."""
    work()
    times = []
    for _ in range(repeat):
        count, began = 0, time.perf_counter()
        while True:
            work()
            count += 1
            spent = time.perf_counter() - began
            if spent >= least:
                break
        times.append(spent / count)
    return statistics.median(times)


def in_turn(*works: Callable[[], Any], repeat: int = 9) -> list[float]:
    """Median seconds of several calls, made in turn so that a busy machine slows them alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeat + 1):
        for row, work in zip(times, works, strict=True):
            row.append(once(work)[0])
    return [statistics.median(row[1:]) for row in times]


def once(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a single call, and what it returned."""
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def fresh(code: str, repeat: int = 5) -> float:
    """Median seconds of a fresh interpreter that runs some code, after one warm run."""
    times = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def peak_megabytes(code: str) -> float:
    """Peak resident megabytes of a fresh interpreter that runs some code.

    From the kernel's own record of the process: `getrusage` would begin with the memory of
    the process that started it.
    """
    tail = "\nprint([line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line][0])"
    done = subprocess.run(
        [sys.executable, "-c", code + tail], check=True, capture_output=True, text=True
    )
    return float(done.stdout.split()[-1]) / 1024
