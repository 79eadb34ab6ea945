"""ROC curves of all models with their convex hull."""

from __future__ import annotations

import numpy as np

from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import RocCurve, hull_of, roc
from calibrant.report._predictions.figure_words import by_model, capital, finite, percent
from calibrant.report._predictions.kept_points import kept_points
from calibrant.report._predictions.report_data import ReportData

__all__ = ["section"]

_RECALL = 0.8  # at which the description names the false alarms


def section(data: ReportData) -> Section | None:
    """Return the section of the ROC curves."""
    curves = {name: roc(data.y_true, data.curve_proba(name), **data.curve_options) for name in data.names}
    areas = {name: data.area(name).value for name in data.names}
    ranked = by_model(areas, {name: _area_text(data, name) for name in data.names})
    figure = Figure(
        data.figure_name("roc"),
        f"{capital(data.positive_text)} found, and others selected by mistake",
        "Each point is a threshold, above which rows are selected; the dashed diagonal is random order. Of two rows, "
        f"one of {data.positive_text} and one of the others, the former is ranked higher in {ranked}.",
        f"ROC curve. Pairs ranked correctly: {ranked}. {_found(curves)}",
        Axis("Others selected by mistake (false positive rate)", ".0%", (0.0, 1.0)),
        Axis(f"Share of {data.positive_text} found (true positive rate)", ".0%", (0.0, 1.0)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, "random order"),
            _hull_layer(curves),
            *(_layer(data, name, curve) for name, curve in curves.items()),
        ),
    )
    title = f"Is {data.positive_text} ranked above the others?"
    return Section(data.figure_name("roc"), title, (figure,), "ROC curve", data.page)


def _layer(data: ReportData, name: str, curve: RocCurve) -> Layer:
    kept = kept_points(curve.fpr, curve.tpr)
    fpr, tpr, rate = curve.fpr[kept], curve.tpr[kept], data.base_rate
    selected = tpr * rate + fpr * (1.0 - rate)
    columns = {"x": fpr, "y": tpr, "threshold": finite(curve.threshold[kept]), "share of rows selected": selected}
    return Layer("line", columns, "ROC curve", name)


def _hull_layer(curves: dict[str, RocCurve]) -> Layer:
    """Return the hull of all models, whose vertices are the only thresholds worth using."""
    hull = hull_of(curves)
    columns = {"x": hull.fpr, "y": hull.tpr, "threshold": finite(hull.threshold)}
    if len(curves) > 1:
        columns["model"] = hull.model
    return Layer("line", columns, "convex hull: best thresholds")


def _area_text(data: ReportData, name: str) -> str:
    area = data.area(name)
    interval = "" if len(data.names) > 1 else f"{percent(data.confidence)} interval "
    ends = "" if area.low is None or area.high is None else f", {interval}{area.low:.3f} to {area.high:.3f}"
    return f"{percent(area.value)} of pairs (AUC {area.value:.3f}{ends})"


def _found(curves: dict[str, RocCurve]) -> str:
    alarms = {name: float(curve.fpr[np.argmax(curve.tpr >= _RECALL)]) for name, curve in curves.items()}
    shown = by_model(alarms, {name: percent(share) for name, share in alarms.items()}, less_is_better=True)
    return f"To find {percent(_RECALL)} of the class, the share of the others selected by mistake is {shown}."
