"""The study that is disturbed, and what its store has of it, to the bit."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB

from calibrant.bayes import NaiveBayesClassifier
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import StoreError
from calibrant.resampling import CrossValidation
from calibrant.studies import Study
from calibrant.studies._store.store import Store
from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["METRICS", "NAME", "Recorded", "make_study", "read_recorded", "results_of"]

NAME, METRICS = "faults", ("mse", "auc")

# By data set, method and split: what must never change, and what an undisturbed run has too.
Recorded = dict[tuple[str, str, int], "RecordedTrial"]


@dataclass(frozen=True)
class RecordedTrial:
    """A trial as the store has it."""

    key: str
    result: tuple[Any, ...]
    circumstances: tuple[Any, ...]


def make_rows(seed: int, n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).round(2)
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def make_study(url: str, n_repeats: int = 2) -> Study:
    """Return a study of three methods that share trees, one that draws numbers, and two others."""
    methods: dict[str, Any] = {
        name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace", "curtailment")
    }
    methods |= {"bayes": NaiveBayesClassifier(), "gaussian": GaussianNB(), "forest": BaggedTreesClassifier(n_trees=5)}
    return Study(
        NAME,
        datasets={"one": make_rows(1), "two": make_rows(2)},
        methods=methods,
        plan=CrossValidation(5, n_repeats),
        metrics=list(METRICS),
        store=url,
        seed=7,
        keep_predictions=True,
    )


def read_recorded(url: str) -> tuple[Recorded, int, int, int]:
    """Return the trials of the store, and the numbers of those recorded twice, computed twice and failed."""
    try:
        store = Store.open(url, read_only=True, create=False)
    except StoreError as error:
        if "no such file" in str(error) or "no store" in str(error):  # the fault came before there was a store
            return {}, 0, 0, 0
        raise
    with store:
        if store.definition(NAME) is None:
            return {}, 0, 0, 0
        found = store.trials(NAME, METRICS)
        predicted = {
            (dataset, method, split): hashlib.sha256(parquet).hexdigest()
            for dataset, method in set(zip(found["dataset"], found["method"], strict=True))
            for split, parquet in store.predictions(NAME, dataset, method)
        }
        computed_twice = store.computed_twice(NAME)
    recorded: Recorded = {}
    for i in range(len(found["key"])):
        name = (str(found["dataset"][i]), str(found["method"][i]), int(found["split"][i]))
        scores = tuple(float(found["test", metric][i]).hex() for metric in METRICS)
        numbers = (found["seed"][i], int(found["n_train"][i]), int(found["n_test"][i]), str(found["state"][i]))
        recorded[name] = RecordedTrial(
            str(found["key"][i]),
            (str(found["fingerprint"][i]), *numbers, *scores, predicted.get(name)),
            (float(found["fit_seconds"][i]), float(found["recorded"][i]), str(found["versions"][i])),
        )
    return recorded, len(found["key"]) - len(recorded), computed_twice, int((found["state"] == "failed").sum())


def results_of(url: str) -> dict[str, Any]:
    """Return the answers of the study's queries, to be compared to the bit."""
    results = Study.open(NAME, url).results()
    frame = results.to_frame().sort_values(["dataset", "method", "split"])[["dataset", "method", "split", *METRICS]]
    pairs = sorted(set(zip(frame["dataset"], frame["method"], strict=True)))
    pooled = {pair: results.predictions(pair[1], pair[0]) for pair in pairs}
    return {
        "tables": {metric: results.table(metric).to_numpy().tobytes() for metric in METRICS},
        "frame": [tuple(value.hex() if isinstance(value, float) else value for value in row) for row in frame.values],
        "predictions": {
            pair: [part.tobytes() for part in (each.row, each.split, each.y_true, each.y_pred)]
            for pair, each in pooled.items()
        },
    }
