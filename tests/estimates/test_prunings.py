"""Posterior probabilities of prunings against the enumeration of all of them."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp

from calibrant.estimates import PathAverage
from calibrant.estimates._paths import TREE_PRIORS, leaves_of_most_probable, log_marginal
from calibrant.trees import ProbabilityTreeClassifier, tree_style


def prunings(tree, node=0):
    """Return every pruning below a node, as the set of its leaves."""
    below = [prunings(tree, int(child)) for child in tree.children_of(node)]
    return [frozenset({node})] + ([frozenset().union(*each) for each in product(*below)] if below else [])


def log_evidence(counts, alpha):
    counts = np.asarray(counts)
    return (gammaln(counts + alpha) - gammaln(alpha)).sum() - (
        gammaln(counts.sum() + len(counts) * alpha) - gammaln(len(counts) * alpha)
    )


def path_to(tree, node):
    return [] if node < 0 else [*path_to(tree, int(tree.parent[node])), node]


def log_probability(tree, leaves, alpha, prior):
    """Return the log prior of a pruning and of the classes in its leaves."""
    as_leaf, as_test = TREE_PRIORS[prior](tree)
    tests = {node for leaf in leaves for node in path_to(tree, leaf)} - leaves
    of_tests = sum(as_test[node] + tree.log_prior[node] for node in tests)
    return of_tests + sum(as_leaf[leaf] + log_evidence(tree.counts[leaf], alpha) for leaf in leaves)


def small_tree(seed, criterion="bayes"):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    return ProbabilityTreeClassifier(criterion=criterion, max_depth=3).fit(X, y).tree_


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.sampled_from([0.3, 1.0]), st.sampled_from(sorted(TREE_PRIORS)))
def test_the_path_average_is_the_mean_over_all_prunings(seed, alpha, prior):
    tree = small_tree(seed)
    every = prunings(tree)
    logs = np.array([log_probability(tree, leaves, alpha, prior) for leaves in every])
    posterior = np.exp(logs - logsumexp(logs))
    own = (tree.counts + alpha) / (tree.weight + 3 * alpha)[:, np.newaxis]
    table = PathAverage(alpha=alpha, prior=prior).table(tree)
    for node in np.flatnonzero(tree.is_leaf):
        path = path_to(tree, node)
        ends = [next(at for at in path if at in leaves) for leaves in every]
        np.testing.assert_allclose(table[node], posterior @ own[ends], rtol=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.sampled_from(sorted(TREE_PRIORS)))
def test_the_pruning_kept_is_the_most_probable_of_all(seed, prior):
    tree = small_tree(seed)
    marked = leaves_of_most_probable(tree, prior=prior)
    reached = [n for n in range(tree.n_nodes) if not marked[path_to(tree, n)[:-1]].any()]
    kept = frozenset(n for n in reached if marked[n])
    most = max(log_probability(tree, leaves, 1.0, prior) for leaves in prunings(tree))
    # a leaf wins that is up to 0.1 % less probable, at each of the nodes
    assert log_probability(tree, kept, 1.0, prior) >= most - 0.0011 * tree.n_nodes


def test_a_style_with_map_pruning_is_its_grown_tree_pruned():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    grown, pruned = tree_style("smml").fit(X, y).tree_, tree_style("mml").fit(X, y).tree_
    marked = leaves_of_most_probable(grown, prior="wallace")
    reached = [n for n in range(grown.n_nodes) if not marked[path_to(grown, n)[:-1]].any()]
    np.testing.assert_array_equal(grown.counts[reached], pruned.counts)
    np.testing.assert_array_equal(np.where(marked[reached], 0.0, grown.log_prior[reached]), pruned.log_prior)


def test_the_marginal_likelihood_is_that_of_the_order_of_the_rows():
    tree = SimpleNamespace(counts=np.array([[2.0, 1.0]]), weight=np.array([3.0]))
    # the classes a, a, b one after the other, each by the rows before it
    assert np.exp(log_marginal(tree, 0.5))[0] == pytest.approx((0.5 / 1) * (1.5 / 2) * (0.5 / 3))


def test_choices_count_columns_that_can_still_be_tested():
    tree = SimpleNamespace(
        parent=np.array([-1, 0, 1, 1, 0]),
        depth=np.array([0, 1, 2, 2, 1]),
        n_children=np.array([2, 2, 0, 0, 0]),
        n_values=np.array([2, 0, 0, 0, 0]),
        n_features=4,
    )
    with_choices, without = TREE_PRIORS["wallace_choices"](tree)[1], TREE_PRIORS["wallace"](tree)[1]
    np.testing.assert_allclose(without - with_choices, np.log([4, 3, 3, 3, 3]))
