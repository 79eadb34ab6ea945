"""Costs and profits of decisions: from a cost matrix, or from an amount for each row."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats
from calibrant.exceptions import ParameterError
from calibrant.metrics._classification.confusion import Confusions, judge_confusion
from calibrant.metrics._docstrings import Common
from calibrant.metrics._metric import WITTEN, ZADROZNY, metric, read_rows
from calibrant.metrics._validation.predictions import Predictions


@metric("lower", -math.inf, math.inf, {WITTEN: "cost"}, needs=("matrix",))
def cost(y_true: Any, y_proba: Any, *, matrix: Any, decide: str = "likeliest", **common: Unpack[Common]) -> float:
    """Return the mean cost of a row under a cost matrix: lower is better.

    %(parameters)s
    matrix : array of shape (n_classes, n_classes)
        The cost of deciding for a class (columns) where another is the actual one (rows); classes in the order of
        `labels`, or else sorted. Negative costs are gains.
    decide : {"likeliest", "cheapest"}
        Decide for the class of the largest probability, or for that of the least expected cost; ties are broken in
        favor of the lower class.

    %(returns)s
        The mean cost.

    Examples
    --------
    >>> rows = ["no", "yes", "no", "yes"], [0.1, 0.8, 0.4, 0.3]
    >>> cost(*rows, matrix=[[0, 1], [10, 0]]), cost(*rows, matrix=[[0, 1], [10, 0]], decide="cheapest")
    (2.5, 0.5)
    """
    predictions = read_rows("cost", y_true, y_proba, common, decide=decide)
    if decide == "cheapest":
        return predictions.mean(least_costs(predictions, matrix, common.get("labels")))
    return judge_confusion(mean_costs, predictions, matrix=matrix, labels=common.get("labels"))


def mean_costs(confusions: Confusions, matrix: Any, labels: Any = None) -> NDArray[np.float64]:
    """Return the mean cost of a row by each confusion matrix, if its likeliest class is decided for."""
    costs = read_matrix(matrix, confusions.predictions, labels)
    return confusions.summed(costs * confusions.counts) / confusions.total


def row_costs(predictions: Predictions, matrix: Any, labels: Any = None) -> NDArray[np.float64]:
    """Return the cost of each row if its likeliest class is decided for.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> row_costs(read_predictions([0, 1], [0.1, 0.05]), [[0, 1], [10, 0]])
    array([ 0., 10.])
    """
    return np.asarray(read_matrix(matrix, predictions, labels)[predictions.label, predictions.predicted_class()])


def least_costs(predictions: Predictions, matrix: Any, labels: Any = None) -> NDArray[np.float64]:
    """Return the cost of each row if the class of least expected cost is decided for.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> least_costs(read_predictions([0, 1], [0.1, 0.05]), [[0, 1], [10, 0]])
    array([ 1., 10.])
    """
    costs = read_matrix(matrix, predictions, labels)
    # Ties go to the first class by name, as those of the greatest probability do.
    order = np.argsort(predictions.classes, kind="stable")
    decision = order[(predictions.proba @ costs)[:, order].argmin(axis=1)]
    return np.asarray(costs[predictions.label, decision])


def read_matrix(matrix: Any, predictions: Predictions, labels: Any) -> NDArray[np.float64]:
    """Return the costs in the order of the columns; the matrix is in the order of `labels`, or else sorted."""
    n_classes = predictions.n_classes
    try:
        costs = as_floats(matrix)
    except (TypeError, ValueError):
        costs = np.empty(0)
    if costs.shape != (n_classes, n_classes) or not np.isfinite(costs).all():
        raise ParameterError(
            f"matrix must be {n_classes} rows (actual classes) of {n_classes} finite costs (predicted classes); got "
            f"{matrix!r}."
        )
    if labels is not None:
        return costs
    # A matrix is written in the order of the sorted classes, and columns may come in another.
    rank = np.argsort(np.argsort(predictions.classes))
    return np.asarray(costs[np.ix_(rank, rank)])


@metric("higher", -math.inf, math.inf, {ZADROZNY: "profit"}, classes="two", needs=("amount", "cost"))
def profit(
    y_true: Any, y_proba: Any, *, amount: Any, cost: Any, estimated_amount: Any = None, **common: Unpack[Common]
) -> float:
    """Return the profit of approaching the rows that are expected to pay more than they cost: higher is better.

    A row is approached where its probability times its estimated amount exceeds the cost (Zadrozny & Elkan 2001). A
    positive row that is approached earns its amount less the cost, any other one loses the cost.

    %(parameters_positive)s
    amount : float, or sequence of length n_rows
        The amount that a positive row pays; that of other rows is ignored.
    cost : float, or sequence of length n_rows
        The cost of approaching a row.
    estimated_amount : float, or sequence of length n_rows, optional
        The amount that a row is expected to pay if it is positive, estimated without its outcome; by default the mean
        amount of the positive rows, the same for all.

    %(returns)s
        The sum over rows.

    Examples
    --------
    >>> amounts = {"amount": [20, 0, 5, 0], "cost": 0.68, "estimated_amount": 10}
    >>> round(profit([1, 0, 1, 0], [0.1, 0.3, 0.6, 0.01], **amounts), 2)
    22.96
    """
    predictions = read_rows("profit", y_true, y_proba, common)
    return float((predictions.weight * row_profits(predictions, amount, cost, estimated_amount)).sum())


def row_profits(predictions: Predictions, amount: Any, cost: Any, estimated_amount: Any = None) -> NDArray[np.float64]:
    """Return the profit of each row; 0 where it is not approached.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> row_profits(read_predictions([0, 1, 1], [0.2, 0.9, 0.1]), amount=[0, 10, 20], cost=2.5)
    array([-2.5,  7.5,  0. ])
    """
    predictions.check_two_classes("profit")
    rows = predictions.binary_rows()
    costs = predictions.read_amounts("cost", cost)
    # Amounts of negative rows are not read: most data leave them empty.
    paid = np.where(rows.positive, predictions.read_amounts("amount", amount, rows.positive), 0.0)
    # By default every row is expected to pay the mean of the payers, the rule of Zadrozny & Elkan (2001).
    estimated = _mean(paid, rows.positive, predictions) if estimated_amount is None else estimated_amount
    approached = rows.proba * predictions.read_amounts("estimated_amount", estimated) > costs
    return np.where(approached, paid - costs, 0.0)


def _mean(paid: NDArray[np.float64], positive: NDArray[np.bool_], predictions: Predictions) -> float:
    return float(np.average(paid[positive], weights=predictions.weight[positive])) if positive.any() else 0.0
