"""Class probabilities of Weka's NaiveBayes: normal distributions, kernels (-K) and intervals (-D)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import read_table

SETS = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
SCHEMES: dict[str, dict[str, Any]] = {
    "": {"numeric": "gaussian", "dialect": "weka"},
    " -K": {"numeric": "kernel", "dialect": "weka"},
    " -D": {"numeric": "mdl"},
}


def wekas_and_ours(folder: Path, name: str, scheme: str, params: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Weka has a column for every declared class; the one of glass without a row has no share here."""
    golden = json.loads((folder / "weka" / f"{name}.json").read_text())
    model = next(model for model in golden["models"] if model["scheme"] == f"weka.classifiers.bayes.NaiveBayes{scheme}")
    split = json.loads((folder / "splits.json").read_text())[name]
    table = read_table(folder / "data" / f"{name}.arff")
    train, test = table.take(split["train"]), table.take(split["test"])
    ours = NaiveBayesClassifier(**params).fit(train.X, train.y)
    theirs = np.array(model["test_distribution"])[:, [golden["classes"].index(label) for label in ours.classes_]]
    return theirs / theirs.sum(axis=1, keepdims=True), ours.predict_proba(test.X)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.sample(4)
def test_probabilities_are_wekas(name: str, scheme: str, goldens: Path) -> None:
    theirs, ours = wekas_and_ours(goldens, name, scheme, SCHEMES[scheme])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_small_probabilities_of_intervals_are_wekas_too(name: str, goldens: Path) -> None:
    theirs, ours = wekas_and_ours(goldens, name, " -D", SCHEMES[" -D"])
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("name", SETS)
def test_exact_normal_distributions_differ_only_far_above_the_mean(name: str, goldens: Path) -> None:
    theirs, ours = wekas_and_ours(goldens, name, "", {"numeric": "gaussian"})
    n_apart = (np.abs(ours - theirs).max(axis=1) > 1e-9).sum()
    assert n_apart == (1 if name == "glass" else 0)


@pytest.mark.parametrize("name", sorted({*SETS} - {"glass"}))
def test_exact_sums_of_kernels_differ_by_what_weka_leaves_out(name: str, goldens: Path) -> None:
    theirs, ours = wekas_and_ours(goldens, name, " -K", {"numeric": "kernel"})
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.002)
