"""Frequencies of a tree's leaves, some of them 0 or 1: no map on the log-odds makes them worse than they were."""

import numpy as np
import pytest
from scipy.special import expit

from calibrant.calibration import (
    Beta,
    CalibratedClassifier,
    MatrixScaling,
    Platt,
    QuadraticLogit,
    Spline,
    Temperature,
    VectorScaling,
)
from calibrant.trees import ProbabilityTreeClassifier

DRAWS = 8


def draw(random, n_rows):
    X = random.normal(size=(n_rows, 6))
    return X, random.random(n_rows) < expit(1.5 * X[:, 0] + X[:, 1] * X[:, 2])


@pytest.fixture(scope="module")
def trees():
    """Return held-out scores of 300 rows with their classes, and scores of 4,000 fresh rows with theirs."""
    made = []
    for seed in range(DRAWS):
        random = np.random.default_rng(seed)
        tree = ProbabilityTreeClassifier(estimate="frequency", min_leaf=5)
        fitted = CalibratedClassifier(tree, "platt").fit(*draw(random, 300))
        X, y = draw(random, 4000)
        held_out = fitted.held_out_
        made.append((held_out.scores.ravel(), held_out.y, fitted.estimator_.predict_proba(X)[:, 1], y))
    return made


def test_some_scores_are_certain_and_some_of_those_wrong(trees):
    certain = [(scores == 0) | (scores == 1) for scores, *_ in trees]
    wrong = [((scores == 0) & y) | ((scores == 1) & ~y) for scores, y, *_ in trees]
    assert 0.04 < np.mean(certain) < 0.15
    assert np.mean(wrong) > 0.003


@pytest.mark.parametrize(
    "kind",
    [Platt, Beta, Temperature, VectorScaling, QuadraticLogit, Spline, MatrixScaling],
    ids=lambda kind: kind.__name__,
)
def test_a_map_does_not_raise_the_brier_score(trees, kind):
    raw = np.mean([np.mean((scores - y) ** 2) for _, _, scores, y in trees])
    mapped = np.mean([np.mean((kind().fit(old, was).predict(scores) - y) ** 2) for old, was, scores, y in trees])
    assert mapped < raw + 0.002  # .2038 raw; with a clip at 1e-12 Platt's sigmoid had .2297, beta .2210
