"""Intervals of money against known probabilities: what is earned, and what miscalibration loses.

Measured with 400 sets of 1,000 and of 5,000 rows: intervals of profit at 95 % cover in 96.5 % and 96.3 %, of the loss
in 93.5 % and 95 % (the map is fitted to the same few rows), and a loss that does not exist is found in 1.8 % and 3 %.
"""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.decisions import CostMatrix, decision_report

MAIL = CostMatrix.from_benefits([[0, -1], [0, 9]])  # worth it from p = 0.1 on: a row earns 10 p - 1
N_ROWS, N_SETS = 1000, 200

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def expected():
    """What a row earns on average by the square root of its probability, and by the probability itself."""
    p = np.random.default_rng(99).beta(1, 9, 1_000_000)
    return np.where(np.sqrt(p) > 0.1, 10 * p - 1, 0).mean(), np.where(p > 0.1, 10 * p - 1, 0).mean()


@pytest.fixture(scope="module")
def reports():
    found = []
    for number in range(N_SETS):
        rng = np.random.default_rng([7, number])
        p = rng.beta(1, 9, N_ROWS)
        y = (rng.random(N_ROWS) < p).astype(int)
        found.append([decision_report(y, each, MAIL, n_boot=300, random_state=number) for each in (np.sqrt(p), p)])
    return found


def test_intervals_of_profit_cover(expected, reports):
    """Of 200 sets fewer than 180 are covered once in a thousand times if 95 % are."""
    covered = sum(bad.now.total.low <= N_ROWS * expected[0] <= bad.now.total.high for bad, _ in reports)
    assert covered >= 180


def test_intervals_of_what_miscalibration_loses_cover(expected, reports):
    lost = N_ROWS * (expected[1] - expected[0])
    assert sum(bad.miscalibration.low <= lost <= bad.miscalibration.high for bad, _ in reports) >= 176


def test_nothing_is_said_to_be_lost_where_probabilities_are_right(reports):
    assert sum(good.miscalibration.low > 0 for _, good in reports) <= 12
