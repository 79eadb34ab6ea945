"""Charts of figures as Vega-Lite specifications, made by Altair without data."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from calibrant._optional import optional_import
from calibrant._sections import Axis, Figure, Layer
from calibrant.report._charts.palette import model_style

SHARE = ".4~p"  # on hover: percent to four digits
_TITLE_WIDTH = 46  # characters: about 300 pixels, what a phone shows of one line
_N_TICKS = {"X": {"expr": "max(2, round(width / 110))"}, "Y": 5}  # pixels of a label and the room around it
# A baseline at 0 stands out of the grid, also where a chart has negative numbers.
_ZERO_LINE = {"condition": {"test": "datum.value === 0", "value": 2}, "value": 1}


# Of JavaScript's Object.prototype: Vega looks values up in objects that have them
_PROPERTIES = {
    *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
    *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
}


def numbers(alt: Any, channel: str, axis: Axis, *, with_zero: bool, is_height: bool, labels: str | None = None) -> Any:
    """Return the encoding of a column of numbers.

    Parameters
    ----------
    alt : module
        Altair.
    channel : {"X", "Y"}
        Where the axis is.
    axis : Axis
        The axis.
    with_zero : bool
        Whether 0 is on the axis.
    is_height : bool
        Whether it is the axis of heights, which has grid lines.
    labels : str, optional
        The expression that writes the labels.
    """
    ends = {} if axis.domain is None else {"domain": list(axis.domain)}
    zero = {} if axis.scale == "log" else {"zero": with_zero}
    scale = alt.Scale(type=axis.scale, nice=axis.domain is None, **zero, **ends)
    grid = {"grid": True, "gridWidth": _ZERO_LINE} if is_height else {"grid": False}
    written = {"labelExpr": labels} if labels else {"format": axis.format or ",~r"}
    head = title_lines(axis.title) if channel == "X" else None  # a title on its side is hard to read: it stands above
    drawn = alt.Axis(title=head, tickCount=_N_TICKS[channel], **written, **grid)
    return getattr(alt, channel)(field="y" if is_height else "x", type="quantitative", scale=scale, axis=drawn)


def title_lines(title: str) -> list[str]:
    """Return a title in lines that a phone can show.

    Examples
    --------
    >>> title_lines("Share of customers who answered found (true positive rate)")
    ['Share of customers who answered found', '(true positive rate)']
    """
    if len(title) <= _TITLE_WIDTH:
        return [harmless(title)]
    words, opened, term = title.partition(" (")
    return [line for part in (words, opened[1:] + term) for line in textwrap.wrap(part, _TITLE_WIDTH)]


def harmless(text: str) -> str:
    """Return a text, with an invisible character more where Vega would take it for a property of every object."""
    return f"{text}\u200b" if text in _PROPERTIES else text


def hover_format(axis: Axis) -> str:
    """Return the format of an axis' numbers on hover, where there is room for four digits.

    Examples
    --------
    >>> from calibrant._sections import Axis
    >>> hover_format(Axis("Recall", ".0%")), hover_format(Axis("Profit")), hover_format(Axis("Value", ".3f"))
    ('.4~p', ',.4~r', '.3f')
    """
    if axis.format in ("%", ".0%", ".1%"):
        return SHARE
    return axis.format or ",.4~r"


_LINE = 2.0
_THIN = 1.25  # lines of no model: hulls and bounds
_LABEL_WIDTH = 20  # characters: half the width of a chart on a phone
_FALLS = "datum.last.y < datum.first.y"
_SHOWN = "indexof(hidden, datum.model) < 0"


@dataclass(frozen=True)
class Canvas:
    """The parts that the layers of a chart share: Altair, the axes and the number of models."""

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
        """The settings of marks that do not take the pointer; screen readers have the numbers as a table."""
        return {"clip": self.is_clipped, "tooltip": None, "aria": False}

    def chart(self, name: str) -> Any:
        """Return a chart of a source without the rows of hidden models."""
        return self.alt.Chart(self.alt.NamedData(name=name)).transform_filter(_SHOWN)

    def mark(self, drawn: DrawnLayer, kind: str, style: str, **shape: Any) -> Any:
        """Return a layer with a kind of mark, which has a style of its own where the layer is of no model."""
        named = {"style": style} if drawn.model < 0 else {}
        return getattr(self.chart(drawn.source), f"mark_{kind}")(**shape, **self.still, **named)

    def colored(self, drawn: DrawnLayer) -> dict[str, Any]:
        """Return the encoding of the colour of a layer's model, if it is of one."""
        return {"color": self.color()} if drawn.model >= 0 else {}

    def place(self, *, field: str = "y") -> dict[str, Any]:
        """Return the encoding of a row's place; the numbers of texts are drawn from left to right."""
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
    """A layer, its index in the figure, the source of its rows, and the index of its model, or -1."""

    layer: Layer
    index: int
    source: str
    model: int


def source_name(index: int) -> str:
    """Return the name of the source of a layer."""
    return f"layer{index}"


def _line(canvas: Canvas, drawn: DrawnLayer, interpolate: str = "linear") -> list[Any]:
    has_model = drawn.model >= 0
    shape = {"interpolate": interpolate, "strokeJoin": "round", "strokeWidth": _LINE if has_model else _THIN}
    dash = {"strokeDash": canvas.dash()} if has_model else {}
    chart = canvas.mark(drawn, "line", "calibrant-neutral", **shape)
    return [chart.encode(**canvas.place(), **canvas.colored(drawn), **dash, order=canvas.as_rows_stand())]


def _band(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    opacity = 0.16 if canvas.n_models == 1 else 0.08  # bands of several models overlap
    chart = canvas.mark(drawn, "area", "calibrant-fill", opacity=opacity)
    return [chart.encode(**canvas.place(field="low"), **canvas.until("high"), **canvas.colored(drawn))]


def _points(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    chart = canvas.mark(drawn, "point", "calibrant-fill", filled=True, size=34, opacity=1.0)
    return [chart.encode(**canvas.place(), **canvas.colored(drawn))]


def _interval(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    rule = canvas.mark(drawn, "rule", "calibrant-neutral", strokeWidth=_LINE)
    bar = rule.encode(**canvas.place(field="low"), **canvas.until("high"), **canvas.colored(drawn))
    return [bar, *_points(canvas, drawn)]


def _bars(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    alt = canvas.alt
    # The models that are shown share the bin evenly
    seen = ["1" if model < 0 else f"(indexof(hidden, {model}) < 0 ? 1 : 0)" for _, model in canvas.slots]
    place = max((number for number, (first, _) in enumerate(canvas.slots) if first <= drawn.index), default=0)
    before = (" + ".join(["0", *seen[: place + is_right]]) for is_right in (False, True))
    left, right = (
        f"datum.x + (datum.x2 - datum.x) * (0.04 + 0.92 * ({each}) / max(1, {' + '.join(seen) or '1'}))"
        for each in before
    )
    placed = canvas.chart(drawn.source).transform_calculate(left=left, right=right)
    style = {"style": "calibrant-fill"} if drawn.model < 0 else {}
    chart = placed.mark_rect(opacity=0.85, clip=canvas.is_clipped, aria=False, **style)
    encoding = canvas.place()
    encoding["x"].field = "left"
    ends = {"x2": alt.X2(field="right"), "y2": alt.Y2(datum=0), "tooltip": alt.TooltipValue(" ")}
    return [chart.encode(**encoding, **ends, **canvas.colored(drawn))]


def _reference(canvas: Canvas, drawn: DrawnLayer) -> list[Any]:
    shape = {"style": "calibrant-reference", **canvas.still}
    line = canvas.chart(drawn.source).mark_line(**shape)
    line = line.encode(**canvas.place(), order=canvas.as_rows_stand())
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
    """Return the place of a label: at the end of a level or vertical line, else beside the middle of the line."""
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


BUILDERS: dict[str, Callable[[Canvas, DrawnLayer], list[Any]]] = {
    "line": _line,
    "step": partial(_line, interpolate="step-after"),  # each y holds until the x of the next row
    "band": _band,
    "points": _points,
    "interval": _interval,
    "bars": _bars,
    "reference": _reference,
}


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
            for chart in BUILDERS[layer.mark](canvas, DrawnLayer(layer, index, source_name(index), model))
        ]
        units += [_hover(canvas)] if hover_sources(figure) else []
        return _layered(canvas, figure, [chart.to_dict(validate=False) for chart in units])


def hover_sources(figure: Figure) -> list[str]:
    """Return the sources whose rows the pointer finds: not those of bands and references; bars are large enough."""
    return [source_name(index) for index, layer in enumerate(figure.layers) if layer.mark in _HOVERED]


def _canvas(alt: Any, figure: Figure, models: list[int], n_models: int) -> Canvas:
    is_clipped = _is_beyond(figure, figure.x, ("x", "x2")) or _is_beyond(figure, figure.y, ("y", "low", "high"))
    if any(isinstance(layer.columns["x"][0], str) for layer in figure.layers if layer.n_rows):
        places = Counter(text for layer in figure.layers for text in set(layer.columns["x"]))
        is_dodged = max(places.values(), default=1) > 1
        x = numbers(alt, "X", figure.y, with_zero=False, is_height=True)
        # From top to bottom in the order of the rows
        y = alt.Y(field="x", type="nominal", sort=None, axis=alt.Axis(title=None, grid=False, labelLimit=130))
        return Canvas(alt, x, y, n_models, is_clipped, is_horizontal=True, is_dodged=is_dodged)
    bars = [(at, model) for at, model in enumerate(models) if figure.layers[at].mark == "bars"]
    # Bars that point down share the place of their model's others
    slots = tuple((at, model) for at, model in bars if not any(y < 0 for y in figure.layers[at].columns["y"]))
    x = numbers(alt, "X", figure.x, with_zero=False, is_height=False)
    has_bands = any(layer.mark == "band" for layer in figure.layers)
    labels = f"format(abs(datum.value), '{_quoted(figure.y.format)}')" if len(slots) < len(bars) else None
    y = numbers(alt, "Y", figure.y, with_zero=bool(bars), is_height=True, labels=labels)
    return Canvas(alt, x, y, n_models, is_clipped, slots=slots, has_bands=has_bands)


def _is_beyond(figure: Figure, axis: Axis, names: tuple[str, ...]) -> bool:
    """Return whether numbers are beyond the ends that an axis has; else nothing is clipped, not even half a line."""
    if axis.domain is None:
        return False
    low, high = axis.domain
    slack = 1e-9 * abs(high - low)
    columns = (layer.columns[name] for layer in figure.layers for name in names if name in layer.columns)
    found = (column for column in map(np.asarray, columns) if column.dtype.kind == "f")
    return any(bool(((column < low - slack) | (column > high + slack)).any()) for column in found)


def _quoted(text: str) -> str:
    """Return a number format for an expression: what a format cannot have is left out."""
    return "".join(letter for letter in text if letter.isascii() and (letter.isalnum() or letter in ".,~+-%"))


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
