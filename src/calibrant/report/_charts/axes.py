"""Axes of charts: few ticks, a light grid, titles that fit a phone's width."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from calibrant.report._charts.columns import harmless

if TYPE_CHECKING:
    from calibrant._sections import Axis

__all__ = ["SHARE", "categories", "hover_format", "numbers", "title_lines"]

SHARE = ".4~p"  # on hover: percent to four digits
_TITLE_WIDTH = 46  # characters: about 300 pixels, what a phone shows of one line
_N_TICKS = {"X": {"expr": "max(2, round(width / 110))"}, "Y": 5}  # pixels of a label and the room around it
# A baseline at 0 stands out of the grid, also where a chart has negative numbers.
_ZERO_LINE = {"condition": {"test": "datum.value === 0", "value": 2}, "value": 1}


def numbers(alt: Any, channel: str, axis: Axis, *, with_zero: bool, is_height: bool, labels: str | None = None) -> Any:
    """Return the encoding of a column of numbers.

    Parameters
    ----------
    alt : module
        Altair.
    channel : {"X", "Y"}
        Where the axis is.
    axis : Axis
        The axis.
    with_zero : bool
        Whether 0 is on the axis.
    is_height : bool
        Whether it is the axis of heights, which has grid lines.
    labels : str, optional
        The expression that writes the labels.
    """
    ends = {} if axis.domain is None else {"domain": list(axis.domain)}
    zero = {} if axis.scale == "log" else {"zero": with_zero}
    scale = alt.Scale(type=axis.scale, nice=axis.domain is None, **zero, **ends)
    grid = {"grid": True, "gridWidth": _ZERO_LINE} if is_height else {"grid": False}
    written = {"labelExpr": labels} if labels else {"format": axis.format or ",~r"}
    head = title_lines(axis.title) if channel == "X" else None  # a title on its side is hard to read: it stands above
    drawn = alt.Axis(title=head, tickCount=_N_TICKS[channel], **written, **grid)
    return getattr(alt, channel)(field="y" if is_height else "x", type="quantitative", scale=scale, axis=drawn)


def categories(alt: Any) -> Any:
    """Return the encoding of a column of texts, from top to bottom in the order of the rows."""
    drawn = alt.Axis(title=None, grid=False, labelLimit=130)
    return alt.Y(field="x", type="nominal", sort=None, axis=drawn)


def title_lines(title: str) -> list[str]:
    """Return a title in lines that a phone can show.

    Examples
    --------
    >>> title_lines("Share of customers who answered found (true positive rate)")
    ['Share of customers who answered found', '(true positive rate)']
    """
    if len(title) <= _TITLE_WIDTH:
        return [harmless(title)]
    words, opened, term = title.partition(" (")
    return [line for part in (words, opened[1:] + term) for line in textwrap.wrap(part, _TITLE_WIDTH)]


def hover_format(axis: Axis) -> str:
    """Return the format of an axis' numbers on hover, where there is room for four digits.

    Examples
    --------
    >>> from calibrant._sections import Axis
    >>> hover_format(Axis("Recall", ".0%")), hover_format(Axis("Profit")), hover_format(Axis("Value", ".3f"))
    ('.4~p', ',.4~r', '.3f')
    """
    if axis.format in ("%", ".0%", ".1%"):
        return SHARE
    return axis.format or ",.4~r"
