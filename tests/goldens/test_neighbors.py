"""Weka's IBk, and its evaluators of attributes by information gain and gain ratio."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibrant.data import read_table
from calibrant.neighbors import NeighborsClassifier, attribute_gains

SETS = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
IBK: dict[str, dict[str, Any]] = {
    "-K 1": {"n_neighbors": 1, "weights": "uniform"},
    "-K 5": {"n_neighbors": 5, "weights": "uniform"},
    "-K 5 -I": {"n_neighbors": 5, "weights": "inverse", "offset": 0.001},
    "-K 5 -F": {"n_neighbors": 5, "weights": "similarity"},
}


@dataclass
class Set:
    """The rows of a data set and what Weka found in them."""

    train: Any
    test: Any
    found: dict[str, Any]

    @classmethod
    def read(cls, goldens: Path, name: str) -> Set:
        table = read_table(goldens / f"data/{name}.arff")
        split = json.loads((goldens / "splits.json").read_text())[name]
        found = json.loads((goldens / f"weka/{name}.json").read_text())
        return cls(table.take(split["train"]), table.take(split["test"]), found)

    def ranges(self) -> np.ndarray:
        """Of all rows: IBk had classified every test row before these distributions were written."""
        both = [self.train.X.select_dtypes("number"), self.test.X.select_dtypes("number")]
        low = np.fmin(*(part.min() for part in both)).reindex(self.train.X.columns)
        high = np.fmax(*(part.max() for part in both)).reindex(self.train.X.columns)
        return np.array([low, high])

    def distribution(self, options: str, classes: np.ndarray) -> np.ndarray:
        """Weka's columns are all declared classes, ours the sorted ones that occur; one of glass does not."""
        model = next(m for m in self.found["models"] if m["scheme"] == f"weka.classifiers.lazy.IBk {options}")
        seen = np.array(model["test_distribution"])[:, [self.found["classes"].index(label) for label in classes]]
        return np.asarray(seen / seen.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("options", IBK)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.sample(5)
def test_ibk(name: str, options: str, goldens: Path) -> None:
    golden = Set.read(goldens, name)
    model = NeighborsClassifier(attribute_weights=None, scale=golden.ranges(), tie_tolerance=0, **IBK[options])
    model.fit(golden.train.X, golden.train.y)
    theirs = golden.distribution(options, model.classes_)
    np.testing.assert_allclose(model.predict_proba(golden.test.X), theirs, atol=1e-11, rtol=0)


@pytest.mark.parametrize("name", ["ionosphere", "soybean", "vote"])
def test_ibk_by_the_training_ranges_where_no_test_row_lies_outside(name: str, goldens: Path) -> None:
    golden = Set.read(goldens, name)
    model = NeighborsClassifier(n_neighbors=5, weights="similarity", attribute_weights=None, scale="range")
    model.fit(golden.train.X, golden.train.y)
    theirs = golden.distribution("-K 5 -F", model.classes_)
    np.testing.assert_allclose(model.predict_proba(golden.test.X), theirs, atol=1e-11, rtol=0)


@pytest.mark.parametrize("kind", ["gain_ratio", "info_gain"])
@pytest.mark.parametrize("name", SETS)
def test_the_gains_of_attributes(name: str, kind: Any, goldens: Path) -> None:
    golden = Set.read(goldens, name)
    gains = attribute_gains(golden.train.X, golden.train.y, kind=kind)
    theirs = [golden.found[f"attribute_{kind}"][column] for column in golden.train.X.columns]
    np.testing.assert_allclose(gains, theirs, atol=1e-11, rtol=0)
