"""Estimates agree at the limits of their parameters, on trees of every shape and for all counts."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.estimates import (
    ESTIMATES,
    Curtailment,
    Frequency,
    HierarchicalShrinkage,
    Laplace,
    MBranch,
    MEstimate,
    PathAverage,
)

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def draw(make_tree):
    """Makes a random tree: any shape, branching and number of classes; empty leaves; fractional weights or not."""

    def random_tree(seed):
        random = np.random.default_rng(seed)
        parent, open_nodes = [-1], [0]
        while open_nodes and len(parent) < random.integers(1, 60):
            parent += [open_nodes.pop(random.integers(len(open_nodes)))] * random.integers(2, 5)
            open_nodes = sorted(set(range(len(parent))) - set(parent))
        order = preorder(parent)
        parent = [order.index(parent[node]) if node else -1 for node in order]
        leaves = {node: leaf(random, seed) for node in range(len(parent)) if node not in parent}
        leaves[max(leaves)][0] += 1  # some weight at least
        return make_tree(parent, leaves)

    return random_tree


def preorder(parent):
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack += [node for node, above in enumerate(parent) if above == order[-1]][::-1]
    return order


def leaf(random, seed):
    counts = random.integers(0, 12, 1 + seed % 5) * (random.random() > 0.2)
    return counts * (1.0 if seed % 2 else random.random())


def every_estimate():
    extra = [
        PathAverage(alpha=0.3, prior="wallace"),
        MEstimate(m=3, prior="uniform"),
        Curtailment(v=4, then=MBranch(M=1)),
    ]
    return [*(make() for make in ESTIMATES.values()), *extra]


@given(SEEDS)
def test_rows_are_probabilities(draw, seed):
    tree = draw(seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Curtailment")
        for estimate in every_estimate():
            table = estimate.table(tree)
            assert (table >= 0).all(), estimate
            assert (table <= 1).all(), estimate
            np.testing.assert_allclose(table.sum(axis=1), 1, rtol=0, atol=1e-12, err_msg=str(estimate))


def test_a_tree_may_be_as_deep_as_it_has_rows(make_tree):
    """Every test parts one row from the rest."""
    depth = 5_000
    parent = [-1, *(node for above in range(0, 2 * depth, 2) for node in (above, above))]
    tree = make_tree(parent, {**{node: [1, 0] for node in range(1, 2 * depth, 2)}, 2 * depth: [0, 1]})
    assert tree.depth.max() == depth
    for estimate in [MBranch(), PathAverage(), HierarchicalShrinkage(), Curtailment(v=9), MEstimate()]:
        np.testing.assert_allclose(estimate.table(tree).sum(axis=1), 1, rtol=0, atol=1e-12)


@given(SEEDS)
def test_classes_in_another_order_give_the_columns_in_that_order(draw, seed):
    tree = draw(seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Curtailment")
        for estimate in every_estimate():
            table = estimate.table(tree)
            turned = type(tree)(**{**vars(tree), "counts": tree.counts[:, ::-1]})
            np.testing.assert_allclose(estimate.table(turned)[:, ::-1], table, rtol=0, atol=1e-9, err_msg=str(estimate))


@given(SEEDS)
def test_what_smooths_nothing_gives_the_frequencies(draw, seed):
    tree = draw(seed)
    filled = tree.weight > 0
    plain = Frequency().table(tree)[filled]
    for estimate in [Curtailment(v=0), MEstimate(m=0), HierarchicalShrinkage(strength=0)]:
        np.testing.assert_array_equal(estimate.table(tree)[filled], plain, err_msg=str(estimate))


@given(SEEDS)
def test_what_smooths_everything_gives_the_base_rates(draw, seed):
    tree = draw(seed)
    base = np.tile(tree.counts[0] / tree.weight[0], (len(tree.parent), 1))
    for infinite in (np.inf, 1e15):
        for estimate in [Curtailment(v=infinite), MEstimate(m=infinite), HierarchicalShrinkage(strength=infinite)]:
            np.testing.assert_allclose(estimate.table(tree), base, rtol=0, atol=1e-10, err_msg=str(estimate))


@given(SEEDS)
def test_the_m_estimate_of_a_uniform_prior_and_a_row_a_class_is_laplace(draw, seed):
    tree = draw(seed)
    uniform = MEstimate(m=tree.counts.shape[1], prior="uniform")
    np.testing.assert_allclose(uniform.table(tree), Laplace().table(tree), rtol=0, atol=1e-12)


@given(SEEDS, st.floats(0, 50))
def test_curtailment_is_its_own_predicting_nodes_read_plainly(draw, seed, v):
    tree = draw(seed)
    at = Curtailment(v=v).answering(tree)
    least = v * (1 - 1e-12)
    assert ((tree.weight[at] >= least) | (at == 0)).all()
    assert (tree.weight[np.arange(len(at)) != at] < least).all()


@given(SEEDS)
def test_with_its_numbers_resolved_the_table_is_the_same(draw, seed):
    tree = draw(seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Curtailment")
        for estimate in [MEstimate(), Curtailment(), Curtailment(then="m"), MEstimate(prior="uniform")]:
            resolved = estimate.resolve(tree.counts[0], tree.counts[tree.is_leaf])
            np.testing.assert_allclose(resolved.table(tree), estimate.table(tree), rtol=0, atol=1e-12)
