"""scikit-learn's contract: its own checks with nothing excused, and the company that estimators keep."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.data import load

NUMERIC = ["mdl", "gaussian", "kernel", "equal_width"]


@parametrize_with_checks(
    [
        *(NaiveBayesClassifier(numeric=numeric) for numeric in NUMERIC),
        NaiveBayesClassifier(numeric="gaussian", dialect="weka"),
        NaiveBayesClassifier(numeric="kernel", dialect="weka"),
        NaiveBayesClassifier(counts="m", m=5),
        *(ConstantClassifier(strategy=strategy) for strategy in ("base_rate", "zero", "one")),
    ]
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.mark.parametrize("numeric", NUMERIC)
def test_a_pickled_model_predicts_as_before(donors, numeric):
    model = NaiveBayesClassifier(numeric=numeric).fit(donors.X, donors.y)
    restored = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(restored.predict_proba(donors.X), model.predict_proba(donors.X))


def test_a_grid_search_chooses_how_to_treat_numbers(donors):
    search = GridSearchCV(NaiveBayesClassifier(), {"numeric": NUMERIC}, scoring="neg_log_loss", cv=3)
    assert search.fit(donors.X, donors.y).best_params_["numeric"] in NUMERIC


def test_weights_are_routed(donors):
    weights = np.arange(len(donors.y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = NaiveBayesClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        scores = cross_validate(model, donors.X, donors.y, params={"sample_weight": weights}, cv=3, error_score="raise")
    assert len(scores["test_score"]) == 3


def test_scikit_learns_calibration_takes_it(donors):
    numbers = donors.X.select_dtypes("number").fillna(0)
    model = CalibratedClassifierCV(clone(NaiveBayesClassifier()), cv=3).fit(numbers, donors.y)
    assert model.predict_proba(numbers).shape == (len(donors.y), 2)
