"""Boosted trees of other libraries, calibrated, and that the one base model can still be explained."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from calibrant.calibration import CalibratedClassifier

MADE = {
    "lightgbm": ("LGBMClassifier", {"n_estimators": 20, "verbose": -1, "n_jobs": 1}),
    "xgboost": ("XGBClassifier", {"n_estimators": 20, "n_jobs": 1}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 20, "verbose": 0, "thread_count": 1, "allow_writing_files": False},
    ),
}


def booster(library):
    name, params = MADE[library]
    return getattr(pytest.importorskip(library), name)(random_state=0, **params)


def rows(n_classes=2):
    return make_classification(600, 6, n_informative=4, n_classes=n_classes, flip_y=0.2, random_state=0)


@pytest.mark.parametrize("library", MADE)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.sample(2)
def test_boosted_trees_are_calibrated_in_folds(library, n_classes):
    X, y = rows(n_classes)
    model = CalibratedClassifier(booster(library), cv=3).fit(X[:400], y[:400])
    proba = model.predict_proba(X[400:])
    assert proba.shape == (200, n_classes)
    assert log_loss(y[400:], proba) < np.log(n_classes)
    assert set(model.predict(X[400:])) <= set(y)


@pytest.mark.parametrize("library", MADE)
def test_boosted_trees_that_are_fitted_stay_as_they_are(library):
    X, y = rows()
    fitted = booster(library).fit(X[:300], y[:300])
    before = fitted.predict_proba(X)
    model = CalibratedClassifier(fitted, "platt", cv="prefit").fit(X[300:], y[300:])
    np.testing.assert_array_equal(fitted.predict_proba(X), before)
    np.testing.assert_array_equal(model.held_out_.scores[:, 0], before[300:, 1])


@pytest.mark.parametrize("library", MADE)
def test_importances_are_those_of_a_model_of_all_rows(library):
    X, y = rows()
    model = CalibratedClassifier(booster(library), "platt", cv=3).fit(X, y)
    np.testing.assert_allclose(model.feature_importances_, booster(library).fit(X, y).feature_importances_)


def test_class_weights_of_a_booster_raise_a_warning():
    X, y = rows()
    rare = np.flatnonzero((y == 0) | (np.arange(600) % 6 == 0))
    with pytest.warns(UserWarning, match=r"scale_pos_weight=20\.0 changed the base rate"):
        CalibratedClassifier(booster("xgboost").set_params(scale_pos_weight=20.0), cv=3).fit(X[rare], y[rare])
