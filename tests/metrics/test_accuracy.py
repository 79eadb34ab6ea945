"""The change in accuracy from an ensemble's vote to the largest probability: by hand and against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics import delta_accuracy


@given(st.integers(0, 2**32 - 1))
def test_delta_accuracy_is_the_difference_of_two_accuracies(seed):
    random = np.random.default_rng(seed)
    n_classes = random.integers(2, 6)
    labels = np.append(np.arange(n_classes), random.integers(0, n_classes, 30))
    counts = random.integers(0, 4, (len(labels), n_classes)) + 1
    vote, weights = random.permutation(labels), random.random(len(labels)) + 0.1
    by_largest = sklearn.metrics.accuracy_score(labels, counts.argmax(axis=1), sample_weight=weights)
    by_vote = sklearn.metrics.accuracy_score(labels, vote, sample_weight=weights)
    ours = delta_accuracy(labels, counts / counts.sum(axis=1, keepdims=True), vote=vote, sample_weight=weights)
    assert ours == pytest.approx(by_largest - by_vote, abs=1e-12)


def test_delta_accuracy_ranges_from_minus_1_to_1():
    assert delta_accuracy([0, 1], [0.0, 1.0], vote=[1, 0]) == 1
    assert delta_accuracy([0, 1], [1.0, 0.0], vote=[0, 1]) == -1
    assert delta_accuracy([0, 1], [0.0, 1.0], vote=[0, 1]) == 0


@pytest.mark.parametrize(
    "options", [{}, {"labels": ["a", "b"]}, {"labels": ["b", "a"]}, {"pos_label": "a"}, {"pos_label": "b"}]
)
def test_ties_are_broken_in_favor_of_the_lower_class_for_any_labels(options):
    assert delta_accuracy(["a", "b"], [0.5, 0.5], vote=["b", "b"], **options) == 0.0
    assert delta_accuracy(["a", "b"], [0.5, 0.5], vote=["b", "a"], **options) == 0.5


@pytest.mark.parametrize("vote", [["a", "a", "b"], np.array(["a", "a", "b"]), pd.Categorical(["a", "a", "b"])])
def test_votes_come_in_many_forms(vote):
    assert delta_accuracy(["a", "b", "b"], [0.1, 0.9, 0.8], vote=vote) == pytest.approx(1 / 3)


def test_the_vote_of_a_row_of_weight_0_is_ignored():
    assert delta_accuracy([0, 1, 1], [0.1, 0.9, 0.8], vote=[0, 0, 7], sample_weight=[1, 1, 0]) == 0.5


def test_a_vote_may_be_for_a_class_that_does_not_occur():
    assert delta_accuracy(["a", "a"], [[0.9, 0.1], [0.7, 0.3]], vote=["a", "b"], labels=["a", "b"]) == 0.5


@pytest.mark.parametrize(
    ("vote", "message"),
    [
        ([0, 1], "vote has 2 rows, y_proba 3"),
        (
            ["0", "1", "1"],
            r"vote has 3 row\(s\) \(first at row 0\) of classes without a column, such as '0'.* Pass labels=",
        ),
        ([0, 1, 2], r"vote has 1 row\(s\) \(first at row 2\) of classes without a column, such as 2"),
        ([0, None, 1], r"vote has 1 missing label\(s\) \(first at row 1\)"),
    ],
)
def test_wrong_votes_raise_errors_that_name_them(vote, message):
    with pytest.raises(DataError, match=message):
        delta_accuracy([0, 1, 1], [0.2, 0.7, 0.6], vote=vote)


def test_vote_is_required():
    with pytest.raises(DataTypeError, match="vote is None; pass the class of each row"):
        delta_accuracy([0, 1], [0.2, 0.7], vote=None)
