"""Intervals of trees against known probabilities: honest ones cover, adaptive ones do not."""

import numpy as np
import pytest

from calibrant.trees import ProbabilityTreeClassifier

N_SETS, N_ROWS = 30, 2000


def true_chance(X):
    return 1 / (1 + np.exp(-(2 * X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3] - 1.5)))


def coverage(confidence, **params):
    """The share of leaves whose interval holds the mean chance of the rows that end there, over many tables."""
    held = []
    for seed in range(N_SETS):
        random = np.random.default_rng(seed)
        X, many = random.normal(size=(N_ROWS, 6)), random.normal(size=(60_000, 6))
        y = random.random(N_ROWS) < true_chance(X)
        model = ProbabilityTreeClassifier(
            criterion="entropy", mdl_penalty=False, min_leaf=20, random_state=seed, **params
        ).fit(X, y)
        leaf = model.apply(many)
        found, first = np.unique(leaf, return_index=True)
        truth = (np.bincount(leaf, true_chance(many)) / np.maximum(np.bincount(leaf), 1))[found]
        low, high = model.predict_interval(many[first], confidence)[:, 1].T
        is_counted = model.tree_.weight[found] > 0
        held.append(((low <= truth) & (truth <= high))[is_counted])
    return np.concatenate(held)


@pytest.mark.parametrize("estimate", ["frequency", "laplace"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_honest_intervals_cover_the_mean_chance_of_their_leaf(confidence, estimate):
    held = coverage(confidence, honest=True, estimate=estimate)
    noise = np.sqrt(confidence * (1 - confidence) / len(held))
    assert len(held) > 500
    assert held.mean() >= confidence - 3.5 * noise


def test_intervals_of_an_ordinary_tree_do_not_cover():
    assert coverage(0.95, estimate="frequency").mean() < 0.85


def test_a_strong_prior_costs_coverage_in_honest_trees_too():
    assert coverage(0.95, honest=True, estimate="m").mean() < 0.7
