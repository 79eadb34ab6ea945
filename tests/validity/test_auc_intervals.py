"""Intervals of areas under the ROC curve cover with few rows of a class; see benchmarks/interval_coverage_auc.py."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.stats import norm

from calibrant.metrics._intervals.delong import area_difference, area_interval

N_DRAWS = 2000 if os.environ.get("CALIBRANT_THOROUGH") else 800
AT_LEAST = 0.93 - 3 * np.sqrt(0.93 * 0.07 / N_DRAWS)  # 93 of 100, less three standard errors of the draws


def normal(rng, area, positive):
    return rng.normal(np.sqrt(2) * norm.ppf(area) * positive, 1)


def exponential(rng, area, positive):
    return rng.exponential(np.where(positive, area / (1 - area), 1))


def tied(rng, area, positive):
    """Draw scores of two values, with equal sensitivity and specificity."""
    return (rng.random(len(positive)) < np.where(positive, area, 1 - area)).astype(float)


def mixture(rng, area, positive):
    """Draw positives of which some are like negatives and all others above them."""
    return rng.random(len(positive)) + 2 * (positive & (rng.random(len(positive)) >= 2 * (1 - area)))


@pytest.mark.parametrize("n_rows", [(5, 500), (10, 500), (500, 10), (10, 10)], ids=str)
@pytest.mark.parametrize("draw", [normal, exponential, tied, mixture])
@pytest.mark.parametrize("area", [0.6, 0.9, 0.99])
@pytest.mark.sample(4)
def test_areas_are_covered_93_times_in_100_with_5_and_10_rows_of_a_class(n_rows, draw, area):
    rng, positive = np.random.default_rng(n_rows), np.repeat([True, False], n_rows)
    ends = [area_interval(draw(rng, area, positive), positive, None, 0.95)[1] for _ in range(N_DRAWS)]
    assert np.mean([low <= area <= high for low, high in ends]) >= AT_LEAST


@pytest.mark.parametrize("n_rows", [(5, 500), (20, 500), (10, 10)], ids=str)
@pytest.mark.parametrize("areas", [(0.75, 0.75), (0.99, 0.9)], ids=str)
@pytest.mark.parametrize("correlation", [0.2, 0.95])
@pytest.mark.sample(2)
def test_differences_of_areas_are_covered_93_times_in_100(n_rows, areas, correlation):
    rng, positive = np.random.default_rng(n_rows), np.repeat([True, False], n_rows)
    distance, covered = np.sqrt(2) * norm.ppf(areas), 0
    for _ in range(N_DRAWS):
        shared, own = rng.normal(size=len(positive)), rng.normal(size=(2, len(positive)))
        noise = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
        low, high = area_difference(*(noise + distance[:, None] * positive), positive, None, 0.95)[1]
        covered += low <= areas[0] - areas[1] <= high
    assert covered / N_DRAWS >= AT_LEAST
