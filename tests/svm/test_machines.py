"""The margins against scikit-learn's, and what this classifier adds: tables, weights, classes, scaled scores."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import CalibrantWarning
from calibrant.svm import SVMClassifier, _machines

KERNELS = {
    "linear": ({"kernel": "linear"}, {"kernel": "linear"}),
    "quadratic": ({"kernel": "polynomial", "degree": 2}, {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}),
    "cubic": ({"kernel": "polynomial", "degree": 3}, {"kernel": "poly", "degree": 3, "gamma": 1, "coef0": 1}),
    "radial": ({"kernel": "radial", "gamma": 0.05}, {"kernel": "rbf", "gamma": 0.05}),
}


def rows(n: int = 200, n_classes: int = 2, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, 100]
    scores = X[:, 0] + X[:, 1] / 10 + rng.normal(size=n)
    return X, np.digitize(scores, np.quantile(scores, np.arange(1, n_classes) / n_classes))


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_margins_are_those_of_scikit_learn(name, C):
    ours, theirs = KERNELS[name]
    X, y = rows()
    new = rows(seed=1)[0]
    scaler = StandardScaler().fit(X)
    reference = SVC(C=C, tol=1e-6, **theirs).fit(scaler.transform(X), y)
    margins = SVMClassifier(C=C, **ours).fit(X, y).decision_function(new)
    # both stop within a tolerance of the optimum, ours at libsvm's default of 0.001
    np.testing.assert_allclose(margins, reference.decision_function(scaler.transform(new)), atol=2e-2)


@pytest.mark.parametrize("name", KERNELS)
def test_without_the_kernel_matrix_the_margins_are_the_same(name, monkeypatch):
    X, y = rows()
    model = SVMClassifier(**KERNELS[name][0]).fit(X, y)
    monkeypatch.setattr(_machines, "_MOST_OF_MATRIX", 10)
    np.testing.assert_allclose(
        SVMClassifier(**KERNELS[name][0]).fit(X, y).decision_function(X), model.decision_function(X), atol=5e-3
    )


def test_scores_are_margins_between_the_least_and_the_greatest_of_training_rows():
    X, y = rows()
    model = SVMClassifier().fit(X, y)
    margins = model.decision_function(X)
    expected = (margins - margins.min()) / np.ptp(margins)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-9)
    steep = SVMClassifier(kernel="linear").fit(X, y)
    far = np.array([[-50, -500, 0, 100], [50, 500, 0, 100]])
    np.testing.assert_array_equal(steep.predict_proba(far)[:, 1], [0.0, 1.0])
    np.testing.assert_array_equal(model.predict(X), model.classes_[(margins > 0).astype(int)])


def test_several_classes_have_a_machine_each_against_the_rest():
    X, y = rows(n_classes=3)
    model = SVMClassifier(kernel="linear").fit(X, y)
    margins = model.decision_function(X)
    for label in range(3):
        alone = SVMClassifier(kernel="linear").fit(X, y == label).decision_function(X)
        np.testing.assert_allclose(margins[:, label], alone, atol=5e-2)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), margins.argmax(axis=1))


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "radial"])
def test_a_weight_of_two_is_the_row_twice_and_order_does_not_matter_to_the_bit(kernel):
    X, y = rows()
    weight = np.arange(200) % 3
    weighted = SVMClassifier(kernel=kernel).fit(X, y, sample_weight=weight).decision_function(X)
    order = np.random.default_rng(0).permutation(weight.sum())
    repeated = SVMClassifier(kernel=kernel).fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order])
    np.testing.assert_array_equal(repeated.decision_function(X), weighted)


def test_a_machine_that_does_not_converge_warns_and_has_its_iterations():
    X, y = rows()
    with pytest.warns(CalibrantWarning, match="stopped after max_iter=5 iterations"):
        model = SVMClassifier(max_iter=5).fit(X, y)
    assert model.n_iter_.tolist() == [5]


def test_one_class_is_certain():
    model = SVMClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]
    assert model.predict([[3.0]]).tolist() == ["only"]


def test_nominal_columns_and_missing_values_are_terms_of_their_own():
    frame = pd.DataFrame({"colour": ["red", "blue", None, "red"] * 10, "size": [1.0, np.nan, 3.0, 4.0] * 10})
    y = np.array([0, 1, 0, 1] * 10)
    model = SVMClassifier(kernel="linear").fit(frame, y)
    assert model._design.n_terms == 4
    np.testing.assert_array_equal(model.predict(frame), y)
    unseen = pd.DataFrame({"colour": ["green"], "size": [np.inf]})
    assert np.isfinite(model.decision_function(unseen)).all()


def test_a_calibrated_classifier_takes_the_margins():
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        auto = CalibratedClassifier(SVMClassifier(), "platt", cv=3, random_state=0).fit(X, y)
    margins = CalibratedClassifier(SVMClassifier(), "platt", cv=3, method="decision_function", random_state=0).fit(X, y)
    np.testing.assert_array_equal(auto.predict_proba(X), margins.predict_proba(X))
