"""Squared errors of probabilities (Brier 1950)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._losses.mean_losses import mean_squared_error
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, CHAWLA, NIELSEN, WITTEN, ZADROZNY
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    *("BRIER", "MSE", "MSE01", "QL", "RMS"),
    *("brier", "brier_divisor", "mse", "mse01", "ql", "quadratic_loss", "rms"),
]


@document_metric
def mse(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
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
    return mean_squared_error(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


@document_metric
def brier(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    form: str = "auto",
) -> float:
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
    check_options("brier", form=form)
    return _brier(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), form)


def _brier(predictions: Predictions, form: str = "auto") -> float:
    divisor = {"auto": brier_divisor(predictions.n_classes), "sum": 1.0, "half": 2.0}[form]
    return mean_squared_error(predictions) / divisor


def brier_divisor(n_classes: int) -> float:
    """Return the divisor of the sum over classes of squared errors in the Brier score.

    Examples
    --------
    >>> brier_divisor(2), brier_divisor(3)
    (2.0, 1.0)
    """
    return 2.0 if n_classes <= 2 else 1.0


@document_metric
def ql(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
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
    return mean_squared_error(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


@document_metric
def rms(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
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
    return _rms(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _rms(predictions: Predictions) -> float:
    return math.sqrt(mean_squared_error(predictions) / max(predictions.n_classes, 2))


@document_metric
def mse01(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
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
    return _mse01(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _mse01(predictions: Predictions) -> float:
    return mean_squared_error(predictions, own_only=True)


@document_metric
def quadratic_loss(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> NDArray[np.float64]:
    """Return the quadratic loss of each row, 1 - 2 p_y + sum of p_j^2: from 0 to 1 + sum of p_j^2, at most 2.

    Witten, Frank & Hall (2011, 5.6) sum it over the rows; its mean is `ql`.

    %(parameters)s

    %(returns_losses)s

    Examples
    --------
    >>> quadratic_loss(["a", "b"], [[1, 0, 0], [0.5, 0.25, 0.25]], labels=["a", "b", "c"])
    array([0.   , 0.875])
    """
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    errors = predictions.proba.copy()
    errors[np.arange(predictions.n_rows), predictions.label] -= 1.0
    losses = np.zeros(predictions.n_input_rows)
    losses[predictions.rows] = np.einsum("ij,ij->i", errors, errors)
    return losses


MSE = Metric("mse", mse, mean_squared_error, "lower", 0.0, 2.0, {ZADROZNY: "MSE", CHAWLA: "QL", "Brier 1950": "P"})
BRIER = Metric("brier", brier, _brier, "lower", 0.0, 2.0, {"Brier 1950": "P, of two classes P / 2"})
QL = Metric("ql", ql, mean_squared_error, "lower", 0.0, 2.0, {CHAWLA: "QL", WITTEN: "quadratic loss"})
RMS = Metric("rms", rms, _rms, "lower", 0.0, 1.0, {CARUANA: "RMS", WITTEN: "root mean squared error"})
MSE01 = Metric("mse01", mse01, _mse01, "lower", 0.0, 1.0, {NIELSEN: "0/1-MSE"})
