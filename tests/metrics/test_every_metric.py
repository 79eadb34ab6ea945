"""Properties of every metric: weights, the order of columns, ranges, and the registry."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.metrics import METRICS

SEEDS = st.integers(0, 2**32 - 1)
# With certain probabilities the logistic loss is almost flat, so that its minimum is less exact.
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


def value_of(name, y, proba, vote, **options):
    """Evaluate a metric with what it needs; by default the lowest class is positive where it takes two."""
    order = options.get("labels", np.arange(2 if np.ndim(proba) == 1 else proba.shape[1]))
    extras = {
        "vote": vote,
        "k": 1.0,
        "matrix": np.add.outer(order**2, order) + 3 * np.eye(len(order)),
        "amount": np.asarray(y) + 1.0,
        "cost": 0.5,
        "prior": dict(zip(order.tolist(), (order + 1.0) / (order + 1.0).sum(), strict=True)),
    }
    pos_label = {"pos_label": 0} if METRICS[name].classes == "two" else {}
    return METRICS[name].function(
        y, proba, **{need: extras[need] for need in METRICS[name].needs}, **(pos_label | options)
    )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_a_weight_counts_the_row_that_many_times(name, seed):
    labels, proba, weights, vote = draw(seed)
    columns = np.arange(proba.shape[1])
    weights[0] += 1
    again = np.repeat(np.arange(len(labels)), weights)
    weighted = value_of(name, labels, proba, vote, sample_weight=weights, labels=columns)
    repeated = value_of(name, labels[again], proba[again], vote[again], labels=columns)
    assert weighted == pytest.approx(repeated, rel=ROUNDED.get(name, 1e-11), abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_classes_and_columns_in_another_order_change_nothing(name, seed):
    labels, proba, _, vote = draw(seed)
    order = np.random.default_rng(seed).permutation(proba.shape[1])
    turned = value_of(name, labels, proba[:, order], vote, labels=order)
    assert turned == pytest.approx(
        value_of(name, labels, proba, vote), rel=ROUNDED.get(name, 1e-12), abs=1e-14, nan_ok=True
    )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_rows_in_another_order_change_nothing(name, seed):
    labels, proba, _, vote = draw(seed)
    order = np.random.default_rng(seed).permutation(len(labels))
    turned = value_of(name, labels[order], proba[order], vote[order])
    assert turned == pytest.approx(
        value_of(name, labels, proba, vote), rel=ROUNDED.get(name, 1e-12), abs=1e-14, nan_ok=True
    )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_one_column_is_equivalent_to_two(name, seed):
    random = np.random.default_rng(seed)
    labels, p = np.append([0, 1], random.integers(0, 2, 20)), random.integers(0, 5, 22) / 4
    vote = random.permutation(labels)
    both = np.column_stack([1 - p, p])
    for pos_label, column in ((1, p), (0, 1 - p)):
        one = value_of(name, labels, column, vote, pos_label=pos_label)
        assert one == pytest.approx(
            value_of(name, labels, both, vote, pos_label=pos_label),
            rel=ROUNDED.get(name, 1e-12),
            abs=1e-14,
            nan_ok=True,
        )


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_the_registry_describes_its_metrics(name, seed):
    metric = METRICS[name]
    labels, proba, _, vote = draw(seed)
    assert metric.id == name == metric.function.__name__
    value = value_of(name, labels, proba, vote)
    assert metric.low <= value <= metric.high or np.isnan(value)
    assert metric.papers
    assert metric.better == "nearer" or metric.is_better(metric.low, metric.high) == (metric.better == "lower")


@pytest.mark.parametrize("name", METRICS)
def test_what_a_metric_needs_has_no_default(name):
    parameters = inspect.signature(METRICS[name].function).parameters.values()
    needed = {item.name for item in parameters if item.default is item.empty} - {"y_true", "y_proba"}
    assert needed == set(METRICS[name].needs)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_begins_with_y_true_and_y_proba(name):
    parameters = inspect.signature(METRICS[name].function).parameters.values()
    assert [item.name for item in parameters if item.kind is not item.KEYWORD_ONLY] == ["y_true", "y_proba"]
