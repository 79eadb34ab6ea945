"""The coverage of intervals over splits, of the mean performance over training sets of that size, is near nominal."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics import error
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

TREE = ProbabilityTreeClassifier(min_leaf=10)
N_SETS, N_ROWS = 150, 200
LEAST = 0.86  # 0.95 less five standard errors of 150 sets


def draw(rng: np.random.Generator, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n_rows, 5))
    chance = 1 / (1 + np.exp(-(X[:, 0] + X[:, 1] * X[:, 2])))
    return X, (rng.random(n_rows) < chance).astype(int)


def true_error(rng: np.random.Generator, n_rows: int) -> float:
    many, outcome = draw(rng, 20_000)
    fitted = (TREE.fit(*draw(rng, n_rows)).predict_proba(many) for _ in range(300))
    return float(np.mean([error(outcome, proba) for proba in fitted]))


@pytest.mark.long
def test_intervals_of_ten_times_tenfold_cross_validation_cover_the_true_error() -> None:
    rng = np.random.default_rng(0)
    truth, n_covering = true_error(rng, N_ROWS * 9 // 10), 0
    for _ in range(N_SETS):
        score = estimate_performance(TREE, *draw(rng, N_ROWS), CrossValidation(10, 10), ["error"]).score("error")
        n_covering += score.low is not None and score.high is not None and score.low <= truth <= score.high
    assert n_covering / N_SETS > LEAST
