"""Kernel densities against a plain sum over the training rows that shares no code with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from . import reference
from .grown import CASES, Grown, grow, rows_of

N_ROWS = 50
# Which half of its rows an honest tree counts cannot be seen from outside.
WHOLE = [name for name in CASES if "honest" not in name]


@pytest.fixture(scope="module", params=WHOLE)
def grown(request: pytest.FixtureRequest) -> Grown:
    return grow(CASES[request.param])


def examples_of(grown: Grown) -> reference.Examples:
    classes = grown.model.classes_
    label = np.searchsorted(classes, np.asarray(grown.y).astype(classes.dtype))
    weight = np.ones(len(label)) if grown.weight is None else grown.weight
    if grown.model.class_weight == "balanced":
        weight = weight * (len(label) / (len(classes) * np.bincount(label)))[label]
    return reference.Examples(rows_of(grown.X), label, weight)


def assert_agree(grown: Grown, X: pd.DataFrame) -> None:
    model = grown.model.with_estimate("kernel_density")
    reading = reference.kernel_density(model.tree_, examples_of(grown))
    expected = reference.probabilities(model, rows_of(X), reading)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-9)


def reaches_an_empty_leaf(tree: Any, row: dict[str, Any]) -> bool:
    """Return whether some part of the row ends in an empty leaf: only empty leaves vote here."""
    silent = reference.Reading(lambda _path, _row: np.zeros(tree.counts.shape[1]))
    return bool(reference.walk(tree, row, (0,), silent, votes=True).any())


@pytest.mark.sample(3)
def test_densities_are_those_of_the_reference_where_leaves_have_rows(grown):
    X = grown.X_test[:N_ROWS]
    in_filled = [not reaches_an_empty_leaf(grown.model.tree_, row) for row in rows_of(X)]
    assert sum(in_filled) > N_ROWS / 2
    assert_agree(grown, X[in_filled])


@pytest.mark.parametrize("name", ["two classes", "missing", "unseen categories", "j48", "empty leaves vote"])
def test_an_empty_leaf_predicts_as_its_parent_or_its_majority(name):
    grown = grow(CASES[name])
    in_empty = [reaches_an_empty_leaf(grown.model.tree_, row) for row in rows_of(grown.X_test)]
    assert_agree(grown, grown.X_test[in_empty])


def test_far_from_every_training_row_laplace_predicts():
    grown = grow(CASES["two classes"])
    far = grown.X_test[:N_ROWS].assign(age=1e6, town="ash")
    assert_agree(grown, far)
    laplace = grown.model.with_estimate("laplace").predict_proba(far)
    np.testing.assert_array_equal(grown.model.with_estimate("kernel_density").predict_proba(far), laplace)
