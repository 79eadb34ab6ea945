"""The same trees as scikit-learn's, on rows without ties."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("min_leaf", [60, 100])
@pytest.mark.parametrize("max_depth", [None, 3])
def test_probabilities_equal_scikit_learns(ranks, criterion, min_leaf, max_depth, plain_tree):
    X, y = ranks
    ours = plain_tree(criterion=criterion, min_leaf=min_leaf, max_depth=max_depth).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=min_leaf, max_depth=max_depth).fit(X, y)
    new = np.random.default_rng(0).uniform(0, 1200, (500, X.shape[1])).round(1) + 0.05
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)
    assert (ours.n_leaves_, ours.depth_) == (theirs.get_n_leaves(), theirs.get_depth())


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_probabilities_equal_scikit_learns_with_weights(ranks, odd_weights, criterion, plain_tree):
    X, y = ranks
    ours = plain_tree(criterion=criterion, min_leaf=1e-6, max_depth=5).fit(X, y, odd_weights)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=5).fit(X, y, odd_weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_a_full_tree_fits_the_training_rows_as_scikit_learns_does(load, plain_tree):
    X, y = load(return_X_y=True)
    ours = plain_tree(min_leaf=1).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
