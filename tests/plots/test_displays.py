"""Displays draw what the curves hold, for one model and for several, into given axes or new ones."""

from __future__ import annotations

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.curves import (
    brier_curve,
    cost_curve,
    decision_curve,
    lift,
    precision_recall,
    profit_curve,
    reliability,
    roc,
    roc_hull,
)
from calibrant.exceptions import ParameterError
from calibrant.plots import (
    BrierCurveDisplay,
    CostCurveDisplay,
    DecisionCurveDisplay,
    ErrorCurveDisplay,
    GainsDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
    ProfitDisplay,
    ReliabilityDisplay,
    RocDisplay,
    ScoreHistogramDisplay,
    SortedScoresDisplay,
)

RANDOM = np.random.default_rng(0)
P = RANDOM.random(200)
Y = np.where(RANDOM.random(200) < P, "yes", "no")
TWO = {"one": P, "two": np.sqrt(P)}
CASES = {
    RocDisplay: {"hull": True},
    PrecisionRecallDisplay: {},
    LiftDisplay: {},
    GainsDisplay: {},
    CostCurveDisplay: {"n_lines": 3},
    ErrorCurveDisplay: {},
    BrierCurveDisplay: {},
    DecisionCurveDisplay: {"confidence": 0.9, "n_boot": 20},
    ProfitDisplay: {"amount": 5, "cost": 1},
    ReliabilityDisplay: {"bands": "honest", "zoom": True},
}


def line(display, start):
    """Give the points of the line whose label starts so."""
    (found,) = (each for each in display.ax_.lines if str(each.get_label()).startswith(start))
    return found.get_xdata(), found.get_ydata()


@pytest.mark.parametrize("kind", CASES)
def test_several_models_are_told_apart_by_colour_and_by_line(kind):
    display = kind.from_predictions(Y, TWO, **CASES[kind])
    one, two = (
        next(each for each in display.ax_.lines if str(each.get_label()).startswith(name)) for name in ("one", "two")
    )
    assert one.get_color() != two.get_color()
    assert one._unscaled_dash_pattern != two._unscaled_dash_pattern


@pytest.mark.parametrize("kind", CASES)
def test_axes_are_labelled_and_lines_are_named(kind):
    display = kind.from_predictions(Y, P, name="the tree", **CASES[kind])
    assert display.ax_.get_ylabel()
    assert any("the tree" in text.get_text() for text in display.ax_.get_legend().get_texts())


@pytest.mark.parametrize("kind", CASES)
def test_given_axes_are_drawn_into(kind):
    _, ax = plt.subplots()
    display = kind.from_predictions(Y, P, ax=ax, **CASES[kind])
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert plt.get_fignums() == [ax.figure.number]


@pytest.mark.parametrize("kind", CASES)
def test_estimators_predict_for_themselves(kind):
    X = np.stack([P, RANDOM.random(200)], axis=1)
    model = NaiveBayesClassifier().fit(X, Y)
    ours = kind.from_estimator(model, X, Y, pos_label="no", **CASES[kind])
    by_hand = kind.from_predictions(Y, {"NaiveBayesClassifier": model.predict_proba(X)}, pos_label="no", **CASES[kind])
    for drawn, expected in zip(ours.ax_.lines, by_hand.ax_.lines, strict=True):
        np.testing.assert_array_equal(drawn.get_xydata(), expected.get_xydata())


def test_curves_that_are_there_already_can_be_drawn():
    assert line(RocDisplay({"mine": roc(Y, P)}).plot(), "mine")[1].tolist() == roc(Y, P).tpr.tolist()


def test_a_roc_display_has_the_curve_and_the_hull_of_all():
    display = RocDisplay.from_predictions(Y, TWO, hull=True)
    np.testing.assert_array_equal(line(display, "one"), [roc(Y, P).fpr, roc(Y, P).tpr])
    hull = roc_hull(Y, TWO)
    np.testing.assert_array_equal(line(display, "hull"), [hull.fpr, hull.tpr])


def test_precision_is_drawn_in_steps_from_recall_0():
    recall, precision = line(PrecisionRecallDisplay.from_predictions(Y, P), "model")
    curve = precision_recall(Y, P)
    assert recall.tolist() == [0.0, *curve.recall]
    assert precision[1:].tolist() == curve.precision.tolist()


def test_lift_and_gains_are_read_off_one_curve():
    curve = lift(Y, P)
    np.testing.assert_array_equal(line(LiftDisplay.from_predictions(Y, P), "model"), [curve.fraction, curve.lift])
    drawn = GainsDisplay.from_predictions(Y, P)
    np.testing.assert_array_equal(line(drawn, "model"), [curve.fraction, curve.responses])
    assert line(drawn, "perfect")[0][1] == (Y == "yes").mean()


def test_a_cost_display_has_the_envelope_the_trivial_classifiers_and_some_thresholds():
    display, curve = CostCurveDisplay.from_predictions(Y, P, n_lines=3), cost_curve(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.probability_cost, curve.cost])
    assert [list(line(display, f"always {sign}")[1]) for sign in "−+"] == [[0, 1], [1, 0]]
    assert len([each for each in display.ax_.lines if each.get_color() == "0.85"]) == 3


def test_a_brier_display_has_the_loss_and_its_floor():
    display, curve = BrierCurveDisplay.from_predictions(Y, P), brier_curve(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.cost_proportion, curve.loss])
    x, floor = line(display, "best thresholds")
    np.testing.assert_array_equal(floor, curve.best_at(x))


def test_a_decision_display_has_everybody_and_nobody_beside_the_model():
    display, curve = DecisionCurveDisplay.from_predictions(Y, P), decision_curve(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.threshold, curve.net_benefit])
    np.testing.assert_array_equal(line(display, "everybody")[1], curve.everybody)
    assert list(line(display, "nobody")[1]) == [0, 0]


def test_an_error_display_shows_always_wrong():
    assert set(line(ErrorCurveDisplay.from_predictions(Y, P), "always wrong")[1]) == {1.0}


def test_a_profit_display_marks_the_best_point():
    display, curve = ProfitDisplay.from_predictions(Y, P, amount=5, cost=1), profit_curve(Y, P, amount=5, cost=1)
    (mark,) = (each for each in display.ax_.lines if each.get_marker() == "o")
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (curve.fraction[curve.best], curve.profit[curve.best])


def test_reliability_points_have_a_histogram_of_all_rows_below():
    display, curve = ReliabilityDisplay.from_predictions(Y, P), reliability(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.predicted, curve.observed])
    assert display.histogram_ax_.patches[0].get_data().values.sum() == 200
    assert display.histogram_ax_.get_xlim() == display.ax_.get_xlim() == (0, 1)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"bands": "honest"}, PolyCollection),
        ({"bands": "consistency", "method": "corp", "n_resamples": 20}, PolyCollection),
        ({"bands": "consistency", "n_resamples": 20}, LineCollection),
    ],
)
def test_a_band_is_drawn_where_the_curve_has_it(options, kind):
    display = ReliabilityDisplay.from_predictions(Y, P, **options)
    (band,) = (each for each in display.ax_.collections if isinstance(each, kind))
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    lower, upper = reliability(Y, P, **options).band[1:]
    assert set(corners[:, 1]) - {0.0} <= {*lower, *upper}


def test_a_zoomed_diagram_ends_above_the_last_point():
    display = ReliabilityDisplay.from_predictions(Y, P / 10, zoom=True, method="equal_mass", n_bins=2)
    top = display.ax_.get_xlim()[1]
    assert display.curves["model"].observed.max() < top <= 1
    assert display.histogram_ax_.get_xlim() == (0, top)


def test_axes_outside_of_a_grid_have_no_histogram():
    ax = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    assert ReliabilityDisplay.from_predictions(Y, P, ax=ax).histogram_ax_ is None


def test_histograms_by_class_have_a_panel_for_each_model():
    display = ScoreHistogramDisplay.from_predictions(Y, TWO, n_bins=4)
    assert [panel.get_title() for panel in display.axes_] == ["one", "two"]
    positive, others = (patch.get_data().values for patch in display.ax_.patches)
    np.testing.assert_allclose(positive, np.histogram(P[Y == "yes"], np.linspace(0, 1, 5))[0] / (Y == "yes").sum())
    np.testing.assert_allclose(others, np.histogram(P[Y == "no"], np.linspace(0, 1, 5))[0] / (Y == "no").sum())


def test_histograms_by_class_want_as_many_axes_as_models():
    _, axes = plt.subplots(1, 3)
    with pytest.raises(ParameterError, match="ax must be 2 Axes, one for each model; got 3"):
        ScoreHistogramDisplay.from_predictions(Y, TWO, ax=axes)


def test_sorted_scores_rise_for_the_reference_and_follow_its_rows():
    display = SortedScoresDisplay.from_predictions({"one": P, "two": P**2, "other way": 1 - P}, reference="two")
    assert line(display, "two")[1].tolist() == sorted(P**2)
    np.testing.assert_allclose(line(display, "other way")[1], 1 - np.sort(P))


def test_sorted_scores_of_estimators_are_of_the_positive_class():
    models = {"none": ConstantClassifier().fit([[1], [2], [3]], ["a", "b", "b"])}
    display = SortedScoresDisplay.from_estimator(models, [[1], [2]], pos_label="a")
    assert line(display, "none")[1] == pytest.approx([1 / 3, 1 / 3])


def test_what_cannot_predict_is_named():
    with pytest.raises(ParameterError, match="estimator: str must be a fitted classifier"):
        RocDisplay.from_estimator("tree", [[1]], [1])


def test_importing_plots_loads_no_matplotlib():
    script = "import sys, calibrant.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["False"], done.stderr
