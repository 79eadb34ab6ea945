"""Cost curves: the cost of classifiers over all class distributions or costs (Drummond & Holte 2000, 2006)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant._params import Real, check_param
from calibrant.curves._curve import Curve, read_numbers
from calibrant.curves._roc_curve import roc
from calibrant.curves._roc_hull import hull_of
from calibrant.exceptions import ParameterError


@dataclass(frozen=True)
class Costs:
    """The costs of true and false negatives and positives.

    Parameters
    ----------
    tn, fp : float
        The cost of a negative row that is predicted negative, and positive.
    fn, tp : float
        The cost of a positive row that is predicted negative, and positive.

    Examples
    --------
    >>> costs = Costs.read([[0, 1], [5, 0]])
    >>> costs.probability_cost(0.2), costs.p(0.5)
    (array(0.55555556), array(0.16666667))
    """

    tn: float = 0.0
    fp: float = 1.0
    fn: float = 1.0
    tp: float = 0.0

    def __post_init__(self) -> None:
        for name in ("tn", "fp", "fn", "tp"):
            check_param(name, getattr(self, name), Real())

    @classmethod
    def read(cls, costs: Any) -> Costs:
        """Validate a matrix: rows actual class, columns decision, negative before positive; None: all errors cost 1."""
        if costs is None:
            return cls()
        matrix = read_numbers(costs)
        is_matrix = matrix.shape == (2, 2) and bool(np.isfinite(matrix).all())
        if not is_matrix or matrix[0, 1] <= matrix[0, 0] or matrix[1, 0] <= matrix[1, 1]:
            raise ParameterError(
                "costs must be [[C(-|-), C(+|-)], [C(-|+), C(+|+)]], rows the actual class, each error more expensive "
                f"than the correct decision; got {costs!r}."
            )
        return cls(*matrix.ravel().tolist())

    @property
    def of_errors(self) -> tuple[float, float]:
        """The cost of a false negative and of a false positive in excess of the correct decision."""
        return self.fn - self.tp, self.fp - self.tn

    def probability_cost(self, p: Any) -> NDArray[np.float64]:
        """Return the probability cost function at a share of positives: their part of the maximum cost of errors."""
        share = as_floats(p)
        positives, negatives = share * self.of_errors[0], (1.0 - share) * self.of_errors[1]
        return np.asarray(positives / (positives + negatives))

    def p(self, probability_cost: Any) -> NDArray[np.float64]:
        """Return the share of positives at a value of the probability cost function, its inverse."""
        x = as_floats(probability_cost)
        positives, negatives = x * self.of_errors[1], (1.0 - x) * self.of_errors[0]
        return np.asarray(positives / (positives + negatives))

    def expected(self, normalised: Any, p: Any) -> NDArray[np.float64]:
        """Return the expected cost of a row from the normalized one: 0 is always right, 1 always wrong."""
        share = as_floats(p)
        right = share * self.tp + (1.0 - share) * self.tn
        wrong = share * self.fn + (1.0 - share) * self.fp
        return np.asarray(right + as_floats(normalised) * (wrong - right))


class Crossover(NamedTuple):
    """The point where two classifiers cost the same, as probability cost function and as share of positives.

    Examples
    --------
    >>> costs = Costs.read([[0, 1], [4, 0]])
    >>> CostLine(0.25, 0.25, costs).crossover(CostLine(0.0, 0.5, costs))
    Crossover(probability_cost=0.5, p=0.2)
    """

    probability_cost: float
    p: float


@dataclass(frozen=True, repr=False)
class CostLine:
    """The normalized expected cost of a classifier, from `fpr` where only errors on negatives cost to `fnr`.

    Parameters
    ----------
    fpr, fnr : float
        The false positive rate and the false negative rate.
    costs : Costs
        The costs of decisions; by default all errors cost 1, and the line is that of the error rate.

    Examples
    --------
    >>> line = CostLine(0.25, 0.25)
    >>> line
    CostLine: from 0.25 to 0.25, better than always predicting the same class from 0.25 to 0.75
    >>> round(line.crossover(CostLine(0.1, 0.6)).p, 9)
    0.3
    """

    fpr: float
    fnr: float
    costs: Costs = field(default_factory=Costs)

    def __post_init__(self) -> None:
        check_param("fpr", self.fpr, Real(0, 1))
        check_param("fnr", self.fnr, Real(0, 1))

    def at(self, probability_cost: Any) -> NDArray[np.float64]:
        """Return the normalized expected cost.

        Examples
        --------
        >>> CostLine(0.1, 0.6).at([0.0, 0.5, 1.0])
        array([0.1 , 0.35, 0.6 ])
        """
        x = as_floats(probability_cost)
        return np.asarray(self.fnr * x + self.fpr * (1.0 - x))

    def expected_cost(self, p: Any) -> NDArray[np.float64]:
        """Return the expected cost of a row where the share of positives is p.

        Examples
        --------
        >>> CostLine(0.1, 0.6, Costs.read([[0, 1], [5, 0]])).expected_cost(0.2)  # 0.2 * 0.6 * 5 + 0.8 * 0.1
        array(0.68)
        """
        return self.costs.expected(self.at(self.costs.probability_cost(p)), p)

    def operating_range(self) -> tuple[float, float] | None:
        """Return the range where the classifier costs less than always predicting one class; None if it never does.

        The ends are values of the probability cost function; ``costs.p`` converts them into shares of positives.

        Examples
        --------
        >>> CostLine(0.25, 0.25).operating_range()
        (0.25, 0.75)
        """
        if self.fpr + self.fnr >= 1.0:
            return None
        return self.fpr / (1.0 + self.fpr - self.fnr), (1.0 - self.fpr) / (1.0 + self.fnr - self.fpr)

    def crossover(self, other: CostLine) -> Crossover | None:
        """Return the point where another classifier with the same costs becomes better or worse, or None.

        Examples
        --------
        >>> CostLine(0.25, 0.25).crossover(CostLine(0.3, 0.3)) is None
        True
        """
        at_left, at_right = other.fpr - self.fpr, other.fnr - self.fnr
        if at_left * at_right >= 0:
            return None
        x = at_left / (at_left - at_right)
        return Crossover(x, float(self.costs.p(x)))

    def __repr__(self) -> str:
        ends = self.operating_range()
        better = "never better than always predicting the same class"
        if ends is not None:
            better = f"better than always predicting the same class from {ends[0]:.4g} to {ends[1]:.4g}"
        return f"CostLine: from {self.fpr:.4g} to {self.fnr:.4g}, {better}"


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
        """Return the range where the best threshold costs less than always predicting one class; None if it never does.

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
