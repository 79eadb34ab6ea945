"""Curves of very many points, thinned to a few hundred within a tenth of a percent of the axes.

Distances are Euclidean, in the square that the axes make when each has length 1. Every point of the curve, vertex or
not, is within `TOLERANCE` of the thinned curve, and every point of the thinned curve within it of the curve:

1. Of each stretch of rows in one of 5,000 columns of the chart the first, the last, the lowest and the highest are kept
   (Jugel et al., 2014, "M4"). What is dropped lies between the lowest and the highest, hence beside the thinned curve,
   and no farther from it than a column is wide.
2. Of those, vertices are added between the ends until no other is farther than the rest of the tolerance from the
   segment that replaces it (Ramer, 1972; Douglas & Peucker, 1973); the distance to a segment is convex, so that what
   holds for vertices holds for the points between them. The errors of both steps add up to the tolerance at most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Positions = NDArray[np.intp]
    from calibrant._sections import Axis, Figure, Layer

TOLERANCE = 0.001  # of the axes: a third of a pixel of a chart 300 high
FEW = 200  # a curve of no more points is kept as it is
# Of 1,000,000 points of a noisy profit curve and of a random walk 149 and 1,551 are left; with columns of 0.6 of the
# tolerance 452 and 2,073, with columns of 0.05 of it 125 and 1,409 in more than twice the time.
_COLUMN = 0.2 * TOLERANCE
_N_SPREAD = 96  # points kept anyway, evenly along the curve: the pointer finds numbers on straight stretches too
_WIDEST = 4.0  # of the axis: a curve far beyond its ends would have too many columns to list
_MOST_LEVELS = 40  # then stretches are halved: Douglas & Peucker's split may take off one vertex at a time


def thin(x: Floats, *heights: Floats) -> Positions:
    """Return the rows to keep of curves over the same x, as shares of the axes; the same rows for all of them.

    The first and the last row and the lowest and the highest of each curve are kept. Rows that are not finite interrupt
    the curves; one of each interruption is kept.

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> rows = thin(x, x**2)
    >>> bool(np.abs(np.interp(x, x[rows], x[rows] ** 2) - x**2).max() < 0.001), len(rows) < 150
    (True, True)
    """
    if len(x) <= FEW:
        return np.arange(len(x))
    is_finite = np.isfinite(x) & np.logical_and.reduce([np.isfinite(height) for height in heights])
    rows = extremes_of_columns(x, heights, is_finite)
    thinned = x[rows], *(height[rows] for height in heights)
    return rows[_chords(*thinned, ends=_ends(*thinned, is_finite=is_finite[rows]))]


def thin_steps(x: Floats, y: Floats) -> tuple[Positions, Positions]:
    """Return the corners to keep of a curve in steps: the rows of their x and those of their y.

    Each y holds until the x of the next row. A line through the corners is as near to the curve as `thin` makes it: the
    first step holds as it is for steps, which stay in their column.

    Examples
    --------
    >>> thin_steps(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0]))
    (array([0, 1, 1, 2, 2]), array([0, 0, 1, 1, 2]))
    """
    if len(x) <= FEW:
        corners = np.repeat(np.arange(len(x)), 2)
        return corners[1:], corners[:-1]
    is_finite = np.isfinite(x) & np.isfinite(y)
    rows = extremes_of_columns(x, (y,), is_finite)
    at, start = np.repeat(rows, 2)[1:], np.repeat(rows, 2)[:-1]
    known = np.repeat(is_finite[rows], 2)
    kept = _chords(x[at], y[start], ends=_ends(x[at], y[start], is_finite=known[1:] & known[:-1]))
    return at[kept], start[kept]


def thin_points(x: Floats, y: Floats) -> Positions:
    """Return the rows to keep of unconnected points: one of each cell whose diagonal is the tolerance.

    Examples
    --------
    >>> thin_points(np.repeat([0.1, 0.2], 500), np.zeros(1000))
    array([  0, 500])
    """
    if len(x) <= FEW:
        return np.arange(len(x))
    cells = np.floor(np.stack([x, y]) * (np.sqrt(2) / TOLERANCE))
    return np.sort(np.unique(cells, axis=1, return_index=True)[1])


def extremes_of_columns(x: Floats, heights: tuple[Floats, ...], is_finite: NDArray[np.bool_]) -> Positions:
    """Return the first, last, lowest and highest row of each stretch of rows in the same column."""
    first = _stretches(x, is_finite)
    sizes = np.diff(first, append=len(x))
    kept = [first, np.where(is_finite[first], first + sizes - 1, first)]
    for height in heights:
        for extreme in (np.minimum, np.maximum):
            at = np.flatnonzero(height == np.repeat(extreme.reduceat(height, first), sizes))
            kept.append(at[np.flatnonzero(np.diff(np.searchsorted(first, at, side="right"), prepend=0))])
    return np.unique(np.concatenate(kept))


def _stretches(x: Floats, is_finite: NDArray[np.bool_]) -> Positions:
    """Return the first row of each stretch of rows in the same column, or of rows that are not finite."""
    if bool(is_finite.all()) and bool((x[1:] >= x[:-1]).all()) and x[-1] - x[0] <= _WIDEST:
        columns = np.arange(np.ceil(x[0] / _COLUMN), np.floor(x[-1] / _COLUMN) + 1) * _COLUMN
        first = np.unique(np.searchsorted(x, columns))
        return np.concatenate([[0], first[(first > 0) & (first < len(x))]])
    column = np.where(is_finite, np.floor(x / _COLUMN), np.inf)
    return np.concatenate([[0], np.flatnonzero(column[1:] != column[:-1]) + 1])


def _ends(x: Floats, *heights: Floats, is_finite: NDArray[np.bool_]) -> Positions:
    """Return the rows between which chords are drawn first: they are kept in any case."""
    finite = np.flatnonzero(is_finite)
    interruptions = np.flatnonzero(~is_finite)
    ends = [np.array([0, len(x) - 1]), interruptions, interruptions - 1, interruptions + 1]
    if len(finite):
        steps = [np.abs(np.diff(values[finite], prepend=values[finite[0]])) for values in (x, *heights)]
        travelled = np.cumsum(np.sum(steps, axis=0))
        spread = np.searchsorted(travelled, np.linspace(0, travelled[-1], _N_SPREAD))
        extremes = [pick(height[finite]) for height in heights for pick in (np.argmin, np.argmax)]
        ends += [finite[np.minimum(spread, len(finite) - 1)], finite[extremes]]
    rows: Positions = np.clip(np.concatenate(ends), 0, len(x) - 1)
    return rows


def _chords(x: Floats, *heights: Floats, ends: Positions) -> Positions:
    """Return the rows of Douglas & Peucker's curve; all stretches are split at once, level by level."""
    is_kept = np.zeros(len(x), dtype=bool)
    is_kept[ends] = True
    left_out = np.flatnonzero(~is_kept)
    level = 0
    while len(left_out):
        kept = np.flatnonzero(is_kept)
        stretch = np.searchsorted(kept, left_out)
        start, stop = kept[stretch - 1], kept[stretch]
        distance = np.maximum.reduce([_to_segments(x, height, left_out, start, stop) for height in heights])
        first = np.flatnonzero(np.diff(stretch, prepend=-1))
        sizes = np.diff(first, append=len(left_out))
        farthest = np.maximum.reduceat(distance, first)
        is_far = farthest > TOLERANCE - _COLUMN
        in_far = np.repeat(is_far, sizes)
        if level < _MOST_LEVELS:
            at = np.flatnonzero(in_far & (distance == np.repeat(farthest, sizes)))
            is_kept[left_out[at]] = True
        else:
            is_kept[left_out[(first + sizes // 2)[is_far]]] = True
        left_out = left_out[in_far & ~is_kept[left_out]]
        level += 1
    return np.flatnonzero(is_kept)


def _to_segments(x: Floats, y: Floats, rows: Positions, start: Positions, stop: Positions) -> Floats:
    """Return the distance of each row from the segment between two others."""
    along_x, along_y = x[stop] - x[start], y[stop] - y[start]
    from_x, from_y = x[rows] - x[start], y[rows] - y[start]
    squared = along_x**2 + along_y**2
    share = np.clip((from_x * along_x + from_y * along_y) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    return np.hypot(from_x - share * along_x, from_y - share * along_y)


_HEIGHTS = {"line": ("y",), "step": ("y",), "points": ("y",), "band": ("low", "high")}  # of marks that are thinned


def read_column(values: Any) -> NDArray[Any]:
    """Return a column as an array, of floats if it has numbers; None is a missing number.

    Examples
    --------
    >>> read_column([1, None]), read_column(["a"])
    (array([ 1., nan]), array(['a'], dtype=object))
    """
    array = np.asarray(values)
    if array.dtype.kind in "iufb":
        return array.astype(np.float64, copy=False)
    if all(value is None or isinstance(value, int | float | np.number | np.bool_) for value in array.ravel()):
        return array.astype(np.float64)
    return array.astype(object)


def thinned_figure(figure: Figure) -> Figure:
    """Return a figure whose curves and points lack the rows whose absence cannot be seen; columns are arrays.

    Of many steps the corners are thinned, and drawn as a line.
    """
    return replace(figure, layers=tuple(_thinned(layer, figure) for layer in figure.layers))


def _thinned(layer: Layer, figure: Figure) -> Layer:
    columns = {name: np.asarray(values) for name, values in layer.columns.items()}
    rows: Any = slice(None)
    at = rows  # of x
    if layer.n_rows > FEW and columns["x"].dtype.kind in "iufb":
        x = _share(columns["x"], figure.x)
        heights = [_share(columns[name], figure.y) for name in _HEIGHTS.get(layer.mark, ())]
        if layer.mark == "step":  # the end of a step has the further columns of its start
            at, rows = thin_steps(x, *heights)
            layer = replace(layer, mark="line")
        elif heights:
            at = rows = thin_points(x, *heights) if layer.mark == "points" else thin(x, *heights)
    kept = {name: read_column(values[at if name == "x" else rows]) for name, values in columns.items()}
    return replace(layer, columns=kept)


def _share(values: NDArray[Any], axis: Axis) -> NDArray[np.float64]:
    """Return values as shares of the axis, or of their own range, since what is shown may be no more than that."""
    values = np.asarray(values, dtype=np.float64)
    ends = np.asarray(axis.domain if axis.domain is not None else (), dtype=np.float64)
    if axis.scale == "log":
        values, ends = (np.log10(np.where(each > 0, each, np.nan)) for each in (values, ends))
    if not len(ends):
        finite = values[np.isfinite(values)]
        ends = np.array([finite.min(), finite.max()] if len(finite) else [0.0, 1.0])
    return np.asarray((values - ends[0]) / ((ends[1] - ends[0]) or 1.0))
