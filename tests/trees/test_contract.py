"""scikit-learn's contract: its own checks with nothing excused, and the company an estimator keeps."""

import copy
import pickle
import sys

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import load
from calibrant.estimates import Curtailment
from calibrant.trees import ProbabilityTreeClassifier


@parametrize_with_checks(
    [
        ProbabilityTreeClassifier(),
        ProbabilityTreeClassifier(estimate="frequency", criterion="gini", min_leaf=1, min_cut="min_leaf"),
        ProbabilityTreeClassifier(tie_break="random", class_weight="balanced", dialect="j48", max_depth=5),
        ProbabilityTreeClassifier(estimate=Curtailment(v=5, then="m")),
        ProbabilityTreeClassifier(estimate="kernel_density"),
        ProbabilityTreeClassifier(prune="pessimistic", collapse=True, nominal_splits="subset", n_jobs=2),
        ProbabilityTreeClassifier(prune="cost_complexity", ccp_alpha=0.01, criterion="hellinger", threshold="midpoint"),
        ProbabilityTreeClassifier(prune="mdl", criterion="dkm_ratio", nominal_splits="binary"),
    ]
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.long
def test_no_check_is_skipped_if_scipy_supports_the_array_api(check_statuses):
    imports = "from calibrant.trees import ProbabilityTreeClassifier as T"
    assert check_statuses(imports, "T()") == "{'passed'}"


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


def test_a_pipeline_scales_and_grows(donors):
    numbers = donors.X.select_dtypes("number")
    scaled = make_pipeline(StandardScaler(), ProbabilityTreeClassifier()).fit(numbers, donors.y)
    np.testing.assert_allclose(
        scaled.predict_proba(numbers), ProbabilityTreeClassifier().fit(numbers, donors.y).predict_proba(numbers)
    )


def test_a_frame_passes_a_column_transformer_set_to_pandas(donors):
    numeric = donors.X.select_dtypes("number").columns.tolist()
    scale = ColumnTransformer([("scale", StandardScaler(), numeric)], remainder="passthrough").set_output(
        transform="pandas"
    )
    model = make_pipeline(scale, ProbabilityTreeClassifier(min_leaf=20)).fit(donors.X, donors.y)
    assert model.predict_proba(donors.X).shape == (1500, 2)


def test_a_grid_search_tries_parameters(donors):
    search = GridSearchCV(
        ProbabilityTreeClassifier(), {"min_leaf": [2, 40], "estimate": ["laplace"]}, scoring="neg_log_loss", cv=3
    ).fit(donors.X, donors.y)
    assert search.best_params_["min_leaf"] == 40


def test_weights_are_routed_through_cross_validation(donors):
    weights = np.where(donors.y == "yes", 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = ProbabilityTreeClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = cross_validate(
            model, donors.X, donors.y, params={"sample_weight": weights}, cv=3, return_estimator=True
        )
    roots = [estimator.tree_.weight[0] for estimator in routed["estimator"]]
    assert sum(roots) == pytest.approx(2 * weights.sum())


@pytest.mark.long
def test_out_of_fold_probabilities_do_not_depend_on_the_workers(donors):
    model = ProbabilityTreeClassifier(min_leaf=20)
    one = cross_val_predict(model, donors.X, donors.y, cv=4, method="predict_proba")
    two = cross_val_predict(model, donors.X, donors.y, cv=4, method="predict_proba", n_jobs=2)
    np.testing.assert_array_equal(one, two)


def copies(model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    yield pickle.loads(pickle.dumps(model))  # noqa: S301
    yield cloudpickle.loads(cloudpickle.dumps(model))
    yield copy.deepcopy(model)
    yield joblib.load(tmp_path / "model.joblib")
    yield joblib.load(tmp_path / "model.joblib", mmap_mode="r")


def test_every_kind_of_copy_predicts_to_the_bit(donors, tmp_path, same_trees):
    model = ProbabilityTreeClassifier().fit(donors.X, donors.y)
    for again in copies(model, tmp_path):
        np.testing.assert_array_equal(again.predict_proba(donors.X), model.predict_proba(donors.X))
        assert same_trees(again.tree_, model.tree_)
        assert again.tree_.schema == model.tree_.schema


def test_a_clone_is_unfitted_and_has_the_parameters():
    model = ProbabilityTreeClassifier(min_leaf=7, class_weight={0: 2}).fit([[1.0], [2.0]], [0, 1])
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "tree_")


def test_a_second_fit_forgets_the_first():
    model = ProbabilityTreeClassifier().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "y"])
    model.fit([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 2])
    assert (model.n_features_in_, model.classes_.tolist()) == (2, [0, 1, 2])
    assert not hasattr(model, "feature_names_in_")


def test_parameters_are_keywords_only():
    with pytest.raises(TypeError):
        ProbabilityTreeClassifier("gini")


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_fitted_tree_predicts_in_other_processes(donors):
    model = ProbabilityTreeClassifier().fit(donors.X, donors.y)
    parts = joblib.Parallel(2)(joblib.delayed(model.predict_proba)(donors.X[i::2]) for i in range(2))
    np.testing.assert_array_equal(parts[1], model.predict_proba(donors.X[1::2]))
