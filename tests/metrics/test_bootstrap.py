"""Replicates weight the rows as resampling them would, and their intervals are SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from calibrant.metrics import METRICS, evaluate
from calibrant.metrics._classification.confusion import measure_of
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.intervals import bca_interval
from calibrant.metrics._intervals.metric_intervals import find_recipe
from calibrant.metrics._intervals.replicate_values import RECIPES, Layout, ReplicateValues, reweighted_bootstrap
from calibrant.metrics._intervals.replicates import Resampled, Sampling, replicate
from calibrant.metrics._validation.read_predictions import read_predictions

SEED = np.random.SeedSequence(3)


def drawn(n, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), n).round(2 if n_classes == 2 else 10)
    proba[:, -1] = 1 - proba[:, :-1].sum(axis=1)
    label = np.array([rng.choice(n_classes, p=np.abs(row) / np.abs(row).sum()) for row in proba])
    label[:n_classes] = np.arange(n_classes)
    return label, np.abs(proba)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", [*RECIPES, *(name for name in METRICS if measure_of(METRICS[name]) is not None)])
def test_a_replicate_has_the_value_of_its_weighted_rows(name, n_classes):
    metric = METRICS[name]
    if metric.classes == "two" and n_classes > 2:
        return
    label, proba = drawn(60, n_classes)
    predictions = read_predictions(label, proba)
    recipe = find_recipe(metric, BootstrapPlan(predictions))
    layout = Layout.of(predictions, [recipe])
    _, left_out = replicate(layout.rows, Sampling.of(60), SEED, 1)
    values = recipe.compute(ReplicateValues(left_out, layout, predictions))
    expected = [metric.judge(read_predictions(*_without(label, proba, layout.order, block))) for block in range(60)]
    assert sorted(values) == pytest.approx(sorted(scaled(name, expected)), rel=1e-9)


def scaled(name, expected):
    """Scale description lengths to the full number of rows."""
    return np.multiply(expected, 60 / 59) if name == "description_length" else expected


def _without(label, proba, order, rank):
    row = rank if order is None else order[rank]
    return np.delete(label, row), np.delete(proba, row, axis=0)


@pytest.mark.parametrize("name", ["h_measure", "auprc", "three_point_precision", "eleven_point_precision"])
def test_reweighted_rows_are_the_rows_drawn(name):
    label, proba = drawn(60)
    plan = BootstrapPlan(read_predictions(label, proba), n_boot=3, seed=SEED)
    found, left_out, _ = reweighted_bootstrap(plan, {name: METRICS[name]})[name]
    expected = [METRICS[name].function(*_without(label, proba, None, row)) for row in range(60)]
    assert sorted(left_out) == pytest.approx(sorted(expected), rel=1e-12)
    assert len(set(found)) == 3


def test_reweighted_rows_have_the_replicates_of_the_core_up_to_chance():
    label, proba = drawn(300)
    plan = BootstrapPlan(read_predictions(label, proba), n_boot=2000, seed=SEED)
    found, left_out, _ = reweighted_bootstrap(plan, {"mse": METRICS["mse"]})["mse"]
    ours = bca_interval(METRICS["mse"].judge(plan.predictions), found, left_out, 0.95)
    core = evaluate(label, proba, metrics=["mse"], n_boot=2000)["mse"]
    assert ours == pytest.approx((core.low, core.high), abs=0.1 * (core.high - core.low))


def test_bca_is_scipy_s_for_a_mean():
    values = np.random.default_rng(1).exponential(size=40)
    drawn, left_out = replicate(Resampled(40, (values,)), Sampling.of(40), SEED, 20_000)
    ours = bca_interval(values.mean(), drawn.values[:, 0], left_out.values[:, 0], 0.95)
    theirs = bootstrap((values,), np.mean, method="BCa", n_resamples=20_000, random_state=2).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_any_number_of_threads_has_the_same_bits():
    label, proba = drawn(300)
    cards = [evaluate(label, proba, metrics=[*RECIPES], n_jobs=n, interval="bootstrap") for n in (1, 3)]
    assert list(cards[0].values()) == list(cards[1].values())


def test_the_seed_decides():
    label, proba = drawn(50)
    cards = [evaluate(label, proba, metrics=["mse"], random_state=seed)["mse"] for seed in (1, 1, 2)]
    assert cards[0] == cards[1]
    assert cards[0] != cards[2]


def test_strata_keep_the_frequencies_of_classes():
    positive = np.repeat([0, 1], [30, 10])
    plan = Sampling.of(40, stratum=positive)
    replicates, _ = replicate(Resampled(40, (positive.astype(float),)), plan, SEED, 50)
    assert replicates.values[:, 0] == pytest.approx(0.25)


def test_clusters_are_drawn_whole_and_make_intervals_longer():
    label, proba = drawn(100)
    many = np.repeat(label, 5), np.repeat(proba, 5, axis=0), np.repeat(np.arange(100), 5)
    alone = evaluate(*many[:2], metrics=["mse"])["mse"]
    clustered = evaluate(*many[:2], groups=many[2], metrics=["mse"])["mse"]
    assert clustered.high - clustered.low > 1.8 * (alone.high - alone.low)


def test_a_weight_of_two_is_the_row_twice():
    label, proba = drawn(200)
    twice = evaluate(np.repeat(label, 2), np.repeat(proba, 2, axis=0), metrics=["mse", "auc"], n_boot=4000)
    weighted = evaluate(label, proba, sample_weight=np.full(200, 2), metrics=["mse", "auc"], n_boot=4000)
    assert weighted["auc"].low == pytest.approx(twice["auc"].low)
    assert weighted["mse"].low == pytest.approx(twice["mse"].low, abs=0.004)
    assert weighted["mse"].high == pytest.approx(twice["mse"].high, abs=0.004)


def test_probability_weights_are_not_counted_as_rows():
    label, proba = drawn(200)
    plain = evaluate(label, proba, metrics=["mse"], stratified=True)["mse"]
    heavy = evaluate(label, proba, metrics=["mse"], sample_weight=np.full(200, 50.0), weight_kind="probability")["mse"]
    assert (heavy.low, heavy.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
