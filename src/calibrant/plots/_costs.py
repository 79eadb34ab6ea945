"""Displays of costs and benefits: cost and error curves, Brier curves, decision curves and profit curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Int, check_param
from calibrant.curves import (
    BrierCurve,
    CostCurve,
    ProfitCurve,
    brier_curve,
    cost_curve,
    error_curve,
    profit_curve,
)
from calibrant.plots._display import Display
from calibrant.plots._limits import probability_limits
from calibrant.plots._style import (
    MARKERS,
    REFERENCE_LINE,
    format_axes,
    format_counts,
    format_number,
    line_style,
)
from calibrant.plots._thinning import thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BrierCurveDisplay", "CostCurveDisplay", "ErrorCurveDisplay", "ProfitDisplay"]

_THIN = 0.8


class CostCurveDisplay(Display):
    """The normalized expected cost of the best threshold for every value of the probability cost function.

    Where a curve lies below the dashed lines, the operating range, the model is better than always predicting the same
    class.

    Parameters
    ----------
    curves : dict of str to CostCurve
        The curves.
    n_lines : int
        Number of single thresholds drawn in grey, for a single model.
    pos_label : optional
        The positive class, which the legend names.

    Examples
    --------
    >>> display = CostCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], n_lines=0)
    >>> [line.get_label() for line in display.ax_.lines]
    ['always negative', 'always positive', 'model (area 0.125)']
    """

    _curve: ClassVar[Callable[..., CostCurve]] = staticmethod(cost_curve)
    _display_options = ("n_lines",)
    _names: ClassVar[tuple[str, str]] = ("probability cost function $p_c[+]$", "normalized expected cost")
    _top: ClassVar[float] = 0.6  # always predicting the likelier class costs at most 0.5

    def __init__(self, curves: Mapping[str, CostCurve], *, n_lines: int = 12, pos_label: Any = None) -> None:
        check_param("n_lines", n_lines, Int(0))
        super().__init__(curves, pos_label=pos_label)
        self.n_lines = n_lines

    def _draw(self, ax: Axes) -> None:
        if len(self.curves) == 1:
            self._draw_lines(ax, next(iter(self.curves.values())))
        ax.plot([0, 1], [0, 1], label="always negative", **REFERENCE_LINE)
        ax.plot([0, 1], [1, 0], label="always positive", **{**REFERENCE_LINE, "linestyle": (0, (1, 2))})
        for number, (name, curve) in enumerate(self.curves.items()):
            label = self._label(name, f"area {curve.area:.3f}")
            ax.plot(*thin(curve.probability_cost, curve.cost), label=label, **line_style(number))
        format_axes(ax, *self._names, ylim=(0.0, self._top))

    def _draw_lines(self, ax: Axes, curve: CostCurve) -> None:
        """Draw the cost lines of some thresholds, evenly spaced among those of the envelope."""
        chosen = np.unique(np.linspace(0, len(curve.best_threshold) - 1, self.n_lines).astype(int))
        for number, threshold in enumerate(curve.best_threshold[chosen] if self.n_lines else []):
            line = curve.line(float(threshold))
            label = None if number else "single thresholds"
            ax.plot([0, 1], [line.fpr, line.fnr], color="0.75", linewidth=0.8, zorder=0, label=label)


class ErrorCurveDisplay(CostCurveDisplay):
    """The error rate of the best threshold for every share of positives.

    Examples
    --------
    >>> ErrorCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]).ax_.get_ylabel()
    'error rate'
    """

    _curve = staticmethod(error_curve)
    _names = ("share of positives $p[+]$", "error rate")
    _top = 1.0

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [1, 1], label="always wrong", **{**REFERENCE_LINE, "linestyle": (0, (4, 2, 1, 2))})
        super()._draw(ax)


class BrierCurveDisplay(Display):
    """The expected loss of deciding by the probabilities; the area above the best thresholds is miscalibration.

    Examples
    --------
    >>> display = BrierCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> [line.get_label() for line in display.ax_.lines][-2:]
    ['model (area 0.193)', 'best thresholds (area 0.125)']
    """

    _curve = staticmethod(brier_curve)
    _size = (5.6, 4.8)

    curves: dict[str, BrierCurve]

    def _draw(self, ax: Axes) -> None:
        share = next(iter(self.curves.values())).base_rate
        ax.plot([0, 1], [0, 2 * (1 - share)], label="always positive", **{**REFERENCE_LINE, "linestyle": (0, (1, 2))})
        ax.plot([0, 1], [2 * share, 0], label="always negative", **REFERENCE_LINE)
        top = 0.0
        for number, (name, curve) in enumerate(self.curves.items()):
            style = line_style(number)
            label = self._label(name, f"area {curve.area:.3f}")
            ax.plot(*thin(curve.cost_proportion, curve.loss), label=label, **style)
            self._draw_best(ax, curve, style)
            top = max(top, float(curve.loss.max()))
        if len(self.curves) > 1:
            ax.plot([], [], color="0.4", linewidth=_THIN, label="thin lines: best thresholds")
        format_axes(ax, "cost proportion $c$ (decision threshold)", "expected loss", xlim=(0.0, self._end()))
        ax.set_ylim(0, 1.08 * max(top, 2 * share * (1 - share)))

    def _end(self) -> float:
        """Return the cost proportion from which on all models do as well as the likelier class always."""
        limit = 0.0
        for curve in self.curves.values():
            rate, x, loss = curve.base_rate, *thin(curve.cost_proportion, curve.loss)
            differs = np.abs(loss - 2 * rate * (1 - x)) > 0.02 * max(float(loss.max()), 1e-300)
            limit = max(limit, float(x[differs].max(initial=0.0)))
        return probability_limits(0.0, limit)[1]

    def _draw_best(self, ax: Axes, curve: BrierCurve, style: dict[str, Any]) -> None:
        """Draw the loss of the best thresholds; for a single model, fill the loss by miscalibration above it."""
        is_single = len(self.curves) == 1
        label = f"best thresholds (area {curve.best_area:.3f})" if is_single else None
        end = self._end()
        x = np.unique(np.concatenate([thin(curve.cost_proportion, curve.loss)[0], np.linspace(0.0, end, 501), [1.0]]))
        ax.plot(x, curve.best_at(x), label=label, **{**style, "linewidth": _THIN, "alpha": 0.7})
        if is_single:
            ax.fill_between(x, curve.best_at(x), curve.at(x), color=style["color"], alpha=0.15, linewidth=0)


class ProfitDisplay(Display):
    """Profit against the share of rows that are targeted, with the best point marked.

    Examples
    --------
    >>> display = ProfitDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], amount=10, cost=4)
    >>> display.ax_.lines[1].get_label()
    'model (best profit 8 at 75 %)'
    """

    _curve = staticmethod(profit_curve)
    _size = (5.8, 4.4)

    curves: dict[str, ProfitCurve]

    def _draw(self, ax: Axes) -> None:
        ax.axhline(0.0, color="0.6", linewidth=_THIN, zorder=1, label="no rows selected")
        for number, (name, curve) in enumerate(self.curves.items()):
            best, style = curve.best, line_style(number)
            where = f"best profit {format_number(curve.profit[best])} at {100 * curve.fraction[best]:.3g} %"
            ax.plot(*thin(curve.fraction, curve.profit), label=self._label(name, where), **style)
            marker: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "color": style["color"]}
            point = [curve.fraction[best]], [curve.profit[best]]
            ax.plot(*point, linestyle="none", markersize=8, markeredgecolor="white", **marker)
        total = float(next(iter(self.curves.values())).profit[-1])
        ax.plot([0, 1], [0, total], label=f"random order (all rows: {format_number(total)})", **REFERENCE_LINE)
        format_axes(ax, "share of rows selected, most promising first", "profit")
        format_counts(ax, whole=False)
