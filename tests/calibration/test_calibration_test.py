"""The Monte Carlo test of calibration: against exact tails, its weights and its groups."""

import numpy as np
import pytest
from scipy.stats import binom

from calibrant.calibration._auto.calibration_test import calibration_pvalue


def logs(proba):
    return np.log(np.stack([1 - proba, proba], axis=1))


def drawn(n, seed=0):
    random = np.random.default_rng(seed)
    proba = random.beta(2, 3, n)
    return proba, (random.random(n) < proba).astype(np.int32)


@pytest.mark.parametrize("hits", [4, 8, 12, 14, 16])
def test_equal_probabilities_have_the_tails_of_the_binomial_distribution(hits):
    y = (np.arange(40) < hits).astype(np.int32)
    numbers = np.arange(41)
    exact = binom.pmf(numbers, 40, 0.3)[np.abs(numbers - 12) >= abs(hits - 12)].sum()
    assert calibration_pvalue(logs(np.full(40, 0.3)), y, np.ones(40)) == pytest.approx(exact, abs=0.08)


@pytest.mark.parametrize(
    "bend", [lambda x: 3 * x, lambda x: 0.2 * x, lambda x: x + 1.5, lambda x: x + 2 * np.sin(3 * x)]
)
def test_wrong_probabilities_are_found(bend):
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    y = (random.random(300) < 1 / (1 + np.exp(-bend(x)))).astype(np.int32)
    assert calibration_pvalue(logs(1 / (1 + np.exp(-x))), y, np.ones(300)) < 0.02


def test_it_finds_one_wrong_class_of_three():
    random = np.random.default_rng(0)
    proba = random.dirichlet(np.ones(3), 300)
    true = proba * [1, 1, 3]
    y = (random.random((300, 1)) > (true / true.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]).sum(axis=1)
    assert calibration_pvalue(np.log(proba), y.astype(np.int32), np.ones(300)) < 0.02


def test_halves_of_rows_are_about_half_as_many_rows():
    found = []
    for seed in range(40):
        proba, y = drawn(60, seed)
        twice = logs(np.repeat(proba, 2)), np.repeat(y, 2)
        found.append([calibration_pvalue(logs(proba), y, np.ones(60)), calibration_pvalue(*twice, np.full(120, 0.5))])
    one, halves = np.array(found).T
    assert np.corrcoef(one, halves)[0, 1] > 0.9
    assert np.abs(one - halves).mean() < 0.1


def test_copies_in_a_group_are_not_taken_for_evidence():
    rejected = np.zeros(2)
    for seed in range(60):
        proba, y = drawn(30, seed)
        copied = logs(np.repeat(proba, 8)), np.repeat(y, 8), np.ones(240)
        groups = np.repeat(np.arange(30), 8)
        rejected += [calibration_pvalue(*copied) <= 0.05, calibration_pvalue(*copied, groups) <= 0.05]
    assert rejected[0] > 25
    assert rejected[1] <= 8


def test_whole_rows_of_unequal_weight_are_no_evidence_in_their_weight():
    random = np.random.default_rng(0)
    weight = random.choice([0.1, 5.0], 60)
    found = [
        calibration_pvalue(logs(proba), y, weight, np.arange(60))
        for proba, y in (drawn(60, seed) for seed in range(100))
    ]
    assert np.mean(np.array(found) <= 0.1) <= 0.17  # 10 % and two standard errors
