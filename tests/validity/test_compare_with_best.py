"""Multiple comparisons with the best: the truly best method is rarely called worse, whichever comes out best."""

from __future__ import annotations

import numpy as np

from calibrant.studies import StudyResults
from calibrant.studies._table_comparison.against_best import compare_with_best

N_METHODS, N_FOLDS, N_TABLES = 8, 10, 300


def called_worse(means, seed):
    """Return, for each of many tables, which methods are called worse than the one that came out best."""
    rng = np.random.default_rng(seed)
    found = np.zeros((N_TABLES, N_METHODS), dtype=bool)
    names = [f"m{i}" for i in range(N_METHODS)]
    for table in range(N_TABLES):
        # Folds share training rows, so that the means of methods err together over a table: correlation 1 / 10
        own = rng.normal(scale=np.sqrt(0.1), size=(N_METHODS, 1)) + rng.normal(
            scale=np.sqrt(0.9), size=(N_METHODS, N_FOLDS)
        )
        values = np.asarray(means)[:, np.newaxis] + 0.05 * own + 0.03 * rng.normal(size=N_FOLDS)
        results = StudyResults.from_values({"table": values}, methods=names, metric="mse")
        best = results.best("mse").method
        pairs = compare_with_best(results, "mse", best).pairs
        found[table] = [any(pair.b == name and pair.better == best for pair in pairs) for name in names]
    return found


def test_a_method_that_is_as_good_as_the_best_is_called_worse_at_most_in_5_of_100_tables():
    found = called_worse(np.full(N_METHODS, 1.0), seed=0)
    # 5 % and three standard errors of a share of 300 tables; methods are exchangeable, so that all of them count
    assert found.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / (N_TABLES * N_METHODS))


def test_a_method_that_is_much_worse_is_called_worse():
    found = called_worse([1.0] * (N_METHODS - 1) + [1.2], seed=1)
    assert found[:, -1].mean() > 0.9
    assert found[:, 0].mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / N_TABLES)
