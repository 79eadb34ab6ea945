"""A calibrated classifier warns of too few rows, of a base rate changed upstream, of equal scores."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import BaseRateWarning, CalibrantWarning, LittleDataWarning


def rare(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    return rng.normal(size=(n, 2)) + y[:, None], y


@pytest.mark.parametrize("calibrator", ["auto", "platt"])
def test_class_weights_upstream_raise_a_warning_with_both_base_rates(calibrator):
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    with pytest.warns(BaseRateWarning, match=r"class_weight='balanced' changed the base rate"):
        found = CalibratedClassifier(model, calibrator).fit(*rare())
    assert found.predict_proba(rare(seed=1)[0])[:, 1].mean() == pytest.approx(0.1, abs=0.03)


def test_a_prefit_model_of_other_base_rates_raises_a_warning():
    X, y = rare()
    even = np.r_[np.flatnonzero(y), np.flatnonzero(~y)[: y.sum()]]
    fitted = GaussianNB().fit(X[even], y[even])
    with pytest.warns(BaseRateWarning, match="the rows that the model was fitted to changed the base rate"):
        CalibratedClassifier(fitted, cv="prefit").fit(*rare(seed=1))


def test_neutral_class_weights_and_calibrated_models_raise_no_warning():
    X, y = rare()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CalibratedClassifier(LogisticRegression(class_weight={False: 1.0, True: 1.0})).fit(X, y)
        CalibratedClassifier(GaussianNB()).fit(X, y)
        CalibratedClassifier(LogisticRegression().fit(X, y), cv="prefit").fit(*rare(seed=1))


class Undersampler(BaseEstimator):
    """Resamples as imbalanced-learn's samplers do."""

    def fit_resample(self, X, y):
        rows = np.r_[np.flatnonzero(y), np.flatnonzero(~y)[: y.sum()]]
        return X[rows], y[rows]


class Steps(ClassifierMixin, BaseEstimator):
    """Fits a classifier to even classes, of rows that a sampler returns or that are weighted."""

    def __init__(self, sampler=None, model=None, scale_pos_weight=1.0):
        self.sampler = sampler
        self.model = model
        self.scale_pos_weight = scale_pos_weight

    def fit(self, X, y):
        even = Undersampler().fit_resample(X, y)
        self.model_ = clone(GaussianNB() if self.model is None else self.model).fit(*even)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


@pytest.mark.parametrize(
    ("estimator", "cause"),
    [
        (Steps(Undersampler()), "the resampler Undersampler"),
        (Steps(model=Steps(scale_pos_weight=9)), "model__scale_pos_weight=9"),
        (Steps(Undersampler(), LogisticRegression(class_weight="balanced")), "model__class_weight='balanced' and the "),
    ],
)
def test_resamplers_and_weights_of_boosters_are_found_wherever_they_stand(estimator, cause):
    with pytest.warns(BaseRateWarning, match=f": {cause}.* ?changed the base rate"):
        CalibratedClassifier(estimator, "platt").fit(*rare())


def test_a_changed_base_rate_without_a_known_cause_raises_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CalibratedClassifier(Steps(), "platt").fit(*rare())


def test_too_few_rows_raise_a_warning_for_any_map():
    X, y = rare(60)
    y = np.arange(60) < 8
    with pytest.warns(LittleDataWarning, match="8 of them of the class"):
        CalibratedClassifier(GaussianNB(), "platt").fit(X, y)
    with pytest.warns(LittleDataWarning, match="8 of them of the class"):
        CalibratedClassifier(GaussianNB()).fit(X, y)


def test_a_model_with_equal_scores_raises_a_warning():
    X, y = rare()
    with pytest.warns(CalibrantWarning, match="all scores are equal"):
        found = CalibratedClassifier(DummyClassifier(strategy="uniform", random_state=0)).fit(X, y)
    assert found.predict_proba(X)[:, 1] == pytest.approx(np.full(1000, y.mean()), abs=0.01)
