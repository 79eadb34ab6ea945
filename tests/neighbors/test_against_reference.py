"""Neighbours against a reference that looks at one pair of rows at a time, and against scikit-learn's."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from calibrant.neighbors import NeighborsClassifier

VALUES = st.sampled_from([None, 0.0, 1.0, 2.5, 7.0])
NAMES = st.sampled_from([None, "a", "b", "c"])
ROWS = st.lists(st.tuples(VALUES, VALUES, NAMES, NAMES), min_size=2, max_size=12)


def difference(a, b, column):
    """Return the difference of two values of a column, as Weka's IBk does."""
    known = [value for value in column if value is not None]
    if not known:
        return 0.0
    if isinstance(known[0], str):
        return float(a is None or b is None or a != b or a not in known)
    low, high = min(known), max(known)
    if low == high:
        return float(a is None or b is None)
    if a is None and b is None:
        return 1.0
    if a is None or b is None:
        value = b if a is None else a
        return max(value - low, high - value) / (high - low)
    return (a - b) / (high - low)


def reference(rows, y, queries, k):
    """Return the shares of the classes among the k nearest rows and all that tie with the last."""
    columns = list(zip(*rows, strict=True))
    shares = []
    for query in queries:
        d2 = [sum(difference(*each) ** 2 for each in zip(query, row, columns, strict=True)) for row in rows]
        last = sorted(d2)[min(k, len(rows)) - 1]
        near = [label for d, label in zip(d2, y, strict=True) if d <= last + 1e-12]
        shares.append([near.count(label) / len(near) for label in sorted(set(y))])
    return shares


@settings(max_examples=200, deadline=None)
@given(rows=ROWS, k=st.integers(1, 14), data=st.data())
def test_any_table_is_predicted_as_by_one_pair_of_rows_at_a_time(rows, k, data):
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    queries = data.draw(ROWS)
    params = {"weights": "uniform", "attribute_weights": None, "scale": "range", "smoothing": 0, "nominal": [2, 3]}
    table = np.array(rows, dtype=object)
    model = NeighborsClassifier(n_neighbors=k, **params).fit(table, y)
    ours = model.predict_proba(np.array(queries, dtype=object))
    np.testing.assert_allclose(ours, reference(rows, y, queries, k), atol=1e-12)


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("weights", ["uniform", "inverse_squared"])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 20), decimals=st.integers(0, 2))
def test_an_index_predicts_as_all_distances_do(algorithm, weights, seed, k, decimals):
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 3)).round(decimals).astype(object)
    X[:, 2] = random.choice(["a", "b", "c"], 200)
    y = random.integers(0, 3, 200)
    model = NeighborsClassifier(n_neighbors=k, weights=weights, algorithm=algorithm).fit(X, y)
    by_index = model.predict_proba(X[:50])
    assert model._neighbours.index is not None
    model._neighbours = replace(model._neighbours, index=None)
    np.testing.assert_allclose(by_index, model.predict_proba(X[:50]), atol=1e-9)


@pytest.mark.parametrize("n_columns", [3, 20])
@pytest.mark.parametrize(("weights", "peer"), [("uniform", "uniform"), ("inverse", "distance")])
def test_numbers_without_ties_are_predicted_as_by_scikit_learn(n_columns, weights, peer):
    random = np.random.default_rng(7)
    X, y, new = (
        random.normal(size=(400, n_columns)) * 9 + 5,
        random.integers(0, 3, 400),
        random.normal(size=(90, n_columns)),
    )
    ours = NeighborsClassifier(n_neighbors=10, weights=weights, attribute_weights=None, smoothing=0).fit(X, y)
    scaler = StandardScaler().fit(X)
    theirs = KNeighborsClassifier(10, weights=peer).fit(scaler.transform(X), y)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(scaler.transform(new)), atol=1e-9)
    np.testing.assert_allclose(ours.kneighbors(new)[0], theirs.kneighbors(scaler.transform(new))[0], atol=1e-9)
    np.testing.assert_array_equal(ours.kneighbors(new)[1], theirs.kneighbors(scaler.transform(new))[1])


def test_locally_weighted_averaging_is_the_kernel_sum_over_all_rows():
    random = np.random.default_rng(3)
    X, y, new = random.normal(size=(60, 2)), random.integers(0, 2, 60), random.normal(size=(9, 2))
    params = {"attribute_weights": None, "scale": None, "smoothing": 0, "bandwidth": 0.4}
    ours = NeighborsClassifier(weights="gaussian", **params).fit(X, y).predict_proba(new)[:, 1]
    for row, ours_of_it in zip(new, ours, strict=True):
        kernel = [math.exp(-(math.dist(row, other) ** 2) / (2 * 0.4**2)) for other in X]
        assert ours_of_it == pytest.approx(sum(w for w, label in zip(kernel, y, strict=True) if label) / sum(kernel))
