"""Resampled intervals of partial areas under the ROC curve cover them about as often as they state."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics import evaluate


def drawn(random, n):
    odds = 1.2 * random.normal(size=n) - 0.5
    return random.random(n) < 1 / (1 + np.exp(-odds)), odds


def interval(y, odds, max_fpr, **options):
    extras = {"partial_auc": {"max_fpr": max_fpr}}
    return evaluate(y, 1 / (1 + np.exp(-odds)), metrics=[], extras=extras, **options)["partial_auc"]


@pytest.mark.long
@pytest.mark.parametrize("max_fpr", [0.1, 0.3])
def test_intervals_of_a_partial_area_cover_it(max_fpr):
    truth = interval(*drawn(np.random.default_rng(0), 2_000_000), max_fpr, confidence=None).value
    random, covered = np.random.default_rng(5), 0
    for number in range(500):
        score = interval(*drawn(random, 300), max_fpr, n_boot=199, random_state=number)
        covered += score.low <= truth <= score.high
    # 500 draws know a coverage of 95 % to 1 %: bounds of three and a half of that.
    assert abs(covered / 500 - 0.95) <= 0.035
