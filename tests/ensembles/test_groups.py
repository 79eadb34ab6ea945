"""Groups in forests: bags of whole groups, and out-of-bag probabilities without any row of the group."""

import numpy as np
import pytest

from calibrant.ensembles import (
    BaggedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.estimates import HierarchicalShrinkage, MEstimate
from calibrant.exceptions import DataError, ParameterError

FORESTS = [BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier, LazyOptionTreesClassifier]


@pytest.fixture(scope="module")
def clustered():
    """Forty groups of two to six rows that resemble one another, shuffled, with missing values."""
    random = np.random.default_rng(5)
    groups = random.permutation(np.repeat(np.arange(40), random.integers(2, 7, 40)))
    X = random.normal(size=(40, 3))[groups] + 0.1 * random.normal(size=(len(groups), 3))
    y = (random.random(40) < 0.5)[groups] ^ (random.random(len(groups)) < 0.2)
    return np.where(random.random(X.shape) < 0.03, np.nan, X), y.astype(int), groups


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("bootstrap", ["uniform", "by_class", "by_group", "subsample"])
def test_rows_of_a_group_are_in_the_bag_equally_often(clustered, kind, bootstrap):
    X, y, groups = clustered
    model = kind(n_trees=5, bootstrap=bootstrap, random_state=0).fit(X, y, groups=groups)
    for group in range(40):
        assert (np.ptp(model.in_bag_[:, groups == group], axis=1) == 0).all()
    first = model.in_bag_[:, [int(np.flatnonzero(groups == group)[0]) for group in range(40)]]
    assert (first.sum(axis=1) == (25 if bootstrap == "subsample" else 40)).all()


def test_groups_may_have_names_and_rows_of_weight_zero_are_absent(clustered):
    X, y, groups = clustered
    weight = np.where(groups == 3, 0.0, 1.0)
    model = BaggedTreesClassifier(n_trees=4, random_state=0).fit(X, y, weight, groups=[f"g{g:02}" for g in groups])
    other = BaggedTreesClassifier(n_trees=4, random_state=0).fit(
        *(each[groups != 3] for each in (X, y)), None, groups[groups != 3]
    )
    np.testing.assert_array_equal(model.in_bag_, other.in_bag_)


def test_every_row_its_own_group_is_a_uniform_bootstrap(clustered):
    X, y, _ = clustered
    grouped = EBPETsClassifier(n_trees=6, bootstrap="uniform", random_state=0).fit(X, y, groups=np.arange(len(y)))
    plain = EBPETsClassifier(n_trees=6, bootstrap="uniform", random_state=0).fit(X, y)
    np.testing.assert_array_equal(grouped.in_bag_, plain.in_bag_)
    np.testing.assert_allclose(grouped.oob_proba_, plain.oob_proba_, rtol=1e-12)
    strict = [model.reread("mob_esp").oob_proba_ for model in (grouped, plain)]
    np.testing.assert_allclose(*strict, rtol=1e-12)


def counts_without(model, tree, kept):
    """Return the weight of each class at each node of a tree, of some rows, a row in the bag counted once."""
    leaves, labels = model.apply(model._X)[:, tree], model._y
    counts = np.zeros((model.trees_[tree].n_nodes, 2))
    np.add.at(counts, (leaves[kept], labels[kept]), 1.0)
    return counts


def test_out_of_bag_probabilities_leave_the_whole_group_out_of_the_leaves():
    random = np.random.default_rng(1)
    groups = random.integers(0, 25, 120)
    X, y = random.normal(size=(120, 3)), random.integers(0, 2, 120)
    model = EBPETsClassifier(n_trees=7, random_state=2, estimate="frequency").fit(X, y, groups=groups)
    model._X, model._y = X, y
    leaves = model.apply(X)
    for row in range(0, 120, 7):
        found = []
        for tree in np.flatnonzero(model.in_bag_[:, row] == 0):
            counts = counts_without(model, tree, groups != groups[row])[leaves[row, tree]]
            if counts.sum():
                found.append(counts / counts.sum())
        np.testing.assert_allclose(model.oob_proba_[row], np.mean(found, axis=0), atol=1e-12)


@pytest.mark.parametrize("kind", ["b_pets", "eb_pets", "mob_esp"])
def test_the_class_of_a_group_does_not_reach_its_own_out_of_bag_probabilities(clustered, kind):
    """Flipping the classes of a group changes no tree without it, so its out-of-bag probabilities stay."""
    X, y, groups = clustered
    flipped = np.where(groups == 7, 1 - y, y)
    made = [
        EBPETsClassifier(n_trees=24, bootstrap="by_group", random_state=0, out_of_bag_weight=1.0)
        .fit(X, labels, groups=groups)
        .reread(kind)
        for labels in (y, flipped)
    ]
    own, other = (model.oob_proba_[groups == 7] for model in made)
    np.testing.assert_allclose(own, other, atol=1e-12)


def test_estimates_that_use_more_than_the_leaf_leave_whole_groups_out(clustered):
    X, y, groups = clustered
    estimate = HierarchicalShrinkage()
    flipped = np.where(groups == 7, 1 - y, y)
    made = [
        EBPETsClassifier(n_trees=9, estimate=estimate, bootstrap="by_group", random_state=0).fit(
            X, labels, groups=groups
        )
        for labels in (y, flipped)
    ]
    own, other = (model.oob_proba_[groups == 7] for model in made)
    np.testing.assert_allclose(own, other, atol=1e-12)


def test_bags_of_groups_need_groups():
    with pytest.raises(DataError, match=r"bootstrap='by_group' draws whole groups; pass fit the group of each row"):
        BaggedTreesClassifier(bootstrap="by_group").fit([[1], [2]], [0, 1])


def test_wrong_groups_are_refused_by_name(clustered):
    X, y, groups = clustered
    with pytest.raises(DataError, match=rf"groups has 3 rows, X {len(y)}"):
        BaggedTreesClassifier().fit(X, y, groups=groups[:3])


def test_a_warm_start_needs_the_same_groups_and_continues_their_bags(clustered):
    X, y, groups = clustered
    model = BaggedTreesClassifier(n_trees=3, warm_start=True, random_state=0).fit(X, y, groups=groups)
    model.set_params(n_trees=6)
    with pytest.raises(ParameterError, match="the rows those of the first fit"):
        model.fit(X, y)
    at_once = BaggedTreesClassifier(n_trees=6, random_state=0).fit(X, y, groups=groups)
    np.testing.assert_array_equal(model.fit(X, y, groups=groups).in_bag_, at_once.in_bag_)


def test_a_number_chosen_by_cv_sees_whole_groups(clustered):
    X, y, groups = clustered
    smoothing = []
    for chosen in (None, groups):
        model = BaggedTreesClassifier(n_trees=3, estimate=MEstimate("cv"), min_leaf=1, random_state=0)
        smoothing.append(model.fit(X, y, groups=chosen)._reading.estimate.m)
    assert smoothing[0] < smoothing[1]  # rows of a group in other folds make leaves look better than they are
