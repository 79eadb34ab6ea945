"""Weighted neighbours compared with scikit-learn's KNeighborsClassifier: fit and prediction, and their agreement."""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from _side_by_side import best_of, machine
from calibrant.neighbors import NeighborsClassifier

K = 25


def random_rows(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns))
    return X, (X[:, :3].sum(axis=1) + random.normal(size=n_rows) > 0).astype(int)


def ours(attribute_weights: str | None = None, weights: str = "uniform", n_jobs: int | None = None):
    params = {"weights": weights, "attribute_weights": attribute_weights, "n_jobs": n_jobs}
    return NeighborsClassifier(n_neighbors=K, smoothing=0, **params)


def theirs(weights: str = "uniform", n_jobs: int | None = None) -> Pipeline:
    return make_pipeline(StandardScaler(), KNeighborsClassifier(K, weights=weights, n_jobs=n_jobs))


def side_by_side(n_rows: int, n_columns: int, repeats: int) -> None:
    X, y = random_rows(2 * n_rows, n_columns)
    train, test, labels = X[:n_rows], X[n_rows:], y[:n_rows]
    seconds = best_of(
        repeats,
        calibrant=lambda: ours().fit(train, labels).predict_proba(test),
        gain_ratio=lambda: ours("gain_ratio", "inverse_squared").fit(train, labels).predict_proba(test),
        two_threads=lambda: ours(n_jobs=2).fit(train, labels).predict_proba(test),
        scikit_learn=lambda: theirs().fit(train, labels).predict_proba(test),
    )
    difference = np.abs(ours().fit(train, labels).predict_proba(test) - theirs().fit(train, labels).predict_proba(test))
    print(f"\n{n_rows:,} x {n_columns} numbers, fit and {n_rows:,} predictions, k = {K}")
    for name, value in seconds.items():
        print(f"  {name:12} {value:7.2f} s   {seconds['scikit_learn'] / value:.2f} times as fast as scikit-learn")
    print(f"  probabilities differ by at most {difference.max():.1e}")


def missing_values(n_rows: int, n_columns: int) -> None:
    """Print the time with missing values, which no index supports."""
    X, y = random_rows(2 * n_rows, n_columns)
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    model = ours()
    seconds = best_of(1, run=lambda: model.fit(X[:n_rows], y[:n_rows]).predict_proba(X[n_rows:]))["run"]
    print(f"\n{n_rows:,} x {n_columns} with 5 % missing: {seconds:.2f} s")
    model = NeighborsClassifier(n_neighbors=K, weights="gaussian")
    seconds = best_of(1, run=lambda: model.fit(X[:n_rows], y[:n_rows]).predict_proba(X[n_rows:]))["run"]
    print(f"the same by locally weighted averaging over all rows: {seconds:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn"))
    side_by_side(options.rows, 10, options.repeats)
    side_by_side(options.rows, 40, options.repeats)
    missing_values(options.rows // 4, 10)


if __name__ == "__main__":
    main()
