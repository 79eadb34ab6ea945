"""The two charts of the analyser, without numbers: its script computes them from the costs that are entered."""

from __future__ import annotations

from typing import Any

from calibrant._sections import Axis, Figure, Layer

__all__ = ["gains_chart", "profit_chart", "with_crosses"]

_CROSSES = {"this cut": 240, "best cut": 90}  # and their sizes, in square pixels

_PLACEHOLDER = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
_HOVER = {"Threshold": [0.5, 0.25], "Number of rows": [0.0, 1.0]}  # whose format follows from the values


def gains_chart(models: tuple[str, ...]) -> Figure:
    """Return the chart of the share of positives among the share of rows selected.

    Examples
    --------
    >>> [layer.label for layer in gains_chart(("a",)).layers]
    ['at random', '', 'this cut']
    """
    return Figure(
        "analyser-gains",
        "Positives reached",
        "Share of all positives among the rows selected; the diagonal is a random selection.",
        "Share of positives reached against share of rows selected, with a marker at the current cut.",
        Axis("Rows selected", ".0%", (0.0, 1.0)),
        Axis("Positives reached (recall)", ".0%", (0.0, 1.0)),
        (Layer("reference", _PLACEHOLDER, "at random"), *_curves(models), _marker("this cut")),
    )


def profit_chart(models: tuple[str, ...], select: str) -> Figure:
    """Return the chart of the total profit against the share of rows selected."""
    return Figure(
        "analyser-profit",
        "Total profit",
        f"What the decision “{select}” for the rows selected earns in all; the straight line is a random selection.",
        "Total profit against share of rows selected, with markers at the current cut and at the best one.",
        Axis("Rows selected", ".0%", (0.0, 1.0)),
        Axis("Total profit", ",.4~r"),
        (
            Layer("reference", _PLACEHOLDER, "at random"),
            *_curves(models),
            _marker("best cut"),
            _marker("this cut"),
        ),
    )


def with_crosses(payload: dict[str, Any]) -> dict[str, Any]:
    """Return what a chart is drawn of with the current cut as a large cross and the best one as a diamond."""
    sizes = {source["name"]: _CROSSES.get(source["label"]) for source in payload["data"]}
    for unit in payload["spec"]["layer"]:
        size = sizes.get(unit["data"]["name"])
        if size is not None:
            unit["mark"] |= {"shape": "cross" if size > 100 else "diamond", "size": size, "fill": "var(--ink)"}
    return payload


def _curves(models: tuple[str, ...]) -> tuple[Layer, ...]:
    return tuple(Layer("line", {**_PLACEHOLDER, **_HOVER}, "", model) for model in models)


def _marker(label: str) -> Layer:
    columns = {**_PLACEHOLDER, **_HOVER}
    return Layer("points", {name: values[:1] for name, values in columns.items()}, label)
