"""What the page needs to draw a figure: a specification, the numbers of its layers, and what is shown on hover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.report._charts.axes import SHARE, hover_format
from calibrant.report._charts.build import build_spec, hover_sources
from calibrant.report._charts.columns import column_values
from calibrant.report._charts.marks import source_name
from calibrant.report._charts.thinned_layer import thinned_figure

if TYPE_CHECKING:
    from calibrant._sections import Figure

__all__ = ["figure_payload"]

_PLACED = ("x", "x2", "y", "low", "high")
_RESERVED = {"layer", "model", "__proto__"}  # which the page adds to each row, or JavaScript takes for its own


def figure_payload(figure: Figure, models: tuple[str, ...]) -> dict[str, Any]:
    """Return what the page needs to draw a figure, as JSON can hold it.

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
    return {
        "id": drawn.name,
        "title": drawn.title,
        "spec": build_spec(drawn, indexes, len(models)),
        "data": [
            {"name": source_name(number), "label": layer.label, "model": model, "columns": _written(layer.columns)}
            for number, (layer, model) in enumerate(zip(drawn.layers, indexes, strict=True))
        ],
        "hover": hover_sources(drawn),
        "tooltip": [_tooltip(drawn, layer.columns) for layer in drawn.layers],
    }


def _written(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {_field(name): column_values(values) for name, values in columns.items()}


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
    finite = array[np.isfinite(array)]
    if name.startswith("share"):
        return SHARE
    return ",.0f" if bool((finite == np.floor(finite)).all()) else ",.4~r"
