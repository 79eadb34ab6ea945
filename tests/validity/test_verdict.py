"""The verdict on calibration keeps its error rates, its bounds cover, and the rows needed are enough."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit, rel_entr
from scipy.stats import binom

from calibrant.metrics import calibration_verdict, ece, evaluate, rows_needed
from calibrant.metrics._calibration.gap_bound import bound_gap
from calibrant.metrics._calibration.probability_cells import cells_of, draw_residuals
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.metric_intervals import band_of
from calibrant.metrics._validation.read_predictions import read_predictions
from calibrant.metrics._verdict.joint_test import N_DRAWS, joint_tests
from calibrant.metrics._verdict.judge import Stakes, bound_money, tolerance_of

BETAS = {0.5: (2, 2), 0.1: (1, 9), 0.01: (1, 99)}
NAMED = ("intercept", "slope", "intercept and slope", "Spiegelhalter", "ECE")


def joint_of(y, p, rng, **plan):
    return joint_of_plan(BootstrapPlan(read_predictions(y, p, labels=[0, 1]), **plan), rng)


def joint_of_plan(plan, rng):
    cells = cells_of(plan)
    return joint_tests([cells], [draw_residuals(cells, rng, N_DRAWS)])[0]


def at_most(rate, n):
    """Return the number of events that is exceeded, at this rate, in fewer than 1 of 1,000 experiments."""
    return binom.isf(0.001, n, rate)


@pytest.mark.parametrize("base_rate", BETAS)
@pytest.mark.parametrize(("n", "n_samples"), [(200, 80), pytest.param(2000, 300, marks=pytest.mark.long)])
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
        rejected += joint_of_plan(BootstrapPlan(predictions, weight_kind="probability"), rng).pvalue <= 0.05
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


def draw_proba(kind, rate, n, rng):
    """Draw probabilities of normal log-odds of some standard deviation, or of 8 leaves, with about some mean."""
    middle = logit(rate) * (1.0 if kind == "leaves" else 1.0 + 0.1 * kind**2)
    away = rng.choice(np.linspace(-2, 2, 8), n) if kind == "leaves" else kind * rng.standard_normal(n)
    return expit(middle + away)


# Errors of the log-odds.
ERRORS = {
    "none": lambda p: np.zeros(len(p)),
    "shift": lambda p: np.full(len(p), 0.5),
    "slope": lambda p: -0.4 * (logit(p) - logit(p.mean())),
    "bump": lambda p: 0.7 * np.exp(-0.5 * ((logit(p) - np.median(logit(p)) - 0.5) / 0.3) ** 2),
    "S": lambda p: 0.3 * np.sin(np.pi * (logit(p) - logit(p).mean()) / logit(p).std()),
    "highest": lambda p: np.where(p >= np.quantile(p, 0.95), -0.7, 0.0),
}


def bounds_of(y, p, rate):
    cells = cells_of(BootstrapPlan(read_predictions(y, p, labels=[0, 1])))
    bound = bound_gap(cells, 0.95)
    return bound, bound_money(cells, bound, Stakes(rate, 1.0 / rate))


@pytest.mark.parametrize("kind", [0.5, 1.2, 2.0, "leaves"])
@pytest.mark.parametrize(("n", "rate", "n_samples"), [(300, 0.5, 100), (1000, 0.1, 100), (5000, 0.02, 40)])
@pytest.mark.sample(6)
def test_bounds_on_the_mean_error_the_log_loss_and_money_hold_in_93_of_100_samples(n, rate, n_samples, kind):
    rng = np.random.default_rng(n)
    for error in ERRORS.values():
        missed = np.zeros(3)
        for _ in range(n_samples):
            p = draw_proba(kind, rate, n, rng)
            q = expit(logit(p) + error(p))
            bound, money = bounds_of(rng.random(n) < q, p, rate)
            loss = (rel_entr(q, p) + rel_entr(1 - q, 1 - p)).mean()
            lost = np.where((p > rate) != (q > rate), np.abs(q - rate) / rate, 0.0).mean()
            missed += [np.abs(q - p).mean() > bound.gap, bound.loss is not None and loss > bound.loss, lost > money]
        assert (missed <= at_most(0.07, n_samples)).all()


@pytest.mark.parametrize("n_samples", [20, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize(("n", "rate"), [(2500, 0.5), (1000, 0.1), (5000, 0.02)])
@pytest.mark.sample(6)
def test_calibrated_rows_are_called_calibrated_in_80_of_100_samples(n, rate, n_samples):
    rng = np.random.default_rng(n)
    kinds = [0.5, 1.2, 2.0, "leaves"]
    found = []
    for number in range(n_samples):
        p = draw_proba(kinds[number % 4], rate, n, rng)
        found.append(calibration_verdict(rng.random(n) < p, p, labels=[0, 1]).kind)
    assert found.count("calibrated") >= n_samples - at_most(0.2, n_samples)
    assert found.count("miscalibrated") + found.count("too little to matter") <= at_most(0.05, n_samples)


@pytest.mark.parametrize("n_samples", [10, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize(("n", "rate"), [(1000, 0.5), (1000, 0.1), (10_000, 0.02)])
@pytest.mark.sample(6)
def test_rows_farther_off_than_the_tolerance_are_called_right_in_at_most_7_of_100_samples(n, rate, n_samples):
    rng = np.random.default_rng(n)
    wrong = 0
    for _ in range(n_samples):
        p = draw_proba(1.2, rate, n, rng)
        q = expit(logit(p) + (0.3 if rate == 0.5 else 0.9))
        tolerance = min(0.05, 0.5 * min(q.mean(), 1 - q.mean()))
        assert np.abs(q - p).mean() > tolerance
        wrong += calibration_verdict(rng.random(n) < q, p).kind in ("calibrated", "too little to matter")
    assert wrong <= at_most(0.07, n_samples)


def test_a_large_error_of_one_row_in_a_hundred_is_always_called_miscalibrated():
    rng = np.random.default_rng(7)
    for number in range(4):
        p = np.append(draw_proba(1.2, (0.1, 0.3)[number % 2], 29_700, rng), np.full(300, 0.7))
        y = rng.random(len(p)) < np.where(p == 0.7, 0.35, p)
        assert calibration_verdict(y, p).kind == "miscalibrated"


@pytest.mark.parametrize(("rate", "kind"), [(0.5, 1.2), (0.1, "leaves"), (0.02, 0.5)])
@pytest.mark.sample(3)
def test_the_rows_needed_are_right_within_a_factor_of_1_3(rate, kind):
    rng = np.random.default_rng(5)
    needed = rows_needed(draw_proba(kind, rate, 10_000, rng))
    for n, is_enough in ((int(needed / 1.3), False), (int(needed * 1.3), True)):
        within = 0
        for _ in range(150):
            p = draw_proba(kind, rate, n, rng)
            cells = cells_of(BootstrapPlan(read_predictions(rng.random(n) < p, p, labels=[0, 1])))
            within += bound_gap(cells, 0.95).gap <= tolerance_of(cells, 0.05, 0.5).error
        assert within >= 150 - at_most(0.2, 150) if is_enough else within <= at_most(0.8, 150)


@pytest.mark.parametrize("n_samples", [12, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["groups", "weights"])
def test_the_bound_holds_for_groups_and_for_probability_weights(kind, n_samples):
    rng = np.random.default_rng(6)
    group = np.repeat(np.arange(200), 5)
    missed = 0
    for _ in range(n_samples):
        p = rng.beta(2, 4, 1000)
        q = expit(logit(p) + 0.4)
        if kind == "groups":
            y = np.repeat(rng.random(200), 5) < q
            kept, options = np.ones(1000, dtype=bool), {"groups": group}
        else:
            y = rng.random(1000) < q
            kept = y | (rng.random(1000) < 0.3)
            options = {"sample_weight": np.where(y, 1.0, 1 / 0.3)[kept], "weight_kind": "probability"}
        missed += calibration_verdict(y[kept], p[kept], **options).gap_bound < np.abs(q - p).mean()
    assert missed <= at_most(0.07, n_samples)


@pytest.mark.parametrize("n_samples", [20, pytest.param(80, marks=pytest.mark.long)])
def test_calibrated_rows_of_several_classes_are_called_off_in_5_of_100_samples(n_samples):
    rng = np.random.default_rng(9)
    found = 0
    for number in range(n_samples):
        proba = rng.dirichlet([1, 2, 3] if number % 2 else [0.5] * 5, 600)
        y = (rng.random(600)[:, None] > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1)
        found += calibration_verdict(y, proba, labels=range(proba.shape[1]), random_state=number).pvalue <= 0.05
    assert found <= at_most(0.05, n_samples)


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
    """Chance adds three times as much by groups of ten equal rows as by rows of their own."""
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
