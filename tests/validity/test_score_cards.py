"""Intervals of score cards hold the true value about as often as they say, on data whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics import compare, evaluate, proportion_interval

REGULAR = (
    *("log_loss", "mse", "spherical", "auc", "average_precision", "aulc", "accuracy", "f1", "mcc"),
    *("calibration_slope", "calibration_intercept"),
)
JUMPING = ("ks", "lift")  # a maximum and a share of few rows: neither is smooth in the rows, both fall short
DRAWS = 1000


def drawn(random, n, shift):
    """Draw probabilities that are a little too confident, and outcomes; the larger the shift, the fewer positives."""
    odds = 1.2 * random.normal(size=n) - shift
    return random.random(n) < 1 / (1 + np.exp(-odds - 0.2)), 1 / (1 + np.exp(-1.3 * odds))


def truth_of(metrics, shift):
    return evaluate(*drawn(np.random.default_rng(0), 4_000_000, shift), metrics=metrics, confidence=None)


@pytest.fixture(scope="module", params=[(300, 0.0), (1000, 2.0)], ids=["300 rows", "1000 rows, one in six positive"])
def coverage(request):
    n, shift = request.param
    random, metrics = np.random.default_rng(1), [*REGULAR, *JUMPING]
    truth = truth_of(metrics, shift)
    held = dict.fromkeys(metrics, 0)
    for draw in range(DRAWS):
        card = evaluate(*drawn(random, n, shift), metrics=metrics, n_boot=999, random_state=draw)
        for name, score in card.items():
            held[name] += score.low <= truth[name].value <= score.high
    return {name: times / DRAWS for name, times in held.items()}


@pytest.mark.long
@pytest.mark.parametrize("name", REGULAR)
def test_intervals_at_95_hold_the_truth_93_to_97_times_in_100(coverage, name):
    assert 0.93 <= coverage[name] <= 0.97


@pytest.mark.long
@pytest.mark.parametrize("name", JUMPING)
def test_measures_that_jump_hold_it_90_to_97_times(coverage, name):
    assert 0.90 <= coverage[name] <= 0.97


@pytest.mark.long
@pytest.mark.parametrize("power", [1.0, 1.5])
def test_honest_intervals_of_calibration_errors_hold_the_distance_at_least_95_times(power):
    random, held = np.random.default_rng(2), 0
    for _ in range(200):
        proba = random.random(400)
        score = evaluate(random.random(400) < proba**power, proba, metrics=["ece"], n_boot=1)["ece"]
        held += score.low <= np.abs(proba**power - proba).mean() <= score.high
    assert held >= 190


@pytest.mark.long
def test_clusters_are_as_sure_as_they_say():
    """The mean of 2 p (1 - p) over uniform probabilities is 1/3."""
    random, held = np.random.default_rng(3), 0
    for draw in range(500):
        proba = np.repeat(random.random(120), 5)
        y = np.repeat(random.random(120) < proba[::5], 5)
        score = evaluate(y, proba, groups=np.repeat(np.arange(120), 5), metrics=["mse"], random_state=draw)["mse"]
        held += score.low <= 1 / 3 <= score.high
    assert 0.92 <= held / 500 <= 0.98


@pytest.mark.long
def test_paired_differences_of_equal_models_hold_0():
    random, held = np.random.default_rng(4), {"mse": 0, "auc": 0}
    for draw in range(500):
        odds = random.normal(size=400)
        y = random.random(400) < 1 / (1 + np.exp(-odds))
        noisy = [1 / (1 + np.exp(-odds - 0.5 * random.normal(size=400))) for _ in range(2)]
        found = compare(*(evaluate(y, p, metrics=list(held), n_boot=599, random_state=draw) for p in noisy))
        for name in held:
            held[name] += found[name].low <= 0 <= found[name].high
    assert all(0.93 <= times / 500 <= 0.975 for times in held.values())


@pytest.mark.long
@pytest.mark.parametrize("method", ["wilson", "jeffreys"])
def test_proportions_hold_the_chance_95_times_on_average(method):
    random = np.random.default_rng(5)
    chances = random.random(4000)
    ends = [proportion_interval(random.binomial(60, chance), 60, method=method) for chance in chances]
    assert 0.94 <= np.mean([low <= p <= high for p, (low, high) in zip(chances, ends, strict=True)]) <= 0.96
