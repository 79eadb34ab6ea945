"""Calibration measures of tables larger than memory: the values and intervals of `evaluate` on the same rows."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.metrics import METRICS, cal, evaluate, evaluate_table

OF_TWO = ["ece", "classwise_ece", "cal", "calibration_slope", "calibration_intercept", "spiegelhalter_z"]
RANKS = ["average_precision", "ks", "lift", "aulc"]


def drawn(n=20_000, digits=None, seed=0):
    """Return a frame of classes, probabilities that are a little off, and whole weights."""
    random = np.random.default_rng(seed)
    p = random.beta(0.7, 1.5, n)
    y = random.random(n) < p**1.1
    return pl.DataFrame({"y": y, "p": p if digits is None else p.round(digits), "w": random.integers(0, 4, n)})


def streamed(rows, metrics, **options):
    return evaluate_table(rows, target="y", proba="p", metrics=metrics, batch_size=1777, **options)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("name", OF_TWO)
def test_values_are_those_of_all_rows_at_once(name, weight):
    rows = drawn()
    found = streamed(rows, [name], weight=weight, confidence=None)[name].value
    weights = None if weight is None else rows["w"].to_numpy()
    expected = METRICS[name].function(rows["y"].to_numpy(), rows["p"].to_numpy(), sample_weight=weights)
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("name", ["calibration_slope", "calibration_intercept"])
def test_slope_and_intercept_have_the_interval_of_evaluate(name):
    rows = drawn()
    found = streamed(rows, [name])[name]
    expected = evaluate(rows["y"], rows["p"], metrics=[name])[name]
    assert found.method == "sandwich"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)


def test_spiegelhalters_z_has_its_p_value():
    rows = drawn()
    found = streamed(rows, ["spiegelhalter_z"])["spiegelhalter_z"]
    expected = evaluate(rows["y"], rows["p"], metrics=["spiegelhalter_z"])["spiegelhalter_z"]
    assert (found.pvalue, found.note) == (pytest.approx(expected.pvalue, rel=1e-6), expected.note)


def test_rounded_probabilities_have_exactly_the_bound_of_evaluate():
    rows = drawn(digits=2)
    found = streamed(rows, ["ece", "cal"])
    expected = evaluate(rows["y"], rows["p"], metrics=["ece", "cal"])
    for name in ("ece", "cal"):
        assert found[name].method == "upper bound"
        assert found[name].high == pytest.approx(expected[name].high, rel=1e-9)
    assert found["ece"].debiased == pytest.approx(expected["ece"].debiased, rel=1e-9)
    assert found["ece"].pvalue == pytest.approx(expected["ece"].pvalue, abs=0.02)


def test_other_probabilities_have_the_bound_of_evaluate_but_for_a_bin():
    rows = drawn()
    found, expected = streamed(rows, ["ece"])["ece"], evaluate(rows["y"], rows["p"], metrics=["ece"])["ece"]
    assert found.high == pytest.approx(expected.high, abs=0.01)


def test_what_has_no_p_value_says_why():
    card = streamed(drawn(3000), ["cal", "classwise_ece"])
    assert card["cal"].note == "no p-value: it needs the rows themselves"
    assert card["classwise_ece"].note == "no interval: none is proved; no p-value: it needs the rows themselves"


def test_several_classes_stream_the_predicted_one():
    random = np.random.default_rng(1)
    proba = random.dirichlet(np.ones(3), 5000)
    y = (random.random(5000)[:, None] > proba.cumsum(axis=1)[:, :2]).sum(axis=1)
    rows = pl.DataFrame(proba, schema=["a", "b", "c"]).with_columns(y=np.array(["a", "b", "c"])[y])
    names = ["ece", "cal", "classwise_ece"]
    card = evaluate_table(rows, target="y", proba=["a", "b", "c"], metrics=names, batch_size=999)
    whole = evaluate(rows["y"], proba, metrics=names)
    for name in names:
        assert card[name].value == pytest.approx(whole[name].value, rel=1e-9)
    assert card["ece"].high is not None


@pytest.mark.parametrize("name", RANKS)
def test_rankings_have_the_interval_of_evaluate(name):
    rows = drawn(3000)
    found, expected = streamed(rows, [name])[name], evaluate(rows["y"], rows["p"], metrics=[name], n_boot=2000)[name]
    width = expected.high - expected.low
    assert found.method == "BCa"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.12 * width)


@pytest.mark.parametrize("name", ["log_loss", "mse", "rms", "spherical"])
def test_skewed_losses_have_the_bca_interval_of_evaluate(name):
    rows = drawn(300)
    found, expected = streamed(rows, [name])[name], evaluate(rows["y"], rows["p"], metrics=[name], n_boot=20_000)[name]
    width = expected.high - expected.low
    assert found.method == expected.method == "BCa"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.05 * width)


def test_every_streamed_measure_has_an_interval_or_a_reason():
    for score in streamed(drawn(3000), "all").values():
        assert score.high is not None or "no interval" in score.note, score.metric


def test_degenerate_lines_are_those_of_evaluate():
    frames = {
        "separated": ([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]),
        "equal": ([0, 1, 1, 0], [0.4] * 4),
    }
    for y, p in frames.values():
        for name in ("calibration_slope", "calibration_intercept"):
            found = evaluate_table(pl.DataFrame({"y": y, "p": p}), target="y", proba="p", metrics=[name])[name]
            assert found.value == pytest.approx(METRICS[name].function(y, p), rel=1e-9, nan_ok=True)
    rows = pl.DataFrame({"y": [1, 1], "p": [0.4, 0.6]})
    one = evaluate_table(rows, target="y", proba="p", labels=[0, 1], metrics=["calibration_intercept"])
    assert one["calibration_intercept"].value == np.inf


@given(seed=st.integers(0, 2**32 - 1), batch=st.integers(20, 600))
def test_sorting_on_disk_finds_the_windows_of_cal(seed, batch):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 2000))
    p, w = random.random(n).round(int(random.integers(1, 5))), [None, random.random(n) * 3 + 0.01][seed % 2]
    rows = pl.DataFrame({"y": random.random(n) < p, "p": p, "w": np.ones(n) if w is None else w})
    options = {"metrics": ["cal"], "weight": "w", "labels": [False, True], "confidence": None, "batch_size": batch}
    found = evaluate_table(rows, target="y", proba="p", **options)["cal"].value
    expected = cal(rows["y"], p, sample_weight=w, pos_label=True, labels=[False, True])
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_memory_does_not_grow_with_the_table(tmp_path):
    peaks = []
    for n in (200_000, 1_000_000):
        path = tmp_path / f"{n}.parquet"
        drawn(n).write_parquet(path)
        tracemalloc.start()
        evaluate_table(
            path, target="y", proba="p", metrics=OF_TWO, confidence=None, labels=[False, True], batch_size=50_000
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
