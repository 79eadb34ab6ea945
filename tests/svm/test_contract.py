"""scikit-learn's contract: its own checks with nothing excused, and copies."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import load
from calibrant.svm import SVMClassifier


@parametrize_with_checks(
    [
        SVMClassifier(),
        SVMClassifier(kernel="linear", C=0.5),
        SVMClassifier(kernel="polynomial", degree=3, max_iter=None),
    ]
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_every_kind_of_copy_predicts_to_the_bit():
    donors = load("appeal")
    model = SVMClassifier().fit(donors.X, donors.y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):  # noqa: S301
        np.testing.assert_array_equal(again.predict_proba(donors.X), model.predict_proba(donors.X))
