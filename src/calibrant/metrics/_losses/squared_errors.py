"""Scores of probabilities that stay finite: squared errors (Brier 1950), the spherical score (Roby 1965)."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant.metrics._docstrings import Common, document_metric
from calibrant.metrics._metric import CARUANA, CHAWLA, NIELSEN, WITTEN, ZADROZNY, metric, read_rows
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, row_chunks, threads_for


@metric("higher", 0.0, 1.0, {"Roby 1965": "spherical score"})
def spherical(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the mean of p_y divided by the Euclidean norm of the probabilities: from 0 to 1 (best).

    It is a proper score that, unlike the log-loss, is always finite and, unlike the Brier score, is not a distance.

    %(parameters)s

    %(returns)s
        The mean score.

    Examples
    --------
    >>> round(spherical(["no", "yes"], [[1.0, 0.0], [0.6, 0.4]]), 4)
    0.7774
    """
    predictions = read_rows("spherical", y_true, y_proba, common)
    if predictions.is_one_column:
        return _sum_of_two_classes(predictions.binary_rows()) / predictions.total
    norm = np.sqrt(np.einsum("ij,ij->i", predictions.table, predictions.table))
    return predictions.mean(predictions.true_class_proba() / norm)


def _sum_of_two_classes(rows: BinaryRows) -> float:
    total = 0.0
    for chunk in row_chunks(len(rows.proba)):
        p = rows.proba[chunk]
        scores = np.where(rows.positive[chunk], p, 1.0 - p) / np.sqrt(p * p + (1.0 - p) * (1.0 - p))
        total += float((scores if rows.weight is None else scores * rows.weight[chunk]).sum())
    return total


def mean_squared_error(predictions: Predictions, own_only: bool = False) -> float:
    """Return the mean over rows of the squared errors summed over classes, or of the actual class alone.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> mean_squared_error(read_predictions([0, 1], [0.5, 0.5]))
    0.5
    """
    threads = threads_for(predictions.n_rows)
    if predictions.is_one_column:
        rows = predictions.binary_rows()
        n_errors = 1.0 if own_only else 2.0  # both classes have the same squared error
        total = _core.squared_errors(rows.proba, rows.positive, rows.weight, threads)
        return float(n_errors * total / predictions.total)
    table = np.ascontiguousarray(predictions.table)
    total = _core.squared_errors_of_classes(table, predictions.label, predictions.weights, own_only, threads)
    return float(total / predictions.total)


def surprise(predictions: Predictions, least: float = 0.0) -> tuple[float, float, float]:
    """Return the sum of -ln p of the actual classes where p is not 0, and the weights of the rows with p = 0 and 1.

    Parameters
    ----------
    predictions : Predictions
        The rows.
    least : float
        Probabilities are clipped to [least, 1 - least] first.

    Returns
    -------
    float, float, float
        The sum over rows, the weight of the rows whose p is 0, and of those whose p is 1.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> surprise(read_predictions([0, 1, 1, 1], [0.0, 0.0, 1.0, 1.0]))
    (0.0, 1.0, 3.0)
    """
    threads = threads_for(predictions.n_rows)
    if predictions.is_one_column:
        rows = predictions.binary_rows()
        return _core.log_loss_sums(rows.proba, rows.positive, rows.weight, least, threads)
    table = np.ascontiguousarray(predictions.table)
    return _core.log_loss_sums_of_classes(table, predictions.label, predictions.weights, least, threads)


@metric("lower", 0.0, 2.0, {ZADROZNY: "MSE", CHAWLA: "QL", "Brier 1950": "P"})
def mse(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the mean over rows of the squared errors summed over classes, as the papers do: from 0 (best) to 2.

    With two classes it is twice `brier`, since both classes have the same error. Brier (1950) sums like this; Zadrozny
    & Elkan (2001, Tables 1 and 4) call it MSE; Chawla & Cieslak (2006) call the loss of a row quadratic.

    %(parameters)s

    %(returns)s
        The mean squared error of all classes together.

    Examples
    --------
    >>> round(mse(["no", "yes", "no"], [0.1, 0.8, 0.4]), 3)  # 2 (0.01 + 0.04 + 0.16) / 3
    0.14
    """
    return mean_squared_error(read_rows("mse", y_true, y_proba, common))


@metric("lower", 0.0, 2.0, {"Brier 1950": "P, of two classes P / 2"})
def brier(y_true: Any, y_proba: Any, *, form: str = "auto", **common: Unpack[Common]) -> float:
    """Return the Brier score, scikit-learn's ``brier_score_loss``: 0 is best.

    %(parameters)s
    form : {"auto", "sum", "half"}
        "auto" is the mean of (p - y)^2 for two classes, from 0 to 1, and the sum over classes for more, from 0 to 2.
        "sum" adds the squared errors of all classes also of two, as Brier (1950) does: `mse`. "half" is half of that
        for any number of classes.

    %(returns)s
        The mean over rows.

    Examples
    --------
    >>> round(brier(["no", "yes"], [0.1, 0.6]), 3), round(brier(["no", "yes"], [0.1, 0.6], form="sum"), 3)
    (0.085, 0.17)
    """
    predictions = read_rows("brier", y_true, y_proba, common, form=form)
    divisor = {"auto": brier_divisor(predictions.n_classes), "sum": 1.0, "half": 2.0}[form]
    return mean_squared_error(predictions) / divisor


def brier_divisor(n_classes: int) -> float:
    """Return the divisor of the sum over classes of squared errors in the Brier score.

    Examples
    --------
    >>> brier_divisor(2), brier_divisor(3)
    (2.0, 1.0)
    """
    # Brier's sum over classes is 2 (1 - p)^2 for two; scikit-learn's score is half of that.
    return 2.0 if n_classes <= 2 else 1.0


@metric("lower", 0.0, 2.0, {CHAWLA: "QL", WITTEN: "quadratic loss"})
def ql(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the mean quadratic loss, 1 - 2 p_y + sum of p_j^2: from 0 (best) to 2.

    This is the average that Chawla & Cieslak (2006) report. It equals `mse`, since each row has exactly one actual
    class, and with two classes is twice `brier`. Witten, Frank & Hall (2011, 5.6) sum over the rows instead: see
    `quadratic_loss`.

    %(parameters)s

    %(returns)s
        The mean loss.

    Examples
    --------
    >>> ql([0, 1], [0.0, 0.0])  # a certain and correct prediction costs 0, a certain and wrong one 2
    1.0
    """
    return mean_squared_error(read_rows("ql", y_true, y_proba, common))


@metric("lower", 0.0, 1.0, {CARUANA: "RMS", WITTEN: "root mean squared error"})
def rms(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the root mean squared error of a probability: from 0 (best) to 1.

    With two classes it is that of the positive one, as in Caruana & Niculescu-Mizil (2006); with K it is the root of
    `mse` / K, like Weka's root mean squared error.

    %(parameters)s

    %(returns)s
        The root mean squared error of a probability.

    Examples
    --------
    >>> round(rms([0, 1], [0.3, 0.6]), 4)  # the root of (0.09 + 0.16) / 2
    0.3536
    """
    predictions = read_rows("rms", y_true, y_proba, common)
    # At least 2: a single class column still stands for its complement.
    return math.sqrt(mean_squared_error(predictions) / max(predictions.n_classes, 2))


@metric("lower", 0.0, 1.0, {NIELSEN: "0/1-MSE"})
def mse01(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the mean over rows of the squared error of the actual class alone: from 0 (best) to 1.

    This is Nielsen's 0/1-MSE (2004, eq. 10). With two classes it is half of `mse`. With more it is not a proper score:
    probabilities that overstate the more likely classes score better than the true ones. Prefer `mse` there.

    %(parameters)s

    %(returns)s
        The mean squared error of the actual class.

    Examples
    --------
    >>> round(mse01(["no", "yes", "no"], [0.1, 0.8, 0.4]), 3)  # (0.01 + 0.04 + 0.16) / 3
    0.07
    """
    predictions = read_rows("mse01", y_true, y_proba, common)
    return mean_squared_error(predictions, own_only=True)


@document_metric
def quadratic_loss(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> NDArray[np.float64]:
    """Return the quadratic loss of each row, 1 - 2 p_y + sum of p_j^2: from 0 to 1 + sum of p_j^2, at most 2.

    Witten, Frank & Hall (2011, 5.6) sum it over the rows; its mean is `ql`.

    %(parameters)s

    %(returns_losses)s

    Examples
    --------
    >>> quadratic_loss(["a", "b"], [[1, 0, 0], [0.5, 0.25, 0.25]], labels=["a", "b", "c"])
    array([0.   , 0.875])
    """
    predictions = read_rows("quadratic_loss", y_true, y_proba, common)
    errors = predictions.proba.copy()
    errors[np.arange(predictions.n_rows), predictions.label] -= 1.0
    losses = np.zeros(predictions.n_input_rows)
    # Errors before squares, not 1 - 2 p + sum of squares, which cancels for good predictions.
    losses[predictions.rows] = np.einsum("ij,ij->i", errors, errors)
    return losses
