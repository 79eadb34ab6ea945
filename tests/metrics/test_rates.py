"""Precision, recall, specificity, negative predictive value and balanced accuracy, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st

from calibrant.exceptions import ParameterError
from calibrant.metrics import (
    accuracy,
    balanced_accuracy,
    compare,
    evaluate,
    evaluate_table,
    npv,
    precision,
    proportion_interval,
    recall,
    sensitivity,
    specificity,
)

SEEDS = st.integers(0, 2**32 - 1)
RATES = {"precision": precision, "recall": recall, "specificity": specificity, "npv": npv}


def drawn(seed, n_classes, n=60):
    """Return classes of which all occur, probabilities, fractional weights and the predicted classes."""
    random = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, n - n_classes))
    proba = random.dirichlet(np.ones(n_classes), n) + 0.4 * np.eye(n_classes)[y]
    proba /= proba.sum(axis=1, keepdims=True)
    return y, proba, random.random(n) + 0.1, proba.argmax(axis=1)


@given(seed=SEEDS)
def test_rates_of_two_classes_are_those_of_scikit_learn(seed):
    y, proba, w, predicted = drawn(seed, 2)
    for positive in (0, 1):
        options = {"sample_weight": w, "zero_division": np.nan}
        ours = {"sample_weight": w, "pos_label": positive}
        theirs = {
            "precision": sk.precision_score(y, predicted, pos_label=positive, **options),
            "recall": sk.recall_score(y, predicted, pos_label=positive, **options),
            "specificity": sk.recall_score(y, predicted, pos_label=1 - positive, **options),
            "npv": sk.precision_score(y, predicted, pos_label=1 - positive, **options),
        }
        for name, rate in RATES.items():
            assert rate(y, proba, **ours) == pytest.approx(theirs[name], rel=1e-12, nan_ok=True)
        assert sensitivity(y, proba, **ours) == recall(y, proba, **ours)


@given(seed=SEEDS)
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_averages_of_precision_and_recall_are_those_of_scikit_learn(average, seed):
    y, proba, w, predicted = drawn(seed, 4)
    for ours, theirs in ((precision, sk.precision_score), (recall, sk.recall_score)):
        expected = theirs(y, predicted, average=average, sample_weight=w, zero_division=0)
        assert ours(y, proba, average=average, sample_weight=w) == pytest.approx(expected, rel=1e-12)


@given(seed=SEEDS)
def test_averages_of_specificity_and_npv_are_those_of_each_class_against_all_others(seed):
    y, proba, w, predicted = drawn(seed, 4)
    of_class = [
        sk.confusion_matrix(y == k, predicted == k, sample_weight=w, labels=[False, True]).ravel() for k in range(4)
    ]
    tn, fp, fn, _ = np.array(of_class).T
    support = np.bincount(y, w)
    for rate, trials in ((specificity, tn + fp), (npv, tn + fn)):
        values = tn / trials
        assert rate(y, proba, average="macro", sample_weight=w) == pytest.approx(values.mean(), rel=1e-12)
        weighted = np.average(values, weights=support)
        assert rate(y, proba, average="weighted", sample_weight=w) == pytest.approx(weighted, rel=1e-12)
        micro = tn.sum() / trials.sum()
        assert rate(y, proba, average="micro", sample_weight=w) == pytest.approx(micro, rel=1e-12)


@given(seed=SEEDS, n_classes=st.integers(2, 6))
def test_balanced_accuracy_is_that_of_scikit_learn(seed, n_classes):
    y, proba, w, predicted = drawn(seed, n_classes)
    expected = sk.balanced_accuracy_score(y, predicted, sample_weight=w)
    assert balanced_accuracy(y, proba, sample_weight=w) == pytest.approx(expected, rel=1e-12)


def test_a_threshold_decides_for_the_positive_class():
    y, p = np.array([0, 0, 1, 1, 1]), np.array([0.1, 0.4, 0.3, 0.6, 0.4])
    assert precision(y, p, threshold=0.35) == pytest.approx(2 / 3)
    assert recall(y, p, threshold=0.4, inclusive=True) == pytest.approx(2 / 3)
    assert specificity(y, p, threshold=0.35) == 0.5
    assert npv(y, p, threshold=0.35) == 0.5
    assert balanced_accuracy(y, p, threshold=0.35) == pytest.approx((0.5 + 2 / 3) / 2)


def test_a_rate_without_a_trial_is_not_a_number():
    y, p = np.array([0, 1]), np.array([0.2, 0.4])
    assert np.isnan(precision(y, p))
    assert npv(y, p) == 0.5
    assert np.isnan(npv(y, 1 - p / 2))
    assert np.isnan(specificity([1, 1, 1], [0.9, 0.8, 0.7], pos_label=1, sample_weight=[0.1, 0.2, 0.3]))


def test_classes_that_neither_occur_nor_are_predicted_are_left_out():
    y, proba = [0, 1, 1], [[0.9, 0.1, 0], [0.2, 0.8, 0], [0.6, 0.4, 0]]
    assert specificity(y, proba, labels=[0, 1, 2], average="macro") == pytest.approx((0.5 + 1) / 2)
    assert recall(y, proba, labels=[0, 1, 2], average="macro") == pytest.approx(0.75)


def test_several_classes_need_a_positive_one_or_an_average():
    y, proba, _, _ = drawn(0, 3)
    with pytest.raises(ParameterError, match=r"precision evaluates one class .*pass pos_label=.* or average="):
        precision(y, proba)
    with pytest.raises(ParameterError, match="threshold is for one class"):
        recall(y, proba, average="macro", threshold=0.4)
    assert recall(y, proba, average="micro") == pytest.approx(accuracy(y, proba))


def test_the_card_has_wilson_intervals_of_the_rows_that_count():
    y, proba, _, predicted = drawn(1, 2, 300)
    card = evaluate(y, proba, metrics=[*RATES, "sensitivity", "balanced_accuracy"])
    trials = {"precision": predicted == 1, "recall": y == 1, "specificity": y == 0, "npv": predicted == 0}
    for name, rows in trials.items():
        successes = (predicted == y)[rows].sum()
        assert card[name].method == "Wilson"
        assert card[name].value == pytest.approx(successes / rows.sum())
        assert (card[name].low, card[name].high) == pytest.approx(proportion_interval(successes, rows.sum()))
    assert (card["sensitivity"].low, card["sensitivity"].high) == (card["recall"].low, card["recall"].high)
    assert card["balanced_accuracy"].method == "BCa"
    assert card["balanced_accuracy"].low < card["balanced_accuracy"].value < card["balanced_accuracy"].high


def test_strata_and_clusters_have_bootstrap_intervals():
    y, proba, _, _ = drawn(1, 2, 300)
    within_classes = evaluate(y, proba, metrics=list(RATES), stratified=True, n_boot=99)
    assert [within_classes[name].method for name in RATES] == ["BCa", "Wilson", "Wilson", "BCa"]
    by_cluster = evaluate(y, proba, metrics=list(RATES), groups=np.arange(300) // 5, n_boot=99)
    assert {score.method for score in by_cluster.values()} == {"BCa"}


def test_one_of_several_classes_has_an_interval():
    y, proba, _, predicted = drawn(2, 4, 200)
    card = evaluate(y, proba, metrics=["recall", "balanced_accuracy"], pos_label=2)
    expected = proportion_interval(((y == 2) & (predicted == 2)).sum(), (y == 2).sum())
    assert (card["recall"].low, card["recall"].high) == pytest.approx(expected)


def test_an_undefined_rate_says_so_on_the_card():
    score = evaluate([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], metrics=["precision"])["precision"]
    assert np.isnan(score.value)
    assert (score.low, score.note) == (None, "not defined for these rows")


def test_rates_are_streamed_with_the_same_intervals():
    y, proba, _, _ = drawn(3, 2, 500)
    rows = {"y": y, "p": proba[:, 1]}
    polars = pytest.importorskip("polars")
    names = [*RATES, "balanced_accuracy"]
    streamed = evaluate_table(polars.DataFrame(rows), target="y", proba="p", metrics=names, batch_size=64)
    card = evaluate(y, proba[:, 1], metrics=names)
    for name in names:
        assert streamed[name].value == pytest.approx(card[name].value)
    for name in RATES:
        assert (streamed[name].low, streamed[name].high) == pytest.approx((card[name].low, card[name].high))


def test_sensitivities_of_two_models_are_compared_by_the_positive_rows_alone():
    y, _, _, predicted = drawn(4, 2, 200)
    _, _, _, other = drawn(5, 2, 200)
    cards = [
        evaluate(y, np.eye(2)[classes], metrics=["accuracy", "recall", "specificity"]) for classes in (predicted, other)
    ]
    found = compare(*cards)
    rows = y == 1
    of_positives = compare(
        *(evaluate(y[rows], np.eye(2)[c][rows], metrics=["accuracy"], labels=[0, 1]) for c in (predicted, other))
    )
    assert found["recall"].method == of_positives["accuracy"].method
    assert (found["recall"].low, found["recall"].high) == pytest.approx(
        (of_positives["accuracy"].low, of_positives["accuracy"].high)
    )
    assert found["specificity"].method == found["accuracy"].method
