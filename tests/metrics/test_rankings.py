"""Measures of rankings: against scikit-learn, pair by pair, and in closed form."""

import itertools
import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from calibrant.exceptions import ParameterError
from calibrant.metrics import (
    auc,
    aulc,
    auprc,
    average_precision,
    eleven_point_precision,
    evaluate,
    gini,
    h_measure,
    ks,
    lift,
    precision_at_k,
    recall_at_k,
    three_point_precision,
)

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, n=None):
    random = np.random.default_rng(seed)
    n = random.integers(4, 80) if n is None else n
    p = np.round(random.random(n), random.choice([1, 2, 15]))
    y = (random.random(n) < 0.3 + 0.4 * p).astype(int)
    y[:2] = [0, 1]
    return y, p, random.integers(1, 4, n) / 2


@given(SEEDS)
def test_auc_counts_pairs_and_half_of_those_tied(seed):
    y, p, _ = drawn(seed)
    pairs = [(a > b) + (a == b) / 2 for a, b in itertools.product(p[y == 1], p[y == 0])]
    assert auc(y, p) == pytest.approx(np.mean(pairs), rel=1e-12)
    assert gini(y, p) == pytest.approx(2 * np.mean(pairs) - 1, abs=1e-13)


@given(SEEDS)
def test_auc_weights_every_pair_by_both_of_its_rows(seed):
    y, p, weight = drawn(seed)
    above, below = p[y == 1][:, np.newaxis], p[y == 0]
    pairs = np.multiply.outer(weight[y == 1], weight[y == 0])
    won = pairs * ((above > below) + (above == below) / 2)
    assert auc(y, p, sample_weight=weight) == pytest.approx(won.sum() / pairs.sum(), rel=1e-12)


@given(SEEDS)
def test_areas_are_scikit_learns(seed):
    y, p, weight = drawn(seed)
    for ours, theirs in (
        (auc, sklearn.metrics.roc_auc_score),
        (average_precision, sklearn.metrics.average_precision_score),
    ):
        expected = theirs(y, p, sample_weight=weight)
        assert ours(y, p, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


@given(SEEDS)
def test_areas_of_several_classes_are_scikit_learns(seed):
    random = np.random.default_rng(seed)
    y = np.append(np.arange(4), random.integers(0, 4, 30))
    proba = random.dirichlet(np.ones(4), len(y))
    for ours, average, theirs in (("one_vs_rest", "weighted", "ovr"), ("one_vs_one", "macro", "ovo")):
        expected = sklearn.metrics.roc_auc_score(y, proba, average=average, multi_class=theirs)
        assert auc(y, proba, average=ours) == pytest.approx(expected, rel=1e-12)
    expected = sklearn.metrics.average_precision_score(np.eye(4)[y], proba, average="macro")
    each = [sklearn.metrics.average_precision_score(y == k, proba[:, k]) for k in range(4)]
    assert np.mean(each) == pytest.approx(expected)
    assert average_precision(y, proba) == pytest.approx(np.average(each, weights=np.bincount(y)), rel=1e-12)


@given(SEEDS)
def test_straight_lines_are_scikit_learns_trapezoids_except_for_the_first(seed):
    """scikit-learn starts at a precision of 1, we at that of the first rows."""
    y, p, _ = drawn(seed)
    precision, recall, _ = sklearn.metrics.precision_recall_curve(y, p)
    precision[-1] = precision[-2]
    expected = sklearn.metrics.auc(recall, precision)
    assert auprc(y, p, interpolation="linear") == pytest.approx(expected, rel=1e-12)


@given(SEEDS)
def test_davis_and_goadrichs_area_is_that_of_ties_mixed_ever_finer(seed):
    """Splitting each row into a thousand, spread evenly within its group of ties, has the same area."""
    y, p, _ = drawn(seed, n=12)
    found, depth, area = 0.0, 0.0, 0.0
    for value in np.unique(p)[::-1]:
        positives, rows = y[p == value].sum(), (p == value).sum()
        for _ in range(1000):
            middle = (found + positives / 2000) / (depth + rows / 2000)
            area, found, depth = area + middle * positives / 1000, found + positives / 1000, depth + rows / 1000
    assert auprc(y, p) == pytest.approx(area / y.sum(), rel=1e-5)


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize("weighted", [False, True])
def test_sorted_rows_are_ranked_like_any_others(n, weighted):
    y, p, w = drawn(n, n)
    order, weight = np.argsort(-p), w if weighted else np.ones(n)
    for metric in (auc, average_precision, h_measure, ks):
        in_order = metric(y[order], p[order], sample_weight=w[order] if weighted else None)
        assert in_order == pytest.approx(metric(y, p, sample_weight=weight), rel=1e-12)


@given(SEEDS)
def test_ks_is_scipys(seed):
    y, p, _ = drawn(seed)
    assert ks(y, p) == pytest.approx(ks_2samp(p[y == 1], p[y == 0], method="asymp").statistic, rel=1e-12)


@given(SEEDS)
def test_precision_at_recalls_is_the_best_at_them_or_beyond(seed):
    y, p, _ = drawn(seed)
    precision, recall, _ = sklearn.metrics.precision_recall_curve(y, p)
    best = {level: precision[:-1][recall[:-1] >= level - 1e-12].max() for level in np.arange(11) / 10}
    assert eleven_point_precision(y, p) == pytest.approx(np.mean([*best.values()]), rel=1e-12)
    assert three_point_precision(y, p) == pytest.approx((best[0.2] + best[0.5] + best[0.8]) / 3, rel=1e-12)


@given(SEEDS)
def test_the_first_rows_are_the_most_likely(seed):
    y, p, _ = drawn(seed)
    k = np.random.default_rng(seed).integers(1, len(y) + 1)
    edge = np.sort(p)[::-1][k - 1]
    above, at = p > edge, p == edge
    expected = y[above].sum() + y[at].mean() * (k - above.sum())
    assert precision_at_k(y, p, k=k) == pytest.approx(expected / k, rel=1e-12)
    assert recall_at_k(y, p, k=k) == pytest.approx(expected / y.sum(), rel=1e-12)
    assert lift(y, p, fraction=k / len(y)) == pytest.approx(expected / k / y.mean(), rel=1e-9)


def test_k_must_not_exceed_the_number_of_rows():
    with pytest.raises(ParameterError, match="k must be at most the weight of the rows, 2; got 3"):
        precision_at_k([0, 1], [0.2, 0.7], k=3)
    with pytest.raises(ParameterError, match="total_positives must be at least the positives passed, 1"):
        recall_at_k([0, 1], [0.2, 0.7], k=1, total_positives=0.5)


def test_several_classes_require_pos_label():
    proba = np.eye(3)
    with pytest.raises(ParameterError, match=r"ks evaluates one class against all others.*pass pos_label="):
        ks([0, 1, 2], proba)
    assert ks([0, 1, 2], proba, pos_label=1) == 1


def test_one_class_alone_has_no_area():
    for metric in (auc, ks, gini, h_measure):
        assert math.isnan(metric([1, 1], [0.2, 0.7], pos_label=1))
    assert math.isnan(average_precision([0, 0], [0.2, 0.7], pos_label=1))


@given(SEEDS)
def test_lifts_in_steps_are_those_at_the_fractions(seed):
    y, p, _ = drawn(seed, n=40)
    both = np.column_stack([1 - p, p])
    expected = [
        np.mean([lift(y, both, fraction=step / 20, pos_label=which) for step in range(1, 21)]) for which in (0, 1)
    ]
    assert aulc(y, p, step=0.05) == pytest.approx(np.average(expected, weights=np.bincount(y)), rel=1e-9)


@given(SEEDS)
def test_the_h_measure_integrates_the_least_loss_over_costs(seed):
    y, p, _ = drawn(seed, n=15)
    share = y.mean()
    thresholds = np.append(np.unique(p), 2.0)
    missed = np.array([(y[p < t] == 1).mean() * (p < t).mean() if (p < t).any() else 0.0 for t in thresholds])
    false_alarms = np.array([(y[p >= t] == 0).mean() * (p >= t).mean() if (p >= t).any() else 0.0 for t in thresholds])
    c = (np.arange(200_000) + 0.5) / 200_000
    density = c**share * (1 - c) ** (1 - share)
    least = np.min([c * alarm + (1 - c) * miss for alarm, miss in zip(false_alarms, missed, strict=True)], axis=0)
    most = np.minimum(c * (1 - share), (1 - c) * share)
    assert h_measure(y, p) == pytest.approx(1 - (least * density).sum() / (most * density).sum(), abs=1e-6)


@pytest.mark.parametrize("metric", [auc, average_precision, gini])
def test_pos_label_is_evaluated_against_all_others(metric):
    random = np.random.default_rng(3)
    y, proba = random.integers(0, 3, 50), random.dirichlet(np.ones(3), 50)
    for which in range(3):
        assert metric(y, proba, pos_label=which) == metric(y == which, proba[:, which])


def test_the_interval_of_pos_label_covers_its_own_area():
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 400)
    proba = np.eye(3)[np.where(y == 2, 2, random.integers(0, 3, 400))] * 0.4 + 0.2
    for metric in ("auc", "average_precision", "gini"):
        score = evaluate(y, proba, metrics=[metric], pos_label=2, n_boot=200).scores[metric]
        assert score.low < score.value < score.high


def test_one_vs_one_excludes_pos_label():
    with pytest.raises(ParameterError, match="leave out pos_label"):
        auc([0, 1, 2], np.eye(3), average="one_vs_one", pos_label=1)
