"""Paired differences of two models on the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.comparison import mcnemar_test
from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics import METRICS as METRICS_BY_NAME
from calibrant.metrics import compare, evaluate, evaluate_table

METRICS = ["log_loss", "auc", "ks", "accuracy", "ece", "f1"]


def cards(n=800, blur=0.3, n_classes=2, **options):
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(n_classes), n)
    y = (rng.random(n)[:, None] > np.cumsum(truth, axis=1)).sum(axis=1)
    noisy = truth ** rng.uniform(1 - blur, 1 + blur, (n, 1)) * np.exp(blur * rng.normal(size=truth.shape))
    noisy /= noisy.sum(axis=1, keepdims=True)
    return [evaluate(y, p, **options) for p in (truth, noisy)]


def test_the_better_model_is_found_by_pairs():
    first, second = cards(metrics=METRICS, blur=0.6)
    found = compare(first, second)
    assert found["log_loss"].better == "first"
    assert compare(second, first)["log_loss"].better == "second"
    assert found["log_loss"].difference == first["log_loss"].value - second["log_loss"].value


def test_pairs_make_the_interval_shorter_than_both_alone():
    first, second = cards(metrics=["log_loss"])
    paired = compare(first, second)["log_loss"]
    alone = np.hypot(first["log_loss"].high - first["log_loss"].low, second["log_loss"].high - second["log_loss"].low)
    assert paired.high - paired.low < 0.7 * alone


def test_calibration_errors_have_a_difference_and_no_interval():
    assert compare(*cards(metrics=METRICS))["ece"].low is None


def test_reweighted_metrics_are_paired_too():
    names = ["h_measure", "calibration_slope", "auprc", "three_point_precision"]
    first, second = cards(metrics=names, blur=0.9, n_boot=200)
    found = compare(first, second)
    assert found["h_measure"].better == found["auprc"].better == "first"
    assert found["calibration_slope"].low < found["calibration_slope"].difference < found["calibration_slope"].high
    assert all((same.low, same.high) == (0, 0) for same in compare(first, first).values())


def test_several_classes_are_compared_too():
    found = compare(*cards(metrics=["log_loss", "auc", "accuracy"], n_classes=3, blur=0.8))
    assert found["log_loss"].better == "first"
    assert [found[name].method for name in found] == ["BCa", "BCa", "Tango"]


def test_replicates_of_both_are_the_same_rows():
    first, _ = cards(metrics=["ks", "mse"], interval="bootstrap")
    predictions = first.judged.predictions
    shifted = evaluate(predictions.label, 1 - (1 - predictions.binary_rows().proba) ** 2, metrics=["ks"])
    assert compare(first, shifted)["ks"] == compare(first, first)["ks"]


def test_cards_of_other_rows_raise_an_error():
    first, _ = cards(metrics=["mse"])
    with pytest.raises(DataError, match="not of the same rows"):
        compare(first, evaluate([0, 1], [0.2, 0.4], metrics=["mse"]))
    with pytest.raises(DataTypeError, match="two cards of evaluate; got list"):
        compare(first, [0.2, 0.4])
    with pytest.raises(DataError, match="no metric in common"):
        compare(first, cards(metrics=["auc"])[0])
    table = {"y": [0, 1], "p": [0.2, 0.4]}
    polars = pytest.importorskip("polars")
    with pytest.raises(DataError, match="evaluate_table do not"):
        compare(first, evaluate_table(polars.DataFrame(table), target="y", proba="p"))


def test_differences_read_as_text_and_frame():
    found = compare(*cards(metrics=METRICS))
    assert repr(found).startswith("Differences of two cards: 800 rows")
    assert repr(found).endswith("ece: no valid interval is known")
    assert list(found.to_frame().index) == METRICS
    with pytest.raises(ParameterError, match="no 'mse' in both"):
        found["mse"]


def discordant(only_first, only_second, n=100, **options):
    """Two cards of n rows, of which each model alone is right in some, and both in the others."""
    right = np.ones((2, n))
    right[1, :only_first] = right[0, only_first : only_first + only_second] = 0
    y = np.arange(n) % 2
    return [evaluate(y, np.where(each == y, 0.9, 0.1), metrics=["accuracy", "error"], **options) for each in right == 1]


def test_three_to_none_of_a_hundred_rows_do_not_show_that_the_first_is_better():
    found = compare(*discordant(3, 0))
    assert [found[name].better for name in found] == ["", ""]
    assert found["accuracy"].method == "Tango"
    assert found["accuracy"].low < 0 < 0.03 < found["accuracy"].high


@pytest.mark.parametrize(("wins", "losses"), [(0, 1), (5, 0), (6, 0), (6, 1), (9, 2), (20, 9), (4, 17), (12, 12)])
def test_the_better_of_two_accuracies_is_that_of_mcnemars_test(wins, losses):
    found = compare(*discordant(wins, losses))
    a, b = (np.repeat(right, [wins, losses, 100 - wins - losses]) for right in ([1, 0, 1], [0, 1, 1]))
    test = mcnemar_test(np.ones(100, dtype=int), a, b)
    accuracy, error = found["accuracy"], found["error"]
    assert (accuracy.low, accuracy.high) == pytest.approx((test.low, test.high), abs=1e-12)
    assert (error.low, error.high) == pytest.approx((-test.high, -test.low), abs=1e-12)
    assert accuracy.better == error.better == ("" if test.pvalue > 0.05 else "first" if wins > losses else "second")


def test_a_weight_of_two_is_the_row_twice_in_paired_proportions():
    first, second = discordant(4, 1)
    y, p, q = (
        np.r_[x, x[:4]]
        for x in (first.judged.predictions.label, *(c.judged.predictions.table[:, 0] for c in (first, second)))
    )
    weights = np.r_[2.0 * np.ones(4), np.ones(96)]
    twice = compare(*(evaluate(y, each, metrics=["error"]) for each in (p, q)))["error"]
    weighted = compare(*(evaluate(y[:100], each[:100], metrics=["error"], sample_weight=weights) for each in (p, q)))
    assert (weighted["error"].low, weighted["error"].high) == (twice.low, twice.high)
    assert weighted["error"].method == "Tango"


def test_proportions_of_grouped_rows_are_resampled_in_whole_groups():
    groups = np.repeat(np.arange(20), 5)
    assert compare(*discordant(9, 2, groups=groups))["error"].method == "BCa"


def separated(n=20, seed=0):
    """Two models that rank all positive rows first, in different orders."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return y, *((y + rng.random(n)) / 2 for _ in range(2))


def test_two_perfect_areas_are_not_proved_equal():
    y, p, q = separated()
    found = compare(*(evaluate(y, each, metrics=["auc", "gini"]) for each in (p, q)))
    assert found["auc"].difference == 0
    assert found["auc"].low < -0.1
    assert found["auc"].high > 0.1
    assert (found["gini"].low, found["gini"].high) == pytest.approx((2 * found["auc"].low, 2 * found["auc"].high))
    alone = evaluate(y, p, metrics=["auc"])["auc"]
    assert found["auc"].low == pytest.approx(alone.low - 1)
    assert found["auc"].method == "DeLong"


def test_a_perfect_area_against_a_constant_score_has_an_interval_of_some_width():
    y, p, _ = separated()
    found = compare(*(evaluate(y, each, metrics=["auc"]) for each in (p, np.full(20, 0.5))))["auc"]
    assert found.better == "first"
    assert found.low < found.difference == 0.5 < found.high


def test_a_model_is_exactly_as_good_as_itself():
    y, p, _ = separated()
    card = evaluate(y, p, metrics=["auc", "accuracy", "ks", "mse"])
    assert all((same.low, same.high) == (0, 0) for same in compare(card, card).values())


def test_replicates_that_are_all_equal_show_nothing():
    y, p, q = separated()
    found = compare(*(evaluate(y, each, metrics=["ks", "f1"]) for each in (p, q)))
    assert [found[name].low for name in found] == [None, None]


@pytest.mark.parametrize("name", ["accuracy", "error", "recall", "specificity", "top_k_accuracy"])
def test_options_of_a_proportion_keep_its_interval(name):
    rng = np.random.default_rng(5)
    y, n_classes = rng.integers(0, 2 + (name == "top_k_accuracy"), 300), 2 + (name == "top_k_accuracy")
    options = {"k": 1} if n_classes == 3 else {"threshold": 0.3}
    one, other = (rng.dirichlet(np.ones(n_classes), 300) for _ in range(2))
    found = compare(*(evaluate(y, p, metrics=[], extras={name: options}) for p in (one, other)))[name]
    hits = [METRICS_BY_NAME[name].hits(evaluate(y, p).judged.predictions, **options) for p in (one, other)]
    counted = ~np.isnan(hits[0])
    test = mcnemar_test(np.ones(counted.sum()), hits[0][counted], hits[1][counted])
    assert found.method == "Tango"
    assert (found.difference, found.low, found.high) == pytest.approx((test.difference, test.low, test.high))


def test_averaged_rates_are_no_proportions_and_are_resampled():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 200)
    cards = (
        evaluate(y, rng.dirichlet(np.ones(3), 200), metrics=[], extras={"recall": {"average": "macro"}}) for _ in "ab"
    )
    assert compare(*cards)["recall"].method == "BCa"
