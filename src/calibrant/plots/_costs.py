"""Displays of costs and profits: cost curves, error curves, profit against the share that is targeted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Int, check_param
from calibrant.curves import CostCurve, ProfitCurve, cost_curve, error_curve, profit_curve
from calibrant.plots._display import Display
from calibrant.plots._style import MARKS, QUIET, counted, look, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CostCurveDisplay", "ErrorCurveDisplay", "ProfitDisplay"]

_TRIVIAL: dict[str, Any] = {**QUIET, "zorder": 2}  # not for the legend to cover, since a curve is judged by them


class CostCurveDisplay(Display):
    """The normalised expected cost of the best threshold for every value of the probability cost function.

    Where a curve lies below the dashed lines the model is better than deciding always the same: its operating range.

    Parameters
    ----------
    curves : dict of str to CostCurve
        The curves.
    n_lines : int
        How many single thresholds are drawn in grey, where there is one model.
    pos_label : optional
        The positive class, which the legend names.

    Examples
    --------
    >>> display = CostCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], n_lines=0)
    >>> [line.get_label() for line in display.ax_.lines]
    ['always negative', 'always positive', 'model (area 0.125)']
    """

    _curve: ClassVar[Callable[..., CostCurve]] = staticmethod(cost_curve)
    _drawing = ("n_lines",)
    _names: ClassVar[tuple[str, str]] = ("probability cost function $p_c[+]$", "normalised expected cost")
    _top: ClassVar[float] = 0.6

    def __init__(self, curves: Mapping[str, CostCurve], *, n_lines: int = 12, pos_label: Any = None) -> None:
        check_param("n_lines", n_lines, Int(0))
        super().__init__(curves, pos_label=pos_label)
        self.n_lines = n_lines

    def _draw(self, ax: Axes) -> None:
        if len(self.curves) == 1:
            self._draw_lines(ax, next(iter(self.curves.values())))
        ax.plot([0, 1], [0, 1], label="always negative", **_TRIVIAL)
        ax.plot([0, 1], [1, 0], label="always positive", **{**_TRIVIAL, "linestyle": (0, (1, 2))})
        for number, (name, curve) in enumerate(self.curves.items()):
            label = self._label(name, f"area {curve.area:.3f}")
            ax.plot(curve.probability_cost, curve.cost, label=label, **look(number))
        tidy(ax, *self._names, ylim=(0.0, self._top))

    def _draw_lines(self, ax: Axes, curve: CostCurve) -> None:
        """Draw some thresholds: those of the envelope, thinned out."""
        chosen = np.unique(np.linspace(0, len(curve.best_threshold) - 1, self.n_lines).astype(int))
        for threshold in curve.best_threshold[chosen] if self.n_lines else []:
            line = curve.line(float(threshold))
            ax.plot([0, 1], [line.fpr, line.fnr], color="0.85", linewidth=0.8, zorder=0)


class ErrorCurveDisplay(CostCurveDisplay):
    """The error rate of the best threshold for every share of positives; the line at the top is always wrong.

    Examples
    --------
    >>> ErrorCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]).ax_.get_ylabel()
    'error rate'
    """

    _curve = staticmethod(error_curve)
    _names = ("share of positives $p[+]$", "error rate")
    _top = 1.0

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [1, 1], label="always wrong", **{**_TRIVIAL, "linestyle": (0, (4, 2, 1, 2))})
        super()._draw(ax)


class ProfitDisplay(Display):
    """Profit against the share of rows that is targeted, the best point marked.

    Examples
    --------
    >>> display = ProfitDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], amount=10, cost=4)
    >>> display.ax_.lines[1].get_label()
    'model (best 8 at 75 %)'
    """

    _curve = staticmethod(profit_curve)
    _size = (5.8, 4.4)

    curves: dict[str, ProfitCurve]

    def _draw(self, ax: Axes) -> None:
        ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
        for number, (name, curve) in enumerate(self.curves.items()):
            best, style = curve.best, look(number)
            where = f"best {curve.profit[best]:,.6g} at {100 * curve.fraction[best]:.3g} %"
            ax.plot(curve.fraction, curve.profit, label=self._label(name, where), **style)
            mark: dict[str, Any] = {"marker": MARKS[number % len(MARKS)], "color": style["color"], "markersize": 8}
            ax.plot(curve.fraction[best], curve.profit[best], linestyle="none", markeredgecolor="white", **mark)
        everybody = float(next(iter(self.curves.values())).profit[-1])
        ax.plot([0, 1], [0, everybody], label=f"chance (all: {everybody:,.6g})", **QUIET)
        tidy(ax, "share of rows targeted, most promising first", "profit")
        counted(ax, whole=False)
