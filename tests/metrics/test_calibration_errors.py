"""Calibration errors against what their papers define, written out row by row, and against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from calibrant.exceptions import ParameterError
from calibrant.metrics import (
    brier,
    cal,
    calibration_intercept,
    calibration_slope,
    classwise_ece,
    decomposition,
    ece,
    hosmer_lemeshow,
    ici,
    log_loss,
    murphy_decomposition,
    smooth_ece,
    spiegelhalter_z,
)

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, n=None, digits=None):
    """Rows of both classes with roughly calibrated probabilities, with ties where digits are few."""
    random = np.random.default_rng(seed)
    n = random.integers(3, 150) if n is None else n
    p = np.round(random.random(n), random.choice([1, 2, 15]) if digits is None else digits)
    y = (random.random(n) < p).astype(int)
    y[:2] = [0, 1]
    return y, p


def windows_one_by_one(y, p, width):
    """The paper's windows, each summed separately; tied rows have their mean frequency."""
    order = np.argsort(p)
    p, y = p[order], y[order].astype(float)
    for value in np.unique(p):
        y[p == value] = y[p == value].mean()
    width = min(width, len(p))
    return np.mean([abs(y[i : i + width].mean() - p[i : i + width].mean()) for i in range(len(p) - width + 1)])


@given(seed=SEEDS, window=st.integers(1, 120))
def test_cal_is_the_mean_over_windows_computed_one_by_one(seed, window):
    y, p = drawn(seed)
    assert cal(y, p, window=window) == pytest.approx(windows_one_by_one(y, p, window), rel=1e-12, abs=1e-14)


@given(seed=SEEDS, window=st.integers(1, 120))
def test_cal_of_whole_weights_repeats_the_rows(seed, window):
    y, p = drawn(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y))
    expected = windows_one_by_one(np.repeat(y, weight), np.repeat(p, weight), window)
    assert cal(y, p, sample_weight=weight, window=window) == pytest.approx(expected, rel=1e-11, abs=1e-13)


@given(seed=SEEDS)
def test_cal_of_fractional_weights_has_windows_with_parts_of_rows(seed):
    """Four times the weights in windows four times as wide, started at every fourth of them, are the same windows."""
    y, p = drawn(seed, n=40)
    quarters = np.random.default_rng(seed).integers(1, 30, 40)
    again = np.repeat(np.arange(40), quarters)
    order = again[np.argsort(p[again], kind="stable")]
    surplus = np.array(
        [y[p == value] @ quarters[p == value] / quarters[p == value].sum() - value for value in p[order]]
    )
    starts = range(0, len(order) - 40 + 1, 4)
    found = cal(y, p, sample_weight=quarters / 4, window=10)
    assert found == pytest.approx(np.mean([abs(surplus[i : i + 40].mean()) for i in starts]), rel=1e-9, abs=1e-12)


@given(seed=SEEDS, n_bins=st.integers(1, 20), norm_name=st.sampled_from(["l1", "l2", "max"]))
def test_ece_is_the_mean_over_bins_computed_one_by_one(seed, n_bins, norm_name):
    y, p = drawn(seed)
    places = np.array([max(i for i in range(n_bins) if value >= i / n_bins) for value in p])
    gaps = np.array([abs(y[places == i].mean() - p[places == i].mean()) for i in np.unique(places)])
    parts = np.array([(places == i).mean() for i in np.unique(places)])
    expected = {"l1": parts @ gaps, "l2": math.sqrt(parts @ gaps**2), "max": gaps.max()}[norm_name]
    assert ece(y, p, n_bins=n_bins, norm=norm_name) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_bins_of_equal_mass_split_the_sorted_rows_evenly():
    y, p = drawn(3, n=60, digits=15)
    order = np.argsort(p).reshape(6, 10)
    gaps = [abs(y[rows].mean() - p[rows].mean()) for rows in order]
    assert ece(y, p, n_bins=6, strategy="mass") == pytest.approx(np.mean(gaps), rel=1e-12)


@pytest.mark.parametrize("strategy", ["width", "mass"])
@pytest.mark.parametrize("norm_name", ["l1", "l2"])
def test_debiasing_subtracts_most_of_what_chance_adds(strategy, norm_name):
    errors = {True: [], False: []}
    for seed in range(20):
        y, p = drawn(seed, n=1000)
        for debiased, found in errors.items():
            found.append(ece(y, p, strategy=strategy, norm=norm_name, debiased=debiased))
    assert np.mean(errors[True]) < 0.6 * np.mean(errors[False])


def test_a_debiased_square_is_kumars():
    """Two bins, of frequencies 1/4 and 3/4 in four rows each: 1/4 3/4 / 3 is taken from each square."""
    y, p = [1, 0, 0, 0, 1, 1, 1, 0], [0.1] * 4 + [0.9] * 4
    expected = math.sqrt(0.15**2 - 0.25 * 0.75 / 3) if 0.15**2 > 0.25 * 0.75 / 3 else 0.0
    assert ece(y, p, n_bins=2, norm="l2", debiased=True) == pytest.approx(expected)
    y, p = [1, 0, 0, 0] * 25, [0.9] * 100
    assert ece(y, p, norm="l2", debiased=True) == pytest.approx(math.sqrt(0.65**2 - 0.25 * 0.75 / 99))


def test_the_largest_difference_cannot_be_debiased():
    with pytest.raises(ParameterError, match="debiased: what chance adds"):
        ece([0, 1], [0.2, 0.7], norm="max", debiased=True)


def test_with_more_classes_ece_is_of_the_predicted_one_and_classwise_of_all():
    proba = np.array([[0.7, 0.2, 0.1], [0.7, 0.1, 0.2], [0.3, 0.6, 0.1]])
    assert ece([0, 1, 2], proba, n_bins=1) == pytest.approx(abs(1 / 3 - 2 / 3))
    gaps = np.abs(proba.mean(axis=0) - 1 / 3)
    assert classwise_ece([0, 1, 2], proba, n_bins=1) == pytest.approx(gaps.mean())


def test_smooth_ece_of_a_constant_is_its_distance_from_the_base_rate():
    assert smooth_ece([0, 0, 0, 1], [0.6] * 4) == pytest.approx(0.35, abs=1e-9)
    assert smooth_ece([0, 1], [0.5, 0.5]) == 0.0


@given(seed=SEEDS)
def test_smooth_ece_is_the_width_that_equals_its_own_integral(seed):
    """The kernel summed at each point for each row, with four reflections."""
    y, p = drawn(seed)
    width = smooth_ece(y, p)
    if width < 0.02:
        return
    points = (np.arange(2000) + 0.5) / 2000
    images = [p + 2 * k for k in (-1, 0, 1)] + [2 * k - p for k in (-1, 0, 1, 2)]
    density = sum(norm.pdf(points[:, None], image, width) for image in images) @ (y - p) / len(y)
    assert np.abs(density).mean() == pytest.approx(width, rel=2e-3)


@given(seed=SEEDS)
def test_the_line_has_the_right_totals(seed):
    """The line of least cross-entropy has probabilities that sum to the positives, also weighted by the logit."""
    y, p = drawn(seed, n=60)
    p = np.clip(p, 0.01, 0.99)
    y[:4], p[:4] = [0, 1, 0, 1], [0.99, 0.01, 0.01, 0.99]
    logit = np.log(p / (1 - p))
    line = calibration_intercept(y, p, joint=True) + calibration_slope(y, p) * logit
    shifted = calibration_intercept(y, p) + logit
    assert (y - 1 / (1 + np.exp(-line))) @ logit == pytest.approx(0, abs=1e-8)
    assert (y - 1 / (1 + np.exp(-line))).sum() == pytest.approx(0, abs=1e-8)
    assert (y - 1 / (1 + np.exp(-shifted))).sum() == pytest.approx(0, abs=1e-8)


def test_separated_classes_have_an_infinite_slope():
    assert calibration_slope([0, 0, 1], [0.1, 0.4, 0.4]) == math.inf
    assert calibration_slope([1, 1, 0], [0.1, 0.4, 0.4]) == -math.inf
    assert math.isnan(calibration_slope([0, 1], [0.4, 0.4]))
    assert math.isnan(calibration_slope([1, 1], [0.4, 0.5], pos_label=1))
    assert calibration_intercept([1, 1], [0.4, 0.5], pos_label=1) == math.inf


def test_hosmer_lemeshow_sums_over_groups():
    y, p = drawn(5, n=200, digits=15)
    groups = np.argsort(p).reshape(10, 20)
    parts = [(y[g].sum() - p[g].sum()) ** 2 / (20 * p[g].mean() * (1 - p[g].mean())) for g in groups]
    found = hosmer_lemeshow(y, p)
    assert found.statistic == pytest.approx(sum(parts), rel=1e-12)
    assert (found.df, found.p_value) == (10, pytest.approx(chi2.sf(sum(parts), 10), rel=1e-12))
    assert hosmer_lemeshow(y, p, is_fitted=True).p_value == pytest.approx(chi2.sf(sum(parts), 8), rel=1e-12)


def test_a_certain_group_that_is_wrong_has_a_p_value_of_0():
    found = hosmer_lemeshow([0, 1, 1, 1], [0, 0, 1, 1], n_groups=2)
    assert (found.statistic, found.p_value) == (math.inf, 0.0)


def test_spiegelhalters_z_is_standard_normal_under_perfect_calibration():
    random = np.random.default_rng(0)
    p = random.random((400, 300))
    found = [spiegelhalter_z(outcome, row) for outcome, row in zip(random.random((400, 300)) < p, p, strict=True)]
    assert np.std(found) == pytest.approx(1.0, abs=0.15)
    assert np.mean(found) == pytest.approx(0.0, abs=0.2)


@given(seed=SEEDS)
def test_a_decomposition_adds_up(seed):
    y, p = drawn(seed)
    parts = decomposition(y, p)
    assert parts.score == pytest.approx(brier(y, p), rel=1e-12, abs=1e-14)
    assert min(parts.miscalibration, parts.discrimination) >= 0
    p = np.clip(p, 0.01, 0.99)
    assert decomposition(y, p, score="log_loss").score == pytest.approx(log_loss(y, p), rel=1e-12)
    for n_bins in (None, 5):
        assert murphy_decomposition(y, p, n_bins=n_bins).score == pytest.approx(brier(y, p), rel=1e-12)


@given(seed=SEEDS)
def test_decompositions_of_several_classes_add_up_to_the_brier_score(seed):
    random = np.random.default_rng(seed)
    y, proba = np.append([0, 1, 2], random.integers(0, 3, 30)), random.dirichlet(np.ones(3), 33).round(1)
    proba /= proba.sum(axis=1, keepdims=True)
    weight = random.integers(1, 4, 33)
    one_by_one = [decomposition(y == k, proba[:, k], sample_weight=weight).miscalibration for k in range(3)]
    parts = decomposition(y, proba, sample_weight=weight)
    assert parts.miscalibration == pytest.approx(sum(one_by_one), rel=1e-12)
    assert parts.score == pytest.approx(brier(y, proba, sample_weight=weight), rel=1e-12)
    for n_bins in (None, 4):
        found = murphy_decomposition(y, proba, sample_weight=weight, n_bins=n_bins)
        assert found.score == pytest.approx(brier(y, proba, sample_weight=weight), rel=1e-12)


def test_the_log_loss_of_several_classes_is_not_a_sum_over_them():
    with pytest.raises(
        ParameterError, match="the decomposition of the log-loss evaluates one class against all others"
    ):
        decomposition([0, 1, 2], np.eye(3), score="log_loss")


def test_a_monotone_map_changes_miscalibration_alone():
    y, p = drawn(8, n=100, digits=15)
    before, after = decomposition(y, p), decomposition(y, p**3)
    assert after.discrimination == before.discrimination
    assert after.uncertainty == before.uncertainty


def test_an_infinite_log_loss_is_infinitely_miscalibrated():
    parts = decomposition([0, 1, 1, 0], [0.0, 0.0, 0.9, 0.3], score="log_loss")
    assert parts.miscalibration == math.inf
    assert parts.discrimination < 1


def test_the_calibration_index_is_the_distance_from_isotonic_regression():
    assert ici([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]) == pytest.approx((0.1 + 0.1 + 0.2 + 0.1) / 4)
