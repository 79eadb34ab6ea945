"""The look of all displays: colours and lines that differ in print, limits that follow the data, legends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.curves import ReliabilityCurve, ScoreHistogram
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend
    from matplotlib.text import Text

# Okabe & Ito (2008), without their yellow, which is too pale for a line on white paper.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# Below the default zorder of lines, 2: the legend may cover a reference line, but no curve.
REFERENCE_LINE: dict[str, Any] = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.0, "zorder": 1}
_DASHES = ("-", (0, (6, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1, 1)), (0, (3, 1)), (0, (8, 1, 1, 1, 1, 1)), (0, (2, 2)))


def line_style(number: int | None) -> dict[str, Any]:
    """Return the colour and dashes of the model of some number; 49 models differ in at least one of them.

    None is the number of a reference line.

    Examples
    --------
    >>> line_style(0)
    {'color': '#0072B2', 'linestyle': '-', 'linewidth': 1.8}
    """
    if number is None:
        return REFERENCE_LINE
    cycle = number // len(COLORS)
    dashes = _DASHES[(number + cycle) % len(_DASHES)]
    return {"color": COLORS[number % len(COLORS)], "linestyle": dashes, "linewidth": 1.8}


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (5.4, 4.6)) -> Axes:
    """Return the axes that were passed, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
    _, new = pyplot.subplots(figsize=size, layout="constrained")
    axes: Axes = new
    return axes


MAX_COLUMNS = 4  # panels side by side


def panels(
    ax: Any, n_panels: int, noun: str, panel: tuple[float, float], margin: tuple[float, float], **options: Any
) -> list[Axes]:
    """Return the axes that were passed, one for each of what the noun names, or those of a new figure."""
    if ax is None:
        pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
        n_columns = min(n_panels, MAX_COLUMNS)
        n_rows = -(-n_panels // n_columns)
        size = (margin[0] + panel[0] * n_columns, margin[1] + panel[1] * n_rows)
        _, grid = pyplot.subplots(n_rows, n_columns, figsize=size, layout="constrained", squeeze=False, **options)
        ax, spare = np.split(grid.ravel(), [n_panels])
        for unused in spare:
            unused.remove()
    found = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(found) != n_panels:
        raise ParameterError(f"ax must be {n_panels} Axes, one for each {noun}; got {len(found)}.")
    return found


def text_width(texts: Iterable[Text]) -> float:
    """Return the width of the widest of some texts, in inches."""
    return max((text.get_window_extent().width / text.figure.dpi for text in texts), default=0.0)


def format_axes(
    ax: Axes, x: str, y: str, *, xlim: tuple[float, float] | None = (0.0, 1.0), ylim: tuple[float, float] | None = None
) -> None:
    """Label the axes, remove the top and right spine and set the limits, with a margin for lines on the limits.

    Axes with a logarithmic scale keep it, and the limits that their curves need.
    """
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    for axis, set_limits, limits in ((ax.xaxis, ax.set_xlim, xlim), (ax.yaxis, ax.set_ylim, ylim)):
        if limits is not None and axis.get_scale() == "linear":
            margin = 0.015 * (limits[1] - limits[0])
            set_limits(limits[0] - margin, limits[1] + margin)


def format_ticks(axis: Axis, *, whole: bool = True) -> None:
    """Format the ticks of an axis as 12,000 and, if they are counts, at whole numbers only; logarithmic ones stay."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if axis.get_scale() not in ("linear", "function"):
        return
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))
    if whole:
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))


def format_number(number: float) -> str:
    """Return a number as text: commas and no decimals from 1,000 on, else at most four digits.

    Examples
    --------
    >>> format_number(1_017_224.6), format_number(80_700), format_number(33.125), format_number(0.4)
    ('1,017,225', '80,700', '33.12', '0.4')
    """
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
_MARGIN = 1.05  # room for a marker
_FEW = 0.005  # share of the rows at either end that may lie outside: a few stray rows do not set the scale
_FEW_OF_CLASS = 0.05  # share of the rows of a class that may lie outside: those of a rare one are few of all rows


def round_up(value: float) -> float:
    """Return the next round number above a probability, at most 1, with a margin; 1 for 0.

    Examples
    --------
    >>> round_up(0.0123), round_up(0.19), round_up(0.97)
    (0.015, 0.2, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(_MARGIN * value))
    return min(1.0, next(round(step * power, 15) for step in _STEPS if step * power >= _MARGIN * value * (1 - 1e-12)))


def probability_limits(low: float, high: float, *, zoom: bool | None = None) -> tuple[float, float]:
    """Return the limits of an axis of probabilities from `low` to `high`.

    Parameters
    ----------
    low, high : float
        The least and the greatest probability to show.
    zoom : bool, optional
        Whether the limits follow the data; None: only where they fill less than half of the range from 0 to 1.

    Returns
    -------
    tuple of two floats
        From 0, or up to 1.

    Examples
    --------
    >>> probability_limits(0.001, 0.03), probability_limits(0.1, 0.7), probability_limits(0.93, 1.0)
    ((0.0, 0.04), (0.0, 1.0), (0.92, 1.0))
    >>> probability_limits(0.1, 0.7, zoom=True), probability_limits(0.001, 0.03, zoom=False)
    ((0.0, 0.8), (0.0, 1.0))
    """
    if zoom is False:
        return 0.0, 1.0
    if low >= 0.5:
        return 1.0 - round_up(1.0 - low) if low < 1.0 else 0.5, 1.0
    top = round_up(high)
    return 0.0, top if zoom or top <= 0.5 else 1.0


def n_histogram_bins(n_rows: float) -> int:
    """Return the number of bins of a histogram: the square root of the number of rows, from 5 to 20.

    Examples
    --------
    >>> n_histogram_bins(60), n_histogram_bins(1500)
    (8, 20)
    """
    return int(np.clip(math.ceil(math.sqrt(n_rows)), 5, 20))


def score_bins(histograms: Sequence[ScoreHistogram]) -> dict[str, Any]:
    """Return the number of bins and the limits of histograms of all models, from fine ones.

    The limits are the range of the probabilities, except a few rows at either end. At least 95 % of each class are
    within it: a class of 5 in 1,000 rows would not be seen otherwise.
    """
    ends = []
    for histogram in histograms:
        both = histogram.positive + histogram.negative
        for counts, few in ((both, _FEW), (histogram.positive, _FEW_OF_CLASS), (histogram.negative, _FEW_OF_CLASS)):
            if counts.any():
                upto = np.cumsum(counts) / counts.sum()
                first, last = np.searchsorted(upto, [few, 1 - few])
                ends.append((float(histogram.low[first]), float(histogram.high[min(last, len(upto) - 1)])))
    limits = probability_limits(min(low for low, _ in ends), max(high for _, high in ends))
    n_rows = float((histograms[0].positive + histograms[0].negative).sum())
    return {"n_bins": n_histogram_bins(n_rows), "limits": limits}


def reliability_limits(curves: Iterable[ReliabilityCurve], *, zoom: bool | None = None) -> tuple[float, float]:
    """Return the limits of both axes of a reliability diagram, from its points and the bands at its bins."""
    ends = np.array([_extent(curve) for curve in curves])
    return probability_limits(float(ends[:, 0].min()), float(ends[:, 1].max()), zoom=zoom)


def _extent(curve: ReliabilityCurve) -> tuple[float, float]:
    """Return the least and the greatest value to show; not those of a few rows at the ends."""
    share, positives = curve.weight / curve.weight.sum(), curve.weight * curve.observed
    upto = np.cumsum(curve.weight) / curve.weight.sum()
    shown = (upto > _FEW) & (upto - share < 1 - _FEW)
    # Nor the last twentieth of the positive rows, which of a rare class are few of all rows
    shown |= (np.cumsum(positives) - positives < (1 - _FEW_OF_CLASS) * positives.sum()) & (positives > 0)
    values = [curve.predicted[shown], curve.observed[shown]]
    if curve.simultaneous is not None and curve.method != "corp":
        values += [curve.simultaneous.lower[shown], curve.simultaneous.upper[shown]]
    return float(min(each.min() for each in values)), float(max(each.max() for each in values))


_MAX_LETTERS = 48  # in a line of a label: about 3.5 inches, which fit into the narrowest figure with the line sample
_STYLE: dict[str, Any] = {
    "fontsize": "small",
    "title_fontsize": "small",
    "alignment": "left",
    "framealpha": 0.9,
    "edgecolor": "none",
    "handlelength": 3.2,  # long enough to show the dashes of a line
}


def band_label(kind: str, confidence: float | None, *, several: bool = False) -> str:
    """Return the words for a band in all legends; `kind` is "pointwise" or "simultaneous".

    Examples
    --------
    >>> band_label("pointwise", 0.95), band_label("simultaneous", 0.9, several=True)
    ('pointwise 95 % band', 'simultaneous 90 % bands')
    """
    level = "" if confidence is None else f"{100 * confidence:g} % "
    return f"{kind} {level}band{'s' * several}"


def draw_legend(ax: Axes, *, title: str | None = None, is_new_figure: bool = False) -> Legend | None:
    """Draw a legend where it covers least, or below the axes of a new figure if it would cover a curve.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes with labelled lines.
    title : str, optional
        The title of the legend.
    is_new_figure : bool
        Whether the figure is calibrant's own, which may be made taller for a legend below the axes. In the axes of
        another's figure the legend stays inside.

    Returns
    -------
    Legend or None
        The legend; None where no line has a label.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _, ax = plt.subplots(layout="constrained")
    >>> lines = ax.plot([0, 1], [0, 1], label="increasing")
    >>> [text.get_text() for text in draw_legend(ax, is_new_figure=True).get_texts()]
    ['increasing']
    """
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return None
    wrapped = [fill(label, _MAX_LETTERS) for label in labels]
    legend = ax.legend(handles, wrapped, loc="best", title=title, **_STYLE)
    if is_new_figure and _covers_a_curve(ax, legend):
        legend.remove()
        legend = _draw_below(ax, handles, wrapped, title)
    for line in legend.get_lines():
        line.set_alpha(1.0)
    return legend


def _covers_a_curve(ax: Axes, legend: Legend) -> bool:
    """Return whether the legend covers a curve or exceeds the axes; reference lines, of low zorder, may be covered."""
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    box, inside = legend.get_window_extent(), ax.get_window_extent()
    if box.width > inside.width or box.height > inside.height:
        return True
    curves = [line for line in ax.lines if line.get_zorder() >= 2]
    return any(line.get_path().transformed(line.get_transform()).intersects_bbox(box, filled=False) for line in curves)


def _draw_below(ax: Axes, handles: list[Any], labels: list[str], title: str | None) -> Legend:
    """Draw the legend below all axes, and make the figure taller by its height."""
    figure: Any = ax.figure
    n_columns = 2 if len(labels) > 2 and max(map(len, labels)) <= _MAX_LETTERS // 2 else 1
    legend: Legend = figure.legend(handles, labels, loc="outside lower center", title=title, ncols=n_columns, **_STYLE)
    figure.set_figheight(figure.get_figheight() + legend.get_window_extent().height / figure.dpi)
    return legend


MAX_POINTS = 10_000  # fewer are drawn as they are; a million take seconds to draw and megabytes to save
_N_STRETCHES = 1_000  # of equal length: a pixel or two of a curve without much noise


def thin(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return few points of a line of very many that look the same: of each stretch both ends, lowest and highest.

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> thinned_x, thinned_y = thin(x, x**2)
    >>> len(thinned_x) <= 4000, thinned_x[0], thinned_y[-1]
    (True, np.float64(0.0), np.float64(1.0))
    """
    if len(x) <= MAX_POINTS:
        return x, y
    length = np.cumsum(_steps(x) + _steps(y))
    stretch = np.minimum((length / (length[-1] or 1.0) * _N_STRETCHES).astype(np.intp), _N_STRETCHES - 1)
    by_height = np.lexsort([y, stretch])
    ends = np.flatnonzero(np.diff(stretch, prepend=-1)), np.flatnonzero(np.diff(stretch, append=-1))
    kept = np.unique(np.concatenate([*ends, by_height[ends[0]], by_height[ends[1]]]))
    return x[kept], y[kept]


def _steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each value from the one before, as a share of the range."""
    return np.abs(np.diff(values, prepend=values[0])) / (float(np.ptp(values)) or 1.0)
