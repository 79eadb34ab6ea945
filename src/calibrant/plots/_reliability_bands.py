"""The bands of a reliability diagram, and the words by which legends name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.curves import Band, ReliabilityCurve
from calibrant.plots._legend import band_label
from calibrant.plots._style import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["draw_bands", "is_outside", "name_bands"]

_AREA, _PALE_AREA = 0.2, 0.07  # opacity of the band of one model or two, and of more
_THIN = 0.8


def draw_bands(ax: Axes, curve: ReliabilityCurve, style: dict[str, Any], *, is_alone: bool) -> None:
    """Draw an honest band in steps, consistency bands as bars at bins or, for "corp", as areas between thin lines."""
    if curve.band is None:
        return
    if curve.bands == "honest":
        band = _steps(curve.band)
        _fill(ax, band, style["color"], _AREA if is_alone else _PALE_AREA)
        _draw_ends(ax, band, style)
    elif curve.method != "corp" or len(curve.band.x) == 1:
        ax.vlines(*curve.band, linewidth=7, color=style["color"], alpha=1.4 * _AREA, zorder=1.5)
        if curve.simultaneous is not None:
            ax.vlines(*curve.simultaneous, linewidth=_THIN, color=style["color"], alpha=0.8, zorder=1.6)
    else:
        _fill(ax, curve.band, style["color"], _AREA if is_alone else _PALE_AREA)
        if curve.simultaneous is not None and is_alone:
            _draw_ends(ax, curve.simultaneous, style)


def name_bands(ax: Axes, curve: ReliabilityCurve, *, n_models: int, drawn: bool) -> None:
    """Add legend entries for the bands of all models; each band has the colour of its curve."""
    if curve.band is None:
        return
    several, color = n_models > 1, COLORS[0] if n_models == 1 else "0.4"
    is_honest, is_corp = curve.bands == "honest", curve.method == "corp"
    line: dict[str, Any] = {"color": color, "linewidth": _THIN}
    simultaneous = band_label("simultaneous", curve.confidence, several=several)
    if is_honest or drawn or is_corp:
        pointwise = band_label("pointwise", curve.confidence, several=several)
        label = f"{simultaneous} of the true curve" if is_honest else f"{pointwise}, if calibrated"
        ax.fill_between([], [], color=color, alpha=0.28, linewidth=0, label=label)
    if drawn and curve.simultaneous is not None:
        ax.plot([], [], label=f"{simultaneous}, if calibrated", **line)
    if not drawn and not is_corp and curve.simultaneous is not None:
        label = band_label("simultaneous", curve.confidence)
        ax.plot([], [], linestyle="none", marker="o", color=color, label=f"filled: outside its {label}, if calibrated")


def is_outside(curve: ReliabilityCurve) -> NDArray[np.bool_]:
    """Return which points of bins lie outside the simultaneous consistency band."""
    if curve.simultaneous is None:
        return np.zeros(len(curve.weight), dtype=np.bool_)
    _, lower, upper = curve.simultaneous
    return np.asarray((curve.observed < lower) | (curve.observed > upper))


def _steps(band: Band) -> Band:
    x, lower, upper = band
    return Band(np.repeat(x, 2)[1:-1], np.repeat(lower[:-1], 2), np.repeat(upper[1:], 2))


def _fill(ax: Axes, band: Band, color: str, alpha: float) -> None:
    x, lower, upper = band
    ax.fill_between(x, lower, upper, linewidth=0, color=color, alpha=alpha)


def _draw_ends(ax: Axes, band: Band, style: dict[str, Any]) -> None:
    x, lower, upper = band
    for end in (lower, upper):
        ax.plot(x, end, color=style["color"], linestyle=style["linestyle"], linewidth=_THIN, alpha=0.7, zorder=1.6)
