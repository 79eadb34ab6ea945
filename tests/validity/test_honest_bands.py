"""Honest calibration bands cover the whole curve with at least their confidence."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.curves import reliability

CURVES = {
    "the bisector": lambda x: x,
    "too timid": lambda x: x**2 / (x**2 + (1 - x) ** 2),
    "a step": lambda x: np.where(x < 0.4, 0.1, 0.6),
    "rare": lambda x: 0.02 * x,
}


def covers(curve, random, n_rows, digits, confidence=0.95):
    x = random.random(n_rows)
    y = random.random(n_rows) < curve(x)
    band = reliability(y, x, bands="honest", labels=[False, True], digits=digits, confidence=confidence).band
    inside = band.x[1:-1]
    lower, upper = band.at(inside)
    return bool(((lower <= curve(inside)) & (curve(inside) <= upper)).all())


@pytest.mark.long
@pytest.mark.parametrize("digits", [None, 2, 1])
@pytest.mark.parametrize("curve", CURVES)
def test_the_band_covers_the_whole_curve_in_95_of_100_draws(curve, digits):
    random = np.random.default_rng(7)
    assert np.mean([covers(CURVES[curve], random, 200, digits) for _ in range(1000)]) >= 0.95


@pytest.mark.parametrize("n_draws", [20, pytest.param(100, marks=pytest.mark.long)])
def test_the_band_of_confidence_one_half_covers_more_than_half_of_the_draws(n_draws):
    random = np.random.default_rng(7)
    found = [covers(CURVES["too timid"], random, 150, 1, confidence=0.5) for _ in range(n_draws)]
    assert np.mean(found) >= 0.5
