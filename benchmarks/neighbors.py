"""Weighted neighbours beside scikit-learn's KNeighborsClassifier: fit and prediction, and that they answer alike."""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from _side_by_side import best_of, machine
from calibrant.neighbors import NeighborsClassifier

K = 25


def made_up(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns))
    return X, (X[:, :3].sum(axis=1) + random.normal(size=n_rows) > 0).astype(int)


def ours(attribute_weights: str | None = None, weights: str = "uniform", n_jobs: int | None = None):
    told = {"weights": weights, "attribute_weights": attribute_weights, "n_jobs": n_jobs}
    return NeighborsClassifier(n_neighbors=K, smoothing=0, **told)


def theirs(weights: str = "uniform", n_jobs: int | None = None) -> Pipeline:
    return make_pipeline(StandardScaler(), KNeighborsClassifier(K, weights=weights, n_jobs=n_jobs))


def side_by_side(n_rows: int, n_columns: int, repeats: int) -> None:
    X, y = made_up(2 * n_rows, n_columns)
    train, test, labels = X[:n_rows], X[n_rows:], y[:n_rows]
    seconds = best_of(
        repeats,
        calibrant=lambda: ours().fit(train, labels).predict_proba(test),
        gain_ratio=lambda: ours("gain_ratio", "inverse_squared").fit(train, labels).predict_proba(test),
        two_threads=lambda: ours(n_jobs=2).fit(train, labels).predict_proba(test),
        scikit_learn=lambda: theirs().fit(train, labels).predict_proba(test),
    )
    apart = np.abs(ours().fit(train, labels).predict_proba(test) - theirs().fit(train, labels).predict_proba(test))
    print(f"\n{n_rows:,} x {n_columns} numbers, fit and {n_rows:,} predictions, k = {K}")
    for name, value in seconds.items():
        print(f"  {name:12} {value:7.2f} s   {seconds['scikit_learn'] / value:.2f} times as fast as scikit-learn")
    print(f"  probabilities differ by at most {apart.max():.1e}")


def gaps(n_rows: int, n_columns: int) -> None:
    """Print the time where values are missing, which no index takes."""
    X, y = made_up(2 * n_rows, n_columns)
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
    told = parser.parse_args()
    print(machine("numpy", "scikit-learn"))
    side_by_side(told.rows, 10, told.repeats)
    side_by_side(told.rows, 40, told.repeats)
    gaps(told.rows // 4, 10)


if __name__ == "__main__":
    main()
