"""Verdicts on calibration in words, and the rows that they take."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.special import expit, logit

from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics import calibration_verdict, evaluate, rows_needed


def drawn(n, slope=1.0, seed=0):
    """Draw probabilities on a grid whose true log-odds are `slope` times the claimed ones."""
    rng = np.random.default_rng(seed)
    claimed = rng.integers(1, 20, n) / 20
    truth = 1 / (1 + (1 / claimed - 1) ** slope)
    return (rng.random(n) < truth).astype(int), claimed


def test_enough_calibrated_rows_are_called_calibrated():
    verdict = calibration_verdict(*drawn(100_000))
    assert verdict.kind == "calibrated"
    assert re.match(r"calibrated within ±0\.0\d+ \([\d.]+ % of the (base rate|rate of negatives)\)", str(verdict))


def test_sharper_probabilities_than_the_truth_are_too_extreme():
    verdict = calibration_verdict(*drawn(20_000, slope=0.5))
    assert verdict.kind == "miscalibrated"
    assert [part.how for part in verdict.off] == ["too low", "too high"]
    assert re.match(
        r"miscalibrated: probabilities are too extreme: below 0.*; above 0.* % came true where", str(verdict)
    )


def test_probabilities_pulled_to_one_half_are_too_timid():
    verdict = calibration_verdict(*drawn(20_000, slope=2.0))
    assert [part.how for part in verdict.off] == ["too high", "too low"]
    assert "probabilities are too timid" in str(verdict)


@pytest.mark.parametrize(("n", "seed"), [(n, seed) for n in (1000, 3000) for seed in range(4)])
def test_a_slope_whose_interval_excludes_1_is_found(n, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    y = rng.random(n) < expit(0.7 * logit(p))
    card = evaluate(y, p, metrics=["calibration_slope"])
    assert card["calibration_slope"].high < 1
    assert card.verdict.kind == "miscalibrated"
    assert "too extreme" in str(card.verdict)


def test_a_shift_of_a_rare_class_is_found_and_named():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 30, 10_000)
    for truth in (expit(logit(p) + 0.3), np.minimum(1.5 * p, 1)):
        verdict = calibration_verdict(rng.random(len(p)) < truth, p)
        assert verdict.kind == "miscalibrated"
        assert [part.how for part in verdict.off] == ["too low"]
        assert re.search(r"too low.*: [3-6]\.?\d? % came true where [2-4]\.?\d? % were given", str(verdict))


def test_a_constant_shift_has_one_direction():
    rng = np.random.default_rng(0)
    p = rng.beta(3, 3, 3000)
    verdict = calibration_verdict(rng.random(len(p)) < np.clip(p + 0.07, 0, 1), p)
    assert "probabilities are too low: 5" in str(verdict)
    assert verdict.off[0].share > 0.9


def test_a_bump_is_found_where_it_is():
    rng = np.random.default_rng(0)
    p = rng.random(8000)
    truth = p + 0.15 * np.exp(-0.5 * ((p - 0.5) / 0.08) ** 2)
    (only,) = calibration_verdict(rng.random(len(p)) < truth, p).off
    assert only.how == "too low"
    assert 0.3 < only.low < 0.5 < only.high < 0.75


def test_a_falling_curve_is_called_that_without_ranges():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    verdict = calibration_verdict(rng.random(3000) < 1 - p, p)
    assert verdict.kind == "miscalibrated"
    assert verdict.off == ()
    assert math.isnan(verdict.reach)
    assert "the curve falls: higher scores come true less often between 0." in str(verdict)


def test_few_rows_of_a_reversed_score_are_called_falling_too():
    rng = np.random.default_rng(0)
    p = rng.random(100)
    assert "the curve falls" in str(calibration_verdict(rng.random(100) < 1 - p, p))


def test_an_error_that_is_shown_but_small_is_too_little_to_matter():
    verdict = calibration_verdict(*drawn(300_000, slope=0.95))
    assert verdict.kind == "too little to matter"
    assert verdict.pvalue <= 0.05
    assert verdict.reach <= verdict.tolerance == 0.1
    assert calibration_verdict(*drawn(300_000, slope=0.95), within=0.005).kind == "miscalibrated"


def test_the_tolerance_of_a_rare_class_is_relative_to_its_rate():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 99, 5000)
    y = rng.random(5000) < p
    verdict = calibration_verdict(y, p)
    assert verdict.tolerance == pytest.approx(0.5 * y.mean(), rel=0.03)
    assert "50 % of the base rate of" in str(verdict)
    assert calibration_verdict(y, p, relative=None).tolerance == 0.1
    negatives = calibration_verdict(~y, 1 - p)
    assert negatives.tolerance == pytest.approx(verdict.tolerance)
    assert "50 % of the rate of negatives of" in str(negatives)


def test_few_rows_cannot_tell_yet():
    verdict = calibration_verdict(*drawn(300))
    assert verdict.kind == "cannot tell"
    assert verdict.tests.keys() >= {"intercept", "slope", "ECE"}
    assert f"about {verdict.more_rows:,} more rows would settle it if the truth is as estimated" in str(verdict)


def test_no_number_of_rows_settles_a_tolerance_near_0():
    y, p = np.tile([0, 1], 50), np.full(100, 0.5)
    verdict = calibration_verdict(y, p, within=1e-7)
    assert verdict.more_rows is None
    assert "no number of rows settles this tolerance" in str(verdict)


@pytest.mark.long
def test_a_single_test_that_differs_from_all_together_is_named():
    """The card's own interval of the slope may exclude 1 by chance; the verdict says so."""
    found = []
    for seed in range(60):
        verdict = calibration_verdict(*drawn(200, seed=seed))
        if verdict.kind == "cannot tell" and min(verdict.tests.values()) <= 0.05:
            found.append("alone finds an error (p = 0.0" in str(verdict) and "together do not" in str(verdict))
    assert found
    assert all(found)


def test_rows_of_probability_0_that_come_true_are_named():
    p = np.repeat([0.0, 0.5], [100, 400])
    y = np.r_[np.ones(3), np.zeros(97), np.tile([0, 1], 200)]
    verdict = calibration_verdict(y, p)
    assert verdict.pvalue <= 0.001
    assert "at 0 (20 % of the rows) 3 % came true where 0 % were given" in str(verdict)


def test_probabilities_of_0_and_1_that_are_right_are_not_miscalibrated():
    y = np.tile([0, 1], 100)
    assert calibration_verdict(y, y.astype(float)).kind != "miscalibrated"


def test_a_card_has_the_verdict_of_its_rows():
    y, p = drawn(2000)
    assert evaluate(y, p, metrics=["mse"], n_boot=20).verdict == calibration_verdict(y, p)


def test_clusters_of_equal_rows_are_not_more_evidence():
    """Ten copies of each row, known to be copies, say what the rows say; taken for independent rows they say more."""
    y, p = drawn(60, slope=0.8, seed=3)
    copies = np.repeat(y, 10), np.repeat(p, 10)
    once, known = calibration_verdict(y, p), calibration_verdict(*copies, groups=np.repeat(np.arange(60), 10))
    assert once.kind == known.kind == "cannot tell"
    assert known.pvalue == pytest.approx(once.pvalue, abs=0.15)
    assert calibration_verdict(*copies).pvalue < 0.5 * known.pvalue
    assert calibration_verdict(*copies).reach < 0.5 * known.reach


def test_a_card_with_clusters_has_a_verdict():
    y, p = drawn(200)
    assert evaluate(y, p, groups=np.arange(200) // 2, metrics=["mse"], n_boot=20).verdict.kind == "cannot tell"


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
    assert scaled.reach == pytest.approx(weighted.reach)


def test_a_weight_of_two_is_the_row_twice():
    y, p = drawn(500)
    twice = calibration_verdict(np.repeat(y, 2), np.repeat(p, 2))
    assert calibration_verdict(y, p, sample_weight=np.full(500, 2)) == twice


def test_one_probability_needs_the_rows_of_an_exact_interval():
    """At 1/2 the exact interval of Clopper & Pearson has a half-width of about 1.96 / (2 sqrt n)."""
    needed = rows_needed([0.5], within=0.02)
    assert needed == pytest.approx((1.96 / (2 * 0.02)) ** 2, rel=0.05)


def test_a_smaller_tolerance_needs_more_rows():
    p = np.linspace(0.01, 0.99, 50)
    assert rows_needed(p, within=0.1) < rows_needed(p, within=0.05) < rows_needed(p, within=0.05, confidence=0.99)


def test_values_that_are_not_probabilities_raise_an_error():
    with pytest.raises(DataError, match="must hold probabilities"):
        rows_needed([0.2, 1.2])
    with pytest.raises(DataTypeError, match="must hold numbers"):
        rows_needed(["a"])
    with pytest.raises(ParameterError, match="within"):
        rows_needed([0.2], within=0)


def test_few_groups_say_too_little():
    y, p = drawn(200)
    verdict = calibration_verdict(y, p, groups=np.arange(200) % 9)
    assert (verdict.kind, str(verdict)) == (
        "cannot tell",
        "cannot tell yet: rows of fewer than 10 groups say too little",
    )
    score = evaluate(y, p, groups=np.arange(200) % 9, metrics=["ece"], n_boot=20)["ece"]
    assert score.low is score.pvalue is None


def test_the_scale_of_probability_weights_does_not_change_the_further_rows():
    y, p = drawn(300)
    one, other = (
        calibration_verdict(y, p, sample_weight=np.full(300, weight), weight_kind="probability").more_rows
        for weight in (1 / 300, 50.0)
    )
    assert one == other > 10


def test_a_very_rare_class_takes_many_rows():
    rng = np.random.default_rng(0)
    p = 1e-5 + 1e-6 * rng.random(2000)
    verdict = calibration_verdict(np.zeros(2000), p, labels=[0, 1])
    assert verdict.kind == "cannot tell"
    assert verdict.more_rows > 100_000


def test_unknown_kinds_of_weights_raise_an_error():
    with pytest.raises(ParameterError, match="weight_kind must be"):
        calibration_verdict([0, 1], [0.2, 0.7], weight_kind="survey")


def test_a_verdict_can_be_a_key():
    y, p = drawn(200)
    assert {calibration_verdict(y, p): 1}[calibration_verdict(y, p)] == 1
