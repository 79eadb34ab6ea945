"""Ctrl-C stops growing, pruning and predicting within a second, and leaves an estimator that works."""

import numpy as np
import pytest

from calibrant.trees import ProbabilityTreeClassifier

PLAIN = {"min_leaf": 1, "min_cut": "min_leaf", "criterion": "entropy", "mdl_penalty": False}


def alternating(n):
    """Rows whose tree is a chain: a row a level."""
    return np.arange(float(n))[:, None], np.arange(n) % 2


@pytest.fixture(scope="module")
def deep():
    return ProbabilityTreeClassifier(**PLAIN).fit(*alternating(6_000))


def grow(_deep):  # half a minute of work
    ProbabilityTreeClassifier(**PLAIN).fit(*alternating(80_000))


def prune(_deep):  # every branch is tried in the place of its parent, and none is better
    ProbabilityTreeClassifier(prune="pessimistic", confidence=1.0, **PLAIN).fit(*alternating(4_000))


def predict(deep):
    deep.predict_proba(np.full((2_000_000, 1), 1e9))


def predict_holes(deep):
    deep.predict_proba(np.full((2_000_000, 1), np.nan))


@pytest.mark.parametrize("work", [grow, prune, predict, predict_holes])
def test_ctrl_c_stops_at_once(work, deep, ctrl_c):
    with ctrl_c():
        work(deep)
    assert deep.predict([[1.0]]).tolist() == [1]
