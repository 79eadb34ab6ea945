"""Size and loading time of a forest's model file against joblib files of scikit-learn's forest on the same rows.

The bars: 100 trees of 100,000 rows load in under 0.1 s; compressed, the file is at most two thirds of a compressed
joblib file; mapped, it is at most as large as a plain one. Loading is timed by the clock, best of several, in a process
that has the library imported; the first prediction, which unpacks the trees, is shown beside it.

    python benchmarks/model_files.py [--rows 100000] [--trees 100]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import calibrant
from calibrant.ensembles import BaggedTreesClassifier

REPEATS = 7
MAX_SECONDS, MAX_COMPRESSED, MAX_MAPPED = 0.1, 2 / 3, 1.0


def problem(n_rows: int) -> tuple[Any, Any]:
    """Return numeric columns of which half matter, with a tenth of the classes drawn at random."""
    return make_classification(n_rows, 20, n_informative=10, flip_y=0.1, random_state=0)


def best_seconds(work: Callable[[], Any]) -> float:
    """Return the least time of several runs."""
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--trees", type=int, default=100)
    arguments = parser.parse_args()
    X, y = problem(arguments.rows)
    ours = BaggedTreesClassifier(n_trees=arguments.trees, random_state=0, n_jobs=-1).fit(X, y)
    theirs = RandomForestClassifier(arguments.trees, random_state=0, n_jobs=-1).fit(X, y)
    n_ours = sum(tree.n_nodes for tree in ours.trees_)
    n_theirs = sum(tree.tree_.node_count for tree in theirs.estimators_)
    print(f"{arguments.rows:,} rows, {arguments.trees} trees: {n_ours:,} nodes, scikit-learn's have {n_theirs:,}")
    with tempfile.TemporaryDirectory() as folder:
        return report(ours, theirs, X, Path(folder))


def report(ours: Any, theirs: Any, X: Any, folder: Path) -> int:
    """Print sizes and times; return 1 where a bar is missed."""
    mapped, small = folder / "mapped.calibrant", folder / "small.calibrant"
    calibrant.save(ours, mapped)
    calibrant.save(ours, small, compress=True)
    plain, compressed = folder / "plain.joblib", folder / "compressed.joblib"
    joblib.dump(theirs, plain)
    joblib.dump(theirs, compressed, compress=True)
    for name, path in (("mapped", mapped), ("compressed", small)):
        loaded = calibrant.load_model(path)
        started = time.perf_counter()
        proba = loaded.predict_proba(X[:1000])
        first = time.perf_counter() - started
        is_same = np.array_equal(proba, ours.predict_proba(X[:1000]))
        seconds = best_seconds(lambda path=path: calibrant.load_model(path))
        print(
            f"{name:>18}: {megabytes(path):8.2f} MB, loads in {seconds:.3f} s, first rows in {first:.2f} s, {is_same=}"
        )
    for path in (plain, compressed):
        seconds = best_seconds(lambda path=path: joblib.load(path))
        print(f"{path.name:>18}: {megabytes(path):8.2f} MB, loads in {seconds:.3f} s")
    loading = best_seconds(lambda: calibrant.load_model(mapped))
    bars = {
        f"loads in {loading:.3f} s (at most {MAX_SECONDS})": loading < MAX_SECONDS,
        f"compressed {megabytes(small) / megabytes(compressed):.3f} of joblib's (at most {MAX_COMPRESSED:.3f})": (
            megabytes(small) <= MAX_COMPRESSED * megabytes(compressed)
        ),
        f"mapped {megabytes(mapped) / megabytes(plain):.3f} of joblib's (at most 1)": (
            megabytes(mapped) <= MAX_MAPPED * megabytes(plain)
        ),
    }
    for bar, is_met in bars.items():
        print(f"{'met' if is_met else 'MISSED'}: {bar}")
    return 0 if all(bars.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
