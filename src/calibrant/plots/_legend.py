"""Legends by matplotlib's loc="best", which has no place outside the axes: where it would cover a curve, below them."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

__all__ = ["band_label", "draw_legend"]

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
