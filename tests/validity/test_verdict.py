"""The verdict on calibration keeps its error rate, finds what single tests find, and further rows settle it."""

from __future__ import annotations

import numpy as np
import pytest
from calibrant.metrics._verdict.further_rows import truth_as_estimated
from scipy.special import expit, logit
from scipy.stats import binom

from calibrant.metrics import calibration_verdict, ece, evaluate
from calibrant.metrics._calibration.probability_cells import cells_of
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._validation.read_predictions import read_predictions
from calibrant.metrics._verdict.joint_test import joint_test

BETAS = {0.5: (2, 2), 0.1: (1, 9), 0.01: (1, 99)}
NAMED = ("intercept", "slope", "intercept and slope", "Spiegelhalter", "ECE")


def joint_of(y, p, rng, **plan):
    return joint_test(cells_of(BootstrapPlan(read_predictions(y, p, labels=[0, 1]), **plan)), rng)


def at_most(rate, n):
    """Return the number of events that is exceeded, at this rate, in fewer than 1 of 1,000 experiments."""
    return binom.isf(0.001, n, rate)


@pytest.mark.parametrize("base_rate", BETAS)
@pytest.mark.parametrize(("n", "n_samples"), [(200, 150), pytest.param(2000, 300, marks=pytest.mark.long)])
@pytest.mark.sample(2)
def test_calibrated_rows_are_called_miscalibrated_in_5_of_100_samples(n, n_samples, base_rate):
    rng = np.random.default_rng(n)
    rejected = 0
    for _ in range(n_samples):
        p = rng.beta(*BETAS[base_rate], n)
        rejected += joint_of(rng.random(n) < p, p, rng).pvalue <= 0.05
    assert rejected <= at_most(0.05, n_samples)


# Each is found in about 95 of 100 samples by the best of the tests alone.
FOUND = {
    "slope": (1000, 0.5, lambda p: expit(0.72 * logit(p))),
    "shift": (3000, 0.1, lambda p: expit(logit(p) + 0.22)),
    "third": (3000, 0.01, lambda p: np.minimum(1.75 * p, 1)),
}


@pytest.mark.parametrize("n_samples", [40, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", FOUND)
@pytest.mark.sample(8)
def test_what_the_best_single_test_finds_in_95_of_100_samples_all_together_find_in_85(name, n_samples):
    n, base_rate, truth = FOUND[name]
    rng = np.random.default_rng(8)
    together, alone = [], []
    for _ in range(n_samples):
        p = rng.beta(*BETAS[base_rate], n)
        test = joint_of(rng.random(n) < truth(p), p, rng)
        together.append(test.pvalue <= 0.05)
        alone.append([test.pvalues[which] <= 0.05 for which in NAMED])
    assert 0.85 <= np.mean(alone, axis=0).max() <= 0.99
    assert np.mean(together) >= 0.85 - 2.0 * np.sqrt(0.85 * 0.15 / n_samples)


@pytest.mark.parametrize("n_of_group", [5, pytest.param(20, marks=pytest.mark.long)])
def test_groups_keep_the_error_rate(n_of_group):
    """Rows of a group share what the probabilities do not know; taken one by one they would reject far more often."""
    rng = np.random.default_rng(3)
    n_groups, n_samples = 100, 60
    group = np.repeat(np.arange(n_groups), n_of_group)
    with_groups = without = 0
    for _ in range(n_samples):
        p = rng.beta(2, 2, len(group))
        shared = np.repeat(rng.random(n_groups), n_of_group)
        y = shared < p  # each row is positive with probability p, all rows of a group together
        with_groups += joint_of(y, p, rng, group=group).pvalue <= 0.05
        without += joint_of(y, p, rng).pvalue <= 0.05
    assert with_groups <= at_most(0.05, n_samples)
    assert without >= 0.2 * n_samples


def test_probability_weights_keep_the_error_rate():
    """A sample with one in five of the negatives, weighted by 5."""
    rng = np.random.default_rng(4)
    n_samples, rejected = 60, 0
    for _ in range(n_samples):
        p = rng.beta(1, 4, 3000)
        y = rng.random(3000) < p
        kept = y | (rng.random(3000) < 0.2)
        weight = np.where(y, 1.0, 5.0)[kept]
        predictions = read_predictions(y[kept], p[kept], weight, labels=[0, 1])
        rejected += joint_test(cells_of(BootstrapPlan(predictions, weight_kind="probability")), rng).pvalue <= 0.05
    assert rejected <= at_most(0.05, n_samples)


def test_bands_of_groups_cover_the_curve():
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(60), 10)
    missed = 0
    for _ in range(60):
        p = rng.beta(2, 2, 600).round(2)
        y = np.repeat(rng.random(60), 10) < p**2
        lower, upper = band_of(BootstrapPlan(read_predictions(y, p, labels=[0, 1]), group), 0.95).at(p)
        missed += bool(((lower > p**2) | (upper < p**2)).any())
    assert missed <= at_most(0.05, 60)


@pytest.mark.long
def test_further_rows_settle_the_verdict_in_80_of_100_samples():
    rng = np.random.default_rng(6)
    settled = []
    for n in (150,):
        p = rng.beta(2, 2, n)
        y = rng.random(n) < p
        verdict = calibration_verdict(y, p)
        assert verdict.kind == "cannot tell"
        cells = cells_of(BootstrapPlan(read_predictions(y, p)))
        for _ in range(20):
            further = rng.choice(p, n + verdict.more_rows) + rng.uniform(-1e-6, 1e-6, n + verdict.more_rows)
            truth = truth_as_estimated(cells, further)
            settled.append(calibration_verdict(rng.random(len(further)) < truth, further).kind != "cannot tell")
    assert np.mean(settled) >= 0.8 - 2.0 * np.sqrt(0.16 / len(settled))


@pytest.mark.parametrize("n", [300, 3000])
def test_the_debiased_error_of_calibrated_rows_loses_two_thirds_of_its_bias(n):
    rng = np.random.default_rng(n)
    raw, debiased = [], []
    for _ in range(200):
        p = rng.random(n)
        y = rng.random(n) < p
        raw.append(ece(y, p))
        debiased.append(ece(y, p, debiased=True))
    assert np.mean(debiased) < np.mean(raw) / 3


def test_the_debiased_error_of_groups_knows_them():
    """What chance adds by groups of ten equal rows is three times what it adds by rows of their own."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(200), 10)
    raw, alone, by_group = [], [], []
    for _ in range(100):
        p = np.repeat(rng.random(200), 10)
        y = np.repeat(rng.random(200), 10) < p
        raw.append(ece(y, p))
        alone.append(ece(y, p, debiased=True))
        by_group.append(ece(y, p, debiased=True, groups=group))
    assert np.mean(alone) > 0.75 * np.mean(raw)
    assert np.mean(by_group) < 0.4 * np.mean(raw)


@pytest.mark.sample(2)
@pytest.mark.parametrize("n", [100, 5000])
def test_the_p_value_of_the_calibration_error_is_uniform_under_calibration(n):
    rng = np.random.default_rng(n)
    found = []
    for seed in range(100):
        p = rng.beta(1, 4, n).round(2)
        found.append(evaluate(rng.random(n) < p, p, labels=[0, 1], metrics=["ece"], random_state=seed)["ece"].pvalue)
    for level in (0.05, 0.2, 0.5):
        assert abs(np.mean(np.array(found) <= level) - level) < 3.5 * np.sqrt(level * (1 - level) / len(found))


def test_a_known_error_is_within_the_interval_of_honest_bands():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(30):
        p = rng.random(2000).round(2)
        score = evaluate(rng.random(2000) < p**2, p, metrics=["ece"])["ece"]
        covered.append(score.low <= np.mean(p - p**2) <= score.high)
    assert np.mean(covered) >= 0.95
