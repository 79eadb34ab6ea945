"""Displays of costs and benefits: cost and error curves, Brier curves, decision curves and profit curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Int, Nothing, Real, check_param
from calibrant.curves import (
    BrierCurve,
    CostCurve,
    DecisionCurve,
    ProfitCurve,
    brier_curve,
    cost_curve,
    decision_curve,
    error_curve,
    profit_curve,
)
from calibrant.plots._display import Display
from calibrant.plots._style import (
    COLORS,
    MARKERS,
    REFERENCE_LINE,
    band_label,
    format_axes,
    format_number,
    format_ticks,
    line_style,
    probability_limits,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        if len(self.curves) == 1 and self.n_lines:
            # The cost lines of some thresholds, evenly spaced among those of the envelope
            (curve,) = self.curves.values()
            chosen = np.unique(np.linspace(0, len(curve.best_threshold) - 1, self.n_lines).astype(int))
            for number, threshold in enumerate(curve.best_threshold[chosen]):
                line, label = curve.line(float(threshold)), None if number else "single thresholds"
                ax.plot([0, 1], [line.fpr, line.fnr], color="0.75", linewidth=0.8, zorder=0, label=label)
        ax.plot([0, 1], [0, 1], label="always negative", **REFERENCE_LINE)
        ax.plot([0, 1], [1, 0], label="always positive", **{**REFERENCE_LINE, "linestyle": (0, (1, 2))})
        self._draw_lines(ax, lambda curve: (curve.probability_cost, curve.cost, f"area {curve.area:.3f}"))
        format_axes(ax, *self._names, ylim=(0.0, self._top))


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
        is_single, end = len(self.curves) == 1, self._end()
        for number, (name, curve) in enumerate(self.curves.items()):
            style, (x, loss) = line_style(number), thin(curve.cost_proportion, curve.loss)
            ax.plot(x, loss, label=f"{name} (area {curve.area:.3f})", **style)
            label = f"best thresholds (area {curve.best_area:.3f})" if is_single else None
            x = np.unique(np.concatenate([x, np.linspace(0.0, end, 501), [1.0]]))
            ax.plot(x, curve.best_at(x), label=label, **{**style, "linewidth": _THIN, "alpha": 0.7})
            if is_single:  # the loss by miscalibration
                ax.fill_between(x, curve.best_at(x), curve.at(x), color=style["color"], alpha=0.15, linewidth=0)
        if not is_single:
            ax.plot([], [], color="0.4", linewidth=_THIN, label="thin lines: best thresholds")
        top = max(float(curve.loss.max()) for curve in self.curves.values())
        format_axes(ax, "cost proportion $c$ (decision threshold)", "expected loss", xlim=(0.0, end))
        ax.set_ylim(0, 1.08 * max(top, 2 * share * (1 - share)))

    def _end(self) -> float:
        """Return the cost proportion from which on all models do as well as the likelier class always."""
        limit = 0.0
        for curve in self.curves.values():
            rate, x, loss = curve.base_rate, *thin(curve.cost_proportion, curve.loss)
            differs = np.abs(loss - 2 * rate * (1 - x)) > 0.02 * max(float(loss.max()), 1e-300)
            limit = max(limit, float(x[differs].max(initial=0.0)))
        return probability_limits(0.0, limit)[1]


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
            ax.plot(*thin(curve.fraction, curve.profit), label=f"{name} ({where})", **style)
            marker: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "color": style["color"]}
            point = [curve.fraction[best]], [curve.profit[best]]
            ax.plot(*point, linestyle="none", markersize=8, markeredgecolor="white", **marker)
        total = float(next(iter(self.curves.values())).profit[-1])
        ax.plot([0, 1], [0, total], label=f"random order (all rows: {format_number(total)})", **REFERENCE_LINE)
        format_axes(ax, "share of rows selected, most promising first", "profit")
        format_ticks(ax.yaxis, whole=False)


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
    def _of_models(cls, y_true: Any, models: Mapping[str, Any], rows: dict[str, Any], **options: Any) -> Self:
        if options.get("thresholds") is None:
            options["thresholds"] = _paying_thresholds(y_true, models, rows)
        display = super()._of_models(y_true, models, rows, **options)
        display.confidence = options.get("confidence")
        return display

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
