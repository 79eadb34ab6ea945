"""Cost lines: the cost of one classifier over all class distributions and costs (Drummond & Holte 2000, 2006)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant._numbers import as_floats
from calibrant._params import Real, check_param
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CostLine", "Costs", "Crossover"]


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
        try:
            matrix = as_floats(costs)
        except (TypeError, ValueError):
            matrix = np.empty(0)
        if matrix.shape != (2, 2) or not np.isfinite(matrix).all() or not (_net_costs(matrix) > 0).all():
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


def _net_costs(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([matrix[0, 1] - matrix[0, 0], matrix[1, 0] - matrix[1, 1]])


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
        """Return where the classifier costs less than always predicting the same class, or None if it never does.

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
