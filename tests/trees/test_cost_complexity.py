"""The path of cost-complexity pruning: nested, best at every price by brute force, and the classifiers along it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier


@st.composite
def fitted(draw):
    """A small tree and its rows: numbers, categories (one never seen), missing values, weights, 2 to 4 classes."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 40))
    X = pd.DataFrame({"a": random.integers(0, 8, n).astype(float), "b": random.random(n).round(1)})
    X["c"] = pd.Categorical(random.choice(["u", "v"], n), categories=["u", "v", "never"])
    X = X.mask(random.random(X.shape) < draw(st.sampled_from([0.0, 0.15])))
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), random.uniform(0.5, 2, n)]))
    y = random.integers(0, draw(st.integers(2, 4)), n)
    model = ProbabilityTreeClassifier(criterion="gini", min_leaf=1, min_cut="min_leaf", max_depth=4)
    return model.fit(X, y, weights), (X, y, weights)


def prunings(tree, node=0):
    """Return the errors and leaves of every tree that can be pruned from a node, as a set of pairs."""
    as_leaf = {(round(max(0.0, tree.weight[node] - tree.counts[node].max()), 9), 1)}
    if tree.is_leaf[node]:
        return as_leaf
    sums = {(0.0, 0)}
    for child in tree.children_of(node):
        sums = {(round(e + f, 9), m + n) for e, m in sums for f, n in prunings(tree, child)}
    return sums | as_leaf


@given(fitted())
def test_no_pruned_tree_is_cheaper_and_none_as_cheap_is_smaller(model_and_rows):
    model = model_and_rows[0]
    path, total = model.cost_complexity_path(), model.tree_.weight[0]
    errors, n_leaves = np.array(sorted(prunings(model.tree_))).T
    between = (path.alphas[1:] + path.alphas[:-1]) / 2
    for alpha in [*path.alphas, *between, 2 * path.alphas[-1] + 1]:
        at = np.searchsorted(path.alphas, alpha, side="right") - 1
        costs = errors / total + alpha * n_leaves
        assert path.errors[at] + alpha * path.n_leaves[at] == pytest.approx(costs.min(), abs=1e-9)
        assert path.n_leaves[at] == n_leaves[costs <= costs.min() + 1e-9].min()


def paths_of(tree):
    """Return the way to every node as the branches taken and the tests on it."""
    paths = [()]
    for node in range(1, tree.n_nodes):
        parent = tree.parent[node]
        branch = tree.children_of(parent).tolist().index(node)
        paths.append((*paths[parent], (tree.feature[parent], tree.threshold[parent].item(), branch)))
    return {repr(way) for way in paths}


@given(fitted())
def test_the_trees_are_nested_and_are_those_of_the_path(model_and_rows):
    model = model_and_rows[0]
    path = model.cost_complexity_path()
    assert path.alphas[0] == 0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    assert (np.diff(path.errors) >= -1e-12).all()
    assert path.n_leaves[-1] == 1
    paths = paths_of(model.tree_)
    for alpha, n_leaves, errors in zip(path.alphas, path.n_leaves, path.errors, strict=True):
        tree = path.at(alpha).tree_
        leaves = tree.is_leaf
        assert tree.n_leaves == n_leaves
        wrong = (tree.weight[leaves] - tree.counts[leaves].max(axis=1)).sum()
        assert wrong / tree.weight[0] == pytest.approx(errors, abs=1e-9)
        assert paths_of(tree) <= paths
        paths = paths_of(tree)


@given(fitted(), st.sampled_from([0.0, 0.03, 0.2]))
def test_the_classifier_at_a_price_is_the_one_fitted_with_it(same_trees, model_and_rows, alpha):
    model, rows = model_and_rows
    pruned = model.cost_complexity_path().at(alpha)
    again = clone(model).set_params(prune="cost_complexity", ccp_alpha=alpha).fit(*rows)
    assert pruned.get_params() == again.get_params()
    assert same_trees(pruned.tree_, again.tree_)
    np.testing.assert_array_equal(pruned.predict_proba(rows[0]), again.predict_proba(rows[0]))


@pytest.fixture
def small():
    X = pd.DataFrame({"x": np.arange(8.0)})
    return X, ProbabilityTreeClassifier(min_leaf=1, mdl_penalty=False).fit(X, list("aaaabbab"))


def test_prices_and_errors_are_by_hand(small):
    path = small[1].cost_complexity_path()
    assert path.alphas.tolist() == [0, 1 / 16, 1 / 4]
    assert path.n_leaves.tolist() == [4, 2, 1]
    assert path.errors.tolist() == [0, 1 / 8, 3 / 8]
    assert len(path) == 3
    assert path.to_frame().columns.tolist() == ["alpha", "n_leaves", "errors"]


def test_a_leaf_alone_has_a_path_of_one():
    path = ProbabilityTreeClassifier().fit([[1.0], [1.0]], [0, 1]).cost_complexity_path()
    assert (path.alphas.tolist(), path.n_leaves.tolist(), path.errors.tolist()) == ([0], [1], [0.5])


def test_the_classifier_along_the_path_is_whole(small):
    X, model = small
    pruned = model.cost_complexity_path().at(0.1)
    assert (pruned.n_leaves_, pruned.n_nodes_, pruned.depth_) == (2, 3, 1)
    assert pruned.feature_names_in_.tolist() == ["x"]
    assert pruned.predict_proba(X).shape == (8, 2)
    assert model.n_leaves_ == 4
    assert model.prune is None


def test_a_path_does_not_change_when_its_model_is_fitted_again(small):
    X, model = small
    path = model.cost_complexity_path()
    model.fit(X, ["a", "b"] * 4)
    assert path.at(0.1).n_leaves_ == 2


def test_a_path_is_read_only_and_can_be_pickled(small):
    path = small[1].cost_complexity_path()
    for name in ("alphas", "n_leaves", "errors"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(path, name)[0] = 1
    again = pickle.loads(pickle.dumps(path))  # noqa: S301
    assert repr(again) == repr(path) == "<CostComplexityPath: 3 trees, 4 leaves to 1, alpha 0 to 0.25>"
    assert again.at(0.1).n_leaves_ == 2


@pytest.mark.parametrize("alpha", [-0.1, np.nan, "much"])
def test_a_price_is_a_number_from_0(small, alpha):
    with pytest.raises(ParameterError, match="alpha must be a finite number >= 0; got"):
        small[1].cost_complexity_path().at(alpha)


def test_an_unfitted_tree_has_no_path():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ProbabilityTreeClassifier().cost_complexity_path()
