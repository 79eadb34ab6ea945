"""Rows to be judged by money: what was foreseen of every action, and what each would have cost in truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.either_costs import as_costs
from calibrant.decisions._costs.example_costs import ExampleCosts
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import Predictions, check_two_classes, read_predictions, row_amounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Case", "read_case"]


@dataclass(frozen=True, eq=False)
class Case:
    """Rows that count, with costs.

    Parameters
    ----------
    read : Predictions
        The rows and their probabilities.
    costs : CostMatrix or ExampleCosts
        What decisions cost, for the classes in the order of `read`.
    actions : tuple
        What can be done.
    paid : array of shape (n_rows, n_actions)
        What each action costs each row in truth.

    Examples
    --------
    >>> case = read_case([0, 1], [0.2, 0.9], [[0, 1], [10, 0]])
    >>> case.decided(), case.paid
    (array([1, 1]), array([[ 0.,  1.],
           [10.,  0.]]))
    """

    read: Predictions
    costs: CostMatrix | ExampleCosts
    actions: tuple[Any, ...]
    paid: NDArray[np.float64]

    def foreseen(self, proba: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Give the expected cost of every action, by the probabilities of the rows or by others."""
        table = self.read.proba if proba is None else proba
        if isinstance(self.costs, CostMatrix):
            return self.costs.expected(table)
        positive = table[:, self.read.positive]
        return self.costs.expected(np.column_stack([1.0 - positive, positive]))

    def decided(self, proba: NDArray[np.float64] | None = None) -> NDArray[np.intp]:
        """Give the action of least expected cost for each row, of equal ones the first."""
        return np.asarray(self.foreseen(proba).argmin(axis=1))

    def earned(self, column: NDArray[np.intp] | int) -> NDArray[np.float64]:
        """Give what each row brings by some action."""
        places = np.broadcast_to(np.asarray(column), (len(self.paid),))
        return np.asarray(0.0 - np.take_along_axis(self.paid, places[:, None], axis=1)[:, 0])

    def in_hindsight(self) -> NDArray[np.float64]:
        """Give what each row brings by the action that is best once its class is known."""
        return np.asarray(0.0 - self.paid.min(axis=1))


def read_case(
    y_true: Any,
    y_proba: Any,
    costs: Any,
    *,
    amount: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> Case:
    """Check predictions and costs, and bring them together."""
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    given = as_costs(costs)
    if isinstance(given, ExampleCosts):
        return _by_row(read, given, amount)
    if amount is not None:
        raise ParameterError("amount is for ExampleCosts; a CostMatrix says what decisions cost by itself.")
    matrix = given.for_classes(read.classes, order=None if labels is None else read.classes.tolist())
    return Case(read, matrix, matrix.actions or (), matrix.of_classes(read.label))


def _by_row(read: Predictions, costs: ExampleCosts, amount: Any) -> Case:
    check_two_classes(read, "ExampleCosts")
    cost, benefit = (_kept(values, read) for values in costs.numbers(_n_given(read, costs)))
    is_positive = read.label == read.positive
    brought = (
        benefit if amount is None else np.where(is_positive, row_amounts("amount", amount, read, is_positive), 0.0)
    )
    paid = np.column_stack([np.zeros(read.n_rows), cost - np.where(is_positive, brought, 0.0)])
    return Case(read, replace(costs, cost=cost, benefit=benefit), costs.actions, paid)


def _n_given(read: Predictions, costs: ExampleCosts) -> int:
    for name in ("cost", "benefit"):
        given = getattr(costs, name)
        if isinstance(given, np.ndarray | list | tuple) and np.shape(given) not in ((), (read.n_given,)):
            raise DataError(f"{name} of costs has shape {np.shape(given)}; there are {read.n_given} rows.")
    return read.n_given


def _kept(values: NDArray[np.float64], read: Predictions) -> NDArray[np.float64]:
    return values if read.kept is None else values[read.kept]
