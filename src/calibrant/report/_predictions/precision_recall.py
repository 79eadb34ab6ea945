"""Precision-recall curves of all models."""

from __future__ import annotations

import numpy as np

from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import PrecisionRecallCurve, precision_recall
from calibrant.plots._internal import probability_limits
from calibrant.report._predictions.figure_words import by_model, fewest_selected, percent, percent_format
from calibrant.report._predictions.kept_points import kept_points
from calibrant.report._predictions.report_data import ReportData

__all__ = ["section"]

_RECALL = 0.5  # that the caption names
_FEW = 5  # positives found: the precision before is mostly noise and does not set the scale


def section(data: ReportData) -> Section | None:
    """Return the section of the precision-recall curves."""
    curves = {name: precision_recall(data.y_true, data.curve_proba(name), **data.curve_options) for name in data.names}
    right = {name: float(curve.precision[np.argmax(curve.recall >= _RECALL)]) for name, curve in curves.items()}
    shown = by_model(right, {name: percent(share) for name, share in right.items()})
    means = {name: curve.average_precision for name, curve in curves.items()}
    rate = next(iter(curves.values())).base_rate
    few = min(_FEW / float(data.weight[data.is_positive].sum()), 0.25)
    top = max(float(curve.precision[curve.recall >= few].max()) for curve in curves.values())
    limits = probability_limits(0.0, top)
    figure = Figure(
        data.figure_name("precision-recall"),
        "Right among the selected rows, and share found",
        f"The more of {data.positive_text} is to be found, the more other rows are selected with it. Rows selected at "
        f"random are right in {percent(rate)} of cases (dashed), those that hold half of the class in {shown}.",
        f"Precision-recall curve. Precision at a recall of {percent(_RECALL)}: {shown}. Average precision: "
        f"{by_model(means, {name: f'{value:.3f}' for name, value in means.items()})}. Base rate: {percent(rate)}.",
        Axis(f"Share of {data.positive_text} found (recall)", ".0%", (0.0, 1.0)),
        Axis("Right among the selected (precision)", percent_format(limits[1]), limits),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [rate, rate]}, "selected at random"),
            *(_layer(data, name, curve) for name, curve in curves.items()),
        ),
    )
    title = "How many of the selected rows are right?"
    return Section(data.figure_name("precision-recall"), title, (figure,), "Precision and recall", data.page)


def _layer(data: ReportData, name: str, curve: PrecisionRecallCurve) -> Layer:
    """Return the curve from the lowest threshold on, from right to left: a precision holds down to the next recall.

    It ends at a recall of 0; thresholds above which there are fewer than ten rows and 1 % of them are left out.
    """
    selected = curve.recall * data.base_rate / np.maximum(curve.precision, 1e-300)
    shown = np.flatnonzero(selected >= fewest_selected(data) * (1.0 - 1e-9))
    kept = shown[kept_points(curve.recall[shown], curve.precision[shown])][::-1]
    kept = np.append(kept, kept[-1])
    x = np.append(curve.recall[kept[:-1]], 0.0)
    columns = {"threshold": curve.threshold[kept], "share of rows selected": selected[kept]}
    return Layer("step", {"x": x, "y": curve.precision[kept], **columns}, "precision", name)
