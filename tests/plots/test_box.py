"""Box displays of the values of splits."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

from calibrant.exceptions import DataError, ParameterError
from calibrant.plots import BoxDisplay, CriticalDifferenceDisplay
from calibrant.studies import StudyResults

LONG = [
    "ProbabilityTreeClassifier(estimate=laplace, min_leaf=2)",
    "BaggedTreesClassifier, 100 trees, hierarchical shrinkage",
    "naive Bayes",
    "logistic regression with L2",
    "MOB-ESP 128 trees",
    "EB-PETs 128 trees",
    "k-nearest neighbours (gaussian weights, k = 25)",
    "boosted stumps calibrated by isotonic regression",
    "B-PETs 128",
    "ProbabilityClassifier (blend of everything)",
]
RANDOM = np.random.default_rng(0)
STUDY = StudyResults.from_values(
    {f"set {i}": RANDOM.gamma(20, 0.01, (10, 10)) + np.linspace(0, 0.05, 10)[:, np.newaxis] for i in range(6)},
    methods=LONG,
    metric="mse",
)


def overlapping(texts: list[Text]) -> list[tuple[str, str]]:
    """Return the texts that overlap in the drawn figure, and those that are not wholly inside it."""
    figure = texts[0].figure
    figure.draw_without_rendering()
    shown = [text for text in texts if text.get_text().strip()]
    boxes = [text.get_window_extent() for text in shown]
    pairs = [
        (shown[i].get_text(), shown[j].get_text())
        for i in range(len(shown))
        for j in range(i)
        if boxes[i].padded(-1).overlaps(boxes[j].padded(-1))
    ]
    width, height = figure.bbox.size
    outside = [
        (text.get_text(), "outside") for text, box in zip(shown, boxes, strict=True) if _is_outside(box, width, height)
    ]
    return pairs + outside


def _is_outside(box: object, width: float, height: float) -> bool:
    return box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1


def shown_ticks(ax: Axes) -> list[Text]:
    """Return the numbers of a scale within its limits."""
    low, high = ax.get_xlim()
    return [label for place, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True) if low <= place <= high]


def boxes_of(display: BoxDisplay) -> list[tuple[float, float]]:
    """Return the quartiles that are drawn in the first panel."""
    drawn = [patch.get_path().vertices[:, 0] for patch in display.ax_.patches]
    return [(float(x.min()), float(x.max())) for x in drawn]


def test_a_box_reaches_from_quartile_to_quartile() -> None:
    values = RANDOM.normal(size=(3, 9))
    display = BoxDisplay({"iris": values}, ["a", "b", "c"]).plot()
    np.testing.assert_allclose(boxes_of(display), np.percentile(values, [25, 75], axis=1).T)


def test_every_data_set_has_a_panel_and_one_may_be_chosen() -> None:
    assert [ax.get_title() for ax in BoxDisplay.from_study(STUDY, "mse").axes_] == list(STUDY.datasets)
    one = BoxDisplay.from_study(STUDY, "mse", "set 3")
    assert [ax.get_title() for ax in one.axes_] == ["set 3"]
    assert one.ax_.get_xlabel() == "mse (lower is better)"


def test_every_method_has_a_colour_of_its_own() -> None:
    display = BoxDisplay({"iris": RANDOM.normal(size=(20, 5))}, [str(i) for i in range(20)]).plot()
    assert len({patch.get_edgecolor() for patch in display.ax_.patches}) == 20


@pytest.mark.parametrize("dataset", ["set 0", None])
def test_ten_long_names_do_not_overlap_in_boxes(dataset: str | None) -> None:
    display = BoxDisplay.from_study(STUDY, "mse", dataset)
    assert overlapping([*display.ax_.get_yticklabels(), display.ax_.title, display.ax_.xaxis.label]) == []
    assert overlapping([label for ax in display.axes_ for label in shown_ticks(ax)]) == []


def test_ten_long_names_do_not_overlap_in_the_critical_difference_diagram() -> None:
    display = CriticalDifferenceDisplay.from_study(STUDY, "mse")
    assert overlapping([*display.ax_.texts, display.ax_.xaxis.label, *display.ax_.get_xticklabels()]) == []
    assert len(display.ax_.texts) == 11


def test_the_critical_difference_of_a_study_is_that_of_its_comparison() -> None:
    display = CriticalDifferenceDisplay.from_study(STUDY, "mse", confidence=0.9)
    assert display.result == STUDY.compare("mse", "nemenyi", confidence=0.9).ranks
    dunn = CriticalDifferenceDisplay.from_study(STUDY, "mse", reference="naive Bayes")
    assert dunn.result.control == "naive Bayes"


def test_a_critical_difference_longer_than_the_scale_is_drawn_whole() -> None:
    display = CriticalDifferenceDisplay.from_table([[1, 2, 3], [1, 3, 2]], methods=["a", "b", "c"])
    assert display.result.critical_difference > 2
    assert overlapping(display.ax_.texts) == []


def test_few_splits_are_drawn_as_points_and_many_are_not() -> None:
    few = BoxDisplay({"iris": RANDOM.normal(size=(1, 30))}, ["tree"]).plot()
    many = BoxDisplay({"iris": RANDOM.normal(size=(1, 31))}, ["tree"]).plot()
    assert max(len(line.get_xdata()) for line in few.ax_.lines) == 30
    assert max(len(line.get_xdata()) for line in many.ax_.lines) < 10


def test_splits_without_a_finite_value_are_left_out() -> None:
    display = BoxDisplay({"iris": [[0.1, np.nan, 0.3], [np.nan, np.inf, np.nan]]}, ["tree", "bayes"]).plot()
    assert len(display.ax_.patches) == 1
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["tree", "bayes"]


def test_axes_that_are_passed_are_drawn_into() -> None:
    _, axes = plt.subplots(1, 6)
    assert BoxDisplay.from_study(STUDY, "mse", ax=axes).axes_ == list(axes)
    with pytest.raises(ParameterError, match="ax must be 6 Axes, one for each data set; got 1"):
        BoxDisplay.from_study(STUDY, "mse", ax=axes[0])


def test_wrong_values_are_named() -> None:
    with pytest.raises(DataError, match=r"values: 'iris' must have shape \(2, n_splits\); got \(1, 3\)"):
        BoxDisplay({"iris": [[1, 2, 3]]}, ["a", "b"])
    with pytest.raises(ParameterError, match="study must be a Study or its results; got 'trees'"):
        BoxDisplay.from_study("trees", "mse")
    with pytest.raises(ParameterError, match="at least one; got none"):
        BoxDisplay({}, ["a"])
