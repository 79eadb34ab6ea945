"""Histograms of the predicted probabilities, by class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import ScoreHistogram, score_histogram
from calibrant.plots._internal import n_histogram_bins, score_limits
from calibrant.report._predictions.figure_words import by_model, capital, percent_format, probability
from calibrant.report._predictions.report_data import ReportData

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["section"]

_FINE = 1_000  # bins from which the range of the axis is found


def section(data: ReportData) -> Section | None:
    """Return the section of the histograms: both classes of one model, or all models for each class."""
    limits = score_limits([_fine(data, name) for name in data.names])
    n_bins = n_histogram_bins(float(data.weight.sum()))
    histograms = {name: _histogram(data, name, n_bins, limits) for name in data.names}
    figures = _of_one(data, histograms) if len(histograms) == 1 else _of_several(data, histograms)
    name, title = data.figure_name("score-histograms"), "Which probabilities are predicted?"
    return Section(name, title, figures, "Score histograms", data.page)


def _histogram(data: ReportData, name: str, n_bins: int, limits: tuple[float, float]) -> ScoreHistogram:
    return score_histogram(data.y_true, data.curve_proba(name), n_bins=n_bins, limits=limits, **data.curve_options)


def _fine(data: ReportData, name: str) -> ScoreHistogram:
    """Return a histogram of both classes, without sorting the rows."""
    cell = np.minimum((data.curve_proba(name) * _FINE).astype(np.intp), _FINE - 1)
    counts = np.bincount(cell + _FINE * data.is_positive, data.sample_weight, 2 * _FINE).astype(np.float64)
    edges = np.arange(_FINE + 1) / _FINE
    return ScoreHistogram(edges[:-1], edges[1:], counts[_FINE:], counts[:_FINE], (np.nan, np.nan))


def _of_one(data: ReportData, histograms: dict[str, ScoreHistogram]) -> tuple[Figure, ...]:
    ((name, histogram),) = histograms.items()
    layers = (
        _bars(histogram, histogram.negative, "others", ""),
        _bars(histogram, histogram.positive, data.positive_text, name),
    )
    return (_figure(data, "score-histogram", f"{capital(data.positive_text)} and the others", histograms, layers),)


def _of_several(data: ReportData, histograms: dict[str, ScoreHistogram]) -> tuple[Figure, ...]:
    positive = tuple(_outline(each, each.positive, data.positive_text, name) for name, each in histograms.items())
    negative = tuple(_outline(each, each.negative, "others", name) for name, each in histograms.items())
    return (
        _figure(data, "score-histogram", f"Rows of {data.positive_text}", histograms, positive),
        replace(
            _figure(data, "score-histogram-others", "Other rows", histograms, negative),
            caption="The same for the rows that are not of the class: here low probabilities are right.",
        ),
    )


def _figure(
    data: ReportData, name: str, title: str, histograms: dict[str, ScoreHistogram], layers: tuple[Layer, ...]
) -> Figure:
    apart = {model: each.means[0] - each.means[1] for model, each in histograms.items()}
    means = by_model(apart, {model: _means_text(each) for model, each in histograms.items()})
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


def _means_text(histogram: ScoreHistogram) -> str:
    return f"{probability(histogram.means[0])} and {probability(histogram.means[1])}"
