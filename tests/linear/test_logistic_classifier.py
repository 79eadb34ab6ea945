"""Logistic regression on tables as they are, against scikit-learn's on the design written out."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import load
from calibrant.exceptions import ParameterError
from calibrant.linear import LogisticClassifier


@parametrize_with_checks([LogisticClassifier(), LogisticClassifier(C=0.1, nominal="all")])
@pytest.mark.sample(3)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


def design(X):
    """Return standardised numbers, indicators of missing numbers, and indicators of categories."""
    parts = []
    for name in X:
        if X[name].dtype.kind == "f":
            values = (X[name] - X[name].mean()) / X[name].std(ddof=0)
            parts.append(values.fillna(0.0))
            parts += [X[name].isna().astype(float)] if X[name].isna().any() else []
        else:
            counts = X[name].value_counts()
            seen = [each for each in X[name].cat.categories if counts[each] >= 3]
            parts += [(X[name] == each).astype(float) for each in seen]
            parts.append((~X[name].isin(seen)).astype(float))
    return pd.concat(parts, axis=1).to_numpy()


def test_probabilities_are_those_of_scikit_learn_on_the_design(donors):
    model = LogisticClassifier().fit(donors.X, donors.y)
    matrix = design(donors.X)
    peer = LogisticRegression(max_iter=1000).fit(matrix, donors.y)
    assert matrix.shape[1] == model.coef_.shape[1]
    assert np.allclose(model.predict_proba(donors.X), peer.predict_proba(matrix), rtol=0, atol=1e-3)


def test_a_sparse_design_has_the_same_probabilities(donors, monkeypatch):
    dense = LogisticClassifier().fit(donors.X, donors.y).predict_proba(donors.X)
    monkeypatch.setattr("calibrant.linear._model._MAX_DENSE", 0)
    sparse = LogisticClassifier().fit(donors.X, donors.y).predict_proba(donors.X)
    assert np.allclose(dense, sparse, rtol=0, atol=1e-3)


def test_three_classes_pickles_and_unseen_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=90), "c": rng.choice(["a", "b"], 90)})
    y = np.digitize(X["x"], [-0.5, 0.5])
    model = LogisticClassifier().fit(X, y)
    new = pd.DataFrame({"x": [0.1, np.nan], "c": ["z", None]})
    proba = model.predict_proba(new)
    assert proba.shape == (2, 3)
    assert np.allclose(proba.sum(axis=1), 1.0)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(new), proba)  # noqa: S301
    assert model.intercept_.shape == (3,)


@pytest.mark.parametrize("params", [{"C": 0}, {"C": -1.0}])
def test_bad_parameters(params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        LogisticClassifier(**params).fit([[1.0], [2.0]], [0, 1])
