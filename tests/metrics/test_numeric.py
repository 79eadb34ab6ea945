"""Errors of predicted numbers: against scikit-learn, and the statements of Witten, Frank & Hall (2011, 5.8)."""

import math

import numpy as np
import pytest
import sklearn.metrics

from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics import numeric

RANDOM = np.random.default_rng(0)
ACTUAL, PREDICTED, WEIGHT = RANDOM.normal(5, 2, 50), RANDOM.normal(5, 2, 50), RANDOM.integers(1, 4, 50)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (numeric.mean_squared_error, sklearn.metrics.mean_squared_error),
        (numeric.root_mean_squared_error, sklearn.metrics.root_mean_squared_error),
        (numeric.mean_absolute_error, sklearn.metrics.mean_absolute_error),
        (numeric.mean_absolute_percentage_error, sklearn.metrics.mean_absolute_percentage_error),
    ],
)
def test_errors_are_scikit_learns(ours, theirs):
    expected = theirs(ACTUAL, PREDICTED, sample_weight=WEIGHT)
    assert ours(ACTUAL, PREDICTED, sample_weight=WEIGHT) == pytest.approx(expected, rel=1e-12)


def test_relative_errors_are_to_the_training_mean():
    mean = 4.0
    errors, of_mean = PREDICTED - ACTUAL, mean - ACTUAL
    squared = numeric.relative_squared_error(ACTUAL, PREDICTED, training_mean=mean)
    assert squared == pytest.approx((errors**2).sum() / (of_mean**2).sum(), rel=1e-12)
    assert numeric.relative_root_mean_squared_error(ACTUAL, PREDICTED, training_mean=mean) == pytest.approx(
        squared**0.5
    )
    absolute = numeric.relative_mean_absolute_error(ACTUAL, PREDICTED, training_mean=mean)
    assert absolute == pytest.approx(np.abs(errors).sum() / np.abs(of_mean).sum(), rel=1e-12)


def test_a_ten_percent_error_is_the_same_whatever_the_size():
    """5.8: 50 where 500 is predicted, or 0.2 where 2 is."""
    assert numeric.mean_absolute_percentage_error([500, 2], [450, 2.2]) == pytest.approx(0.1)
    assert numeric.mean_squared_percentage_error([500, 2], [450, 2.2]) == pytest.approx(0.01)


def test_correlation_does_not_depend_on_scale():
    expected = np.corrcoef(ACTUAL, PREDICTED)[0, 1]
    assert numeric.correlation(ACTUAL, 3 * PREDICTED) == pytest.approx(expected, rel=1e-12)
    again = np.repeat(np.arange(50), WEIGHT)
    weighted = numeric.correlation(ACTUAL, PREDICTED, sample_weight=WEIGHT)
    assert weighted == pytest.approx(np.corrcoef(ACTUAL[again], PREDICTED[again])[0, 1], rel=1e-12)


def test_undefined_relative_errors_are_infinite_or_nan():
    assert numeric.mean_absolute_percentage_error([0, 1], [1, 1]) == math.inf
    assert numeric.mean_absolute_percentage_error([0, 2], [0, 1]) == 0.25
    assert numeric.relative_squared_error([2, 2], [1, 2], training_mean=2) == math.inf
    assert math.isnan(numeric.relative_squared_error([2, 2], [2, 2], training_mean=2))
    assert math.isnan(numeric.correlation([1, 2], [3, 3]))


def test_wrong_numbers_raise_errors_that_name_them():
    with pytest.raises(DataError, match="y_true has 2 rows, y_pred 3"):
        numeric.mean_squared_error([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match=r"y_pred has 1 NaN or infinite value\(s\) \(first at row 1\)"):
        numeric.mean_squared_error([1, 2], [1, np.nan])
    with pytest.raises(DataTypeError, match="y_true must hold numbers"):
        numeric.mean_squared_error(["a"], [1])
    assert numeric.mean_squared_error([1, 2], [2, np.nan], sample_weight=[1, 0]) == 1
