"""Where cost used to explode: wide tables beside scikit-learn, and how seconds grow with columns and with rows.

Processor seconds on one thread, the programs in turn; an exponent is the slope of log seconds in log size.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from _side_by_side import best_of, machine
from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier

Fit = Callable[[np.ndarray, np.ndarray], Any]


def rows(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=n_rows) > 0).astype(int)


def forest(n_trees: int, max_bins: int | None = None) -> Fit:
    model = BaggedTreesClassifier(n_trees=n_trees, max_features="sqrt", max_bins=max_bins, random_state=0, n_jobs=1)
    return model.fit


def peer(n_trees: int) -> Fit:
    return RandomForestClassifier(n_trees, random_state=0, n_jobs=1).fit


def seconds(repeats: int, X: np.ndarray, y: np.ndarray, **fits: Fit) -> dict[str, float]:
    runs = {name: lambda fit=fit: fit(X, y) for name, fit in fits.items()}
    return best_of(repeats, time.process_time, **runs)


def exponent(sizes: list[int], times: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def wide(n_rows: int, n_columns: int, n_trees: int, repeats: int) -> None:
    X, y = rows(n_rows, n_columns)
    found = seconds(repeats, X, y, exact=forest(n_trees), bins=forest(n_trees, 255), scikit_learn=peer(n_trees))
    print(f"\n{n_rows:,} x {n_columns:,}, {n_trees} trees with square-root columns (bar: level with scikit-learn)")
    for name, best in found.items():
        print(f"  {name:14} {best:7.3f} s   scikit-learn to it {found['scikit_learn'] / best:.2f}")


def by_columns(n_rows: int, sizes: list[int], repeats: int) -> None:
    print(f"\n{n_rows:,} rows, 20 trees with square-root columns, by columns (bar: exponent 0.65)")
    times: dict[str, list[float]] = {"exact": [], "scikit_learn": []}
    for n_columns in sizes:
        X, y = rows(n_rows, n_columns)
        found = seconds(repeats, X, y, exact=forest(20), scikit_learn=peer(20))
        print(
            f"  {n_columns:7,} columns  calibrant {found['exact']:7.3f} s   scikit-learn {found['scikit_learn']:7.3f} s"
        )
        for name, best in found.items():
            times[name].append(best)
    print("  exponents: " + ", ".join(f"{name} {exponent(sizes, each):.2f}" for name, each in times.items()))


def by_rows(name: str, fit: Fit, sizes: list[int], repeats: int, bar: str) -> None:
    print(f"\n{name}, 20 columns, by rows (bar: {bar})")
    X, y = rows(max(sizes), 20)
    times = [seconds(repeats, X[:n], y[:n], ours=fit)["ours"] for n in sizes]
    print("  " + ", ".join(f"{n:,} {best:.2f} s" for n, best in zip(sizes, times, strict=True)))
    print(f"  exponent {exponent(sizes, times):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows and a tenth of the columns")
    args = parser.parse_args()
    small = 10 if args.quick else 1
    print(machine("calibrant", "scikit-learn", "numpy"))
    forest(2)(*rows(100, 20))
    wide(500, 5_000 // small, 20, args.repeats)
    wide(500, 50_000 // small, 10, args.repeats)
    by_columns(2_000, [n // small for n in (1_250, 2_500, 5_000, 10_000)], args.repeats)
    sizes = [n // small**2 for n in (125_000, 250_000, 500_000, 1_000_000)]
    boosted = BoostedTreesClassifier(n_trees=3, random_state=0, n_jobs=1).fit
    by_rows("3 boosted trees", boosted, sizes, 1, "15 s for 1,000,000 rows, exponent 1.2")
    by_rows("3 trees with square-root columns", forest(3), sizes, 1, "exponent 1.2")


if __name__ == "__main__":
    main()
