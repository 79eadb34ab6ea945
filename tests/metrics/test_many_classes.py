"""Intervals of many classes: from what each row adds to the mean over the classes, in little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from calibrant.metrics import METRICS, average_precision, compare, evaluate, mcc
from calibrant.metrics._intervals import replicate_values, replicates
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.class_rankings import area_values, class_values, lift_values, precision_values
from calibrant.metrics._intervals.metric_intervals import draw_values
from calibrant.metrics._validation.read_predictions import read_predictions

BY_CLASS = ("auc", "gini", "average_precision", "aulc")


def drawn(n_rows, n_classes, seed=0, n_values=None):
    """Draw classes, each of them at least once, and probabilities, of few distinct values if `n_values` says so."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(size=(n_rows, n_classes))
    label = (odds + rng.gumbel(size=odds.shape)).argmax(axis=1)
    label[:n_classes] = np.arange(n_classes)
    proba = np.exp(odds + 0.5 * rng.normal(size=odds.shape))
    proba /= proba.sum(axis=1, keepdims=True)
    proba = proba if n_values is None else np.ceil(n_values * proba)
    return label, proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_values", [None, 5], ids=["distinct", "tied"])
@pytest.mark.parametrize(("name", "measure"), [("auc", area_values), ("aulc", lift_values)])
def test_a_row_adds_the_derivative_by_its_weight(name, measure, n_values):
    label, proba = drawn(60, 7, n_values=n_values)
    weight = np.random.default_rng(1).integers(1, 4, 60) * 1.0
    value = METRICS[name].function(label, proba, sample_weight=weight)
    slope = [
        (judged(name, label, proba, weight + step) - judged(name, label, proba, weight - step)) / 2e-5
        for step in 1e-5 * np.eye(60)
    ]
    values = class_values(read_predictions(label, proba, weight), measure)
    mean = np.average(values, weights=weight)
    assert mean == pytest.approx(value, abs=1e-12 if name == "auc" else 0.05)  # the lift of half a rank is added
    assert values - mean == pytest.approx(
        weight.sum() * (np.array(slope) - np.average(slope, weights=weight)), abs=1e-6
    )


def judged(name, label, proba, weight):
    return METRICS[name].judge(read_predictions(label, proba, weight))


def precision_of_others(label, proba):
    """Return the sum of the precision of other rows ranked at least as high as each; the next one's for the highest."""
    total = 0.0
    for which in range(proba.shape[1]):
        found = []
        for row in sorted(np.flatnonzero(label == which), key=lambda row: -proba[row, which]):
            others = np.delete(label, row)[np.delete(proba[:, which], row) >= proba[row, which]]
            found.append((others == which).mean() if len(others) else None)
        first = next((each for each in found if each is not None), 1.0)
        total += sum(first if each is None else each for each in found)
    return total


def test_average_precision_has_the_values_of_the_jackknife():
    label, proba = drawn(90, 7, n_values=5)
    values = class_values(read_predictions(label, proba), precision_values)
    whole = precision_of_others(label, proba)
    without = [precision_of_others(np.delete(label, row), np.delete(proba, row, axis=0)) for row in range(90)]
    assert values.sum() == pytest.approx(whole)
    # Equal except for rows that are ranked highest, or next to that, by a class.
    assert np.quantile(np.abs(values - (whole - without)), 0.9) < 1e-9


@pytest.mark.parametrize("measure", [area_values, precision_values, lift_values])
def test_a_weight_of_two_is_the_row_twice_and_a_cluster_of_one_is_the_row(measure):
    label, proba = drawn(80, 7)
    twice = read_predictions(np.repeat(label, 2), np.repeat(proba, 2, axis=0))
    weighted = read_predictions(label, proba, np.full(80, 2))
    assert class_values(weighted, measure) == pytest.approx(class_values(twice, measure)[::2])
    alone = class_values(read_predictions(label, proba), measure)
    assert class_values(read_predictions(label, proba), measure, np.arange(80)) == pytest.approx(alone)
    if measure is precision_values:  # a copy in the same cluster shows nothing of the precision
        assert class_values(twice, measure, np.repeat(np.arange(80), 2)).mean() == pytest.approx(alone.mean())


def test_intervals_of_100_classes_hold_their_values():
    card = evaluate(*drawn(2000, 100), metrics=["log_loss", "auc", "average_precision", "mcc", "kappa", "aulc"])
    assert all(score.low <= score.value <= score.high for score in card.values())
    found = card["average_precision"]
    assert found.low < found.debiased < found.value == found.high
    assert "widened" in found.note
    assert card["auc"].note == ""


def test_the_debiased_average_precision_of_chance_is_the_base_rate():
    rng = np.random.default_rng(0)
    label, proba = rng.permutation(np.repeat(np.arange(100), 10)), rng.dirichlet(np.ones(100), 1000)
    assert average_precision(label, proba) > 0.015
    found = evaluate(label, proba, metrics=["average_precision"])["average_precision"]
    assert found.debiased == pytest.approx(0.01, abs=0.002)


def test_few_classes_have_nearly_the_same_intervals_by_either_way(monkeypatch):
    rows = drawn(3000, 5)
    ranked = evaluate(*rows, metrics=BY_CLASS)
    monkeypatch.setattr(replicate_values, "MOST_RANKED", 2)
    added = evaluate(*rows, metrics=BY_CLASS)
    assert ranked["average_precision"].debiased is None
    for name in BY_CLASS:
        width = ranked[name].high - ranked[name].low
        assert (added[name].low, added[name].high) == pytest.approx(
            (ranked[name].low, ranked[name].high), abs=width / 10
        )


def test_replicates_are_the_same_in_parts(monkeypatch):
    label, proba = drawn(300, 8)
    plan = BootstrapPlan(read_predictions(label, proba), n_boot=30)
    metrics = {name: METRICS[name] for name in ("log_loss", "auc", "mcc")}
    whole = draw_values(plan, metrics)
    monkeypatch.setattr(replicates, "_MOST_NUMBERS", 500)
    monkeypatch.setattr(replicate_values, "_MOST_CELLS", 100)
    for name, found in draw_values(plan, metrics).items():
        assert (found.drawn == whole[name].drawn).all()
        assert (found.left_out == whole[name].left_out).all()


def test_replicates_of_300_classes_are_the_rows_without_a_block():
    label, proba = drawn(310, 300)
    plan = BootstrapPlan(read_predictions(label, proba), n_boot=2)
    left_out = draw_values(plan, {"mcc": METRICS["mcc"]})["mcc"].left_out
    block = replicates.left_out_blocks(plan.sampling(None), plan.seed)
    expected = [mcc(label[block != each], proba[block != each], labels=range(300)) for each in range(10)]
    assert left_out[:10] == pytest.approx(expected)


def test_many_classes_take_little_memory():
    rows = drawn(1000, 300)
    tracemalloc.start()
    evaluate(*rows)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6  # 1,200 confusion matrices at a time take 860 MB


def test_differences_of_many_classes_are_paired():
    label, proba = drawn(800, 12)
    noise = np.random.default_rng(5).normal(size=proba.shape)
    blurred = proba * np.exp(0.1 * noise)
    one, other = (evaluate(label, p / p.sum(axis=1, keepdims=True), metrics=BY_CLASS) for p in (proba, blurred))
    found = compare(one, other)
    for name in BY_CLASS:
        assert found[name].high - found[name].low < 0.5 * (one[name].high - one[name].low)
        assert found[name].low <= found[name].difference <= found[name].high


def test_one_class_of_many_is_ranked_alone():
    label, proba = drawn(400, 9)
    alone = evaluate(label == 3, proba[:, 3], metrics=["ks", "average_precision"])
    named = evaluate(label, proba, pos_label=3, metrics=["ks", "average_precision"])
    for name, score in named.items():
        assert (score.low, score.high) == pytest.approx(
            (alone[name].low, alone[name].high), abs=(score.high - score.low) / 5
        )
