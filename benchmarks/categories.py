"""Trees and forests on a nominal column of very many categories, with and without numeric columns, beside LightGBM."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from _side_by_side import best_of, machine
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.trees import ProbabilityTreeClassifier

SIZES = (15_000, 30_000, 60_000, 120_000)
N_CATEGORIES = 10_000
SPLITS = ("multiway", "subset", "binary")


def table(n_rows: int, n_categories: int, n_numeric: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return rows whose log-odds are an effect of their category and the sum of numbers."""
    rng = np.random.default_rng(0)
    codes, effects = rng.integers(0, n_categories, n_rows), rng.normal(size=n_categories)
    numbers = {f"x{number}": rng.normal(size=n_rows) for number in range(n_numeric)}
    log_odds = effects[codes] + 0.3 * sum(numbers.values())
    category = pd.Categorical.from_codes(codes, [f"c{code}" for code in range(n_categories)])
    return pd.DataFrame({"category": category, **numbers}), rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1)


def contestants() -> dict[str, Callable[[], Any]]:
    forests = {
        f"forest of 2, {splits}": lambda splits=splits: BaggedTreesClassifier(
            n_trees=2, nominal_splits=splits, random_state=0, n_jobs=1
        )
        for splits in SPLITS
    }
    trees = {
        f"tree, {splits}": lambda splits=splits: ProbabilityTreeClassifier(nominal_splits=splits, random_state=0)
        for splits in SPLITS
    }
    return {**forests, **trees, "LightGBM, 2 trees": lightgbm}


def compare(n_categories: Callable[[int], int], n_numeric: int, rounds: int) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in contestants()}
    for size in SIZES:
        rows = table(size, n_categories(size), n_numeric)
        runs = {name: (lambda make=make, rows=rows: make().fit(*rows)) for name, make in contestants().items()}
        for name, best in best_of(rounds, time.process_time, **runs).items():
            seconds[name].append(best)
    print(f"\n  {'rows':22}" + "".join(f"{size:>10,}" for size in SIZES) + "   power of the rows")
    for name, times in seconds.items():
        exponent = np.polyfit(np.log(SIZES), np.log(times), 1)[0]
        print(f"  {name:22}" + "".join(f"{each:8.2f} s" for each in times) + f"   {exponent:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    os.environ["OMP_NUM_THREADS"] = "1"
    print(machine("numpy", "lightgbm", "calibrant"), "(processor seconds)")
    for n_numeric in (0, 3):
        print(f"\n{N_CATEGORIES:,} categories and {n_numeric} numeric columns")
        compare(lambda _: N_CATEGORIES, n_numeric, rounds)
    print("\na category for every 6 rows")
    compare(lambda n_rows: n_rows // 6, 0, rounds)


if __name__ == "__main__":
    main()
