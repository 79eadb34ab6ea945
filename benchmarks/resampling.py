"""Ten times tenfold cross-validation of a tree, compared with scikit-learn's cross_validate and Weka."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

from _side_by_side import best_of, machine
from _weka import weka_cross_validation
from calibrant.estimates import Estimate, MEstimate
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

# Ten estimates that need only the class counts.
TEN: dict[str, str | Estimate] = {
    "frequency": "frequency",
    "laplace": "laplace",
    "m = 2": MEstimate(m=2),
    "m = 10": MEstimate(m=10),
    "m = 50": MEstimate(m=50),
    "curtailment": "curtailment",
    "smoothed curtailment": "smoothed_curtailment",
    "m-branch": "m_branch",
    "path average": "path_average",
    "shrinkage": "hierarchical_shrinkage",
}
PLAN = CrossValidation(10, 10)
METRICS = ["accuracy", "auc", "log_loss", "mse"]
SCORERS = ["accuracy", "roc_auc", "neg_log_loss", "neg_brier_score"]


def rows(n_rows: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        n_rows,
        20,
        n_informative=8,
        n_redundant=4,
        n_clusters_per_class=4,
        flip_y=0.02,
        class_sep=0.8,
        random_state=0,
    )


def contestants(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    ours = {name: ProbabilityTreeClassifier(estimate=estimate) for name, estimate in TEN.items()}
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    runs: dict[str, Callable[[], Any]] = {
        "one": lambda: estimate_performance(ours["laplace"], X, y, PLAN, METRICS),
        "ten": lambda: estimate_performance(ours, X, y, PLAN, METRICS),
        "their_tree": lambda: cross_validate(theirs, X, y, cv=PLAN, scoring=SCORERS),
        "our_tree": lambda: cross_validate(ours["laplace"], X, y, cv=PLAN, scoring=SCORERS),
    }
    weka = weka_cross_validation(X, y, PLAN.n_repeats)
    if weka is not None:
        weka(), weka()  # warm up the Java virtual machine
        runs["weka"] = weka
    return runs


def print_agreement(runs: dict[str, Callable[[], Any]]) -> None:
    """Print that the work is the same: scikit-learn computes our results for our tree, and Weka's J48 similar ones."""
    performance, theirs = runs["one"](), runs["our_tree"]()
    ours = [performance.mean(metric) for metric in METRICS]
    signs = (1, 1, -1, -1)
    scores = [sign * float(theirs[f"test_{name}"].mean()) for sign, name in zip(signs, SCORERS, strict=True)]
    scores[3] *= 2  # Brier's score of both classes
    print("  means of", ", ".join(METRICS), "by calibrant:", *(f"{value:.4f}" for value in ours))
    print("  the same tree by cross_validate:", *(f"{value:.4f}" for value in scores))
    if "weka" in runs:
        accuracy, area, bits, root = np.mean(runs["weka"](), axis=0)
        as_ours = (accuracy, area, bits * np.log(2), 2 * root**2)
        print("  J48 -U -A -O by Weka, other folds:", *(f"{value:.4f}" for value in as_ours))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(machine("numpy", "scikit-learn", "calibrant"))
    X, y = rows()
    runs = contestants(X, y)
    print(f"\n10 x 10 folds, {len(METRICS)} metrics, {X.shape[0]:,} x {X.shape[1]} rows, one thread")
    print_agreement(runs)
    times = best_of(rounds, **runs)
    one, ten = times["one"], times["ten"]
    print(f"  one tree: {one:.3f} s")
    print(f"    cross_validate, its own tree: {times['their_tree']:.3f} s, {times['their_tree'] / one:.1f} x (bar 5)")
    print(f"    cross_validate, our tree:     {times['our_tree']:.3f} s, {times['our_tree'] / one:.1f} x (bar 5)")
    if "weka" in times:
        print(f"    Weka J48, warm:               {times['weka']:.3f} s, {times['weka'] / one:.1f} x (bar 3)")
    print(f"  ten estimates at once: {ten:.3f} s")
    for name, tree in (("their_tree", "its own tree"), ("our_tree", "our tree")):
        print(
            f"    ten runs of cross_validate, {tree}: {10 * times[name]:.2f} s, {10 * times[name] / ten:.1f} x (bar 20)"
        )


if __name__ == "__main__":
    main()
