"""Weka's AdaBoostM1 on J48 trees and on decision stumps, and one such stump: the distributions of test rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from calibrant.data import read_table
from calibrant.ensembles import BoostedStumpsClassifier, BoostedTreesClassifier

SETS = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
BOOSTED = "weka.classifiers.meta.AdaBoostM1 -P 100 -S 1 -I 10 -W weka.classifiers.trees"
J48: dict[str, Any] = {"dialect": "j48", "estimate": "frequency", "collapse": True, "resample": False}
N_ALIKE = {"iris": 2}  # of J48: see SOURCE.md

# As Weka: the first stump errs on more than half of the weight (glass, soybean)
pytestmark = pytest.mark.filterwarnings("ignore:.*no better than chance:calibrant.exceptions.CalibrantWarning")


@dataclass
class Run:
    """One run of Weka: the rows, the distributions, and the members' weights as printed."""

    train: Any
    test: Any
    distribution: np.ndarray
    weights: list[float]
    n_leaves: list[int]

    @classmethod
    def read(cls, goldens: Path, name: str, scheme: str) -> Run:
        table = read_table(goldens / f"data/{name}.arff")
        split = json.loads((goldens / "splits.json").read_text())[name]
        models = json.loads((goldens / f"weka/{name}.json").read_text())["models"]
        run = next(model for model in models if model["scheme"] == scheme)
        lines = run["model_text"].splitlines()
        weights = [float(line.split()[1]) for line in lines if line.startswith("Weight:")]
        n_leaves = [int(line.split()[-1]) for line in lines if line.startswith("Number of Leaves")]
        train = table.take(split["train"])
        return cls(train, table.take(split["test"]), np.array(run["test_distribution"]), weights, n_leaves)

    def of_seen_classes(self, classes: np.ndarray) -> np.ndarray:
        """Weka's columns are all declared classes, ours the sorted ones that occur; one of glass does not."""
        declared = self.train.y.cat.categories.tolist()
        seen = self.distribution[:, [declared.index(label) for label in classes]]
        return np.asarray(seen / seen.sum(axis=1, keepdims=True))


def weka_distribution(model: Any, X: Any) -> np.ndarray:
    """Weka gives the softmax of the summed votes, or what its only member gives."""
    alone = len(model.estimator_weights_) == 1
    return model.predict_proba(X) if alone else softmax(model.summed_votes(X), axis=1)


@pytest.mark.parametrize("name", SETS)
def test_a_decision_stump(name: str, goldens: Path) -> None:
    run = Run.read(goldens, name, "weka.classifiers.trees.DecisionStump")
    model = BoostedStumpsClassifier(n_trees=1, estimate="frequency").fit(run.train.X, run.train.y)
    theirs = run.of_seen_classes(model.classes_)
    np.testing.assert_allclose(model.predict_proba(run.test.X), theirs, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", SETS)
def test_boosted_decision_stumps(name: str, goldens: Path) -> None:
    run = Run.read(goldens, name, f"{BOOSTED}.DecisionStump")
    model = BoostedStumpsClassifier(n_trees=10, estimate="frequency").fit(run.train.X, run.train.y)
    theirs = run.of_seen_classes(model.classes_)
    np.testing.assert_allclose(weka_distribution(model, run.test.X), theirs, atol=1e-6, rtol=0)
    if run.weights:
        np.testing.assert_allclose(model.estimator_weights_, run.weights, atol=0.0051)


@pytest.mark.parametrize("name", SETS)
def test_boosted_j48(name: str, goldens: Path) -> None:
    run = Run.read(goldens, name, f"{BOOSTED}.J48 -- -U")
    model = BoostedTreesClassifier(n_trees=N_ALIKE.get(name, 10), **J48).fit(run.train.X, run.train.y)
    theirs = run.of_seen_classes(model.classes_)
    np.testing.assert_allclose(weka_distribution(model, run.test.X), theirs, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.filterwarnings("ignore:.*does not change the weights of the rows:calibrant.exceptions.CalibrantWarning")
def test_boosted_j48_member_by_member(name: str, goldens: Path) -> None:
    run = Run.read(goldens, name, f"{BOOSTED}.J48 -- -U")
    model = BoostedTreesClassifier(n_trees=10, **J48).fit(run.train.X, run.train.y)
    alike = slice(N_ALIKE.get(name, 10))
    assert [tree.n_leaves for tree in model.trees_[alike]] == run.n_leaves[alike]
    np.testing.assert_allclose(model.estimator_weights_[alike], run.weights[alike], atol=0.0051)


@pytest.mark.filterwarnings("ignore:.*does not change the weights of the rows:calibrant.exceptions.CalibrantWarning")
def test_weka_leaves_out_a_tree_without_error_and_we_keep_it(goldens: Path) -> None:
    run = Run.read(goldens, "iris", f"{BOOSTED}.J48 -- -U")
    model = BoostedTreesClassifier(n_trees=10, **J48).fit(run.train.X, run.train.y)
    assert (len(run.weights), len(model.trees_), model.errors_[-1], model.stopped_) == (2, 3, 0.0, "perfect")
