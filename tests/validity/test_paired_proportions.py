"""The difference of two accuracies: how often `compare` finds one where there is none, counted over all tables."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from calibrant.metrics import compare, evaluate

N_ROWS = 100
Y = np.arange(N_ROWS) % 2


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
    assert size <= 0.052  # mid-p tests may exceed their level by a little
