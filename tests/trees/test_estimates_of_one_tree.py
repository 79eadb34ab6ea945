"""One grown tree read by many estimates: with_estimate, predict_proba_many, and what a fitted tree keeps for them."""

import pickle

import numpy as np
import pandas as pd
import pytest

from calibrant import _core
from calibrant.data import load
from calibrant.data._frames.columns import fit_columns
from calibrant.data._validation.estimator_rows import read_rows
from calibrant.estimates import (
    ESTIMATES,
    Curtailment,
    HierarchicalShrinkage,
    KernelDensity,
    Laplace,
    MEstimate,
    PathAverage,
)
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._prediction.tree_reading import leaf_shares

CHOSEN = [MEstimate("cv"), Curtailment("cv", then="m"), HierarchicalShrinkage("cv"), PathAverage("interpolate")]
ALL = [*ESTIMATES, *CHOSEN]


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.fixture(scope="module")
def model(donors):
    return ProbabilityTreeClassifier(random_state=0).fit(donors.X, donors.y)


@pytest.fixture
def no_growing(monkeypatch):
    def fail(*_):
        raise AssertionError("a tree is grown")

    monkeypatch.setattr(_core, "grow_tree", fail)


@pytest.mark.parametrize("estimate", ALL, ids=str)
def test_another_estimate_is_as_if_fitted_with_it(donors, model, estimate):
    other = model.with_estimate(estimate)
    fitted = ProbabilityTreeClassifier(random_state=0, estimate=estimate).fit(donors.X, donors.y)
    assert other.get_params() == fitted.get_params()
    assert other.estimate_ == fitted.estimate_
    np.testing.assert_array_equal(other.predict_proba(donors.X), fitted.predict_proba(donors.X))


@pytest.mark.usefixtures("no_growing")
def test_another_estimate_shares_the_tree_and_grows_nothing(donors, model):
    before = model.predict_proba(donors.X)
    other = model.with_estimate("frequency")
    assert other.tree_ is model.tree_
    assert (model.estimate, other.estimate) == ("laplace", "frequency")
    np.testing.assert_array_equal(model.predict_proba(donors.X), before)


def test_folds_are_grown_once_for_all_that_is_chosen_by_cross_validation(donors, monkeypatch):
    model, grown = ProbabilityTreeClassifier(random_state=0).fit(donors.X, donors.y), []
    monkeypatch.setattr(_core, "grow_tree", lambda *args, real=_core.grow_tree: grown.append(1) or real(*args))
    for estimate in CHOSEN:
        model.with_estimate(estimate)
    assert len(grown) == 5


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_many_estimates_are_read_as_each_alone(donors, model, n_jobs):
    model = model.with_estimate("laplace").set_params(n_jobs=n_jobs)
    X = pd.concat([donors.X] * 4, ignore_index=True)
    for estimate, many in zip(ALL, model.predict_proba_many(X, ALL), strict=True):
        np.testing.assert_array_equal(many, model.with_estimate(estimate).predict_proba(X))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
def test_many_estimates_of_any_number_of_classes_with_missing_values(ranks, n_classes):
    X, _ = ranks
    y = np.arange(len(X)) // 3 % n_classes
    missing = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = ProbabilityTreeClassifier(random_state=0).fit(X, y)
    estimates = ["frequency", "m_branch", Laplace()]
    for estimate, many in zip(estimates, model.predict_proba_many(missing, estimates), strict=True):
        assert many.shape == (len(X), n_classes)
        np.testing.assert_array_equal(many, model.with_estimate(estimate).predict_proba(missing))


@pytest.mark.parametrize("params", [{}, {"honest": True}, {"prune": "reduced_error"}], ids=str)
def test_kernel_densities_are_those_of_the_raw_rows_that_the_tree_counts(donors, params):
    model = ProbabilityTreeClassifier(min_leaf=20, random_state=0, **params).fit(donors.X, donors.y)
    subsets = model._grown_tree.subsets
    subset = subsets.grow if subsets.count is None else subsets.count
    counted = np.ones(len(donors.y), bool) if subset is None else subset
    raw = [column[counted] for column in fit_columns(donors.X).arrays]
    reader = KernelDensity().reader(model.tree_, raw, np.searchsorted(model.classes_, donors.y[counted]), None)
    rows = read_rows(donors.X, model.tree_.schema, "it", has_names=True)
    expected = reader.predict(rows[1], *leaf_shares(model.tree_, *rows, 1), rows[0])
    found = model.predict_proba_many(donors.X, ["laplace", "kernel_density"])[1]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(model.with_estimate(KernelDensity()).predict_proba(donors.X), expected, rtol=1e-12)


def test_kernel_densities_take_a_matrix(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier(min_leaf=60, estimate="kernel_density").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X[:50]), model.predict_proba(X[:50].tolist()))


def test_a_rejected_estimate_does_not_change_the_fitted_tree(donors):
    model = ProbabilityTreeClassifier().fit(donors.X, donors.y)
    before = model.predict_proba(donors.X)
    with pytest.raises(ParameterError, match="prior has 3 probabilities; there are 2 classes"):
        model.set_params(estimate=MEstimate(prior=[0.2, 0.3, 0.5])).fit(donors.X[:50], donors.y[:50])
    np.testing.assert_array_equal(model.predict_proba(donors.X), before)


def test_no_estimates_give_no_arrays(donors, model):
    assert model.predict_proba_many(donors.X, []) == []


def test_a_single_name_is_no_sequence_of_estimates(donors, model):
    with pytest.raises(ParameterError, match=r"estimates must be a sequence of estimates; got 'laplace'"):
        model.predict_proba_many(donors.X, "laplace")
    with pytest.raises(ParameterError, match=r"estimate must be .*; got 'laplas'\. Did you mean 'laplace'\?"):
        model.predict_proba_many(donors.X, ["laplas"])


def test_the_fitted_estimate_has_its_numbers(donors, model):
    rare = (donors.y == "yes").mean()
    assert model.with_estimate("m").estimate_.m == pytest.approx(10 / rare)
    assert model.estimate_ == Laplace()


def test_a_pickle_keeps_the_coded_rows_so_that_estimates_can_still_be_chosen(model):
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.with_estimate(CHOSEN[0]).estimate_ == model.with_estimate(CHOSEN[0]).estimate_


def test_a_pickle_has_no_folds(donors):
    model = ProbabilityTreeClassifier(estimate=MEstimate("cv"), random_state=0).fit(donors.X, donors.y)
    assert "folds" in vars(model._grown_tree)
    assert "folds" not in vars(pickle.loads(pickle.dumps(model))._grown_tree)  # noqa: S301


def test_the_raw_table_is_not_kept(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier().fit(X.astype(np.float64), y)
    assert len(pickle.dumps(model)) < X.nbytes * 1.6  # two bytes a code, and the distinct values
    assert len(pickle.dumps(ProbabilityTreeClassifier().fit(X % 7, y))) < X.nbytes
