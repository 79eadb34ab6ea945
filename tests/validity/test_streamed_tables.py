"""Intervals of streamed calibration measures and rankings cover what infinitely many rows have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calibrant.metrics import evaluate, evaluate_table

NAMES = ("average_precision", "aulc", "calibration_slope", "calibration_intercept")


def drawn(random, n):
    """Draw probabilities that are a little too confident, and classes."""
    odds = 1.2 * random.normal(size=n)
    return random.random(n) < 1 / (1 + np.exp(-odds - 0.2)), 1 / (1 + np.exp(-1.3 * odds))


def streamed(y, p, metrics, seed):
    rows = pd.DataFrame({"y": y, "p": p})
    options = {"labels": [False, True], "batch_size": 200, "random_state": seed}
    return evaluate_table(rows, target="y", proba="p", metrics=metrics, **options)


@pytest.mark.long
def test_intervals_of_streamed_rankings_and_lines_cover_them():
    truth = evaluate(*drawn(np.random.default_rng(0), 4_000_000), metrics=NAMES, confidence=None)
    random, covered = np.random.default_rng(6), dict.fromkeys(NAMES, 0)
    for number in range(300):
        for name, score in streamed(*drawn(random, 500), NAMES, number).items():
            covered[name] += score.low <= truth[name].value <= score.high
    # 300 draws know a coverage of 95 % to 1.3 %: bounds of three and a half of these.
    assert all(abs(times / 300 - 0.95) <= 0.045 for times in covered.values()), covered


@pytest.mark.long
def test_streamed_errors_of_calibrated_rows_have_p_values_of_the_stated_size():
    random, n_rejected = np.random.default_rng(3), 0
    for number in range(60):
        p = random.random(400)
        score = streamed(random.random(400) < p, p, ["ece"], number)["ece"]
        n_rejected += score.pvalue <= 0.05
    # Of 60 tests at 5 %, 3 reject on average, and more than 9 once in 1,000.
    assert n_rejected <= 9
