"""Displays of what probabilities are worth: Brier curves and decision curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.curves import BrierCurve, DecisionCurve, brier_curve, decision_curve
from calibrant.plots._display import Display
from calibrant.plots._style import QUIET, look, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BrierCurveDisplay", "DecisionCurveDisplay"]


class BrierCurveDisplay(Display):
    """The loss of probabilities that are used as they are; the area between a curve and its floor is miscalibration.

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
        ax.plot([0, 1], [0, 2 * (1 - share)], label="always +", **{**QUIET, "linestyle": (0, (1, 2))})
        ax.plot([0, 1], [2 * share, 0], label="always −", **QUIET)
        top = 0.0
        for number, (name, curve) in enumerate(self.curves.items()):
            style = look(number)
            ax.plot(curve.cost_proportion, curve.loss, label=self._label(name, f"area {curve.area:.3f}"), **style)
            self._draw_best(ax, curve, style)
            top = max(top, float(curve.loss.max()))
        tidy(ax, "cost proportion $c$: threshold, and part of a false alarm", "expected loss")
        ax.set_ylim(0, 1.08 * max(top, 2 * share * (1 - share)))

    def _draw_best(self, ax: Axes, curve: BrierCurve, style: dict[str, Any]) -> None:
        """Fill what miscalibration loses, above the best thresholds; of several models only the floor is drawn."""
        is_alone = len(self.curves) == 1
        label = f"best thresholds (area {curve.best_area:.3f})" if is_alone else None
        x = np.unique(np.append(curve.cost_proportion, np.linspace(0.0, 1.0, 501)))
        ax.plot(x, curve.best_at(x), label=label, **{**style, "linewidth": 0.9, "alpha": 0.7})
        if is_alone:
            ax.fill_between(x, curve.best_at(x), curve.at(x), color=style["color"], alpha=0.15, linewidth=0)


class DecisionCurveDisplay(Display):
    """The net benefit of acting on probabilities against the threshold, beside acting on everybody and on nobody.

    Examples
    --------
    >>> display = DecisionCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> [line.get_label() for line in display.ax_.lines]
    ['everybody', 'nobody', 'model']
    """

    _curve = staticmethod(decision_curve)
    _size = (5.8, 4.4)

    curves: dict[str, DecisionCurve]

    def _draw(self, ax: Axes) -> None:
        first = next(iter(self.curves.values()))
        ax.plot(first.threshold, first.everybody, label="everybody", **{**QUIET, "linestyle": (0, (1, 2))})
        ax.axhline(0.0, label="nobody", **QUIET)
        for number, (name, curve) in enumerate(self.curves.items()):
            style = look(number)
            ax.plot(curve.threshold, curve.net_benefit, label=name, **style)
            if curve.low is not None and curve.high is not None:
                ax.fill_between(curve.threshold, curve.low, curve.high, color=style["color"], alpha=0.15, linewidth=0)
        top = max(float(curve.net_benefit.max()) for curve in self.curves.values())
        top = max(top, float(first.everybody.max()), 0.01)
        tidy(ax, "probability from which one would act", "net benefit of a row")
        ax.set_ylim(-0.25 * top, 1.1 * top)
