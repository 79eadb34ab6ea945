"""The gradient booster of the blend against HistGradientBoosting and LightGBM: log-loss and processor time, one thread.

Each fits one model a fold on the same eight folds, grown on all but two of them and stopped early by the second; new
rows get the mean of the models. Constants of ours were chosen on `CHOOSING`, every second data set; the others test
them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from _default_peers import numbered
from _default_tables import CHOOSING, DATASETS, TableSplit, relative_log_loss, table_split
from calibrant.data._internal import read_training_rows
from calibrant.data._validation.estimator_rows import read_rows
from calibrant.ensembles._boosting.gradient_boosting import fit_gradient_boosting
from calibrant.trees._internal import TrainingSet

N_FOLDS = 8
FLOOR = 1e-15
RATE, MAX_ROUNDS, PATIENCE = 0.05, 1000, 30  # of the peers


def folds_of(y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fold of each row, stratified."""
    fold = np.empty(len(y), dtype=np.int64)
    splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(y, y)
    for number, (_, rows) in enumerate(splits):
        fold[rows] = number
    return fold


def ours(table: TableSplit, options: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities of the test rows and of the held-out training rows."""
    examples = TrainingSet.of(read_training_rows(table.X, table.y))
    model = fit_gradient_boosting(examples, folds_of(table.y), options, 0, 1)
    rows = read_rows(table.X_test, examples.table.schema, "it", has_names=examples.feature_names is not None)
    return model.predict_proba(rows, n_jobs=1), model.held_out_proba


def by_folds(table: TableSplit, fit: Callable[..., Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return probabilities of models of another package; test rows get the normalised geometric mean of the folds."""
    X, X_test, fold = numbered(table.X), numbered(table.X_test), folds_of(table.y)
    held_out = np.full((len(table.y), table.n_classes), FLOOR)
    log_proba = np.zeros((len(table.y_test), table.n_classes))
    for k in range(N_FOLDS):
        stop = fold == (k + 1) % N_FOLDS
        grow = (fold != k) & ~stop
        stop &= np.isin(table.y, table.y[grow])  # the others raise if a class is new to them
        model = fit(X[grow], table.y[grow], X[stop], table.y[stop])
        held_out[np.ix_(fold == k, model.classes_)] = model.predict_proba(X[fold == k])
        found = np.full_like(log_proba, FLOOR)
        found[:, model.classes_] = model.predict_proba(X_test)
        log_proba += np.log(np.maximum(found, FLOOR)) / N_FOLDS
    proba = np.exp(log_proba)
    return proba / proba.sum(axis=1, keepdims=True), held_out


def _hist(X: Any, y: Any, X_stop: Any, y_stop: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=RATE, max_iter=MAX_ROUNDS, n_iter_no_change=PATIENCE, early_stopping=True, random_state=0
    )
    return model.fit(X, y, X_val=X_stop, y_val=y_stop)


def _lightgbm(X: Any, y: Any, X_stop: Any, y_stop: Any) -> Any:
    from lightgbm import LGBMClassifier, early_stopping

    model = LGBMClassifier(learning_rate=RATE, n_estimators=MAX_ROUNDS, n_jobs=1, random_state=0, verbose=-1)
    stop = early_stopping(PATIENCE, verbose=False)
    return model.fit(X, y, eval_X=X_stop, eval_y=y_stop, callbacks=[stop])


METHODS: dict[str, Callable[[TableSplit], tuple[NDArray[np.float64], NDArray[np.float64]]]] = {
    "calibrant": ours,
    "HistGradientBoosting": lambda table: by_folds(table, _hist),
    "LightGBM": lambda table: by_folds(table, _lightgbm),
}


def measure(method: str, table: TableSplit) -> dict[str, Any]:
    """Return the losses and the processor time of a method on one split."""
    started = time.process_time()
    with threadpool_limits(1):
        proba, held_out = METHODS[method](table)
    return {
        "method": method,
        "dataset": table.dataset,
        "split": table.split,
        "seconds": time.process_time() - started,
        "loss": relative_log_loss(proba, table.y_test),
        "held_out": relative_log_loss(held_out, table.y),
    }


def results(store: Path, methods: list[str], datasets: tuple[str, ...], splits: int) -> Iterator[dict[str, Any]]:
    """Yield the stored results, and measure what is not there yet."""
    lines = store.read_text().splitlines() if store.exists() else []
    known = {(each["method"], each["dataset"], each["split"]): each for each in map(json.loads, lines)}
    for split in range(splits):
        for dataset in datasets:
            for method in methods:
                if (method, dataset, split) not in known:
                    found = measure(method, table_split(dataset, split))
                    known[method, dataset, split] = found
                    with store.open("a") as file:
                        file.write(json.dumps(found) + "\n")
                yield known[method, dataset, split]


def report(found: list[dict[str, Any]], methods: list[str]) -> None:
    """Print the mean loss of each half of the data sets and of all, the wins and the time."""
    print("| method | chosen on | others | all | held-out rows | ahead of ours on | seconds | to ours |")
    print("|---|---|---|---|---|---|---|---|")
    by_set = {
        (method, dataset): {
            key: np.mean([each[key] for each in found if each["method"] == method and each["dataset"] == dataset])
            for key in ("loss", "held_out", "seconds")
        }
        for method in methods
        for dataset in {each["dataset"] for each in found}
    }
    sets = sorted({dataset for _, dataset in by_set})

    def mean(method: str, key: str, chosen: list[str]) -> float:
        return float(np.mean([by_set[method, dataset][key] for dataset in chosen] or [np.nan]))

    first = methods[0]
    for method in methods:
        halves = [[each for each in sets if each in CHOOSING], [each for each in sets if each not in CHOOSING], sets]
        losses = " | ".join(f"{mean(method, 'loss', half):.2f}" for half in halves)
        wins = sum(by_set[method, each]["loss"] < by_set[first, each]["loss"] for each in sets)
        seconds = sum(by_set[method, each]["seconds"] for each in sets)
        ratio = seconds / sum(by_set[first, each]["seconds"] for each in sets)
        ahead = "" if method == first else f"{wins} of {len(sets)}"
        print(f"| {method} | {losses} | {mean(method, 'held_out', sets):.2f} | {ahead} | {seconds:.1f} | {ratio:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("build/gradient_boosting.jsonl"))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--datasets", nargs="*", default=list(DATASETS))
    arguments = parser.parse_args()
    arguments.store.parent.mkdir(parents=True, exist_ok=True)
    found = list(results(arguments.store, arguments.methods, tuple(arguments.datasets), arguments.splits))
    report(found, arguments.methods)


if __name__ == "__main__":
    main()
