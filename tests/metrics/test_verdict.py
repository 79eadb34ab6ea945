"""Verdicts on calibration in words, their bounds, and the rows that they take."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import beta, chi2, ncx2

from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics import calibration_verdict, cost, evaluate, evaluate_table, rows_needed


def drawn(n, slope=1.0, seed=0):
    """Draw probabilities on a grid whose true log-odds are `slope` times the claimed ones."""
    rng = np.random.default_rng(seed)
    claimed = rng.integers(1, 20, n) / 20
    truth = 1 / (1 + (1 / claimed - 1) ** slope)
    return (rng.random(n) < truth).astype(int), claimed


def test_calibrated_rows_are_called_calibrated_with_averages_bounds_and_what_stays_unseen():
    verdict = calibration_verdict(*drawn(20_000))
    assert verdict.kind == "calibrated"
    assert verdict.gap_bound <= verdict.tolerance == 0.05
    assert re.fullmatch(
        r"calibrated: [\d.]+ % predicted, [\d.]+ % came true \([\d.]+ to [\d.]+\); with 95 % confidence at most [\d.]+ "
        r"points off on average, which costs at most [\d.]+ % of the log-loss; the tests find no error .*; "
        r"the highest 5\.?\d* % of the rows may be off by up to [\d.]+ points",
        str(verdict),
    )


def test_the_bound_is_that_of_the_noncentral_chi_squared_distribution():
    """Two groups with exactly the expected positives: the least sum of squares that counts is the median."""
    p = np.repeat([0.3, 0.6], 500)
    y = np.tile(np.arange(10), 100) < np.repeat([3, 6], 500)
    verdict = calibration_verdict(y, p)
    n, v = 1000, np.mean(p * (1 - p))
    noncentrality = (verdict.gap_bound - 0.1 / (4 * n) * verdict.loss_bound * 2 * n / 1.5) ** 2 * n / v
    assert ncx2.cdf(chi2.median(2), 2, noncentrality) == pytest.approx(0.05, abs=0.001)


def test_a_single_probability_has_the_exact_bound_of_clopper_and_pearson():
    y = np.repeat([1, 0], [40, 160])
    verdict = calibration_verdict(y, np.full(200, 0.25))
    low, high = beta.ppf(0.05, 40, 161), beta.ppf(0.95, 41, 160)
    assert verdict.gap_bound == pytest.approx(max(high - 0.25, 0.25 - low))


def test_certain_probabilities_are_bounded_by_the_frequency_of_errors():
    y = np.tile([0, 1], 50)
    verdict = calibration_verdict(y, y.astype(float))
    assert verdict.gap_bound == pytest.approx(1 - 0.05 ** (1 / 100))
    assert verdict.loss_bound is None
    assert verdict.kind == "calibrated"


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([0, 1, 1], [0.2, 0.5, 0.7]),
        ([0, 0, 0], [0.2, 0.5, 0.7]),
        ([1] * 40, [0.9] * 40),
        ([0] * 100, np.linspace(1e-6, 1e-5, 100)),
        ([0], [0.5]),
    ],
)
def test_few_rows_and_one_class_have_a_verdict_without_nan(y, p):
    verdict = calibration_verdict(y, p, labels=[0, 1], matrix=[[0, 1], [5, 0]])
    assert verdict.kind == "cannot tell"
    assert 0 < verdict.gap_bound <= 1
    assert 0 <= verdict.money_bound <= 6 * verdict.gap_bound
    assert verdict.rows_needed > len(y)
    assert "nan" not in str(verdict)


def test_sharper_probabilities_than_the_truth_are_too_extreme():
    verdict = calibration_verdict(*drawn(20_000, slope=0.5))
    assert verdict.kind == "miscalibrated"
    assert [part.how for part in verdict.off] == ["too low", "too high"]
    assert re.match(r"probabilities are too extreme: below 0.*; above 0.* % came true where", verdict.finding)


def test_probabilities_pulled_to_one_half_are_too_timid():
    verdict = calibration_verdict(*drawn(20_000, slope=2.0))
    assert [part.how for part in verdict.off] == ["too high", "too low"]
    assert "probabilities are too timid" in str(verdict)


@pytest.mark.parametrize(("n", "seed"), [(n, seed) for n in (1000, 3000) for seed in range(4)])
def test_a_slope_whose_interval_excludes_1_is_found(n, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    y = rng.random(n) < expit(0.6 * logit(p))
    card = evaluate(y, p, metrics=["calibration_slope"])
    assert card["calibration_slope"].high < 1
    assert card.verdict.kind == "miscalibrated"
    assert "too extreme" in str(card.verdict)


def test_a_shift_of_a_rare_class_is_found_and_named():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 30, 10_000)
    for truth in (expit(logit(p) + 0.5), np.minimum(1.6 * p, 1)):
        verdict = calibration_verdict(rng.random(len(p)) < truth, p)
        assert verdict.kind == "miscalibrated"
        assert {part.how for part in verdict.off} == {"too low"}
        assert re.match(r"3\.\d+ % predicted, [45]\.\d+ % came true", verdict.average)


def test_a_constant_shift_has_one_direction():
    rng = np.random.default_rng(0)
    p = rng.beta(3, 3, 3000)
    verdict = calibration_verdict(rng.random(len(p)) < np.clip(p + 0.07, 0, 1), p)
    assert "probabilities are too low" in str(verdict)
    assert verdict.off[0].share > 0.9


def test_a_bump_is_found_where_it_is():
    rng = np.random.default_rng(0)
    p = rng.random(8000)
    truth = p + 0.15 * np.exp(-0.5 * ((p - 0.5) / 0.08) ** 2)
    for only in calibration_verdict(rng.random(len(p)) < truth, p).off:
        assert only.how == "too low"
        assert 0.3 < only.low < 0.5 < only.high < 0.75


def test_a_large_error_of_few_rows_is_not_hidden_by_a_small_mean_error():
    rng = np.random.default_rng(0)
    p = np.append(rng.beta(1, 9, 29_700), np.full(300, 0.7))
    verdict = calibration_verdict(rng.random(len(p)) < np.where(p == 0.7, 0.35, p), p)
    assert verdict.kind == "miscalibrated"
    assert verdict.gap_bound <= verdict.tolerance
    assert re.search(r"; but probabilities are too high .*% of the rows\): [34]\d % came true where 7", str(verdict))


def test_a_falling_curve_is_called_that():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    verdict = calibration_verdict(rng.random(3000) < 1 - p, p)
    assert verdict.kind == "miscalibrated"
    assert "the curve falls: higher scores come true less often between 0." in str(verdict)


def test_few_rows_of_a_reversed_score_are_called_falling_too():
    rng = np.random.default_rng(0)
    p = rng.random(100)
    assert "the curve falls" in str(calibration_verdict(rng.random(100) < 1 - p, p))


def test_an_error_that_is_shown_but_small_is_too_little_to_matter():
    verdict = calibration_verdict(*drawn(300_000, slope=0.95))
    assert verdict.kind == "too little to matter"
    assert verdict.pvalue <= 0.05
    assert verdict.gap_bound <= verdict.tolerance == 0.05
    assert calibration_verdict(*drawn(300_000, slope=0.95), within=0.005).kind == "miscalibrated"


def test_the_tolerance_of_a_rare_class_is_relative_to_its_rate():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 99, 1000)
    y = rng.random(1000) < p
    verdict = calibration_verdict(y, p)
    assert verdict.tolerance == pytest.approx(0.5 * (y.sum() + 0.5) / 1001)
    assert "50 % of the base rate of" in str(verdict)
    assert calibration_verdict(y, p, relative=None).tolerance == 0.05
    negatives = calibration_verdict(~y, 1 - p)
    assert negatives.tolerance == pytest.approx(verdict.tolerance)
    assert "50 % of the rate of negatives of" in str(negatives)


def test_few_rows_cannot_tell_and_name_the_rows_that_it_takes():
    y, p = drawn(300)
    verdict = calibration_verdict(y, p)
    assert verdict.kind == "cannot tell"
    assert verdict.tests.keys() >= {"intercept", "slope", "ECE", "scan of ranges"}
    assert re.search(r"above the tolerance of 5 points; about [\d,]+ rows in all would bring", str(verdict))
    assert verdict.rows_needed == pytest.approx(rows_needed(p), rel=0.02)


def test_no_number_of_rows_reaches_a_tolerance_near_0():
    y, p = np.tile([0, 1], 50), np.full(100, 0.5)
    verdict = calibration_verdict(y, p, within=1e-7)
    assert verdict.rows_needed is None
    assert "no number of rows" in str(verdict)


def test_rows_of_probability_0_that_come_true_are_named():
    p = np.repeat([0.0, 0.5], [100, 400])
    y = np.r_[np.ones(3), np.zeros(97), np.tile([0, 1], 200)]
    verdict = calibration_verdict(y, p)
    assert verdict.kind == "miscalibrated"
    assert verdict.pvalue <= 0.001
    assert math.isinf(verdict.loss_bound)
    assert "at 0 (20 % of the rows) 3 % came true where 0 % were given" in str(verdict)


def test_money_is_bounded_by_the_gain_times_the_mean_error():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 9, 2000)
    y = (rng.random(2000) < p).astype(int)
    matrix = np.array([[0.0, 1.0], [9.0, 0.0]])
    verdict = calibration_verdict(y, p, matrix=matrix)
    assert 0 < verdict.money_bound < 10 * verdict.gap_bound
    assert "per 1,000 rows" in verdict.bound
    assert "beyond the threshold of 0.1 (" in verdict.unseen
    assert calibration_verdict(y, p).money_bound is None
    assert calibration_verdict(y, p, matrix=100 * matrix).money_bound == pytest.approx(100 * verdict.money_bound)
    assert calibration_verdict(y, p, matrix=[[0, 0], [1, 0]]).money_bound == 0  # one decision costs nothing
    card = evaluate(y, p, metrics=["auc"], extras={"cost": {"matrix": matrix}})
    assert card.verdict == verdict


def test_money_lost_to_a_known_error_is_within_the_bound():
    rng = np.random.default_rng(1)
    p = rng.beta(1, 9, 5000)
    truth = np.minimum(1.5 * p, 1)
    y, matrix = (rng.random(5000) < truth).astype(int), [[0, 1], [9, 0]]
    lost = np.where((p > 0.1) != (truth > 0.1), 10 * np.abs(truth - 0.1), 0).mean()
    assert 0 < lost <= calibration_verdict(y, p, matrix=matrix).money_bound


def test_a_matrix_is_read_as_by_cost():
    rows = ["b", "a", "b", "a"] * 50, np.tile([0.2, 0.7, 0.6, 0.4], 50)
    with pytest.raises(ParameterError) as found:
        cost(*rows, matrix=[[0, 1]])
    with pytest.raises(ParameterError, match=re.escape(str(found.value))):
        calibration_verdict(*rows, matrix=[[0, 1]])


def test_a_card_has_the_verdict_of_its_rows():
    y, p = drawn(2000)
    assert evaluate(y, p, metrics=["mse"], n_boot=20).verdict == calibration_verdict(y, p)


def test_a_streamed_table_has_the_verdict_of_its_rows():
    polars = pytest.importorskip("polars")
    y, p = drawn(2000)
    card = evaluate_table(polars.LazyFrame({"y": y, "p": p}), target="y", proba="p", metrics=["mse"])
    whole = calibration_verdict(y, p)
    assert card.verdict.gap_bound == pytest.approx(whole.gap_bound)
    assert (card.verdict.kind, card.verdict.average) == (whole.kind, whole.average)


def test_clusters_of_equal_rows_are_not_more_evidence():
    """Ten copies of each row, known to be copies, say what the rows say; taken for independent rows they say more."""
    y, p = drawn(60, slope=0.8, seed=3)
    copies = np.repeat(y, 10), np.repeat(p, 10)
    once, known = calibration_verdict(y, p), calibration_verdict(*copies, groups=np.repeat(np.arange(60), 10))
    assert once.kind == known.kind == "cannot tell"
    assert known.pvalue == pytest.approx(once.pvalue, abs=0.15)
    assert calibration_verdict(*copies).pvalue < 0.5 * known.pvalue
    assert calibration_verdict(*copies).gap_bound < 0.7 * known.gap_bound


def test_groups_of_one_row_each_change_the_bound_little():
    y, p = drawn(1000)
    alone = calibration_verdict(y, p, groups=np.arange(1000)).gap_bound
    assert alone == pytest.approx(calibration_verdict(y, p).gap_bound, rel=0.2)


def test_probability_weights_undo_the_sampling():
    """A sample with a tenth of the negatives, each with weight 10, is as calibrated as the population."""
    rng = np.random.default_rng(0)
    p = rng.beta(1, 9, 60_000)
    y = rng.random(len(p)) < p
    kept = y | (rng.random(len(p)) < 0.1)
    weight = np.where(y, 1.0, 10.0)[kept]
    assert calibration_verdict(y[kept], p[kept]).kind == "miscalibrated"
    weighted = calibration_verdict(y[kept], p[kept], sample_weight=weight, weight_kind="probability")
    assert weighted.kind != "miscalibrated"
    scaled = calibration_verdict(y[kept], p[kept], sample_weight=weight / 7, weight_kind="probability")
    assert scaled.gap_bound == pytest.approx(weighted.gap_bound)


def test_a_weight_of_two_is_the_row_twice_and_one_of_zero_is_none():
    y, p = drawn(500)
    twice = calibration_verdict(np.repeat(y, 2), np.repeat(p, 2))
    assert calibration_verdict(y, p, sample_weight=np.full(500, 2)) == twice
    weight = np.repeat([1, 0], 250)
    assert calibration_verdict(y, p, sample_weight=weight) == calibration_verdict(y[:250], p[:250])


def test_few_groups_say_too_little():
    y, p = drawn(200)
    verdict = calibration_verdict(y, p, groups=np.arange(200) % 9)
    assert verdict.kind == "cannot tell"
    assert re.fullmatch(r"cannot tell: .* came true; rows of fewer than 10 groups say too little", str(verdict))
    score = evaluate(y, p, groups=np.arange(200) % 9, metrics=["ece"], n_boot=20)["ece"]
    assert score.high is score.pvalue is None
    assert calibration_verdict(y, p, groups=np.zeros(200, dtype=int)).kind == "cannot tell"


def test_the_scale_of_probability_weights_does_not_change_the_rows_needed():
    y, p = drawn(300)
    one, other = (
        calibration_verdict(y, p, sample_weight=np.full(300, weight), weight_kind="probability").rows_needed
        for weight in (1 / 300, 50.0)
    )
    assert one == other > 10


def test_a_single_probability_needs_the_rows_of_the_normal_approximation():
    """The mean is within 1.28 standard errors in 80 % of samples, and the bound adds 1.64 of them."""
    needed = rows_needed(np.full(10, 0.5), within=0.02)
    assert needed == pytest.approx(((1.28 + 1.64) / (2 * 0.02)) ** 2, rel=0.05)


def test_a_smaller_tolerance_needs_more_rows():
    p = np.linspace(0.01, 0.99, 50)
    assert rows_needed(p) < rows_needed(p, within=0.02) < rows_needed(p, within=0.02, confidence=0.99)
    assert rows_needed(p / 20) > rows_needed(p / 20, relative=None)


def test_values_that_are_not_probabilities_raise_an_error():
    with pytest.raises(DataError, match="must hold probabilities"):
        rows_needed([0.2, 1.2])
    with pytest.raises(DataTypeError, match="must hold numbers"):
        rows_needed(["a"])
    with pytest.raises(ParameterError, match="within"):
        rows_needed([0.2], within=0)


def test_a_very_rare_class_takes_many_rows():
    rng = np.random.default_rng(0)
    p = 1e-5 + 1e-6 * rng.random(2000)
    verdict = calibration_verdict(np.zeros(2000), p, labels=[0, 1])
    assert verdict.kind == "cannot tell"
    assert verdict.rows_needed > 100_000


def test_unknown_kinds_of_weights_raise_an_error():
    with pytest.raises(ParameterError, match="weight_kind must be"):
        calibration_verdict([0, 1], [0.2, 0.7], weight_kind="survey")


def test_a_verdict_can_be_a_key():
    y, p = drawn(200)
    assert {calibration_verdict(y, p): 1}[calibration_verdict(y, p)] == 1


def test_an_error_that_no_range_explains_names_its_test():
    """Frequencies that alternate around the probabilities raise the calibration error, but no mean."""
    p = np.repeat(np.arange(0.1, 0.9, 1 / 15) + 0.01, 400)
    expected = np.repeat(np.round(np.unique(p) * 400 + np.tile([20, -20], 6)), 400)
    verdict = calibration_verdict(np.tile(np.arange(400), 12) < expected, p)
    assert verdict.pvalue <= 0.05
    assert "an error that no range explains is found by the test of" in verdict.finding
