"""The legend: in a corner where it covers no curve, else below the axes."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.path import Path

__all__ = ["legend"]

_CORNERS = ("lower right", "upper right", "upper left", "lower left")
# In sizes of the letters: a letter's width, a line's height, what stands before a label, an axis' numbers and name.
_LETTER, _LINE, _HANDLE, _AXIS = 0.6, 1.5, 6.0, 4.5


def legend(
    ax: Axes,
    first: str = "lower right",
    *,
    title: str | None = None,
    lowest: Axes | None = None,
    may_grow: bool = False,
) -> Legend | None:
    """Say which line is which, where there is something to say.

    Parameters
    ----------
    ax : matplotlib Axes
        What was drawn.
    first : str
        The corner to try first.
    title : str, optional
        What stands above the entries.
    lowest : matplotlib Axes, optional
        The axes to stand below, if no corner is free; by default `ax`.
    may_grow : bool
        Make the figure higher by what stands below.

    Returns
    -------
    Legend or None
        The legend; None where no line has a name.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _, ax = plt.subplots(layout="constrained")
    >>> lines = ax.plot([0, 1], [0, 1], label="rises") + ax.plot([0, 0.6], [0.9, 0.9], label="stays")
    >>> found = legend(ax, "upper left")
    >>> found._loc == found.codes["lower right"]
    True
    """
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return None
    letters, width = _size_of_letters(), _width(ax)
    wrapped = [fill(label, max(int((width / letters - _HANDLE) / _LETTER), 20)) for label in labels]
    for corner in (first, *(other for other in _CORNERS if other != first)):
        found = _put(ax, handles, wrapped, title, loc=corner)
        if not _covers_a_curve(ax, found):
            return found
    if not _has_room_below(ax):
        return _put(ax, handles, wrapped, title, loc="best")
    found.remove()
    return _put_below(ax if lowest is None else lowest, handles, wrapped, title, may_grow=may_grow)


def _put(ax: Axes, handles: list[Any], labels: list[str], title: str | None, **place: Any) -> Legend:
    look = {"fontsize": "small", "title_fontsize": "small", "framealpha": 0.9, "edgecolor": "none", "handlelength": 3.2}
    options: dict[str, Any] = {"title": title, "alignment": "left", **look, **place}
    found = ax.legend(handles, labels, **options)
    for line in found.get_lines():
        line.set_alpha(1.0)
    return found


def _put_below(ax: Axes, handles: list[Any], labels: list[str], title: str | None, *, may_grow: bool) -> Legend:
    """Put the legend below the name of the axes, in two columns if they are short."""
    from matplotlib.transforms import offset_copy

    letters, lines = _size_of_letters(), [line for label in labels for line in label.split("\n")]
    is_short = 2 * (_HANDLE + max(map(len, lines)) * _LETTER) * letters <= _width(ax)
    n_columns = 2 if is_short and len(labels) > 2 else 1
    figure: Any = ax.figure
    below = offset_copy(ax.transAxes, figure, y=-_AXIS * letters, units="points")
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": below, "borderaxespad": 0.0}
    if may_grow:
        height = (len(lines) / n_columns + (title is not None)) * _LINE * letters / 72.0
        figure.set_figheight(figure.get_figheight() + height)
    return _put(ax, handles, labels, title, ncols=n_columns, **place)


def _covers_a_curve(ax: Axes, found: Legend) -> bool:
    """Return whether the legend hides part of a curve or band or exceeds the axes; reference lines may be covered."""
    box, room = found.get_window_extent(), ax.get_window_extent()
    near = box.padded(_size_of_letters() * ax.figure.dpi / 72.0)
    is_inside = room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1
    return not is_inside or any(path.intersects_bbox(near, filled=is_filled) for path, is_filled in _drawn(ax))


def _drawn(ax: Axes) -> Iterator[tuple[Path, bool]]:
    """Yield the paths of all that a legend must not cover, and whether they are areas."""
    for line in ax.lines:
        if line.get_zorder() >= 2:
            yield line.get_path().transformed(line.get_transform()), False
    for collection in ax.collections:
        if collection.get_zorder() >= 1:
            yield from ((path.transformed(collection.get_transform()), True) for path in collection.get_paths())
    yield from ((patch.get_path().transformed(patch.get_transform()), True) for patch in ax.patches)


def _has_room_below(ax: Axes) -> bool:
    """Return whether somebody makes room for what stands outside the axes."""
    return ax.get_subplotspec() is not None and ax.figure.get_layout_engine() is not None


def _width(ax: Axes) -> float:
    """Return how wide a legend can be, in points."""
    place = ax.get_subplotspec()
    if place is None or not _has_room_below(ax):
        return ax.get_window_extent().width * 72.0 / ax.figure.dpi
    whole = place.get_topmost_subplotspec()
    share = len(whole.colspan) / whole.get_gridspec().ncols
    return float(share * ax.figure.bbox.width * 72.0 / ax.figure.dpi)


def _size_of_letters() -> float:
    """Return the size of the letters of a legend, in points."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size="small").get_size_in_points())
