"""Groups reach the `fit` of methods that take them."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.ensembles import BaggedTreesClassifier, EBPETsClassifier
from calibrant.resampling import Bootstrap632, CrossValidation, estimate_performance

RANDOM = np.random.default_rng(0)
GROUPS = np.repeat([f"g{i:02}" for i in range(20)], 5)
X = RANDOM.normal(size=(20, 2)).repeat(5, axis=0) + 0.1 * RANDOM.normal(size=(100, 2))
Y = RANDOM.integers(0, 2, 20).repeat(5) ^ (RANDOM.random(100) < 0.2)
SEEN = []


class Recorder(GaussianNB):
    """Naive Bayes that keeps the groups it was fitted with."""

    def fit(self, X, y, sample_weight=None, groups=None):
        SEEN.append((X, groups))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("plan", [CrossValidation(4, random_state=0), Bootstrap632(3, random_state=0)], ids=str)
def test_a_method_that_takes_groups_gets_those_of_its_training_rows(plan):
    SEEN.clear()
    estimate_performance(Recorder(), X, Y, plan, ["mse"], groups=GROUPS)
    assert SEEN
    for rows, groups in SEEN:
        position = {value: row for row, value in enumerate(X[:, 0])}
        assert list(groups) == [GROUPS[position[value]] for value in rows[:, 0]]


def test_forests_of_a_family_are_fitted_with_groups():
    methods = {
        "bagged": BaggedTreesClassifier(n_trees=3, bootstrap="by_group", random_state=0),
        "eb_pets": EBPETsClassifier(n_trees=3, bootstrap="by_group", random_state=0),
    }
    found = estimate_performance(methods, X, Y, CrossValidation(4, random_state=0), ["mse"], groups=GROUPS)
    assert all(np.isfinite(found.mean("mse", name)) for name in methods)
