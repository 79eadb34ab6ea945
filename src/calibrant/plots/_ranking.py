"""Displays of rankings: ROC, precision-recall, lift and gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, check_param
from calibrant.curves import LiftCurve, PrecisionRecallCurve, RocCurve, hull_of, lift, precision_recall, roc
from calibrant.plots._display import Display
from calibrant.plots._style import (
    REFERENCE_LINE,
    format_axes,
    format_number,
    format_ticks,
    line_style,
    probability_limits,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 0.02  # share of the rows or positives at which a curve is mostly noise and does not set the scale
_MAX_VERTICES = 30  # of a hull: more markers touch each other


class RocDisplay(Display):
    """ROC curves, optionally with the convex hull of all of them.

    Parameters
    ----------
    curves : dict of str to RocCurve
        The curves.
    hull : bool
        Whether to draw the convex hull of all curves, with its vertices marked where there are at most 30.
    pos_label : optional
        The positive class, which the legend names.

    Examples
    --------
    >>> display = RocDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], hull=True)
    >>> [line.get_label() for line in display.ax_.lines]
    ['random order', 'model (AUC 0.750)', 'convex hull (AUC 0.875)']
    """

    _curve = staticmethod(roc)
    _display_options = ("hull",)

    def __init__(self, curves: Mapping[str, RocCurve], *, hull: bool = False, pos_label: Any = None) -> None:
        check_param("hull", hull, Bool())
        super().__init__(curves, pos_label=pos_label)
        self.hull = hull

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], label="random order", **REFERENCE_LINE)
        self._draw_lines(ax, lambda curve: (curve.fpr, curve.tpr, f"AUC {curve.auc:.3f}"))
        if self.hull:
            hull = hull_of(self.curves)
            style: dict[str, Any] = {"color": "0.1", "linewidth": 0.8, "zorder": 2.5}
            if len(hull.fpr) <= _MAX_VERTICES:
                style |= {"marker": "o", "markersize": 3.5, "markerfacecolor": "white", "markeredgewidth": 0.8}
            ax.plot(hull.fpr, hull.tpr, label=f"convex hull (AUC {hull.auc:.3f})", **style)
            ax.fill_between(hull.fpr, hull.tpr, color="0.95", linewidth=0, zorder=0)
        format_axes(ax, "false positive rate", "true positive rate", ylim=(0.0, 1.0))


class PrecisionRecallDisplay(Display):
    """Precision against recall, drawn in steps, since points between two thresholds are not attained.

    Where precision stays below 0.5 from a recall of 2 % on, as with a rare class, the vertical axis ends above it.

    Examples
    --------
    >>> display = PrecisionRecallDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], name="tree")
    >>> display.ax_.get_xlabel(), display.ax_.lines[0].get_label()
    ('recall', 'tree (average precision 0.833)')
    """

    _curve = staticmethod(precision_recall)

    curves: dict[str, PrecisionRecallCurve]

    def _draw(self, ax: Axes) -> None:
        for number, (name, curve) in enumerate(self.curves.items()):
            label = f"{name} (average precision {curve.average_precision:.3f})"
            recall, precision = np.append(0.0, curve.recall), np.append(curve.precision[0], curve.precision)
            ax.step(*thin(recall, precision), where="pre", label=label, **line_style(number))
        rate = next(iter(self.curves.values())).base_rate
        ax.axhline(rate, label=f"base rate {rate:.3g}", **REFERENCE_LINE)
        top = max(float(curve.precision[curve.recall >= _FEW].max(initial=0.0)) for curve in self.curves.values())
        format_axes(ax, "recall", "precision", ylim=probability_limits(0.0, top))


class LiftDisplay(Display):
    """The lift against the share of rows that are selected.

    The lift of very few rows varies widely; the vertical axis covers the lift of 2 % of the rows or more.

    Examples
    --------
    >>> display = LiftDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> display.ax_.lines[0].get_ydata()
    array([2.        , 2.        , 1.        , 1.33333333, 1.        ])
    """

    _curve = staticmethod(lift)

    curves: dict[str, LiftCurve]

    def _draw(self, ax: Axes) -> None:
        self._draw_lines(ax, lambda curve: (curve.fraction, curve.lift, f"lift {curve.lift_at(0.1):.2f} at 10 %"))
        ax.axhline(1.0, label="random order", **REFERENCE_LINE)
        # The lift of the first few rows is mostly noise and would flatten the rest of the curve.
        top = 1.15 * max(float(curve.lift[curve.fraction >= _FEW].max()) for curve in self.curves.values())
        format_axes(ax, "share of rows selected, most likely first", "lift", ylim=(0.0, top))


class GainsDisplay(Display):
    """The number of positives against the share of rows that are selected: the lift chart of Witten, Frank & Hall.

    Examples
    --------
    >>> display = GainsDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> display.ax_.lines[-1].get_ydata()
    array([0., 1., 1., 2., 2.])
    """

    _curve = staticmethod(lift)
    _size: ClassVar[tuple[float, float]] = (5.8, 4.6)

    curves: dict[str, LiftCurve]

    def _draw(self, ax: Axes) -> None:
        first = next(iter(self.curves.values()))
        total = float(first.responses[-1])
        ax.plot(
            [0, total / first.n_rows, 1],
            [0, total, total],
            color="0.25",
            linewidth=1.0,
            label="perfect ranking",
            zorder=1,
        )
        ax.plot([0, 1], [0, total], label="random order", **REFERENCE_LINE)

        def words(curve: LiftCurve) -> str:
            return f"{format_number(float(curve.responses_at(0.1)))} positives at 10 %"

        self._draw_lines(ax, lambda curve: (curve.fraction, curve.responses, words(curve)))
        format_axes(ax, "share of rows selected, most likely first", "positives selected", ylim=(0.0, total))
        format_ticks(ax.yaxis)
        both = (lambda number: 100 * number / total, lambda percent: percent * total / 100)
        share = ax.secondary_yaxis("right", functions=both)
        share.set_ylabel("% of all positives")

        share.spines["right"].set_visible(False)
