"""Folds fitted at once: which estimators start processes, and that the number of jobs changes nothing."""

import contextlib
import itertools
import threading
import time
import warnings
from typing import ClassVar

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import LokyBackend
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
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


class _Recorder(GaussianNB):
    """Somebody else's estimator that keeps the thread of each fit."""

    threads: ClassVar = []

    def fit(self, X, y):
        self.threads.append(threading.get_ident())
        return super().fit(X, y)


@pytest.mark.parametrize(("seconds", "starts"), [(0.9, False), (1.1, True)])
def test_other_estimators_go_to_processes_where_the_other_two_folds_take_two_seconds(seconds, starts, monkeypatch):
    monkeypatch.setattr(time, "perf_counter", itertools.count(0.0, seconds).__next__)
    with pytest.raises(_StartedError) if starts else contextlib.nullcontext():
        CalibratedClassifier(_Recorder(), "platt", cv=3, n_jobs=2).fit(*rows())


def test_many_rows_of_other_estimators_go_to_processes_at_once():
    with pytest.raises(_StartedError):
        CalibratedClassifier(_Recorder(), "platt", n_jobs=2).fit(*rows(6000))


def test_a_backend_that_was_chosen_is_used():
    _Recorder.threads.clear()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        CalibratedClassifier(_Recorder(), "platt", ensemble=True).fit(*rows())
    assert len(_Recorder.threads) == 5
    assert threading.get_ident() not in _Recorder.threads


def test_somebody_elses_estimator_inside_one_of_ours_is_not_ours():
    costs = [[0, 1], [5, 0]]
    CalibratedClassifier(CostSensitiveClassifier(ProbabilityTreeClassifier(), costs), "platt", n_jobs=2).fit(
        *rows(6000)
    )
    with pytest.raises(_StartedError):
        CalibratedClassifier(CostSensitiveClassifier(LogisticRegression(), costs), "platt", n_jobs=2).fit(*rows(6000))


def test_threads_leave_the_filters_of_warnings_as_they_were():
    X, y = rows()
    before = list(warnings.filters)
    CalibratedClassifier(ProbabilityTreeClassifier(), n_jobs=4).fit(X, y)
    assert warnings.filters == before
