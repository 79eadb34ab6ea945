"""Kernel densities in a forest: each tree has those of its bag, and knows nothing of other rows."""

import pickle

import numpy as np
import pandas as pd
import pytest

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.ensembles._readings import forest_reading as file
from calibrant.estimates import KernelDensity
from calibrant.exceptions import ParameterError
from calibrant.metrics import METRICS
from calibrant.trees import ProbabilityTreeClassifier

C44 = {
    "criterion": "gain_ratio",
    "nominal_splits": "multiway",
    "threshold": "observed",
    "mdl_penalty": True,
    "missing": "fractional",
}
PARAMS = {"tie_break": "first", "min_leaf": 8, "random_state": 0, **C44}


def drawn(n, seed=0):
    """A number, a colour and a number of no use, with missing values; three classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    X = pd.DataFrame({"number": y + random.normal(size=n), "noise": random.normal(size=n)})
    colour = np.where(random.random(n) < 0.6, y, random.integers(0, 3, n))
    X["colour"] = pd.Categorical.from_codes(colour, ["a", "b", "c"])
    return X.mask(random.random(X.shape) < 0.05), y


@pytest.fixture(scope="module")
def table():
    return drawn(150)


@pytest.fixture(scope="module")
def forest(table):
    return BaggedTreesClassifier(n_trees=6, estimate="kernel_density", **PARAMS).fit(*table)


@pytest.mark.parametrize("prune", [None, "pessimistic"])
def test_one_tree_of_all_rows_is_the_single_tree_to_the_bit(table, prune):
    X, y = table
    params = PARAMS | {"estimate": "kernel_density", "prune": prune}
    forest = BaggedTreesClassifier(n_trees=1, bootstrap=None, **params).fit(X, y)
    single = ProbabilityTreeClassifier(**params).fit(X, y)
    np.testing.assert_array_equal(forest.predict_proba(X), single.predict_proba(X))


@pytest.mark.parametrize("params", [{}, {"honest": True}, {"prune": "reduced_error"}], ids=str)
def test_the_rows_of_a_tree_are_those_that_it_counts(table, params):
    forest = BaggedTreesClassifier(n_trees=3, **PARAMS, **params).fit(*table)._forest
    for number, tree in enumerate(forest.trees):
        _, labels, weights = forest.grown_tree(number).counted_rows
        np.testing.assert_allclose(np.bincount(labels, weights), tree.counts[0], rtol=1e-12)
        assert weights.min() >= 1


def singles(forest, X, y):
    """Grow the trees of a forest one by one: a bag is the weights of the rows."""
    rates = np.bincount(y) / len(y)
    params = PARAMS | {"estimate": KernelDensity(prior=rates)}
    return [ProbabilityTreeClassifier(**params).fit(X, y, sample_weight=bag) for bag in forest.in_bag_]


def test_a_forest_is_the_mean_of_trees_with_the_densities_of_their_bags(forest, table):
    new_rows, _ = drawn(40, seed=1)
    expected = np.mean([tree.predict_proba(new_rows) for tree in singles(forest, *table)], axis=0)
    np.testing.assert_allclose(forest.predict_proba(new_rows), expected, rtol=0, atol=1e-12)


def test_out_of_the_bag_those_trees_predict_that_were_grown_without_the_row(forest, table):
    proba = np.array([tree.predict_proba(table[0]) for tree in singles(forest, *table)])
    out = np.broadcast_to(forest.in_bag_[..., np.newaxis] > 0, proba.shape)
    expected = np.ma.masked_array(proba, out).mean(axis=0).filled(np.nan)
    np.testing.assert_allclose(forest.oob_proba_, expected, rtol=0, atol=1e-12)
    assert np.isnan(forest.oob_proba_).any()


def test_a_row_of_another_class_gets_the_same_probabilities(table):
    """Only the base rates of the whole training set could depend on it, and these are not used here."""
    X, y = table
    model = BaggedTreesClassifier(n_trees=6, estimate=KernelDensity(prior="uniform"), **PARAMS)
    honest = model.fit(X, y).oob_proba_
    for i in range(0, 150, 15):
        other = np.where(np.arange(150) == i, (y + 1) % 3, y)
        np.testing.assert_allclose(model.fit(X, other).oob_proba_[i], honest[i], rtol=0, atol=1e-12)


def gap(seed):
    """Return the out-of-bag loss on labels that are noise, less that of new rows predicted by as many trees."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200)
    model = BaggedTreesClassifier(n_trees=10, estimate="kernel_density", min_leaf=2, random_state=seed)
    model.fit(X[:100], y[:100])
    proba = np.array([model._reading.by_rows.predict_by_tree(tree, (100, X[100:])) for tree in range(10)])
    is_out = model.in_bag_ == 0
    new_rows = (proba * is_out[..., np.newaxis]).sum(axis=0) / np.maximum(is_out.sum(axis=0), 1)[:, np.newaxis]
    rows = np.flatnonzero(is_out.any(axis=0))
    return METRICS["mse"].function(y[rows], model.oob_proba_[rows]) - METRICS["mse"].function(
        y[100:][rows], new_rows[rows]
    )


def test_on_noise_the_out_of_bag_loss_is_that_of_new_rows():
    gaps = [gap(seed) for seed in range(20)]
    assert abs(np.mean(gaps)) < 5 * np.std(gaps, ddof=1) / 20**0.5


def test_a_forest_is_read_again_by_its_rows_and_back(forest, table):
    laplace = forest.reread(estimate="laplace")
    again = pickle.loads(pickle.dumps(laplace.reread(estimate="kernel_density")))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(table[0]), forest.predict_proba(table[0]))
    assert np.abs(laplace.predict_proba(table[0]) - forest.predict_proba(table[0])).max() > 0.01


def test_bags_that_are_not_kept_give_the_same(forest, table, monkeypatch):
    monkeypatch.setattr(file, "_MAX_KEPT_BYTES", 0)
    other = forest.reread(estimate="kernel_density")
    np.testing.assert_array_equal(other.predict_proba(table[0]), forest.predict_proba(table[0]))
    assert not other._reading.by_rows._kept


@pytest.mark.parametrize("out_of_bag", ["count", "only", "condition"])
def test_rows_out_of_the_bag_cannot_be_counted_for_it(table, out_of_bag):
    model = BaggedTreesClassifier(n_trees=2, estimate="kernel_density", out_of_bag=out_of_bag)
    with pytest.raises(ParameterError, match=r"must be read from counts.*out_of_bag='ignore'"):
        model.fit(*table)


def test_importances_are_those_of_the_densities(forest, table):
    found = forest.oob_importances(metric="mse", n_repeats=1, random_state=0)
    proba = forest.oob_proba_
    is_known = ~np.isnan(proba[:, 0])
    assert found.loss == pytest.approx(METRICS["mse"].function(table[1][is_known], proba[is_known]), abs=1e-12)
    assert found.names[found.mean.argmin()] == "noise"
