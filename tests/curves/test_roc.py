"""ROC curves, their averages over folds, ROC points by cost ratio, and convex hulls."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from sklearn.metrics import recall_score, roc_auc_score, roc_curve
from tests.curves.random_rows import WEIGHTED_ROWS, columns

from calibrant.curves import RocCurve, hull_of, roc, roc_by_cost_ratio, roc_hull
from calibrant.exceptions import DataError, ParameterError


@given(WEIGHTED_ROWS)
def test_the_curve_is_scikit_learns_with_every_point(rows):
    y, p, weight = columns(rows)
    ours = roc(y, p, sample_weight=weight)
    fpr, tpr, threshold = roc_curve(y, p, sample_weight=weight, drop_intermediate=False)
    np.testing.assert_allclose([ours.fpr, ours.tpr], [fpr, tpr], atol=1e-15)
    np.testing.assert_array_equal(ours.threshold, threshold)
    assert ours.auc == pytest.approx(roc_auc_score(y, p, sample_weight=weight), abs=1e-12)


@given(WEIGHTED_ROWS)
def test_a_row_of_weight_2_is_the_row_twice_and_of_weight_0_is_absent(rows):
    y, p, weight = columns(rows)
    weighted = roc(np.append(y, [True]), np.append(p, 0.3), sample_weight=np.append(weight, 0))
    repeated = roc(np.repeat(y, weight), np.repeat(p, weight))
    np.testing.assert_allclose(weighted.to_frame(), repeated.to_frame(), atol=1e-15)


def test_one_class_of_several_is_compared_with_the_others():
    y, proba = ["a", "b", "c", "c"], np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.5, 0.3, 0.2]])
    assert roc(y, proba, pos_label="c").auc == pytest.approx(roc_auc_score([0, 0, 1, 1], proba[:, 2]))
    area = roc_auc_score([1, 0, 0, 0], proba[:, 0])
    assert roc(y, proba, pos_label="a").auc == pytest.approx(area)
    assert roc(y, proba[:, ::-1], labels=["c", "b", "a"], pos_label="a").auc == pytest.approx(area)


def test_figure_5_3_has_the_steps_of_the_chapter():
    """Page 173: up two, along one, up five, along two, up one, along one, up two; ties are one step."""
    from tests.curves.table_5_6 import IS_YES

    curve = roc(IS_YES, np.linspace(0.9, 0.1, 19))
    steps = np.diff([curve.fpr * IS_YES.count(0), curve.tpr * sum(IS_YES)]).round()
    walk = "".join("along " if along else "up " for along, _ in steps.T)
    assert walk.startswith("up up along up up up up up along up along up up")


def test_the_curve_of_a_single_class_raises():
    with pytest.raises(DataError, match="only rows of class 1: a ROC curve needs rows of that class and of another"):
        roc([1, 1], [0.1, 0.2], labels=[0, 1])


def test_the_vertical_average_has_the_mean_true_positives_at_each_number_of_false_positives():
    """Witten, Frank & Hall, page 174: as many rows as include that number of no's, the yes's among them averaged."""
    random = np.random.default_rng(0)
    y, p, fold = np.tile([0, 1, 1, 0, 0], 12), random.random(60), np.repeat([1, 2, 3], 20)
    curve = roc(y, p, folds=fold, average="vertical")
    for n_no in range(1, 13):
        found = []
        for one in (1, 2, 3):
            ranked = y[fold == one][np.argsort(-p[fold == one])]
            found.append(ranked[: np.flatnonzero(ranked == 0)[n_no - 1]].sum() / 8)
        assert curve.tpr[np.isclose(curve.fpr, n_no / 12)].min() == pytest.approx(np.mean(found))


def test_between_its_points_the_vertical_average_is_the_mean_of_scikit_learns_curves():
    random = np.random.default_rng(2)
    y, p, fold = np.tile([0, 1, 1, 0, 0], 30), random.integers(0, 30, 150) / 30, np.repeat([1, 2, 3], 50)
    ours, fpr = roc(y, p, folds=fold, average="vertical"), (np.arange(60) + 0.5) / 60
    theirs = [np.interp(fpr, *roc_curve(y[fold == one], p[fold == one])[:2]) for one in (1, 2, 3)]
    np.testing.assert_allclose(np.interp(fpr, ours.fpr, ours.tpr), np.mean(theirs, axis=0), atol=1e-12)


def test_the_average_of_folds_of_equal_size_has_the_mean_area():
    random = np.random.default_rng(1)
    y, p, fold = np.tile([0, 1, 1, 0], 15), random.integers(0, 9, 60) / 9, np.repeat(["a", "b", "c"], 20)
    areas = [roc(y[fold == one], p[fold == one]).auc for one in "abc"]
    assert roc(y, p, folds=fold, average="vertical").auc == pytest.approx(np.mean(areas))


def test_pooled_folds_are_one_ranking():
    y, p = [0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3]
    np.testing.assert_array_equal(roc(y, p, folds=[1, 1, 2, 2]).tpr, roc(y, p).tpr)


def test_the_vertical_average_requires_folds():
    with pytest.raises(ParameterError, match="folds must be passed"):
        roc([0, 1], [0.1, 0.2], average="vertical")


def test_each_cost_ratio_and_fold_of_a_classifier_without_ranking_has_a_point():
    y, fold = [0, 1, 1, 0, 0, 1], [1, 1, 1, 2, 2, 2]
    points = roc_by_cost_ratio(y, {5: [1, 1, 1, 1, 0, 1], 1: [0, 1, 0, 0, 0, 1]}, folds=fold)
    assert points.to_frame().values.tolist() == [[1, 1, 0, 0.5], [1, 2, 0, 1], [5, 1, 1, 1], [5, 2, 0.5, 1]]
    assert points.mean().to_frame()[["cost_ratio", "fpr", "tpr"]].values.tolist() == [[1, 0, 0.75], [5, 0.75, 1]]


def test_points_are_scikit_learns_recalls():
    random = np.random.default_rng(4)
    y, fold, weight = np.tile([0, 1, 1, 0], 20), np.repeat([1, 2], 40), random.random(80)
    decided = {ratio: (random.random(80) < ratio / 10).astype(int) for ratio in (2, 5, 8)}
    points = roc_by_cost_ratio(y, decided, folds=fold, sample_weight=weight)
    for ratio, one, fpr, tpr in points.to_frame().itertuples(index=False):
        of_fold = fold == one
        arguments = {"y_true": y[of_fold], "y_pred": decided[ratio][of_fold], "sample_weight": weight[of_fold]}
        assert (tpr, 1 - fpr) == pytest.approx((recall_score(**arguments), recall_score(**arguments, pos_label=0)))


def test_points_of_one_class_of_several_compare_it_with_the_others():
    decided = {1: ["a", "c", "b", "c"]}
    points = roc_by_cost_ratio(["a", "b", "c", "c"], decided, sample_weight=[1, 1, 1, 3], pos_label="c")
    assert (points.fpr.tolist(), points.tpr.tolist()) == ([0.5], [0.75])


def test_each_fold_of_points_needs_both_classes():
    with pytest.raises(DataError, match="each fold needs"):
        roc_by_cost_ratio([0, 1, 1], {1: [0, 1, 0]}, folds=[1, 1, 2])


def highest_mix(curve, fpr):
    """Return the best true positive rate of a mix of any two points, by brute force."""
    pairs = [(a, b) for a in range(len(curve.fpr)) for b in range(len(curve.fpr)) if curve.fpr[a] <= fpr < curve.fpr[b]]
    shares = [(curve.fpr[b] - fpr) / (curve.fpr[b] - curve.fpr[a]) for a, b in pairs]
    return max(share * curve.tpr[a] + (1 - share) * curve.tpr[b] for share, (a, b) in zip(shares, pairs, strict=True))


@given(WEIGHTED_ROWS, st.floats(0, 0.99))
def test_the_hull_is_the_best_of_all_mixes(rows, fpr):
    y, p, _ = columns(rows)
    hull, curve = roc_hull(y, p), roc(y, p)
    assert hull.mix(fpr).tpr == pytest.approx(highest_mix(curve, fpr))
    assert set(zip(hull.fpr, hull.tpr, strict=True)) <= set(zip(curve.fpr, curve.tpr, strict=True))


def test_the_vertices_are_those_of_scipys_convex_hull():
    random = np.random.default_rng(6)
    y, p = random.integers(0, 2, 300), {"one": random.random(300), "other": random.random(300)}
    hull, curves = roc_hull(y, p), [roc(y, score) for score in p.values()]
    points = np.concatenate([[[1.0, 0.0]], *(np.stack([curve.fpr, curve.tpr], axis=1) for curve in curves)])
    vertices = {tuple(point) for point in points[ConvexHull(points).vertices]} - {(1.0, 0.0)}
    assert set(zip(hull.fpr, hull.tpr, strict=True)) == vertices


def test_a_random_mix_has_its_rates_on_simulated_rows():
    random = np.random.default_rng(7)
    y = random.integers(0, 2, 200_000)
    p = {
        name: np.round((random.random(200_000) + y * share) / (1 + share), 1)
        for name, share in (("a", 0.3), ("b", 0.6))
    }
    mix = roc_hull(y, p).mix(fpr=0.37)
    selected = [p[name] >= threshold for name, threshold in zip(mix.models, mix.thresholds, strict=True)]
    decided = np.where(random.random(200_000) < mix.probabilities[0], *selected)
    assert (decided[y == 0].mean(), decided[y == 1].mean()) == pytest.approx((0.37, mix.tpr), abs=0.01)


def test_a_mix_has_the_rates_of_its_parts():
    """Figure 5.4: between the part of the hull that is A's and that which is B's, both are used at random."""
    a = RocCurve(np.array([0, 0.05, 0.8, 1]), np.array([0, 0.4, 0.8, 1]), np.array([np.inf, 0.9, 0.3, 0]))
    b = RocCurve(np.array([0, 0.2, 0.6, 1]), np.array([0, 0.4, 0.8, 1]), np.array([np.inf, 0.7, 0.2, 0]))
    hull = hull_of({"A": a, "B": b})
    mix = hull.mix(fpr=0.325)
    assert (mix.models, mix.thresholds) == (("A", "B"), (0.9, 0.2))
    assert mix.probabilities == pytest.approx((0.5, 0.5))
    assert mix.tpr == pytest.approx(0.6)
    assert hull.best(0.2) == ("A", 0.9)
    assert hull.best(0.6) == ("B", 0.2)


@pytest.mark.parametrize("n_values", [500, 10**9])
def test_the_hull_of_many_points_is_scipys_after_comparing_few_of_them(n_values):
    random, calls = np.random.default_rng(0), []
    p = np.round(random.beta(1, 4, 60_000) * n_values) / n_values
    y = random.random(60_000) < p
    sys.setprofile(lambda _frame, event, _argument: calls.append(event == "call"))
    try:
        hull = roc_hull(y, p)
    finally:
        sys.setprofile(None)
    assert sum(calls) < 10_000  # of functions: fewer than points
    curve = roc(y, p)
    vertices = np.sort(ConvexHull(np.column_stack([curve.fpr, curve.tpr])).vertices)
    np.testing.assert_array_equal(hull.threshold[1:-1], curve.threshold[vertices][1:-1])
    assert (np.interp(curve.fpr, hull.fpr, hull.tpr) >= curve.tpr - 1e-12).all()
