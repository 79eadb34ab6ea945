"""Ranking curves of all models: ROC, precision against recall, lift, cumulative gains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import percent
from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import LiftCurve, PrecisionRecallCurve, RocCurve, hull_of, lift, precision_recall, roc
from calibrant.plots._internal import probability_limits
from calibrant.report._charts.thinning import extremes_of_columns
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.wording import (
    by_model,
    capital,
    finite,
    percent_format,
)

_FEW_POINTS = 5_000


def kept_points(x: NDArray[np.float64], y: NDArray[np.float64], *, top: float = 1.0) -> NDArray[np.intp]:
    """Return the indices of the points to keep of a curve over x from 0 to 1, y from 0 to `top`.

    The chart thins the curve with a bound on its error, of which this is the first step: taken twice it is as once.
    The pages of thirty classes of a million rows would not fit into memory without it.

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> kept = kept_points(x, x**2)
    >>> len(kept) <= 10_002, kept[0], kept[-1]
    (True, np.int64(0), np.int64(100000))
    """
    if len(x) <= _FEW_POINTS:
        return np.arange(len(x))
    return extremes_of_columns(x, (y / top,), np.isfinite(x) & np.isfinite(y))


_ROC_RECALL = 0.8  # at which the description names the false alarms


def roc_section(data: ReportData) -> Section | None:
    """Return the section of the ROC curves."""
    curves = data.curves(roc)
    areas = {name: data.area(name).value for name in data.names}
    texts, interval = {}, "" if len(data.names) > 1 else f"{percent(data.confidence)} interval "
    for name in data.names:
        area = data.area(name)
        ends = "" if area.low is None or area.high is None else f", {interval}{area.low:.3f} to {area.high:.3f}"
        texts[name] = f"{percent(area.value)} of pairs (AUC {area.value:.3f}{ends})"
    ranked = by_model(areas, texts)
    alarms = {name: float(curve.fpr[np.argmax(curve.tpr >= _ROC_RECALL)]) for name, curve in curves.items()}
    shown = by_model(alarms, {name: percent(share) for name, share in alarms.items()}, less_is_better=True)
    figure = Figure(
        data.figure_name("roc"),
        f"{capital(data.positive_text)} found, and others selected by mistake",
        "Each point is a threshold, above which rows are selected; the dashed diagonal is random order. Of two rows, "
        f"one of {data.positive_text} and one of the others, the former is ranked higher in {ranked}.",
        f"ROC curve. Pairs ranked correctly: {ranked}. To find {percent(_ROC_RECALL)} of the class, the share of the "
        f"others selected by mistake is {shown}.",
        Axis("Others selected by mistake (false positive rate)", ".0%", (0.0, 1.0)),
        Axis(f"Share of {data.positive_text} found (true positive rate)", ".0%", (0.0, 1.0)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, "random order"),
            _hull_layer(curves),
            *(_roc_layer(data, name, curve) for name, curve in curves.items()),
        ),
    )
    title = f"Is {data.positive_text} ranked above the others?"
    return data.section("roc", title, [figure], "ROC curve")


def _roc_layer(data: ReportData, name: str, curve: RocCurve) -> Layer:
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


_PRECISION_RECALL = 0.5  # that the caption names
_FEW_FOUND = 5  # positives found: the precision before is mostly noise and does not set the scale


def precision_recall_section(data: ReportData) -> Section | None:
    """Return the section of the precision-recall curves."""
    curves = data.curves(precision_recall)
    right = {
        name: float(curve.precision[np.argmax(curve.recall >= _PRECISION_RECALL)]) for name, curve in curves.items()
    }
    shown = by_model(right, {name: percent(share) for name, share in right.items()})
    means = {name: curve.average_precision for name, curve in curves.items()}
    rate = next(iter(curves.values())).base_rate
    few = min(_FEW_FOUND / float(data.weight[data.is_positive].sum()), 0.25)
    top = max(float(curve.precision[curve.recall >= few].max()) for curve in curves.values())
    limits = probability_limits(0.0, top)
    figure = Figure(
        data.figure_name("precision-recall"),
        "Right among the selected rows, and share found",
        f"The more of {data.positive_text} is to be found, the more other rows are selected with it. Rows selected at "
        f"random are right in {percent(rate)} of cases (dashed), those that hold half of the class in {shown}.",
        f"Precision-recall curve. Precision at a recall of {percent(_PRECISION_RECALL)}: {shown}. Average precision: "
        f"{by_model(means, {name: f'{value:.3f}' for name, value in means.items()})}. Base rate: {percent(rate)}.",
        Axis(f"Share of {data.positive_text} found (recall)", ".0%", (0.0, 1.0)),
        Axis("Right among the selected (precision)", percent_format(limits[1]), limits),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [rate, rate]}, "selected at random"),
            *(_precision_layer(data, name, curve) for name, curve in curves.items()),
        ),
    )
    title = "How many of the selected rows are right?"
    return data.section("precision-recall", title, [figure], "Precision and recall")


def _precision_layer(data: ReportData, name: str, curve: PrecisionRecallCurve) -> Layer:
    """Return the curve from the lowest threshold on, from right to left: a precision holds down to the next recall.

    It ends at a recall of 0; thresholds above which there are fewer than ten rows and 1 % of them are left out.
    """
    selected = curve.recall * data.base_rate / np.maximum(curve.precision, 1e-300)
    shown = np.flatnonzero(selected >= data.fewest_selected * (1.0 - 1e-9))
    kept = shown[kept_points(curve.recall[shown], curve.precision[shown])][::-1]
    kept = np.append(kept, kept[-1])
    x = np.append(curve.recall[kept[:-1]], 0.0)
    columns = {"threshold": curve.threshold[kept], "share of rows selected": selected[kept]}
    return Layer("step", {"x": x, "y": curve.precision[kept], **columns}, "precision", name)


_FIFTH, _TENTH = 0.2, 0.1  # of the rows, which the captions name
_FEW = 0.02  # share of the rows whose lift is mostly noise and does not set the scale
_SELECTED = Axis("Share of rows selected, most likely first", ".0%", (0.0, 1.0))


def lift_and_gains_section(data: ReportData) -> Section | None:
    """Return the section of lift and cumulative gains."""
    curves, title = data.curves(lift), "What do the rows of highest probability hold?"
    figures = [_gains(data, curves), _lift(data, curves)]
    return data.section("lift-and-gains", title, figures, "Cumulative gains and lift")


def _gains(data: ReportData, curves: dict[str, LiftCurve]) -> Figure:
    found = {name: float(curve.responses_at(_FIFTH) / curve.responses[-1]) for name, curve in curves.items()}
    shown = by_model(found, {name: percent(share) for name, share in found.items()})
    layers = (_lift_layer(curve, curve.gains, "share found", name) for name, curve in curves.items())
    return Figure(
        data.figure_name("gains"),
        f"{capital(data.positive_text)} found by selecting the most likely rows",
        f"A fifth of the rows at random holds 20 % of {data.positive_text} (dashed line), the fifth with the highest "
        f"probabilities {shown}; no ranking is above the grey line.",
        f"Cumulative gains. Share of {data.positive_text} in the best fifth of the rows: {shown}. Base rate: "
        f"{percent(data.base_rate)}.",
        _SELECTED,
        Axis(f"Share of {data.positive_text} found", ".0%", (0.0, 1.0)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, "random order"),
            Layer("line", {"x": [0.0, data.base_rate, 1.0], "y": [0.0, 1.0, 1.0]}, "perfect ranking"),
            *layers,
        ),
    )


def _lift(data: ReportData, curves: dict[str, LiftCurve]) -> Figure:
    values = {name: float(curve.lift_at(_TENTH)) for name, curve in curves.items()}
    shown = by_model(values, {name: f"{value:.2f} times as many" for name, value in values.items()})
    fewest = data.fewest_selected
    top = 1.15 * max(float(curve.lift[curve.fraction >= _FEW].max()) for curve in curves.values())
    return Figure(
        data.figure_name("lift"),
        "How much better than random",
        f"Of {data.positive_text}, the tenth of the rows with the highest probabilities holds, compared with a tenth "
        f"at random (dashed line), {shown}.",
        f"Lift curve. Compared with a tenth of the rows at random, the best tenth holds {shown}.",
        _SELECTED,
        Axis("Times as many as at random (lift)", "", (0.0, top)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [1.0, 1.0]}, "random order"),
            *(_lift_layer(curve, curve.lift, "lift", name, top=top, fewest=fewest) for name, curve in curves.items()),
        ),
    )


def _lift_layer(
    curve: LiftCurve, y: NDArray[np.float64], label: str, name: str, *, top: float = 1.0, fewest: float = 0.0
) -> Layer:
    """Return a curve; points of fewer than a share of the rows are left out."""
    shown = np.flatnonzero(curve.fraction >= fewest * (1.0 - 1e-9))
    kept = shown[kept_points(curve.fraction[shown], y[shown], top=top)]
    columns = {
        "x": curve.fraction[kept],
        "y": y[kept],
        "threshold": finite(curve.threshold[kept]),
        "rows selected": curve.fraction[kept] * curve.n_rows,
        "of the class among them": curve.responses[kept],
    }
    return Layer("line", columns, label, name)
