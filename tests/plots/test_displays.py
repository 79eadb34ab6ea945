"""Displays draw the computed curves, for one model and for several, into passed axes or new ones."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.transforms import Bbox

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
    """Return the points of the line whose label starts with a text."""
    (match,) = (line for line in display.ax_.lines if str(line.get_label()).startswith(start))
    return match.get_xdata(), match.get_ydata()


@pytest.mark.parametrize("kind", CASES)
def test_several_models_differ_in_colour_and_in_dashes(kind):
    display = kind.from_predictions(Y, TWO, **CASES[kind])
    one, two = (
        next(line for line in display.ax_.lines if str(line.get_label()).startswith(name)) for name in ("one", "two")
    )
    assert one.get_color() != two.get_color()
    assert one._unscaled_dash_pattern != two._unscaled_dash_pattern


@pytest.mark.parametrize("kind", CASES)
def test_axes_and_lines_are_labelled(kind):
    display = kind.from_predictions(Y, P, name="the tree", **CASES[kind])
    assert display.ax_.get_ylabel()
    assert any("the tree" in text.get_text() for text in display.legend_.get_texts())


@pytest.mark.parametrize("kind", CASES)
def test_axes_that_are_passed_are_drawn_into(kind):
    _, ax = plt.subplots()
    display = kind.from_predictions(Y, P, ax=ax, **CASES[kind])
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert plt.get_fignums() == [ax.figure.number]


@pytest.mark.parametrize("kind", CASES)
def test_an_estimator_is_drawn_as_its_predictions(kind):
    X = np.stack([P, RANDOM.random(200)], axis=1)
    model = NaiveBayesClassifier().fit(X, Y)
    ours = kind.from_estimator(model, X, Y, pos_label="no", **CASES[kind])
    by_hand = kind.from_predictions(Y, {"NaiveBayesClassifier": model.predict_proba(X)}, pos_label="no", **CASES[kind])
    for drawn, expected in zip(ours.ax_.lines, by_hand.ax_.lines, strict=True):
        np.testing.assert_array_equal(drawn.get_xydata(), expected.get_xydata())


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", CASES)
def test_the_legend_names_the_positive_class(kind):
    display = kind.from_predictions(Y, P, **CASES[kind])
    assert display.legend_.get_title().get_text() == "positive class: yes"
    assert kind.from_predictions(Y, P, pos_label="no", **CASES[kind]).pos_label == "no"


def box_of(display):
    """Return the extent of the legend after the layout."""
    display.figure_.draw_without_rendering()
    return display.legend_.get_window_extent()


MODELS = {
    "one": P,
    "cautious": P / 2 + 0.25,
    "reversed": 1 - P,
    "CalibratedClassifier(BaggedTreesClassifier(n_trees=128, estimate='frequency'), cv='oob')": P**2,
}


@pytest.mark.parametrize("models", [["one"], ["cautious", "one"], ["reversed"], list(MODELS)])
@pytest.mark.parametrize("kind", CASES)
@pytest.mark.sample(4)
def test_no_legend_covers_a_curve_or_leaves_the_figure(kind, models):
    display = kind.from_predictions(Y, {name: MODELS[name] for name in models}, **CASES[kind])
    box, whole = box_of(display), display.figure_.bbox
    curves = [
        line for line in display.ax_.lines if str(line.get_label()).startswith(tuple(model[:4] for model in models))
    ]
    assert len(curves) == len(models)
    covered = Bbox.intersection(box, display.ax_.bbox)
    for curve in curves if covered else ():
        assert not curve.get_path().transformed(curve.get_transform()).intersects_bbox(covered, filled=False)
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1
    assert whole.y0 <= box.y0 < box.y1 <= whole.y1


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.sample(3)
def test_many_models_with_long_names_leave_room_for_the_curves(kind):
    models = {f"model number {number}, which has a long name": P ** (1 + number / 9) for number in range(10)}
    display = kind.from_predictions(Y, models, **CASES[kind])
    box_of(display)
    assert display.ax_.get_window_extent().height > 2 * display.figure_.dpi


def test_fourteen_models_look_different():
    display = RocDisplay.from_predictions(Y, {str(number): P for number in range(14)})
    styles = {(line.get_color(), line._unscaled_dash_pattern) for line in display.ax_.lines}
    assert len(styles) == 15


def test_axes_without_a_layout_keep_the_legend_inside():
    _, ax = plt.subplots()
    box, inside = box_of(CostCurveDisplay.from_predictions(Y, P, ax=ax)), ax.get_window_extent()
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1


def test_a_logarithmic_scale_is_kept_with_limits_that_show_the_points():
    _, ax = plt.subplots(layout="constrained")
    ax.set(xscale="log", yscale="log")
    ReliabilityDisplay.from_predictions(Y, P / 20, ax=ax)
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert 1e-9 < ax.get_xlim()[0] < 0.05


def test_one_probability_for_all_rows_is_still_visible():
    display = ReliabilityDisplay.from_predictions(Y, np.full(200, 0.3), method="corp", bands="consistency")
    (curve,) = (line for line in display.ax_.lines if line.get_label() == "model")
    assert curve.get_marker() == "o"
    assert any(isinstance(collection, LineCollection) for collection in display.ax_.collections)


def test_a_perfect_model_is_drawn_inside_the_axes():
    display = CostCurveDisplay.from_predictions([0, 1], [0.1, 0.9])
    assert display.ax_.get_ylim()[0] < 0


def test_numbers_of_rows_are_whole_and_have_commas():
    display = GainsDisplay.from_predictions(np.repeat([0, 1], 3000), np.linspace(0, 1, 6000))
    display.figure_.draw_without_rendering()
    assert "2,000" in [tick.get_text() for tick in display.ax_.get_yticklabels()]
    few = GainsDisplay.from_predictions([0, 1, 1], [0.2, 0.4, 0.7])
    assert set(few.ax_.get_yticks() % 1) == {0}


def test_computed_curves_can_be_drawn():
    assert line(RocDisplay({"mine": roc(Y, P)}).plot(), "mine")[1].tolist() == roc(Y, P).tpr.tolist()


def test_a_roc_display_has_the_curve_and_the_hull_of_all():
    display = RocDisplay.from_predictions(Y, TWO, hull=True)
    np.testing.assert_array_equal(line(display, "one"), [roc(Y, P).fpr, roc(Y, P).tpr])
    hull = roc_hull(Y, TWO)
    np.testing.assert_array_equal(line(display, "convex hull"), [hull.fpr, hull.tpr])


def test_precision_is_drawn_in_steps_from_recall_0():
    recall, precision = line(PrecisionRecallDisplay.from_predictions(Y, P), "model")
    curve = precision_recall(Y, P)
    assert recall.tolist() == [0.0, *curve.recall]
    assert precision[1:].tolist() == curve.precision.tolist()


def test_lift_and_gains_draw_the_same_curve():
    curve = lift(Y, P)
    np.testing.assert_array_equal(line(LiftDisplay.from_predictions(Y, P), "model"), [curve.fraction, curve.lift])
    drawn = GainsDisplay.from_predictions(Y, P)
    np.testing.assert_array_equal(line(drawn, "model"), [curve.fraction, curve.responses])
    assert line(drawn, "perfect")[0][1] == (Y == "yes").mean()


def test_a_cost_display_has_the_envelope_the_trivial_classifiers_and_some_cost_lines():
    display, curve = CostCurveDisplay.from_predictions(Y, P, n_lines=3), cost_curve(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.probability_cost, curve.cost])
    assert [list(line(display, f"always {sign}")[1]) for sign in ("negative", "positive")] == [[0, 1], [1, 0]]
    assert len([line for line in display.ax_.lines if line.get_color() == "0.75"]) == 3


def test_a_brier_display_has_the_loss_and_that_of_the_best_thresholds():
    display, curve = BrierCurveDisplay.from_predictions(Y, P), brier_curve(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.cost_proportion, curve.loss])
    x, best = line(display, "best thresholds")
    np.testing.assert_array_equal(best, curve.best_at(x))


def test_a_decision_display_compares_the_model_with_acting_on_all_and_on_none():
    display, curve = DecisionCurveDisplay.from_predictions(Y, P), decision_curve(Y, P)
    np.testing.assert_array_equal(line(display, "model"), [curve.threshold, curve.net_benefit])
    np.testing.assert_array_equal(line(display, "always positive")[1], curve.everybody)
    assert list(line(display, "always negative")[1]) == [0, 0]


def test_an_error_display_shows_always_wrong():
    assert set(line(ErrorCurveDisplay.from_predictions(Y, P), "always wrong")[1]) == {1.0}


def test_a_profit_display_marks_the_best_point():
    display, curve = ProfitDisplay.from_predictions(Y, P, amount=5, cost=1), profit_curve(Y, P, amount=5, cost=1)
    (mark,) = (line for line in display.ax_.lines if line.get_marker() == "o")
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (curve.fraction[curve.best], curve.profit[curve.best])


def test_a_reliability_display_has_a_histogram_of_all_rows_below():
    display, curve = ReliabilityDisplay.from_predictions(Y, P), reliability(Y, P, method="equal_mass", n_bins="auto")
    np.testing.assert_array_equal(line(display, "model"), [curve.predicted, curve.observed])
    assert display.histogram_ax_.patches[0].get_data().values.sum() == 200
    assert display.histogram_ax_.get_xlim() == display.ax_.get_xlim() == pytest.approx((0, 1), abs=0.02)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"bands": "honest"}, PolyCollection),
        ({"bands": "consistency", "method": "corp", "n_resamples": 20}, PolyCollection),
        ({"bands": "consistency", "method": "fixed", "n_bins": 10}, LineCollection),
    ],
)
def test_the_band_of_the_curve_is_drawn(options, kind):
    display = ReliabilityDisplay.from_predictions(Y, P, **options)
    band, *more = (area for area in display.ax_.collections if isinstance(area, kind) and area.get_paths())
    curve = reliability(Y, P, **options)
    for area, expected in zip([band, *more], [curve.band, curve.simultaneous], strict=False):
        corners = np.concatenate([path.vertices for path in area.get_paths()])
        assert set(corners[:, 1]) - {0.0} <= {*expected.lower, *expected.upper}
    assert len(more) == (kind is LineCollection)


def test_a_zoomed_diagram_ends_above_the_last_point():
    display = ReliabilityDisplay.from_predictions(Y, P / 10, zoom=True, method="equal_mass", n_bins=2)
    top = display.ax_.get_xlim()[1]
    assert display.curves["model"].observed.max() < top < 1
    assert display.histogram_ax_.get_xlim() == display.ax_.get_xlim()


def test_axes_outside_a_grid_have_no_histogram():
    ax = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    assert ReliabilityDisplay.from_predictions(Y, P, ax=ax).histogram_ax_ is None


def test_histograms_by_class_have_a_panel_for_each_model():
    display = ScoreHistogramDisplay.from_predictions(Y, TWO, n_bins=4)
    assert [panel.get_title() for panel in display.axes_] == ["one", "two"]
    positive, others = (patch.get_data().values for patch in display.ax_.patches)
    np.testing.assert_allclose(positive, np.histogram(P[Y == "yes"], np.linspace(0, 1, 5))[0] / (Y == "yes").sum())
    np.testing.assert_allclose(others, np.histogram(P[Y == "no"], np.linspace(0, 1, 5))[0] / (Y == "no").sum())


def test_more_than_four_histograms_are_drawn_in_two_rows():
    display = ScoreHistogramDisplay.from_predictions(Y, {str(number): P for number in range(5)})
    assert len(display.figure_.axes) == len(display.axes_) == 5
    assert len({panel.get_subplotspec().rowspan for panel in display.axes_}) == 2


def test_histograms_by_class_need_as_many_axes_as_models():
    _, axes = plt.subplots(1, 3)
    with pytest.raises(ParameterError, match="ax must be 2 Axes, one for each model; got 3"):
        ScoreHistogramDisplay.from_predictions(Y, TWO, ax=axes)


def test_sorted_scores_increase_for_the_reference_and_the_others_follow_its_rows():
    display = SortedScoresDisplay.from_predictions({"one": P, "two": P**2, "reverse": 1 - P}, reference="two")
    assert line(display, "two")[1].tolist() == sorted(P**2)
    np.testing.assert_allclose(line(display, "reverse")[1], 1 - np.sort(P))


def test_scores_that_vary_from_row_to_row_are_drawn_behind_the_others():
    display = SortedScoresDisplay.from_predictions({"sorted": P, "square": P**2, "noise": RANDOM.random(200)})
    square, noise, reference = display.ax_.lines
    assert noise.get_alpha() < square.get_alpha() == 1
    assert noise.get_zorder() < square.get_zorder() < reference.get_zorder()


def test_sorted_scores_of_estimators_are_of_the_positive_class():
    models = {"none": ConstantClassifier().fit([[1], [2], [3]], ["a", "b", "b"])}
    display = SortedScoresDisplay.from_estimator(models, [[1], [2]], pos_label="a")
    assert line(display, "none")[1] == pytest.approx([1 / 3, 1 / 3])


def test_an_estimator_without_probabilities_raises():
    with pytest.raises(ParameterError, match="estimator: str must be a fitted classifier"):
        RocDisplay.from_estimator("tree", [[1]], [1])
