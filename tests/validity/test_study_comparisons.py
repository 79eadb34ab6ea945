"""A study compares its methods by tests that keep their level for the plan that was used."""

from __future__ import annotations

import math

import numpy as np
from tests.studies.results_of_trials import columns_of, dataset_plan

from calibrant.comparison import corrected_resampled_t_test
from calibrant.resampling import Bootstrap632
from calibrant.studies._results.read_study import read_results

N_ROWS, N_DRAWS, N_TABLES = 100, 30, 150
METHODS = ["first block", "second block"]


def nearest_centroid_errors(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[int], list[int]]:
    """Return errors on out-of-bag rows and on training rows, by method and draw, and the numbers of rows.

    The same method on two blocks of columns that are equally good on average over tables (docs/size_of_tests.md).
    """
    y = np.arange(N_ROWS) % 2
    X = random.normal(size=(N_ROWS, 10)) + 0.5 * y[:, np.newaxis]
    test, training = np.empty((2, N_DRAWS)), np.empty((2, N_DRAWS))
    n_train, n_test = [], []
    for draw in range(N_DRAWS):
        drawn = random.integers(0, N_ROWS, N_ROWS)
        is_out = ~np.isin(np.arange(N_ROWS), drawn)
        n_train.append(int((~is_out).sum()))
        n_test.append(int(is_out.sum()))
        for block in range(2):
            Z = X[:, 5 * block : 5 * block + 5]
            centroids = [Z[drawn][y[drawn] == label].mean(axis=0) for label in (0, 1)]
            zero, one = (((Z - centroid) ** 2).sum(axis=1) for centroid in centroids)
            wrong = (one < zero) != (y == 1)
            test[block, draw], training[block, draw] = wrong[is_out].mean(), wrong[drawn].mean()
    return test, training, n_train, n_test


def test_after_a_bootstrap_the_comparison_keeps_its_level_where_that_of_632_values_would_not() -> None:
    """At 5 %: by out-of-bag rows in at most 5 % and two standard errors of the tables, by .632 values in over 9 %."""
    random = np.random.default_rng(0)
    held, combined = [], []
    for _ in range(N_TABLES):
        test, training, n_train, n_test = nearest_centroid_errors(random)
        plan = dataset_plan(Bootstrap632(N_DRAWS), [str(i) for i in range(N_DRAWS)], n_train, n_test)
        values = {("test", "error"): {"rows": test}, ("training", "error"): {"rows": training}}
        names = {"datasets": ["rows"], "methods": METHODS, "metrics": ["error"], "plans": {"rows": plan}}
        held.append(bool(read_results("test", columns_of(values, METHODS), **names).compare("error").differences))
        both = 0.632 * test + 0.368 * training
        combined.append(corrected_resampled_t_test(*both, n_train=n_train, n_test=n_test).pvalue <= 0.05)
    assert np.mean(held) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / N_TABLES)
    assert np.mean(combined) > 0.09
