"""Cost curves of all models: the cost of the best threshold over all class distributions (Drummond & Holte 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import percent
from calibrant._sections import Axis, Figure, Layer, Section
from calibrant.curves import CostCurve, cost_curve
from calibrant.decisions import CostMatrix
from calibrant.report._predictions.ranking import kept_points
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.wording import by_model, finite, probability

_LEAST_SAVED = 1e-3  # below, no threshold is better than always deciding the same
_TOP = 0.6  # always predicting the likelier class costs at most 0.5


def cost_curves_section(data: ReportData) -> Section | None:
    """Return the section of the cost curves."""
    costs = _error_costs(data)
    curves = data.curves(cost_curve, costs=costs)
    today = float(next(iter(curves.values())).costs.probability_cost(data.base_rate))
    found = _finding(data, curves, today, has_costs=costs is not None)
    figure = Figure(
        data.figure_name("cost-curves"),
        "Cost of the best threshold",
        f"Farther to the right {data.positive_text} is more frequent, or overlooking it costs more; a model is worth "
        f"using where its curve is below the dashed lines of always deciding the same. {found}",
        f"Cost curves. {found} {_ranges(curves)}",
        Axis(f"Weight of {data.positive_text} (probability cost)", ".0%", (0.0, 1.0)),
        Axis("Cost, 100 %: always wrong", ".0%", (0.0, _TOP)),
        (
            Layer("reference", {"x": [0.0, 1.0], "y": [0.0, 1.0]}, f"never deciding for {data.positive_text}"),
            Layer("reference", {"x": [0.0, 1.0], "y": [1.0, 0.0]}, f"always deciding for {data.positive_text}"),
            *(_layer(name, curve) for name, curve in curves.items()),
            *(_today_layer(name, curve, today) for name, curve in curves.items()),
        ),
    )
    title = "When is a model worth using?"
    return data.section("cost-curves", title, [figure], "Cost curves")


def _error_costs(data: ReportData) -> NDArray[np.float64] | None:
    """Return the costs of two classes and decisions, the positive last; None where those of the report are others."""
    if not isinstance(data.costs, CostMatrix) or data.costs.matrix.shape != (2, 2):
        return None
    positive = data.classes.index(data.positive)
    matrix = data.costs.matrix[[1 - positive, positive]]
    best = matrix.argmin(axis=1)  # the decision for a negative row, and for a positive one
    matrix = matrix[:, best]
    is_error_dearer = matrix[0, 1] > matrix[0, 0] and matrix[1, 0] > matrix[1, 1]
    return np.asarray(matrix) if is_error_dearer else None


def _layer(name: str, curve: CostCurve) -> Layer:
    kept = kept_points(curve.probability_cost, curve.cost)
    best = np.append(curve.best_threshold, curve.best_threshold[-1])[kept]
    columns = {"x": curve.probability_cost[kept], "y": curve.cost[kept], "best threshold to the right": finite(best)}
    return Layer("line", columns, "best threshold", name)


def _today_layer(name: str, curve: CostCurve, today: float) -> Layer:
    columns = {"x": [today], "y": [float(curve.at(today))], "best threshold": finite(np.array([_best(curve, today)]))}
    return Layer("points", columns, "today", name)


def _best(curve: CostCurve, today: float) -> float:
    """Return the best threshold at a value of the probability cost function."""
    position = np.searchsorted(curve.probability_cost, today, side="right") - 1
    return float(curve.best_threshold[min(int(position), len(curve.best_threshold) - 1)])


def _finding(data: ReportData, curves: dict[str, CostCurve], today: float, *, has_costs: bool) -> str:
    """Compare the cost of the best thresholds today with that of always deciding for the same class."""
    trivial = min(today, 1.0 - today)
    saved = {name: 1.0 - float(curve.at(today)) / trivial for name, curve in curves.items()}
    texts = {
        name: f"{percent(share)} less at the threshold {probability(_best(curves[name], today))}"
        if share >= _LEAST_SAVED
        else "no less"
        for name, share in saved.items()
    }
    same = f"{'never' if today <= 0.5 else 'always'} deciding for {data.positive_text}"
    costs = "the costs of this report" if has_costs else "equal costs of all errors"
    return f"The dots are these rows with {costs}: compared with {same}, errors cost {by_model(saved, texts)}."


def _ranges(curves: dict[str, CostCurve]) -> str:
    ranges = {name: curve.operating_range() for name, curve in curves.items()}
    return " ".join(
        f"{name} is worth using {'nowhere' if ends is None else f'from {percent(ends[0])} to {percent(ends[1])}'}."
        for name, ends in ranges.items()
    )
