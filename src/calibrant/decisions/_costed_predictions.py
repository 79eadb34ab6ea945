"""Predictions with costs: the expected and the actual cost of every action for every row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._example_costs import ExampleCosts
from calibrant.decisions._expected_cost import as_costs
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import Predictions, read_predictions


@dataclass(frozen=True, eq=False)
class CostedPredictions:
    """Validated predictions with costs."""

    predictions: Predictions
    costs: CostMatrix | ExampleCosts  # for the classes in the order of the predictions
    actions: tuple[Any, ...]
    actual_costs: NDArray[np.float64]  # rows x actions, given the actual class of each row

    def expected_costs(
        self, proba: NDArray[np.float64] | None = None, rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.float64]:
        """Return the expected cost of every action, by the predicted probabilities or by others, those of some rows."""
        table = self.predictions.proba if proba is None else proba
        if isinstance(self.costs, CostMatrix):
            return self.costs.expected(table)
        positive = table[:, self.predictions.positive]
        costs = self.costs
        if rows is not None:
            costs = replace(costs, cost=np.asarray(costs.cost)[rows], benefit=np.asarray(costs.benefit)[rows])
        return costs.expected(np.column_stack([1.0 - positive, positive]))

    def decisions(self, proba: NDArray[np.float64] | None = None) -> NDArray[np.intp]:
        """Return the action of least expected cost for each row; ties are broken in favour of the first action."""
        return np.asarray(self.expected_costs(proba).argmin(axis=1))

    def earnings(self, action: NDArray[np.intp] | int) -> NDArray[np.float64]:
        """Return the earnings of each row by an action, one for all rows or one for each."""
        column = np.broadcast_to(np.asarray(action), (len(self.actual_costs),))
        return np.asarray(0.0 - np.take_along_axis(self.actual_costs, column[:, None], axis=1)[:, 0])

    def best_earnings(self) -> NDArray[np.float64]:
        """Return the earnings of each row by the action that is best for its actual class."""
        return np.asarray(0.0 - self.actual_costs.min(axis=1))

    def leave_and_select(self) -> tuple[int, int]:
        """Return the indices of the action that leaves a row alone and of the one that selects it."""
        if len(self.actions) != 2:
            raise ParameterError(f"costs of cost_benefit must have two actions; got {list(self.actions)}.")
        read = self.predictions
        positive = read.classes.tolist()[read.positive]
        if positive in self.actions:
            select = self.actions.index(positive)
            return 1 - select, select
        if not isinstance(self.costs, CostMatrix):
            return 0, 1
        others = np.delete(self.costs.matrix, read.positive, axis=0).mean(axis=0)
        advantage = others - self.costs.matrix[read.positive]
        return (1, 0) if advantage[0] > advantage[1] else (0, 1)

    @staticmethod
    def read(
        y_true: Any, y_proba: Any, costs: Any, *, amount: Any = None, labels: Any = None, **options: Any
    ) -> CostedPredictions:
        """Validate predictions, with the `options` of `read_predictions`, and costs, and combine them.

        Examples
        --------
        >>> costed = CostedPredictions.read([0, 1], [0.2, 0.9], [[0, 1], [10, 0]])
        >>> costed.decisions(), costed.actual_costs
        (array([1, 1]), array([[ 0.,  1.],
               [10.,  0.]]))
        """
        read = read_predictions(y_true, y_proba, labels=labels, **options)
        known = as_costs(costs)
        if isinstance(known, ExampleCosts):
            return _with_example_costs(read, known, amount)
        if amount is not None:
            raise ParameterError("amount is for ExampleCosts; a CostMatrix holds all amounts itself.")
        matrix = known.for_classes(read.classes, order=None if labels is None else read.classes.tolist())
        return CostedPredictions(read, matrix, matrix.actions or (), matrix.of_classes(read.label))


def _with_example_costs(read: Predictions, costs: ExampleCosts, amount: Any) -> CostedPredictions:
    read.check_two_classes("ExampleCosts")
    n_rows = read.n_input_rows
    for name, value in (("cost", costs.cost), ("benefit", costs.benefit)):
        if isinstance(value, np.ndarray | list | tuple) and np.shape(value) not in ((), (n_rows,)):
            raise DataError(f"{name} of costs must be one number or {n_rows}, one for each row; got {np.shape(value)}.")
    cost, benefit = (values if read.kept is None else values[read.kept] for values in costs.numbers(n_rows))
    is_positive = read.label == read.positive
    revenue = benefit if amount is None else read.read_amounts("amount", amount, is_positive)
    actual = np.column_stack([np.zeros(read.n_rows), cost - np.where(is_positive, revenue, 0.0)])
    return CostedPredictions(read, replace(costs, cost=cost, benefit=benefit), costs.actions, actual)
