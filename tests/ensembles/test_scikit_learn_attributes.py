"""scikit-learn's tools read paths, out-of-bag accuracy and importances from a forest."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel

from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier, EBPETsClassifier


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_paths_of_a_forest_are_those_of_its_trees(cancer):
    X, y = cancer
    model = BaggedTreesClassifier(n_trees=4, random_state=0).fit(X, y)
    theirs = RandomForestClassifier(n_estimators=4, random_state=0).fit(X, y).decision_path(X)
    indicator, starts = model.decision_path(X)
    assert (indicator.format, starts.dtype, len(starts)) == (theirs[0].format, theirs[1].dtype, len(theirs[1]))
    for i, tree in enumerate(model.trees_):
        part = indicator[:, starts[i] : starts[i + 1]].toarray()
        np.testing.assert_array_equal((part * tree.is_leaf).argmax(axis=1), model.apply(X)[:, i])
        assert (part.sum(axis=1) == tree.depth[model.apply(X)[:, i]] + 1).all()


def test_the_out_of_bag_score_is_the_accuracy_by_the_trees_without_the_row(cancer):
    X, y = cancer
    model = BaggedTreesClassifier(n_trees=6, random_state=0).fit(X, y)
    alone = [BaggedTreesClassifier(n_trees=6, random_state=0).fit(X, y).trees_[i] for i in range(6)]
    sums = np.zeros((len(y), 2))
    for tree, in_bag, leaf in zip(alone, model.in_bag_, model.apply(X).T, strict=True):
        laplace = (tree.counts + 1) / (tree.counts.sum(axis=1, keepdims=True) + 2)
        sums += np.where(in_bag == 0, 1, 0)[:, np.newaxis] * laplace[leaf]
    seen = sums.any(axis=1)
    assert not seen.all()
    assert model.oob_score_ == pytest.approx((sums.argmax(axis=1) == y)[seen].mean())


def test_a_row_of_weight_2_counts_twice_in_the_out_of_bag_score(cancer):
    X, y = cancer
    weights = np.where(np.arange(len(y)) % 3, 1.0, 2.0)
    model = EBPETsClassifier(n_trees=20, random_state=0).fit(X, y, weights)
    is_right = model.oob_proba_.argmax(axis=1) == y
    has_proba = ~np.isnan(model.oob_proba_[:, 0])
    assert model.oob_score_ == pytest.approx(np.average(is_right[has_proba], weights=weights[has_proba]))


def test_without_a_bootstrap_there_is_no_out_of_bag_score(cancer):
    assert np.isnan(BaggedTreesClassifier(n_trees=2, bootstrap=None).fit(*cancer).oob_score_)


@pytest.mark.parametrize("make", [BaggedTreesClassifier, BoostedTreesClassifier])
def test_scikit_learn_selects_columns_by_a_forest(cancer, make):
    model = make(n_trees=5, max_depth=3, random_state=0)
    best = model.fit(*cancer).feature_importances_.argmax()
    assert RFE(model, n_features_to_select=10, step=10).fit(*cancer).get_support()[best]
    assert SelectFromModel(model).fit(*cancer).get_support()[best]
