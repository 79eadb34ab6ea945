"""Vega-Lite specifications of figures, made by Altair without data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.report._charts.axes import categories, numbers, title_lines
from calibrant.report._charts.marks import BUILDERS, Canvas, DrawnLayer, bar_slots, source_name

if TYPE_CHECKING:
    from calibrant._sections import Axis, Figure, Layer

__all__ = ["HOVER", "build_spec", "hover_sources"]

HOVER = "hover"  # the source of all rows that the pointer finds
_HEIGHT = 300
_HOVERED = ("line", "step", "points", "interval")


def build_spec(figure: Figure, models: list[int], n_models: int) -> dict[str, Any]:
    """Return the specification of a figure.

    Parameters
    ----------
    figure : Figure
        The figure.
    models : list of int
        The index of each layer's model, -1 for none.
    n_models : int
        Number of models of the report.
    """
    alt = optional_import("altair", extra="report", purpose="draw the charts of a report")
    # Checking each part against the schema makes a layer take 1.8 ms, not 0.5; the tests check whole specifications.
    with alt.utils.schemapi.debug_mode(False):
        canvas = _canvas(alt, figure, models, n_models)
        units = [
            chart
            for index, (layer, model) in enumerate(zip(figure.layers, models, strict=True))
            for chart in BUILDERS[layer.mark](canvas, DrawnLayer(layer, index, model))
        ]
        units += [_hover(canvas)] if hover_sources(figure) else []
        return _layered(canvas, figure, [chart.to_dict(validate=False) for chart in units])


def hover_sources(figure: Figure) -> list[str]:
    """Return the sources whose rows the pointer finds: not those of bands and references; bars are large enough."""
    return [source_name(index) for index, layer in enumerate(figure.layers) if layer.mark in _HOVERED]


def _canvas(alt: Any, figure: Figure, models: list[int], n_models: int) -> Canvas:
    is_clipped = _is_beyond(figure, figure.x, ("x", "x2")) or _is_beyond(figure, figure.y, ("y", "low", "high"))
    if _has_texts(figure):
        places = Counter(text for layer in figure.layers for text in set(layer.columns["x"]))
        is_dodged = max(places.values(), default=1) > 1
        x = numbers(alt, "X", figure.y, with_zero=False, is_height=True)
        return Canvas(alt, x, categories(alt), n_models, is_clipped, is_horizontal=True, is_dodged=is_dodged)
    bars = [(index, model, _points_down(layer)) for index, layer, model in _bars(figure, models)]
    is_mirrored = any(is_down for *_, is_down in bars)
    x = numbers(alt, "X", figure.x, with_zero=False, is_height=False)
    has_bands = any(layer.mark == "band" for layer in figure.layers)
    labels = f"format(abs(datum.value), '{_quoted(figure.y.format)}')" if is_mirrored else None
    y = numbers(alt, "Y", figure.y, with_zero=bool(bars), is_height=True, labels=labels)
    return Canvas(alt, x, y, n_models, is_clipped, slots=bar_slots(bars), has_bands=has_bands)


def _is_beyond(figure: Figure, axis: Axis, names: tuple[str, ...]) -> bool:
    """Return whether numbers are beyond the ends that an axis has; else nothing is clipped, not even half a line."""
    if axis.domain is None:
        return False
    low, high = axis.domain
    slack = 1e-9 * abs(high - low)
    columns = (layer.columns[name] for layer in figure.layers for name in names if name in layer.columns)
    found = (column for column in map(np.asarray, columns) if column.dtype.kind == "f")
    return any(bool(((column < low - slack) | (column > high + slack)).any()) for column in found)


def _bars(figure: Figure, models: list[int]) -> list[tuple[int, Layer, int]]:
    zipped = enumerate(zip(figure.layers, models, strict=True))
    return [(index, layer, model) for index, (layer, model) in zipped if layer.mark == "bars"]


def _points_down(layer: Layer) -> bool:
    return any(height < 0 for height in layer.columns["y"])


def _quoted(text: str) -> str:
    """Return a number format for an expression: what a format cannot have is left out."""
    return "".join(letter for letter in text if letter.isascii() and (letter.isalnum() or letter in ".,~+-%"))


def _has_texts(figure: Figure) -> bool:
    firsts = (layer.columns["x"][0] for layer in figure.layers if layer.n_rows)
    return any(isinstance(first, str) for first in firsts)


def _hover(canvas: Canvas) -> Any:
    """Return the dots under the pointer: the whole plane is divided among the rows of all layers."""
    alt = canvas.alt
    near = alt.selection_point(
        name="near", nearest=True, on="pointerover", clear="pointerout", fields=["layer", "x", "y"], empty=False
    )
    by_model = {"test": "datum.model >= 0", **canvas.color().to_dict()}
    color = {"color": alt.ColorValue(alt.Undefined, condition=by_model)} if canvas.n_models else {}
    shape = {
        "filled": True,
        "size": 80,
        "clip": canvas.is_clipped,
        "style": ["calibrant-fill", "calibrant-dot"],
        "aria": False,
    }
    opacity = alt.OpacityValue(0, condition={"param": "near", "value": 1, "empty": False})
    chart = canvas.chart(HOVER).mark_point(**shape).add_params(near)
    return chart.encode(**canvas.place(), **color, opacity=opacity, tooltip=alt.TooltipValue(" "))


def _layered(canvas: Canvas, figure: Figure, units: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the layers as one specification, without Altair's configuration: the page has its own."""
    alt = canvas.alt
    head = figure.x.title if canvas.is_horizontal else figure.y.title
    title = alt.TitleParams(title_lines(head), anchor="start", frame="bounds", offset=10, style="calibrant-title")
    return {
        "$schema": alt.SCHEMA_URL,
        "description": figure.description,
        "title": title.to_dict(),
        "width": "container",
        "height": _height(canvas, figure),
        "params": [{"name": "hidden", "value": []}],
        "layer": [{key: part for key, part in unit.items() if key not in ("$schema", "config")} for unit in units],
    }


def _height(canvas: Canvas, figure: Figure) -> int:
    if not canvas.is_horizontal:
        return _HEIGHT
    n_texts = len({text for layer in figure.layers for text in layer.columns["x"]})
    n_rows = canvas.n_models if canvas.is_dodged else 1
    return max(100, n_texts * (14 + 12 * n_rows))
