"""Honest trees: grown on one half of the rows, counted on the other."""

import numpy as np
import pytest

from calibrant.exceptions import DataError
from calibrant.trees import ProbabilityTreeClassifier


def test_half_of_each_class_is_counted(ranks):
    X, y = ranks
    tree = ProbabilityTreeClassifier(honest=True, random_state=0).fit(X, y).tree_
    halves = np.unique(y, return_counts=True)[1] / 2
    assert (np.abs(tree.counts[0] - halves) <= 1).all()
    np.testing.assert_allclose(tree.counts.sum(axis=1), tree.weight)


def test_children_add_up_to_their_parent(ranks):
    X, y = ranks
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    tree = ProbabilityTreeClassifier(honest=True, random_state=1).fit(X, y).tree_
    for node in np.flatnonzero(~tree.is_leaf):
        np.testing.assert_allclose(tree.counts[tree.children_of(node)].sum(axis=0), tree.counts[node], atol=1e-9)


def test_the_seed_determines_the_halves(ranks, same_trees):
    X, y = ranks
    trees = [ProbabilityTreeClassifier(honest=True, random_state=seed).fit(X, y).tree_ for seed in (3, 3, 4)]
    assert same_trees(trees[0], trees[1])
    assert not same_trees(trees[0], trees[2])


def test_noise_is_not_learned():
    random = np.random.default_rng(0)
    X, y = random.random((4000, 5)), random.integers(0, 2, 4000)
    full = ProbabilityTreeClassifier(mdl_penalty=False).fit(X, y)
    honest = ProbabilityTreeClassifier(mdl_penalty=False, honest=True, random_state=0).fit(X, y)
    assert full.score(X, y) > 0.9
    assert honest.score(X, y) < 0.8


def test_a_row_with_a_missing_value_gets_probabilities_below_a_test_that_nothing_was_counted_at(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier(honest=True, min_leaf=1, random_state=0).fit(X[:60], y[:60])
    rows = np.where(np.random.default_rng(1).random(X.shape) < 0.4, np.nan, X)
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1)
    assert (model.apply(rows) >= 0).all()


def test_one_row_is_too_few():
    with pytest.raises(DataError, match=r"1 row\(s\) of weight > 0; honest=True .* needs at least 2"):
        ProbabilityTreeClassifier(honest=True).fit([[1.0]], [0])
