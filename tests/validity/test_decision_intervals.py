"""Intervals of money against known probabilities: what is earned, and what miscalibration loses.

A letter costs 1 and a response earns 10; the probabilities of responses are beta(1, 9), so what wrong decisions lose is
a difference of incomplete beta functions. Measured with `Auto` and intervals at 95 %: those of calibrated probabilities
cover 0 in 99 of 100 sets of 300 rows, those of the loss of shifted log-odds cover it in 29 of 30 sets of 3,000 rows.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc, expit, logit

from calibrant.decisions import CostMatrix, decision_report
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.decisions._money import IntervalOptions, chance_gain

MAIL = CostMatrix.from_benefits([[0, -1], [0, 9]])  # worth it from p = 0.1 on: a row earns 10 p - 1
DISTORTED = {"root": (np.sqrt, 0.01), "shifted": (lambda p: expit(logit(p) - 0.7), expit(logit(0.1) + 0.7))}


def earned_between(low, high):
    """Return the profit of mailing all rows with probabilities between two values, per row of all."""
    return (betainc(2, 9, high) - betainc(2, 9, low)) - (betainc(1, 9, high) - betainc(1, 9, low))


def rows(number, n_rows):
    rng = np.random.default_rng([7, n_rows, number])
    p = rng.beta(1, 9, n_rows)
    return p, (rng.random(n_rows) < p).astype(int)


def losses(n_sets, n_rows, distort=lambda p: p, **options):
    found = []
    for number in range(n_sets):
        p, y = rows(number, n_rows)
        found.append(decision_report(y, distort(p), MAIL, n_boot=200, random_state=number, **options).miscalibration)
    return found


def n_covering(found, value):
    return sum(money.low <= value <= money.high for money in found)


def test_the_loss_in_closed_form_is_that_of_many_rows():
    p, _ = rows(0, 400_000)
    for distort, limit in DISTORTED.values():
        lost = np.where(p > 0.1, 10 * p - 1, 0) - np.where(distort(p) > 0.1, 10 * p - 1, 0)
        assert lost.mean() == pytest.approx(abs(earned_between(limit, 0.1)), rel=0.02)


@pytest.mark.long
def test_intervals_of_the_loss_of_calibrated_probabilities_cover_0():
    """Isotonic regression has no guard: with the bootstrap alone, 80 of these 100 intervals cover 0."""
    assert n_covering(losses(100, 300, calibrator="isotonic"), 0.0) >= 93


@pytest.mark.long
def test_intervals_of_the_loss_of_distorted_probabilities_cover_it():
    true = 300 * abs(earned_between(0.01, 0.1))
    assert n_covering(losses(60, 300, np.sqrt, calibrator="isotonic"), true) >= 56


@pytest.mark.long
def test_where_the_guard_keeps_the_probabilities_the_loss_is_bounded_from_above():
    reports = [decision_report(y, p, MAIL, n_boot=100) for p, y in (rows(number, 300) for number in range(8))]
    kept = [report for report in reports if report.n_changed == 0]
    assert len(kept) >= 2
    for report in kept:
        lost = report.miscalibration
        assert lost.value == lost.low == 0 < lost.high < 300 * earned_between(0.1, 1.0)
        assert f"nothing shown to be lost by miscalibration, at most {lost.high:,.2f}" in repr(report)


def test_gains_by_chance_exceed_their_quantile_as_often_as_stated():
    """Some 25 of 2,000 draws of 30 rows near the threshold; five standard deviations more are 50."""
    rng = np.random.default_rng(1)
    p = np.full(30, 0.11)
    costed = CostedPredictions.read(np.append(0, np.ones(29)), p, MAIL)
    limit = chance_gain(costed, np.zeros(30, dtype=np.intp), IntervalOptions(confidence=0.975))
    n_responses = rng.binomial(30, 0.11, 2000)
    assert np.count_nonzero(30 - 10 * n_responses > limit) <= 50
    few = chance_gain(costed, np.where(np.arange(30) < 10, 0, 1), IntervalOptions(confidence=0.95))
    assert few > 10  # ten rows without a response, a third of all such draws, are no evidence


@pytest.mark.long
@pytest.mark.parametrize(("n_rows", "n_sets"), [(300, 100), (1000, 60), (3000, 30)])
def test_guarded_intervals_of_calibrated_probabilities_cover_0(n_rows, n_sets):
    assert n_covering(losses(n_sets, n_rows), 0.0) >= 0.93 * n_sets


@pytest.mark.long
@pytest.mark.parametrize("distortion", DISTORTED)
@pytest.mark.parametrize(("n_rows", "n_sets"), [(300, 100), (1000, 60), (3000, 30)])
def test_guarded_intervals_of_known_losses_cover_them(distortion, n_rows, n_sets):
    distort, limit = DISTORTED[distortion]
    found = losses(n_sets, n_rows, distort)
    assert n_covering(found, n_rows * abs(earned_between(limit, 0.1))) >= 0.93 * n_sets
    if n_rows == 3000:  # a loss of 800 in units of a letter is always shown, one of 244 in about 70 % of the sets
        assert sum(money.low > 0 for money in found) >= (0.9 if distortion == "root" else 0.5) * n_sets


@pytest.mark.long
def test_intervals_of_profit_cover():
    """Of 200 sets fewer than 180 are covered once in a thousand times if 95 % are."""
    expected = 1000 * earned_between(0.01, 1.0)  # by the square root, rows from 0.01 on are mailed
    covered = 0
    for number in range(200):
        p, y = rows(number, 1000)
        total = decision_report(y, np.sqrt(p), MAIL, n_boot=300, calibrator="platt").now.total
        covered += total.low <= expected <= total.high
    assert covered >= 180
