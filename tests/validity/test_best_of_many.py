"""The best of many methods: its apparent score is flattered by the choice, the corrected one is not.

Errors of rows are drawn with a known rate for each method, independent or, as those of methods on the same rows are,
correlated by how difficult a row is. The truth is the rate of the method that is returned. Bounds are four standard
errors of the simulation's mean beside what is stated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from tests.studies.results_of_trials import folds, results

from calibrant.studies import BestMethod
from calibrant.studies._results.best import select_by_rows
from calibrant.studies._results.predictions import predictions_to_parquet
from calibrant.studies._results.study_values import DatasetPlan

N_METHODS, RATE = 50, 0.3
NAMES = [f"method {i}" for i in range(N_METHODS)]


def row_errors(random: np.random.Generator, rates: np.ndarray, n_rows: int, shared: float) -> np.ndarray:
    """Return the rows that each method gets wrong; `shared` is the share of the difficulty that rows have for all."""
    difficulty = math.sqrt(shared) * random.normal(size=n_rows)
    own = math.sqrt(1 - shared) * random.normal(size=(len(rates), n_rows))
    return (difficulty + own < ndtri(rates)[:, np.newaxis]).astype(float)


def fold_errors(random: np.random.Generator, errors: np.ndarray, n_folds: int, n_repeats: int) -> np.ndarray:
    """Return the error of each fold of a repeated cross-validation."""
    found = []
    for _ in range(n_repeats):
        fold = random.permutation(errors.shape[1]) % n_folds
        found += [errors[:, fold == number].mean(axis=1) for number in range(n_folds)]
    return np.stack(found, axis=1)


def simulate(
    n_draws: int,
    rates: np.ndarray,
    *,
    n_rows: int = 100,
    n_folds: int = 10,
    n_repeats: int = 1,
    shared: float = 0.0,
    seed: int = 0,
) -> tuple[np.ndarray, list[BestMethod]]:
    """Return apparent and corrected errors less the true rate of the method returned, and the results."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(n_draws):
        values = fold_errors(random, row_errors(random, rates, n_rows, shared), n_folds, n_repeats)
        study = results({"rows": values}, NAMES[: len(rates)], folds(n_folds, n_repeats, n_rows), "error")
        found.append(study.best("error"))
    return deviations(found, rates), found


def deviations(found: list[BestMethod], rates: np.ndarray) -> np.ndarray:
    return np.array([np.array([each.apparent, each.corrected]) - rates[NAMES.index(each.method)] for each in found])


def four_errors(values: np.ndarray) -> float:
    return 4 * float(values.std(ddof=1)) / math.sqrt(len(values))


@pytest.mark.parametrize(
    "options", [{}, {"shared": 0.5}, {"n_folds": 5}, {"n_folds": 2}, {"n_folds": 5, "n_repeats": 4}], ids=str
)
def test_of_equally_good_methods_the_apparent_error_is_flattered_and_the_corrected_is_not(options: Any) -> None:
    """50 methods with an error of 0.30 on 100 rows: the best seems to have 0.20 to 0.22, corrected 0.30 +- 0.01."""
    off, _ = simulate(100, np.full(N_METHODS, RATE), **options)
    apparent, corrected = off.mean(axis=0)
    assert apparent < -0.07
    assert abs(corrected) < 0.01 + four_errors(off[:, 1])


def test_choosing_by_folds_of_other_repeats_would_flatter() -> None:
    """Folds of another repeat test the same rows: were they units too, a fifth of the flattery and more would stay."""
    random = np.random.default_rng(0)
    mixed = []
    for _ in range(40):
        values = fold_errors(random, row_errors(random, np.full(N_METHODS, RATE), 100, 0.0), 5, 10)
        study = results({"rows": values}, NAMES, one_repeat(50), "error")
        mixed.append(study.best("error").corrected - RATE)
    assert np.mean(mixed) < -0.02


def one_repeat(n_splits: int) -> DatasetPlan:
    sizes = np.full(n_splits, 20)
    return DatasetPlan("", tuple(map(str, range(n_splits))), 4 * sizes, sizes, n_splits, has_disjoint_tests=True)


def test_one_truly_better_method_is_found_and_its_error_is_not_flattered() -> None:
    """An error of 0.10 among 49 of 0.30: found in 95 % of the draws, corrected between 0.10 and 0.13 on average."""
    rates = np.full(N_METHODS, RATE)
    rates[17] = 0.1
    off, found = simulate(100, rates)
    assert np.mean([each.method == NAMES[17] for each in found]) >= 0.95
    assert -four_errors(off[:, 1]) < off[:, 1].mean() < 0.03 + four_errors(off[:, 1])


def test_a_method_that_is_rarely_found_is_corrected_to_the_careful_side() -> None:
    """An error of 0.25 among 49 of 0.30: the corrected score is not too good, and too bad by 0.02 at most."""
    rates = np.full(N_METHODS, RATE)
    rates[17] = 0.25
    off, _ = simulate(100, rates)
    assert off[:, 0].mean() < -0.06
    assert -four_errors(off[:, 1]) < off[:, 1].mean() < 0.02 + four_errors(off[:, 1])


@pytest.mark.parametrize("n_repeats", [1, 5])
def test_the_interval_of_the_corrected_score_covers_the_truth(n_repeats: int) -> None:
    """At 95 % in at least 95 % of the draws less four standard errors; by the rows of the best method."""
    random, covers, y = np.random.default_rng(0), [], np.arange(100) % 2
    for _ in range(50):
        errors = row_errors(random, np.full(N_METHODS, RATE), 100, 0.0)
        tests = [random.permutation(100)[first::5] for _ in range(n_repeats) for first in range(5)]
        values = np.stack([errors[:, rows].mean(axis=1) for rows in tests], axis=1)

        def read(_: str, method: str, errors: np.ndarray = errors, tests: list[np.ndarray] = tests) -> Any:
            predicted = np.where(errors[NAMES.index(method)] == 1, 1 - y, y)
            proba = np.eye(2)[predicted]
            return [(i, predictions_to_parquet(rows, y[rows], proba[rows], [0, 1])) for i, rows in enumerate(tests)]

        study = results({"rows": values}, NAMES, folds(5, n_repeats, 100), "error", read_predictions=read)
        found = study.best("error")
        covers.append(found.low <= RATE <= found.high)
    assert np.mean(covers) >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 50)


@pytest.mark.sample(2)
@pytest.mark.parametrize("n_splits", [1, 5])
def test_rows_correct_the_choice_where_splits_overlap_or_there_is_one(n_splits: int) -> None:
    """20 equal methods on test sets of 50 rows: flattered by more than 0.05, corrected 0.30 +- 0.01."""
    random = np.random.default_rng(1)
    off = []
    for _ in range(60):
        errors = row_errors(random, np.full(20, RATE), 150, 0.3)
        rows = np.concatenate([random.permutation(150)[:50] for _ in range(n_splits)])
        tested = errors[:, rows]
        corrected = select_by_rows(lambda i, w, e=tested: float(e[i] @ w / w.sum()), float, 20, rows).score
        # The mean error of all methods on these rows instead of the rate: what the draw of the rows adds cancels
        off.append((tested.mean(axis=1).min() - tested.mean(), corrected - tested.mean()))
    apparent, corrected = np.mean(off, axis=0)
    assert apparent < -0.05
    assert abs(corrected) < 0.01 + four_errors(np.array(off)[:, 1])


def test_over_data_sets_the_corrected_rank_of_equal_methods_is_the_middle_one() -> None:
    """Ten equal methods on 20 data sets: a mean rank of 4.4 seems better than 5.5; corrected it is 5.5 +- 0.1."""
    random = np.random.default_rng(2)
    ranks, scores = [], []
    for _ in range(80):
        level = random.uniform(0.1, 0.4, 20)
        values = {f"set {i}": random.normal(level[i], 0.02, (10, 1)) for i in range(20)}
        best = results(values, NAMES[:10], folds(1), "mse").best("mse")
        ranks.append((best.mean_rank, best.corrected_mean_rank))
        scores.append((best.apparent - level.mean(), best.corrected - level.mean()))
    (apparent, corrected), (flattered, score) = np.mean(ranks, axis=0), np.mean(scores, axis=0)
    assert apparent < 4.7
    assert abs(corrected - 5.5) < 0.1 + four_errors(np.array(ranks)[:, 1])
    assert flattered < -0.004
    assert abs(score) < 0.001 + four_errors(np.array(scores)[:, 1])


def test_over_data_sets_a_better_method_is_found() -> None:
    random = np.random.default_rng(3)
    found = []
    for _ in range(60):
        shift = np.r_[np.zeros(9), -0.03]
        values = {f"set {i}": random.normal(0.2 + shift, 0.02)[:, np.newaxis] for i in range(20)}
        found.append(results(values, NAMES[:10], folds(1), "mse").best("mse"))
    assert np.mean([each.method == NAMES[9] for each in found]) >= 0.95
    assert abs(np.mean([each.corrected for each in found]) - 0.17) < 0.003
