"""Reports of a million predictions: seconds on one core, imports included, and megabytes of the file."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from _side_by_side import machine

Array = np.ndarray[Any, Any]
N_ROWS = 1_000_000
MOST_SECONDS, MOST_MEGABYTES = 10.0, 3.0
COSTS = [[0.0, 1.0], [9.0, 0.0]]
CASES = {
    "one model": (1, None),
    "one model with a cost matrix": (1, COSTS),
    "four models of 250,000 rows": (4, None),
}


def predictions(n_rows: int, n_models: int) -> tuple[Array, dict[str, Array]]:
    """Draw classes and the probabilities of models that are noisy and overconfident, except the first of several."""
    rng = np.random.default_rng(0)
    odds = rng.normal(-2.0, 1.5, n_rows)
    y = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-odds))).astype(np.int64)
    models = {}
    for number in range(n_models):
        slope, noise = (1.3, 0.0) if n_models == 1 else (1.0 + 0.15 * number, 0.25 * number)
        models[f"model {number + 1}"] = 1.0 / (1.0 + np.exp(-slope * odds - rng.normal(0.0, noise, n_rows)))
    return y, models


def run_case(name: str, n_rows: int, path: Path) -> None:
    """Write a report in this process, which has imported nothing of calibrant, and print its seconds."""
    n_models, costs = CASES[name]
    y, models = predictions(n_rows // n_models, n_models)
    started = time.process_time(), time.perf_counter()
    from calibrant.report import Report

    Report.from_predictions(y, models, costs=costs).save(path)
    print(f"{time.process_time() - started[0]:.3f} {time.perf_counter() - started[1]:.3f}")


def time_case(name: str, n_rows: int, rounds: int) -> None:
    """Print the least of several runs, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        command = [sys.executable, __file__, "--case", name, "--rows", str(n_rows), "--to", str(path)]
        runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(rounds)]  # noqa: S603
        size = path.stat().st_size / 1e6
    processor, elapsed = min(tuple(map(float, run.split())) for run in runs)
    bars = f"(bars {MOST_SECONDS:g} s and {MOST_MEGABYTES:g} MB)"
    print(f"  {name:<30} {processor:6.2f} s of the processor, {elapsed:6.2f} s elapsed, {size:5.2f} MB {bars}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--to", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        run_case(options.case, options.rows, options.to)
        return
    print(machine("numpy", "scikit-learn", "altair", "vl-convert-python"))
    print(f"{options.rows:,} predictions; load of the machine {os.getloadavg()[0]:.1f}")
    for name in CASES:
        time_case(name, options.rows, options.rounds)


if __name__ == "__main__":
    main()
