"""Every cut of every tree of a forest is the best that there is: all of them tried, one after the other."""

import numpy as np
import pytest

from calibrant.ensembles import BaggedTreesClassifier


def impurity(counts, criterion):
    """Return the impurity of class weights (the last axis) times their sum."""
    total = np.maximum(counts.sum(axis=-1), 1e-300)
    shares = counts / total[..., None]
    if criterion == "gini":
        return total * (1 - (shares**2).sum(axis=-1))
    return -total * (shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1)


def gains(x, y, weights, criterion, min_leaf):
    """Return the gain of each cut that leaves enough on both sides, by the value below it."""
    values, place = np.unique(x, return_inverse=True)
    table = np.zeros((len(values), y.max() + 1))
    np.add.at(table, (place, y), weights)
    left = table.cumsum(axis=0)
    right = left[-1] - left
    enough = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= min_leaf
    gain = impurity(left[-1], criterion) - impurity(left, criterion) - impurity(right, criterion)
    return {value: each / weights.sum() for value, each in zip(values[enough], gain[enough], strict=True)}


def check_node(tree, node, X, y, weights, criterion, min_leaf):
    """Compare a node's test with all others, then those below it."""
    found = [gains(x, y, weights, criterion, min_leaf) for x in X.T] if len(y) else []
    best = max((gain for column in found for gain in column.values()), default=0.0)
    if tree.is_leaf[node]:
        assert tree.depth[node] == 4 or best < 1e-6 or impurity(tree.counts[node], criterion) < 1e-9
        return
    column, cut = tree.feature[node], tree.threshold[node]
    below = X[:, column] <= cut
    assert found[column][X[below, column].max()] == pytest.approx(best, abs=1e-8)
    for child, rows in zip(np.flatnonzero(tree.parent == node), (below, ~below), strict=True):
        check_node(tree, child, X[rows], y[rows], weights[rows], criterion, min_leaf)


@pytest.mark.parametrize(("min_leaf", "weighting"), [(1, "none"), (20, "whole"), (5, "any")])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.sample(4)
def test_every_cut_of_a_forest_is_the_best_of_all(criterion, n_classes, min_leaf, weighting):
    random = np.random.default_rng(n_classes)
    n_rows = 4000  # so that the first nodes are searched in buckets, where that will do
    wide, narrow = random.normal(size=(n_rows, 2)).round(4), random.integers(0, [300, 7], (n_rows, 2))
    X = np.c_[wide, narrow]
    y = ((X[:, 0] > X[:, 1]) * 2 + (X[:, 2] > 90) + (random.random(n_rows) < 0.2)).astype(int) % n_classes
    weights = {"none": None, "whole": random.integers(1, 4, n_rows), "any": random.integers(1, 7, n_rows) / 4}[
        weighting
    ]
    grown = {"criterion": criterion, "min_leaf": min_leaf, "min_cut": "min_leaf", "mdl_penalty": False, "max_depth": 4}
    model = BaggedTreesClassifier(n_trees=2, random_state=0, **grown).fit(X, y, weights)
    for tree, in_bag in zip(model.trees_, model.in_bag_, strict=True):
        own, rows = in_bag * (1 if weights is None else weights), in_bag > 0
        check_node(tree, 0, X[rows], y[rows], own[rows], criterion, min_leaf)
