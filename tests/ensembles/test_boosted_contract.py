"""scikit-learn's contract: all of its checks where boosting reweights rows; copies, frames, Ctrl-C."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import load
from calibrant.ensembles import BoostedStumpsClassifier, BoostedTreesClassifier

IGNORE_EARLY_ENDS = "ignore::calibrant.exceptions.CalibrantWarning"  # members without error, or as bad as chance


def excused(estimator):
    """Name what scikit-learn excuses for its own forests: drawing rows is not drawing weights."""
    names = ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"]
    return dict.fromkeys(names, "rows are drawn") if getattr(estimator, "resample", False) else {}


@parametrize_with_checks(
    [
        BoostedTreesClassifier(n_trees=5, random_state=0),
        BoostedTreesClassifier(n_trees=5, resample=False),
        BoostedTreesClassifier(n_trees=5, resample=False, algorithm="samme", max_depth=1, criterion="gini"),
        BoostedTreesClassifier(n_trees=5, resample=False, algorithm="real", max_depth=2, n_jobs=2),
        BoostedStumpsClassifier(n_trees=20),
        BoostedStumpsClassifier(n_trees=20, algorithm="samme", criterion="twoing", n_jobs=2),
        BoostedStumpsClassifier(n_trees=20, algorithm="real", criterion="gain_ratio", estimate="frequency"),
    ],
    expected_failed_checks=excused,
)
@pytest.mark.filterwarnings(IGNORE_EARLY_ENDS)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.long
def test_no_check_is_skipped_if_scipy_supports_the_array_api(check_statuses):
    imports = "from calibrant.ensembles import BoostedStumpsClassifier as S, BoostedTreesClassifier as T"
    assert check_statuses(imports, "S(n_trees=9), T(n_trees=3, resample=False)") == "{'passed'}"


@pytest.fixture(
    params=[BoostedTreesClassifier(n_trees=5, max_depth=3, random_state=0), BoostedStumpsClassifier(n_trees=20)],
    ids=str,
)
def model(request):
    return clone(request.param)


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


def test_every_kind_of_copy_predicts_to_the_bit(model, donors):
    model.fit(donors.X, donors.y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):  # noqa: S301
        np.testing.assert_array_equal(again.predict_proba(donors.X), model.predict_proba(donors.X))


def test_a_frame_of_another_library_is_predicted_alike(model, donors):
    fitted = model.fit(donors.X, donors.y).predict_proba(donors.X)
    np.testing.assert_array_equal(fitted, model.predict_proba(pl.from_pandas(donors.X)))


def test_weights_are_routed_through_cross_validation(model, donors):
    weights = np.where(donors.y == "yes", 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        done = cross_validate(routed, donors.X, donors.y, params={"sample_weight": weights}, cv=3)
    assert len(done["test_score"]) == 3


def test_a_grid_search_tries_parameters(donors):
    grid = {"criterion": ["gini", "dkm"], "n_trees": [2, 30]}
    search = GridSearchCV(BoostedStumpsClassifier(), grid, scoring="roc_auc", cv=3).fit(donors.X, donors.y)
    assert search.best_params_["n_trees"] == 30


@pytest.mark.filterwarnings(IGNORE_EARLY_ENDS)
def test_a_second_fit_forgets_the_first(model):
    model.fit(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "y"])
    model.fit([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 0])
    assert (model.n_features_in_, model.classes_.tolist()) == (2, [0, 1])
    assert not hasattr(model, "feature_names_in_")


def test_ctrl_c_stops_at_once_and_leaves_what_was_there(model, ctrl_c):
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 10))
    y = X.sum(axis=1) + 3 * random.normal(size=60_000) > 0
    model.set_params(n_trees=2).fit(X[:1000], y[:1000])
    with ctrl_c():
        model.set_params(n_trees=8192).fit(X, y)
    assert len(model.estimator_weights_) == 2
    assert model.predict(X[:1]).shape == (1,)
