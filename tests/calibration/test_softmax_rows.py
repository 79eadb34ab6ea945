"""The softmax of two columns is scipy's to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from calibrant.calibration._fitting.logits import log_softmax_rows, softmax_rows, spread_of_rows


@pytest.mark.parametrize("n_columns", [2, 3])
def test_rows_have_scipys_softmax_to_the_bit(n_columns):
    random = np.random.default_rng(0)
    for scale in (0.1, 3.0, 300.0, 2000.0):
        logits = scale * random.normal(size=(1001, n_columns))
        np.testing.assert_array_equal(softmax_rows(logits), softmax(logits, axis=1))
        np.testing.assert_array_equal(log_softmax_rows(logits), log_softmax(logits, axis=1))
        np.testing.assert_array_equal(spread_of_rows(logits), np.ptp(logits, axis=1))


def test_infinite_logits_are_as_in_scipy():
    logits = np.array([[-np.inf, 3.0], [0.0, -np.inf], [0.0, 0.0]])
    np.testing.assert_array_equal(log_softmax_rows(logits), log_softmax(logits, axis=1))
