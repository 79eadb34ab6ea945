"""The defaults of bagged trees: forests and readings compared by log-loss in % of the class entropy."""

from __future__ import annotations

import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from _default_tables import CHOOSING, DATASETS, TableSplit, relative_log_loss, table_split
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import HierarchicalShrinkage

SPLITS, MAX_TEST = 1, 1000  # fewer test rows than the benchmark of quality, for the time they take
C44 = {"criterion": "gain_ratio", "nominal_splits": "multiway", "threshold": "observed", "mdl_penalty": True}
PLAIN = {"criterion": "entropy", "nominal_splits": "binary", "threshold": "midpoint", "mdl_penalty": False}
FORESTS = [
    {"max_features": drawn, **forest}
    for drawn in ("sqrt", None)
    for forest in (
        C44,
        PLAIN,
        {**PLAIN, "criterion": "gini"},
        {**PLAIN, "criterion": "gain_ratio"},
        {**PLAIN, "nominal_splits": "multiway"},
        {**PLAIN, "nominal_splits": "subset"},
        {**PLAIN, "threshold": "observed"},
        {**PLAIN, "mdl_penalty": True},
    )
]
ESTIMATES = {
    "laplace": "laplace",
    "frequency": "frequency",
    "m": "m",
    "m_branch": "m_branch",
    "shrinkage 1": HierarchicalShrinkage(),
    "shrinkage 4": HierarchicalShrinkage(strength=4),
}
COUNTED = {name: ESTIMATES[name] for name in ("frequency", "shrinkage 1")}


def fill_forests(store: Path) -> None:
    """Add the results of the splits that the store lacks."""
    lines = store.read_text().splitlines() if store.exists() else []
    done = {(each["data"], each["split"]) for each in map(json.loads, lines)}
    for split in range(SPLITS):
        for name in DATASETS:
            if (name, split) not in done:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = [json.dumps(each) for each in _results(table_split(name, split))]
                with store.open("a") as file:
                    file.write("\n".join([*found, ""]))
                print(name, split, flush=True)


def _results(split: TableSplit) -> Iterator[dict[str, Any]]:
    """Yield the loss of every reading of every forest on one split."""
    X_test, y_test = split.X_test[:MAX_TEST], split.y_test[:MAX_TEST]
    for params in FORESTS:
        forest = BaggedTreesClassifier(**params, n_jobs=1, random_state=split.split).fit(split.X, split.y)
        for kind, estimates in (("b_pets", ESTIMATES), ("eb_pets", COUNTED)):
            for name, estimate in estimates.items():
                proba = forest.reread(kind, estimate=estimate).predict_proba(X_test)
                reading = f"{name}, out of bag too" if kind == "eb_pets" else name
                found = {"loss": relative_log_loss(proba, y_test), "zeros": float(np.mean(proba == 0))}
                yield {"data": split.dataset, "split": split.split, "forest": forest_name(params)} | {
                    "reading": reading,
                    **found,
                }


def forest_name(params: dict[str, Any]) -> str:
    """Return the parameters in a few words."""
    drawn = "all columns" if params["max_features"] is None else params["max_features"]
    penalty = "MDL" if params["mdl_penalty"] else "no MDL"
    return ", ".join([params["criterion"], params["nominal_splits"], params["threshold"], penalty, drawn])


def show_forests(store: Path) -> None:
    """Print the mean losses on the sets that choose, on those that check and on all, best first."""
    by_set: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for line in store.read_text().splitlines():
        result = json.loads(line)
        by_set[result["forest"], result["reading"]][result["data"]].append(result)
    print("\n| forest | reading | choose | check | all | worst excess | zeros |\n|---|---|---|---|---|---|---|")
    loss = {
        key: {data: np.mean([r["loss"] for r in found]) for data, found in sets.items()} for key, sets in by_set.items()
    }
    best = {data: min(each[data] for each in loss.values()) for data in next(iter(loss.values()))}
    lines = []
    for key, mean in loss.items():
        chosen, checked = ([mean[n] for n in mean if (n in CHOOSING) is which] for which in (True, False))
        worst = max(mean[name] - best[name] for name in mean)
        zeros = np.mean([r["zeros"] for found in by_set[key].values() for r in found])
        figures = [np.mean(chosen), np.mean(checked), np.mean(list(mean.values())), worst]
        words = " | ".join([*key, *(f"{figure:.1f}" for figure in figures), f"{zeros:.3f}"])
        lines.append((figures[0], f"| {words} |"))
    print("\n".join(text for _, text in sorted(lines)))
