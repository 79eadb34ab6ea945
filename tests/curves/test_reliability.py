"""Reliability curves: bins of equal width and of equal mass, isotonic regression, and both kinds of bands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from tests.curves.random_rows import WEIGHTED_ROWS, columns

from calibrant.curves import reliability
from calibrant.exceptions import ParameterError


@pytest.fixture
def rows():
    random = np.random.default_rng(3)
    p = random.random(800)
    return (random.random(800) < p).astype(int), p


def test_fixed_bins_are_scikit_learns(rows):
    curve = reliability(*rows)
    observed, predicted = calibration_curve(*rows, n_bins=10)
    np.testing.assert_allclose([curve.observed, curve.predicted], [observed, predicted])


def test_a_bin_includes_its_left_end_and_the_last_bin_both_ends():
    curve = reliability([0, 1, 0, 1], [0.1, 0.3, 0.7, 1.0])
    assert curve.low.tolist() == [0.1, 0.3, 0.7, 0.9]


def test_bins_of_equal_mass_contain_the_same_number_of_rows(rows):
    curve = reliability(*rows, method="equal_mass", n_bins=8)
    assert curve.weight.tolist() == [100] * 8
    assert (curve.low[1:] > curve.high[:-1]).all()


def test_bins_of_equal_mass_are_scikit_learns_quantiles(rows):
    curve = reliability(*rows, method="equal_mass", n_bins=8)
    observed, predicted = calibration_curve(*rows, n_bins=8, strategy="quantile")
    np.testing.assert_allclose([curve.observed, curve.predicted], [observed, predicted])


def test_equal_probabilities_share_a_bin():
    curve = reliability([0, 1, 0, 1, 1, 0], [0.2, 0.2, 0.2, 0.2, 0.6, 0.7], method="equal_mass", n_bins=3)
    assert curve.weight.tolist() == [4, 2]


@given(WEIGHTED_ROWS)
def test_corp_is_isotonic_regression(rows):
    y, p, weight = columns(rows)
    curve = reliability(y, p, method="corp", sample_weight=weight)
    fit = IsotonicRegression().fit(p, y, sample_weight=weight)
    for low, high, observed in zip(curve.low, curve.high, curve.observed, strict=True):
        np.testing.assert_allclose(fit.predict([low, high]), observed, atol=1e-7)


@given(WEIGHTED_ROWS, st.sampled_from(["fixed", "equal_mass", "corp"]))
def test_bins_keep_all_rows_and_all_positives(rows, method):
    y, p, weight = columns(rows)
    curve = reliability(y, p, method=method, n_bins=4, sample_weight=weight)
    assert curve.weight.sum() == weight.sum()
    assert (curve.weight * curve.observed).sum() == pytest.approx(weight[y].sum())
    assert (curve.weight * curve.predicted).sum() == pytest.approx((weight * p).sum())


@given(WEIGHTED_ROWS, st.sampled_from(["fixed", "equal_mass", "corp"]))
def test_a_row_of_weight_2_is_the_row_twice(rows, method):
    y, p, weight = columns(rows)
    options = {"method": method, "n_bins": 4, "bands": "consistency", "n_resamples": 5}
    weighted = reliability(y, p, sample_weight=weight, **options)
    repeated = reliability(np.repeat(y, weight), np.repeat(p, weight), **options)
    np.testing.assert_allclose(weighted.to_frame(), repeated.to_frame(), atol=1e-12)
    np.testing.assert_allclose(weighted.band, repeated.band, atol=1e-12)


def test_the_consistency_band_of_one_probability_is_binomial():
    y, p = np.repeat([0, 1], [60, 40]), np.full(100, 0.3)
    band = reliability(y, p, bands="consistency", n_resamples=20_000).band
    expected = binom(100, 0.3).ppf([0.025, 0.975]) / 100
    np.testing.assert_allclose([band.lower[0], band.upper[0]], expected, atol=0.0101)


def test_the_band_of_very_many_probabilities_has_a_thousand_points():
    p = np.linspace(0, 1, 3000)
    curve = reliability(p > 0.5, p, method="corp", bands="consistency", n_resamples=4)
    assert len(curve.band.x) == 1000
    assert (curve.band.x[0], curve.band.x[-1]) == (0, 1)


def test_calibrated_probabilities_stay_inside_the_band_and_miscalibrated_ones_do_not(rows):
    y, p = rows
    overconfident = p**3 / (p**3 + (1 - p) ** 3)
    for method in ("fixed", "corp"):
        inside, outside = (reliability(y, q, method=method, bands="consistency").outside() for q in (p, overconfident))
        assert inside == []
        assert sum(high - low for low, high in outside) > 0.1


def test_the_honest_band_is_that_of_all_rows_whatever_the_bins(rows):
    y, p = rows
    curve = reliability(y, p, bands="honest", digits=2)
    for other in ({"n_bins": 2}, {"method": "equal_mass"}, {"method": "corp"}):
        np.testing.assert_array_equal(reliability(y, p, bands="honest", digits=2, **other).band, curve.band)
    assert curve.outside() == []


def test_the_same_seed_draws_the_same_band(rows):
    first, second = (reliability(*rows, bands="consistency", n_resamples=20, random_state=5).band for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    "wrong", [{"method": "quantile"}, {"n_bins": 0}, {"bands": "all"}, {"confidence": 1}, {"digits": 0}]
)
def test_parameters_are_checked(rows, wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        reliability(*rows, **wrong)
