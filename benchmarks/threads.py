"""Speed-up of two threads over one: forests, boosting, the blend, and score cards with many replicates.

    python benchmarks/threads.py [NAME ...] [--rows N] [--rounds N]

Elapsed times are the best of short rounds in turns. Other programs disturb them, so a second process also looks, about
every millisecond, how many threads can run: processor time that passes while only one can is serial. "By threads" is
the speed-up that follows from it, the total over the serial time and half of the other.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from _side_by_side import machine
from calibrant.blending import ProbabilityClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.metrics import evaluate

BAR = 1.8
WATCH = """
import os, select, sys
tasks, before, spent, n_before = f"/proc/{sys.argv[1]}/task", {}, [0, 0], 0
print(flush=True)
while not select.select([sys.stdin], [], [], 0.001)[0]:
    now, n_ready = {}, 0
    for each in os.listdir(tasks):
        try:
            with open(f"{tasks}/{each}/schedstat") as times, open(f"{tasks}/{each}/stat") as state:
                now[each] = int(times.read().split()[0])
                n_ready += state.read().rpartition(")")[2].split()[0] == "R"
        except OSError:
            pass
    passed = sum(now[each] - before.get(each, 0) for each in now) if before else 0
    spent[n_ready + n_before > 2] += passed
    before, n_before = now, n_ready
print(*spent)
"""


def runs(n_rows: int) -> dict[str, Callable[[int], Any]]:
    """Return the work by its name, a function of the number of threads."""
    X, y = make_classification(n_rows, 20, n_informative=10, flip_y=0.1, random_state=0)
    proba = np.random.default_rng(0).beta(1 + y, 2 - y)
    few = slice(n_rows // 4)
    forest = {"n_trees": 50, "max_features": "sqrt", "random_state": 0}
    return {
        "forest": lambda n: BaggedTreesClassifier(n_jobs=n, **forest).fit(X, y),
        "bins": lambda n: BaggedTreesClassifier(max_bins=255, n_jobs=n, **forest).fit(X, y),
        "boosted": lambda n: BoostedTreesClassifier(n_trees=10, random_state=0, n_jobs=n).fit(X, y),
        "stumps": lambda n: BoostedStumpsClassifier(n_trees=200, n_jobs=n).fit(X, y),
        "blend": lambda n: ProbabilityClassifier(random_state=0, n_jobs=n).fit(X[few], y[few]),
        "evaluate": lambda n: evaluate(y, proba, n_boot=10_000, random_state=0, n_jobs=n),
    }


def by_threads(run: Callable[[int], Any]) -> tuple[float, float]:
    """Return the seconds of processor time in which one thread of two could run, and in which both could."""
    command = [sys.executable, "-c", WATCH, str(os.getpid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watch:  # noqa: S603
        assert watch.stdout is not None
        watch.stdout.readline()
        run(2)
        serial, parallel = watch.communicate("\n")[0].split()
    return int(serial) / 1e9, int(parallel) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{machine('numpy', 'scikit-learn')}; {options.rows:,} x 20 (blend: a quarter of the rows), bar {BAR:g}")
    for name, run in runs(options.rows).items():
        if options.names and name not in options.names:
            continue
        elapsed, shares = {1: np.inf, 2: np.inf}, []
        for n in (1, 2) * options.rounds:
            started = time.perf_counter()
            run(n)
            elapsed[n] = min(elapsed[n], time.perf_counter() - started)
        for _ in range(options.rounds):
            serial, parallel = by_threads(run)
            shares.append((serial / (serial + parallel), serial, parallel))
        share, serial, parallel = min(shares)
        load = Path("/proc/loadavg").read_text(encoding="ascii").split()[0]
        print(
            f"  {name:9} {elapsed[1]:6.2f} and {elapsed[2]:6.2f} s: {elapsed[1] / elapsed[2]:.2f} x, load {load}; "
            f"serial {serial:.2f} s, parallel {parallel:.2f} s: by threads {1 / (share + (1 - share) / 2):.2f} x",
            flush=True,
        )


if __name__ == "__main__":
    main()
