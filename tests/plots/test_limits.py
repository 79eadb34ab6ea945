"""Ranges of axes: what is rare is not cut off."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.plots import ReliabilityDisplay, ScoreHistogramDisplay


@pytest.fixture
def rare() -> tuple[np.ndarray, np.ndarray]:
    """Three in 1,000 rows are positive, and half of them have a probability of 0.9."""
    rng = np.random.default_rng(0)
    proba = np.concatenate([rng.uniform(0, 0.01, 10_000), np.full(16, 0.9)])
    return np.concatenate([np.arange(10_000) < 15, np.ones(16, dtype=bool)]).astype(int), proba


def test_the_histogram_of_a_rare_class_holds_the_class(rare):
    assert ScoreHistogramDisplay.from_predictions(*rare).curves["model"].high[-1] >= 0.9


def test_the_reliability_of_a_rare_class_holds_the_class(rare):
    assert ReliabilityDisplay.from_predictions(*rare, method="corp", bands=None).ax_.get_xlim()[1] >= 0.9


def test_a_stray_row_does_not_set_the_scale():
    rng = np.random.default_rng(1)
    proba = np.append(rng.uniform(0, 0.1, 4_000), 0.95)
    y = np.append(rng.random(4_000) < proba[:-1], True).astype(int)
    assert ReliabilityDisplay.from_predictions(y, proba, method="corp", bands=None).ax_.get_xlim()[1] < 0.9
