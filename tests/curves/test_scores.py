"""Distributions of probabilities, by class and by method."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.curves import score_histogram, sorted_scores
from calibrant.exceptions import DataError, ParameterError


def test_bins_contain_the_weight_of_each_class():
    histogram = score_histogram(["a", "b", "b"], [0.1, 0.5, 1.0], n_bins=2, sample_weight=[1, 2, 3])
    assert (histogram.positive.tolist(), histogram.negative.tolist()) == ([0, 5], [1, 0])
    assert histogram.means == pytest.approx((0.8, 0.1))


def test_the_result_does_not_depend_on_the_order_of_rows():
    random = np.random.default_rng(0)
    table = {"raw": random.integers(0, 3, 50) / 2, "smooth": random.random(50), "more": random.random(50)}
    shuffled = random.permutation(50)
    one, other = sorted_scores(table), sorted_scores({name: score[shuffled] for name, score in table.items()})
    for name in table:
        np.testing.assert_array_equal(one.scores[name], other.scores[name])


def test_a_column_is_chosen_by_its_class():
    proba = np.array([[0.2, 0.8], [0.7, 0.3]])
    assert sorted_scores({"m": proba}).scores["m"].tolist() == [0.3, 0.8]
    assert sorted_scores({"m": proba}, labels=["a", "b"], pos_label="a").scores["m"].tolist() == [0.2, 0.7]


def test_an_unknown_reference_raises_with_the_nearest_name():
    with pytest.raises(ParameterError, match="Did you mean 'raw'"):
        sorted_scores({"raw": [0.1]}, reference="row")


def test_methods_must_have_the_same_rows():
    with pytest.raises(DataError, match="the numbers of rows differ"):
        sorted_scores({"a": [0.1], "b": [0.1, 0.2]})
