"""scikit-learn's contract: its own checks with nothing excused, copies, frames, grids, threads."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import load
from calibrant.neighbors import NeighborsClassifier


@parametrize_with_checks(
    [
        NeighborsClassifier(),
        NeighborsClassifier(n_neighbors=5, weights="uniform", attribute_weights=None, ties="share", smoothing=0),
        NeighborsClassifier(n_neighbors="all", weights="inverse", offset=0.01, scale="range", n_jobs=2),
        NeighborsClassifier(weights="similarity", attribute_weights="info_gain", algorithm="ball_tree"),
        NeighborsClassifier(weights="gaussian", scale=None, relative_attribute_weights=True),
        NeighborsClassifier(weights="gaussian", bandwidth=0.5, algorithm="brute", smoothing=0.1),
    ]
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.long
def test_no_check_is_skipped_if_scipy_supports_the_array_api(check_statuses):
    imports = "from calibrant.neighbors import NeighborsClassifier as N"
    assert check_statuses(imports, "N()") == "{'passed'}"


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.mark.parametrize("to_frame", [pl.from_pandas, pa.Table.from_pandas])
def test_frames_of_other_libraries_have_the_same_predictions(donors, to_frame):
    model = NeighborsClassifier().fit(donors.X, donors.y)
    other = NeighborsClassifier().fit(to_frame(donors.X), donors.y)
    np.testing.assert_array_equal(other.predict_proba(to_frame(donors.X)), model.predict_proba(donors.X))


def test_every_kind_of_copy_predicts_to_the_bit(donors):
    numbers = donors.X.select_dtypes("number").fillna(0)
    model = NeighborsClassifier().fit(numbers, donors.y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):  # noqa: S301
        np.testing.assert_array_equal(again.predict_proba(numbers), model.predict_proba(numbers))


@pytest.mark.parametrize("weights", ["inverse_squared", "gaussian"])
def test_the_number_of_threads_changes_no_bit(donors, weights):
    model = NeighborsClassifier(weights=weights).fit(donors.X, donors.y)
    one = model.predict_proba(donors.X)
    np.testing.assert_array_equal(model.set_params(n_jobs=3).predict_proba(donors.X), one)


def test_weights_are_routed_through_cross_validation(donors):
    weights = np.where(donors.y == "yes", 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = NeighborsClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        done = cross_validate(model, donors.X, donors.y, params={"sample_weight": weights}, cv=3)
    assert len(done["test_score"]) == 3


def test_a_grid_search_tries_parameters(donors):
    grid = {"n_neighbors": [1, 100], "weights": ["uniform", "gaussian"]}
    search = GridSearchCV(NeighborsClassifier(), grid, scoring="neg_log_loss", cv=3).fit(donors.X, donors.y)
    assert search.best_params_["n_neighbors"] == 100


def test_a_second_fit_forgets_the_first():
    model = NeighborsClassifier().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "y"])
    model.fit([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 2])
    assert (model.n_features_in_, model.classes_.tolist()) == (2, [0, 1, 2])
    assert not hasattr(model, "feature_names_in_")


def test_a_clone_has_parameters_that_are_arrays():
    model = NeighborsClassifier(attribute_weights=np.array([1.0, 2.0]), scale=np.array([[0, 0], [1, 1]]))
    assert clone(model).attribute_weights.tolist() == [1, 2]


def test_the_default_votes_are_those_of_benchmarks_defaults():
    assert NeighborsClassifier().weights == "gaussian"
