"""Verdicts on the calibration of more than two classes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from calibrant.metrics import calibration_verdict, rows_needed


def draw_classes(proba, rng):
    return (rng.random(len(proba))[:, None] > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1)


def swapped(n, rng):
    """Draw three classes where the two less likely ones are swapped: 25 % is given where 4.5 % come true."""
    proba = np.full((n, 3), 0.7)
    order = rng.permuted(np.tile([0, 1, 2], (n, 1)), axis=1)
    truth = proba.copy()
    rows = np.arange(n)
    for place, (given, true) in enumerate([(0.7, 0.7), (0.255, 0.045), (0.045, 0.255)]):
        proba[rows, order[:, place]], truth[rows, order[:, place]] = given, true
    return draw_classes(truth, rng), proba


def by_predicted_class(n, rng):
    """Draw three classes where class 0 says 70 % and comes 55 %, and class 1 says 70 % and comes 85 %."""
    top = rng.integers(0, 3, n)
    proba = np.full((n, 3), 0.15)
    proba[np.arange(n), top] = 0.7
    truth = np.array([[0.55, 0.225, 0.225], [0.075, 0.85, 0.075], [0.15, 0.15, 0.7]])[top]
    return draw_classes(truth, rng), proba


@pytest.mark.parametrize("draw", [swapped, by_predicted_class])
@pytest.mark.parametrize("n", [4000, 40_000])
def test_errors_that_the_pooled_predicted_class_hides_are_found_and_the_class_is_named(draw, n):
    verdict = calibration_verdict(*draw(n, np.random.default_rng(n)))
    assert verdict.kind == "miscalibrated"
    assert verdict.gap_bound > verdict.tolerance
    assert {"class 0", "class 1", "rows predicted as 0"} <= {part.name for part in verdict.classes}
    assert re.search(r"(class|rows predicted as) [012]: probabilities are too", verdict.finding)
    assert all(part.of for part in verdict.off)


def test_calibrated_rows_of_three_classes_are_called_calibrated():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([2, 2, 2], 20_000)
    verdict = calibration_verdict(draw_classes(proba, rng), proba, matrix=1 - np.eye(3))
    assert verdict.kind == "calibrated"
    assert len(verdict.classes) == 6
    assert all(part.gap_bound <= part.tolerance for part in verdict.classes)
    assert max(part.gap_bound for part in verdict.classes) < verdict.money_bound < 1


def test_classes_of_fewer_than_20_rows_are_named_and_not_judged():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([2, 2, 0.002], 3000)
    y = np.array(["a", "b", "c"])[draw_classes(proba, rng)]
    y[:5] = "c"
    verdict = calibration_verdict(y, proba, labels=["a", "b", "c"])
    assert re.search(r"not judged, for fewer than 20 rows: c \(\d+\)", verdict.unseen)
    assert not any("c" in part.name.split() for part in verdict.classes)
    few = calibration_verdict(y[:20], proba[:20], labels=["a", "b", "c"])
    assert (few.kind, few.classes) == ("cannot tell", ())


def test_weights_and_groups_of_three_classes_count_as_for_two():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([2, 2, 2], 600)
    y = draw_classes(proba, rng)
    doubled, twice = (
        calibration_verdict(y, proba, sample_weight=np.full(600, 2)),
        calibration_verdict(np.repeat(y, 2), np.repeat(proba, 2, axis=0)),
    )
    assert doubled.gap_bound == pytest.approx(twice.gap_bound)
    assert doubled.pvalue == pytest.approx(twice.pvalue, abs=0.1)
    copies = calibration_verdict(np.repeat(y, 2), np.repeat(proba, 2, axis=0), groups=np.repeat(np.arange(600), 2))
    assert copies.gap_bound == pytest.approx(calibration_verdict(y, proba).gap_bound, rel=0.25)


def test_the_order_of_classes_does_not_matter():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1, 2, 3], 2000)
    y = np.array(["a", "b", "c"])[draw_classes(proba, rng)]
    one = calibration_verdict(y, proba, labels=["a", "b", "c"])
    other = calibration_verdict(y, proba[:, [2, 0, 1]], labels=["c", "a", "b"])
    assert one.gap_bound == pytest.approx(other.gap_bound)
    assert {part.name: part.observed for part in one.classes} == pytest.approx(
        {part.name: part.observed for part in other.classes}
    )


def test_rows_needed_of_three_classes_are_those_of_the_rarest():
    proba = np.random.default_rng(0).dirichlet([5, 4, 1], 2000)
    assert rows_needed(proba) >= rows_needed(proba[:, 2])
