"""Agreement with scikit-learn to 1e-12: means over classes, weights, curves, and relative losses."""

import inspect

import numpy as np
import pytest
import sklearn.metrics as theirs
from hypothesis import given
from hypothesis import strategies as st

from calibrant.curves import threshold_table
from calibrant.metrics import (
    auc,
    auprc,
    average_precision,
    brier,
    error,
    f1,
    f_beta,
    log_loss,
    mse,
    numeric,
    root_relative_squared_error,
    three_point_precision,
)

SEEDS = st.integers(0, 2**32 - 1)
CLOSE = {"rel": 1e-12, "abs": 1e-14}


def drawn(seed, n_classes=None):
    """Rows of every class, with ties among the probabilities, and fractional weights."""
    random = np.random.default_rng(seed)
    n_classes = random.integers(2, 6) if n_classes is None else n_classes
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, 40))
    counts = random.integers(0, 4, (len(y), n_classes)) + 2 * np.eye(n_classes)[random.permutation(y)] + 0.25
    return y, counts / counts.sum(axis=1, keepdims=True), random.integers(1, 5, len(y)) / 4


@given(SEEDS, st.floats(0.2, 4))
def test_f_of_all_classes(seed, beta):
    y, proba, weight = drawn(seed)
    for average in ("macro", "weighted", "micro"):
        options = {"average": average, "sample_weight": weight}
        expected = theirs.fbeta_score(y, proba.argmax(axis=1), beta=beta, zero_division=0, **options)
        assert f_beta(y, proba, beta=beta, **options) == pytest.approx(expected, **CLOSE)
        expected = theirs.f1_score(y, proba.argmax(axis=1), zero_division=0, **options)
        assert f1(y, proba, **options) == pytest.approx(expected, **CLOSE)


@given(SEEDS)
def test_areas_of_each_class_against_the_rest(seed):
    y, proba, weight = drawn(seed, n_classes=4)
    for ours, average in (("one_vs_rest", "weighted"), ("one_vs_rest_equal", "macro")):
        each = [theirs.roc_auc_score(y == k, proba[:, k], sample_weight=weight) for k in range(4)]
        shares = np.bincount(y, weight) if average == "weighted" else None
        weighted = np.average(each, weights=shares)
        assert auc(y, proba, average=ours, sample_weight=weight) == pytest.approx(weighted, **CLOSE)
        expected = theirs.roc_auc_score(y, proba, multi_class="ovr", average=average)
        assert auc(y, proba, average=ours) == pytest.approx(expected, **CLOSE)


@given(SEEDS)
def test_areas_of_pairs_of_classes(seed):
    y, proba, _ = drawn(seed, n_classes=4)
    for ours, average in (("one_vs_one", "macro"), ("one_vs_one_weighted", "weighted")):
        expected = theirs.roc_auc_score(y, proba, multi_class="ovo", average=average)
        assert auc(y, proba, average=ours) == pytest.approx(expected, **CLOSE)


@given(SEEDS)
def test_precision_of_all_classes_is_the_mean_weighted_by_frequency(seed):
    y, proba, weight = drawn(seed, n_classes=3)
    options = {"sample_weight": weight}
    expected = theirs.average_precision_score(np.eye(3)[y], proba, average="macro", **options)
    each = [average_precision(y == k, proba[:, k], **options) for k in range(3)]
    assert np.mean(each) == pytest.approx(expected, **CLOSE)
    for metric in (average_precision, auprc, three_point_precision):
        each = [metric(y == k, proba[:, k], **options) for k in range(3)]
        assert metric(y, proba, **options) == pytest.approx(np.average(each, weights=np.bincount(y, weight)), **CLOSE)


@given(SEEDS)
def test_losses(seed):
    y, proba, weight = drawn(seed)
    options = {"sample_weight": weight}
    assert log_loss(y, proba, **options) == pytest.approx(theirs.log_loss(y, proba, **options), **CLOSE)
    assert error(y, proba, **options) == pytest.approx(
        theirs.zero_one_loss(y, proba.argmax(axis=1), **options), abs=1e-12
    )
    one = y == 0, proba[:, 0]
    assert brier(*one, **options) == pytest.approx(theirs.brier_score_loss(*one, **options), **CLOSE)


@pytest.mark.skipif(
    "scale_by_half" not in inspect.signature(theirs.brier_score_loss).parameters, reason="since scikit-learn 1.7"
)
@given(SEEDS)
def test_briers_score_of_several_classes(seed):
    y, proba, weight = drawn(seed)
    options = {"sample_weight": weight}
    assert mse(y, proba, **options) == pytest.approx(
        theirs.brier_score_loss(y, proba, scale_by_half=False, **options), **CLOSE
    )
    for form, scale in {"auto": "auto", "half": True, "sum": False}.items():
        assert brier(y, proba, form=form, **options) == pytest.approx(
            theirs.brier_score_loss(y, proba, scale_by_half=scale, **options), **CLOSE
        )


@given(SEEDS)
def test_losses_relative_to_those_of_the_base_rates(seed):
    y, proba, weight = drawn(seed)
    shares = np.bincount(y, weight) / weight.sum()
    options = {"sample_weight": weight}
    base = log_loss(y, np.tile(shares, (len(y), 1)), **options)
    assert 1 - log_loss(y, proba, **options) / base == pytest.approx(
        theirs.d2_log_loss_score(y, proba, **options), abs=1e-12
    )
    squared = root_relative_squared_error(y, proba, prior=shares, **options) ** 2
    assert squared == pytest.approx(mse(y, proba, **options) / mse(y, np.tile(shares, (len(y), 1)), **options), **CLOSE)


@given(SEEDS)
def test_errors_of_detection(seed):
    y, proba, weight = drawn(seed, n_classes=2)
    table = threshold_table(y, proba[:, 1], sample_weight=weight)
    fpr, fnr, threshold = theirs.det_curve(y, proba[:, 1], sample_weight=weight)
    where = np.searchsorted(-table.threshold, -threshold)
    finite = np.isfinite(threshold)
    np.testing.assert_allclose(table.fpr[where][finite], fpr[finite], atol=1e-13)
    np.testing.assert_allclose(1 - table.tpr[where][finite], fnr[finite], atol=1e-13)


@given(SEEDS)
def test_numbers(seed):
    random = np.random.default_rng(seed)
    y, guess, weight = random.normal(5, 2, 30), random.normal(5, 2, 30), random.integers(1, 5, 30) / 4
    mean = np.average(y, weights=weight)
    squared = numeric.relative_squared_error(y, guess, training_mean=mean, sample_weight=weight)
    assert 1 - squared == pytest.approx(theirs.r2_score(y, guess, sample_weight=weight), abs=1e-12)
