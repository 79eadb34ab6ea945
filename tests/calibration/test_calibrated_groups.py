"""Groups and kinds of weights in `CalibratedClassifier`."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BPETsClassifier
from calibrant.exceptions import BaseRateWarning, CalibrantWarning, DataError, LittleDataWarning, ParameterError


def clustered(seed=0, n_groups=30, size=8):
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    X = random.normal(size=(n_groups, 3))[groups] + 0.2 * random.normal(size=(n_groups * size, 3))
    y = (random.random(len(groups)) < expit(X[:, 0] + 2 * random.normal(size=n_groups)[groups])).astype(int)
    return X, y, groups


class Recorder(GaussianNB):
    """Naive Bayes that keeps its rows."""

    def fit(self, X, y, sample_weight=None):
        self.X_fitted_ = X
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("cv", [5, GroupKFold(4)], ids=str)
def test_no_model_scores_rows_of_a_group_that_it_was_fitted_to(cv):
    X, y, groups = clustered()
    model = CalibratedClassifier(Recorder(), "platt", cv=cv, ensemble=True).fit(X, y, groups=groups)
    for fitted in model.estimators_:
        inside = np.isin(X[:, 0], fitted.X_fitted_[:, 0])
        assert not set(groups[inside]) & set(groups[~inside])
    assert len(model.estimators_) == (5 if cv == 5 else 4)


def test_groups_are_whole_in_the_guard_and_reach_held_out():
    X, y, groups = clustered()
    model = CalibratedClassifier(GaussianNB()).fit(X, y, groups=groups)
    np.testing.assert_array_equal(model.held_out_.groups, groups)
    plain = CalibratedClassifier(GaussianNB()).fit(X, y)
    assert plain.held_out_.groups is None
    errors = [each.choice_.candidates[1].standard_error for each in (plain, model)]
    assert errors[1] > 1.3 * errors[0]


def test_groups_reach_a_forest_and_its_out_of_bag_scores():
    X, y, groups = clustered()
    model = CalibratedClassifier(BPETsClassifier(n_trees=20, random_state=0), cv="oob").fit(X, y, groups=groups)
    forest = BPETsClassifier(n_trees=20, random_state=0).fit(X, y, groups=groups)
    np.testing.assert_array_equal(model.held_out_.scores[:, 0], forest.oob_proba_[:, 1])
    folds = CalibratedClassifier(BPETsClassifier(n_trees=3, random_state=0), ensemble=True).fit(X, y, groups=groups)
    never_out = np.isnan(folds.estimators_[0].oob_proba_[:, 0]).reshape(-1, 8)  # the rows of a group by line
    assert (never_out == never_out[:, :1]).all()
    assert never_out.any()


def test_out_of_bag_scores_of_groups_need_bags_of_groups():
    X, y, groups = clustered()
    with pytest.raises(ParameterError, match=r"cv='oob' with groups needs bags of whole groups; RandomForest"):
        CalibratedClassifier(RandomForestClassifier(5), cv="oob").fit(X, y, groups=groups)


def test_groups_follow_metadata_routing():
    X, y, groups = clustered()
    with sklearn.config_context(enable_metadata_routing=True):
        model = CalibratedClassifier(GaussianNB(), cv=GroupKFold(3)).fit(X, y, groups=groups)
        np.testing.assert_array_equal(model.held_out_.groups, groups)


def test_rows_of_weight_zero_and_their_groups_are_absent():
    X, y, groups = clustered()
    weight = np.where(groups < 3, 0.0, 1.0)
    model = CalibratedClassifier(GaussianNB(), "platt").fit(X, y, weight, groups=groups)
    other = CalibratedClassifier(GaussianNB(), "platt").fit(X[24:], y[24:], groups=groups[24:])
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X))


def test_too_few_groups_of_a_class_are_named():
    X, _, groups = clustered()
    with pytest.raises(DataError, match=r"the class 1 has 1 group only"):
        CalibratedClassifier(GaussianNB()).fit(X, (groups == 0).astype(int), groups=groups)
    with pytest.warns(CalibrantWarning, match=r"the class 1 has 3 groups, fewer than cv=5"):
        CalibratedClassifier(GaussianNB(), "platt").fit(X, np.where(groups < 3, 1, 0), groups=groups)


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("calibrator", ["auto", "platt"])
def test_weight_three_is_the_row_three_times(calibrator, ensemble):
    X, y, _ = clustered(1)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    model = CalibratedClassifier(LogisticRegression(tol=1e-10), calibrator, ensemble=ensemble)
    weighted = model.fit(X, y, times).predict_proba(X)
    assert model.held_out_.weight.sum() == times.sum()
    np.testing.assert_array_equal(np.bincount(model.held_out_.rows, model.held_out_.weight), times)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # of copies
        copied = model.fit(X[rows], y[rows]).predict_proba(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-4)


def test_probability_weights_keep_rows_whole_and_have_no_scale():
    X, y, _ = clustered(2)
    weight = np.random.default_rng(0).uniform(1, 6, len(y))
    model = CalibratedClassifier(GaussianNB(), weight_kind="probability")
    one = model.fit(X, y, weight).predict_proba(X)
    assert len(model.held_out_.rows) == len(y)
    np.testing.assert_allclose(model.fit(X, y, weight / weight.sum()).predict_proba(X), one, rtol=1e-5)


def test_weights_that_are_no_frequencies_get_a_warning():
    X, y, _ = clustered(2)
    with pytest.warns(CalibrantWarning, match="sums to 1"), pytest.warns(LittleDataWarning):
        CalibratedClassifier(GaussianNB(), "platt").fit(X, y, np.full(len(y), 1 / len(y)))


class Given(ClassifierMixin, BaseEstimator):
    """Returns its column as probabilities of the class 1."""

    def fit(self, _, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.hstack([1 - X, X])


@pytest.mark.parametrize("weight", [None, np.full(80, 7.0)])
@pytest.mark.parametrize(("z", "is_found"), [(3.95, False), (4.05, True)])
def test_a_shifted_base_rate_is_evidence_from_four_standard_errors_of_group_means_on(z, is_found, weight):
    """Twenty groups of four rows with one score: the mean of y less the score is 0.15 + away or 0.15 - away in each."""
    away = 0.15 * np.sqrt(19) / z
    scores = np.repeat(0.5 - 0.15 + np.tile([away, -away], 10), 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = CalibratedClassifier(Given().fit(None, [0, 1]), "platt", cv="prefit")
        model.fit(scores[:, None], np.tile([0, 1], 40), weight, groups=np.repeat(np.arange(20), 4))
    assert any(issubclass(each.category, BaseRateWarning) for each in caught) == is_found
