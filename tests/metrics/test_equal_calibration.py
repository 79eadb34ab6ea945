"""The test of equal calibration of segments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from calibrant.metrics import evaluate
from calibrant.metrics._calibration.calibration_tests import equal_calibration, holm
from calibrant.metrics._calibration.slope_and_intercept import fitted_line
from calibrant.metrics._validation.predictions import BinaryRows


def drawn(seed, n=1500, shift=0.0, slope=1.0):
    """Draw three segments; all but the last share a miscalibrated line."""
    rng = np.random.default_rng(seed)
    odds, segment = rng.normal(size=n), rng.integers(0, 3, n)
    truth = 0.3 + 0.7 * odds + (segment == 2) * (shift + (slope - 1.0) * odds)
    return BinaryRows(1 / (1 + np.exp(-odds)), rng.random(n) < 1 / (1 + np.exp(-truth))), segment


def test_p_values_of_equally_calibrated_segments_are_uniform():
    pvalues = [equal_calibration(*drawn(seed), ["a", "b", "c"]).pvalues["c"] for seed in range(200)]
    assert kstest(pvalues, "uniform").pvalue > 1e-4


def clustered(seed, n=300, copies=5):
    """Draw rows in equal copies, like those of one patient."""
    rows, segment = drawn(seed, n)
    proba, positive = np.repeat(rows.proba, copies), np.repeat(rows.positive, copies)
    return BinaryRows(proba, positive), np.repeat(segment, copies), np.repeat(np.arange(n), copies)


def test_p_values_of_clustered_rows_are_uniform():
    pvalues = []
    for seed in range(200):
        rows, segment, cluster = clustered(seed)
        found = equal_calibration(rows, segment, ["a", "b", "c"], cluster)
        pvalues.append(found.pvalues["c"])
    assert kstest(pvalues, "uniform").pvalue > 1e-4


def test_clusters_of_one_row_have_about_the_p_values_of_rows():
    rows, segment = drawn(7)
    plain, robust = (equal_calibration(rows, segment, ["a", "b", "c"], of) for of in (None, np.arange(1500)))
    assert list(robust.pvalues.values()) == pytest.approx(list(plain.pvalues.values()), abs=0.1)


def test_a_card_of_clusters_tests_its_segments_with_clusters():
    rows, segment, cluster = clustered(4)
    alone, by_cluster = (
        evaluate(rows.positive, rows.proba, by=segment, groups=groups, metrics=["mse"], n_boot=20).equal_calibration
        for groups in (None, cluster)
    )
    assert by_cluster.pvalues == pytest.approx(equal_calibration(rows, segment, [0, 1, 2], cluster).pvalues, rel=1e-9)
    assert by_cluster.pvalues != alone.pvalues


@pytest.mark.parametrize("change", [{"shift": 0.8}, {"slope": 2.0}])
def test_a_segment_with_another_line_is_found(change):
    found = equal_calibration(*drawn(0, 4000, **change), ["a", "b", "c"])
    assert found.corrected["c"] < 0.01
    assert "c (p = " in repr(found)


def test_holm_never_lowers_a_p_value_and_keeps_their_order():
    pvalues = [0.2, 0.001, 0.03, 0.04]
    corrected = holm(pvalues)
    assert corrected == pytest.approx([0.2, 0.004, 0.09, 0.09])
    assert all(after >= before for after, before in zip(corrected, pvalues, strict=True))


def test_the_common_line_is_the_one_that_was_drawn():
    rows, _ = drawn(3, 100_000)
    assert fitted_line(rows).coef == pytest.approx([0.3, 0.7], abs=0.05)
