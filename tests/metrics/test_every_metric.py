"""What holds for every metric there is: weights, the order of columns, ranges, and what the registry says."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.metrics import METRICS

SEEDS = st.integers(0, 2**32 - 1)


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
    more = {"vote": vote} if "vote" in METRICS[name].needs else {}
    return METRICS[name].function(y, proba, **more, **options)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_a_weight_is_the_row_that_often(name, seed):
    labels, proba, weights, vote = draw(seed)
    columns = np.arange(proba.shape[1])
    weights[0] += 1
    again = np.repeat(np.arange(len(labels)), weights)
    weighted = judge(name, labels, proba, vote, sample_weight=weights, labels=columns)
    repeated = judge(name, labels[again], proba[again], vote[again], labels=columns)
    assert weighted == pytest.approx(repeated, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_classes_and_columns_in_another_order_change_nothing(name, seed):
    labels, proba, _, vote = draw(seed)
    order = np.random.default_rng(seed).permutation(proba.shape[1])
    turned = judge(name, labels, proba[:, order], vote, labels=order)
    assert turned == pytest.approx(judge(name, labels, proba, vote), rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_rows_in_another_order_change_nothing(name, seed):
    labels, proba, _, vote = draw(seed)
    order = np.random.default_rng(seed).permutation(len(labels))
    turned = judge(name, labels[order], proba[order], vote[order])
    assert turned == pytest.approx(judge(name, labels, proba, vote), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_one_column_says_what_two_say(name, seed):
    random = np.random.default_rng(seed)
    labels, p = np.append([0, 1], random.integers(0, 2, 20)), random.integers(0, 5, 22) / 4
    vote = random.permutation(labels)
    both = judge(name, labels, np.column_stack([1 - p, p]), vote)
    assert judge(name, labels, p, vote) == pytest.approx(both, rel=1e-12)
    assert judge(name, labels, 1 - p, vote, pos_label=0) == pytest.approx(both, rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
@given(seed=SEEDS)
def test_the_registry_knows_its_metrics(name, seed):
    metric = METRICS[name]
    labels, proba, _, vote = draw(seed)
    assert metric.id == name == metric.function.__name__
    assert metric.low <= judge(name, labels, proba, vote) <= metric.high
    assert metric.papers
    assert metric.is_better(metric.low, metric.high) == (metric.better == "lower")


@pytest.mark.parametrize("name", METRICS)
def test_what_a_metric_needs_has_no_default(name):
    parameters = inspect.signature(METRICS[name].function).parameters.values()
    needed = {item.name for item in parameters if item.default is item.empty} - {"y_true", "y_proba"}
    assert needed == set(METRICS[name].needs)
    assert [item.name for item in parameters if item.kind is not item.KEYWORD_ONLY] == ["y_true", "y_proba"]
