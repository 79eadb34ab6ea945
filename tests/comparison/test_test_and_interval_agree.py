"""No test contradicts its own interval: 0 lies inside it exactly where the test finds no difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from calibrant.comparison import (
    Comparison,
    bonferroni_dunn,
    compare_methods,
    corrected_resampled_t_test,
    five_by_two_test,
    mcnemar_test,
    nemenyi,
    paired_t_test,
    sign_test,
    unpaired_t_test,
    wilcoxon,
    win_tie_loss,
)

LEVELS = (0.8, 0.9375, 0.95, 0.99)  # 0.9375: 1 - 2 / 2^5, the p-value of 5 wins of 5 to the bit
PAIRED: dict[str, Callable[..., Comparison]] = {
    "paired t": paired_t_test,
    "corrected t": partial(corrected_resampled_t_test, n_train=9, n_test=1),
    "corrected t, k = 2": partial(corrected_resampled_t_test, n_train=9, n_test=1, k=2),
    "unpaired t": unpaired_t_test,
    "Welch": partial(unpaired_t_test, df="welch"),
    "sign": sign_test,
    "Wilcoxon": wilcoxon,
    "Wilcoxon, Pratt": partial(wilcoxon, zeros="pratt"),
    "5x2cv t": partial(five_by_two_test, statistic="t"),
    "5x2cv F": partial(five_by_two_test, statistic="f"),
}


def agrees(found: Comparison) -> bool:
    """Whether 0 is inside the interval, or at an end of it, exactly where it may be by the p-value."""
    if found.pvalue > 1 - found.confidence:
        return found.low <= 0 <= found.high
    return not found.low < 0 < found.high


def differences() -> Iterator[np.ndarray]:
    """Ten differences: whole numbers with ties and zeros, normal ones, all equal, and all but a few equal."""
    random = np.random.default_rng(0)
    for shift in np.linspace(-2, 2, 17):
        yield np.rint(random.normal(shift, 1.5, 10))
        yield random.normal(shift, 1.5, 10)
        yield np.where(random.random(10) < 0.6, 0.0, np.rint(random.normal(shift, 1.0, 10)))
    yield from (np.zeros(10), np.ones(10), np.r_[np.ones(5), np.zeros(5)], np.r_[np.ones(6), -9 * np.ones(4)])


@pytest.mark.parametrize("test", PAIRED)
def test_pairs(test: str) -> None:
    for d in differences():
        found = [PAIRED[test](d, np.zeros(10), confidence=level) for level in LEVELS]
        assert all(map(agrees, found)), found


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_signed_ranks_of_few_pairs_of_many_and_of_mostly_equal_ones(zeros: str) -> None:
    random = np.random.default_rng(1)
    for n in (2, 5, 6, 7, 12, 40, 200, 201, 260):
        for share in (0.0, 0.3, 0.9):
            d = np.where(random.random(n) < share, 0.0, np.rint(random.normal(3 / np.sqrt(n), 2, n)))
            found = [wilcoxon(d, np.zeros(n), zeros=zeros, confidence=level) for level in LEVELS]
            assert all(map(agrees, found)), found


@pytest.mark.parametrize("method", ["exact", "mid_p", "chi2", "chi2_corrected"])
@pytest.mark.parametrize("n_same", [0, 200])
@pytest.mark.sample(3)
def test_mcnemars(method: str, n_same: int) -> None:
    for only_a in range(0 if n_same else 1, 10):
        for only_b in range(10):
            a, b = (np.repeat(right, [only_a, only_b, n_same]) for right in ([1, 0, 1], [0, 1, 1]))
            truth = np.ones(len(a), dtype=int)
            found = [mcnemar_test(truth, a, b, method=method, confidence=level) for level in LEVELS]
            assert all(map(agrees, found)), found
            assert all(-1 <= each.low <= each.difference <= each.high <= 1 for each in found)
            assert all(each.low < each.high for each in found)


@pytest.mark.long
def test_methods_over_data_sets() -> None:
    random = np.random.default_rng(2)
    for shift in np.linspace(0, 1, 5):
        table = np.rint(random.normal(0, 0.5, (12, 4)) + shift * np.array([0, 0, 1, 2]))
        for level in LEVELS:
            assert all(agrees(pair.wilcoxon) for pair in compare_methods(table, confidence=level).pairs)
        for outcome in win_tie_loss(table.reshape(1, 12, 4), n_train=2, n_test=1).outcomes:
            assert agrees(outcome.test)
            assert agrees(outcome.corrected)


@pytest.mark.parametrize("test", [nemenyi, partial(bonferroni_dunn, control="method 0")])
def test_mean_ranks_differ_by_the_critical_difference_where_the_p_value_is_small(test: Callable[..., object]) -> None:
    random = np.random.default_rng(3)
    for shift in np.linspace(0, 2, 11):
        found = test(np.rint(random.normal(0, 1, (9, 4)) + shift * np.array([0, 0, 1, 2])), confidence=0.9)
        for (one, other), pvalue in found.pvalues.items():
            gap = abs(found.mean_ranks[one] - found.mean_ranks[other])
            assert (pvalue <= 0.1) == (gap >= found.critical_difference)
