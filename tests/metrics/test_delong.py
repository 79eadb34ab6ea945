"""Intervals of the area under the ROC curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from calibrant.metrics._intervals.delong import (
    area_difference,
    area_interval,
    placement_covariances,
    placement_difference,
    placement_interval,
)
from calibrant.metrics._intervals.intervals import wilson_interval


def kernel(scores, positive):
    above, below = scores[positive][:, None], scores[~positive][None, :]
    return (above > below) + 0.5 * (above == below)


def drawn(seed, n=80):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    positive[:2], positive[2:4] = True, False
    return rng.integers(0, 15, n) / 15 + 0.2 * positive, positive


def covariances_of_pairs(one, other):
    return [np.cov(one.mean(axis=axis), other.mean(axis=axis)) / one.shape[1 - axis] for axis in (1, 0)]


@pytest.mark.parametrize("seed", range(5))
def test_placements_are_means_over_all_pairs(seed):
    one, positive = drawn(seed)
    other = drawn(seed + 100)[0]
    pairs = [kernel(scores, positive) for scores in (one, other)]
    areas, covariances, n_rows = placement_covariances(one, other, positive)
    assert areas == pytest.approx([each.mean() for each in pairs])
    assert n_rows == [positive.sum(), (~positive).sum()]
    for ours, theirs in zip(covariances, covariances_of_pairs(*pairs), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_both_ways_to_the_placements_have_the_same_interval(seed):
    scores, positive = drawn(seed)
    areas, covariances, n_rows = placement_covariances(scores, scores, positive)
    area, ends = area_interval(scores, positive, None, 0.9)
    assert area == pytest.approx(areas[0])
    assert ends == pytest.approx(placement_interval(areas[0], [each[0, 0] for each in covariances], n_rows, 0.9))


def test_with_many_rows_the_interval_is_delongs_on_the_scale_of_log_odds():
    scores, positive = drawn(0, 20_000)
    (area, _), covariances, _ = placement_covariances(scores, scores, positive)
    reach = norm.ppf(0.975) * np.sqrt(sum(each[0, 0] for each in covariances)) / (area * (1 - area))
    ends = area_interval(scores, positive, None, 0.95)[1]
    assert ends == pytest.approx(tuple(expit(logit(area) + np.array([-reach, reach]))), abs=1e-5)


def test_with_many_rows_the_interval_of_a_difference_is_delongs():
    one, positive = drawn(0, 20_000)
    other = one + np.random.default_rng(1).normal(0, 0.3, len(one))
    areas, covariances, _ = placement_covariances(one, other, positive)
    error = np.sqrt(sum(each[0, 0] + each[1, 1] - 2 * each[0, 1] for each in covariances))
    difference, ends = area_difference(one, other, positive, None, 0.95)
    assert difference == pytest.approx(areas[0] - areas[1])
    assert ends == pytest.approx(tuple(difference + norm.ppf([0.025, 0.975]) * error), abs=1e-4)


def test_rows_that_are_all_right_or_all_wrong_have_about_wilsons_interval():
    """The placements of the positive rows are then a proportion, and the many negative rows add no variance."""
    share, n = 0.8, 400
    ends = placement_interval(share, (share * (1 - share) / (n - 1), 0.0), (n, 1e9), 0.95)
    assert ends == pytest.approx(tuple(wilson_interval(share * n, n, 0.95)), abs=1e-3)


def test_a_perfect_ranking_has_an_interval():
    positive = np.arange(20) >= 10
    area, ends = area_interval(np.arange(20.0), positive, None, 0.95)
    assert (area, ends.high) == (1.0, 1.0)
    assert 0.6 < ends.low < 0.95


def test_more_rows_of_a_perfect_ranking_have_a_shorter_interval():
    lows = [area_interval(np.arange(2.0 * n), np.arange(2 * n) >= n, None, 0.95)[1].low for n in (1, 5, 50, 500)]
    assert lows == sorted(lows)
    assert lows[-1] > 0.99


def test_an_interval_near_a_perfect_ranking_is_near_that_of_it():
    """One negative row of 10,000 moves above one of ten positive rows: the interval does not jump."""
    scores, positive = np.r_[np.arange(10_000.0), 20_000.0 + np.arange(10)], np.arange(10_010) >= 10_000
    perfect = area_interval(scores, positive, None, 0.95)[1]
    scores[0] = 20_000.5
    assert area_interval(scores, positive, None, 0.95)[1] == pytest.approx(tuple(perfect), abs=1e-3)


def test_the_worst_ranking_mirrors_the_best():
    positive = np.arange(12) >= 6
    best, worst = (area_interval(sign * np.arange(12.0), positive, None, 0.95)[1] for sign in (1, -1))
    assert worst == pytest.approx((1 - best.high, 1 - best.low))


def test_one_positive_row_still_has_an_interval():
    scores, positive = np.array([0.1, 0.5, 0.3]), np.array([False, False, True])
    area, ends = area_interval(scores, positive, None, 0.95)
    assert 0 <= ends.low < area < ends.high <= 1
    difference, ends = area_difference(scores, scores[::-1].copy(), positive, None, 0.95)
    assert -1 <= ends.low < difference < ends.high <= 1


def test_a_weight_of_two_is_the_row_twice():
    one, positive = drawn(3)
    other, weight = drawn(4)[0], np.where(np.arange(80) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(80), weight.astype(int))
    weighted = area_difference(one, other, positive, weight, 0.95)
    repeated = area_difference(one[twice], other[twice], positive[twice], None, 0.95)
    assert weighted[0] == pytest.approx(repeated[0])
    assert weighted[1] == pytest.approx(tuple(repeated[1]))


def test_a_difference_the_other_way_round_has_the_opposite_interval():
    one, positive = drawn(5)
    other = drawn(6)[0]
    low, high = area_difference(one, other, positive, None, 0.95)[1]
    assert area_difference(other, one, positive, None, 0.95)[1] == pytest.approx((-high, -low))


def test_correlated_areas_have_a_shorter_interval_of_their_difference():
    def width(shared):
        covariances = [np.array([[0.002, shared], [shared, 0.002]])] * 2
        low, high = placement_difference((0.8, 0.75), covariances, (50, 50), 0.95)
        return high - low

    assert width(0.0015) < 0.6 * width(0.0) < width(-0.001)
