"""Figures of predicted probabilities: reliability diagrams, histograms by class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed, percent
from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import ReliabilityCurve, ScoreHistogram, reliability, score_histogram
from calibrant.plots._internal import reliability_limits, score_bins
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.wording import by_model, capital, percent_format, probability

_MOST_MARKED = 40  # blocks of rows: markers of more hide the line


def reliability_section(data: ReportData) -> Section | None:
    """Return the section of the reliability diagram."""
    how: dict[str, Any] = {"bands": "consistency", "confidence": data.confidence, "random_state": data.random_state}
    curves = data.curves(reliability, method="corp", weight_kind=data.weight_kind, **how)
    limits = reliability_limits(curves.values())
    distances = {name: curve.distance for name, curve in curves.items()}
    apart = by_model(distances, {name: percent(value) for name, value in distances.items()}, less_is_better=True)
    often = f"in {percent(data.confidence)} of samples"
    if data.groups is not None:  # the band knows no groups
        often += " of independent rows, less often where rows belong together as here"
    found = _finding(data, curves)
    figure = Figure(
        data.figure_name("reliability"),
        "Observed frequency against predicted probability",
        f"On the dashed diagonal {data.positive_text} is as frequent as predicted. The line of a calibrated model "
        f"stays inside the shaded band from end to end {often}. {found}",
        f"Reliability diagram. Mean distance between observed frequency and predicted probability: {apart}. {found}",
        Axis("Predicted probability", "", limits),
        Axis("Observed frequency", "", limits),
        (
            Layer("reference", {"x": list(limits), "y": list(limits)}, "perfectly calibrated"),
            # The band that contains the whole line of calibrated probabilities
            *(
                Layer("band", {"x": band.x, "low": band.lower, "high": band.upper}, "if calibrated", name)
                for name, curve in curves.items()
                if (band := curve.simultaneous) is not None and len(band.x) > 1
            ),
            *(layer for name, curve in curves.items() for layer in _layers(name, curve)),
        ),
    )
    title = f"Is {data.positive_text} as frequent as predicted?"
    return data.section("reliability", title, [figure], "Calibration: reliability diagram")


def _layers(name: str, curve: ReliabilityCurve) -> list[Layer]:
    x, y = np.stack([curve.low, curve.high], axis=1).ravel(), np.repeat(curve.observed, 2)
    line = Layer("line", {"x": x, "y": y, "rows": np.repeat(curve.weight, 2)}, "observed frequency", name)
    if len(curve.weight) > _MOST_MARKED:
        return [line]
    columns = {"x": curve.predicted, "y": curve.observed, "rows": curve.weight}
    ends = {"lowest probability": curve.low, "highest probability": curve.high}
    return [line, Layer("points", {**columns, **ends}, "rows of equal observed frequency", name)]


def _finding(data: ReportData, curves: dict[str, ReliabilityCurve]) -> str:
    """Name the ranges in which lines leave their bands; staying inside is no finding where other tests have one."""
    leaving = {name: where for name, curve in curves.items() if (where := _widest(curve))}
    inside = [name for name in curves if name not in leaving]
    verdicts = {name: data.class_verdict(name) if data.page else data.verdict(name) for name in inside}
    off = [name for name, found in verdicts.items() if found.kind in ("miscalibrated", "too little to matter")]
    if len(curves) == 1:
        if leaving:
            return f"Here it leaves the band {next(iter(leaving.values()))}."
        found = ", but other tests of the same rows show" if off else ": these rows do not show"
        return f"Here it stays inside{found} miscalibration."
    verb = "is" if len(off) == 1 else "are"
    but = f", but other tests of the same rows show that {listed(off)} {verb} miscalibrated" if off else ""
    if not leaving:
        return f"Here all lines stay inside{but or ': these rows show no model to be miscalibrated'}."
    parts = [f"{name} leaves the band {where}" for name, where in leaving.items()]
    return "; ".join(parts) + (f"; {listed(inside)} stay{'s' * (len(inside) == 1)} inside{but}" if inside else "") + "."


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


_FINE = 1_000  # bins from which the range of the axis is found


def histograms_section(data: ReportData) -> Section | None:
    """Return the section of the histograms: both classes of one model, or all models for each class."""
    histograms = data.curves(score_histogram, **score_bins([_fine(data, name) for name in data.names]))
    of, others = data.positive_text, "others"
    if len(histograms) == 1:
        ((name, histogram),) = histograms.items()
        layers = (_bars(histogram, histogram.negative, others, ""), _bars(histogram, histogram.positive, of, name))
        figures = [_figure(data, "score-histogram", f"{capital(of)} and the others", histograms, layers)]
    else:
        positive = tuple(_outline(each, each.positive, of, name) for name, each in histograms.items())
        negative = tuple(_outline(each, each.negative, others, name) for name, each in histograms.items())
        low = "The same for the rows that are not of the class: here low probabilities are right."
        figures = [
            _figure(data, "score-histogram", f"Rows of {of}", histograms, positive),
            replace(_figure(data, "score-histogram-others", "Other rows", histograms, negative), caption=low),
        ]
    return data.section("score-histograms", "Which probabilities are predicted?", figures, "Score histograms")


def _fine(data: ReportData, name: str) -> ScoreHistogram:
    """Return a histogram of both classes, without sorting the rows."""
    cell = np.minimum((data.curve_proba(name) * _FINE).astype(np.intp), _FINE - 1)
    counts = np.bincount(cell + _FINE * data.is_positive, data.sample_weight, 2 * _FINE).astype(np.float64)
    edges = np.arange(_FINE + 1) / _FINE
    return ScoreHistogram(edges[:-1], edges[1:], counts[_FINE:], counts[:_FINE], (np.nan, np.nan))


def _figure(
    data: ReportData, name: str, title: str, histograms: dict[str, ScoreHistogram], layers: tuple[Layer, ...]
) -> Figure:
    apart = {model: each.means[0] - each.means[1] for model, each in histograms.items()}
    texts = {model: " and ".join(map(probability, each.means)) for model, each in histograms.items()}
    means = by_model(apart, texts)
    first = next(iter(histograms.values()))
    return Figure(
        data.figure_name(name),
        title,
        "The height is the share of the class with probabilities in that range: the less the shapes of the classes "
        f"overlap, the better they are separated. Mean probability of {data.positive_text} and of the others: {means}.",
        f"Histograms of predicted probabilities. Mean probability of {data.positive_text} and of the others: {means}.",
        Axis("Predicted probability", "", (float(first.low[0]), float(first.high[-1]))),
        Axis("Share of the class", percent_format(max(float(np.max(layer.columns["y"])) for layer in layers))),
        layers,
    )


def _bars(histogram: ScoreHistogram, counts: NDArray[np.float64], label: str, model: str) -> Layer:
    columns = {"x": histogram.low, "x2": histogram.high, "y": _shares(counts), "rows": counts}
    return Layer("bars", columns, label, model)


def _outline(histogram: ScoreHistogram, counts: NDArray[np.float64], label: str, model: str) -> Layer:
    """Return the outline of a histogram, which ends at 0 on both sides."""
    edges = np.stack([histogram.low, histogram.high], axis=1).ravel()
    x = np.concatenate([edges[:1], edges, edges[-1:]])
    shares, rows = (np.concatenate([[0.0], np.repeat(each, 2), [0.0]]) for each in (_shares(counts), counts))
    return Layer("line", {"x": x, "y": shares, "rows": rows}, label, model)


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(counts / max(float(counts.sum()), 1e-300))
