"""ROC, precision-recall, gains and lift of a report: the values of `calibrant.curves`, and captions checked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.predictions.figures_of import data_of, figures_of, layers_of

from calibrant.curves import lift, precision_recall, roc, roc_hull
from calibrant.report._predictions.ranking import lift_and_gains_section, precision_recall_section, roc_section

# Ten rows, four of them positive: the ranking of the classes is + + - + - - + - - -.
Y = ["yes", "yes", "no", "yes", "no", "no", "yes", "no", "no", "no"]
P = np.linspace(0.95, 0.05, 10)
RNG = np.random.default_rng(0)
MANY_P = RNG.random(30_000)
MANY_Y = RNG.random(30_000) < MANY_P


def test_roc_has_all_points_of_a_short_curve_and_the_hull():
    figure = figures_of(roc_section(data_of(Y, P)))["roc"]
    (line,), (_, hull) = layers_of(figure, "model"), layers_of(figure, "")
    curve, expected = roc(Y, P), roc_hull(Y, P)
    np.testing.assert_array_equal([line.columns["x"], line.columns["y"]], [curve.fpr, curve.tpr])
    np.testing.assert_array_equal([hull.columns["x"], hull.columns["y"]], [expected.fpr, expected.tpr])
    np.testing.assert_allclose(line.columns["share of rows selected"], np.arange(11) / 10)
    assert np.isnan(line.columns["threshold"][0])


def test_the_caption_of_roc_counts_pairs():
    """Of 24 pairs of a positive and a negative row, 6 + 6 + 5 + 3 are in the right order."""
    figure = figures_of(roc_section(data_of(Y, P)))["roc"]
    assert "in 83 % of pairs (AUC 0.833, 95 % interval" in figure.caption
    assert "To find 80 % of the class, the share of the others selected by mistake is 50 %." in figure.description


def test_precision_starts_at_a_recall_of_0_and_the_caption_names_half_of_the_class():
    figure = figures_of(precision_recall_section(data_of(Y, P)))["precision-recall"]
    (line,) = layers_of(figure, "model")
    curve = precision_recall(Y, P)
    np.testing.assert_array_equal(line.columns["x"][::-1], np.append(0.0, curve.recall))
    np.testing.assert_array_equal(line.columns["y"][::-1][1:], curve.precision)
    np.testing.assert_allclose(line.columns["share of rows selected"][::-1][1:], np.arange(1, 11) / 10)
    assert "random are right in 40 % of cases (dashed), those that hold half of the class in 100 %." in figure.caption


def test_a_step_of_precision_is_that_of_the_threshold_that_reaches_the_recall():
    """Each y holds until the x of the next row, so that the curve runs from right to left."""
    figure = figures_of(precision_recall_section(data_of(Y, P)))["precision-recall"]
    (line,) = layers_of(figure, "model")
    curve = precision_recall(Y, P)
    for recall in (0.1, 0.3, 0.6, 0.9):
        drawn = line.columns["y"][np.flatnonzero(line.columns["x"] >= recall)[-1]]
        assert drawn == curve.precision[np.argmax(curve.recall >= recall)]


def test_captions_of_gains_and_lift():
    figures = figures_of(lift_and_gains_section(data_of(Y, P)))
    assert "(dashed line), the fifth with the highest probabilities 50 %" in figures["gains"].caption
    assert "(dashed line), 2.50 times as many." in figures["lift"].caption
    (line,) = layers_of(figures["gains"], "model")
    np.testing.assert_array_equal(line.columns["y"], lift(Y, P).gains)
    np.testing.assert_allclose(line.columns["rows selected"], np.arange(11))
    np.testing.assert_array_equal(line.columns["of the class among them"], [0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4])


@pytest.mark.parametrize("make", [roc_section, precision_recall_section, lift_and_gains_section])
def test_points_of_a_long_curve_are_points_of_the_curve(make):
    curves = {
        "roc": (roc, "fpr", "tpr"),
        "precision-recall": (precision_recall, "recall", "precision"),
        "gains": (lift, "fraction", "gains"),
        "lift": (lift, "fraction", "lift"),
    }
    for name, figure in figures_of(make(data_of(MANY_Y, MANY_P))).items():
        compute, x, y = curves[name]
        curve, columns = compute(MANY_Y, MANY_P), layers_of(figure, "model")[0].columns
        points = set(zip(getattr(curve, x).tolist(), getattr(curve, y).tolist(), strict=True))
        kept = list(zip(columns["x"].tolist(), columns["y"].tolist(), strict=True))
        assert 1_000 < len(kept) < 25_000
        assert set(kept) - {kept[0], kept[-1]} <= points


@pytest.mark.parametrize("make", [roc_section, precision_recall_section, lift_and_gains_section])
def test_without_rows_no_point_adds_fewer_than_ten(make):
    p = RNG.random(205)
    for figure in figures_of(make(data_of(RNG.random(205) < p, p, rows=False))).values():
        columns = layers_of(figure, "model")[0].columns
        selected = columns.get("rows selected", 205 * np.asarray(columns.get("share of rows selected", 0.0)))
        assert np.diff(np.unique(np.round(selected))).min() >= 10


def test_of_many_models_a_caption_names_the_best_and_the_worst():
    models = {f"m{k}": np.clip(P + 0.01 * k * RNG.random(10), 0, 1) for k in range(5)}
    figure = figures_of(roc_section(data_of(Y, models)))["roc"]
    assert "(best and worst of 5 models)" in figure.caption


def test_lift_and_precision_of_fewer_than_ten_rows_are_left_out():
    data = data_of(MANY_Y[:2000], MANY_P[:2000])
    line = layers_of(figures_of(lift_and_gains_section(data))["lift"], "model")[0]
    assert line.columns["rows selected"][0] == pytest.approx(10)
    (steps,) = layers_of(figures_of(precision_recall_section(data))["precision-recall"], "model")
    assert steps.columns["share of rows selected"].min() == pytest.approx(10 / 2000)
