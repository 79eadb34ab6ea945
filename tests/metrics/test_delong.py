"""Intervals of the area under the ROC curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from calibrant.metrics._intervals.delong import area_difference, area_interval


def kernel(scores, positive):
    above, below = scores[positive][:, None], scores[~positive][None, :]
    return (above > below) + 0.5 * (above == below)


def drawn(seed, n=80):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    positive[:2], positive[2:4] = True, False
    return rng.integers(0, 15, n) / 15 + 0.2 * positive, positive


def variance(kernels):
    of_positive, of_negative = kernels.mean(axis=1), kernels.mean(axis=0)
    return of_positive.var(ddof=1) / len(of_positive) + of_negative.var(ddof=1) / len(of_negative)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_is_that_of_all_pairs(seed):
    scores, positive = drawn(seed)
    pairs = kernel(scores, positive)
    area, ends, method = area_interval(scores, positive, None, 0.9)
    reach = norm.ppf(0.95) * np.sqrt(variance(pairs)) / (area * (1 - area))
    assert method == "DeLong"
    assert area == pytest.approx(pairs.mean())
    assert ends == pytest.approx(tuple(expit(logit(area) + np.array([-reach, reach]))))


@pytest.mark.parametrize("seed", range(5))
def test_the_difference_is_that_of_paired_placements(seed):
    one, positive = drawn(seed)
    other = drawn(seed + 100)[0]
    pairs = kernel(one, positive) - kernel(other, positive)
    difference, _, error = area_difference(one, other, positive, 0.95)
    assert difference == pytest.approx(pairs.mean())
    assert error == pytest.approx(np.sqrt(variance(pairs)))


def test_a_perfect_ranking_has_an_interval():
    positive = np.arange(20) >= 10
    area, ends, method = area_interval(np.arange(20.0), positive, None, 0.95)
    assert (area, ends.high, method) == (1.0, 1.0, "Newcombe")
    assert 0.6 < ends.low < 0.95


def test_more_rows_of_a_perfect_ranking_have_a_shorter_interval():
    lows = [area_interval(np.arange(2.0 * n), np.arange(2 * n) >= n, None, 0.95)[1].low for n in (5, 50, 500)]
    assert lows == sorted(lows)


def test_the_worst_ranking_mirrors_the_best():
    positive = np.arange(12) >= 6
    best, worst = (area_interval(sign * np.arange(12.0), positive, None, 0.95)[1] for sign in (1, -1))
    assert worst == pytest.approx((1 - best.high, 1 - best.low))


def test_one_positive_row_still_has_an_interval():
    area, ends, method = area_interval(np.array([0.1, 0.5, 0.3]), np.array([False, False, True]), None, 0.95)
    assert method == "Newcombe"
    assert 0 <= ends.low < area < ends.high <= 1
