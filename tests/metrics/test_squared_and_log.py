"""Squared and logarithmic scores: against scikit-learn, the papers, and by hand."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from calibrant.metrics import METRICS, log_loss, log_loss_bits, mse

SEEDS = st.integers(0, 2**32 - 1)
ALL = [mse, log_loss, log_loss_bits]


def draw(seed):
    random = np.random.default_rng(seed)
    n_rows, n_classes = random.integers(5, 40), random.integers(2, 6)
    labels = np.append(np.arange(n_classes), random.integers(0, n_classes, n_rows))
    return labels, random.dirichlet(np.ones(n_classes), len(labels)), random.integers(0, 4, len(labels))


@given(SEEDS)
def test_mse_and_log_loss_are_scikit_learns(seed):
    labels, proba, weights = draw(seed)
    weights = weights + 0.5
    theirs = sklearn.metrics.log_loss(labels, proba, sample_weight=weights)
    assert log_loss(labels, proba, sample_weight=weights) == pytest.approx(theirs, rel=1e-12)
    truth = np.eye(proba.shape[1])[labels]
    squared = np.average(((proba - truth) ** 2).sum(axis=1), weights=weights)
    assert mse(labels, proba, sample_weight=weights) == pytest.approx(squared, rel=1e-12)


@given(SEEDS)
def test_with_two_classes_mse_is_twice_the_brier_score(seed):
    random = np.random.default_rng(seed)
    labels, proba = np.append([0, 1], random.integers(0, 2, 20)), random.random(22)
    theirs = sklearn.metrics.brier_score_loss(labels, proba)
    assert mse(labels, proba) == pytest.approx(2 * theirs, rel=1e-12)


@pytest.mark.parametrize("metric", ALL)
@given(seed=SEEDS)
def test_a_weight_is_the_row_that_often(metric, seed):
    labels, proba, weights = draw(seed)
    columns = np.arange(proba.shape[1])
    weights[0] += 1
    again = np.repeat(np.arange(len(labels)), weights)
    weighted = metric(labels, proba, sample_weight=weights, labels=columns)
    assert weighted == pytest.approx(metric(labels[again], proba[again], labels=columns), rel=1e-12)


@pytest.mark.parametrize("metric", ALL)
@given(seed=SEEDS)
def test_classes_and_columns_in_another_order_change_nothing(metric, seed):
    labels, proba, _ = draw(seed)
    order = np.random.default_rng(seed).permutation(proba.shape[1])
    turned = metric(labels, proba[:, order], labels=order)
    assert turned == pytest.approx(metric(labels, proba), rel=1e-12)


def test_bits_are_nats_over_ln_2():
    labels, proba, _ = draw(3)
    assert log_loss_bits(labels, proba) == pytest.approx(log_loss(labels, proba) / np.log(2), rel=1e-14)


@pytest.mark.parametrize(
    ("n_positive", "n_rows", "constant", "expected"),
    [
        (4843, 95412, "base", 0.09636),
        (4843, 95412, 0.0, 0.10151),
        (4843, 95412, 1.0, 1.89848),
        (348, 5822, "base", 0.11240),
        (348, 5822, 0.0, 0.11955),
        (348, 5822, 1.0, 1.88045),
    ],
)
def test_constant_predictions_have_the_papers_mse(n_positive, n_rows, constant, expected):
    """Zadrozny & Elkan 2001, Tables 1 and 4, training sets: all base rate, all zero, all one."""
    p = n_positive / n_rows if constant == "base" else constant
    weights = [n_rows - n_positive, n_positive]
    assert mse([0, 1], [p, p], sample_weight=weights) == pytest.approx(expected, abs=1.01e-5)


def test_the_base_rate_has_the_papers_log_loss():
    """Table 2: 0.28961 bits on the training set of KDD'98."""
    p = 4843 / 95412
    assert log_loss_bits([0, 1], [p, p], sample_weight=[95412 - 4843, 4843]) == pytest.approx(0.28961, abs=1.01e-5)


def test_an_impossible_row_is_infinitely_bad_unless_it_weighs_nothing():
    assert log_loss([0, 1, 1], [0.5, 0.5, 0.0]) == np.inf
    assert log_loss_bits([0, 1, 1], [0.5, 0.5, 0.0], sample_weight=[1, 1, 0]) == 1.0


@pytest.mark.parametrize("metric", ALL)
def test_certainty_that_comes_true_is_0(metric):
    best = metric(["a", "b", "c"], np.eye(3))
    assert best == 0
    assert not np.signbit(best)


def test_certainty_that_fails_is_2():
    assert mse([0, 1], [1, 0]) == 2.0


@pytest.mark.parametrize("name", METRICS)
def test_the_registry_knows_its_metrics(name):
    metric = METRICS[name]
    value = metric.function(*draw(1)[:2])
    assert metric.id == name == metric.function.__name__
    assert metric.low <= value <= metric.high
    assert metric.papers
    assert metric.is_better(metric.low, metric.high) == (metric.better == "lower")
