"""Two programs on the same work, turn by turn, and the ratio of their best times."""

from __future__ import annotations

import gc
import platform
import time
from collections.abc import Callable
from importlib.metadata import version


def best_of(rounds: int, **contestants: Callable[[], object]) -> dict[str, float]:
    """Run the contestants in turn, ``rounds`` times, and give the best time of each in seconds."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, run in contestants.items():
            gc.collect()
            started = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def machine(*packages: str) -> str:
    """Name the processor, the interpreter and the versions of the packages compared."""
    with open("/proc/cpuinfo") as lines:  # noqa: PTH123
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{model or platform.machine()}, Python {platform.python_version()}, {versions}"
