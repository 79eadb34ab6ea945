"""Reliability diagrams of all models: isotonic regression with a consistency band (CORP)."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._repr import listed
from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import ReliabilityCurve, reliability
from calibrant.plots._internal import reliability_limits
from calibrant.report._predictions.figure_words import by_model, percent, probability
from calibrant.report._predictions.report_data import ReportData

__all__ = ["section"]

_MOST_MARKED = 40  # blocks of rows: markers of more hide the line


def section(data: ReportData) -> Section | None:
    """Return the section of the reliability diagram."""
    curves = {name: _curve(data, name) for name in data.names}
    limits = reliability_limits(curves.values())
    distances = {name: curve.distance for name, curve in curves.items()}
    apart = by_model(distances, {name: percent(value) for name, value in distances.items()}, less_is_better=True)
    figure = Figure(
        data.figure_name("reliability"),
        "Observed frequency against predicted probability",
        f"On the dashed diagonal {data.positive_text} is as frequent as predicted. {_band_text(data)} "
        f"{_finding(data, curves)}",
        f"Reliability diagram. Mean distance between observed frequency and predicted probability: {apart}. "
        f"{_finding(data, curves)}",
        Axis("Predicted probability", "", limits),
        Axis("Observed frequency", "", limits),
        (
            Layer("reference", {"x": list(limits), "y": list(limits)}, "perfectly calibrated"),
            *(layer for name, curve in curves.items() for layer in _band_layers(name, curve)),
            *(layer for name, curve in curves.items() for layer in _layers(name, curve)),
        ),
    )
    title = f"Is {data.positive_text} as frequent as predicted?"
    return Section(data.figure_name("reliability"), title, (figure,), "Calibration: reliability diagram", data.page)


def _curve(data: ReportData, name: str) -> ReliabilityCurve:
    rows: dict[str, Any] = {**data.curve_options, "weight_kind": data.weight_kind}
    band: dict[str, Any] = {"bands": "consistency", "confidence": data.confidence, "random_state": data.random_state}
    return reliability(data.y_true, data.curve_proba(name), method="corp", **band, **rows)


def _layers(name: str, curve: ReliabilityCurve) -> list[Layer]:
    x, y = np.stack([curve.low, curve.high], axis=1).ravel(), np.repeat(curve.observed, 2)
    line = Layer("line", {"x": x, "y": y, "rows": np.repeat(curve.weight, 2)}, "observed frequency", name)
    if len(curve.weight) > _MOST_MARKED:
        return [line]
    columns = {"x": curve.predicted, "y": curve.observed, "rows": curve.weight}
    ends = {"lowest probability": curve.low, "highest probability": curve.high}
    return [line, Layer("points", {**columns, **ends}, "rows of equal observed frequency", name)]


def _band_layers(name: str, curve: ReliabilityCurve) -> list[Layer]:
    """Return the band that contains the whole line of calibrated probabilities."""
    band = curve.simultaneous
    if band is None or len(band.x) < 2:
        return []
    return [Layer("band", {"x": band.x, "low": band.lower, "high": band.upper}, "if calibrated", name)]


def _band_text(data: ReportData) -> str:
    often = f"in {percent(data.confidence)} of samples"
    if data.groups is not None:  # the band knows no groups
        often += " of independent rows, less often where rows belong together as here"
    return f"The line of a calibrated model stays inside the shaded band from end to end {often}."


def _finding(data: ReportData, curves: dict[str, ReliabilityCurve]) -> str:
    """Return where the lines leave their bands; staying inside is no finding where other tests have one."""
    leaving = {name: where for name, curve in curves.items() if (where := _widest(curve))}
    inside = [name for name in curves if name not in leaving]
    off = [name for name in inside if _is_off(data, name)]
    if len(curves) == 1:
        if leaving:
            return f"Here it leaves the band {next(iter(leaving.values()))}."
        found = ", but other tests of the same rows show" if off else ": these rows do not show"
        return f"Here it stays inside{found} miscalibration."
    but = f", but other tests of the same rows show that {listed(off)} {_is(off)} miscalibrated" if off else ""
    if not leaving:
        return f"Here all lines stay inside{but or ': these rows show no model to be miscalibrated'}."
    parts = [f"{name} leaves the band {where}" for name, where in leaving.items()]
    return "; ".join(parts) + (f"; {listed(inside)} stay{'s' * (len(inside) == 1)} inside{but}" if inside else "") + "."


def _is_off(data: ReportData, name: str) -> bool:
    """Return whether the tests of the verdict on a model find an error."""
    verdict = data.class_verdict(name) if data.page else data.verdict(name)
    return verdict.kind in ("miscalibrated", "too little to matter")


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _widest(curve: ReliabilityCurve) -> str:
    """Return the range outside the band that has the most rows, with frequencies, and the number of others."""
    ranges = curve.outside()
    if not ranges:
        return ""
    blocks = [np.flatnonzero((curve.high >= low) & (curve.low <= high)) for low, high in ranges]
    most = max(range(len(ranges)), key=lambda number: float(curve.weight[blocks[number]].sum()))
    (low, high), rows = ranges[most], blocks[most]
    worst = rows[np.argmax(curve.weight[rows] * np.abs(curve.observed - curve.predicted)[rows])]
    predicted, observed = percent(float(curve.predicted[worst])), percent(float(curve.observed[worst]))
    span = f"at {probability(low)}" if low == high else f"from {probability(low)} to {probability(high)}"
    n_others = len(ranges) - 1
    others = f" and in {n_others} other range{'s' * (n_others > 1)}" if n_others else ""
    return f"{span} (for example: predicted {predicted}, observed {observed}){others}"
