"""Squared and logarithmic scores: against scikit-learn, the papers, and by hand."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from calibrant.exceptions import ParameterError
from calibrant.metrics import avll, brier, evaluate, evaluate_table, log_loss, log_loss_bits, mse, mse01, ql

SEEDS = st.integers(0, 2**32 - 1)


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
    assert brier(labels, proba) == pytest.approx(theirs, rel=1e-12)
    assert mse(labels, proba) == ql(labels, proba) == pytest.approx(2 * theirs, rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_cards_and_their_intervals_have_the_brier_score_of_the_function(n_classes):
    random = np.random.default_rng(n_classes)
    names = list("abc"[:n_classes])
    y, proba = random.choice(names, 200), random.dirichlet(np.ones(n_classes), 200)
    half = 2 if n_classes == 2 else 1
    card = evaluate(y, proba, metrics=["mse", "brier"])
    rows = pd.DataFrame(proba, columns=names).assign(y=y)
    table = evaluate_table(rows, target="y", proba=names, metrics=["mse", "brier"])
    for scores in (card, table):
        assert scores["brier"].value == pytest.approx(brier(y, proba), rel=1e-12)
        assert scores["brier"].low == pytest.approx(scores["mse"].low / half, rel=1e-12)
        assert scores["brier"].high == pytest.approx(scores["mse"].high / half, rel=1e-12)


def test_bits_are_nats_over_ln_2():
    labels, proba, _ = draw(3)
    assert log_loss_bits(labels, proba) == pytest.approx(log_loss(labels, proba) / np.log(2), rel=1e-12)


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


def test_an_impossible_row_has_infinite_loss_unless_its_weight_is_0():
    assert log_loss([0, 1, 1], [0.5, 0.5, 0.0]) == np.inf
    assert log_loss_bits([0, 1, 1], [0.5, 0.5, 0.0], sample_weight=[1, 1, 0]) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("metric", [mse, mse01, log_loss, log_loss_bits])
def test_certain_and_correct_probabilities_score_0(metric):
    best = metric(["a", "b", "c"], np.eye(3))
    assert best == 0
    assert not np.signbit(best)


def test_certain_and_wrong_probabilities_score_2():
    assert mse([0, 1], [1, 0]) == 2.0


@given(SEEDS)
def test_mse01_uses_the_actual_class_alone(seed):
    labels, proba, _ = draw(seed)
    by_hand = sum((1 - row[label]) ** 2 for label, row in zip(labels, proba, strict=True)) / len(labels)
    assert mse01(labels, proba) == pytest.approx(by_hand, rel=1e-12)


@given(SEEDS)
def test_with_two_classes_mse01_is_half_of_mse(seed):
    """Nielsen 2004, below eq. 10."""
    random = np.random.default_rng(seed)
    labels, proba = np.append([0, 1], random.integers(0, 2, 20)), random.random(22)
    assert mse01(labels, proba) == pytest.approx(mse(labels, proba) / 2, rel=1e-12)


def test_with_three_classes_mse01_rewards_overstatement_and_mse_the_truth():
    """The least of sum q (1 - p)^2 lies at p = 1 - 2 (1/q) / sum(1/q)."""
    truth = np.array([0.5, 0.3, 0.2])
    overstated = 1 - 2 * (1 / truth) / (1 / truth).sum()
    scores = {
        metric: [metric([0, 1, 2], [p] * 3, sample_weight=truth) for p in (truth, overstated)]
        for metric in (mse, mse01)
    }
    assert scores[mse][0] < scores[mse][1]
    assert scores[mse01][0] > scores[mse01][1]


def by_hand_avll(labels, proba, prior):
    epsilon = min(0.005, min(0.5 * share for share in prior if share > 0))
    known = [row[label] for label, row in zip(labels, proba, strict=True)]
    return np.mean([-np.log2({0.0: epsilon, 1.0: 1 - epsilon}.get(p, p)) for p in known])


@given(SEEDS)
def test_avll_replaces_0_and_1(seed):
    labels, proba, _ = draw(seed)
    random = np.random.default_rng(seed)
    proba = np.where(random.random((len(labels), 1)) < 0.5, np.eye(proba.shape[1])[random.permutation(labels)], proba)
    prior = random.dirichlet(np.full(proba.shape[1], 0.3))
    assert avll(labels, proba, prior=prior) == pytest.approx(by_hand_avll(labels, proba, prior), rel=1e-12)
    shares = np.bincount(labels) / len(labels)
    assert avll(labels, proba) == pytest.approx(by_hand_avll(labels, proba, shares), rel=1e-12)


@given(SEEDS)
def test_without_0_and_1_avll_is_the_log_loss_in_bits(seed):
    labels, proba, weights = draw(seed)
    proba = (proba + 1e-9) / (proba + 1e-9).sum(axis=1, keepdims=True)
    weights = weights + 0.5
    bits = log_loss_bits(labels, proba, sample_weight=weights)
    assert avll(labels, proba, sample_weight=weights) == pytest.approx(bits, rel=1e-12)


def test_certainty_on_iris_has_the_papers_avll():
    """Nielsen 2004, Table 6: MOB-ESP is always certain and right on iris; 0.007 bits."""
    assert avll([0, 1], [0.0, 1.0], prior=[0.5, 0.5]) == pytest.approx(-np.log2(0.995), rel=1e-12)
    assert round(avll([0, 1], [0.0, 1.0]), 3) == 0.007


def test_a_rare_class_makes_epsilon_smaller_and_an_absent_one_does_not():
    wrong = {"y_true": [0, 1], "y_proba": [0.0, 0.0], "sample_weight": [0, 1], "labels": [0, 1]}
    assert avll(**wrong) == pytest.approx(-np.log2(0.005))
    assert avll(**wrong, prior=[0.998, 0.002]) == pytest.approx(-np.log2(0.001))
    assert avll(**wrong, prior=[1.0, 0.0]) == pytest.approx(-np.log2(0.005))


def test_avll_can_clip_every_probability():
    y, p = [0, 1, 1], [1e-4, 1e-4, 0.4]
    exact, clipped = avll(y, p), avll(y, p, only_exact=False)
    assert exact == pytest.approx(-np.log2([1 - 1e-4, 1e-4, 0.4]).mean())
    assert clipped == pytest.approx(-np.log2([0.995, 0.005, 0.4]).mean())
    with pytest.raises(ParameterError, match="only_exact must be a bool; got 'no'"):
        avll(y, p, only_exact="no")
