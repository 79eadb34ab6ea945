"""Intervals of the area under the ROC curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, rankdata

from calibrant.metrics import compare, evaluate, proportion_interval


def area_of(scores, positive, weight=None, confidence=0.95):
    return evaluate(positive, scores, metrics=["auc"], sample_weight=weight, confidence=confidence)["auc"]


def difference_of(one, other, positive, weight=None):
    cards = [evaluate(positive, scores, metrics=["auc"], sample_weight=weight) for scores in (one, other)]
    return compare(*cards)["auc"]


def drawn(seed, n=80):
    """Draw scores with ties, of two classes, on 18 values from 0 on."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    positive[:2], positive[2:4] = True, False
    return (rng.integers(0, 15, n) + 3 * positive) / 20, positive


def delongs(positive, *scores):
    """Return the areas and their covariances by the ranks of Sun & Xu (2014)."""
    placed = [[], []]
    for each in scores:
        for which, rows in enumerate((positive, ~positive)):
            below = (rankdata(each)[rows] - rankdata(each[rows])) / (~rows).sum()
            placed[which].append(below if which == 0 else 1 - below)
    parts = [np.atleast_2d(np.cov(each)) / len(each[0]) for each in placed]
    return [np.mean(each) for each in placed[0]], sum(parts)


@pytest.mark.parametrize("seed", range(5))
def test_areas_and_their_difference_are_means_over_all_pairs(seed):
    one, positive = drawn(seed)
    other = drawn(seed + 100)[0]
    above, below = (np.stack([one, other])[:, rows] for rows in (positive, ~positive))
    signs = np.sign(above[:, :, None] - below[:, None, :])
    areas = (0.5 + 0.5 * signs).mean(axis=(1, 2))
    assert [area_of(each, positive).value for each in (one, other)] == pytest.approx(areas)
    assert difference_of(one, other, positive).difference == pytest.approx(areas[0] - areas[1])


def test_with_many_rows_the_interval_is_delongs_on_the_scale_of_log_odds():
    scores, positive = drawn(0, 20_000)
    (area,), covariance = delongs(positive, scores)
    reach = norm.ppf(0.975) * np.sqrt(covariance[0, 0]) / (area * (1 - area))
    found = area_of(scores, positive)
    assert (found.low, found.high) == pytest.approx(tuple(expit(logit(area) + np.array([-reach, reach]))), abs=1e-5)


def test_with_many_rows_the_interval_of_a_difference_is_delongs():
    one, positive = drawn(0, 20_000)
    other = expit(one + np.random.default_rng(1).normal(0, 0.3, len(one)))
    areas, covariance = delongs(positive, one, other)
    error = np.sqrt(np.array([1, -1]) @ covariance @ [1, -1])
    found = difference_of(one, other, positive)
    assert found.difference == pytest.approx(areas[0] - areas[1])
    expected = found.difference + norm.ppf([0.025, 0.975]) * error
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-4)


def test_rows_that_are_all_right_or_all_wrong_have_about_wilsons_interval():
    """The placements of 400 positive rows are then a proportion, and the negative rows add no variance."""
    positive = np.arange(10_400) < 400
    found = area_of(np.where(np.arange(10_400) < 320, 0.9, np.where(positive, 0.1, 0.5)), positive)
    assert found.value == pytest.approx(0.8)
    assert (found.low, found.high) == pytest.approx(tuple(proportion_interval(320, 400)), abs=1e-3)


def test_a_perfect_ranking_has_an_interval():
    found = area_of(np.arange(20) / 20, np.arange(20) >= 10)
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.6 < found.low < 0.95


def test_more_rows_of_a_perfect_ranking_have_a_shorter_interval():
    lows = [area_of(np.arange(2 * n) / (2 * n), np.arange(2 * n) >= n).low for n in (1, 5, 50, 500)]
    assert lows == sorted(lows)
    assert lows[-1] > 0.99


def test_an_interval_near_a_perfect_ranking_is_near_that_of_it():
    """One negative row of 10,000 moves above one of ten positive rows: the interval does not jump."""
    scores, positive = np.r_[np.arange(10_000.0), 20_000.0 + np.arange(10)] / 30_000, np.arange(10_010) >= 10_000
    perfect = area_of(scores, positive)
    scores[0] = 20_000.5 / 30_000
    moved = area_of(scores, positive)
    assert moved.value < perfect.value == 1.0
    assert (moved.low, moved.high) == pytest.approx((perfect.low, perfect.high), abs=1e-3)


def test_the_worst_ranking_mirrors_the_best():
    scores, positive = np.arange(12) / 11, np.arange(12) >= 6
    best, worst = area_of(scores, positive), area_of(1 - scores, positive)
    assert (worst.low, worst.high) == pytest.approx((1 - best.high, 1 - best.low))


def test_one_positive_row_still_has_an_interval():
    scores, positive = np.array([0.1, 0.5, 0.3]), np.array([False, False, True])
    found = area_of(scores, positive)
    assert 0 <= found.low < found.value < found.high <= 1
    apart = difference_of(scores, scores[::-1], positive)
    assert -1 <= apart.low < apart.difference < apart.high <= 1


def test_a_weight_of_two_is_the_row_twice():
    one, positive = drawn(3)
    other, weight = drawn(4)[0], np.where(np.arange(80) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(80), weight.astype(int))
    weighted = difference_of(one, other, positive, weight)
    repeated = difference_of(one[twice], other[twice], positive[twice])
    for name in ("difference", "low", "high"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))


def test_a_difference_the_other_way_round_has_the_opposite_interval():
    one, positive = drawn(5)
    other = drawn(6)[0]
    there, back = difference_of(one, other, positive), difference_of(other, one, positive)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))


def test_correlated_areas_have_a_shorter_interval_of_their_difference():
    rng, positive = np.random.default_rng(0), np.arange(2000) % 2 == 0
    noise, own = rng.normal(size=(2, 2000))

    def width(other):
        found = difference_of(expit(positive + noise), expit(positive + other), positive)
        return found.high - found.low

    assert width(0.9 * noise + 0.44 * own) < 0.6 * width(own) < 0.6 * width(-noise)
