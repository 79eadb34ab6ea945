"""Precision-recall curves of all models."""

from __future__ import annotations

import numpy as np

from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import PrecisionRecallCurve, precision_recall
from calibrant.plots._internal import probability_limits
from calibrant.report._predictions.figure_words import by_model, percent, percent_format
from calibrant.report._predictions.kept_points import kept_points
from calibrant.report._predictions.report_data import ReportData

__all__ = ["section"]

_RECALL = 0.5  # that the caption names
_FEW = 0.02  # recall at which precision is mostly noise and does not set the scale


def section(data: ReportData) -> Section | None:
    """Return the section of the precision-recall curves."""
    curves = {name: precision_recall(data.y_true, data.curve_proba(name), **data.curve_options) for name in data.names}
    right = {name: float(curve.precision[np.argmax(curve.recall >= _RECALL)]) for name, curve in curves.items()}
    shown = by_model(right, {name: percent(share) for name, share in right.items()})
    means = {name: curve.average_precision for name, curve in curves.items()}
    rate = next(iter(curves.values())).base_rate
    top = max(float(curve.precision[curve.recall >= _FEW].max(initial=0.0)) for curve in curves.values())
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
    """Return the curve down to a recall of 0, where it has the precision of the highest threshold.

    From right to left: a recall between those of two thresholds takes the lower one, whose precision a step keeps.
    """
    kept = kept_points(curve.recall, curve.precision)
    kept = np.append(0, kept) if curve.recall[0] > 0.0 else kept
    recall, precision = curve.recall[kept], curve.precision[kept]
    selected = recall * data.base_rate / np.maximum(precision, 1e-300)
    x = np.append(0.0, recall[1:]) if curve.recall[0] > 0.0 else recall
    columns = {"x": x, "y": precision, "threshold": curve.threshold[kept], "share of rows selected": selected}
    return Layer("step", {column: values[::-1] for column, values in columns.items()}, "precision", name)
