"""Studies: the cost of trials, queries and workers, and a race against a loop of cross_validate that writes a CSV."""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from _side_by_side import best_of, machine
from calibrant.bayes import NaiveBayesClassifier
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.resampling import CrossValidation
from calibrant.studies import Study
from calibrant.studies._definition.definition import read_definition
from calibrant.studies._results.read_study import read_study_results
from calibrant.studies._store.store import Store
from calibrant.studies._trials.records import TrialRecord, TrialRef
from calibrant.trees import ProbabilityTreeClassifier

METRICS = ["accuracy", "auc", "log_loss", "mse"]
SCORERS = ["accuracy", "roc_auc", "neg_log_loss", "neg_brier_score"]
EIGHT = (
    *("frequency", "laplace", "m", "curtailment", "smoothed_curtailment", "m_branch", "path_average"),
    "hierarchical_shrinkage",
)
READINGS = ("ignore", "count", "condition")  # as B-PETs, EB-PETs and MOB-ESP take out-of-bag rows, of one forest


def rows(n_rows: int, n_columns: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n_rows, n_columns, n_informative=min(8, n_columns - 1), n_redundant=0, flip_y=0.05, random_state=seed
    )
    return X, y


@contextmanager
def folder(where: str | None = None) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="calibrant-bench-", dir=where))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def run(methods: dict[str, Any], data: dict[str, Any], plan: Any, where: str | None = None, **options: Any) -> Any:
    """Run a study in a new store and return its trials."""
    with folder(where) as path:
        study = Study("bench", datasets=data, methods=methods, plan=plan, metrics=METRICS, store=path / "store.db")
        study.run(**options)
        return study.results().to_frame()


def overhead() -> None:
    """Print the time of a trivial trial beyond its fit, prediction and metrics: store and scheduling."""
    X, y = rows(40, 4)
    methods = {f"dummy {number}": DummyClassifier(strategy="prior") for number in range(10)}
    plan = CrossValidation(2, 100)
    times: dict[str, list[float]] = {"disk": [], "memory": []}
    for _ in range(5):
        for name, where in (("disk", None), ("memory", "/dev/shm")):  # noqa: S108
            started = time.perf_counter()
            frame = run(methods, {"tiny": (X, y)}, plan, where)
            spent = time.perf_counter() - started - frame[["fit_seconds", "predict_seconds"]].to_numpy().sum()
            times[name].append(spent / len(frame))
    disk, memory = (1e3 * min(times[name]) for name in ("disk", "memory"))
    print(f"overhead a trial: {memory:.2f} ms, and {disk - memory:.2f} ms of fsync: {disk:.2f} ms (bar 3 ms)")


def dask_overhead() -> None:
    """Print the time of a trivial trial on a local Dask cluster of two workers."""
    from distributed import Client, LocalCluster

    X, y = rows(40, 4)
    methods = {f"dummy {number}": DummyClassifier(strategy="prior") for number in range(10)}
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        run(methods, {"tiny": (X, y)}, CrossValidation(2, 2), dask=client)
        best = float("inf")
        for _ in range(3):
            started = time.perf_counter()
            frame = run(methods, {"tiny": (X, y)}, CrossValidation(2, 50), dask=client)
            best = min(best, (time.perf_counter() - started) / len(frame))
    print(f"a trivial trial on Dask: {1e3 * best:.2f} ms, its fit included (bar 15 ms)")


def fill(path: Path, n_trials: int) -> None:
    """Record 10,000 trials that never ran, and copy them within the database up to the number requested."""
    digests = {f"method {m}": f"{m:024x}" for m in range(20)}
    rng = np.random.default_rng(0)
    with Store.open(path) as store:
        store.save_definition("big", _document(digests, n_trials // 200))
        worker = store.start_worker("big")
        for number in range(10_000):
            dataset, method, split = number % 10, number // 10 % 20, number // 200
            ref = TrialRef(f"{method:024x}{dataset}-{split}", f"set {dataset}", f"method {method}", split)
            scores = {"test": dict(zip(METRICS, rng.random(4).tolist(), strict=True))}
            store.record("big", worker, TrialRecord(ref, f"{number}", versions={"calibrant": "0.1.0"}, scores=scores))
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TEMP TABLE original AS SELECT * FROM calibrant_trials")
        connection.execute("CREATE TEMP TABLE original_scores AS SELECT * FROM calibrant_scores")
        for _ in range(1, n_trials // 10_000):
            connection.execute(
                "UPDATE original SET id = id + 10000, split = split + 50, "
                "key = substr(key, 1, instr(key, '-')) || (split + 50)"
            )
            connection.execute("UPDATE original_scores SET trial = trial + 10000")
            connection.execute("INSERT INTO calibrant_trials SELECT * FROM original")
            connection.execute("INSERT INTO calibrant_scores SELECT * FROM original_scores")
    connection.close()


def _document(digests: dict[str, str], n_splits: int) -> dict[str, Any]:
    names = [f"split {split}" for split in range(n_splits)]
    facts = {
        "words": "splits", "split_names": names, "n_independent": n_splits, "interval_kind": "splits",
        "bootstrap": None, "has_disjoint_tests": True, "is_nested": False, "caution": "", "pos_label": None,
    }  # fmt: skip
    sharing = {"n_trials": 1, "n_fits": 1, "n_fits_without": 1, "n_codings": 1, "n_codings_without": 1}
    planned = [
        {
            "dataset": f"set {number}",
            "families": [[method] for method in digests],
            "splits": [0, n_splits - 1],
            "digests": {method: f"{digest}{number}" for method, digest in digests.items()},
            "facts": facts,
            "sharing": sharing | {"grows_all": False},
        }
        for number in range(10)
    ]
    return {
        "version": 1, "name": "big", "datasets": [], "methods": [{"name": name} for name in digests],
        "plan": None, "metrics": [{"name": name} for name in METRICS], "metric_params": {}, "choose_by": None,
        "seed": 0, "tests_training": False, "keeps_predictions": False, "planned": planned,
    }  # fmt: skip


def queries(n_trials: int, bar: float) -> None:
    """Print the time of a table, a comparison and all trials from a store of many."""
    with folder() as path:
        fill(path / "store.db", n_trials)
        _query(path / "store.db", n_trials, bar)


def _query(path: Path, n_trials: int, bar: float) -> None:
    with Store.open(path, read_only=True) as store:
        stored = read_definition(store, "big")
        best = best_of(
            2,
            table=lambda: read_study_results(store, stored, ["mse"]).table("mse"),
            ranks=lambda: read_study_results(store, stored, ["mse"]).ranks("mse"),
            frame=lambda: read_study_results(store, stored).to_frame(),
        )
    shown = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in best.items())
    print(f"{n_trials:,} trials: {shown} (bar {bar} s)")


def eight_estimates() -> None:
    """Print the time of a study of eight leaf estimates against one of them, by the size of the table."""
    trees = {name: ProbabilityTreeClassifier(estimate=name) for name in EIGHT}
    for n_rows in (1_000, 5_000, 20_000, 50_000):
        one_and_eight(trees, {"made": rows(n_rows)}, n_rows)


def one_and_eight(trees: dict[str, Any], data: dict[str, Any], n_rows: int) -> None:
    plan = CrossValidation(10)
    best = best_of(3, one=lambda: run({"laplace": trees["laplace"]}, data, plan), eight=lambda: run(trees, data, plan))
    ratio = best["eight"] / best["one"]
    print(
        f"eight leaf estimates, {n_rows:,} rows: {best['eight']:.2f} s, one {best['one']:.2f} s: {ratio:.2f} (bar 1.3)"
    )


def workers() -> None:
    """Print the time of one and two local workers."""
    data = {f"made {seed}": rows(2000, seed=seed) for seed in range(12)}
    methods = {
        "forest": BaggedTreesClassifier(n_trees=30, random_state=0),
        "logistic": LogisticRegression(max_iter=500),
        "random forest": RandomForestClassifier(30, random_state=0),
    }
    plan = CrossValidation(10)
    best = best_of(2, one=lambda: run(methods, data, plan, workers=1), two=lambda: run(methods, data, plan, workers=2))
    print(f"workers: one {best['one']:.1f} s, two {best['two']:.1f} s: {best['one'] / best['two']:.2f} times (bar 1.7)")


def loop(methods: dict[str, Any], X: np.ndarray, y: np.ndarray, plan: Any) -> None:
    """Run cross_validate for each method and write a line of CSV for each fold, as people do by hand."""
    with folder() as path, (path / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        for name, estimator in methods.items():
            found = cross_validate(estimator, X, y, cv=plan, scoring=SCORERS)
            for split in range(len(found["fit_time"])):
                writer.writerow([name, split, *(found[f"test_{scorer}"][split] for scorer in SCORERS)])


def against_loop() -> None:
    """Print the time of a study against the loop, for our learners and for scikit-learn's."""
    X, y = rows(1000)
    plan = CrossValidation(10, 2)
    ours: dict[str, Any] = {name: ProbabilityTreeClassifier(estimate=name) for name in EIGHT}
    forest = BaggedTreesClassifier(n_trees=30, estimate="frequency", random_state=0)
    ours |= {each: clone(forest).set_params(out_of_bag=each) for each in READINGS}
    ours["naive Bayes"] = NaiveBayesClassifier()
    theirs = {
        "naive Bayes": GaussianNB(),
        "logistic": LogisticRegression(max_iter=500),
        "forest": RandomForestClassifier(20, random_state=0),
    }
    for what, methods, bar in (("our learners", ours, "at least 3"), ("foreign learners", theirs, "at least 0.91")):
        contest: dict[str, Callable[[], Any]] = {
            "study": lambda methods=methods: run(methods, {"made": (X, y)}, plan),
            "loop": lambda methods=methods: loop(methods, X, y, plan),
        }
        best = best_of(3, **contest)
        ratio = best["loop"] / best["study"]
        print(f"{what}: loop {best['loop']:.2f} s, study {best['study']:.2f} s: {ratio:.2f} times as fast (bar {bar})")


PARTS: dict[str, Callable[[], None]] = {
    "overhead": overhead,
    "dask": dask_overhead,
    "queries": lambda: queries(10_000, 0.5),
    "many_queries": lambda: queries(1_000_000, 10),
    "eight": eight_estimates,
    "workers": workers,
    "loop": against_loop,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    warnings.simplefilter("ignore")
    os.environ["CALIBRANT_PROGRESS"] = "0"
    print(machine("numpy", "scikit-learn", "sqlalchemy", "distributed"))
    for name in parser.parse_args().parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
