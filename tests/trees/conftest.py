"""Shared by tests of trees: trees whose cuts are determined by the data alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibrant.trees import ProbabilityTreeClassifier


@pytest.fixture(scope="session")
def plain_tree():
    """Makes a tree without C4.5's own rules for numeric cuts: the one scikit-learn grows."""

    def make(**params: Any) -> ProbabilityTreeClassifier:
        rules = {"criterion": "entropy", "mdl_penalty": False, "min_cut": "min_leaf", "threshold": "midpoint"}
        return ProbabilityTreeClassifier(**{**rules, "estimate": "frequency", **params})

    return make


@pytest.fixture(scope="session")
def same_trees():
    """Return whether two trees are equal in every array."""
    return lambda one, other: all(np.array_equal(a, b) for a, b in zip(one.core.state, other.core.state, strict=True))


@pytest.fixture(scope="session")
def ranks():
    """Rows without ties: every column is the numbers 0 .. n-1, shuffled; the class follows two of them, with noise."""
    random = np.random.default_rng(5)
    X = np.column_stack([random.permutation(1200) for _ in range(5)]).astype(float)
    chance = 1 / (1 + np.exp(-(X[:, 1] + X[:, 3] - 1200) / 200))
    return X, np.where(random.random(1200) < chance, "yes", "no")


@pytest.fixture(scope="session")
def odd_weights():
    """Weights that no two sets of rows share, so that no two tests gain the same."""
    return np.random.default_rng(6).uniform(0.5, 3, 1200)
