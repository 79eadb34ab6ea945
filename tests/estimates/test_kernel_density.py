"""Kernel densities: against the formula written out row by row, and where they give way."""

import pickle

import numpy as np
import pandas as pd
import pytest

from calibrant.estimates import KernelDensity, Laplace, RowEstimate
from calibrant.trees import ProbabilityTreeClassifier


@pytest.fixture(scope="module")
def mixed():
    """Sixty rows of a number and a colour that both depend on the class, with missing values and weights."""
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 60)
    number = (y + random.normal(size=60)).astype(np.float32)
    colour = np.where(random.random(60) < 0.6, y, random.integers(0, 3, 60)).astype(np.int32)
    number[3], colour[5] = np.nan, -1
    X = pd.DataFrame({"number": number, "colour": pd.Categorical.from_codes(colour, ["a", "b", "c"])})
    weights = random.integers(1, 4, 60).astype(float)
    model = ProbabilityTreeClassifier(max_depth=2, min_leaf=5).fit(X, y, sample_weight=weights)
    return model, [number, colour], y, weights


def ends_of(model, X):
    """Return the leaves of rows without missing values, in the form that readers take."""
    leaves = model.apply(X)
    return np.arange(len(leaves)), leaves, np.ones(len(leaves)), len(leaves)


def by_hand(model, columns, y, weights, row, leaf):
    """Bayes' rule for one row whose values are all known."""
    tree, path, node = model.tree_, set(), leaf
    while node > 0:
        node = tree.parent[node]
        path.add(int(tree.feature[node]))
    complete = np.isfinite(columns[0]) | (0 not in path)
    complete &= (columns[1] >= 0) | (1 not in path)
    joint = []
    for k in range(3):
        own = complete & (y == k)
        kernel = np.ones(own.sum())
        if 0 in path:
            values, w = (
                columns[0].astype(float)[(y == k) & np.isfinite(columns[0])],
                weights[(y == k) & np.isfinite(columns[0])],
            )
            mean = np.average(values, weights=w)
            deviation = np.sqrt((w * (values - mean) ** 2).sum() / (w.sum() - 1))
            h = max(1.06 * deviation * w.sum() ** -0.2, 1e-3 * np.ptp(columns[0][np.isfinite(columns[0])]))
            kernel = kernel * np.exp(-0.5 * ((row[0] - columns[0].astype(float)[own]) / h) ** 2) / h
        if 1 in path:
            leave = 2 / (weights[(y == k) & (columns[1] >= 0)].sum() + 3)
            kernel = kernel * np.where(columns[1][own] == row[1], 1 - leave, leave / 2)
        joint.append(weights[y == k].sum() * np.average(kernel, weights=weights[own]))
    return np.array(joint) / sum(joint)


def test_the_posterior_is_bayes_rule_on_the_columns_of_the_path(mixed):
    model, columns, y, weights = mixed
    new = [np.array([0.5, 1.7, -1.0]), np.array([0, 2, 1], dtype=np.int32)]
    X = pd.DataFrame({"number": new[0], "colour": pd.Categorical.from_codes(new[1], ["a", "b", "c"])})
    row, leaf, share, n_rows = ends_of(model, X)
    found = KernelDensity().reader(model.tree_, columns, y, weights).predict(new, row, leaf, share, n_rows)
    expected = [by_hand(model, columns, y, weights, (new[0][i], new[1][i]), leaf[i]) for i in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert len({*model.tree_.feature} - {-1}) == 2


def test_very_many_rows_are_predicted_block_by_block_as_few(mixed):
    """More than four million pairs of 60 training rows and new ones."""
    model, columns, y, weights = mixed
    reader = pickle.loads(pickle.dumps(KernelDensity().reader(model.tree_, columns, y, weights)))  # noqa: S301
    few, many = (
        reader.predict([np.tile(column, n) for column in columns], np.arange(60 * n), leaf, np.ones(60 * n), 60 * n)
        for n, leaf in ((n, np.full(60 * n, model.tree_.n_nodes - 1)) for n in (1, 1200))
    )
    np.testing.assert_allclose(many, np.tile(few, (1200, 1)), rtol=1e-12)
    np.testing.assert_allclose(few.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_weights_are_repetitions(mixed):
    model, columns, y, weights = mixed
    again = np.repeat(np.arange(60), weights.astype(int))
    leaf = np.full(60, model.tree_.n_nodes - 1)
    one = KernelDensity().reader(model.tree_, columns, y, weights)
    other = KernelDensity().reader(model.tree_, [column[again] for column in columns], y[again], None)
    ends = (np.arange(60), leaf, np.ones(60), 60)
    np.testing.assert_allclose(one.predict(columns, *ends), other.predict(columns, *ends), rtol=1e-9)


def test_shares_of_a_row_are_mixed(mixed):
    model, columns, y, weights = mixed
    leaves = np.flatnonzero(model.tree_.is_leaf)[:2].astype(np.int32)
    reader = KernelDensity().reader(model.tree_, columns, y, weights)
    one, other = (reader.predict(columns, np.array([0]), leaves[i : i + 1], np.ones(1), 1) for i in range(2))
    both = reader.predict(columns, np.zeros(2, np.intp), leaves, np.array([0.25, 0.75]), 1)
    np.testing.assert_allclose(both, 0.25 * one + 0.75 * other, rtol=1e-12)


def test_a_row_without_any_column_of_the_path_has_the_priors(mixed):
    model, columns, y, weights = mixed
    reader = KernelDensity().reader(model.tree_, columns, y, weights)
    missing = [np.array([np.nan]), np.array([-1], dtype=np.int32)]
    found = reader.predict(missing, np.array([0]), np.array([model.tree_.n_nodes - 1]), np.ones(1), 1)
    np.testing.assert_allclose(found[0], np.bincount(y, weights) / weights.sum(), rtol=1e-12)


def test_a_row_far_from_all_others_has_laplaces_estimate(mixed):
    model, columns, y, weights = mixed
    reader = KernelDensity().reader(model.tree_, columns, y, weights)
    leaf = next(n for n in range(1, model.tree_.n_nodes) if model.tree_.feature[model.tree_.parent[n]] == 0)
    for far in (1e6, 1e300):
        found = reader.predict([np.array([far]), columns[1][:1]], np.array([0]), np.array([leaf]), np.ones(1), 1)
        np.testing.assert_array_equal(found[0], Laplace().table(model.tree_)[leaf])


def test_a_tree_without_tests_has_the_priors():
    y = np.array([0, 0, 0, 1])
    tree = ProbabilityTreeClassifier(min_leaf=9).fit([[1], [2], [3], [4]], y).tree_
    reader = KernelDensity().reader(tree, [np.arange(4.0)], y, None)
    np.testing.assert_allclose(
        reader.predict([np.ones(2)], np.arange(2), np.zeros(2, int), np.ones(2), 2), [[0.75, 0.25]] * 2
    )


def test_no_rows_give_no_probabilities(mixed):
    model, columns, y, weights = mixed
    none = np.zeros(0, dtype=np.intp)
    reader = KernelDensity().reader(model.tree_, columns, y, weights)
    assert reader.predict([column[:0] for column in columns], none, none, np.zeros(0), 0).shape == (0, 3)


def test_its_table_is_laplaces(mixed):
    tree = mixed[0].tree_
    assert isinstance(KernelDensity(), RowEstimate)
    np.testing.assert_array_equal(KernelDensity().table(tree), Laplace().table(tree))
