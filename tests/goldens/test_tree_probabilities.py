"""Probabilities through the classifier: C4.5's class weights of test cases, J48's distributions of test rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibrant.data import read_table
from calibrant.trees import ProbabilityTreeClassifier

# Sets with a test file; of the others C4.5 printed the tree alone.
C45 = ["monk1", "monk3", "vote", "weka_credit-g", "weka_glass", "weka_ionosphere", "weka_iris", "weka_labor"]
C45 += ["weka_segment-challenge", "weka_soybean", "weka_vote"]
WEKA = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
PRUNED: dict[str, Any] = {"prune": "pessimistic", "collapse": True}
J48: dict[str, dict[str, Any]] = {
    "-U -O": {"estimate": "frequency"},
    "-U -O -A": {},
    "-U -O -J": {"estimate": "frequency", "mdl_penalty": False},
    "-U -O -J -A": {"mdl_penalty": False},
    "-U -O -M 1 -A": {"min_leaf": 1},
    "-U -O -M 10 -A": {"min_leaf": 10},
    "-U -O -B -A": {"nominal_splits": "binary"},
    "-U -O -A -doNotMakeSplitPointActualValue": {"threshold": "midpoint"},
    "-U": {"estimate": "frequency", "collapse": True},
    "-U -A": {"collapse": True},
    "-C 0.25 -M 2": {"estimate": "frequency", **PRUNED},
    "-C 0.25 -M 2 -A": PRUNED,
    "-C 0.1 -M 2": {"estimate": "frequency", "confidence": 0.1, **PRUNED},
    "-C 0.25 -M 2 -S": {"estimate": "frequency", "subtree_raising": False, **PRUNED},
}


def of_seen_classes(table: list[list[float]], model: ProbabilityTreeClassifier, declared: list[str]) -> np.ndarray:
    """The programs have a column for every declared class; ours are sorted, and a class without a row has none.

    J48's Laplace estimate gives such a class (one of glass) a share of its own, which the others take over here.
    """
    seen = np.array(table)[:, [declared.index(label) for label in model.classes_]]
    return np.asarray(seen / seen.sum(axis=1, keepdims=True))


def c45_params(run: dict[str, Any], kind: str) -> dict[str, Any]:
    min_leaf = re.search(r"-m (\d+)", run["options"])
    return {
        "estimate": "frequency",
        "criterion": "entropy" if "-g" in run["options"] else "gain_ratio",
        "min_leaf": int(min_leaf[1]) if min_leaf else 2,
        "collapse": run["collapse"],
        "prune": "pessimistic" if kind == "pruned" else None,
    }


@pytest.mark.parametrize("name", C45)
@pytest.mark.sample(3)
def test_c45_gives_its_test_cases_the_same_class_weights(name: str, goldens: Path) -> None:
    agreeing = {
        (run["options"], run["build"])
        for run in json.loads((goldens / "c45/AGREEMENT.json").read_text())
        if run["dataset"] == name and run["float64_tolerant_reimplementation_agrees"]
    }
    names = goldens / f"data/c45_{name}.names"
    train, test = (read_table(goldens / f"data/c45_{name}.{part}", names=names) for part in ("data", "test"))
    classes = train.y.cat.categories.tolist()
    runs = json.loads((goldens / f"c45/{name}.json").read_text())["runs"]
    for run in (run for run in runs if (run["options"], run["build"]) in agreeing):
        for kind in ("unpruned", "pruned"):
            model = ProbabilityTreeClassifier(**c45_params(run, kind)).fit(train.X, train.y)
            theirs = of_seen_classes(run[f"test_class_weights_{kind}"], model, classes)
            np.testing.assert_allclose(model.predict_proba(test.X), theirs, atol=3e-7, rtol=0)


@pytest.mark.parametrize("options", J48)
@pytest.mark.parametrize("name", WEKA)
@pytest.mark.sample(5)
def test_j48_gives_its_test_rows_the_same_distributions(name: str, options: str, goldens: Path) -> None:
    table = read_table(goldens / f"data/{name}.arff")
    split = json.loads((goldens / "splits.json").read_text())[name]
    train, test = table.take(split["train"]), table.take(split["test"])
    models = json.loads((goldens / f"weka/{name}.json").read_text())["models"]
    run = next(model for model in models if model["scheme"] == f"weka.classifiers.trees.J48 {options}")
    model = ProbabilityTreeClassifier(dialect="j48", **J48[options]).fit(train.X, train.y)
    theirs = of_seen_classes(run["test_distribution"], model, train.y.cat.categories.tolist())
    np.testing.assert_allclose(model.predict_proba(test.X), theirs, atol=1e-6, rtol=0)
    assert model.n_nodes_ == run["tree_size"]
