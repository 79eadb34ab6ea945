"""What holds for every metric there is: weights, the order of columns, ranges, and what the registry says."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.metrics import METRICS

SEEDS = st.integers(0, 2**32 - 1)
# The line of certain probabilities is found by steps on a loss that is all but flat.
ROUNDED = {"calibration_slope": 1e-8, "calibration_intercept": 1e-8}


def draw(seed):
    """Rows of every class, with ties and certainties among the probabilities, a whole weight and a vote a row."""
    random = np.random.default_rng(seed)
    n_classes = random.integers(2, 6)
    labels = np.append(np.arange(n_classes), random.integers(0, n_classes, random.integers(5, 40)))
    counts = random.integers(0, 3, (len(labels), n_classes)) + np.eye(n_classes)[random.permutation(labels)]
    proba = np.where(random.random((len(labels), 1)) < 0.2, np.eye(n_classes)[labels], counts)
    return (
        labels,
        proba / proba.sum(axis=1, keepdims=True),
        random.integers(0, 4, len(labels)),
        random.permutation(labels),
    )


def judge(name, y, proba, vote, **options):
    """Give the metric what it needs; where it judges two classes the lowest is the positive one, unless told."""
    order = options.get("labels", np.arange(2 if np.ndim(proba) == 1 else proba.shape[1]))
    extras = {
        "vote": vote,
        "k": 1.0,
        "matrix": np.add.outer(order**2, order) + 3 * np.eye(len(order)),
        "amount": np.asarray(y) + 1.0,
        "cost": 0.5,
        "prior": dict(zip(order.tolist(), (order + 1.0) / (order + 1.0).sum(), strict=True)),
    }
    told = {"pos_label": 0} if METRICS[name].classes == "two" else {}
    return METRICS[name].function(y, proba, **{need: extras[need] for need in METRICS[name].needs}, **(told | options))


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_a_weight_is_the_row_that_often(name, seed):
    labels, proba, weights, vote = draw(seed)
    columns = np.arange(proba.shape[1])
    weights[0] += 1
    again = np.repeat(np.arange(len(labels)), weights)
    weighted = judge(name, labels, proba, vote, sample_weight=weights, labels=columns)
    repeated = judge(name, labels[again], proba[again], vote[again], labels=columns)
    assert weighted == pytest.approx(repeated, rel=ROUNDED.get(name, 1e-11), abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_classes_and_columns_in_another_order_change_nothing(name, seed):
    labels, proba, _, vote = draw(seed)
    order = np.random.default_rng(seed).permutation(proba.shape[1])
    turned = judge(name, labels, proba[:, order], vote, labels=order)
    assert turned == pytest.approx(
        judge(name, labels, proba, vote), rel=ROUNDED.get(name, 1e-12), abs=1e-14, nan_ok=True
    )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_rows_in_another_order_change_nothing(name, seed):
    labels, proba, _, vote = draw(seed)
    order = np.random.default_rng(seed).permutation(len(labels))
    turned = judge(name, labels[order], proba[order], vote[order])
    assert turned == pytest.approx(
        judge(name, labels, proba, vote), rel=ROUNDED.get(name, 1e-12), abs=1e-14, nan_ok=True
    )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_one_column_says_what_two_say(name, seed):
    random = np.random.default_rng(seed)
    labels, p = np.append([0, 1], random.integers(0, 2, 20)), random.integers(0, 5, 22) / 4
    vote = random.permutation(labels)
    both = np.column_stack([1 - p, p])
    for told, column in ((1, p), (0, 1 - p)):
        one = judge(name, labels, column, vote, pos_label=told)
        assert one == pytest.approx(
            judge(name, labels, both, vote, pos_label=told), rel=ROUNDED.get(name, 1e-12), abs=1e-14, nan_ok=True
        )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_the_registry_knows_its_metrics(name, seed):
    metric = METRICS[name]
    labels, proba, _, vote = draw(seed)
    assert metric.id == name == metric.function.__name__
    value = judge(name, labels, proba, vote)
    assert metric.low <= value <= metric.high or np.isnan(value)
    assert metric.papers
    assert metric.better == "nearer" or metric.is_better(metric.low, metric.high) == (metric.better == "lower")


@pytest.mark.parametrize("name", METRICS)
def test_what_a_metric_needs_has_no_default(name):
    parameters = inspect.signature(METRICS[name].function).parameters.values()
    needed = {item.name for item in parameters if item.default is item.empty} - {"y_true", "y_proba"}
    assert needed == set(METRICS[name].needs)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_begins_with_what_is_judged(name):
    parameters = inspect.signature(METRICS[name].function).parameters.values()
    assert [item.name for item in parameters if item.kind is not item.KEYWORD_ONLY] == ["y_true", "y_proba"]
