"""Multiple comparisons with the best by rows: a method that is truly the best is rarely called worse."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.resampling._performance.row_contributions import Contributions, TestedRows
from calibrant.resampling._performance.row_statistics import RowStatistics

N_METHODS, N_FOLDS, N_ROWS = 13, 10, 300
NAMES = [f"m{i}" for i in range(N_METHODS)]


def called_worse(means, n_tables, seed):
    """Return, for each of many tables, which methods are called worse than the best at 95 %.

    The loss of a row has a part that all methods share, and a skewed part of its own. Training sets of 270 rows add as
    much variance to the mean of a method as 270 rows do, nine tenths of it shared by all folds, as their rows are.
    """
    rng = np.random.default_rng(seed)
    row, split = np.arange(N_ROWS), np.arange(N_ROWS) % N_FOLDS
    tested = TestedRows(row, split, row, np.ones(N_ROWS), N_FOLDS, N_ROWS, 270, 100.0)
    found = np.zeros((n_tables, N_METHODS), dtype=bool)
    for table in range(n_tables):
        own = rng.exponential(0.3, (N_METHODS, N_ROWS))
        trained = 0.3 / np.sqrt(270) * rng.normal(size=(N_METHODS, N_FOLDS)) * np.sqrt(0.1)
        trained += 0.3 / np.sqrt(270) * rng.normal(size=(N_METHODS, 1)) * np.sqrt(0.9)
        losses = np.asarray(means)[:, np.newaxis] + own + trained[:, split] + rng.exponential(0.5, N_ROWS)
        by_unit = (losses - losses.mean(axis=1, keepdims=True)) / N_ROWS
        known = {
            (name, "loss"): Contributions(each, tested.copies, 99.0) for name, each in zip(NAMES, by_unit, strict=True)
        }
        pvalues = RowStatistics(tested, known).best_pvalues(NAMES, "loss", losses.mean(axis=1))
        found[table] = pvalues <= 0.05
    return found


@pytest.mark.parametrize("n_tables", [200, pytest.param(400, marks=pytest.mark.long)])
def test_of_13_equally_good_methods_any_is_called_worse_at_most_in_5_of_100_tables(n_tables):
    found = called_worse(np.full(N_METHODS, 1.0), n_tables, seed=0)
    assert found.any(axis=1).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)


@pytest.mark.parametrize("n_tables", [100, pytest.param(400, marks=pytest.mark.long)])
def test_a_method_that_is_much_worse_is_called_worse(n_tables):
    found = called_worse([1.0] * (N_METHODS - 1) + [1.2], n_tables, seed=1)
    assert found[:, -1].mean() > 0.9
    assert found[:, :-1].any(axis=1).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)
