"""Paired differences of two models on the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.exceptions import DataError, DataTypeError, ParameterError
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
    assert [found[name].method for name in found] == ["BCa", "BCa", "BCa"]


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
