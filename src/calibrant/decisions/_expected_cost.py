"""Expected costs, with the decision of the least: argmin over actions of the sum over classes of p * cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant.decisions._cost_matrix import CostMatrix, columns_by_name, cost_table
from calibrant.decisions._example_costs import ExampleCosts
from calibrant.exceptions import DataError, ParameterError

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
    known = _for_columns(costs, labels)
    return known.expected(_read_probabilities(proba, known))


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
    known = _for_columns(costs, labels)
    return action_names(known, known.expected(_read_probabilities(proba, known)).argmin(axis=1))


def action_names(costs: AnyCosts, action: NDArray[np.intp]) -> NDArray[Any]:
    """Return the names of actions, or their indices where they have no names."""
    return action if costs.actions is None else _array_of_names(costs.actions)[action]


def _for_columns(costs: Any, labels: Any) -> AnyCosts:
    """Return costs for the classes of the columns."""
    known = as_costs(costs)
    if labels is None:
        return known
    if not isinstance(known, CostMatrix):
        raise ParameterError(
            "labels is for a CostMatrix; with ExampleCosts the last column is that of the positive class."
        )
    return known.for_classes(labels, order=list(labels))


def _array_of_names(names: tuple[Any, ...]) -> NDArray[Any]:
    """Return names as an array; names of several types are kept as objects, where NumPy would make them all strings."""
    if len({type(name) for name in names}) == 1:
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _read_probabilities(proba: Any, costs: AnyCosts) -> NDArray[np.float64]:
    """Return the probabilities as a table with a column for each class of the costs; raise if they are not any."""
    n_classes = costs.n_classes if isinstance(costs, CostMatrix) else 2
    values = columns_by_name(proba, costs.labels)
    if values.ndim == 1 and n_classes == 2:
        values = np.column_stack([1.0 - values, values])
    if values.ndim != 2 or values.shape[1] != n_classes:
        of = "" if costs.labels is None else f" {list(costs.labels)}"
        raise DataError(
            f"proba must have a column for each of the {n_classes} classes{of}{', or one' if n_classes == 2 else ''}; "
            f"got shape {np.shape(proba)}."
        )
    _check_probabilities(values)
    return values


def _check_probabilities(values: NDArray[np.float64]) -> None:
    """Raise unless every row holds probabilities that sum to 1."""
    _raise_if_any(np.isnan(values), "NaN", "drop those rows, or have the model score them.")
    outside = (values < -_TOLERANCE) | (values > 1.0 + _TOLERANCE)
    _raise_if_any(outside, "value(s) outside [0, 1]", "pass probabilities, not scores.")
    off = np.abs(values.sum(axis=1, keepdims=True) - 1.0) > _TOLERANCE
    _raise_if_any(off, "probabilities that do not sum to 1", "divide each row by its sum.")


def _raise_if_any(wrong: NDArray[np.bool_], what: str, hint: str) -> None:
    rows = np.unique(np.nonzero(wrong)[0])
    if len(rows):
        raise DataError(f"proba has {len(rows)} row(s) with {what} (first at row {rows[0]}); {hint}")
