"""The reliability diagram: the curve with its band, and below it how many rows have which probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Bool, check_param
from calibrant.curves import Band, ReliabilityCurve, ScoreHistogram, reliability, score_histogram
from calibrant.plots._display import Display, positive_class
from calibrant.plots._style import COLOURS, MARKS, QUIET, counted, look, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ReliabilityDisplay"]

_BANDS = {"consistency": "consistency band", "honest": "honest band"}


class ReliabilityDisplay(Display):
    """How often the positive class comes true against the probability it was given.

    A consistency band lies around the diagonal, where the curve of right probabilities would be; an honest band holds
    the true curve. Below, how many rows have which probability.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        The curves.
    histograms : dict of str to ScoreHistogram, optional
        How the probabilities of each model are spread.
    zoom : bool
        Show no more of the diagram than the probabilities and curves need, for rare classes.
    pos_label : optional
        The positive class, which the legend names.

    Attributes
    ----------
    ax_, figure_, legend_
        What was drawn, once `plot` has run.
    histogram_ax_ : matplotlib Axes or None
        Where the histograms are; None where there are none, or where the axes do not stand in a grid that makes room.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], bands="honest")
    >>> display.ax_.get_ylabel(), display.histogram_ax_.get_xlabel()
    ('share that came true', 'probability')
    """

    _curve = staticmethod(reliability)
    _size = (5.2, 5.8)
    _corner = "upper left"

    def __init__(
        self,
        curves: Mapping[str, ReliabilityCurve],
        histograms: Mapping[str, ScoreHistogram] | None = None,
        *,
        zoom: bool = False,
        pos_label: Any = None,
    ) -> None:
        check_param("zoom", zoom, Bool())
        super().__init__(curves, pos_label=pos_label)
        self.zoom = zoom
        self.histograms = dict(histograms or {})

    @classmethod
    @fill_docstring()
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any,
        *,
        name: str = "model",
        sample_weight: Any = None,
        pos_label: Any = None,
        labels: Any = None,
        ax: Any = None,
        zoom: bool = False,
        **options: Any,
    ) -> Self:
        """Compute the curve of each model and draw it.

        Parameters
        ----------
        %(y_true)s
        %(y_proba_models)s
        name : str
            What a single model is called.
        %(prediction_options)s
        %(ax)s
        zoom : bool
            Show no more than the probabilities and curves need.
        **options
            What `calibrant.curves.reliability` takes besides: ``method``, ``n_bins``, ``bands``, ``confidence`` …

        Returns
        -------
        ReliabilityDisplay
            The display, drawn.

        Examples
        --------
        >>> ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], method="corp").curves
        {'model': ReliabilityCurve: 4 rows in 3 bins (corp), mean distance from the diagonal 0.075}
        """
        models = y_proba if isinstance(y_proba, Mapping) else {name: y_proba}
        given = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        curves = {key: reliability(y_true, proba, **given, **options) for key, proba in models.items()}
        histograms = {key: score_histogram(y_true, proba, **given) for key, proba in models.items()}
        return cls(curves, histograms, zoom=zoom, pos_label=positive_class(y_true, models, **given)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], label="right probabilities", **QUIET)
        for number, (name, curve) in enumerate(self.curves.items()):
            _draw_curve(ax, number, name, curve)
        _name_bands(ax, next(iter(self.curves.values())), n_models=len(self.curves))
        top = self._top()
        tidy(ax, "probability", "share that came true", xlim=(0.0, top), ylim=(0.0, top))
        self.histogram_ax_ = _room_below(ax) if self.histograms else None
        if self.histogram_ax_ is not None:
            ax.set_xlabel("")
            _draw_histograms(self.histogram_ax_, list(self.histograms.values()))

    def _top(self) -> float:
        """Return where the diagram ends: at the next tenth above all points."""
        most = max(float(max(curve.predicted.max(), curve.observed.max())) for curve in self.curves.values())
        return min(1.0, np.ceil(10 * most + 0.3) / 10) if self.zoom else 1.0


def _draw_curve(ax: Axes, number: int, name: str, curve: ReliabilityCurve) -> None:
    style = look(number)
    if curve.band is not None:
        _draw_band(ax, curve, curve.band, style)
    mark: dict[str, Any] = {"marker": MARKS[number % len(MARKS)], "markersize": 6, "markeredgecolor": "white"}
    x, y = curve.predicted, curve.observed
    if curve.method == "corp":
        x, y = np.stack([curve.low, curve.high], axis=1).ravel(), np.repeat(curve.observed, 2)
        mark["markersize"], mark["markeredgewidth"] = 3, 0.0
    ax.plot(x, y, label=name, **style, **mark)


def _name_bands(ax: Axes, curve: ReliabilityCurve, *, n_models: int) -> None:
    """Say what the bands are, once for all models: each has the colour and the line of its curve."""
    if curve.bands is not None:
        colour = COLOURS[0] if n_models == 1 else "0.5"
        label = f"{_BANDS[curve.bands]}{'s' * (n_models > 1)}, {100 * curve.confidence:g} %"
        ax.fill_between([], [], color=colour, alpha=0.25, linewidth=0, label=label)


def _draw_band(ax: Axes, curve: ReliabilityCurve, band: Band, style: dict[str, Any]) -> None:
    """Draw a band in steps where it is known to rise, bars where there are bins, or a ribbon, its ends as lines."""
    x, lower, upper = band
    if curve.bands == "honest":
        x, lower, upper = np.repeat(x, 2)[1:-1], np.repeat(lower[:-1], 2), np.repeat(upper[1:], 2)
    elif curve.method != "corp" or len(x) == 1:
        ax.vlines(x, lower, upper, linewidth=7, color=style["color"], alpha=0.25)
        return
    ax.fill_between(x, lower, upper, linewidth=0, color=style["color"], alpha=0.17)
    for end in (lower, upper):
        ax.plot(x, end, **{**style, "linewidth": 0.7, "alpha": 0.6})


def _room_below(ax: Axes) -> Axes | None:
    """Part the place of the axes in its grid, and give the lower part."""
    place = ax.get_subplotspec()
    figure = ax.get_figure()
    if place is None or figure is None:
        return None
    grid = place.subgridspec(2, 1, height_ratios=[4.2, 1], hspace=0.06)
    ax.set_subplotspec(grid[0])
    below: Axes = figure.add_subplot(grid[1], sharex=ax)
    ax.tick_params(labelbottom=False)
    return below


def _draw_histograms(ax: Axes, histograms: list[ScoreHistogram]) -> None:
    for number, histogram in enumerate(histograms):
        counts, edges = histogram.positive + histogram.negative, np.append(histogram.low, histogram.high[-1])
        style = look(number)
        if len(histograms) == 1:
            ax.stairs(counts, edges, fill=True, color=COLOURS[0], alpha=0.6)
        else:
            ax.stairs(counts, edges, color=style["color"], linestyle=style["linestyle"], linewidth=1.4)
    tidy(ax, "probability", "rows", xlim=None)
    counted(ax)
