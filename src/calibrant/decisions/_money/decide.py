"""The decision of least expected cost: argmin over actions of the sum over classes of p times cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.either_costs import AnyCosts, as_costs
from calibrant.exceptions import DataError, DataTypeError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["best_decision", "expected_cost", "named"]

_SUM = 1e-4


def expected_cost(proba: Any, costs: Any, *, labels: Any = None) -> NDArray[np.float64]:
    """Give what each action is expected to cost for each row.

    Parameters
    ----------
    proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in the order of the rows of the matrix; or of the last of two.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        What decisions cost. `ExampleCosts` must have its numbers: see `ExampleCosts.for_rows`.
    labels : sequence, optional
        The classes in the order of the columns of `proba`, such as ``model.classes_``; by default that of the rows of
        the matrix.

    Returns
    -------
    array of shape (n_rows, n_actions)
        Expected costs.

    Examples
    --------
    >>> expected_cost([[0.7, 0.2, 0.1]], CostMatrix.errors("abc")).round(9)
    array([[0.3, 0.8, 0.9]])
    """
    read = _for_columns(costs, labels)
    return read.expected(_table(proba, read))


def best_decision(proba: Any, costs: Any, *, labels: Any = None) -> NDArray[Any]:
    """Give the action of least expected cost for each row; of equal ones the first.

    Parameters
    ----------
    proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in the order of the rows of the matrix; or of the last of two.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        What decisions cost.
    labels : sequence, optional
        The classes in the order of the columns of `proba`, such as ``model.classes_``; by default that of the rows of
        the matrix.

    Returns
    -------
    array of shape (n_rows,)
        Actions by name, or by number where the matrix has no names.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [20, 0]], labels=["fine", "faulty"]).with_action("look closer", 0.6)
    >>> best_decision([0.01, 0.04, 0.9], costs)
    array(['fine', 'look closer', 'faulty'], dtype='<U11')

    A model's columns are its sorted classes, here faulty and fine:

    >>> best_decision([[0.01, 0.99], [0.9, 0.1]], costs, labels=["faulty", "fine"])
    array(['fine', 'faulty'], dtype='<U11')
    """
    read = _for_columns(costs, labels)
    return named(read, read.expected(_table(proba, read)).argmin(axis=1))


def named(costs: AnyCosts, column: NDArray[np.intp]) -> NDArray[Any]:
    """Give actions by name where they have any."""
    return column if costs.actions is None else _array(costs.actions)[column]


def _for_columns(costs: Any, labels: Any) -> AnyCosts:
    read = as_costs(costs)
    if labels is None:
        return read
    if not isinstance(read, CostMatrix):
        raise ParameterError(
            "labels is for a CostMatrix; with ExampleCosts the last column is that of the positive class."
        )
    return read.for_classes(labels, order=list(labels))


def _array(names: tuple[Any, ...]) -> NDArray[Any]:
    """Give names as an array that keeps each as it is, of one type or not."""
    if len({type(name) for name in names}) == 1:
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _table(proba: Any, costs: AnyCosts) -> NDArray[np.float64]:
    n_classes = costs.n_classes if isinstance(costs, CostMatrix) else 2
    try:
        values = np.asarray(proba, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError("proba must hold numbers: a column for each class, or one for the last of two.") from error
    if values.ndim == 1 and n_classes == 2:
        values = np.column_stack([1.0 - values, values])
    if values.ndim != 2 or values.shape[1] != n_classes:
        raise DataError(f"proba has shape {values.shape}; costs are for {n_classes} classes, one column for each.")
    wrong = ~((values >= -_SUM) & (values <= 1.0 + _SUM)).all(axis=1) | ~(np.abs(values.sum(axis=1) - 1.0) <= _SUM)
    if wrong.any():
        raise DataError(
            f"proba has {wrong.sum()} row(s) (first at row {wrong.argmax()}) that are no probabilities: each in "
            "[0, 1], and a row sums to 1."
        )
    return values
