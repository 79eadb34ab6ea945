"""The test of equal calibration of segments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from calibrant.comparison import holm
from calibrant.metrics import calibration_intercept, calibration_slope, evaluate


def drawn(seed, n=1500, shift=0.0, slope=1.0):
    """Draw three segments; all but the last share a miscalibrated line."""
    rng = np.random.default_rng(seed)
    odds, segment = rng.normal(size=n), rng.integers(0, 3, n)
    truth = 0.3 + 0.7 * odds + (segment == 2) * (shift + (slope - 1.0) * odds)
    return rng.random(n) < 1 / (1 + np.exp(-truth)), 1 / (1 + np.exp(-odds)), segment


def found_in(y, proba, segment, cluster=None):
    """Return the test of the card of these rows."""
    return evaluate(y, proba, by=segment, groups=cluster, metrics=["accuracy"], n_boot=20).equal_calibration


def test_p_values_of_equally_calibrated_segments_are_uniform():
    pvalues = [found_in(*drawn(seed)).pvalues[2] for seed in range(200)]
    assert kstest(pvalues, "uniform").pvalue > 1e-4


def clustered(seed, n=300, copies=5):
    """Draw rows in equal copies, like those of one patient."""
    return [np.repeat(each, copies) for each in (*drawn(seed, n), np.arange(n))]


def test_p_values_of_clustered_rows_are_uniform():
    pvalues = [found_in(*clustered(seed)).pvalues[2] for seed in range(200)]
    assert kstest(pvalues, "uniform").pvalue > 1e-4


def test_clusters_of_one_row_have_about_the_p_values_of_rows():
    plain, robust = (found_in(*drawn(7), of) for of in (None, np.arange(1500)))
    assert list(robust.pvalues.values()) == pytest.approx(list(plain.pvalues.values()), abs=0.1)
    assert robust.pvalues != plain.pvalues


@pytest.mark.parametrize("change", [{"shift": 0.8}, {"slope": 2.0}])
def test_a_segment_with_another_line_is_found(change):
    found = found_in(*drawn(0, 4000, **change))
    assert found.corrected[2] < 0.01
    assert "2 (p = " in repr(found)


@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_corrected_by_holm(seed):
    y, proba, _ = drawn(seed)
    found = found_in(y, proba, np.arange(1500) % 6)
    assert list(found.corrected.values()) == pytest.approx(holm(list(found.pvalues.values())))
    assert all(found.corrected[name] >= pvalue for name, pvalue in found.pvalues.items())


def test_the_common_line_is_the_one_that_was_drawn():
    y, proba, _ = drawn(3, 100_000)
    assert calibration_intercept(y, proba, joint=True) == pytest.approx(0.3, abs=0.05)
    assert calibration_slope(y, proba) == pytest.approx(0.7, abs=0.05)
