"""Many rows: bins compared with exact growth and oneDAL, memory, cost by rows, quality, and training on Dask.

    python benchmarks/scale.py [SECTION ...] [--rows N] [--trees N] [--rounds N] [--threads N]

Sections: bins, forests, memory, rows, exact, quality, dask, xgboost, processor; all of them without a name.
``--rows`` replaces the size of every section by a smaller one, to try it. The programs of a section take turns.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from _scale_dask import against_xgboost, processor_seconds, two_workers
from _scale_data import C_POSITIVES, large_table, run_child
from _side_by_side import best_of, machine
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.trees import ProbabilityTreeClassifier
from forests import onedals, ours
from forests import scores as forest_scores
from trees import PLAIN, continuous, leaves, scores

MAX_BINS = 255


def onedal_tree(X: np.ndarray, y: np.ndarray) -> Any:
    from sklearnex.ensemble import RandomForestClassifier

    peer = RandomForestClassifier(1, bootstrap=False, max_features=None, max_bins=MAX_BINS, n_jobs=1, random_state=0)
    return peer.fit(X, y)


def tree(**params: Any) -> ProbabilityTreeClassifier:
    return ProbabilityTreeClassifier(**{**PLAIN, "n_jobs": 1, **params})


def compare(
    runs: dict[str, Callable[[], Any]], bars: dict[str, float], rounds: int, describe: Callable[[Any], str]
) -> None:
    """Print the best time of each program, as a multiple of the first one's, and what it learned."""
    models: dict[str, Any] = {}

    def run(name: str) -> None:
        models[name] = runs[name]()

    times = best_of(rounds, **{name: (lambda name=name: run(name)) for name in runs})
    first = next(iter(times.values()))
    for name, seconds in times.items():
        bar = f" (bar {bars[name]:g}{'' if seconds / first >= bars[name] else ', not met'})" if name in bars else ""
        print(f"  {name:14} {seconds:8.2f} s {seconds / first:6.2f} x{bar:20} {describe(models[name])}")


def bins(options: argparse.Namespace) -> None:
    """One tree of C from 255 bins, one thread."""
    X, y = continuous(options.rows or 1_000_000, C_POSITIVES)
    n = len(y) * 4 // 5
    print(f"\nOne tree of C, {n:,} x {X.shape[1]} to train, one thread")
    runs = {
        "255 bins": lambda: tree(max_bins=MAX_BINS).fit(X[:n], y[:n]),
        "exact": lambda: tree().fit(X[:n], y[:n]),
        "oneDAL": lambda: onedal_tree(X[:n], y[:n]),
        "scikit-learn": lambda: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X[:n], y[:n]),
    }
    bars = {"exact": 2.0, "oneDAL": 3.0, "scikit-learn": 40.0}
    compare(runs, bars, options.rounds, lambda model: f"{leaves(model):7,} leaves  {scores(model, X[n:], y[n:])}")


def forests(options: argparse.Namespace) -> None:
    """Forests with square-root columns on A and on C, from bins and exact, beside oneDAL's."""
    for name, positives, n_rows in (("A", 0.05, 125_000), ("C", C_POSITIVES, 1_000_000)):
        X, y = continuous(min(options.rows or n_rows, n_rows), positives)
        n = len(y) * 4 // 5
        print(f"\n{options.trees} trees of {name}, {n:,} rows, sqrt of the columns, {options.threads} threads")

        def fit(make: Callable[..., Any], X: Any = X[:n], y: Any = y[:n], **params: Any) -> Any:
            return make(options.trees, "sqrt", options.threads, **params).fit(X, y)

        runs = {
            "255 bins": lambda fit=fit: fit(ours, max_bins=MAX_BINS),
            "exact": lambda fit=fit: fit(ours),
            "oneDAL": lambda fit=fit: fit(onedals),
        }
        rounds = options.rounds if name == "A" else 1
        compare(runs, {"oneDAL": 1.3}, rounds, lambda model, X=X[n:], y=y[n:]: forest_scores(model, X, y))


def memory(options: argparse.Namespace) -> None:
    """Depth 12 on 10M x 20: peak memory beside the data, each fit in a process of its own."""
    n_rows = options.rows or 10_000_000
    print(f"\nDepth 12 on {n_rows:,} x 20, 255 bins, {options.threads} threads (bar: under 3 GB beside the data)")
    for n_trees in (1, options.trees):
        measured = run_child("fit", n_rows=n_rows, n_trees=n_trees, threads=options.threads)
        print(
            f"  {n_trees:3} trees {measured['seconds']:8.1f} s, {measured['beside'] * 1.0737:.2f} GB beside "
            f"{measured['data']:.2f} GiB with the data"
        )


def exponents(sizes: list[int], seconds: list[float]) -> str:
    """Return the exponents between neighbouring sizes, and over all of them."""
    pairs = list(zip(sizes, seconds, strict=True))
    steps = [math.log(b[1] / a[1]) / math.log(b[0] / a[0]) for a, b in itertools.pairwise(pairs)]
    whole = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
    shown = ", ".join(f"{n:,}: {time:.2f} s" for n, time in pairs)
    return f"{shown}; exponents {', '.join(f'{step:.2f}' for step in steps)}, in all {whole:.2f}"


def cost_by_rows(
    sizes: list[int], make: Callable[[], Any], rounds: Callable[[int], int], data: tuple[np.ndarray, np.ndarray]
) -> str:
    """Return the processor time of fits on the first rows of the data, and its exponents."""
    X, y = data
    times = [best_of(rounds(n), time.process_time, fit=lambda n=n: make().fit(X[:n], y[:n]))["fit"] for n in sizes]
    return exponents(sizes, times)


def rows(options: argparse.Namespace) -> None:
    """Cost of a binned tree by rows, one thread, processor time."""
    n_rows = options.rows or 10_000_000
    sizes, data = [n_rows // 100, n_rows // 10, n_rows], large_table(n_rows)
    print("\nCost by rows, one tree of 255 bins, one thread, processor time")
    for name, depth, bar in (("depth 12", 12, 1.1), ("no limit", None, 1.2)):

        def make(depth: int | None = depth) -> Any:
            return tree(max_bins=MAX_BINS, max_depth=depth)

        print(f"  {name}: {cost_by_rows(sizes, make, lambda n: 1 if n == n_rows else 3, data)} (bar {bar})")


def exact(options: argparse.Namespace) -> None:
    """Cost of an exact tree from a fifth of the rows to all, one thread, processor time."""
    n_rows = options.rows or 5_000_000
    data = large_table(n_rows)
    print("\nCost by rows, one exact tree, one thread, processor time (bar 1.25)")
    for name, make in (("as scikit-learn's", tree), ("defaults", lambda: ProbabilityTreeClassifier(n_jobs=1))):
        print(f"  {name}: {cost_by_rows([n_rows // 5, n_rows], make, lambda _: options.rounds, data)}")


def quality(options: argparse.Namespace) -> None:
    """Log-loss of binned forests relative to exact ones, on the shared data sets, five splits each."""
    from _default_tables import DATASETS, relative_log_loss, table_split

    changes = []
    for dataset in options.data or DATASETS:
        losses: dict[int | None, list[float]] = {None: [], MAX_BINS: []}
        for split in range(options.splits):
            cell = table_split(dataset, split, options.rows or 10_000)
            for max_bins, values in losses.items():
                model = BaggedTreesClassifier(
                    n_trees=options.trees, max_features="sqrt", max_bins=max_bins, random_state=split, n_jobs=1
                ).fit(cell.X, cell.y)
                values.append(relative_log_loss(model.predict_proba(cell.X_test), cell.y_test))
        before, after = (float(np.mean(losses[key])) for key in (None, MAX_BINS))
        changes.append((before, after))
        print(
            f"  {dataset:24} exact {before:7.2f}, 255 bins {after:7.2f}: {100 * (after / before - 1):+.2f} %",
            flush=True,
        )
    means = np.mean(changes, axis=0)
    mean_change = 100 * np.mean([after / before - 1 for before, after in changes])
    print(
        f"  log-loss in % of the entropy, mean of {len(changes)} sets: exact {means[0]:.3f}, 255 bins {means[1]:.3f} "
        f"({100 * (means[1] / means[0] - 1):+.2f} %); mean change {mean_change:+.2f} % (bar 0.5 %)"
    )


def dask(options: argparse.Namespace) -> None:
    """Two workers of one thread against one, both ways."""
    two_workers(options.rows or 5_000_000, options.dask_trees)


def xgboost(options: argparse.Namespace) -> None:
    """Forests on the same cluster and data as `xgboost.dask`'s."""
    against_xgboost(options.rows or 5_000_000, options.dask_trees)


def processor(options: argparse.Namespace) -> None:
    """Processor seconds of client, scheduler and workers of small fits on a cluster."""
    processor_seconds(options.rounds)


SECTIONS = {
    section.__name__: section for section in (bins, forests, memory, rows, exact, quality, dask, xgboost, processor)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION")
    parser.add_argument("--rows", type=int, help="instead of the sizes of the sections")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--dask-trees", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--data", nargs="*", help="only these data sets of the quality section")
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn", "distributed"))
    for name in options.sections or SECTIONS:
        SECTIONS[name](options)


if __name__ == "__main__":
    main()
