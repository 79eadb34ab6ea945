"""Cost and error curves: the cost of the best threshold over all class distributions (Drummond & Holte 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant.curves._costs.cost_line import CostLine, Costs, Crossover
from calibrant.curves._curve import Curve
from calibrant.curves._roc.roc_curve import roc
from calibrant.curves._roc.roc_hull import hull_of
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CostCurve", "cost_curve", "error_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(Curve):
    """The lower envelope of the cost lines of all thresholds: the cost of the best threshold.

    The line of a threshold goes from `fpr`, where only errors on negatives cost, to `fnr`. Always predicting negative
    is the line of an infinite threshold, from 0 to 1; always predicting positive is that of the lowest, from 1 to 0.

    Parameters
    ----------
    probability_cost : array of shape (n_points,)
        The vertices of the envelope, from 0 to 1: ``p[+] C(-|+) / (p[+] C(-|+) + p[-] C(+|-))``. If correct decisions
        cost something, C is the cost of an error in excess of that.
    cost : array of shape (n_points,)
        The normalized expected cost: 0 if always right, 1 if always wrong.
    best_threshold : array of shape (n_points - 1,)
        The best threshold between each vertex and the next.
    threshold, fpr, fnr : array of shape (n_thresholds,)
        The threshold and the ends of each cost line.
    costs : Costs
        The costs of decisions.

    Examples
    --------
    >>> curve = cost_curve([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6])
    >>> curve
    CostCurve: area 0.125 under the envelope of 5 thresholds; maximum cost 0.25 at 0.5
    >>> curve.to_frame()
       probability_cost  cost
    0               0.0  0.00
    1               0.5  0.25
    2               1.0  0.00
    """

    _columns: ClassVar[tuple[str, ...]] = ("probability_cost", "cost")

    probability_cost: NDArray[np.float64]
    cost: NDArray[np.float64]
    best_threshold: NDArray[np.float64]
    threshold: NDArray[np.float64]
    fpr: NDArray[np.float64]
    fnr: NDArray[np.float64]
    costs: Costs

    @property
    def area(self) -> float:
        """The area under the envelope: the mean cost of the best thresholds over all values of the function."""
        return float((np.diff(self.probability_cost) * (self.cost[1:] + self.cost[:-1])).sum() / 2.0)

    def at(self, probability_cost: Any) -> NDArray[np.float64]:
        """Return the normalized expected cost of the best threshold.

        Examples
        --------
        >>> cost_curve([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).at([0.25, 0.5])
        array([0.125, 0.25 ])
        """
        return np.interp(as_floats(probability_cost), self.probability_cost, self.cost)

    def expected_cost(self, p: Any) -> NDArray[np.float64]:
        """Return the expected cost of a row at the best threshold, where the share of positives is p.

        Examples
        --------
        >>> cost_curve([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6], costs=[[0, 2], [2, 0]]).expected_cost(0.5)
        array(0.5)
        """
        return self.costs.expected(self.at(self.costs.probability_cost(p)), p)

    def operating_range(self) -> tuple[float, float] | None:
        """Return where the best threshold costs less than always predicting the same class, or None if it never does.

        The ends are values of the probability cost function; ``costs.p`` converts them into shares of positives.

        Examples
        --------
        >>> start, end = cost_curve([0, 1, 1, 0], [0.6, 0.9, 0.4, 0.4]).operating_range()
        >>> round(start, 9), round(end, 9)
        (0.0, 0.666666667)
        """
        first, last = (self.line(float(self.best_threshold[side])) for side in (0, -1))
        start = self.probability_cost[1] if (first.fpr, first.fnr) == (0.0, 1.0) else 0.0
        end = self.probability_cost[-2] if (last.fpr, last.fnr) == (1.0, 0.0) else 1.0
        return (float(start), float(end)) if start < end else None

    def line(self, threshold: float) -> CostLine:
        """Return the cost line of a threshold: rows with at least this probability are predicted positive.

        Examples
        --------
        >>> cost_curve([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).line(0.5)
        CostLine: from 0.5 to 0.5, never better than always predicting the same class
        """
        above = np.flatnonzero(self.threshold >= threshold)
        if not len(above):
            raise ParameterError(f"threshold must be a number or infinity; got {threshold!r}.")
        return CostLine(float(self.fpr[above[-1]]), float(self.fnr[above[-1]]), self.costs)

    def crossovers(self, other: CostCurve) -> list[Crossover]:
        """Return the points where the envelope of another model crosses this one, from left to right.

        Examples
        --------
        >>> one = cost_curve([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6])
        >>> one.crossovers(cost_curve([0, 1, 1, 0], [0.3, 0.4, 0.9, 0.6]))
        []
        """
        x = np.unique(np.concatenate([self.probability_cost, other.probability_cost]))
        gap = self.at(x) - other.at(x)
        # A gap below 1e-12 is rounding: the curves coincide there.
        apart = np.flatnonzero(np.abs(gap) > 1e-12)
        start = apart[:-1][gap[apart[:-1]] * gap[apart[1:]] < 0]
        # Where the curves meet in a vertex, the gap there is 0 and the line from `start` ends in it.
        crossings = x[start] + gap[start] * (x[start + 1] - x[start]) / (gap[start] - gap[start + 1])
        return [Crossover(float(crossing), float(self.costs.p(crossing))) for crossing in crossings]

    def __repr__(self) -> str:
        most = int(self.cost.argmax())
        worst = f"maximum cost {self.cost[most]:.4g} at {self.probability_cost[most]:.4g}"
        return f"CostCurve: area {self.area:.4g} under the envelope of {len(self.threshold)} thresholds; {worst}"


@fill_docstring()
def cost_curve(
    y_true: Any,
    y_proba: Any,
    *,
    costs: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> CostCurve:
    """Compute the normalized expected cost of the best threshold for every class distribution.

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    costs : array of shape (2, 2), optional
        The costs of decisions: rows the actual class, columns the decision, negative before positive. Correct
        decisions may cost something, but less than errors. By default all errors cost 1.
    %(prediction_options)s

    %(returns_curve)s

    Examples
    --------
    >>> curve = cost_curve(["no", "yes", "yes", "no"], [0.3, 0.9, 0.4, 0.6], costs=[[0, 1], [4, 0]])
    >>> curve.probability_cost, curve.costs.p(curve.probability_cost)
    (array([0. , 0.5, 1. ]), array([0. , 0.2, 1. ]))
    >>> curve.best_threshold
    array([0.9, 0.4])
    """
    matrix = Costs.read(costs)
    curve = roc(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    hull = hull_of({"": curve})
    rise, run = np.diff(hull.tpr), np.diff(hull.fpr)
    ends = np.unique(np.concatenate([[0.0, 1.0], run / (rise + run)]))
    cost = (ends[:, None] * (1.0 - hull.tpr) + (1.0 - ends[:, None]) * hull.fpr).min(axis=1)
    # The best threshold is constant between two vertices; the midpoint avoids the tie at the vertex.
    middle = ((ends[1:] + ends[:-1]) / 2.0)[:, None]
    best = (middle * (1.0 - hull.tpr) + (1.0 - middle) * hull.fpr).argmin(axis=1)
    return CostCurve(ends, cost, hull.threshold[best], curve.threshold, curve.fpr, 1.0 - curve.tpr, matrix)


@fill_docstring()
def error_curve(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> CostCurve:
    """Compute the error rate of the best threshold for every class distribution.

    It is the cost curve with a cost of 1 for all errors: `probability_cost` is the share of positives, `cost` the error
    rate.

    %(curve_sections)s

    Examples
    --------
    >>> error_curve([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).line(0.9).at(0.5)
    array(0.25)
    """
    return cost_curve(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
