"""Displays of rankings: ROC, precision-recall, lift and gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, check_param
from calibrant.curves import (
    LiftCurve,
    PrecisionRecallCurve,
    RocCurve,
    hull_of,
    lift,
    precision_recall,
    roc,
)
from calibrant.plots._display import Display
from calibrant.plots._style import QUIET, counted, look, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GainsDisplay", "LiftDisplay", "PrecisionRecallDisplay", "RocDisplay"]


class RocDisplay(Display):
    """ROC curves, with the hull of all of them on request.

    Parameters
    ----------
    curves : dict of str to RocCurve
        The curves.
    hull : bool
        Draw the convex hull of all curves together, its corners marked.
    pos_label : optional
        The positive class, which the legend names.

    Examples
    --------
    >>> display = RocDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], hull=True)
    >>> [line.get_label() for line in display.ax_.lines]
    ['chance', 'model (AUC 0.750)', 'hull (AUC 0.875)']
    """

    _curve = staticmethod(roc)
    _drawing = ("hull",)

    def __init__(self, curves: Mapping[str, RocCurve], *, hull: bool = False, pos_label: Any = None) -> None:
        check_param("hull", hull, Bool())
        super().__init__(curves, pos_label=pos_label)
        self.hull = hull

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], label="chance", **QUIET)
        for number, (name, curve) in enumerate(self.curves.items()):
            ax.plot(curve.fpr, curve.tpr, label=self._label(name, f"AUC {curve.auc:.3f}"), **look(number))
        if self.hull:
            self._draw_hull(ax)
        tidy(ax, "false positive rate", "true positive rate", ylim=(0.0, 1.0))

    def _draw_hull(self, ax: Axes) -> None:
        hull = hull_of(self.curves)
        mark: dict[str, Any] = {"marker": "o", "markersize": 3.5, "markerfacecolor": "white", "markeredgewidth": 0.8}
        label = self._label("hull", f"AUC {hull.auc:.3f}")
        ax.plot(hull.fpr, hull.tpr, color="0.1", linewidth=0.8, zorder=2.5, label=label, **mark)
        ax.fill_between(hull.fpr, hull.tpr, color="0.95", linewidth=0, zorder=0)


class PrecisionRecallDisplay(Display):
    """Precision against recall; each step is drawn as one, since no mix lies between two points.

    Examples
    --------
    >>> display = PrecisionRecallDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], name="tree")
    >>> display.ax_.get_xlabel(), display.ax_.lines[0].get_label()
    ('recall', 'tree (average precision 0.833)')
    """

    _curve = staticmethod(precision_recall)
    _corner = "upper right"

    curves: dict[str, PrecisionRecallCurve]

    def _draw(self, ax: Axes) -> None:
        for number, (name, curve) in enumerate(self.curves.items()):
            label = self._label(name, f"average precision {curve.average_precision:.3f}")
            recall, precision = np.append(0.0, curve.recall), np.append(curve.precision[0], curve.precision)
            ax.step(recall, precision, where="pre", label=label, **look(number))
        rate = next(iter(self.curves.values())).base_rate
        ax.axhline(rate, label=f"base rate {rate:.3g}", **QUIET)
        tidy(ax, "recall", "precision", ylim=(0.0, 1.0))


class LiftDisplay(Display):
    """The lift factor against the share of rows that is selected.

    Among the first few rows the lift jumps about; the picture is as high as the lift of 2 % of the rows or more needs.

    Examples
    --------
    >>> display = LiftDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> display.ax_.lines[0].get_ydata()
    array([2.        , 2.        , 1.        , 1.33333333, 1.        ])
    """

    _curve = staticmethod(lift)
    _corner = "upper right"

    curves: dict[str, LiftCurve]

    def _draw(self, ax: Axes) -> None:
        for number, (name, curve) in enumerate(self.curves.items()):
            label = self._label(name, f"first 10 %: {curve.lift_at(0.1):.2f}")
            ax.plot(curve.fraction, curve.lift, label=label, **look(number))
        ax.axhline(1.0, label="chance", **QUIET)
        top = 1.15 * max(float(curve.lift[curve.fraction >= 0.02].max()) for curve in self.curves.values())
        tidy(ax, "share of rows selected, likeliest first", "lift", ylim=(0.0, top))


class GainsDisplay(Display):
    """The number of positives found against the share of rows that is selected: the chapter's lift chart.

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
        ax.plot([0, 1], [0, total], label="chance", **QUIET)
        for number, (name, curve) in enumerate(self.curves.items()):
            label = self._label(name, f"first 10 %: {curve.responses_at(0.1):.3g}")
            ax.plot(curve.fraction, curve.responses, label=label, **look(number))
        tidy(ax, "share of rows selected, likeliest first", "positives found", ylim=(0.0, total))
        counted(ax)
        _draw_percentages(ax, total)


def _draw_percentages(ax: Axes, total: float) -> None:
    """Say on the right how many of all positives they are."""

    def percent(number: Any) -> Any:
        return 100 * number / total

    def number(percent: Any) -> Any:
        return percent * total / 100

    share = ax.secondary_yaxis("right", functions=(percent, number))
    share.set_ylabel("% of all positives")
    share.spines["right"].set_visible(False)
