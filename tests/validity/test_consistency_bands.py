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
