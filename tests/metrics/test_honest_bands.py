"""Honest calibration bands against brute force over all ranges, and against the package of their authors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import beta, binomtest

from calibrant.curves import reliability

COUNTS = arrays(np.float64, st.integers(1, 12), elements=st.integers(1, 60).map(float))


def honest_band(x, y, weight=None, **options):
    return reliability(y, x, bands="honest", sample_weight=weight, labels=[0, 1], **options).band


def upper_by_trying_all(positive, weight, alpha):
    n = len(weight)
    level, bound = alpha / (n * (n + 1)), np.ones(n)
    for first in range(n):
        for last in range(first + 1, n + 1):
            z, m = positive[first:last].sum(), weight[first:last].sum()
            bound[: first + 1] = np.minimum(bound[: first + 1], beta.isf(level, z + 1, m - z) if m > z else 1.0)
    return bound


@given(COUNTS, st.data())
def test_both_ends_are_the_best_of_all_ranges(weight, data):
    share = data.draw(arrays(np.float64, len(weight), elements=st.floats(0, 1)))
    x, positive = np.linspace(0.1, 0.9, len(weight)), np.round(share * weight)
    ones = np.repeat([1, 0], len(x))
    lower, upper = honest_band(np.tile(x, 2), ones, np.append(positive, weight - positive)).at(x)
    np.testing.assert_allclose(upper, upper_by_trying_all(positive, weight, 0.05), rtol=1e-9)
    swapped = upper_by_trying_all((weight - positive)[::-1], weight[::-1], 0.05)[::-1]
    np.testing.assert_allclose(1 - lower, swapped, rtol=1e-9)


@given(COUNTS, st.data(), st.integers(1, 3))
def test_a_row_of_weight_k_is_k_rows(weight, data, digits):
    x = data.draw(arrays(np.float64, len(weight), elements=st.floats(0, 1)))
    is_positive = data.draw(arrays(np.bool_, len(weight)))
    often = np.repeat(np.arange(len(weight)), weight.astype(int))
    once = honest_band(x, is_positive, weight, digits=digits)
    repeated = honest_band(x[often], is_positive[often], digits=digits)
    np.testing.assert_allclose(once, repeated)


@given(st.integers(1, 500), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95]))
def test_the_band_of_one_probability_is_the_exact_interval_of_clopper_and_pearson(n, share, confidence):
    found = round(share * n)
    lower, upper = honest_band(np.full(n, 0.3), np.arange(n) < found, confidence=confidence).at(0.3)
    exact = binomtest(found, n).proportion_ci(confidence, "exact")
    assert (float(lower), float(upper)) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_eight_times_the_rows_make_a_band_about_half_as_wide():
    """The width falls with the cube root of the number of rows, up to a logarithm."""
    random, where = np.random.default_rng(2), np.linspace(0.1, 0.9, 81)
    widths = []
    for n in (2_000, 16_000):
        x = random.random(n)
        lower, upper = honest_band(x, random.random(n) < x, digits=2).at(where)
        widths.append(np.mean(upper - lower))
    assert widths[1] < 0.25
    assert 1.6 < widths[0] / widths[1] < 2.6


def test_the_bound_of_a_rounded_group_holds_at_its_least_probability():
    random = np.random.default_rng(0)
    x = random.random(400)
    y = random.random(400) < x
    band = honest_band(x, y, digits=1)
    order, cell = np.argsort(x), np.floor(np.sort(x) * 10).astype(int)
    upper = upper_by_trying_all(np.bincount(cell, y[order]), np.bincount(cell) * 1.0, 0.05)
    np.testing.assert_allclose(band.at(x)[1], np.append(upper, 1.0)[np.searchsorted(first_of(cell, x), x)], rtol=1e-9)


def first_of(cell, x):
    return np.sort(x)[np.unique(cell, return_index=True)[1]]


@pytest.mark.parametrize("shrunk", [1.0, 0.03])
def test_many_distinct_probabilities_are_rounded_automatically(shrunk):
    x = np.linspace(0.0, shrunk, 5000)
    band = honest_band(x, np.zeros(5000))
    assert 200 < len(band.x) <= 2004


def test_bands_are_monotone_and_reach_from_0_to_1():
    random = np.random.default_rng(1)
    x = random.random(300) * 0.5 + 0.2
    band = honest_band(x, random.random(300) < 0.5)
    assert min(np.diff(band.lower).min(), np.diff(band.upper).min()) >= 0
    assert (band.x[0], band.x[-1], band.lower[0], band.upper[-1]) == (0.0, 1.0, 0.0, 1.0)


def test_the_ends_cross_where_higher_probabilities_have_lower_frequencies():
    x, y = np.repeat([0.2, 0.8], 200), np.repeat([1, 0], 200)
    lower, upper = honest_band(x, y).at([0.5])
    assert lower[0] > upper[0]


def random_numbers_of_r(seed):
    """R's default uniform numbers after ``set.seed``."""
    state = []
    for _ in range(675):
        seed = (69069 * seed + 1) % 2**32
        state.append(seed)
    twister = np.random.MT19937()
    twister.state = {"bit_generator": "MT19937", "state": {"key": np.array(state[51:], np.uint32), "pos": 624}}
    return lambda n: twister.random_raw(n) * 2.3283064365386963e-10


def test_calibrationband_finds_the_same_areas_of_miscalibration():
    """The example and the printed areas of the R package calibrationband 0.2.1 (its README, ``set.seed(123)``)."""
    uniform = random_numbers_of_r(123)
    x = uniform(10_000)
    curve = 1 / (1 + (1 / x * (1 - x)) ** 1.8)
    rarer = uniform(10_000) >= 1 - np.minimum(curve, 1 - curve)  # as R draws a binomial of size 1
    y = np.where(curve > 0.5, ~rarer, rarer)
    grid = np.linspace(0, 1, 10_000)
    lower, upper = honest_band(x, y, digits=3).at(grid)
    edges = np.flatnonzero(np.diff(np.r_[0, (upper < grid) | (lower > grid), 0])).reshape(-1, 2)
    areas = sorted(((grid[first], grid[end - 1]) for first, end in edges), key=lambda area: area[0] - area[1])
    assert [f"{low:.3g} to {high:.3g}" for low, high in areas[:3]] == [
        "0.0396 to 0.299",
        "0.693 to 0.951",
        "0.0389 to 0.0393",
    ]
    assert len(areas) == 5
