"""What decisions cost and earn: a matrix of costs, or an amount for each row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics._classification.confusion import confusion_of
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COST", "PROFIT", "cost", "profit"]

_DECISIONS = Choice("likeliest", "cheapest")


def cost(
    y_true: Any,
    y_proba: Any,
    *,
    matrix: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    decide: str = "likeliest",
) -> float:
    """Give the mean cost of a row: the lower the better.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.
    matrix : array of shape (n_classes, n_classes)
        What it costs to decide for a class, across, where another is the actual one, down; classes in the order of
        `labels`, or else sorted. Costs below 0 are gains.
    decide : {"likeliest", "cheapest"}
        Decide for the class of the largest probability, or for that of the least expected cost; ties go to the lower
        class.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> rows = ["no", "yes", "no", "yes"], [0.1, 0.8, 0.4, 0.3]
    >>> cost(*rows, matrix=[[0, 1], [10, 0]]), cost(*rows, matrix=[[0, 1], [10, 0]], decide="cheapest")
    (2.5, 0.5)
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _cost(read, matrix, decide, labels)


def _cost(read: Predictions, matrix: Any, decide: str = "likeliest", labels: Any = None) -> float:
    check_param("decide", decide, _DECISIONS)
    costs = _read_matrix(matrix, read)
    if labels is None:
        place = np.argsort(np.argsort(read.classes))
        costs = costs[np.ix_(place, place)]
    if decide == "likeliest":
        counts = confusion_of(read)
        return float((costs * counts).sum() / counts.sum())
    order = np.argsort(read.classes, kind="stable")
    decided = order[(read.proba @ costs)[:, order].argmin(axis=1)]
    return read.mean(costs[read.label, decided])


def _read_matrix(matrix: Any, read: Predictions) -> NDArray[np.float64]:
    n_classes = read.n_classes
    try:
        costs = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.empty(0)
    if costs.shape != (n_classes, n_classes) or not np.isfinite(costs).all():
        raise ParameterError(
            f"matrix must be {n_classes} rows of {n_classes} finite costs, actual classes down, decided ones across; "
            f"got {matrix!r}."
        )
    return costs


def profit(
    y_true: Any,
    y_proba: Any,
    *,
    amount: Any,
    cost: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    estimated_amount: Any = None,
) -> float:
    """Give what is earned by approaching the rows that are expected to pay more than they cost: more is better.

    A row is approached where its probability times its estimated amount is greater than the cost (Zadrozny & Elkan
    2001). A positive row that is approached earns its amount less the cost, any other one loses the cost.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more it must be told, and all
        others are the negative class.
    labels : sequence, optional
        The classes in the order of the columns.
    amount : float, or sequence of length n_rows
        What a positive row pays; that of other rows is not looked at.
    cost : float, or sequence of length n_rows
        What it costs to approach a row.
    estimated_amount : float, or sequence of length n_rows, optional
        What a row is thought to pay if it is positive, without a look at its outcome. By default the mean amount of
        the positive rows, one guess for all.

    Returns
    -------
    float
        The sum over rows.

    Examples
    --------
    >>> profit([1, 0, 1, 0], [0.1, 0.3, 0.6, 0.01], amount=[20, 0, 5, 0], cost=0.68, estimated_amount=10)
    22.96
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _profit(read, amount, cost, estimated_amount)


def _profit(read: Predictions, amount: Any, cost: Any, estimated_amount: Any = None) -> float:
    check_two_classes(read, "profit")
    rows = read.two_class()
    costs = row_amounts("cost", cost, read)
    paid = np.where(rows.positive, row_amounts("amount", amount, read, rows.positive), 0.0)
    estimated = _mean(paid, rows.positive, read) if estimated_amount is None else estimated_amount
    approached = rows.proba * row_amounts("estimated_amount", estimated, read) > costs
    return float((read.weight * (paid - costs))[approached].sum())


def _mean(paid: NDArray[np.float64], positive: NDArray[np.bool_], read: Predictions) -> float:
    return float(np.average(paid[positive], weights=read.weight[positive])) if positive.any() else 0.0


def row_amounts(
    name: str, values: Any, read: Predictions, wanted: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Give a number for each row that counts; those that are not wanted may be missing."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{name} must hold numbers: one, or one for each row.") from error
    if numbers.shape not in ((), (read.n_given,)):
        raise DataError(f"{name} has shape {numbers.shape}; pass one number, or one for each of {read.n_given} rows.")
    numbers = np.broadcast_to(numbers, (read.n_given,))
    numbers = numbers if read.kept is None else numbers[read.kept]
    wrong = ~np.isfinite(numbers) if wanted is None else ~np.isfinite(numbers) & wanted
    if wrong.any():
        first = read.rows[np.flatnonzero(wrong)[0]]
        raise DataError(f"{name} has {wrong.sum()} NaN or infinite value(s) (first at row {first}).")
    return numbers


COST = Metric(
    "cost",
    cost,
    _cost,
    "lower",
    -math.inf,
    math.inf,
    {"Witten, Frank & Hall 2011": "cost"},
    needs=("matrix",),
)
PROFIT = Metric(
    "profit",
    profit,
    _profit,
    "higher",
    -math.inf,
    math.inf,
    {"Zadrozny & Elkan 2001": "profit"},
    classes="two",
    needs=("amount", "cost"),
)
