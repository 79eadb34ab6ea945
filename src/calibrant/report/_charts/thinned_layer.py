"""Layers thinned to what their chart can show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.report._charts.columns import read_column
from calibrant.report._charts.thinning import FEW, thin, thin_points, thin_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._sections import Axis, Figure, Layer

__all__ = ["thinned_figure"]

_HEIGHTS = {"line": ("y",), "band": ("low", "high")}


def thinned_figure(figure: Figure) -> Figure:
    """Return a figure whose curves and points lack the rows whose absence cannot be seen; columns are arrays.

    Of many steps the corners are thinned, and drawn as a line.
    """
    return replace(figure, layers=tuple(_thinned(layer, figure) for layer in figure.layers))


def _thinned(layer: Layer, figure: Figure) -> Layer:
    columns = {name: np.asarray(values) for name, values in layer.columns.items()}
    if layer.mark == "step" and layer.n_rows > FEW:
        return replace(layer, mark="line", columns=_corners(columns, figure))
    rows = _rows(layer, columns, figure)
    kept: dict[str, Any] = {
        name: read_column(values if rows is None else values[rows]) for name, values in columns.items()
    }
    return replace(layer, columns=kept)


def _rows(layer: Layer, columns: dict[str, NDArray[Any]], figure: Figure) -> NDArray[np.intp] | None:
    """Return the rows to keep, None for all."""
    if layer.n_rows <= FEW or columns["x"].dtype.kind not in "iufb":
        return None
    x = _share(columns["x"], figure.x)
    if layer.mark in ("line", "band"):
        return thin(x, *(_share(columns[name], figure.y) for name in _HEIGHTS[layer.mark]))
    return thin_points(x, _share(columns["y"], figure.y)) if layer.mark == "points" else None


def _corners(columns: dict[str, NDArray[Any]], figure: Figure) -> dict[str, Any]:
    """Return the kept corners of steps; the end of a step has the further columns of its start."""
    at, start = thin_steps(_share(columns["x"], figure.x), _share(columns["y"], figure.y))
    return {name: read_column(values[at if name == "x" else start]) for name, values in columns.items()}


def _share(values: NDArray[Any], axis: Axis) -> NDArray[np.float64]:
    """Return values as shares of the axis, or of their own range, since what is shown may be no more than that."""
    values = np.asarray(values, dtype=np.float64)
    ends = np.asarray(axis.domain if axis.domain is not None else (), dtype=np.float64)
    if axis.scale == "log":
        values, ends = (np.log10(np.where(each > 0, each, np.nan)) for each in (values, ends))
    low, high = (ends[0], ends[1]) if len(ends) else _range(values)
    return (values - low) / ((high - low) or 1.0)


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
