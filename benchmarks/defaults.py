"""The defaults of nearest neighbours and boosted trees: candidates compared by log-loss after `Auto`'s guard.

    python benchmarks/defaults.py --store FILE [--data NAME ...]
    python benchmarks/defaults.py --store FILE --forests

The second compares forests of bagged trees and their readings (`_forest_defaults.py`); what follows is about the first.

Every second shared data set, in alphabetical order from the first, chooses; the others check. A split has at most 1,200
training rows, of which a third are held out for `Auto`, and at most 1,500 test rows; data sets of fewer than 1,000 rows
are split twice. Classes of fewer than 12 sampled rows are left out, and so are data sets with more than 12 other ones
(letter, indian_pines, soybean), for the time they take. Losses are relative to that of the base rates (1: nothing
learned), so that data sets of many classes do not outweigh the others, and probabilities are clipped to
[1 / (2 n), 1 - 1 / (2 n)] for n held-out rows. The store, a file with a line for each result, lets an interrupted run
continue.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from _forest_defaults import fill_forests, show_forests
from calibrant.calibration import Auto
from calibrant.ensembles import BoostedTreesClassifier
from calibrant.neighbors import NeighborsClassifier

MAX_TRAINING, MAX_TEST, MIN_CLASS, MAX_CLASSES = 1200, 1500, 12, 12
ROUNDS = (30, 100)
WEIGHTS = ("uniform", "inverse", "inverse_squared", "similarity", "gaussian")
CRITERIA, DEPTHS = ("gain_ratio", "entropy"), (None, 6, 3)
BOOSTED = [
    {"algorithm": algorithm, "criterion": criterion, "max_depth": depth, "resample": resample}
    for algorithm in ("m1", "samme", "real")
    for criterion in CRITERIA
    for depth in DEPTHS
    for resample in (False, True)
    if algorithm != "real" or not resample  # it stops at no error
]

Split = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, NDArray[Any], NDArray[Any], NDArray[Any]]


def manifest() -> dict[str, dict[str, Any]]:
    """Return the shared data sets that have columns and classes, in alphabetical order."""
    entries = json.loads((Path(os.environ["CALIBRANT_DATA"]) / "MANIFEST.json").read_text())
    return {entry["name"]: entry for entry in sorted(entries, key=lambda entry: entry["name"]) if is_usable(entry)}


def is_usable(entry: dict[str, Any]) -> bool:
    """Return whether a data set has columns to learn from."""
    return entry["feature_columns"] > 0


def splits(entry: dict[str, Any]) -> Iterator[Split]:
    """Yield the rows to fit, to calibrate and to test, with their classes."""
    table = pd.read_parquet(Path(os.environ["CALIBRANT_DATA"]) / entry["file"]).dropna(subset=["target"])
    for seed in range(1 if len(table) >= 1000 else 2):
        rows = table.sample(min(len(table), MAX_TRAINING + MAX_TEST), random_state=seed)
        rows = rows[rows.groupby("target", observed=True)["target"].transform("size") >= MIN_CLASS]
        y = rows["target"].astype(str).to_numpy()
        if len(np.unique(y)) > MAX_CLASSES:
            return
        X = rows.drop(columns=["target", *entry["other_columns"]])
        n_training = min(MAX_TRAINING, len(y) // 2 if len(y) < 2 * MAX_TRAINING else len(y))
        X, X_test, y, y_test = train_test_split(X, y, train_size=n_training, stratify=y, random_state=seed)
        X, X_held, y, y_held = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
        yield X, X_held, X_test, y, y_held, y_test


def candidates(split: Split) -> Iterator[tuple[str, str, Any, Any, int]]:
    """Yield model, candidate, held-out scores, test scores and number of members."""
    X, X_held, X_test, y = split[:4]
    for weights in WEIGHTS:
        near = NeighborsClassifier(weights=weights).fit(X, y)
        yield "neighbours", weights, near.predict_proba(X_held), near.predict_proba(X_test), 0
    for params in BOOSTED:
        if params["algorithm"] == "m1" and len(np.unique(y)) == 2:
            continue  # the same as "samme"
        model = BoostedTreesClassifier(**params, n_trees=max(ROUNDS), n_jobs=1, random_state=0).fit(X, y)
        held, test = (list(model.staged_predict_proba(part)) for part in (X_held, X_test))
        for n in ROUNDS:
            last = min(n, len(held)) - 1
            yield "boosted trees", candidate_name(params, n), held[last], test[last], last + 1


def candidate_name(params: dict[str, Any], n_rounds: int) -> str:
    """Return the parameters in a few words."""
    depth = "full" if params["max_depth"] is None else f"depth {params['max_depth']}"
    drawn = ", resampled" if params["resample"] else ""
    return f"{params['algorithm']}, {params['criterion']}, {depth}{drawn}, {n_rounds} rounds"


def loss(proba: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any], n_held: int) -> float:
    """Return the log-loss of clipped probabilities, relative to that of the base rates."""
    clipped = np.clip(proba, 1 / (2 * n_held), 1 - 1 / (2 * n_held))
    clipped /= clipped.sum(axis=1, keepdims=True)
    codes = np.searchsorted(classes, y)
    rates = np.bincount(codes, minlength=len(classes)) / len(codes)
    return float(-np.log(clipped[np.arange(len(y)), codes]).mean() / -(rates * np.log(np.maximum(rates, 1e-300))).sum())


def results(name: str, split: Split) -> Iterator[dict[str, Any]]:
    """Yield a result for each candidate on one split."""
    *_, y_held, y_test = split
    classes = np.unique(split[3])
    for model, candidate, held, test, n_members in candidates(split):
        guarded = Auto().fit(held, y_held, labels=classes).predict(test)
        losses = {"guarded": guarded, "raw": test}
        found = {which: loss(proba, y_test, classes, len(y_held)) for which, proba in losses.items()}
        yield {"data": name, "model": model, "candidate": candidate, "members": n_members, **found}
        if candidate.startswith("samme") and len(classes) == 2:
            same = candidate.replace("samme", "m1")
            yield {"data": name, "model": model, "candidate": same, "members": n_members, **found}


def fill(store: Path, names: list[str]) -> None:
    """Add the results of data sets that the store lacks."""
    done = {json.loads(line)["data"] for line in store.read_text().splitlines()} if store.exists() else set()
    for name in names:
        if name not in done:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lines = [json.dumps(each) for split in splits(manifest()[name]) for each in results(name, split)]
            with store.open("a") as file:
                file.write("\n".join([*lines, ""]))
            print(name, flush=True)


def show(store: Path, model: str) -> None:
    """Print the mean relative losses on the sets that choose and on those that check, best first."""
    by_set: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for line in store.read_text().splitlines():
        result = json.loads(line)
        if result["model"] == model:
            by_set[result["candidate"]][result["data"]].append(result)
    choosing = list(manifest())[::2]
    print(f"\n| {model} | choose | check | before the guard | members |\n|---|---|---|---|---|")
    lines = []
    for candidate, sets in by_set.items():
        mean = {name: np.mean([each["guarded"] for each in found]) for name, found in sets.items()}
        raw = np.mean([np.mean([each["raw"] for each in found]) for found in sets.values()])
        members = np.mean([each["members"] for found in sets.values() for each in found])
        chosen = np.mean([mean[name] for name in mean if name in choosing])
        checked = np.mean([mean[name] for name in mean if name not in choosing])
        lines.append((chosen, f"| {candidate} | {chosen:.4f} | {checked:.4f} | {raw:.4f} | {members:.0f} |"))
    print("\n".join(text for _, text in sorted(lines)))


def main() -> None:
    """Fill the store and print a table for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--data", nargs="*")
    parser.add_argument("--forests", action="store_true")
    arguments = parser.parse_args()
    if arguments.forests:
        fill_forests(arguments.store)
        show_forests(arguments.store)
        return
    fill(arguments.store, arguments.data or list(manifest()))
    for model in ("neighbours", "boosted trees"):
        show(arguments.store, model)


if __name__ == "__main__":
    main()
