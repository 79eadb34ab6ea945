"""One unpruned tree: time, leaves and test scores compared with scikit-learn, XGBoost's exact method and oneDAL."""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from _side_by_side import best_of, machine
from calibrant.trees import ProbabilityTreeClassifier

# The tree that scikit-learn grows: plain information gain, every cut allowed.
PLAIN: dict[str, Any] = {
    "criterion": "entropy",
    "mdl_penalty": False,
    "min_cut": "min_leaf",
    "min_leaf": 1,
    "threshold": "midpoint",
    "estimate": "frequency",
}


def continuous(n_rows: int, positives: float) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n_rows,
        20,
        n_informative=8,
        n_redundant=4,
        n_clusters_per_class=4,
        weights=[1 - positives],
        flip_y=0.02,
        class_sep=0.8,
        random_state=0,
    )
    return X.astype(np.float32), y


def whole_numbers(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.stack([rng.integers(0, v, n_rows) for v in (2, 3, 5, 8, 10, 15, 20, 30, 40, 50)], axis=1)
    logit = X[:, 5] / 15 + X[:, 9] / 50 - X[:, 2] / 5 - 3.6
    return X.astype(np.float32), (rng.random(n_rows) < 1 / (1 + np.exp(-logit))).astype(int)


def xgboost_tree(X: np.ndarray, y: np.ndarray) -> Any:
    from xgboost import XGBClassifier

    model = XGBClassifier(
        n_estimators=1,
        tree_method="exact",
        max_depth=64,  # it must have a limit; no tree here is so deep
        min_child_weight=0,
        reg_lambda=0,
        learning_rate=1,
        n_jobs=1,
        base_score=float(y.mean()),
    )
    return model.fit(X, y)


def onedal_tree(X: np.ndarray, y: np.ndarray) -> Any:
    from sklearnex.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=1, bootstrap=False, max_features=None, n_jobs=1, random_state=0).fit(
        X, y
    )


def leaves(model: Any) -> int:
    if isinstance(model, ProbabilityTreeClassifier):
        return model.n_leaves_
    if hasattr(model, "get_booster"):
        return int((model.get_booster().trees_to_dataframe()["Feature"] == "Leaf").sum())
    return int(model.estimators_[0].get_n_leaves() if hasattr(model, "estimators_") else model.get_n_leaves())


def scores(model: Any, X: np.ndarray, y: np.ndarray) -> str:
    p = np.clip(model.predict_proba(X)[:, 1], 1e-6, 1 - 1e-6)
    return f"log-loss {log_loss(y, p):.3f}, Brier {brier_score_loss(y, p):.4f}, AUC {roc_auc_score(y, p):.4f}"


PEERS: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray], Any]]] = {
    "calibrant": ("exact", lambda X, y: ProbabilityTreeClassifier(**PLAIN).fit(X, y)),
    "scikit-learn": ("exact", lambda X, y: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)),
    "XGBoost exact": ("exact, second-order gain", xgboost_tree),
    "oneDAL": ("256 bins, Gini, not exact", onedal_tree),
}


def workload(
    name: str, X: np.ndarray, y: np.ndarray, bars: dict[str, float], rounds: int, peers: tuple[str, ...] = tuple(PEERS)
) -> None:
    train, test = slice(0, len(y) * 4 // 5), slice(len(y) * 4 // 5, None)
    print(f"\n{name}: {X.shape[0]:,} x {X.shape[1]}, {y.mean():.1%} positive (four fifths for training)")
    models: dict[str, Any] = {}

    def fit(peer: str) -> None:
        models[peer] = PEERS[peer][1](X[train], y[train])

    times = best_of(rounds, **{peer: (lambda peer=peer: fit(peer)) for peer in peers})
    for peer, seconds in times.items():
        ratio = f"{seconds / times['calibrant']:6.2f} x" + (f" (bar {bars[peer]:g})" if peer in bars else "")
        model, kind = models[peer], PEERS[peer][0]
        quality = f"{leaves(model):7,} leaves  {scores(model, X[test], y[test])}  [{kind}]"
        print(f"  {peer:14} {seconds:8.3f} s {ratio:18} {quality}")


def features(X: np.ndarray, y: np.ndarray, rounds: int) -> None:
    """Print the cost of each feature relative to the plain path (bar 1.5)."""
    rng = np.random.default_rng(1)
    with_missing = X.copy()
    with_missing[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.random(len(y)) + 0.5
    plain = ProbabilityTreeClassifier(**PLAIN)
    ratio = ProbabilityTreeClassifier(**{**PLAIN, "criterion": "gain_ratio", "mdl_penalty": True})
    times = best_of(
        rounds,
        plain=lambda: plain.fit(X, y),
        gain_ratio_and_penalty=lambda: ratio.fit(X, y),
        weights=lambda: plain.fit(X, y, sample_weight=weights),
        missing_10_percent=lambda: plain.fit(with_missing, y),
    )
    print("\nCost of each feature on A (bar 1.5):")
    for name, seconds in times.items():
        print(f"  {name:24} {seconds:.3f} s  {seconds / times['plain']:.2f} x plain")
    nodes = [ProbabilityTreeClassifier(**PLAIN).fit(table, y).n_nodes_ for table in (X, with_missing)]
    print(f"  with missing values the tree has {nodes[1] / nodes[0]:.1f} times as many nodes")


def missing_values(name: str, X: np.ndarray, y: np.ndarray, make: Callable[..., Any], rounds: int) -> None:
    """Print the processor time of growing with 10 % missing values, relative to none (bar 1.2 for ``"learned"``)."""
    with_missing = X.copy()
    with_missing[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    times = best_of(
        rounds,
        time.process_time,
        plain=lambda: make().fit(X, y),
        learned=lambda: make(missing="learned").fit(with_missing, y),
        fractional=lambda: make().fit(with_missing, y),
    )
    ratios = ", ".join(f"{way} {times[way] / times['plain']:.2f}" for way in ("learned", "fractional"))
    print(f"  {name:32} plain {times['plain']:.3f} s; with 10 % missing values, times plain: {ratios}")


def nominal(X: np.ndarray, y: np.ndarray, rounds: int) -> None:
    frame = pd.DataFrame(X.astype(int)).rename(columns=str).astype("category")
    numbers = X.copy()
    times = best_of(
        rounds,
        calibrant=lambda: ProbabilityTreeClassifier(**PLAIN).fit(frame, y),
        sklearn=lambda: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(numbers, y),
    )
    print(
        f"\nB as pandas categoricals, multiway, coding included: {times['calibrant']:.3f} s; "
        f"scikit-learn's numeric tree {times['sklearn']:.3f} s, {times['sklearn'] / times['calibrant']:.2f} x (bar 6)"
    )


def growth_of_cost(rounds: int) -> None:
    sizes = (10_000, 100_000, 1_000_000)
    X, y = continuous(sizes[-1], 0.3)

    def seconds_for(table: np.ndarray, n: int, k: int) -> float:
        return best_of(rounds, fit=lambda: ProbabilityTreeClassifier(**PLAIN).fit(table[:n, :k], y[:n]))["fit"]

    times = [seconds_for(X, n, 20) for n in sizes]
    exponents = [math.log(b / a) / math.log(10) for a, b in itertools.pairwise(times)]
    shown = ", ".join(f"{n:,}: {seconds:.3f} s" for n, seconds in zip(sizes, times, strict=True))
    print(f"\nCost by rows: {shown}; exponents {', '.join(f'{e:.2f}' for e in exponents)}")
    wide = np.hstack([X[:100_000]] * 4)
    few, many = (seconds_for(wide, 100_000, k) for k in (20, 80))
    print(f"Cost by columns: 20: {few:.3f} s, 80: {many:.3f} s, exponent {math.log(many / few, 4):.2f}")
    threads = best_of(
        rounds,
        one=lambda: ProbabilityTreeClassifier(**PLAIN, n_jobs=1).fit(X, y),
        two=lambda: ProbabilityTreeClassifier(**PLAIN, n_jobs=2).fit(X, y),
    )
    print(f"Two threads on one tree of C: {threads['one'] / threads['two']:.2f} x one (bar 1.5)")


def prediction(X: np.ndarray, y: np.ndarray, rounds: int) -> None:
    ours = ProbabilityTreeClassifier(**PLAIN).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    row = X[:1]
    times = best_of(
        rounds,
        batch=lambda: ours.predict_proba(X),
        their_batch=lambda: theirs.predict_proba(X),
        one=lambda: [ours.predict_proba(row) for _ in range(1000)],
        their_one=lambda: [theirs.predict_proba(row) for _ in range(1000)],
    )
    print(
        f"\nPrediction of {len(y):,} rows: {times['batch']:.4f} s; scikit-learn {times['their_batch']:.4f} s "
        f"({times['their_batch'] / times['batch']:.2f} x); one row {times['one'] * 1e3:.1f} us (bar 60), "
        f"scikit-learn {times['their_one'] * 1e3:.1f} us"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="leave out the million rows")
    parser.add_argument("--large", action="store_true", help="only the million rows")
    parser.add_argument("--missing", action="store_true", help="only the cost of missing values")
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn", "xgboost", "scikit-learn-intelex", "calibrant"))
    if options.missing:
        costs_of_missing_values(options.rounds)
        return
    if not options.large:
        small(options)
    if not options.quick:
        bars = {"scikit-learn": 15, "oneDAL": 1.3}
        workload("C", *continuous(1_250_000, 0.3), bars, 2, ("calibrant", *bars))
        growth_of_cost(2)


def costs_of_missing_values(rounds: int) -> None:
    def grow(**params: Any) -> ProbabilityTreeClassifier:
        return ProbabilityTreeClassifier(**PLAIN, n_jobs=1, **params)

    print("\nMissing values, one thread, processor time (bar 1.2):")
    (X, y), B = continuous(125_000, 0.05), whole_numbers(125_000)
    missing_values("A, tree", X, y, grow, rounds)
    missing_values("A, tree, 10,000 rows", X[:10_000], y[:10_000], grow, rounds)
    missing_values("A, tree, three classes", X, y + (X[:, 0] > 1), grow, rounds)
    missing_values("B, tree", *B, grow, rounds)


def small(options: argparse.Namespace) -> None:
    A, B = continuous(125_000, 0.05), whole_numbers(125_000)
    workload("A", *A, {"scikit-learn": 15, "XGBoost exact": 5, "oneDAL": 1.5}, options.rounds)
    workload("B", *B, {"scikit-learn": 5, "oneDAL": 1.5}, options.rounds)
    features(*A, options.rounds)
    costs_of_missing_values(options.rounds)
    nominal(*B, options.rounds)
    prediction(*A, options.rounds)


if __name__ == "__main__":
    main()
