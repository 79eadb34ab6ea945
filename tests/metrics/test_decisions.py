"""Measures of decisions: against scikit-learn, by hand, and at the edge of a threshold."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import (
    accuracy,
    confusion_matrix,
    cost,
    error,
    f1,
    f_beta,
    g_mean,
    kappa,
    mcc,
    profit,
    sensitivity_specificity,
)

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, n_classes):
    random = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, 30))
    proba = random.dirichlet(np.ones(n_classes), len(y))
    return y, proba, proba.argmax(axis=1), random.integers(1, 4, len(y)) / 2


@given(SEEDS, st.integers(2, 5))
def test_confusion_metrics_are_scikit_learns(seed, n_classes):
    y, proba, decided, weight = drawn(seed, n_classes)
    weighted = {"sample_weight": weight}
    np.testing.assert_allclose(
        confusion_matrix(y, proba, **weighted), sklearn.metrics.confusion_matrix(y, decided, **weighted)
    )
    assert accuracy(y, proba, **weighted) == pytest.approx(
        sklearn.metrics.accuracy_score(y, decided, **weighted), rel=1e-12
    )
    assert error(y, proba, **weighted) == pytest.approx(1 - accuracy(y, proba, **weighted), abs=1e-12)
    for weights in (None, "linear", "quadratic"):
        expected = sklearn.metrics.cohen_kappa_score(y, decided, weights=weights, **weighted)
        assert kappa(y, proba, weights=weights, **weighted) == pytest.approx(expected, rel=1e-12, abs=1e-13)
    if len(set(decided)) > 1:
        expected = sklearn.metrics.matthews_corrcoef(y, decided, **weighted)
        assert mcc(y, proba, **weighted) == pytest.approx(expected, rel=1e-12, abs=1e-13)


@given(SEEDS, st.integers(2, 4))
def test_f_is_scikit_learns_for_each_class(seed, n_classes):
    y, proba, decided, weight = drawn(seed, n_classes)
    named, chosen = y == 1, decided == 1
    own = sklearn.metrics.fbeta_score(named, chosen, beta=2, sample_weight=weight)
    if n_classes == 2:
        assert f_beta(y, proba, beta=2, sample_weight=weight) == pytest.approx(own, rel=1e-12)
        recalls = sklearn.metrics.recall_score(y, decided, average=None)
        assert sensitivity_specificity(y, proba) == pytest.approx(recalls.prod(), rel=1e-12)
        assert g_mean(y, proba) == pytest.approx(math.sqrt(recalls.prod()), rel=1e-12)
    assert f_beta(y, proba, beta=2, pos_label=1, sample_weight=weight) == pytest.approx(own, rel=1e-12)


def test_the_side_of_the_threshold_can_be_chosen():
    rows = [0, 1], [0.5, 0.5]
    assert confusion_matrix(*rows).tolist() == [[1, 0], [1, 0]]
    assert confusion_matrix(*rows, threshold=0.5).tolist() == [[1, 0], [1, 0]]
    assert confusion_matrix(*rows, threshold=0.5, inclusive=True).tolist() == [[0, 1], [0, 1]]
    assert accuracy([0, 1, 1], [0.2, 0.3, 0.4], threshold=0.25) == 1.0


def test_a_matrix_is_sorted_or_in_the_order_of_labels():
    rows = ["b", "a", "a"], [0.9, 0.8, 0.1]
    assert confusion_matrix(*rows).tolist() == [[1, 1], [0, 1]]
    assert confusion_matrix(*rows, labels=["b", "a"], pos_label="b").tolist() == [[1, 0], [1, 1]]
    assert confusion_matrix(["b", "a", "a"], [0.1, 0.2, 0.9], pos_label="a").tolist() == [[1, 1], [0, 1]]


def test_undefined_values_are_nan():
    assert math.isnan(f1([0, 0], [0.1, 0.2], pos_label=1))
    assert math.isnan(mcc([0, 1], [0.1, 0.2]))
    assert math.isnan(kappa([0, 0], [0.1, 0.2], pos_label=1))
    assert math.isnan(sensitivity_specificity([0, 0], [0.1, 0.2], pos_label=1))


@given(SEEDS)
def test_costs_depend_on_actual_and_predicted_class(seed):
    y, proba, decided, _ = drawn(seed, 3)
    matrix = np.random.default_rng(seed).normal(size=(3, 3))
    assert cost(y, proba, matrix=matrix) == pytest.approx(matrix[y, decided].mean(), abs=1e-12)
    cheapest = (proba @ matrix).argmin(axis=1)
    assert cost(y, proba, matrix=matrix, decide="cheapest") == pytest.approx(matrix[y, cheapest].mean(), abs=1e-12)


@pytest.mark.parametrize("matrix", [[[0, 1]], np.zeros((3, 3)), [[0, np.nan], [1, 0]], "none"])
def test_a_matrix_of_the_wrong_shape_raises_an_error(matrix):
    with pytest.raises(ParameterError, match=r"matrix must be 2 rows .* of 2 finite costs"):
        cost([0, 1], [0.2, 0.7], matrix=matrix)


def test_profit_is_that_of_rows_whose_expected_gift_exceeds_the_cost():
    """Zadrozny & Elkan 2001: solicit where p y > 0.68; at 0.68 exactly not."""
    amount, expected = [20, 0, 5, 30], [10, 10, 10, 6.8]
    rows = {"y_true": [1, 0, 1, 1], "y_proba": [0.1, 0.3, 0.6, 0.1], "amount": amount, "cost": 0.68}
    assert profit(**rows, estimated_amount=expected) == pytest.approx(25 - 3 * 0.68)
    assert profit(**rows, estimated_amount=expected, sample_weight=[2, 1, 0, 1]) == pytest.approx(40 - 3 * 0.68)
    assert profit(**rows) == pytest.approx(55 - 4 * 0.68)  # by the mean gift, 55 / 3, all are worth it


def test_mailing_everybody_earns_what_the_text_works_out():
    """Witten, Frank & Hall 2011, Figure 5.2: 2,402 of 47,706 respond and leave 15.00; others cost 0.80, or 0.50."""
    rows = {"y_true": [0, 1], "y_proba": [1.0, 1.0], "sample_weight": [47706 - 2402, 2402]}
    assert round(profit(**rows, amount=15.80, cost=0.80), 2) == -213.20
    assert round(profit(**rows, amount=15.50, cost=0.50), 2) == 13378.00


def test_amounts_of_negative_rows_are_ignored():
    assert profit([1, 0], [0.9, 0.9], amount=[4, np.nan], cost=1) == pytest.approx(2)
    with pytest.raises(DataError, match=r"amount has 1 NaN or infinite value\(s\) \(first at row 0\)"):
        profit([1, 0], [0.9, 0.9], amount=[np.nan, 0], cost=1)
    with pytest.raises(DataError, match="cost has shape"):
        profit([1, 0], [0.9, 0.9], amount=1, cost=[1, 2, 3])
