"""The reliability diagram: the curve with its band, above a histogram of the predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Bool, Nothing, check_param
from calibrant.curves import Band, ReliabilityCurve, ScoreHistogram, reliability, score_histogram
from calibrant.plots._display import FROM_PREDICTIONS, Display
from calibrant.plots._style import (
    COLORS,
    MARKERS,
    REFERENCE_LINE,
    band_label,
    format_axes,
    format_ticks,
    line_style,
    n_histogram_bins,
    reliability_limits,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AREA, _PALE_AREA = 0.2, 0.07  # opacity of the band of one model or two, and of more
_THIN = 0.8


def draw_bands(ax: Axes, curve: ReliabilityCurve, style: dict[str, Any], *, is_alone: bool) -> None:
    """Draw an honest band in steps, consistency bands as bars at bins or, for "corp", as areas between thin lines."""
    if curve.band is None:
        return
    color, is_honest = style["color"], curve.bands == "honest"
    if not is_honest and (curve.method != "corp" or len(curve.band.x) == 1):
        ax.vlines(*curve.band, linewidth=7, color=color, alpha=1.4 * _AREA, zorder=1.5)
        if curve.simultaneous is not None:
            ax.vlines(*curve.simultaneous, linewidth=_THIN, color=color, alpha=0.8, zorder=1.6)
        return
    band, thin = curve.band, curve.simultaneous if is_alone else None
    if is_honest:
        x, lower, upper = curve.band
        band = thin = Band(np.repeat(x, 2)[1:-1], np.repeat(lower[:-1], 2), np.repeat(upper[1:], 2))
    ax.fill_between(*band, linewidth=0, color=color, alpha=_AREA if is_alone else _PALE_AREA)
    for end in () if thin is None else (thin.lower, thin.upper):
        ax.plot(band.x, end, color=color, linestyle=style["linestyle"], linewidth=_THIN, alpha=0.7, zorder=1.6)


def name_bands(ax: Axes, curve: ReliabilityCurve, *, n_models: int, drawn: bool) -> None:
    """Add legend entries for the bands of all models; each band has the colour of its curve."""
    if curve.band is None:
        return
    several, color = n_models > 1, COLORS[0] if n_models == 1 else "0.4"
    is_honest, is_corp = curve.bands == "honest", curve.method == "corp"
    simultaneous = band_label("simultaneous", curve.confidence, several=several)
    if is_honest or drawn or is_corp:
        pointwise = band_label("pointwise", curve.confidence, several=several)
        label = f"{simultaneous} of the true curve" if is_honest else f"{pointwise}, if calibrated"
        ax.fill_between([], [], color=color, alpha=0.28, linewidth=0, label=label)
    if curve.simultaneous is None:
        return
    if drawn:
        ax.plot([], [], label=f"{simultaneous}, if calibrated", color=color, linewidth=_THIN)
    elif not is_corp:
        label = band_label("simultaneous", curve.confidence)
        ax.plot([], [], linestyle="none", marker="o", color=color, label=f"filled: outside its {label}, if calibrated")


_MAX_MARKED = 40
_MAX_BANDS = 2  # models whose bands are drawn at their bins; of more, markers show which points leave theirs


@fill_docstring()
class ReliabilityDisplay(Display):
    """The observed frequency of the positive class against its predicted probability.

    A consistency band surrounds the diagonal, where the curve of calibrated probabilities would lie: the pointwise band
    is shaded, thin lines are the simultaneous one. An honest band contains the true curve. Of more than two models the
    bands at bins are not drawn; a point that leaves its simultaneous band has a filled marker, another a hollow one. A
    histogram below shows the distribution of the predicted probabilities.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        The curves.
    histograms : dict of str to ScoreHistogram, optional
        The distribution of the probabilities of each model.
    zoom : bool, optional
        Whether to restrict the diagram to the range of the probabilities and curves. None: where they fill less than
        half of the range from 0 to 1, as with a rare class.
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
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> display.ax_.get_ylabel(), display.histogram_ax_.get_xlabel()
    ('observed frequency', 'predicted probability')
    >>> [text.get_text() for text in display.legend_.get_texts()][-2:]
    ['pointwise 95 % band, if calibrated', 'simultaneous 95 % band, if calibrated']
    """

    _curve = staticmethod(reliability)
    _display_options = ("zoom",)
    _size = (5.2, 5.8)

    curves: dict[str, ReliabilityCurve]

    def __init__(
        self,
        curves: Mapping[str, ReliabilityCurve],
        histograms: Mapping[str, ScoreHistogram] | None = None,
        *,
        zoom: bool | None = None,
        pos_label: Any = None,
    ) -> None:
        check_param("zoom", zoom, Bool() | Nothing())
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
        zoom: bool | None = None,
        method: Literal["fixed", "equal_mass", "corp"] = "equal_mass",
        n_bins: int | Literal["auto"] = "auto",
        bands: Literal["consistency", "honest"] | None = "consistency",
        **options: Any,
    ) -> Self:
        """Compute the curve and the histogram of each model and draw them.

        Parameters
        ----------
        %(entries)s
        zoom : bool, optional
            Whether to restrict the diagram to the range of the probabilities and curves; None: where they fill less
            than half of the range from 0 to 1.
        method : {"fixed", "equal_mass", "corp"}
            How bins are made, as in `calibrant.curves.reliability`; by default of equal numbers of rows.
        n_bins : int or "auto"
            Number of bins; by default the fewer, the fewer rows the rarer class has.
        bands : {"consistency", "honest"} or None
            The band to draw.
        **options
            Further arguments of `calibrant.curves.reliability`: ``confidence``, ``n_resamples``, ``random_state`` …

        %(returns_drawn)s

        Examples
        --------
        >>> ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], method="corp", bands=None).curves
        {'model': ReliabilityCurve: 4 rows in 3 bins (corp), mean distance from the diagonal 0.075}
        """
        options |= {"zoom": zoom, "method": method, "n_bins": n_bins, "bands": bands}
        rows = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        return super().from_predictions(y_true, y_proba, name=name, ax=ax, **rows, **options)

    @classmethod
    def _of_models(cls, y_true: Any, models: Mapping[str, Any], rows: dict[str, Any], **options: Any) -> Self:
        display = super()._of_models(y_true, models, rows, **options)
        n_rows = float(next(iter(display.curves.values())).weight.sum())
        limits = reliability_limits(display.curves.values(), zoom=display.zoom)
        bins = {"limits": limits, "n_bins": n_histogram_bins(n_rows), **rows}
        display.histograms = {key: score_histogram(y_true, proba, **bins) for key, proba in models.items()}
        return display

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], label="perfectly calibrated", **REFERENCE_LINE)
        draws_bands = len(self.curves) <= _MAX_BANDS
        for number, (name, curve) in enumerate(self.curves.items()):
            if draws_bands or curve.method == "corp" or curve.bands == "honest":
                draw_bands(ax, curve, line_style(number), is_alone=draws_bands)
            _draw_curve(ax, number, name, curve, hollow=not draws_bands and curve.simultaneous is not None)
        name_bands(ax, next(iter(self.curves.values())), n_models=len(self.curves), drawn=draws_bands)
        limits = reliability_limits(self.curves.values(), zoom=self.zoom)
        format_axes(ax, "predicted probability", "observed frequency", xlim=limits, ylim=limits)
        self.histogram_ax_ = _divide_for_histogram(ax) if self.histograms else None
        if self.histogram_ax_ is not None:
            ax.set_xlabel("")
            _draw_histograms(self.histogram_ax_, list(self.histograms.values()))
            self._note_rows_outside(self.histogram_ax_, limits)

    def _note_rows_outside(self, ax: Axes, limits: tuple[float, float]) -> None:
        """Write the number of rows with probabilities outside the limits."""
        totals = [float(curve.weight.sum()) for curve in self.curves.values()]
        shown = [float((each.positive + each.negative).sum()) for each in self.histograms.values()]
        n_outside = max(total - part for total, part in zip(totals, shown, strict=False))
        if n_outside < 0.5 or limits == (0.0, 1.0):
            return
        where = f"above {limits[1]:g}" if limits[0] == 0.0 else f"below {limits[0]:g}"
        many = "" if len(totals) == 1 else "up to "
        style: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": "small", "color": "0.3"}
        ax.text(0.98, 0.95, f"{many}{n_outside:,.0f} rows {where}", transform=ax.transAxes, **style)


def _draw_curve(ax: Axes, number: int, name: str, curve: ReliabilityCurve, *, hollow: bool) -> None:
    """Draw the points and the line between them; with `hollow`, points inside the simultaneous band are hollow."""
    style, marker = line_style(number), MARKERS[number % len(MARKERS)]
    if curve.method == "corp":
        x, y = np.stack([curve.low, curve.high], axis=1).ravel(), np.repeat(curve.observed, 2)
        size = 3 if len(curve.weight) <= _MAX_MARKED else 0  # markers of more blocks hide the line
        ax.plot(x, y, label=name, marker=marker, markersize=size, markeredgewidth=0.0, **style)
        return
    fill: dict[str, Any] = {"markerfacecolor": "white"} if hollow else {"markeredgecolor": "white"}
    ax.plot(curve.predicted, curve.observed, label=name, marker=marker, markersize=6, **fill, **style)
    if hollow and curve.simultaneous is not None:
        _, lower, upper = curve.simultaneous
        out = (curve.observed < lower) | (curve.observed > upper)
        filled: dict[str, Any] = {"linestyle": "none", "color": style["color"], "marker": marker, "markersize": 6}
        if out.any():
            ax.plot(curve.predicted[out], curve.observed[out], **filled)


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
    if len(histograms) > 1:  # a constant model would flatten the histograms of the others
        ax.set_yscale("function", functions=(lambda n: np.sqrt(np.maximum(n, 0.0)), np.square))
    format_ticks(ax.yaxis)
