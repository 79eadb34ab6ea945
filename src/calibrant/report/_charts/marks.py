"""Marks of layers as Altair charts; each layer has its own source of rows, named but not filled.

Rows have the columns of their layer and, added by the page, its index as `layer` and that of its model, or -1, as
`model`. Nothing of the data is a field name or in an expression: layers and models are whole numbers there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.report._charts.palette import model_style

if TYPE_CHECKING:
    from calibrant._sections import Layer

__all__ = ["BUILDERS", "Canvas", "DrawnLayer", "bar_slots", "source_name"]

_LINE = 2.0
_THIN = 1.25  # lines of no model: hulls and bounds
_LABEL_WIDTH = 20  # characters: half the width of a chart on a phone
_FALLS = "datum.last.y < datum.first.y"
_SHOWN = "indexof(hidden, datum.model) < 0"


@dataclass(frozen=True)
class Canvas:
    """What the layers of a chart share: Altair, the axes and the number of models."""

    alt: Any
    x: Any
    y: Any
    n_models: int
    is_clipped: bool = False
    is_horizontal: bool = False
    is_dodged: bool = False
    slots: tuple[tuple[int, int], ...] = ()
    has_bands: bool = False

    @property
    def still(self) -> dict[str, Any]:
        """What all marks have in common that do not take the pointer; screen readers have the numbers as a table."""
        return {"clip": self.is_clipped, "tooltip": None, "aria": False}

    def chart(self, name: str) -> Any:
        """Return a chart of a source without the rows of hidden models."""
        return self.alt.Chart(self.alt.NamedData(name=name)).transform_filter(_SHOWN)

    def place(self, *, field: str = "y") -> dict[str, Any]:
        """Return where a row stands; the numbers of texts are drawn from left to right."""
        x, y = self.x.copy(), self.y.copy()
        (x if self.is_horizontal else y).field = field
        offset = {"yOffset": self.alt.YOffset(field="model", type="nominal", scale=self._domain())}
        return {"x": x, "y": y, **(offset if self.is_dodged else {})}

    def until(self, field: str) -> dict[str, Any]:
        """Return the other end of a mark."""
        channel = "x2" if self.is_horizontal else "y2"
        return {channel: getattr(self.alt, channel.upper())(field=field)}

    def color(self) -> Any:
        """Return the colour of the model; the page's configuration has the colours."""
        return self.alt.Color(field="model", type="nominal", legend=None, scale=self._domain(range="category"))

    def dash(self) -> Any:
        """Return the dashes of the model, which tell models apart on paper."""
        dashes = [model_style(index)["dash"] for index in range(self.n_models)]
        scale = self._domain(range=dashes)
        return self.alt.StrokeDash(field="model", type="nominal", legend=None, scale=scale)

    def as_rows_stand(self) -> Any:
        """Return the order of a line's points; by default it is that of x, but curves may run from right to left."""
        return self.alt.Order(value=0)

    def _domain(self, **more: Any) -> Any:
        return self.alt.Scale(domain=list(range(self.n_models)), **more)


@dataclass(frozen=True)
class DrawnLayer:
    """A layer, its index in the figure and that of its model, or -1."""

    layer: Layer
    index: int
    model: int

    @property
    def source(self) -> str:
        """The name of the source of its rows."""
        return source_name(self.index)


def source_name(index: int) -> str:
    """Return the name of the source of a layer."""
    return f"layer{index}"


def _line(canvas: Canvas, drawn: DrawnLayer, interpolate: str = "linear") -> list[Any]:
    has_model = drawn.model >= 0
    shape = {"interpolate": interpolate, "strokeJoin": "round", "strokeWidth": _LINE if has_model else _THIN}
    chart = canvas.chart(drawn.source).mark_line(**shape, **canvas.still, **_style("calibrant-neutral", drawn.model))
    dash = {"strokeDash": canvas.dash()} if has_model else {}
    return [chart.encode(**canvas.place(), **_colored(canvas, drawn.model), **dash, order=canvas.as_rows_stand())]


def _step(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    """Return a line in steps: each y holds until the x of the next row."""
    return _line(canvas, drawn, "step-after")


def _band(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    shape = {"opacity": 0.16 if canvas.n_models == 1 else 0.08, **canvas.still}  # bands of several models overlap
    chart = canvas.chart(drawn.source).mark_area(**shape, **_style("calibrant-fill", drawn.model))
    return [chart.encode(**canvas.place(field="low"), **canvas.until("high"), **_colored(canvas, drawn.model))]


def _points(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    shape = {"filled": True, "size": 34, "opacity": 1.0, **canvas.still}
    chart = canvas.chart(drawn.source).mark_point(**shape, **_style("calibrant-fill", drawn.model))
    return [chart.encode(**canvas.place(), **_colored(canvas, drawn.model))]


def _interval(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    shape = {"strokeWidth": _LINE, **canvas.still}
    rule = canvas.chart(drawn.source).mark_rule(**shape, **_style("calibrant-neutral", drawn.model))
    bar = rule.encode(**canvas.place(field="low"), **canvas.until("high"), **_colored(canvas, drawn.model))
    return [bar, *_points(canvas, drawn)]


def _bars(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    alt = canvas.alt
    left, right = (_slot_end(canvas.slots, drawn.index, is_right) for is_right in (False, True))
    placed = canvas.chart(drawn.source).transform_calculate(left=left, right=right)
    chart = placed.mark_rect(opacity=0.85, clip=canvas.is_clipped, aria=False, **_style("calibrant-fill", drawn.model))
    place = canvas.place()
    place["x"].field = "left"
    ends = {"x2": alt.X2(field="right"), "y2": alt.Y2(datum=0), "tooltip": alt.TooltipValue(" ")}
    return [chart.encode(**place, **ends, **_colored(canvas, drawn.model))]


def _reference(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    shape = {"style": "calibrant-reference", **canvas.still}
    line = canvas.chart(drawn.source).mark_line(**shape).encode(**canvas.place(), order=canvas.as_rows_stand())
    return [line, _reference_label(canvas, drawn)] if drawn.layer.label else [line]


def _reference_label(canvas: Canvas, drawn: DrawnLayer) -> Any:
    """Return the label of a reference line beside it."""
    at, side = _label_place(drawn.layer, canvas.has_bands)
    rows = canvas.chart(drawn.source).transform_aggregate(first="argmin(x)", last="argmax(x)", top="argmax(y)")
    placed = rows.transform_calculate(x=at.format("x"), y=at.format("y"))
    label = placed.mark_text(style="calibrant-label", **side, **{**canvas.still, "clip": False})
    lines = textwrap.wrap(drawn.layer.label, _LABEL_WIDTH)
    return label.encode(**canvas.place(), text=canvas.alt.TextValue(lines))


def _label_place(layer: Layer, has_bands: bool) -> tuple[str, dict[str, Any]]:
    """Return where a label stands: at the end of a level or vertical line, else beside the middle of the line."""
    x, y = layer.columns["x"], layer.columns["y"]
    if len(x) and x[0] == x[-1]:
        return "datum.top.{0}", {"align": "left", "baseline": "top", "dx": 5}
    if len(y) and y[0] == y[-1]:
        # Below, since curves come down to the line at its end, unless there is no room above the axis.
        below = {"expr": "scale('y', datum.y) > height - 14 ? -10 : 9"}
        return "datum.last.{0}", {"align": "right", "baseline": "middle", "dy": below}
    if has_bands and len(y) and y[-1] > y[0]:  # curves and bands are about the line, so that only its end is free
        return "datum.last.{0}", {"align": "right", "baseline": "bottom", "dy": -4}
    share = f"({_FALLS} ? 0.43 : 0.57)"
    side = {"align": {"expr": f"{_FALLS} ? 'right' : 'left'"}, "dx": {"expr": f"{_FALLS} ? -6 : 6"}}
    return f"datum.first.{{0}} + {share} * (datum.last.{{0}} - datum.first.{{0}})", {**side, "baseline": "top", "dy": 4}


def bar_slots(layers: list[tuple[int, int, bool]]) -> tuple[tuple[int, int], ...]:
    """Return the layers of bars that stand side by side within a bin, with their models.

    Parameters
    ----------
    layers : list of (int, int, bool)
        Index, model and whether the bars point down, in which case they share the place of their model's others.

    Examples
    --------
    >>> bar_slots([(0, 0, False), (1, 0, True), (2, 1, False)])
    ((0, 0), (2, 1))
    """
    return tuple((index, model) for index, model, is_down in layers if not is_down)


def _slot_end(slots: tuple[tuple[int, int], ...], index: int, is_right: bool) -> str:
    """Return the expression of an end of a bar: the models that are shown share the bin evenly."""
    seen = ["1" if model < 0 else f"(indexof(hidden, {model}) < 0 ? 1 : 0)" for _, model in slots]
    place = max((number for number, (first, _) in enumerate(slots) if first <= index), default=0)
    before = " + ".join(["0", *seen[: place + is_right]])
    return f"datum.x + (datum.x2 - datum.x) * (0.04 + 0.92 * ({before}) / max(1, {' + '.join(seen) or '1'}))"


def _colored(canvas: Canvas, model: int) -> dict[str, Any]:
    return {"color": canvas.color()} if model >= 0 else {}


def _style(name: str, model: int) -> dict[str, Any]:
    return {"style": name} if model < 0 else {}


BUILDERS: dict[str, Callable[[Canvas, DrawnLayer], list[Any]]] = {
    "line": _line,
    "step": _step,
    "band": _band,
    "points": _points,
    "interval": _interval,
    "bars": _bars,
    "reference": _reference,
}
