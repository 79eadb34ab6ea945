"""Consistency bands contain the curve of calibrated probabilities as often as they should, point by point."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.curves import reliability


def share_inside(random, method):
    p = random.random(500) ** 2
    y = (random.random(500) < p).astype(int)
    curve = reliability(y, p, method=method, bands="consistency", n_resamples=400, random_state=random)
    x, lower, upper = curve.band
    value = curve.observed[np.searchsorted(curve.low, x, side="right") - 1]
    return np.mean((lower <= value) & (value <= upper))


@pytest.mark.long
@pytest.mark.parametrize("method", ["equal_mass", "corp"])
def test_right_probabilities_are_inside_at_95_of_100_places(method):
    random = np.random.default_rng(11)
    assert 0.93 <= np.mean([share_inside(random, method) for _ in range(300)]) <= 0.98


def share_said_to_be_outside(method, n, n_samples, n_resamples=200):
    random = np.random.default_rng([n, len(method)])
    found = 0
    for _ in range(n_samples):
        p = random.random(n) ** 2
        y = (random.random(n) < p).astype(int)
        options = {"bands": "consistency", "n_bins": "auto", "n_resamples": n_resamples, "random_state": random}
        found += bool(reliability(y, p, method=method, **options).outside())
    return found / n_samples


@pytest.mark.long
@pytest.mark.parametrize("n", [60, 1500])
@pytest.mark.parametrize("method", ["fixed", "equal_mass"])
@pytest.mark.sample(3)
def test_calibrated_samples_are_outside_in_at_most_5_of_100_by_bins(method, n):
    """With pointwise bands 10 to 30 of 100 were; 150 samples have a standard error of 1.8 of 100."""
    assert share_said_to_be_outside(method, n, 150) <= 0.05 + 0.036


@pytest.mark.long
@pytest.mark.parametrize("n", [100, 500])
def test_calibrated_samples_are_outside_in_at_most_5_of_100_by_isotonic_regression(n):
    """With pointwise bands 68 and 88 of 100 were; 400 samples have a standard error of 1.1 of 100."""
    assert share_said_to_be_outside("corp", n, 400) <= 0.05 + 0.022


@pytest.mark.parametrize("method", ["fixed", "equal_mass", "corp"])
@pytest.mark.sample(2)
def test_overconfident_samples_are_found(method):
    random = np.random.default_rng(3)
    found = 0
    for _ in range(20):
        p = random.random(1500)
        y = (random.random(1500) < p).astype(int)
        overconfident = p**2 / (p**2 + (1 - p) ** 2)
        found += bool(reliability(y, overconfident, method=method, bands="consistency", n_resamples=100).outside())
    assert found == 20
