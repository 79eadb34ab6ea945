"""scikit-learn's contract: its own checks with nothing excused, and copies."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import load
from calibrant.neural import NeuralNetClassifier


@parametrize_with_checks(
    [
        NeuralNetClassifier(random_state=0),
        NeuralNetClassifier(n_hidden=3, n_epochs=60, momentum=0.5, batch_size=5, learning_rate=0.1, random_state=0),
    ]
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_every_kind_of_copy_predicts_to_the_bit():
    donors = load("appeal")
    model = NeuralNetClassifier(n_epochs=3, random_state=0).fit(donors.X, donors.y)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):  # noqa: S301
        np.testing.assert_array_equal(again.predict_proba(donors.X), model.predict_proba(donors.X))
