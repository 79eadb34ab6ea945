"""The display of decision curves: the net benefit of acting on probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._params import Nothing, Real, check_param
from calibrant.curves import DecisionCurve, decision_curve
from calibrant.plots._display import Display, positive_class
from calibrant.plots._legend import band_label
from calibrant.plots._limits import probability_limits
from calibrant.plots._style import COLORS, REFERENCE_LINE, format_axes, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["DecisionCurveDisplay"]


class DecisionCurveDisplay(Display):
    """The net benefit of acting on probabilities against the threshold, with that of acting on all rows and on none.

    By default there are 99 thresholds, up to where acting on rows no longer pays: with a rare class, a small range.

    Parameters
    ----------
    curves : dict of str to DecisionCurve
        The curves.
    confidence : float, optional
        The confidence of the bootstrap intervals of the curves, which are drawn as a pointwise band.
    pos_label : optional
        The positive class, which the legend names.

    Examples
    --------
    >>> display = DecisionCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> [line.get_label() for line in display.ax_.lines]
    ['always positive', 'always negative', 'model']
    >>> display = DecisionCurveDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], confidence=0.9)
    >>> display.legend_.get_texts()[-1].get_text()
    'pointwise 90 % band'
    """

    _curve = staticmethod(decision_curve)
    _size = (5.8, 4.4)

    curves: dict[str, DecisionCurve]

    def __init__(
        self, curves: Mapping[str, DecisionCurve], *, confidence: float | None = None, pos_label: Any = None
    ) -> None:
        check_param("confidence", confidence, Real(0, 1, closed="neither") | Nothing())
        super().__init__(curves, pos_label=pos_label)
        self.confidence = confidence

    @classmethod
    def _of_models(
        cls,
        y_true: Any,
        models: Mapping[str, Any],
        rows: dict[str, Any],
        *,
        thresholds: Any = None,
        confidence: float | None = None,
        **options: Any,
    ) -> Self:
        if thresholds is None:
            thresholds = _paying_thresholds(y_true, models, rows)
        options |= {"thresholds": thresholds, "confidence": confidence, **rows}
        curves = {key: decision_curve(y_true, proba, **options) for key, proba in models.items()}
        return cls(curves, confidence=confidence, pos_label=positive_class(y_true, models, **rows))

    def _draw(self, ax: Axes) -> None:
        first = next(iter(self.curves.values()))
        dotted = {**REFERENCE_LINE, "linestyle": (0, (1, 2))}
        ax.plot(first.threshold, first.everybody, label="always positive", **dotted)
        ax.axhline(0.0, label="always negative", **REFERENCE_LINE)
        for number, (name, curve) in enumerate(self.curves.items()):
            style = line_style(number)
            ax.plot(curve.threshold, curve.net_benefit, label=name, **style)
            if curve.low is not None and curve.high is not None:
                alpha = 0.15 if len(self.curves) <= 2 else 0.07
                ax.fill_between(curve.threshold, curve.low, curve.high, color=style["color"], alpha=alpha, linewidth=0)
        if first.low is not None:
            label = band_label("pointwise", self.confidence, several=len(self.curves) > 1)
            color = COLORS[0] if len(self.curves) == 1 else "0.4"
            ax.fill_between([], [], color=color, alpha=0.28, linewidth=0, label=label)
        curves = self.curves.values()
        top = max(float((curve.net_benefit if curve.high is None else curve.high).max()) for curve in curves)
        top = max(top, float(first.everybody.max()), 1e-12)
        end = max(float(curve.threshold.max()) for curve in curves)
        format_axes(ax, "threshold probability", "net benefit", xlim=(0.0, min(end / 0.99, 1.0)))
        # Always positive falls to minus infinity; a quarter below 0 shows where it crosses.
        ax.set_ylim(-0.25 * top, 1.1 * top)


def _paying_thresholds(y_true: Any, models: Mapping[str, Any], rows: dict[str, Any]) -> NDArray[np.float64]:
    """Return 99 thresholds, up to the next round number above the last at which some model has a net benefit."""
    fine = np.unique(np.concatenate([np.arange(1, 100) / 10_000, np.arange(1, 100) / 100]))
    curves = [decision_curve(y_true, proba, thresholds=fine, **rows) for proba in models.values()]
    last = 0.0
    for curve in curves:
        pays = curve.net_benefit > 0.02 * max(float(curve.net_benefit.max()), 1e-300)
        last = max(last, float(fine[pays].max(initial=0.0)))
    return np.asarray(np.arange(1, 100) / 100 * probability_limits(0.0, last)[1])
