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
