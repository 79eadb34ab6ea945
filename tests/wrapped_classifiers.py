"""Shared by the contract tests of classifiers that wrap another one."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression


class Recording(LogisticRegression):
    """Records the arguments of its `fit`."""

    def fit(self, X, y, sample_weight=None, mark=None):
        self.seen_ = {"n": len(y), "sample_weight": sample_weight, "mark": mark}
        return super().fit(X, y, sample_weight)


def yes_no_rows():
    """Return 300 rows of three columns, the first of which predicts the class."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    return X, np.where(rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0])), "yes", "no")
