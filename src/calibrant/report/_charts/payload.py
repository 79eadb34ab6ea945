"""The payload of a figure for the page: a specification, the numbers of its layers, the fields shown on hover."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._sections import Figure
from calibrant.report._charts.spec import SHARE, build_spec, harmless, hover_format, hover_sources, source_name
from calibrant.report._charts.thinning import thinned_figure

_DIGITS = 6
_MOST_DIGITS = 15  # of a 64-bit float


def column_values(values: NDArray[Any]) -> list[Any]:
    """Return the values of a column for JSON: whole numbers as they are, others to six digits of their range.

    What is not finite is None.

    Examples
    --------
    >>> column_values(np.array([1 / 3, np.nan, np.inf])), column_values(np.array([1234567.0, 2.0]))
    ([0.333333, None, None], [1234567, 2])
    >>> column_values(np.array([1000000.12345678, 1000001.0]))
    [1000000.12346, 1000001.0]
    """
    if values.dtype.kind != "f":
        return [None if value is None else harmless(str(value)) for value in values]
    finite = values[np.isfinite(values)]
    if bool((finite == np.floor(finite)).all()) and bool((np.abs(finite) < 2.0**53).all()):
        return [int(value) if math.isfinite(value) else None for value in values.tolist()]
    # More digits where a column varies little around a large number
    largest = float(np.abs(finite).max())
    span = float(np.ptp(finite)) or largest
    excess = math.floor(math.log10(largest / span)) if span else 0
    digits = min(_DIGITS + max(0, excess), _MOST_DIGITS)
    rounded = [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values.tolist()]
    return [int(value) if value in (0.0, 1.0) else value for value in rounded]


_PLACED = ("x", "x2", "y", "low", "high")
_RESERVED = {"layer", "model", "__proto__"}  # which the page adds to each row, or JavaScript takes for its own


def figure_payload(figure: Figure, models: tuple[str, ...]) -> dict[str, Any]:
    """Return the payload by which the page draws a figure, as JSON can hold it.

    Parameters
    ----------
    figure : Figure
        The figure.
    models : tuple of str
        The models of the report, in the order of their colours.

    Returns
    -------
    dict
        ``id`` and ``title``; ``spec``, a Vega-Lite specification with a source ``layer0``, ``layer1``, ... for each
        layer, to be filled with its rows, and the parameter ``hidden``, the indexes of the models not to be shown;
        ``data``, the sources: name, label, index of the model or -1, and columns; ``hover``, the names of the sources
        whose union is the source ``hover``; ``tooltip``, for each layer the field, title and d3 format of each number.

        Rows need two columns more: ``layer``, the index of the layer, and ``model``.

    Examples
    --------
    >>> from calibrant._sections import Axis, Figure, Layer
    >>> layer = Layer("line", {"x": [0, 0.5, 1], "y": [0, 1 / 3, 1], "rows": [0, 50, 100]}, "ROC curve", "forest")
    >>> figure = Figure("roc", "Found", "", "", Axis("False positives", ".0%"), Axis("Found", ".0%"), (layer,))
    >>> payload = figure_payload(figure, ("tree", "forest"))
    >>> payload["data"][0]["model"], payload["data"][0]["columns"]
    (1, {'x': [0, 0.5, 1], 'y': [0, 0.333333, 1], 'rows': [0, 50, 100]})
    >>> payload["tooltip"][0]
    [['x', 'False positives', '.4~p'], ['y', 'Found', '.4~p'], ['rows', 'rows', ',.0f']]
    >>> payload["hover"], payload["spec"]["width"]
    (['layer0'], 'container')
    """
    drawn = thinned_figure(figure)
    indexes = [models.index(layer.model) if layer.model in models else -1 for layer in drawn.layers]
    data = []
    for number, (layer, model) in enumerate(zip(drawn.layers, indexes, strict=True)):
        written = {_field(name): column_values(values) for name, values in layer.columns.items()}
        data.append({"name": source_name(number), "label": layer.label, "model": model, "columns": written})
    return {
        "id": drawn.name,
        "title": drawn.title,
        "spec": build_spec(drawn, indexes, len(models)),
        "data": data,
        "hover": hover_sources(drawn),
        "tooltip": [_tooltip(drawn, layer.columns) for layer in drawn.layers],
    }


def _field(name: str) -> str:
    return f"{name}_" if name in _RESERVED else name


def _tooltip(figure: Figure, columns: Mapping[str, Any]) -> list[list[str]]:
    x, y = hover_format(figure.x), hover_format(figure.y)
    titles = {
        "x": (f"{figure.x.title}, from" if "x2" in columns else figure.x.title, x),
        "x2": ("to", x),
        "y": (figure.y.title, y),
        "low": ("from", y),
        "high": ("to", y),
    }
    placed = [[name, *titles[name]] for name in _PLACED if name in columns]
    further = [name for name in columns if name not in _PLACED]
    return placed + [[_field(name), name, _format(name, columns[name])] for name in further]


def _format(name: str, values: Any) -> str:
    """Return the format of a further column: whole numbers as such, shares in percent, four digits of others."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        return ""
    if name.startswith("share"):
        return SHARE
    finite = array[np.isfinite(array)]
    return ",.0f" if bool((finite == np.floor(finite)).all()) else ",.4~r"
