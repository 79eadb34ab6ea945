"""ROC, precision-recall, gains and lift of a report: the values of `calibrant.curves`, and captions checked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.blocks import figures, layers_of, report_of

from calibrant.curves import lift, precision_recall, roc, roc_hull

# Ten rows, four of them positive: the ranking of the classes is + + - + - - + - - -.
Y = ["yes", "yes", "no", "yes", "no", "no", "yes", "no", "no", "no"]
P = np.linspace(0.95, 0.05, 10)
RNG = np.random.default_rng(0)
MANY_P = RNG.random(30_000)
MANY_Y = RNG.random(30_000) < MANY_P


@pytest.fixture(scope="module")
def ten():
    return report_of(Y, P)


def test_roc_has_all_points_of_a_short_curve_and_the_hull(ten):
    figure = figures(ten, "roc")["roc"]
    (line,), (_, hull) = layers_of(figure, "model"), layers_of(figure, "")
    curve, expected = roc(Y, P), roc_hull(Y, P)
    np.testing.assert_array_equal([line.columns["x"], line.columns["y"]], [curve.fpr, curve.tpr])
    np.testing.assert_array_equal([hull.columns["x"], hull.columns["y"]], [expected.fpr, expected.tpr])
    np.testing.assert_allclose(line.columns["share of rows selected"], np.arange(11) / 10)
    assert np.isnan(line.columns["threshold"][0])


def test_the_caption_of_roc_counts_pairs(ten):
    """Of 24 pairs of a positive and a negative row, 6 + 6 + 5 + 3 are in the right order."""
    figure = figures(ten, "roc")["roc"]
    assert "in 83 % of pairs (AUC 0.833, 95 % interval" in figure.caption
    assert "To find 80 % of the class, the share of the others selected by mistake is 50 %." in figure.description


def test_precision_starts_at_a_recall_of_0_and_the_caption_names_half_of_the_class(ten):
    figure = figures(ten, "precision-recall")["precision-recall"]
    (line,) = layers_of(figure, "model")
    curve = precision_recall(Y, P)
    np.testing.assert_array_equal(line.columns["x"][::-1], np.append(0.0, curve.recall))
    np.testing.assert_array_equal(line.columns["y"][::-1][1:], curve.precision)
    np.testing.assert_allclose(line.columns["share of rows selected"][::-1][1:], np.arange(1, 11) / 10)
    assert "random are right in 40 % of cases (dashed), those that hold half of the class in 100 %." in figure.caption


def test_a_step_of_precision_is_that_of_the_threshold_that_reaches_the_recall(ten):
    """Each y holds until the x of the next row, so that the curve runs from right to left."""
    figure = figures(ten, "precision-recall")["precision-recall"]
    (line,) = layers_of(figure, "model")
    curve = precision_recall(Y, P)
    for recall in (0.1, 0.3, 0.6, 0.9):
        drawn = line.columns["y"][np.flatnonzero(line.columns["x"] >= recall)[-1]]
        assert drawn == curve.precision[np.argmax(curve.recall >= recall)]


def test_captions_of_gains_and_lift(ten):
    shown = figures(ten, "lift-and-gains")
    assert "(dashed line), the fifth with the highest probabilities 50 %" in shown["gains"].caption
    assert "(dashed line), 2.50 times as many." in shown["lift"].caption
    (line,) = layers_of(shown["gains"], "model")
    np.testing.assert_array_equal(line.columns["y"], lift(Y, P).gains)
    np.testing.assert_allclose(line.columns["rows selected"], np.arange(11))
    np.testing.assert_array_equal(line.columns["of the class among them"], [0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4])


def drawn(report):
    """Return the figures of the three sections on rankings by name."""
    return {
        k: each for name in ("roc", "precision-recall", "lift-and-gains") for k, each in figures(report, name).items()
    }


def test_points_of_a_long_curve_are_points_of_the_curve():
    curves = {
        "roc": (roc, "fpr", "tpr"),
        "precision-recall": (precision_recall, "recall", "precision"),
        "gains": (lift, "fraction", "gains"),
        "lift": (lift, "fraction", "lift"),
    }
    for name, figure in drawn(report_of(MANY_Y, MANY_P, n_boot=2)).items():
        compute, x, y = curves[name]
        curve, columns = compute(MANY_Y, MANY_P), layers_of(figure, "model")[0].columns
        points = set(zip(getattr(curve, x).tolist(), getattr(curve, y).tolist(), strict=True))
        kept = list(zip(columns["x"].tolist(), columns["y"].tolist(), strict=True))
        assert 1_000 < len(kept) < 25_000
        assert set(kept) - {kept[0], kept[-1]} <= points


def test_without_rows_no_point_adds_fewer_than_ten():
    p = RNG.random(205)
    for figure in drawn(report_of(RNG.random(205) < p, p, rows=False)).values():
        columns = layers_of(figure, "model")[0].columns
        selected = columns.get("rows selected", 205 * np.asarray(columns.get("share of rows selected", 0.0)))
        assert np.diff(np.unique(np.round(selected))).min() >= 10


def test_of_many_models_a_caption_names_the_best_and_the_worst():
    models = {f"m{k}": np.clip(P + 0.01 * k * RNG.random(10), 0, 1) for k in range(5)}
    assert "(best and worst of 5 models)" in figures(report_of(Y, models), "roc")["roc"].caption


def test_lift_and_precision_of_fewer_than_ten_rows_are_left_out():
    shown = drawn(report_of(MANY_Y[:2000], MANY_P[:2000]))
    assert layers_of(shown["lift"], "model")[0].columns["rows selected"][0] == pytest.approx(10)
    (steps,) = layers_of(shown["precision-recall"], "model")
    assert steps.columns["share of rows selected"].min() == pytest.approx(10 / 2000)
