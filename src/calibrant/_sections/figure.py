"""Figures as data: what is drawn, layer by layer; `calibrant.report` draws it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from calibrant._sections.blocks import DataTable, TableColumn, element, text


@dataclass(frozen=True)
class Axis:
    """An axis of a figure.

    Parameters
    ----------
    title : str
        Its title.
    format : str
        The format of its numbers, in d3's notation.
    domain : tuple of float, optional
        Its ends; by default those of the data.
    scale : {"linear", "log"}
        Its scale.

    Examples
    --------
    >>> Axis("Predicted probability", ".0%", (0, 1)).scale
    'linear'
    """

    title: str
    format: str = ""
    domain: tuple[float, float] | None = None
    scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True, eq=False)
class Layer:
    """A mark of a figure and its numbers.

    Parameters
    ----------
    mark : {"line", "step", "band", "points", "interval", "bars", "reference"}
        How the numbers are drawn: "line", "step", "points" and "reference" by the columns x and y, "band" by x, low
        and high, "interval" by x, y, low and high, "bars" by x, x2 and y.
    columns : mapping of str to sequence
        The columns, of equal length. Further columns are shown on hover.
    label : str
        What the layer is.
    model : str
        The model it belongs to, which has a colour; "" for none.

    Examples
    --------
    >>> Layer("line", {"x": [0, 1], "y": [0, 1]}, "diagonal").n_rows
    2
    """

    mark: Literal["line", "step", "band", "points", "interval", "bars", "reference"]
    columns: Mapping[str, Any] = field(repr=False)
    label: str = ""
    model: str = ""

    @classmethod
    def of_intervals(cls, rows: Iterable[Sequence[Any]], label: str = "", model: str = "") -> Layer:
        """Return a layer of values with their intervals: the name of each, the value, and the ends of its interval.

        Examples
        --------
        >>> Layer.of_intervals([("tree", 0.8, 0.7, 0.9)]).columns
        {'x': ['tree'], 'y': [0.8], 'low': [0.7], 'high': [0.9]}
        """
        kept = list(rows)
        columns = {name: [row[place] for row in kept] for place, name in enumerate(("x", "y", "low", "high"))}
        return cls("interval", columns, label, model)

    @property
    def n_rows(self) -> int:
        """Number of points."""
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure.

    Parameters
    ----------
    name : str
        A short name, unique in a report: letters, digits and hyphens.
    title : str
        Its title.
    caption : str
        How to read it, and what it shows.
    description : str
        The same for those who do not see it, with the main numbers.
    x, y : Axis
        The axes.
    layers : tuple of Layer
        What is drawn, from back to front.
    most_rows : int
        The most rows of the table of a layer's numbers, evenly spread.

    Examples
    --------
    >>> layer = Layer("line", {"x": [0, 1], "y": [0, 1]}, "diagonal")
    >>> Figure("f", "A line", "", "A rising line", Axis("x"), Axis("y"), (layer,)).html().count("<table>")
    1
    """

    name: str
    title: str
    caption: str
    description: str
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    most_rows: int = 50

    def html(self) -> str:
        """Return the figure as HTML: its title, its caption and a table of each layer's numbers."""
        caption = element("figcaption", element("strong", text(self.title)), " ", text(self.caption))
        tables = "".join(_table(layer, self.most_rows).html() for layer in self.layers if layer.n_rows)
        return element("figure", caption, element("details", element("summary", "Numbers"), tables))


def _table(layer: Layer, most_rows: int) -> DataTable:
    caption = " ".join(filter(None, [layer.model, layer.label])) or layer.mark
    shown: Sequence[int] = range(layer.n_rows)
    if layer.n_rows > most_rows:  # evenly spread, the first and the last among them
        shown = sorted({round(position * (layer.n_rows - 1) / (most_rows - 1)) for position in range(most_rows)})
    rows = tuple(tuple(_cell(values[row]) for values in layer.columns.values()) for row in shown)
    note = f"{len(shown)} of {layer.n_rows:,} points." if len(shown) < layer.n_rows else ""
    return DataTable(caption, tuple(TableColumn(name) for name in layer.columns), rows, note=note)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None or math.isnan(value) else f"{float(value):.4g}"
