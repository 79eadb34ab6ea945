"""Timing of several programs on the same work, taking turns."""

from __future__ import annotations

import gc
import platform
import time
from collections.abc import Callable
from importlib.metadata import version


def best_of(
    rounds: int, clock: Callable[[], float] = time.perf_counter, **contestants: Callable[[], object]
) -> dict[str, float]:
    """Run the contestants in turn, ``rounds`` times, and return the best time of each in seconds."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, run in contestants.items():
            gc.collect()
            started = clock()
            run()
            best[name] = min(best[name], clock() - started)
    return best


def machine(*packages: str) -> str:
    """Return the processor, the Python version and the versions of packages as text."""
    with open("/proc/cpuinfo") as lines:  # noqa: PTH123
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{model or platform.machine()}, Python {platform.python_version()}, {versions}"
