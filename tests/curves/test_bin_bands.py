"""Bands of bins: against the distribution of a sum of Bernoulli variables, convolved one by one, and their size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from calibrant.curves import reliability


def bands_of(p, n_rows=None, *, n_bins=1, confidence=0.95):
    """Return the pointwise and the simultaneous band, which do not depend on the classes of the rows."""
    y = np.arange(len(p)) % 2
    options = {"labels": [0, 1], "n_bins": n_bins, "bands": "consistency", "confidence": confidence}
    curve = reliability(y, p, sample_weight=n_rows, **options)
    return [(band.lower, band.upper) for band in (curve.band, curve.simultaneous)]


def convolved(p, confidence):
    """Return the quantiles of the number of positives among independent rows, from the exact distribution."""
    mass = np.array([1.0])
    for each in p:
        mass = np.convolve(mass, [1 - each, each])
    return np.searchsorted(np.cumsum(mass), [(1 - confidence) / 2, (1 + confidence) / 2]) / len(p)


@pytest.mark.parametrize(("n", "top"), [(1, 1.0), (5, 1.0), (60, 1.0), (400, 0.1), (900, 0.002), (3000, 1.0)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_pointwise_band_is_that_of_the_exact_distribution(n, top, confidence):
    """Also of 3,000 rows, which are merged with their neighbours first."""
    p = np.random.default_rng(n).random(n) * top
    (lower, upper), _ = bands_of(p, confidence=confidence)
    np.testing.assert_allclose([lower[0], upper[0]], convolved(p, confidence), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [30, 3000, 300_000])
def test_one_probability_is_binomial(n):
    (lower, upper), _ = bands_of([0.3], [n])
    np.testing.assert_allclose([lower[0], upper[0]], binom(n, 0.3).ppf([0.025, 0.975]) / n, atol=1e-12)


def test_the_simultaneous_band_of_bins_is_sidaks():
    p = np.array([0.2, 0.4, 0.7])
    _, (lower, upper) = bands_of(p, [50, 50, 50], n_bins=5)
    tail = (1 - 0.95 ** (1 / 3)) / 2
    np.testing.assert_allclose(lower, binom(50, p).ppf(tail) / 50)
    np.testing.assert_allclose(upper, binom(50, p).ppf(1 - tail) / 50)


def test_certain_probabilities_have_no_spread():
    for lower, upper in bands_of([0.0, 1.0], [9, 9], n_bins=2):
        assert (lower.tolist(), upper.tolist()) == ([0, 1], [0, 1])


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")  # of fractional frequencies
@pytest.mark.parametrize("p", [0.3, 0.7])
def test_weights_below_1_spread_as_much_as_their_rows(p):
    """Four hundred rows of weight 1/2 spread as 400 rows do, not as 200."""
    near = p + np.arange(400) * 1e-9  # so that they are not one row of weight 200
    half, whole = (bands_of(near, np.full(400, weight))[0] for weight in (0.5, 1.0))
    np.testing.assert_allclose(half, whole, atol=0.003)


def test_merged_neighbours_hardly_move_the_band():
    p = np.random.default_rng(0).random(2500) ** 3 / 10
    (lower, upper), _ = bands_of(p)
    np.testing.assert_allclose([lower[0], upper[0]], convolved(p, 0.95), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("n_positive", "n_bins"), [(1, 1), (18, 4), (60, 7), (4000, 10)])
def test_the_number_of_bins_follows_from_the_rarer_class(n_positive, n_bins):
    y, p = np.repeat([1, 0], [n_positive, 9000]), np.random.default_rng(0).random(9000 + n_positive)
    assert len(reliability(y, p, method="equal_mass", n_bins="auto").weight) == n_bins
    assert len(reliability(1 - y, p, method="equal_mass", n_bins="auto").weight) == n_bins


def test_a_sentence_is_about_the_simultaneous_band():
    y, p = np.repeat([0, 1], [60, 40]), np.full(100, 0.3)
    curve = reliability(y, p, bands="consistency", confidence=0.9)
    assert repr(curve).endswith("; outside the simultaneous consistency band of 90 %: 0.3 to 0.3")
    assert curve.simultaneous.lower[0] == curve.band.lower[0]
    assert reliability(y, p, bands="honest").simultaneous is None


def test_a_point_may_leave_the_pointwise_band_alone():
    p = np.repeat(np.arange(0.05, 1, 0.1), 100)
    y = (np.tile(np.arange(100), 10) < 100 * p).astype(int)
    y[:100] = np.arange(100) < 11  # 11 of 100 at 0.05: beyond 97.5 of 100 samples, but not of ten bins
    curve = reliability(y, p, bands="consistency")
    assert curve.observed[0] > curve.band.upper[0]
    assert curve.outside() == []
