"""Weights that cannot be frequencies get a warning that says what to do."""

import numpy as np
import pytest

from calibrant.data._internal import can_be_frequencies, warn_of_weights
from calibrant.exceptions import CalibrantWarning
from calibrant.trees import ProbabilityTreeClassifier

X, Y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (np.ones(5), True),
        (np.array([0.5, 0.2, 3.0]), True),
        (np.full(40, 1 / 40), False),
        (np.full(2000, 0.01), False),
        (np.array([0.3, 0.7]), False),
        (np.array([1.0]), True),
    ],
)
def test_weights_far_below_one_or_of_sum_one_cannot_be_frequencies(weights, expected):
    assert can_be_frequencies(weights) is expected


def test_rows_of_weight_zero_do_not_count():
    assert can_be_frequencies(np.r_[np.zeros(100), np.ones(2)])


def test_the_warning_says_what_to_do():
    with pytest.warns(CalibrantWarning, match=r'40 rows sums to 1, .* Divide the weights by .* weight_kind="probab'):
        warn_of_weights(np.full(40, 1 / 40))


def test_a_tree_warns_unless_weights_are_probabilities():
    with pytest.warns(CalibrantWarning, match="sums to 1"):
        ProbabilityTreeClassifier().fit(X, Y, np.full(40, 1 / 40))
    ProbabilityTreeClassifier(weight_kind="probability", min_leaf=0.01).fit(X, Y, np.full(40, 1 / 40))
