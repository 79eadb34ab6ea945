"""How pictures look: colours that everybody can tell apart, and lines and marks that tell them apart in print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "MARKS", "QUIET", "axes_or_new", "legend", "look", "tidy"]

# Okabe & Ito (2008), without their yellow, which is too pale for a line on white paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
QUIET: dict[str, Any] = {"color": "0.45", "linestyle": (0, (4, 3)), "linewidth": 1.0, "zorder": 1}
_LINES = ("-", (0, (6, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1, 1)), (0, (3, 1)), (0, (8, 1, 1, 1, 1, 1)), (0, (2, 2)))


def look(number: int) -> dict[str, Any]:
    """Give the colour and the line of the model with some number.

    Examples
    --------
    >>> look(0)
    {'color': '#0072B2', 'linestyle': '-', 'linewidth': 1.8}
    """
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": _LINES[number % len(_LINES)], "linewidth": 1.8}


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (5.4, 4.6)) -> Axes:
    """Give the axes that were passed, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
    _, new = pyplot.subplots(figsize=size, layout="constrained")
    axes: Axes = new
    return axes


def tidy(ax: Axes, x: str, y: str, *, xlim: tuple[float, float] | None = (0.0, 1.0)) -> None:
    """Name the axes and take away what says nothing."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    if xlim is not None:
        ax.set_xlim(*xlim)


def legend(ax: Axes, where: str = "best") -> None:
    """Say which line is which, where there is something to say: at some place in the axes, or below them."""
    outside = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13), "ncols": 2}
    if ax.get_legend_handles_labels()[1]:
        place = outside if where == "below" else {"loc": where}
        ax.legend(fontsize="small", framealpha=0.9, edgecolor="none", handlelength=3.2, **place)
