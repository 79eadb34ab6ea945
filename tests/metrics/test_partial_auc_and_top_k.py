"""Partial areas under the ROC curve and top-k accuracy, against scikit-learn and brute force."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st

from calibrant.exceptions import ParameterError
from calibrant.metrics import accuracy, auc, compare, evaluate, partial_auc, proportion_interval, top_k_accuracy

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, n=60):
    """Return classes, probabilities with ties, and fractional weights."""
    random = np.random.default_rng(seed)
    y = np.append([0, 1], random.integers(0, 2, n - 2))
    return y, np.round((random.random(n) + 0.5 * y) / 1.5, 1), random.random(n) + 0.1


@given(seed=SEEDS, max_fpr=st.floats(0.01, 0.99))
def test_the_standardized_partial_area_is_that_of_scikit_learn(seed, max_fpr):
    y, p, w = drawn(seed)
    expected = sk.roc_auc_score(y, p, max_fpr=max_fpr, sample_weight=w)
    assert partial_auc(y, p, max_fpr=max_fpr, sample_weight=w) == pytest.approx(expected, rel=1e-9)


@given(seed=SEEDS, max_fpr=st.floats(0.01, 1.0))
def test_the_partial_area_is_the_integral_of_the_curve(seed, max_fpr):
    y, p, w = drawn(seed)
    fpr, tpr, _ = sk.roc_curve(y, p, sample_weight=w, drop_intermediate=False)
    ends = np.append(fpr[fpr < max_fpr], max_fpr)
    heights = np.append(tpr[fpr < max_fpr], np.interp(max_fpr, fpr, tpr))
    expected = np.trapezoid(heights, ends)
    found = partial_auc(y, p, max_fpr=max_fpr, sample_weight=w, standardized=False)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_area_up_to_1_is_that_of_auc():
    y, p, w = drawn(0)
    for standardized in (True, False):
        assert partial_auc(y, p, max_fpr=1.0, standardized=standardized, sample_weight=w) == pytest.approx(
            auc(y, p, sample_weight=w)
        )


def test_a_partial_area_of_one_class_is_undefined():
    assert np.isnan(partial_auc([1, 1], [0.2, 0.7], pos_label=1))


def test_partial_areas_have_intervals_and_are_compared():
    y, p, _ = drawn(1, 400)
    other = np.random.default_rng(2).random(400)
    cards = [evaluate(y, q, metrics=["partial_auc"], extras={"partial_auc": {"max_fpr": 0.3}}) for q in (p, other)]
    score = cards[0]["partial_auc"]
    assert score.value == pytest.approx(sk.roc_auc_score(y, p, max_fpr=0.3))
    assert score.low < score.value < score.high
    assert compare(*cards)["partial_auc"].better == "first"


@given(seed=SEEDS, n_classes=st.integers(3, 6), k=st.integers(1, 6))
def test_top_k_accuracy_is_that_of_scikit_learn(seed, n_classes, k):
    random = np.random.default_rng(seed)
    y, proba, w = random.integers(0, n_classes, 50), random.dirichlet(np.ones(n_classes), 50), random.random(50)
    labels = np.arange(n_classes)
    expected = 1.0 if k >= n_classes else sk.top_k_accuracy_score(y, proba, k=k, labels=labels, sample_weight=w)
    assert top_k_accuracy(y, proba, k=k, labels=labels, sample_weight=w) == pytest.approx(expected, rel=1e-12)


@given(seed=SEEDS)
def test_the_top_class_is_the_predicted_one_also_where_probabilities_are_tied(seed):
    random = np.random.default_rng(seed)
    counts = random.integers(0, 3, (30, 4)) + np.eye(4)[random.integers(0, 4, 30)]
    proba, order = counts / counts.sum(axis=1, keepdims=True), random.permutation(4)
    y = random.integers(0, 4, 30)
    assert top_k_accuracy(y, proba[:, order], k=1, labels=order) == accuracy(y, proba[:, order], labels=order)


def test_ties_are_broken_in_favor_of_the_lower_class():
    proba = [[0.4, 0.3, 0.3]]
    assert [top_k_accuracy([y], proba, k=2, labels=[0, 1, 2]) for y in (0, 1, 2)] == [1.0, 1.0, 0.0]


def test_top_k_accuracy_has_wilson_s_interval():
    random = np.random.default_rng(3)
    y, proba = random.integers(0, 4, 200), random.dirichlet(np.ones(4), 200)
    card = evaluate(y, proba, metrics=["top_k_accuracy"], extras={"top_k_accuracy": {"k": 3}})["top_k_accuracy"]
    n_found = round(200 * sk.top_k_accuracy_score(y, proba, k=3))
    assert (card.method, card.low, card.high) == ("Wilson", *map(pytest.approx, proportion_interval(n_found, 200)))
    by_cluster = evaluate(y, proba, metrics=["top_k_accuracy"], groups=np.arange(200) // 4)["top_k_accuracy"]
    assert by_cluster.value == pytest.approx(sk.top_k_accuracy_score(y, proba, k=2))
    assert by_cluster.low < by_cluster.value < by_cluster.high


def test_options_out_of_range_are_errors():
    with pytest.raises(ParameterError, match="max_fpr must be"):
        partial_auc([0, 1], [0.2, 0.7], max_fpr=0.0)
    with pytest.raises(ParameterError, match="k must be an int >= 1"):
        top_k_accuracy([0, 1], [0.2, 0.7], k=0)
    with pytest.raises(ParameterError, match="partial_auc evaluates one class"):
        partial_auc([0, 1, 2], np.eye(3))
