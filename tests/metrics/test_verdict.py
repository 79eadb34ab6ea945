"""Verdicts on calibration in words, and the rows that they take."""

from __future__ import annotations

import numpy as np
import pytest

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
    assert str(verdict).startswith("calibrated within ±0.0")


def test_sharper_probabilities_than_the_truth_are_too_confident():
    verdict = calibration_verdict(*drawn(20_000, slope=0.5))
    assert verdict.kind == "not calibrated"
    assert "too confident below" in str(verdict)
    assert "too confident above" in str(verdict)


def test_probabilities_pulled_to_one_half_are_too_low_above_it():
    verdict = calibration_verdict(*drawn(20_000, slope=2.0))
    assert {(part.how, part.low > 0.5) for part in verdict.off} == {("too high", False), ("too low", True)}
    assert "too confident" not in str(verdict)


def test_few_rows_are_too_few_data_and_the_further_rows_suffice():
    verdict = calibration_verdict(*drawn(300))
    assert verdict.kind == "too few data"
    enough = 300 + int(1.3 * verdict.more_rows)
    assert calibration_verdict(*drawn(enough, seed=1)).kind == "calibrated"


def test_few_rows_of_distinct_probabilities_expect_more_of_them():
    """Bands are wider the more distinct probabilities there are, and further rows bring new ones."""
    rng = np.random.default_rng(0)
    few, many = (n + calibration_verdict(rng.random(n) < p, p).more_rows for n in (30, 600) for p in [rng.random(n)])
    assert few == pytest.approx(many, rel=0.5)


def test_a_card_has_the_verdict_of_its_rows():
    y, p = drawn(2000)
    assert evaluate(y, p, metrics=["mse"], n_boot=20).verdict == calibration_verdict(y, p)


def test_clusters_have_an_unknown_verdict():
    y, p = drawn(200)
    assert evaluate(y, p, groups=np.arange(200) // 2, metrics=["mse"], n_boot=20).verdict.kind == "unknown"


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
