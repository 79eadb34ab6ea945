"""Counts into probabilities, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from calibrant.estimates import ESTIMATES, Estimate, Frequency, Laplace

TREE = SimpleNamespace(
    parent=np.array([-1, 0, 0]), weight=np.array([5.0, 5.0, 0.0]), counts=np.array([[4.0, 0, 1], [4, 0, 1], [0, 0, 0]])
)


def test_frequencies_are_shares():
    np.testing.assert_allclose(Frequency().table(TREE)[:2], [[0.8, 0, 0.2]] * 2)


def test_laplace_adds_a_row_of_each_class():
    np.testing.assert_allclose(Laplace().table(TREE), [[5 / 8, 1 / 8, 2 / 8], [5 / 8, 1 / 8, 2 / 8], [1 / 3] * 3])


@pytest.mark.parametrize("name", ESTIMATES)
def test_a_name_is_short_for_an_estimate(name):
    estimate = ESTIMATES[name]()
    assert isinstance(estimate, Estimate)
    assert np.isfinite(estimate.table(TREE)).all()
    assert estimate == ESTIMATES[name]()
