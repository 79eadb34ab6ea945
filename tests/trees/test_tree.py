"""The arrays of a grown tree, and trees deeper than any stack."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calibrant import _core
from calibrant.data._frames.schema import Feature, Schema
from calibrant.trees import ProbabilityTreeClassifier, Tree


@pytest.fixture(scope="module")
def tree(ranks):
    X, y = ranks
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    return ProbabilityTreeClassifier(min_leaf=5).fit(X, y).tree_


def test_children_add_up_to_their_parent(tree):
    for node in np.flatnonzero(~tree.is_leaf):
        np.testing.assert_allclose(tree.counts[tree.children_of(node)].sum(axis=0), tree.counts[node])


def test_every_node_but_the_root_is_a_child_of_its_parent_once(tree):
    assert tree.parent[0] == -1
    assert sorted(tree.children.tolist()) == list(range(1, tree.n_nodes))
    assert all((tree.parent[tree.children_of(node)] == node).all() for node in range(tree.n_nodes))


def test_depth_counts_the_tests_above(tree):
    for node in range(tree.n_nodes):
        steps, at = 0, node
        while tree.parent[at] >= 0:
            steps, at = steps + 1, tree.parent[at]
        assert tree.depth[node] == steps
    assert tree.max_depth == tree.depth.max()


@pytest.mark.parametrize("name", ["parent", "feature", "threshold", "weight", "counts", "label", "depth", "children"])
def test_arrays_are_read_only(tree, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(tree, name)[0] = 0


def test_counts_are_in_sorted_order_whatever_was_declared():
    y = pd.Categorical(["z", "z", "a"], categories=["z", "m", "a"])
    assert ProbabilityTreeClassifier().fit([[1.0], [2.0], [3.0]], y).tree_.counts[0].tolist() == [1, 2]


def test_the_frame_has_the_condition_of_each_node():
    X = pd.DataFrame({"town": ["Rome", "Oslo"] * 5, "n": 1.0})
    frame = ProbabilityTreeClassifier().fit(X, [0, 1] * 5).tree_.to_frame()
    assert frame["condition"].tolist() == ["", "town = Oslo", "town = Rome"]
    assert frame["test"].tolist() == ["town", "", ""]
    assert frame["count 1"].tolist() == [5, 5, 0]


def test_a_tree_is_the_same_after_a_pickle(tree, same_trees):
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301
    assert same_trees(tree, again)
    assert repr(again) == repr(tree)
    assert copy.deepcopy(tree) is tree


@pytest.mark.parametrize("place", range(12))  # the last is empty: all tests are numeric
def test_arrays_that_are_no_tree_are_rejected(tree, place):
    state = [array.copy() for array in tree.core.state]
    state[place] = state[place][:-1]
    with pytest.raises(ValueError, match="the arrays do not describe a tree"):
        _core.restore_tree(tree.core.n_classes, tuple(state))


@pytest.mark.parametrize(("place", "value"), [(0, 10**6), (1, -2), (4, 9), (9, 0), (9, 10**6), (13, -2), (13, 2)])
def test_numbers_that_lead_nowhere_are_rejected(tree, place, value):
    state = [array.copy() for array in tree.core.state]
    state[place][1] = value
    with pytest.raises(ValueError, match="the arrays do not describe a tree"):
        _core.restore_tree(tree.core.n_classes, tuple(state))


def test_counting_the_growing_rows_gives_the_grown_counts(ranks):
    X, y = ranks
    tree = ProbabilityTreeClassifier().fit(X, y).tree_
    labels = np.searchsorted(tree.classes, y).astype(np.uint16)
    counted = _core.count_rows(tree.core, len(y), X, labels, np.ones(len(y)))
    np.testing.assert_allclose(counted.counts, tree.core.counts)
    np.testing.assert_array_equal(counted.label, tree.core.label)


def chain(depth):
    """A tree of ``depth`` tests, one below the other: node 2i tests x <= i, 2i + 1 is its leaf."""
    n = 2 * depth + 1
    inner = np.arange(0, n - 1, 2)
    feature, n_children = np.full(n, -1, np.int32), np.zeros(n, np.uint32)
    feature[inner], n_children[inner] = 0, 2
    parent = np.repeat(np.arange(-2, n - 1, 2), 2)[1 : n + 1].astype(np.int32)
    parent[0] = -1
    weight = np.ones(n)
    weight[inner] = np.arange(depth + 1, 1, -1)
    zeros = np.zeros(n, np.uint32)
    state = (parent, feature, np.arange(n) / 2, zeros, np.zeros(n, np.int32), weight, np.repeat(weight / 2, 2))
    state += (np.arange(n, dtype=np.uint32) // 2 * 2, n_children, np.arange(1, n, dtype=np.int32), zeros, zeros)
    core = _core.restore_tree(2, (*state, np.zeros(0, np.int32), np.full(n, -1, np.int32), np.zeros(0)))
    return Tree(core, np.arange(2), np.array(["a", "b"]), Schema((Feature("x", "numeric"),), named=False))


@pytest.mark.long
def test_a_tree_100_000_deep_is_walked_written_pruned_and_pickled(same_trees):
    tree = chain(100_000)
    model = ProbabilityTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    model._store(replace(model._grown_tree, tree=tree))
    assert model.depth_ == 100_000
    assert model.apply([[0.0], [50_000.0], [1e9]]).tolist() == [1, 100_001, 200_000]
    np.testing.assert_allclose(model.predict_proba([[np.nan], [3.0]]), 0.5)
    assert len(model.export_text().splitlines()) == 200_000
    assert model.export_text(style="c45").count(": a (") == 100_001
    assert model.export_graphviz().count("->") == 200_000
    assert len(tree.to_frame()) == 200_001
    assert "100,000" in model._repr_html_()
    assert model.cost_complexity_path().at(0.0).n_nodes_ == 1  # no test saves an error
    assert same_trees(pickle.loads(pickle.dumps(model)).tree_, tree)  # noqa: S301


def grown_chain(depth):
    X = np.arange(depth + 1.0)[:, None]
    params = {"min_leaf": 1, "min_cut": "min_leaf", "criterion": "entropy", "mdl_penalty": False}
    return X, ProbabilityTreeClassifier(**params).fit(X, np.arange(depth + 1) % 2)


def test_a_tree_5_000_deep_is_grown():
    X, model = grown_chain(5_000)
    assert model.depth_ == 5_000
    assert model.score(X, np.arange(5_001) % 2) == 1.0


@pytest.mark.long
def test_a_tree_100_000_deep_is_grown():
    X, model = grown_chain(100_000)
    assert model.depth_ == 100_000
    assert model.predict(X[::10_000]).tolist() == [0] * 11
