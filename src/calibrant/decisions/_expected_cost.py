"""Expected costs with the decision of the least, for probabilities and for predictions whose actual costs are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant.decisions._cost_matrix import CostMatrix, columns_by_name, cost_table
from calibrant.decisions._example_costs import ExampleCosts
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import Predictions, read_predictions

AnyCosts: TypeAlias = CostMatrix | ExampleCosts


def as_costs(costs: Any) -> AnyCosts:
    """Return costs unchanged, and make a `CostMatrix` of a dict of dicts or of a table (rows: actual class).

    Examples
    --------
    >>> as_costs([[0, 1], [10, 0]]).matrix
    array([[ 0.,  1.],
           [10.,  0.]])
    """
    if isinstance(costs, CostMatrix | ExampleCosts):
        return costs
    if isinstance(costs, Mapping):
        return CostMatrix.from_dict(costs)
    if cost_table(costs) is None:
        raise ParameterError(
            "costs must be a CostMatrix, ExampleCosts, dict of dicts or table of finite costs, actual classes in rows, "
            f"actions in columns; got {costs!r}."
        )
    return CostMatrix(costs)


_TOLERANCE = 1e-4  # single-precision probabilities, rounded or rescaled, still sum to 1 within this


def expected_cost(proba: Any, costs: Any, *, labels: Any = None) -> NDArray[np.float64]:
    """Return the expected cost of each action for each row.

    Parameters
    ----------
    proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes in the order of the matrix rows; or of the last of two classes. Columns of a frame
        are matched by name: with the classes of `labels` or of the matrix or, where neither names any, in sorted order.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        The costs of decisions. `ExampleCosts` must hold numbers: see `ExampleCosts.for_rows`.
    labels : sequence, optional
        The classes in the order of the columns of `proba`, such as ``model.classes_``; by default in that of the matrix
        rows.

    Returns
    -------
    array of shape (n_rows, n_actions)
        Expected costs.

    Examples
    --------
    >>> expected_cost([[0.7, 0.2, 0.1]], CostMatrix.errors("abc")).round(9)
    array([[0.3, 0.8, 0.9]])
    """
    return _expected(proba, costs, labels)[1]


def best_decision(proba: Any, costs: Any, *, labels: Any = None) -> NDArray[Any]:
    """Return the action of least expected cost for each row; ties are broken in favour of the first action.

    Parameters
    ----------
    proba, costs, labels
        As in `expected_cost`.

    Returns
    -------
    array of shape (n_rows,)
        Names of actions, or their indices where the matrix has no names.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [20, 0]], labels=["fine", "faulty"]).with_action("look closer", 0.6)
    >>> best_decision([0.01, 0.04, 0.9], costs)
    array(['fine', 'look closer', 'faulty'], dtype='<U11')

    The columns of a model are its classes in sorted order, here faulty and fine:

    >>> best_decision([[0.01, 0.99], [0.9, 0.1]], costs, labels=["faulty", "fine"])
    array(['fine', 'faulty'], dtype='<U11')
    """
    known, expected = _expected(proba, costs, labels)
    return action_names(known, expected.argmin(axis=1))


def action_names(costs: AnyCosts, action: NDArray[np.intp]) -> NDArray[Any]:
    """Return the names of actions, or their indices where they have no names."""
    if costs.actions is None:
        return action
    # Names of several types are kept as objects, where NumPy would make them all strings.
    names = np.empty(len(costs.actions), dtype=object)
    names[:] = costs.actions
    return names[action] if len(set(map(type, costs.actions))) > 1 else np.array(costs.actions)[action]


def _expected(proba: Any, costs: Any, labels: Any) -> tuple[AnyCosts, NDArray[np.float64]]:
    """Return the costs for the classes of the columns, and the expected cost of each action for each row."""
    known = as_costs(costs)
    if labels is not None and not isinstance(known, CostMatrix):
        raise ParameterError(
            "labels is for a CostMatrix; with ExampleCosts the last column is that of the positive class."
        )
    if isinstance(known, CostMatrix) and labels is not None:
        known = known.for_classes(labels, order=list(labels))
    n_classes = known.n_classes if isinstance(known, CostMatrix) else 2
    values = columns_by_name(proba, known.labels)
    if values.ndim == 1 and n_classes == 2:
        values = np.column_stack([1.0 - values, values])
    if values.ndim != 2 or values.shape[1] != n_classes:
        of = "" if known.labels is None else f" {list(known.labels)}"
        raise DataError(
            f"proba must have a column for each of the {n_classes} classes{of}{', or one' if n_classes == 2 else ''}; "
            f"got shape {np.shape(proba)}."
        )
    _raise_if_any(np.isnan(values), "NaN", "drop those rows, or have the model score them.")
    outside = (values < -_TOLERANCE) | (values > 1.0 + _TOLERANCE)
    _raise_if_any(outside, "value(s) outside [0, 1]", "pass probabilities, not scores.")
    off = np.abs(values.sum(axis=1, keepdims=True) - 1.0) > _TOLERANCE
    _raise_if_any(off, "probabilities that do not sum to 1", "divide each row by its sum.")
    return known, known.expected(values)


def _raise_if_any(wrong: NDArray[np.bool_], what: str, hint: str) -> None:
    rows = np.unique(np.nonzero(wrong)[0])
    if len(rows):
        raise DataError(f"proba has {len(rows)} row(s) with {what} (first at row {rows[0]}); {hint}")


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
