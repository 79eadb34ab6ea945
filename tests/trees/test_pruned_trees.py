"""Pruned trees through the classifier: each a pruning of the grown tree, and by its own measure the best there is."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.base import clone

from calibrant import _core
from calibrant._random import seed_sequence
from calibrant.data import load
from calibrant.data._internal import read_training_rows
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._growing.grow import deviate, draw_row_subsets, extra_errors
from calibrant.trees._growing.training_set import TrainingSet

KINDS = {
    "pessimistic": {"prune": "pessimistic"},
    "of groups": {"prune": "pessimistic", "nominal_splits": "subset"},
    "without raising": {"prune": "pessimistic", "subtree_raising": False},
    "j48": {"prune": "pessimistic", "dialect": "j48"},
    "j48 without raising": {"prune": "pessimistic", "dialect": "j48", "subtree_raising": False},
    "reduced error": {"prune": "reduced_error"},
    "cost-complexity": {"prune": "cost_complexity", "ccp_alpha": 0.02},
    "mdl": {"prune": "mdl"},
    "collapsed": {"collapse": True},
}
few = settings(max_examples=min(40, settings.default.max_examples))  # there are many kinds
RAISED = ["pessimistic", "of groups", "j48"]  # a branch may take the place of its parent
DRAWN = ["reduced error"]  # rows, not weights, are drawn and set aside
CUT_BACK = [kind for kind in KINDS if kind not in RAISED + DRAWN]


@st.composite
def rows(draw, missing=True):
    """Numbers and categories, one never seen, with or without missing values, two to four classes, whole weights."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, n_classes = draw(st.integers(12, 90)), draw(st.integers(2, 4))
    X = pd.DataFrame({"a": random.integers(0, 9, n).astype(float), "b": random.random(n).round(2)})
    X["c"] = pd.Categorical(random.choice(["u", "v", "w"], n), categories=["u", "v", "w", "never"])
    y = ((X["a"] > 4).to_numpy().astype(int) + (random.random(n) < 0.3) * random.integers(0, 4, n)) % n_classes
    if missing:
        X = X.mask(random.random(X.shape) < draw(st.sampled_from([0.0, 0.1])))
    return X, y, random.integers(1, 4, n).astype(float)


def tree_of(table, **params):
    X, y, weights = table
    return ProbabilityTreeClassifier(min_leaf=1, mdl_penalty=False, random_state=0, **params).fit(X, y, weights).tree_


def condition_of(tree, node):
    return int(tree.feature[node]), float(tree.threshold[node]), tuple(tree.branches_of(node).tolist())


def pairs(pruned, full):
    """Return the nodes of a pruned tree beside those of the full one; a test that is not the full tree's fails."""
    waiting = [(0, 0)]
    while waiting:
        node, other = waiting.pop()
        yield node, other
        if not pruned.is_leaf[node]:
            assert repr(condition_of(pruned, node)) == repr(condition_of(full, other))
            waiting += zip(pruned.children_of(node), full.children_of(other), strict=True)


def errors(tree):
    """The weight that each node gets wrong as a leaf."""
    return np.maximum(0.0, tree.weight - tree.counts.max(axis=1))


@pytest.mark.parametrize("kind", CUT_BACK)
@few
@given(table=rows())
def test_a_pruned_tree_is_the_top_of_the_grown_one(kind, table):
    grown, pruned = tree_of(table, **{**KINDS[kind], "prune": None, "collapse": False}), tree_of(table, **KINDS[kind])
    for node, other in pairs(pruned, grown):
        np.testing.assert_array_equal(pruned.counts[node], grown.counts[other])
    assert pruned.n_nodes <= grown.n_nodes
    assert errors(pruned)[pruned.is_leaf].sum() >= errors(grown)[grown.is_leaf].sum() - 1e-9
    assert errors(pruned)[pruned.is_leaf].sum() <= errors(grown)[0] + 1e-9


@pytest.mark.parametrize("kind", RAISED)
@few
@given(table=rows())
def test_a_tree_with_raised_branches_has_tests_of_the_grown_one_and_counts_that_add_up(kind, table):
    grown, pruned = tree_of(table, **{**KINDS[kind], "prune": None}), tree_of(table, **KINDS[kind])
    tests = [Counter(int(feature) for feature in tree.feature if feature >= 0) for tree in (pruned, grown)]
    assert tests[0] <= tests[1]
    np.testing.assert_allclose(pruned.counts[0], grown.counts[0], rtol=1e-9)
    for node in np.flatnonzero(~pruned.is_leaf):
        np.testing.assert_allclose(pruned.counts[pruned.children_of(node)].sum(axis=0), pruned.counts[node], atol=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in DRAWN])
@few
@given(table=rows())
def test_weights_equal_repetition_under_pruning(kind, table):
    X, y, weights = table
    often = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted, repeated = tree_of(table, **KINDS[kind]), tree_of((X.iloc[often], y[often], None), **KINDS[kind])
    np.testing.assert_array_equal(weighted.feature, repeated.feature)
    np.testing.assert_array_equal(weighted.threshold, repeated.threshold)
    np.testing.assert_allclose(weighted.counts, repeated.counts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(table=rows())
def test_pruned_trees_give_probabilities(kind, table):
    X, y, weights = table
    model = ProbabilityTreeClassifier(min_leaf=1, random_state=0, **KINDS[kind]).fit(X, y, weights)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert proba.shape == (len(y), len(np.unique(y)))
    assert model.tree_.is_leaf[model.apply(X)].all()


# --- by its own measure -------------------------------------------------------------------------------------------


def costs(tree, as_leaf, as_test, node=0):
    """Return the cost and the leaves of every tree that can be pruned from a node; the costs of nodes add up."""
    leaf = {(round(float(as_leaf[node]), 9), 1)}
    if tree.is_leaf[node]:
        return leaf
    sums = {(round(float(as_test[node]), 9), 0)}
    for child in tree.children_of(node):
        sums = {(round(c + d, 9), m + n) for c, m in sums for d, n in costs(tree, as_leaf, as_test, child)}
    return sums | leaf


def assert_cheapest_and_smallest(pruned, full, as_leaf, as_test):
    paid = sum(as_leaf[other] if pruned.is_leaf[node] else as_test[other] for node, other in pairs(pruned, full))
    cost, n_leaves = np.array(sorted(costs(full, as_leaf, as_test))).T
    assert paid == pytest.approx(cost.min(), abs=1e-6)
    assert pruned.n_leaves == n_leaves[cost <= cost.min() + 1e-7].min()


SMALL = {"min_leaf": 1, "mdl_penalty": False, "max_depth": 3, "random_state": 0}


@few
@given(rows())
def test_reduced_error_makes_the_fewest_errors_on_the_rows_set_aside_and_is_the_smallest_of_those(table):
    X, y, weights = table
    model = ProbabilityTreeClassifier(prune="reduced_error", **SMALL)
    training = read_training_rows(X, y, weights)
    examples = TrainingSet.of(training)
    parts = draw_row_subsets(examples, model, seed_sequence(0))
    full = ProbabilityTreeClassifier(**SMALL).fit(X, y, np.where(parts.grow, weights, 0.0)).tree_
    assume(len(full.classes) == len(examples.classes))
    columns, held_out = list(training.columns.arrays), examples.weights_of(parts.prune)
    counts = np.asarray(_core.count_rows(full.core, len(y), columns, examples.labels, held_out).counts)
    wrong = counts.reshape(full.n_nodes, -1) * (full.label[:, None] != np.arange(len(full.classes)))
    assert_cheapest_and_smallest(model.fit(X, y, weights).tree_, full, wrong.sum(axis=1), np.zeros(full.n_nodes))


def class_bits(counts):
    """Return log2 of (n + K - 1)! / ((K - 1)! n_1! ... n_K!)."""
    n_classes = len(counts)
    if counts.sum() == 0:
        return 0.0
    nats = math.lgamma(counts.sum() + n_classes) - math.lgamma(n_classes) - sum(math.lgamma(n + 1) for n in counts)
    return nats / math.log(2)


@few
@given(rows())
def test_mdl_pruning_gives_the_shortest_description_and_the_smallest_of_those(table):
    X, y, weights = table
    full = ProbabilityTreeClassifier(**SMALL).fit(X, y, weights).tree_
    pruned = ProbabilityTreeClassifier(prune="mdl", **SMALL).fit(X, y, weights).tree_
    n_values = [X["a"].nunique(), X["b"].nunique(), 4]
    which = math.log2(sum(n > 1 for n in n_values))
    cuts = [math.log2(n_values[f] - 1) if f in (0, 1) and n_values[f] > 2 else 0.0 for f in full.feature]
    as_leaf = [1 + class_bits(counts) for counts in full.counts]
    assert_cheapest_and_smallest(pruned, full, as_leaf, [1 + which + cut for cut in cuts])


def estimated(tree, node=0):
    """Return C4.5's estimate of a leaf's errors; an empty leaf makes none."""
    n, wrong = float(tree.weight[node]), float(errors(tree)[node])
    return wrong + extra_errors(n, wrong, 0.25) if n > 0 else 0.0


def quinlan(tree, node=0):
    """Return the least errors that can be expected below a node, and the leaves there, by the rule as it is written."""
    if tree.is_leaf[node]:
        return estimated(tree, node), 1
    below = [quinlan(tree, child) for child in tree.children_of(node)]
    as_tree, n_leaves = sum(e for e, _ in below), sum(n for _, n in below)
    return (estimated(tree, node), 1) if estimated(tree, node) <= as_tree + 0.1 else (as_tree, n_leaves)


@few
@given(rows())
def test_without_raising_a_node_is_a_leaf_where_that_costs_at_most_a_tenth_of_an_error(table):
    full, pruned = (tree_of(table, **params) for params in ({}, KINDS["without raising"]))
    assert pruned.n_leaves == quinlan(full)[1]


@few
@given(rows())
def test_every_step_of_raising_costs_at_most_a_tenth_of_an_expected_error(table):
    full, pruned = (tree_of(table, **params) for params in ({}, KINDS["pessimistic"]))
    expected = [sum(estimated(tree, leaf) for leaf in np.flatnonzero(tree.is_leaf)) for tree in (full, pruned)]
    steps = (~full.is_leaf).sum() - (~pruned.is_leaf).sum()
    assert expected[1] <= expected[0] + 0.1 * steps + 1e-9


@few
@given(rows())
def test_collapsing_adds_at_most_a_thousandth_of_an_error_for_each_node(table):
    full, collapsed = (tree_of(table, **params) for params in ({}, KINDS["collapsed"]))
    wrong = [errors(tree)[tree.is_leaf].sum() for tree in (full, collapsed)]
    assert wrong[1] <= wrong[0] + 1e-3 * full.n_nodes


# --- the formulas of the paper and of the programs ---------------------------------------------------------------


@pytest.mark.parametrize(("confidence", "z"), [(0.25, 0.6925), (0.1, 1.28), (0.001, 3.09), (1.0, 0.0), (0.03, 1.99)])
def test_c45_interpolates_quinlans_table(confidence, z):
    assert deviate(confidence, "c45") == pytest.approx(z)


@pytest.mark.parametrize("confidence", [0.01, 0.25, 0.5])
def test_j48_takes_the_exact_deviate(confidence):
    assert deviate(confidence, "j48") == pytest.approx(norm.isf(confidence))


@pytest.mark.parametrize(
    ("n", "errors", "extra"),
    [(6, 0, 1.2378), (9, 0, 1.2848), (1, 0, 0.75), (16, 1, 1.5069), (2, 2, 0), (3, 2.6, 0.268)],
)
def test_extra_errors_are_quinlans(n, errors, extra):
    # Quinlan (1993, p. 42): U25%(0, 6) = .206, U25%(0, 9) = .143, U25%(1, 16) = .157, the program's z a little off
    assert extra_errors(n, errors, 0.25) == pytest.approx(extra, abs=2e-4)


# --- more and less ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.mark.parametrize("kind", ["pessimistic", "without raising", "j48", "j48 without raising"])
def test_a_smaller_confidence_leaves_a_smaller_tree(kind, ranks):
    model = ProbabilityTreeClassifier(mdl_penalty=False, min_cut="min_leaf", **KINDS[kind])
    confidences = (0.5, 0.25, 0.1, 0.03, 0.005, 0.0005)
    sizes = [clone(model).set_params(confidence=c).fit(*ranks).n_nodes_ for c in confidences]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0]


@few
@given(rows(), st.lists(st.just(0.0) | st.floats(1e-100, 0.3), min_size=2, max_size=4))
def test_a_dearer_leaf_leaves_a_tree_inside(table, alphas):
    trees = [tree_of(table, prune="cost_complexity", ccp_alpha=alpha) for alpha in sorted(alphas)]
    for larger, smaller in itertools.pairwise(trees):
        assert len(list(pairs(smaller, larger))) <= larger.n_nodes


@pytest.mark.parametrize("kind", CUT_BACK)
@few
@given(table=rows())
def test_an_honest_tree_is_pruned_before_it_is_counted(kind, table):
    full = tree_of(table, honest=True, **{**KINDS[kind], "prune": None, "collapse": False})
    pruned = tree_of(table, honest=True, **KINDS[kind])
    for node, other in pairs(pruned, full):
        np.testing.assert_allclose(pruned.counts[node], full.counts[other], atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_half_of_the_rows_are_counted_in_an_honest_pruned_tree(kind, donors):
    model = ProbabilityTreeClassifier(honest=True, random_state=1, **KINDS[kind]).fit(donors.X, donors.y)
    assert model.tree_.weight[0] == pytest.approx(len(donors.y) / 2)
    leaves = model.tree_.is_leaf
    np.testing.assert_allclose(model.tree_.counts[leaves].sum(axis=0), model.tree_.counts[0])


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_threads_prunes_to_the_same_bits(kind, donors, same_trees):
    one, three = (ProbabilityTreeClassifier(random_state=2, n_jobs=n, **KINDS[kind]) for n in (1, 3))
    assert same_trees(one.fit(donors.X, donors.y).tree_, three.fit(donors.X, donors.y).tree_)


def test_j48_rejects_a_confidence_above_a_half_in_fit():
    model = ProbabilityTreeClassifier(prune="pessimistic", dialect="j48", confidence=0.6)
    with pytest.raises(ParameterError, match=r"confidence must be a number in \(0, 0.5\] with dialect='j48'; got 0.6"):
        model.fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(("n", "honest", "least"), [(2, False, 3), (4, True, 5)])
def test_too_few_rows_to_set_aside_are_rejected(n, honest, least):
    model = ProbabilityTreeClassifier(prune="reduced_error", honest=honest)
    assert model.fit(np.arange(least)[:, None], np.arange(least) % 2).n_nodes_ == 1
    with pytest.raises(DataError, match=rf"{n} row\(s\) of weight > 0; prune='reduced_error' .* at least {least}"):
        model.fit(np.arange(n)[:, None], np.arange(n) % 2)
