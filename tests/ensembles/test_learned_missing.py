"""Missing values that tests send to a branch, in trees, forests and boosted trees."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from tests.trees.mixed_rows import mixed_rows

from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    MOBESPClassifier,
)
from calibrant.trees import ProbabilityTreeClassifier

CLASSIFIERS = [
    ProbabilityTreeClassifier(),
    ProbabilityTreeClassifier(criterion="entropy", mdl_penalty=False),
    BaggedTreesClassifier(n_trees=20, random_state=0),
    BaggedTreesClassifier(n_trees=20, criterion="entropy", mdl_penalty=False, max_features="sqrt", random_state=0),
    EBPETsClassifier(n_trees=20, random_state=0),
    MOBESPClassifier(n_trees=20, random_state=0),
    BoostedTreesClassifier(n_trees=10, max_depth=3, random_state=0),
    BoostedTreesClassifier(n_trees=10, max_depth=3, algorithm="samme", random_state=0),
    BoostedTreesClassifier(n_trees=10, max_depth=3, algorithm="real", random_state=0),
]


def _predictive_rows():
    """Return the rows of scikit-learn's `test_missing_value_is_predictive`: column 5 matters, by being missing."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal(size=(500, 20))
    y = np.concatenate([np.zeros(250), np.ones(250)])
    is_noise = rng.choice([False, True], size=500, p=[0.95, 0.05])
    is_missing = y.astype(bool)
    is_missing[is_noise] = ~is_missing[is_noise]
    predictive = rng.standard_normal(size=500)
    predictive[is_missing] = np.nan
    X[:, 5] = predictive
    return X, y


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_predictive_missingness_is_learned(model):
    assert cross_val_score(model.set_params(missing="learned"), *_predictive_rows(), cv=5).mean() >= 0.85


@pytest.mark.parametrize("seed", [0, 1])
def test_a_tree_is_hardly_worse_than_after_imputing_the_mean(seed):  # scikit-learn's test_missing_values_is_resilience
    X, y = make_friedman1(n_samples=5000, n_features=10, noise=1.0, random_state=seed)
    y = (y > 14).astype(int)
    X[np.random.RandomState(seed).choice([False, True], size=X.shape, p=[0.9, 0.1])] = np.nan
    train, test, y_train, y_test = train_test_split(X, y, random_state=seed)
    tree = ProbabilityTreeClassifier(max_depth=10, criterion="gini", min_leaf=1, min_cut="min_leaf", missing="learned")
    imputed = make_pipeline(SimpleImputer(), tree).fit(train, y_train).score(test, y_test)
    assert tree.fit(train, y_train).score(test, y_test) + 0.03 > imputed


def test_nielsens_three_share_missing_values_by_default():
    for classifier in (BPETsClassifier, EBPETsClassifier, MOBESPClassifier, ProbabilityTreeClassifier):
        assert classifier().missing == "fractional"


def _shares(tree, row, node=0, share=1.0):
    """Yield the leaves that a row reaches, with its share at each, by the arrays of the tree."""
    if tree.is_leaf[node] or share == 0:
        yield node, share
        return
    children, value = tree.children_of(node), row[tree.feature[node]]
    branch = tree.missing_branch[node]
    if not pd.isna(value):
        categories = list(tree.schema.features[tree.feature[node]].categories)
        is_numeric = tree.is_numeric[node]
        branch = int(value > tree.threshold[node]) if is_numeric else tree.branches_of(node)[categories.index(value)]
    below = [(children[branch], share)]
    if branch < 0:
        below = [(child, share * tree.weight[child] / tree.weight[node]) for child in children]
    for child, part in below:
        yield from _shares(tree, row, child, part)


def _mean_of(trees, tables, X):
    """Return the mean over the trees of their tables (nodes x classes) at the leaves of each row."""
    rows = [list(row) for row in X.itertuples(index=False)]
    return np.mean(
        [
            [sum(share * table[leaf] for leaf, share in _shares(tree, row)) for row in rows]
            for tree, table in zip(trees, tables, strict=True)
        ],
        axis=0,
    )


def test_a_forest_predicts_the_mean_of_its_trees():
    X, y = mixed_rows()
    forest = BaggedTreesClassifier(n_trees=5, missing="learned", min_leaf=5, random_state=0).fit(X, y)
    forest = forest.reread(estimate="laplace")
    tables = [(tree.counts + 1) / (tree.weight[:, np.newaxis] + 2) for tree in forest.trees_]
    for tree, table in zip(forest.trees_, tables, strict=True):
        empty = tree.weight == 0
        table[empty] = table[tree.parent[empty]]
    assert any((tree.missing_branch >= 0).sum() > 2 for tree in forest.trees_)
    assert np.allclose(forest.predict_proba(X), _mean_of(forest.trees_, tables, X))


def test_out_of_bag_readings_count_each_row_at_the_leaves_it_reaches():
    X, y = mixed_rows()
    forest = EBPETsClassifier(n_trees=4, missing="learned", random_state=0).fit(X, y)
    tables = []
    for tree in forest.trees_:
        counts = np.zeros((tree.n_nodes, 2))
        for row, label in zip(X.itertuples(index=False), y, strict=True):
            for leaf, share in _shares(tree, list(row)):
                counts[leaf, label] += share
        tables.append(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300))
    assert np.allclose(forest.predict_proba(X), _mean_of(forest.trees_, tables, X))


def test_permuting_a_column_changes_predictions_as_new_rows_do():
    X, y = mixed_rows()
    forest = BaggedTreesClassifier(n_trees=10, missing="learned", random_state=0).fit(X, y)
    frame = forest.oob_importances(n_repeats=2, random_state=0).to_frame()
    assert np.isfinite(frame.select_dtypes("number").to_numpy()).all()


@pytest.mark.parametrize("n_rows", [1, 40, 400])
def test_numbers_in_arrays_and_frames_reach_the_same_leaves(n_rows):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = (np.isnan(X[:, 0]) ^ (rng.random(400) < 0.2)).astype(int)
    forest = BaggedTreesClassifier(n_trees=8, missing="learned", random_state=0).fit(X, y)
    proba = forest.predict_proba(X[:n_rows])
    assert np.array_equal(proba, forest.predict_proba(pd.DataFrame(X[:n_rows])))
    assert np.allclose(proba, np.vstack([forest.predict_proba(row[np.newaxis]) for row in X[:n_rows]]))
