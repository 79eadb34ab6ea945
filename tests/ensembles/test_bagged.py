"""Bagged trees and their readings: what holds for every forest."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant import _core
from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.ensembles._bagging.forest import n_drawn
from calibrant.estimates import ESTIMATES, MEstimate
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

C44 = {
    "criterion": "gain_ratio",
    "nominal_splits": "multiway",
    "threshold": "observed",
    "mdl_penalty": True,
    "missing": "fractional",
}
ENSEMBLES = [BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier]
KINDS = ["b_pets", "eb_pets", "mob_esp"]


def excused(_estimator):
    """Name what scikit-learn excuses for its own forests: drawing rows is not drawing weights."""
    reason = "rows are drawn; test_a_weight_of_two_is_the_row_twice_on_average takes its place"
    return dict.fromkeys(
        ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"], reason
    )


@parametrize_with_checks([each(n_trees=5, random_state=0) for each in ENSEMBLES], expected_failed_checks=excused)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@parametrize_with_checks([BaggedTreesClassifier(n_trees=3, bootstrap=None, max_features="sqrt", random_state=0)])
@pytest.mark.sample(3)
def test_without_a_bootstrap_nothing_is_excused(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    """Numbers, words and missing values; three classes."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(600, 4)), columns=list("abcd"))
    X["word"] = pd.Categorical(rng.choice(["x", "y", "z"], 600))
    y = np.where(X["a"] + rng.normal(size=600) > 0.5, "high", np.where(X["word"] == "x", "odd", "low"))
    return X.mask(rng.random(X.shape) < 0.05), y


@pytest.fixture(scope="module")
def fitted(table):
    return EBPETsClassifier(n_trees=20, random_state=1).fit(*table)


def grows_never(*_args, **_kwargs):
    pytest.fail("a tree was grown")


def same_forests(a, b):
    return all(pickle.dumps(s) == pickle.dumps(t) for s, t in zip(a.trees_, b.trees_, strict=True))


@pytest.mark.parametrize("n_jobs", [2, 4])
@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_any_number_of_threads_gives_the_same_bits(table, ensemble, n_jobs):
    one, many = (ensemble(n_trees=7, random_state=5, n_jobs=jobs).fit(*table) for jobs in (1, n_jobs))
    assert same_forests(one, many)
    np.testing.assert_array_equal(one.predict_proba(table[0]), many.predict_proba(table[0]))
    np.testing.assert_array_equal(one.oob_proba_, many.oob_proba_)


@pytest.mark.parametrize("prune", [None, "pessimistic"])
@pytest.mark.parametrize("estimate", sorted(ESTIMATES))
def test_one_tree_of_all_rows_and_columns_is_the_single_tree(table, prune, estimate):
    X, y = table
    params = {"estimate": estimate, "random_state": 0, "prune": prune, "tie_break": "first", "min_leaf": 5, **C44}
    with np.errstate(all="ignore"):
        single = ProbabilityTreeClassifier(**params).fit(X, y)
        forest = BaggedTreesClassifier(n_trees=1, bootstrap=None, **params).fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(X), single.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ensemble", [EBPETsClassifier, MOBESPClassifier])
def test_where_no_row_is_out_of_any_bag_the_bags_predict(table, ensemble):
    X, y = table
    read = [
        ensemble(n_trees=2, bootstrap=None, out_of_bag=kind, random_state=0).fit(X, y).predict_proba(X)
        for kind in ("only", "ignore")
    ]
    np.testing.assert_allclose(*read, rtol=1e-12)


def test_readings_share_one_forest_and_never_grow(fitted, table, monkeypatch):
    for name in ("grow_forest", "grow_tree"):
        monkeypatch.setattr(_core, name, grows_never)
    for kind in KINDS:
        other = fitted.reread(kind, estimate="laplace")
        assert other.trees_ is fitted.trees_
        assert other.predict_proba(table[0]).shape == (600, 3)
        assert np.nanmin(other.oob_proba_) >= 0
    assert fitted.reread(out_of_bag_weight="auto").out_of_bag_weight == "auto"


def test_the_three_ensembles_of_one_seed_differ_only_in_the_reading(table):
    eb, mob = (ensemble(n_trees=10, random_state=2).fit(*table) for ensemble in (EBPETsClassifier, MOBESPClassifier))
    assert same_forests(eb, mob)
    np.testing.assert_array_equal(eb.reread("mob_esp").predict_proba(table[0]), mob.predict_proba(table[0]))


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_sum_to_one_also_out_of_the_bag(fitted, table, kind):
    reading = fitted.reread(kind)
    np.testing.assert_allclose(reading.predict_proba(table[0]).sum(axis=1), 1.0, atol=1e-12)
    proba = reading.oob_proba_
    np.testing.assert_allclose(proba[~np.isnan(proba[:, 0])].sum(axis=1), 1.0, atol=1e-12)


def test_each_class_keeps_its_count_when_drawn_by_itself(table):
    X, y = table
    in_bag = BPETsClassifier(n_trees=4, random_state=0).fit(X, y).in_bag_
    for label, n in zip(*np.unique(y, return_counts=True), strict=True):
        assert (in_bag[:, y == label].sum(axis=1) == n).all()


def test_a_subsample_has_its_share_of_the_rows_once(table):
    model = BaggedTreesClassifier(n_trees=3, bootstrap="subsample", max_samples=0.25, random_state=0).fit(*table)
    assert model.in_bag_.max() == 1
    assert (model.in_bag_.sum(axis=1) == 150).all()


def test_a_warm_start_adds_trees_and_gives_the_forest_grown_at_once(table):
    model = BaggedTreesClassifier(n_trees=3, random_state=0, warm_start=True).fit(*table)
    three = model.trees_
    model.set_params(n_trees=8).fit(*table)
    assert model.trees_[:3] == three
    assert same_forests(model, BaggedTreesClassifier(n_trees=8, random_state=0).fit(*table))
    with pytest.raises(ParameterError, match="n_trees must be at least 8 with warm_start=True"):
        model.set_params(n_trees=2).fit(*table)
    for other in ((table[0], table[1][::-1]), (table[0].assign(a=2 * table[0]["a"]), table[1])):
        with pytest.raises(ParameterError, match="the rows those of the first fit"):
            model.set_params(n_trees=9).fit(*other)


def test_votes_are_shares_of_the_trees(fitted, table):
    X = table[0]
    voting = BaggedTreesClassifier(n_trees=10, combine="vote", random_state=0).fit(*table)
    shares = voting.predict_proba(X)
    np.testing.assert_allclose(shares * 10, np.round(shares * 10), atol=1e-9)
    smooth = clone(voting).set_params(smooth_votes=True).fit(*table).predict_proba(X)
    np.testing.assert_allclose(smooth, (shares * 10 + 1) / 13, atol=1e-12)
    assert set(fitted.vote(X)) <= set(fitted.classes_)


def test_the_base_rates_are_those_of_the_whole_training_set():
    X, y = make_classification(400, 5, weights=[0.95], random_state=0)
    model = BaggedTreesClassifier(n_trees=3, estimate=MEstimate(), random_state=0).fit(X, y)
    assert model._reading.estimate.m == pytest.approx(10 * 400 / y.sum())


def test_apply_gives_a_leaf_in_each_tree(fitted, table):
    leaves = fitted.apply(table[0])
    assert leaves.shape == (600, 20)
    for number, tree in enumerate(fitted.trees_):
        assert tree.is_leaf[leaves[:, number]].all()


def test_importances_find_the_columns_that_matter(fitted):
    importances = fitted.feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert set(np.argsort(importances)[-2:]) == {0, 4}


def test_a_pickled_forest_predicts_the_same(fitted, table):
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(table[0]), fitted.predict_proba(table[0]))
    np.testing.assert_array_equal(again.oob_proba_, fitted.oob_proba_)


def test_a_weight_of_two_is_the_row_twice_on_average():
    X, y = make_classification(300, 5, flip_y=0.2, random_state=1)
    weights = np.random.default_rng(0).integers(1, 3, 300)
    twice = np.repeat(np.arange(300), weights)
    params = {"n_trees": 400, "min_leaf": 20}
    weighted = BaggedTreesClassifier(**params, random_state=0).fit(X, y, weights).predict_proba(X)
    repeated = BaggedTreesClassifier(**params, random_state=1).fit(X[twice], y[twice]).predict_proba(X)
    assert np.abs(weighted - repeated).mean() < 0.03
    assert np.abs((weighted - repeated).mean(axis=0)).max() < 0.005


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_trees": 0}, "n_trees"),
        ({"bootstrap": "rows"}, "bootstrap"),
        ({"max_features": 9}, r"max_features must be at most 5, the number of columns of X; got 9\."),
        ({"out_of_bag": "all"}, "out_of_bag"),
        ({"estimate": "kernel_density", "out_of_bag": "count"}, "must be read from counts"),
        ({"max_samples": 1.5}, "max_samples"),
    ],
)
def test_wrong_parameters_are_named(table, params, message):
    with pytest.raises((ParameterError, DataError), match=message):
        BaggedTreesClassifier(**params).fit(*table)


@pytest.mark.parametrize(("out_of_bag", "estimate"), [("condition", "m_branch"), ("count", "kernel_density")])
def test_an_estimate_that_a_reading_cannot_take_is_rejected_before_anything_is_grown(
    table, monkeypatch, out_of_bag, estimate
):
    monkeypatch.setattr(_core, "grow_forest", grows_never)
    with pytest.raises(ParameterError, match="estimate must be"):
        BaggedTreesClassifier(out_of_bag=out_of_bag, estimate=estimate).fit(*table)


def test_the_vote_is_the_label_that_mob_esp_conditions_on(table):
    X, y = table
    model = MOBESPClassifier(n_trees=9, vote_trees=0.3, random_state=0).fit(X, y)
    three = MOBESPClassifier(n_trees=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.vote(X), three.vote(X))
    assert (model.vote(X) != model.reread("eb_pets").vote(X)).any()


def test_columns_to_draw():
    drawn = [n_drawn(each, 20) for each in (None, "sqrt", "ceil_sqrt", "log2", 0.3, 1.0, 20, 7)]
    assert drawn == [0, 4, 5, 4, 6, 0, 0, 7]
    assert n_drawn("log2", 1) == 1


@pytest.mark.parametrize("options", [{}, {"missing": "fractional", "threshold": "observed", "bootstrap": None}])
def test_a_wide_matrix_grows_the_forest_of_columns_that_are_coded_at_once(options):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 400))
    X[:, ::5] = X[:, ::5].round(1)
    X[:, 1::5] *= 1e-5  # some values are too close for a cut
    X[rng.random(X.shape) < 0.0005] = np.nan
    y, weights = X[:, 2] + rng.normal(size=150) > 0, rng.random(150)
    model = BaggedTreesClassifier(n_trees=8, max_features="sqrt", out_of_bag="count", random_state=0, **options)
    wide, at_once = clone(model).fit(X, y, weights), clone(model).fit(pd.DataFrame(X), y, weights)
    kept = pickle.loads(pickle.dumps(wide))  # noqa: S301
    X[:] = 0  # the forest keeps its own rows
    for each in (wide, kept):
        for tree, expected in zip(each.trees_, at_once.trees_, strict=True):
            np.testing.assert_array_equal(tree.feature, expected.feature)
            np.testing.assert_array_equal(tree.threshold, expected.threshold)
            np.testing.assert_array_equal(tree.counts, expected.counts)
        np.testing.assert_array_equal(each.oob_proba_, at_once.oob_proba_)
