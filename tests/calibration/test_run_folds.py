"""Folds fitted at once: which estimators start processes, and that the number of jobs changes nothing."""

import threading
import time
import warnings

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import LokyBackend
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.calibration._classifier.run_folds import fits_in_threads, run_folds
from calibrant.decisions import CostSensitiveClassifier
from calibrant.ensembles import BPETsClassifier
from calibrant.trees import ProbabilityTreeClassifier


class _StartedError(Exception):
    """Raised in place of starting processes, which takes seconds."""


@pytest.fixture(autouse=True)
def _no_process(monkeypatch):
    configure = LokyBackend.configure

    def checked(self, n_jobs=1, *args, **kwargs):
        if n_jobs > 1:
            raise _StartedError
        return configure(self, n_jobs, *args, **kwargs)

    monkeypatch.setattr(LokyBackend, "configure", checked)


def rows(n=200):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    return X, random.random(n) < 1 / (1 + np.exp(-X[:, 0]))


@pytest.mark.parametrize(
    "estimator",
    [
        ProbabilityTreeClassifier(),
        BPETsClassifier(n_trees=10, random_state=0),
        NaiveBayesClassifier(),
        make_pipeline(StandardScaler(), ProbabilityTreeClassifier()),
        LogisticRegression(),
    ],
    ids=["tree", "forest", "naive Bayes", "pipeline", "scikit-learn"],
)
def test_two_hundred_rows_start_no_process(estimator):
    X, y = rows()
    at_once = CalibratedClassifier(estimator, n_jobs=2).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(at_once, CalibratedClassifier(estimator).fit(X, y).predict_proba(X))


def test_our_learners_are_fitted_in_threads_whatever_the_number_of_rows():
    X, y = rows(6000)
    at_once = CalibratedClassifier(ProbabilityTreeClassifier(), n_jobs=2).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(at_once, CalibratedClassifier(ProbabilityTreeClassifier()).fit(X, y).predict_proba(X))


class _Slow(ClassifierMixin, BaseEstimator):
    """A stranger's estimator of which a fold takes longer than its share of starting processes."""


def _wait_and_name_thread(seconds):
    time.sleep(seconds)
    return threading.get_ident()


def test_slow_folds_of_other_estimators_go_to_processes():
    with pytest.raises(_StartedError):
        run_folds(_wait_and_name_thread, [(1.1,), (0.0,), (0.0,)], estimator=_Slow(), n_rows=100, n_jobs=2)


def test_many_rows_of_other_estimators_go_to_processes_at_once():
    with pytest.raises(_StartedError):
        run_folds(_wait_and_name_thread, [(0.0,)] * 3, estimator=_Slow(), n_rows=100_000, n_jobs=2)


def test_a_backend_that_was_chosen_is_used():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = run_folds(_wait_and_name_thread, [(0.05,)] * 4, estimator=_Slow(), n_rows=10, n_jobs=None)
    assert threading.get_ident() not in found


def test_somebody_elses_estimator_inside_one_of_ours_is_not_ours():
    costs = [[0, 1], [5, 0]]
    assert fits_in_threads(CostSensitiveClassifier(ProbabilityTreeClassifier(), costs))
    assert not fits_in_threads(CostSensitiveClassifier(LogisticRegression(), costs))


def test_threads_leave_the_filters_of_warnings_as_they_were():
    X, y = rows()
    before = list(warnings.filters)
    CalibratedClassifier(ProbabilityTreeClassifier(), n_jobs=4).fit(X, y)
    assert warnings.filters == before
