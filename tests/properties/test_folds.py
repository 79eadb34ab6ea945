"""Folds inside estimators: weight 3 chooses what three copies choose, in any order; groups stay whole."""

import numpy as np
import pytest

from calibrant._folds import deal_groups, unit_folds
from calibrant.calibration import Auto, Binning
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import Curtailment, HierarchicalShrinkage, MEstimate, PathAverage
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._prediction.held_out_folds import fold_weights

ESTIMATES = [MEstimate("cv"), Curtailment("cv"), HierarchicalShrinkage("cv"), PathAverage("interpolate")]


def noisy(seed, n_rows=240):
    random = np.random.default_rng(seed)
    X = np.round(random.random((n_rows, 3)), 2)
    X[random.random(X.shape) < 0.05] = np.nan
    return X, (random.random(n_rows) < 0.2 + 0.4 * (X[:, 0] > 0.5)).astype(int)


def copies_of(X, y, times, seed):
    """Return each row so many times, in random order."""
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), times))
    return X[rows], y[rows]


def chosen(model):
    return model.estimate_ if hasattr(model, "estimate_") else model._reading.estimate


@pytest.mark.parametrize("estimate", ESTIMATES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_weight_three_chooses_what_three_copies_choose(estimate, seed):
    X, y = noisy(seed)
    weighted = ProbabilityTreeClassifier(estimate=estimate, random_state=0).fit(X, y, np.full(len(y), 3))
    copied = ProbabilityTreeClassifier(estimate=estimate, random_state=0).fit(*copies_of(X, y, 3, seed))
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-7)
    for name in ("m", "v", "strength"):
        assert getattr(chosen(weighted), name, None) == getattr(chosen(copied), name, None)


@pytest.mark.parametrize("seed", range(3))
def test_different_weights_choose_what_different_copies_choose(seed):
    X, y = noisy(seed)
    times = np.random.default_rng(seed).integers(1, 6, len(y))
    models = [
        BaggedTreesClassifier(n_trees=1, bootstrap=None, tie_break="first", estimate=MEstimate("cv"), random_state=0)
        for _ in range(2)
    ]
    weighted, copied = models[0].fit(X, y, times), models[1].fit(*copies_of(X, y, times, seed))
    assert chosen(weighted).m == chosen(copied).m


def shares(model):
    grown = model._grown_tree
    return np.array(fold_weights(grown.examples, grown.params, grown.seed))


def test_units_of_a_row_are_spread_over_folds_and_sum_to_its_weight():
    X, y = noisy(0)
    weight = np.random.default_rng(0).choice([1.0, 3.0, 0.4, 2.5], len(y))
    found = shares(ProbabilityTreeClassifier(random_state=0).fit(X, y, weight))
    np.testing.assert_allclose(found.sum(axis=0), weight)
    assert ((found > 0).sum(axis=0)[weight < 1.5] == 1).all()
    assert (found > 0).sum(axis=0)[weight == 3].mean() > 2


def test_probability_weights_keep_rows_whole():
    X, y = noisy(0)
    model = ProbabilityTreeClassifier(weight_kind="probability", random_state=0).fit(X, y, np.full(len(y), 3))
    found = shares(model)
    assert ((found > 0).sum(axis=0) == 1).all()
    np.testing.assert_array_equal(found.max(axis=0), 3.0)


@pytest.mark.parametrize("params", [{}, {"honest": True}, {"prune": "reduced_error"}])
def test_groups_are_whole_in_folds_and_where_rows_are_set_aside(params):
    X, y = noisy(0)
    groups = np.random.default_rng(1).integers(0, 30, len(y))
    model = ProbabilityTreeClassifier(random_state=0, **params).fit(X, y, np.full(len(y), 2), groups=groups)
    subsets = model._grown_tree.subsets
    sets = [*(shares(model) > 0), *(each for each in (subsets.grow, subsets.prune, subsets.count) if each is not None)]
    for held in sets:
        assert all(np.ptp(held[groups == group].astype(int)) == 0 for group in range(30))
        assert held.any()


def test_class_weights_are_no_copies():
    X, y = noisy(0)
    model = ProbabilityTreeClassifier(class_weight={1: 3}, random_state=0).fit(X, y)
    assert ((shares(model) > 0).sum(axis=0) == 1).all()


def test_folds_do_not_depend_on_the_order_of_the_rows():
    X, y = noisy(0)
    order = np.random.default_rng(3).permutation(len(y))
    one = ProbabilityTreeClassifier(random_state=0).fit(X, y)
    other = ProbabilityTreeClassifier(random_state=0).fit(X[order], y[order])
    np.testing.assert_array_equal(shares(one)[:, order], shares(other))


def test_very_large_weights_take_no_more_than_a_million_units():
    pieces = unit_folds(np.zeros(3, dtype=int), np.array([1e9, 1e9, 3e9]), 5, np.random.default_rng(0))
    assert len(pieces.rows) == pytest.approx(1_000_000)
    assert pieces.weight.sum() == pytest.approx(5e9)


def test_groups_fill_the_first_folds():
    fold = deal_groups(np.eye(2)[[0, 0, 0, 1, 1]], np.ones(5), np.random.default_rng(0))
    assert sorted(np.unique(fold)) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(3))
def test_auto_and_bins_choose_by_weights_what_they_choose_by_copies(seed):
    random = np.random.default_rng(seed)
    proba = random.beta(0.6, 0.6, 300)
    y, times = (random.random(300) < 0.25 + 0.5 * proba).astype(int), random.integers(1, 5, 300)
    rows = random.permutation(np.repeat(np.arange(300), times))
    weighted, copied = Auto().fit(proba, y, times), Auto().fit(proba[rows], y[rows])
    assert weighted.choice_.name == copied.choice_.name
    np.testing.assert_allclose(weighted.weights_, copied.weights_, atol=1e-3)
    bins = [Binning("cv").fit(proba, y, times), Binning("cv").fit(proba[rows], y[rows])]
    assert bins[0].n_bins_ == bins[1].n_bins_
