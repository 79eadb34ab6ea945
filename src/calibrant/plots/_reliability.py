"""The reliability diagram: the curve with its band, above a histogram of the predicted probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Bool, check_param
from calibrant.curves import Band, ReliabilityCurve, ScoreHistogram, reliability, score_histogram
from calibrant.plots._display import FROM_PREDICTIONS, Display
from calibrant.plots._style import COLORS, MARKERS, REFERENCE_LINE, format_axes, format_counts, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ReliabilityDisplay"]


@fill_docstring()
class ReliabilityDisplay(Display):
    """The observed frequency of the positive class against its predicted probability.

    A consistency band surrounds the diagonal, where the curve of calibrated probabilities would lie; an honest band
    contains the true curve. A histogram below shows the distribution of the predicted probabilities.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        The curves.
    histograms : dict of str to ScoreHistogram, optional
        The distribution of the probabilities of each model.
    zoom : bool
        Restrict the diagram to the range of the probabilities and curves, for rare classes.
    pos_label : optional
        The positive class, which the legend names.

    Attributes
    ----------
    %(drawn)s
    legend_
        The legend, after `plot`.
    histogram_ax_ : matplotlib Axes or None
        The axes of the histograms; None without histograms, or where the axes are not in a grid that can be divided.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], bands="honest")
    >>> display.ax_.get_ylabel(), display.histogram_ax_.get_xlabel()
    ('observed frequency', 'predicted probability')
    """

    _curve = staticmethod(reliability)
    _more_curves: ClassVar[Mapping[str, Callable[..., Any]]] = {"histograms": score_histogram}
    _display_options = ("zoom",)
    _size = (5.2, 5.8)

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
    @fill_docstring(entries=FROM_PREDICTIONS)
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
        """Compute the curve and the histogram of each model and draw them.

        Parameters
        ----------
        %(entries)s
        zoom : bool
            Restrict the diagram to the range of the probabilities and curves.
        **options
            Further arguments of `calibrant.curves.reliability`: ``method``, ``n_bins``, ``bands``, ``confidence`` …

        %(returns_drawn)s

        Examples
        --------
        >>> ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], method="corp").curves
        {'model': ReliabilityCurve: 4 rows in 3 bins (corp), mean distance from the diagonal 0.075}
        """
        row_options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        return super().from_predictions(y_true, y_proba, name=name, ax=ax, zoom=zoom, **row_options, **options)

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], label="perfectly calibrated", **REFERENCE_LINE)
        for number, (name, curve) in enumerate(self.curves.items()):
            _draw_curve(ax, number, name, curve)
        _label_bands(ax, next(iter(self.curves.values())), n_models=len(self.curves))
        top = self._upper_limit()
        format_axes(ax, "predicted probability", "observed frequency", xlim=(0.0, top), ylim=(0.0, top))
        self.histogram_ax_ = _divide_for_histogram(ax) if self.histograms else None
        if self.histogram_ax_ is not None:
            ax.set_xlabel("")
            _draw_histograms(self.histogram_ax_, list(self.histograms.values()))

    def _upper_limit(self) -> float:
        """Return the upper limit of both axes: when zoomed, the next tenth above all points."""
        # At least three hundredths above the highest point, so that its marker is drawn in full.
        highest = max(float(max(curve.predicted.max(), curve.observed.max())) for curve in self.curves.values())
        return min(1.0, np.ceil(10 * highest + 0.3) / 10) if self.zoom else 1.0


def _draw_curve(ax: Axes, number: int, name: str, curve: ReliabilityCurve) -> None:
    style = line_style(number)
    if curve.band is not None:
        _draw_band(ax, curve, curve.band, style)
    marker: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "markersize": 6, "markeredgecolor": "white"}
    x, y = curve.predicted, curve.observed
    if curve.method == "corp":
        x, y = np.stack([curve.low, curve.high], axis=1).ravel(), np.repeat(curve.observed, 2)
        marker["markersize"], marker["markeredgewidth"] = 3, 0.0
    ax.plot(x, y, label=name, **style, **marker)


def _label_bands(ax: Axes, curve: ReliabilityCurve, *, n_models: int) -> None:
    """Add one legend entry for the bands of all models; each band has the colour and line of its curve."""
    if curve.bands is not None:
        color = COLORS[0] if n_models == 1 else "0.5"
        label = f"{100 * curve.confidence:g} % {curve.bands} band{'s' * (n_models > 1)}"
        ax.fill_between([], [], color=color, alpha=0.25, linewidth=0, label=label)


def _draw_band(ax: Axes, curve: ReliabilityCurve, band: Band, style: dict[str, Any]) -> None:
    """Draw an honest band in steps, a consistency band as bars at bins or, for "corp", as an area."""
    x, lower, upper = band
    if curve.bands == "honest":
        x, lower, upper = np.repeat(x, 2)[1:-1], np.repeat(lower[:-1], 2), np.repeat(upper[1:], 2)
    elif curve.method != "corp" or len(x) == 1:
        ax.vlines(x, lower, upper, linewidth=7, color=style["color"], alpha=0.25)
        return
    ax.fill_between(x, lower, upper, linewidth=0, color=style["color"], alpha=0.17)
    for end in (lower, upper):
        ax.plot(x, end, **{**style, "linewidth": 0.7, "alpha": 0.6})


def _divide_for_histogram(ax: Axes) -> Axes | None:
    """Divide the grid cell of the axes, and return new axes in its lower part."""
    cell = ax.get_subplotspec()
    figure = ax.get_figure()
    if cell is None or figure is None:
        return None
    grid = cell.subgridspec(2, 1, height_ratios=[4.2, 1], hspace=0.06)
    ax.set_subplotspec(grid[0])
    below: Axes = figure.add_subplot(grid[1], sharex=ax)
    ax.tick_params(labelbottom=False)
    return below


def _draw_histograms(ax: Axes, histograms: list[ScoreHistogram]) -> None:
    for number, histogram in enumerate(histograms):
        counts, edges = histogram.positive + histogram.negative, np.append(histogram.low, histogram.high[-1])
        style = line_style(number)
        if len(histograms) == 1:
            ax.stairs(counts, edges, fill=True, color=COLORS[0], alpha=0.6)
        else:
            ax.stairs(counts, edges, color=style["color"], linestyle=style["linestyle"], linewidth=1.4)
    format_axes(ax, "predicted probability", "rows", xlim=None)
    format_counts(ax)
