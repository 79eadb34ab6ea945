"""Sign and signed-rank tests: against all signs in turn, SciPy, and what their intervals promise."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from calibrant.comparison import sign_test, wilcoxon
from calibrant.exceptions import DataError, ParameterError

SEEDS = st.integers(0, 2**32 - 1)
TESTS = [sign_test, wilcoxon]


def whole_numbers(seed: int, most: int = 10) -> np.ndarray:
    """Small whole numbers, with ties and zeros among them."""
    random = np.random.default_rng(seed)
    return random.integers(-4, 6, random.integers(2, most)).astype(float)


def by_all_signs(d: np.ndarray, zeros: str) -> float:
    """The share of all signs whose positive rank sum is at least as far from the middle."""
    kept = d if zeros == "pratt" else d[d != 0]
    ranks = scipy.stats.rankdata(np.abs(kept))[kept != 0] if len(kept) else np.empty(0)
    signs = np.array(list(product([0, 1], repeat=len(ranks)))).reshape(2 ** len(ranks), len(ranks))
    sums, seen = signs @ ranks, ranks[kept[kept != 0] > 0].sum()
    middle = ranks.sum() / 2
    return float((np.abs(sums - middle) >= abs(seen - middle) - 1e-9).mean())


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@given(seed=SEEDS)
def test_wilcoxons_p_value_counts_all_signs_with_ties_and_zeros(zeros: str, seed: int) -> None:
    d = whole_numbers(seed)
    assert wilcoxon(d, np.zeros(len(d)), zeros=zeros).pvalue == pytest.approx(by_all_signs(d, zeros))


@given(SEEDS)
def test_without_ties_wilcoxons_test_is_scipys(seed: int) -> None:
    random = np.random.default_rng(seed)
    d = random.normal(0.2, 1, random.integers(5, 45))
    ours, theirs = wilcoxon(d, np.zeros(len(d))), scipy.stats.wilcoxon(d, method="exact")
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert min(ours.statistic, len(d) * (len(d) + 1) / 2 - ours.statistic) == theirs.statistic


def test_with_many_pairs_the_normal_approximation_continues_the_exact_p_values() -> None:
    d = np.random.default_rng(1).normal(0.12, 1, 201)
    exact, normal = wilcoxon(d[:200], np.zeros(200)), wilcoxon(d, np.zeros(201))
    assert "exact" in exact.test
    assert "normal approximation" in normal.test
    assert normal.pvalue == pytest.approx(scipy.stats.wilcoxon(d, correction=True, method="approx").pvalue, rel=1e-9)
    assert normal.pvalue == pytest.approx(exact.pvalue, rel=0.5)


def test_the_pseudo_median_is_that_of_all_averages_of_two() -> None:
    d = np.random.default_rng(2).normal(size=31)
    averages = [(d[i] + d[j]) / 2 for i in range(31) for j in range(i, 31)]
    assert wilcoxon(d, np.zeros(31)).difference == pytest.approx(np.median(averages), rel=1e-12)


@given(SEEDS)
def test_wilcoxons_interval_is_what_the_test_does_not_reject(seed: int) -> None:
    d = np.random.default_rng(seed).normal(size=12)
    found = wilcoxon(d, np.zeros(12), confidence=0.9)
    for end, outward in ((found.low, -1e-9), (found.high, 1e-9)):
        assert wilcoxon(d, np.full(12, end + outward)).pvalue <= 0.1
        assert wilcoxon(d, np.full(12, end - outward)).pvalue > 0.1


@given(SEEDS)
def test_the_sign_test_is_scipys(seed: int) -> None:
    d = whole_numbers(seed, 30)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    expected = scipy.stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(d, np.zeros(len(d))).pvalue == pytest.approx(expected)


@pytest.mark.parametrize("n", [6, 9, 17, 40])
def test_the_interval_of_the_median_is_as_short_as_its_confidence_allows(n: int) -> None:
    """Between the k-th values from both ends; k + 1 would cover less than it says."""
    found = sign_test(np.arange(1.0, n + 1), np.zeros(n))
    k = int(found.low)
    assert found.high == n + 1 - k
    cover = 1 - 2 * scipy.stats.binom.cdf([k - 1, k], n, 0.5)
    assert cover[0] >= 0.95 > cover[1]


@pytest.mark.parametrize("test", TESTS)
def test_few_pairs_have_an_infinite_interval(test: Any) -> None:
    result = test([1, 2, 3], [0, 0, 0])
    assert (result.low, result.high, result.pvalue) == (-np.inf, np.inf, 0.25)


@pytest.mark.parametrize("test", TESTS)
def test_differences_that_are_equal_up_to_rounding_are_equal(test: Any) -> None:
    """0.3 - 0.2, 0.9 - 0.8 and 0.6 - 0.5 are three numbers to a computer."""
    a, b = np.array([0.3, 0.9, 0.6, 0.4, 0.71]), np.array([0.2, 0.8, 0.5, 0.5, 0.71])
    assert test(a, b).pvalue == test([1, 1, 1, -1, 0], [0] * 5).pvalue
    assert test(a, b).n_different == 4


@pytest.mark.parametrize("test", TESTS)
def test_swapping_the_methods_reverses_the_result(test: Any) -> None:
    d = np.random.default_rng(3).normal(0.5, 1, 20)
    one, other = test(d, np.zeros(20)), test(np.zeros(20), d)
    assert one.pvalue == other.pvalue
    assert (one.difference, one.low, one.high) == pytest.approx((-other.difference, -other.high, -other.low))


@pytest.mark.parametrize("test", TESTS)
def test_the_repr_of_equal_pairs_calls_them_equal(test: Any) -> None:
    result = test(np.ones(8), np.ones(8))
    assert (result.pvalue, result.difference) == (1, 0)
    assert repr(result).startswith("a and b are equal in every pair: ")
    assert test([*np.ones(8), 2, 3], [*np.ones(8), 1, 4]).n_different == 2


def test_the_repr_has_the_measure_and_the_assumptions() -> None:
    text = repr(wilcoxon(np.arange(1, 11), np.zeros(10), names=("forest", "tree")))
    assert text == (
        "forest is greater than tree by 5.5 (pseudo-median of the differences, 95 % interval 3 to 8): Wilcoxon "
        "signed-rank test (exact) of 10 pairs (0 equal), W = 55, p = 0.00195, a single comparison. Assumed: the "
        "pairs are independent and their differences symmetric about a middle."
    )
    text = repr(sign_test([1, 2, 3, 0, 5], [0, 3, 0, 0, 0], names=("forest", "tree")))
    assert text.startswith("forest and tree are not shown to differ; the median difference is ")
    assert "sign test of 5 pairs (1 equal), wins = 3, p = 0.625" in text


@pytest.mark.parametrize("test", TESTS)
def test_wrong_input_is_named(test: Any) -> None:
    with pytest.raises(DataError, match="needs at least 2 pairs"):
        test([1], [2])
    with pytest.raises(ParameterError, match="confidence must be a number"):
        test([1, 2], [2, 3], confidence=95)


def test_limits_and_middle_are_averages_of_two_differences_to_the_bit() -> None:
    differences = np.array([-3.0, -1.0, -0.1, 0.1, 0.7, 1.0, 3.0, 0.3])
    one, other = np.triu_indices(8)
    averages = set(((differences[one] + differences[other]) / 2).tolist())
    result = wilcoxon(differences, np.zeros(8))
    assert {result.low, result.high} <= averages
    assert wilcoxon([1, -1, 2, -2], np.zeros(4)).difference == 0.0


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
@pytest.mark.parametrize("n", [3, 20])
def test_the_repr_of_few_equal_pairs_calls_them_equal(test: Any, n: int) -> None:
    assert repr(test(np.ones(n), np.ones(n))).startswith("a and b are equal in every pair: ")
