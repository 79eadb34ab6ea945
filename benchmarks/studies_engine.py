"""The engine of trials: eight leaf estimates against one, and our and foreign learners against a plain loop."""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from _side_by_side import best_of, machine
from calibrant.bayes import NaiveBayesClassifier
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier
from resampling import METRICS, SCORERS, rows

# All but kernel densities and what is chosen by cross-validation.
EIGHT = (
    *("frequency", "laplace", "m", "curtailment", "smoothed_curtailment", "m_branch", "path_average"),
    "hierarchical_shrinkage",
)
PLAN = CrossValidation(10, 2)
READINGS = {"B-PETs": "ignore", "EB-PETs": "count", "MOB-ESP": "condition"}
SIZES = (1_000, 5_000, 20_000)  # a split of 1,000 rows takes 2 ms, of which an estimate is a tenth
SMALL = 50  # rows of a trial that takes no time itself


def trees() -> dict[str, Any]:
    return {f"tree, {name}": ProbabilityTreeClassifier(estimate=name) for name in EIGHT}


def forests(n_trees: int = 100) -> dict[str, Any]:
    common: dict[str, Any] = {"n_trees": n_trees, "estimate": "frequency", "n_jobs": 1, "random_state": 0}
    return {name: BaggedTreesClassifier(out_of_bag=kind, **common) for name, kind in READINGS.items()}


def our_learners() -> dict[str, Any]:
    return trees() | forests() | {"naive Bayes": NaiveBayesClassifier()}


def foreign_learners() -> dict[str, Any]:
    return {
        "Gaussian naive Bayes": GaussianNB(),
        "logistic regression": LogisticRegression(max_iter=1000),
        "random forest": RandomForestClassifier(20, random_state=0),
    }


def write_csv(path: Path, lines: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)


def plain_loop(methods: dict[str, Any], X: np.ndarray, y: np.ndarray, path: Path) -> None:
    """Cross-validate the methods one by one, and write the score of every fold."""
    lines: list[tuple[Any, ...]] = []
    for name, method in methods.items():
        found = cross_validate(method, X, y, cv=PLAN, scoring=SCORERS)
        scores = zip(*(found[f"test_{scorer}"] for scorer in SCORERS), strict=True)
        lines.extend((name, fold, *each) for fold, each in enumerate(scores))
    write_csv(path, lines)


def engine(methods: dict[str, Any], X: np.ndarray, y: np.ndarray, path: Path) -> None:
    """Estimate the performance of the methods, and write the metrics of every fold."""
    found = estimate_performance(methods, X, y, PLAN, METRICS)
    lines: list[tuple[Any, ...]] = []
    for name, values in zip(methods, found.values, strict=True):
        lines.extend((name, fold, *each) for fold, each in enumerate(values.T))
    write_csv(path, lines)


def timed(rounds: int, clock: Callable[[], float], methods: dict[str, Any], path: Path) -> dict[str, float]:
    X, y = rows()
    return best_of(
        rounds, clock, loop=lambda: plain_loop(methods, X, y, path), engine=lambda: engine(methods, X, y, path)
    )


def print_ratio(name: str, times: dict[str, float], bar: str) -> None:
    ratio = times["loop"] / times["engine"]
    print(
        f"  {name}: loop {times['loop']:.3f} s, engine {times['engine']:.3f} s; "
        f"{ratio:.2f} times as fast, {1 / ratio:.3f} times the time{bar}"
    )


def print_eight(n_rows: int, rounds: int, clock: Callable[[], float]) -> None:
    X, y = rows(n_rows)
    eight, one = trees(), {"tree": ProbabilityTreeClassifier(estimate="laplace")}
    times = best_of(
        rounds,
        clock,
        one=lambda: estimate_performance(one, X, y, PLAN, METRICS),
        eight=lambda: estimate_performance(eight, X, y, PLAN, METRICS),
    )
    ratio = times["eight"] / times["one"]
    print(f"  {n_rows:,} rows: one {times['one']:.3f} s, eight {times['eight']:.3f} s; {ratio:.3f} times (bar 1.3)")


def print_overhead(rounds: int, clock: Callable[[], float]) -> None:
    """Print the time of a trial beyond fitting, predicting and the metrics."""
    from calibrant.resampling._internal import Experiment

    X, y = rows(SMALL)
    plan = CrossValidation(5, 40)
    experiment = Experiment.read(GaussianNB(), X, y, METRICS)
    splits = [(trial.test, np.asarray(trial.predictions), trial.training) for trial in experiment.trials(plan)]
    pairs = list(plan.split(X, y))

    def alone() -> None:
        for train, test in pairs:
            GaussianNB().fit(X[train], y[train]).predict_proba(X[test])
        for test, predictions, training in splits:
            experiment.scorer.scores(predictions, test, training)

    times = best_of(rounds, clock, alone=alone, engine=lambda: list(experiment.trials(plan)))
    each = {name: 1e3 * seconds / len(pairs) for name, seconds in times.items()}
    print(
        f"  fit, predict and metrics {each['alone']:.3f} ms, trial {each['engine']:.3f} ms: "
        f"overhead {each['engine'] - each['alone']:.3f} ms (bar 1 ms)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    options = parser.parse_args()
    clock = time.perf_counter if options.clock == "wall" else time.process_time
    threadpool_limits(1)  # threads of linear algebra that wait for work disturb whatever runs next
    print(machine("numpy", "scikit-learn"))
    print(f"{PLAN.describe()}, 1,000 rows, 20 columns, {', '.join(METRICS)}; best of {options.rounds}")
    print("Eight leaf estimates against one:")
    for n_rows in SIZES:
        print_eight(n_rows, options.rounds, clock)
    print("Overhead a trial (Gaussian naive Bayes, 50 rows):")
    print_overhead(options.rounds, clock)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        for title, methods, bar in (
            ("Our learners", our_learners(), "at least 3 times as fast"),
            ("Foreign learners", foreign_learners(), "at most 1.1 times the time"),
        ):
            print(f"{title} against a loop of cross_validate that writes a CSV file:")
            print_ratio("all", timed(options.rounds, clock, methods, path), f" (bar: {bar})")


if __name__ == "__main__":
    main()
