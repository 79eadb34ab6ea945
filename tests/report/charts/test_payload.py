"""Figures become specifications without data, and columns that JSON can hold."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from calibrant._sections import Axis, Figure, Layer
from calibrant.exceptions import MissingExtraError

alt = pytest.importorskip("altair", reason='charts of reports need: pip install "calibrant[report]"')

from calibrant.report._charts.payload import figure_payload  # noqa: E402

HOSTILE = "</script><script>alert('x')</script> {{datum.x}} \"'` ${1} \\u003c"
MODELS = (HOSTILE, "tree", "logistic", "naive Bayes")
SHARE = Axis("Share", ".0%", (0.0, 1.0))
UP = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
ENDS = {"y": [0.1, 0.2], "low": [0.0, 0.1], "high": [0.2, 0.3]}
FIGURES = {
    "line": (Layer("line", UP, HOSTILE, HOSTILE), Layer("line", UP, "hull"), Layer("reference", UP, HOSTILE)),
    "step": (Layer("step", UP, "", "tree"),),
    "band": (Layer("band", {"x": [0.0, 1.0], "low": [0.0, 0.5], "high": [0.5, 1.0]}, "", "tree"),),
    "points": (Layer("points", {**UP, HOSTILE: [1, 2]}, "", "tree"),),
    "interval": (Layer("interval", {"x": [0.0, 1.0], **ENDS}, "", "tree"),),
    "segments": tuple(Layer("interval", {"x": [HOSTILE, "b"], **ENDS}, "", model) for model in MODELS),
    "bars": tuple(Layer("bars", {"x": [0.0], "x2": [1.0], "y": [0.5]}, "", model) for model in MODELS),
    "mirrored": tuple(Layer("bars", {"x": [0.0], "x2": [1.0], "y": [height]}, "", "tree") for height in (0.5, -0.5)),
    "level": (Layer("reference", {"x": [0, 1], "y": [2, 2]}, "at random"), Layer("line", UP, "", "tree")),
    "vertical": (Layer("reference", {"x": [1, 1], "y": [0, 2]}, "today"), Layer("line", UP, "", "tree")),
    "nothing": (Layer("line", {"x": [], "y": []}, "", "tree"),),
}
kinds = pytest.mark.parametrize("kind", FIGURES)


def figure(layers: tuple[Layer, ...], x: Axis = SHARE, y: Axis = SHARE) -> Figure:
    return Figure("f", HOSTILE, "", HOSTILE, x, y, layers)


def payload_of(*layers: Layer, x: Axis = SHARE, y: Axis = SHARE) -> dict[str, Any]:
    return figure_payload(figure(layers, x, y), MODELS)


def named(spec: Any, *keys: str) -> Iterator[Any]:
    """Yield the values at some keys anywhere in a specification."""
    if isinstance(spec, dict):
        yield from (value for key, value in spec.items() if key in keys)
    for part in spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ():
        yield from named(part, *keys)


@kinds
def test_a_specification_meets_the_schema_of_vega_lite(kind: str) -> None:
    spec = payload_of(*FIGURES[kind], x=Axis(HOSTILE, ".0%", (0, 1)))["spec"]
    alt.LayerChart.from_dict(spec).to_dict()


@kinds
def test_nothing_of_the_data_is_a_field_or_in_an_expression(kind: str) -> None:
    payload = payload_of(*FIGURES[kind], x=Axis(HOSTILE), y=Axis(HOSTILE, ".0%'+alert(1)+'"))
    code = [
        *named(payload["spec"], "filter", "calculate", "test", "expr", "labelExpr", "field", "fields", "groupby", "as")
    ]
    assert "alert" not in re.sub(r"format\(abs\(datum.value\), '[\w.,~+%-]*'\)", "", json.dumps(code))
    assert set(named(payload["spec"], "field")) <= {"x", "y", "low", "high", "model", "left", "right"}


@kinds
def test_a_specification_has_no_data(kind: str) -> None:
    payload = payload_of(*FIGURES[kind])
    sources = {source["name"] for source in payload["data"]} | {"hover"}
    assert all(set(data) == {"name"} and data["name"] in sources for data in named(payload["spec"], "data"))
    assert not [*named(payload["spec"], "values", "datasets", "config")]
    json.dumps(payload, allow_nan=False)


def test_rows_of_hidden_models_are_left_out_of_every_layer() -> None:
    spec = payload_of(*FIGURES["line"], *FIGURES["band"])["spec"]
    shown = {"filter": "indexof(hidden, datum.model) < 0"}
    assert all(unit["transform"][0] == shown for unit in spec["layer"])
    assert {"name": "hidden", "value": []} in spec["params"]


def test_layers_know_the_index_of_their_model() -> None:
    assert [source["model"] for source in payload_of(*FIGURES["line"])["data"]] == [0, -1, -1]


def test_the_pointer_finds_lines_and_points_but_no_bands_nor_references() -> None:
    assert payload_of(*FIGURES["line"], *FIGURES["band"], *FIGURES["points"])["hover"] == ["layer0", "layer1", "layer4"]


def test_further_columns_are_shown_on_hover() -> None:
    payload = payload_of(Layer("line", {**UP, "rows": [10, 20], "threshold": [0.25, None], "model": ["a", "b"]}))
    assert payload["tooltip"][0][2:] == [
        ["rows", "rows", ",.0f"],
        ["threshold", "threshold", ",.4~r"],
        ["model_", "model", ""],
    ]
    assert payload["data"][0]["columns"]["threshold"] == [0.25, None]
    assert payload["data"][0]["columns"]["model_"] == ["a", "b"]


def test_shares_are_percent_on_hover() -> None:
    payload = payload_of(Layer("line", {**UP, "share of rows selected": [0.0, 0.25]}))
    assert payload["tooltip"][0][2] == ["share of rows selected", "share of rows selected", ".4~p"]


def test_what_is_not_finite_is_null_and_numbers_have_six_digits() -> None:
    columns = {"x": [1 / 3, 2 / 3, 1.0], "y": [np.nan, np.inf, -np.inf], "rows": np.array([10_000_001, 2, 3])}
    data = payload_of(Layer("line", columns))["data"][0]["columns"]
    assert data == {"x": [0.333333, 0.666667, 1], "y": [None, None, None], "rows": [10_000_001, 2, 3]}


def test_many_steps_become_a_line_through_their_corners() -> None:
    x = np.linspace(0, 1, 5_000)
    y = np.where(x < 0.5, 0.2, 0.8)
    payload = payload_of(Layer("step", {"x": x, "y": y, "threshold": 1 - x}, "", "tree"))
    assert payload["spec"]["layer"][0]["mark"]["interpolate"] == "linear"
    columns = payload["data"][0]["columns"]
    jump = columns["y"].index(0.8)
    assert columns["x"][jump - 1] == columns["x"][jump] == pytest.approx(0.5, abs=1e-3)
    assert columns["threshold"][jump - 1] > columns["threshold"][jump]


def test_curves_are_thinned_on_the_scale_of_a_logarithmic_axis() -> None:
    x = np.logspace(-6, 0, 20_000)
    data = payload_of(Layer("line", {"x": x, "y": np.sqrt(x)}), x=Axis("Cost", scale="log"))["data"][0]["columns"]
    at = np.interp(np.log10(x), np.log10(data["x"]), data["y"])
    assert len(data["x"]) < 300
    assert np.abs(at - np.sqrt(x)).max() <= 0.0011


def test_only_what_is_beyond_the_axes_is_clipped() -> None:
    beyond = Layer("line", {"x": [0.0, 1.0], "y": [0.0, 1.5]})
    assert payload_of(beyond)["spec"]["layer"][0]["mark"]["clip"]
    assert not payload_of(*FIGURES["line"])["spec"]["layer"][0]["mark"]["clip"]


def test_ten_figures_of_four_models_and_a_million_rows_take_600_kb() -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 1_000_000)
    earned = [np.cumsum(rng.exponential(15, len(x)) * (rng.random(len(x)) < 0.1 * (1 - x)) - 0.6) for _ in MODELS]
    columns = [{"x": x, "y": values, "threshold": 1 - x} for values in earned]
    layers = tuple(Layer("line", each, "profit", model) for each, model in zip(columns, MODELS, strict=True))
    profit = figure((Layer("reference", UP, "at random"), *layers), y=Axis("Profit"))
    assert 10 * len(json.dumps(figure_payload(profit, MODELS), separators=(",", ":"))) < 600_000


def test_without_altair_the_message_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "calibrant[report]"')):
        payload_of(*FIGURES["line"])


def test_texts_are_never_properties_of_every_object_of_javascript() -> None:
    """Vega looks texts up in objects: a segment or an axis called so stopped every chart of the page."""
    layer = Layer("interval", {"x": ["__proto__", "a"], "y": [0.1, 0.2], "low": [0, 0], "high": [1, 1]})
    figure = Figure("segments", "", "", "", Axis("constructor"), Axis("toString"), (layer,))
    payload = figure_payload(figure, ())
    assert payload["data"][0]["columns"]["x"] == ["__proto__\u200b", "a"]
    assert '"constructor"' not in json.dumps(payload["spec"])
    assert '"toString"' not in json.dumps(payload["spec"])


def test_the_label_of_a_diagonal_among_bands_stands_at_its_end() -> None:
    band = Layer("band", {"x": [0.0, 1.0], "low": [0.0, 0.5], "high": [0.5, 1.0]}, "", "tree")
    places = {
        n_layers: [
            each["align"]
            for each in named(payload_of(Layer("reference", UP, "perfect"), *layers)["spec"], "mark")
            if each["type"] == "text"
        ]
        for n_layers, layers in ((1, ()), (2, (band,)))
    }
    assert places[2] == ["right"]
    assert places[1] != ["right"]
