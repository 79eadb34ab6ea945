"""How pictures look: colours that everybody can tell apart, and lines and marks that tell them apart in print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "MARKS", "QUIET", "axes_or_new", "counted", "look", "tidy"]

# Okabe & Ito (2008), without their yellow, which is too pale for a line on white paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
QUIET: dict[str, Any] = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.0, "zorder": 1}
_LINES = ("-", (0, (6, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1, 1)), (0, (3, 1)), (0, (8, 1, 1, 1, 1, 1)), (0, (2, 2)))


def look(number: int) -> dict[str, Any]:
    """Return the colour and the line of the model with some number; 49 models differ in one of them.

    Examples
    --------
    >>> look(0)
    {'color': '#0072B2', 'linestyle': '-', 'linewidth': 1.8}
    """
    turn = number // len(COLOURS)
    line = _LINES[(number + turn) % len(_LINES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": line, "linewidth": 1.8}


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (5.4, 4.6)) -> Axes:
    """Return the axes that were passed, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
    _, new = pyplot.subplots(figsize=size, layout="constrained")
    axes: Axes = new
    return axes


def tidy(
    ax: Axes,
    x: str,
    y: str,
    *,
    xlim: tuple[float, float] | None = (0.0, 1.0),
    ylim: tuple[float, float] | None = None,
) -> None:
    """Name the axes and take away what says nothing; what lies on a limit is drawn in full.

    Axes that have a logarithmic scale keep it, and the limits that their curves need.
    """
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    if xlim is not None and ax.get_xscale() == "linear":
        ax.set_xlim(*_widened(*xlim))
    if ylim is not None and ax.get_yscale() == "linear":
        ax.set_ylim(*_widened(*ylim))


def _widened(low: float, high: float) -> tuple[float, float]:
    margin = 0.015 * (high - low)
    return low - margin, high + margin


def counted(ax: Axes, *, whole: bool = True) -> None:
    """Write the numbers of the vertical axis as 12,000 and, if they count something, only whole ones."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    if ax.get_yscale() != "linear":
        return
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    if whole:
        ax.yaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))
