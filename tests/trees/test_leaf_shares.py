"""Coded rows end in the leaves of their raw values, whatever grew or cut the tree."""

import numpy as np
import pandas as pd
import pytest

from calibrant.data import load
from calibrant.data._validation.estimator_rows import read_rows
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._prediction.tree_reading import leaf_shares

KINDS = [
    {},
    {"threshold": "midpoint", "criterion": "gini"},
    {"nominal_splits": "subset", "prune": "pessimistic"},
    {"nominal_splits": "binary", "honest": True},
    {"prune": "reduced_error"},
    {"dialect": "j48", "collapse": True, "max_depth": 6},
]


@pytest.fixture(scope="module")
def donors():
    table = load("appeal")
    X = pd.concat([table.X] * 4, ignore_index=True)
    return X.mask(np.random.default_rng(0).random(X.shape) < 0.1), np.tile(table.y, 4)


@pytest.mark.parametrize("params", KINDS, ids=str)
def test_coded_rows_end_where_their_raw_values_end(donors, params):
    X, y = donors
    model = ProbabilityTreeClassifier(random_state=0, **params).fit(X, y)
    tree, table = model.tree_, model._grown_tree.examples.table
    raw = leaf_shares(tree, *read_rows(X, tree.schema, "it", has_names=True), 1)
    for n_jobs in (1, 3):
        coded = leaf_shares(tree, len(X), table.core, n_jobs)
        for one, other in zip(raw, coded, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(np.bincount(raw.row, raw.share), 1)


def test_arrivals_mixed_by_share_are_the_prediction(donors):
    X, y = donors
    model = ProbabilityTreeClassifier().fit(X, y)
    row, leaf, share = leaf_shares(model.tree_, len(X), model._grown_tree.examples.table.core, 1)
    mixed = np.bincount(row, share * model._reading.table[leaf, 1])
    np.testing.assert_allclose(mixed, model.predict_proba(X)[:, 1], rtol=1e-12)


def test_only_wanted_rows_arrive(donors):
    X, y = donors
    model = ProbabilityTreeClassifier().fit(X, y)
    wanted = np.arange(len(X)) % 3 == 0
    found = leaf_shares(model.tree_, len(X), model._grown_tree.examples.table.core, 2, wanted=wanted)
    np.testing.assert_array_equal(np.unique(found.row), np.flatnonzero(wanted))
