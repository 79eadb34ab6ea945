"""Twoing: the best of all tests by brute force, the stump's test, Gini's tree where there are two classes."""

import numpy as np
import pandas as pd
import pytest
from tests.properties.impurities import twoing

from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier


def drawn(seed, n_classes, n=80):
    rng = np.random.default_rng([seed, n_classes])
    X = pd.DataFrame({"a": rng.integers(0, 12, n) / 4, "b": rng.normal(size=n), "word": rng.choice(list("uvwx"), n)})
    y = (2 * X["a"].to_numpy() + (X["word"] == "u") + rng.normal(size=n)).round().astype(int) % n_classes
    return X.astype({"word": "category"}), y, rng.integers(1, 4, n) / 2


def tree(**params):
    return ProbabilityTreeClassifier(criterion="twoing", min_leaf=1e-6, min_cut="min_leaf", **params)


def best_by_brute_force(X, y, weights):
    """Return the greatest twoing over all cuts and over each category against the rest, and the rows on its left."""
    lefts = [X[name].to_numpy() <= value for name in ("a", "b") for value in np.unique(X[name])[:-1]]
    lefts += [(X["word"] == word).to_numpy() for word in X["word"].cat.categories]
    sides = [[np.bincount(y[s], weights[s], y.max() + 1) for s in (left, ~left)] for left in lefts]
    values = [twoing(*side) for side in sides]
    return max(values), lefts[int(np.argmax(values))]


@pytest.mark.parametrize("nominal_splits", ["multiway", "binary"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_first_test_is_the_best_by_brute_force(n_classes, nominal_splits):
    for seed in range(10):
        X, y, weights = drawn(seed, n_classes)
        model = tree(max_depth=1, nominal_splits=nominal_splits).fit(X, y, weights)
        left = model.apply(X) == model.tree_.children_of(0)[0]
        sides = [np.bincount(y[s], weights[s], n_classes) for s in (left, ~left)]
        assert len(model.tree_.children_of(0)) == 2
        assert twoing(*sides) == pytest.approx(best_by_brute_force(X, y, weights)[0], rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_first_test_is_that_of_the_stump(n_classes):
    for seed in range(10):
        X, y, weights = drawn(seed, n_classes)
        model = tree(max_depth=1, threshold="midpoint").fit(X, y, weights)
        stump = BoostedStumpsClassifier(n_trees=1, criterion="twoing").fit(X, y, weights).stumps_
        assert model.tree_.feature[0] == stump.feature[0]
        np.testing.assert_equal(model.tree_.threshold[0], stump.threshold[0])
        assert sorted(map(tuple, model.tree_.counts[1:])) == sorted(map(tuple, stump.counts[0][:2]))


def test_with_two_classes_the_tree_is_that_of_gini():
    for seed in range(5):
        X, y, weights = drawn(seed, 2, n=300)
        ours = tree().fit(X, y, weights).tree_
        gini = tree(nominal_splits="binary").set_params(criterion="gini").fit(X, y, weights).tree_
        np.testing.assert_array_equal(ours.feature, gini.feature)
        np.testing.assert_array_equal(ours.threshold, gini.threshold)
        np.testing.assert_array_equal(ours.counts, gini.counts)


def test_groups_of_categories_are_an_error():
    X, y, _ = drawn(0, 3)
    with pytest.raises(ParameterError, match="nominal_splits must be 'multiway' or 'binary' with criterion='twoing'"):
        tree(nominal_splits="subset").fit(X, y)


@pytest.mark.parametrize(
    "model",
    [BaggedTreesClassifier(n_trees=5, random_state=0), BoostedTreesClassifier(n_trees=5, resample=False)],
    ids=["bagged", "boosted"],
)
def test_forests_take_it_too(model):
    X, y, _ = drawn(0, 3)
    model.set_params(criterion="twoing", max_depth=3).fit(X, y)
    assert all((each.n_children[~each.is_leaf] == 2).all() for each in model.trees_)
    assert (model.predict(X) == y).mean() > 0.5
