"""Displays of 60 rows, of very many, of a rare class and of six models have fitting ranges, points and labels."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from scipy.spatial import cKDTree

from calibrant.curves import decision_curve, reliability, score_histogram
from calibrant.exceptions import ParameterError
from calibrant.plots import (
    BrierCurveDisplay,
    CostCurveDisplay,
    DecisionCurveDisplay,
    GainsDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
    ProfitDisplay,
    ReliabilityDisplay,
    RocDisplay,
    ScoreHistogramDisplay,
    SortedScoresDisplay,
)


def rows(n, rate=0.35, seed=0):
    random = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-random.normal(np.log(rate / (1 - rate)), 1.2, n)))
    return (random.random(n) < p).astype(int), p


def six(p):
    noise = np.random.default_rng(1).normal(size=len(p))
    odds = np.log(p / (1 - p))
    shapes = {
        "calibrated": odds,
        "overconfident": 1.8 * odds,
        "up": odds + 0.7,
        "noisy": odds + noise,
        "half": odds / 2,
    }
    return {name: 1 / (1 + np.exp(-z)) for name, z in shapes.items()} | {"constant": np.full(len(p), p.mean())}


def texts(display):
    return [text.get_text().replace("\n", " ") for text in display.legend_.get_texts()]


def line(display, label):
    (found,) = (each for each in display.ax_.lines if str(each.get_label()).startswith(label))
    return found


def test_a_reliability_diagram_shows_uncertainty_by_default():
    display = ReliabilityDisplay.from_predictions(*rows(1500))
    assert texts(display)[-2:] == ["pointwise 95 % band, if calibrated", "simultaneous 95 % band, if calibrated"]
    pointwise, simultaneous = (each for each in display.ax_.collections if isinstance(each, LineCollection))
    assert pointwise.get_linewidth()[0] > simultaneous.get_linewidth()[0]
    widths = [np.ptp(each.get_segments(), axis=1)[:, 1] for each in (pointwise, simultaneous)]
    assert (widths[1] >= widths[0]).all()


@pytest.mark.parametrize(("n", "n_points"), [(60, 4), (1500, 10), (200_000, 10)])
def test_few_rows_have_few_points(n, n_points):
    display = ReliabilityDisplay.from_predictions(*rows(n))
    assert len(line(display, "model").get_xdata()) == n_points
    assert len(display.histograms["model"].low) == (8 if n == 60 else 20)


def test_a_rare_class_fills_the_diagram_and_its_histogram():
    y, p = rows(5000, 0.01)
    display = ReliabilityDisplay.from_predictions(y, p)
    top = display.ax_.get_xlim()[1]
    curve = display.curves["model"]
    assert curve.predicted.max() < top < 0.2
    assert display.histograms["model"].high[-1] == pytest.approx(top, rel=0.02)
    n_above = int((p > display.histograms["model"].high[-1]).sum())
    assert [text.get_text() for text in display.histogram_ax_.texts] == [f"{n_above} rows above 0.15"]
    assert ReliabilityDisplay.from_predictions(y, p, zoom=False).ax_.get_xlim()[1] > 1
    often = ReliabilityDisplay.from_predictions(1 - y, 1 - p).ax_.get_xlim()
    assert 0.8 < often[0] < 0.9 < 1 < often[1]


def test_zoom_narrows_the_bins_of_the_histogram():
    y, p = rows(5000, 0.05)
    histogram = ReliabilityDisplay.from_predictions(y, p, zoom=True).histograms["model"]
    assert histogram.high[0] - histogram.low[0] < 0.03


def test_markers_of_six_models_show_which_points_leave_their_band():
    y, p = rows(1500)
    display = ReliabilityDisplay.from_predictions(y, six(p))
    assert not any(isinstance(each, LineCollection) for each in display.ax_.collections)
    assert texts(display)[-1] == "filled: outside its simultaneous 95 % band, if calibrated"
    filled = [each for each in display.ax_.lines if each.get_linestyle() == "None" and len(each.get_xdata())]
    n_outside = sum(
        int(((curve.observed < curve.simultaneous.lower) | (curve.observed > curve.simultaneous.upper)).sum())
        for curve in display.curves.values()
    )
    assert sum(len(each.get_xdata()) for each in filled) == n_outside > 5
    assert line(display, "calibrated").get_markerfacecolor() == "white"


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({"bands": "honest", "method": "corp"}, "simultaneous 95 % band of the true curve"),
        ({"bands": "consistency", "method": "corp", "n_resamples": 20, "confidence": 0.9}, "pointwise 90 % band"),
        ({"bands": "consistency", "method": "fixed"}, "pointwise 95 % band, if calibrated"),
    ],
)
def test_legends_say_which_bands_are_pointwise(options, label):
    y, p = rows(300)
    assert any(text.startswith(label) for text in texts(ReliabilityDisplay.from_predictions(y, p, **options)))
    assert not any("band" in text for text in texts(ReliabilityDisplay.from_predictions(y, p, bands=None)))


def test_the_band_of_a_decision_curve_is_named_pointwise():
    y, p = rows(200)
    display = DecisionCurveDisplay.from_predictions(y, {"a": p, "b": p**2}, confidence=0.9, n_boot=20)
    assert texts(display)[-1] == "pointwise 90 % bands"
    by_hand = DecisionCurveDisplay({"a": decision_curve(y, p, confidence=0.9, n_boot=20)}).plot()
    assert texts(by_hand)[-1] == "pointwise band"
    with pytest.raises(ParameterError, match="confidence must be"):
        DecisionCurveDisplay({"a": decision_curve(y, p)}, confidence=2)


def test_thin_lines_are_named():
    y, p = rows(300)
    two = {"a": p, "b": p**2}
    assert "single thresholds" in texts(CostCurveDisplay.from_predictions(y, p))
    assert "thin lines: best thresholds" in texts(BrierCurveDisplay.from_predictions(y, two))
    assert "no rows selected" in texts(ProfitDisplay.from_predictions(y, two, amount=2, cost=1))


def test_the_same_words_mean_the_same_in_all_displays():
    y, p = rows(2000)
    for kind, options in {
        RocDisplay: {},
        LiftDisplay: {},
        GainsDisplay: {},
        ProfitDisplay: {"amount": 2, "cost": 1},
    }.items():
        assert any(text.startswith("random order") for text in texts(kind.from_predictions(y, p, **options)))
    for kind in (CostCurveDisplay, BrierCurveDisplay, DecisionCurveDisplay):
        assert {"always positive", "always negative"} <= set(texts(kind.from_predictions(y, p)))
    lift, gains = (kind.from_predictions(y, p) for kind in (LiftDisplay, GainsDisplay))
    assert texts(lift)[0].startswith("model (lift ")
    assert " positives at 10 %)" in texts(gains)[-1]
    assert "positive class: 1" in texts(ScoreHistogramDisplay.from_predictions(y, p))


@pytest.mark.parametrize("kind", [BrierCurveDisplay, DecisionCurveDisplay])
def test_the_costs_of_a_rare_class_fill_the_axes(kind):
    y, p = rows(5000, 0.01)
    assert kind.from_predictions(y, p).ax_.get_xlim()[1] < 0.5
    assert kind.from_predictions(*rows(5000)).ax_.get_xlim()[1] > 0.99


def test_histograms_of_a_rare_class_have_narrow_bins_and_a_constant_model_its_own_scale():
    y, p = rows(5000, 0.01)
    display = ScoreHistogramDisplay.from_predictions(y, six(p))
    assert display.curves["noisy"].high[-1] <= 0.4
    tops = [panel.get_ylim()[1] for panel in display.axes_]
    assert tops[-1] > 1
    assert min(tops) < 0.8
    assert ScoreHistogramDisplay.from_predictions(y, p, limits=(0, 1)).curves["model"].high[-1] == 1


def test_limits_of_histograms_leave_rows_out():
    histogram = score_histogram([0, 1, 1, 0], [0.05, 0.1, 0.15, 0.9], n_bins=2, limits=(0.0, 0.2))
    assert histogram.positive.tolist() == [0, 2]
    assert histogram.negative.tolist() == [1, 0]
    with pytest.raises(ParameterError, match="limits must be two increasing numbers from 0 to 1; got"):
        score_histogram([0, 1], [0.2, 0.3], limits=(0.5, 0.5))


def test_very_many_rows_are_thinned_out():
    y, p = rows(100_000)
    for kind, options in {
        RocDisplay: {},
        PrecisionRecallDisplay: {},
        LiftDisplay: {},
        GainsDisplay: {},
        BrierCurveDisplay: {},
    }.items():
        assert 100 < len(line(kind.from_predictions(y, p, **options), "model").get_xdata()) <= 4000
    profit = ProfitDisplay.from_predictions(y, p, amount=2, cost=1)
    assert len(line(profit, "model").get_xdata()) <= 4000
    hull = line(RocDisplay.from_predictions(y, p, hull=True), "convex hull")
    assert hull.get_marker() == "None"


@pytest.mark.parametrize(
    ("kind", "names"), [(RocDisplay, ("fpr", "tpr")), (PrecisionRecallDisplay, ("recall", "precision"))]
)
def test_every_point_is_within_half_a_hundredth_of_a_point_that_is_drawn(kind, names):
    display = kind.from_predictions(*rows(200_000, 0.01))
    x, y = (getattr(display.curves["model"], name) for name in names)
    thinned = line(display, "model").get_data()
    assert len(thinned[0]) <= 4000 < len(x)
    assert (thinned[0][0], thinned[1][-1]) == (0.0, y[-1])
    assert (thinned[1].min(), thinned[1].max()) == (y.min(), y.max())
    distance, _ = cKDTree(np.column_stack(thinned)).query(np.column_stack([x, y]))
    assert distance.max() < 0.005


def test_many_rows_that_vary_widely_become_a_median_and_a_shaded_area():
    _, p = rows(50_000)
    display = SortedScoresDisplay.from_predictions(six(p))
    noisy = line(display, "noisy")
    assert len(noisy.get_xdata()) == 100
    assert any(isinstance(each, PolyCollection) for each in display.ax_.collections)
    assert "shaded: 80 % of neighbouring rows, line: their median" in texts(display)
    assert max(len(each.get_xdata()) for each in display.ax_.lines) <= 10_000
    display.figure_.draw_without_rendering()
    assert "20,000" in [tick.get_text() for tick in display.ax_.get_xticklabels()]


def test_large_numbers_have_commas_and_no_exponents():
    y, p = rows(100_000)
    assert "e+" not in "".join(texts(GainsDisplay.from_predictions(y, p)))
    display = ProfitDisplay.from_predictions(y, p, amount=200, cost=30)
    display.figure_.draw_without_rendering()
    assert "e+" not in "".join([*texts(display), *(tick.get_text() for tick in display.ax_.get_yticklabels())])


@pytest.mark.parametrize("kind", [ReliabilityDisplay, ScoreHistogramDisplay, DecisionCurveDisplay, BrierCurveDisplay])
@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_one_probability_for_all_rows_is_drawn(kind, p):
    display = kind.from_predictions([0, 1, 1, 0], np.full(4, p))
    low, high = display.ax_.get_xlim()
    assert low <= p <= high
    plt.close(display.figure_)


def test_a_display_of_curves_alone_adapts_its_range_too():
    y, p = rows(5000, 0.01)
    display = ReliabilityDisplay({"mine": reliability(y, p, method="equal_mass")}).plot()
    assert display.ax_.get_xlim()[1] < 0.2
    assert display.histogram_ax_ is None


def test_many_blocks_of_isotonic_regression_have_no_markers():
    few, many = (ReliabilityDisplay.from_predictions(*rows(n), method="corp", bands=None) for n in (100, 50_000))
    assert len(many.curves["model"].weight) > 40
    assert line(few, "model").get_markersize() > line(many, "model").get_markersize() == 0


def test_the_precision_of_a_rare_class_fills_the_axes():
    display = PrecisionRecallDisplay.from_predictions(*rows(5000, 0.01))
    assert display.curves["model"].precision.max() < display.ax_.get_ylim()[1] < 0.6
    assert PrecisionRecallDisplay.from_predictions(*rows(1500)).ax_.get_ylim()[1] > 1
