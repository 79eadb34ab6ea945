"""Cumulative gains and lift of all models: what the rows of highest probability hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import LiftCurve, lift
from calibrant.report._predictions.figure_words import by_model, capital, fewest_selected, finite, percent
from calibrant.report._predictions.kept_points import kept_points
from calibrant.report._predictions.report_data import ReportData

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["section"]

_FIFTH, _TENTH = 0.2, 0.1  # of the rows, which the captions name
_FEW = 0.02  # share of the rows whose lift is mostly noise and does not set the scale
_SELECTED = Axis("Share of rows selected, most likely first", ".0%", (0.0, 1.0))


def section(data: ReportData) -> Section | None:
    """Return the section of lift and cumulative gains."""
    curves = {name: lift(data.y_true, data.curve_proba(name), **data.curve_options) for name in data.names}
    name, title = data.figure_name("lift-and-gains"), "What do the rows of highest probability hold?"
    return Section(name, title, (_gains(data, curves), _lift(data, curves)), "Cumulative gains and lift", data.page)


def _gains(data: ReportData, curves: dict[str, LiftCurve]) -> Figure:
    found = {name: float(curve.responses_at(_FIFTH) / curve.responses[-1]) for name, curve in curves.items()}
    shown = by_model(found, {name: percent(share) for name, share in found.items()})
    layers = (_layer(curve, curve.gains, "share found", name) for name, curve in curves.items())
    return Figure(
        data.figure_name("gains"),
        f"{capital(data.positive_text)} found by selecting the most likely rows",
        f"A fifth of the rows at random holds 20 % of {data.positive_text} (dashed line), the fifth with the highest "
        f"probabilities {shown}; no ranking is above the grey line.",
        f"Cumulative gains. Share of {data.positive_text} in the best fifth of the rows: {shown}. Base rate: "
        f"{percent(data.base_rate)}.",
        _SELECTED,
        Axis(f"Share of {data.positive_text} found", ".0%", (0.0, 1.0)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, "random order"),
            Layer("line", {"x": [0.0, data.base_rate, 1.0], "y": [0.0, 1.0, 1.0]}, "perfect ranking"),
            *layers,
        ),
    )


def _lift(data: ReportData, curves: dict[str, LiftCurve]) -> Figure:
    values = {name: float(curve.lift_at(_TENTH)) for name, curve in curves.items()}
    shown = by_model(values, {name: f"{value:.2f} times as many" for name, value in values.items()})
    fewest = fewest_selected(data)
    top = 1.15 * max(float(curve.lift[curve.fraction >= _FEW].max()) for curve in curves.values())
    return Figure(
        data.figure_name("lift"),
        "How much better than random",
        f"Of {data.positive_text}, the tenth of the rows with the highest probabilities holds, compared with a tenth "
        f"at random (dashed line), {shown}.",
        f"Lift curve. Compared with a tenth of the rows at random, the best tenth holds {shown}.",
        _SELECTED,
        Axis("Times as many as at random (lift)", "", (0.0, top)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [1.0, 1.0]}, "random order"),
            *(_layer(curve, curve.lift, "lift", name, top=top, fewest=fewest) for name, curve in curves.items()),
        ),
    )


def _layer(
    curve: LiftCurve, y: NDArray[np.float64], label: str, name: str, *, top: float = 1.0, fewest: float = 0.0
) -> Layer:
    """Return a curve; points of fewer than a share of the rows are left out."""
    shown = np.flatnonzero(curve.fraction >= fewest * (1.0 - 1e-9))
    kept = shown[kept_points(curve.fraction[shown], y[shown], top=top)]
    columns = {
        "x": curve.fraction[kept],
        "y": y[kept],
        "threshold": finite(curve.threshold[kept]),
        "rows selected": curve.fraction[kept] * curve.n_rows,
        "of the class among them": curve.responses[kept],
    }
    return Layer("line", columns, label, name)
