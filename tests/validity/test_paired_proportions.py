"""The difference of two accuracies: coverage of its interval, and false findings of `compare`, over all tables."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from calibrant.metrics import compare, evaluate
from calibrant.metrics._intervals.intervals import score_difference

N_ROWS = 100
Y = np.arange(N_ROWS) % 2
SHARES = [(0.1, 0.02), (0.1, 0.0), (0.05, 0.0), (0.05, 0.05), (0.2, 0.1), (0.01, 0.01), (0.3, 0.3)]


@pytest.mark.parametrize("shares", SHARES)
def test_the_interval_covers_the_difference_in_93_of_a_hundred_tables(shares: tuple[float, float]) -> None:
    """The share of rows that each is alone right in; an interval given the number of such rows covers 51 to 99 %."""
    covered, n_first = 0.0, scipy.stats.binom(N_ROWS, shares[0])
    for only_first in range(N_ROWS + 1):
        n_second = scipy.stats.binom(N_ROWS - only_first, shares[1] / (1 - shares[0]))
        chances = n_first.pmf(only_first) * n_second.pmf(np.arange(N_ROWS - only_first + 1))
        for only_second in np.flatnonzero(chances > 1e-5).tolist():
            low, high = score_difference(only_first, only_second, N_ROWS, 0.95)
            covered += chances[only_second] * (low <= shares[0] - shares[1] <= high)
    assert 0.93 <= covered <= 0.99


def finds_a_difference(only_first: int, only_second: int) -> bool:
    right = np.ones((2, N_ROWS), dtype=bool)
    right[1, :only_first] = right[0, only_first : only_first + only_second] = False
    cards = (evaluate(Y, np.where(each == Y, 0.9, 0.1), metrics=["accuracy"], n_boot=200) for each in right)
    return compare(*cards)["accuracy"].better != ""


@pytest.mark.parametrize("discordance", [0.02, 0.05, 0.1])
def test_equal_accuracies_are_found_unequal_in_at_most_five_of_a_hundred_tables(discordance: float) -> None:
    """Of the differing rows each is one's or the other's by a fair coin; a bootstrap finds 9.5 % at a share of 5 %."""
    size = 0.0
    for n_different in range(1, 21):
        chance = scipy.stats.binom.pmf(n_different, N_ROWS, discordance)
        if chance > 1e-4:
            wins = np.arange(n_different // 2 + 1)
            found = [k for k in wins.tolist() if finds_a_difference(n_different - k, k)]
            size += chance * 2 * scipy.stats.binom.pmf(found, n_different, 0.5).sum()
    assert size <= 0.053  # the score test may exceed its level by a little
