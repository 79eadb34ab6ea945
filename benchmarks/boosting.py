"""Boosted stumps and boosted trees compared with scikit-learn's AdaBoostClassifier: time per round, and test scores."""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from _side_by_side import best_of, machine
from calibrant.ensembles import BoostedStumpsClassifier, BoostedTreesClassifier
from trees import PLAIN, continuous, whole_numbers

FEW = 20  # rounds of scikit-learn that are timed; all its rounds take the same time


def ours(n_rounds: int, **params: Any) -> BoostedStumpsClassifier:
    return BoostedStumpsClassifier(**{"n_trees": n_rounds, "criterion": "gini", **params})


def theirs(n_rounds: int, depth: int = 1) -> AdaBoostClassifier:
    return AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=n_rounds, random_state=0)


def stumps(name: str, X: np.ndarray, y: np.ndarray, n_rounds: int, repeats: int) -> None:
    n = len(y) * 4 // 5
    seconds = best_of(
        repeats,
        calibrant=lambda: ours(n_rounds).fit(X[:n], y[:n]),
        two_threads=lambda: ours(n_rounds, n_jobs=2).fit(X[:n], y[:n]),
        scikit_learn=lambda: theirs(FEW).fit(X[:n], y[:n]),
    )
    whole = seconds["scikit_learn"] / FEW * n_rounds
    print(f"\n{name}, {n:,} x {X.shape[1]}, {y.mean():.1%} positive: {n_rounds:,} stumps by Gini")
    print(f"  calibrant     {seconds['calibrant']:8.2f} s   two threads {seconds['two_threads']:.2f} s")
    print(
        f"  scikit-learn  {whole:8.2f} s   {FEW} rounds timed; {whole / seconds['calibrant']:.1f} times ours (bar 10)"
    )
    model, peer = ours(FEW).fit(X[:n], y[:n]), theirs(FEW).fit(X[:n], y[:n])
    same = np.array_equal(model.stumps_.feature, [tree.tree_.feature[0] for tree in peer.estimators_])
    print(f"  the same columns tested in the first {FEW} rounds: {same}")
    for rounds, fitted in ((FEW, model), (FEW, peer), (n_rounds, ours(n_rounds).fit(X[:n], y[:n]))):
        print_scores(type(fitted).__name__, rounds, fitted.predict_proba(X[n:])[:, 1], y[n:])
    criteria(X[:n], y[:n])


def print_scores(name: str, n_rounds: int, scores: np.ndarray, y: np.ndarray) -> None:
    auc, brier = roc_auc_score(y, scores), brier_score_loss(y, scores)
    print(f"  {name:24} {n_rounds:5} rounds  AUC {auc:.4f}  Brier {brier:.4f} (scores, not calibrated)")


def criteria(X: np.ndarray, y: np.ndarray, n_rounds: int = 50) -> None:
    for name in ("entropy", "gain_ratio", "gini", "dkm", "twoing"):
        seconds = best_of(1, run=lambda name=name: ours(n_rounds, criterion=name).fit(X, y))["run"]
        print(
            f"  {name:12} {1000 * seconds / n_rounds:6.2f} ms a round, coding and sorting in {n_rounds} rounds included"
        )


def growth(n_rounds: int = 100) -> None:
    """Print the exponents of the time in rows, columns and rounds."""
    X, y = continuous(200_000, 0.05)
    at = {n: best_of(2, run=lambda n=n: ours(n_rounds).fit(X[:n], y[:n]))["run"] for n in (50_000, 200_000)}
    print(f"\nexponent in the rows (50,000 to 200,000): {math.log(at[200_000] / at[50_000], 4):.2f}")
    at = {d: best_of(2, run=lambda d=d: ours(n_rounds).fit(X[:50_000, :d], y[:50_000]))["run"] for d in (5, 20)}
    print(f"exponent in the columns (5 to 20): {math.log(at[20] / at[5], 4):.2f}")
    at = {t: best_of(2, run=lambda t=t: ours(t).fit(X[:50_000], y[:50_000]))["run"] for t in (200, 800)}
    print(f"exponent in the rounds (200 to 800): {math.log(at[800] / at[200], 4):.2f}")


def trees(X: np.ndarray, y: np.ndarray, n_rounds: int = 10) -> None:
    model = BoostedTreesClassifier(
        n_trees=n_rounds, **{**PLAIN, "criterion": "gini", "max_depth": 4, "min_leaf": 1e-9, "resample": False}
    )
    seconds = best_of(2, calibrant=lambda: model.fit(X, y), scikit_learn=lambda: theirs(n_rounds, 4).fit(X, y))
    ratio = seconds["scikit_learn"] / seconds["calibrant"]
    print(
        f"\n{n_rounds} boosted trees of depth 4 on A: {seconds['calibrant']:.2f} s, scikit-learn {ratio:.1f} times that"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn"))
    stumps("A", *continuous(125_000, 0.05), options.rounds, options.repeats)
    stumps("B", *whole_numbers(125_000), options.rounds, options.repeats)
    trees(*continuous(100_000, 0.05))
    growth()


if __name__ == "__main__":
    main()
