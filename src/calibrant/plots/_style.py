"""The style of all displays: colours that everybody can distinguish, and lines and markers that differ in print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = [
    "COLORS",
    "MARKERS",
    "REFERENCE_LINE",
    "axes_or_new",
    "format_axes",
    "format_counts",
    "format_number",
    "format_ticks",
    "line_style",
]

# Okabe & Ito (2008), without their yellow, which is too pale for a line on white paper.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# Below the default zorder of lines, 2: the legend may cover a reference line, but no curve.
REFERENCE_LINE: dict[str, Any] = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.0, "zorder": 1}
_DASHES = ("-", (0, (6, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1, 1)), (0, (3, 1)), (0, (8, 1, 1, 1, 1, 1)), (0, (2, 2)))


def line_style(number: int) -> dict[str, Any]:
    """Return the colour and dashes of the model of some number; 49 models differ in at least one of them.

    Examples
    --------
    >>> line_style(0)
    {'color': '#0072B2', 'linestyle': '-', 'linewidth': 1.8}
    """
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
    if xlim is not None and ax.get_xscale() == "linear":
        ax.set_xlim(*_with_margin(*xlim))
    if ylim is not None and ax.get_yscale() == "linear":
        ax.set_ylim(*_with_margin(*ylim))


def _with_margin(low: float, high: float) -> tuple[float, float]:
    margin = 0.015 * (high - low)
    return low - margin, high + margin


def format_counts(ax: Axes, *, whole: bool = True) -> None:
    """Format the ticks of the vertical axis as 12,000 and, if they are counts, at whole numbers only."""
    format_ticks(ax.yaxis, whole=whole, is_linear=ax.get_yscale() == "linear")


def format_ticks(axis: Axis, *, whole: bool = True, is_linear: bool = True) -> None:
    """Format the ticks of an axis of numbers of rows."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if not is_linear:
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
