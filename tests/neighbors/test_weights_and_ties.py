"""Votes are weighted by distance, ties for the last place all vote, and a row of weight 2 is the row twice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.neighbors import NeighborsClassifier

LINE = [[0.0], [1.0], [2.0], [4.0]]
PLAIN = {"attribute_weights": None, "scale": None, "smoothing": 0}
WAYS = ["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]


def predict_one(query, y=("a", "b", "b", "c"), X=LINE, sample_weight=None, **params):
    model = NeighborsClassifier(**{**PLAIN, **params}).fit(X, list(y), sample_weight)
    return model.predict_proba([[query]])[0]


@pytest.mark.parametrize(
    ("weights", "votes"),
    [
        ("uniform", [1, 1, 1]),
        ("inverse", [4, 4 / 3, 4 / 7]),
        ("inverse_squared", [16, 16 / 9, 16 / 49]),
        ("similarity", [15 / 16, 13 / 16, 9 / 16]),
    ],
)
def test_votes_count_by_distance(weights, votes):
    # the distances of the nearest three are 1/4, 3/4 and 7/4, and 4 is the diameter
    expected = np.array([votes[0], votes[1] + votes[2], 0]) / sum(votes)
    np.testing.assert_allclose(predict_one(0.25, n_neighbors=3, weights=weights), expected)


def test_a_gaussian_counts_by_its_kernel_width():
    kernel = np.exp(-(np.array([0.5, 0.5, 1.5, 3.5]) ** 2) / (2 * 0.7**2))
    expected = np.array([kernel[0], kernel[1] + kernel[2], kernel[3]]) / kernel.sum()
    np.testing.assert_allclose(predict_one(0.5, weights="gaussian", bandwidth=0.7), expected)


def test_the_automatic_kernel_width_is_a_third_of_the_distance_of_the_last_neighbour():
    fixed = predict_one(0.5, weights="gaussian", bandwidth=0.5)
    np.testing.assert_allclose(predict_one(0.5, weights="gaussian", n_neighbors=3), fixed)


@pytest.mark.parametrize("weights", ["inverse", "inverse_squared"])
def test_rows_equal_to_the_query_are_averaged_and_others_left_out(weights):
    X, y = [[0.0], [0.0], [0.0], [1e-3]], ["a", "a", "b", "c"]
    np.testing.assert_allclose(predict_one(0.0, y, X, weights=weights, n_neighbors=4), [2 / 3, 1 / 3, 0])


def test_a_kernel_without_width_averages_the_equal_rows():
    X, y = [[0.0], [0.0], [0.0], [9.0]], ["a", "a", "b", "c"]
    np.testing.assert_allclose(predict_one(0.0, y, X, weights="gaussian", n_neighbors=2), [2 / 3, 1 / 3, 0])


def test_an_offset_is_added_to_the_share_of_the_diameter():
    votes = 1 / (np.array([0.25, 0.75, 1.75]) / 4 + 0.001)
    expected = np.array([votes[0], votes[1] + votes[2], 0]) / votes.sum()
    np.testing.assert_allclose(predict_one(0.25, n_neighbors=3, weights="inverse", offset=0.001), expected)


def test_rows_that_tie_for_the_last_place_are_all_taken_or_share_it():
    X, y = [[0.0], [2.0], [2.0], [2.0]], ["a", "b", "b", "c"]
    np.testing.assert_allclose(predict_one(0.5, y, X, weights="uniform", n_neighbors=2), [1 / 4, 2 / 4, 1 / 4])
    np.testing.assert_allclose(
        predict_one(0.5, y, X, weights="uniform", n_neighbors=2, ties="share"), [1 / 2, 1 / 3, 1 / 6]
    )


def test_distances_that_differ_by_rounding_tie():
    X, y = [[0.1], [0.3]], ["a", "b"]
    assert abs(0.2 - 0.1) != abs(0.3 - 0.2)
    np.testing.assert_allclose(predict_one(0.2, y, X, weights="uniform", n_neighbors=1), [0.5, 0.5])
    assert sorted(predict_one(0.2, y, X, weights="uniform", n_neighbors=1, tie_tolerance=0)) == [0, 1]


def test_every_class_starts_with_the_smoothing():
    np.testing.assert_allclose(predict_one(0.1, n_neighbors=1, smoothing=0.5), [1.5 / 2.5, 0.5 / 2.5, 0.5 / 2.5])
    np.testing.assert_allclose(predict_one(0.1, n_neighbors=1, smoothing="1/n"), [5 / 7, 1 / 7, 1 / 7])


def test_rows_are_taken_until_their_weight_reaches_n_neighbors():
    weights = [0.5, 0.25, 0.25, 1.0]
    expected = [0.5, 0.5, 0]
    np.testing.assert_allclose(predict_one(0.1, sample_weight=weights, n_neighbors=1, weights="uniform"), expected)


@pytest.mark.parametrize("ties", ["all", "share"])
@pytest.mark.parametrize("weights", WAYS)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 60), scale=st.sampled_from(["standard", "range"]))
def test_a_weight_of_two_is_the_row_twice_and_one_of_zero_absent(weights, ties, seed, k, scale):
    random = np.random.default_rng(seed)
    X, y, times = random.normal(size=(30, 2)).round(1), random.integers(0, 2, 30), random.integers(0, 4, 30)
    X[random.random(X.shape) < 0.1] = np.nan
    times[0] = 1
    model = NeighborsClassifier(n_neighbors=k, weights=weights, scale=scale, ties=ties)
    weighted = model.fit(X, y, times).predict_proba(X[:8])
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict_proba(X[:8])
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


@pytest.mark.parametrize("weights", WAYS)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 30))
def test_the_order_of_rows_does_not_matter(weights, seed, k):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, size=(40, 2)).astype(float), random.integers(0, 2, 40)
    order = random.permutation(40)
    model = NeighborsClassifier(n_neighbors=k, weights=weights)
    one = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(X[order], y[order]).predict_proba(X), one, atol=1e-9)


def test_row_numbers_are_those_of_the_table_passed():
    model = NeighborsClassifier(**PLAIN).fit([[0.0], [9.0], [1.0], [1.0]], ["a", "b", "a", "b"], [1, 0, 3, 1])
    distances, rows = model.kneighbors([[0.75], [9.0]], 2)
    assert rows.tolist() == [[2, 3], [2, 3]]
    assert distances.tolist() == [[0.25, 0.25], [8.0, 8.0]]
