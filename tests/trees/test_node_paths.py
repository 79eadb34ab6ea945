"""Nodes that rows visit and importances of columns, as scikit-learn's own tools use them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.tree import DecisionTreeClassifier

from calibrant.trees import ProbabilityTreeClassifier


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_importances_equal_scikit_learns(ranks, criterion, plain_tree):
    X, y = ranks
    ours = plain_tree(criterion=criterion, min_leaf=60).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=60).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)
    assert ours.feature_importances_.sum() == pytest.approx(1.0)


def test_paths_are_those_of_scikit_learns_tree(ranks, plain_tree):
    """The nodes are numbered differently, the rows that share a node are the same."""
    X, y = ranks
    ours = plain_tree(criterion="entropy", min_leaf=60).fit(X, y).decision_path(X)
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=60).fit(X, y).decision_path(X)
    assert (ours.format, ours.shape, ours.dtype) == (theirs.format, theirs.shape, theirs.dtype)
    assert ours.has_sorted_indices
    assert {tuple(node) for node in ours.toarray().T} == {tuple(node) for node in theirs.toarray().T}


def test_a_row_with_missing_values_visits_every_node_that_a_part_of_it_reaches():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "word": rng.choice(["u", "v", "w"], 200)})
    y = (X["a"] + (X["word"] == "u") + 0.3 * rng.normal(size=200)) > 0
    model = ProbabilityTreeClassifier().fit(X, y)
    tree = model.tree_
    paths = model.decision_path(X.mask(rng.random(X.shape) < 0.5)).toarray().astype(bool)
    assert paths[:, 0].all()
    assert not (paths[:, 1:] & ~paths[:, tree.parent[1:]]).any()
    assert (paths[:, tree.is_leaf].sum(axis=1) > 1).any()
    assert model.decision_path(pd.DataFrame({"a": [np.nan], "word": [None]})).toarray()[0, tree.weight > 0].all()


def test_the_last_node_of_a_path_is_the_leaf_of_apply():
    X, y = load_breast_cancer(return_X_y=True)
    model = ProbabilityTreeClassifier().fit(X, y)
    leaves = (model.decision_path(X).toarray() * model.tree_.is_leaf).argmax(axis=1)
    np.testing.assert_array_equal(leaves, model.apply(X))


@pytest.mark.parametrize(
    "selector",
    [
        RFE(ProbabilityTreeClassifier(min_leaf=10), n_features_to_select=5),
        RFECV(ProbabilityTreeClassifier(min_leaf=10), step=10),
        SelectFromModel(ProbabilityTreeClassifier(min_leaf=10)),
    ],
    ids=["RFE", "RFECV", "SelectFromModel"],
)
def test_scikit_learn_selects_columns_by_a_tree(selector):
    X, y = load_breast_cancer(return_X_y=True)
    used = ProbabilityTreeClassifier(min_leaf=10).fit(X, y).feature_importances_
    assert selector.fit(X, y).get_support()[used.argmax()]
