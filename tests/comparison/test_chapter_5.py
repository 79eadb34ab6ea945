"""Every worked number of Witten, Frank & Hall (2011), chapter 5, on intervals and t-tests, its slips named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, stdtr

from calibrant.comparison import corrected_resampled_t_test, paired_t_test, proportion_interval, unpaired_t_test

TABLE_5_1 = {0.001: 3.09, 0.005: 2.58, 0.01: 2.33, 0.1: 1.28, 0.2: 0.84, 0.4: 0.25}
TABLE_5_2 = {0.001: 4.30, 0.005: 3.25, 0.01: 2.82, 0.05: 1.83, 0.1: 1.38, 0.2: 0.88}


def normal_limit(confidence: float) -> float:
    """Return the z that an interval of no successes takes: its upper end is z^2 / (n + z^2)."""
    high = proportion_interval(0, 1, confidence).high
    return float(np.sqrt(high / (1 - high)))


def with_statistic(t: float, n: int) -> np.ndarray:
    """Return n differences whose mean is t times their standard error."""
    noise = np.linspace(-1, 1, n)
    return noise + t * np.sqrt(noise.var(ddof=1) / n)


@pytest.mark.parametrize(("tail", "z"), TABLE_5_1.items())
def test_table_5_1_has_the_limits_of_the_normal_distribution(tail: float, z: float) -> None:
    assert round(normal_limit(1 - 2 * tail), 2) == z


def test_table_5_1_prints_a_limit_rounded_up_at_5_percent() -> None:
    """1.65 where the limit is 1.645: "Pr[-1.65 <= X <= 1.65] = 90 %" is 90.1 %."""
    assert normal_limit(0.9) == pytest.approx(1.6449, abs=1e-4)
    assert ndtr(1.65) - ndtr(-1.65) == pytest.approx(0.9011, abs=1e-4)


@pytest.mark.parametrize(
    ("n", "low", "high"), [(1000, 0.732, 0.767), (100, 0.691, 0.801), (10, 0.549, 0.881)], ids=["1000", "100", "10"]
)
def test_section_5_2_a_success_rate_of_75_percent_has_these_limits(n: int, low: float, high: float) -> None:
    """Confidence 80 %, z rounded to 1.28; the last has 7.5 successes of 10."""
    found = proportion_interval(0.75 * n, n, z=1.28)
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_section_5_2_the_limits_solve_the_quadratic(n: int) -> None:
    """(f - p) / sqrt(p (1 - p) / N) is z at one end and -z at the other."""
    ends = proportion_interval(0.75 * n, n, z=1.28)
    assert [(0.75 - p) / np.sqrt(p * (1 - p) / n) for p in ends] == pytest.approx([1.28, -1.28])


@pytest.mark.parametrize(("share", "z"), TABLE_5_2.items())
def test_table_5_2_has_the_limits_of_ten_pairs(share: float, z: float) -> None:
    result = paired_t_test(with_statistic(z, 10), np.zeros(10))
    assert (result.statistic, result.df) == (pytest.approx(z), 9)
    assert result.pvalue == pytest.approx(2 * share, rel=0.015)
    assert stdtr(9, -(z + 0.01)) < share < stdtr(9, -(z - 0.01))


def test_section_5_5_a_test_at_1_percent_takes_the_limit_of_half_a_percent() -> None:
    d = with_statistic(0.0, 10)
    below, above = (paired_t_test(d + shift, np.zeros(10), confidence=0.99) for shift in _shifts(d, 3.24, 3.26))
    assert (below.is_significant, above.is_significant) == (False, True)


def test_section_5_5_unpaired_samples_have_the_degrees_of_freedom_of_the_smaller() -> None:
    a, b = np.array([0.8, 0.9, 0.7, 0.85]), np.array([0.6, 0.8, 0.7])
    result = unpaired_t_test(a, b)
    assert result.statistic == pytest.approx((a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / 4 + b.var(ddof=1) / 3))
    assert result.df == 2


def test_section_5_5_more_runs_make_the_plain_statistic_grow_without_bound_and_the_corrected_one_not() -> None:
    d = with_statistic(2.0, 10)
    few, many = np.tile(d, 1), np.tile(d, 1000)
    plain = [paired_t_test(each, np.zeros(len(each))).statistic for each in (few, many)]
    corrected = [
        corrected_resampled_t_test(each, np.zeros(len(each)), n_train=9, n_test=1).statistic for each in (few, many)
    ]
    assert plain[1] > 30 * plain[0]
    assert corrected[1] < 1.6 * corrected[0]


def test_section_5_5_ten_times_tenfold_has_k_10_and_a_ratio_of_a_ninth() -> None:
    """k = 10 beside the variance of 100 differences: Nadeau and Bengio, and Weka, have k = 100."""
    d = with_statistic(3.0, 100)
    book = corrected_resampled_t_test(d, np.zeros(100), n_train=0.9, n_test=0.1, k=10)
    assert book.statistic == pytest.approx(d.mean() / np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1)))
    assert book.df == 9


def _shifts(d: np.ndarray, *statistics: float) -> list[float]:
    return [t * float(np.sqrt(d.var(ddof=1) / len(d))) for t in statistics]
