"""Intervals of money, of averages over classes and of rates cover values of infinitely many rows as they state."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics import evaluate

MATRIX = [[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [3.0, 4.0, 0.0]]


def donors(random, n):
    """Draw whether people give, probabilities that are a little off, their gifts and estimates of these."""
    p = random.beta(1.0, 4.0, n)
    amount = random.lognormal(2.0, 0.6, n)
    options = {"amount": amount, "cost": 1.5, "estimated_amount": amount * random.uniform(0.6, 1.4, n)}
    return random.random(n) < p, p**1.1, {"profit": options}


def three_classes(random, n):
    proba = random.dirichlet(np.ones(3), n)
    y = (random.random(n)[:, None] > proba.cumsum(axis=1)[:, :2]).sum(axis=1)
    extras = {"cost": {"matrix": MATRIX, "decide": "cheapest"}, "recall": {"average": "macro"}}
    return y, proba, extras


@pytest.mark.long
@pytest.mark.parametrize(("draw", "scale"), [(donors, 400), (three_classes, 1)], ids=["profit", "cost and recall"])
def test_intervals_of_extras_cover_what_infinitely_many_rows_have(draw, scale):
    y, proba, extras = draw(np.random.default_rng(0), 1_000_000)
    truth = evaluate(y, proba, metrics=[], extras=extras, confidence=None)
    truth = {name: float(score) * (scale / 1_000_000 if name == "profit" else 1.0) for name, score in truth.items()}
    random, covered = np.random.default_rng(1), dict.fromkeys(truth, 0)
    for number in range(300):
        y, proba, extras = draw(random, 400)
        card = evaluate(y, proba, metrics=[], extras=extras, n_boot=199, random_state=number)
        for name, score in card.items():
            covered[name] += score.low <= truth[name] <= score.high
    # 300 draws know a coverage of 95 % to 1.3 %: bounds of three and a half of these.
    assert all(abs(times / 300 - 0.95) <= 0.045 for times in covered.values()), covered


@pytest.mark.long
def test_intervals_of_balanced_accuracy_cover_it():
    random, covered = np.random.default_rng(2), 0
    for number in range(300):
        p = random.random(300)
        # Of calibrated probabilities that are uniform, the recall of either class at 1/2 is 3/4.
        score = evaluate(random.random(300) < p, p, metrics=["balanced_accuracy"], n_boot=199, random_state=number)
        covered += score["balanced_accuracy"].low <= 0.75 <= score["balanced_accuracy"].high
    assert abs(covered / 300 - 0.95) <= 0.045
