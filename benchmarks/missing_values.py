"""Forests with missing values shared or sent to a learned branch: log-loss on new rows, in % of the class entropy."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _default_tables import relative_log_loss, table_split
from _side_by_side import machine
from calibrant.ensembles import BaggedTreesClassifier

# The shared tables that have missing values.
TABLES = ("adult", "audiology", "credit_screening", "kdd98_case_control", "soybean", "votes", "wbc", "wpbc")
FOREST: dict[str, Any] = {
    "criterion": "entropy",
    "nominal_splits": "binary",
    "threshold": "midpoint",
    "mdl_penalty": False,
    "max_features": "sqrt",
    "n_trees": 100,
}
READINGS = {
    "Laplace": ("b_pets", "laplace"),
    "frequency": ("b_pets", "frequency"),
    "hierarchical shrinkage": ("b_pets", "hierarchical_shrinkage"),
    "EB-PETs": ("eb_pets", "frequency"),
}
N_DRAWN = 2000


def chance_of_missing(kind: str, X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability that each value is missing."""
    of_class = np.broadcast_to(y[:, np.newaxis] == 1, X.shape)
    one = np.where(of_class, 0.7, 0.2) * (np.arange(X.shape[1]) == 5)
    chances = {
        "10 % at random": np.full(X.shape, 0.1),
        "30 % at random": np.full(X.shape, 0.3),
        "by class, all columns": np.where(of_class, 0.15, 0.05),
        "by class, one column": one,
        "high values": np.where(X > 1, 0.7, 0.0),
    }
    return chances[kind]


def drawn(kind: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Draw training and test rows of which three columns of ten matter, and take values away."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * N_DRAWN, 10))
    y = (X[:, 0] + X[:, 1] - X[:, 2] + rng.logistic(size=len(X)) > 0).astype(np.int64)
    X = np.where(rng.random(X.shape) < chance_of_missing(kind, X, y), np.nan, X)
    return X[:N_DRAWN], y[:N_DRAWN], X[N_DRAWN:], y[N_DRAWN:]


def losses(X: Any, y: Any, X_test: Any, y_test: Any, seed: int) -> Iterator[list[float]]:
    """Yield the loss of each reading, first shared, then learned."""
    for missing in ("fractional", "learned"):
        forest = BaggedTreesClassifier(missing=missing, random_state=seed, **FOREST).fit(X, y)
        readings = [forest.reread(kind, estimate=estimate) for kind, estimate in READINGS.values()]
        yield [relative_log_loss(reading.predict_proba(X_test), y_test) for reading in readings]


def show(name: str, found: NDArray[np.float64]) -> None:
    shared, learned = found
    print(f"  {name:24}" + "  ".join(f"{a:6.2f} -> {b:6.2f}" for a, b in zip(shared, learned, strict=True)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn", "calibrant"))
    print(f"shared -> learned: {', '.join(READINGS)}")
    of_tables = []
    for dataset in TABLES:
        splits = [table_split(dataset, split) for split in range(options.splits)]
        found = np.array([list(losses(s.X, s.y, s.X_test, s.y_test, s.split)) for s in splits])
        of_tables.append(found.mean(axis=0))
        show(dataset, of_tables[-1])
    show("mean of the tables", np.mean(of_tables, axis=0))
    for kind in ("10 % at random", "30 % at random", "by class, all columns", "by class, one column", "high values"):
        show(kind, np.mean([list(losses(*drawn(kind, seed), seed)) for seed in range(options.splits)], axis=0))


if __name__ == "__main__":
    main()
